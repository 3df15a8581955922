"""How sure the marks of reviews are: each against ten times its search.

python3 -m benchmarks.marks [--games 500] [--iterations 2000] [--seed N] [--jobs 2] [--minutes M]

Two opponents play a game, which is reviewed as the app does: each choice gets the iterations, fewer than in
the app's first look. Doubtful moves are compared with the best ones with four times as many. To confirm a
grave mark they are compared with sixteen times as many, and by playouts for about as long.
Then choices get ten times the iterations and other random numbers, for a search of all actions and for a
comparison of the move with the best one there: all choices that have a grave mark, and some of the others,
which stand for the rest. An error is a move that loses 10 points or more there.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import permutations
from random import Random
from time import monotonic
from typing import Final

from benchmarks.exits import with_exit_codes
from benchmarks.figures import HELD_OUT, check_numbers
from durak_core import Action, Record, Rules, SearchedAction, make_agent
from durak_core.agents.learned import AUTO, NetworkSelector
from durak_core.agents.personas import OPPONENTS
from durak_core.kernel.position import derive
from durak_core.lab import play_game
from durak_core.lab.experiments.results import commit
from durak_core.lab.matches.players import load_compiled
from durak_core.lab.workers import cores, run_in_order
from durak_core.review import MoveEvaluation, Question, Review, questions
from durak_core.review.evaluation import BY_PLAYOUTS, COMPARISONS, DROPS
from durak_core.search.analysis import Analysis
from durak_core.search.backend.backend import backend
from durak_core.search.ismcts.tree_search import SearchSettings
from durak_core.statistics import wilson_interval
from durak_tui.play.analysis import AnalysisCache

_PLAYERS: Final = tuple(one.text for one in OPPONENTS[:-1])
_PAIRS: Final = tuple(permutations(_PLAYERS, 2))
_ERROR: Final = 0.10
_COMPARED: Final = 4
"""The iterations of a first comparison, as a multiple of the first look's."""
_PLAYOUTS: Final = 2
"""Iterations of a search by playouts for one with a network: about as many as in the same time."""
_DOUBTED, _OTHERS = 4, 20
"""How many choices one without a grave mark stands for: if it lost a point or is doubtful, and otherwise."""


@dataclass(frozen=True)
class Checked:
    """A choice's mark, its loss in the longer search, and how many choices it stands for."""

    mark: str
    loss: float
    weight: int


def check_game(iterations: int, seed: int, number: int) -> list[Checked]:
    """Play and review a game, and search some of its choices ten times as long."""
    rules = Rules.parse("podkidnoy")
    settings = NetworkSelector(AUTO).fit(SearchSettings(), rules)
    players = [make_agent(text) for text in _PAIRS[number % len(_PAIRS)]]
    record = play_game(rules, players, derive(seed, number)).record
    asked = questions(record)
    answers = analysed(record, asked, iterations, settings)
    evaluations = Review(record, asked, answers.by_ply()).evaluations
    rng = Random(derive(seed, number))
    found = []
    for question in asked:
        evaluation = evaluations[question.ply]
        weight = _weight(evaluation)
        if question.is_free and not (weight > 1 and rng.randrange(weight)):
            done = answers.compared[question.ply - 1, ()]
            longer = _COMPARED * max(COMPARISONS[:done]) if done else 1
            best = evaluation.best.action if evaluation.best else question.action
            loss = _loss(question, best, 10 * iterations, 10 * longer * iterations, settings)
            if loss is not None:
                mark = evaluation.mark if evaluation.mark in dict(DROPS) else ""
                found.append(Checked(mark, loss, weight))
    return found


def analysed(
    record: Record, asked: Sequence[Question], iterations: int, settings: SearchSettings
) -> AnalysisCache:
    """Return the analysis that the app makes."""
    answers = AnalysisCache()
    by_ply = {question.ply: question for question in asked if question.is_free}
    for ply, question in by_ply.items():
        answers.add_lines((ply - 1, ()), _lines(question, 1, iterations, settings))
    while True:
        evaluations = Review(record, asked, answers.by_ply()).evaluations
        doubts = answers.doubts(evaluations)
        if not doubts:
            return answers
        key = doubts[0]
        question, found = by_ply[key[0] + 1], evaluations[key[0] + 1]
        longer = _COMPARED * found.comparison(answers.compared[key]) * iterations
        if answers.compared[key] == BY_PLAYOUTS:
            playouts = replace(settings, guide=None)
            answers.add_playouts(key, _lines(question, 1, _PLAYOUTS * longer, playouts, found.compared))
        else:
            answers.add_lines(key, _lines(question, 1, longer, settings, found.compared))
        answers.compared[key] += 1


def _lines(
    question: Question, seed: int, iterations: int, settings: SearchSettings, compared: Sequence[Action] = ()
) -> tuple[SearchedAction, ...]:
    if not set(compared) <= set(question.state.legal_actions):
        compared = ()
    search = Analysis(
        question.observation, seed, backend(settings.group), replace(settings, compared=tuple(compared))
    )
    search.run(iterations)
    return search.lines()


def _loss(
    question: Question, reviewed: Action, iterations: int, longer: int, settings: SearchSettings
) -> float | None:
    """Return how much the played action loses in a long comparison with the best one.

    That is the best one of a long search or of the review, since a search of all actions may miss it.
    """
    searched = _lines(question, 2, iterations, settings)[0].action
    best = [action for action in dict.fromkeys((searched, reviewed)) if action != question.action]
    if not best:
        return 0.0
    if question.action not in question.state.legal_actions:
        return None
    # Each of the compared actions gets as many iterations as if they were two.
    lines = _lines(question, 3, longer * (len(best) + 1) // 2, settings, (*best, question.action))
    scores = {line.action: line.score for line in lines}
    return max(0.0, max(scores[action] for action in best) - scores[question.action])


def _weight(found: MoveEvaluation) -> int:
    if found.is_grave:
        return 1
    return _DOUBTED if found.drop > _ERROR / 10 or found.is_doubtful else _OTHERS


def report(found: Sequence[Checked], games: int, origin: str) -> str:
    """Return the figures as Markdown."""
    lines = ["| mark | moves | lose less than half of its threshold |", "| --- | ---: | ---: |"]
    for mark, threshold in DROPS:
        losses = [one.loss for one in found if one.mark == mark]
        low = sum(loss < threshold / 2 for loss in losses)
        lines.append(f"| `{mark}` | {len(losses)} | {_share(low, len(losses), len(losses))} |")
    weights = [one.weight for one in found if one.loss >= _ERROR]
    total, marked = sum(weights), sum(one.weight for one in found if one.loss >= _ERROR and one.mark)
    independent = total**2 / max(1, sum(weight**2 for weight in weights))
    told = f"{_share(marked, total, independent)} of about {total} errors have a mark."
    return "\n".join([*lines, "", f"{told} {games} games. {origin}"])


def _share(part: float, whole: float, independent: float) -> str:
    """Write a share with its 95 % interval, from so many independent trials."""
    share = part / max(1, whole)
    low, high = wilson_interval(share, round(independent))
    return f"{share:.1%} ({low:.1%} to {high:.1%})"


@with_exit_codes("nothing is written")
def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print, and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python3 -m benchmarks.marks", description=__doc__.splitlines()[0] if __doc__ else None
    )
    parser.add_argument("--games", type=int, default=500)
    parser.add_argument("--iterations", type=int, default=2000, help="of the first search of a choice")
    parser.add_argument("--seed", type=int, default=HELD_OUT + 52)
    parser.add_argument("--jobs", type=int, default=1, help="processes at once, 0 for one each core")
    parser.add_argument(
        "--minutes", type=float, default=float("inf"), help="begin no game's report after them"
    )
    given = parser.parse_args(arguments)
    check_numbers([given.games], [given.iterations])
    load_compiled(_PLAYERS)
    found: list[Checked] = []
    games, begun = 0, monotonic()
    origin = f"Commit `{commit()}`, seed {given.seed}, from {given.iterations} iterations a choice on."
    tasks = [(given.iterations, given.seed, number) for number in range(given.games)]
    with closing(run_in_order(check_game, tasks, given.jobs or cores())) as checked:
        for one in checked:
            found += one
            games += 1
            if games % 20 == 0:
                print(report(found, games, origin), file=sys.stderr, flush=True)
            if monotonic() - begun > 60 * given.minutes:
                break
    print(report(found, games, origin))


if __name__ == "__main__":
    sys.exit(main())
