"""Calibrates the analyses with a network by Platt scaling.

python3 -m benchmarks.learning.level NETWORK --out FILE [--positions 1500] [--iterations 1000] [--jobs 1]

Self-play networks are overconfident, and search amplifies the most optimistic estimate. In positions as in
`benchmarks.calibration`, a logistic regression of outcomes on predictions gives an intercept and a slope.
They are stored in the file and change reported probabilities, but no moves.

Source: J. Platt, "Probabilistic outputs for support vector machines", Advances in Large Margin
Classifiers, 1999.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import log
from pathlib import Path

from benchmarks.calibration import Plan, Prediction, gather
from benchmarks.exits import with_exit_codes
from durak_core import DurakError
from durak_core.agents.learned import load_network
from durak_core.files import write_bytes_atomically
from durak_core.kernel.position import MASK63
from durak_core.lab import player_text
from durak_core.lab.experiments.results import commit
from durak_core.lab.learn.arrays import network_bytes
from durak_core.statistics import logistic

LEAST = 0.001
"""An expectation is kept so far from 0 and 1."""


def fit(predictions: Iterable[Prediction]) -> tuple[float, float]:
    """Return shift and slope of the likeliest logistic regression on what was predicted, by Newton's method.

    Proofs do not count.

    Raises:
        DurakError: If the predictions do not decide them.
    """
    shares = [(min(max(one.predicted, LEAST), 1 - LEAST), one.actual) for one in predictions if not one.exact]
    told = [(log(share / (1 - share)), actual) for share, actual in shares]
    shift, slope = 0.0, 1.0
    for _ in range(50):
        gradient, curvature = [0.0, 0.0], [0.0, 0.0, 0.0]
        for logit, actual in told:
            expected = logistic(shift + slope * logit)
            for power in range(2):
                gradient[power] += (actual - expected) * logit**power
            for power in range(3):
                curvature[power] += expected * (1 - expected) * logit**power
        determinant = curvature[0] * curvature[2] - curvature[1] ** 2
        if determinant <= 1e-9 * len(told) ** 2:
            break
        shift += (gradient[0] * curvature[2] - gradient[1] * curvature[1]) / determinant
        slope += (gradient[1] * curvature[0] - gradient[0] * curvature[1]) / determinant
        if max(map(abs, gradient)) < 1e-6 * len(told) and slope > 0:
            return shift, slope
    raise DurakError(
        "{count} predictions are too few for calibration: expected more --positions", count=len(told)
    )


def check(given: argparse.Namespace) -> None:
    """Check the numbers of the command line.

    Raises:
        DurakError: If one of them is out of range.
    """
    if min(given.positions, given.iterations, given.jobs) < 1 or not 0 <= given.seed <= MASK63:
        raise DurakError(
            "expected --positions, --iterations and --jobs of 1 or more, --seed from 0 to {most}", most=MASK63
        )


@with_exit_codes("nothing is written")
def main(arguments: Sequence[str] | None = None) -> None:
    """Fit, print, write, and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python3 -m benchmarks.learning.level",
        description=__doc__.splitlines()[0] if __doc__ else None,
    )
    parser.add_argument("network", type=Path)
    parser.add_argument("--out", type=Path, required=True, help="the calibrated network")
    parser.add_argument("--positions", type=int, default=1500)
    parser.add_argument("--iterations", type=int, default=1000, help="of an analysis")
    parser.add_argument("--seed", type=int, default=5_800_000)
    parser.add_argument("--jobs", type=int, default=1, help="processes at once")
    given = parser.parse_args(arguments)
    check(given)
    network = load_network(given.network)
    path = str(given.network.resolve())
    strong, weak = player_text(f"ismcts:iterations=100,net={path}"), player_text("greedy")
    plan = Plan(strong, weak, network.about.rules, given.iterations, path, given.seed)
    shift, slope = fit(gather(plan, given.positions, given.jobs))
    before = network.about.levels
    levels = (round(shift + slope * before[0], 3), round(slope * before[1], 3))
    write_bytes_atomically(given.out, network_bytes(replace(network.about, levels=levels), network.weights))
    print(
        f"{given.network.name}: shift {levels[0]} slope {levels[1]} from {given.positions:,} positions, "
        f"{given.iterations} iterations, seed {given.seed}, commit {commit()}"
    )


if __name__ == "__main__":
    sys.exit(main())
