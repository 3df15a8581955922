"""A single game on machine words: what the environments that ask for one action at a time play on."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from durak_core.agents.catalogue import AGENTS
from durak_core.agents.options import OPEN
from durak_core.agents.registry import agent_values
from durak_core.agents.temperament import named_temperament
from durak_core.game.facts import Facts
from durak_core.game.setup import no_deal_stands
from durak_core.kernel.deal import new_position
from durak_core.kernel.position import MAX_SEATS, Position
from durak_core.learn.arrays import Float64s, Int8s
from durak_core.rules import Rules
from durak_core.search.backend.backend import Backend, backend
from durak_core.search.backend.batch import POLICIES
from durak_core.search.network.encoding import ACTIONS, MAX_ACTIVE, Memory, input_size
from durak_core.search.network.vector import NO_DEAL, OUTSIDE, Games, Slot
from durak_core.search.policies.expert import N_WEIGHTS, WEIGHTS
from durak_core.search.policies.playouts import Desk

Policy: TypeAlias = tuple[str, Sequence[int] | None, int]
"""A name of `POLICIES`, the weights of ``expert`` if they are not the usual ones, and its noise."""


def as_policy(text: str) -> Policy | None:
    """Return the policy by which an agent plays, or None if it has more to it."""
    if text in POLICIES:
        return text, None, 0
    name = text.partition(":")[0]
    if name not in AGENTS:
        return None
    values = agent_values(text)
    temperament = named_temperament(name, values)
    if temperament is None or values[OPEN.name] == "on":
        return None
    return "expert", temperament.table(), temperament.units


class Seen(NamedTuple):
    """What a seat sees, zeros and ones.

    Attributes:
        planes: The observation, see `durak_core.search.network.encoding`; int8, (`input_size`,).
        mask: The legal actions of the seat if it is to act; int8, (`ACTIONS`,).
    """

    planes: Int8s
    mask: Int8s


class OneGame:
    """A game; `deal` begins the next one.

    Attributes:
        rules: The rules.
        returns: Of the game that ended last, by seat (rules 8.4); float64, (`MAX_SEATS`,).

    Args:
        rules: The rules.
        skips: Whether an action without alternative is played without asking for it.
        runner: Where to run; by default machine code.
    """

    def __init__(self, rules: Rules, *, skips: bool = False, runner: Backend | None = None) -> None:
        runner = runner or backend("learn")
        self.rules = rules
        self.returns: Float64s = np.zeros(MAX_SEATS, np.float64)
        memory = Memory(is_open=int(rules.visibility == "open"))
        records = (new_position(rules), memory, Slot(skips=int(skips)))
        self._games = Games(*[runner.records(one, 1) for one in records])
        self._desks = runner.records(Desk(policies=[OUTSIDE] * MAX_SEATS), 1)
        self._open, self._play, self._look = (
            runner.functions[name] for name in ("open_game", "play_index", "look")
        )
        self._inputs = np.zeros(MAX_ACTIVE, np.int64)
        self._size = input_size(rules.seats)

    def seat(self, policies: Sequence[Policy | None]) -> None:
        """Let policies play some seats from the next game on; None stands for who plays outside."""
        desk = self._desks[0]
        for seat, policy in enumerate(policies):
            desk.policies[seat] = OUTSIDE
            if policy is not None:
                name, weights, noise = policy
                start = seat * N_WEIGHTS
                desk.policies[seat], desk.tables[seat], desk.noises[seat] = POLICIES[name], start, noise
                desk.weights[start : start + N_WEIGHTS] = weights or WEIGHTS

    def deal(self, seed: int) -> int:
        """Deal the game of a seed, 0 to 2^63 - 1, and return the seat to act, or -1 if it is over already.

        Raises:
            DealError: If no deal stands (rules 3.4).
        """
        turn = int(self._open(self._games, self._desks, seed))
        if turn == NO_DEAL:
            raise no_deal_stands(self.rules)
        return turn

    def play(self, index: int) -> int:
        """Play an action by its index in the fixed space, and then the policies' actions.

        Returns:
            The seat to act, -1 when the game is over; or `ILLEGAL`, and nothing was played.
        """
        turn: int = self._play(self._games, self._desks, index, self.returns)
        return turn

    def seen(self, seat: int) -> Seen:
        planes = np.zeros(self._size, np.int8)
        mask = np.zeros(ACTIONS, np.int8)
        self._look(self._games, seat, self._inputs, planes, mask)
        return Seen(planes, mask)

    def kept(self) -> Any:  # noqa: ANN401 - for `restore` alone
        """Return the game as it stands, to come back to."""
        return deepcopy((self._games, self._desks))

    def restore(self, kept: Any) -> None:  # noqa: ANN401 - of `kept`
        """Go back to a moment, once for each `kept`."""
        self._games, self._desks = kept

    def facts(self) -> Facts:
        """Return what there is to see with all cards open."""
        record: Any = self._games.positions[0]
        values = {name: np.asarray(getattr(record, name)).tolist() for name in Position.__slots__}
        return Facts(self.rules, Position(**values))
