"""The other side of docs/protocol.md: an engine process, asked from asyncio.

A client starts its process when it is needed and again after a crash or a hang; whoever waits for an
answer gets an `EngineError` then, and the next question goes to a fresh process.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Self, TypeAlias

from durak_core.actions import Action
from durak_core.engine.protocol import (
    LONGEST_LINE,
    VERSION,
    Budget,
    EngineOption,
    Line,
    Progress,
    clipped,
    parse_line,
    parse_option,
    parse_progress,
    read_action,
    write_go,
)
from durak_core.errors import EngineError
from durak_core.game.notation import write_observation
from durak_core.game.observation import Observation
from durak_core.rules import Rules

__all__ = ["DURAK", "EngineClient", "Info", "Search"]

DURAK: Final = (sys.executable, "-m", "durak_core.cli", "engine")
"""The command of this package's own engine."""

Info: TypeAlias = Progress | Line | str
"""What an engine tells while it searches; a text is an ``info string`` or of a kind unknown here."""


@dataclass
class Search:
    """A running search: iterate over it for what the engine tells, await `best` for its choice.

    Attributes:
        progress: What was told last.
        lines: The newest line of each rank.
    """

    _stop: Callable[[Search], None]
    _patience: float
    progress: Progress | None = None
    lines: dict[int, Line] = field(default_factory=dict)
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
        """Stop the search and return the engine's choice so far.

        Raises:
            EngineError: If the engine crashes, or does not stop in time.
        """
        self._stop(self)
        try:
            return await asyncio.wait_for(asyncio.shield(self._done), self._patience)
        except TimeoutError:
            raise EngineError(f"the engine did not stop within {self._patience:g} s") from None

    def abandon(self) -> None:
        """Ask for the end of the search and wait for nothing."""
        self._stop(self)

    @property
    def is_over(self) -> bool:
        """Whether the engine has chosen, or failed."""
        return self._done.done()

    def tell(self, info: Info) -> None:
        """Pass on what the engine told."""
        if isinstance(info, Progress):
            self.progress = info
        elif isinstance(info, Line):
            self.lines[info.rank] = info
        self._told.put_nowait(info)

    def finish(self, outcome: Action | EngineError) -> None:
        """End the search with a choice or an error."""
        if self._done.done():
            return
        if isinstance(outcome, EngineError):
            self._done.set_exception(outcome)
            self._done.exception()  # whether anybody asks or not, it counts as heard
        else:
            self._done.set_result(outcome)
        self._told.put_nowait(None)


class EngineClient:
    """Talks to one engine.

    Args:
        command: What to start.
        patience: Seconds that any answer may take beyond the time a search was given.
        options: Sent after every start, by name.
        environment: The process's variables; None for those of this one.
        quiet: Whether what the process writes to its error output is dropped, as beside a screen it must be.
    """

    def __init__(
        self,
        command: Sequence[str] = DURAK,
        *,
        patience: float = 60.0,
        options: Mapping[str, str] | None = None,
        environment: Mapping[str, str] | None = None,
        quiet: bool = False,
    ) -> None:
        self._command = tuple(command)
        self._patience = patience
        self._settings = dict(options or {})
        self._environment = environment
        self._errors = asyncio.subprocess.DEVNULL if quiet else None
        self._process: asyncio.subprocess.Process | None = None
        self._reader: asyncio.Task[None] | None = None
        self._watch: asyncio.TimerHandle | None = None
        self._awaited: tuple[str, asyncio.Future[None]] | None = None
        self._search: Search | None = None
        self._refusal = ""
        self._option_refusal = ""
        self._is_doomed = False
        self.name = ""
        """What the engine calls itself, once it has been started."""
        self.options: dict[str, EngineOption] = {}
        """What can be set, likewise."""
        self.starts = 0
        """How often a process was started."""

    @property
    def is_running(self) -> bool:
        """Whether there is a process that answers."""
        return self._reader is not None and not self._reader.done() and not self._is_doomed

    @property
    def pid(self) -> int | None:
        """The process's number, or None when there is none."""
        return self._process.pid if self._process and self.is_running else None

    async def start(self) -> None:
        """Start the process if there is none, and shake hands.

        Raises:
            EngineError: If it cannot be started, or does not answer as docs/protocol.md says.
        """
        if self.is_running:
            return
        await self._end()
        try:
            self._process = await asyncio.create_subprocess_exec(
                *self._command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=self._errors,
                env=self._environment,
                limit=4 * LONGEST_LINE,
            )
        except OSError as error:
            raise EngineError(f"{self._command[0]} cannot be started: {error.strerror or error}") from error
        self.starts += 1
        self._is_doomed = False
        self._reader = asyncio.create_task(self._read(self._process), name="durak-engine-reader")
        await self._ask("durak", "durakok")
        for name, value in self._settings.items():
            self._send(f"setoption name {name} value {value}")
        await self._ask("isready", "readyok")

    async def set_option(self, name: str, value: str) -> None:
        """Set an option, for this process and those that may follow it; nothing may be searched meanwhile.

        Raises:
            EngineError: If the engine refuses, cannot be started or does not answer.
        """
        before = self._settings.get(name)
        if before == value and self.is_running:
            return
        self._settings[name] = value
        self._option_refusal = ""
        if self.is_running:
            self._send(f"setoption name {name} value {value}")
            await self._ask("isready", "readyok")
        else:
            await self.start()
        if self._option_refusal:
            if before is None:
                del self._settings[name]
            else:
                self._settings[name] = before
            raise EngineError(self._option_refusal)

    async def new_game(self, rules: Rules) -> None:
        """Say that a new game begins, and what its rules are.

        Raises:
            EngineError: If the engine cannot be started.
        """
        await self.start()
        self._send(f"newgame {rules.text}")

    async def go(self, observation: Observation, budget: Budget) -> Search:
        """Begin a search; one that is still running is stopped before.

        Args:
            observation: Of the seat to act.
            budget: How long.

        Raises:
            EngineError: If the engine cannot be started or does not answer.
        """
        await self.start()
        if self._search and not self._search.is_over:
            with contextlib.suppress(EngineError):
                await self._search.stop()
            if not self._search.is_over:
                await self._end()
            await self.start()
        self._search = Search(self._stop, self._patience)
        self._refusal = ""
        self._send(f"observation {write_observation(observation)}")
        self._send(write_go(budget))
        if budget.time is not None or budget == Budget(lines=budget.lines):
            self._watch_over((budget.time or 1000) / 1000 + self._patience)
        return self._search

    async def choose(self, observation: Observation, budget: Budget) -> Action:
        """Search and return the choice; cancelling stops the search."""
        return await (await self.go(observation, budget)).best()

    async def close(self, patience: float | None = None) -> None:
        """End the process: politely, and if that does not help by force.

        Args:
            patience: Seconds before force is used; None for the client's own.
        """
        process = self._process
        if process and self.is_running:
            self._send("quit")
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), self._patience if patience is None else patience)
        await self._end()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.close()

    def _send(self, text: str) -> None:
        stdin = self._process.stdin if self._process else None
        if stdin is not None and not stdin.is_closing():
            stdin.write(text.encode() + b"\n")

    async def _ask(self, text: str, answer: str) -> None:
        """Send a line and wait for its answer; a process that does not give it is ended."""
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._awaited = (answer, waiter)
        self._send(text)
        try:
            await asyncio.wait_for(waiter, self._patience)
        except TimeoutError:
            await self._end()
            raise EngineError(f"the engine did not answer {text} within {self._patience:g} s") from None
        except BaseException:
            await self._end()
            raise
        finally:
            self._awaited = None

    def _stop(self, search: Search) -> None:
        """Ask for the end of a search, and end the process if that does not come."""
        if search is self._search and not search.is_over:
            self._send("stop")
            self._watch_over(self._patience)

    def _watch_over(self, seconds: float) -> None:
        """End the process if its search is not over by then."""
        self._unwatch()
        self._watch = asyncio.get_running_loop().call_later(seconds, self._lose_patience, self._search)

    def _unwatch(self) -> None:
        if self._watch:
            self._watch.cancel()
            self._watch = None

    def _lose_patience(self, search: Search | None) -> None:
        if search and not search.is_over:
            search.finish(EngineError(f"the engine hangs: no bestmove {self._patience:g} s after its time"))
            self._kill()

    def _kill(self) -> None:
        self._is_doomed = True
        if self._process and self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()

    async def _end(self) -> None:
        """Make sure that there is no process, and that nobody waits for it.

        Where this is cancelled, the process is known until it is called again.
        """
        process, reader = self._process, self._reader
        if process is None:
            return
        self._is_doomed = True
        self._unwatch()
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
        if process.stdin:
            process.stdin.close()
        await process.wait()
        if reader:
            await asyncio.wait([reader], timeout=self._patience)
            reader.cancel()
        if self._process is process:
            self._process = self._reader = None

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        """Take in what the engine says, until it says nothing more."""
        error = EngineError("the engine has ended, or was ended")
        try:
            assert process.stdout is not None  # noqa: S101 - it was started with a pipe
            while line := await process.stdout.readline():
                self._take(line.decode("utf-8", "replace").strip())
        except (EngineError, ValueError) as problem:
            error = EngineError(f"the engine does not follow the protocol: {problem}")
            self._kill()
        finally:
            if self._search:
                self._search.finish(error)
            if self._awaited and not self._awaited[1].done():
                self._awaited[1].set_exception(error)

    def _take(self, text: str) -> None:
        """Understand one line of the engine."""
        word, _, rest = text.partition(" ")
        if self._awaited and text == self._awaited[0]:
            if not self._awaited[1].done():
                self._awaited[1].set_result(None)
        elif word == "id":
            kind, _, value = rest.partition(" ")
            self.name = value if kind == "name" else self.name
        elif word == "option":
            option = parse_option(text)
            self.options[option.name] = option
        elif word == "protocol" and rest != str(VERSION):
            raise EngineError(f"it speaks version {clipped(rest)}, and this client {VERSION}")
        elif word == "error" and rest.startswith("setoption:"):
            self._option_refusal = rest
        elif self._search:
            self._take_search(self._search, word, rest, text)

    def _take_search(self, search: Search, word: str, rest: str, text: str) -> None:
        if word == "bestmove":
            self._unwatch()
            search.finish(read_action(rest))
        elif word == "error" and rest.startswith("observation:"):
            self._refusal = rest  # the engine has nothing to search now, and refuses the go that follows
        elif word == "error" and rest.startswith("go:"):
            self._unwatch()
            search.finish(EngineError(self._refusal or rest))
        elif word == "info":
            kind, _, value = rest.partition(" ")
            if kind == "iterations":
                search.tell(parse_progress(text))
            else:
                search.tell(parse_line(text) if kind == "line" else value)
