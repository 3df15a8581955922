"""Levels a network: makes what it expects come true where searches with it play against each other.

python3 -m benchmarks.learning.level NETWORK --out FILE [--games 1000] [--iterations 64] [--jobs 1]

A network that learnt in company that it beats expects too much of an equal. Searches with it play against
themselves; a logistic regression of what came of their decisions on the network's greatest output asks for a
slope and a shift, and the outputs are multiplied and moved by them. With a slope above 0 the network itself
plays as before.

Source: J. Platt, "Probabilistic outputs for support vector machines", Advances in Large Margin
Classifiers, 1999.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from contextlib import closing
from math import exp
from pathlib import Path

from durak_core import Decision, DurakError, State, play_from
from durak_core.agents.base import legal_codes
from durak_core.agents.learned import Evaluator, load_network
from durak_core.arena import make_player
from durak_core.arena.experiments.provenance import commit
from durak_core.arena.players import make_ready
from durak_core.arena.workers import run_in_order
from durak_core.game.files import write_bytes_atomically
from durak_core.kernel.random import AGENTS_STREAM, derive
from durak_core.search.backend import backend
from durak_core.search.weights import Network, network_bytes

Sample = tuple[float, float]
"""The best action's output, and what came of the decision: 1, one half for a draw, or 0 for the fool."""

CHUNK = 5
"""Games that a process is given at once."""


def play_some(path: Path, iterations: int, seed: int, first: int, count: int) -> list[Sample]:
    """Play some games and return their samples; what a process is given at once."""
    return [one for i in range(first, first + count) for one in play(path, iterations, derive(seed, i))]


def play(path: Path, iterations: int, seed: int) -> list[Sample]:
    """Play a game and return a sample for each decision that leaves a choice."""
    network = load_network(path)
    evaluator = Evaluator(network, backend("network"))
    asked: list[tuple[int, float]] = []

    def note(state: State, _decision: Decision) -> None:
        observation = state.observation(state.turn or 0)
        codes = legal_codes(observation)
        if len(codes) > 1:
            asked.append((observation.seat, max(evaluator.values(observation, codes))))

    agents = [make_player(searching(path, iterations)) for _ in range(network.rules.seats)]
    end = play_from(State.deal(network.rules, seed), agents, derive(seed, AGENTS_STREAM), note)
    return [(value, 0.5 if end.is_draw else float(end.fool != seat)) for seat, value in asked]


def searching(path: Path, iterations: int) -> str:
    """Return the text of the agent that searches with a network."""
    return f"ismcts:net={path},iterations={iterations}"


def fit(samples: Iterable[Sample]) -> tuple[float, float]:
    """Return the shift and the slope of the likeliest logistic regression, by Newton's method.

    Raises:
        DurakError: If the samples do not decide them.
    """
    told = list(samples)
    shift, slope = 0.0, 1.0
    for _ in range(50):
        gradient, curvature = [0.0, 0.0], [0.0, 0.0, 0.0]
        for value, outcome in told:
            expected = 1 / (1 + exp(-max(-50.0, min(50.0, shift + slope * value))))
            for power in range(2):
                gradient[power] += (outcome - expected) * value**power
            for power in range(3):
                curvature[power] += expected * (1 - expected) * value**power
        determinant = curvature[0] * curvature[2] - curvature[1] ** 2
        if determinant <= 1e-9 * len(told):
            break
        shift += (gradient[0] * curvature[2] - gradient[1] * curvature[1]) / determinant
        slope += (gradient[1] * curvature[0] - gradient[0] * curvature[1]) / determinant
        if max(map(abs, gradient)) < 1e-6 * len(told) and slope > 0:
            return shift, slope
    raise DurakError(
        f"{len(told)} decisions do not tell how the outcome grows with the outputs: expected more --games"
    )


def leveled(network: Network, shift: float, slope: float) -> list[float]:
    """Return a network's weights with its outputs multiplied by a slope and moved by a shift."""
    before, outputs = network.about.widths[-2:]
    weights = list(network.weights)
    last = len(weights) - (before + 1) * outputs
    weights[last:] = [slope * weight for weight in weights[last:]]
    weights[-outputs:] = [bias + shift for bias in weights[-outputs:]]
    return weights


def gather(path: Path, given: argparse.Namespace) -> list[Sample]:
    """Play all games on some processes."""
    make_ready((searching(path, given.iterations),))
    backend("network")
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
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--iterations", type=int, default=64, help="of a search")
    parser.add_argument("--seed", type=int, default=5_800_000)
    parser.add_argument("--jobs", type=int, default=1, help="processes at once")
    given = parser.parse_args(arguments)
    try:
        check(given)
        network = load_network(given.network)
        samples = gather(given.network.resolve(), given)
        shift, slope = fit(samples)
        write_bytes_atomically(given.out, network_bytes(network.about, leveled(network, shift, slope)))
    except (DurakError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted; nothing is written", file=sys.stderr)
        return 130
    print(
        f"{given.network.name}: shift {shift:+.3f}, slope {slope:.3f}, from {len(samples):,} decisions of "
        f"{given.games:,} games, {given.iterations} iterations, seed {given.seed}, commit {commit()}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
