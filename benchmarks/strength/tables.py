"""Results as tables of Markdown, put into a document between its markers."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from benchmarks.strength.manifest import Table
from durak_core import write_text_atomically
from durak_core.arena import elo, elo_interval
from durak_core.arena.experiments.entries import Entry
from durak_core.arena.experiments.markdown import markdown_table
from durak_core.arena.experiments.results import Result, Results
from durak_core.config import ConfigError

__all__ = ["render", "render_into", "replace_between"]

NOT_PLAYED: Final = "?"


def render(table: Table, results: Results) -> str:
    """Return a table with its caption and where its figures come from."""
    found: list[Result] = []

    def result_of(entry: Entry) -> Result | None:
        result = results.get(entry)
        if result is not None and result not in found:
            found.append(result)
        return result

    lines = _RENDERERS[table.kind](table, result_of)
    return "\n".join([f"**{table.title}.** {_EXPLAINED[table.kind]}", "", *lines, "", _origin(table, found)])


def render_into(document: Path, tables: Sequence[Table], results: Results) -> None:
    """Write tables into a document, each after its marker ``<!-- table: NAME -->``.

    Raises:
        ConfigError: If the document has no place for a table.
        OSError: If it cannot be read or written.
    """
    text = document.read_text(encoding="utf-8")
    for table in tables:
        text = replace_between(text, table.name, render(table, results), document)
    write_text_atomically(document, text)


def replace_between(text: str, name: str, content: str, document: Path) -> str:
    """Return a document's text with other content between a table's two markers.

    Args:
        text: The text.
        name: The table's name.
        content: What shall stand there.
        document: Named in errors.

    Raises:
        ConfigError: If the markers are not there, or twice.
    """
    start, end = f"<!-- table: {name} -->", "<!-- end of table -->"
    pattern = re.compile(re.escape(start) + r"\n.*?" + re.escape(end), re.DOTALL)
    found = pattern.findall(text)
    if len(found) != 1:
        raise ConfigError(f"{document}: expected one place from {start} to {end}, found {len(found)}")
    return pattern.sub(lambda _: f"{start}\n\n{content}\n\n{end}", text)


_ResultOf = Callable[[Entry], Result | None]


def _matrix(table: Table, result_of: _ResultOf) -> list[str]:
    lines = []
    for rules in table.rules:
        rows = []
        for player in table.players:
            met = [result_of(table.duel(player, other, rules)) for other in table.players if other != player]
            cells = [_score(result, player) for result in met]
            cells.insert(table.players.index(player), "")
            rows.append([_code(player), *cells, _milliseconds(met, player)])
        lines += [f"Rules: `{rules}`", ""] if len(table.rules) > 1 else []
        lines += [*_lines(["player", *map(_code, table.players), "ms a move"], rows), ""]
    return lines[:-1]


def _versus(table: Table, result_of: _ResultOf) -> list[str]:
    columns = [(rules, other) for rules in table.rules for other in table.against]
    rows = []
    for player in table.players:
        met = [result_of(table.duel(player, other, rules)) for rules, other in columns]
        rows.append([_code(player), *[_score(result, player) for result in met], _milliseconds(met, player)])
    several = len(table.rules) > 1
    heads = [f"{rules}: {_code(other)}" if several else _code(other) for rules, other in columns]
    return _lines(["player", *[f"against {head}" for head in heads], "ms a move"], rows)


def _field(table: Table, result_of: _ResultOf) -> list[str]:
    columns = [(rules, other) for rules in table.rules for other in table.against]
    rows = []
    for player in table.players:
        for seats in table.seats:
            met = [result_of(table.round(player, other, rules, seats)) for rules, other in columns]
            shares = [_share(result, player) for result in met]
            rows.append([_code(player), str(seats), f"{1 / seats:.3f}", *shares, _milliseconds(met, player)])
    heads = [f"{rules}, among {_code(other)}" for rules, other in columns]
    return _lines(["player", "seats", "fair share", *heads, "ms a move"], rows)


def _chain(table: Table, result_of: _ResultOf) -> list[str]:
    rules = table.rules[0]
    steps = [result_of(table.duel(lower, upper, rules)) for lower, upper in pairwise(table.players)]
    rows: list[list[str]] = []
    total = 0.0
    for place, (name, player) in enumerate(zip(table.names, table.players, strict=True)):
        below = steps[place - 1] if place else None
        score, step, sum_of = "", "", "0"
        if place:
            score, step = _score(below, player), _elo(below, player)
            total += elo(below.agent(player)["score"]) if below else math.nan
            sum_of = NOT_PLAYED if math.isnan(total) else _signed(total)
        met = [one for one in steps[max(0, place - 1) : place + 1] if one]
        rows.append([name, _code(player), score, step, sum_of, _milliseconds(met, player)])
    return _lines(["level", "player", "against the one before", "Elo step", "Elo", "ms a move"], rows)


_RENDERERS: Final[Mapping[str, Callable[[Table, _ResultOf], list[str]]]] = {
    "matrix": _matrix,
    "versus": _versus,
    "field": _field,
    "chain": _chain,
}
_SCORES: Final = "Scores of the row's player: wins and half the draws, with 95 % intervals."
_EXPLAINED: Final = {
    "matrix": _SCORES,
    "versus": _SCORES,
    "field": "Share of the games in which the row's player is the fool, with 95 % intervals; less is better.",
    "chain": "Scores with 95 % intervals, and the Elo differences that they mean.",
}


def _score(result: Result | None, player: str) -> str:
    if result is None:
        return NOT_PLAYED
    agent = result.agent(player)
    return _with_interval(agent["score"], agent["interval"]) + _failed(agent)


def _share(result: Result | None, player: str) -> str:
    if result is None:
        return NOT_PLAYED
    agent = result.agent(player)
    return _with_interval(agent["fool_share"], agent["fool_interval"]) + _failed(agent)


def _elo(result: Result | None, player: str) -> str:
    if result is None:
        return NOT_PLAYED
    agent = result.agent(player)
    low, high = elo_interval(agent["interval"])
    return f"{_signed(elo(agent['score']))} ({_signed(low)} to {_signed(high)})"


def _signed(points: float) -> str:
    return f"{points:+.0f}".replace("inf", "∞")


def _with_interval(share: float, interval: Sequence[float]) -> str:
    return f"{share:.3f} ({interval[0]:.3f} to {interval[1]:.3f})"


def _failed(agent: Mapping[str, Any]) -> str:
    return f", {agent['forfeits']} forfeited" if agent["forfeits"] else ""


def _milliseconds(results: Iterable[Result | None], player: str) -> str:
    agents = [result.agent(player) for result in results if result is not None]
    decisions = sum(agent["decisions"] for agent in agents)
    if not decisions:
        return NOT_PLAYED
    spent = 1000 * sum(agent["seconds"] for agent in agents) / decisions
    return f"{spent:.3f}" if spent < 1 else f"{spent:.1f}"


def _origin(table: Table, results: Sequence[Result]) -> str:
    """Say with which program, seed and machine the figures were made."""
    planned = len(set(table.entries()))
    if not results:
        return f"Not played yet: {planned} matches of {table.games:,} games, seed {table.seed}."
    commits = Counter(result.commit for result in results)
    named = ", ".join(
        f"`{commit}`" + (f" ({count} matches)" if len(commits) > 1 else "")
        for commit, count in commits.items()
    )
    machines = ", ".join(sorted({result.machine for result in results}))
    jobs = sorted({result.jobs for result in results})
    at_once = f"{jobs[0]}" if len(jobs) == 1 else f"{jobs[0]} to {jobs[-1]}"
    played = "" if len(results) == planned else f" {len(results)} of {planned} matches have been played."
    return (
        f"Commit {named}, seed {table.seed}, {table.games:,} games a match, every deal from all seats; "
        f"{at_once} at once on {machines}.{played}"
    )


def _code(text: str) -> str:
    return f"`{text}`"


def _lines(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return markdown_table(heads, rows).splitlines()
