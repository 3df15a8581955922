"""Behaviour of the temperaments: what they do in a game, and their scores against greedy.

python3 -m benchmarks.temperaments [--games 2000] [--seed 2000000113] [--jobs 2] [--document FILE]

Every deal is played from both seats against `greedy`, and only the temperament's actions are counted.
Intervals are 95 % intervals over deals. All randomness comes from the seed; the number of processes changes
nothing.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from benchmarks.exits import with_exit_codes
from benchmarks.figures import HELD_OUT, check_numbers, estimate, scores_by_deal
from benchmarks.speed_plain import commit
from durak_core import Rules, State
from durak_core.game.events import Attacked, BoutBegan, Defended, Drew, TookUp, Transferred
from durak_core.lab import Match, play_match
from durak_core.lab.experiments.report import put_into
from durak_core.lab.workers import run_in_order

PLAYERS: Final = ("aggressive", "moderate", "cautious", "expert", "greedy", "smart", "random")
RULES: Final = ("podkidnoy", "perevodnoy")
OPPONENT: Final = "greedy"
CHUNK: Final = 50
"""Games that a process is given at once, an even number."""


@dataclass(frozen=True)
class Habits:
    """What a player did in a game.

    Attributes:
        trumps: Trumps played while cards were left in the talon.
        takes: Bouts taken.
        throw_ins: Attack cards after the first of a bout, piled on ones included.
        transfers: Attacks passed on with a card.
    """

    trumps: int
    takes: int
    throw_ins: int
    transfers: int


def habits(state: State, seat: int) -> Habits:
    """Count what a seat did in a finished game."""
    trump = state.trump_suit
    talon = state.rules.deck_size - state.rules.seats * state.rules.hand_size
    counts = dict.fromkeys(("trumps", "takes", "throw_ins", "transfers"), 0)
    opened = False
    for event in state.events:
        match event:
            case BoutBegan():
                opened = False
            case Drew(_, count, _, _):
                talon -= count
            case TookUp(acting):
                counts["takes"] += acting == seat
            case Attacked(acting, card) | Defended(acting, card, _) | Transferred(acting, card, _):
                mine = acting == seat
                counts["trumps"] += mine and talon > 0 and card.suit == trump
                counts["transfers"] += mine and isinstance(event, Transferred)
                counts["throw_ins"] += mine and opened and isinstance(event, Attacked)
                opened = True
            case _:
                pass
    return Habits(**counts)


def habits_by_deal(match: Match, first: int, games: int) -> list[tuple[float, ...]]:
    """Return the first agent's mean counts for some deals of a match."""
    found = [
        tuple(asdict(habits(game.state, game.seating.index(0))).values())
        for game in play_match(match, games=range(first, first + games))
    ]
    pairs = zip(found[::2], found[1::2], strict=True)
    return [tuple([(a + b) / 2 for a, b in zip(*pair, strict=True)]) for pair in pairs]


def measure(games: int, seed: int, jobs: int) -> str:
    """Return the table as Markdown."""
    lines = [
        "| rules | player | trumps before the talon ends | takes | throw-ins | transfers | score |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for text in RULES:
        for player in PLAYERS:
            match = Match(Rules.parse(text), (player, OPPONENT), games, seed)
            tasks = ((match, first, min(CHUNK, games - first)) for first in range(0, games, CHUNK))
            with closing(run_in_order(habits_by_deal, tasks, jobs)) as chunks:
                deals = [deal for chunk in chunks for deal in chunk]
            cells = [str(estimate(column)) for column in zip(*deals, strict=True)]
            cells.append(str(estimate(scores_by_deal(match, jobs))))
            lines.append(f"| {text} | {player} | {' | '.join(cells)} |")
    origin = f"Commit `{commit()}`, seed {seed}, {games:,} games for each row."
    return "\n".join([f"**In a game against `{OPPONENT}`.**", "", *lines, "", origin])


@with_exit_codes()
def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print, write, and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python3 -m benchmarks.temperaments", description=__doc__.splitlines()[0] if __doc__ else None
    )
    parser.add_argument("--games", type=int, default=2000, help="for each row, an even number")
    parser.add_argument("--seed", type=int, default=HELD_OUT * 2 + 113)
    parser.add_argument("--jobs", type=int, default=1, help="processes at once")
    parser.add_argument("--document", type=Path, help="write the table there, at <!-- table: habits -->")
    given = parser.parse_args(arguments)
    check_numbers((given.games,), (given.jobs,))
    text = measure(given.games, given.seed, given.jobs)
    print(text)
    if given.document:
        put_into(given.document, "habits", text)


if __name__ == "__main__":
    sys.exit(main())
