"""Experiment tables in documents such as docs/experiments/strength.md, between markers."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from durak_core.config import ConfigError
from durak_core.files import MEGABYTE, read_text, write_text_atomically
from durak_core.lab.experiments.markdown import markdown_table
from durak_core.lab.experiments.results import Figure, Results, TaskResult
from durak_core.lab.experiments.table_types import BELOW, Chain, Field, Versus
from durak_core.lab.experiments.tables import Table, TableCell
from durak_core.lab.stats.ratings import elo, elo_interval
from durak_core.statistics import significant

NOT_PLAYED: Final = "?"

_ENOUGH: Final = 1000
"""Games needed with each of two seeds; below that a table is provisional."""
_PROVISIONAL: Final = f" **Provisional**: fewer than {_ENOUGH:,} games on each of two seeds."

_SCORES: Final = "Scores of the row's player with 95 % intervals; a draw counts half."
_LOST: Final = "Loss rate of the row's player with 95 % intervals; lower is better."
_STEPS: Final = "Scores and Elo differences with 95 % intervals."

_LARGEST: Final = 16 * MEGABYTE


Figures = Mapping[tuple[str, str], Figure | None]
"""Figures by row and column: None if not played, absent if not playable."""


def figures_of(table: Table, results: Results) -> Figures:
    return {place: figure_of(table, cell, results) for place, cell in table.cells.items()}


def figure_of(table: Table, cell: TableCell, results: Results) -> Figure | None:
    measure = table.spec.measure
    return results.figure(cell.work, cell.player, measure) if measure else None


def caveat(table: Table, results: Results) -> str:
    """Return a sentence, after a space, that marks a table with too few games; empty otherwise."""
    if table.spec.measure is None:
        return ""
    for work in table.works:
        result = results.get(work)
        if result and not (_is_enough(result) and any(map(_is_enough, results.with_other_seeds(work)))):
            return _PROVISIONAL
    return ""


def _is_enough(result: TaskResult) -> bool:
    games: int = result.tally["games"]
    return games >= _ENOUGH


def mean_milliseconds(figures: Iterable[Figure | None]) -> float | None:
    known = [figure for figure in figures if figure]
    decisions = sum(figure.decisions for figure in known)
    return 1000 * sum(figure.seconds for figure in known) / decisions if decisions else None


def spent_text(figures: Iterable[Figure | None]) -> str:
    return milliseconds_text(mean_milliseconds(figures))


def milliseconds_text(spent: float | None) -> str:
    return NOT_PLAYED if spent is None else significant(spent)


def parts_around(document: Path, name: str) -> tuple[str, str]:
    """Return what precedes and follows a table in a document, with its markers; errors as for `put_into`."""
    start, end = f"<!-- table: {name} -->", "<!-- end of table -->"
    pattern = re.compile(re.escape(start) + r"\n.*?" + re.escape(end), re.DOTALL)
    text = read_text(document, _LARGEST)
    found = list(pattern.finditer(text))
    if len(found) != 1:
        raise ConfigError(f"{document}: expected one place from {start} to {end}, found {len(found)}")
    return text[: found[0].start()] + start, end + text[found[0].end() :]


def put_into(document: Path, name: str, content: str) -> None:
    """Replace a table in a document, between ``<!-- table: NAME -->`` and ``<!-- end of table -->``.

    Raises:
        ConfigError: If the document does not have these markers exactly once.
        FileError: If it cannot be read or written.
    """
    before, after = parts_around(document, name)
    write_text_atomically(document, f"{before}\n\n{content}\n\n{after}")


def render(table: Table, results: Results) -> str:
    """Return a table of a kind in `IN_DOCUMENTS`, with caption and provenance."""
    figures = figures_of(table, results)
    if isinstance(table.spec, Chain):
        said, lines = _STEPS, chain(table, results)
    elif isinstance(table.spec, Field):
        said, lines = _LOST, _field(table, table.spec, figures)
    else:
        column = "against `{}`" if isinstance(table.spec, Versus) else "`{}`"
        said, lines = _SCORES, crossed(table, figures, _share, "`{}`", column)
    said += caveat(table, results)
    return f"**{table.spec.title}.** {said}\n\n{lines}\n{_origin(table, results)}"


def crossed(
    table: Table, figures: Figures, share: Callable[[Figure | None], str], row: str, column: str
) -> str:
    """Return a table with one column per opponent.

    ``share`` formats a figure; ``row`` and ``column`` are `str.format` templates for names.
    """
    rows = []
    for name in table.rows:
        places = [(name, other) for other in table.columns]
        met = [share(figures[place]) if place in figures else "" for place in places]
        rows.append([row.format(name), *met, spent_text(map(figures.get, places))])
    heads = [column.format(name) for name in table.columns]
    return markdown_table([table.spec.heads[0], *heads, "ms a move"], rows)


def _field(table: Table, spec: Field, figures: Figures) -> str:
    players = len(spec.players)
    rows = []
    for place, player in enumerate(spec.players):
        for seats in table.columns:
            met = [figures.get((row, seats)) for row in table.rows[place::players]]
            rows.append([f"`{player}`", seats, f"{1 / int(seats):.3f}", *map(_share, met), spent_text(met)])
    among = ", ".join([f"`{name}`" for name in spec.among])
    heads = [f"{label}, among {among}" for label in table.labels]
    return markdown_table(["player", "seats", "par", *heads, "ms a move"], rows)


def chain(table: Table, results: Results) -> str:
    steps = [table.cells[row, BELOW] for row in table.rows[1:]]
    first, second = steps[0].work.settings["players"]
    players = [second if first == steps[0].player else first, *[step.player for step in steps]]
    rows: list[list[str]] = []
    total = 0.0
    for place, (name, player) in enumerate(zip(table.rows, players, strict=True)):
        met = [
            figure_of(table, replace(step, player=player), results)
            for step in steps[max(0, place - 1) : place + 1]
        ]
        words = ["", "", "0"]
        if place:
            figure = met[0]
            total += elo(figure.share.value) if figure else math.nan
            words = [_share(figure), _elo(figure), NOT_PLAYED if math.isnan(total) else _signed(total)]
        rows.append([name, f"`{player}`", *words, spent_text(met)])
    return markdown_table(["level", "player", BELOW, "Elo step", "Elo", "ms a move"], rows)


def _share(figure: Figure | None) -> str:
    if figure is None:
        return NOT_PLAYED
    share = figure.share
    failed = f", {figure.forfeits} forfeited" if figure.forfeits else ""
    other = f" ≠ {figure.otherwise.share.value:.3f}" if figure.otherwise else ""
    return f"{share.value:.3f} ({share.low:.3f}\N{EN DASH}{share.high:.3f}){failed}{other}"


def _elo(figure: Figure | None) -> str:
    if figure is None:
        return NOT_PLAYED
    low, high = elo_interval((figure.share.low, figure.share.high))
    return f"{_signed(elo(figure.share.value))} ({_signed(low)} to {_signed(high)})"


def _signed(points: float) -> str:
    return f"{points:+.0f}".replace("inf", "∞")


def _origin(table: Table, results: Results) -> str:
    works = table.works
    games, seed = works[0].steps, works[0].seed
    found = [result for work in works if (result := results.get(work))]
    if not found:
        return f"Not played yet: {len(works)} matches of {games:,} games, seed {seed}."
    commits = Counter(result.commit for result in found)
    named = ", ".join(
        [
            f"`{commit}`" + (f" ({count} match{'' if count == 1 else 'es'})" if len(commits) > 1 else "")
            for commit, count in commits.items()
        ]
    )
    machines = ", ".join(sorted({result.machine for result in found}))
    jobs = sorted({result.jobs for result in found})
    at_once = " to ".join(map(str, dict.fromkeys([jobs[0], jobs[-1]])))
    played = "" if len(found) == len(works) else f" {len(found)} of {len(works)} matches have been played."
    return (
        f"Commit {named}, seed {seed}, {games:,} games a match, duplicate deals; "
        f"{at_once} process{'' if at_once == '1' else 'es'} on {machines}.{played}"
    )
