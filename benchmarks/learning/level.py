"""Levels a network: makes what analyses with it expect come true.

python3 -m benchmarks.learning.level NETWORK --out FILE [--positions 1500] [--iterations 1000] [--jobs 1]

A network that learnt in company that it beats expects too much of an equal, and a search believes in what
looks best. In positions as `benchmarks.calibration` takes them, a logistic regression of what came of
analyses on what they expected, with a slope of 1, asks for a shift, and the network's outputs are moved by
it; the network itself plays as before.

Source: J. Platt, "Probabilistic outputs for support vector machines", Advances in Large Margin
Classifiers, 1999, with the slope left out.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from math import exp, log
from pathlib import Path

from benchmarks.calibration import Plan, Prediction, gather
from durak_core import DurakError
from durak_core.agents.learned import load_network
from durak_core.arena import player_text
from durak_core.arena.experiments.provenance import commit
from durak_core.game.files import write_bytes_atomically
from durak_core.kernel.random import MASK63
from durak_core.search.weights import Network, network_bytes

LEAST = 0.001
"""An expectation is kept so far from 0 and 1."""


def fit(predictions: Iterable[Prediction]) -> float:
    """Return the likeliest shift of what was predicted, before the logistic function, by Newton's method.

    Proofs do not count.

    Raises:
        DurakError: If the predictions do not decide it.
    """
    told = [(min(max(one.predicted, LEAST), 1 - LEAST), one.actual) for one in predictions if not one.exact]
    shift = 0.0
    for _ in range(50):
        gradient = curvature = 0.0
        for predicted, actual in told:
            expected = 1 / (1 + exp(-shift - log(predicted / (1 - predicted))))
            gradient += actual - expected
            curvature += expected * (1 - expected)
        if curvature <= 1e-5 * len(told):
            break
        shift += gradient / curvature
        if abs(gradient) < 1e-6 * len(told):
            return shift
    raise DurakError(
        f"{len(told)} predictions are too few to tell how far to move: expected more --positions"
    )


def levelled(network: Network, shift: float) -> list[float]:
    """Return a network's weights with its outputs moved by a shift."""
    outputs = network.about.widths[-1]
    weights = list(network.weights)
    weights[-outputs:] = [bias + shift for bias in weights[-outputs:]]
    return weights


def check(given: argparse.Namespace) -> None:
    """Check the numbers of the command line.

    Raises:
        DurakError: If one of them is out of range.
    """
    if min(given.positions, given.iterations, given.jobs) < 1 or not 0 <= given.seed <= MASK63:
        raise DurakError(
            f"expected --positions, --iterations and --jobs of 1 or more, --seed from 0 to {MASK63}"
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Fit, print, write, and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python3 -m benchmarks.learning.level",
        description=__doc__.splitlines()[0] if __doc__ else None,
    )
    parser.add_argument("network", type=Path)
    parser.add_argument("--out", type=Path, required=True, help="the levelled network")
    parser.add_argument("--positions", type=int, default=1500)
    parser.add_argument("--iterations", type=int, default=1000, help="of an analysis")
    parser.add_argument("--seed", type=int, default=5_800_000)
    parser.add_argument("--jobs", type=int, default=1, help="processes at once")
    given = parser.parse_args(arguments)
    try:
        check(given)
        network = load_network(given.network)
        path = str(given.network.resolve())
        strong, weak = player_text(f"ismcts:iterations=100,net={path}"), player_text("greedy")
        plan = Plan(strong, weak, network.about.rules, given.iterations, path, given.seed)
        shift = fit(gather(plan, given.positions, given.jobs))
        write_bytes_atomically(given.out, network_bytes(network.about, levelled(network, shift)))
    except (DurakError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted; nothing is written", file=sys.stderr)
        return 130
    print(
        f"{given.network.name}: shift {shift:+.3f} from {given.positions:,} positions, "
        f"{given.iterations} iterations, seed {given.seed}, commit {commit()}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
