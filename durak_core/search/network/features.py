"""An observation in the encoding of `encoding.py`: a pure function of what a seat sees."""

from __future__ import annotations

from durak_core.actions import Action
from durak_core.actions import encode as code_of
from durak_core.game.observation import Observation
from durak_core.kernel.position import Position
from durak_core.knowledge.belief import belief_of
from durak_core.search.network.encoding import MAX_ACTIVE, Memory, action_index, encode


def seen_by(observation: Observation) -> tuple[Position, Memory]:
    """Return the position as far as it is seen, and what is known of the hands."""
    position, _ = belief_of(observation)
    memory = Memory(is_open=int(observation.hands is not None))
    for seat, size in enumerate(observation.hand_sizes):
        held = observation.known if observation.hands is None else observation.hands
        memory.known[seat] = held[seat].mask
        memory.sizes[seat] = size
    return position, memory


def active_inputs(observation: Observation) -> list[int]:
    """Return the numbers of the active inputs of an observation, as `encode` writes them."""
    position, memory = seen_by(observation)
    out = [0] * MAX_ACTIVE
    return out[: encode(position, memory, observation.seat, out)]


def indexed_actions(observation: Observation) -> dict[int, Action]:
    """Return an observation's legal actions by their index in the fixed space of actions, in their order."""
    suit = -1 if observation.trump_suit is None else int(observation.trump_suit)
    return {action_index(code_of(action), suit): action for action in observation.legal_actions}
