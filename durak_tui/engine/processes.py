"""The engine processes of the app: one in which bots think, one that gives advice.

They are two because a bot's decision cannot be stopped, and advice must not wait for one. Advice may use all
processors, and so it gives way to other programs where they are scarce; a bot may not, or a person would wait
for it.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeVar

from durak_core import Observation
from durak_core.deadline import NEVER, Deadline
from durak_core.engine.client import DURAK, EngineClient
from durak_core.engine.protocol import Budget
from durak_core.engine.search import Search
from durak_core.errors import EngineError
from durak_core.messages import Message
from durak_tui.confinement import is_confined

ENGINE_VARIABLE: Final = "DURAK_ENGINE"
"""The environment variable that names another engine's command, or ``off`` for none."""

_HANDSHAKE: Final = 30.0
"""Seconds that a starting engine may take to answer, on a busy machine."""
_LEAST_TIME: Final = 50
"""Milliseconds that a question gets in any case."""
_ABANDONED: Final = 3.0
"""Seconds that a decision nobody waits for may still take before its process is ended."""
_FAREWELL: Final = 0.5
"""Seconds that a process gets to end by itself."""
_KILLING: Final = 5.0
"""Seconds that the end of a process which was just starting may take."""

_T = TypeVar("_T")


def processors() -> int:
    """Return how many threads may search: a visitor in the browser shares the machine with others."""
    if is_confined():
        return 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def engine_command() -> tuple[str, ...]:
    """Return the command of the engine: this package's own, or that of the environment; empty for none."""
    given = os.environ.get(ENGINE_VARIABLE, "").strip()
    if not given:
        return DURAK
    return () if given == "off" else tuple(shlex.split(given))


async def ask_twice(
    ask: Callable[[], Awaitable[_T]], failed: Callable[[EngineError], None] = lambda _error: None
) -> _T:
    """Ask an engine, and once more after a failure, which `failed` is called with."""
    try:
        return await ask()
    except EngineError as error:
        failed(error)
        return await ask()


def plain(error: EngineError) -> Message:
    """Return what a player is told of a failure; what the engine did is in Textual's log."""
    from textual import log  # noqa: PLC0415 - sessions can do without Textual

    log.warning(str(error))
    return Message("the engine has failed") if error.duty else error.message


class Engine:
    """A process that starts when it is needed and answers one question at a time.

    Args:
        command: What to start; empty for an engine that is never there.
        threads: How many threads shall search, as far as the engine has such an option.
        gives_way: Whether others come first where processors are scarce.
    """

    def __init__(self, command: Sequence[str], threads: int = 1, *, gives_way: bool = False) -> None:
        self._command = tuple(command)
        self._threads = threads
        self._client = EngineClient(
            command, patience=_HANDSHAKE, options={"Messages": "on"}, gives_way=gives_way
        )
        self._lock = asyncio.Lock()
        self._work: set[asyncio.Task[Any]] = set()
        self._search: Search | None = None
        self._game: object = None
        self._is_closed = False

    @property
    def starts(self) -> int:
        return self._client.starts

    @property
    def name(self) -> str:
        """What the engine calls itself; empty before it was started."""
        return self._client.name

    @property
    def pid(self) -> int | None:
        """The process's number, or None when there is none."""
        return self._client.pid

    def warm(self) -> None:
        """Start the process in the background, if there is none and nobody is about to."""
        if self._command and not self._client.is_running and not self._work:
            self.in_background(self._start())

    async def ask(
        self,
        observation: Observation,
        budget: Budget,
        options: Mapping[str, str] | None = None,
        game: object = None,
        deadline: Deadline = NEVER,
    ) -> Search:
        """Begin a search; the one before is stopped.

        With a deadline the search gets what is left of it then, however long the process takes to start.
        Who stops waiting for the beginning leaves the process in order. The engine is told when the object
        that stands for the game is another one.

        Raises:
            EngineError: If the engine cannot be started, refuses or does not answer.
        """
        if self._is_closed:
            raise EngineError("the app has ended its engines")
        if not self._command:
            raise EngineError("the engine is switched off by {variable}=off", variable=ENGINE_VARIABLE)
        work = self.in_background(self._go(observation, budget, options or {}, game, deadline))
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            work.add_done_callback(_abandon)
            raise

    @contextlib.asynccontextmanager
    async def listening(self, search: Search, too_long: Message) -> AsyncIterator[None]:
        """Leave the process in order when somebody gives up a search that they listen to.

        Raises:
            EngineError: With this message, if their time is over; the process is then ended.
        """
        try:
            yield
        except TimeoutError:
            async with self._lock:
                await self._client.close(_FAREWELL)  # the next question starts another process
            raise EngineError(too_long) from None
        except asyncio.CancelledError:
            search.abandon()
            raise

    async def close(self) -> None:
        """End the process for good, and whatever waits for it."""
        self._is_closed = True
        for task in tuple(self._work):
            task.cancel()
        if self._work:
            await asyncio.wait(self._work, timeout=_KILLING)
        await self._client.close(_FAREWELL)

    def in_background(self, work: Coroutine[Any, Any, _T]) -> asyncio.Task[_T]:
        """Do something with this engine; it is over when the engine is closed."""
        task = asyncio.get_running_loop().create_task(work, name="durak-engine-work")
        self._work.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._work.discard(task)
        if not task.cancelled():
            task.exception()  # whoever waits gets it; if nobody does any more it is no fault

    async def _start(self) -> None:
        async with self._lock:
            await self._prepare()

    async def _prepare(self) -> None:
        await self._client.start()
        option = self._client.options.get("Threads")
        if option is not None:
            threads = min(self._threads, option.most or self._threads)
            await self._client.set_option(option.name, str(threads))

    async def _go(
        self,
        observation: Observation,
        budget: Budget,
        options: Mapping[str, str],
        game: object,
        deadline: Deadline,
    ) -> Search:
        async with self._lock:
            await self._end_search()
            await self._prepare()
            for name, value in options.items():
                await self._client.set_option(name, value)
            if game is not None and self._game is not game:
                await self._client.new_game(observation.rules)
                self._game = game
            if deadline.is_set:
                budget = replace(budget, time=max(_LEAST_TIME, int(deadline.left * 1000)))
            self._search = await self._client.go(observation, budget)
            return self._search

    async def _end_search(self) -> None:
        """Let go of the search before; a process that does not is ended."""
        if self._search is None or self._search.is_over:
            return
        with contextlib.suppress(EngineError, TimeoutError):
            await asyncio.wait_for(self._search.stop(), _ABANDONED)
        if not self._search.is_over:
            await self._client.close(_FAREWELL)


def _abandon(work: asyncio.Task[Search]) -> None:
    """Stop a search that began when nobody waited for it any more."""
    if not work.cancelled() and work.exception() is None:
        work.result().abandon()


class Engines:
    """The engines of the app: one in which bots think, and one that is asked for advice.

    Bots do not give way: beside a busy program they would play in its pauses only. Where many play on one
    machine, keys come first.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self.players = Engine(command, gives_way=is_confined())
        self.adviser = Engine(command, processors(), gives_way=True)

    async def close(self) -> None:
        await asyncio.gather(self.players.close(), self.adviser.close())
