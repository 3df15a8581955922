"""Recorded games and moments of them, as commands ask for them by FILE, --game and --ply."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from durak_core.errors import RecordError
from durak_core.game.files import choose_records
from durak_core.game.record import Record
from durak_core.game.state import State


def one_record(file: Path, game: int | None) -> Record:
    """Return the one game of a file that is asked for; of several one has to be named."""
    records = choose_records(file, game)
    if len(records) != 1:
        raise click.UsageError(f"{file} holds {len(records)} games: say with --game which one is meant")
    return records[0]


def moment(file: Path, game: int | None, ply: int | None) -> tuple[Record, State, int]:
    record = one_record(file, game)
    states = record.replay()
    if ply is None:
        raise click.UsageError(f"say with --ply after how many of the {len(states) - 1} moves")
    return record, state_after(states, ply), ply


def state_after(states: Sequence[State], ply: int) -> State:
    if ply >= len(states):
        raise RecordError(
            "the game has {count} moves; there is no position after {move}", count=len(states) - 1, move=ply
        )
    return states[ply]
