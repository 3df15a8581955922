"""`durak engine`: run the engine for other programs, or check theirs."""

from __future__ import annotations

import shlex

import click


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
        from durak_core.engine.server import serve  # noqa: PLC0415 - not for a check

        serve()
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
