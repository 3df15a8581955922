"""The person's own mistakes: found in judged games, asked about on the board, and again after some days."""

import json
import sqlite3
from datetime import datetime, timedelta

import pytest

from durak_core import load_records, to_json
from durak_tui.learn.model import (
    Exercises,
    ExerciseVerdict,
    count_mistakes,
    due_mistakes,
    find_mistakes,
    keep_mistakes,
    settle,
    unsearched_games,
)
from durak_tui.learn.screens.puzzle import MistakesScreen
from durak_tui.learn.view import answer_words, hint_words
from durak_tui.learn.view import mistake_task as task_words
from durak_tui.library.model.entries import game_key
from durak_tui.library.model.file import STEPS, bring_up_to_date
from durak_tui.library.model.service import export_games, import_file
from durak_tui.library.model.store import Library
from durak_tui.menu import MenuScreen
from durak_tui.review.screen import ReviewScreen
from durak_tui.storage.paths import data_dir
from durak_tui.table.screens import ResultDialog
from durak_tui.text.phrases import Voice
from tui.games import a_record
from tui.helpers import an_app, my_turn, on_screen, screen_text, until
from tui.reviewing import Oracle, judged, own_moves

NOON = datetime(2026, 11, 22, 12).astimezone()


def days_later(days):
    return NOON + timedelta(days=days)


@pytest.fixture
def at_noon(monkeypatch):
    """Let it be noon, so that no test sees midnight pass."""
    for module in ("learn.model", "learn.screens.lesson", "learn.screens.puzzle"):
        monkeypatch.setattr(f"durak_tui.{module}.now", lambda: NOON)


@pytest.fixture
def library(tmp_path):
    opened = Library(tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def mistakes(library):
    """Return the library with a game in which the person has made a blunder, a mistake and an inaccuracy."""
    first, second, third = own_moves(a_record(1))[:3]
    judged(library, a_record(1), {first: 0.2, second: 0.14, third: 0.06})
    assert find_mistakes(library) == []
    return library


def test_blunders_and_mistakes_of_the_person_are_found_and_nothing_else(mistakes):
    found = due_mistakes(mistakes, NOON)
    assert [mistake.ply for mistake in found] == own_moves(a_record(1))[:2]
    assert unsearched_games(mistakes) == []
    assert due_mistakes(mistakes, NOON, game_key(a_record(1))) == found
    assert due_mistakes(mistakes, NOON, game_key(a_record(2))) == []


def test_another_judgement_is_searched_anew_and_what_was_learnt_stays(mistakes):
    kept, gone = due_mistakes(mistakes, NOON)
    settle(mistakes, kept, NOON, is_solved=True)
    judged(mistakes, a_record(1), {kept.ply: 0.3})
    assert len(unsearched_games(mistakes)) == 1
    assert find_mistakes(mistakes) == []
    (asked,) = due_mistakes(mistakes, days_later(1))
    assert (asked.ply, asked.solved) == (kept.ply, 1)
    assert asked.lines != kept.lines
    keep_mistakes(mistakes, gone.game, "a judgement that was replaced", {gone.ply: gone.lines})
    assert len(due_mistakes(mistakes, days_later(1))) == 1


def test_a_solved_mistake_comes_back_four_times_and_a_failed_one_begins_anew(mistakes):
    now = NOON
    for days in (1, 3, 10, 30, None):
        mistake = due_mistakes(mistakes, now)[0]
        assert settle(mistakes, mistake, now, is_solved=True) == days
        if days is not None:
            assert mistake.ply not in [one.ply for one in due_mistakes(mistakes, now + timedelta(days - 1))]
            now += timedelta(days)
            assert due_mistakes(mistakes, now)[0].ply == mistake.ply
    assert count_mistakes(mistakes, now + timedelta(999)) == (1, 1)
    (other,) = due_mistakes(mistakes, now)
    assert settle(mistakes, other, now, is_solved=False) == 1
    (other,) = due_mistakes(mistakes, now + timedelta(1))
    assert other.solved == 0
    assert settle(mistakes, other, now, is_solved=True, with_hint=True) == 1


def test_a_clock_that_goes_back_and_two_windows_do_no_harm(mistakes):
    mistake, other = due_mistakes(mistakes, NOON)
    settle(mistakes, mistake, days_later(4000), is_solved=True)
    assert [one.ply for one in due_mistakes(mistakes, NOON)] == [mistake.ply, other.ply]
    settle(mistakes, other, NOON, is_solved=False)
    settle(mistakes, other, NOON, is_solved=True)  # the other window, which had asked before
    assert [one.solved for one in due_mistakes(mistakes, days_later(1)) if one.ply == other.ply] == [0]


def test_a_deleted_game_takes_its_mistakes_along_and_one_that_is_brought_back_brings_them(mistakes):
    (number,) = mistakes.find()
    mistakes.delete([number])
    assert (due_mistakes(mistakes, NOON), count_mistakes(mistakes, NOON)) == ([], (0, 0))
    mistakes.restore([number])
    assert count_mistakes(mistakes, NOON) == (2, 2)
    with mistakes.using("", change=True) as db:
        db.execute("DELETE FROM games")
        assert db.execute("SELECT count(*) FROM mistakes").fetchone() == (0,)


def test_a_game_that_newer_rules_refuse_is_skipped_with_a_sentence(mistakes):
    judged(mistakes, a_record(2), {own_moves(a_record(2))[0]: 0.2})
    assert find_mistakes(mistakes) == []
    with mistakes.using("", change=True) as db:
        db.execute("UPDATE records SET record = replace(record, 'podkidnoy', 'chess') WHERE game = 2")
    exercises, problems = Exercises(mistakes), []
    asked = [exercises.following(problems) for _ in range(exercises.count)]
    assert [one.mistake.game for one in asked if one] == [1, 1]
    assert "cannot be read" in str(problems[0])


def test_a_library_of_the_version_before_gets_room_for_mistakes(tmp_path):
    db = sqlite3.connect(tmp_path / "library.sqlite3", isolation_level=None)
    bring_up_to_date(db, STEPS[: next(at for at, step in enumerate(STEPS) if "mistakes" in step)])
    db.execute("INSERT INTO progress VALUES ('lesson', 'trumps')")
    db.close()
    library = Library(tmp_path)
    assert (library.problem, library.notices) == ("", [])
    assert library.remembered("lesson") == {"trumps"}
    assert count_mistakes(library, NOON) == (0, 0)
    library.close()


def test_what_was_learnt_goes_along_with_the_games_and_takes_nothing_away(mistakes, tmp_path):
    """Done stays done, and the newer attempt wins; text and a part of the library take only games along."""
    mistakes.remember("lesson", "trumps")
    solved, open_ = due_mistakes(mistakes, NOON)
    settle(mistakes, solved, NOON, is_solved=True)
    other = Library(tmp_path / "other")
    for name, learnt in (("part.jsonl", False), ("all.jsonl", True)):
        export_games(mistakes, mistakes.find(), tmp_path / name, with_progress=learnt)
        made = import_file(other, tmp_path / name)
        assert (made.has_progress, count_mistakes(other, NOON)) == (learnt, (1, 2) if learnt else (0, 0))
    assert str(made) == "0 games imported, 1 there already, with what you have learnt"
    assert other.record(1) == mistakes.record(1)
    assert other.record(1).extra == {}
    assert other.remembered("lesson") == {"trumps"}
    assert [(one.ply, one.solved) for one in due_mistakes(other, days_later(1))] == [
        (solved.ply, 1),
        (open_.ply, 0),
    ]
    other.remember("lesson", "talon")
    settle(other, due_mistakes(other, days_later(1))[0], days_later(1), is_solved=True)
    import_file(other, tmp_path / "all.jsonl")
    assert other.remembered("lesson") == {"trumps", "talon"}
    export_games(other, other.find(), tmp_path / "back.jsonl", with_progress=True)
    import_file(mistakes, tmp_path / "back.jsonl")
    for library in (mistakes, other):
        (again,) = [one for one in due_mistakes(library, days_later(4)) if one.ply == solved.ply]
        assert (again.solved, again.due) == (2, "2026-11-26")
    assert load_records(tmp_path / "all.jsonl") == [mistakes.record(1)]
    other.close()


DAMAGED = [
    "no tables",
    {"games": [{"key": "x"}]},
    {"mistakes": {"ply": 1}},
    {"mistakes": [7]},
    {"mistakes": [{"lines": "x"}]},
    {"mistakes": [{"ply": 1}]},
    {"mistakes": [{"ply": 1, "lines": 5}]},
    {"mistakes": [{"ply": 1, "lines": "x", "due": "tomorrow"}]},
    {"mistakes": [{"ply": 1, "lines": "x", "solved": -1}]},
    {"mistakes": [{"ply": 2**80, "lines": "x"}]},
    {"mistakes": [{"ply": 1, "lines": "x", "game": 1}]},
    {"progress": [{"kind": "lesson", "name": "\ud800"}]},
]


def test_damaged_progress_is_named_and_the_games_come_in(library, tmp_path):
    path = tmp_path / "games.jsonl"
    for seed, learnt in enumerate(DAMAGED, 1):
        path.write_text(json.dumps({**to_json(a_record(seed)), "progress": learnt}) + "\n", "utf-8")
        made = import_file(library, path)
        assert (made.new, made.broken) == (1, 1), learnt
        assert "damaged learning record of the game 2026-01-02 10:00" in made.problems[0]
    assert count_mistakes(library, NOON) == (0, 0)
    assert library.remembered("lesson") == frozenset()


def test_answers_are_judged_by_the_lines_and_worded(mistakes):
    exercise = Exercises(mistakes).following([])
    voice = Voice(("You", "Boris"), 0)
    played, best = exercise.played.action, exercise.best
    assert ". Find a better move." in task_words(exercise, voice)
    assert exercise.verdict(best) is ExerciseVerdict.RIGHT
    assert answer_words(exercise, best, voice).startswith("Right. ")
    assert exercise.verdict(played) is ExerciseVerdict.WORSE
    assert "is what you played" in answer_words(exercise, played, voice)
    assert exercise.wrong_card is None  # all others are good
    assert hint_words(exercise, voice) == "Hint: don't play a card here."
    assert exercise.observation.hands is None


@pytest.mark.usefixtures("at_noon")
async def test_mistakes_are_found_better_on_the_board_and_come_back():
    library = Library(data_dir())
    first, second = own_moves(a_record(1))[:2]
    judged(library, a_record(1), {first: 0.2, second: 0.14})
    library.close()
    app = an_app(at_once="")
    async with app.run_test(size=(80, 24)) as pilot:
        await until(on_screen(app, MenuScreen))
        await pilot.press("e")
        await until(lambda: "2 mistakes to fix" in screen_text(app))
        await pilot.press("down", "down", "down", "enter")
        await until(on_screen(app, MistakesScreen))
        screen = app.screen
        await until(lambda: "1 of 2" in screen_text(app))
        screen.submit(screen.exercise.played.action)
        await until(lambda: "is what you played" in " ".join(screen_text(app).split()))
        screen.submit(screen.exercise.best)
        await until(lambda: "comes back tomorrow" in " ".join(screen_text(app).split()))
        await pilot.press("v")
        await until(on_screen(app, ReviewScreen))
        assert app.screen.game.ply == first - 1
        await pilot.press("escape")
        await until(on_screen(app, MistakesScreen))
        await pilot.press("enter")
        await until(lambda: "2 of 2" in screen_text(app))
        await pilot.press("h")
        await until(lambda: "Hint" in screen_text(app))
        await pilot.press("a")
        await until(lambda: "Better:" in screen_text(app))
        await pilot.press("enter")
        await until(lambda: "nothing today; 2 more later" in screen_text(app))
        stored = due_mistakes(app.library.store, days_later(1))
        assert [(one.ply, one.solved) for one in stored] == [(first, 0), (second, 0)]


async def test_the_result_of_a_game_leads_to_its_mistakes():
    app = an_app("podkidnoy:seats=2,lowest_rank=9", seed=4)
    app.engines.adviser = Oracle()
    async with app.run_test(size=(80, 24)) as pilot:
        while not (table := await my_turn(app)).session.is_over:
            table.session.submit(table.session.state.legal_actions[-1])
        await until(on_screen(app, ResultDialog))
        button = app.screen.query_one("#answer-mistakes")
        await until(lambda: not button.disabled)
        await pilot.press("f")
        await until(on_screen(app, MistakesScreen))
        assert app.screen.exercise.seat == table.session.person
