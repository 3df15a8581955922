"""The engine processes of the app: one in which bots think, one that gives advice.

There are two because a bot's decision cannot be stopped, and advice must not wait for one. Advice may use all
processors, at a lower priority; a bot has the usual priority, or a person would wait for it.
"""

from __future__ import annotations

import asyncio
import logging
import os
import shlex
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeVar

from durak_core import Observation
from durak_core.deadline import NEVER, Deadline
from durak_core.engine.client import DURAK, EngineClient
from durak_core.engine.protocol import Budget
from durak_core.engine.search import Info, Search
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
"""Seconds that an abandoned decision may still take before its process is ended."""
_FAREWELL: Final = 0.5
"""Seconds that a process gets to end by itself."""

_LOG: Final = logging.getLogger(__name__)
_LOG.addHandler(logging.NullHandler())
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
    """Return the words for players; the details go to the log."""
    _LOG.warning("%s", error)
    return Message("the engine has failed") if error.duty else error.message


@dataclass(frozen=True, slots=True)
class Question:
    """A question to an engine.

    Attributes:
        patience: Seconds that the answer may take beyond its time, or in all without one.
        options: The engine's options, by name.
        game: An object that stands for the game; another one begins a new game in the engine.
        deadline: When the search has to end, however long the process takes to start.
    """

    observation: Observation
    budget: Budget
    patience: float
    options: Mapping[str, str] = field(default_factory=dict)
    game: object = None
    deadline: Deadline = NEVER


class Engine(EngineClient):
    """An engine process that starts on demand and answers one question at a time.

    Args:
        command: What to start; empty for no engine.
        threads: Threads of a search, if the engine has such an option.
        gives_way: Whether to run at a lower priority.
    """

    def __init__(self, command: Sequence[str], threads: int = 1, *, gives_way: bool = False) -> None:
        super().__init__(command, patience=_HANDSHAKE, options={"Messages": "on"}, gives_way=gives_way)
        self._stop_patience = _ABANDONED
        self._threads = threads
        self._turn = asyncio.Lock()
        self._game: object = None
        self._is_closed = False

    def warm(self) -> None:
        """Start the process in the background, if none runs."""
        if self._command and not self._is_closed:
            self.begin_start()

    async def answer(self, question: Question, heard: Callable[[Search, Info], None] | None = None) -> Search:
        """Stop the search before, ask, and return the search when it is over.

        If `heard` is given, the patience begins again with each report. An engine that exhausts it is ended.

        Raises:
            EngineError: If the engine cannot be started, refuses or does not answer.
        """
        now = asyncio.get_running_loop().time
        async with self._turn:
            budget = await self._prepare(question)
            asked_at = now()
            search = await self.go(question.observation, budget)
        is_timed = heard is None and budget.time is not None
        time = (budget.time or 0) / 1000 if is_timed else 0.0
        try:
            async with asyncio.timeout_at(asked_at + time + question.patience) as limit:
                async for info in search:
                    if heard is not None:
                        limit.reschedule(now() + question.patience)
                        heard(search, info)
                await search.best()
        except TimeoutError:
            async with self._turn:
                await super().close(_FAREWELL)  # the next question starts another process
            seconds = f"{question.patience:g}"
            if is_timed:
                raise EngineError("no answer within {seconds} s after its time", seconds=seconds) from None
            raise EngineError("it said nothing for {seconds} s", seconds=seconds) from None
        except asyncio.CancelledError:
            search.abandon()
            raise
        return search

    async def _prepare(self, question: Question) -> Budget:
        """Send what comes before a question, and return the budget that is left."""
        if self._is_closed:
            raise EngineError("the app has ended its engines")
        if not self._command:
            raise EngineError("the engine is switched off by {variable}=off", variable=ENGINE_VARIABLE)
        await self.start()
        if option := self.options.get("Threads"):
            await self.set_option(option.name, str(min(self._threads, option.most or self._threads)))
        for name, value in question.options.items():
            await self.set_option(name, value)
        if question.game is not None and question.game is not self._game:
            await self.new_game(question.observation.rules)
            self._game = question.game
        if not question.deadline.is_set:
            return question.budget
        return replace(question.budget, time=max(_LEAST_TIME, int(question.deadline.left * 1000)))

    async def close(self, patience: float | None = _FAREWELL) -> int | None:
        """End the process for good."""
        self._is_closed = True
        return await super().close(patience)


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
