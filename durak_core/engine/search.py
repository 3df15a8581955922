"""A search that another process runs, as those see it who wait for it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from durak_core.actions import Action
from durak_core.engine.protocol import Line, Progress
from durak_core.errors import EngineError
from durak_core.messages import Message

Info: TypeAlias = Progress | Line | str
"""What an engine tells while it searches; a text is an ``info string`` or of a kind unknown here."""

_MOST_WAITING: Final = 1000
"""What an engine has told and nobody has taken yet; of more, the oldest is forgotten."""


@dataclass
class Search:
    """A running search: iterate over it for what the engine tells, await `best` for its choice.

    Attributes:
        lines: The newest line of each rank.
        reason: Why it chose, from an engine that was asked for messages and said so.
    """

    _stop: Callable[[Search], None]
    _patience: float
    progress: Progress | None = None
    lines: dict[int, Line] = field(default_factory=dict)
    is_stopping: bool = False
    reason: Message | str = ""
    _done: asyncio.Future[Action] = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    _told: asyncio.Queue[Info | None] = field(default_factory=asyncio.Queue)

    async def __aiter__(self) -> AsyncIterator[Info]:
        """Yield what the engine tells, until it has named its action or is gone."""
        while (info := await self._told.get()) is not None:
            yield info
        self._told.put_nowait(None)

    async def best(self) -> Action:
        """Wait for the engine's choice; if the waiting is cancelled, the search is stopped.

        Raises:
            EngineError: If the engine refuses, crashes or hangs.
        """
        try:
            return await asyncio.shield(self._done)
        except asyncio.CancelledError:
            self._stop(self)
            raise

    async def stop(self) -> Action:
        """Stop the search and return the choice so far; `EngineError` if the engine crashes or hangs."""
        self._stop(self)
        try:
            return await asyncio.wait_for(asyncio.shield(self._done), self._patience)
        except TimeoutError:
            raise EngineError(
                "the engine did not stop within {seconds} s", duty="stop", seconds=f"{self._patience:g}"
            ) from None

    def abandon(self) -> None:
        """Ask for the end of the search and wait for nothing."""
        self._stop(self)

    @property
    def choice(self) -> Action:
        """What the engine chose; `EngineError` if it failed, `InvalidStateError` if it still searches."""
        return self._done.result()

    @property
    def is_over(self) -> bool:
        return self._done.done()

    def tell(self, info: Info) -> None:
        if isinstance(info, Progress):
            self.progress = info
        elif isinstance(info, Line):
            self.lines[info.rank] = info
        if self._told.qsize() >= _MOST_WAITING:
            self._told.get_nowait()
        self._told.put_nowait(info)

    def finish(self, outcome: Action | EngineError) -> None:
        if self._done.done():
            return
        if isinstance(outcome, EngineError):
            self._done.set_exception(outcome)
            self._done.exception()  # whether anybody asks or not, it counts as heard
        else:
            self._done.set_result(outcome)
        self._told.put_nowait(None)
