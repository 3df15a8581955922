"""The front door: the menu, a new game, house rules, the Laboratory, and watching."""

import shutil
from contextlib import asynccontextmanager

import pytest
from textual.widgets import OptionList

from durak_core import OPTIONS, PRESETS, Rules
from durak_core.agents.personas import OPPONENTS
from durak_tui.app import DurakApp
from durak_tui.friends.screens.lobby import FriendsScreen
from durak_tui.help.screens import RulesScreen
from durak_tui.learn.screens.daily import DailyScreen
from durak_tui.learn.screens.lesson import LearnScreen
from durak_tui.library.model.statistics import Standing
from durak_tui.library.screens.library import LibraryScreen
from durak_tui.menu import MenuScreen
from durak_tui.play.saves import Saves
from durak_tui.play.setup import Launch, Series, play_setup
from durak_tui.players import HUMAN, with_time
from durak_tui.real import RealSetupScreen
from durak_tui.review.screen import ReviewScreen
from durak_tui.settings import SettingsScreen
from durak_tui.setup.model import Draft
from durak_tui.setup.screens import AdvancedSetupScreen, HouseRulesScreen, SetupScreen
from durak_tui.storage.settings import Settings, SettingsFile
from durak_tui.table.screens import HandOverScreen, TableScreen
from durak_tui.text.house_rules import GROUPS, house_rules_text
from durak_tui.ui.screens.dialogs import Pick, Write
from durak_tui.ui.widgets.form import Form, Portrait
from durak_tui.watch.screen import WatchScreen
from tui.games import a_record
from tui.helpers import (
    CALM,
    a_setup,
    click,
    each_preset,
    go_to,
    hides,
    my_turn,
    on_screen,
    paused,
    row_named,
    screen_text,
    send,
    shows,
    until,
)

MISHA, TANYA, BORIS, OLGA, VIKTOR, NINA = (opponent.text for opponent in OPPONENTS)


def an_app_of(**stored) -> DurakApp:
    """Make an app that opens its menu, with settings of an earlier run."""
    SettingsFile().save(Settings(**stored))
    return DurakApp(Launch(changes={name: value for name, value in CALM.items() if name not in stored}))


@asynccontextmanager
async def setting_up(key="n", size=(80, 24), **stored):
    """Open a new game from the menu; yield the app, its pilot and the form."""
    app = an_app_of(**stored)
    async with app.run_test(size=size) as pilot:
        await until(on_screen(app, MenuScreen))
        await pilot.press(key)
        await until(on_screen(app, SetupScreen))
        yield app, pilot, app.screen.query_one(Form)


async def beyond(app, pilot, name, kind):
    """Open a page behind the form; return its own form."""
    go_to(app.screen.query_one(Form), name)
    await pilot.press("enter")
    await until(on_screen(app, kind))
    return app.screen.query_one(Form)


# The menu


async def test_at_the_first_start_the_menu_says_what_the_game_is_and_enter_deals():
    app = DurakApp(Launch(changes=CALM))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(shows(app, "the last player holding any is the fool"))
        assert "Continue" not in screen_text(app)
        suggested = Standing().suggested
        await until(shows(app, suggested.name))
        await pilot.press("enter")
        await until(on_screen(app, TableScreen))
        setup = app.screen.session.setup
        assert (setup.rules, setup.players) == (Rules(), (HUMAN, suggested.text))


async def test_enter_in_the_menu_starts_a_game_with_the_last_settings():
    app = an_app_of(rules="perevodnoy:seats=2,lowest_rank=2", players=("greedy", HUMAN), name="Anna")
    async with app.run_test(size=(80, 24)) as pilot:
        await until(shows(app, "Greedy · Perevodnoy, Cards in the deck: 52"))
        await pilot.press("enter")
        await until(on_screen(app, TableScreen))
        setup = app.screen.session.setup
        assert (setup.rules.text, setup.players) == ("perevodnoy:lowest_rank=2", ("greedy", HUMAN))
        assert setup.names[1] == "Anna"


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_every_line_of_the_menu_is_reached_with_the_arrows(size):
    """In a high window there is space between groups of lines, which the arrows skip."""
    app = DurakApp(Launch(changes=CALM))
    async with app.run_test(size=size) as pilot:
        lines = {1: SetupScreen, 2: DailyScreen, 3: FriendsScreen, 4: RealSetupScreen, 6: LearnScreen}
        for downs, screen in {**lines, 7: RulesScreen, 11: SettingsScreen}.items():
            send(app, "home", *["down"] * downs, "enter")
            await until(on_screen(app, screen))
            await pilot.press("escape")
            await until(on_screen(app, MenuScreen))
        await pilot.press("up", "enter")
        await until(lambda: not app.is_running)
    assert app.return_code == 0


async def test_a_line_of_the_menu_that_is_chosen_twice_at_once_opens_one_screen():
    app = DurakApp(Launch(changes=CALM))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(on_screen(app, MenuScreen))
        lines = app.screen.query_one(OptionList)
        lines.highlighted = lines.get_option_index("learn")
        lines.action_select()
        lines.action_select()
        await until(on_screen(app, LearnScreen))
        await pilot.pause()
        assert [type(screen) for screen in app.screen_stack[-2:]] == [MenuScreen, LearnScreen]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("size", [(60, 20), (80, 24), (120, 36), (200, 50)])
@pytest.mark.parametrize("ascii_only", [False, True])
async def test_all_lines_of_the_menu_fit(size, ascii_only):
    app = DurakApp(Launch(changes={**CALM, "ascii": ascii_only}))
    async with app.run_test(size=size):
        words = ("Enter: play.", "Play", "choose opponents and rules", "how the game goes", "Quit")
        await until(shows(app, *words))
        await until(lambda: app.screen.query_one(Portrait).display == (size[0] >= 120))
        assert not ascii_only or screen_text(app).isascii()


@pytest.mark.parametrize(
    ("size", "line"),
    [
        ((60, 20), "3 opponents · 2 against 2, Perevodnoy"),
        ((80, 24), "Misha, Tanya, Boris · 2 against 2, Perevodnoy"),
    ],
)
async def test_the_next_game_counts_its_opponents_if_their_names_do_not_fit(size, line):
    players = (HUMAN, MISHA, TANYA, BORIS)
    app = an_app_of(rules="perevodnoy:seats=4,teams=2x2", players=players)
    async with app.run_test(size=size):
        await until(shows(app, line))


async def test_a_click_on_the_card_beside_the_menu_plays():
    app = DurakApp(Launch(changes=CALM))
    async with app.run_test(size=(120, 36)) as pilot:
        await until(shows(app, Standing().suggested.name))
        await click(pilot, "Portrait", offset=(5, 4))
        await until(on_screen(app, TableScreen))


async def test_continue_shows_the_opponent_of_that_game_and_the_next_line_the_next_one():
    setup = a_setup((HUMAN, VIKTOR))
    Saves().begin(setup, setup.deal()).release()
    app = DurakApp(Launch(changes=CALM))
    async with app.run_test(size=(120, 36)) as pilot:
        await until(shows(app, "Continue", "Has played all"))
        await pilot.press("down")
        await until(shows(app, "Learnt the rules"))
        await pilot.press("up")
        await click(pilot, "Portrait", offset=(5, 4))
        await until(on_screen(app, TableScreen))
        assert app.screen.session.setup.players == (HUMAN, VIKTOR)


async def test_the_daily_deal_is_in_the_menu_and_its_game_leads_back_there():
    app = DurakApp(Launch(changes=CALM))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(shows(app, "Daily deal", "today's is still to be played"))
        await pilot.press("d")
        await until(on_screen(app, DailyScreen))
        await until(shows(app, "One try"))
        await pilot.press("enter")
        await until(on_screen(app, TableScreen))
        await my_turn(app)
        await pilot.press("escape")
        await until(on_screen(app, MenuScreen))


async def test_review_opens_the_last_game_and_asks_where_there_is_none():
    app = DurakApp(Launch(changes=CALM))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("v")
        await until(on_screen(app, Pick))
        await pilot.press("enter")
        await until(on_screen(app, LibraryScreen))
        await pilot.press("escape")
        await until(on_screen(app, MenuScreen))
        for seed, source in ((1, "played"), (2, "watched")):
            await app.library.add(a_record(seed, (HUMAN, "greedy")), source)
        app.screen.on_screen_resume()
        await until(shows(app, "your last game: "))
        await pilot.press("v")
        await until(on_screen(app, ReviewScreen))
        assert app.screen.game.record.deck == a_record(1, (HUMAN, "greedy")).deck
        await pilot.press("escape")
        await until(on_screen(app, MenuScreen))
        await pilot.press("V", "down", "enter")
        await until(on_screen(app, Write))


# A new game


async def test_a_game_against_another_opponent_takes_four_keys():
    async with setting_up(players=(HUMAN, MISHA)) as (app, pilot, form):
        assert form.row.name == MISHA
        await pilot.press("down", "enter")
        await until(shows(app, "Play against Tanya"))
        await pilot.press("enter")
        await until(on_screen(app, TableScreen))
        assert app.screen.session.setup.players == (HUMAN, TANYA)
    assert SettingsFile().load().players == (HUMAN, TANYA)


async def test_whoever_sat_longest_makes_room_at_a_full_table():
    async with setting_up(rules="podkidnoy:seats=3", players=(HUMAN, MISHA, TANYA)) as (app, pilot, form):
        for opponent in (OLGA, NINA):
            go_to(form, opponent)
            await pilot.press("enter")
        await until(shows(app, "Play against Olga and Baba Nina"))
        go_to(form, BORIS)
        await pilot.press("enter")
        await until(shows(app, "Play against Boris and Baba Nina"))
        go_to(form, "seats")
        await pilot.press("right", "right", "right")
        await until(shows(app, "you and 5 opponents"))
        await pilot.press("f5")
        await until(on_screen(app, TableScreen))
        players = app.screen.session.setup.players
        assert players[:3] == (HUMAN, BORIS, NINA)
        assert len(set(players)) == 6


async def test_a_tap_chooses_and_a_second_one_plays():
    async with setting_up(players=(HUMAN, MISHA)) as (app, pilot, form):
        line = form._rows.index(row_named(form, OLGA))
        await pilot.click(form, offset=(30, line + 1))  # the sentence below the name
        await until(shows(app, "Play against Olga"))
        await pilot.click(form, offset=(30, line))
        await until(on_screen(app, TableScreen))
        assert app.screen.session.setup.players == (HUMAN, OLGA)


async def test_the_card_of_whoever_is_under_the_cursor_stands_beside_and_can_be_tapped():
    async with setting_up(size=(120, 36), players=(HUMAN, MISHA)) as (app, pilot, form):
        assert app.screen.query_one(Portrait).display
        go_to(form, OLGA)
        await click(pilot, "Portrait", offset=(5, 4))
        await until(shows(app, "Play against Olga"))
        go_to(form, "seats")
        await until(lambda: not app.screen.query_one(Portrait).display)


async def test_the_button_and_the_rows_are_used_with_the_mouse():
    async with setting_up(players=(HUMAN, MISHA)) as (app, pilot, form):
        at = form._rows.index(row_named(form, "seats"))
        await pilot.click(form, offset=(form._value_at + 5, at))
        await until(lambda: row_named(form, "seats").value == "3")
        await pilot.click(form, offset=(form._value_at, at))
        await until(lambda: row_named(form, "seats").value == "2")
        await pilot.click(form, offset=(5, at))
        await until(on_screen(app, Pick))
        await pilot.press("escape")
        await until(on_screen(app, SetupScreen))
        await pilot.click(form, offset=(8, form._rows.index(row_named(form, "start"))))
        await until(on_screen(app, TableScreen))


async def test_a_click_below_the_form_does_nothing():
    async with setting_up(size=(80, 60)) as (_app, pilot, form):
        before = form.row
        assert form.count < form.size.height
        await pilot.click(form, offset=(5, form.size.height - 1))
        assert form.row == before


@pytest.mark.sampled(1)
@pytest.mark.parametrize("size", [(60, 20), (80, 24), (120, 36)])
async def test_everything_about_a_new_game_is_on_one_page(size):
    async with setting_up(size=size, players=(HUMAN, MISHA)) as (app, _pilot, form):
        names = [opponent.name for opponent in OPPONENTS]
        await until(shows(app, *names, "House rules", "Play against Misha"))
        assert form.count <= form.size.height


async def test_the_score_and_who_is_next_stand_beside_the_opponents():
    app = an_app_of(players=(HUMAN, MISHA))
    async with app.run_test(size=(100, 30)) as pilot:
        await until(on_screen(app, MenuScreen))
        for seed in range(3):
            record = a_record(seed, (HUMAN, MISHA))
            await app.library.add(record, "played")
        await app.library.collect()
        standing = app.library.standing()
        score = standing.scores["misha"]
        await pilot.press("n")
        await until(shows(app, f"you {score.won} : {score.lost}", f"Your rating {standing.rating}?"))

        def next_for_you():
            return [line for line in screen_text(app).splitlines() if "next for you" in line]

        await until(lambda: any(standing.suggested.name in line for line in next_for_you()))


async def test_the_arrows_go_round_and_open_a_row_without_choices():
    async with setting_up() as (app, pilot, form):
        await pilot.press("end", "down")
        await until(lambda: form.row.name == "game")
        await pilot.press("up")
        await until(lambda: form.row.name == "start")
        go_to(form, "laboratory")
        await pilot.press("right")
        await until(on_screen(app, AdvancedSetupScreen))


async def test_the_other_game_keeps_the_house_rules():
    async with setting_up(rules="podkidnoy:lowest_rank=2") as (app, pilot, form):
        go_to(form, "game")
        await pilot.press("right")
        await until(lambda: row_named(form, "game").value == "perevodnoy")
        await until(shows(app, "a long game"))
        await pilot.press("f5")
        await until(on_screen(app, TableScreen))
        assert app.screen.session.setup.rules.text == "perevodnoy:lowest_rank=2"


async def test_friends_share_the_keyboard_and_have_names():
    async with setting_up(rules="podkidnoy:seats=3", players=(HUMAN, MISHA, TANYA)) as (app, pilot, form):
        go_to(form, "friends")
        await pilot.press("right")
        await until(lambda: row_named(form, "friends").value == "1")
        go_to(form, "names")
        await pilot.press("enter")
        await until(on_screen(app, Write))
        line = app.screen.query_one("Input")
        for wrong, told in (("Ann", "1 names for 2 people"), ("Ann, Ann", "each name only once")):
            line.value = wrong
            await until(shows(app, told))
        line.value = "Ann, Vera"
        await pilot.press("enter")
        await until(on_screen(app, SetupScreen))
        await pilot.press("f5")
        await until(on_screen(app, HandOverScreen))
    (waiting,) = app.saves.unfinished()
    assert waiting.setup.players == (HUMAN, HUMAN, TANYA)
    assert waiting.setup.names[:2] == ("Ann", "Vera")
    stored = SettingsFile().load()
    assert (stored.guests, stored.players.count(HUMAN)) == (("Ann", "Vera"), 2)


async def test_many_unfinished_games_are_counted_without_holding_the_menu():
    """The watchdog fails if they are read at once."""
    setup = a_setup((HUMAN, "greedy"))
    state = setup.deal()
    while state.plies < 60:
        state = state.apply(state.legal_actions[0])
    saves = Saves()
    saved = saves.begin(setup, state)
    saved.release()
    for number in range(40):
        shutil.copy(saved.path, saves.running / f"2020-01-01-0000{number:02}-a.durak")
    app = an_app_of()
    async with app.run_test(size=(80, 24)):
        await until(shows(app, "41 games, 41 unfinished"))


async def test_only_people_may_play():
    async with setting_up(players=(HUMAN, MISHA)) as (app, pilot, form):
        go_to(form, "friends")
        await pilot.press("enter")
        await until(lambda: row_named(form, "friends").value == "1")
        await pilot.press("f5")
        await until(on_screen(app, HandOverScreen))


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "players",
    [
        (HUMAN, "beginner", "club"),
        (HUMAN, "ismcts:iterations=80", "greedy"),
        ("ismcts:time=1000,net=auto", HUMAN, "smart"),
    ],
)
async def test_what_an_earlier_version_has_stored_is_set_up_and_played(players):
    async with setting_up(rules="podkidnoy:seats=3", players=players) as (app, pilot, _form):
        await until(shows(app, "Play against "))
        text = screen_text(app)
        assert "ismcts" not in text
        assert "iterations" not in text
        await pilot.press("f5")
        await until(on_screen(app, TableScreen))
        assert app.screen.session.setup.humans == {players.index(HUMAN)}


# House rules


async def test_every_option_but_teams_is_a_house_rule_in_words():
    """Which game it is and how many play stand on the page before; teams cannot be played."""
    listed = {rule.option for rules in GROUPS.values() for rule in rules}
    assert listed == set(OPTIONS) - {"seats", "transfer", "teams"}
    async with setting_up(rules="perevodnoy:first_bout_limit=5,show_trump=yes") as (app, pilot, _form):
        form = await beyond(app, pilot, "rules", HouseRulesScreen)
        for rules in GROUPS.values():
            for rule in rules:
                if rule.option == "partner_plays_on":  # only partners have it
                    continue
                row = row_named(form, rule.option)
                assert row.help == rule.sentence
                assert len(row.choices) > 1
                assert not any("_" in row.words[choice] for choice in row.choices)
                assert all(
                    OPTIONS[rule.option].show(OPTIONS[rule.option].read(it)) == it for it in row.choices
                )


async def test_a_house_rule_is_changed_told_and_played():
    async with setting_up() as (app, pilot, _form):
        form = await beyond(app, pilot, "rules", HouseRulesScreen)
        assert all(row.name != "show_trump" for row in form._rows)  # it does nothing without transfers
        go_to(form, "throw_in")
        await pilot.press("left")
        await until(shows(app, "only the attacker"))
        await until(shows(app, "usually all players"))
        go_to(form, "first_bout_limit")
        await pilot.press("enter")
        await until(on_screen(app, Pick))
        await pilot.press(*["down"] * 5, "enter")
        await until(shows(app, "at most 5"))
        await pilot.press("escape")
        await until(shows(app, "2 rules changed"))
        await until(shows(app, "In the first bout: at most 5, Who throws in: only the attacker"))
        await pilot.press("f5")
        await until(on_screen(app, TableScreen))
        assert app.screen.session.setup.rules.text == "podkidnoy:first_bout_limit=5,throw_in=attacker"
    assert house_rules_text(Rules.parse(SettingsFile().load().rules))


async def test_what_cannot_be_played_is_explained_and_does_not_start():
    async with setting_up(rules="podkidnoy:seats=3", players=(HUMAN, MISHA, TANYA)) as (app, pilot, _form):
        form = await beyond(app, pilot, "rules", HouseRulesScreen)
        go_to(form, "hand_size")
        await pilot.press(*["right"] * 7)
        await until(shows(app, "A deck of 36 cards cannot give 3 seats 13 cards each"))
        await pilot.press("escape")
        await until(on_screen(app, SetupScreen))
        await until(shows(app, "cannot be played"))
        await pilot.press("f5")
        await pilot.pause()
        assert isinstance(app.screen, SetupScreen)
        form = await beyond(app, pilot, "rules", HouseRulesScreen)
        go_to(form, "set")
        await pilot.press("right", "escape")
        await until(shows(app, "the usual ones"))
        await pilot.press("f5")
        await until(on_screen(app, TableScreen))


async def test_f3_opens_the_rules_at_the_option_under_the_cursor():
    async with setting_up() as (app, pilot, _form):
        form = await beyond(app, pilot, "rules", HouseRulesScreen)
        go_to(form, "pile_on")
        await pilot.press("f3")
        await until(shows(app, "6.2   Taken"))


async def test_named_house_rules_are_chosen_in_one_row_of_both_pages():
    async with setting_up(rules="perevodnoy") as (app, pilot, _form):
        form = await beyond(app, pilot, "rules", HouseRulesScreen)
        assert not any(row.name == "first_limit_lasts" for row in form._rows)
        go_to(form, "set")
        await pilot.press("right")
        await until(lambda: row_named(form, "first_limit_lasts").value == "until_beaten")
        assert row_named(form, "attack_style").value == "volley"
        await pilot.press("escape")
        await until(shows(app, "as in the popular app"))
        go_to(app.screen.query_one(Form), "rules")
        await pilot.press("right")
        await until(shows(app, "a short game"))
        await pilot.press("left")
        await until(shows(app, "as in the popular app"))
        await pilot.press("f5")
        await until(on_screen(app, TableScreen))
        expected = Rules.preset("perevodnoy").changed(**PRESETS["online"])
        assert app.screen.session.setup.rules == expected
        await pilot.press("f3")
        await until(shows(app, "Until the first attack is beaten off: 5 at most."))


# The Laboratory


@pytest.mark.sampled(1)
@each_preset
async def test_a_game_of_every_preset_is_set_up_and_starts(preset):
    async with setting_up(rules="podkidnoy:seats=3", players=(HUMAN, "greedy", "smart")) as (app, pilot, _):
        form = await beyond(app, pilot, "laboratory", AdvancedSetupScreen)
        go_to(form, "preset")
        for _ in range(len(PRESETS)):
            if form.row.value == preset:
                break
            await pilot.press("right")
        await pilot.press("escape")
        await until(on_screen(app, SetupScreen))
        await pilot.press("f5")
        await until(on_screen(app, TableScreen))
        assert app.screen.session.setup.rules == Rules.preset(preset, seats=3)
    assert SettingsFile().load().rules == Rules.preset(preset, seats=3).text


async def test_research_agents_take_seats_with_their_time_and_deals_have_seeds():
    async with setting_up(players=(HUMAN, MISHA)) as (app, pilot, _form):
        form = await beyond(app, pilot, "laboratory", AdvancedSetupScreen)
        advanced_setup = app.screen
        go_to(form, "seat 1")
        await pilot.press("enter")
        await until(on_screen(app, Pick))
        await pilot.press("escape")
        await until(on_screen(app, AdvancedSetupScreen))
        advanced_setup.change("seat 1", "ismcts")
        assert advanced_setup.draft.players[1] == with_time("ismcts", 1000)
        go_to(form, "time 1")
        await pilot.press("right")
        await until(lambda: advanced_setup.draft.players[1] == with_time("ismcts", 3000))
        advanced_setup.change("seat 1", "greedy:open")
        await until(shows(app, "sees all cards"))
        advanced_setup.change("seat 1", "greedy")
        go_to(form, "seed")
        await pilot.press("7")
        await until(on_screen(app, Write))
        await pilot.press("7", "enter")
        await until(lambda: row_named(form, "seed").value == "77")
        await pilot.press("escape")
        await until(on_screen(app, SetupScreen))
        go_to(app.screen.query_one(Form), "start")
        await until(shows(app, "Play against Greedy"))
        await pilot.press("f5")
        await until(on_screen(app, TableScreen))
        setup = app.screen.session.setup
        assert (setup.seed, setup.players) == (77, (HUMAN, "greedy"))


# Watching


async def test_watching_asks_who_plays_and_remembers_it():
    async with setting_up("w", watched=(MISHA, TANYA)) as (app, pilot, form):
        await until(shows(app, "Watch Misha and Tanya"))
        assert all(row.name != "friends" for row in form._rows)
        go_to(form, OLGA)
        await pilot.press("enter", "enter")
        screen = await paused(app)
        assert screen.session.setup.players == (OLGA, TANYA)
    stored = SettingsFile().load()
    assert (stored.watched, stored.players) == ((OLGA, TANYA), ())


async def test_a_series_is_set_up_where_nobody_plays():
    async with setting_up("w", pace="0.5x", watched=("greedy", "smart")) as (app, pilot, _form):
        form = await beyond(app, pilot, "laboratory", AdvancedSetupScreen)
        go_to(form, "games")
        await pilot.press("right", "right")
        go_to(form, "rotate")
        await pilot.press("right", "escape")
        await until(on_screen(app, SetupScreen))
        await pilot.press("f5")
        await until(on_screen(app, WatchScreen))
        assert app.screen.session.setup.series == Series(planned=3, rotating=True)
        await until(shows(app, "Game 1 of 3"))


async def test_partners_that_other_options_contradict_can_be_chosen_and_left():
    """Also where only bots play, and the teams are named."""
    four = (MISHA, TANYA, BORIS, OLGA)
    rules = "podkidnoy:seats=4,series_score=places"
    async with setting_up("w", rules=rules, watched=four) as (app, pilot, form):
        go_to(form, "teams")
        await pilot.press("right")
        await until(shows(app, "cannot be played"))
        await pilot.press("left")
        await until(hides(app, "cannot be played"))


# What a draft makes of choices


def test_people_come_and_go_and_every_seat_stays_taken():
    draft = Draft(Settings(rules="podkidnoy:seats=4"), Standing(), watching=False)
    assert draft.people == 1
    for people in (3, 4, 2, 1):
        draft.take_people(people)
        assert (draft.people, len(draft.players)) == (people, 4)
        assert len(set(draft.bots)) == len(draft.bots)
    for seats in (6, 2, 5):
        draft.take_table(str(seats))
        assert draft.players[0] == HUMAN
        assert draft.rules.seats == len(draft.players) == seats


def test_an_opponent_who_comes_takes_the_place_of_the_last_person_where_only_people_sit():
    draft = Draft(Settings(players=(HUMAN, HUMAN)), Standing(), watching=False)
    draft.seat(OLGA)
    assert draft.players == (HUMAN, OLGA)


def test_the_words_of_an_earlier_version_seat_somebody():
    assert play_setup(Settings(players=(HUMAN, "beginner"))).players[1] != "beginner"


async def test_six_seats_with_36_cards_are_called_unfair_and_get_52():
    """Without a talon the first defender is the fool in a third of the games (docs/facts.md)."""
    async with setting_up(rules="podkidnoy:seats=6", players=(HUMAN, MISHA, TANYA, BORIS, OLGA, VIKTOR)) as (
        app,
        pilot,
        form,
    ):
        await until(shows(app, "with 52 cards"))
        go_to(form, "full_deck")
        await until(shows(app, "All cards are dealt, so the seat decides more than the play."))
        await pilot.press("enter")
        await until(lambda: "with 52 cards" not in screen_text(app))
        assert app.screen.draft.rules.deck_size == 52


@pytest.mark.parametrize(
    ("rules", "unfair"),
    [
        ("podkidnoy:seats=6", True),
        ("perevodnoy:seats=4,lowest_rank=9", True),
        ("podkidnoy:seats=5", False),
        ("podkidnoy:seats=6,lowest_rank=2", False),
        ("podkidnoy:seats=6,teams=2x3", False),
        ("podkidnoy:seats=4,hand_size=13,lowest_rank=2", False),
    ],
)
def test_a_table_is_unfair_if_all_cards_are_dealt_to_single_players(rules: str, unfair: bool):
    seats = Rules.parse(rules).seats
    draft = Draft(
        Settings(rules=rules, players=(HUMAN, *[bot.text for bot in OPPONENTS][: seats - 1])),
        Standing(),
        watching=False,
    )
    assert draft.is_unfair == unfair
    draft.take_full_deck()
    assert not draft.is_unfair
