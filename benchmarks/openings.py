"""Time until a review opens with sure marks: until all of the viewer's moves have theirs.

python3 -m benchmarks.openings [--games 10] [--seats 2] [--milliseconds 300] [--seed N]

Bots play games, which are reviewed as in the app, by its engine, one after the other. The viewer is Tanya,
and the engine has its compiled code. The printed load tells a busy machine.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from collections.abc import Sequence
from statistics import median
from time import perf_counter
from typing import Final

from benchmarks.exits import with_exit_codes
from benchmarks.figures import HELD_OUT, check_numbers
from durak_core import Record, Rules, make_agent
from durak_core.errors import EngineError
from durak_core.kernel.position import derive
from durak_core.lab import play_game
from durak_core.lab.experiments.results import commit
from durak_core.lab.workers import cores
from durak_tui.engine import Engine, engine_command, processors
from durak_tui.review.model import Reviewer, ReviewGame

_PLAYERS: Final = ("level:tanya", "level:boris", "level:misha", "level:olga", "level:boris", "level:misha")


async def seconds_of(record: Record, engine: Engine, milliseconds: int) -> float:
    """Review a game until the viewer's marks are sure."""
    game = ReviewGame(record, viewer=0)
    is_sure = asyncio.Event()

    def look() -> None:
        if reviewer.problem or game.is_settled(game.viewer):
            is_sure.set()

    reviewer = Reviewer(game, engine, look, milliseconds)
    began = perf_counter()
    reviewer.start()
    await is_sure.wait()
    waited = perf_counter() - began
    await reviewer.close()
    if reviewer.problem:
        raise EngineError(str(reviewer.problem))
    return waited


async def measure(records: Sequence[Record], milliseconds: int) -> list[float]:
    engine = Engine(engine_command(), processors())
    try:
        await seconds_of(records[0], engine, 8)  # loads the compiled code
        return [await seconds_of(record, engine, milliseconds) for record in records]
    finally:
        await engine.close()


@with_exit_codes("nothing is written")
def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print, and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python3 -m benchmarks.openings", description=__doc__.splitlines()[0] if __doc__ else None
    )
    parser.add_argument("--games", type=int, default=10)
    parser.add_argument("--seats", type=int, default=2)
    parser.add_argument("--milliseconds", type=int, default=300, help="the review's time for a move")
    parser.add_argument("--seed", type=int, default=HELD_OUT + 54)
    given = parser.parse_args(arguments)
    check_numbers([given.games], [given.milliseconds])
    rules = Rules(seats=given.seats)
    records = [
        play_game(
            rules, [make_agent(text) for text in _PLAYERS[: given.seats]], derive(given.seed, number)
        ).record
        for number in range(given.games)
    ]
    found = asyncio.run(measure(records, given.milliseconds))
    load = ", ".join(f"{one:.0f}" for one in os.getloadavg())
    print(
        f"{given.seats} seats: median {median(found):.1f} s, longest {max(found):.1f} s, {given.games} games."
    )
    print(
        f"Commit `{commit()}`, seed {given.seed}, {given.milliseconds} ms a move, {cores()} cores,"
        f" load {load}."
    )


if __name__ == "__main__":
    sys.exit(main())
