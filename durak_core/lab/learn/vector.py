"""The steppers below all environments: one game, or many side by side in compiled code for training."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from operator import index
from typing import Any, Final, TypeAlias

import numpy as np

from durak_core.agents.registry import NamedAgent
from durak_core.errors import DealError, DurakError
from durak_core.game.state import State
from durak_core.game.state_view import StateView, is_whole, no_deal_stands
from durak_core.kernel.position import AGENTS_STREAM, MASK63, MAX_ACTIONS, MAX_SEATS, NOBODY, Position, derive
from durak_core.kernel.transition import new_position
from durak_core.lab.learn.arrays import Arrays, Bits, Float64s, Int8s, Int16s, Int64s
from durak_core.lab.legal_choices import place_of
from durak_core.lab.matches.compiled_games import LineUp, buffers_for, compiled_players
from durak_core.lab.matches.players import recipe_of
from durak_core.lab.model_io import action_of_index
from durak_core.rules import Rules
from durak_core.search.backend.backend import Backend, backend, backend_if_it_pays
from durak_core.search.network.encoding import (
    ACTIONS,
    MAX_ACTIVE,
    Memory,
    check_encodable,
    indexed_actions,
    input_size,
)
from durak_core.search.network.vector import DEAL, OUTSIDE, Board, Games, Results, Slot
from durak_core.search.players import (
    ILLEGAL,
    LOOK,
    NO_DEAL,
    NUMBER,
    ORDER,
    PLAY,
    SEAT,
    SMART,
    TURN,
    WAIT,
    Player,
    SeatedPlayers,
    Views,
)
from durak_core.search.policies.playouts import POLICIES

_PLAYERS: Final = frozenset({OUTSIDE, *POLICIES.values()})
_DEALS_TRIED: Final = 100
_RECORDS: Final = ("positions", "memories", "slots")

Seen: TypeAlias = tuple[Int8s, Int8s]
"""Observations and legal-action masks, as 0 and 1."""


def active_width(rules: Rules) -> int:
    return 2 * rules.deck_size + 20 + 8 * rules.seats


@dataclass(frozen=True, slots=True)
class Setting:
    """Settings common to the games of a `VectorGames`.

    ``line_ups`` has each seat's player, `OUTSIDE` or a policy of `durak_core.search.policies.playouts`. Game
    ``i`` uses row ``i % len(line_ups)``. With ``skips`` forced actions are played automatically. ``seed``,
    0 to 2^63 - 1, determines deals and policies.
    """

    rules: Rules
    seed: int
    line_ups: Sequence[Sequence[int]] = ()
    skips: bool = False


def check_choices(rules: Rules) -> None:
    """Raise `DurakError` if no game of the rules has a choice, so that skipping forced actions never ends."""
    with suppress(DealError):
        for seed in range(_DEALS_TRIED):
            state = State.deal(rules, seed)
            while not state.is_over:
                if len(state.legal_actions) > 1:
                    return
                state = state.apply(state.legal_actions[0])
        raise DurakError(
            "no game of {rules} has a choice: expected more cards, or larger hands", rules=rules.text
        )


def _new_games(runner: Backend, rules: Rules, slot: Slot, count: int) -> Any:  # noqa: ANN401 - of a backend
    memory = Memory(is_open=int(rules.visibility == "open"))
    return Games(*[runner.records(one, count) for one in (new_position(rules), memory, slot)])


class SteppedGames:
    """Games with one external seat each, or all; compiled players play the others. `advance` steps them.

    ``others`` are the players of the other seats, clockwise from the external one; without them all seats are
    external. With ``skips`` forced actions of the external seats are played automatically.

    Attributes:
        orders: Next order to each game, see `durak_core.search.players.NUMBER`; int64, (count, 3).
        turns: Seat to act in each game, -1 at its end, or `ILLEGAL` after an illegal action; int64, (count,).
        returns: Returns of each last finished game by seat (rules 8.4); float64, (count, `MAX_SEATS`).
    """

    def __init__(self, rules: Rules, others: LineUp, count: int, runner: Backend, *, skips: bool) -> None:
        self.rules = rules
        self.games = _new_games(runner, rules, Slot(skips=int(skips)), count)
        self.orders: Any = np.full((count, ORDER), ILLEGAL, np.int64)
        self.turns: Int64s = self.orders[:, TURN]
        self.returns: Float64s = np.zeros((count, MAX_SEATS), np.float64)
        line_ups = runner.records(Player(kind=OUTSIDE), MAX_SEATS * rules.seats)
        for place, (player, _) in enumerate(others, 1):
            player.network = place - 1
            for seat in range(rules.seats):
                at = MAX_SEATS * seat + (seat + place) % rules.seats
                line_ups[at] = runner.records(player, 1)[0]
        seated = SeatedPlayers(line_ups, runner.records(Player(kind=OUTSIDE), MAX_SEATS * count))
        thinks = any(player.kind > SMART for player, _ in others)
        head = [buffers_for(others, runner)] if thinks else []
        advance = runner.functions["advance_thinkers" if thinks else "advance"]
        self._advance = partial(advance, self.games, seated, *head)
        self._is_plain = runner.name == "plain"
        self._inputs: Any = np.zeros(MAX_ACTIVE, np.int64)
        self._shapes = (count, input_size(rules.seats)), (count, ACTIONS)

    def advance(self, seen: Seen | None = None) -> Seen:
        """Carry out the orders; see `SteppedGames`.

        Returns observations, (count, `input_size`), and legal-action masks, (count, `ACTIONS`), written to
        ``seen`` or new arrays. Only the rows of games whose `LOOK` has a seat are written.
        """
        planes, masks = seen or (np.empty(self._shapes[0], np.int8), np.empty(self._shapes[1], np.int8))
        written: Any = planes, masks
        views = Views(self._inputs, *written)
        if self._is_plain:
            orders = self.orders.tolist()
            self._advance((orders, self.returns, views))
            self.orders[...] = orders
        else:
            self._advance((self.orders, self.returns, views))
        return planes, masks


class OneGame:
    """One game with external decisions; `deal` starts the next one.

    Without ``players`` all seats are external. Otherwise one is, and the players play the others, clockwise
    from it: in compiled code if each has a counterpart there and sees what its seat sees. If one has not,
    all of them choose from observations of a `State`, because compiled code keeps no history to observe.
    With ``skips`` forced actions of the external seats are played automatically. By default a deal changes
    to the compiled backend once it pays. A copy or an unpickled game has played the same actions, and its
    players have chosen again.

    Raises:
        DurakError: If forced actions are skipped and no game of the rules has a choice.
    """

    def __init__(
        self,
        rules: Rules,
        players: Sequence[NamedAgent] = (),
        *,
        skips: bool = False,
        runner: Backend | None = None,
    ) -> None:
        if skips:
            check_choices(rules)
        self._settings = rules, players, skips
        agents = [player.build() for player in players]
        others = compiled_players(rules, agents)
        self._asked = agents if others is None else ()
        self._skips = skips
        skipped = skips and not self._asked
        self._games_by = partial(SteppedGames, rules, others or (), 1, skips=skipped)
        self._given, self._backend = runner, ""
        self._choose_backend()
        self._is_alone = bool(others)  # only one seat is external, and looks after each action
        self._looked = NOBODY  # seat of the latest observation, until it is returned
        self._seat = self._seed = -1
        self._played: list[int] = []  # by external seats
        self._unseen: list[int] = []  # actions that `state` has not followed yet
        self._state: State | None = None
        self.rules = rules

    def __getstate__(self) -> dict[str, Any]:
        rules, players, skips = self._settings
        game = self._seed, self._seat, self._played
        return {"rules": rules, "recipes": list(map(recipe_of, players)), "skips": skips, "game": game}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        players = [read(*arguments) for read, arguments in state["recipes"]]
        OneGame.__init__(self, state["rules"], players, skips=state["skips"])
        seed, seat, played = state["game"]
        if seed >= 0:
            self.deal(seed, seat)
            for number in played:
                self.play(number)

    @property
    def returns(self) -> Float64s:
        """Returns of the last finished game by seat (rules 8.4); float64, (`MAX_SEATS`,)."""
        returns: Float64s = self._games.returns[0]
        return returns

    def deal(self, seed: int, seat: int = 0) -> int:
        """Deal from a seed, 0 to 2^63 - 1, and return the seat to act, or -1 if the game is already over.

        With players, ``seat`` is the external one.

        Raises:
            DealError: If every deal is void (rules 3.4).
        """
        self._choose_backend()
        self._seed, self._seat, self._state = seed, seat, None
        self._unseen.clear()
        self._played = []
        for place, agent in enumerate(self._asked, 1):
            other = (seat + place) % self.rules.seats
            agent.begin(self.rules, other, derive(derive(seed, AGENTS_STREAM), other))
        turn = self._carry_out(seed, seat)
        if turn == NO_DEAL:
            raise no_deal_stands(self.rules)
        return self._ask_agents(turn)

    def _choose_backend(self) -> None:
        runner = self._given or backend_if_it_pays("environments")
        if runner.name != self._backend:
            self._backend, self._games = runner.name, self._games_by(runner)
            self._order = self._games.orders[0]

    def play(self, action: object) -> int:
        """Play an index of the action space, then the players' actions.

        Returns the next external seat, -1 at the end, or `ILLEGAL`, which leaves the game unchanged.

        Raises:
            DurakError: If the index is no whole number.
        """
        try:
            number = index(action)  # type: ignore[arg-type]  # what is no number is refused
        except TypeError:
            raise DurakError(
                "action {action}: expected a whole number, 0 to {last}", action=repr(action), last=ACTIONS - 1
            ) from None
        turn = self._play(number if 0 <= number < ACTIONS else -1)
        if turn == ILLEGAL:
            return turn
        self._played.append(number)
        return self._ask_agents(turn)

    def _play(self, number: int) -> int:
        turn = self._carry_out(number, PLAY)
        if turn != ILLEGAL:
            self._unseen.append(number)
        return turn

    def _carry_out(self, number: int, seat: int, look: int | None = None) -> int:
        if look is None:
            look = self._seat if self._is_alone else NOBODY
        order, self._looked = self._order, look
        order[NUMBER], order[SEAT], order[LOOK] = number, seat, look
        self._seen = self._games.advance()
        return int(order[TURN])

    def _ask_agents(self, turn: int) -> int:
        while self._asked and turn != NOBODY:
            state, place = self.state, 0
            if turn != self._seat:
                agent = self._asked[(turn - self._seat) % self.rules.seats - 1]
                chosen = agent.choose(state.observation(turn, sees_all=agent.sees_all))
                place = place_of(state, chosen.action, agent)
            elif not self._skips or len(state.legal_actions) > 1:
                break
            turn = self._play(list(indexed_actions(state))[place])
        return turn

    def seen(self, seat: int) -> Seen:
        """Return a seat's observation, (`input_size`,), and legal-action mask, (`ACTIONS`,), as 0 and 1."""
        if self._looked != seat:
            self._carry_out(0, WAIT, look=seat)
        self._looked = NOBODY  # arrays are never returned twice
        planes, masks = self._seen
        return planes[0], masks[0]

    @property
    def state(self) -> State:
        """The current state, replayed from the deal; not of games with players in compiled code."""
        if self._state is None:
            self._state = State.deal(self.rules, self._seed)
        for number in self._unseen:
            self._state = self._state.apply(action_of_index(self._state, number))
        self._unseen.clear()
        return self._state

    def facts(self) -> StateView:
        record: Any = self._games.games.positions[0]
        values = {name: np.asarray(getattr(record, name)).tolist() for name in Position.__slots__}
        return StateView(self.rules, Position(**values))

    def check_begun(self) -> None:
        if self._seed < 0:
            raise DurakError("no game has begun: call reset first")


class VectorGames:
    """n games for self-play, which `reset` deals. Each waits for a decision; a finished one is replaced.

    Game ``i`` is deterministic: its deal comes from ``derive(seed, i)``. Slot ``k`` plays games ``k``,
    ``k + n``, ``k + 2n`` and so on. The backend is compiled by default.

    Attributes:
        turns: Seat to act in each game; int64, (n,).
        counts: Number of its legal actions; int64, (n,).
        lengths: Number of active inputs; int64, (n,).
        active: Active input numbers, ``lengths`` per row; int16, (n, `active_width`).
        actions: Legal indices in the fixed action space, ``counts`` per row; int16, (n, `MAX_ACTIONS`).
        ended: Number of the game that the last action ended, or -1; int64, (n,).
        rewards: Returns of each slot's last finished game by seat (rules 8.4); float64, (n, `MAX_SEATS`).
        board: The decision arrays as compiled functions take them.

    Raises:
        ValueError: If a line-up or the seed is wrong.
        DurakError: If forced actions are skipped and no game of the rules has a choice.
    """

    def __init__(self, setting: Setting, games: int, runner: Backend | None = None) -> None:
        rules = setting.rules
        check_encodable(rules)
        rows = setting.line_ups or [[OUTSIDE] * rules.seats]
        if any(len(row) != rules.seats or OUTSIDE not in row or not _PLAYERS.issuperset(row) for row in rows):
            raise ValueError(
                f"expected line-ups of {rules.seats} players: policies, and OUTSIDE at least once"
            )
        if not is_whole(setting.seed, 0, MASK63):
            raise ValueError(f"seed {setting.seed!r}: expected 0 to {MASK63}")
        if setting.skips:
            check_choices(rules)
        self.setting = setting
        self.games = games
        self.size = input_size(rules.seats)
        self._runner = runner or backend("learn")
        slot = Slot(stride=games, seed=setting.seed, skips=int(setting.skips))
        self._games = _new_games(self._runner, rules, slot, games)
        self.positions, self.memories, self.slots = self._games
        self._line_ups = np.array(rows, np.int64)
        self.turns, self.counts, self.lengths = np.zeros((3, games), np.int64)
        self.active: Int16s = np.zeros((games, active_width(rules)), np.int16)
        self.actions: Int16s = np.zeros((games, MAX_ACTIONS), np.int16)
        self.ended: Int64s = np.full(games, -1, np.int64)
        self.rewards: Float64s = np.zeros((games, MAX_SEATS), np.float64)
        decisions: Any = (self.turns, self.counts, self.lengths, self.active, self.actions)
        self.board = Board(*decisions)
        ends: Any = (self.rewards, self.ended)
        self._results = Results(*ends)

    @property
    def numbers(self) -> Int64s:
        if self._runner.name == "plain":
            return np.array([slot.number for slot in self.slots], np.int64)
        numbers: Int64s = self.slots["number"]
        return numbers

    def codes(self, choices: Int64s) -> list[int]:
        """Return each game's action code at the given place among the legal ones."""
        return [int(slot.codes[place]) for slot, place in zip(self.slots, choices, strict=True)]

    def reset(self) -> None:
        """Deal the first games; `DealError` if every deal is void (rules 3.4)."""
        self._step(np.full(self.games, DEAL))
        self.ended.fill(-1)

    def step(self, indices: Int64s) -> None:
        """Play one action in every game, by its index in the action space; whole numbers, (n,).

        Raises:
            ValueError: If an action is not legal; no game has changed.
            DealError: If every deal is void (rules 3.4).
        """
        numbers = np.asarray(indices)
        found = np.zeros(self.actions.shape, bool)
        if numbers.dtype.kind in "iu" and numbers.shape == self.counts.shape:
            found = self.actions == numbers[:, np.newaxis]
            found &= np.arange(MAX_ACTIONS) < self.counts[:, np.newaxis]
        if not found.any(axis=1).all():
            raise ValueError("expected for each game the index of a legal action")
        self.step_places(found.argmax(axis=1))

    def step_places(self, choices: Int64s) -> None:
        """Play one action in every game, by its place among the legal ones.

        ``choices`` are places among the legal actions, 0 to ``counts`` - 1; int64, (n,).

        Raises:
            ValueError: If a place is out of range.
            DealError: If every deal is void (rules 3.4).
        """
        places = np.asarray(choices)
        is_whole_array = places.dtype.kind in "iu" and places.shape == self.counts.shape
        if not is_whole_array or bool(((places < 0) | (places >= self.counts)).any()):
            raise ValueError("expected for each game a place from 0 to the number of its legal actions - 1")
        self._step(places.astype(np.int64, copy=False))

    def _step(self, choices: Int64s) -> None:
        step = self._runner.functions["step_games"]
        if step(self._games, self._line_ups, self.board, self._results, choices):
            raise no_deal_stands(self.setting.rules)

    def choose_by_policy(
        self, chosen: Int64s, policy: int, epsilon: float, memory: tuple[Int64s, Int64s]
    ) -> None:
        """Let a policy of `durak_core.search.policies.playouts` choose in the games of k slots.

        ``memory`` is the random generator's state, (1,), and the choices to write, (n,); int64.
        """
        choose = self._runner.functions["choose_by_policy"]
        choose(self._games, chosen, policy, epsilon, memory)

    def observations(self) -> Int8s:
        """Return all observations as zeros and ones, (n, `input_size`)."""
        return self._planes(self.lengths, self.active, self.size)

    def masks(self) -> Int8s:
        """Return the legal-action masks, (n, `ACTIONS`)."""
        return self._planes(self.counts, self.actions, ACTIONS)

    def packed(self, lengths: Int64s, inputs: Int16s) -> Bits:
        """Bit-pack k observations given by ``lengths``, (k,), and ``inputs``, (k, `active_width`)."""
        return np.packbits(self._planes(lengths, inputs, self.size), axis=1)

    def _planes(self, lengths: Int64s, numbers: Int16s, width: int) -> Int8s:
        planes = np.empty((len(lengths), width), np.int8)
        self._runner.functions["write_planes"](lengths, numbers, planes)
        return planes

    def state(self) -> Arrays:
        """Return all mutable state as arrays; compiled backend only."""
        arrays = {name: getattr(self, name).view(np.uint8) for name in _RECORDS}
        names = ("turns", "counts", "lengths", "active", "actions", "ended", "rewards")
        return {**arrays, **{name: getattr(self, name) for name in names}}

    def restore(self, state: Arrays) -> None:
        for name, array in state.items():
            target = getattr(self, name)
            (target.view(np.uint8) if name in _RECORDS else target)[...] = array
