"""How often an opponent model finds the opponent's type, after one, three and ten games.

python3 -m benchmarks.reading [--trials 300] [--seed 2000000117] [--jobs 2] [--document FILE]

A trial is a series of ten games against a random opponent; both play every deal from both seats. The model
sees the observations of a seat that plays as `expert`. The table has the actual and the most probable type;
intervals are 95 % Wilson intervals. All randomness comes from the seed; the number of processes changes
nothing.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

from benchmarks.exits import with_exit_codes
from benchmarks.figures import HELD_OUT, check_numbers
from benchmarks.speed_plain import commit
from durak_core import Decision, DurakError, Rules, State, wilson_interval
from durak_core.kernel.position import derive
from durak_core.lab import Match, play_match
from durak_core.lab.experiments.report import put_into
from durak_core.lab.workers import run_in_order
from durak_core.search.opponents.model import PLAYER_TYPES, OpponentModel

OBSERVER: Final = "expert"
AFTER: Final = (1, 3, 10)
"""Games after which the reader is asked."""


def trial(kind: str, seed: int) -> list[str]:
    """Play a series against a type and return the likeliest one after each number of games of `AFTER`.

    Args:
        kind: The opponent's type, which is its agent spec.
        seed: Of the series.
    """
    rules = Rules()
    reader = OpponentModel(rules, 0, PLAYER_TYPES, seed=derive(seed, 1))

    def see(state: State, _decision: Decision) -> None:
        if state.turn == reader.seat:
            reader.follow(state.observation(reader.seat))

    answers = []
    for game in play_match(Match(rules, (OBSERVER, kind), max(AFTER), seed), see):
        if game.number + 1 in AFTER:
            posterior = reader.posterior(1 - reader.seat)
            answers.append(max(posterior, key=lambda name: posterior[name]))
        reader.next_game((game.number + 1) % 2)
    return answers


def measure(trials: int, kinds: Sequence[str], seed: int, jobs: int) -> str:
    """Return the tables as Markdown.

    Args:
        trials: How many; the types take turns.
        kinds: The opponents' types.
        seed: Seed of all randomness.
        jobs: How many processes.

    Raises:
        DurakError: If there is no such type.
    """
    if not kinds or not set(kinds) <= set(PLAYER_TYPES):
        raise DurakError(
            "types {kinds}: expected some of {player_types}",
            kinds=", ".join(kinds),
            player_types=", ".join(PLAYER_TYPES),
        )
    tasks = ((kinds[number % len(kinds)], derive(seed, number)) for number in range(trials))
    with closing(run_in_order(trial, tasks, jobs)) as found:
        answers = list(found)
    counts = [Counter[tuple[str, str]]() for _ in AFTER]
    for number, named in enumerate(answers):
        for count, name in zip(counts, named, strict=True):
            count[kinds[number % len(kinds)], name] += 1
    lines = [
        f"| actual type | {' | '.join(PLAYER_TYPES)} | correct |",
        f"| --- | {'---: | ' * len(PLAYER_TYPES)}--- |",
    ]
    for kind in kinds:
        row = [counts[-1][kind, name] for name in PLAYER_TYPES]
        cells = " | ".join(map(str, row))
        lines.append(f"| {kind} | {cells} | {share(counts[-1][kind, kind], sum(row))} |")
    lines += ["", "| after | correct |", "| --- | --- |"]
    for games, count in zip(AFTER, counts, strict=True):
        right = sum(count[kind, kind] for kind in kinds)
        lines.append(f"| {games} game{'s' if games > 1 else ''} | {share(right, trials)} |")
    origin = f"Commit `{commit()}`, seed {seed}, {trials} trials, rules `{Rules().text}`."
    return "\n".join([f"**The likeliest type after {max(AFTER)} games.**", "", *lines, "", origin])


def share(right: int, trials: int) -> str:
    """Return a share with its interval."""
    low, high = wilson_interval(right / max(trials, 1), trials)
    return f"{right / max(trials, 1):.1%} ({low:.1%} to {high:.1%})"


@with_exit_codes()
def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print, write, and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python3 -m benchmarks.reading", description=__doc__.splitlines()[0] if __doc__ else None
    )
    parser.add_argument("--trials", type=int, default=300)
    parser.add_argument("--types", default="aggressive,cautious,moderate", help="the opponents, or all")
    parser.add_argument("--seed", type=int, default=HELD_OUT * 2 + 117)
    parser.add_argument("--jobs", type=int, default=1, help="processes at once")
    parser.add_argument("--document", type=Path, help="write the tables there, at <!-- table: reading -->")
    given = parser.parse_args(arguments)
    kinds = tuple(PLAYER_TYPES) if given.types == "all" else tuple(given.types.split(","))
    check_numbers((), (given.trials, given.jobs))
    text = measure(given.trials, kinds, given.seed, given.jobs)
    print(text)
    if given.document:
        put_into(given.document, "reading", text)


if __name__ == "__main__":
    sys.exit(main())
