"""`durak perft`: count action sequences, to check the rules."""

from __future__ import annotations

from typing import Final

import click

from durak_core.cli.choices import IntegerRange, RulesChoice, rules_options, seed_option
from durak_core.game.state import State
from durak_core.kernel.position import MAX_ACTIONS, Position
from durak_core.search.backend.backend import Backend, backend

MANY_SEQUENCES: Final = 50_000
"""From this number of sequences on, compiled code counts the next depth."""


@click.command()
@seed_option
@click.option(
    "--depth", type=IntegerRange(min=1), default=4, metavar="D", help="Maximum length of the sequences."
)
@rules_options
@click.option("--divide", is_flag=True, help="Count separately for each first action.")
def perft(seed: int, depth: int, rules: RulesChoice, divide: bool) -> None:
    """Count the sequences of 1 to D legal actions from the deal of a seed."""
    state = State.deal(rules.rules(), seed)
    click.echo(f"rules {state.rules}, seed {seed}")
    if divide:
        counts = state.divide(depth)
        for action, count in counts.items():
            click.echo(f"{action!s:8} {count}")
        click.echo(f"depth {depth}: {sum(counts.values())}")
        return
    count = 1
    for level in range(1, depth + 1):
        count = state.perft(level) if count < MANY_SEQUENCES else run_perft(state.to_position(), level)
        click.echo(f"depth {level}: {count}")


def run_perft(position: Position, depth: int, runner: Backend | None = None) -> int:
    """Count the sequences of ``depth`` legal actions (1 or more) from a position, which stays unchanged."""
    runner = runner or backend()
    stack = runner.records(position, depth)
    return int(
        runner.functions["perft_on"](stack, runner.integers(MAX_ACTIONS), runner.integers(depth), depth)
    )
