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
    """A move to evaluate: its number from 1, the observation before it, and the choice of ``greedy``."""

    ply: int
    observation: Observation
    action: Action
    obvious: Action

    @property
    def seat(self) -> int:
        return self.observation.seat

    @property
    def is_free(self) -> bool:
        return len(self.observation.legal_actions) > 1


def questions(record: Record, states: Sequence[State] = ()) -> tuple[Question, ...]:
    """Return a question for each move of a legal game, forced moves included."""
    asked = []
    for ply, (state, move) in enumerate(zip(states or record.replay(), record.moves, strict=False), 1):
        observation = state.observation(move.seat)
        obvious = greedy_decision(observation).action
        asked.append(Question(ply, observation, move.action, obvious))
    return tuple(asked)
