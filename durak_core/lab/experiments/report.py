"""The report of an experiment, and its tables in documents between markers."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, TypeAlias

from durak_core.config import ConfigError
from durak_core.errors import DurakError
from durak_core.files import MEGABYTE, read_text, write_text_atomically
from durak_core.lab.experiments.manifest import BELOW, Chain, Experiment, Field, GridTable, Versus
from durak_core.lab.experiments.results import Figure, Folder, ResultsFile, Run, TaskResult
from durak_core.lab.experiments.tables import ExperimentTable, Published, TableCell
from durak_core.lab.own_agents.origins import AgentOrigin
from durak_core.lab.plots import PlotSeries, PlotSettings, bar_plot, check_picture, line_plot
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

_LARGEST: Final = 16 * MEGABYTE

_CROSSED: Final = ("matrix", "versus")
"""Kinds with a column per opponent, drawn as bars."""

_MEASURES: Final = {
    ResultMeasure.SCORE: "Scores of the row's player in percent with 95 % intervals; a draw counts half.",
    ResultMeasure.LOST: "Loss rates in percent with 95 % intervals; lower is better.",
    None: "Average nodes per position.",
}

_ORDER: Final = (
    "- Order: matches of two agents are played in alphabetical order of the specs. `durak match` plays the "
    "same games in this order."
)

_COUNTED: Final = (
    "- Matches play duplicate deals. Intervals are 95 % intervals of the mean over deals, or Wilson's below "
    "30 deals. Games about the first attack have a deal each."
)


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


def render(table: ExperimentTable, results: ResultsFile) -> str:
    """Return a table of a kind in `IN_DOCUMENTS`, with caption and provenance."""
    return PlayedTable(table, results).for_document()


def write_report(experiment: Experiment, folder: Folder) -> str:
    """Write ``report.md`` and its plots; return why there are no plots, or an empty string.

    Raises:
        FileError: If a file cannot be written.
    """
    without, manifest, works = "", experiment.manifest, experiment.works
    try:
        check_picture("picture.svg")
    except DurakError as error:
        without = str(error)
    parts = [f"# {manifest.title}\n"]
    if experiment.quick:
        parts.append("**A quick run with a few games per match. It only shows that everything works.**\n")
    missing = sum(folder.results.get(work) is None for work in works)
    if missing:
        parts.append(f"**Not finished: {missing} of {len(works)} matches are missing.**\n")
    parts.append(f"{manifest.question}\n")
    if without:
        parts.append(f"This report has no pictures: {without}\n")
    tables = [PlayedTable(table, folder.results) for table in experiment.tables]
    for table in tables:
        parts += table.for_report(None if without else folder.path)
    times = "\n".join([table.times() for table in tables])
    parts.append(f"## Times\n\nMean CPU times, which differ from run to run.\n\n{times}")
    parts.append(_origin(experiment, folder))
    write_text_atomically(folder.path / "report.md", "\n".join(parts))
    return without


_Cells: TypeAlias = tuple[list[str], list[list[str]]]
"""The heads and the rows of a table."""


class PlayedTable:
    """A table and its results.

    Attributes:
        figures: By row and column: None if not played, absent if not playable.
        found: The results of its tasks so far.
    """

    def __init__(self, table: ExperimentTable, results: ResultsFile) -> None:
        self.table, self.spec, self.results = table, table.spec, results
        self.figures = {place: self._figure(cell) for place, cell in table.cells.items()}
        self.found = [result for work in table.works if (result := results.get(work))]

    def _figure(self, cell: TableCell) -> Figure | None:
        measure = self.spec.measure
        return self.results.figure(cell.work, cell.player, measure) if measure else None

    def _played(self, row: str) -> dict[str, Figure]:
        return {one: found for one in self.table.columns if (found := self.figures.get((row, one)))}

    @property
    def _caveat(self) -> str:
        """A sentence, after a space, that marks a table with too few games; empty otherwise."""

        def is_enough(result: TaskResult) -> bool:
            return bool(result.tally["games"] >= _ENOUGH)

        certain = self.spec.measure is None or all(
            is_enough(one) and any(map(is_enough, self.results.with_other_seeds(one.settings)))
            for one in self.found
        )
        return "" if certain else _PROVISIONAL

    def for_document(self) -> str:
        spec, said = self.spec, "Scores of the row's player with 95 % intervals; a draw counts half."
        if isinstance(spec, Chain):
            said, lines = "Scores and Elo differences with 95 % intervals.", self._chain()
        elif isinstance(spec, Field):
            said = "Loss rate of the row's player with 95 % intervals; lower is better."
            lines = self._field(spec)
        else:
            lines = self._crossed(_score, "`{}`", "against `{}`" if isinstance(spec, Versus) else "`{}`")
        return f"**{spec.title}.** {said}{self._caveat}\n\n{markdown_table(*lines)}\n{self._made()}"

    def for_report(self, folder: Path | None) -> list[str]:
        """Return the section of the table, with a plot in the folder if there is one."""
        spec, skipped = self.spec, self.table.skipped
        parts = [f"## {spec.title}\n", f"{spec.note}\n"] if spec.note else [f"## {spec.title}\n"]
        heads, rows = self._body()
        untimed = markdown_table(heads[: -self._timed], [row[: -self._timed] for row in rows])
        parts += [f"{_MEASURES[spec.measure]}{self._caveat}\n", untimed]
        try:
            if folder and (name := self._draw(folder)):
                parts.append(f"![{spec.title}]({name})\n")
        except DurakError as error:
            parts.append(f"No picture: {error}\n")
        if skipped:
            told = [f"- {self._cell_name(*place)}: {why}\n" for place, why in skipped.items()]
            parts.append("Not played, because the rules do not allow it:\n\n" + "".join(told))
        return parts + (self._comparison() if spec.published else [])

    def times(self) -> str:
        """Return the columns of `for_report` that differ when the same games are played again."""
        named = 1 if self.spec.kind in {*_CROSSED, "chain"} else 2
        heads, rows = self._body()
        timed = [row[:named] + row[-self._timed :] for row in (heads, *rows)]
        return f"{self.spec.title}:\n\n{markdown_table(timed[0], timed[1:])}"

    @property
    def _timed(self) -> int:
        """The number of columns with times, the last ones."""
        return 2 if self.spec.kind == "pruning" else 1

    def _body(self) -> _Cells:
        if self.spec.kind == "pruning":
            return self._pruning()
        if self.spec.kind == "chain":
            return self._chain()
        return self._crossed(_percent, "{}", "{}") if self.spec.kind in _CROSSED else self._listed()

    def _crossed(self, shown: Callable[[Figure], str], row: str, column: str) -> _Cells:
        """Return a table with one column per opponent; ``row`` and ``column`` are formats for names."""
        rows = []
        for name in self.table.rows:
            places = [(name, other) for other in self.table.columns]
            met = [_said(self.figures[place], shown) if place in self.figures else "" for place in places]
            rows.append([row.format(name), *met, _spent(map(self.figures.get, places))])
        heads = [column.format(name) for name in self.table.columns]
        return [self.spec.heads[0], *heads, "ms a move"], rows

    def _field(self, spec: Field) -> _Cells:
        rows = []
        for place, player in enumerate(spec.players):
            for seats in self.table.columns:
                met = [self.figures.get((row, seats)) for row in self.table.rows[place :: len(spec.players)]]
                shares = [_said(figure, _score) for figure in met]
                rows.append([f"`{player}`", seats, f"{1 / int(seats):.3f}", *shares, _spent(met)])
        among = ", ".join([f"`{name}`" for name in spec.among])
        heads = [f"{label}, among {among}" for label in self.table.labels]
        return ["player", "seats", "par", *heads, "ms a move"], rows

    def _chain(self) -> _Cells:
        names = self.table.rows
        steps = [self.table.cells[row, BELOW] for row in names[1:]]
        first, second = steps[0].work.settings["players"]
        players = [second if first == steps[0].player else first, *[step.player for step in steps]]
        rows: list[list[str]] = []
        total = 0.0
        for place, (name, player) in enumerate(zip(names, players, strict=True)):
            met = [
                self._figure(replace(step, player=player)) for step in steps[max(0, place - 1) : place + 1]
            ]
            words = ["", "", "0"]
            if place:
                figure = met[0]
                total += elo(figure.share.value) if figure else math.nan
                told = NOT_PLAYED if math.isnan(total) else _signed(total)
                words = [_said(figure, _score), _said(figure, _elo), told]
            rows.append([name, f"`{player}`", *words, _spent(met)])
        return ["level", "player", BELOW, "Elo step", "Elo", "ms a move"], rows

    def _listed(self) -> _Cells:
        is_lost = self.spec.measure is ResultMeasure.LOST
        rows = []
        for place, figure in self.figures.items():
            par = [f"{100 / self.table.cells[place].seats:.1f}"] if is_lost else []
            rows.append([*place, _games(figure), _said(figure, _percent), *par, _spent([figure])])
        measured = ["loss rate, %", "par"] if is_lost else ["score, %"]
        return [*self._heads, "games", *measured, "ms a move"], rows

    @property
    def _heads(self) -> tuple[str, str]:
        return self.spec.heads[0], self.spec.column_head

    def _pruning(self) -> _Cells:
        rows = []
        for place, cell in self.table.cells.items():
            result = self.results.get(cell.work)
            if result is None:
                rows.append([*place, *[NOT_PLAYED] * 7])
                continue
            tally = result.tally
            positions, nodes, seconds = tally["positions"], tally["nodes"], tally["seconds"]
            rows.append([
                *place,
                f"{positions:,}",
                *[f"{nodes[way] / positions:,.1f}" for way in ("whole", "pruned")],
                f"{tally['equal_values']:,}",
                f"{tally['same_choice']:,}",
                *[milliseconds_text(1000 * seconds[way] / positions) for way in ("whole", "pruned")],
            ])  # fmt: skip
        nodes_heads = ("positions", "nodes without pruning", "with pruning")
        others = ("equal values", "same choice", "ms without pruning", "ms with pruning")
        return [*self._heads, *nodes_heads, *others], rows

    def _comparison(self) -> list[str]:
        rows, said = [], []
        for published in self.spec.published:
            figure = self.figures[published.row, published.column]
            name = self._cell_name(published.row, published.column)
            theirs = _share(published.share)
            if published.low is None:
                theirs += ", by Wilson"
            elif published.value is None:
                theirs = f"{100 * published.share.low:.1f} to {100 * published.share.high:.1f}"
            games = f"{published.games:,}" if published.games else ""
            agree, sentence = _compared(published, figure)
            rows.append([name, _said(figure, _percent), _games(figure), theirs, games, agree])
            said.append(f"- {name}: {sentence}\n")
        head = ["figure", "here", "games", "published", "their games", "95 % intervals"]
        return ["### Comparison with the published figures\n", markdown_table(head, rows), "".join(said)]

    def _cell_name(self, row: str, column: str) -> str:
        head = self.spec.column_head
        if head == "against":
            return f"{row} against {column}"
        return f"{row}, {column} seats" if head == "seats" else f"{row}, {head} {column}"

    def _made(self) -> str:
        """Return the table's provenance."""
        works = self.table.works
        games, seed = works[0].steps, works[0].seed
        if not self.found:
            return f"Not played yet: {len(works)} matches of {games:,} games, seed {seed}."
        commits = Counter(result.commit for result in self.found)
        named = ", ".join(
            [
                f"`{commit}`" + (f" ({count} match{'' if count == 1 else 'es'})" if len(commits) > 1 else "")
                for commit, count in commits.items()
            ]
        )
        machines = ", ".join(sorted({result.machine for result in self.found}))
        jobs = sorted({result.jobs for result in self.found})
        at_once = " to ".join(map(str, dict.fromkeys([jobs[0], jobs[-1]])))
        missing = len(works) - len(self.found)
        played = f" {len(self.found)} of {len(works)} matches have been played." if missing else ""
        return (
            f"Commit {named}, seed {seed}, {games:,} games a match, duplicate deals; "
            f"{at_once} process{'' if at_once == '1' else 'es'} on {machines}.{played}"
        )

    def _draw(self, folder: Path) -> str:
        """Plot the played figures into a folder; return the file's name, empty if there are none."""
        path, spec = folder / f"{self.spec.name}.svg", self.spec
        if spec.kind in _CROSSED:
            if bars := self._bars():
                bar_plot(path, bars, self._plot())
            return path.name if bars else ""
        lines = self._pruning_lines() if spec.measure is None else self._lines()
        if lines:
            line_plot(path, lines, self._plot())
        return path.name if lines else ""

    def _plot(self) -> PlotSettings:
        spec = self.spec
        if spec.measure is None:
            return PlotSettings(
                title=spec.title,
                x_label=spec.column_head,
                y_label="with pruning, % of without",
                reference=100,
                reference_label="nothing saved",
            )
        is_lost = spec.measure is ResultMeasure.LOST
        return PlotSettings(
            title=spec.title,
            x_label="" if spec.kind in _CROSSED else spec.column_head,
            y_label=f"{spec.measure.games}, %",
            right_label="ms a move" if isinstance(spec, GridTable) and spec.times else "",
            log_x=isinstance(spec, GridTable) and spec.log and self._is_numeric,
            reference=None if is_lost else 50,
            reference_label="" if is_lost else "equal players",
            bounds=(0, 100),
        )

    def _bars(self) -> list[PlotSeries]:
        """Return published figures next to the measured ones; without any, a group for each player."""
        if self.spec.published:
            pairs = [
                (one, figure) for one in self.spec.published if (figure := self.figures[one.row, one.column])
            ]
            labels = [f"{one.row} against {one.column}" for one, _ in pairs]
            groups = {
                "published": (labels, [one.share for one, _ in pairs]),
                "here": (labels, [figure.share for _, figure in pairs]),
            }
        elif self.spec.kind == "versus":
            rows = {row: self._played(row) for row in self.table.rows}
            groups = {row: (list(met), [one.share for one in met.values()]) for row, met in rows.items()}
        else:
            groups = {}
        return [
            PlotSeries.of_shares(name, labels, shares) for name, (labels, shares) in groups.items() if shares
        ]

    def _lines(self) -> list[PlotSeries]:
        spec, lines = self.spec, []
        for row in self.table.rows:
            found = self._played(row)
            if found:
                xs = self._xs(found)
                lines.append(PlotSeries.of_shares(row, xs, [figure.share for figure in found.values()]))
                if isinstance(spec, GridTable) and spec.times:
                    times = [_milliseconds([figure]) or 0.0 for figure in found.values()]
                    lines.append(PlotSeries(row, xs, times, right_axis=True))
        if not lines:
            return []
        for row in self.table.rows:
            shares = {one.column: one.share for one in spec.published if one.row == row}
            columns = [column for column in self.table.columns if column in shares]
            if columns:
                known = [shares[column] for column in columns]
                lines.append(PlotSeries.of_shares(f"{row}, published", self._xs(columns), known))
        if spec.measure is ResultMeasure.LOST:
            numbers = sorted({cell.seats for cell in self.table.cells.values()})
            lines.append(PlotSeries("equal players", numbers, [100 / number for number in numbers]))
        return lines

    def _pruning_lines(self) -> list[PlotSeries]:
        lines = []
        for row in self.table.rows:
            works = {column: self.table.cells[row, column].work for column in self.table.columns}
            found = {one: result.tally for one, work in works.items() if (result := self.results.get(work))}
            for what in ("nodes", "seconds") if found else ():
                shares = [100 * one[what]["pruned"] / (one[what]["whole"] or 1.0) for one in found.values()]
                name = what if len(self.table.rows) == 1 else f"{what}, {row}"
                lines.append(PlotSeries(name, self._xs(found), shares))
        return lines

    @property
    def _is_numeric(self) -> bool:
        return all(column.replace(".", "", 1).isdecimal() for column in self.table.columns)

    def _xs(self, columns: Iterable[str]) -> list[float] | list[str]:
        return list(map(float, columns)) if self._is_numeric else list(columns)


def _said(figure: Figure | None, shown: Callable[[Figure], str]) -> str:
    return NOT_PLAYED if figure is None else shown(figure)


def _games(figure: Figure | None) -> str:
    return _said(figure, lambda played: f"{played.games:,}")


def _score(figure: Figure) -> str:
    share = figure.share
    other = f" ≠ {figure.otherwise.share.value:.3f}" if figure.otherwise else ""
    return f"{share.value:.3f} ({share.low:.3f}\N{EN DASH}{share.high:.3f}){_forfeits(figure)}{other}"


def _percent(figure: Figure) -> str:
    return _share(figure.share) + _forfeits(figure)


def _share(share: Share) -> str:
    return f"{100 * share.value:.1f} ({100 * share.low:.1f} to {100 * share.high:.1f})"


def _forfeits(figure: Figure) -> str:
    return f", {figure.forfeits} forfeited" if figure.forfeits else ""


def _elo(figure: Figure) -> str:
    low, high = elo_interval((figure.share.low, figure.share.high))
    return f"{_signed(elo(figure.share.value))} ({_signed(low)} to {_signed(high)})"


def _signed(points: float) -> str:
    return f"{points:+.0f}".replace("inf", "∞")


def _spent(figures: Iterable[Figure | None]) -> str:
    return milliseconds_text(_milliseconds(figures))


def _milliseconds(figures: Iterable[Figure | None]) -> float | None:
    """Return the mean CPU time of a decision."""
    known = [figure for figure in figures if figure]
    decisions = sum(figure.decisions for figure in known)
    return 1000 * sum(figure.seconds for figure in known) / decisions if decisions else None


def milliseconds_text(spent: float | None) -> str:
    return NOT_PLAYED if spent is None else three_digits(spent)


def _compared(published: Published, figure: Figure | None) -> tuple[str, str]:
    """Return whether a figure agrees with a published one, in a word and in a sentence."""
    if figure is None:
        return NOT_PLAYED, "not played yet."
    ours, theirs = figure.share, published.share
    if ours.overlaps(theirs):
        return "overlap", "the 95 % intervals overlap."
    is_higher = ours.low > theirs.high
    gap = ours.low - theirs.high if is_higher else theirs.low - ours.high
    said = f"the 95 % intervals do not overlap, ours is {'higher' if is_higher else 'lower'}"
    why = f" {published.why}" if published.why else ""
    return "apart", f"{said} by {100 * gap:.1f} points.{why}"


def _origin(experiment: Experiment, folder: Folder) -> str:
    works, manifest = experiment.works, experiment.manifest
    found = [result for work in works if (result := folder.results.get(work))]
    seeds = dict.fromkeys([result.settings["seed"] for result in found] or [manifest.seed])
    games, positions = (sum(result.tally.get(unit, 0) for result in found) for unit in ("games", "positions"))
    jobs = sorted({result.jobs for result in found})
    at_once = f"{' or '.join(map(str, jobs)) or NOT_PLAYED} {'process' if jobs == [1] else 'processes'}"
    commits = list(dict.fromkeys([result.commit for result in found]))
    changed = " (+: with uncommitted changes)" if any(one.endswith("+") for one in commits) else ""
    seconds = sum(result.seconds for result in found)
    lines = [
        "## How it was made\n",
        f"- Manifest: {experiment.path.name}, copied to [manifest.toml](manifest.toml)",
        *[f"- Command: `{run.command}`, begun {run.began}" for run in folder.runs],
        f"- Commit: {', '.join([f'`{one}`' for one in commits]) or NOT_PLAYED}{changed}",
        f"- Seed: {', '.join(map(str, seeds))}",
        _ORDER,
        f"- Games: {games:,} in {len(found)} of {len(works)} matches or measurements"
        + (f", and {positions:,} positions" if positions else ""),
        f"- Time: {f'{seconds:.1f} s' if seconds < 100 else f'{seconds / 60:.1f} min'}, {at_once} at a time",
        *dict.fromkeys([line for run in folder.runs for line in _environment(run)]),
        _COUNTED,
    ]
    if manifest.source:
        lines.append(f"- Published figures: {manifest.source}")
    players = [[f"`{name}`", f"`{text}`"] for name, text in manifest.agents.items()]
    table = "\n" + markdown_table(["player", "agent"], players, numbers=False) if players else ""
    lines += [f"- Own agent: {origin}" for origin in _own_origins(found)]
    return "\n".join(lines) + "\n" + table


def _own_origins(results: Sequence[TaskResult]) -> list[AgentOrigin]:
    told = [result.settings.get("options", []) for result in results]
    options = [option for one in told for option in (one if isinstance(one, list) else [one])]
    return list(dict.fromkeys([AgentOrigin(**option["origin"]) for option in options if "origin" in option]))


def _environment(run: Run) -> tuple[str, str]:
    machine = "{processor}, {cores} cores, {system}".format_map(run.machine)
    versions = ", ".join([f"{name} {version}" for name, version in run.versions.items()])
    return f"- Machine: {machine}", f"- Versions: {versions}"
