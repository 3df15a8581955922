"""Lessons and puzzles in lines: understood as typed, and said without signs, in every language."""

import asyncio
import re

import pytest

from durak_core.lessons.lesson import Tutor, load_lesson, shipped_lessons
from durak_core.puzzles.puzzle import read_hidden_collection
from durak_tui.learn.model import HiddenSolving
from durak_tui.lines.reading import word
from durak_tui.lines.tasks import LessonBoard, PuzzleBoard
from durak_tui.storage.settings import Settings
from durak_tui.text.i18n import LANGUAGES, set_language
from tui.lines.talking import Script, typed

UNSPEAKABLE = re.compile(r"[♠♥♦♣▶│]|\b[2-9TJQKA]+[shdc]\b|\bseat \d|[A-Za-z]*talon (?=\d)")
FOREIGN = {"ru": re.compile(r"[A-Za-z]{2,}"), "uk": re.compile(r"[A-Za-z]{2,}")}


def lines_of(lesson):
    """Return the lines that play a lesson right, in the active language."""
    tutor = Tutor(lesson)
    while not tutor.is_over:
        if tutor.is_waiting:
            action = tutor.step.right_ways[0].actions[0]
            tutor.attempt(action)
            yield typed(action)
        yield ""
        tutor.go_on()


def check(said, language):
    for line in said:
        assert not UNSPEAKABLE.search(line), line
        assert language not in FOREIGN or not FOREIGN[language].search(line), line


@pytest.mark.parametrize("language", LANGUAGES)
def test_whole_lessons_are_played_and_said_in_words(language):
    for path in shipped_lessons():
        set_language(language)
        lesson = load_lesson(path)
        script = Script(lines_of(lesson))
        board = LessonBoard(script, Settings(), lesson, language)
        board.start()
        assert asyncio.run(board.run())
        check([line for line in script.said if not line.startswith(">")], language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_puzzles_are_solved_and_said_in_words(language):
    set_language(language)
    for number in range(1, 21):
        puzzle = read_hidden_collection().puzzle(number)
        script = Script([typed(puzzle.action)])

        async def solve(puzzle=puzzle, script=script, number=number):
            board = PuzzleBoard(script, Settings(), HiddenSolving(number, puzzle))
            await board.start()
            return await board.run()

        assert asyncio.run(solve())
        check([line for line in script.said if not line.startswith(">")], language)


@pytest.mark.parametrize(
    "answer", ["9♦", "9d", "nine of diamonds", "9dx7d", "beat seven of diamonds with nine of diamonds"]
)
def test_a_lesson_understands_every_way_of_typing_a_card(answer):
    set_language("en")
    script = Script([answer])
    lesson = load_lesson(shipped_lessons()[1])
    board = LessonBoard(script, Settings(), lesson, "en")
    board.start()
    asyncio.run(board.run())
    assert script.said[-1] == "Press Enter to go on."


def test_a_lesson_says_what_is_known_of_cards():
    set_language("en")
    script = Script(["known 9d", "known"])
    board = LessonBoard(script, Settings(), load_lesson(shipped_lessons()[1]), "en")
    board.start()
    asyncio.run(board.run())
    assert script.after("known 9d") == ["The nine of diamonds: in hand. Nobody else knows."]
    assert script.after("known")[-1] == "The others know no card of your hand."


def test_a_wrong_answer_and_the_words_for_it_do_not_end_a_puzzle():
    set_language("en")
    puzzle = read_hidden_collection().puzzle(1)
    wrong = next(one for one in puzzle.observation.legal_actions if one not in puzzle.right)
    script = Script([typed(wrong), word("show")])

    async def solve():
        board = PuzzleBoard(script, Settings(), HiddenSolving(1, puzzle))
        await board.start()
        return await board.run()

    assert asyncio.run(solve())
    assert any("more games in 100" in line for line in script.said)
    assert any("Solved, with help." in line for line in script.said)
