"""A player at a table of friends: what is known of it, and the actions. Without Textual."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Final

from durak_core import Action, Record, WhyNot
from durak_core.errors import NotationError
from durak_core.messages import Message
from durak_tui.friends.address import Address
from durak_tui.friends.client import Client, refusal_words, stored_record
from durak_tui.friends.kept_seats import KeptSeat, KeptSeats
from durak_tui.friends.messages import (
    VERSION,
    Act,
    Again,
    End,
    FromPlayer,
    FromServer,
    Hello,
    Leave,
    Lobby,
    Look,
    No,
    Open,
    Replace,
    Said,
    Say,
    Seated,
    Sit,
    Start,
    checked_code,
)
from durak_tui.friends.plan import STAND_IN
from durak_tui.friends.seen import SeenGame
from durak_tui.play.snapshot import SessionSnapshot

_FINAL: Final = frozenset({"version", "elsewhere", "expired"})
"""Kinds of refusals that end the visit even after the player has got a seat."""


class Guest(Client):
    """A player at a table.

    Args:
        address: The server, with the table's code unless the player opens a table.
        name: The player's name.
        seats: Where the way back to the seat is kept.
        opening: The table to open; None to sit down at the table of the address.
        is_own: Whether this program runs the server.

    Attributes:
        game: The latest game, or None before the first.
        record: The finished latest game as the library stores it, or None.
        score: By seat, the games lost this evening.
        away: Seats whose people are away.
        stand_ins: Seats of people that a bot plays for.
        can_only_watch: Whether all seats of the table were taken.
    """

    def __init__(
        self,
        address: Address,
        name: str,
        seats: KeptSeats,
        *,
        opening: Open | None = None,
        is_own: bool = False,
    ) -> None:
        super().__init__(address, name)
        self.is_own = is_own
        self.can_only_watch = False
        self.game: SeenGame | None = None
        self.record: Record | None = None
        self.score: tuple[int, ...] = ()
        self.away: tuple[int, ...] = ()
        self.stand_ins: tuple[int, ...] = ()
        self._opening = opening
        self._seats = seats
        kept = seats.find(address) if address.code else None
        self._token = "" if kept is None else kept.token
        self._is_admitted = False
        self._acted_at: tuple[int, int] | None = None
        self._runs_out: float | None = None

    # The table

    @property
    def is_host(self) -> bool:
        return self.lobby is not None and self.lobby.host == self.seat

    @property
    def is_full(self) -> bool:
        return self.lobby is not None and all(seat.kind != "free" for seat in self.lobby.seats)

    @property
    def is_playing(self) -> bool:
        """Whether a game with this person runs."""
        return self.game is not None and bool(self.game.positions) and not self.game.last.seen.is_over

    @property
    def moment(self) -> SessionSnapshot | None:
        """The latest position for the board; None before the first game."""
        if self.game is None or not self.game.positions:
            return None
        last = self.game.last
        bots = [STAND_IN if seat in self.stand_ins else one for seat, one in enumerate(self.players)]
        return SessionSnapshot(
            last.seen,
            self.names,
            last.options,
            tuple(bots),
            ply=last.ply,
            last_ply=last.ply,
            human=self.seat,
            is_finished=last.seen.is_over,
        )

    @property
    def is_my_turn(self) -> bool:
        return self.is_playing and self.game is not None and self.game.last.seen.turn == self.seat

    @property
    def left(self) -> float | None:
        """Seconds left on the clock of the player to act; None without a clock."""
        return None if self._runs_out is None else max(0.0, self._runs_out - time.monotonic())

    @property
    def can_be_replaced(self) -> tuple[int, ...]:
        """Seats of others who are away, and whose games no bot plays yet."""
        return tuple([seat for seat in self.away if seat not in {self.seat, *self.stand_ins}])

    # What the player does

    def submit(self, action: Action) -> WhyNot | None:
        """Send an action; return why the rules forbid it. Until the server answers, others are ignored."""
        game = self.game
        if game is None or not self.is_my_turn:
            return WhyNot("11.1", Message("it is not your turn"), "not_your_turn")
        why = game.why_not(action)
        if why is None and self._acted_at != (game.number, game.last.ply):
            act = Act(game.number, game.last.ply, str(action))
            if self.connection.send(act):
                self._acted_at = act.game, act.ply
        return why

    def start(self) -> None:
        self.connection.send(Start())

    def again(self) -> None:
        self.connection.send(Again())

    def say(self, phrase: int) -> None:
        self.connection.send(Say(phrase))

    def replace_player(self, seat: int) -> None:
        """Let a bot play for someone who is away."""
        self.connection.send(Replace(seat))

    def play_on(self) -> None:
        """Play again oneself after the stand-in has played."""
        if self.address.code:
            self.connection.send(Sit(self.address.code, self._token))

    def leave(self) -> None:
        """Give up the seat for good."""
        if self._is_admitted:
            self.connection.send(Leave())
        self._seats.drop(self.address)
        self.connection.end()

    # Messages from the server

    def greet(self) -> Iterator[FromPlayer]:
        self._is_admitted = False
        self._acted_at = None
        yield Hello(VERSION, self.name)
        if self._opening is not None and not self.address.code:
            yield self._opening
        else:
            yield Sit(self.address.code, self._token)

    def take(self, message: FromServer) -> None:
        match message:
            case Lobby():
                self._take_lobby(message)
            case Seated():
                self._take_seat(message)
            case Look():
                self._take_look(message)
            case End():
                self._take_end(message)
            case No():
                self._take_refusal(message)
            case Said():
                self._check_seat(message.seat)

    def _take_lobby(self, lobby: Lobby) -> None:
        super()._take_lobby(lobby)
        self.score = lobby.score

    def _take_seat(self, seated: Seated) -> None:
        if checked_code(seated.code) != seated.code:
            raise NotationError("the server named a table that cannot be")
        if self.game is not None and seated.seat != self.seat:
            self.game = self.record = None
        self.seat, self._token = seated.seat, seated.token
        self._is_admitted = True
        self.address = self.address.at_table(seated.code)
        self._seats.keep(KeptSeat(self.address.server, seated.code, seated.token, self.is_own))

    def _take_look(self, look: Look) -> None:
        rules = self.rules
        if rules is None or self.seat is None:
            raise NotationError("the server showed a game before the table")
        number = 0 if self.game is None else self.game.number
        if look.game < number:
            return
        if self.game is None or look.game > number:
            self.game, self.record = SeenGame(rules, self.seat, look.game), None
        if self.game.take(look):
            self._acted_at = None
        self.away, self.stand_ins = look.away, look.stand_ins
        self._runs_out = None if look.left is None else time.monotonic() + look.left

    def _take_end(self, end: End) -> None:
        self.score = end.score
        self._runs_out = None
        if self.game is None or end.game != self.game.number or self.record is not None:
            return
        record = self.game.check_record(end.record)
        self.record = stored_record(record, self.names, self.players)

    def _take_refusal(self, no: No) -> None:
        self._acted_at = None
        if self._is_admitted and no.kind not in _FINAL:
            return
        if no.kind == "no_seat" and self._token:
            self._token = ""  # the seat was given to someone else: sit down like anyone
            self.connection.send(Sit(self.address.code))
            return
        self.can_only_watch = no.kind == "full"
        if no.kind in {"no_table", "expired"}:
            self._seats.drop(self.address)
        self.connection.end(refusal_words(no))

    def _check_seat(self, seat: int) -> None:
        if self.lobby is None or seat >= len(self.lobby.seats):
            raise NotationError("the server named a seat that does not exist")
