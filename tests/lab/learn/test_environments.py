"""The environments keep PettingZoo's and Gymnasium's contracts, by their own tests."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("pettingzoo", reason="the extra learn is not installed")
pytest.importorskip("gymnasium", reason="the extra learn is not installed")

import gymnasium
import numpy as np
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, render_test, seed_test

from durak_core import AgentError, DurakError, Rules, RulesError, State
from durak_core.lab.learn import durak_v0
from durak_core.lab.learn.rendering import rendered, text_of_table
from durak_core.lab.learn.single_agent import DurakEnv
from durak_core.lab.matches import compiled_games
from durak_core.search.backend.backend import backend, plain_backend

RULES = [
    "podkidnoy",
    "perevodnoy:seats=3,show_trump=yes,exchange_trump=yes",
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
    "kinds",
    [
        {},
        {"opponents": "random", "rules": "perevodnoy:seats=4", "flat": True},
        {"rules": "podkidnoy:seats=6,teams=2x3", "skip_forced": True},
        {"opponents": ["ismcts:iterations=2", "greedy"], "rules": "podkidnoy:seats=3", "seat": 1},
    ],
)
def test_gymnasiums_own_test_passes(kinds: dict[str, Any]) -> None:
    """The single agent's view, made by Gymnasium, against agents in machine code and others."""
    check_env(gymnasium.make("Durak-v0", **kinds).unwrapped)


@pytest.mark.parametrize(
    ("opponents", "rules"),
    [
        (["random", "expert"], "perevodnoy:seats=3"),
        (["moderate", "random:uniform"], "podkidnoy:seats=3"),
        ("aggressive", "larsenbier"),
        (["smart", "level:misha"], "podkidnoy:seats=3"),
        ("ppo", "podkidnoy"),
    ],
)
@pytest.mark.parametrize("skips", [False, True])
def test_players_in_machine_code_play_as_the_agents_do(
    opponents: str | list[str], rules: str, skips: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The way through agents' observations leads to the same games as machine code."""
    backend("environments")  # compiled from the first game on, if there is a compiler
    fast = DurakEnv(opponents, rules, skip_forced=skips)
    monkeypatch.setattr(compiled_games, "SimpleAgent", int)
    pair = (fast, DurakEnv(opponents, rules, skip_forced=skips))
    chance = np.random.default_rng(1)
    seen = [game.reset(seed=5) for game in pair]
    ended = 0
    while ended < 8:
        assert seen[0][1]["seat"] == seen[1][1]["seat"]
        assert np.array_equal(*[observation["observation"] for observation, *_ in seen])
        assert np.array_equal(*[game.action_masks() for game in pair])
        legal = fast.action_masks().nonzero()[0]
        assert len(legal) > skips
        action = int(chance.choice(legal))
        steps = [game.step(action) for game in pair]
        assert steps[0][1:4] == steps[1][1:4]
        seen = [(step[0], step[4]) for step in steps]
        if steps[0][2]:
            ended += 1
            seen = [game.reset() for game in pair]


@pytest.mark.usefixtures("compiled_training")
def test_a_deal_changes_to_compiled_code_once_it_pays(monkeypatch: pytest.MonkeyPatch) -> None:
    """An interpreted game that has begun goes on, and later games are as if nothing had changed."""
    told = []
    plain, compiled = plain_backend(), backend("environments")
    for runners in ([plain] * 4, [plain, plain, compiled, compiled]):
        left = iter(runners)
        monkeypatch.setattr("durak_core.lab.learn.vector.backend_if_it_pays", lambda _, left=left: next(left))
        game, rows = DurakEnv("expert", "podkidnoy"), []
        for seed in (7, 8, 9):
            info, done = game.reset(seed=seed)[1], False
            while not done:
                action = int(info["action_mask"].argmax())
                observation, reward, done, _, info = game.step(action)
                rows.append((observation["observation"].tolist(), reward))
        told.append(rows)
        assert not list(left)
    assert told[0] == told[1]


@pytest.mark.parametrize("rules", ["podkidnoy", "podkidnoy:seats=3"])
def test_a_class_plays_all_other_seats(rules: str) -> None:
    class Own:
        def choose(self, observation):
            return observation.legal_actions[0]

    game = DurakEnv(Own, rules)
    _, info = game.reset(seed=7)
    done = False
    while not done:
        _, reward, done, _, info = game.step(int(np.flatnonzero(info["action_mask"])[0]))
    assert reward in {-1, 0, 0.5, 1}


def test_who_sits_where_is_checked() -> None:
    """A seat there is, and as many texts as other seats; a fixed seat is the learner's in every game."""
    with pytest.raises(DurakError, match="seat=2: expected 0 to 1, or None"):
        DurakEnv(seat=2)
    with pytest.raises(DurakError, match="2 opponents: expected one agent, or 1"):
        DurakEnv(["greedy", "random"])
    with pytest.raises(AgentError, match="3 is no agent: expected an agent spec"):
        DurakEnv(3)
    game = DurakEnv(seat=1)
    assert {game.reset(seed=seed)[1]["seat"] for seed in range(6)} == {1}
    for wrong in (1.5, "0", 2):
        with pytest.raises(DurakError, match="expected 0 to 1, or None"):
            DurakEnv(seat=wrong)
    with pytest.raises(DurakError, match="call reset first"):
        DurakEnv().step(0)
    with pytest.raises(DurakError, match="has a choice: expected"):
        DurakEnv(rules="podkidnoy:suits=2,lowest_rank=A,hand_size=1", skip_forced=True)


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


def test_what_is_no_index_is_refused_and_changes_nothing() -> None:
    """An index outside of the action space is an illegal action."""
    bare, single = durak_v0.raw_env(Rules(), render_mode="ansi"), DurakEnv(rules=Rules(), render_mode="ansi")
    for game in (bare, single):
        with pytest.raises(DurakError, match="call reset first"):
            game.render()
        with pytest.raises(DurakError, match="call reset first"):
            game.step(0)
        game.reset(seed=1)
        before = game.render()
        for wrong in (None, 6.9, float("nan"), "6", np.array([3])):
            with pytest.raises(DurakError, match="expected a whole number, 0 to 209"):
                game.step(wrong)
        assert game.render() == before
    with pytest.raises(DurakError, match="is not legal here"):
        bare.step(10**30)
    assert single.step(10**30)[1:3] == (-1.0, True)


@pytest.mark.filterwarnings("ignore:Observation")
def test_tables_are_rendered(capsys: pytest.CaptureFixture[str]) -> None:
    """As text, as a picture or on the terminal, by PettingZoo's test; there is no other mode."""
    pytest.importorskip("PIL", reason="the extra learn is not installed")
    render_test(lambda **mode: durak_v0.env(rules="perevodnoy:seats=6", **mode))
    assert "seat 5, " in capsys.readouterr().out
    single = DurakEnv(render_mode="human")
    single.reset(seed=1)
    assert "seat 0, " in capsys.readouterr().out
    assert "is the fool" in text_of_table(final())
    assert rendered(final(), "rgb_array").std() > 0
    assert rendered(final(), None) is None
    with pytest.raises(DurakError, match="expected human, ansi, rgb_array, or None"):
        durak_v0.env(render_mode="video")
    with pytest.raises(RulesError):
        durak_v0.env(rules="poker")
    with pytest.raises(AgentError):
        DurakEnv("nobody")


def pickled(env: Any) -> Any:
    return pickle.loads(pickle.dumps(env))  # noqa: S301 - of this test


class First:
    """An agent of one's own, outside of functions as pickling asks."""

    def choose(self, observation):
        return observation.legal_actions[0]


@pytest.mark.parametrize(
    "kinds",
    [
        {},
        {"opponents": ["smart", "ismcts:iterations=3"], "rules": "podkidnoy:seats=3"},
        {"opponents": First, "skip_forced": True},
    ],
)
@pytest.mark.parametrize("way", [copy.deepcopy, pickled])
def test_a_copy_of_a_game_goes_on_alike(kinds: dict[str, Any], way: Callable[[Any], Any]) -> None:
    """In the middle of a game, and in the next one."""
    env = gymnasium.make("Durak-v0", **kinds)
    way(env).reset(seed=2)  # before the first game, too
    played(env, np.random.default_rng(1), 5, env.reset(seed=4)[1])
    pair = (env, way(env))
    now = {"action_mask": env.unwrapped.action_masks()}
    assert len({played(one, np.random.default_rng(2), 40, now) for one in pair}) == 1


def played(env: Any, chance: np.random.Generator, steps: int, info: dict[str, Any]) -> tuple[Any, ...]:
    """Play at random, from game to game, and return what was seen."""
    told = []
    for _ in range(steps):
        action = int(chance.choice(np.flatnonzero(info["action_mask"])))
        seen, reward, over, _, info = env.step(action)
        told.append((seen["observation"].tobytes(), reward, over))
        if over:
            info = env.reset()[1]
    return tuple(told)


@pytest.mark.parametrize("make", [durak_v0.env, durak_v0.raw_env])
def test_a_copy_of_a_pettingzoo_game_goes_on_alike(make: Callable[[], Any]) -> None:
    game = make()
    game.reset(seed=3)
    pair = (game, pickled(game))
    for _ in range(60):
        seen = [one.last() for one in pair]
        assert pair[0].agent_selection == pair[1].agent_selection
        assert np.array_equal(*[one[0]["observation"] for one in seen])
        assert seen[0][1:4] == seen[1][1:4]
        for one in pair:
            one.step(None if seen[0][2] else int(seen[0][0]["action_mask"].argmax()))
        if not game.agents:
            break


def final() -> State:
    state = State.deal(Rules(), 1)
    while not state.is_over:
        state = state.apply(state.legal_actions[0])
    return state
