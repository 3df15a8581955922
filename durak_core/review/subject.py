"""What there is to judge in a game: every move that was a choice, with what its player knew then."""

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
    """A move to be judged.

    Attributes:
        ply: Its number, from 1; ``ply - 1`` moves led to the position.
        observation: What its player knew; the player is ``observation.seat``.
        obvious: What a simple player, the agent ``greedy``, would have played.
    """

    ply: int
    observation: Observation
    action: Action
    obvious: Action

    @property
    def seat(self) -> int:
        return self.observation.seat

    @property
    def is_free(self) -> bool:
        """Whether there was a choice; else there is nothing to judge and nothing to search."""
        return len(self.observation.legal_actions) > 1


def questions(record: Record, states: Sequence[State] = ()) -> tuple[Question, ...]:
    """Return a question for each move of a game that can be played, those without a choice included."""
    asked = []
    for ply, (state, move) in enumerate(zip(states or record.replay(), record.moves, strict=False), 1):
        observation = state.observation(move.seat)
        obvious = greedy_decision(observation).action
        asked.append(Question(ply, observation, move.action, obvious))
    return tuple(asked)
