"""Whether opponent modelling pays: the agent `adaptive`, its payoff table, and how that was made.

python3 -m benchmarks.adaptive [--games 4000] [--series 20] [--seed 2000000111] [--jobs 2] [--document FILE]
python3 -m benchmarks.adaptive --tune --games 40000 --seed 777
python3 -m benchmarks.adaptive --payoffs --games 40000 --seed 4242 --jobs 2

The first command plays each temperament in series, in which `adaptive` keeps its posterior, and in matches,
in which it does not. It compares both deal by deal with the temperament that scores most on average. The
second searches the space of temperaments for the best reply to each type of player. The third measures every
reply against every type; `durak_core/agents/simple.py` has what both print. All randomness comes from the
seed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import fields, replace
from pathlib import Path
from statistics import fmean
from typing import Final

from benchmarks.exits import with_exit_codes
from benchmarks.figures import HELD_OUT, Estimate, check_numbers, estimate, scores_by_deal
from benchmarks.speed_plain import commit
from durak_core import Rules
from durak_core.agents.simple import REPLIES
from durak_core.lab import Match, play_match
from durak_core.lab.experiments.report import put_into
from durak_core.lab.workers import run_in_order
from durak_core.search.opponents.model import PLAYER_TYPES
from durak_core.search.policies.expert import Temperament

TEMPERAMENTS: Final = ("aggressive", "cautious", "moderate")
STEPS: Final = (8.0, 4.0, 2.0, 1.0)
"""Ranks by which a weight is changed, one after the other."""
SLOW: Final = 2000
"""Games at most for an agent that is no policy, which plays a thousand times slower."""


def text_of(temperament: Temperament) -> str:
    """Return the agent spec of a temperament."""
    settings = [f"{field.name}={getattr(temperament, field.name):g}" for field in fields(Temperament)]
    return "temperament:" + ",".join(settings)


def score(reply: Temperament, kind: str, games: int, seed: int, jobs: int = 1) -> Estimate:
    """Return how a temperament does against a type of player."""
    if kind == "smart":
        games = min(games, SLOW)
    return estimate(scores_by_deal(Match(Rules(), (text_of(reply), kind), games, seed), jobs))


def best_reply(kind: str, games: int, seed: int) -> Temperament:
    """Search for the temperament that does best against a type, one weight after the other."""
    best = Temperament(noise=0)
    highest = score(best, kind, games, seed).mean
    names = [field.name for field in fields(Temperament) if field.name != "noise"]
    for step in STEPS:
        improved = True
        while improved:
            improved = False
            for name in names:
                for way in (step, -step):
                    tried = replace(best, **{name: getattr(best, name) + way})
                    found = score(tried, kind, games, seed).mean
                    if found > highest:
                        best, highest, improved = tried, found, True
        print(f"# {kind}: {highest:.4f} {text_of(best)}", file=sys.stderr, flush=True)
    return best


def tune(games: int, seed: int) -> None:
    """Print the best replies to the temperaments that are found."""
    for kind in TEMPERAMENTS:
        best = best_reply(kind, games, seed)
        changed = [field.name for field in fields(Temperament) if getattr(best, field.name)]
        settings = ", ".join([f"{name}={getattr(best, name):g}" for name in changed])
        print(f'    "against {kind}": Temperament({settings}{", " if settings else ""}noise=0),', flush=True)


def payoffs(games: int, seed: int, jobs: int) -> None:
    """Print how every reply does against every type."""
    for name, reply in REPLIES.items():
        print(f'    "{name}": {{', flush=True)
        for kind in PLAYER_TYPES:
            print(f'        "{kind}": {score(reply, kind, games, seed, jobs).mean:.3f},', flush=True)
        print("    },", flush=True)


def series_scores(match: Match, first: int, games: int) -> list[float]:
    """Play one series of a match with agents that begin without memory, and return its deals' scores."""
    numbers = range(first, first + games)
    worth = []
    for game in play_match(match, games=numbers):
        fool = game.fool
        worth.append(0.5 if fool is None else float(game.seating[fool] != 0))
    return [(one + other) / 2 for one, other in zip(worth[::2], worth[1::2], strict=True)]


def all_series(match: Match, length: int, jobs: int) -> list[float]:
    """Play a match as series of so many games each, and return its deals' scores."""
    tasks = ((match, first, min(length, match.games - first)) for first in range(0, match.games, length))
    with closing(run_in_order(series_scores, tasks, jobs)) as found:
        return [value for one in found for value in one]


def measure(given: argparse.Namespace) -> str:
    """Return the tables as Markdown."""
    rules = Rules()
    players: dict[str, dict[str, list[float]]] = {}

    def add(name: str, agent: str, length: int = 0) -> None:
        players[name] = {}
        for kind in TEMPERAMENTS:
            match = Match(rules, (agent, kind), given.games, given.seed)
            found = all_series(match, length, given.jobs) if length else scores_by_deal(match, given.jobs)
            players[name][kind] = found

    for kind in TEMPERAMENTS:
        add(kind, kind)
    for name, reply in REPLIES.items():
        add(f"book: {name}", text_of(reply))
    add("adaptive", "adaptive")
    add(f"adaptive, series of {given.series}", "adaptive:memory=on", given.series)
    lines = [
        f"| player | {' | '.join(TEMPERAMENTS)} | mean |",
        f"| --- | {'---: | ' * len(TEMPERAMENTS)}---: |",
    ]
    for name, scores in players.items():
        cells = [str(estimate(scores[kind])) for kind in TEMPERAMENTS]
        lines.append(f"| {name} | {' | '.join(cells)} | {estimate(means(scores))} |")
    lines += ["", "| difference of the means, deal by deal | |", "| --- | ---: |"]
    fixed = max(TEMPERAMENTS, key=lambda name: fmean(means(players[name])))
    booked = max((n for n in players if n.startswith("book")), key=lambda name: fmean(means(players[name])))
    for name in [name for name in players if name.startswith("adaptive")]:
        for other in (fixed, booked):
            pairs = zip(means(players[name]), means(players[other]), strict=True)
            lines.append(f"| {name} minus {other} | {estimate([one - two for one, two in pairs])} |")
    origin = (
        f"Commit `{commit()}`, seed {given.seed}, {given.games:,} games for each figure, "
        f"rules `{rules.text}`."
    )
    return "\n".join(["**Scores against the temperaments.**", "", *lines, "", origin])


def means(scores: Mapping[str, Sequence[float]]) -> list[float]:
    """Return the mean over the temperaments for each deal."""
    return [fmean(deal) for deal in zip(*[scores[kind] for kind in TEMPERAMENTS], strict=True)]


@with_exit_codes()
def main(arguments: Sequence[str] | None = None) -> None:
    """Do what is asked for and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python3 -m benchmarks.adaptive", description=__doc__.splitlines()[0] if __doc__ else None
    )
    parser.add_argument("--tune", action="store_true", help="search for the best replies")
    parser.add_argument("--payoffs", action="store_true", help="measure every reply against every type")
    parser.add_argument("--games", type=int, default=4000, help="for each figure, an even number")
    parser.add_argument("--series", type=int, default=20, help="games of a series, an even number")
    parser.add_argument("--seed", type=int, default=HELD_OUT * 2 + 111)
    parser.add_argument("--jobs", type=int, default=1, help="processes at once")
    parser.add_argument("--document", type=Path, help="write the tables there, at <!-- table: adaptive -->")
    given = parser.parse_args(arguments)
    check_numbers((given.games, given.series), (given.jobs,))
    if given.tune:
        tune(given.games, given.seed)
    elif given.payoffs:
        payoffs(given.games, given.seed, given.jobs)
    else:
        text = measure(given)
        print(text)
        if given.document:
            put_into(given.document, "adaptive", text)


if __name__ == "__main__":
    sys.exit(main())
