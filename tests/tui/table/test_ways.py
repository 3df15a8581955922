"""Ways to play besides the card under the cursor: help and its price, redo, dragging, planning ahead."""

import shlex

import pytest
from textual.geometry import Offset

from durak_core import Defend
from durak_tui.board.widgets.cards import Hand, Table, Talon
from durak_tui.table.screens import ResultDialog, TableScreen
from tui.helpers import an_app, fake_engine, my_turn, on_screen, shows, until

HELP = [("h", (1, 0)), ("o", (1, 0)), ("u", (0, 1)), ("H", (1, 0))]


async def play(table, *numbers):
    """Play the legal actions with these numbers, one on each of the person's turns."""
    for number in numbers:
        table.session.submit(table.session.state.legal_actions[number])
        await my_turn(table.app)


@pytest.mark.parametrize(("key", "used"), HELP)
async def test_what_costs_the_rating_is_asked_before_and_once_a_game(key, used, monkeypatch):
    monkeypatch.setenv("DURAK_ENGINE", shlex.join(fake_engine("legal")))
    app = an_app("podkidnoy:seats=2", ("level:misha",), seed=4)
    async with app.run_test(size=(80, 24)) as pilot:
        table = await my_turn(app)
        await play(table, 0)
        for answer in ("b", "h"):
            assert table.session.is_rated
            await pilot.press(key)
            await until(shows(app, "With help, this game will not be rated."))
            await pilot.press(answer)
            await until(on_screen(app, TableScreen))
        await until(lambda: (table.session.used.hints, table.session.used.undos) == used)
        is_open = table.session.open_hands
        await pilot.press("o")
        await until(lambda: table.session.open_hands != is_open)


async def test_what_is_taken_back_is_played_again_until_something_else_is_played():
    app = an_app("podkidnoy:seats=2", seed=4)
    async with app.run_test(size=(120, 36)) as pilot:
        table = await my_turn(app)
        session = table.session
        await play(table, 0, 0)
        states = list(session.states)
        await pilot.press("u", "u")
        await until(shows(app, "U redo", "U plays it again"))
        await pilot.press("U", "U")
        await until(lambda: session.states == states)
        assert session.used.undos == 2
        assert not session.can_redo
        await pilot.press("u")
        await play(table, -1)
        assert not session.redo()


async def test_a_closed_result_is_opened_again():
    app = an_app("podkidnoy:seats=2,lowest_rank=11,hand_size=4", seed=4)
    async with app.run_test(size=(80, 24)) as pilot:
        table = await my_turn(app)
        while not table.session.is_over:
            await play(table, 0)
        await until(on_screen(app, ResultDialog))
        await pilot.press("escape")
        await until(shows(app, "⏎ next game", "r result", "Esc menu"))
        await pilot.press("r")
        await until(on_screen(app, ResultDialog))


async def test_a_refusal_says_what_is_possible():
    app = an_app("podkidnoy:seats=2", seed=4)
    async with app.run_test(size=(80, 24)) as pilot:
        table = await my_turn(app)
        while table.session.state.table:
            await play(table, 0)
        await pilot.press("space")
        await until(shows(app, "You attack: play a card (rules 5.1)."))
        while not table.options.can_pass or table.options.could_answer:
            await play(table, 0)
        await pilot.press("1")
        await until(shows(app, " may be added (rules 5.3). Space passes."))


# Dragging


async def drag(pilot, card, kind):
    """Press the mouse on a card of the hand, and let it go in the middle of another widget."""
    where = pilot.app.screen.query_one(kind).region
    end = where.offset + Offset(where.width // 2, where.height // 2)
    hand = pilot.app.screen.query_one(Hand)
    at = hand.place_of(card) + Offset(1, 1)
    await pilot.mouse_down(hand, offset=at)
    await pilot.hover(offset=end)
    await pilot.mouse_up(offset=end)


async def test_a_card_is_dragged_to_the_table_and_nowhere_else():
    app = an_app("podkidnoy:seats=2", seed=4)
    async with app.run_test(size=(120, 36)) as pilot:
        table = await my_turn(app)
        ply, card = table.session.ply, table.session.state.legal_actions[1].card
        await drag(pilot, card, Talon)
        assert (table.session.ply, table.board.card) == (ply, card)
        await drag(pilot, card, Table)
        await until(lambda: table.session.ply > ply)
        assert card not in table.session.states[ply + 1].observation(0).hand


# Planning ahead


async def a_defence_to_come(table):
    """Pause the game where the other player is about to attack."""
    session = table.session
    while not (session.state.turn == 1 and not session.state.table):
        session.pause()
        if session.state.turn == 0:
            session.submit(session.state.legal_actions[-1])
        else:
            session.step()
            await until(lambda: session.state.turn == 0 or not session.state.table)
    await until(lambda: table.moment.ply == session.ply)
    return session


@pytest.mark.parametrize("is_cancelled", [False, True])
async def test_a_card_chosen_early_beats_what_comes_if_it_can(is_cancelled):
    app = an_app("podkidnoy:seats=2", seed=4)
    async with app.run_test(size=(120, 36)) as pilot:
        table = await my_turn(app)
        session = await a_defence_to_come(table)
        ply = session.ply
        trump = max(card for card in session.state.hands[0] if card.suit == session.state.trump_suit)
        await until(shows(app, "⏎ plan"))
        table.board.hand.go_to(trump)
        await pilot.press("enter")
        await until(shows(app, "will beat what comes, if it can."))
        assert table.board.hand.planned == trump
        if is_cancelled:
            await pilot.press("escape")
            assert table.board.hand.planned is None
        session.resume()
        if is_cancelled:
            await my_turn(app)
            assert session.ply == ply + 1
        else:
            await until(lambda: session.ply > ply + 1)
            attack = session.states[ply + 1].table[0].attack
            assert session.states[ply + 1].apply(Defend(trump, attack)) == session.states[ply + 2]


async def test_a_planned_card_that_cannot_beat_what_comes_stays_in_the_hand():
    app = an_app("podkidnoy:seats=2", seed=4)
    async with app.run_test(size=(120, 36)) as pilot:
        table = await my_turn(app)
        session = await a_defence_to_come(table)
        ply = session.ply
        lowest = min(
            session.state.hands[0], key=lambda card: (card.suit == session.state.trump_suit, card.rank)
        )
        table.board.hand.go_to(lowest)
        await pilot.press("enter")
        session.resume()
        await until(shows(app, "does not beat"))
        assert session.ply == ply + 1
        assert table.planned is None
