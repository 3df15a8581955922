"""Someone who watches a table: games without hands, one bout late, and whole when they are over."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from durak_core import Observation, Record, Rules, State
from durak_core.errors import NotationError
from durak_tui.friends.client import Client, refusal_words, stored_record
from durak_tui.friends.messages import VERSION, End, FromPlayer, FromServer, Hello, Lobby, Look, No, Watch
from durak_tui.friends.public import public_view
from durak_tui.friends.seen import SeenGame
from durak_tui.play.snapshot import SessionSnapshot
from durak_tui.players.names import fit_names

_KEPT: Final = 3
"""Games that are kept for a spectator who is late."""


class WatchedGame:
    """A game at the table.

    Args:
        rules: The table's rules.
        number: The game's number at its table, from 1.
        names: The players' names.
        players: The players' specs.

    Attributes:
        record: The whole game once it is over, as the library stores it.
    """

    def __init__(self, rules: Rules, number: int, names: tuple[str, ...], players: tuple[str, ...]) -> None:
        self.rules = rules
        self.number = number
        self.names = names
        self.players = players
        self.record: Record | None = None
        self._seen = SeenGame(rules, None, number)
        self._states: tuple[State, ...] = ()

    def take(self, look: Look) -> None:
        self._seen.take(look)

    def take_record(self, text: str) -> None:
        """Take the record, if it agrees with everything seen."""
        if self.record is not None:
            return
        record = self._seen.check_record(text)
        if not self._seen.positions:
            self.names = fit_names(record.players)
        self._states = tuple(record.replay())
        self.record = stored_record(record, self.names, self.players)

    @property
    def plies(self) -> Sequence[int]:
        """The plies that can be shown, in order; all of them once the game is over."""
        if self._states:
            return range(len(self._states))
        return [position.ply for position in self._seen.positions]

    def bout(self, ply: int) -> int:
        return self._view(ply).bout

    def moment(self, ply: int, viewer: int, *, is_open: bool = False) -> SessionSnapshot:
        """Return a moment for the board, from a seat.

        ``is_open`` shows all hands, which are known once the game is over.
        """
        shows_hands = is_open and bool(self._states)
        seen = replace(self._view(ply), seat=viewer)
        if shows_hands:
            seen = self._states[ply].observation(viewer)
        return SessionSnapshot(
            seen,
            self.names,
            players=self.players,
            ply=ply,
            last_ply=self.plies[-1],
            open_hands=self._states[ply].hands if shows_hands else None,
            story=public_view(self._states[-1]).events if shows_hands else None,
            is_finished=seen.is_over,
        )

    def _view(self, ply: int) -> Observation:
        if self._states:
            return public_view(self._states[ply])
        return next(position.seen for position in self._seen.positions if position.ply == ply)


class Spectator(Client):
    """A connection that watches a table.

    Attributes:
        games: The last games, the newest last.
    """

    games: tuple[WatchedGame, ...] = ()

    def greet(self) -> Iterator[FromPlayer]:
        yield Hello(VERSION, self.name)
        yield Watch(self.address.code)

    def take(self, message: FromServer) -> None:
        match message:
            case Lobby():
                self._take_lobby(message)
            case Look():
                self._with_game(message.game).take(message)
            case End():
                self._with_game(message.game).take_record(message.record)
            case No():
                self.connection.end(refusal_words(message))
            case _:
                raise NotationError("the server gave a seat to a spectator")

    def _with_game(self, number: int) -> WatchedGame:
        """Return the game with a number, a new one if it is the next."""
        found = next((game for game in self.games if game.number == number), None)
        if found is not None:
            return found
        if self.rules is None or (self.games and number < self.games[-1].number):
            raise NotationError("the server showed another game than it announced")
        game = WatchedGame(self.rules, number, self.names, self.players)
        self.games = (*self.games, game)[-_KEPT:]
        return game
