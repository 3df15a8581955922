"""A person at the table: whole games by keyboard and by mouse, refusals, the end, leaving."""

import pytest

from durak_core import EXCHANGE, TAKE, Card, Defend, Rules, ShowTrump, State, Transfer
from durak_core.kernel.legal import refusal
from durak_tui.board.widgets.cards import Hand
from durak_tui.board.widgets.prompt import Prompt
from durak_tui.menu import MenuScreen
from durak_tui.play.session import Session
from durak_tui.play.setup import GameSetup
from durak_tui.players import HUMAN
from durak_tui.setup.screens import SetupScreen
from durak_tui.table.screens import TableScreen
from durak_tui.ui.screens.dialogs import Ask
from tui.helpers import (
    NAMES,
    an_app,
    click,
    each_preset,
    hides,
    my_turn,
    on_screen,
    screen_text,
    send,
    shows,
    until,
)

SHORT = "podkidnoy:lowest_rank=11,hand_size=4"
"""Rules of a game that is soon over."""


def playable(table):
    return [choice.card for choice in table.options.cards if choice.actions]


async def move_to(pilot, table, card):
    """Bring the cursor to a card with the arrow keys over playable cards, from left of them if on none."""
    hand = table.board.hand
    cards = [held.card for held in hand._view.cards if held.playable]
    steps = cards.index(card) - (cards.index(hand.card) if hand.card in cards else -1)
    send(pilot.app, *["right" if steps > 0 else "left"] * abs(steps))
    await until(lambda: hand.card == card)


async def one_action_by_keyboard(pilot, table):
    """Play with arrows, Tab, Space and Enter alone."""
    cards = playable(table)
    if cards and not (table.options.can_pass and table.session.state.plies % 3 == 0):
        await move_to(pilot, table, cards[0])
        send(pilot.app, "enter")
    else:
        send(pilot.app, "space")


async def play_to_the_end(pilot, table, act):
    while not table.session.is_over:
        plies = len(table.session.states)
        await act(pilot, table)
        await until(lambda: len(table.session.states) > plies)  # noqa: B023 - awaited at once
        await my_turn(pilot.app)


@pytest.mark.slow
async def test_a_whole_game_by_keyboard():
    app = an_app(f"{SHORT},seats=3", seed=2)
    async with app.run_test(size=(80, 24)) as pilot:
        table = await my_turn(app)
        await play_to_the_end(pilot, table, one_action_by_keyboard)
        await until(on_screen(app, Ask))
        await until(shows(app, "The game is over", f"deal {table.session.setup.seed}"))
        await until(lambda: shows(app, "fool")() or shows(app, "drawn")())
    assert len(list((app.saves.finished).iterdir())) == 1


@pytest.mark.parametrize("key", ["right", "left"])
async def test_enter_alone_plays_nothing_until_an_arrow_chooses_a_card(key):
    app = an_app(seed=4, cursor="none")
    async with app.run_test(size=(80, 24)):
        table = await my_turn(app)
        before = len(table.session.states)
        assert len(table.session.state.legal_actions) > 1
        assert table.board.card is None
        send(app, "enter")
        await until(shows(app, "Choose a card first"))
        assert len(table.session.states) == before
        send(app, key, "enter")
        await until(lambda: len(table.session.states) > before)
        await my_turn(app)
        is_forced = len(table.session.state.legal_actions) == 1 and bool(playable(table))
        await until(lambda: (table.board.card is not None) == is_forced)


@pytest.mark.parametrize("cursor", ["middle", "none"])
async def test_where_the_cursor_starts_is_a_setting(cursor):
    app = an_app(seed=4, cursor=cursor)
    async with app.run_test(size=(80, 24)):
        table = await my_turn(app)
        cards = [held.card for held in table.board.hand._view.cards if held.playable]
        assert table.board.card == (cards[(len(cards) - 1) // 2] if cursor == "middle" else None)


async def test_hands_open_for_the_person_alone():
    """The key shows the opponent's cards, and hides them again."""
    app = an_app("podkidnoy:seats=2", seed=4)
    async with app.run_test(size=(120, 36)) as pilot:
        table = await my_turn(app)

        def shown():
            return len(table.view().opponents[0].shown)

        assert shown() == 0
        await pilot.press("o")
        await until(shown)
        assert shown() == table.moment.observation.hand_sizes[1]
        assert table.session.used.hints == 1
        await pilot.press("o")
        await until(lambda: shown() == 0)


async def click_a_card(pilot, card):
    """Click a card of the hand where it is drawn."""
    hand = pilot.app.screen.query_one(Hand)
    cards = [held.card for held in hand._view.cards]
    place = hand._layout().place(cards.index(card))
    at = (place.x + 1, place.y + 1)
    await pilot.hover(hand, offset=at)
    await pilot.click(hand, offset=at)


async def click_a_button(pilot, name):
    """Click a button of the prompt."""
    prompt = pilot.app.screen.query_one(Prompt)

    def places():
        return [region.x for region, button in prompt._marks if button.name == name]

    await until(places)
    await pilot.click(prompt, offset=(places()[0] + 2, prompt.size.height - 1))


async def one_action_by_mouse(pilot, table):
    cards = playable(table)
    if cards and not (table.options.can_pass and table.session.state.plies % 3 == 0):
        await click_a_card(pilot, cards[0])
    else:
        await click_a_button(pilot, "done" if table.options.can_pass else "take")


@pytest.mark.slow
async def test_a_whole_game_by_mouse_from_the_menu_on():
    app = an_app(at_once="", seed=2)
    app.change_settings(rules=f"{SHORT},seats=2")
    async with app.run_test(size=(100, 30)) as pilot:
        await until(shows(app, "Enter: play."))
        await click(pilot, "#entries", (3, 0))
        await until(on_screen(app, TableScreen))
        table = await my_turn(app)
        await play_to_the_end(pilot, table, one_action_by_mouse)
        await until(on_screen(app, Ask))
        await click(pilot, "#answer-menu")
        await until(on_screen(app, MenuScreen))


@pytest.mark.sampled(1)
@each_preset
async def test_a_game_of_every_preset_is_played_with_digits_space_and_enter(preset):
    app = an_app(f"{preset}:seats=2", bots=("random",), seed=5)

    async def act(pilot, table):
        cards = [held.card for held in table.board.hand._view.cards]
        numbers = [number for number, card in enumerate(cards[:10], 1) if card in playable(table)]
        if numbers:
            send(pilot.app, str(numbers[0] % 10))
        elif playable(table) and not table.options.can_take:
            await one_action_by_keyboard(pilot, table)
        else:
            assert table.options.can_pass or not playable(table)
            send(pilot.app, "space")

    async with app.run_test(size=(80, 24)) as pilot:
        table = await my_turn(app)
        for _ in range(25):
            if table.session.is_over:
                break
            plies = len(table.session.states)
            await act(pilot, table)
            await until(lambda: len(table.session.states) > plies)  # noqa: B023 - awaited at once
            await my_turn(app)
        assert len(table.session.states) > 30 or table.session.is_over


async def begin_game(pilot, rules, hands, attacker=1):
    """Sit in the first seat of a position; the others are greedy bots."""
    rules = Rules.parse(rules).changed(seats=len(hands))
    state = State.setup(rules, hands, trump="6s", attacker=attacker)
    setup = GameSetup(rules, (HUMAN, *["greedy"] * (len(hands) - 1)), NAMES[: len(hands)], 1)
    await pilot.app.push_screen(TableScreen(Session(setup, [state])))
    return await my_turn(pilot.app)


async def test_an_illegal_card_is_explained_with_its_paragraph_and_f3_opens_it():
    app = an_app(at_once="")
    async with app.run_test(size=(80, 24)) as pilot:
        table = await begin_game(pilot, "podkidnoy", ["QhJc", "ThKd"])
        assert [pair.attack for pair in table.moment.observation.table] == [Card.parse("Th")]
        table.board.hand.go_to(Card.parse("Jc"))
        await until(shows(app, "J♣ does not beat 10♥."))
        assert table.query_one(Prompt).aside_tone == "note"
        await pilot.press("enter")
        await until(shows(app, "J♣ does not beat 10♥ (rules 1.4)."))
        assert table.query_one(Prompt).aside_tone == "refusal"
        await until(shows(app, "[ Take t ]"))
        assert len(table.session.states) == 2
        await pilot.press("f3")
        await until(shows(app, "1.4   A higher card of the same suit"))
        await pilot.press("escape")
        await until(on_screen(app, TableScreen))


@pytest.mark.parametrize(
    ("key", "action"),
    [("enter", Defend(Card.parse("9s"), Card.parse("9h"))), ("r", Transfer(Card.parse("9s")))],
)
async def test_a_card_that_can_beat_and_transfer_beats_with_enter_and_transfers_with_r(key, action):
    app = an_app(at_once="")
    async with app.run_test(size=(80, 24)) as pilot:
        table = await begin_game(pilot, "perevodnoy", ["9sKc", "9hTdJd"])
        await until(shows(app, "[ Transfer r ]"))
        await move_to(pilot, table, Card.parse("9s"))
        await pilot.press(key)
        await until(lambda: len(table.session.states) > 2)
        assert table.session.states[2] == table.session.states[1].apply(action)


def by_key(key):
    """Return what presses a key."""
    return lambda pilot: pilot.press(key)


def by_button(name):
    """Return what clicks a button."""
    return lambda pilot: click_a_button(pilot, name)


@pytest.mark.parametrize("show", [by_key("R"), by_button("show_trump")], ids=["key", "button"])
async def test_a_trump_is_shown_to_transfer(show):
    app = an_app(at_once="")
    async with app.run_test(size=(80, 24)) as pilot:
        table = await begin_game(pilot, "perevodnoy:show_trump=yes", ["9sKc", "9hTdJd"])
        await until(shows(app, "[ Show 9♠ R ]"))
        await show(pilot)
        await until(lambda: len(table.session.states) > 2)
        assert table.session.states[2] == table.session.states[1].apply(ShowTrump(Card.parse("9s")))


@pytest.mark.parametrize("exchange", [by_key("r"), by_button("transfer")], ids=["key", "button"])
async def test_the_lowest_trump_is_exchanged_before_a_bout(exchange):
    app = an_app(at_once="")
    async with app.run_test(size=(80, 24)) as pilot:
        rules = Rules(exchange_trump=True)
        state = State.setup(rules, ["6hAc9s", "7s8s9d"], talon="TsKh")
        setup = GameSetup(rules, (HUMAN, "greedy"), NAMES[:2], 1)
        await app.push_screen(TableScreen(Session(setup, [state])))
        table = await my_turn(app)
        await until(shows(app, "[ Exchange 6♥ for K♥ r ]"))
        await exchange(pilot)
        await until(lambda: len(table.session.states) > 1)
        assert table.session.states[1] == state.apply(EXCHANGE)
        await until(shows(app, "You attack Boris: open the bout with any card."))
        await until(hides(app, "[ Exchange"))
        assert table.is_my_turn
        await pilot.press("r")
        await until(shows(app, "no transfers"))


async def sevens(pilot):
    """Sit where a seven was led and two can transfer it: one of hearts, and one of spades that also beats."""
    table = await begin_game(pilot, "perevodnoy", ["7s7hKc", "8dJc9c", "7cJdQd"], attacker=2)
    table.session.pause()
    await until(shows(pilot.app, "[ Transfer r ]"))
    return table


def transferred(table, card):
    """Tell whether the table's second action was a transfer with a card."""
    states = table.session.states
    return len(states) > 2 and states[2] == states[1].apply(Transfer(Card.parse(card)))


async def test_the_button_asks_which_card_transfers_and_a_click_then_transfers_what_would_have_beaten():
    app = an_app(at_once="")
    async with app.run_test(size=(80, 24)) as pilot:
        table = await sevens(pilot)
        await click_a_button(pilot, "transfer")
        await until(shows(app, "Which card do you transfer with?"))
        await until(hides(app, "[ Take"))
        assert {str(card) for card in playable(table)} == {"7h", "7s"}
        await click_a_card(pilot, Card.parse("Kc"))
        await until(shows(app, "K♣: "))
        assert table.query_one(Prompt).aside_tone == "refusal"
        assert len(table.session.states) == 2
        await click_a_card(pilot, Card.parse("7s"))
        await until(lambda: transferred(table, "7s"))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("back", [by_key("escape"), by_button("back")], ids=["key", "button"])
async def test_the_question_which_card_transfers_has_a_way_back(back):
    app = an_app(at_once="")
    async with app.run_test(size=(80, 24)) as pilot:
        table = await sevens(pilot)
        await click_a_button(pilot, "transfer")
        await until(shows(app, "[ Back Esc ]"))
        await back(pilot)
        await until(shows(app, "[ Take t ]"))
        assert app.screen is table
        await click_a_card(pilot, Card.parse("7s"))
        await until(lambda: len(table.session.states) > 2)
        assert not transferred(table, "7s")


@pytest.mark.parametrize(("card", "keys"), [("7h", ["r"]), ("Kc", ["r", "enter"])])
async def test_the_key_transfers_with_the_card_under_the_cursor_or_asks(card, keys):
    app = an_app(at_once="")
    async with app.run_test(size=(80, 24)) as pilot:
        table = await sevens(pilot)
        await move_to(pilot, table, Card.parse(card))
        await pilot.press(*keys)
        await until(lambda: transferred(table, "7h") or transferred(table, "7s"))


async def test_arrows_pass_over_cards_that_cannot_be_played():
    app = an_app(at_once="")
    async with app.run_test(size=(80, 24)) as pilot:
        table = await begin_game(pilot, "podkidnoy", ["JhQhJc9c", "ThKdAdAs"])
        hand = table.board.hand
        seen = [hand.card]
        for key in ("right", "right", "left"):
            await pilot.press(key)
            seen.append(hand.card)
    assert seen == [Card.parse(name) for name in ("Jh", "Qh", "Jh", "Qh")]


async def test_the_only_card_that_can_transfer_needs_no_question():
    app = an_app(at_once="")
    async with app.run_test(size=(80, 24)) as pilot:
        table = await begin_game(pilot, "perevodnoy", ["9sKc", "9hTdJd"])
        table.board.hand.go_to(Card.parse("Kc"))
        await click_a_button(pilot, "transfer")
        await until(lambda: transferred(table, "9s"))


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "take", [by_key("t"), by_key("space"), by_button("take")], ids=["t", "space", "button"]
)
async def test_what_could_be_beaten_is_asked_about_before_it_is_taken(take):
    app = an_app(at_once="")
    async with app.run_test(size=(80, 24)) as pilot:
        table = await begin_game(pilot, "podkidnoy", ["JhKc", "ThKd"])
        await take(pilot)
        await until(on_screen(app, Ask))
        await pilot.press("escape")
        await until(on_screen(app, TableScreen))
        assert len(table.session.states) == 2
        await take(pilot)
        await until(on_screen(app, Ask))
        await pilot.press("enter")
        await until(lambda: len(table.session.states) > 2)
        assert table.session.states[2] == table.session.states[1].apply(TAKE)


@pytest.mark.parametrize("key", ["t", "space"])
async def test_what_cannot_be_beaten_is_taken_at_once(key):
    app = an_app(at_once="")
    async with app.run_test(size=(80, 24)) as pilot:
        table = await begin_game(pilot, "podkidnoy", ["7hKc", "ThKd"])
        await pilot.press(key)
        await until(lambda: len(table.session.states) > 2)
        assert table.session.states[2] == table.session.states[1].apply(TAKE)


@pytest.mark.parametrize("action", ["play", "card(1)"])
async def test_a_key_that_plays_a_card_asks_the_rules_once_and_is_done_at_once(monkeypatch, action):
    """What the turn offers was found out when it began; the card is checked when it is played."""
    app = an_app(at_once="", pace="1x")
    async with app.run_test(size=(80, 24)) as pilot:
        table = await begin_game(pilot, "podkidnoy", ["QhJc", "ThKd"], attacker=0)
        position, asked = table.session.state._position, []

        def counted(at, code):
            asked.append(at is position)
            return refusal(at, code)

        monkeypatch.setattr("durak_core.game.state.refusal", counted)
        await table.run_action(action)
        assert len(table.session.states) == 2
        assert asked.count(True) == 1


async def test_a_table_is_a_board_on_which_somebody_plays_and_nothing_else():
    ours = [kind.__name__ for kind in TableScreen.__mro__ if kind.__module__.startswith("durak_tui")]
    assert ours == [
        "TableScreen",
        "PlayingScreen",
        "SessionScreen",
        "BoardScreen",
        "DurakScreen",
        "AppScreen",
    ]


async def test_keys_that_cannot_act_now_say_why():
    app = an_app(at_once="")
    async with app.run_test(size=(80, 24)) as pilot:
        table = await begin_game(pilot, "podkidnoy", ["7hKc", "ThKd"], attacker=0)
        for key, paragraph in (("t", "5.5"), ("space", "5.1"), ("r", "7"), ("R", "7")):
            await pilot.press(key)
            assert f"(rules {paragraph})" in table.query_one(Prompt).aside
            assert table.paragraph == paragraph
        assert len(table.session.states) == 1


async def test_at_anothers_turn_keys_say_so():
    app = an_app(at_once="", pace="0.5x")
    async with app.run_test(size=(80, 24)) as pilot:
        rules = Rules(seats=2)
        setup = GameSetup(rules, (HUMAN, "greedy"), NAMES[:2], 1)
        state = State.setup(rules, ["7hKc", "ThKd"], trump="6s", attacker=1)
        table = TableScreen(Session(setup, [state]))
        table.session.pause()
        await app.push_screen(table)
        await until(lambda: not table._is_drawing)
        for key in ("t", "space", "r", "R"):
            table.board.tell("")
            await pilot.press(key)
            assert table.query_one(Prompt).aside == "It is not your turn."


async def test_tab_goes_through_the_open_attacks_and_enter_beats_the_chosen_one():
    app = an_app(at_once="")
    async with app.run_test(size=(80, 24)) as pilot:
        table = await begin_game(pilot, "larsenbier:transfer=no", ["JhJcQd", "ThTcKd"])
        attacks = table.moment.observation.open_attacks
        assert len(attacks) == 2
        await until(shows(app, "Tab target"))
        for expected in (attacks[1], attacks[0]):
            await pilot.press("tab")
            assert table.target == expected
        await pilot.press("shift+tab")
        assert table.target == attacks[1]
        card = Card.parse("J" + attacks[1].suit.letter)
        await move_to(pilot, table, card)
        states = len(table.session.states)
        await pilot.press("enter")
        await until(lambda: len(table.session.states) > states)
        assert table.session.states[states] == table.session.states[states - 1].apply(
            Defend(card, attacks[1])
        )


async def test_the_russian_layout_plays_too():
    app = an_app("podkidnoy:seats=2", seed=4)
    async with app.run_test(size=(80, 24)) as pilot:
        table = await my_turn(app)
        order = app.settings.sort, app.settings.descending
        await pilot.press("ы")
        assert (app.settings.sort, app.settings.descending) != order
        await pilot.press("с")  # noqa: RUF001 - a Russian letter is meant
        assert app.settings.colours == "two"
        table = await begin_game(pilot, "podkidnoy", ["7hKc", "ThKd"])
        states = len(table.session.states)
        await pilot.press("е")  # noqa: RUF001 - a Russian letter is meant
        await until(lambda: len(table.session.states) > states)


async def test_a_users_keymap_is_in_force_in_bindings_footer_buttons_and_help():
    app = an_app("podkidnoy:seats=2", seed=4)
    async with app.run_test(size=(100, 30)) as pilot:
        table = await begin_game(pilot, "podkidnoy", ["7hKc", "ThKd"])
        app.change_settings(keys={"table.take": ("x",), "table.card": tuple("!@#$%^&*()")})
        await until(shows(app, "x take"))
        await until(shows(app, "[ Take x ]"))
        states = len(table.session.states)
        await pilot.press("t")
        assert len(table.session.states) == states
        await pilot.press("?")
        await until(shows(app, "! ... )"))
        await pilot.press("escape")
        await until(on_screen(app, TableScreen))
        await pilot.press("x")
        await until(lambda: len(table.session.states) > states)


@pytest.mark.parametrize("sizes", [[(60, 20), (39, 20), (120, 36), (40, 10), (46, 41)]])
async def test_the_window_changes_its_size_during_a_game(sizes):
    app = an_app("podkidnoy:seats=4", seed=4)
    async with app.run_test(size=(80, 24)) as pilot:
        table = await my_turn(app)
        for width, height in sizes:
            await pilot.resize_terminal(width, height)
            if width < 40 or height < 20:
                await until(shows(app, "40x20"))
            else:
                await until(hides(app, "40x20"))
                await until(shows(app, "trumps", table.moment.names[1]))
            if len(table.session.states) < 30:
                await one_action_by_keyboard(pilot, table)
                await my_turn(app)


async def test_escape_leaves_and_the_game_stays_to_be_continued():
    app = an_app("podkidnoy:seats=3", seed=4)
    async with app.run_test(size=(80, 24)) as pilot:
        table = await my_turn(app)
        plies = len(table.session.states)
        await one_action_by_keyboard(pilot, table)
        await until(lambda: len(table.session.states) > plies)
        await my_turn(app)
        await pilot.press("escape")
        await until(on_screen(app, MenuScreen))
        await until(shows(app, "Continue"))
        states = table.session.states
        await pilot.press("enter")
        await until(on_screen(app, TableScreen))
        again = await my_turn(app)
        assert again.session.states[: len(states)] == states
        assert app.saves.unfinished() == ()


async def finished(pilot, app):
    """Play a game to its result."""
    table = await my_turn(app)
    while not table.session.is_over:
        assert table.session.submit(table.session.state.legal_actions[0]) is None
        await my_turn(app)
    await until(on_screen(app, Ask))
    await pilot.pause()
    return table


async def test_after_the_result_there_is_a_rematch():
    app = an_app(f"{SHORT},seats=2,next_first_attacker=under_fool", seed=4)
    async with app.run_test(size=(80, 24)) as pilot:
        table = await finished(pilot, app)
        await pilot.press("enter")
        await until(on_screen(app, TableScreen))
        await until(lambda: app.screen is not table)
        again = app.screen
        assert again.session.setup.players == table.session.setup.players
        assert again.session.states[0].defender == table.session.state.fool


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("presses", "screen"), [(["right", "enter"], SetupScreen), (["left", "enter"], MenuScreen)]
)
async def test_after_the_result_there_is_a_new_game_or_the_menu(presses, screen):
    app = an_app(f"{SHORT},seats=2,next_first_attacker=under_fool", seed=4)
    async with app.run_test(size=(80, 24)) as pilot:
        await finished(pilot, app)
        await pilot.press(*presses)
        await until(on_screen(app, screen))


async def test_the_final_table_can_be_looked_at_and_left():
    app = an_app(f"{SHORT},seats=2", seed=4)
    async with app.run_test(size=(80, 24)) as pilot:
        await finished(pilot, app)
        await pilot.press("escape")
        await until(shows(app, "[ Next game ⏎ ]"))
        await pilot.press("right", "t", "1", "space")
        await click_a_button(pilot, "back")
        await until(on_screen(app, MenuScreen))
        assert "Continue" not in screen_text(app)


async def test_colours_sizes_and_order_change_at_once():
    app = an_app("podkidnoy:seats=2", seed=4)
    async with app.run_test(size=(80, 24)) as pilot:
        await my_turn(app)
        seen = set()
        for _ in range(5):
            await pilot.press("s")
            await pilot.pause()
            seen.add((app.settings.sort, app.settings.descending))
        assert len(seen) == 5
        sizes = []
        for _ in range(7):
            await pilot.press("z")
            sizes.append(app.settings.size)
        assert sorted(sizes) == sorted(["auto", "giant", "huge", "large", "normal", "small", "tiny"])
        await pilot.press("l")
        await until(shows(app, "Bout 1"))


async def test_ascii_means_ascii():
    app = an_app("podkidnoy:seats=3", seed=4, ascii=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await my_turn(app)
        await until(shows(app, "choose"))
        assert screen_text(app).isascii()
        await pilot.press("?")
        await until(shows(app, "the card to the left"))
        assert screen_text(app).isascii()


async def test_without_colours_the_table_still_says_everything(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    app = an_app("podkidnoy:seats=2", seed=4)
    async with app.run_test(size=(80, 24)):
        table = await my_turn(app)
        assert app.no_color
        assert table.look.plain
        colours = {
            segment.style.color.name
            for strip in app.screen._compositor.render_strips()
            for segment in app._filters[-1].apply(list(strip), app.ansi_theme)
            if segment.style is not None and segment.style.color is not None
        }
        assert all(len({colour[1:3], colour[3:5], colour[5:7]}) == 1 for colour in colours)


async def test_the_bots_reasons_are_not_for_those_who_play():
    app = an_app("podkidnoy:seats=3", seed=4)
    async with app.run_test(size=(80, 24)):
        table = await my_turn(app)
        while not any(table.session.reasons.values()):
            assert table.session.submit(table.session.state.legal_actions[0]) is None
            await my_turn(app)
        assert any(table.session.reasons.values())
        assert table.moment.reason == ""


async def test_u_takes_back_and_the_game_is_an_assisted_one_from_then_on():
    app = an_app("podkidnoy:seats=2", seed=4)
    async with app.run_test(size=(80, 24)) as pilot:
        table = await my_turn(app)
        await pilot.press("u")
        await until(shows(app, "You have not played anything yet."))
        before = table.session.state
        table.session.submit(before.legal_actions[0])
        await my_turn(app)
        await pilot.press("u")
        await until(shows(app, "Taken back. U plays it again."))
        assert table.session.state is before
        await until(lambda: table.moment.undos == 1)
        path = next(app.saves.running.glob("*.durak"))
        assert '[Undos "1"]' in path.read_text("utf-8")
    (waiting,) = app.saves.unfinished()
    assert (waiting.used.undos, waiting.used.hints) == (1, 0)
    assert waiting.states[-1] == before


async def test_the_same_deal_can_be_played_from_the_other_seat():
    app = an_app(f"{SHORT},seats=3", seed=4)
    async with app.run_test(size=(80, 24)) as pilot:
        table = await finished(pilot, app)
        await until(shows(app, "Swap seats"))
        app.screen.query_one("#answer-swap").press()
        await until(lambda: app.screen is not table and isinstance(app.screen, TableScreen))
        old, new = table.session, app.screen.session
        assert new.setup.players == (*old.setup.players[-1:], *old.setup.players[:-1])
        assert new.setup.names == (*old.setup.names[-1:], *old.setup.names[:-1])
        assert new.states[0] == old.states[0]
        assert new.setup.human == 1


async def test_who_wants_no_questions_takes_at_once():
    app = an_app(at_once="", confirm=False)
    async with app.run_test(size=(80, 24)) as pilot:
        table = await begin_game(pilot, "podkidnoy", ["JhKc", "ThKd"])
        await pilot.press("space")
        await until(lambda: len(table.session.states) > 2)
        assert table.session.states[2] == table.session.states[1].apply(TAKE)


async def test_a_card_played_just_before_leaving_is_in_the_game_that_is_continued():
    app = an_app(seed=2)
    async with app.run_test() as pilot:
        table = await my_turn(app)
        await move_to(pilot, table, playable(table)[0])
        plies = table.session.state.plies
        send(app, "enter", "escape")
        await until(on_screen(app, MenuScreen))
        await pilot.pause()
        (game,) = app.saves.unfinished()
        assert len(game.states) == plies + 2
