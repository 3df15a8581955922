"""A table with real cards on the screen: whole games by keys and by taps, refusals, and the ways back."""

from __future__ import annotations

from contextlib import asynccontextmanager
from random import Random

import pytest
from core.game.test_real_games import dealt, drawn
from waiting import until

from durak_core import Card, Pass, RealGame, Record, Rules, Take, Transfer, read_game
from durak_core.game.real_game import reporting_seat
from durak_tui.board.widgets.prompt import Prompt
from durak_tui.menu import MenuScreen
from durak_tui.play.evening import Evening
from durak_tui.play.real import RealTable
from durak_tui.play.saves import Saves
from durak_tui.real import RealScreen, RealSetupScreen
from durak_tui.review.screen import ReviewScreen
from durak_tui.storage.paths import data_dir
from durak_tui.table.screens import ResultDialog
from durak_tui.ui.view.board_data import ButtonView
from durak_tui.ui.widgets.form import Form
from tui.helpers import an_app, go_to, on_screen, row_named, screen_text, shows

NAMES = ("Me", "Boris", "Vera", "Gleb", "Dora", "Egor")


def begun(rules, seed):
    """Return a deal and its table with the hand named."""
    state = dealt(rules, seed)
    game = RealGame.begin(state.rules, 0, state.first_attacker, state.trump_card)
    table = RealTable.begin(game, NAMES[: state.rules.seats], Saves())
    table.name(list(state.hands[0] - state.known[0]))
    return state, table


@asynccontextmanager
async def kept(rules="podkidnoy:seats=3", seed=5, size=(80, 24), plies=0):
    """Run an app at the table of a game in which some moves at random are reported."""
    state, table = begun(rules, seed)
    chance = Random(seed)
    while state.plies < plies:
        action = chance.choice(state.legal_actions)
        after = state.apply(action)
        table.act(action)
        table.name(drawn(state, after, 0))
        state = after
    table.keeper.release()
    app = an_app(at_once="real")
    async with app.run_test(size=size) as pilot:
        await until(on_screen(app, RealScreen))
        await pilot.pause()
        yield app, pilot, state


async def say(app, pilot, card):
    """Type a card as a player who looks at the screen; return how many keys that took."""
    session = app.screen.session
    before = session.game
    await pilot.press({"T": "0"}.get(card.rank.letter, card.rank.letter.lower()))
    if session.game is not before:
        return 1
    await pilot.press(card.suit.letter)
    assert session.game is not before, screen_text(app)
    return 2


async def report(app, pilot, state, action):
    """Report an action and what is drawn after it; return the next state and the keys that it took."""
    keys = 1
    if isinstance(action, Pass | Take):
        await pilot.press("space" if isinstance(action, Pass) else "t")
    elif isinstance(action, Transfer):
        app.screen.submit(action)
    else:
        keys = await say(app, pilot, action.card)
    after = state.apply(action)
    for card in drawn(state, after, 0):
        keys += await say(app, pilot, card)
    return after, keys


@pytest.mark.parametrize(
    ("rules", "seed"), [("podkidnoy:lowest_rank=J", 3), ("podkidnoy:seats=4,lowest_rank=J,hand_size=3", 6)]
)
async def test_a_game_reported_by_keys_is_the_one_that_was_seen(rules, seed):
    chance, keys = Random(seed), 0
    async with kept(rules, seed) as (app, pilot, start):
        table, state = app.screen, start
        while not state.is_over:
            state, pressed = await report(app, pilot, state, chance.choice(state.legal_actions))
            keys += pressed
            assert table.session.game.observation == state.observation(0)
        await until(on_screen(app, ResultDialog))
        assert keys / state.plies <= 2.5
        assert "deal" not in screen_text(app)
        await pilot.press("r")
        await until(on_screen(app, ReviewScreen))
    (path,) = (data_dir() / "games").iterdir()
    assert RealGame.of(read_game(path.read_text("utf-8"))).observation == state.observation(0)
    (scored,) = Evening().games
    assert scored.fool == ("" if state.fool is None else NAMES[state.fool])


async def test_a_form_begins_a_game_and_the_menu_goes_on_with_it():
    app = an_app(at_once="", guests=("Me", "Boris", "Vera"), rules="podkidnoy:seats=3")
    async with app.run_test(size=(80, 30)) as pilot:
        await until(on_screen(app, MenuScreen))
        await pilot.press("k")
        await until(on_screen(app, RealSetupScreen))
        await until(shows(app, "Choose the card that shows the trumps."))
        await pilot.press("f5")
        assert isinstance(app.screen, RealSetupScreen)
        form = app.screen.query_one(Form)
        for name, value in (("seats", "3"), ("suit", "c"), ("rank", "K"), ("first", "1")):
            go_to(form, name)
            while row_named(form, name).value != value:
                await pilot.press("right")
        await pilot.press("f5")
        await until(on_screen(app, RealScreen))
        await until(shows(app, "Which 6 cards did you get?"))
        assert app.screen.session.setup.rules == Rules(seats=3)
        for card in map(Card, ("6s", "9s")):
            await say(app, pilot, card)
        await pilot.press("escape")
        await until(on_screen(app, MenuScreen))
        await until(shows(app, "real cards with Boris, Vera"))
        await pilot.press("c")
        await until(on_screen(app, RealScreen))
        await until(shows(app, "Which 4 cards did you get?"))
        assert {Card("6s"), Card("9s")} == set(app.screen.session.game.seen.hand)


async def tap(app, pilot, wanted):
    """Tap the button of the prompt with a name."""
    prompt = app.screen.query_one(Prompt)

    def place():
        cells = ((x, y) for y in range(prompt.size.height) for x in range(prompt.size.width))
        found = ((cell, prompt.lies_at(cell)) for cell in cells)
        return next((cell for cell, one in found if isinstance(one, ButtonView) and one.name == wanted), None)

    await until(place)
    await pilot.click(Prompt, offset=place())
    await pilot.pause()


async def test_on_a_phone_two_taps_are_a_card():
    async with kept(size=(46, 44)) as (app, pilot, start):
        card = min(start.hands[start.turn], key=lambda card: card.rank)
        await tap(app, pilot, f"rank_{card.rank.value}")
        await tap(app, pilot, f"card_{card}")
        await until(lambda: app.screen.session.ply == 1)
        assert app.screen.session.game.moves[0].action.card == card


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        (("j", "d"), "J♦ cannot be in that hand: it lies under the talon"),
        (("2", "c"), "2♣ is not of the deck"),
        (("t",), "rules 5.5"),
    ],
)
async def test_what_cannot_have_happened_is_refused_with_the_card_and_its_place(keys, told):
    async with kept() as (app, pilot, _):
        await pilot.press(*keys)
        await until(shows(app, told))
        assert not app.screen.session.game.moves


async def test_every_step_is_taken_back_and_reported_again():
    async with kept(plies=3) as (app, pilot, _):
        session = app.screen.session
        end = session.game
        for plies in (2, 1, 0):
            await pilot.press("u")
            assert len(session.game.moves) == plies
        await pilot.press("u")  # the names of the hand
        assert len(session.game.unnamed) == 6
        await pilot.press("U", "U", "U", "U")
        assert session.game.observation == end.observation
        assert (session.undo(), session.redo(), session.redo()) == (True, True, False)
        await pilot.press("9", "escape")
        assert isinstance(app.screen, RealScreen)


async def test_hints_and_the_cards_panel_come_from_the_observation_alone(monkeypatch):
    asked = []
    monkeypatch.setattr("durak_tui.hints.model.Adviser.ask", lambda _self, seen, _known: asked.append(seen))
    async with kept(plies=14) as (app, pilot, start):
        state, chance = start, Random(1)
        await pilot.press("i")
        await until(lambda: app.screen.knowledge.view is not None)
        await pilot.press("i")
        while state.turn != 0 or len(state.legal_actions) < 2:
            await pilot.press("h")
            assert not asked
            state, _ = await report(app, pilot, state, chance.choice(state.legal_actions))
        await pilot.press("h")
        await until(lambda: asked)
    assert asked == [state.observation(0)]  # as in an ordinary game in the same position


async def test_all_pass_by_one_key():
    async with kept("podkidnoy:seats=4", 6) as (app, pilot, start):
        state, chance = start, Random(6)
        while state.phase.name != "THROW_IN" or state.turn == 0:
            state, _ = await report(app, pilot, state, chance.choice(state.legal_actions))
        bout = state.bout
        await pilot.press("p")
        session = app.screen.session
        assert session.state.bout > bout or session.game.unnamed


def test_a_game_that_fits_one_deal_is_recorded_with_all_hands():
    state, table = begun("podkidnoy:seats=6", 5)
    chance = Random(5)
    while not state.is_over:
        action = chance.choice(state.legal_actions)
        table.act(action)
        state = state.apply(action)
    (path,) = (data_dir() / "games").iterdir()
    record = read_game(path.read_text("utf-8"))
    assert reporting_seat(record) is None
    whole = Record.of(state, NAMES).replay()
    assert [one.hands for one in record.replay()] == [one.hands for one in whole]
