"""The opponents' ratings: one Elo scale over all their matches, with `greedy` at 1000.

python3 -m benchmarks.ratings docs/experiments/ladder/results.json [--document docs/strength.md]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from benchmarks.exits import with_exit_codes
from durak_core.agents.personas import OPPONENTS
from durak_core.lab.experiments.report import markdown_table, put_into
from durak_core.lab.experiments.results import ResultsFile, TaskResult
from durak_core.lab.stats.match_results import ResultMeasure
from durak_core.lab.stats.ratings import EloRating, Pairing, elo_ratings
from durak_core.statistics import Z95

ANCHOR: Final = "greedy"
POINTS: Final = 1000
PLAYERS: Final = (ANCHOR, *[opponent.text for opponent in OPPONENTS])


def matches(files: Iterable[Path]) -> list[TaskResult]:
    """Return the matches in which all players are opponents of the app or the anchor."""
    results = [result for file in files for result in ResultsFile.load(file).by_key.values()]
    return [result for result in results if set(result.settings.get("players", [None])) <= set(PLAYERS)]


def pairing(result: TaskResult) -> Pairing:
    first, second = (PLAYERS.index(player) for player in result.settings["players"])
    told: Any = result.tally["agents"][0]
    low, high = told[ResultMeasure.SCORE.interval_key]
    variance = ((high - low) / 2 / Z95) ** 2
    return Pairing(first, second, result.tally["games"], told[ResultMeasure.SCORE.key], variance)


def ratings(results: Iterable[TaskResult]) -> dict[str, EloRating]:
    """Return the ratings of all that played."""
    pairings = [pairing(result) for result in results]
    playing = sorted({number for one in pairings for number in (one.first, one.second)})
    places = [
        Pairing(playing.index(one.first), playing.index(one.second), one.games, one.score, one.variance)
        for one in pairings
    ]
    found = elo_ratings(len(playing), places).ratings
    shift = POINTS - found[playing.index(PLAYERS.index(ANCHOR))].points
    return {
        PLAYERS[number]: EloRating(one.points + shift, one.low + shift, one.high + shift)
        for number, one in zip(playing, found, strict=True)
    }


def table(results: Iterable[TaskResult]) -> str:
    """Return the table as Markdown, with two columns for each rules: the rating, and from how many games."""
    by_rules: dict[str, list[TaskResult]] = {}
    for result in results:
        by_rules.setdefault(result.settings["rules"], []).append(result)
    scales = {rules: ratings(some) for rules, some in by_rules.items()}
    heads = ["player", "in the app", *[head for rules in scales for head in (rules, "games")]]
    in_app = {opponent.text: str(opponent.rating) for opponent in OPPONENTS}
    rows = [
        [f"`{player}`", in_app.get(player, ""), *_figures(player, scales, by_rules)] for player in PLAYERS
    ]
    return f"**Ratings** with 95 % intervals.\n\n{markdown_table(heads, rows).rstrip()}"


def _figures(
    player: str, scales: Mapping[str, dict[str, EloRating]], by_rules: Mapping[str, Sequence[TaskResult]]
) -> list[str]:
    """Return a player's rating and number of games, by one set of rules after the other."""
    figures = []
    for rules, scale in scales.items():
        own = scale.get(player)
        played = [one.tally["games"] for one in by_rules[rules] if player in one.settings["players"]]
        figures += ["?" if own is None else f"{own.points:.0f} ({own.low:.0f} to {own.high:.0f})"]
        figures += [f"{sum(played):,}"]
    return figures


@with_exit_codes("nothing is written")
def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table, and write it into a document if one is named."""
    parser = argparse.ArgumentParser(
        prog="python3 -m benchmarks.ratings", description=__doc__.splitlines()[0] if __doc__ else None
    )
    parser.add_argument(
        "results", type=Path, nargs="+", help="only matches between the opponents and greedy count"
    )
    parser.add_argument("--document", type=Path, help="write the table there, at <!-- table: ratings -->")
    given = parser.parse_args(arguments)
    text = table(matches(given.results))
    print(text)
    if given.document:
        put_into(given.document, "ratings", text)


if __name__ == "__main__":
    sys.exit(main())
