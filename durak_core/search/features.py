"""An observation in the encoding of `durak_core.search.encoding`: a pure function of what a seat sees."""

from __future__ import annotations

from durak_core.game.observation import Observation
from durak_core.kernel.position import Position
from durak_core.knowledge.belief import belief_of
from durak_core.search.encoding import MAX_ACTIVE, Memory, encode

__all__ = ["active_inputs", "seen_by"]


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
