"""Durak in RLCard: its agents play and learn, and games can be taken back."""

from __future__ import annotations

from typing import Any

import pytest

rlcard = pytest.importorskip("rlcard", reason="RLCard is not installed: it comes with the extra examples")
pytest.importorskip("gymnasium", reason="the extra learn is not installed")

import numpy as np  # noqa: E402 - after the check
import torch  # noqa: E402
from rlcard.agents import DQNAgent, RandomAgent  # noqa: E402
from rlcard.utils import reorganize  # noqa: E402

import durak_core.lab.learn.adapters.rlcard_env  # noqa: E402, F401 - makes durak known
from durak_core import DurakError, RulesError  # noqa: E402


def made(rules: str = "podkidnoy", **config: Any):
    return rlcard.make("durak", config={"seed": 3, "game_rules": rules, **config})


@pytest.mark.parametrize("rules", ["podkidnoy", "perevodnoy:seats=4"])
def test_its_agents_play_whole_games(rules: str) -> None:
    """Only legal actions are offered, and the payoffs are a game's returns."""
    game = made(rules)
    game.set_agents([RandomAgent(game.num_actions) for _ in range(game.num_players)])
    ends = [game.run()[1].tolist() for _ in range(10)]
    assert len(set(map(tuple, ends))) > 1
    assert {min(end) for end in ends} <= {-1, 0}
    assert all(sum(end) == pytest.approx(0) for end in ends)
    assert "seat 0, " in game.get_perfect_information()["picture"]


def test_a_game_can_be_taken_back() -> None:
    """To its beginning, action by action, and played again."""
    game = made(allow_step_back=True)
    state, player = game.reset()
    seen = [(state["obs"], player)]
    for _ in range(6):
        state, player = game.step(next(iter(state["legal_actions"])))
        seen.append((state["obs"], player))
    for planes, seat in seen[-2::-1]:
        state, player = game.step_back()
        assert player == seat
        assert np.array_equal(state["obs"], planes)
    assert game.step_back() is False
    with pytest.raises(DurakError, match="action 1 is not legal"):
        game.step(1)


@pytest.mark.filterwarnings("ignore")
def test_its_learner_learns() -> None:
    """The agent of deep Q-learning takes the transitions as they are; its own warnings are not ours."""
    game = made("podkidnoy:lowest_rank=10,hand_size=3")
    learner = DQNAgent(
        num_actions=game.num_actions,
        state_shape=game.state_shape[0],
        mlp_layers=[16],
        replay_memory_init_size=10,
        batch_size=8,
        train_every=10,
    )
    game.set_agents([learner, RandomAgent(game.num_actions)])
    torch.set_num_threads(1)
    for _ in range(3):
        for transition in reorganize(*game.run(is_training=True))[0]:
            learner.feed(transition)
    assert learner.train_t > 0


def test_rules_that_are_none_are_refused() -> None:
    """As everywhere."""
    with pytest.raises(RulesError):
        made("poker")
