"""The engine of docs/protocol.md, which answers commands during a search.

One thread reads lines, the caller's thread answers them, and a third one searches. An answer waits for one
step of the search at most.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from dataclasses import replace
from functools import partial
from typing import BinaryIO, Final, TextIO

from durak_core.agents.base import Agent, TimedAgent
from durak_core.agents.learned import AUTO, NetworkSelector
from durak_core.agents.registry import NamedAgent, read_agent
from durak_core.deadline import Deadline
from durak_core.engine import protocol
from durak_core.engine.protocol import (
    MOST_EVENTS,
    Budget,
    Progress,
    parse_events,
    write_line,
    write_progress,
)
from durak_core.errors import DurakError, EngineError, Message, printable
from durak_core.game.events import Event
from durak_core.game.notation.position_text import read_observation
from durak_core.game.observation import Observation
from durak_core.installation import version
from durak_core.interrupts import exit_code
from durak_core.kernel.position import MAX_SEATS
from durak_core.options import OFF_ON, Option
from durak_core.rules import Rules
from durak_core.search.analysis import Analysis
from durak_core.search.backend.backend import (
    Backend,
    backend_now,
    disable_blocking_compile,
    plain_backend,
    warm,
)
from durak_core.search.ismcts.tree_search import SearchSettings

ANALYSIS: Final = "analysis"
"""Value of the option Agent for the analysis."""

REPORT_SECONDS: Final = 0.2

_MOST_AGENTS: Final = 24
"""Most agents kept; more than a game has seats."""


class Agents:
    """The agents of the running game, each started once for its seat and seed.

    They are kept for the next game, so that they can recognise their opponents.

    Args:
        read: Reads an agent spec; raises `AgentError` if it is invalid.
    """

    def __init__(self, read: Callable[[str], NamedAgent] = read_agent) -> None:
        self._read = read
        self._agents: dict[tuple[str, str, int, int], Agent] = {}
        self._resting: list[Agent] = []

    def check(self, text: str) -> str:
        """Return an agent's canonical spec; raise `EngineError` if the agent sees all cards."""
        if text == ANALYSIS:
            return text
        named = self._read(text)
        if named.build().sees_all:
            raise EngineError(
                "{canonical} needs all cards, and an observation has only its seat's: expected an "
                "agent without open",
                canonical=named.text,
            )
        return named.text

    def next_game(self) -> None:
        """Restart each agent at its next use."""
        self._resting = list(self._agents.values()) or self._resting
        self._agents.clear()

    def of(self, text: str, observation: Observation, seed: int) -> Agent:
        """Return the agent of an observation's seat; raise `AgentError` if it does not support the rules."""
        key = (text, observation.rules.text, observation.seat, seed)
        if key not in self._agents:
            agent = next((one for one in self._resting if one.text == text), None)
            if agent is None:
                agent = self._read(text).build()
            else:
                self._resting.remove(agent)
            agent.begin(observation.rules, observation.seat, seed)
            if len(self._agents) >= _MOST_AGENTS:
                del self._agents[next(iter(self._agents))]
            self._agents[key] = agent
        return self._agents[key]


class GoThread(threading.Thread):
    """Answers one ``go`` while the engine answers other commands.

    Args:
        what: The subject of error messages.
        answer: Returns the last lines of the answer, given this thread; may write earlier ones.
        write: Writes lines together; thread-safe.
        told: Formats a message's template and values as lines.
        can_stop: Whether `stop` takes effect soon.
    """

    def __init__(
        self,
        what: str,
        answer: Callable[[GoThread], list[str]],
        write: Callable[..., None],
        told: Callable[[Message], list[str]],
        *,
        can_stop: bool,
    ) -> None:
        super().__init__(name="durak-go", daemon=True)
        self._what = what
        self._answer = answer
        self._write = write
        self._told = told
        self.can_stop = can_stop
        self.is_silent = False
        self.stopped = threading.Event()
        self.is_over = False

    def stop(self, *, silent: bool = False) -> None:
        """Request the end; with ``silent``, without an answer."""
        self.is_silent = self.is_silent or silent
        self.stopped.set()

    def run(self) -> None:
        try:
            lines = self._answer(self)
        except DurakError as error:
            lines = [*self._told(error.message), f"error go: {error}"]
        except Exception as error:  # noqa: BLE001 - the process must go on answering
            lines = [f"error go: {self._what} failed: {type(error).__name__}: {error}"]
        del self._answer  # and with it the memory of the search
        self.is_over = True  # before the answer, after which the next command may come at once
        self.write(*lines)

    def write(self, *lines: str) -> None:
        if not self.is_silent:
            self._write(*lines)


def _report(analysis: Analysis, deadline: Deadline, lines: int | None) -> Iterator[str]:
    milliseconds = int(deadline.spent * 1000)
    yield write_progress(Progress(analysis.iterations, analysis.nodes, milliseconds, analysis.backend))
    for rank, line in enumerate(analysis.lines()[:lines], 1):
        yield write_line(rank, line)


def _search(
    analysis: Analysis,
    budget: Budget,
    deadline: Deadline,
    thread: GoThread,
) -> list[str]:
    """Search until the budget is spent or the thread is stopped, in compiled code once it is ready."""
    reported, runs_in = deadline.spent, analysis.backend
    for share in analysis.begin(budget.iterations, deadline):
        if not analysis.step(budget.iterations, share) or thread.stopped.is_set():
            break
        if deadline.spent - reported >= REPORT_SECONDS:
            for line in _report(analysis, deadline, budget.lines):
                thread.write(line)
            reported = deadline.spent
        if analysis.backend != runs_in:
            runs_in = analysis.backend
            thread.write("info string compiled: the compiled code is ready and continues the search")
    return [*_report(analysis, deadline, budget.lines), f"bestmove {analysis.lines()[0].action}"]


_ALL: Final = "all"

OPTIONS: Final = (
    Option("Seed", "", "1", low=0, high=(1 << 63) - 1),
    Option("Memory", "", "64", low=1, high=4096),
    Option("Threads", "", "1", low=1, high=64),
    Option("Lines", "", "5", low=1, high=1000),
    Option("Compiled", "", "on", tuple(OFF_ON)),
    Option("Agent", "", ANALYSIS),
    Option("Net", "", AUTO),
    Option("Compare", "", _ALL),
)
"""The options: seed, megabytes, threads, lines, compiled code, agent, network, actions to compare."""

_UNLISTED: Final = (Option("Messages", "", "off", tuple(OFF_ON)),)
"""Options missing from the greeting."""

DEFAULT_TIME: Final = 1000
"""Milliseconds of a ``go`` without a budget."""

_PATIENCE: Final = 10.0
_LONGEST_ANSWER: Final = 600


def serve(read: Callable[[str], NamedAgent]) -> None:
    """Answer standard input, then end the process; ``read`` reads the specs of agents."""
    code = 0
    disable_blocking_compile()
    try:
        output = sys.stdout
        with redirect_stdout(sys.stderr):  # what an own agent prints is no answer
            Server(sys.stdin.buffer, output, version(), read).run()
    except KeyboardInterrupt:
        code = exit_code()
    if sys.stdin is sys.__stdin__:
        # Daemon threads may be reading or compiling; a normal exit of the interpreter could crash in them.
        # Every answer has been flushed.
        os._exit(code)


class Server:
    """Answers one client's commands from a source with lines to a target."""

    def __init__(
        self,
        source: BinaryIO,
        target: TextIO,
        version: str = "",
        read: Callable[[str], NamedAgent] = read_agent,
    ) -> None:
        self._source = source
        self._target = target
        self._version = version
        self._lock = threading.Lock()
        self._inbox: queue.Queue[str | EngineError | None] = queue.Queue(maxsize=1000)
        self._gone = threading.Event()
        self._options = {option.name: option.default for option in (*OPTIONS, *_UNLISTED)}
        self._rules: Rules | None = None
        self._observation: Observation | None = None
        self._histories: dict[int, tuple[Event, ...]] = {}
        self._is_news: set[int] = set()
        self._search: GoThread | None = None
        self._agents = Agents(read)
        self._guides = NetworkSelector(AUTO)
        self._answers: dict[str, Callable[[str], None]] = {
            "durak": self._identify,
            "isready": lambda _rest: self._say("readyok"),
            "setoption": self._set_option,
            "newgame": self._new_game,
            "events": self._hear,
            "observation": self._observe,
            "go": self._go,
            "stop": self._stop,
            "endgame": self._end_game,
        }

    def run(self) -> None:
        """Answer until ``quit``, or the end of the input or output."""
        warm("guided")
        threading.Thread(target=self._read, name="durak-input", daemon=True).start()
        ended = False
        while not self._gone.is_set():
            found = self._inbox.get()
            if found is None:
                ended = True
                break
            if isinstance(found, EngineError):
                self._say(f"error input: {found}")
            elif self._answer(found):
                break
        if self._search:
            self._search.stop(silent=not ended)
            if self._search.can_stop or (ended and not self._gone.is_set()):
                self._search.join(_PATIENCE)

    def _read(self) -> None:
        try:
            for line in _read_lines(self._source):
                self._inbox.put(line)
        except (OSError, ValueError):
            pass  # closing the input ends it
        self._inbox.put(None)

    def _say(self, *texts: str) -> None:
        """Write lines together; a closed output ends the engine silently."""
        plain = [text.encode("ascii", "backslashreplace").decode("ascii") for text in texts]
        lines = map(printable, plain)
        with self._lock:
            if self._gone.is_set():
                return
            try:
                self._target.write("".join([line + "\n" for line in lines]))
                self._target.flush()
            except (OSError, ValueError):
                self._gone.set()
        if self._gone.is_set():
            self._wake()

    def _wake(self) -> None:
        """Wake the answering thread; a full inbox does so anyway."""
        if self._search:
            self._search.stop(silent=True)
        try:
            self._inbox.put_nowait(None)
        except queue.Full:
            return

    def _answer(self, text: str) -> bool:
        """Answer a line; return whether it was ``quit``."""
        name = "input"
        try:
            command = protocol.parse_command(text)
            if command is None:
                return False
            name, rest = command
            if name == "quit":
                return True
            self._perform(name, rest)
        except DurakError as error:
            self._fail(name, error.message)
        except Exception as error:  # noqa: BLE001 - a bug must not end the client's session
            self._fail(name, f"this engine has a fault: {type(error).__name__}: {error}")
        return False

    def _fail(self, name: str, message: Message | str) -> None:
        text = str(message)
        if len(text) > _LONGEST_ANSWER:
            half = _LONGEST_ANSWER // 2
            text = f"{text[:half]} ... {text[-half:]}"
        self._say(*self._told(message), f"error {name}: {text}")

    def _told(self, text: Message | str) -> list[str]:
        """Format a message's template and values, if the option Messages is on."""
        if not isinstance(text, Message) or self._options["Messages"] == "off":
            return []
        line = protocol.write_message(text)
        return [line] if len(line) <= protocol.LONGEST_LINE else []

    def _perform(self, name: str, rest: str) -> None:
        idle_only = ("setoption", "newgame", "events", "observation", "go", "endgame")
        if name in idle_only and self._is_searching():
            raise EngineError("a search is running: expected stop first, or its bestmove")
        self._answers[name](rest)

    def _is_searching(self) -> bool:
        return self._search is not None and not self._search.is_over

    def _identify(self, _rest: str) -> None:
        self._say(f"id name Durak {self._version}".strip())
        self._say("id author the Durak project")
        for option in OPTIONS:
            self._say(protocol.write_option(option))
        self._say(f"protocol {protocol.VERSION}")
        self._say("durakok")

    def _set_option(self, rest: str) -> None:
        name, value = protocol.parse_setoption(rest)
        known = (*OPTIONS, *_UNLISTED)
        option = next((option for option in known if option.name.lower() == name.lower()), None)
        if option is None:
            names = ", ".join(option.name for option in OPTIONS)
            raise EngineError("unknown option {name}: expected one of {names}", name=repr(name), names=names)
        checked = protocol.check_value(option, value)
        if option.name == "Compare" and checked != _ALL:
            checked = ",".join(str(protocol.read_action(text)) for text in checked.split(","))
        if option.name == "Net":
            self._guides = NetworkSelector(checked)
        self._options[option.name] = self._agents.check(checked) if option.name == "Agent" else checked

    def _new_game(self, rest: str) -> None:
        if not rest:
            raise EngineError("the rules are missing: expected newgame RULES, as in newgame podkidnoy")
        self._rules = Rules.parse(rest)
        self._observation = None
        self._histories.clear()
        self._is_news.clear()
        self._agents.next_game()

    def _hear(self, rest: str) -> None:
        seat, start, events = parse_events(rest)
        known = self._histories.get(seat, ())
        if seat >= MAX_SEATS or start > len(known) or start + len(events) > MOST_EVENTS:
            raise EngineError(
                "seat {seat} from {start}: expected a seat below {seats}, and at most {known}, "
                "the number of events received",
                seat=seat,
                start=start,
                seats=MAX_SEATS,
                known=len(known),
            )
        self._histories[seat] = known[:start] + events
        self._is_news.add(seat)

    def _end_game(self, rest: str) -> None:
        """Drop the position; the agents keep their memory."""
        if not rest:
            raise EngineError("the result is missing: expected endgame RESULT, as in endgame fool 1")
        self._observation = None

    def _observe(self, rest: str) -> None:
        self._observation = None
        if not rest:
            raise EngineError("the text is missing: expected observation rules=... seat=... bout=... ...")
        observation = read_observation(rest)
        if self._rules is not None and observation.rules != self._rules:
            raise EngineError(
                "the rules are {rules}, but newgame has {known}: expected the same",
                rules=observation.rules,
                known=self._rules,
            )
        seat = observation.seat
        if seat in self._is_news:
            self._is_news.remove(seat)
            observation = replace(observation, events=self._histories[seat])
        self._observation = observation

    def _go(self, rest: str) -> None:
        budget = protocol.parse_go(rest)
        if self._observation is None:
            raise EngineError("there is nothing to search: expected observation TEXT before go")
        search = self._search_for(self._observation, budget)
        search.start()  # the system may refuse another thread
        self._search = search

    def _search_for(self, observation: Observation, budget: Budget) -> GoThread:
        """Return the analysis's thread, or the thread of the agent that the option Agent names."""
        seed = int(self._options["Seed"])
        deadline = Deadline() if budget.time is None else Deadline(budget.time / 1000)
        if self._options["Agent"] != ANALYSIS:
            agent = self._agents.of(self._options["Agent"], observation, seed)
            decide = partial(self._decide, agent, observation, deadline)
            return GoThread(agent.text, decide, self._say, self._told, can_stop=False)
        if budget == Budget(lines=budget.lines):
            deadline = Deadline(DEFAULT_TIME / 1000)
        compared = self._options["Compare"]
        settings = SearchSettings(
            memory=float(self._options["Memory"]),
            threads=int(self._options["Threads"]),
            compared=() if compared == _ALL else tuple(map(protocol.read_action, compared.split(","))),
        )
        settings = self._guides.fit(settings, observation.rules)
        warm(settings.group)
        find_backend = partial(self._best_backend, settings.group)
        runner = find_backend()
        analysis = Analysis(observation, seed, runner, settings, better=find_backend)
        self._say(f"info string {runner.name}: {runner.note or 'Numba'}")
        budget = replace(budget, lines=budget.lines or int(self._options["Lines"]))
        search = partial(_search, analysis, budget, deadline)
        return GoThread("the search", search, self._say, self._told, can_stop=True)

    def _decide(
        self, agent: Agent, observation: Observation, deadline: Deadline, _thread: GoThread
    ) -> list[str]:
        """Ask a started agent."""
        if isinstance(agent, TimedAgent):
            decision = agent.choose_by(observation, deadline)
        else:
            decision = agent.choose(observation)
        reason = decision.reason
        why = [*self._told(reason), f"info string reason: {reason}"] if reason else []
        return [*why, f"bestmove {decision.action}"]

    def _stop(self, _rest: str) -> None:
        if self._search is None or not self._is_searching():
            raise EngineError("no search is running: expected go before stop")
        self._search.stop()
        if self._search.can_stop:
            self._search.join()

    def _best_backend(self, group: str) -> Backend:
        if self._options["Compiled"] == "off":
            return plain_backend("compiled code is switched off by the option Compiled")
        return backend_now(group)


def _read_lines(source: BinaryIO) -> Iterator[str | EngineError]:
    """Yield an input's lines without their ends, and an error for each invalid line.

    Lines that are too long are skipped without being stored.
    """
    while chunk := source.readline(protocol.LONGEST_LINE + 2):
        if chunk.endswith(b"\n"):
            yield chunk.decode("utf-8", "replace").rstrip("\r\n")
        elif len(chunk) <= protocol.LONGEST_LINE + 1:
            yield EngineError(
                "the input ends within the line {text}: expected a line end",
                text=repr(chunk.decode("utf-8", "replace")),
            )
        else:
            while chunk and not chunk.endswith(b"\n"):
                chunk = source.readline(protocol.LONGEST_LINE)
            yield EngineError(
                "a line is too long: expected at most {most} characters", most=protocol.LONGEST_LINE
            )
