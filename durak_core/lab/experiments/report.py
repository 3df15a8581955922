"""The report of an experiment: question, provenance, tables, plots and published figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from durak_core.errors import DurakError
from durak_core.files import write_text_atomically
from durak_core.lab.experiments.document import (
    NOT_PLAYED,
    Figures,
    caveat,
    chain,
    crossed,
    figures_of,
    milliseconds_text,
    spent_text,
)
from durak_core.lab.experiments.folder import Folder, Run
from durak_core.lab.experiments.manifest import Experiment
from durak_core.lab.experiments.markdown import markdown_table
from durak_core.lab.experiments.pictures import draw
from durak_core.lab.experiments.results import Figure, Results, TaskResult
from durak_core.lab.experiments.tables import Published, Table
from durak_core.lab.own_agents.origins import Origin
from durak_core.lab.plots.drawing import check_picture
from durak_core.lab.stats.match_results import ResultMeasure
from durak_core.statistics import Share

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
