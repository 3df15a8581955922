"""Many games by policies at once, on one core or on all: the fastest way to count games.

The figures are the same in CPython and compiled, and whatever the number of threads.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import Final, NamedTuple

from durak_core.game.setup import no_deal_stands
from durak_core.kernel.deal import new_position
from durak_core.kernel.position import MAX_ACTIONS, Position
from durak_core.rules import Rules
from durak_core.search.backend.backend import Backend, backend
from durak_core.search.policies.expert import N_WEIGHTS
from durak_core.search.policies.playouts import COLUMNS, EXPERT, GREEDY, RANDOM, UNIFORM, Desk

POLICIES: Final = {"random": RANDOM, "random:uniform": UNIFORM, "greedy": GREEDY, "expert": EXPERT}
"""Agent texts that are policies, and can be played in batches."""

_CHUNK_GAMES: Final = {"plain": 50, "compiled": 2000}
"""Games a call: some hundredths of a second, so that progress shows and Ctrl+C is heard."""


class GameFigures(NamedTuple):
    """What a batch tells of one game.

    Attributes:
        fool: The number of the team that lost, without teams the fool's seat; None for a draw.
        digest: 32-bit hash of the actions, to compare backends by.
    """

    fool: int | None
    bouts: int
    plies: int
    digest: int


@dataclass(frozen=True)
class Batch:
    """Games to be played, numbered and seeded as in `durak_core.lab.matches.match`.

    Attributes:
        policies: One of `POLICIES` for each player, as many as seats.
        weights: For each player the weights by which it plays as ``expert``, `N_WEIGHTS` integers; None for
            the usual ones. Players left out have the usual ones.
        noises: For each player the noise with which it does, as for
            `durak_core.search.policies.temperament.tempered_policy`. Players left out have none.
    """

    rules: Rules
    policies: Sequence[str]
    games: int
    seed: int
    weights: Sequence[Sequence[int] | None] = ()
    noises: Sequence[int] = ()


def play_batch(batch: Batch, *, threads: int = 1, runner: Backend | None = None) -> Iterator[GameFigures]:
    """Play all games of a batch and yield their figures in the order of their numbers.

    Args:
        batch: What to play.
        threads: How many at once; 0 for one each core. Only compiled games run at the same time.
        runner: Where to run; by default the best backend, compiled now if need be.

    Raises:
        DealError: If no deal stands (rules 3.4).
    """
    runner = runner or backend()
    threads = threads or os.cpu_count() or 1
    step = _CHUNK_GAMES[runner.name]
    chunks = ((first, min(step, batch.games - first)) for first in range(0, batch.games, step))
    with ThreadPoolExecutor(threads) as pool:
        pending = deque(
            pool.submit(play_chunk, runner, batch, *chunk) for chunk in islice(chunks, 2 * threads)
        )
        try:
            while pending:
                rows = pending.popleft().result()
                pending.extend(pool.submit(play_chunk, runner, batch, *chunk) for chunk in islice(chunks, 1))
                for row in rows:
                    yield GameFigures(row[0] if row[0] >= 0 else None, *row[1:])
        finally:
            for future in pending:
                future.cancel()


def play_chunk(runner: Backend, batch: Batch, first: int, count: int) -> list[list[int]]:
    """Play some games of a batch, however many it has, in one call and return the rows of `play_games`.

    Raises:
        DealError: If no deal stands (rules 3.4).
    """
    policies = runner.integers(batch.rules.seats)
    for player, name in enumerate(batch.policies):
        policies[player] = POLICIES[name]
    desk = Desk()
    for player, weights in enumerate(batch.weights):
        if weights is not None:
            desk.weights[player * N_WEIGHTS : (player + 1) * N_WEIGHTS] = weights
    desk.noises[: len(batch.noises)] = batch.noises
    table = runner.table(count, COLUMNS)
    position, desks = runner.records(new_position(batch.rules), 1), runner.records(desk, 1)
    if runner.functions["play_games"](position[0], desks[0], policies, batch.seed, first, table) < count:
        raise no_deal_stands(batch.rules)
    rows: list[list[int]] = table if isinstance(table, list) else table.tolist()
    return rows


def run_perft(position: Position, depth: int, runner: Backend | None = None) -> int:
    """Count the sequences of ``depth`` legal actions, 0 or more, from a position, which is left as it was."""
    if depth == 0:
        return 1
    runner = runner or backend()
    stack = runner.records(position, depth)
    return int(
        runner.functions["perft_on"](stack, runner.integers(MAX_ACTIONS), runner.integers(depth), depth)
    )
