"""Calibration of the analysis: predicted probabilities against outcomes.

python3 -m benchmarks.calibration [--positions 2000] [--iterations 1000] [--jobs 2] [--document FILE]

Each position comes from its own game, in which the strong agent plays against itself or against the weak one,
and is drawn from the decisions with a choice. The analysis predicts the probability of not being the fool for
its best action. The action is played, and strong agents finish the game. The table compares predictions and
outcomes. All randomness comes from the seed; the number of processes changes nothing.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from typing import Final

from benchmarks.exits import with_exit_codes
from benchmarks.figures import HELD_OUT
from durak_core import Decision, DurakError, Rules, State, wilson_interval, write_text_atomically
from durak_core.agents.learned import AUTO, NetworkSelector
from durak_core.kernel.position import AGENTS_STREAM, CHANCE_STREAM, MASK63, derive, random_below
from durak_core.lab import make_player, play_from, player_text
from durak_core.lab.experiments.report import put_into
from durak_core.lab.experiments.results import commit, processor
from durak_core.lab.matches.players import load_compiled
from durak_core.lab.workers import cores, run_in_order
from durak_core.search.analysis import analyse
from durak_core.search.backend.backend import backend
from durak_core.search.ismcts.tree_search import SearchSettings

BINS: Final = 10
CHUNK: Final = 2
"""Positions that a process is given at once."""


@dataclass(frozen=True)
class Plan:
    """What is to be measured.

    Attributes:
        strong: Plays on after the position, on all seats, and at least on one before it.
        weak: Plays the other seats before it, in two games of three.
        rules: The rules' text.
        iterations: Of the analysis.
        net: The network that guides it, as for ``durak analyse``.
        seed: Seed of all randomness.
    """

    strong: str
    weak: str
    rules: str
    iterations: int
    net: str
    seed: int

    def settings(self) -> SearchSettings:
        """Return how the analysis searches."""
        return NetworkSelector(self.net).fit(SearchSettings(), Rules.parse(self.rules))


@dataclass(frozen=True)
class Prediction:
    """The prediction for a position, and its outcome.

    Attributes:
        predicted: Probability of not being the fool, a draw counting half.
        actual: 1, 0.5 or 0.
        exact: Whether the prediction was a proof.
    """

    predicted: float
    actual: float
    exact: bool


@dataclass(frozen=True)
class Bin:
    """The predictions between two probabilities.

    Attributes:
        low: The lower one.
        high: The higher one; only the last bin includes it.
        count: How many predictions.
        predicted: Their mean.
        actual: The mean of the outcomes.
        interval: Its 95 % interval by Wilson.
    """

    low: float
    high: float
    count: int
    predicted: float
    actual: float
    interval: tuple[float, float]


@dataclass(frozen=True)
class Reliability:
    """How far predictions can be relied on.

    Attributes:
        bins: By what was predicted.
        count: How many predictions.
        proofs: Number of proved predictions.
        brier: Mean squared distance of prediction and outcome; 0 is perfect, and constant predictions of
            one half get 0.25 without draws.
        error: Expected calibration error: mean distance of a bin's two means, weighted by its count.

    Source: G. W. Brier, "Verification of forecasts expressed in terms of probability", Monthly Weather
    Review 78 (1950); M. P. Naeini et al., "Obtaining well calibrated probabilities using Bayesian
    binning", AAAI 2015.
    """

    bins: tuple[Bin, ...]
    count: int
    proofs: int
    brier: float
    error: float


def predict(plan: Plan, number: int) -> Prediction:
    """Play a game to a random decision, ask the analysis, play on, and compare.

    Args:
        plan: What is measured.
        number: Of the position, from 0.
    """
    rules = Rules.parse(plan.rules)
    seed = derive(plan.seed, number)
    texts = [plan.weak if number % (rules.seats + 1) == seat else plan.strong for seat in range(rules.seats)]
    state = _position(rules, texts, seed)
    seat = state.turn or 0
    settings = plan.settings()
    analysis = analyse(
        state.observation(seat),
        backend(settings.group),
        seed=seed,
        iterations=plan.iterations,
        settings=settings,
    )
    best = analysis.lines()[0]
    agents = [make_player(plan.strong) for _ in range(rules.seats)]
    end = play_from(state.apply(best.action), agents, derive(seed, AGENTS_STREAM + 1))
    actual = 0.5 if end.is_draw else float(end.fool != rules.team_of(seat))
    return Prediction(best.score, actual, best.exact)


def _position(rules: Rules, texts: Sequence[str], seed: int) -> State:
    """Play a game and return one of its states with a choice."""
    decisions: list[State] = []

    def note(state: State, _decision: Decision) -> None:
        if len(state.legal_actions) > 1:
            decisions.append(state)

    agents = [make_player(text) for text in texts]
    play_from(State.deal(rules, seed), agents, derive(seed, AGENTS_STREAM), note)
    if not decisions:
        raise DurakError("the game of seed {seed} has no choice: expected rules with more cards", seed=seed)
    return decisions[random_below([derive(seed, CHANCE_STREAM)], len(decisions))]


def predict_some(plan: Plan, first: int, count: int) -> list[Prediction]:
    """Do so for some positions; what a process is given at once."""
    return [predict(plan, number) for number in range(first, first + count)]


def reliability(predictions: Iterable[Prediction]) -> Reliability:
    """Compare predictions with outcomes."""
    found = list(predictions)
    bins = []
    for number in range(BINS):
        inside = [one for one in found if min(int(one.predicted * BINS), BINS - 1) == number]
        count = len(inside)
        actual = sum(one.actual for one in inside) / count if count else 0.0
        predicted = sum(one.predicted for one in inside) / count if count else 0.0
        bins.append(
            Bin(number / BINS, (number + 1) / BINS, count, predicted, actual, wilson_interval(actual, count))
        )
    most = max(len(found), 1)
    return Reliability(
        bins=tuple(bins),
        count=len(found),
        proofs=sum(one.exact for one in found),
        brier=sum((one.predicted - one.actual) ** 2 for one in found) / most,
        error=sum(one.count * abs(one.predicted - one.actual) for one in bins) / most,
    )


def table(plan: Plan, found: Reliability, name: str) -> str:
    """Return the table as Markdown.

    Args:
        plan: What was measured.
        found: What came out.
        name: Of the commit.
    """
    lines = [
        "| predicted | positions | mean prediction | came true | 95 % |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for one in found.bins:
        figures = ["", "", ""]
        if one.count:
            low, high = one.interval
            figures = [f"{one.predicted:.3f}", f"{one.actual:.3f}", f"{low:.3f} to {high:.3f}"]
        lines.append(f"| {one.low:.1f} to {one.high:.1f} | {one.count} | {' | '.join(figures)} |")
    caption = (
        f"**Predicted and actual share of games not lost**, {plan.iterations:,} iterations an analysis, "
        f"network: {plan.net}."
    )
    origin = (
        f"Brier score {found.brier:.4f}, expected calibration error {found.error:.4f}. "
        f"Commit `{name}`, seed {plan.seed}, {found.count:,} positions ({found.proofs:,} of them "
        f"proved), rules `{plan.rules}`, `{plan.strong}` with and without `{plan.weak}`."
    )
    return "\n".join([caption, "", *lines, "", origin])


def gather(plan: Plan, positions: int, jobs: int) -> list[Prediction]:
    """Predict all positions on some processes; a line on stderr shows the progress."""
    load_compiled((plan.strong, plan.weak))
    backend(plan.settings().group)
    tasks = ((plan, first, min(CHUNK, positions - first)) for first in range(0, positions, CHUNK))
    found: list[Prediction] = []
    shown = perf_counter()
    with closing(run_in_order(predict_some, tasks, jobs)) as chunks:
        for chunk in chunks:
            found += chunk
            if perf_counter() - shown > 20:
                shown = perf_counter()
                print(f"{len(found)} of {positions} positions", file=sys.stderr, flush=True)
    return found


def planned(given: argparse.Namespace) -> Plan:
    """Return what the command line asks for.

    Raises:
        DurakError: If it cannot be measured.
    """
    if min(given.positions, given.iterations) < 1 or given.jobs < 0 or not 0 <= given.seed <= MASK63:
        raise DurakError(
            "expected --positions and --iterations of 1 or more, --jobs of 0 or more, --seed "
            "from 0 to {most}",
            most=MASK63,
        )
    strong, weak = player_text(given.strong), player_text(given.weak)
    return Plan(strong, weak, Rules.parse(given.rules).text, given.iterations, given.net, given.seed)


@with_exit_codes("nothing is written")
def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print, write, and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python3 -m benchmarks.calibration", description=__doc__.splitlines()[0] if __doc__ else None
    )
    parser.add_argument("--positions", type=int, default=2000)
    parser.add_argument("--iterations", type=int, default=1000, help="of the analysis")
    parser.add_argument("--net", default=AUTO, help="the analysis' network: auto, off, dmc, ppo or a file")
    parser.add_argument("--strong", default="ismcts:iterations=100,net=auto")
    parser.add_argument("--weak", default="greedy")
    parser.add_argument("--rules", default="podkidnoy")
    parser.add_argument("--seed", type=int, default=HELD_OUT + 7)
    parser.add_argument("--jobs", type=int, default=1, help="processes at once, 0 for one each core")
    parser.add_argument("--json", type=Path, help="write the figures to a file")
    parser.add_argument("--document", type=Path, help="write the table there, at <!-- table: calibration -->")
    given = parser.parse_args(arguments)
    plan = planned(given)
    found = reliability(gather(plan, given.positions, given.jobs or cores()))
    text = table(plan, found, commit())
    print(text)
    if given.json:
        told = {"plan": asdict(plan), "commit": commit(), "machine": processor(), **asdict(found)}
        write_text_atomically(given.json, json.dumps(told, indent=1) + "\n")
    if given.document:
        put_into(given.document, "calibration", text)


if __name__ == "__main__":
    sys.exit(main())
