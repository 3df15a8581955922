"""A Gymnasium vector environment as a `VecEnv` of Stable-Baselines3 and sb3-contrib.

from durak_core.lab.learn.adapters.sb3_games import sb3_games
model = MaskablePPO("MlpPolicy", sb3_games(1024, opponents="greedy"))
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode, VectorEnv
from stable_baselines3.common.vec_env import VecEnv


def sb3_games(games: int, **kwargs: Any) -> VecEnv:  # noqa: ANN401 - arguments of the environment
    """Return many games of ``Durak-v0`` with flat observations; ``kwargs`` are as for `gymnasium.make`."""
    kwargs = {"flat": True, **kwargs, "autoreset_mode": AutoresetMode.SAME_STEP}
    return Sb3Games(gymnasium.make_vec("Durak-v0", num_envs=games, **kwargs))


class Sb3Games(VecEnv):  # type: ignore[misc]
    """Wraps a `VectorEnv` with the mode `SAME_STEP`, and legal actions in ``info["action_mask"]``."""

    def __init__(self, games: VectorEnv) -> None:
        self.games = games
        self._actions: npt.NDArray[Any] = np.zeros(games.num_envs, np.int64)
        self._masks: npt.NDArray[np.bool_] = np.zeros((games.num_envs, 0), bool)
        super().__init__(games.num_envs, games.single_observation_space, games.single_action_space)

    def reset(self) -> Any:  # noqa: ANN401 - an array, or arrays by name
        seeds = None if self._seeds[0] is None else list(self._seeds)
        observation, info = self.games.reset(seed=seeds)
        self._reset_seeds()
        self._masks = info["action_mask"].astype(bool)
        return observation

    def step_async(self, actions: npt.NDArray[Any]) -> None:
        self._actions = actions

    def step_wait(self) -> Any:  # noqa: ANN401 - as VecEnv's
        observation, rewards, terminated, truncated, info = self.games.step(self._actions)
        self._masks = info["action_mask"].astype(bool)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for i in np.flatnonzero(terminated | truncated):
            infos[i] = {
                "terminal_observation": info["final_obs"][i],
                "TimeLimit.truncated": bool(truncated[i]),
            }
        return observation, rewards.astype(np.float32), terminated | truncated, infos

    def close(self) -> None:
        self.games.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:  # noqa: ANN401 - as VecEnv's
        value = self.env_method if attr_name == "action_masks" else getattr(self.games, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:  # noqa: ANN401 - as above
        del indices
        setattr(self.games, attr_name, value)

    def env_method(
        self,
        method_name: str,
        *method_args: Any,  # noqa: ANN401 - as above
        indices: Any = None,  # noqa: ANN401 - as above
        **method_kwargs: Any,  # noqa: ANN401 - as above
    ) -> list[Any]:
        if method_name == "action_masks":
            return [self._masks[i] for i in self._get_indices(indices)]
        value = getattr(self.games, method_name)(*method_args, **method_kwargs)
        return [value for _ in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:  # noqa: ANN401 - as above
        del wrapper_class
        return [False for _ in self._get_indices(indices)]
