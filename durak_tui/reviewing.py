"""Judging a game in the background: position after position goes to an engine; knows no Textual."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from typing import Final, Protocol

from durak_core import Observation
from durak_core.engine.client import Search
from durak_core.engine.protocol import Budget
from durak_core.errors import EngineError
from durak_tui.reviewed import ReviewGame

__all__ = ["Analyst", "Reviewer"]

_ALL_LINES: Final = 1000
"""More than any position has actions: what was played may be the worst of them."""
_ATTEMPTS: Final = 2
"""How often in a row the engine may fail."""
_PATIENCE: Final = 30.0
"""Seconds beyond its time that an answer may take, on a busy machine."""


class Analyst(Protocol):
    """An engine that is asked about positions."""

    async def ask(
        self, observation: Observation, budget: Budget, options: Mapping[str, str] | None = None
    ) -> Search:
        """Begin a search."""


class Reviewer:
    """Asks an engine about every position of a game that is still open, the one shown first.

    Args:
        game: The game; answers are put into it.
        engine: Who is asked.
        changed: Called after every answer, when all is done, and when the work stops.
        milliseconds: For each position.

    Attributes:
        milliseconds: As given; it may be changed at any time.
        problem: Why the engine cannot be asked, or empty.
        is_idle: Whether all is done, until something else is tried out.
    """

    def __init__(
        self, game: ReviewGame, engine: Analyst, changed: Callable[[], None], milliseconds: int = 300
    ) -> None:
        self._game = game
        self._engine = engine
        self._changed = changed
        self.milliseconds = milliseconds
        self.problem = ""
        self.is_idle = False
        self._is_warm = False
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    @property
    def is_running(self) -> bool:
        """Whether it works, or waits for something to do."""
        return self._task is not None and not self._task.done()

    def start(self) -> None:
        """Begin, or go on where it was left; needs a running event loop."""
        if not self.is_running:
            self.problem = ""
            self._task = asyncio.get_running_loop().create_task(self._run(), name="durak-review")

    def stop(self) -> None:
        """Leave off; what was found stays."""
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def close(self) -> None:
        """Leave off, and wait until that is done."""
        task = self._task
        self.stop()
        if task is not None:
            with contextlib.suppress(asyncio.CancelledError):
                await task

    def attend(self) -> None:
        """Look again what is to be done: another position is shown."""
        self._wake.set()

    async def _run(self) -> None:
        failures = 0
        while failures < _ATTEMPTS:
            self._wake.clear()
            wanted = self._game.wanted(warm=self._is_warm)
            self.is_idle = wanted is None
            if wanted is None:
                self._changed()
                await self._wake.wait()
                continue
            place, observation = wanted
            try:
                search = await self._search(observation)
            except EngineError as error:
                failures += 1
                self.problem = str(error)
                continue
            failures = 0
            self.problem = ""
            plain = search.progress is not None and search.progress.backend == "plain"
            self._is_warm = not plain
            lines = [line for _, line in sorted(search.lines.items())]
            self._game.answer(place, lines, hasty=plain and not all(line.exact for line in lines))
            self._changed()
            await asyncio.sleep(0)  # whoever wants to stop it gets a chance, however quick the engine is
        self._task = None
        self._changed()

    async def _search(self, observation: Observation) -> Search:
        """Ask about a position and wait for the end of the search.

        Raises:
            EngineError: If the engine fails, does not answer in time, or talks of another position.
        """
        budget = Budget(time=self.milliseconds, lines=_ALL_LINES)
        try:
            async with asyncio.timeout(self.milliseconds / 1000 + _PATIENCE):
                search = await self._engine.ask(observation, budget, {"Seed": "1"})
                await search.best()
        except TimeoutError:
            raise EngineError(f"no answer within {_PATIENCE:g} s after its time") from None
        found = {line.action for line in search.lines.values()}
        if found != set(observation.legal_actions):
            raise EngineError("the engine did not judge every action of the position")
        return search
