"""`durak bench` and `engine`: speed on this machine, and the engine for other programs."""

from __future__ import annotations

import json
import platform
import shlex
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any

import click
from rich.table import Table

from durak_core.cli.choices import NumberRange, seed_option
from durak_core.cli.output import console
from durak_core.installation import version
from durak_core.lab.speed import (
    Batch,
    SpeedMeasurement,
    StartUp,
    measure_memory,
    measure_speed,
    measure_start_up,
)
from durak_core.lab.workers import cores
from durak_core.rules import Rules
from durak_core.search.backend.backend import Backend, backend, plain_backend


@click.command()
@click.option(
    "--seconds",
    type=NumberRange(min=0.01, max=60),
    default=0.4,
    show_default=True,
    help="Seconds for each measurement.",
)
@seed_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of tables.")
def bench(seconds: float, seed: int, as_json: bool) -> None:
    """Measure plies and games a second, start-up times and memory on this machine.

    It plays random and greedy playouts with 2, 3, 4 and 6 seats of podkidnoy and perevodnoy: interpreted on
    one core, and compiled on one core and on all cores.
    """
    runner = backend()
    start = measure_start_up()
    speeds = []
    for speed in _speeds(runner, seconds, seed):
        speeds.append(speed)
        if not as_json:
            click.echo(".", nl=False, err=True)
    plies = () if runner.note else (10_000, 10_000_000)
    memory = [kib for count in plies if (kib := measure_memory(runner, count))]
    if as_json:
        click.echo(json.dumps(_report(runner, seed, start, speeds, memory)))
        return
    click.echo(err=True)
    _show(runner, seed, start, speeds, memory)


def _speeds(runner: Backend, seconds: float, seed: int) -> Iterator[SpeedMeasurement]:
    ways = [(plain_backend(), 1)]
    if runner.name == "compiled":
        ways += [(runner, threads) for threads in dict.fromkeys((1, cores()))]
    for preset in ("podkidnoy", "perevodnoy"):
        for seats in (2, 3, 4, 6):
            rules = Rules.preset(preset, seats=seats)
            for policy in ("random:uniform", "greedy"):
                for way, threads in ways:
                    yield measure_speed(Batch(rules, [policy] * seats, seed), way, threads, seconds)


def _report(
    runner: Backend, seed: int, start: StartUp, speeds: list[SpeedMeasurement], memory: list[int]
) -> dict[str, Any]:
    return {
        "version": version(),
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cores": cores(),
        "seed": seed,
        "backend": runner.name,
        "note": runner.note,
        "seconds": asdict(start),
        "memory_kib": {"after_10_thousand_plies": memory[0], "after_10_million_plies": memory[1]}
        if memory
        else None,
        "speeds": [
            {name: getattr(speed, name) for name in ("rules", "policy", "backend", "threads")}
            | {name: round(getattr(speed, name), 1) for name in ("games_per_second", "plies_per_second")}
            for speed in speeds
        ],
    }


def _show(
    runner: Backend, seed: int, start: StartUp, speeds: list[SpeedMeasurement], memory: list[int]
) -> None:
    out = console()
    title = f"durak {version()}, Python {platform.python_version()}, seed {seed}"
    out.print(_table(f"games a second: {title}", speeds, lambda speed: speed.games_per_second))
    out.print(_table(f"plies a second: {title}", speeds, lambda speed: speed.plies_per_second))
    if runner.name == "plain":
        out.print(f"all code is interpreted: {runner.note}", soft_wrap=True)
    out.print(f"import durak_core: {start.import_core:.3f} s")
    if start.cold_compile is not None and start.cached_start is not None:
        out.print(
            f"compiled code: {start.cold_compile:.2f} s cold, {start.cached_start:.2f} s from the cache"
        )
    if memory:
        out.print(f"memory: {memory[0]:,} KiB after 10 thousand plies, {memory[1]:,} KiB after 10 million")


def _table(title: str, speeds: list[SpeedMeasurement], figure: Callable[[SpeedMeasurement], float]) -> Table:
    table = Table(title=title)
    ways = list(dict.fromkeys((speed.backend, speed.threads) for speed in speeds))
    for name in ("rules", "policy"):
        table.add_column(name, no_wrap=True)
    for name, threads in ways:
        heading = name if threads == 1 else f"{threads} threads"
        table.add_column(heading, justify="right", no_wrap=True)
    rows: dict[tuple[str, str], list[str]] = {}
    for speed in speeds:
        rows.setdefault((speed.rules, speed.policy), []).append(f"{figure(speed):,.0f}")
    for names, figures in rows.items():
        table.add_row(*names, *figures)
    return table


@click.command()
@click.option("--check", metavar="COMMAND", help="Check the conformance of the engine that COMMAND starts.")
def engine(*, check: str | None) -> None:
    """Run the engine protocol of docs/protocol.md on standard input and output.

    Try: durak, isready, observation TEXT, go time 1000, quit.

    With --check, play a hundred games under many rules with another program's engine, and print the
    conformance requirements of docs/protocol.md that it does not meet; the exit code is 1 if there are any.

    Example: durak engine --check "./bot --level 3"
    """
    if check is None:
        from durak_core.engine.__main__ import read_player  # noqa: PLC0415 - not for a check
        from durak_core.engine.server import serve  # noqa: PLC0415 - as above

        serve(read_player)
    else:
        _check(check)


def _check(text: str) -> None:
    from durak_core.cli.output import print_lines, progress  # noqa: PLC0415 - not for the engine
    from durak_core.lab.engine_check import GAMES, REQUIREMENTS, check_engine  # noqa: PLC0415 - not for the engine

    try:
        command = shlex.split(text)
    except ValueError as error:
        raise click.UsageError(f"--check: {error}; expected words as in a shell") from None
    if not command:
        raise click.UsageError("--check: expected a command")
    with progress(GAMES) as step:
        found = check_engine(command, games=GAMES, on_game=step)
    for breach in found.breaches:
        where = f" ({breach.where})" if breach.where else ""
        times = f", {breach.times} times" if breach.times > 1 else ""
        print_lines(
            f"{breach.requirement}: {REQUIREMENTS[breach.requirement]}", f"  {breach.why}{times}{where}"
        )
        print_lines(*[f"  {line}" for line in breach.lines], "")
    said = [f"{found.name or 'the engine'}: {found.games} games by {len(found.rules)} rules"]
    if found.refused:
        said.append(f"refused: {' '.join(found.refused)}")
    if found.slowest:
        said.append(f"slowest answer {found.slowest:.0f} ms")
    missed = ", ".join(breach.requirement for breach in found.breaches)
    said.append(f"not met: {missed}" if missed else "all requirements met")
    print_lines(", ".join(said))
    if found.breaches:
        raise click.exceptions.Exit(1)
