"""Recorded games replayed by compiled code, for files of so many games that compiling takes less time."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from durak_core.files import MEGABYTE
from durak_core.game.state import State
from durak_core.kernel.position import Position
from durak_core.search.backend.backend import Backend, backend

_MANY_GAMES: Final = 32 * MEGABYTE
"""Bytes of recorded games whose compiled replay saves the seconds that loading its code takes."""


def compile_replays(size: int) -> None:
    """Replay games compiled from now on in this process, if recorded games of ``size`` bytes are many."""
    runner = backend("replay") if size >= _MANY_GAMES else None
    if runner is not None and runner.name == "compiled":
        State.replay = partial(_replay, runner)


def _replay(runner: Backend, start: Position, seats: Sequence[int], codes: Sequence[int]) -> Position | None:
    stack = runner.records(start, 1)
    by, played = runner.integers(len(codes)), runner.integers(len(codes))
    try:
        by[:], played[:] = seats, codes
    except OverflowError:  # a file may name any seat
        return None
    if not runner.functions["replay"](stack, by, played):
        return None
    fields: list[Any] = [one if isinstance(one, int) else one.tolist() for one in stack[0].item()]
    return Position(*fields)
