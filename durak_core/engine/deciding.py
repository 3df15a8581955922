"""One decision of an agent in the engine: a thread that asks it, so that the engine stays awake."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final

from durak_core.agents import Agent, agent_text, make_agent
from durak_core.errors import DurakError, EngineError
from durak_core.game.observation import Observation

ANALYSIS: Final = "analysis"
"""The value of the option Agent that asks no agent."""

_MOST_AGENTS: Final = 24
"""Agents that are kept: more than any game has seats."""


def check_agent(text: str) -> str:
    """Return a value of the option Agent in its canonical form.

    Raises:
        EngineError: If the agent would see all cards.
        AgentError: If there is no such agent.
    """
    if text == ANALYSIS:
        return text
    canonical = agent_text(text)
    if make_agent(canonical).sees_all:
        raise EngineError(
            f"{canonical} sees all cards, and an observation has those of its seat: "
            "expected an agent without open"
        )
    return canonical


class Agents:
    """The agents that play the running game, each begun once for its seat and seed."""

    def __init__(self) -> None:
        self._agents: dict[tuple[str, str, int, int], Agent] = {}

    def forget(self) -> None:
        """Begin anew with the next question."""
        self._agents.clear()

    def of(self, text: str, observation: Observation, seed: int) -> Agent:
        """Return the agent that plays an observation's seat.

        Args:
            text: The agent.
            observation: Its rules and seat.
            seed: Of the agent's chance, 0 to 2^63 - 1.

        Raises:
            AgentError: If it cannot play by these rules.
        """
        key = (text, observation.rules.text, observation.seat, seed)
        if key not in self._agents:
            agent = make_agent(text)
            agent.begin(observation.rules, observation.seat, seed)
            if len(self._agents) >= _MOST_AGENTS:
                del self._agents[next(iter(self._agents))]
            self._agents[key] = agent
        return self._agents[key]


class DecisionThread(threading.Thread):
    """Asks an agent once and says what it chose and why.

    Args:
        agent: Already begun.
        observation: What it sees.
        say: Takes a line of output; it may be called from any thread.
    """

    can_stop: Final = False
    """An agent decides when it has decided."""

    def __init__(self, agent: Agent, observation: Observation, say: Callable[[str], None]) -> None:
        super().__init__(name="durak-agent", daemon=True)
        self._agent = agent
        self._observation = observation
        self._say = say
        self._silent = False
        self.is_over = False
        """Whether the last line of this decision is written, or about to be."""

    def stop(self, *, silent: bool = False) -> None:
        """Note that nobody wants to know any more; the agent goes on until it has decided.

        Args:
            silent: Whether that is so; else nothing changes.
        """
        self._silent = self._silent or silent

    def run(self) -> None:
        """Ask; whatever goes wrong becomes a line of output."""
        try:
            decision = self._agent.choose(self._observation)
        except DurakError as error:
            self._finish(f"error go: {error}")
        except Exception as error:  # noqa: BLE001 - the process has to go on answering, whatever this was
            self._finish(f"error go: {self._agent.text} failed: {type(error).__name__}: {error}")
        else:
            if not self._silent and decision.reason:
                self._say(f"info string reason: {decision.reason}")
            self._finish(f"bestmove {decision.action}")

    def _finish(self, line: str) -> None:
        self.is_over = True
        if not self._silent:
            self._say(line)
