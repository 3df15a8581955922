"""Value of a dealt card and of attacking first, and how much of a game the deal decides.

python3 -m benchmarks.luck [--games 60000] [--seed 2000000701] [--jobs 2] [--document FILE]

One agent plays on all seats, each game with its own deal. A linear regression estimates what the first hands
and the first attack add to the probability of not being the fool. Its inputs are the number of cards of each
rank that a seat was dealt, trumps separately, and whether it attacked first. All seats of a game are one
cluster, so that 95 % intervals allow for their dependence (Liang and Zeger, "Longitudinal data analysis using
generalized linear models", Biometrika 73, 1986). All hands have the same size, so a card's value is relative
to the average card of the deck.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from benchmarks.exits import with_exit_codes
from benchmarks.figures import HELD_OUT, Estimate, check_numbers
from durak_core import Rank, Rules, State
from durak_core.lab import SoloMatch, play_matches
from durak_core.lab.experiments.report import put_into
from durak_core.lab.experiments.results import commit

CARDS: Final = (("dmc", 2), ("dmc", 3), ("dmc", 4), ("dmc", 5))
"""Who plays, and with how many seats, for the table of cards; with 36 cards."""
DECKS: Final = (
    (24, "lowest_rank=9", (2, 3)),
    (36, "", (2, 3, 4)),
    (52, "lowest_rank=2", (2, 3, 4)),
)
"""Cards, options of the rules, and seats; with all cards dealt, the lowest trump is the first attack."""
PLAYER: Final = "expert"
"""Who plays for the table of decks."""


@dataclass(frozen=True)
class Worth:
    """What a regression has told.

    Attributes:
        cards: Value of a card by rank, plain and as a trump, relative to the mean card; 0 to 1.
        trump: Value of a trump relative to a plain card of the same rank, the mean of all ranks.
        first: Value of attacking first.
        decided: The share of the variance of results that first hands and first attack explain.
    """

    cards: dict[tuple[Rank, bool], Estimate]
    trump: Estimate
    first: Estimate
    decided: float


def measure(rules: Rules, player: str, games: int, seed: int, jobs: int) -> Worth:
    """Play games of one agent on all seats, and estimate the values of its cards."""
    match = SoloMatch(rules, (player,), games, seed)
    ranks = sorted({card.rank for card in rules.deck})
    inputs = np.zeros((games, rules.seats, 2 * len(ranks) + 1))
    results = np.zeros((games, rules.seats))
    with closing(play_matches([match], jobs)) as played:
        for _, game in played:
            dealt = State.deal(rules, match.deal_seed(game.number))
            for seat, hand in enumerate(dealt.hands):
                for card in hand:
                    place = 2 * ranks.index(card.rank) + (card.suit == dealt.trump_suit)
                    inputs[game.number, seat, place] += 1
            inputs[game.number, game.first_attacker, -1] = 1
            results[game.number] = 1 if game.fool is not None else 1 - 1 / rules.seats
            if game.fool is not None:
                results[game.number, game.fool] = 0
    return _regression(inputs, results, ranks)


def _regression(inputs: Any, results: Any, ranks: Sequence[Rank]) -> Worth:  # noqa: ANN401 - arrays
    products = np.einsum("gsi,gsj->ij", inputs, inputs)
    weights = np.linalg.solve(products, np.einsum("gsi,gs->i", inputs, results))
    wrong = results - inputs @ weights
    scores = np.einsum("gsi,gs->gi", inputs, wrong)
    inverse = np.linalg.inv(products)
    spread = inverse @ (scores.T @ scores) @ inverse

    def told(direction: Any) -> Estimate:  # noqa: ANN401 - an array
        return Estimate(float(direction @ weights), float(1.96 * np.sqrt(direction @ spread @ direction)))

    unit = np.eye(len(weights))
    mean = np.zeros(len(weights))
    mean[0:-1:2], mean[1:-1:2] = 3, 1
    mean /= mean.sum()
    cards = {
        (rank, is_trump): told(unit[2 * place + is_trump] - mean)
        for place, rank in enumerate(ranks)
        for is_trump in (False, True)
    }
    trump = (unit[1:-1:2].sum(0) - unit[0:-1:2].sum(0)) / len(ranks)
    decided = 1 - float((wrong**2).sum() / ((results - results.mean()) ** 2).sum())
    return Worth(cards, told(trump), told(unit[-1]), decided)


def points(one: Estimate) -> str:
    return f"{100 * one.mean:+.1f} ± {100 * one.half:.1f}"


def table_of_cards(games: int, seed: int, jobs: int) -> str:
    """Return each card's value, by seats, as Markdown."""
    found = [measure(Rules(seats=seats), player, games, seed, jobs) for player, seats in CARDS]
    heads = [f"{kind}, {seats} seats" for _, seats in CARDS for kind in ("plain", "trump")]
    lines = [f"| card | {' | '.join(heads)} |", f"| --- | {'---: | ' * len(heads)}".rstrip()]
    for rank in sorted({rank for rank, _ in found[0].cards}, reverse=True):
        cells = [points(one.cards[rank, is_trump]) for one in found for is_trump in (False, True)]
        lines.append(f"| {rank.letter} | {' | '.join(cells)} |")
    first = [cell for one in found for cell in (points(one.first), "")]
    lines.append(f"| attacking first | {' | '.join(first)} |")
    return "\n".join(["**Value of a card of the first hand, 36 cards, `dmc` on all seats.**", "", *lines])


def table_of_decks(games: int, seed: int, jobs: int) -> str:
    """Return what matters by deck and seats, as Markdown."""
    lines = [
        "| cards | seats | a trump more | highest plain card | lowest | attacking first | by the deal |",
        "| ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for size, options, numbers in DECKS:
        for seats in numbers:
            text = ",".join(filter(None, (f"podkidnoy:seats={seats}", options)))
            one = measure(Rules.parse(text), PLAYER, games, seed, jobs)
            plain = [rank for rank, is_trump in one.cards if not is_trump]
            cells = (one.trump, one.cards[max(plain), False], one.cards[min(plain), False], one.first)
            lines.append(
                f"| {size} | {seats} | {' | '.join(map(points, cells))} | {100 * one.decided:.1f} % |"
            )
    return "\n".join([f"**By deck and seats, `{PLAYER}` on all seats.**", "", *lines])


@with_exit_codes()
def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print, write, and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python3 -m benchmarks.luck", description=__doc__.splitlines()[0] if __doc__ else None
    )
    parser.add_argument("--games", type=int, default=60_000)
    parser.add_argument("--seed", type=int, default=HELD_OUT * 2 + 701)
    parser.add_argument("--jobs", type=int, default=1, help="processes at once")
    parser.add_argument(
        "--document", type=Path, help="write the tables there, at <!-- table: cards --> and decks"
    )
    given = parser.parse_args(arguments)
    check_numbers((), (given.games, given.jobs))
    origin = f"Commit `{commit()}`, seed {given.seed}, {given.games:,} games for each column or row."
    for name, table in (("cards", table_of_cards), ("decks", table_of_decks)):
        text = f"{table(given.games, given.seed, given.jobs)}\n\n{origin}"
        print(text, end="\n\n")
        if given.document:
            put_into(given.document, name, text)


if __name__ == "__main__":
    sys.exit(main())
