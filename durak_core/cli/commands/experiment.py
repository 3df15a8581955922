"""`durak experiment`, `bench-agent` and `dataset`: published results."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from pathlib import Path
from time import perf_counter
from typing import Any, Final

import click

from durak_core.cli import choices, output
from durak_core.cli.root import Subcommands
from durak_core.errors import DurakError
from durak_core.files import GrowingFile
from durak_core.installation import require
from durak_core.lab.experiments.benchmark import (
    BENCHMARK,
    DEALS,
    SEEDS,
    Benchmark,
    BenchmarkTally,
    check_opponents,
)
from durak_core.lab.experiments.dataset import DATASET, SHARDS, DataSet, write_dataset
from durak_core.lab.experiments.manifest import Experiment, find_manifests, read_experiment
from durak_core.lab.experiments.report import parts_around, put_into, render, write_report
from durak_core.lab.experiments.results import Figure, Folder, TaskResult
from durak_core.lab.experiments.tables import Task
from durak_core.lab.matches.schedule import check_rules, play_matches
from durak_core.lab.stats.match_results import ResultMeasure
from durak_core.lab.workers import Jobs, cores

_MANIFESTS: Final = Path("benchmarks/experiments")
_RESULTS: Final = Path("results")
_INTERRUPTED: Final = "interrupted; what is finished is kept, and the same command goes on from there"


@click.group(cls=Subcommands)
def experiment() -> None:
    """Play experiments from manifests and compare them with published figures."""


_out_option = click.option(
    "--out",
    type=choices.FILE,
    metavar="FOLDER",
    help="Folder of the results; by default results/NAME, or results/NAME-quick with --quick.",
)


@experiment.command()
@choices.file_argument
@click.option("--quick", is_flag=True, help="Play only a few games of each match, as a test.")
@click.option(
    "--only", multiple=True, metavar="TABLE", help="Play only this table of the manifest; repeatable."
)
@choices.workers_options
@_out_option
def run(
    *, file: Path, quick: bool, only: tuple[str, ...], workers: choices.WorkersChoice, out: Path | None
) -> None:
    """Play the matches of the manifest FILE and write results and a report to a folder.

    Results of the same manifest in the folder are kept, and only missing ones are played. Ctrl+C keeps
    every finished match.

    Example: durak experiment run benchmarks/experiments/thesis-closed.toml --quick
    """
    planned = read_experiment(file, quick=quick)
    chosen = planned.only(only)
    if planned.document:
        for table in planned.tables:
            parts_around(planned.document, table.spec.name)  # fail before the games
    folder = _opened(planned, out)
    words = ["durak", "experiment", "run", str(file), *["--quick"] * quick]
    words += [word for name in only for word in ("--only", name)]
    words += workers.text.split() if not workers.are_one else []
    words += ["--out", str(out)] if out else []
    try:
        with workers.opened() as jobs:
            _play(chosen.works, folder, jobs, shlex.join(words))
    except KeyboardInterrupt:
        click.echo(_INTERRUPTED, err=True)
        _report(planned, folder)
        raise
    _report(planned, folder)


def _play(works: list[Task], folder: Folder, jobs: Jobs, command: str) -> None:
    """Do all work without a result in the folder, and save each result at once."""
    missing = [work for work in works if folder.results.get(work) is None]
    click.echo(f"{len(works)} matches and measurements, {len(works) - len(missing)} of them done before")
    if not missing:
        return
    check_rules([match for work in missing if (match := work.match)])
    at_once = (jobs or cores()) if isinstance(jobs, int) else jobs.width
    began = perf_counter()
    run, finished = folder.begin_run(command, at_once), False
    try:
        for number, work in enumerate(missing, 1):
            click.echo(f"{number}/{len(missing)}  {work.label}")
            work.prepare()
            start = perf_counter()
            with output.progress(work.steps) as step:
                tally = work.play(jobs, folder.games, step)
            seconds = round(perf_counter() - start, 1)
            processor = run.machine["processor"]
            folder.results.add(
                work, TaskResult(work.settings, run.commit, processor, at_once, seconds, tally)
            )
            click.echo(f"    {_summary(tally)}{seconds:.1f} s")
        finished = True
    finally:
        folder.end_run(run, perf_counter() - began, finished=finished)


def _summary(tally: Mapping[str, Any]) -> str:
    """Return a match's score and times, printed while other matches follow."""
    agents = tally.get("agents")
    if not agents:
        return ""
    measure = ResultMeasure.SCORE if len(agents) == 2 else ResultMeasure.LOST
    share, name = Figure.of(agents[0], measure).share, measure.games.partition(" ")[0]
    known = [spent for agent in agents[:2] if (spent := agent["milliseconds_a_move"]) is not None]
    times = "".join([f"{spent}, " for spent in dict.fromkeys([f"{spent:.3g} ms" for spent in known])])
    return f"{name} {share.value:.3f} ({share.low:.3f} to {share.high:.3f}), {times}"


@experiment.command()
@choices.file_argument
@click.option("--quick", is_flag=True, help="Report the results of a run with --quick.")
@_out_option
def report(*, file: Path, quick: bool, out: Path | None) -> None:
    """Write the report of what was played for the manifest FILE so far; no game is played.

    Every interval is computed again from the saved outcomes, if there are any, and must match.
    """
    planned = read_experiment(file, quick=quick)
    _report(planned, _opened(planned, out))


def _opened(planned: Experiment, out: Path | None) -> Folder:
    target = out or _RESULTS / (planned.name + "-quick" * planned.quick)
    folder = Folder.open(target, planned)
    click.echo(f"{planned.manifest.title}: results go to {target}")
    return folder


def _report(planned: Experiment, folder: Folder) -> None:
    """Check the results, and write the tables to the manifest's document or a report."""
    again, matches = folder.results.recounted()
    click.echo(f"{again} of {matches} matches counted again from their games, with the same figures")
    if planned.document:
        for table in planned.tables:
            put_into(planned.document, table.spec.name, render(table, folder.results))
        click.echo(f"tables written to {planned.document}")
        return
    without = write_report(planned, folder)
    if without:
        click.echo(f"the report has no pictures: {without}", err=True)
    click.echo(f"report written to {folder.path / 'report.md'}")


@experiment.command("list")
@click.argument("folder", type=choices.FILE, default=_MANIFESTS)
def list_manifests(folder: Path) -> None:
    """List the manifests in FOLDER, by default benchmarks/experiments."""
    if not folder.is_dir():
        raise DurakError(
            "there is no folder {folder}: expected one with manifests, such as "
            "benchmarks/experiments of a checkout of Durak; name another one as durak "
            "experiment list FOLDER",
            folder=folder,
        )
    rows = []
    for path in find_manifests(folder):
        found = read_experiment(path)
        games = sum(work.steps for work in found.works)
        rows.append(
            (found.manifest.title, found.name, f"{len(found.works)}", f"{games:,}", found.manifest.takes)
        )
    if not rows:
        raise DurakError("{folder} holds no manifest: expected files that end in .toml", folder=folder)
    output.TextTable(("title", "name", "matches", "games", "takes"), tuple(rows)).print()


@click.command("bench-agent")
@click.argument("agent")
@click.option(
    "--deals",
    type=choices.IntegerRange(1, DEALS),
    default=DEALS,
    help="Deals of each of the two seeds; with fewer than all, the run is a trial.",
)
@choices.workers_options
@choices.resume_option
@choices.file_option("--json", "json_file", help="Write the result line to a file, too.")
def bench_agent(
    *, agent: str, deals: int, workers: choices.WorkersChoice, resume: Path | None, json_file: Path | None
) -> None:
    """Measure AGENT against the six frozen opponents of Durak-Bench.

    The opponents play podkidnoy with two seats on 2 x 5,000 held-out deals, each once from both seatings. The
    last line of the output is the result as JSON, to submit to the ranking. A run with fewer --deals is
    marked as a trial and cannot be submitted. Ctrl+C ends the run without a result; --resume FILE
    continues it.

    Example: durak bench-agent greedy --jobs 0
    """
    planned = Benchmark(agent, deals)
    output.check_targets(json_file, inputs=[resume, *output.input_files(planned.matches)])
    counted, origins = BenchmarkTally(planned), output.origins_lines(planned.matches[:1])
    games = sum([match.games for match in planned.matches])
    trial = "trial, " if planned.is_trial else ""
    heading = f"{BENCHMARK}, {trial}{len(SEEDS)} x {deals} deals, {games} games"
    with workers.opened() as jobs, output.kept_games(resume, planned.matches) as saved:
        check_opponents()
        finished = output.count_games(play_matches(planned.matches, jobs, saved), counted.add, games, heading)
    _show(counted)
    output.print_lines(*origins)
    if not finished:
        raise KeyboardInterrupt
    line = json.dumps(counted.as_json(), ensure_ascii=False)
    if json_file:
        with GrowingFile(json_file) as file:
            file.write_line(line)
    click.echo("a trial, not to submit:" if planned.is_trial else "to submit:")
    click.echo(line)


def _show(counted: BenchmarkTally) -> None:
    total = counted.total
    rows = [((name,), tally) for name, tally in [*counted.agents.items(), ("all", total)] if tally.games]
    tables = output.results_tables(("opponent",), rows, total.measure, [total])
    output.Section("", tables, output.forfeits_line([total])).print()


@click.command()
@click.option(
    "--out",
    type=choices.FILE,
    required=True,
    metavar="FOLDER",
    help="Folder of the data set; complete files in it are kept.",
)
@click.option(
    "--shards",
    type=choices.IntegerRange(1, SHARDS),
    default=SHARDS,
    help="Number of shards; with fewer than all, the data set is a trial.",
)
@choices.workers_options
def dataset(*, out: Path, shards: int, workers: choices.WorkersChoice) -> None:
    """Write a million games of mixed agents to a folder, as Parquet.

    20,000 of the games have search info. There are fixed splits for training, validation and test, and a card
    with licence, columns and digest. The same command continues after any interruption, and the digest does
    not depend on the number of processes. It needs the extra export.

    Example: durak dataset --out games --jobs 0
    """
    require("Parquet", "export", "pyarrow")  # fail before the heading
    planned = DataSet(shards)
    click.echo(f"{DATASET}, {shards} of {SHARDS} shards, {shards * planned.games:,} games")
    try:
        with workers.opened() as jobs, output.progress(shards) as step:
            digest = write_dataset(out, planned, jobs, step)
    except KeyboardInterrupt:
        click.echo(_INTERRUPTED, err=True)
        raise
    click.echo(f"digest {digest}")
