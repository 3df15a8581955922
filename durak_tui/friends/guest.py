"""Players and spectators at a table of friends: what they know of the game, and their actions.

The hidden cards stay hidden until the server sends the record.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from durak_core import Action, Event, Observation, Record, Rules, State, WhyNot, read_game
from durak_core.engine.protocol import parse_event
from durak_core.errors import DurakError, Message, NotationError
from durak_core.game.notation.position_text import read_public, read_stand_in
from durak_tui.friends import messages
from durak_tui.friends.client import (
    Client,
    KeptSeat,
    KeptSeats,
    readable_names,
    refusal_words,
    stored_record,
)
from durak_tui.friends.game import public_view
from durak_tui.friends.messages import (
    OLDEST_VERSION,
    STAND_IN,
    Address,
    FromPlayer,
    FromServer,
    Lobby,
    No,
    Open,
)
from durak_tui.play.game import CardOptions, Game, Moment, card_options
from durak_tui.players import FRIEND, HUMAN, fit_names

_MOST_EVENTS: Final = 100_000


@dataclass(frozen=True, slots=True, eq=False)
class SeenPosition:
    """What one seat or a spectator knows of a position; no hand but the seat's own.

    Attributes:
        plies: Number of actions before it.
        seen: What the seat knows, with all events so far.
        options: The uses of the seat's cards, as the rules give them.
    """

    plies: int
    seen: Observation
    options: CardOptions = field(default_factory=CardOptions)
    hands: None = None

    @property
    def bout(self) -> int:
        return self.seen.bout

    def observation(self, seat: int) -> Observation:
        """Return what is known, shown from any seat."""
        return replace(self.seen, seat=seat)


class SeenGame(Game[SeenPosition]):
    """A game known by the observations of one seat, or by what everyone sees.

    After a lost connection some positions are missing.

    Args:
        seat: The observing seat; None for a spectator.
        number: The game's number at its table, from 1.
    """

    def __init__(
        self,
        rules: Rules,
        seat: int | None,
        number: int,
        names: tuple[str, ...] = (),
        players: tuple[str, ...] = (),
    ) -> None:
        super().__init__((), names, players, viewer=seat or 0)
        self.rules = rules
        self.seat = seat
        self.number = number
        self._state: State | None = None

    @property
    def plies(self) -> Sequence[int]:
        return [state.plies for state in self.states]

    @property
    def last(self) -> SeenPosition:
        return self.states[-1]

    def take(self, look: messages.GameLook) -> bool:
        """Add a look; return whether it shows something new. Late and doubled ones do not.

        Raises:
            NotationError: If the look is not of this game or contradicts the last one.
        """
        before = self.states[-1] if self.states else None
        events = () if before is None else before.seen.events
        if before is not None and look.ply < before.plies:
            return False
        if look.first > len(events):
            raise NotationError("the server left out events of the game")
        told = tuple(map(_event, look.events))
        if told[: len(events) - look.first] != events[look.first :][: len(told)]:
            raise NotationError("the server changed events of the game")
        events = (*events[: look.first], *told)
        if len(events) > _MOST_EVENTS:
            raise NotationError("the server sent too many events")
        state = self._read(look.observation)
        seen = replace(self._seen(state), events=events)
        if before is not None and look.ply == before.plies:
            if seen != before.seen:
                raise NotationError("the server changed a position of the game")
            return False
        self._state = state
        options = CardOptions() if self.seat is None else card_options(state.why_not, seen)
        self.states.append(SeenPosition(look.ply, seen, options))
        if self.seat is not None:  # players see the newest position, spectators at their pace
            self.ply = look.ply
        return True

    def _read(self, text: str) -> State:
        """Read an observation into a state with arbitrary hidden cards."""
        state, seat = (read_public(text), None) if self.seat is None else read_stand_in(text)
        if seat != self.seat or state.rules != self.rules:
            raise NotationError("the server sent the view of another game")
        return state

    def _seen(self, state: State) -> Observation:
        return public_view(state) if self.seat is None else state.observation(self.seat)

    def why_not(self, action: Action) -> WhyNot | None:
        """Return why the rules forbid an action now; None if they allow it."""
        if self._state is None:
            raise ValueError("there is no position yet")
        return self._state.why_not(action)

    def check_record(self, text: str) -> Record:
        """Read the record of the finished game, and compare it with everything seen.

        Raises:
            NotationError: If it does not parse, is of other rules, is not finished, or contradicts a look.
            DealError: If its deal is impossible.
        """
        record = read_game(text)
        states = record.replay()
        if record.rules != self.rules or not states[-1].is_over:
            raise NotationError("the server sent the record of another game")
        for known in self.states:
            if known.plies >= len(states) or self._seen(states[known.plies]) != known.seen:
                raise NotationError("the record contradicts what you saw after move {ply}", ply=known.plies)
        return record


def _event(word: str) -> Event:
    try:
        return parse_event(word)
    except DurakError as error:
        raise NotationError(error.message) from None


_FINAL: Final = frozenset({"version", "elsewhere", "expired", "closed"})
"""Kinds of refusals that end the visit even after the player has got a seat."""


class Guest(Client):
    """A player at a table.

    Args:
        address: The server, with the table's code unless the player opens a table.
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
    def is_playing(self) -> bool:
        """Whether a game with this person runs."""
        return self.game is not None and bool(self.game.states) and not self.game.last.seen.is_over

    @property
    def has_begun(self) -> bool:
        """Whether a first game has begun at the table, so that the players agree to the next one."""
        return self.game is not None or (self.lobby is not None and self.lobby.games > 0)

    @property
    def moment(self) -> Moment | None:
        """The latest position for the board; None before the first game."""
        if self.game is None or not self.game.states:
            return None
        game, last = self.game, self.game.last
        names, players = self._cast
        bots = [STAND_IN if seat in self.stand_ins else one for seat, one in enumerate(players)]
        return replace(
            game.moment,
            names=names,
            options=last.options,
            players=tuple(bots),
            human=self.seat,
            is_finished=last.seen.is_over,
        )

    @property
    def _cast(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The names and the players of the latest game, also after a player has left the table."""
        record = self.record
        if record is None:
            return self.names, self.players
        return record.players, tuple([record.tags[f"Player{seat}"] for seat in range(record.rules.seats)])

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
        away = self.away if self.is_playing else ()
        return tuple([seat for seat in away if seat not in {self.seat, *self.stand_ins}])

    @property
    def has_agreed(self) -> bool:
        """Whether this person has agreed to the next game."""
        return self.lobby is not None and self.seat is not None and self.lobby.seats[self.seat].agrees

    # What the player does

    def submit(self, action: Action) -> WhyNot | None:
        """Send an action; return why the rules forbid it. Until the server answers, others are ignored."""
        game = self.game
        if game is None or not self.is_my_turn:
            return WhyNot("11.1", Message("it is not your turn"), "not_your_turn")
        why = game.why_not(action)
        if why is None and self._acted_at != (game.number, game.last.plies):
            act = messages.Act(game.number, game.last.plies, str(action))
            if self.send(act):
                self._acted_at = act.game, act.ply
        return why

    def play_on(self) -> None:
        """Play again oneself after the stand-in has played."""
        if self.address.code:
            self.send(messages.Sit(self.address.code, self._token))

    def leave(self, *, returns: bool = False) -> None:
        """Leave the table, for good unless the player returns."""
        if self._is_admitted and (not returns or self.version > OLDEST_VERSION):
            self.send(messages.Leave(returns=returns))
        if not returns:
            self._seats.drop(self.address)
        self.end()

    # Messages from the server

    def greet(self) -> Iterator[FromPlayer]:
        self._is_admitted = False
        self._acted_at = None
        yield messages.Hello(self.version, self.name)
        if self._opening is not None and not self.address.code:
            yield self._opening
        else:
            yield messages.Sit(self.address.code, self._token)

    def take(self, message: FromServer) -> None:
        match message:
            case Lobby():
                self.take_lobby(message)
                self.score = message.score
            case messages.Seated():
                self._take_seat(message)
            case messages.GameLook():
                self._take_look(message)
            case messages.End():
                self._take_end(message)
            case No():
                self._take_refusal(message)
            case messages.Said() if self.lobby is None or message.seat >= len(self.lobby.seats):
                raise NotationError("the server named a seat that does not exist")

    def _take_seat(self, seated: messages.Seated) -> None:
        if messages.checked_code(seated.code) != seated.code:
            raise NotationError("the server named a table that cannot be")
        if self.game is not None and seated.token and seated.seat != self.seat:
            self.game = self.record = None
        self.seat, self._token = seated.seat, seated.token or self._token
        self._is_admitted = True
        self.address = self.address.at_table(seated.code)
        self._seats.keep(KeptSeat(self.address.server, seated.code, self._token, self.is_own))

    def _take_look(self, look: messages.GameLook) -> None:
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

    def _take_end(self, end: messages.End) -> None:
        self.score = end.score
        self._runs_out = None
        if self.game is None or end.game != self.game.number or self.record is not None:
            return
        record = self.game.check_record(end.record)
        players = [
            HUMAN if seat == self.game.seat else record.tags.get(f"Player{seat}", FRIEND)
            for seat in range(record.rules.seats)
        ]
        self.record = stored_record(record, readable_names(record.players, players), players)

    def _take_refusal(self, no: No) -> None:
        self._acted_at = None
        if self._is_admitted and no.kind not in _FINAL:
            return
        if no.kind == "no_seat" and self._token:
            self._token = ""  # the seat was given to someone else: sit down like anyone
            self.send(messages.Sit(self.address.code))
            return
        self.can_only_watch = no.kind == "full"
        self.is_closed = no.kind == "closed"
        if no.kind in {"no_table", "expired", "closed"}:
            self._seats.drop(self.address)
        self.end(refusal_words(no))


_KEPT: Final = 3
"""Games that are kept for a spectator who is late."""


class WatchedGame(SeenGame):
    """A game at the table as spectators see it, and with all hands once it is over.

    Attributes:
        record: The whole game once it is over, as the library stores it.
    """

    def __init__(self, rules: Rules, number: int, names: tuple[str, ...], players: tuple[str, ...]) -> None:
        super().__init__(rules, None, number, names, players)
        self.record: Record | None = None
        self._whole: tuple[State, ...] = ()

    def take_record(self, text: str) -> None:
        """Take the record, if it agrees with everything seen."""
        if self.record is not None:
            return
        record = self.check_record(text)
        if not self.states:
            self.given_names = fit_names(record.players)
        self._whole = record.replay()
        self.states = [SeenPosition(state.plies, self._seen(state)) for state in self._whole]
        self.record = stored_record(record, self.names, self.players)

    @property
    def moment(self) -> Moment:
        """The shown moment; once the game is over also with open hands, and then the log goes to its end."""
        if not (self.open_hands and self._whole):
            return replace(super().moment, story=None)
        state = self._whole[self.ply]
        return replace(
            super().moment,
            observation=state.observation(self.viewer),
            open_hands=state.hands,
            story=self.last.seen.events,
        )


class Spectator(Client):
    """A connection that watches a table.

    Attributes:
        games: The last games, the newest last.
    """

    games: tuple[WatchedGame, ...] = ()

    def greet(self) -> Iterator[FromPlayer]:
        yield messages.Hello(self.version, self.name)
        yield messages.Watch(self.address.code)

    def take(self, message: FromServer) -> None:
        match message:
            case Lobby():
                self.take_lobby(message)
            case messages.GameLook():
                self._with_game(message.game).take(message)
            case messages.End():
                self._with_game(message.game).take_record(message.record)
            case No(kind="pause"):
                pass
            case No(kind=kind):
                self.is_closed = kind == "closed"
                self.end(refusal_words(message))
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
