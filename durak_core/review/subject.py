"""The positions of a game to evaluate, as their players saw them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from durak_core.actions import Action
from durak_core.agents.simple import greedy_decision
from durak_core.game.observation import Observation
from durak_core.game.record import Record
from durak_core.game.state import State


@dataclass(frozen=True, slots=True)
class Question:
    """A move to evaluate: its number from 1, the state before it, and the choice of ``greedy``."""

    ply: int
    state: State
    action: Action
    obvious: Action

    @property
    def observation(self) -> Observation:
        """The player's observation, computed at each call, since observations do not share their events."""
        return self.state.observation(self.seat)

    @property
    def seat(self) -> int:
        return self.state.turn or 0

    @property
    def is_free(self) -> bool:
        return len(self.state.legal_actions) > 1


def questions(record: Record, states: Sequence[State] = ()) -> tuple[Question, ...]:
    """Return a question for each move of a legal game, forced moves included."""
    played = zip(states or record.replay(), record.moves, strict=False)
    return tuple([question_of(state, move.action) for state, move in played])


def question_of(state: State, action: Action) -> Question:
    """Return the question for a legal action in a state whose game is not over."""
    observation = state.observation(state.turn or 0)
    return Question(state.plies + 1, state, action, greedy_decision(observation).action)
