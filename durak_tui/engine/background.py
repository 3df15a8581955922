"""Background search of one position after another."""

from __future__ import annotations

import asyncio
import contextlib
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from typing import ClassVar, Final, TypeAlias

from durak_core import Observation
from durak_core.engine.protocol import Budget
from durak_core.engine.search import Search
from durak_core.errors import EngineError
from durak_core.messages import Message
from durak_tui.engine.processes import ALL_LINES, Engine, Question, ask_twice, plain

_PATIENCE: Final = 30.0
"""Grace period in seconds on a busy machine."""

Request: TypeAlias = tuple[Observation, int, Callable[[Search], bool]]
"""A position, search milliseconds, and a callback that returns whether the search is news, or raises
`EngineError`.
"""


class BackgroundSearch(ABC):
    """Searches all open positions, and then waits for more.

    Subclasses choose the positions and store the results.

    Args:
        changed: Called after every new result, and when the search stops.
        milliseconds: Time per position. May be changed at any time.

    Attributes:
        problem: Why the engine cannot be used, or empty.
    """

    NAME: ClassVar[str]

    def __init__(self, engine: Engine, changed: Callable[[], None], milliseconds: int) -> None:
        self._engine = engine
        self._changed = changed
        self.milliseconds = milliseconds
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self.problem: Message | str = ""

    @abstractmethod
    def _wanted(self) -> Request | None:
        """Return the next position to search, or None to wait for `_wake`."""

    @property
    def is_running(self) -> bool:
        return self._task is not None and not self._task.done()

    def start(self) -> None:
        """Start or continue. Needs a running event loop."""
        if not self.is_running:
            self.problem = ""
            self._task = asyncio.get_running_loop().create_task(self._run(), name=self.NAME)

    def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def close(self) -> None:
        """Pause and wait until the search has stopped."""
        task = self._task
        self.stop()
        if task is not None:
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def _run(self) -> None:
        while True:
            self._wake.clear()
            wanted = self._wanted()
            if wanted is None:
                await self._wake.wait()
                continue
            try:
                is_news = await ask_twice(partial(self._answer, *wanted), self._failed)
            except EngineError as error:
                self._failed(error)
                break
            self.problem = ""
            if is_news:
                self._changed()
            await asyncio.sleep(0)  # lets others stop it, however quick the engine is
        self._task = None
        self._changed()

    def _failed(self, error: EngineError) -> None:
        self.problem = plain(error)

    async def _answer(
        self, observation: Observation, milliseconds: int, take: Callable[[Search], bool]
    ) -> bool:
        budget = Budget(time=milliseconds, lines=ALL_LINES)
        return take(await self._engine.answer(Question(observation, budget, _PATIENCE, {"Seed": "1"})))
