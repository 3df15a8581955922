"""Writes sentences.txt: what a review and a hint say of 40 moves of real games, in four languages.

A person who plays can read it. The sentences of the kept situations are written anew; with ``--choose``,
situations are chosen among the shipped puzzles with hidden cards, which come from games:

    python3 tests/golden/make_sentences.py [--choose]
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from durak_core import Observation, SearchedAction, parse_action, read_observation, write_observation
from durak_core.agents.personas import OPPONENTS
from durak_core.puzzles.puzzle import HiddenPuzzle, read_hidden_collection
from durak_core.review import MoveEvaluation
from durak_core.review.evaluation import DROPS
from durak_core.review.reasons import Comparison, reason_of
from durak_tui.hints.model import Advice
from durak_tui.hints.view.advice import action_words, advice_view, evaluation_words
from durak_tui.text.i18n import LANGUAGES, gettext, set_language
from durak_tui.text.phrases import Voice, capital

GOLDEN = Path(__file__).with_name("sentences.txt")
COUNT = 40


@dataclass(frozen=True)
class Situation:
    """A move with a mark, and the better one, each with its value and what was expected after it."""

    position: Observation
    mark: str
    played: SearchedAction
    better: SearchedAction

    def __str__(self) -> str:
        return "\n".join((f"position {write_observation(self.position)}", *map(self._line, (True, False))))

    def _line(self, is_played: bool) -> str:
        one = self.played if is_played else self.better
        ahead = " ".join(map(str, one.continuation))
        kind = f"played {self.mark}" if is_played else "better"
        return f"{kind} {one.action} {one.score:.2f}{' proved' * one.exact} then {ahead}".rstrip()

    @classmethod
    def parse(cls, lines: Iterable[str]) -> Situation:
        """Read the first three lines of a situation."""
        position, played, better = (line.split(" ", 1)[1] for line in lines)
        mark, played = played.split(" ", 1)
        return cls(read_observation(position), mark, _read(played), _read(better))


def _read(text: str) -> SearchedAction:
    facts, _, ahead = text.partition(" then")
    action, score, *proved = facts.split()
    value = float(score)
    continuation = tuple(map(parse_action, ahead.split()))
    return SearchedAction(parse_action(action), value, 1, continuation, value, value, exact=bool(proved))


def sentences(situation: Situation) -> Iterator[str]:
    """Yield what the move was, then a review's and a hint's sentence, in each language."""
    seen, played, better = situation.position, situation.played, situation.better
    proved = (played.score, better.score) if played.exact and better.exact else None
    compared = Comparison(
        seen, played.action, better.action, played.continuation, better.continuation, proved
    )
    evaluation = MoveEvaluation(1, seen.seat, played.action, better, played, mark=situation.mark)
    evaluation = replace(evaluation, reason=reason_of(compared))
    for code in LANGUAGES:
        set_language(code)
        voice = Voice([gettext(one.name) for one in OPPONENTS[: seen.rules.seats]], seen.seat)
        said = capital(action_words(played.action, seen, voice))
        yield f"{code}: {said} {situation.mark}. {evaluation_words(evaluation, seen, voice)}"
        yield f"{code}, hint: {advice_view(Advice(seen, (better, played), 1, is_running=False), voice).why}"
    set_language("en")


def kept() -> list[Situation]:
    """Return the situations of the file."""
    blocks = GOLDEN.read_text(encoding="utf-8").strip().split("\n\n")
    return [Situation.parse(block.splitlines()[1:4]) for block in blocks]


def text_of(situations: Iterable[Situation]) -> str:
    """Return the file's text."""
    blocks = (
        "\n".join((f"{number}.", str(one), *sentences(one))) for number, one in enumerate(situations, 1)
    )
    return "\n\n".join(blocks) + "\n"


def chosen() -> list[Situation]:
    """Return the shipped puzzles' most common mistakes, each with another reason first."""
    collection = read_hidden_collection()
    puzzles = [collection.puzzle(number) for number in range(1, len(collection) + 1)]
    kinds: Counter[str] = Counter()
    ranked = []
    for place, puzzle in enumerate(puzzles):
        kind = puzzle.reason(puzzle.usual).template
        kinds[kind] += 1
        ranked.append((kinds[kind], place))
    return [_situation(puzzles[place]) for _rank, place in sorted(ranked)[:COUNT]]


def _situation(puzzle: HiddenPuzzle) -> Situation:
    usual = next(line for line in puzzle.lines if line.action == puzzle.usual)
    drop = puzzle.lines[0].score - usual.score
    mark = next((mark for mark, least in DROPS if drop >= least), "?!")
    return Situation(puzzle.observation, mark, *(_read(_plain(line)) for line in (usual, puzzle.lines[0])))


def _plain(line: SearchedAction) -> str:
    ahead = " ".join(map(str, line.continuation))
    return f"{line.action} {line.score:.2f}{' proved' * line.exact} then {ahead}"


if __name__ == "__main__":
    GOLDEN.write_text(text_of(chosen() if "--choose" in sys.argv else kept()), encoding="utf-8")
