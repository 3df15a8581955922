"""Agents' choices as legal actions; an illegal one is an error (rules 10.1)."""

from __future__ import annotations

from durak_core.actions import Action
from durak_core.agents.base import Agent, ExternalAgent
from durak_core.errors import AgentError, IllegalActionError, Message
from durak_core.game.state import State


def applied(state: State, action: Action, agent: Agent) -> State:
    """Return the state after an agent's action.

    Raises:
        AgentError: If it is illegal; `ForfeitError` for an external engine.
    """
    try:
        return state.apply(action)
    except IllegalActionError as error:
        if isinstance(agent, ExternalAgent):
            raise agent.failure(Message("chose an illegal action: {why}", why=error)) from error
        message = "the agent {text} at seat {turn} chose an illegal action: {why}"
        raise AgentError(message, text=agent.text, turn=state.turn, why=error) from error


def place_of(state: State, action: Action, agent: Agent) -> int:
    """Return the index of an agent's action among the legal ones; errors as for `applied`."""
    if action not in state.legal_actions:
        applied(state, action, agent)
    return state.legal_actions.index(action)
