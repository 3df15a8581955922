"""What players and spectators of a table have in common. Without Textual."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TypeAlias

from durak_core import Record, Rules
from durak_core.errors import NotationError
from durak_core.messages import printable
from durak_tui.friends.address import Address
from durak_tui.friends.connection import Connection
from durak_tui.friends.messages import NO_REASONS, FromPlayer, FromServer, Lobby, No
from durak_tui.library.model.entries import FRIENDS_TAG
from durak_tui.play.saves import time_now
from durak_tui.players.names import fit_names, shown_names
from durak_tui.players.opponents import FRIEND
from durak_tui.players.roster import HUMAN, resolve_opponent
from durak_tui.text.i18n import gettext, in_every_language, translate

Listener: TypeAlias = Callable[[FromServer | None], None]
"""Called after each message, and with None after a change of the connection."""


class Client:
    """A connection to a table.

    Attributes:
        lobby: The table, or None until it is known.
        seat: The client's seat, or None without one.
    """

    def __init__(self, address: Address, name: str) -> None:
        self.address = address
        self.name = name
        self.lobby: Lobby | None = None
        self.seat: int | None = None
        self._listeners: list[Listener] = []
        self.connection = Connection(address.socket, self.greet, self._heard, lambda: self._tell(None))

    @abstractmethod
    def greet(self) -> Iterable[FromPlayer]:
        """Return the first messages of each connection."""

    @abstractmethod
    def take(self, message: FromServer) -> None:
        """Take a message; raise `DurakError` if it cannot be true."""

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Call a function after each message and change; return a function that ends this."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def _heard(self, message: FromServer) -> None:
        self.take(message)
        self._tell(message)

    def _tell(self, message: FromServer | None) -> None:
        for listener in tuple(self._listeners):
            listener(message)

    # The table

    @property
    def rules(self) -> Rules | None:
        return None if self.lobby is None else Rules.parse(self.lobby.rules)

    @property
    def players(self) -> tuple[str, ...]:
        """For each seat ``human`` for this person, ``friend`` for others, or a bot's spec."""
        if self.lobby is None:
            return ()
        return tuple(
            HUMAN if seat == self.seat else FRIEND if one.kind == "person" else resolve_opponent(one.player)
            for seat, one in enumerate(self.lobby.seats)
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The names in the active language; a friend called "You" gets the seat's number."""
        if self.lobby is None:
            return ()
        nameless = in_every_language("name", "You")
        names = [
            "" if one.kind == "person" and seat != self.seat and one.name in nameless else one.name
            for seat, one in enumerate(self.lobby.seats)
        ]
        return shown_names(fit_names(names), self.players)

    def _take_lobby(self, lobby: Lobby) -> None:
        if self.lobby is not None and lobby.rules != self.lobby.rules:
            raise NotationError("the server changed the rules")
        rules = Rules.parse(lobby.rules)
        if not len(lobby.seats) == len(lobby.score) == rules.seats or lobby.host >= rules.seats:
            raise NotationError("the table has other seats than its rules")
        for seat in lobby.seats:
            if seat.kind == "bot" and resolve_opponent(seat.player) == seat.player:  # it has no such name
                raise NotationError("the server named an opponent that does not exist")
        self.lobby = lobby


def stored_record(record: Record, names: tuple[str, ...], players: Sequence[str]) -> Record:
    """Return a finished game as the library stores it."""
    tags = {f"Player{seat}": player for seat, player in enumerate(players)}
    return replace(record, players=names, date=time_now(), tags={**tags, FRIENDS_TAG: "1"})


def refusal_words(no: No) -> str:
    """Return the sentence of a refusal, translated if this program knows its kind."""
    reason = NO_REASONS.get(no.kind)
    if reason is not None:
        return translate(reason)
    return printable(no.why) or gettext("The table refuses that.")
