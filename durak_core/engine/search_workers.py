"""The threads that answer ``go``, by an agent or by an analysis in small steps."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import ClassVar, Final, TypeAlias

from durak_core.agents.base import Agent, Decision, TimedAgent
from durak_core.agents.registry import agent_text, make_agent
from durak_core.deadline import Deadline
from durak_core.engine.protocol import Budget, Line, Progress, write_line, write_progress
from durak_core.errors import DurakError, EngineError
from durak_core.game.observation import Observation
from durak_core.messages import Message
from durak_core.search.analysis import Analysis
from durak_core.search.backend.backend import Backend

ANALYSIS: Final = "analysis"
"""Value of the option Agent for the analysis."""

REPORT_SECONDS: Final = 0.2

_MOST_AGENTS: Final = 24
"""Most agents kept; more than a game has seats."""

_Common: TypeAlias = tuple[Deadline, Callable[..., None], Callable[[Message | str], Sequence[str]]]


def check_agent(text: str) -> str:
    """Return an agent's canonical spec; raise `EngineError` if the agent sees all cards."""
    if text == ANALYSIS:
        return text
    canonical = agent_text(text)
    if make_agent(canonical).sees_all:
        raise EngineError(
            "{canonical} needs all cards, and an observation has only its seat's: expected an "
            "agent without open",
            canonical=canonical,
        )
    return canonical


class Agents:
    """The agents of the running game, each started once for its seat and seed.

    They are kept for the next game, so that they can recognise their opponents.
    """

    def __init__(self) -> None:
        self._agents: dict[tuple[str, str, int, int], Agent] = {}
        self._resting: list[Agent] = []

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
                agent = make_agent(text)
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
        deadline: The deadline of the answer.
        gettext: Writes lines together; thread-safe.
        told: Formats a message's template and values as lines.
    """

    can_stop: ClassVar[bool]
    """Whether `stop` takes effect soon."""

    def __init__(
        self,
        what: str,
        deadline: Deadline,
        gettext: Callable[..., None],
        told: Callable[[Message | str], Sequence[str]],
    ) -> None:
        super().__init__(name="durak-go", daemon=True)
        self._what = what
        self._deadline = deadline
        self._say = gettext
        self._told = told
        self._is_silent = False
        self._stopped = threading.Event()
        self.is_over = False

    def stop(self, *, silent: bool = False) -> None:
        """Request the end; with ``silent``, without an answer."""
        self._is_silent = self._is_silent or silent
        self._stopped.set()

    def run(self) -> None:
        try:
            lines = self._answer()
        except DurakError as error:
            lines = [*self._told(error.message), f"error go: {error}"]
        except Exception as error:  # noqa: BLE001 - the process must go on answering
            lines = [f"error go: {self._what} failed: {type(error).__name__}: {error}"]
        self.is_over = True
        if not self._is_silent:
            self._say(*lines)

    @abstractmethod
    def _answer(self) -> list[str]:
        """Return the last lines of the answer."""


class DecisionThread(GoThread):
    """Asks a started agent; cannot be stopped."""

    can_stop = False

    def __init__(self, agent: Agent, observation: Observation, *common: *_Common) -> None:
        super().__init__(agent.text, *common)
        self._agent = agent
        self._observation = observation

    def _answer(self) -> list[str]:
        decision = self._choose()
        reason = decision.reason
        why = [*self._told(reason), f"info string reason: {reason}"] if reason else []
        return [*why, f"bestmove {decision.action}"]

    def _choose(self) -> Decision:
        if isinstance(self._agent, TimedAgent):
            return self._agent.choose_by(self._observation, self._deadline)
        return self._agent.choose(self._observation)


class SearchThread(GoThread):
    """Searches until the budget is spent or `stop` is called, in compiled code once it is ready."""

    can_stop = True

    def __init__(
        self, analysis: Analysis, budget: Budget, best_backend: Callable[[], Backend], *common: *_Common
    ) -> None:
        super().__init__("the search", *common)
        self._analysis = analysis
        self._budget = budget
        self._best_backend = best_backend

    def _answer(self) -> list[str]:
        reported = self._deadline.spent
        most = self._budget.iterations
        for share in self._analysis.begin(most, self._deadline):
            if not self._analysis.step(most, share) or self._stopped.is_set():
                break
            if self._deadline.spent - reported >= REPORT_SECONDS:
                self._report()
                reported = self._deadline.spent
            self._move_up()
        self._report()
        return [f"bestmove {self._analysis.lines()[0].action}"]

    def _move_up(self) -> None:
        """Move the search to compiled code once it is ready; the results are equal."""
        if self._analysis.backend == "plain":
            runner = self._best_backend()
            if runner.name == "compiled":
                self._analysis = self._analysis.moved_to(runner)
                self._say("info string compiled: the compiled code is ready and continues the search")

    def _report(self) -> None:
        if self._is_silent:
            return
        analysis = self._analysis
        milliseconds = int(self._deadline.spent * 1000)
        progress = Progress(analysis.iterations, analysis.nodes, milliseconds, analysis.backend)
        self._say(write_progress(progress))
        for rank, found in enumerate(analysis.lines()[: self._budget.lines], 1):
            facts = {field.name: getattr(found, field.name) for field in fields(found)}
            self._say(write_line(Line(rank, **facts)))
