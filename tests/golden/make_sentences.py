"""Writes sentences.txt: what a review and a hint say of 40 moves of real games, in four languages.

A person who plays can read it. The sentences of the kept situations are written anew; with ``--choose``,
situations are chosen among the marked moves of bots' games, which takes minutes:

    PYTHONPATH=. python3 tests/golden/make_sentences.py [--choose]
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from durak_core import (
    Observation,
    Rules,
    SearchedAction,
    make_agent,
    parse_action,
    read_observation,
    write_observation,
)
from durak_core.agents.learned import AUTO, NetworkSelector
from durak_core.agents.personas import OPPONENTS
from durak_core.kernel.position import derive
from durak_core.lab import play_game
from durak_core.review import MoveEvaluation, Review, questions
from durak_core.review.evaluation import DROPS
from durak_core.review.reasons import Comparison, reason_of
from durak_core.search.ismcts.tree_search import SearchSettings
from durak_tui.hints.model import Advice
from durak_tui.hints.view.advice import action_words, advice_view, evaluation_words
from durak_tui.text.i18n import LANGUAGES, gettext, set_language
from durak_tui.text.phrases import Voice, capital

GOLDEN = Path(__file__).with_name("sentences.txt")
COUNT = 40

_GAMES, _SEED, _ITERATIONS = 24, 52, 2000
_RULES = ("podkidnoy", "perevodnoy", "podkidnoy:seats=4")


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
    """Return marked moves of bots' games, reviewed as in the app, each with another reason first."""
    from benchmarks.marks import analysed  # noqa: PLC0415 - only here the folder has to be found

    kinds: Counter[str] = Counter()
    ranked = []
    for number in range(_GAMES):
        rules = Rules.parse(_RULES[number % len(_RULES)])
        players = [make_agent(one.text) for one in OPPONENTS[: rules.seats]]
        record = play_game(rules, players, derive(_SEED, number)).record
        asked = questions(record)
        settings = NetworkSelector(AUTO).fit(SearchSettings(), rules)
        answers = analysed(record, asked, _ITERATIONS, settings)
        for one in Review(record, asked, answers.by_ply()).evaluations.values():
            if one.mark in dict(DROPS) and one.reason and one.best and one.played:
                kinds[one.reason.template] += 1
                position = asked[one.ply - 1].observation
                lines = (_read(_plain(line)) for line in (one.played, one.best))
                place = kinds[one.reason.template], len(ranked)
                ranked.append((place, Situation(position, one.mark, *lines)))
    return [situation for _place, situation in sorted(ranked, key=lambda one: one[0])[:COUNT]]


def _plain(line: SearchedAction) -> str:
    ahead = " ".join(map(str, line.continuation))
    return f"{line.action} {line.score:.2f}{' proved' * line.exact} then {ahead}"


if __name__ == "__main__":
    GOLDEN.write_text(text_of(chosen() if "--choose" in sys.argv else kept()), encoding="utf-8")
