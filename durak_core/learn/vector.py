"""Many games side by side in machine code: the environment that training runs on.

`VectorGames.step` plays one action in every game and writes what the seats to act see. It knows
nothing of networks; who trains with it reads its arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from durak_core.game.setup import no_deal_stands
from durak_core.kernel.deal import new_position
from durak_core.kernel.position import MAX_ACTIONS, MAX_SEATS
from durak_core.rules import Rules
from durak_core.search.backend.backend import Backend, backend
from durak_core.search.network.encoding import ACTIONS, Memory, input_size
from durak_core.search.network.vector import OUTSIDE, Slot

Integers = npt.NDArray[np.int64]
Shorts = npt.NDArray[np.int16]
Floats = npt.NDArray[np.float64]

_RECORDS: Final = ("positions", "memories", "slots")


def active_width(rules: Rules) -> int:
    """Return how many inputs of an observation can be active at once under these rules."""
    return 2 * rules.deck_size + 20 + 8 * rules.seats


@dataclass(frozen=True, slots=True)
class Setting:
    """What the games of a `VectorGames` have in common.

    Attributes:
        rules: The rules.
        seed: Of all deals and all chance of policies, 0 to 2^63 - 1.
        line_ups: Who plays at each seat: the game of number ``i`` takes row ``i % len(line_ups)``. A
            seat is `OUTSIDE` or a policy of `durak_core.search.policies.playouts`.
        skips: Whether an action without alternative is played without asking for it.
    """

    rules: Rules
    seed: int
    line_ups: Sequence[Sequence[int]] = ()
    skips: bool = False


class VectorGames:
    """Some games, each waiting for a decision; a game that ends is followed by the next at once.

    Game number ``i`` is the same whatever else is played: its deal comes from ``derive(seed, i)``, and
    slot ``k`` of ``n`` plays the games ``k``, ``k + n``, ``k + 2n`` and so on.

    Attributes:
        turns: The seat to act, by game.
        counts: How many legal actions it has.
        lengths: How many inputs are active.
        active: The numbers of the active inputs (`durak_core.search.network.encoding`), the first ``lengths``
            of each row.
        actions: The legal actions' indices in the fixed space of actions, the first ``counts``.
        ended: The number of the game that ended with the last action, or -1.
        rewards: The returns of the game that ended last in a slot, by seat (rules 8.4).

    Args:
        setting: What is played.
        games: How many at once.
        runner: Where to run; by default machine code.
    """

    def __init__(self, setting: Setting, games: int, runner: Backend | None = None) -> None:
        rules = setting.rules
        self.setting = setting
        self.games = games
        self.size = input_size(rules.seats)
        self._runner = runner or backend("learn")
        memory = Memory(is_open=int(rules.visibility == "open"))
        slot = Slot(stride=games, seed=setting.seed, skips=int(setting.skips))
        self.positions = self._runner.records(new_position(rules), games)
        self.memories = self._runner.records(memory, games)
        self.slots = self._runner.records(slot, games)
        rows = setting.line_ups or [[OUTSIDE] * rules.seats]
        self._line_ups = np.array(rows, np.int64)
        self.turns: Integers = np.zeros(games, np.int64)
        self.counts: Integers = np.zeros(games, np.int64)
        self.lengths: Integers = np.zeros(games, np.int64)
        self.active: Shorts = np.zeros((games, active_width(rules)), np.int16)
        self.actions: Shorts = np.zeros((games, MAX_ACTIONS), np.int16)
        self.ended: Integers = np.full(games, -1, np.int64)
        self.rewards: Floats = np.zeros((games, MAX_SEATS), np.float64)

    @property
    def board(self) -> tuple[Integers, Integers, Integers, Shorts, Shorts]:
        """The arrays that describe the decisions, as the compiled functions take them."""
        return self.turns, self.counts, self.lengths, self.active, self.actions

    @property
    def numbers(self) -> Integers:
        """The number of the game in each slot."""
        if self._runner.name == "plain":
            return np.array([slot.number for slot in self.slots], np.int64)
        numbers: Integers = self.slots["number"]
        return numbers

    def reset(self) -> None:
        """Deal the first games.

        Raises:
            DealError: If no deal stands (rules 3.4).
        """
        for i in range(self.games):
            if self._runner.name == "plain":
                self.slots[i].number = i
            else:
                self.slots[i]["number"] = i
        self.ended.fill(-1)
        start = self._runner.functions["start_games"]
        self._check(start(self._memory, self._line_ups, self.board, (self.rewards, self.ended)))

    def step(self, choices: Integers) -> None:
        """Play one action in every game.

        Args:
            choices: For each game the place of the action among the legal ones, 0 to ``counts`` - 1.

        Raises:
            ValueError: If there is no such action.
            DealError: If no deal stands (rules 3.4).
        """
        if choices.shape != self.counts.shape or bool(((choices < 0) | (choices >= self.counts)).any()):
            raise ValueError("expected for each game a place from 0 to the number of its legal actions - 1")
        step = self._runner.functions["step_games"]
        results = (self.rewards, self.ended)
        self._check(step(self._memory, self._line_ups, self.board, results, choices))

    def choose_by_policy(
        self, chosen: Integers, policy: int, epsilon: float, memory: tuple[Integers, Integers]
    ) -> None:
        """Let a policy choose in some games.

        Args:
            chosen: The games.
            policy: One of `durak_core.search.policies.playouts`.
            epsilon: How often it tries any action, 0 to 1.
            memory: The state of a random generator, and room for each game's choice.
        """
        choose = self._runner.functions["choose_by_policy"]
        choose(self._memory, chosen, policy, epsilon, memory)

    def observations(self) -> npt.NDArray[np.int8]:
        """Return all observations as rows of zeros and ones, `input_size` wide."""
        planes = np.empty((self.games, self.size), np.int8)
        self._runner.functions["write_planes"](self.lengths, self.active, planes)
        return planes

    def masks(self) -> npt.NDArray[np.int8]:
        """Return for each game which of the fixed space's actions are legal."""
        masks = np.empty((self.games, ACTIONS), np.int8)
        self._runner.functions["write_planes"](self.counts, self.actions, masks)
        return masks

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """Return everything that changes, as arrays; only machine code has its games in arrays."""
        arrays = {name: getattr(self, name).view(np.uint8) for name in _RECORDS}
        names = ("turns", "counts", "lengths", "active", "actions", "ended", "rewards")
        return {**arrays, **{name: getattr(self, name) for name in names}}

    def restore(self, state: dict[str, npt.NDArray[Any]]) -> None:
        """Take up what `state` returned, for the same setting and as many games."""
        for name, array in state.items():
            target = getattr(self, name)
            (target.view(np.uint8) if name in _RECORDS else target)[...] = array

    @property
    def _memory(self) -> tuple[Any, Any, Any]:
        return self.positions, self.memories, self.slots

    def _check(self, failed: int) -> None:
        if failed:
            raise no_deal_stands(self.setting.rules)
