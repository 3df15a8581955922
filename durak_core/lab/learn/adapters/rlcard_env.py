"""Durak as an environment of RLCard, for all seats; importing this module makes it known to RLCard.

    import durak_core.lab.learn.adapters.rlcard_env
    game = rlcard.make("durak", config={"seed": 1, "game_rules": "perevodnoy:seats=3"})

Observations and actions are those of `durak_core.lab.learn.durak_v0`; payoffs are the returns of rules 8.4. With
``allow_step_back`` in the config a game can be taken back, as RLCard's agent of counterfactual regret asks
for; that agent itself (RLCard 1.2) needs a NumPy older than 2.3.

Source: D. Zha et al., "RLCard: A Toolkit for Reinforcement Learning in Card Games", AAAI-20 Workshop on
Reinforcement Learning in Games.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, Final

import numpy as np
from rlcard.envs import Env
from rlcard.envs.registration import register

from durak_core.errors import DurakError
from durak_core.kernel.position import NOBODY
from durak_core.kernel.random import MASK63
from durak_core.lab.learn.arrays import Float64s
from durak_core.lab.learn.durak_v0 import picture
from durak_core.lab.learn.one_game import OneGame
from durak_core.rules import Rules
from durak_core.search.network.encoding import ACTIONS, input_size
from durak_core.search.players.single import ILLEGAL

_RULES: Final = "game_rules"
"""The key of the config that has the rules' text."""


class RlcardEnv(Env):  # type: ignore[misc]
    """The environment, as RLCard makes it.

    Args:
        config: RLCard's, and under ``game_rules`` the rules' text; podkidnoy for two by default.

    Raises:
        RulesError: If such rules cannot be played.
    """

    def __init__(self, config: dict[str, Any]) -> None:
        self.name = "durak"
        rules = Rules.parse(config.get(_RULES, "podkidnoy"))
        self.game = _Game(rules)
        super().__init__(config)
        self.state_shape = [[input_size(rules.seats)]] * rules.seats
        self.action_shape = [None] * rules.seats

    def get_payoffs(self) -> Float64s:
        payoffs: Float64s = self.game.words.returns[: self.num_players].copy()
        return payoffs

    def get_perfect_information(self) -> dict[str, Any]:
        """Return the game with all cards as lines of text, and whose turn it is."""
        return {"picture": picture(self.game.words.facts()), "current_player": self.game.turn}

    def _extract_state(self, state: int) -> dict[str, Any]:
        planes, mask = self.game.words.seen(state)
        legal = OrderedDict.fromkeys(map(int, np.flatnonzero(mask)))
        return {
            "obs": planes.astype(np.float32),
            "legal_actions": legal,
            "raw_obs": planes,
            "raw_legal_actions": list(legal),
            "action_record": self.action_recorder,
        }

    def _decode_action(self, action_id: int) -> int:
        return int(action_id)

    def _get_legal_actions(self) -> list[int]:
        return [int(index) for index in np.flatnonzero(self.game.words.seen(self.game.turn).mask)]


class _Game:
    """What RLCard calls a game; a state is the seat that looks."""

    allow_step_back = False
    np_random: Any

    def __init__(self, rules: Rules) -> None:
        self.words = OneGame(rules)
        self.turn = NOBODY
        self._last = 0
        self._taken: list[tuple[Any, int]] = []

    def get_num_players(self) -> int:
        return self.words.rules.seats

    def get_num_actions(self) -> int:
        return ACTIONS

    def init_game(self) -> tuple[int, int]:
        self._taken = []
        self.turn = self._last = self.words.deal(int(self.np_random.randint(MASK63, dtype=np.int64)))
        return self.turn, self.turn

    def step(self, action: int) -> tuple[int, int]:
        if self.allow_step_back:
            self._taken.append((self.words.kept(), self.turn))
        turn = self.words.play(action)
        if turn == ILLEGAL:
            raise DurakError("action {action} is not legal here", action=action)
        self._last, self.turn = self.turn, turn
        return self.get_player_id(), self.get_player_id()

    def step_back(self) -> bool:
        if not self._taken:
            return False
        kept, self.turn = self._taken.pop()
        self.words.restore(kept)
        return True

    def get_player_id(self) -> int:
        """Return the seat to act; when the game is over, the one that acted last."""
        return self._last if self.turn == NOBODY else self.turn

    def get_state(self, player_id: int) -> int:
        return player_id

    def is_over(self) -> bool:
        return self.turn == NOBODY


register("durak", "durak_core.lab.learn.adapters.rlcard_env:RlcardEnv")
