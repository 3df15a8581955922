"""The asyncio client of the engine protocol (docs/protocol.md), and its view of a search.

A client starts its process on demand. After a crash or a hang the pending call raises an `EngineError`, and
the next one starts a new process.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Self, TypeAlias

from durak_core.actions import Action
from durak_core.engine import protocol
from durak_core.engine.process import EngineProcess
from durak_core.engine.protocol import EventSync, Progress
from durak_core.errors import EngineError, Message, shortened
from durak_core.game.notation.position_text import write_observation
from durak_core.game.observation import Observation
from durak_core.options import Option
from durak_core.rules import Rules
from durak_core.search.search_result import SearchedAction

Info: TypeAlias = Progress | tuple[int, SearchedAction] | str
"""A report of a search: its progress, an action's rank and evaluation, or an ``info string`` or an unknown
report.
"""

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
    lines: dict[int, SearchedAction] = field(default_factory=dict)
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
    def ranked(self) -> tuple[SearchedAction, ...]:
        """The newest lines, best first."""
        return tuple([self.lines[rank] for rank in sorted(self.lines)])

    @property
    def is_interpreted(self) -> bool:
        """Whether the engine has not been compiled yet: a later search may do better."""
        return self.progress is not None and self.progress.backend == "plain"

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
        elif isinstance(info, tuple):
            rank, line = info
            self.lines[rank] = line
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


DURAK: Final = (sys.executable, "-m", "durak_core.engine")

_LONGEST_NAME: Final = 100

_MOST_OPTIONS: Final = 200

_MESSAGES: Final = "Messages"
"""Option for messages as templates and values."""

_KNOWN: Final = frozenset({"bestmove", "durakok", "error", "id", "info", "option", "protocol", "readyok"})
"""First words of answers."""


class EngineClient:
    """A client of one engine; calls can be cancelled.

    Args:
        grace_period: Grace period in seconds for an answer, beyond the time of its search; also the longest
            silence in a search without a time, after ``isready``.
        options: Options set after every start, by name.
        gives_way: Whether to run at a lower priority, if supported.
    """

    def __init__(
        self,
        command: Sequence[str] = DURAK,
        *,
        grace_period: float = 60.0,
        options: Mapping[str, str] | None = None,
        environment: Mapping[str, str] | None = None,
        gives_way: bool = False,
    ) -> None:
        self._command = tuple(command)
        self._gives_way = gives_way
        self._grace_period = grace_period
        self._stop_grace_period = grace_period
        self._settings = dict(options or {})
        self._environment = environment
        self._process: EngineProcess | None = None
        self._starting: asyncio.Task[None] | None = None
        self._rules: Rules | None = None
        self._awaited: list[tuple[str, asyncio.Future[None]]] = []
        self._search: Search | None = None
        self._refusal: EngineError | None = None
        self._complaint: EngineError | None = None
        self._message: Message | None = None
        self._told = EventSync()
        self.note: Callable[[str, str], None] = lambda _mark, _line: None
        """Called with each line and its mark: ``>`` command, ``<`` answer, ``!`` standard error."""
        self.version = 0
        """Protocol version of the engine; 0 before its start."""
        self.name = ""
        """Name of the engine; empty before its first start."""
        self.options: dict[str, Option] = {}
        """Options of the engine; empty before its first start."""
        self.starts = 0

    @property
    def output(self) -> deque[str]:
        return self._process.output if self._process else deque()

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.is_running

    def computed(self) -> float:
        """Return the newest process's CPU time in seconds; nan without psutil."""
        return self._process.computed() if self._process else 0.0

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process and self.is_running else None

    def begin_start(self) -> asyncio.Task[None] | None:
        """Start the process in the background if needed; return the task, or None if it is running."""
        if self._starting is None or self._starting.done():
            if self.is_running:
                return None
            self._starting = asyncio.get_running_loop().create_task(self._start(), name="durak-engine-start")
            self._starting.add_done_callback(lambda task: task.cancelled() or task.exception())
        return self._starting

    async def start(self) -> None:
        """Start and greet the process if needed; raise `EngineError` on failure.

        A cancelled start continues in the background.
        """
        if starting := self.begin_start():
            await asyncio.shield(starting)

    async def _start(self) -> None:
        await self._end()
        self._process = await EngineProcess.start(self._command, self._hear, self._over, self._environment)
        if self._gives_way:
            self._process.give_way()
        self.starts += 1
        self.version = 0
        self._told = EventSync()
        self._awaited.clear()
        try:
            await self._shake_hands()
        except EngineError:
            await self._end()
            raise

    async def _shake_hands(self) -> None:
        await self._ask("durak", "durakok")
        if not self.version:
            raise EngineError(
                "the engine did not name its protocol: expected protocol {known} before durakok",
                requirement="version",
                known=protocol.VERSION,
            )
        for name, value in self._settings.items():
            self.send(f"setoption name {name} value {value}")
        if self._rules is not None:
            self.send(f"newgame {self._rules.text}")
        await self.ready()

    async def ready(self, line: str = "isready") -> None:
        """Wait until the engine has processed every command; raise `EngineError` if it does not answer."""
        await self._ask(line, "readyok")

    async def set_option(self, name: str, value: str) -> None:
        """Set an option of this process and its successors; raise `EngineError` if it is refused."""
        await self.start()
        await self._stop_running()
        if self._settings.get(name) != value:
            await self._tell(f"setoption name {name} value {value}")
            self._settings[name] = value

    async def new_game(self, rules: Rules) -> None:
        """Start a game, whose rules apply to all later observations; raise `EngineError` on failure."""
        self._rules = None
        await self.start()
        await self._stop_running()
        self._told = EventSync()
        await self._tell(f"newgame {rules.text}")
        self._rules = rules

    async def end_game(self, observation: Observation, result: str) -> None:
        """Send the game's result for a seat to a running engine of version 2."""
        if self.is_running and self.version > 1 and (self._search is None or self._search.is_over):
            self._tell_events(observation)
            self.send(f"endgame {result}")

    async def go(self, observation: Observation, budget: protocol.Budget) -> Search:
        """Start a search for the seat to act, stopping a running one; raise `EngineError` on failure."""
        await self.start()
        await self._stop_running()
        self._search = search = Search(self.send, self._kill, self._grace_period)
        self._refusal = self._message = None
        self._tell_events(observation)
        self.send(f"observation {write_observation(observation)}")
        self.send(protocol.write_go(budget))
        if budget.time is not None or budget == protocol.Budget(lines=budget.lines):
            search.expect_end((budget.time or 1000) / 1000)
        else:
            search.expect_signs()
        return search

    async def choose(self, observation: Observation, budget: protocol.Budget) -> Action:
        return await (await self.go(observation, budget)).best()

    async def close(self, grace_period: float | None = None) -> int | None:
        """End the process by ``quit``, then by force; return its own exit code, or None."""
        if self._starting is not None and not self._starting.done():
            self._starting.cancel()
            await asyncio.wait({self._starting}, timeout=self._grace_period)
        self.send("quit")
        return await self._farewell(grace_period)

    async def close_input(self) -> int | None:
        """End the process as `close` does, but by closing its input."""
        if self._process:
            self._process.close_input()
        return await self._farewell()

    async def _farewell(self, grace_period: float | None = None) -> int | None:
        process, code = self._process, None
        if process and self.is_running:
            await process.ended(self._grace_period if grace_period is None else grace_period)
            code = process.returncode
        await self._end()
        return code

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.close()

    def send(self, text: str) -> None:
        if self._process and self.is_running:
            self.note(">", text)
            self._process.send(text)

    async def _ask(self, text: str, answer: str) -> None:
        """Send a line and wait for its answer; end the process on timeout."""
        if not self.is_running:
            fault = self._process.fault if self._process else None
            raise fault or EngineError("the engine has ended, or was ended", requirement="start")
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._awaited.append((answer, waiter))
        self.send(text)
        try:
            await asyncio.wait_for(waiter, self._grace_period)
        except TimeoutError:
            await self._end()
            raise EngineError(
                "the engine did not answer {text} within {seconds} s",
                requirement="greeting" if text == "durak" else "ready",
                text=text,
                seconds=f"{self._grace_period:g}",
            ) from None

    def _tell_events(self, observation: Observation) -> None:
        if self.version > 1:
            for line in self._told.news(observation):
                self.send(line)

    async def _tell(self, text: str) -> None:
        """Send a command that is answered only if it is refused."""
        self._complaint = None
        self.send(text)
        await self.ready()
        if self._complaint:
            raise self._complaint

    async def _stop_running(self) -> None:
        """Stop the running search; if that fails, end its process."""
        if self._search is None or self._search.is_over:
            return
        with contextlib.suppress(EngineError, TimeoutError):
            await asyncio.wait_for(self._search.stop(), self._stop_grace_period)
        if not self._search.is_over:
            await self._end()
        await self.start()

    def _kill(self) -> None:
        if self._process:
            self._process.kill()

    async def _end(self) -> None:
        if self._process:
            await self._process.end(self._grace_period)

    def _over(self, error: EngineError) -> None:
        """Fail the search and all pending calls after the end of the output."""
        if self._search:
            self._search.finish(error)
        for _, waiter in self._awaited:
            if not waiter.done():
                waiter.set_exception(error)
        self._awaited.clear()

    def _hear(self, mark: str, text: str) -> None:
        self.note(mark, text)
        if mark == "<":
            self._take(text)

    def _take(self, text: str) -> None:
        """Parse one line of output; a known first word shows that the engine is alive."""
        word, _, rest = text.partition(" ")
        if self._search and word in _KNOWN:
            self._search.note_sign()
        if found := next((one for one in self._awaited if one[0] == text), None):
            self._awaited.remove(found)
            if not found[1].done():  # unless cancelled
                found[1].set_result(None)
        elif word == "id":
            kind, _, value = rest.partition(" ")
            self.name = shortened(value, _LONGEST_NAME) if kind == "name" else self.name
        elif word == "option":
            self._take_option(protocol.parse_option(text))
        elif word == "protocol":
            self._take_version(rest)
        elif word == "info" and rest.startswith("message ") and self._settings.get(_MESSAGES) == "on":
            self._message = protocol.parse_message(text)
        elif word == "error":
            self._take_error(rest)
        elif self._search:
            self._take_search(self._search, word, rest, text)

    def _take_version(self, text: str) -> None:
        if text not in protocol.VERSIONS:
            raise EngineError(
                "it speaks version {version}, and this client {known}",
                requirement="version",
                version=repr(text),
                known=" or ".join(protocol.VERSIONS),
            )
        self.version = protocol.VERSIONS[text]

    def _take_option(self, option: Option) -> None:
        self.options[option.name] = option
        if len(self.options) > _MOST_OPTIONS:
            raise EngineError("it has more than {most} options", most=_MOST_OPTIONS)

    def _take_error(self, rest: str) -> None:
        message, self._message = self._message, None
        subject, _, _ = rest.partition(":")
        requirement = {"newgame": "", "setoption": "options"}.get(subject, "refusal")
        error = EngineError("{why}", requirement, why=rest)
        if message is not None:
            error = EngineError("{where}: {why}", requirement, where=subject, why=message)
        if subject in {"newgame", "setoption"}:
            self._complaint = self._complaint or error
        elif subject in {"observation", "events"}:
            self._refusal = error  # the engine refuses the go that follows
        elif subject == "go" and self._search:
            self._search.finish(self._refusal or error)

    def _take_search(self, search: Search, word: str, rest: str, text: str) -> None:
        if word == "bestmove":
            search.reason, self._message = self._message or "", None
            search.finish(protocol.read_action(rest))
        elif word == "info":
            kind, _, value = rest.partition(" ")
            if kind == "iterations":
                search.tell(protocol.parse_progress(text))
            else:
                search.tell(protocol.parse_line(text) if kind == "line" else value)
