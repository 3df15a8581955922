"""Puzzles in the app: on the board, and what is remembered of them."""

import sqlite3
import subprocess
import sys

import pytest
from puzzling import HIDDEN

from durak_core import PASS
from durak_core.errors import EngineError
from durak_core.puzzles.puzzle import read_collection, read_hidden_collection
from durak_core.search.analysis import Analysis
from durak_core.search.backend.backend import plain_backend
from durak_tui.app import DurakApp
from durak_tui.engine import EngineSolutions
from durak_tui.learn import model
from durak_tui.learn.model import keep_puzzle, puzzle_standing
from durak_tui.learn.screens.puzzle import PuzzleScreen
from durak_tui.library.model.file import STEPS, bring_up_to_date
from durak_tui.library.model.store import Library
from durak_tui.menu import MenuScreen
from durak_tui.play.setup import Launch
from durak_tui.storage.paths import data_dir
from tui.helpers import CALM, on_screen, screen_text, shows, until

EASY = (
    "rating=1400 goal=win action=Td themes=low,pair rules=podkidnoy bout=16 attacker=1 defender=0 "
    "limit=2 phase=opening turn=1 hands=+JsJh/6sTd6cJc trump=Jh"
)


async def solved_here(_solutions, state):
    """Solve as an engine does, without one."""
    analysis = Analysis(state.observation(state.turn), 1, plain_backend("a test"))
    analysis.run()
    return analysis.lines()


def tried():
    library = Library(data_dir())
    found = puzzle_standing(library)
    library.close()
    return found


@pytest.fixture
def shelf(tmp_path, monkeypatch):
    """Let there be an easy puzzle and a damaged one of each kind, and an engine that answers at once."""
    path = tmp_path / "puzzles.txt"
    path.write_text(f"{EASY}\n{EASY.replace('trump=Jh', 'trump=')}\n", "utf-8")
    collection = read_collection(path)
    monkeypatch.setattr(model, "read_collection", lambda: collection)
    king = next(iter(HIDDEN.values()))
    path = tmp_path / "hidden.txt"
    path.write_text(f"{king}\n{king.replace('rating=1011 ', '')}\n", "utf-8")
    hidden = read_hidden_collection(path)
    monkeypatch.setattr(model, "read_hidden_collection", lambda: hidden)
    monkeypatch.setattr(EngineSolutions, "_ask", solved_here)
    model._puzzles.cache_clear()
    yield
    model._puzzles.cache_clear()


def says(app, text):
    """Return a condition: the screen shows a text, wherever its lines end."""
    return lambda: text in " ".join(screen_text(app).split())


async def a_puzzle(app, kind="all"):
    """Open the puzzles of a kind and wait until one may be solved."""
    await until(on_screen(app, MenuScreen))
    app.action_puzzles(kind)
    await until(on_screen(app, PuzzleScreen))
    await until(lambda: is_ready(app.screen._solving) and not app.screen._is_drawing)
    return app.screen


def is_ready(solving):
    """Tell whether a move is judged at once."""
    return isinstance(solving, model.HiddenSolving) or solving._attempt is not None


async def test_a_puzzle_is_solved_on_the_board_and_its_first_attempt_counts(shelf):
    """A damaged puzzle beside it is named and left out."""
    app = DurakApp(Launch(changes=CALM))
    copied = []
    app.copy_to_clipboard = copied.append
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await a_puzzle(app)
        await pilot.press("Y")
        assert copied == []
        await pilot.press("1")
        await until(shows(app, "6♠: that loses."))
        await until(lambda: tried().tried == {screen._solving.puzzle.position: False})
        await until(lambda: "puzzle rating" in screen.heading)
        await pilot.press("u")
        await until(lambda: screen.is_my_turn)
        while not screen._solving.state.is_over:  # each answer is followed by Baba Nina's
            screen.submit(screen._solving.answer)
            await until(lambda: not screen._is_busy)
        await until(shows(app, "Theme: Keep the low card, Keep the pair."))
        await pilot.press("Y")
        ((start, puzzle, outcome, _rating),) = [line.split(" · ") for line in copied]
        assert (start, outcome) == ("Durak", "◇ solved with help")
        assert puzzle == f"Puzzle {screen._solving.number}, open cards"
        await pilot.press("n")
        await until(lambda: screen._solving.number == 1 and not screen._solving.state.is_over)
        assert any("left out" in notice or "line 2" in notice for notice in app.notices)
    assert len(tried().tried) == 1


async def test_a_move_that_the_engine_cannot_answer_is_taken_back(shelf, monkeypatch):
    async def failing(_solutions, _state):
        raise EngineError("the engine has ended")

    app = DurakApp(Launch(changes=CALM))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await a_puzzle(app)
        state, right = screen._solving.state, screen._solving.answer
        monkeypatch.setattr(EngineSolutions, "_ask", failing)
        screen.submit(right)
        await until(shows(app, "the engine has ended"))
        assert screen._solving.state == state
        monkeypatch.setattr(EngineSolutions, "_ask", solved_here)
        await pilot.press("a")
        await until(shows(app, "The answer: "))
        assert screen._solving.state != state


@pytest.mark.slow
async def test_a_puzzle_is_answered_in_russian_by_touch_and_its_line_is_copied(shelf):
    app = DurakApp(Launch(changes={**CALM, "language": "ru"}))
    copied = []
    app.copy_to_clipboard = copied.append
    async with app.run_test(size=(46, 41)) as pilot:
        screen = await a_puzzle(app)
        await until(shows(app, "Оставьте соперника в дураках!"))
        hand = screen.board.hand
        for _touch in range(2):  # the first one chooses the card
            at = hand.place_of(hand._view.cards[0].card)
            await pilot.click("#hand", offset=(at.x + 1, at.y + 1))
        await until(shows(app, "Нет, не то."))
        await pilot.press("a")
        await until(shows(app, "Ответ: "))
        await pilot.press("y")
        await until(lambda: copied == [screen._solving.puzzle.position])


async def test_a_move_with_hidden_cards_is_found_by_keys_and_counts(shelf):
    """What is not legal is refused by a rule, what is wrong by a figure; a damaged puzzle is left out."""
    app = DurakApp(Launch(changes=CALM))
    async with app.run_test(size=(60, 20)) as pilot:
        await until(on_screen(app, MenuScreen))
        await pilot.press("e", "down", "down", "enter")
        await until(on_screen(app, PuzzleScreen))
        await until(says(app, "You're defending. One move is best by far. Which?"))
        screen = app.screen
        cards = [choice.card for choice in screen.board.hand._view.cards]
        puzzle = screen._solving.puzzle
        assert screen.moment.open_hands is None
        screen.submit(PASS)
        await until(says(app, "5.5"))
        assert not screen._solving.failed
        wrong = 1 + cards.index(puzzle.usual.card)
        await pilot.press(str(wrong))
        await until(says(app, "seen in that hand. It loses 14 more games in 100."))
        await until(lambda: tried().tried == {puzzle.position: False})
        await until(says(app, "puzzle rating 9"))
        await pilot.press("u")
        await until(lambda: screen.is_my_turn)
        await pilot.press(str(1 + cards.index(puzzle.action.card)))
        await until(says(app, " saves you 70 times in 100."))
        await pilot.press("escape")
        await until(says(app, "Learn puzzle rating 9"))
        assert any("rating is missing" in notice for notice in app.notices)


@pytest.mark.slow
async def test_a_move_with_hidden_cards_is_found_in_russian_by_touch(shelf):
    app = DurakApp(Launch(changes={**CALM, "language": "ru"}))
    async with app.run_test(size=(46, 41)) as pilot:
        screen = await a_puzzle(app, model.HIDDEN)
        hand = screen.board.hand
        for _touch in range(2):  # the first one chooses the card
            at = hand.place_of(screen._solving.answer.card)
            await pilot.click("#hand", offset=(at.x + 1, at.y + 1))
        await until(says(app, "Решено! "))
        await until(says(app, "Тема: Побить старше, чем нужно."))
        await until(lambda: tried().tried == {screen._solving.puzzle.position: True})


def test_every_shipped_puzzle_can_be_asked_for_and_comes_near_the_rating(tmp_path):
    library = Library(tmp_path)
    standing = puzzle_standing(library)
    for kind in model.KINDS:
        everything = read_hidden_collection() if kind == model.HIDDEN else read_collection()
        number, puzzle = model.choose_puzzle(kind, standing, set(), [])
        assert everything.puzzle(number) == puzzle
        assert abs(puzzle.rating - standing.rating) < 200
    library.close()


def test_a_puzzle_with_a_doubled_card_is_left_out_without_assertions_too(tmp_path):
    """With `-O` Python does not run `assert`."""
    path = tmp_path / "puzzles.txt"
    path.write_text(f"{EASY}\n{EASY.replace('6sTd6cJc', '6sTd6cJs')}\n", "utf-8")
    script = f"""if True:
        from pathlib import Path
        from durak_core.puzzles.puzzle import read_collection
        from durak_tui.learn.model import PuzzleStanding
        from durak_tui.learn import model as puzzles
        collection = read_collection(Path({str(path)!r}))
        puzzles.read_collection = lambda: collection
        seen, problems = set(), []
        for _ in range(4):
            print(puzzles.choose_puzzle("all", PuzzleStanding(1000, 0, 0, {{}}), seen, problems)[0])
        print(*problems)
    """
    run = subprocess.run([sys.executable, "-O", "-c", script], capture_output=True, text=True, check=True)
    *chosen, problem, _end = run.stdout.split("\n")
    assert chosen == ["1"] * 4
    assert "left out" in problem or "line 2" in problem


def test_two_windows_count_a_puzzle_once_and_in_the_order_of_the_answers(tmp_path):
    first, second = Library(tmp_path), Library(tmp_path)
    begun = puzzle_standing(first).rating
    failed = keep_puzzle(first, "a", 800, is_solved=False)
    assert (failed.rating, failed.change) == (865, -135)  # Glicko, from 1000 with a deviation of 200
    assert keep_puzzle(second, "a", 1000, is_solved=True) is None
    assert keep_puzzle(second, "b", 1200, is_solved=True).streak == 1
    now = keep_puzzle(first, "c", 1200, is_solved=True)
    assert (now.streak, now.tried) == (2, {"a": False, "b": True, "c": True})
    assert now.rating > begun
    assert puzzle_standing(second) == now
    first.close()
    second.close()


def test_a_library_of_version_5_gets_room_for_puzzles(tmp_path):
    db = sqlite3.connect(tmp_path / "library.sqlite3", isolation_level=None)
    bring_up_to_date(db, STEPS[:5])
    db.close()
    library = Library(tmp_path)
    assert (library.problem, library.notices) == ("", [])
    assert keep_puzzle(library, "a", 1000, is_solved=True).tried == {"a": True}
    library.close()
