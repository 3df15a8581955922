"""Encodes observations."""

from __future__ import annotations

from typing import Protocol

from durak_core.actions import Action
from durak_core.actions import encode as code_of
from durak_core.cards import Suit
from durak_core.game.observation import Observation
from durak_core.kernel.position import Position
from durak_core.knowledge.visible import visible_position
from durak_core.search.network.encoding import MAX_ACTIVE, Memory, action_index, encode


def memory_of(observation: Observation) -> Memory:
    memory = Memory(is_open=int(observation.hands is not None))
    for seat, size in enumerate(observation.hand_sizes):
        held = observation.known if observation.hands is None else observation.hands
        memory.known[seat] = held[seat].mask
        memory.sizes[seat] = size
    return memory


def seen_by(observation: Observation) -> tuple[Position, Memory]:
    """Return the visible position and the public knowledge of the hands."""
    return visible_position(observation), memory_of(observation)


def active_inputs(observation: Observation) -> list[int]:
    position, memory = seen_by(observation)
    out = [0] * MAX_ACTIVE
    return out[: encode(position, memory, observation.seat, out)]


class Choice(Protocol):
    """A pending decision, such as an `Observation`."""

    @property
    def trump_suit(self) -> Suit | None: ...

    @property
    def legal_actions(self) -> tuple[Action, ...]: ...


def indexed_actions(choice: Choice) -> dict[int, Action]:
    """Return the legal actions by their index in the action space, in legal order."""
    suit = -1 if choice.trump_suit is None else int(choice.trump_suit)
    return {action_index(code_of(action), suit): action for action in choice.legal_actions}
