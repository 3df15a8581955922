"""Let a speech program read lessons, puzzles and a game in lines, and list what no player should hear.

    python3 -m benchmarks.speech [--puzzles 20] [--only en de ru uk] [--wav FOLDER]

It needs `espeak-ng`. In each language the lessons are played right, with a wrong answer where there is one,
the puzzles are solved, and a whole game is played with every question that a player may ask. A sign is one
that the program reads as a word of its own; a switch is a word that it reads in another language.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from durak_core.lab.experiments.results import commit
from durak_core.lessons.lesson import Tutor, load_lesson, shipped_lessons
from durak_core.puzzles.puzzle import read_hidden_collection
from durak_tui.learn.model import HiddenSolving
from durak_tui.lines.program import LinesProgram
from durak_tui.lines.reading import Console, word
from durak_tui.lines.tasks import LessonBoard, PuzzleBoard
from durak_tui.play.setup import Launch
from durak_tui.storage.settings import Settings
from durak_tui.text.i18n import LANGUAGES, set_language

QUESTIONS: Final = (
    *("help", "hand", "table", "players", "trump", "discard", "talon", "moves", "known", "log"),
    *("hint", "why", "undo", "again", "rules", "score", "set"),
)
"""Words that a player types in a game, one before each action."""
AFTER: Final = ("moves", "table", "hand", "score", "review")
SIGNS: Final = {"%"}
"""Signs that are to be read as a word."""
SWITCH: Final = re.compile(r"\([a-z]{2}(?:-[a-z]+)*\)")
VOWELS: Final = re.compile("[aeiouyäöüаеёиоуыэюяіїє]", re.IGNORECASE)  # noqa: RUF001 - Cyrillic letters


class Listener(Console):
    """Types what a function returns, and keeps what is said."""

    def __init__(self, answers: Callable[[], str | None]) -> None:
        super().__init__()
        self._answers = answers
        self.said: list[str] = []

    def say(self, *lines: str) -> None:
        self.said += lines

    async def hear(self) -> str | None:
        await asyncio.sleep(0)
        return self._answers()


def lesson_lines(number: int, language: str) -> list[str]:
    lesson = load_lesson(shipped_lessons()[number])

    def answers() -> Iterator[str]:
        tutor = Tutor(lesson)
        while not tutor.is_over:
            if tutor.is_waiting:
                right = tutor.step.right_ways[0].actions[0]
                wrong = [way.actions[0] for way in tutor.step.ways if way.actions and not way.is_right]
                tutor.attempt(right)
                yield from map(str, (*wrong, right))
            yield ""
            tutor.go_on()

    typed = answers()
    console = Listener(lambda: next(typed, None))
    board = LessonBoard(console, Settings(), lesson, language)
    board.start()
    if not asyncio.run(board.run()):
        raise ValueError(f"lesson {number + 1} in {language} was not finished")
    return console.said


def puzzle_lines(number: int) -> list[str]:
    puzzle = read_hidden_collection().puzzle(number)
    typed = iter((str(puzzle.action),))
    console = Listener(lambda: next(typed, None))

    async def solve() -> bool:
        board = PuzzleBoard(console, Settings(), HiddenSolving(number, puzzle))
        await board.start()
        return await board.run()

    if not asyncio.run(solve()):
        raise ValueError(f"puzzle {number} was not solved")
    return console.said


def game_lines(language: str) -> list[str]:
    """Play a game of three to its end, and ask something before each action."""
    asked, after = list(QUESTIONS), list(AFTER)

    def answer() -> str:
        session = None if program._table is None else program._table.session  # noqa: SLF001 - whose turn it is
        if session is None or session.is_over:
            return word(after.pop(0)) if after else word("quit")
        if asked:
            return word(asked.pop(0))
        return str(session.state.legal_actions[0])

    changes = {"language": language, "review_time": "0.2 s", "only_moves": False}
    launch = Launch(at_once="play", bots=("misha", "boris"), seed=1, changes=changes)
    console = Listener(answer)
    program = LinesProgram(launch, console)
    if asyncio.run(program.run()):
        raise ValueError(f"the game in {language} was not finished")
    return console.said


def spoken(text: str, language: str, wav: Path | None = None) -> str:
    """Return the phonemes of a text, and write its sound."""
    command = ["espeak-ng", "-v", language, "--ipa", *(["-q"] if wav is None else ["-w", str(wav)])]
    return subprocess.run([*command], input=text, capture_output=True, text=True, check=True).stdout


def named_signs(texts: set[str], language: str) -> Counter[str]:
    """Return how often a sign stands in the texts that the program reads as a word of its own."""
    signs = Counter(sign for text in texts for sign in text if not (sign.isalnum() or sign.isspace()))
    bare = spoken("a b", language).split()
    return Counter(
        {
            sign: count
            for sign, count in signs.items()
            if sign not in SIGNS and len(spoken(f"a {sign} b", language).split()) > len(bare)
        }
    )


def spelt(texts: set[str]) -> Counter[str]:
    """Return words that are read letter by letter: without a vowel, or of digits and letters.

    The program reads English ordinals (`1st`) and contractions (`you'll`) as words.
    """
    words = Counter(one for text in texts for one in re.findall(r"(?<!['\u2019])\b\w+(?:-\w+)*", text))
    return Counter(
        {
            one: count
            for one, count in words.items()
            if (len(one) > 1 and one.isalpha() and not VOWELS.search(one))
            or re.search(r"\d-?(?!st|nd|rd|th)[^\W\d]|[^\W\d]-?\d", one)
        }
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--puzzles", type=int, default=20)
    parser.add_argument("--only", nargs="+", default=list(LANGUAGES), choices=list(LANGUAGES))
    parser.add_argument("--wav", type=Path, help="a folder for the sounds")
    options = parser.parse_args()
    if shutil.which("espeak-ng") is None:
        raise SystemExit("espeak-ng is not installed")
    print(f"commit {commit()}; {spoken_version()}")
    print(f"{'language':<9} {'read':<9} {'lines':>6} {'words':>6} {'switches':>9}{'signs':>9}{'spelt':>9}")
    faults = 0
    with tempfile.TemporaryDirectory() as folder:
        for language in options.only:
            set_language(language)
            read = {
                "lessons": [line for number in range(8) for line in lesson_lines(number, language)],
                "puzzles": [
                    line for number in range(1, options.puzzles + 1) for line in puzzle_lines(number)
                ],
                "a game": game_lines(language),
            }
            for name, lines in read.items():
                sound = (options.wav or Path(folder)) / f"{language}-{name.replace(' ', '-')}.wav"
                phonemes = spoken("\n".join(lines), language, sound)
                found = (
                    Counter(SWITCH.findall(phonemes)),
                    named_signs(set(lines), language),
                    spelt(set(lines)),
                )
                counts = [sum(one.values()) for one in found]
                faults += sum(counts)
                words = sum(len(line.split()) for line in lines)
                print(
                    f"{language:<9} {name:<9} {len(lines):>6} {words:>6}"
                    + "".join(f"{count:>9}" for count in counts)
                )
                for one in filter(None, found):
                    print("          " + ", ".join(f"{what!r} {count}" for what, count in one.most_common()))
    raise SystemExit(bool(faults))


def spoken_version() -> str:
    return subprocess.run(
        ["espeak-ng", "--version"], capture_output=True, text=True, check=True
    ).stdout.strip()


if __name__ == "__main__":
    main()
