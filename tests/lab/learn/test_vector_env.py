"""Many games as one environment: the same games as of one environment each, in every mode."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

gymnasium = pytest.importorskip("gymnasium", reason="the extra learn is not installed")

import numpy as np  # noqa: E402 - after the check
from gymnasium.vector import AutoresetMode, SyncVectorEnv  # noqa: E402

from durak_core import DurakError  # noqa: E402
from durak_core.lab.learn.single_agent import DurakEnv  # noqa: E402
from durak_core.lab.learn.vector_env import DurakVectorEnv  # noqa: E402

KINDS: list[dict[str, Any]] = [
    {},
    {
        "flat": True,
        "rules": "perevodnoy:seats=3",
        "opponents": ["random", "smart"],
        "skip_forced": True,
        "seat": 1,
    },
]


def check_same(one: Any, other: Any) -> None:
    if isinstance(one, dict):
        assert set(one) == set(other)
        for name, value in one.items():
            check_same(value, other[name])
    elif one.dtype == object:
        for pair in zip(one, other, strict=True):
            assert (pair[0] is None) == (pair[1] is None)
            if pair[0] is not None:
                check_same(*pair)
    else:
        assert np.array_equal(one, other)
        assert one.dtype == other.dtype


def moves(info: dict[str, Any], chance: np.random.Generator, step: int) -> Any:
    """Return random legal actions, and now and then an illegal one."""
    masks = info["action_mask"]
    chosen = (masks * chance.random(masks.shape)).argmax(1)
    if step % 40 == 0:
        chosen[0] = masks[0].argmin()
    return chosen


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
@pytest.mark.parametrize("kinds", KINDS)
def test_games_are_those_of_single_environments(mode: AutoresetMode, kinds: dict[str, Any]) -> None:
    """Every array of every step equals Gymnasium's own vector, with ends, illegal actions and resets."""
    many = gymnasium.make_vec("Durak-v0", num_envs=3, autoreset_mode=mode, **kinds)
    assert isinstance(many.unwrapped, DurakVectorEnv)
    others = SyncVectorEnv([partial(DurakEnv, **kinds)] * 3, autoreset_mode=mode)
    chance = np.random.default_rng(1)
    info, ends = None, 0
    for step in range(161):
        if step % 80 == 0:
            both = [env.reset(seed=step + 3) for env in (many, others)]
        else:
            chosen = moves(info, chance, step)
            both = [env.step(chosen) for env in (many, others)]
            ends += int(both[0][2].sum())
        info = both[0][-1]
        assert (many.unwrapped.action_masks() == info["action_mask"]).all()
        for pair in zip(*both, strict=True):
            check_same(*pair)
    assert ends > 5


def test_finished_games_are_reset_by_hand() -> None:
    """The mode without resets refuses to go on, and resets only what it is asked for."""
    many = gymnasium.make_vec("Durak-v0", num_envs=3, autoreset_mode="Disabled")
    others = SyncVectorEnv([DurakEnv] * 3, autoreset_mode="Disabled")
    _, info = [env.reset(seed=1) for env in (others, many)][1]
    chance, ends = np.random.default_rng(1), 0
    while ends < 3:
        chosen = moves(info, chance, 1)
        both = [env.step(chosen) for env in (many, others)]
        check_same(both[0][0], both[1][0])
        info, over = both[0][4], both[0][2]
        if over.any():
            ends += 1
            with pytest.raises(DurakError, match="a game is over: call reset"):
                many.step(chosen)
            both = [env.reset(options={"reset_mask": over}) for env in (many, others)]
            check_same(both[0][0], both[1][0])
            info = both[0][1]


def test_searching_opponents_play_in_gymnasiums_own_vector() -> None:
    many = gymnasium.make_vec("Durak-v0", num_envs=2, opponents="ismcts:iterations=2", flat=True)
    assert isinstance(many.unwrapped, SyncVectorEnv)
    observation, info = many.reset(seed=1)
    assert observation.shape == (2, 633)
    assert many.step(info["action_mask"].argmax(1))[0].shape == (2, 633)


def test_wrong_calls_are_refused() -> None:
    """Before a reset, of another shape or type, with a wrong number of seeds."""
    many = gymnasium.make_vec("Durak-v0", num_envs=2)
    with pytest.raises(DurakError, match="call reset first"):
        many.step(np.zeros(2, int))
    many.reset(seed=1)
    for wrong in ([0], [0.5, 0], [[0, 0]]):
        with pytest.raises(DurakError, match=r"expected whole numbers of the shape \(2,\)"):
            many.step(wrong)
    with pytest.raises(DurakError, match="3 seeds: expected 2"):
        many.reset(seed=[1, 2, 3])
    with pytest.raises(DurakError, match="reset_mask: expected 2 booleans"):
        many.reset(options={"reset_mask": [1, 0]})


def test_first_lines_of_stable_baselines_run() -> None:
    """Environments by its helper, also in processes, and many games at once."""
    pytest.importorskip("sb3_contrib", reason="sb3-contrib comes with the extra examples")
    from sb3_contrib import MaskablePPO  # noqa: PLC0415 - after the check
    from stable_baselines3 import PPO  # noqa: PLC0415 - as above
    from stable_baselines3.common.env_util import make_vec_env  # noqa: PLC0415 - as above
    from stable_baselines3.common.vec_env import SubprocVecEnv  # noqa: PLC0415 - as above

    from durak_core.lab.learn.adapters.sb3_games import sb3_games  # noqa: PLC0415 - as above

    PPO("MultiInputPolicy", make_vec_env("Durak-v0", 2, seed=1), n_steps=4, batch_size=8).learn(8)
    name = "durak_core.lab.learn:Durak-v0"  # registers it in every process
    apart = make_vec_env(name, 2, vec_env_cls=SubprocVecEnv, env_kwargs={"flat": True})
    assert apart.reset().shape == (2, 633)
    apart.close()
    games = sb3_games(8)
    MaskablePPO("MlpPolicy", games, n_steps=16, batch_size=64, n_epochs=1, seed=1).learn(256)
    ended = 0
    while not ended:
        masks = np.array(games.env_method("action_masks"))
        seen, rewards, over, infos = games.step(masks.argmax(1))
        for i in np.flatnonzero(over):
            ended += 1
            assert rewards[i] in {-1, 0, 1}
            assert infos[i]["terminal_observation"].shape == seen[i].shape
    single = make_vec_env("Durak-v0", 8, seed=5, env_kwargs={"flat": True})
    games.seed(5)
    assert np.array_equal(games.reset(), single.reset())
