"""Many games as one Gymnasium vector environment, in compiled code.

    envs = gymnasium.make_vec("Durak-v0", num_envs=1024, opponents="greedy")

``reset(seed=s)`` deals game ``i`` as `DurakEnv` does after ``reset(seed=s + i)``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv
from gymnasium.vector.utils import batch_space

from durak_core.errors import DurakError
from durak_core.game.state_view import no_deal_stands
from durak_core.kernel.position import MASK63, NOBODY
from durak_core.lab.learn._environments import seeding
from durak_core.lab.learn.arrays import Float64s, Int64s
from durak_core.lab.learn.durak_v0 import spaces_of
from durak_core.lab.learn.single_agent import DurakEnv, Observations, read_table
from durak_core.lab.learn.vector import Seen, SteppedGames, check_choices
from durak_core.lab.matches.compiled_games import LineUp, compiled_players
from durak_core.lab.own_agents.reading import Entrant
from durak_core.rules import Rules
from durak_core.search.backend.backend import backend
from durak_core.search.players import ILLEGAL, LOOK, NO_DEAL, NUMBER, PLAY, REST, SEAT, WAIT

_AHEAD: Final = 64
"""Games of a place to draw at a time, because a call for each would take as long as its steps."""

_Booleans: TypeAlias = npt.NDArray[np.bool_]
Step: TypeAlias = tuple[Observations, Float64s, _Booleans, _Booleans, dict[str, Any]]


def durak_vector(
    num_envs: int = 1,
    opponents: Entrant | Iterable[Entrant] = "greedy",
    rules: Rules | str = "podkidnoy",
    *,
    seat: int | None = None,
    autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
    **kwargs: Any,  # noqa: ANN401 - arguments of `DurakEnv`
) -> VectorEnv:
    """Return `DurakVectorEnv`, or Gymnasium's `SyncVectorEnv` of the same games if an opponent searches.

    ``autoreset_mode`` is as for `SyncVectorEnv`, ``kwargs`` and errors are as for `DurakEnv`.
    """
    read, players = read_table(opponents, rules, seat)
    others = compiled_players(read, [player.build() for player in players])
    if others is None or kwargs.get("render_mode"):
        make = partial(DurakEnv, players, read, seat=seat, **kwargs)
        return SyncVectorEnv([make] * num_envs, autoreset_mode=autoreset_mode)
    kwargs.pop("render_mode", None)
    return DurakVectorEnv(num_envs, others, read, seat=seat, autoreset_mode=autoreset_mode, **kwargs)


class DurakVectorEnv(VectorEnv):  # type: ignore[misc]
    """Many games, stepped in compiled code.

    ``info`` has ``action_mask`` and ``seat`` of all games, as from Gymnasium's `SyncVectorEnv`. With the mode
    `SAME_STEP` it also has ``final_obs`` and ``final_info`` of finished games. With `DISABLED` they are
    reset by ``reset(options={"reset_mask": finished})``.
    """

    def __init__(  # noqa: PLR0913 - settings of `durak_vector`
        self,
        num_envs: int,
        others: LineUp,
        rules: Rules,
        *,
        seat: int | None,
        autoreset_mode: AutoresetMode | str,
        flat: bool = False,
        skip_forced: bool = False,
    ) -> None:
        super().__init__()
        if skip_forced:
            check_choices(rules)
        self.num_envs = num_envs
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {**DurakEnv.metadata, "autoreset_mode": self.autoreset_mode}
        both, self.single_action_space = spaces_of(rules)
        self.single_observation_space = both["observation"] if flat else both
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._flat, self._fixed, self._limits = flat, seat, [MASK63, rules.seats] * _AHEAD
        self._games = SteppedGames(rules, others, num_envs, backend("environments"), skips=skip_forced)
        self._chances: list[np.random.Generator] = []
        self._places: Int64s = self._games.orders[:, LOOK]
        self._places.fill(0)
        self._over: _Booleans = np.zeros(num_envs, bool)
        self._drawn: Int64s = np.zeros((num_envs, _AHEAD, 2), np.int64)
        self._used: Int64s = np.full(num_envs, _AHEAD, np.int64)
        nothing = np.zeros((num_envs, int(self.single_action_space.n)), np.int8)
        self._views: Seen = (nothing, nothing)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, dict[str, Any]]:
        """Deal all games, or the ones in ``options["reset_mask"]``; seeds are as for `SyncVectorEnv`."""
        seeds = [seed + i for i in range(self.num_envs)] if isinstance(seed, int) else seed
        seeds = [None] * self.num_envs if seeds is None else list(seeds)
        if len(seeds) != self.num_envs:
            raise DurakError("{count} seeds: expected {games}", count=len(seeds), games=self.num_envs)
        mask = np.ones(self.num_envs, bool) if options is None else options.get("reset_mask")
        mask = np.ones(self.num_envs, bool) if mask is None else np.asarray(mask)
        if mask.shape != (self.num_envs,) or mask.dtype != bool:
            raise DurakError("reset_mask: expected {games} booleans", games=self.num_envs)
        if not self._chances:
            self._chances = [seeding.np_random(one)[0] for one in seeds]
        for i in np.flatnonzero(mask):
            if seeds[i] is not None:
                self._chances[i] = seeding.np_random(seeds[i])[0]
                self._used[i] = _AHEAD
        self._games.orders[:, SEAT] = WAIT
        observation, info = self._advance(np.flatnonzero(mask))
        return observation, {**info, **{f"_{name}": mask for name in info}}

    def step(self, actions: npt.NDArray[np.integer]) -> Step:
        """Play the learner's action in every game, then the others' up to its next turn.

        ``actions`` are indices of the action space; whole numbers, (num_envs,). An illegal one ends its game
        with reward -1.

        Raises:
            DurakError: If no games are in progress, or the actions are no whole numbers of this shape.
        """
        numbers = np.asarray(actions)
        if numbers.dtype.kind not in "iu" or numbers.shape != (self.num_envs,):
            raise DurakError(
                "actions of type {kind} and shape {shape}: expected whole numbers of the shape {expected}",
                kind=str(numbers.dtype),
                shape=str(numbers.shape),
                expected=str((self.num_envs,)),
            )
        if not self._chances:
            raise DurakError("no game is going on: call reset first")
        resets, same = np.flatnonzero(self._over), self.autoreset_mode is AutoresetMode.SAME_STEP
        if len(resets) and self.autoreset_mode is AutoresetMode.DISABLED:
            raise DurakError("a game is over: call reset with its reset_mask first")
        games = self._games
        games.orders[:, NUMBER], games.orders[:, SEAT] = numbers, PLAY
        observation, info = self._advance(resets)
        terminated = games.turns < 0
        finished = np.flatnonzero(terminated)
        ends, rewards = games.turns[finished], np.zeros(self.num_envs)
        rewards[finished] = np.where(ends == ILLEGAL, -1.0, games.returns[finished, self._places[finished]])
        final = {}
        if same and len(finished):
            final = self._final(terminated, finished)
            self._carry_out(finished, self._views)
            info["seat"] = self._places.copy()
        elif not same:
            self._over = terminated.copy()
        everywhere = np.ones(self.num_envs, bool)
        info = {**info, **{f"_{name}": everywhere for name in info}, **final}
        return observation, rewards, terminated, np.zeros(self.num_envs, bool), info

    def action_masks(self) -> _Booleans:
        """Return the legal-action masks, (num_envs, `ACTIONS`)."""
        return self._views[1].astype(bool)

    def _advance(self, dealt: Int64s) -> tuple[Observations, dict[str, Any]]:
        """Carry out the orders and deals, and return what the learners see in all games."""
        self._carry_out(dealt)
        planes, mask = self._views
        observation = planes if self._flat else {"observation": planes, "action_mask": mask}
        return observation, {"seat": self._places.copy(), "action_mask": mask}

    def _carry_out(self, dealt: Int64s, seen: Seen | None = None) -> None:
        """Deal some games while the others follow their orders, or rest if they have been ``seen``."""
        games = self._games
        if seen is not None:
            games.orders[:, SEAT] = REST
        self._order(dealt)
        self._views = games.advance(seen)
        turns = games.turns[dealt]
        if (turns == NO_DEAL).any():
            raise no_deal_stands(games.rules)
        over = dealt[turns == NOBODY]
        if len(over):  # the learner had no turn at all
            self._carry_out(over, self._views)

    def _order(self, chosen: Int64s) -> None:
        """Order deals as `DurakEnv` draws them."""
        if not len(chosen):
            return
        for i in chosen[self._used[chosen] == _AHEAD]:
            self._drawn[i].flat = self._chances[i].integers(self._limits)
            self._used[i] = 0
        seeds, seats = self._drawn[chosen, self._used[chosen]].T
        self._used[chosen] += 1
        self._over[chosen] = False
        self._places[chosen] = seats if self._fixed is None else self._fixed
        orders = self._games.orders
        orders[chosen, NUMBER], orders[chosen, SEAT] = seeds, self._places[chosen]

    def _final(self, over: _Booleans, finished: Int64s) -> dict[str, Any]:
        planes, masks = [view[finished] for view in self._views]
        rows: Any = planes
        if not self._flat:
            rows = [
                {"observation": row, "action_mask": mask} for row, mask in zip(planes, masks, strict=True)
            ]
        last = np.full(self.num_envs, None, object)
        last[finished] = list(rows)
        mask = np.zeros(self._views[1].shape, np.int8)
        mask[finished] = masks
        info = {"seat": np.where(over, self._places, 0), "action_mask": mask}
        info |= {f"_{name}": over for name in info}
        return {"final_obs": last, "_final_obs": over, "final_info": info, "_final_info": over}
