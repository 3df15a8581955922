"""Engine processes for bots, hints, reviews and puzzles, and the threads around them.

A bot's decision cannot be stopped, and hints must not wait for it. The hint engine may use all processors
at a lower priority. Bots run at normal priority, so that players do not wait for them.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import logging
import os
import shlex
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final, Protocol, TypeVar

from durak_core import Action, Observation, SearchedAction, State
from durak_core.agents.learned import NO_NETWORK
from durak_core.deadline import NEVER, Deadline
from durak_core.engine.client import DURAK, EngineClient, Info, Search
from durak_core.engine.protocol import Budget
from durak_core.errors import EngineError, Message
from durak_core.puzzles.solution import KnownSolutions, Solution, solution_of
from durak_tui.sandbox import is_confined

_T = TypeVar("_T")


async def in_thread(function: Callable[..., _T], *arguments: object) -> _T:
    """Call a function in a daemon thread, in the caller's context.

    Unlike a thread pool, a daemon thread does not keep the program alive while a bot thinks.
    """
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[_T] = loop.create_future()
    context = contextvars.copy_context()

    def settle(finish: Callable[[], None]) -> None:
        if not answer.done():
            finish()

    def work() -> None:
        try:
            finish = partial(answer.set_result, context.run(function, *arguments))
        except BaseException as error:  # noqa: BLE001 - it is raised where the answer is awaited
            finish = partial(answer.set_exception, error)
        with contextlib.suppress(RuntimeError):  # the loop is closed and nothing awaits the result
            loop.call_soon_threadsafe(settle, finish)

    threading.Thread(target=work, daemon=True).start()
    return await answer


def turn_of(loop: asyncio.AbstractEventLoop) -> Callable[[], None]:
    """Return a function that a computing thread calls between steps to let the event loop run.

    Without it, every key waits for the thread.
    """

    def give() -> None:
        had_its_turn = threading.Event()
        with contextlib.suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(had_its_turn.set)
            had_its_turn.wait()

    return give


ENGINE_VARIABLE: Final = "DURAK_ENGINE"
"""The environment variable with another engine's command, or ``off`` for no engine."""

ALL_LINES: Final = 1000
"""More than the actions of any position, so that an engine reports each of them."""

_HANDSHAKE: Final = 30.0
"""Seconds until a starting engine must answer, on a busy machine."""
_LEAST_TIME: Final = 50
"""Minimum milliseconds per question."""
_ABANDONED: Final = 3.0
"""Seconds until the process of an abandoned decision is killed."""
_FAREWELL: Final = 0.5
"""Seconds for a process to exit by itself."""

_LOG: Final = logging.getLogger(__name__)
_LOG.addHandler(logging.NullHandler())


def processors() -> int:
    """Return the number of search threads. Visitors in the browser share the machine."""
    if is_confined():
        return 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def engine_command() -> tuple[str, ...]:
    """Return the engine's command: this package's own, the environment's, or empty for no engine."""
    given = os.environ.get(ENGINE_VARIABLE, "").strip()
    if not given:
        return DURAK
    return () if given == "off" else tuple(shlex.split(given))


_LATE: Final = frozenset({"alive", "stop", "time"})
"""Requirements of docs/protocol.md that an engine misses on a machine that has too much else to do."""


async def ask_twice(
    ask: Callable[[], Awaitable[_T]], failed: Callable[[EngineError], None] = lambda _error: None
) -> _T:
    """Call `ask`, and once more after an `EngineError`, which is passed to `failed`."""
    try:
        return await ask()
    except EngineError as error:
        failed(error)
        return await ask()


def plain(error: EngineError) -> Message:
    """Return the error as a message for players. The details go to the log."""
    _LOG.warning("%s", error)
    if error.requirement in _LATE:
        return Message("this machine was too busy")
    return Message("the engine has failed") if error.requirement else error.message


@dataclass(frozen=True, slots=True)
class EngineQuestion:
    """A question to an engine.

    Attributes:
        patience: Grace period in seconds beyond the search time, or in total without a time.
        options: Engine options by name.
        game: An object that identifies the game. A new object starts a new game in the engine.
        deadline: When the search has to end, however long the process takes to start.
        compared: Actions to compare, if the engine can; the others are not tried. Empty for all.
        by_playouts: Whether to search without a network, if the engine can.
    """

    observation: Observation
    budget: Budget
    patience: float
    options: Mapping[str, str] = field(default_factory=dict)
    game: object = None
    deadline: Deadline = NEVER
    compared: tuple[Action, ...] = ()
    by_playouts: bool = False


class Answering(Protocol):
    """Answers questions, with one process or several."""

    async def answer(self, question: EngineQuestion) -> Search:
        """Return the search's result; raise `EngineError` on failure."""


class Engine(EngineClient):
    """An engine process that starts on demand and answers one question at a time.

    Args:
        command: The command line; empty for no engine.
        threads: Search threads, if the engine has such an option.
        gives_way: Whether to run at a lower priority.
    """

    def __init__(self, command: Sequence[str], threads: int = 1, *, gives_way: bool = False) -> None:
        super().__init__(command, grace_period=_HANDSHAKE, options={"Messages": "on"}, gives_way=gives_way)
        self._stop_grace_period = _ABANDONED
        self._threads = threads
        self._turn = asyncio.Lock()
        self._game: object = None
        self._is_closed = False

    def warm(self) -> None:
        """Start the process in the background, if it is not running."""
        if self._command and not self._is_closed:
            self.begin_start()

    async def answer(
        self, question: EngineQuestion, heard: Callable[[Search, Info], None] | None = None
    ) -> Search:
        """Stop the previous search, start this one and return its result.

        If `heard` is given, the grace period restarts with each report. An engine that exceeds it is
        terminated.

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
                raise EngineError(
                    "no answer within {seconds} s after its time", "time", seconds=seconds
                ) from None
            raise EngineError("it said nothing for {seconds} s", "alive", seconds=seconds) from None
        except asyncio.CancelledError:
            search.abandon()
            raise
        return search

    async def _prepare(self, question: EngineQuestion) -> Budget:
        if self._is_closed:
            raise EngineError("the app has ended its engines")
        if not self._command:
            raise EngineError("the engine is switched off by {variable}=off", variable=ENGINE_VARIABLE)
        await self.start()
        if option := self.options.get("Threads"):
            await self.set_option(option.name, str(min(self._threads, int(option.high or self._threads))))
        if option := self.options.get("Compare"):
            await self.set_option(option.name, ",".join(map(str, question.compared)) or option.default)
        if option := self.options.get("Net"):
            await self.set_option(option.name, NO_NETWORK if question.by_playouts else option.default)
        for name, value in question.options.items():
            await self.set_option(name, value)
        if question.game is not None and question.game is not self._game:
            await self.new_game(question.observation.rules)
            self._game = question.game
        if not question.deadline.is_set:
            return question.budget
        return replace(question.budget, time=max(_LEAST_TIME, int(question.deadline.left * 1000)))

    async def close(self, grace_period: float | None = _FAREWELL) -> int | None:
        self._is_closed = True
        return await super().close(grace_period)


class Engines:
    """The app's engines: `players` for bots, `adviser` for hints, reviews and puzzles.

    Bots keep normal priority: on a busy machine a lower one would let them play only in its pauses. If many
    visitors share the machine, keys come first.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self.players = Engine(command, gives_way=is_confined())
        self.adviser = Engine(command, processors(), gives_way=True)

    async def close(self) -> None:
        await asyncio.gather(self.players.close(), self.adviser.close())


PATIENCE: Final = 30.0
"""Grace period in seconds on a busy machine."""


class EnginePool:
    """Engine processes that start when they are needed.

    A question gets the free process that answered its game's last question, or the one that has been free
    for longest. If all are busy, it waits.

    Args:
        size: Maximum number of processes, at least 1.
    """

    def __init__(self, command: Sequence[str], size: int) -> None:
        self._engines = [Engine(command, gives_way=True) for _ in range(size)]
        self._free = list(self._engines)
        self._games: dict[Engine, object] = {}
        self._turns = asyncio.Semaphore(size)

    async def answer(self, question: EngineQuestion) -> Search:
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


class UnsolvedError(Exception):
    """A needed solution has not been requested from the engine."""

    def __init__(self, state: State) -> None:
        super().__init__(str(state))
        self.state = state


class EngineSolutions(KnownSolutions):
    """Caches an engine's solutions.

    Attributes:
        lines: By position, the score and continuation of each action.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.lines: dict[State, tuple[SearchedAction, ...]] = {}

    def of(self, state: State) -> Solution | None:
        if state not in self.lines:
            raise UnsolvedError(state)
        lines = {line.action: line for line in self.lines[state]}
        values = {action: round(2 * line.score - 1) for action, line in lines.items()}
        return solution_of(state, values, lambda action: lines[action].bouts)

    async def find(self, state: State) -> None:
        """Let the engine solve a position.

        Raises:
            EngineError: If it does not answer, or cannot solve it.
        """
        try:
            self.lines[state] = await ask_twice(partial(self._ask, state))
        except EngineError as error:
            raise EngineError(plain(error)) from error

    async def _ask(self, state: State) -> tuple[SearchedAction, ...]:
        observation = state.observation(state.turn or 0)
        budget = Budget(lines=ALL_LINES, infinite=True)
        search = await self._engine.answer(EngineQuestion(observation, budget, PATIENCE))
        lines = search.ranked
        is_whole = {line.action for line in lines} == set(state.legal_actions)
        if not is_whole or not all(line.exact for line in lines):
            raise EngineError("the engine does not solve endgames")
        return lines
