"""A few engine processes for many games: each question leases one."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from durak_core.engine.search import Search
from durak_tui.engine.processes import Engine, Question


class EnginePool:
    """Engine processes that start when they are needed.

    A question gets the free process that answered its game's last question, or the one that has been free
    for longest. If all are busy, it waits.

    Args:
        command: The command line; empty for no engine.
        size: Maximum number of processes, at least 1.
    """

    def __init__(self, command: Sequence[str], size: int) -> None:
        self._engines = [Engine(command, gives_way=True) for _ in range(size)]
        self._free = list(self._engines)
        self._games: dict[Engine, object] = {}
        self._turns = asyncio.Semaphore(size)

    async def answer(self, question: Question) -> Search:
        """Answer a question; raise `EngineError` if its process fails."""
        async with self._turns:
            known = [engine for engine in self._free if self._games.get(engine) is question.game]
            engine = (known or self._free)[0]
            self._free.remove(engine)
            self._games[engine] = question.game
            try:
                return await engine.answer(question)
            finally:
                self._free.append(engine)

    async def close(self) -> None:
        await asyncio.gather(*(engine.close() for engine in self._engines))
