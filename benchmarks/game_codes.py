"""The length of game codes, and the time to write and read them.

python3 -m benchmarks.game_codes [--games 100] [--seed 1] [--document docs/experiments/game-codes.md]

Each game has a deal of its own, with a small seed as the app draws them. Players change seats.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from time import process_time
from typing import Final

from benchmarks.exits import with_exit_codes
from benchmarks.figures import check_numbers
from durak_core import Record, Rules, make_agent, read_game_code, write_game_code
from durak_core.lab import play_game
from durak_core.lab.experiments.report import markdown_table, put_into
from durak_core.lab.experiments.results import commit

PLAYERS: Final = {
    "Viktor, Olga, Boris, Tanya, Misha": ("viktor", "olga", "boris", "tanya", "misha"),
    "`smart`": ("smart",),
    "`random`": ("random",),
}
PRESETS: Final = ("podkidnoy", "perevodnoy")
SEATS: Final = (2, 4, 6)
GOAL: Final = 60


def records(preset: str, seats: int, names: Sequence[str], games: int, seed: int) -> Iterator[Record]:
    """Play games of these players in turns."""
    for number in range(games):
        specs = [names[(number + seat) % len(names)] for seat in range(seats)]
        texts = [spec if spec in {"smart", "random"} else f"level:{spec}" for spec in specs]
        result = play_game(Rules.preset(preset, seats=seats), [*map(make_agent, texts)], seed + number)
        yield Record.of(result.state, tuple(texts))


def measured(games: int, seed: int) -> tuple[str, str]:
    """Return the table of lengths, and a sentence about the time."""
    rows = []
    spent = {"write": 0.0, "read": 0.0}
    count = 0
    for players, names in PLAYERS.items():
        for preset in PRESETS:
            row = [f"{players}: {preset}"]
            for seats in SEATS:
                lengths = []
                for record in records(preset, seats, names, games, seed):
                    start = process_time()
                    code = write_game_code(record)
                    spent["write"] += process_time() - start
                    start = process_time()
                    read_game_code(code)
                    spent["read"] += process_time() - start
                    lengths.append(len(code))
                count += games
                over = sum(length > GOAL for length in lengths)
                row.append(f"{median(lengths):g}, at most {max(lengths)}, {over} over {GOAL}")
            rows.append(row)
            print(*row, sep="; ", flush=True)
    table = markdown_table(("players", *(f"{seats} seats" for seats in SEATS)), rows)
    took = ", ".join(f"{1000 * time / count:.1f} ms to {what}" for what, time in spent.items())
    return table, took


@with_exit_codes()
def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print, write, and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python3 -m benchmarks.game_codes", description=__doc__.splitlines()[0] if __doc__ else None
    )
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--document", type=Path, help="write the table there, at <!-- table: lengths -->")
    given = parser.parse_args(arguments)
    check_numbers((), (given.games,))
    table, took = measured(given.games, given.seed)
    print(f"a code takes {took}")
    origin = f"Commit `{commit()}`, seed {given.seed}, {given.games:,} games for each entry."
    if given.document:
        put_into(given.document, "lengths", f"{table}\n{origin}")


if __name__ == "__main__":
    sys.exit(main())
