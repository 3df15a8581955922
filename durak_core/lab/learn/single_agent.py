"""Durak as a Gymnasium environment: one seat learns, agents play the others.

    import durak_core.lab.learn
    game = gymnasium.make("Durak-v0", opponents="expert", rules="perevodnoy:seats=3")

Observations and actions are as in `durak_core.lab.learn.durak_v0`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from durak_core.agents.registry import NamedAgent
from durak_core.errors import DurakError
from durak_core.game.state_view import is_whole
from durak_core.kernel.position import MASK63, NOBODY
from durak_core.lab.learn._environments import gymnasium
from durak_core.lab.learn.arrays import Int8s
from durak_core.lab.learn.durak_v0 import spaces_of
from durak_core.lab.learn.rendering import RENDER_MODES, Rendered, check_mode, rendered
from durak_core.lab.learn.vector import OneGame
from durak_core.lab.matches.players import read_local_player
from durak_core.lab.own_agents.reading import Entrant
from durak_core.rules import Rules, as_rules
from durak_core.search.players import ILLEGAL

Observations: TypeAlias = Int8s | dict[str, Int8s]


def read_table(
    opponents: Entrant | Iterable[Entrant], rules: Rules | str, seat: int | None
) -> tuple[Rules, list[NamedAgent]]:
    """Return the rules and the players of the other seats; arguments and errors are as for `DurakEnv`."""
    read = as_rules(rules)
    others = read.seats - 1
    is_one = isinstance(opponents, str) or not isinstance(opponents, Iterable)
    entrants = [opponents] * others if is_one else list(opponents)
    if len(entrants) != others:
        raise DurakError(
            "{count} opponents: expected one agent, or {others} for the other seats",
            count=len(entrants),
            others=others,
        )
    if seat is not None and not is_whole(seat, 0, others):
        raise DurakError(
            "seat={seat}: expected 0 to {last}, or None to draw it", seat=repr(seat), last=others
        )
    return read, list(map(read_local_player, entrants))


class DurakEnv(gymnasium.Env):  # type: ignore[misc]
    """One seat's view of games against agents.

    An illegal action ends the game with reward -1. Legal actions are in the observation, `action_masks`
    and ``info["action_mask"]``; the learner's seat is in ``info["seat"]``.

    Opponents run in compiled code if none searches (`durak_core.agents.base.SimpleAgent`). Otherwise the same
    games take many times longer.

    Args:
        opponents: One agent for all other seats, or one per seat, clockwise from the learner: agent specs, or
            your own classes and objects.
        rules: The rules, or their text.
        seat: The learner's seat; None draws one per game.
        flat: Whether observations are plain arrays, not dicts with the mask.
        skip_forced: Whether the learner's forced actions are played automatically.
        render_mode: ``human`` prints each state, ``ansi`` returns text, ``rgb_array`` a picture; or None.

    Raises:
        AgentError: If there is no such agent.
        RulesError: If the rules are not playable, or have jokers.
        DurakError: If the render mode, the seat or the number of opponents is wrong, or forced actions are
            skipped and no game of the rules has a choice.
    """

    metadata: Final = {"render_modes": list(RENDER_MODES), "render_fps": 1}

    def __init__(  # noqa: PLR0913 - keyword arguments of gymnasium.make
        self,
        opponents: Entrant | Iterable[Entrant] = "greedy",
        rules: Rules | str = "podkidnoy",
        *,
        seat: int | None = None,
        flat: bool = False,
        skip_forced: bool = False,
        render_mode: str | None = None,
    ) -> None:
        check_mode(render_mode)
        self.render_mode = render_mode
        read, players = read_table(opponents, rules, seat)
        self._seats = read.seats
        self._fixed = None if seat is None else int(seat)
        self._flat = flat
        self._game = OneGame(read, players, skips=skip_forced)
        both, self.action_space = spaces_of(read)
        self.observation_space = both["observation"] if flat else both
        self._seat = 0
        self._turn = ILLEGAL
        self._mask: Int8s = np.zeros(0, np.int8)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, dict[str, Any]]:
        super().reset(seed=seed, options=options)
        self._turn = NOBODY
        while self._turn == NOBODY:  # the learner may have had no turn at all
            seed, drawn = int(self.np_random.integers(MASK63)), int(self.np_random.integers(self._seats))
            self._seat = drawn if self._fixed is None else self._fixed
            self._turn = self._game.deal(seed, self._seat)
        return self._seen()

    def step(self, action: int) -> tuple[Observations, float, bool, bool, dict[str, Any]]:
        """Play the learner's action, then the others' up to its next turn.

        Raises:
            DurakError: If no game is in progress, or the action is no whole number.
        """
        if self._turn in {NOBODY, ILLEGAL}:
            raise DurakError("no game is going on: call reset first")
        self._turn = self._game.play(action)
        reward = -1.0 if self._turn == ILLEGAL else 0.0
        if self._turn == NOBODY:
            reward = float(self._game.returns[self._seat])
        observation, info = self._seen()
        return observation, reward, reward != 0 or self._turn == NOBODY, False, info

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return the legal-action mask, (`ACTIONS`,), for sb3-contrib."""
        return self._mask.astype(bool)

    def render(self) -> Rendered:
        self._game.check_begun()
        return rendered(self._game.facts(), self.render_mode)

    def _seen(self) -> tuple[Observations, dict[str, Any]]:
        planes, self._mask = self._game.seen(self._seat)
        if self.render_mode == "human":
            self.render()
        observation = planes if self._flat else {"observation": planes, "action_mask": self._mask}
        return observation, {"seat": self._seat, "action_mask": self._mask}
