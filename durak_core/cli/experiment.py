"""`durak experiment`: what a manifest asks, played and reported."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Final

import click

from durak_core.arena.experiments.folder import Folder
from durak_core.arena.experiments.manifest import find_manifests, read_experiment
from durak_core.arena.experiments.report import write_report
from durak_core.arena.experiments.running import Watching, run_experiment
from durak_core.cli.choices import WorkersChoice, workers_options
from durak_core.cli.output import progress
from durak_core.cli.root import INTERRUPTED
from durak_core.cli.tables import TextTable
from durak_core.errors import DurakError

_MANIFESTS: Final = Path("benchmarks/experiments")
_RESULTS: Final = Path("results")


@click.group()
def experiment() -> None:
    """Play the experiments that manifests describe, and report them beside published figures."""


@experiment.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--quick", is_flag=True, help="Only a few games of each match, to see that it works.")
@workers_options
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Where the results go; by default results/NAME, or results/NAME-quick.",
)
def run(*, file: Path, quick: bool, workers: WorkersChoice, out: Path | None) -> None:
    """Play what the manifest FILE asks for, and write a folder with results and a report.

    A folder with results of the same manifest is continued: what is finished is not played again. Ctrl+C
    keeps what was played.

    Example: durak experiment run benchmarks/experiments/thesis-closed.toml --quick
    """
    planned = read_experiment(file, quick=quick)
    target = out or _RESULTS / (planned.name + "-quick" * quick)
    folder = Folder.open(target, planned)
    words = ["durak", "experiment", "run", str(file), *["--quick"] * quick]
    words += workers.text.split() if not workers.are_one else []
    words += ["--out", str(out)] if out else []
    click.echo(f"{planned.manifest.title}: results go to {target}")
    finished = False
    try:
        with workers.opened() as jobs:
            run_experiment(planned, folder, jobs, shlex.join(words), Watching(click.echo, progress))
        finished = True
    except KeyboardInterrupt:
        click.echo("interrupted; what is finished is kept, and the same command goes on from there", err=True)
    without = write_report(planned, folder)
    if without:
        click.echo(f"the report has no pictures: {without}", err=True)
    click.echo(f"report written to {target / 'report.md'}")
    if not finished:
        raise click.exceptions.Exit(INTERRUPTED)


@experiment.command("list")
@click.argument("folder", type=click.Path(path_type=Path), default=_MANIFESTS)
def list_manifests(folder: Path) -> None:
    """List the manifests of FOLDER, by default benchmarks/experiments."""
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
    TextTable(("title", "name", "matches", "games", "takes"), tuple(rows)).print()
