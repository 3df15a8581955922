"""One game on the compiled backend, for environments that take one action at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from durak_core.game.setup import no_deal_stands
from durak_core.game.state_view import StateView
from durak_core.kernel.deal import new_position
from durak_core.kernel.position import MAX_SEATS, Position
from durak_core.lab.learn.arrays import Float64s, Int8s
from durak_core.lab.matches.compiled_games import LineUp, buffers_for
from durak_core.rules import Rules
from durak_core.search.backend.backend import Backend, backend
from durak_core.search.network.encoding import ACTIONS, MAX_ACTIVE, Memory, input_size
from durak_core.search.network.vector import OUTSIDE, Games, Slot
from durak_core.search.players.env_step import NO_DEAL
from durak_core.search.players.player import SMART, InferenceBuffers, Player


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
        self._head: tuple[InferenceBuffers, ...] = ()
        self._open, self._play, self._look = (
            runner.functions[name] for name in ("open_game", "play_index", "look")
        )
        self._inputs = np.zeros(MAX_ACTIVE, np.int64)
        self._size = input_size(rules.seats)

    def invite(self, others: LineUp) -> None:
        """Set the players of the other seats, clockwise from the external seat."""
        self._others = others
        if any(player.kind > SMART for player, _ in others):
            self._head = (buffers_for(others, self._runner),)
            self._open, self._play = (
                self._runner.functions[name] for name in ("open_pensive_game", "play_pensive_index")
            )

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
        turn = int(self._open(self._games, self._players, *self._head, seed))
        if turn == NO_DEAL:
            raise no_deal_stands(self.rules)
        return turn

    def play(self, index: int) -> int:
        """Play an index, then the players' actions; return the next seat, -1 at the end, or `ILLEGAL`."""
        turn: int = self._play(self._games, self._players, *self._head, index, self.returns)
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
