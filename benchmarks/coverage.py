"""How often intervals, tests and ratings are right, by simulation of deals with known chances.

python3 -m benchmarks.coverage [--runs 10000] [--seed 1] [--document docs/match-statistics.md]
python3 -m benchmarks.coverage --results docs/experiments/ladder/results.json [--document PAGE]

The second form simulates nothing: it writes what duplicate deals saved in matches that were played.
The first one needs SciPy, which comes with the extra `examples`.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise, product
from pathlib import Path
from statistics import median
from typing import Any, Final, TypeAlias

import numpy as np

from benchmarks.exits import with_exit_codes
from durak_core.agents.personas import OPPONENTS, Opponent
from durak_core.lab import (
    AgentTally,
    DealMean,
    MatchTally,
    ResultMeasure,
    fool_ratings,
    score_of_elo,
    sprt_llr,
)
from durak_core.lab.experiments.report import markdown_table, put_into
from durak_core.lab.experiments.results import ResultsFile
from durak_core.lab.stats.stopping import ASSUMED_DEALS, LARGEST_BET
from durak_core.statistics import Z95, surely_above
from durak_tui.library.model.statistics import Standing

DEALS: Final = (30, 50, 100, 200, 500, 1000, 2000, 5000)
SCORES: Final = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999)
CORRELATIONS: Final = (-0.3, -0.1, 0.0, 0.3, 0.6, 0.9)
"""Correlations of a deal's two games. Near a score of 1 the least possible one takes the place of -0.3."""

BAND: Final = (94.0, 96.5)
"""Coverage, in percent, that is called right."""

MANY_LOSSES: Final = 12
"""Expected effective lost games from which `possible_table` leaves matches out."""

SHARES: Final = (1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005)
"""Shares of deals that two agents play differently."""

HYPOTHESES: Final = (
    (0, 20),
    (0, 60),
    (-20, 0),
    (-100, -50),
    (-400, -350),
    (200, 250),
    (400, 450),
    (-400, 450),
)
SEATS: Final = (2, 3, 4, 5, 6)
STRENGTHS: Final = (-150.0, -80, -40, 0, 40, 80, 150)
"""True ratings of the players of a simulated tournament, with mean 0."""

Figures: TypeAlias = Any  # an array of numpy, whose element types differ


@dataclass(frozen=True)
class Cell:
    """One cell of the table of intervals: errors are shares of runs, in percent.

    Attributes:
        losses: Expected lost games, divided by 1 + the correlation.
        below: Runs whose interval lies below the true score.
        above: Runs whose interval lies above it.
    """

    deals: int
    score: float
    correlation: float
    losses: float
    below: float
    above: float

    @property
    def coverage(self) -> float:
        return 100 - self.below - self.above

    @property
    def is_right(self) -> bool:
        return BAND[0] <= self.coverage <= BAND[1]


def pair_chances(score: float, correlation: float) -> tuple[float, list[float]]:
    """Return the possible correlation, and the chances that none, one and both games of a deal are won."""
    lost = 1 - score
    possible = max(correlation, -lost / score)
    both, none = score**2 + possible * score * lost, lost**2 + possible * score * lost
    return possible, [max(0.0, none), max(0.0, 1 - both - none), both]


def printed_interval(deals: int, mean: float, squares: float, lost: int) -> tuple[float, float]:
    """Return the interval that a match prints, by the deals' mean and sum of squared deviations."""
    means = {ResultMeasure.SCORE: DealMean(deals, mean, squares)}
    share = AgentTally("", 2, games=2 * deals, losses=lost, in_deals=2 * deals, means=means).share
    return share.low, share.high


def normal_interval(deals: int, mean: float, squares: float, lost: int) -> tuple[float, float]:
    """Return the interval that matches printed before: normal over deals, Wilson's without a loss."""
    del lost
    if mean in (0, 1):
        low = 1 / (1 + Z95**2 / (2 * deals))
        return (low, 1.0) if mean else (0.0, 1 - low)
    half = Z95 * math.sqrt(squares / (deals - 1) / deals)
    return max(0.0, mean - half), min(1.0, mean + half)


Interval: TypeAlias = Callable[[int, float, float, int], tuple[float, float]]


def cells(interval: Interval, runs: int, seed: int) -> Iterator[Cell]:
    """Simulate matches of two seats without draws."""
    rng = np.random.default_rng(seed)
    for correlation, score, deals in product(CORRELATIONS, SCORES, DEALS):
        possible, chances = pair_chances(score, correlation)
        drawn, counts = np.unique(rng.multinomial(deals, chances, size=runs), axis=0, return_counts=True)
        below = above = 0
        for (none, one, both), count in zip(drawn.tolist(), counts.tolist(), strict=True):
            mean = (one / 2 + both) / deals
            squares = max(0.0, one / 4 + both - deals * mean * mean) if none < deals > both else 0.0
            low, high = interval(deals, mean, squares, 2 * none + one)
            below += count * (high < score)
            above += count * (low > score)
        yield Cell(
            deals,
            score,
            possible,
            2 * deals * (1 - score) / (1 + possible),
            100 * below / runs,
            100 * above / runs,
        )


def coverage_table(before: Sequence[Cell], after: Sequence[Cell]) -> str:
    """Return the coverage by expected lost games, and the extremes of each row."""
    rows = []
    edges = (0.0, 0.5, 1.0, 2.0, 4.0, 8.0, float(MANY_LOSSES), 100.0, math.inf)
    for low, high in pairwise(edges):
        row = [f"{low:g} to {high:g}" if high < math.inf else f"{low:g} and more"]
        for found in (before, after):
            some = [cell for cell in found if low <= cell.losses < high]
            covers = [cell.coverage for cell in some]
            row += [f"{sum(cell.is_right for cell in some)} of {len(some)}"] if found is before else []
            row += [f"{min(covers):.1f} to {max(covers):.1f}"]
        some = [cell for cell in after if low <= cell.losses < high]
        row += [f"{sum(cell.is_right for cell in some)} of {len(some)}"]
        row += [f"{max(cell.below for cell in some):.1f}", f"{max(cell.above for cell in some):.1f}"]
        rows.append(row)
    heads = ["expected losses", "before: right", "before: coverage", "coverage", "right"]
    return markdown_table([*heads, "most below", "most above"], rows).rstrip()


def most_right(deals: int, score: float, correlations: Sequence[float]) -> int:
    """Return for how many correlations an interval can be right at once, if no end rises with a further loss.

    The first loss may raise an end, as it tells of the correlation. The outcomes, numbers of deals with two
    lost games and with one, whose intervals lie below the score have all outcomes with more losses among
    them, those above it all with fewer. An integer program finds the best two sets. Outcomes with less
    than a millionth of the runs are free.
    """
    from scipy import optimize, sparse, stats  # noqa: PLC0415 - only this table needs it

    chances = np.array([pair_chances(score, one)[1] for one in correlations])
    most = [min(deals, int(mean + 6 * math.sqrt(mean) + 6)) for mean in deals * chances[:, :2].max(0)]
    outcomes = [(both, one) for both in range(most[0] + 1) for one in range(min(most[1], deals - both) + 1)]
    counts = np.array([(*outcome, deals - sum(outcome)) for outcome in outcomes])
    likely = np.array([stats.multinomial.pmf(counts, deals, row) for row in chances])
    kept = likely.max(0) > 1e-6
    likely, places = likely[:, kept], {outcomes[at]: place for place, at in enumerate(np.flatnonzero(kept))}
    size, cells = likely.shape[1], len(correlations)
    rows = [({place: 1, size + place: 1}, 0, 1) for place in places.values()]  # not on both sides
    for (both, one), place in places.items():
        for worse in ((both + 1, one), (both, one + 1)):
            if worse in places and both + one:
                rows += [({place: 1, places[worse]: -1}, -1, 0)]
                rows += [({size + place: -1, size + places[worse]: 1}, -1, 0)]
    for at, row in enumerate(likely):
        missed = dict(enumerate([*row, *row])) | {2 * size + at: 1}
        rows += [(missed, 0, 2 - BAND[0] / 100)]
        missed = missed | {2 * size + at: -1}
        rows += [(missed, row.sum() - BAND[1] / 100 - 1, 2)]
    orders = sparse.lil_array((len(rows), 2 * size + cells))
    for at, (terms, _, _) in enumerate(rows):
        for place, factor in terms.items():
            orders[at, place] = factor
    bounds = np.array([(low, high) for _, low, high in rows]).T
    found = optimize.milp(
        [0] * 2 * size + [-1] * cells,
        constraints=optimize.LinearConstraint(orders.tocsr(), *bounds),
        integrality=np.ones(2 * size + cells),
        bounds=optimize.Bounds(0, 1),
    )
    return round(-found.fun)


def possible_table(found: Sequence[Cell]) -> str:
    """Return by scores how many matches with few losses are right, and how many can be."""
    rows = []
    for score in SCORES:
        some = [cell for cell in found if cell.score == score and cell.losses < MANY_LOSSES]
        by_deals = [[cell.correlation for cell in some if cell.deals == deals] for deals in DEALS]
        most = sum(
            most_right(deals, score, those) for deals, those in zip(DEALS, by_deals, strict=True) if those
        )
        rows.append((f"{score:g}", len(some), sum(cell.is_right for cell in some), most))
    sums = ("all", *[sum(column) for column in list(zip(*rows, strict=True))[1:]])
    texts = [[str(figure) for figure in row] for row in (*rows, sums) if row[1]]
    return markdown_table(["score", "matches", "right", "most that can be right"], texts).rstrip()


def scores_of(share: float, lead: float) -> list[float]:
    """Return the chances of a deal's five scores, if a share of deals differs by a game with a mean lead."""
    up = (share + 4 * lead) / 2
    return [0.0, share - up, 1 - share, up, 0.0]


def independent(score: float) -> list[float]:
    return [(1 - score) ** 2, 0.0, 2 * score * (1 - score), 0.0, score * score]


def normal_llr(counts: Figures, elo0: float, elo1: float) -> Figures:
    """Return the ratio that `--sprt` used before: the normal approximation, with 0.001 for counts of 0."""
    known = np.where(counts == 0, 1e-3, counts)
    deals, places = known.sum(1), np.arange(5) / 4
    mean = known @ places / deals
    variance = (known * (places - mean[:, None]) ** 2).sum(1) / deals
    score0, score1 = score_of_elo(elo0), score_of_elo(elo1)
    return deals * (score1 - score0) * (2 * mean - score0 - score1) / (2 * variance)


def capital_llr(counts: Figures, elo0: float, elo1: float) -> Figures:
    """Return `sprt_llr` of each row of counts, of which the first one is checked against the package."""

    def capital(some: Figures, mean: float, lead: float) -> Figures:
        above = np.arange(5) / 4 - mean
        assumed = ASSUMED_DEALS * mean * (1 - mean) / 2
        spread = (assumed + some @ above**2) / (ASSUMED_DEALS + some.sum(1))
        stake = np.minimum(lead / spread, LARGEST_BET / mean)
        return (some * np.log1p(stake[:, None] * above)).sum(1)

    score0, score1 = score_of_elo(elo0), score_of_elo(elo1)
    up = capital(counts, score0, score1 - score0)
    down = capital(counts[:, ::-1], 1 - score1, score1 - score0)
    ratios = np.where(up >= down, up, -down)
    if not math.isclose(ratios[0], sprt_llr(counts[0].tolist(), elo0, elo1), abs_tol=1e-6):
        raise ArithmeticError("the simulated ratio is not the package's")
    return ratios


Ratio: TypeAlias = Callable[[Figures, float, float], Figures]


def decisions(
    decide: Callable[[Figures], Figures], chances: Sequence[float], runs: int, seed: int, most: int
) -> tuple[float, float, float]:
    """Return the shares of runs decided upwards and downwards, in percent, and the mean deals of these.

    ``decide`` gets counts of deals by score, a row per run, and returns 1, -1 or 0 for each. It is asked
    after every deal up to 200, then after every hundredth part more.
    """
    rng, open_runs = np.random.default_rng(seed), np.zeros((runs, 5))
    up = down = seen = deals = 0
    while deals < most and len(open_runs):
        step = 30 if deals == 0 else max(1, deals // 100 if deals >= 200 else 1)
        deals += step
        open_runs += rng.multinomial(step, chances, size=len(open_runs))
        found = decide(open_runs)
        up, down = up + int((found > 0).sum()), down + int((found < 0).sum())
        seen += deals * int((found != 0).sum())
        open_runs = open_runs[found == 0]
    return 100 * up / runs, 100 * down / runs, seen / max(up + down, 1)


def sprt(ratio: Ratio, elo0: float, elo1: float, *, ties_decide: bool) -> Callable[[Figures], Figures]:
    bound = math.log(19)

    def decide(counts: Figures) -> Figures:
        found = ratio(counts, elo0, elo1)
        tied = counts[:, 2] == counts.sum(1)
        return np.where((np.abs(found) >= bound) & (ties_decide | ~tied), np.sign(found), 0)

    return decide


def until_sure(counts: Figures) -> Figures:
    """Return the decision of `--until-sure` for each row, of which the first one is checked."""
    bets, above = (np.arange(32) + 0.5) / 32, np.arange(5) / 2 - 1
    growth = np.log1p(bets[None, :] * above[:, None])

    def sure(some: Figures) -> Figures:
        logs = some @ growth
        largest = logs.max(1)
        return largest + np.log(np.exp(logs - largest[:, None]).mean(1)) >= math.log(40)

    up, down = sure(counts), sure(counts[:, ::-1])
    if bool(up[0]) != surely_above(counts[0].tolist(), 0.5):
        raise ArithmeticError("the simulated test is not the package's")
    return up.astype(int) - down.astype(int)


def lead_of(score: float) -> float:
    return 400 * math.log10(score / (1 - score))


def sprt_tables(runs: int, seed: int, most: int = 60_000) -> str:
    """Return the errors by share of differing deals, and by hypotheses with two independent games a deal."""
    ways = ((normal_llr, True), (capital_llr, False))
    rows = []
    for share in SHARES:
        row = [f"{100 * share:g} %"]
        for lead in (share / 4, share / 8):  # every deal that differs is a gain, or three of four are
            elo1 = lead_of(0.5 + lead)
            for ratio, ties in ways:
                decide = sprt(ratio, 0, elo1, ties_decide=ties)
                _, wrong, deals = decisions(decide, scores_of(share, lead), runs, seed, most)
                more, _, _ = decisions(decide, scores_of(share, 0), runs, seed + 1, most)
                row += [f"{more:.1f}", f"{wrong:.1f}"] + ([f"{deals:,.0f}"] if not ties else [])
        up, down, _ = decisions(until_sure, scores_of(share, 0), runs, seed, 5000)
        rows.append([*row, f"{up + down:.1f}"])
    heads = ["deals that differ"]
    for gain in ("all gains", "3 of 4 gains"):
        heads += [f"{gain}: before type I", "type II", "now type I", "type II", "deals"]
    by_share = markdown_table([*heads, "`--until-sure`"], rows).rstrip()
    rows = []
    for elo0, elo1 in HYPOTHESES:
        row = [f"{elo0},{elo1}"]
        for ratio, ties in ways:
            decide = sprt(ratio, elo0, elo1, ties_decide=ties)
            more, _, first = decisions(decide, independent(score_of_elo(elo0)), runs, seed, most)
            _, wrong, second = decisions(decide, independent(score_of_elo(elo1)), runs, seed + 1, most)
            row += [f"{more:.1f}", f"{wrong:.1f}", f"{(first + second) / 2:,.0f}"]
        rows.append(row)
    heads = ["`--sprt`", "before type I", "type II", "deals", "now type I", "type II", "deals"]
    return f"{by_share}\n\n{markdown_table(heads, rows).rstrip()}"


def proportional(points: Figures, size: int, rng: np.random.Generator) -> Figures:
    """Draw fools with chances in proportion to 10^(-r/400)."""
    return (rng.gumbel(size=(size, len(points))) - points * math.log(10) / 400).argmax(1)


def thurstone(points: Figures, size: int, rng: np.random.Generator) -> Figures:
    """Draw fools as the worst of normal performances (Thurstone 1927), with Elo's slope at two seats."""
    spread = 400 * math.sqrt(8 / math.pi) / math.log(10) / math.sqrt(2)
    return (rng.normal(size=(size, len(points))) * spread + points).argmin(1)


Generator: TypeAlias = Callable[[Figures, int, np.random.Generator], Figures]
GENERATORS: Final[dict[str, Generator]] = {"proportional": proportional, "Thurstone": thurstone}


def rating_table(runs: int, seed: int, games: int = 840) -> str:
    """Return spread, order and coverage of tournaments' ratings by seats, from as many games a player."""
    rows = []
    truth = np.array(STRENGTHS)
    for (name, draw), seats in product(GENERATORS.items(), SEATS):
        tables = list(combinations(range(len(truth)), seats))
        each = games * len(truth) // seats // len(tables)
        rng, points, widths, covered, ordered = np.random.default_rng(seed), [], [], 0, 0
        for _ in range(runs):
            deals = [[(table, int(fool))] for table in tables for fool in draw(truth[list(table)], each, rng)]
            found = fool_ratings(len(truth), deals)
            if found is None:
                raise ArithmeticError("players are not connected")
            points.append([one.points for one in found.ratings])
            widths.append([one.high - one.low for one in found.ratings])
            covered += sum(
                one.low <= true <= one.high for one, true in zip(found.ratings, STRENGTHS, strict=True)
            )
            ordered += points[-1] == sorted(points[-1])
        mean = np.mean(points, axis=0)
        rows.append(
            [
                name,
                str(seats),
                f"{mean[-1] - mean[0]:.0f}",
                f"{100 * ordered / runs:.0f} %",
                f"{100 * covered / runs / len(truth):.1f} %",
                f"±{np.mean(widths) / 2:.0f}",
            ]
        )
    heads = ["generator", "seats", f"spread (true {STRENGTHS[-1] - STRENGTHS[0]:.0f})", "all in order"]
    return markdown_table([*heads, "coverage", "interval"], rows).rstrip()


def player_table(runs: int, seed: int, games: int = 200) -> str:
    """Return how the app rates a player of 1,000 points against the opponents, by seats."""
    rows = []
    for seats in SEATS:
        rng = np.random.default_rng(seed)
        found = []
        for _ in range(runs):
            standing = Standing()
            for _ in range(games):
                others: list[Opponent] = [
                    OPPONENTS[at] for at in rng.permutation(len(OPPONENTS))[: seats - 1]
                ]
                points = np.array([1000.0, *[one.rating for one in others]])
                fool = int(proportional(points, 1, rng)[0])
                standing = standing.after(others, fool - 1 if fool else None, lost=fool == 0)
            found.append((standing.points, standing.deviation))
        points, deviations = np.array(found).T
        inside = np.abs(points - 1000) <= Z95 * deviations
        rows.append(
            [
                str(seats),
                f"{points.mean():.0f}",
                f"{points.std():.0f}",
                f"{deviations.mean():.0f}",
                f"{100 * inside.mean():.0f} %",
            ]
        )
    heads = ["seats", "mean rating (true 1000)", "spread", "mean deviation", "coverage"]
    return markdown_table(heads, rows).rstrip()


PAIRS: Final = (
    *("expert greedy", "dmc expert", "dmc greedy", "dmc ppo", "aggressive cautious", "expert moderate"),
    *("greedy smart", "dmc level:viktor"),
)
"""Pairs of agents whose duplicate deals are shown."""


def duplicates_table(path: Path, least_games: int = 10_000) -> str:
    """Return the share of games that duplicate deals saved, by pair and seed, in an experiment."""
    found: dict[str, dict[int, MatchTally]] = {}
    for result in ResultsFile.load(path).by_key.values():
        settings = result.settings
        if settings.get("games", 0) >= least_games and settings["rules"] == "podkidnoy":
            players = " ".join(settings["players"])
            if (counted := result.tally_again()) is not None:
                found.setdefault(players, {})[settings["seed"]] = counted
    seeds = sorted({seed for by_seed in found.values() for seed in by_seed})

    def saved(counted: MatchTally | None) -> str:
        ratio = math.nan if counted is None else counted.variance_ratio
        return "" if math.isnan(ratio) else f"{100 * (1 - ratio):.0f} %"

    rows = [
        [
            ", ".join(f"`{player}`" for player in pair.split()),
            *[saved(found[pair].get(seed)) for seed in seeds],
        ]
        for pair in PAIRS
        if pair in found
    ]
    medians = []
    for seed in seeds:
        ratios = [by_seed[seed].variance_ratio for by_seed in found.values() if seed in by_seed]
        medians.append(f"{100 * (1 - median(one for one in ratios if not math.isnan(one))):.0f} %")
    rows.append([f"median of {len(found)} pairs", *medians])
    return markdown_table(["match", *[f"saved ({seed})" for seed in seeds]], rows).rstrip()


def tables(runs: int, seed: int) -> Iterator[tuple[str, str]]:
    """Yield the name and text of each table."""
    before, after = [list(cells(way, runs, seed)) for way in (normal_interval, printed_interval)]
    yield "coverage", coverage_table(before, after)
    yield "possible", possible_table(after)
    yield "sprt", sprt_tables(runs, seed)
    yield "ratings", rating_table(max(1, runs // 50), seed)
    yield "player", player_table(max(1, runs // 50), seed)


@with_exit_codes("nothing is written")
def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables, and write them into a document if one is named."""
    parser = argparse.ArgumentParser(
        prog="python3 -m benchmarks.coverage", description=__doc__.splitlines()[0] if __doc__ else None
    )
    parser.add_argument(
        "--runs", type=int, default=10_000, help="runs a cell; a fiftieth of them for ratings"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cells", action="store_true", help="only print every cell of the intervals")
    parser.add_argument("--results", type=Path, help="results of an experiment with matches of 10,000 games")
    parser.add_argument("--document", type=Path, help="write the tables there")
    given = parser.parse_args(arguments)
    if given.cells:
        for cell in cells(printed_interval, given.runs, given.seed):
            print(
                f"{cell.deals:5} {cell.score:.3f} {cell.correlation:+.3f}: {cell.coverage:5.1f} "
                f"({cell.below:.1f} below, {cell.above:.1f} above)"
                f"{'' if cell.is_right else ' outside'}"
            )
        return
    written = [("duplicates", duplicates_table(given.results))] if given.results else None
    for name, text in written or tables(given.runs, given.seed):
        print(f"{text}\n", flush=True)
        if given.document:
            put_into(given.document, name, text)


if __name__ == "__main__":
    sys.exit(main())
