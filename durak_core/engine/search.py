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

_CHECKS: Final = 5
"""How often it is checked, from the start on, whether a searching engine has said anything."""

_ASKING_CHECK: Final = 3
"""The engine is asked at this check without a word."""


@dataclass
class Search:
    """A running search: iterate over it for what the engine tells, await `best` for its choice.

    Attributes:
        patience: Seconds that its end may be late, or its engine silent.
        lines: The newest line of each rank.
        reason: Why it chose, from an engine that was asked for messages and said so.
    """

    _send: Callable[[str], None] = lambda _text: None
    _kill: Callable[[], None] = lambda: None
    patience: float = 60.0
    progress: Progress | None = None
    lines: dict[int, Line] = field(default_factory=dict)
    reason: Message | str = ""
    _is_stopping: bool = False
    _quiet_checks: int = 0
    _timer: asyncio.TimerHandle | None = None
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
            self.abandon()
            raise

    async def stop(self) -> Action:
        """Stop the search and return the choice so far; `EngineError` if the engine crashes or hangs."""
        self.abandon()
        try:
            return await asyncio.wait_for(asyncio.shield(self._done), self.patience)
        except TimeoutError:
            raise EngineError(
                "the engine did not stop within {seconds} s", duty="stop", seconds=f"{self.patience:g}"
            ) from None

    def abandon(self) -> None:
        """Ask once for the end of the search, and end the process if that does not come.

        An engine that answered every ``stop`` would end the next search as well.
        """
        if not self.is_over and not self._is_stopping:
            self._is_stopping = True
            self._send("stop")
            self.expect_end(0.0)

    @property
    def choice(self) -> Action:
        """What the engine chose; `EngineError` if it failed, `InvalidStateError` if it still searches."""
        return self._done.result()

    @property
    def is_over(self) -> bool:
        return self._done.done()

    # For the client

    def expect_end(self, seconds: float) -> None:
        """Give the engine up if this is not over some time after so many seconds."""
        self._watch(seconds + self.patience, self._miss_end)

    def expect_signs(self) -> None:
        """Give the engine up if it says nothing for a while, although it is asked.

        Checks count instead of seconds: while this process itself stands still, nothing can be heard.
        """
        self._quiet_checks += 1
        if self._quiet_checks > _CHECKS:
            silence = Message(
                "the engine hangs: it said nothing for {seconds} s, though it was asked: expected readyok",
                seconds=f"{self.patience:g}",
            )
            self._give_up(EngineError(silence, duty="alive"))
            return
        if self._quiet_checks == _ASKING_CHECK:
            self._send("isready")
        self._watch(self.patience / _CHECKS, self.expect_signs)

    def note_sign(self) -> None:
        """Note that the engine has said something."""
        self._quiet_checks = 0

    def _miss_end(self) -> None:
        late = Message(
            "the engine hangs: no bestmove {seconds} s after its time", seconds=f"{self.patience:g}"
        )
        self._give_up(EngineError(late, "stop" if self._is_stopping else "time"))

    def _give_up(self, why: EngineError) -> None:
        self._kill()
        self.finish(why)

    def _watch(self, seconds: float, check: Callable[[], None]) -> None:
        """Look at the search in some seconds, and no longer when it was to be looked at before."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(seconds, check)

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
        if self._timer is not None:
            self._timer.cancel()
        if isinstance(outcome, EngineError):
            self._done.set_exception(outcome)
            self._done.exception()  # whether anybody asks or not, it counts as heard
        else:
            self._done.set_result(outcome)
        self._told.put_nowait(None)
