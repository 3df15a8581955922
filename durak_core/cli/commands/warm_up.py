"""`durak warm-up`: compile ahead of time."""

from __future__ import annotations

from importlib import import_module
from time import perf_counter

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from durak_core.kernel.compiled import GROUPS
from durak_core.search.backend.backend import backend, cache_folder_of, functions_of


@click.command(name="warm-up")
def warm_up() -> None:
    """Compile everything that commands need for this machine and cache the result.

    It takes a minute or two, once; later commands then start at once. Without Numba there is nothing to
    compile, and all code runs interpreted.
    """
    import_module("durak_core.lab.equilibrium.cfr")  # declares functions
    began = perf_counter()
    columns = (TextColumn("compiling {task.fields[name]}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        total = sum(len(functions_of(group)) for group in GROUPS)
        task = progress.add_task("compiling", total=total, name="")

        def done(name: str) -> None:
            progress.update(task, advance=1, name=name)

        ready = [backend(group, done) for group in GROUPS]
    if ready[0].name == "plain":
        click.echo(f"interpreted: {ready[0].note}")
        return
    compiled = sum(len(one.functions) for one in ready)
    click.echo(f"ready after {perf_counter() - began:.1f} s: {compiled} functions compiled")
    click.echo(f"compiled code is kept in {cache_folder_of('rules')}")
