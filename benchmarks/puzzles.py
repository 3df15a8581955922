"""Share of the shipped puzzles that players solve.

python3 -m benchmarks.puzzles [--every 1] [--games N] [--seed 1] [--jobs 2] [--document FILE]

Each player tries each puzzle once and has to find every move of its solution. With ``--games`` the puzzles
come from N other games of each preset and have any rating; the shipped ones were selected by rating, and so
by who solves them. All randomness comes from the seed; the number of processes changes nothing.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Final

from benchmarks.exits import with_exit_codes
from benchmarks.figures import HELD_OUT, check_numbers
from durak_core import Rules, make_agent
from durak_core.agents.personas import OPPONENTS, opponent_of
from durak_core.kernel.position import derive
from durak_core.lab.experiments.report import markdown_table, put_into
from durak_core.lab.experiments.results import commit
from durak_core.lab.matches.players import load_compiled
from durak_core.lab.workers import cores, run_in_order
from durak_core.puzzles.finding import find_puzzles
from durak_core.puzzles.grading import solves
from durak_core.puzzles.puzzle import Puzzle, read_collection
from durak_core.puzzles.solution import Solutions
from durak_core.search.backend.backend import backend
from durak_core.statistics import Share

_SIX: Final = tuple([one.text for one in OPPONENTS])
PLAYERS: Final = ("random", *_SIX[:3], "greedy", _SIX[3], "expert", *_SIX[4:])
"""By their strength in games, the weakest first."""


def shipped(every: int) -> list[Puzzle]:
    """Return every so many-th puzzle of this package."""
    collection = read_collection()
    return [collection.puzzle(number) for number in range(1, len(collection) + 1, every)]


def found(games: int, seed: int, jobs: int) -> list[Puzzle]:
    """Return all puzzles of so many games of each preset, whatever their rating."""
    puzzles: list[Puzzle] = []
    run = partial(run_in_order, jobs=jobs)
    for preset in ("podkidnoy", "perevodnoy"):
        with closing(find_puzzles(Rules.preset(preset), range(seed, seed + games), puzzles, run)) as search:
            puzzles += [puzzle for puzzle in search if puzzle is not None]
    return puzzles


def tried(puzzle: Puzzle, seed: int) -> list[bool]:
    """Let all players try a puzzle."""
    solutions = Solutions(backend("search"))
    return [
        solves(make_agent(text), puzzle, solutions, derive(seed, place)) for place, text in enumerate(PLAYERS)
    ]


def table(puzzles: Sequence[Puzzle], tries: Sequence[Sequence[bool]], seed: int) -> str:
    """Return the table as Markdown: a line for each player, and a column for each preset."""
    presets = sorted({puzzle.state.rules.text for puzzle in puzzles}, reverse=True)
    rows = []
    for place, text in enumerate(PLAYERS):
        opponent = opponent_of(text)
        row = [opponent.name if opponent else f"`{text}`"]
        for chosen in (*[(preset,) for preset in presets], presets):
            found = [
                one[place]
                for puzzle, one in zip(puzzles, tries, strict=True)
                if puzzle.state.rules.text in chosen
            ]
            share = Share.wilson(sum(found) / len(found), len(found))
            row.append(f"{share.value:.1%} ({share.low:.1%} to {share.high:.1%})")
        rows.append(tuple(row))
    heads = ("player", *presets, "all")
    origin = f"Commit `{commit()}`, seed {seed}, {len(puzzles):,} puzzles, with 95 % intervals."
    return f"{markdown_table(heads, rows)}\n{origin}"


@with_exit_codes("nothing is written")
def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(
        prog="python3 -m benchmarks.puzzles", description=__doc__.splitlines()[0] if __doc__ else None
    )
    parser.add_argument("--every", type=int, default=1, help="take only every so many-th puzzle")
    parser.add_argument("--games", type=int, help="take the puzzles of so many games of each preset instead")
    parser.add_argument("--seed", type=int, default=HELD_OUT + 20)
    parser.add_argument("--jobs", type=int, default=1, help="processes at once, 0 for one each core")
    parser.add_argument("--document", type=Path, help="write the table there")
    given = parser.parse_args(arguments)
    check_numbers([], [given.every, *([given.games] if given.games is not None else [])])
    puzzles = found(given.games, given.seed, given.jobs) if given.games else shipped(given.every)
    load_compiled(PLAYERS)
    tasks = [(puzzle, derive(given.seed, number)) for number, puzzle in enumerate(puzzles)]
    with closing(run_in_order(tried, tasks, given.jobs or cores())) as results:
        text = table(puzzles, list(results), given.seed)
    print(text)
    if given.document:
        put_into(given.document, "puzzles of any rating" if given.games else "puzzles", text)


if __name__ == "__main__":
    sys.exit(main())
