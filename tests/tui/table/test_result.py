"""The result of a game: what it says at once, what is found about the play, and what may come next."""

import pytest
from rich.cells import cell_len
from textual.widgets import Button, Static

from durak_core import TAKE, Rules, State
from durak_tui.board.widgets.board import GameBoard
from durak_tui.menu import MenuScreen
from durak_tui.players import HUMAN
from durak_tui.review.screen import ReviewScreen
from durak_tui.setup.screens import SetupScreen
from durak_tui.table.screens import ResultDialog, TableScreen
from durak_tui.table.view import headline, shoulder_straps
from durak_tui.table.widgets import banner
from durak_tui.text.phrases import Voice
from durak_tui.ui.view.portraits import face_portrait
from durak_tui.ui.widgets.plot import Plot
from tui.boards import NAMES, a_moment, finished
from tui.helpers import an_app, my_turn, on_screen, send, shows, until
from tui.reviewing import Oracle

SMALL = "podkidnoy:seats=2,lowest_rank=11"


async def result_of(app, pick=-1):
    """Play a game by always taking the first or the last action; return its result."""
    while not (table := await my_turn(app)).session.is_over:
        table.session.submit(table.session.state.legal_actions[pick])
    await until(on_screen(app, ResultDialog))
    return app.screen


def told(dialog, name):
    return str(dialog.query_one(f"#{name}", Static).render())


def test_the_headline_names_the_fool_and_is_kind_to_whoever_played():
    end = finished()
    assert headline(end.observation(0), Voice(NAMES, 0)) == "Not you this time: Boris is the fool!"
    assert headline(end.observation(1), Voice(NAMES, 1)).startswith("This time you are the fool.")
    assert headline(end.observation(1), Voice(NAMES)) == "Boris is the fool."
    drawn = State.setup(Rules(), ["6d", "8h"], trump="Ad", attacker=1)
    for action in ("8h", "6dx8h"):
        drawn = drawn.apply(next(one for one in drawn.legal_actions if str(one) == action))
    assert headline(drawn.observation(0), Voice(NAMES, 0)) == "A draw: nobody is the fool."


@pytest.mark.sampled(1)
@pytest.mark.parametrize("size", [(60, 20), (80, 24), (120, 36)])
async def test_the_judgement_comes_without_moving_the_buttons_and_the_curve_where_there_is_room(size):
    app = an_app(SMALL, seed=4)
    app.engines.adviser = Oracle()
    app.engines.adviser.may_answer.clear()
    async with app.run_test(size=size) as pilot:
        dialog = await result_of(app)
        await pilot.pause()
        assert "Analysing your game" in told(dialog, "accuracy")
        places = [button.region for button in dialog.query(Button)]
        assert all(button.region.bottom < size[1] for button in dialog.query(Button))
        app.engines.adviser.may_answer.set()
        await until(lambda: "Your accuracy" in told(dialog, "accuracy"))
        await pilot.pause()
        assert [button.region for button in dialog.query(Button)] == places
        assert dialog.query_one(Plot).display == (size[1] >= 36)
        assert dialog.query_one(".text").max_scroll_y == 0 or size[1] < 24


async def test_a_move_to_learn_from_is_shown_in_the_review_by_its_number():
    app = an_app(SMALL, seed=4)
    app.engines.adviser = Oracle()
    async with app.run_test(size=(80, 40)):
        dialog = await result_of(app)
        await until(shows(app, "key moment"))
        assert dialog.moves
        ply = dialog.moves[0]
        send(app, "1")
        await until(on_screen(app, ReviewScreen))
        assert app.screen.game.ply == ply


async def test_without_an_engine_the_result_says_nothing_of_the_play():
    app = an_app(SMALL, seed=4)
    async with app.run_test(size=(80, 24)):
        dialog = await result_of(app)
        await until(lambda: dialog._reviewer.problem and not dialog._reviewer.is_running)
        await until(lambda: not dialog.query_one("#accuracy").display)
        await until(shows(app, "fool"))


async def test_each_button_says_what_it_does():
    app = an_app(SMALL, seed=4)
    async with app.run_test(size=(80, 24)) as pilot:
        dialog = await result_of(app)
        said = set()
        for _ in dialog.query(Button):
            await pilot.pause()
            said.add(told(dialog, "what"))
            send(app, "right")
        assert len(said) == 5  # the sixth waits for mistakes to be found
        assert "Same deal, new seats." in said


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("key", "screen"), [("n", TableScreen), ("g", SetupScreen), ("m", MenuScreen)])
async def test_letters_press_the_buttons(key, screen):
    app = an_app(SMALL, seed=4)
    async with app.run_test(size=(80, 24)):
        await result_of(app)
        table = app.screen_stack[-2]
        send(app, key)
        await until(lambda: app.screen is not table and isinstance(app.screen, screen))


def sixes(*, seat=0):
    """Anna goes out with two sixes, and Boris takes them; see it as a seat does."""
    state = State.setup(Rules(), ["6s 6c", "7h 8h"], trump="Ad", attacker=0)
    while not state.is_over:
        state = state.apply(state.legal_actions[0] if state.turn == 0 else TAKE)
    return state.observation(seat)


def test_a_last_attack_of_sixes_gives_shoulder_straps():
    assert sixes().fools == (1,)
    assert shoulder_straps(sixes(), Voice(NAMES, 0)).endswith("Boris wears the shoulder straps!")
    assert shoulder_straps(sixes(seat=1), Voice(NAMES, 1)).endswith("you wear the shoulder straps!")
    assert not shoulder_straps(finished().observation(0), Voice(NAMES, 0))


PLAYERS = (HUMAN, "level:viktor", "level:nina")


@pytest.mark.parametrize("ascii_only", [False, True])
@pytest.mark.parametrize("width", [30, 70])
def test_the_banner_has_the_place_in_large_signs_and_the_faces_that_fit(ascii_only, width):
    end = finished()
    texts = []
    for seat in (0, 1):
        moment = a_moment(end, seat, seat, players=PLAYERS)
        text = banner(moment, width, plain=ascii_only).plain
        assert max(map(cell_len, text.split("\n"))) <= width
        assert text.isascii() == ascii_only
        texts.append(text)
    mouth = face_portrait("viktor", "worried", ascii_only=ascii_only).rows[2]
    assert mouth in texts[0]
    assert ("####" if ascii_only else "▀▀▀█▄") in texts[0]
    assert all(letter in texts[1] for letter in "DURAK")
    covered = banner(moment, width, 2, plain=ascii_only).plain
    assert "U" in covered
    assert "R" not in covered


async def test_the_result_waits_until_the_last_cards_have_left_the_table_or_enter_asks_for_it(monkeypatch):
    timers = []
    monkeypatch.setattr(TableScreen, "set_timer", lambda _self, *timer, **_more: timers.append(timer))
    flies_always = property(lambda _board: True, lambda _board, _is_flying: None)
    monkeypatch.setattr(GameBoard, "is_flying", flies_always)
    app = an_app(SMALL, seed=4)
    async with app.run_test(size=(80, 24)) as pilot:
        while not (table := await my_turn(app)).session.is_over:
            table.session.submit(table.session.state.legal_actions[-1])
        await until(lambda: table._is_result_due)
        assert app.screen is table
        seconds, show = timers[-1]
        assert 0 < seconds < 1
        await pilot.press("enter")
        await until(on_screen(app, ResultDialog))
        dialog = app.screen
        show()
        await pilot.pause()
        assert app.screen is dialog
