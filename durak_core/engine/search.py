"""The client's view of a search in another process."""

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
"""A report of a search; a string is an ``info string`` or an unknown report."""

_MOST_WAITING: Final = 1000
"""Most unread reports; older ones are dropped."""

_CHECKS: Final = 5
"""Checks without output before the engine is killed."""

_ASKING_CHECK: Final = 3
"""The check at which a silent engine is sent ``isready``."""


@dataclass
class Search:
    """A running search: iterate over its reports, await its choice by `best`.

    Attributes:
        grace_period: Grace period in seconds, for its end and for silence.
        lines: The newest line of each rank.
        reason: The engine's reason for its choice, if messages are on.
    """

    _send: Callable[[str], None] = lambda _text: None
    _kill: Callable[[], None] = lambda: None
    grace_period: float = 60.0
    progress: Progress | None = None
    lines: dict[int, Line] = field(default_factory=dict)
    reason: Message | str = ""
    _is_stopping: bool = False
    _quiet_checks: int = 0
    _timer: asyncio.TimerHandle | None = None
    _done: asyncio.Future[Action] = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    _told: asyncio.Queue[Info | None] = field(default_factory=asyncio.Queue)

    async def __aiter__(self) -> AsyncIterator[Info]:
        while (info := await self._told.get()) is not None:
            yield info
        self._told.put_nowait(None)

    async def best(self) -> Action:
        """Wait for the choice; raise `EngineError` on failure. Cancellation stops the search."""
        try:
            return await asyncio.shield(self._done)
        except asyncio.CancelledError:
            self.abandon()
            raise

    async def stop(self) -> Action:
        """Stop the search and return its choice; raise `EngineError` if the engine crashes or hangs."""
        self.abandon()
        try:
            return await asyncio.wait_for(asyncio.shield(self._done), self.grace_period)
        except TimeoutError:
            raise EngineError(
                "the engine did not stop within {seconds} s",
                requirement="stop",
                seconds=f"{self.grace_period:g}",
            ) from None

    def abandon(self) -> None:
        """Send ``stop`` without waiting; kill an engine that does not obey.

        It is sent once, because a second ``stop`` could end the next search.
        """
        if not self.is_over and not self._is_stopping:
            self._is_stopping = True
            self._send("stop")
            self.expect_end(0.0)

    @property
    def choice(self) -> Action:
        """The engine's choice; raises `EngineError` on failure, `InvalidStateError` before the end."""
        return self._done.result()

    @property
    def is_over(self) -> bool:
        return self._done.done()

    def expect_end(self, seconds: float) -> None:
        """Kill the engine unless the search ends in time, plus the grace period."""
        self._watch(seconds + self.grace_period, self._miss_end)

    def expect_signs(self) -> None:
        """Kill an engine that is silent for the grace period, even after ``isready``.

        Counts checks instead of seconds, because a suspended process cannot answer.
        """
        self._quiet_checks += 1
        if self._quiet_checks > _CHECKS:
            silence = Message(
                "the engine hangs: it said nothing for {seconds} s, though it was asked: expected readyok",
                seconds=f"{self.grace_period:g}",
            )
            self._give_up(EngineError(silence, requirement="alive"))
            return
        if self._quiet_checks == _ASKING_CHECK:
            self._send("isready")
        self._watch(self.grace_period / _CHECKS, self.expect_signs)

    def note_sign(self) -> None:
        self._quiet_checks = 0

    def _miss_end(self) -> None:
        late = Message(
            "the engine hangs: no bestmove {seconds} s after its time", seconds=f"{self.grace_period:g}"
        )
        self._give_up(EngineError(late, "stop" if self._is_stopping else "time"))

    def _give_up(self, why: EngineError) -> None:
        self._kill()
        self.finish(why)

    def _watch(self, seconds: float, check: Callable[[], None]) -> None:
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
            self._done.exception()  # an error that is not awaited is no fault
        else:
            self._done.set_result(outcome)
        self._told.put_nowait(None)
