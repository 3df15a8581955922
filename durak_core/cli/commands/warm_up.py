"""`durak warm-up`: compile now, so that nothing has to be compiled later."""

from __future__ import annotations

import os
import sys
import threading
from time import perf_counter
from typing import Final

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from durak_core.search.backend.backend import backend, cache_folder, functions_of
from durak_core.search.backend.elsewhere import OTHERS_DO, compiling_lock, ready_mark

_GROUPS: Final = ("rules", "search", "classic", "network", "players", "guided", "opponents")

_LESS_URGENT: Final = 10
"""How much nicer a process is that compiles beside another."""


@click.command(name="warm-up")
@click.option("--beside", type=click.Choice(_GROUPS), multiple=True, hidden=True)
def warm_up(beside: tuple[str, ...]) -> None:
    """Compile the rules, playouts, searches and networks for this machine and cache the machine code.

    It takes some seconds, once. Without numba there is nothing to compile, and everything runs in plain
    Python.
    """
    if beside:
        sys.exit(_compile_beside(beside))
    began = perf_counter()
    columns = (TextColumn("compiling {task.fields[name]}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(
            "compiling", total=sum(len(functions_of(group)) for group in _GROUPS), name=""
        )

        def done(name: str) -> None:
            progress.update(task, advance=1, name=name)

        ready = [backend(group, done) for group in _GROUPS]
    if ready[0].name == "plain":
        click.echo(f"plain Python: {ready[0].note}")
        return
    compiled = sum(len(one.functions) for one in ready)
    click.echo(f"ready after {perf_counter() - began:.1f} s: {compiled} functions compiled")
    click.echo(f"machine code is kept in {cache_folder()}")


def _compile_beside(groups: tuple[str, ...]) -> int:
    """Compile what a program wants to have that goes on meanwhile: give way to others, and end with it."""
    if hasattr(os, "nice"):
        os.nice(_LESS_URGENT)
    threading.Thread(target=_end_with_input, daemon=True).start()
    folder = cache_folder()
    lock = compiling_lock(folder)
    if lock is None:
        return OTHERS_DO
    try:
        missing = [group for group in groups if not ready_mark(folder, group).exists()]
        return 0 if all(backend(group).name == "compiled" for group in missing) else 1
    finally:
        lock.release()


def _end_with_input() -> None:
    """End this process at once when the one that started it ends; what is compiled stays."""
    while os.read(0, 1):
        pass
    os._exit(1)
