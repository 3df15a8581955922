"""Players that have learnt: a network values every action, and nothing is searched."""

from __future__ import annotations

import math
from functools import lru_cache
from pathlib import Path
from typing import Final

from durak_core.actions import decode
from durak_core.agents.base import Decision, legal_codes
from durak_core.errors import AgentError
from durak_core.game.observation import Observation
from durak_core.kernel.position import MAX_ACTIONS
from durak_core.rules import OPTIONS, Rules
from durak_core.search.backend import Backend, backend
from durak_core.search.encoding import (
    MAX_ACTIVE,
    action_index,
    encode,
    input_size,
    target_input,
    trump_place,
)
from durak_core.search.features import seen_by
from durak_core.search.weights import Network, read_network

__all__ = ["SHIPPED", "NetworkAgent", "load_network", "ready_to_play"]

SHIPPED: Final = Path(__file__).parent / "networks" / "dmc.npz"
"""The network that the package brings along."""

_ANY: Final = ("redeal_same_suit", "next_first_attacker", "visibility")
"""Options that change which deals there are, or who begins, but not how a deal is played."""


def load_network(path: Path) -> Network:
    """Read a network, once while its file stays the same.

    Raises:
        AgentError: As for `durak_core.search.weights.read_network`.
    """
    try:
        changed = path.stat().st_mtime_ns
    except OSError as error:
        raise AgentError(f"{path}: {error.strerror or error}") from None
    return _read(path, changed)


@lru_cache(maxsize=4)
def _read(path: Path, _changed: int) -> Network:
    return read_network(path)


def ready_to_play(network: Network, rules: Rules, text: str) -> None:
    """Check that a network was trained for these rules.

    Raises:
        AgentError: If it was not; the text names the options that differ.
    """
    different = [
        f"{name}={option.show(getattr(rules, name))}"
        for name, option in OPTIONS.items()
        if name not in _ANY and getattr(rules, name) != getattr(network.rules, name)
    ]
    if different:
        raise AgentError(
            f"{text} was trained for {network.rules} with {network.rules.seats} seats and cannot play with "
            f"{', '.join(different)}: take another agent, or weights=FILE of a network for such rules"
        )


class NetworkAgent:
    """Plays what its network expects most of.

    Args:
        text: The canonical agent text.
        network: Already read.
    """

    def __init__(self, text: str, network: Network) -> None:
        self.text = text
        self.sees_all = False
        self._network = network
        self._memory: _Memory | None = None

    def begin(self, rules: Rules, seat: int, seed: int) -> None:
        """Check the rules; this agent remembers nothing and draws nothing.

        Raises:
            AgentError: If the network was not trained for them.
        """
        del seat, seed
        ready_to_play(self._network, rules, self.text)

    def choose(self, observation: Observation) -> Decision:
        """Choose the action of greatest value; of equal ones the first."""
        codes = legal_codes(observation)
        ready_to_play(self._network, observation.rules, self.text)
        if len(codes) == 1:
            return Decision(observation.legal_actions[0], "nothing else is allowed")
        runner = backend("network")
        if self._memory is None or self._memory.runner.name != runner.name:
            self._memory = _Memory(self._network, runner)
        values = self._memory.values(observation, codes)
        best = max(range(len(codes)), key=values.__getitem__)
        return Decision(decode(codes[best]), f"expects a score of {_logistic(values[best]):.0%}")


class _Memory:
    """A network's weights and buffers in the memory of a backend."""

    def __init__(self, network: Network, runner: Backend) -> None:
        widths = network.about.widths
        self.runner = runner
        self._size = input_size(network.rules.seats)
        self._weights = runner.floats(len(network.weights))
        self._weights[:] = network.weights
        self._widths = runner.integers(len(widths))
        self._widths[:] = list(widths)
        self._inputs = runner.integers(MAX_ACTIVE)
        self._actions = runner.integers(MAX_ACTIONS)
        self._targets = runner.integers(MAX_ACTIONS)
        self._scratch = runner.floats(3 * max(widths[1:]))
        self._values = runner.floats(MAX_ACTIONS)

    def values(self, observation: Observation, codes: list[int]) -> list[float]:
        """Return the network's value of each action."""
        position, memory = seen_by(observation)
        trump = trump_place(position)
        n_inputs = encode(position, memory, observation.seat, self._inputs)
        for place, code in enumerate(codes):
            self._actions[place] = self._size + action_index(code, trump)
            target = target_input(code, trump)
            self._targets[place] = self._size + target if target >= 0 else -1
        self.runner.functions["action_values"](
            (self._widths, self._weights),
            (self._inputs, self._actions, self._targets),
            n_inputs,
            len(codes),
            (self._scratch, self._values),
        )
        return [float(value) for value in self._values[: len(codes)]]


def _logistic(value: float) -> float:
    return 1 / (1 + math.exp(-max(-50.0, min(50.0, value))))
