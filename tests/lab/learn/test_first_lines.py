"""The loops that users of other libraries write first, as those libraries write them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

gymnasium = pytest.importorskip("gymnasium", reason="the extra learn is not installed")
pytest.importorskip("pettingzoo", reason="the extra learn is not installed")

import numpy as np  # noqa: E402 - after the checks

from durak_core.lab.learn import durak_v0  # noqa: E402

GAMES = 4


def of_single_environments() -> Any:
    def thunk() -> Any:
        env = gymnasium.make("durak_core.lab.learn:Durak-v0", flat=True)
        return gymnasium.wrappers.RecordEpisodeStatistics(env)

    return gymnasium.vector.SyncVectorEnv([thunk for _ in range(GAMES)])


def of_one_vector() -> Any:
    envs = gymnasium.make_vec("durak_core.lab.learn:Durak-v0", num_envs=GAMES, flat=True)
    return gymnasium.wrappers.vector.RecordEpisodeStatistics(envs)


@pytest.mark.parametrize("make", [of_single_environments, of_one_vector])
def test_a_loop_in_the_style_of_cleanrl(make: Callable[[], Any]) -> None:
    """One file with a network, a buffer of steps, an update and the returns of finished episodes."""
    torch = pytest.importorskip("torch", reason="the extra learn is not installed")
    envs, steps = make(), 64
    inputs = int(np.prod(envs.single_observation_space.shape))
    agent = torch.nn.Linear(inputs, int(envs.single_action_space.n))
    optimizer = torch.optim.Adam(agent.parameters(), lr=1e-3)
    chosen = torch.zeros((steps, GAMES))
    rewards = torch.zeros((steps, GAMES))
    episodes: list[float] = []
    seen, infos = envs.reset(seed=1)
    for step in range(steps):
        logits = agent(torch.Tensor(seen)) + torch.Tensor(np.log(np.maximum(infos["action_mask"], 1e-30)))
        policy = torch.distributions.Categorical(logits=logits)
        action = policy.sample()
        chosen[step] = policy.log_prob(action)
        seen, reward, _terminations, _truncations, infos = envs.step(action.numpy())
        rewards[step] = torch.Tensor(reward)
        if "episode" in infos:
            episodes += list(infos["episode"]["r"][infos["_episode"]])
    loss = -(chosen * rewards.flip(0).cumsum(0).flip(0)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    assert len(episodes) >= GAMES
    assert set(map(float, episodes)) <= {-1.0, 0.0, 1.0}
    assert all(parameter.isfinite().all() for parameter in agent.parameters())
    envs.close()


class MultiAgentEnv:
    """What RLlib makes of a PettingZoo environment: dicts by agent, of the one that is to act."""

    def __init__(self, env: Any) -> None:
        self.env = env
        env.reset()
        self.possible_agents = list(env.possible_agents)
        self.observation_spaces = {agent: env.observation_space(agent) for agent in self.possible_agents}
        self.action_spaces = {agent: env.action_space(agent) for agent in self.possible_agents}

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        self.env.reset(seed=seed, options=options)
        return {self.env.agent_selection: self.env.observe(self.env.agent_selection)}, {}

    def step(self, actions: dict[str, int]) -> Any:
        self.env.step(actions[self.env.agent_selection])
        seen, rewards, terminated, truncated, infos = {}, {}, {}, {}, {}
        while self.env.agents:
            agent = self.env.agent_selection
            seen[agent], rewards[agent], terminated[agent], truncated[agent], infos[agent] = self.env.last()
            if not (terminated[agent] or truncated[agent]):
                break
            self.env.step(None)
        terminated["__all__"] = not self.env.agents and all(terminated.values())
        truncated["__all__"] = not self.env.agents and all(truncated.values())
        return seen, rewards, terminated, truncated, infos


@pytest.mark.parametrize("rules", ["podkidnoy", "perevodnoy:seats=4,teams=2x2"])
def test_a_loop_in_the_style_of_rllib(rules: str) -> None:
    """Observations are in their spaces, and every seat has its return when all are done."""
    env = MultiAgentEnv(durak_v0.env(rules=rules))
    chance = np.random.default_rng(1)
    for seed in range(3):
        seen, _ = env.reset(seed=seed)
        total = dict.fromkeys(env.possible_agents, 0.0)
        done = False
        while not done:
            assert len(seen) == 1
            actions = {}
            for agent, observation in seen.items():
                assert env.observation_spaces[agent].contains(observation)
                mask = np.asarray(observation["action_mask"], dtype=np.int8)
                env.action_spaces[agent].seed(int(chance.integers(1000)))
                actions[agent] = int(env.action_spaces[agent].sample(mask))
            seen, rewards, terminated, truncated, _ = env.step(actions)
            for agent, reward in rewards.items():
                total[agent] += reward
            done = terminated["__all__"] or truncated["__all__"]
        assert set(seen) == set(env.possible_agents)
        assert sum(total.values()) == 0
        assert all(map(terminated.get, env.possible_agents))


def outcome(env: Any, seed: int) -> tuple[float, int]:
    """Play the first legal actions to the end; return the reward and the number of steps."""
    _, info = env.reset(seed=seed)
    for step in range(1, 1000):
        _, reward, over, _, info = env.step(int(info["action_mask"].argmax()))
        if over:
            return reward, step
    raise AssertionError


def test_workers_of_dask_play_a_sent_environment() -> None:
    """A client sends the environment and gets the results of the same games as here."""
    distributed = pytest.importorskip("distributed")
    env = gymnasium.make("Durak-v0", opponents=["greedy", "smart"], rules="podkidnoy:seats=3")
    settings = {"n_workers": 1, "threads_per_worker": 1, "processes": False, "dashboard_address": ":0"}
    with distributed.LocalCluster(**settings) as cluster, distributed.Client(cluster) as client:
        sent = distributed.protocol.pickle.loads(distributed.protocol.pickle.dumps(env))
        futures = [client.submit(outcome, sent, seed) for seed in range(4)]
        assert client.gather(futures) == [outcome(env, seed) for seed in range(4)]


def test_first_lines_of_open_spiel() -> None:
    """Its own loops: at random with chance nodes, and its environment for agents that learn."""
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel comes with the extra examples")
    from open_spiel.python import rl_environment  # noqa: PLC0415 - after the check
    from open_spiel.python.algorithms import random_agent  # noqa: PLC0415 - as above

    import durak_core.lab.learn.adapters.open_spiel_game  # noqa: F401, PLC0415 - registers the game

    chance = np.random.default_rng(1)
    state = pyspiel.load_game("python_durak").new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            actions, odds = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(int(chance.choice(actions, p=odds)))
        else:
            state.apply_action(int(chance.choice(state.legal_actions())))
    assert sum(state.returns()) == 0
    env = rl_environment.Environment("python_durak")
    env.seed(1)
    number = env.action_spec()["num_actions"]
    agents = [random_agent.RandomAgent(player, number) for player in range(env.num_players)]
    step = env.reset()
    while not step.last():
        step = env.step([agents[step.observations["current_player"]].step(step).action])
    assert sum(step.rewards) == 0
