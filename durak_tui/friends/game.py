"""One game at a table: its chairs and secrets, the true state, and what seats and spectators see of it.

Only `TableGame.look` and `TableGame.record` turn the state into messages. A look is made from one seat's
observation alone, and the record exists only after the end.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from random import SystemRandom
from typing import Final, Protocol

import msgspec

from durak_core import (
    Action,
    Card,
    CardSet,
    Event,
    Observation,
    Record,
    Rules,
    State,
    parse_action,
    write_game,
    write_observation,
)
from durak_core.engine.protocol import write_event
from durak_core.errors import ActionError, NotationError
from durak_core.game.events import BoutBegan, Drew
from durak_core.game.notation.position_text import write_public
from durak_tui.friends.messages import (
    CODE_LENGTH,
    CODE_LETTERS,
    Act,
    FromServer,
    GameLook,
    Lobby,
    LobbySeat,
    No,
    refusal,
)
from durak_tui.friends.store import StoredGame


class Link(Protocol):
    """A person's connection. Neither method waits or fails."""

    def send(self, message: FromServer) -> None:
        """Send a message after all earlier ones."""

    def close(self) -> None:
        """Close the connection when everything has been sent."""


class OldLink:
    """A connection to a client of version 1, which is sent only what that version knows."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self.close = link.close

    def send(self, message: FromServer) -> None:
        if isinstance(message, Lobby):
            seats = tuple([LobbySeat(one.name, one.kind, one.player, one.is_away) for one in message.seats])
            message = msgspec.structs.replace(message, seats=seats, begins=None, waits_for=None, games=0)
        self._link.send(message)


@dataclass(slots=True, eq=False)
class Chair:
    """A seat for a person.

    Attributes:
        name: The person's name; empty for a free seat.
        token: The hash of their token.
        plays: Whether they play in the current game, and not only in the next one.
        link: Their connection, or None.
        away_since: When they went or ran out of time; None while they are there.
        is_late: Whether they ran out of time.
        is_replaced: Whether the stand-in plays for them.
        returns: Whether they have gone on purpose, and keep the seat.
        known: Number of events that the connection has been sent.
    """

    name: str = ""
    token: str = ""
    plays: bool = False
    link: Link | None = None
    away_since: float | None = None
    is_late: bool = False
    is_replaced: bool = False
    returns: bool = False
    known: int = 0

    @property
    def is_away(self) -> bool:
        return self.link is None or self.is_late

    def return_(self) -> bool:
        """Mark the person as there; return whether that is a change."""
        changed = self.is_late or self.is_replaced or self.away_since is not None
        self.is_late = self.is_replaced = self.returns = False
        self.away_since = None
        return changed

    def connect(self, link: Link) -> None:
        """Take a new connection and close the older one."""
        older, self.link, self.known = self.link, link, 0
        if older is not None and older is not link:
            older.send(refusal("elsewhere"))
            older.close()

    def disconnect(self) -> None:
        self.link = None
        if self.away_since is None:
            self.away_since = time.monotonic()

    def run_out(self, now: float) -> None:
        """Note that the person has run out of time."""
        self.is_late = True
        if self.away_since is None:
            self.away_since = now


_MOST_SEEDS: Final = 1 << 62


def deal_secretly(rules: Rules, first_attacker: int | None = None) -> State:
    """Deal a game without a seed; a short seed could be found from a hand and the trump.

    ``first_attacker`` is None if the deal decides (rules 4.1). `DealError` is raised if no deal stands.
    """
    return State.deal_with(rules, SystemRandom(), first_attacker)


def secret_seed() -> int:
    """Return a seed for bots, which no player learns."""
    return secrets.randbelow(_MOST_SEEDS)


def new_code() -> str:
    return "".join([secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH)])


def new_token() -> str:
    """Return 128 random bits as 32 hexadecimal digits."""
    return secrets.token_hex(16)


def token_hash(token: str) -> str:
    """Return the hash of any text as a token; only hashes are kept and compared."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def is_token(token: str, hashed: str) -> bool:
    """Return whether a token has this hash, in constant time."""
    return bool(hashed) and secrets.compare_digest(token_hash(token), hashed)


def public_events(state: State, first: int = 0) -> tuple[Event, ...]:
    """Return the events from an index on, without the cards that were drawn."""
    return tuple([replace(one, cards=None) if isinstance(one, Drew) else one for one in state.events[first:]])


def public_view(state: State) -> Observation:
    """Return an observation without any hand, from seat 0."""
    seen = state.observation(0)
    return replace(
        seen, hand=CardSet(), legal_actions=(), events=public_events(state), hands=None, talon=None
    )


def public_look(game: int, state: State, known: int) -> GameLook:
    """Return a spectator's look at a state, with the events after the first ``known`` ones."""
    events = tuple(map(write_event, public_events(state, known)))
    return GameLook(game, state.plies, known, events, write_public(state))


@dataclass(slots=True)
class TableGame:
    """A game and its players.

    Attributes:
        number: Its number at the table, from 1.
        names: The players' names at its start.
        players: For each seat a bot's spec, or empty for a person.
        left: Seats of people who have left the table for good.
        moves: The actions so far in notation.
    """

    number: int
    state: State
    names: tuple[str, ...]
    players: tuple[str, ...]
    left: set[int] = field(default_factory=set)
    moves: list[str] = field(default_factory=list)

    @property
    def is_over(self) -> bool:
        return self.state.is_over

    def act(self, seat: int, act: Act) -> No | None:
        """Play a person's action; return why it is refused."""
        if act.game != self.number or act.ply != self.state.plies:
            return refusal("late")
        if not self.is_over and self.state.turn != seat:
            return refusal("not_your_turn")
        try:
            action = parse_action(act.action)
        except (ActionError, NotationError):
            return refusal("message")
        why = self.state.why_not(action)
        if why is not None:
            return No(why.kind, why.paragraph, str(why.reason))
        self.play(action)
        return None

    def play(self, action: Action) -> None:
        """Play a legal action for the seat to act."""
        self.state = self.state.apply(action)
        self.moves.append(str(action))

    def look(
        self, seat: int, known: int, left: float | None, away: tuple[int, ...], stand_ins: tuple[int, ...]
    ) -> GameLook:
        """Return a seat's look with the events after the first ``known`` ones."""
        seen = self.state.observation(seat)
        events = tuple(map(write_event, seen.events[known:]))
        text = write_observation(seen)
        return GameLook(self.number, self.state.plies, known, events, text, left, away, stand_ins)

    def record(self) -> str:
        """Return the record of a finished game."""
        if not self.is_over:
            raise ValueError("the game is not over")
        tags = {f"Player{seat}": player for seat, player in enumerate(self.players) if player}
        date = datetime.now().astimezone().date().isoformat()
        return write_game(Record.of(self.state, self.names, date, **tags))

    # On disk

    def stored(self) -> StoredGame:
        state, begun = self.state, self.state.events[0]
        deck = "".join(map(str, state.deck or ()))
        ruled = isinstance(begun, BoutBegan) and begun.first_by is not None
        dealt = (state.rules.text, deck, state.first_attacker, ruled)
        return StoredGame(self.number, *dealt, self.names, self.players, tuple(sorted(self.left)))

    @classmethod
    def restored(cls, stored: StoredGame) -> TableGame:
        """Deal a stored game again; raise `durak_core.errors.DurakError` if it is damaged."""
        rules = Rules.parse(stored.rules)
        deck = [Card.parse(stored.deck[place : place + 2]) for place in range(0, len(stored.deck), 2)]
        dealt = State.from_deck(rules, deck, stored.first_attacker, by_lowest_trump=stored.by_lowest_trump)
        return cls(stored.number, dealt, stored.names, stored.players, set(stored.left))


MOST_SPECTATORS: Final = 20
"""Maximum spectators of a table."""


class Gallery:
    """The spectators, and what they have seen of the running game.

    The positions of a bout are sent when the next bout has begun, or the game is over.
    """

    def __init__(self) -> None:
        self._links: dict[Link, int] = {}
        """For each spectator the number of events that it has been sent."""
        self._game = 0
        self._shown: State | None = None
        self._waiting: list[State] = []

    def __len__(self) -> int:
        return len(self._links)

    @property
    def is_full(self) -> bool:
        return len(self._links) >= MOST_SPECTATORS

    def enter(self, link: Link) -> None:
        self._links[link] = 0

    def catch_up(self, link: Link) -> None:
        """Show a new spectator the last position that others have seen."""
        if self._shown is not None:
            self._show(link, self._shown)

    def leave(self, link: Link) -> None:
        self._links.pop(link, None)

    def __iter__(self) -> Iterator[Link]:
        return iter(self._links)

    def send(self, message: FromServer) -> None:
        for link in self._links:
            link.send(message)

    def close(self, last: No) -> None:
        """Send a last message and close all connections."""
        links, self._links = self._links, {}
        for link in links:
            link.send(last)
            link.close()

    def begin(self, game: int, state: State) -> None:
        """Follow another game, from a position on."""
        self._game, self._shown, self._waiting = game, None, [state]
        self._links = dict.fromkeys(self._links, 0)

    def follow(self, state: State) -> None:
        """Take the next position, and send the positions of earlier bouts."""
        self._waiting.append(state)
        is_due = [state.is_over or one.bout < state.bout for one in self._waiting]
        due = self._waiting[: sum(is_due)]
        del self._waiting[: len(due)]
        for one in due:
            self._shown = one
            for link in self._links:
                self._show(link, one)

    def _show(self, link: Link, state: State) -> None:
        look = public_look(self._game, state, self._links[link])
        self._links[link] += len(look.events)
        link.send(look)
