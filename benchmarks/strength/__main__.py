"""Play the ladder's matches that have not been played, and write the tables of docs/strength.md.

python3 -m benchmarks.strength [--jobs 2] [--only TABLE] [--games N] [--render] [--list]

Every finished match is kept at once, so that the work can be interrupted and goes on where it was. A
match with the same players, rules, games and seed is not played again, whatever the commit; delete its
entry, or give another results file, to play it anew.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from time import perf_counter
from typing import Final

from benchmarks.exits import with_exit_codes
from benchmarks.strength.manifest import Table, all_entries, read_manifest
from benchmarks.strength.results import load_results
from benchmarks.strength.tables import render, render_into
from durak_core import MatchTally, play_parallel
from durak_core.arena import tally_json
from durak_core.arena.experiments.entries import Entry
from durak_core.arena.experiments.provenance import commit, processor
from durak_core.arena.experiments.results import Result, Results
from durak_core.arena.workers.pool import cores
from durak_core.config import ConfigError

HERE: Final = Path(__file__).parent
DOCUMENT: Final = HERE.parents[1] / "docs" / "strength.md"
SHOWN_SECONDS: Final = 20.0
"""Between two lines about a match that is being played."""


def play_entry(entry: Entry, jobs: int) -> Result:
    """Play a match and return its result; now and then print how far it is."""
    counted = MatchTally.of(entry.match)
    began = shown = perf_counter()
    with closing(play_parallel(entry.match, jobs)) as games:
        for game in games:
            counted.add(game)
            if perf_counter() - shown > SHOWN_SECONDS:
                shown = perf_counter()
                print(f"    {counted.games} games, {counted.agents[0].score:.3f}", flush=True)
    seconds = perf_counter() - began
    return Result(entry.settings, commit(), processor(), jobs, round(seconds, 1), tally_json(counted))


def play_all(entries: Sequence[Entry], results: Results, jobs: int) -> None:
    """Play what has no result yet, and keep each result as soon as it is there."""
    missing = [entry for entry in entries if results.get(entry) is None]
    print(f"{len(entries)} matches, {len(entries) - len(missing)} of them played before", flush=True)
    for number, entry in enumerate(missing, 1):
        print(f"{number}/{len(missing)}  {' '.join(entry.players)}  {entry.rules}", flush=True)
        result = play_entry(entry, jobs)
        results.add(entry, result)
        first = result.tally["agents"][0]
        times = ", ".join(f"{agent['milliseconds_a_move']:.3g} ms" for agent in result.tally["agents"][:2])
        low, high = first["interval"]
        print(
            f"    {first['score']:.3f} ({low:.3f} to {high:.3f}), {times}, {result.seconds:.0f} s", flush=True
        )


def chosen(tables: Sequence[Table], names: Sequence[str] | None) -> tuple[Table, ...]:
    """Return the tables of these names, or all.

    Raises:
        ConfigError: If there is no such table.
    """
    known = {table.name: table for table in tables}
    for name in names or ():
        if name not in known:
            raise ConfigError(f"there is no table {name!r}; there are {', '.join(known)}")
    return tuple([table for table in tables if not names or table.name in names])


def parser() -> argparse.ArgumentParser:
    """Return the command line."""
    made = argparse.ArgumentParser(
        prog="python3 -m benchmarks.strength", description=__doc__.splitlines()[0] if __doc__ else None
    )
    made.add_argument("--ladder", type=Path, default=HERE / "ladder.toml", help="what is to be played")
    made.add_argument("--results", type=Path, default=HERE / "results.json", help="where results are kept")
    made.add_argument("--document", type=Path, default=DOCUMENT, help="where the tables stand")
    made.add_argument("--jobs", type=int, default=1, help="processes at once, 0 for one each core")
    made.add_argument("--only", action="append", metavar="TABLE", help="of all tables only this; repeatable")
    made.add_argument("--games", type=int, help="games of each match instead of the ladder's, for a trial")
    made.add_argument("--render", action="store_true", help="play nothing, only write the tables")
    made.add_argument("--list", action="store_true", help="play nothing, print the tables as they are")
    return made


@with_exit_codes("finished matches are kept, and the next run goes on from there")
def main(arguments: Sequence[str] | None = None) -> None:
    """Do what the command line says and return the exit code."""
    given = parser().parse_args(arguments)
    if given.jobs < 0 or (given.games is not None and given.games < 1):
        raise ConfigError("expected --jobs of 0 or more, and --games of 1 or more")
    tables = chosen(read_manifest(given.ladder, given.games), given.only)
    results = load_results(given.results)
    if given.list:
        print("\n\n".join(render(table, results) for table in tables))
        return
    if not given.render:
        play_all(all_entries(tables), results, given.jobs or cores())
    render_into(given.document, tables, results)
    print(f"tables written to {given.document}")


if __name__ == "__main__":
    sys.exit(main())
