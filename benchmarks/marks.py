"""How sure the marks of reviews are: each against ten times its search.

python3 -m benchmarks.marks [--games 500] [--iterations 200] [--seed N] [--jobs 2] [--minutes M]

Two opponents play a game, which is reviewed as the app does: each choice gets the iterations, and a doubtful
one is searched again with twice, four, eight and sixteen times as many. Then choices are searched with ten
times the iterations of their last search: all that have a mark, a doubt or a loss above a point, and of the
others one in ten, which counts ten times. An error is a move that loses 10 points or more there.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import permutations
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
from durak_core.review import Question, evaluate_move, questions
from durak_core.search.analysis import analyse
from durak_core.search.backend.backend import backend
from durak_core.search.ismcts.tree_search import SearchSettings

_PLAYERS: Final = tuple(one.text for one in OPPONENTS[:-1])
_PAIRS: Final = tuple(permutations(_PLAYERS, 2))
_MOST_TRIES: Final = 4
_THRESHOLDS: Final = {"??": 0.15, "?": 0.10, "?!": 0.05}
_ERROR: Final = 0.10
_LOOKED_AT: Final = 0.01
_SAMPLED: Final = 10


@dataclass(frozen=True)
class Checked:
    """A choice's mark, its loss in the longer search, and how many choices it stands for."""

    mark: str
    loss: float
    weight: int


def search(question: Question, iterations: int, settings: SearchSettings) -> tuple[SearchedAction, ...]:
    """Evaluate a position's actions."""
    runner = backend(settings.group)
    return analyse(question.observation, runner, iterations=iterations, settings=settings).lines()


def loss_of(question: Question, lines: Sequence[SearchedAction]) -> float | None:
    """Return how much the played action loses; None if it has no line."""
    own = next((line for line in lines if line.action == question.action), None)
    return None if own is None else max(0.0, lines[0].score - own.score)


def check_game(iterations: int, seed: int, number: int) -> list[Checked]:
    """Play and review a game, and search its choices ten times as long."""
    rules = Rules.parse("podkidnoy")
    settings = NetworkSelector(AUTO).fit(SearchSettings(), rules)
    players = [make_agent(text) for text in _PAIRS[number % len(_PAIRS)]]
    record = play_game(rules, players, derive(seed, number)).record
    return list(_check(iterations, settings, [one for one in questions(record) if one.is_free]))


def _check(iterations: int, settings: SearchSettings, asked: Sequence[Question]) -> Iterator[Checked]:
    for question in asked:
        lines, used = search(question, iterations, settings), iterations
        for tries in range(1, _MOST_TRIES + 1):
            if not evaluate_move(question, lines).is_doubtful:
                break
            used = iterations << tries
            lines = search(question, used, settings)
        found = evaluate_move(question, lines)
        weight = 1 if found.mark or found.drop > _LOOKED_AT or found.is_doubtful else _SAMPLED
        if weight > 1 and question.ply % _SAMPLED:
            continue
        loss = loss_of(question, search(question, 10 * used, settings))
        if loss is not None:
            yield Checked("" if found.mark == "!" else found.mark, loss, weight)


def report(found: Sequence[Checked], games: int, origin: str) -> str:
    """Return the figures as Markdown."""
    lines = ["| mark | moves | lose less than half of its threshold |", "| --- | ---: | ---: |"]
    for mark, threshold in _THRESHOLDS.items():
        losses = [one.loss for one in found if one.mark == mark]
        low = sum(loss < threshold / 2 for loss in losses)
        lines.append(f"| `{mark}` | {len(losses)} | {low} ({low / max(1, len(losses)):.1%}) |")
    errors = [one for one in found if one.loss >= _ERROR]
    marks = Counter[bool]()
    for one in errors:
        marks[bool(one.mark)] += one.weight
    total = max(1, sum(marks.values()))
    told = f"{marks[True]} of {sum(marks.values())} errors ({marks[True] / total:.1%}) have a mark."
    return "\n".join([*lines, "", f"{told} {games} games. {origin}"])


@with_exit_codes("nothing is written")
def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print, and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python3 -m benchmarks.marks", description=__doc__.splitlines()[0] if __doc__ else None
    )
    parser.add_argument("--games", type=int, default=500)
    parser.add_argument("--iterations", type=int, default=200, help="of the first search of a choice")
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
    tasks = [(given.iterations, given.seed, number) for number in range(given.games)]
    with closing(run_in_order(check_game, tasks, given.jobs or cores())) as checked:
        for one in checked:
            found += one
            games += 1
            if games % 5 == 0:
                print(f"{games} games", file=sys.stderr, flush=True)
            if monotonic() - begun > 60 * given.minutes:
                break
    origin = f"Commit `{commit()}`, seed {given.seed}, from {given.iterations} iterations a choice on."
    print(report(found, games, origin))


if __name__ == "__main__":
    sys.exit(main())
