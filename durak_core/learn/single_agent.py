"""Durak as a Gymnasium environment: one seat learns, agents play at the others.

Observations and actions are those of `durak_core.learn.durak_v0`.
"""

from __future__ import annotations

from typing import Any, Final

import gymnasium
import numpy as np
import numpy.typing as npt

from durak_core.agents.registry import make_agent
from durak_core.errors import DurakError
from durak_core.game.state import State
from durak_core.kernel.random import AGENTS_STREAM, MASK63, derive
from durak_core.learn.durak_v0 import RENDER_MODES, observed, picture, spaces_of
from durak_core.rules import Rules
from durak_core.search.network.features import indexed_actions


class DurakEnv(gymnasium.Env):  # type: ignore[misc]
    """One seat's view of games against agents.

    The learner's seat is drawn for each game. An action that is not legal ends the game with the reward
    -1, as the fool's; ``info["action_mask"]`` and the observation say what is legal.

    Args:
        opponent: The text of the agent at every other seat.
        rules: The rules' text.
        render_mode: ``ansi`` or None.

    Raises:
        AgentError: If there is no such agent.
        RulesError: If such rules cannot be played.
        DurakError: If there is no such render mode.
    """

    metadata: Final = {"render_modes": list(RENDER_MODES)}

    def __init__(
        self, opponent: str = "greedy", rules: str = "podkidnoy", render_mode: str | None = None
    ) -> None:
        if render_mode not in (None, *RENDER_MODES):
            raise DurakError("render_mode={render_mode!r}: expected ansi, or None", render_mode=render_mode)
        self.render_mode = render_mode
        self._rules = Rules.parse(rules)
        self._others = [make_agent(opponent) for _ in range(self._rules.seats)]
        self.observation_space, self.action_space = spaces_of(self._rules)
        self._state: State | None = None
        self._seat = 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, npt.NDArray[np.int8]], dict[str, Any]]:
        """Deal a new game and let the others play until it is the learner's turn."""
        super().reset(seed=seed, options=options)
        while True:
            game = int(self.np_random.integers(MASK63))
            self._seat = int(self.np_random.integers(self._rules.seats))
            self._state = State.deal(self._rules, game)
            for seat, agent in enumerate(self._others):
                if seat != self._seat:
                    agent.begin(self._rules, seat, derive(derive(game, AGENTS_STREAM), seat))
            self._play_others()
            if not self._now.is_over:
                return self._seen(), self._info()

    def step(self, action: int) -> tuple[dict[str, npt.NDArray[np.int8]], float, bool, bool, dict[str, Any]]:
        """Play the learner's action, then the others' until it is its turn again or the game is over."""
        state = self._now
        if state.is_over:
            raise DurakError("the game is over: call reset")
        legal = indexed_actions(state.observation(self._seat))
        if int(action) not in legal:
            return self._seen(), -1.0, True, False, self._info()
        self._state = state.apply(legal[int(action)])
        self._play_others()
        over = self._now.is_over
        reward = float(self._now.returns[self._seat]) if over else 0.0
        return self._seen(), reward, over, False, self._info()

    def render(self) -> str | None:
        return picture(self._now) if self.render_mode == "ansi" else None

    @property
    def _now(self) -> State:
        if self._state is None:
            raise DurakError("no game has begun: call reset first")
        return self._state

    def _play_others(self) -> None:
        while (seat := self._now.turn) is not None and seat != self._seat:
            agent = self._others[seat]
            decision = agent.choose(self._now.observation(seat, sees_all=agent.sees_all))
            self._state = self._now.apply(decision.action)

    def _seen(self) -> dict[str, npt.NDArray[np.int8]]:
        return observed(self._now.observation(self._seat))

    def _info(self) -> dict[str, Any]:
        return {"seat": self._seat, "action_mask": self._seen()["action_mask"]}
