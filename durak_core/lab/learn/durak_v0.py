"""Durak as a PettingZoo AEC environment.

    from durak_core.lab.learn import durak_v0
    game = durak_v0.env(rules="perevodnoy:seats=3", render_mode="ansi")

An observation is a dict. ``observation`` encodes what the seat may know (rules 9), zeros and ones as in
`durak_core.search.network.encoding`. ``action_mask`` marks the legal actions of the fixed action space,
none for a seat not to act. Rewards are the returns of rules 8.4, at the end of the game.

Source: J. K. Terry et al., "PettingZoo: Gym for Multi-Agent Reinforcement Learning", NeurIPS 2021.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from durak_core.game.state import State
from durak_core.kernel.position import MASK63, NOBODY
from durak_core.lab.learn._environments import AECEnv, gymnasium, seeding, wrappers
from durak_core.lab.learn.arrays import Int8s
from durak_core.lab.learn.rendering import RENDER_MODES, Rendered, check_mode, rendered
from durak_core.lab.learn.vector import OneGame
from durak_core.lab.model_io import action_of_index
from durak_core.rules import Rules, as_rules
from durak_core.search.network.encoding import ACTIONS, ENCODING, check_encodable, input_size
from durak_core.search.players import ILLEGAL


def env(rules: Rules | str = "podkidnoy", render_mode: str | None = None) -> Any:  # noqa: ANN401 - PettingZoo's
    """Create the environment in PettingZoo's standard wrappers; an illegal action ends it with reward -1.

    ``rules`` are rules or a spec such as ``perevodnoy:seats=4``. ``render_mode`` is as for `DurakEnv`.

    Raises:
        RulesError: If the rules are not playable, or have jokers.
        DurakError: If the render mode is unknown.
    """
    game = wrappers.TerminateIllegalWrapper(raw_env(rules, render_mode), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(game))


def spaces_of(rules: Rules) -> tuple[Any, Any]:
    check_encodable(rules)
    spaces = gymnasium.spaces
    planes = spaces.Box(0, 1, (input_size(rules.seats),), np.int8)
    mask = spaces.Box(0, 1, (ACTIONS,), np.int8)
    return spaces.Dict({"observation": planes, "action_mask": mask}), spaces.Discrete(ACTIONS)


class raw_env(AECEnv):  # type: ignore[misc]  # noqa: N801 - PettingZoo's name for it
    """The environment without wrappers."""

    metadata: Final = {
        "name": "durak_v0",
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": False,
        "encoding": ENCODING,
    }

    def __init__(self, rules: Rules | str = "podkidnoy", render_mode: str | None = None) -> None:
        super().__init__()
        check_mode(render_mode)
        self.render_mode = render_mode
        self.game = as_rules(rules)
        self.possible_agents = [f"seat_{seat}" for seat in range(self.game.seats)]
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._spaces = {agent: spaces_of(self.game) for agent in self.possible_agents}
        self._chance, _ = seeding.np_random()
        self._stepper = OneGame(self.game)

    def observation_space(self, agent: str) -> Any:  # noqa: ANN401 - PettingZoo's
        return self._spaces[agent][0]

    def action_space(self, agent: str) -> Any:  # noqa: ANN401 - PettingZoo's
        return self._spaces[agent][1]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new game from the seed, or the next deal of the last seed."""
        del options
        if seed is not None:
            self._chance, _ = seeding.np_random(seed)
        turn = self._stepper.deal(int(self._chance.integers(MASK63)))
        self.agents = self.possible_agents[:]
        self.agent_selection = self.agents[turn]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}

    def observe(self, agent: str) -> dict[str, Int8s]:
        planes, mask = self._stepper.seen(self._seats[agent])
        return {"observation": planes, "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Play an action index for the agent to act, or None once the game is over.

        Raises:
            DurakError: If the index is illegal; the game is unchanged.
        """
        self._stepper.check_begun()
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        if (turn := self._stepper.play(action)) == ILLEGAL:
            action_of_index(self.state_of_game(), action)  # raises
        if turn == NOBODY:
            self.rewards = {agent: float(self._stepper.returns[self._seats[agent]]) for agent in self.agents}
            self._cumulative_rewards = dict(self.rewards)
            self.terminations = dict.fromkeys(self.agents, True)
        else:
            self.agent_selection = self.possible_agents[turn]
        if self.render_mode == "human":
            self.render()

    def render(self) -> Rendered:
        self._stepper.check_begun()
        return rendered(self._stepper.facts(), self.render_mode)

    def close(self) -> None:
        """Do nothing; there are no resources to release."""

    def state_of_game(self) -> State:
        """Return the current state, replayed from the deal; `DurakError` before the first `reset`."""
        self._stepper.check_begun()
        return self._stepper.state
