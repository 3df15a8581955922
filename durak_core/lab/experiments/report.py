"""The report of an experiment, and its tables in documents between markers."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from durak_core.config import ConfigError
from durak_core.errors import DurakError
from durak_core.files import MEGABYTE, read_text, write_text_atomically
from durak_core.lab.experiments.manifest import BELOW, Chain, Experiment, Field, GridTable, Versus
from durak_core.lab.experiments.results import Figure, Folder, Results, Run, TaskResult
from durak_core.lab.experiments.tables import Published, Table, TableCell
from durak_core.lab.own_agents.origins import Origin
from durak_core.lab.plots import Plot, Series, bar_plot, check_picture, line_plot
from durak_core.lab.stats.match_results import ResultMeasure
from durak_core.lab.stats.ratings import elo, elo_interval
from durak_core.statistics import Share, three_digits


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: bool = True) -> str:
    """Return a table, newline included; all columns but the first are right-aligned if they hold numbers."""
    rule = ["---", *["---:" if numbers else "---"] * (len(header) - 1)]
    escaped = [[word.replace("|", "\\|") for word in row] for row in (header, rule, *rows)]
    return "".join([f"| {' | '.join(row)} |\n" for row in escaped])


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
    return NOT_PLAYED if spent is None else three_digits(spent)


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
        said, lines = _SCORES, crossed(table, figures, _score, "`{}`", column)
    said += caveat(table, results)
    return f"**{table.spec.title}.** {said}\n\n{lines}\n{_table_origin(table, results)}"


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
            rows.append([f"`{player}`", seats, f"{1 / int(seats):.3f}", *map(_score, met), spent_text(met)])
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
            words = [_score(figure), _elo(figure), NOT_PLAYED if math.isnan(total) else _signed(total)]
        rows.append([name, f"`{player}`", *words, spent_text(met)])
    return markdown_table(["level", "player", BELOW, "Elo step", "Elo", "ms a move"], rows)


def _score(figure: Figure | None) -> str:
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


def _table_origin(table: Table, results: Results) -> str:
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


def draw(table: Table, figures: Figures, results: Results, folder: Path) -> list[str]:
    """Plot a table's played figures into a folder; return the file names."""
    path = folder / f"{table.spec.name}.svg"
    if table.spec.kind in {"matrix", "versus"}:
        bars = _bars(table, figures)
        if bars:
            bar_plot(path, bars, _plot(table))
        return [path.name] if bars else []
    pruning = table.spec.kind == "pruning"
    lines = _pruning_lines(table, results) if pruning else _lines(table, figures)
    if lines:
        line_plot(path, lines, _pruning_plot(table) if pruning else _line_plot(table))
    return [path.name] if lines else []


def _plot(table: Table) -> Plot:
    measure = table.spec.measure or ResultMeasure.SCORE
    return Plot(
        title=table.spec.title,
        y_label=f"{measure.games}, %",
        reference=50,
        reference_label="equal players",
        bounds=(0, 100),
    )


def _bars(table: Table, figures: Figures) -> list[Series]:
    """Return published figures next to the measured ones; without any, a group for each player."""
    if not table.spec.published:
        return _players_bars(table, figures) if table.spec.kind == "versus" else []
    pairs = [(one, figure) for one in table.spec.published if (figure := figures[one.row, one.column])]
    labels = [f"{one.row} against {one.column}" for one, _ in pairs]
    groups = {
        "published": [one.share for one, _ in pairs],
        "here": [figure.share for _, figure in pairs],
    }
    return [Series.of_shares(name, labels, shares) for name, shares in groups.items() if shares]


def _players_bars(table: Table, figures: Figures) -> list[Series]:
    groups = []
    for row in table.rows:
        found = {column: figure.share for column in table.columns if (figure := figures.get((row, column)))}
        if found:
            groups.append(Series.of_shares(row, list(found), list(found.values())))
    return groups


def _line_plot(table: Table) -> Plot:
    spec, plot = table.spec, replace(_plot(table), x_label=table.spec.column_head)
    if spec.measure is ResultMeasure.LOST:
        plot = replace(plot, reference=None, reference_label="")
    if isinstance(spec, GridTable):
        right_label = "ms a move" if spec.times else ""
        plot = replace(plot, right_label=right_label, log_x=spec.log and _is_number(table))
    return plot


def _lines(table: Table, figures: Figures) -> list[Series]:
    spec = table.spec
    lines = []
    for row in table.rows:
        found = {column: figure for column in table.columns if (figure := figures.get((row, column)))}
        if not found:
            continue
        places = _places(table, list(found))
        lines.append(Series.of_shares(row, places, [figure.share for figure in found.values()]))
        if isinstance(spec, GridTable) and spec.times:
            times = [mean_milliseconds([figure]) or 0.0 for figure in found.values()]
            lines.append(Series(row, places, times, right_axis=True))
    if not lines:
        return []
    for row in table.rows:
        shares = {one.column: one.share for one in spec.published if one.row == row}
        columns = [column for column in table.columns if column in shares]
        if columns:
            found_there = [shares[column] for column in columns]
            lines.append(Series.of_shares(f"{row}, published", _places(table, columns), found_there))
    if spec.measure is ResultMeasure.LOST:
        numbers = sorted({cell.seats for cell in table.cells.values()})
        lines.append(Series("equal players", numbers, [100 / number for number in numbers]))
    return lines


def _pruning_plot(table: Table) -> Plot:
    return Plot(
        title=table.spec.title,
        x_label=table.spec.column_head,
        y_label="with pruning, % of without",
        reference=100,
        reference_label="nothing saved",
    )


def _pruning_lines(table: Table, results: Results) -> list[Series]:
    lines = []
    for row in table.rows:
        found = {
            column: result.tally
            for column in table.columns
            if (result := results.get(table.cells[row, column].work))
        }
        for what in ("nodes", "seconds") if found else ():
            shares = [100 * tally[what]["pruned"] / (tally[what]["whole"] or 1.0) for tally in found.values()]
            name = what if len(table.rows) == 1 else f"{what}, {row}"
            lines.append(Series(name, _places(table, list(found)), shares))
    return lines


def _is_number(table: Table) -> bool:
    return all(column.replace(".", "", 1).isdecimal() for column in table.columns)


def _places(table: Table, columns: list[str]) -> list[float] | list[str]:
    return [float(column) for column in columns] if _is_number(table) else columns


_MEASURES: Final = {
    ResultMeasure.SCORE: "Scores of the row's player in percent with 95 % intervals; a draw counts half.",
    ResultMeasure.LOST: "Loss rates in percent with 95 % intervals; lower is better.",
    None: "Average nodes and milliseconds of CPU time per position.",
}


_ORDER: Final = (
    "- Order: matches of two agents are played in alphabetical order of the specs. `durak match` plays the "
    "same games in this order."
)

_COUNTED: Final = (
    "- Matches play duplicate deals. Intervals are 95 % intervals of the mean over deals, or Wilson's below "
    "30 deals. Games about the first attack have a deal each."
)


def write_report(experiment: Experiment, folder: Folder) -> str:
    """Write ``report.md`` and its plots; return why there are no plots, or an empty string.

    Raises:
        FileError: If a file cannot be written.
    """
    try:
        check_picture("picture.svg")
        without = ""
    except DurakError as error:
        without = str(error)
    parts = [
        f"# {experiment.manifest.title}\n",
        *_state(experiment, folder),
        f"{experiment.manifest.question}\n",
        f"This report has no pictures: {without}\n" if without else "",
    ]
    for table in experiment.tables:
        parts += _section(table, folder, pictures=not without)
    parts.append(_origin(experiment, folder))
    write_text_atomically(folder.path / "report.md", "\n".join([part for part in parts if part]))
    return without


def _state(experiment: Experiment, folder: Folder) -> list[str]:
    lines = []
    if experiment.quick:
        lines.append("**A quick run with a few games per match. It only shows that everything works.**\n")
    missing = sum(folder.results.get(work) is None for work in experiment.works)
    if missing:
        lines.append(f"**Not finished: {missing} of {len(experiment.works)} matches are missing.**\n")
    return lines


def _section(table: Table, folder: Folder, *, pictures: bool) -> list[str]:
    results, spec = folder.results, table.spec
    figures = figures_of(table, results)
    parts = [
        f"## {spec.title}\n",
        f"{spec.note}\n" if spec.note else "",
        f"{_MEASURES[spec.measure]}{caveat(table, results)}\n",
        _body(table, figures, results),
    ]
    if pictures:
        try:
            parts += [f"![{spec.title}]({name})\n" for name in draw(table, figures, results, folder.path)]
        except DurakError as error:
            parts.append(f"No picture: {error}\n")
    if table.skipped:
        told = [f"- {_cell_name(table, *place)}: {why}\n" for place, why in table.skipped.items()]
        parts.append("Not played, because the rules do not allow it:\n\n" + "".join(told))
    return parts + (_comparison(table, figures) if spec.published else [])


def _body(table: Table, figures: Figures, results: Results) -> str:
    if table.spec.kind == "pruning":
        return _pruning(table, results)
    if table.spec.kind == "chain":
        return chain(table, results)
    if table.spec.kind in {"matrix", "versus"}:
        return crossed(table, figures, _share, "{}", "{}")
    return _listed(table, figures)


def _listed(table: Table, figures: Figures) -> str:
    lost = table.spec.measure is ResultMeasure.LOST
    rows = []
    for place, figure in figures.items():
        fair = [f"{100 / table.cells[place].seats:.1f}"] if lost else []
        games = f"{figure.games:,}" if figure else NOT_PLAYED
        rows.append([*place, games, _share(figure), *fair, spent_text([figure])])
    measured = ["loss rate, %", "par"] if lost else ["score, %"]
    return markdown_table([*_heads(table), "games", *measured, "ms a move"], rows)


def _heads(table: Table) -> tuple[str, str]:
    return table.spec.heads[0], table.spec.column_head


def _pruning(table: Table, results: Results) -> str:
    rows = []
    for place, cell in table.cells.items():
        result = results.get(cell.work)
        if result is None:
            rows.append([*place, *[NOT_PLAYED] * 7])
            continue
        tally = result.tally
        positions, nodes, seconds = tally["positions"], tally["nodes"], tally["seconds"]
        rows.append([
            *place,
            f"{positions:,}",
            *[f"{nodes[way] / positions:,.1f}" for way in ("whole", "pruned")],
            *[milliseconds_text(1000 * seconds[way] / positions) for way in ("whole", "pruned")],
            f"{tally['equal_values']:,}",
            f"{tally['same_choice']:,}",
        ])  # fmt: skip
    nodes_heads = ("positions", "nodes without pruning", "with pruning")
    others = ("ms without", "ms with", "equal values", "same choice")
    return markdown_table([*_heads(table), *nodes_heads, *others], rows)


def _comparison(table: Table, figures: Figures) -> list[str]:
    rows = []
    for published in table.spec.published:
        figure = figures[published.row, published.column]
        theirs = _percent(published.share)
        if published.low is None:
            theirs += ", by Wilson"
        elif published.value is None:
            theirs = f"{100 * published.share.low:.1f} to {100 * published.share.high:.1f}"
        agree = NOT_PLAYED
        if figure:
            agree = "overlap" if figure.share.overlaps(published.share) else "apart"
        games = f"{published.games:,}" if published.games else ""
        ours = [_share(figure), f"{figure.games:,}" if figure else NOT_PLAYED]
        rows.append([_cell_name(table, published.row, published.column), *ours, theirs, games, agree])
    head = ["figure", "here", "games", "published", "their games", "95 % intervals"]
    said = [f"- {_sentence(table, one, figures[one.row, one.column])}\n" for one in table.spec.published]
    return ["### Comparison with the published figures\n", markdown_table(head, rows), "".join(said)]


def _percent(share: Share) -> str:
    return f"{100 * share.value:.1f} ({100 * share.low:.1f} to {100 * share.high:.1f})"


def _cell_name(table: Table, row: str, column: str) -> str:
    head = table.spec.column_head
    if head == "against":
        return f"{row} against {column}"
    return f"{row}, {column} seats" if head == "seats" else f"{row}, {head} {column}"


def _sentence(table: Table, published: Published, figure: Figure | None) -> str:
    name = _cell_name(table, published.row, published.column)
    if figure is None:
        return f"{name}: not played yet."
    ours, theirs = figure.share, published.share
    if ours.overlaps(theirs):
        return f"{name}: the 95 % intervals overlap."
    higher = ours.low > theirs.high
    gap = ours.low - theirs.high if higher else theirs.low - ours.high
    said = f"{name}: the 95 % intervals do not overlap, ours is {'higher' if higher else 'lower'}"
    why = f" {published.why}" if published.why else ""
    return f"{said} by {100 * gap:.1f} points.{why}"


def _share(figure: Figure | None) -> str:
    if figure is None:
        return NOT_PLAYED
    return _percent(figure.share) + (f", {figure.forfeits} forfeited" if figure.forfeits else "")


def _origin(experiment: Experiment, folder: Folder) -> str:
    works, manifest = experiment.works, experiment.manifest
    found = [result for work in works if (result := folder.results.get(work))]
    seeds = dict.fromkeys([result.settings["seed"] for result in found] or [manifest.seed])
    games, positions = (sum(result.tally.get(unit, 0) for result in found) for unit in ("games", "positions"))
    jobs = sorted({result.jobs for result in found})
    at_once = f"{' or '.join(map(str, jobs)) or NOT_PLAYED} {'process' if jobs == [1] else 'processes'}"
    lines = [
        "## How it was made\n",
        f"- Manifest: {experiment.path.name}, copied to [manifest.toml](manifest.toml)",
        *[f"- Command: `{run.command}`, begun {run.began}" for run in folder.runs],
        f"- Commit: {_commits(found)}",
        f"- Seed: {', '.join(map(str, seeds))}",
        _ORDER,
        f"- Games: {games:,} in {len(found)} of {len(works)} matches or measurements"
        + (f", and {positions:,} positions" if positions else ""),
        f"- Time: {_duration(sum(result.seconds for result in found))}, {at_once} at a time",
        *dict.fromkeys([line for run in folder.runs for line in _environment(run)]),
        _COUNTED,
    ]
    if manifest.source:
        lines.append(f"- Published figures: {manifest.source}")
    players = [[f"`{name}`", f"`{text}`"] for name, text in manifest.agents.items()]
    table = "\n" + markdown_table(["player", "agent"], players, numbers=False) if players else ""
    lines += [f"- Own agent: {origin}" for origin in _own_origins(found)]
    return "\n".join(lines) + "\n" + table


def _own_origins(results: Sequence[TaskResult]) -> list[Origin]:
    """Return the origins of own agents that played."""
    told = [result.settings.get("options", []) for result in results]
    options = [option for one in told for option in (one if isinstance(one, list) else [one])]
    return list(dict.fromkeys([Origin(**option["origin"]) for option in options if "origin" in option]))


def _commits(results: Sequence[TaskResult]) -> str:
    named = list(dict.fromkeys([result.commit for result in results]))
    told = ", ".join([f"`{one}`" for one in named]) or NOT_PLAYED
    changed = any(one.endswith("+") for one in named)
    return told + (" (+: with uncommitted changes)" if changed else "")


def _environment(run: Run) -> tuple[str, str]:
    machine = "{processor}, {cores} cores, {system}".format_map(run.machine)
    versions = ", ".join([f"{name} {version}" for name, version in run.versions.items()])
    return f"- Machine: {machine}", f"- Versions: {versions}"


def _duration(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 100 else f"{seconds / 60:.1f} min"
