"""Writes sentences.txt: what a review and a hint say of 40 moves of real games, in four languages.

A person who plays can read it. Without an argument, the sentences of the kept situations are written anew.
With a number of games, these are played and reviewed, and other situations are kept:

    python3 tests/golden/make_sentences.py [GAMES]
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import permutations
from pathlib import Path

from durak_core import (
    Action,
    Observation,
    Rules,
    SearchedAction,
    make_agent,
    parse_action,
    read_observation,
    write_observation,
)
from durak_core.agents.personas import OPPONENTS
from durak_core.lab import play_game
from durak_core.review import MoveEvaluation, Question, evaluate_move, questions
from durak_core.review.comparison import Comparison
from durak_core.review.reasons import reason_of
from durak_tui.hints.model import Advice
from durak_tui.hints.view.advice import action_words, advice_view, evaluation_words
from durak_tui.text.i18n import LANGUAGES, set_language
from durak_tui.text.phrases import Voice, capital

GOLDEN = Path(__file__).with_name("sentences.txt")
COUNT = 40
NAMES = ("Anna", "Boris", "Olga", "Nina")
PRESETS = ("podkidnoy", "perevodnoy", "podkidnoy:seats=3", "perevodnoy:seats=4")
_ITERATIONS = 200
_MOST_OF_A_KIND = 3


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
    voice = Voice(NAMES[: seen.rules.seats], seen.seat)
    for code in LANGUAGES:
        set_language(code)
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


def found(games: int) -> list[Situation]:
    """Play and review games, and return situations with as many reasons as possible."""
    from durak_core.search.analysis import analyse  # noqa: PLC0415 - the file is written anew without a search

    kinds: Counter[str] = Counter()
    situations: list[Situation] = []
    pairs = tuple(permutations([one.text for one in OPPONENTS[:4]], 2))
    for number in range(games):
        rules = Rules.parse(PRESETS[number % len(PRESETS)])
        players = (pairs[number % len(pairs)] * 2)[: rules.seats]
        record = play_game(rules, [make_agent(one) for one in players], number).record
        for question in questions(record):
            lines = analyse(question.observation, iterations=_ITERATIONS).lines() if question.is_free else ()
            one = evaluate_move(question, lines)
            own = next((line for line in lines if line.action == question.action), None)
            if own is None or one.best is None or one.mark in {"", "!"} or one.reason is None:
                continue
            if kinds[one.reason.template] < _MOST_OF_A_KIND:
                kinds[one.reason.template] += 1
                situations.append(_situation(question, one.mark, own, one.best))
        sys.stderr.write(f"{number + 1} games, {len(situations)} situations\n")
        if len(situations) >= COUNT:
            break
    return situations[:COUNT]


def _situation(question: Question, mark: str, own: SearchedAction, best: SearchedAction) -> Situation:
    text = write_observation(question.observation)
    return Situation(read_observation(text), mark, *(_read(_plain(line)) for line in (own, best)))


def _plain(line: SearchedAction) -> str:
    ahead: tuple[Action, ...] = line.continuation
    return f"{line.action} {line.score:.2f}{' proved' * line.exact} then {' '.join(map(str, ahead))}"


if __name__ == "__main__":
    GOLDEN.write_text(text_of(found(int(sys.argv[1])) if sys.argv[1:] else kept()), encoding="utf-8")
