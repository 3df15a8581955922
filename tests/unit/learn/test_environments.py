"""The environments keep PettingZoo's and Gymnasium's contracts, by their own tests."""

from __future__ import annotations

import pytest

pytest.importorskip("pettingzoo", reason="the extra learn is not installed")
pytest.importorskip("gymnasium", reason="the extra learn is not installed")

import numpy as np
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, seed_test

from durak_core import AgentError, DurakError, Rules, RulesError, State
from durak_core.learn import durak_v0
from durak_core.learn.single_agent import DurakEnv

RULES = [
    "podkidnoy",
    "perevodnoy:seats=3,show_trump=yes",
    "larsenbier:seats=6",
    "podkidnoy:seats=4,teams=2x2",
    "perevodnoy:seats=6,teams=3x2",
]


@pytest.mark.filterwarnings("ignore:Observation")
@pytest.mark.parametrize("rules", RULES)
def test_pettingzoos_own_tests_pass(rules: str) -> None:
    """Its interface, and the same game for the same seed."""
    api_test(durak_v0.env(rules=rules), num_cycles=120)
    seed_test(lambda: durak_v0.env(rules=rules), num_cycles=60)


@pytest.mark.filterwarnings("ignore:.*Not able to test alternative render modes.*")
@pytest.mark.parametrize(
    ("opponent", "rules"),
    [("greedy", "podkidnoy"), ("random", "perevodnoy:seats=4"), ("greedy", "podkidnoy:seats=6,teams=2x3")],
)
def test_gymnasiums_own_test_passes(opponent: str, rules: str) -> None:
    """The single agent's view, against agents of any text."""
    check_env(DurakEnv(opponent, rules))


@pytest.mark.parametrize("rules", RULES[3:])
def test_partners_have_the_same_reward(rules: str) -> None:
    """All of the team that lost -1, the others a share of what that is (rules 2.2.6)."""
    game = durak_v0.raw_env(rules=rules, render_mode="ansi")
    game.reset(seed=4)
    chance = np.random.default_rng(4)
    for _agent in game.agent_iter():
        seen, _, over, _, _ = game.last()
        if over:
            break
        game.step(int(chance.choice(seen["action_mask"].nonzero()[0])))
    state = game.state_of_game()
    fools = state.fools
    size = len(game.possible_agents) // game.game.team_count
    assert len(fools) == size
    win = size / (len(game.possible_agents) - size)
    assert [game.rewards[agent] for agent in game.possible_agents] == [
        -1 if seat in fools else win for seat in range(game.game.seats)
    ]
    assert game.render().endswith(" and ".join(f"seat {seat}" for seat in fools) + " are the fools")


def test_a_game_ends_with_its_returns() -> None:
    """Whoever is the fool gets -1, all others share 1, and nothing was given before."""
    game = durak_v0.env(rules="podkidnoy:seats=3")
    game.reset(seed=4)
    for agent in game.agent_iter():
        seen, reward, over, _, _ = game.last()
        assert over or reward == 0
        if over:
            assert reward in (-1, 0.5)
        game.step(None if over else int(seen["action_mask"].nonzero()[0][-1]))
        assert agent in game.possible_agents


def test_an_illegal_action_is_refused_with_the_legal_ones() -> None:
    """The bare environment names them; the checked one gives -1 and ends the game."""
    bare = durak_v0.raw_env()
    bare.reset(seed=1)
    wrong = int(bare.last()[0]["action_mask"].argmin())
    with pytest.raises(DurakError, match="is not legal here; expected one of"):
        bare.step(wrong)
    checked = durak_v0.env()
    checked.reset(seed=1)
    agent = checked.agent_selection
    checked.step(wrong)
    assert checked.rewards[agent] == -1
    single = DurakEnv()
    single.reset(seed=1)
    assert single.step(wrong)[1:3] == (-1.0, True)


def test_the_picture_is_text() -> None:
    """The render mode ``ansi`` shows the table and all hands; there is no other mode."""
    game = durak_v0.env(render_mode="ansi")
    game.reset(seed=1)
    assert "seat 0, " in game.render()
    assert "is the fool" in durak_v0.picture(final())
    with pytest.raises(DurakError, match="expected ansi"):
        durak_v0.env(render_mode="human")
    with pytest.raises(RulesError):
        durak_v0.env(rules="poker")
    with pytest.raises(AgentError):
        DurakEnv("nobody")


def final() -> State:
    state = State.deal(Rules(), 1)
    while not state.is_over:
        state = state.apply(state.legal_actions[0])
    return state
