"""Ablation of the rule book: each variant against greedy and against the whole rule book.

python3 benchmarks/expert_ablation.py [--games 100000] [--seed 20262]

Prints Markdown. Matches play duplicate deals; intervals are 95 % intervals over deals. Interpreted, this
takes hours.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from math import sqrt
from typing import Final

from durak_core import Rules
from durak_core.lab import Match
from durak_core.lab.experiments.results import commit
from durak_core.lab.matches.compiled_games import CompiledGames, LineUp
from durak_core.search.backend.backend import backend
from durak_core.search.players import TEMPERED, Player
from durak_core.search.policies import expert
from durak_core.search.policies.expert import N_COLUMNS, N_ROWS, N_TIMES, WEIGHTS
from durak_core.search.policies.playouts import POLICIES

NEVER: Final = 1 << 18
"""A cost that no other reaches."""

STRENGTHS: Final = (
    "podkidnoy",
    "perevodnoy",
    "zarlykov",
    "podkidnoy:lowest_rank=2",
    "podkidnoy:seats=3",
    "podkidnoy:seats=4",
    "podkidnoy:seats=6",
    "perevodnoy:seats=4",
)
"""Rules under which the whole rule book is measured."""

Change = Callable[[list[list[int]]], None]
"""Changes a list of columns of weights in place."""


def put(*rows: int, value: int = 0) -> Change:
    """Return a change that writes a value into some rows of all columns."""

    def change(columns: list[list[int]]) -> None:
        for column in columns:
            for row in rows:
                column[row] = value

    return change


def plain_trumps(columns: list[list[int]]) -> None:
    """Give trumps the costs of other cards."""
    for column in columns:
        column[expert.TRUMP], column[expert.TRUMP_STEP] = 0, expert.STEP


def one_limit(columns: list[list[int]]) -> None:
    """Pile on as freely as cards are thrown in."""
    for column in columns:
        column[expert.PILE_ON_LIMIT] = column[expert.THROW_IN_LIMIT]


def one_time(columns: list[list[int]]) -> None:
    """Give all times of the game the weights of their mean."""
    for group in (columns[:N_TIMES], columns[N_TIMES:]):
        means = [round(sum(values) / N_TIMES) for values in zip(*group, strict=True)]
        for column in group:
            column[:] = means


INGREDIENTS: Final[dict[str, Change]] = {
    "trump surcharge": plain_trumps,
    "surcharge for trump attacks": put(expert.TRUMP_ATTACK),
    "pairs when attacking": put(expert.MATE),
    "unbeatable cards when attacking": put(expert.SAFE),
    "limit for throwing in": put(expert.THROW_IN_LIMIT, value=NEVER),
    "limit for piling on": one_limit,
    "new ranks when beating": put(expert.FRESH),
    "pairs when beating": put(expert.SPLIT),
    "taking on purpose": put(expert.TAKE, value=NEVER),
    "table cards when taking": put(expert.TAKE_PLAIN, expert.TAKE_TRUMP),
    "cost of transferring": put(expert.TRANSFER),
    "weights by stage": one_time,
}
"""The removed parts, and their changes."""


@dataclass(frozen=True)
class Figure:
    """A mean with half its 95 % interval."""

    mean: float
    half: float

    def __str__(self) -> str:
        return f"{self.mean:.3f} ± {self.half:.3f}"


def measure(match: Match, players: LineUp) -> Figure:
    """Return the first player's score with two seats, or its loss rate with more."""
    seats = match.rules.seats
    figures = CompiledGames(match, players, backend("players")).play(range(match.games))
    means: list[float] = []
    while deal := list(islice(figures, seats)):
        lost = sum(row.fool == number % seats for number, row in enumerate(deal))
        drawn = sum(row.fool is None for row in deal)
        means.append((seats - lost - drawn / 2 if seats == 2 else lost) / seats)
    mean = sum(means) / len(means)
    variance = sum((value - mean) ** 2 for value in means) / (len(means) - 1)
    return Figure(mean, 1.96 * sqrt(variance / len(means)))


def without(change: Change) -> list[int]:
    """Return the weights after a change."""
    columns = [list(WEIGHTS[column * N_ROWS : (column + 1) * N_ROWS]) for column in range(N_COLUMNS)]
    change(columns)
    return list(chain.from_iterable(columns))


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure everything and print it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--games", type=int, default=100_000, help="for each figure")
    parser.add_argument("--seed", type=int, default=20_262, help="not one of those it was tuned with")
    given = parser.parse_args(arguments)

    def figure(text: str, second: str, weights: Sequence[int] | None) -> Figure:
        rules = Rules.parse(text)
        games = given.games // rules.seats * rules.seats
        texts = ("expert", *[second] * (rules.seats - 1))
        judged = Player(TEMPERED, weights=list(weights or WEIGHTS))
        others = [Player(POLICIES[text]) for text in texts[1:]]
        return measure(
            Match(rules, texts, games, given.seed), [(player, None) for player in (judged, *others)]
        )

    print(f"Commit {commit()}, seed {given.seed}, {given.games:,} games for each figure.\n")
    print("| rules | seats | expert's score against greedy | loss rate | par |")
    print("| --- | --- | --- | --- | --- |")
    for text in STRENGTHS:
        seats = Rules.parse(text).seats
        value = figure(text, "greedy", None)
        cells = f"{value} | | " if seats == 2 else f"| {value} | {1 / seats:.3f} "
        print(f"| `{text}` | {seats} | {cells}|")
    print("\n| removed part | against greedy | against the whole expert | the same, perevodnoy |")
    print("| --- | --- | --- | --- |")
    for name, change in INGREDIENTS.items():
        weights = without(change)
        values = (
            figure("podkidnoy", "greedy", weights),
            figure("podkidnoy", "expert", weights),
            figure("perevodnoy", "expert", weights),
        )
        print(f"| {name} | " + " | ".join(map(str, values)) + " |")


if __name__ == "__main__":
    main()
