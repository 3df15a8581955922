"""Partners in the app: choosing them, the table, whole games, the result, watching, and what is kept."""

import random
from dataclasses import replace

import pytest
from textual.geometry import Region

from durak_core import PASS, GameEnded, Record, Rules, State
from durak_core.agents.personas import OPPONENTS
from durak_core.search.search_result import SearchedAction
from durak_tui.board.view import prompt_view
from durak_tui.board.widgets.seats import OwnSeat, Seat
from durak_tui.help.view import how_the_game_goes
from durak_tui.hints.model import Chances
from durak_tui.hints.view.knowledge import knowledge_view
from durak_tui.library.model.entries import entry_of
from durak_tui.library.model.statistics import Played, Standing, group
from durak_tui.library.model.store import Library
from durak_tui.library.view import group_cells
from durak_tui.play.commands import out_of_turn_words
from durak_tui.play.session import Session
from durak_tui.play.setup import GameSetup, Series, next_setup, score_words
from durak_tui.players import HUMAN, team_labels, team_names
from durak_tui.review.model import ReviewGame
from durak_tui.setup.model import TABLES, Draft
from durak_tui.storage.settings import Settings
from durak_tui.table import screens
from durak_tui.table.screens import ResultDialog, TableScreen
from durak_tui.table.view import chance_plot, headline, places_line
from durak_tui.text.phrases import Voice, event_words, players_words
from durak_tui.ui.theme import team_ink
from durak_tui.ui.view.board_data import Look, fool_plot
from durak_tui.ui.widgets.plot import Plot
from tui.boards import NAMES, a_moment, a_view, shown
from tui.helpers import an_app, my_turn, on_screen, screen_text, send, shows, until
from tui.menu.test_front import setting_up
from tui.ui.test_plot import Showing

MISHA, TANYA, BORIS, OLGA, VIKTOR, NINA = (opponent.text for opponent in OPPONENTS)
DIVISIONS = {"2x2": 4, "2x3": 6, "3x2": 6}
NARROW = [(40, 38), (44, 24), (46, 44), (59, 30)]
WIDE = [(60, 20), (60, 22), (80, 24), (100, 30), (120, 36), (200, 50)]


def team_rules(teams, **options):
    return Rules(seats=DIVISIONS[teams], teams=teams, **options)


def a_game(teams, seed=5, plies=10**6):
    """Play a game of partners by chance, to its end or so many moves."""
    chance = random.Random(seed)
    state = State.deal(team_rules(teams), seed)
    while not state.is_over and state.plies < plies:
        state = state.apply(chance.choice(state.legal_actions))
    return state


def ended(teams, *, lost=None):
    """Return the end of a game that has a fool, and in which the first team has lost or not."""
    ends = (a_game(teams, seed) for seed in range(100))
    return next(end for end in ends if end.fools and (lost is None or (0 in end.fools) == lost))


# Choosing partners


async def test_partners_are_a_choice_beside_the_number_of_players():
    async with setting_up(rules="podkidnoy:seats=3", players=(HUMAN, MISHA, TANYA)) as (app, pilot, form):
        form.go_to("teams")
        assert "Partners" in screen_text(app)
        await pilot.press("right")
        await until(shows(app, "2 against 2"))
        await until(shows(app, "Your partner", "against Misha + Boris"))
        assert app.screen.draft.rules == Rules(seats=4, teams="2x2")
        await until(lambda: screen_text(app).count("against you") == 2)
        form.go_to("partners")
        await pilot.press("right")
        await until(shows(app, "against Misha + Tanya"))
        form.go_to("start")
        await pilot.press("enter")
        await until(on_screen(app, TableScreen))
        setup = app.screen.session.setup
        assert setup.players == (HUMAN, MISHA, BORIS, TANYA)
        await until(shows(app, "partner: Boris"))


async def rows_of(app, table):
    """Choose a table on the screen of a new game, and return the screen's rows by name."""
    app.screen.change("teams", table)
    seats, teams = TABLES[table]
    await until(shows(app, players_words(seats, Rules(seats=seats, teams=teams).team_count)))
    return {row.name: row for row in app.screen.rows()}


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("table", "choices"), [("2x2", 3), ("2x3", 10), ("3x2", 5)])
@pytest.mark.parametrize("size", [(60, 20), (120, 36)])
async def test_every_division_is_set_up_and_the_partners_are_named(table, choices, size):
    async with setting_up("n", size=size) as (app, _pilot, _form):
        told = await rows_of(app, table)
        draft = app.screen.draft
        names = draft.names(Settings())
        assert len(told["partners"].choices) == choices
        assert told["partners"].shown == " and ".join(sorted(names[seat] for seat in draft.teams[0][1:]))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("table", DIVISIONS)
async def test_to_watch_every_division_is_set_up_and_its_teams_are_named(table):
    async with setting_up("w", size=(80, 24)) as (app, _pilot, _form):
        told = await rows_of(app, table)
        draft = app.screen.draft
        assert told["teams"].note == "; ".join(team_names(draft.names(Settings()), draft.rules))


def test_every_division_has_its_table():
    assert {table for table, (_seats, teams) in TABLES.items() if teams} == set(DIVISIONS)


async def test_one_key_goes_round_all_partners_there_are():
    async with setting_up(rules="podkidnoy:seats=6,teams=2x3") as (app, pilot, form):
        form.go_to("partners")

        def partners():
            return next(row.shown for row in app.screen.rows() if row.name == "partners")

        seen = [partners()]
        for _ in range(10):
            await pilot.press("right")
            await until(lambda: partners() != seen[-1])
            seen.append(partners())
        assert seen[0] == seen[10]
        assert len(set(seen)) == 10


@pytest.mark.parametrize("teams", DIVISIONS)
def test_whoever_is_chosen_becomes_a_partner_and_everybody_keeps_a_seat(teams):
    draft = Draft(Settings(rules=team_rules(teams).text), Standing(), watching=False)
    sitting = sorted(draft.players)
    for choice, seats in draft.partners_to_choose().items():
        wanted = {draft.players[seat] for seat in seats}
        draft.take_partners(choice, NAMES)
        assert {draft.players[seat] for seat in draft.teams[0][1:]} == wanted
        assert draft.players[0] == HUMAN
        assert sorted(draft.players) == sitting


def test_a_friend_may_become_the_partner_and_keeps_the_name():
    draft = Draft(Settings(rules="podkidnoy:seats=4,teams=2x2"), Standing(), watching=False)
    draft.guests = ("Anna", "Vera")
    draft.take_people(2)
    draft.take_partners("1", draft.names(Settings()))
    assert [player == HUMAN for player in draft.players] == [True, False, True, False]
    assert draft.names(Settings())[0::2] == ("Anna", "Vera")
    draft.take_people(4)
    names = draft.names(Settings())
    draft.take_partners("3", names)
    assert draft.names(Settings()) == (names[0], names[1], names[3], names[2])


def test_house_rules_presets_and_the_other_game_leave_partners_as_they_are():
    draft = Draft(Settings(rules="podkidnoy:seats=6,teams=2x3,attack_limit=5"), Standing(), watching=False)
    draft.take_rules(Rules.preset("larsenbier"))
    assert draft.rules == Rules.preset("larsenbier", seats=6, teams="2x3")
    draft.take_game("perevodnoy")
    assert (draft.rules.seats, draft.rules.teams) == (6, "2x3")
    draft.take_table("5")
    assert (draft.rules.seats, draft.rules.teams) == (5, None)


def test_a_partner_plays_on_only_while_two_play_against_two():
    draft = Draft(
        Settings(rules="podkidnoy:seats=4,teams=2x2,partner_plays_on=yes"), Standing(), watching=False
    )
    draft.take_game("perevodnoy")
    assert draft.rules == Rules.preset("perevodnoy", seats=4, teams="2x2", partner_plays_on=True)
    draft.take_table("2x3")
    assert draft.rules == Rules.preset("perevodnoy", seats=6, teams="2x3")


@pytest.mark.parametrize("teams", DIVISIONS)
def test_how_the_game_goes_tells_of_partners(teams):
    told = dict(how_the_game_goes(team_rules(teams), str, ascii_only=False))
    assert "artner" in told["Partners"]
    assert "opponent" in told["Attack"]
    assert "Partners" not in dict(how_the_game_goes(Rules(seats=4), str, ascii_only=False))


# The table


def heads_of(app):
    """Yield each opponent that is shown and the first line of its seat."""
    seats = [seat for seat in app.query(Seat) if seat.display]
    for widget, opponent in zip(seats, app.view.opponents, strict=True):
        yield opponent, widget.render_lines(Region(0, 0, *widget.size))[0]


def own_line(app, width):
    """Return the line of the viewer's own seat."""
    return app.query_one(OwnSeat).render_lines(Region(0, 0, width, 1))[0].text


def check_marks(app, state, marks, size):
    """Every seat has the mark of its team, and no part of the board lies on another one."""
    count = state.rules.team_count
    for opponent, head in heads_of(app):
        assert f"{marks[opponent.seat % count]} {opponent.name[:3]}" in head.text
    viewer = app.view.viewer
    assert f"{marks[viewer.seat % count]} {viewer.name}" in own_line(app, size[0])
    regions = [child.region for child in app.board.children if child.display and child.id != "side"]
    regions = [region for region in regions if region.area]
    for number, region in enumerate(regions):
        assert Region(0, 0, *size).contains_region(region)
        assert not any(region.overlaps(other) for other in regions[number + 1 :])


def check_partners(app, state, size):
    """The own seat's line names all partners."""
    own = own_line(app, size[0])
    assert all(NAMES[seat] in own for seat in state.rules.partners(state.turn))


def check_colours(app, state):
    """The marks are coloured as well."""
    for opponent, head in heads_of(app):
        mark = "●■▼"[opponent.seat % state.rules.team_count]
        assert all(part.style.color is not None for part in head if part.text == mark)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("teams", DIVISIONS)
@pytest.mark.parametrize("size", NARROW[::2])
async def test_every_seat_has_the_mark_of_its_team_and_nothing_overlaps(teams, size):
    state = a_game(teams, plies=9)
    async with shown(a_view(state, state.turn, state.turn, Look()), size) as (app, _pilot):
        check_marks(app, state, "●■▼", size)
        check_colours(app, state)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("teams", DIVISIONS)
@pytest.mark.parametrize("size", WIDE[::2])
async def test_with_room_for_it_the_own_seat_names_the_partners_too(teams, size):
    state = a_game(teams, plies=9)
    async with shown(a_view(state, state.turn, state.turn, Look()), size) as (app, _pilot):
        check_marks(app, state, "●■▼", size)
        check_colours(app, state)
        check_partners(app, state, size)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("teams", DIVISIONS)
async def test_in_ascii_every_seat_has_the_mark_of_its_team_and_partners_are_named(teams):
    state, size = a_game(teams, plies=9), (60, 20)
    look = Look(ascii=True, plain=True)
    async with shown(a_view(state, state.turn, state.turn, look), size) as (app, _pilot):
        check_marks(app, state, "@&=", size)
        check_partners(app, state, size)


def test_the_mark_of_a_team_has_a_colour_of_its_own():
    """The colours are no more than a help: see the marks above."""
    for dark in (True, False):
        assert len({team_ink(team, dark=dark) for team in range(3)}) == 3


def test_an_attack_goes_to_the_next_opponent_and_the_prompt_names_it():
    """Boris is out, so that Anna attacks Dima and not her partner Clara (rules 2.2.1)."""
    state = State.setup(team_rules("2x2"), ["6s7s", "", "8s9s", "Ts"], trump="6d", attacker=0)
    assert prompt_view(a_moment(state), Voice(NAMES, 0), None).text.startswith("You attack Dima")


def test_nobody_throws_in_against_a_partner_and_is_told_why():
    state = a_game("2x2", plies=1)
    partner = (state.defender + 2) % 4
    assert out_of_turn_words(state.observation(partner)) == (
        "You may not throw in against your partner (rules 2.2.2)."
    )
    assert out_of_turn_words(state.observation(state.attacker)) == "It is not your turn."


def test_the_panel_of_known_cards_marks_the_teams_of_those_it_names():
    view = knowledge_view(a_game("3x2", plies=9).observation(0), NAMES, Look())
    assert [row.name for row in view.rows] == ["■ Boris", "▼ Clara", "● Dima", "■ Elena", "▼ Fedor"]
    assert [item.words for item in view.legend if item.seat is not None][:2] == ["● Anna", "■ Boris"]


@pytest.mark.parametrize(
    ("teams", "height", "legend"),
    [
        ("2x2", 6, ["safe  ⠶⠶ ● Anna + Clara 70% ⠂⠐ ■ Boris + Dima 30%"]),
        ("2x3", 7, ["      ⠶⠶ ● Anna + Clara + Elena 70%", "      ⠂⠐ ■ Boris + Dima + Fedor 30%"]),
        ("2x3", 6, ["how safe each player is ⠶⠶ ● 70% ⠂⠐ ■ 30%"]),
    ],
)
async def test_a_legend_without_room_for_all_names_calls_teams_by_their_signs(teams, height, legend):
    async with Showing().run_test(size=(52, height)) as pilot:
        plot = pilot.app.query_one(Plot)
        labels = team_labels(NAMES, team_rules(teams))
        lines, look = fool_plot([[0.7], [0.3]], labels, lambda _seat: "", 0, 0)
        plot.show(lines, look, ascii_only=False)
        shown = plot.render().plain.splitlines()
        assert shown[: len(legend)] == legend
        assert "100%" in shown[len(legend)]


# Words


@pytest.mark.parametrize("teams", DIVISIONS)
def test_the_end_is_told_of_teams(teams):
    lost, won = ended(teams, lost=True), ended(teams, lost=False)
    mine = Voice(NAMES, 0).team(lost.rules)
    assert mine.startswith("You")
    assert headline(lost.observation(0), Voice(NAMES, 0)).startswith(f"{mine} have lost")
    assert f"{mine} have won" in headline(won.observation(0), Voice(NAMES, 0))
    assert prompt_view(a_moment(lost), Voice(NAMES, 0), None).text == f"{mine} have lost!"
    assert prompt_view(a_moment(won), Voice(NAMES, 0), None).text.startswith(f"{mine} have won!")
    (end,) = [event for event in lost.observation(0).events if isinstance(event, GameEnded)]
    assert event_words(end, Voice(NAMES, 0)) == f"{mine} have lost"
    assert Voice(NAMES).together(won.fools) in headline(won.observation(0), Voice(NAMES))
    view = a_view(lost)
    seats = {seat.seat: seat for seat in (view.viewer, *view.opponents)}
    assert {number for number, seat in seats.items() if seat.role == "lost"} == set(lost.fools)
    places = places_line(lost.observation(0), Voice(NAMES))
    holders = [seat for seat in range(lost.rules.seats) if lost.hand_sizes[seat]]
    assert [name in places for name in NAMES[: lost.rules.seats]] == [True] * lost.rules.seats
    out = [NAMES[seat] for seat in lost.places if seat not in holders]
    assert places.startswith(f"Out in this order: {', '.join(out)} · ")
    assert places.count("left holding cards") == 1


# Whole games


@pytest.mark.parametrize(
    "teams", ["2x2", *(pytest.param(teams, marks=pytest.mark.slow) for teams in ("2x3", "3x2"))]
)
async def test_a_whole_game_by_keyboard_with_result_rating_and_series(teams):
    app = an_app(team_rules(teams, lowest_rank=10, hand_size=3).text, seed=2)
    async with app.run_test(size=(80, 24)) as pilot:
        while not (table := await my_turn(app)).session.is_over:
            before = table.session.ply
            for key in ("enter", "space", "t"):
                if table.session.ply == before:
                    send(app, *(["right"] * (before % 3) if key == "enter" else []), key)
                    await pilot.pause()
            if table.session.ply == before:
                table.session.submit(table.session.state.legal_actions[0])
        await until(on_screen(app, ResultDialog))
        await until(shows(app, "Games with partners don't change your rating."))
        end = table.session.state
        if end.fools:
            await until(shows(app, "have lost"))
        await until(lambda: app.library.store.last_played() is not None)
        row = app.library.store.last_played()
        assert row.outcome == ("draw" if not end.fools else "lost" if 0 in end.fools else "won")
        assert row.seats[0].lost == (0 in end.fools)


async def test_people_as_partners_hand_the_keyboard_over_and_see_no_other_hand(monkeypatch):
    monkeypatch.setattr(screens, "GRACE", 0.0)
    rules = team_rules("2x2", hand_size=3)
    setup = GameSetup(rules, (HUMAN, "greedy", HUMAN, "greedy"), ("Anna", "Boris", "Clara", "Dima"), 4)
    session = Session(setup)
    session.start()
    handed = []
    while not session.is_over:
        await until(lambda: session.is_over or session.hand_over is not None or session.is_persons_turn)
        if session.hand_over is not None:
            handed.append(session.hand_over)
            session.take_seat()
        elif session.is_persons_turn:
            assert session.moment.observation.hands is None
            assert session.submit(session.state.legal_actions[0]) is None
    await session.close()
    assert set(handed) == {0, 2}


# Series, library, statistics, rating


@pytest.mark.parametrize("teams", DIVISIONS)
def test_a_series_counts_games_and_losses_of_teams(teams):
    end = ended(teams)
    rules = end.rules
    players = (HUMAN, *("greedy",) * (rules.seats - 1))
    setup = GameSetup(rules, players, NAMES[: rules.seats], 1)
    after = next_setup(setup, end)
    assert after.series.games == sum(after.series.losses) == 1
    assert Series.parse(after.series.text, rules.team_count) == after.series
    turned = next_setup(setup, end, rotate=True)
    loser = turned.series.losses.index(1)
    assert {turned.names[seat] for seat in rules.members(loser)} == {NAMES[seat] for seat in end.fools}
    words = score_words(after.series, team_names(NAMES, rules), is_over=False)
    assert f"{' + '.join(NAMES[seat] for seat in end.fools)} 1" in words


def a_kept_game(end, players):
    record = Record.of(end, NAMES[: len(players)], "2026-01-02 10:00")
    return replace(record, tags={f"Player{seat}": player for seat, player in enumerate(players)})


@pytest.mark.parametrize("teams", DIVISIONS)
def test_a_game_counts_for_the_team_against_its_opponents_and_not_for_the_rating(tmp_path, teams):
    seats = DIVISIONS[teams]
    players = (HUMAN, MISHA, TANYA, BORIS, OLGA, VIKTOR)[:seats]
    lost, won = ended(teams, lost=True), ended(teams, lost=False)
    library = Library(tmp_path)
    library.add_all([entry_of(a_kept_game(end, players)) for end in (lost, won)])
    assert [row.outcome for row in library.rows(library.find()).values()].count("lost") == 1
    games = library.played_by(HUMAN)
    rules = lost.rules
    assert sorted((game.lost, game.draw) for game in games) == [(False, False), (True, False)]
    partners = {players[seat] for seat in rules.partners(0)}
    for game in games:
        assert game.teams == rules.team_count
        assert set(game.opponents) == set(players[1:]) - partners
    assert library.standing().games == 0


def test_statistics_name_divisions_and_their_fair_share():
    """A team of three pairs loses one game in three among equals, as often as not in a team of two."""
    games = [
        Played("2026-01-01", "podkidnoy", 6, teams, (MISHA,), number < 4, draw=False, bouts=9, plies=60)
        for teams in (2, 3)
        for number in range(12)
    ]
    told = {name: group_cells(name, tally) for name, tally in group(games, "players").items()}
    shown = {name: [cell.text for cell in cells][1:7] for name, cells in told.items()}
    assert shown == {
        "3 against 3": ["12", "8", "0", "4", "33.3%", "14-61%"],
        "three pairs": ["12", "8", "0", "4", "33.3%", "14-61%"],
    }
    assert [cells[7].text for cells in told.values()] == ["50%", "33%"]


@pytest.mark.parametrize("teams", DIVISIONS)
def test_the_result_draws_the_chance_of_the_team_around_the_fair_one(teams):
    end = ended(teams)
    game = ReviewGame(Record.of(end, NAMES[: end.rules.seats]))
    line, look = chance_plot(game, 1, "")
    assert line.name == "how safe your team is"
    assert look.guide == pytest.approx(1 - 1 / end.rules.team_count)


# Watching and review


@pytest.mark.parametrize("teams", DIVISIONS)
def test_curves_are_those_of_teams(teams):
    end = ended(teams)
    states = Record.of(end, NAMES[: end.rules.seats]).replay()
    chances = Chances(None, lambda: None)
    chances.follow(states, 0)
    chance = random.Random(1)
    for ply in range(0, len(states) - 1, 2):
        score = chance.random()
        chances.answers.add_lines((ply, ()), [SearchedAction(PASS, score, 1, low=score, high=score)])
    curves = [chances.curve(team) for team in range(end.rules.team_count)]
    assert [curve[-1] for curve in curves] == [float(team != end.fool) for team in range(len(curves))]
    lines, look = fool_plot(curves, team_labels(NAMES, end.rules), str, 0, 20)
    assert look.guide == pytest.approx(1 - 1 / end.rules.team_count)
    assert look.titles[-1] == "safe"
    assert lines[0].name.startswith("● Anna + ")
    assert [line.short for line in lines] == list("●■▼"[: len(lines)])
    assert [line.values for line in lines] == curves


def test_a_team_has_won_only_once_all_of_it_are_out():
    end = ended("2x2")
    states = Record.of(end, NAMES[:4]).replay()
    chances = Chances(None, lambda: None)
    chances.follow(states, 0)
    first = next(ply for ply, state in enumerate(states) if state.places)
    curve = chances.curve(states[first].places[0] % 2)
    assert curve[first] is None or states[first].is_over
