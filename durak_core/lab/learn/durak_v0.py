"""Durak as a PettingZoo AEC environment, and one game on the compiled backend.

    from durak_core.lab.learn import durak_v0
    game = durak_v0.env(rules="perevodnoy:seats=3", render_mode="ansi")

An observation is a dict. ``observation`` encodes what the seat may know (rules 9), zeros and ones as in
`durak_core.search.network.encoding`. ``action_mask`` marks the legal actions of the fixed action space,
none for a seat not to act. Rewards are the returns of rules 8.4, at the end of the game.

Source: J. K. Terry et al., "PettingZoo: Gym for Multi-Agent Reinforcement Learning", NeurIPS 2021.
"""

from __future__ import annotations

from operator import index
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from durak_core.cards import CardSet
from durak_core.errors import DurakError
from durak_core.game.state import State
from durak_core.game.state_view import StateView, no_deal_stands
from durak_core.kernel.position import MASK63, MAX_SEATS, NOBODY, Position
from durak_core.kernel.transition import new_position
from durak_core.lab.learn._environments import AECEnv, gymnasium, seeding, wrappers
from durak_core.lab.learn.arrays import Float64s, Int8s
from durak_core.lab.matches.compiled_games import LineUp, buffers_for
from durak_core.rules import Rules, as_rules
from durak_core.search.backend.backend import Backend, backend
from durak_core.search.network.encoding import (
    ACTIONS,
    ENCODING,
    MAX_ACTIVE,
    Memory,
    indexed_actions,
    input_size,
)
from durak_core.search.network.vector import OUTSIDE, Games, Slot
from durak_core.search.players.games import ILLEGAL, NO_DEAL
from durak_core.search.players.player import InferenceBuffers, Player


class OneGame:
    """A game; `deal` starts the next one.

    ``returns`` holds the last finished game's returns by seat (rules 8.4); float64, (`MAX_SEATS`,). With
    ``skips`` forced actions are played automatically. The backend is compiled by default.
    """

    def __init__(self, rules: Rules, *, skips: bool = False, runner: Backend | None = None) -> None:
        runner = runner or backend("learn")
        self.rules = rules
        self.returns: Float64s = np.zeros(MAX_SEATS, np.float64)
        memory = Memory(is_open=int(rules.visibility == "open"))
        records = (new_position(rules), memory, Slot(skips=int(skips)))
        self._games = Games(*[runner.records(one, 1) for one in records])
        self._runner = runner
        self._players = runner.records(Player(kind=OUTSIDE), MAX_SEATS)
        self._others: LineUp = ()
        self._outside: int | None = None
        self._head: InferenceBuffers = buffers_for((), runner)
        self._open, self._play, self._look = (
            runner.functions[name] for name in ("open_game", "play_index", "look")
        )
        self._inputs = np.zeros(MAX_ACTIVE, np.int64)
        self._size = input_size(rules.seats)

    def invite(self, others: LineUp) -> None:
        """Set the players of the other seats, clockwise from the external seat."""
        self._others = others
        self._head = buffers_for(others, self._runner)

    def _seat_others(self, outside: int) -> None:
        self._outside = outside
        chairs = [(Player(kind=OUTSIDE), None), *self._others]
        for place, (player, _) in enumerate(chairs):
            player.network = place - 1
            self._players[(outside + place) % len(chairs)] = self._runner.records(player, 1)[0]

    def deal(self, seed: int, outside: int = 0) -> int:
        """Deal from a seed, 0 to 2^63 - 1, and return the seat to act, or -1 if the game is already over.

        If players are invited, only the seat ``outside`` is external; otherwise all seats are.

        Raises:
            DealError: If every deal is void (rules 3.4).
        """
        if self._others and outside != self._outside:
            self._seat_others(outside)
        turn = int(self._open(self._games, self._players, self._head, seed))
        if turn == NO_DEAL:
            raise no_deal_stands(self.rules)
        return turn

    def play(self, index: int) -> int:
        """Play an index, then the players' actions; return the next seat, -1 at the end, or `ILLEGAL`."""
        turn: int = self._play(self._games, self._players, self._head, index, self.returns)
        return turn

    def seen(self, seat: int) -> tuple[Int8s, Int8s]:
        """Return a seat's observation, (`input_size`,), and legal-action mask, (`ACTIONS`,), as 0 and 1."""
        planes = np.zeros(self._size, np.int8)
        mask = np.zeros(ACTIONS, np.int8)
        self._look(self._games, seat, self._inputs, planes, mask)
        return planes, mask

    def facts(self) -> StateView:
        record: Any = self._games.positions[0]
        values = {name: np.asarray(getattr(record, name)).tolist() for name in Position.__slots__}
        return StateView(self.rules, Position(**values))


RENDER_MODES: Final = ("ansi",)


def env(rules: Rules | str = "podkidnoy", render_mode: str | None = None) -> Any:  # noqa: ANN401 - PettingZoo's
    """Create the environment in PettingZoo's standard wrappers; an illegal action ends it with reward -1.

    ``rules`` are rules or a spec such as ``perevodnoy:seats=4``; ``render_mode`` is ``ansi`` or None.

    Raises:
        RulesError: If the rules are not playable.
        DurakError: If the render mode is unknown.
    """
    game = wrappers.TerminateIllegalWrapper(raw_env(rules, render_mode), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(game))


def check_mode(render_mode: str | None) -> None:
    if render_mode not in (None, *RENDER_MODES):
        raise DurakError("render_mode={render_mode!r}: expected ansi, or None", render_mode=render_mode)


def checked_index(action: object) -> int:
    """Return an action index, -1 if the action space has none such; `DurakError` if it is no whole number."""
    try:
        number = index(action)  # type: ignore[arg-type]  # what is no number is refused
    except TypeError:
        raise DurakError(
            "action {action}: expected a whole number, 0 to {last}", action=repr(action), last=ACTIONS - 1
        ) from None
    return number if 0 <= number < ACTIONS else -1


def spaces_of(rules: Rules) -> tuple[Any, Any]:
    spaces = gymnasium.spaces
    planes = spaces.Box(0, 1, (input_size(rules.seats),), np.int8)
    mask = spaces.Box(0, 1, (ACTIONS,), np.int8)
    return spaces.Dict({"observation": planes, "action_mask": mask}), spaces.Discrete(ACTIONS)


def picture(state: StateView) -> str:
    """Render a state as text, with all hands face up."""
    table = " ".join([f"{pair.attack}x{pair.defence or '?'}" for pair in state.table])
    phase = state.phase.name.lower().replace("_", " ")
    talon = f"talon {len(state.talon)}, trump {state.trump_card or 'none'}, discarded {len(state.discards)}"
    lines = [f"bout {state.bout}, {phase}; {talon}", f"table: {table or '-'}"]
    for seat, hand in enumerate(state.hands):
        mark = ">" if state.turn == seat else " "
        lines.append(f"{mark} seat {seat}, {state.roles[seat].name.lower()}: {_cards(hand)}")
    if state.is_over:
        losers = " and ".join([f"seat {seat}" for seat in state.fools])
        are = "is the fool" if len(state.fools) == 1 else "are the fools"
        lines.append(f"{losers} {are}" if losers else "a draw")
    return "\n".join(lines)


def _cards(hand: CardSet) -> str:
    return " ".join(map(str, hand)) or "-"


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
        self._seed: int | None = None
        self._played: list[int] = []
        self._compiled = OneGame(self.game)

    def observation_space(self, agent: str) -> Any:  # noqa: ANN401 - PettingZoo's
        return self._spaces[agent][0]

    def action_space(self, agent: str) -> Any:  # noqa: ANN401 - PettingZoo's
        return self._spaces[agent][1]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new game from the seed, or the next deal of the last seed."""
        del options
        if seed is not None:
            self._chance, _ = seeding.np_random(seed)
        self._seed = int(self._chance.integers(MASK63))
        self._played = []
        turn = self._compiled.deal(self._seed)
        self.agents = self.possible_agents[:]
        self.agent_selection = self.agents[turn]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}

    def observe(self, agent: str) -> dict[str, npt.NDArray[np.int8]]:
        planes, mask = self._compiled.seen(self._seats[agent])
        return {"observation": planes, "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Play an action index for the agent to act, or None once the game is over.

        Raises:
            DurakError: If the index is illegal; the game is unchanged.
        """
        self._check_begun()
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        number = checked_index(action)
        if (turn := self._compiled.play(number)) == ILLEGAL:
            legal = indexed_actions(self.state_of_game())
            listed = ", ".join(f"{place} ({known})" for place, known in legal.items())
            raise DurakError(
                "action {action} is not legal here; expected one of {listed}", action=action, listed=listed
            )
        self._played.append(number)
        if turn == NOBODY:
            self.rewards = {agent: float(self._compiled.returns[self._seats[agent]]) for agent in self.agents}
            self._cumulative_rewards = dict(self.rewards)
            self.terminations = dict.fromkeys(self.agents, True)
        else:
            self.agent_selection = self.possible_agents[turn]

    def render(self) -> str | None:
        self._check_begun()
        return picture(self._compiled.facts()) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Do nothing; there are no resources to release."""

    def state_of_game(self) -> State:
        """Return the current state, replayed from the deal; `DurakError` before the first `reset`."""
        state = State.deal(self.game, self._check_begun())
        for number in self._played:
            state = state.apply(indexed_actions(state)[number])
        return state

    def _check_begun(self) -> int:
        if self._seed is None:
            raise DurakError("no game has begun: call reset first")
        return self._seed
