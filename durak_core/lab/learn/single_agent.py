"""Durak as a Gymnasium environment: one seat learns, agents play the others.

    import durak_core.lab.learn
    game = gymnasium.make("Durak-v0", opponents="expert", rules="perevodnoy:seats=3")

Observations and actions are as in `durak_core.lab.learn.durak_v0`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from durak_core.actions import encode as code_of
from durak_core.agents.base import Agent, SimpleAgent
from durak_core.errors import DurakError
from durak_core.game.state import State
from durak_core.game.state_view import is_whole
from durak_core.kernel.position import AGENTS_STREAM, MASK63, NOBODY, derive
from durak_core.lab.learn._environments import gymnasium
from durak_core.lab.learn.arrays import Int8s
from durak_core.lab.learn.durak_v0 import RENDER_MODES, OneGame, check_mode, checked_index, picture, spaces_of
from durak_core.lab.learn.vector import check_choices
from durak_core.lab.legal_choices import place_of
from durak_core.lab.matches.players import read_local_player
from durak_core.lab.own_agents.reading import Entrant
from durak_core.rules import Rules, as_rules
from durak_core.search.network.encoding import action_index, indexed_actions
from durak_core.search.players.games import ILLEGAL

Seen: TypeAlias = Int8s | dict[str, Int8s]


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
        render_mode: ``ansi`` or None.

    Raises:
        AgentError: If there is no such agent.
        RulesError: If the rules are not playable.
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
        read = as_rules(rules)
        if skip_forced:
            check_choices(read)
        entrants = _checked_entrants(opponents, read)
        self._seats = read.seats
        self._fixed = _checked_place(seat, read)
        self._flat = flat
        agents = [read_local_player(entrant).build() for entrant in entrants]
        simple = [agent for agent in agents if isinstance(agent, SimpleAgent) and not agent.sees_all]
        by_machine = len(simple) == len(agents)
        self._game = OneGame(read, skips=skip_forced and by_machine)
        self._table: OneGame | _Agents = self._game
        if by_machine:
            self._game.invite([agent.player(read) for agent in simple])
        else:
            self._table = _Agents(self._game, agents, skips=skip_forced)
        both, self.action_space = spaces_of(read)
        self.observation_space = both["observation"] if flat else both
        self._seat = 0
        self._turn = ILLEGAL
        self._mask: Int8s = np.zeros(0, np.int8)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Seen, dict[str, Any]]:
        super().reset(seed=seed, options=options)
        self._turn = NOBODY
        while self._turn == NOBODY:  # the learner may have had no turn at all
            game, drawn = int(self.np_random.integers(MASK63)), int(self.np_random.integers(self._seats))
            self._seat = drawn if self._fixed is None else self._fixed
            self._turn = self._table.deal(game, self._seat)
        return self._seen()

    def step(self, action: int) -> tuple[Seen, float, bool, bool, dict[str, Any]]:
        """Play the learner's action, then the others' up to its next turn.

        Raises:
            DurakError: If no game is in progress, or the action is no whole number.
        """
        if self._turn in {NOBODY, ILLEGAL}:
            raise DurakError("no game is going on: call reset first")
        self._turn = self._table.play(checked_index(action))
        reward = -1.0 if self._turn == ILLEGAL else 0.0
        if self._turn == NOBODY:
            reward = float(self._game.returns[self._seat])
        observation, info = self._seen()
        return observation, reward, reward != 0 or self._turn == NOBODY, False, info

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return the legal-action mask, (`ACTIONS`,), for sb3-contrib."""
        return self._mask.astype(bool)

    def render(self) -> str | None:
        if not self._mask.size:
            raise DurakError("no game has begun: call reset first")
        return picture(self._game.facts()) if self.render_mode == "ansi" else None

    def _seen(self) -> tuple[Seen, dict[str, Any]]:
        planes, self._mask = self._game.seen(self._seat)
        observation = planes if self._flat else {"observation": planes, "action_mask": self._mask}
        return observation, {"seat": self._seat, "action_mask": self._mask}


class _Agents:
    """Agents on the other seats; they observe a `State` kept in step with the game."""

    def __init__(self, game: OneGame, agents: Sequence[Agent], *, skips: bool) -> None:
        self._game = game
        self._agents = agents
        self._skips = skips
        self._seat = 0
        self._state: State

    def deal(self, seed: int, seat: int) -> int:
        rules = self._game.rules
        self._seat = seat
        self._state = State.deal(rules, seed)
        for place, agent in enumerate(self._agents, 1):
            other = (seat + place) % rules.seats
            agent.begin(rules, other, derive(derive(seed, AGENTS_STREAM), other))
        return self._go_on(self._game.deal(seed))

    def play(self, index: int) -> int:
        turn = self._game.play(index)
        if turn == ILLEGAL:
            return turn
        self._state = self._state.apply(indexed_actions(self._state)[index])
        return self._go_on(turn)

    def _go_on(self, turn: int) -> int:
        """Play up to the learner's next decision or the game's end."""
        while turn not in {self._seat, NOBODY} or (turn == self._seat and self._is_forced):
            action = self._state.legal_actions[0]
            if turn != self._seat:
                agent = self._agents[(turn - self._seat) % self._game.rules.seats - 1]
                action = agent.choose(self._state.observation(turn, sees_all=agent.sees_all)).action
                place_of(self._state, action, agent)
            suit = self._state.trump_suit
            turn = self._game.play(action_index(code_of(action), -1 if suit is None else int(suit)))
            self._state = self._state.apply(action)
        return turn

    @property
    def _is_forced(self) -> bool:
        return self._skips and len(self._state.legal_actions) == 1


def _checked_entrants(opponents: Entrant | Iterable[Entrant], rules: Rules) -> list[Entrant]:
    others = rules.seats - 1
    is_one = isinstance(opponents, str) or not isinstance(opponents, Iterable)
    entrants = [opponents] * others if is_one else list(opponents)
    if len(entrants) != others:
        raise DurakError(
            "{count} opponents: expected one agent, or {others} for the other seats",
            count=len(entrants),
            others=others,
        )
    return entrants


def _checked_place(seat: int | None, rules: Rules) -> int | None:
    if seat is not None and not is_whole(seat, 0, rules.seats - 1):
        raise DurakError(
            "seat={seat}: expected 0 to {last}, or None to draw it", seat=repr(seat), last=rules.seats - 1
        )
    return None if seat is None else int(seat)
