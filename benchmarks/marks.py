"""How sure the marks of reviews are: each against ten times its search.

python3 -m benchmarks.marks [--games 500] [--iterations 2000] [--seed N] [--jobs 2] [--minutes M]

Two opponents play a game, which is reviewed as the app does: each choice gets the iterations, which the app
does in its first look, and a doubtful one is searched again with two, four, eight and sixteen times as many.
Then choices are searched with ten times the iterations of their last search, and other random numbers: all
that have a mark, and some of the others, which stand for the rest. An error is a move that loses 10 points or
more there.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import permutations
from random import Random
from time import monotonic
from typing import Final

from benchmarks.exits import with_exit_codes
from benchmarks.figures import HELD_OUT, check_numbers
from durak_core import Rules, SearchedAction, make_agent
from durak_core.agents.learned import AUTO, NetworkSelector
from durak_core.agents.personas import OPPONENTS
from durak_core.kernel.position import derive
from durak_core.lab import play_game
from durak_core.lab.experiments.results import commit
from durak_core.lab.matches.players import load_compiled
from durak_core.lab.workers import cores, run_in_order
from durak_core.review import MoveEvaluation, Question, evaluate_move, questions
from durak_core.review.evaluation import DROPS
from durak_core.search.analysis import Analysis
from durak_core.search.backend.backend import backend
from durak_core.search.ismcts.tree_search import SearchSettings
from durak_core.statistics import wilson_interval

_PLAYERS: Final = tuple(one.text for one in OPPONENTS[:-1])
_PAIRS: Final = tuple(permutations(_PLAYERS, 2))
_MOST_TRIES: Final = 4
_ERROR: Final = 0.10
_DOUBTED, _OTHERS = 4, 20
"""How many choices without a mark one stands for: those that lost a point or are doubtful, and the others."""


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
    asked = [one for one in questions(record) if one.is_free]
    return list(_check(iterations, settings, asked, Random(derive(seed, number))))


def _check(
    iterations: int, settings: SearchSettings, asked: Sequence[Question], rng: Random
) -> Iterator[Checked]:
    runner = backend(settings.group)
    for question in asked:
        search = Analysis(question.observation, 1, runner, settings)
        for tries in range(_MOST_TRIES + 1):
            search.run(iterations << tries)
            found = evaluate_move(question, search.lines())
            if not found.is_doubtful:
                break
        weight = _weight(found)
        if weight > 1 and rng.randrange(weight):
            continue
        if not search.is_exact:
            checked = Analysis(question.observation, 2, runner, settings)
            checked.run(10 * search.iterations)
            search = checked
        loss = loss_of(question, search.lines())
        if loss is not None:
            yield Checked(found.mark if weight == 1 else "", loss, weight)


def _weight(found: MoveEvaluation) -> int:
    if found.mark in dict(DROPS):
        return 1
    return _DOUBTED if found.drop > _ERROR / 10 or found.is_doubtful else _OTHERS


def loss_of(question: Question, lines: Sequence[SearchedAction]) -> float | None:
    """Return how much the played action loses; None if it has no line."""
    own = next((line for line in lines if line.action == question.action), None)
    return None if own is None else max(0.0, lines[0].score - own.score)


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
