"""Learn: the list of lessons, a lesson on the board, and what is remembered of them."""

import sqlite3
from pathlib import Path

import pytest
from textual.widgets import OptionList

from durak_core.lessons.lesson import shipped_lessons
from durak_tui.app import DurakApp
from durak_tui.help.screens import RulesScreen
from durak_tui.learn.model import DONE, lessons
from durak_tui.learn.screens.lesson import LessonScreen
from durak_tui.learn.view import said
from durak_tui.library.model.file import STEPS, bring_up_to_date
from durak_tui.library.model.store import Library
from durak_tui.menu import MenuScreen
from durak_tui.play.setup import Launch
from durak_tui.storage.paths import data_dir
from durak_tui.table.screens import TableScreen
from durak_tui.text.i18n import LANGUAGES
from durak_tui.ui.screens.dialogs import Ask
from tui.helpers import CALM, click, hides, on_screen, screen_text, until

SIZES = [(60, 20), (80, 24), (120, 36), (46, 41)]
BEATING = 1
"""The number of the second lesson."""


def an_app(**changes):
    return DurakApp(Launch(changes={**CALM, **changes}))


async def a_lesson(app, number=0):
    """Open a lesson once the menu is there, and return its screen."""
    await until(on_screen(app, MenuScreen))
    app.open_lesson(number)
    await until(on_screen(app, LessonScreen))
    return app.screen


async def drawn(screen):
    await until(lambda: not screen._is_drawing)


async def play_step(screen):
    """Do what the step asks for, and go on."""
    tutor = screen._tutor
    if tutor.is_waiting:
        screen.submit(tutor.step.right_ways[0].actions[0])
    await drawn(screen)
    screen.action_play()


def done():
    library = Library(data_dir())
    found = library.remembered(DONE)
    library.close()
    return found


def words(text):
    """Return a text without its line breaks."""
    return " ".join(text.split())


def says(app, text):
    """Return a condition: the screen shows a text, however its lines are broken."""
    return lambda: text in words(screen_text(app))


async def test_a_lesson_is_played_on_the_board_and_remembered_once_it_is_done():
    app = an_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await until(on_screen(app, MenuScreen))
        await pilot.press("e")
        await until(says(app, "next: 1 The aim and the deck"))
        await pilot.press("enter")
        await until(says(app, "0 of 10 done"))
        await pilot.press("down", "enter")
        await until(on_screen(app, LessonScreen))
        screen = app.screen
        steps = len(screen._tutor.lesson.steps)
        for _step in range(steps - 1):
            await play_step(screen)
        assert done() == frozenset()
        await play_step(screen)
        await until(on_screen(app, Ask))
        await until(says(app, "Next comes lesson 3"))
        await until(lambda: done() == {"attack-and-beat"})
        await pilot.press("l")
        await until(says(app, "1 of 10 done"))
        assert app.screen.query_one(OptionList).highlighted == 0


async def test_other_and_forbidden_actions_are_answered_and_may_be_tried_again():
    app = an_app()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await a_lesson(app, BEATING)
        await until(says(app, "Beat it with your 9♦"))
        await pilot.press("t")
        await until(says(app, "Take only what you cannot or do not want to beat"))
        cards = [str(card.card) for card in screen.board.hand._view.cards]
        await pilot.press(str(1 + cards.index("Jc")))
        await until(says(app, "J♣ does not beat 7♦ (rules 1.4)."))
        await until(hides(app, "Take only"))
        await pilot.press("f3")
        await until(on_screen(app, RulesScreen))
        await until(says(app, "1.4"))
        await pilot.press("escape")
        await until(on_screen(app, LessonScreen))
        await pilot.press(str(1 + cards.index("9d")))
        await until(says(app, "Go on"))
        await until(says(app, "Masha has nothing to add"))
        await pilot.press("enter")
        await until(says(app, "step 2 of 6"))
        await pilot.press("u", "u")
        await until(says(app, "step 1 of 6"))


async def test_what_the_others_play_is_seen_move_by_move_and_a_key_skips_it():
    app = an_app(pace="0.5x")
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await a_lesson(app, BEATING)
        screen.submit(screen._tutor.step.right_ways[0].actions[0])
        assert len(screen._coming) == 2
        await until(says(app, "You beat 7♦ with 9♦"))
        await pilot.press("enter")
        assert screen._coming == []
        await until(says(app, "Go on"))
        assert screen._tutor.number == 1


async def test_a_lesson_is_played_with_the_mouse_and_by_touch():
    app = an_app()
    async with app.run_test(size=(46, 41)) as pilot:
        screen = await a_lesson(app, BEATING)
        await until(says(app, "Beat it with your"))
        take = next(region for region, button in screen.query_one("#prompt")._marks if button.name == "take")
        await click(pilot, "#prompt", (take.x + 1, take.y + 1))
        await until(says(app, "Take only what you"))
        hand = screen.board.hand
        nine = next(card.card for card in hand._view.cards if str(card.card) == "9d")
        at = hand.place_of(nine)
        await click(pilot, "#hand", (at.x + 1, at.y + 1))
        await click(pilot, "#hand", (at.x + 1, at.y + 1))
        await until(says(app, "Go on"))


async def test_the_first_start_offers_a_lesson():
    app = an_app()
    async with app.run_test(size=(60, 20)) as pilot:
        await until(says(app, "1: first lesson"))
        await pilot.press("1")
        await until(on_screen(app, LessonScreen))
        await until(says(app, "Lesson 1"))
        await until(says(app, "Have a look, then go on."))
        await until(says(app, "⏎ next"))
        while not app.screen.is_my_turn:
            await pilot.press("enter")
        await until(says(app, "play 6♣"))
        await until(says(app, "Press a card's number, or click it."))
        assert "any card" not in screen_text(app)


async def test_one_key_declines_the_first_lesson_for_good():
    app = an_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await until(says(app, ": first lesson"))
        await pilot.press("0")
        await until(hides(app, "first lesson"))
        await until(says(app, "Enter: play."))
    app = an_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await until(says(app, "Enter: play."))
        assert "first lesson" not in screen_text(app)
        await pilot.press("1")
        assert isinstance(app.screen, MenuScreen)


async def test_after_the_last_lesson_comes_a_game():
    app = an_app()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await a_lesson(app, len(lessons()[0]) - 1)
        for _step in screen._tutor.lesson.steps:
            await play_step(screen)
        await until(on_screen(app, Ask))
        await pilot.press("p")
        await until(on_screen(app, TableScreen))


EVERY_LESSON = range(10)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("size", "code", "numbers"),
    [
        ((60, 20), "ru", (6,)),
        ((46, 41), "en", (3,)),
        *[
            pytest.param(size, code, EVERY_LESSON, marks=pytest.mark.slow)
            for size in SIZES
            for code in LANGUAGES
        ],
    ],
)
async def test_all_that_lessons_say_is_on_the_screen(size, code, numbers):
    app = an_app(language=code)
    async with app.run_test(size=size) as pilot:
        for number in numbers:
            screen = await a_lesson(app, number)
            for step in screen._tutor.lesson.steps:
                await pilot.pause()
                assert said(step.saying) in words(screen_text(app)), (size, step)
                for way in step.ways:
                    if way.saying is not None and way.actions and not screen._tutor.is_answered:
                        screen.submit(way.actions[0])
                        await pilot.pause()
                        assert said(way.saying) in words(screen_text(app)), (size, way)
                if screen._tutor.is_waiting:
                    screen.submit(step.right_ways[0].actions[0])
                if screen._tutor.number < len(screen._tutor.lesson.steps):
                    screen.action_play()
            screen.dismiss()
            await until(on_screen(app, MenuScreen))


async def test_a_damaged_lesson_is_named_and_the_others_are_told(monkeypatch, tmp_path):
    bad = tmp_path / "bad.lesson"
    bad.write_text("lesson: bad\nen: Bad\n", "utf-8")
    files = (bad, shipped_lessons()[0])
    monkeypatch.setattr("durak_tui.learn.model.shipped_lessons", lambda: files)
    lessons.cache_clear()
    app = an_app()
    async with app.run_test(size=(80, 24)):
        await until(on_screen(app, MenuScreen))
        app.action_lessons()
        await until(says(app, "0 of 1 done"))
        assert any(str(bad) in notice for notice in app.notices)
    lessons.cache_clear()


def test_two_windows_lose_nothing_of_what_was_learnt(tmp_path):
    first, second = Library(tmp_path), Library(tmp_path)
    first.remember(DONE, "trumps")
    second.remember(DONE, "taking")
    second.remember(DONE, "trumps")
    assert first.remembered(DONE) == second.remembered(DONE) == {"trumps", "taking"}
    first.close()
    second.close()


def test_a_library_of_version_3_gets_a_place_for_what_was_learnt(tmp_path):
    script = (Path(__file__).parents[1] / "library_v2.sql").read_text("utf-8")
    db = sqlite3.connect(tmp_path / "library.sqlite3", isolation_level=None)
    db.executescript(script)
    bring_up_to_date(db, STEPS[:3])
    db.close()
    library = Library(tmp_path)
    assert (library.problem, library.notices, library.count()) == ("", [], 3)
    library.remember(DONE, "trumps")
    assert library.remembered(DONE) == {"trumps"}
    library.close()
