"""Levels a network: makes what searches with it expect come true where they play against each other.

python3 -m benchmarks.learning.level NETWORK --out FILE [--games 400] [--iterations 200] [--jobs 1]

A network that learnt in company that it beats expects too much of an equal, and a search believes in what
looks best. Analyses with it play against themselves; a logistic regression of what came of their decisions on
what they expected, with a slope of 1, asks for a shift, and the network's outputs are moved by it; the
network itself plays as before.

Source: J. Platt, "Probabilistic outputs for support vector machines", Advances in Large Margin
Classifiers, 1999, with the slope left out.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from contextlib import closing
from math import exp, log
from pathlib import Path

from durak_core import DurakError, State
from durak_core.agents.guiding import Guides
from durak_core.agents.learned import load_network
from durak_core.arena.experiments.provenance import commit
from durak_core.arena.workers import run_in_order
from durak_core.game.files import write_bytes_atomically
from durak_core.kernel.random import derive
from durak_core.search.analysis import analyse
from durak_core.search.backend import backend
from durak_core.search.searcher import SearchSettings
from durak_core.search.weights import Network, network_bytes

Sample = tuple[float, float]
"""What a decision was expected to bring, before the logistic function, and what it brought.

That is 1, one half for a draw, or 0 for the fool.
"""

LEAST = 0.001
"""An expectation is kept so far from 0 and 1."""

CHUNK = 5
"""Games that a process is given at once."""


def play_some(path: Path, iterations: int, seed: int, first: int, count: int) -> list[Sample]:
    """Play some games and return their samples; what a process is given at once."""
    return [one for i in range(first, first + count) for one in play(path, iterations, derive(seed, i))]


def play(path: Path, iterations: int, seed: int) -> list[Sample]:
    """Let analyses play a game; return a sample for each decision with a choice that is not proved."""
    rules = load_network(path).rules
    settings = Guides(str(path)).fit(SearchSettings(), rules)
    state = State.deal(rules, seed)
    asked: list[tuple[int, float]] = []
    plies = 0
    while state.turn is not None:
        action = state.legal_actions[0]
        if len(state.legal_actions) > 1:
            best = analyse(
                state.observation(state.turn),
                backend(settings.group),
                seed=derive(seed, plies),
                iterations=iterations,
                settings=settings,
            ).lines()[0]
            action = best.action
            if not best.exact:
                expected = min(max(best.score, LEAST), 1 - LEAST)
                asked.append((state.turn, log(expected / (1 - expected))))
        state = state.apply(action)
        plies += 1
    return [(value, 0.5 if state.fool is None else float(state.fool != seat)) for seat, value in asked]


def fit(samples: Iterable[Sample]) -> float:
    """Return the likeliest shift of the expectations before the logistic function, by Newton's method.

    Raises:
        DurakError: If the samples do not decide it.
    """
    told = list(samples)
    shift = 0.0
    for _ in range(50):
        gradient = curvature = 0.0
        for value, outcome in told:
            expected = 1 / (1 + exp(-max(-50.0, min(50.0, shift + value))))
            gradient += outcome - expected
            curvature += expected * (1 - expected)
        if curvature <= 1e-5 * len(told):
            break
        shift += gradient / curvature
        if abs(gradient) < 1e-6 * len(told):
            return shift
    raise DurakError(f"{len(told)} decisions are too few to tell how far to move: expected more --games")


def leveled(network: Network, shift: float) -> list[float]:
    """Return a network's weights with its outputs moved by a shift."""
    outputs = network.about.widths[-1]
    weights = list(network.weights)
    weights[-outputs:] = [bias + shift for bias in weights[-outputs:]]
    return weights


def gather(path: Path, given: argparse.Namespace) -> list[Sample]:
    """Play all games on some processes."""
    backend("guided")
    tasks = (
        (path, given.iterations, given.seed, first, min(CHUNK, given.games - first))
        for first in range(0, given.games, CHUNK)
    )
    with closing(run_in_order(play_some, tasks, given.jobs)) as found:
        return [one for some in found for one in some]


def check(given: argparse.Namespace) -> None:
    """Check the numbers of the command line.

    Raises:
        DurakError: If they are too small.
    """
    if min(given.games, given.iterations, given.jobs) < 1:
        raise DurakError("expected --games, --iterations and --jobs of 1 or more")


def main(arguments: Sequence[str] | None = None) -> int:
    """Fit, print, write, and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python3 -m benchmarks.learning.level",
        description=__doc__.splitlines()[0] if __doc__ else None,
    )
    parser.add_argument("network", type=Path)
    parser.add_argument("--out", type=Path, required=True, help="the leveled network")
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--iterations", type=int, default=200, help="of an analysis")
    parser.add_argument("--seed", type=int, default=5_800_000)
    parser.add_argument("--jobs", type=int, default=1, help="processes at once")
    given = parser.parse_args(arguments)
    try:
        check(given)
        network = load_network(given.network)
        samples = gather(given.network.resolve(), given)
        shift = fit(samples)
        write_bytes_atomically(given.out, network_bytes(network.about, leveled(network, shift)))
    except (DurakError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted; nothing is written", file=sys.stderr)
        return 130
    print(
        f"{given.network.name}: shift {shift:+.3f} from {len(samples):,} decisions of "
        f"{given.games:,} games, {given.iterations} iterations, seed {given.seed}, commit {commit()}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
