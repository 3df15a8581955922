"""What a table server and its players exchange: addresses, plans, and JSON messages over a WebSocket.

Everything is checked while it is read: unknown fields, wrong types and values out of bounds are refused.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Final, Literal, TypeAlias, TypeVar
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta, Struct

from durak_core import Rules
from durak_core.agents.personas import OPPONENTS
from durak_core.errors import AgentError, NotationError, RulesError
from durak_core.rules import LONGEST_TEXT
from durak_tui.keys.keymap import in_other_layouts, latin_twin
from durak_tui.players import check_bot, resolve_opponent
from durak_tui.sandbox import TABLES, is_confined
from durak_tui.text.i18n import mark, translate

PHRASES: Final = (
    mark("Take it!"),
    mark("Beaten!"),
    mark("You cheat!"),
    mark("Well played!"),
    mark("Not so fast!"),
    mark("I knew it."),
    mark("Good luck!"),
    mark("Thanks, friend."),
    mark("Back in a minute."),
    mark("Wake up, it's your turn!"),
)
"""The phrases by number. New ones come last: old programs send the old numbers."""

NUDGE: Final = len(PHRASES) - 1
"""The phrase that also rings the bell of the player to act."""


def phrase_words(number: int) -> str:
    """Return a phrase; three dots for one of a later version."""
    return translate(PHRASES[number]) if number < len(PHRASES) else "..."


VERSION: Final = 2
"""The version of the messages, in every `Hello`."""
OLDEST_VERSION: Final = 1
"""The oldest version of a client that a server still answers, by `durak_tui.friends.game.OldLink`."""
MOST_BYTES: Final = 4096
"""Maximum bytes of a player's message. A longer one closes its connection."""
MOST_FROM_SERVER: Final = 1 << 20
"""Maximum bytes of a server's message: all events of the longest games fit."""

CODE_LETTERS: Final = "ABCDEFGHJKMNPQRSTVWXYZ23456789"
"""The letters of a table's code, without look-alikes."""
CODE_LENGTH: Final = 8
LONGEST_NAME: Final = 24
"""Most characters of a player's name."""
CLOCKS: Final = (0, 30, 60)
"""Seconds a move; 0 for no clock."""
MOST_PHRASES: Final = 16
"""Phrases have numbers from 0 to one less. Players read them in their own languages."""

NO_REASONS: Final[Mapping[str, str]] = {
    "version": mark("This table runs another version of Durak. Install the same version on both sides."),
    "message": mark("The table did not understand that."),
    "name": mark("Choose a shorter name, without special characters."),
    "players": mark("This table needs one player for each seat, and a free seat for you."),
    "clock": mark("This table has no such clock."),
    "no_table": mark("No table has this code."),
    "no_seat": mark("That seat is no longer yours."),
    "full": mark("All seats at this table are taken."),
    "no_spectators": mark("This table has no spectators."),
    "many_spectators": mark("Too many people are watching this table. Try again later."),
    "spectator": mark("You are only watching this table."),
    "many_tables": mark("You are at too many tables. Leave one first."),
    "server_full": mark("All tables are in use. Try again later."),
    "elsewhere": mark("You opened this seat in another place."),
    "not_host": mark("Only the host can do that."),
    "not_now": mark("That is not possible now."),
    "late": mark("The game has moved on."),
    "not_your_turn": mark("it is not your turn"),
    "expired": mark("This table has closed."),
    "closed": mark("The host has closed the table."),
    "pause": mark("The host will be back: waiting for the table…"),
    "old": mark("Somebody at the table has an older Durak, which cannot change the rules."),
}
"""The sentence of each kind of `No` that is neither an illegal action nor unplayable rules."""

_Number: TypeAlias = Annotated[int, Meta(ge=0, le=1_000_000)]
_SeatNumber: TypeAlias = Annotated[int, Meta(ge=0, le=5)]
_Code: TypeAlias = Annotated[str, Meta(max_length=CODE_LENGTH)]
_Token: TypeAlias = Annotated[str, Meta(max_length=32)]
_Word: TypeAlias = Annotated[str, Meta(max_length=200)]
_Score: TypeAlias = Annotated[tuple[_Number, ...], Meta(max_length=6)]
_Seats: TypeAlias = Annotated[tuple[_SeatNumber, ...], Meta(max_length=6)]
_Seconds: TypeAlias = Annotated[float, Meta(ge=0, le=3600)]


class _Message(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag=str.lower):
    """A message; the field ``type`` has its name."""


# From a player


class Hello(_Message, frozen=True):
    """The first message of a connection.

    Attributes:
        name: The player's name, 1 to `LONGEST_NAME` visible characters.
    """

    version: _Number
    name: Annotated[str, Meta(max_length=200)]


class Open(_Message, frozen=True):
    """Open a table and sit down at its first free seat, as the host.

    Attributes:
        rules: A spec of `durak_core.Rules`.
        players: For each seat an opponent's name such as ``viktor``, or empty for a friend.
        clock: One of `CLOCKS`.
        spectators: Whether people with the code may watch.
        score: Of an evening that goes on at a new table: lost games by the player's name.
        code: The code of the table where it began. Only a server of the host's own takes it.
    """

    rules: Annotated[str, Meta(max_length=LONGEST_TEXT)]
    players: Annotated[tuple[Annotated[str, Meta(max_length=100)], ...], Meta(min_length=2, max_length=6)]
    clock: _Number = 0
    spectators: bool = True
    score: Annotated[dict[Annotated[str, Meta(max_length=200)], _Number], Meta(max_length=6)] = {}
    code: _Code = ""


class Change(_Message, frozen=True):
    """Play other rules from the next game on; only the host can, and only between games.

    People keep their order and their scores. `Open` describes the attributes.
    """

    rules: Annotated[str, Meta(max_length=LONGEST_TEXT)]
    players: Annotated[tuple[Annotated[str, Meta(max_length=100)], ...], Meta(min_length=2, max_length=6)]
    clock: _Number = 0
    spectators: bool = True


class Sit(_Message, frozen=True):
    """Sit down at a table.

    Attributes:
        token: The token of `Seated`, to return to that seat; empty for a free seat.
    """

    code: _Code
    token: _Token = ""


class Watch(_Message, frozen=True):
    """Watch a table without a seat. Every later message of the connection is refused.

    The answers are a `Lobby` and, one bout late, each `GameLook` of the games, whose observation has no seat
    (`durak_tui.friends.game`). An `End` comes without delay.
    """

    code: _Code


class Start(_Message, frozen=True):
    """Start the first game; only the host can. Bots play the free seats."""


class Act(_Message, frozen=True):
    """Play an action.

    Attributes:
        game: The number of the game, from the `GameLook` that it answers.
        ply: The number of actions before it, from the same `GameLook`. Others are refused as ``late``.
        action: The action in notation, such as ``6c``, ``9cx6c``, ``pass`` or ``take``.
    """

    game: _Number
    ply: _Number
    action: Annotated[str, Meta(max_length=20)]


class Say(_Message, frozen=True):
    """Send a phrase to the whole table."""

    phrase: Annotated[int, Meta(ge=0, lt=MOST_PHRASES)]


class Replace(_Message, frozen=True):
    """Let Viktor play for a player who is away, until they return."""

    seat: _SeatNumber


class Again(_Message, frozen=True):
    """Agree to the next game. It begins when everyone has agreed, or ten seconds after the first."""


class Wait(_Message, frozen=True):
    """Ask for a later start, which cancels all agreements to the next game."""


class Leave(_Message, frozen=True):
    """Leave the table. Viktor plays on.

    Attributes:
        returns: Whether the seat is kept. Otherwise the player leaves for good.
    """

    returns: bool = False


# From the server


Presence: TypeAlias = Literal["", "idle", "late", "lost", "later", "left"]
"""Whether a person is there.

``idle`` has not acted for long at a table without a clock, ``late`` has run out of time, ``lost`` has no
connection, ``later`` has gone and will be back, and ``left`` has left for good.
"""


class LobbySeat(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A seat in a `Lobby`.

    Attributes:
        name: The player's name; empty for a free seat.
        kind: ``free``, ``person`` or ``bot``.
        player: An opponent's name such as ``viktor`` for a bot; otherwise empty.
        is_away: Whether its player is not connected or has run out of time.
        presence: Why its player is away; empty for a player who is there. Not in version 1.
        stand_in: Seconds until Viktor plays for its player; None if he does not. Not in version 1.
        agrees: Whether its player has agreed to the next game. Not in version 1.
    """

    name: Annotated[str, Meta(max_length=200)]
    kind: Annotated[str, Meta(pattern="^(free|person|bot)$")]
    player: Annotated[str, Meta(max_length=100)] = ""
    is_away: bool = False
    presence: Presence = ""
    stand_in: _Seconds | None = None
    agrees: bool = False


class Lobby(_Message, frozen=True):
    """The table, sent whenever something about it changes.

    Attributes:
        host: The seat of the host.
        score: By seat, the games lost since the table was opened, or the points (rules 8.6).
        is_playing: Whether a game is running. Players who sat down since join the next one.
        spectators: The number of people who watch.
        begins: Seconds until the next game, to which a player has agreed; otherwise None. Not in version 1.
        waits_for: The seat that last asked for a later start, until another seat agrees. Not in version 1.
        games: The number of games that have begun at this table. Not in version 1.
    """

    code: _Code
    rules: Annotated[str, Meta(max_length=LONGEST_TEXT)]
    clock: _Number
    host: _SeatNumber
    seats: Annotated[tuple[LobbySeat, ...], Meta(min_length=2, max_length=6)]
    score: _Score
    is_playing: bool
    spectators: _Number = 0
    begins: _Seconds | None = None
    waits_for: _SeatNumber | None = None
    games: _Number = 0


class Seated(_Message, frozen=True):
    """The connection has a seat. The token, 32 hexadecimal digits, gives it back later.

    An empty token stays as it was: the player has moved to another seat. Not in version 1.
    """

    code: _Code
    seat: _SeatNumber
    token: _Token


class GameLook(_Message, frozen=True, tag="look"):
    """The game as the seat sees it, sent after each action and whenever someone goes or returns.

    Attributes:
        game: The number of the game at this table, from 1.
        ply: The number of actions so far.
        first: The index of the first event in ``events``. 0 starts the list again.
        events: New events in the words of the engine protocol (`durak_core.engine`).
        observation: The text of `durak_core.write_observation`; for spectators the text of
            `durak_tui.friends.game.public_look`.
        left: Seconds left on the clock of the seat to act; None without a clock.
        away: Seats whose people are away.
        stand_ins: Seats of people that Viktor plays for.
    """

    game: _Number
    ply: _Number
    first: _Number
    events: Annotated[tuple[_Word, ...], Meta(max_length=100_000)]
    observation: Annotated[str, Meta(max_length=2 * MOST_BYTES)]
    left: _Seconds | None = None
    away: _Seats = ()
    stand_ins: _Seats = ()


class No(_Message, frozen=True):
    """A message was refused.

    Attributes:
        kind: A key of `NO_REASONS`, the kind of a `durak_core.WhyNot`, or ``rules``.
        rule: The paragraph of docs/rules.md that forbids an action; otherwise empty.
        why: The reason in English. For the first two kinds it has a translation.
    """

    kind: Annotated[str, Meta(max_length=40)]
    rule: Annotated[str, Meta(max_length=20)] = ""
    why: Annotated[str, Meta(max_length=1000)] = ""


class Said(_Message, frozen=True):
    """A player sent a phrase."""

    seat: _SeatNumber
    phrase: _Number


class End(_Message, frozen=True):
    """The game is over.

    Attributes:
        game: The number of the game at this table, from 1.
        record: The whole game in the notation of `durak_core.write_game`.
        score: By seat, the games lost since the table was opened, or the points (rules 8.6).
    """

    game: _Number
    record: Annotated[str, Meta(max_length=MOST_FROM_SERVER)]
    score: _Score


FromPlayer: TypeAlias = (
    Hello | Open | Sit | Watch | Start | Act | Say | Replace | Again | Wait | Change | Leave
)
FromServer: TypeAlias = Lobby | Seated | GameLook | No | Said | End

_T = TypeVar("_T")
_ENCODER: Final = msgspec.json.Encoder()
_OF_PLAYER: Final[msgspec.json.Decoder[FromPlayer]] = msgspec.json.Decoder(FromPlayer)
_OF_SERVER: Final[msgspec.json.Decoder[FromServer]] = msgspec.json.Decoder(FromServer)


def write_message(message: FromPlayer | FromServer) -> str:
    return _ENCODER.encode(message).decode()


def read_from_player(text: str) -> FromPlayer:
    """Read a player's message of at most `MOST_BYTES`; raise `NotationError` if it is invalid."""
    return _read(_OF_PLAYER, text, MOST_BYTES)


def read_from_server(text: str) -> FromServer:
    """Read a server's message of at most `MOST_FROM_SERVER` bytes; raise `NotationError` if it is invalid."""
    return _read(_OF_SERVER, text, MOST_FROM_SERVER)


def refusal(kind: str) -> No:
    """Return the refusal of a kind in `NO_REASONS`."""
    return No(kind, why=NO_REASONS[kind])


def checked_name(name: str) -> str:
    """Return a player's name without surrounding spaces; empty if it is too long or not printable."""
    name = " ".join(name.split())
    return name if len(name) <= LONGEST_NAME and name.isprintable() else ""


def checked_code(text: str) -> str:
    """Return the code in a text; empty if there is none.

    It may be typed in any case, with spaces or hyphens, in Cyrillic letters that look Latin, or with the keys
    of a Cyrillic layout. All capitals are rather letters that were read than keys.
    """
    typed = "".join(text.replace("-", "").split())
    ways = [typed, latin_twin(typed.upper()), *in_other_layouts(typed)]
    if typed != typed.upper():
        ways = [typed, *ways[2:], ways[1]]
    codes = (way.upper() for way in ways)
    return next((one for one in codes if len(one) == CODE_LENGTH and set(one) <= set(CODE_LETTERS)), "")


def _read(decoder: msgspec.json.Decoder[_T], text: str, most: int) -> _T:
    try:
        data = text.encode()
        if len(data) > most:
            raise NotationError("this message is longer than {most} bytes", most=most)
        return decoder.decode(data)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise NotationError("this is not a message of a table: {why}", why=str(error)) from None


USUAL_SERVER: Final = "http://127.0.0.1:8000/"
"""The server of a code that was typed alone: this machine's own, on the usual port."""

LONGEST_ADDRESS: Final = 300

_LINK: Final = re.compile(r".*[./:].*|localhost", re.IGNORECASE)
_HAS_SCHEME: Final = re.compile(r"[a-z]+://", re.IGNORECASE)
_TABLE: Final = re.compile(r"(?P<base>.*/|)t/(?P<code>[^/]*)/?")
_HOST: Final = re.compile(r"[\w.-]+|[0-9a-f:.]+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Address:
    """A server and perhaps one of its tables.

    Attributes:
        server: The address of its page, ``http`` or ``https``, with a slash at the end.
        code: The table's code, or empty.
    """

    server: str
    code: str = ""

    @property
    def socket(self) -> str:
        """The address of the server's WebSocket for tables."""
        return "ws" + self.server.removeprefix("http") + "tables"

    @property
    def link(self) -> str:
        """What a friend opens in a browser, or gives to ``--join``."""
        return f"{self.server}t/{self.code}" if self.code else self.server

    @property
    def port(self) -> int:
        parts = urlsplit(self.server)
        return parts.port or (443 if parts.scheme == "https" else 80)

    def at_table(self, code: str) -> Address:
        return replace(self, code=code)


def parse_address(text: str, server: str = USUAL_SERVER) -> Address:
    """Parse what a player typed: a link, a host, or a code alone.

    A visitor in the browser stays at the server of the page; only the code counts.

    Args:
        text: The typed text.
        server: The server of a code that is typed alone.

    Raises:
        NotationError: If it is none of these.
    """
    text = text.strip()
    code = checked_code(text)
    address = Address(server, code) if code else _parse_link(text)
    return replace(address, server=own_server()) if is_confined() else address


def own_server() -> str:
    """Return the server that a visitor's app belongs to; `USUAL_SERVER` in a terminal."""
    return os.environ.get(TABLES) or USUAL_SERVER


def _parse_link(text: str) -> Address:
    if len(text) > LONGEST_ADDRESS or not text.isprintable() or " " in text or not _LINK.fullmatch(text):
        raise _no_address(text)
    try:
        parts = urlsplit(text if _HAS_SCHEME.match(text) else f"http://{text}")
        host, port = parts.hostname or "", parts.port
        host.encode("idna")  # as the connection does
    except ValueError:
        raise _no_address(text) from None
    scheme = {"http": "http", "https": "https", "ws": "http", "wss": "https"}.get(parts.scheme)
    if scheme is None or not _HOST.fullmatch(host) or "@" in parts.netloc or parts.query or parts.fragment:
        raise _no_address(text)
    name = f"[{host}]" if ":" in host else host
    place = f"{scheme}://{name}" + ("" if port is None else f":{port}")
    path = parts.path.removeprefix("/")
    table = _TABLE.fullmatch(path)
    if table is None:
        return Address(f"{place}/{path}" if path.endswith("/") or not path else f"{place}/{path}/")
    code = checked_code(table["code"])
    if not code:
        raise _no_address(text)
    return Address(f"{place}/{table['base']}", code)


def _no_address(text: str) -> NotationError:
    return NotationError(
        "{text} is no table: expected its link, such as http://192.0.2.7:8000/t/ABCDEFGH, or its code of "
        "eight letters and digits",
        text=repr(text[:80]),
    )


STAND_IN: Final = resolve_opponent("viktor")
"""The bot that plays for people who are away."""

_PLAYERS: Final = frozenset({"", *(opponent.key for opponent in OPPONENTS)})


@dataclass(frozen=True, slots=True)
class TablePlan:
    """The rules, the players and the clock of a table.

    Attributes:
        players: For each seat an opponent's name such as ``viktor``, or empty for a person.
        clock: Seconds a move, or 0.
        spectators: Whether people with the code may watch.
    """

    rules: Rules
    players: tuple[str, ...]
    clock: int
    spectators: bool = True

    @property
    def bots(self) -> tuple[str, ...]:
        """For each seat a bot's spec, or empty for a person."""
        return tuple([player and resolve_opponent(player) for player in self.players])


def read_plan(wanted: Open | Change) -> TablePlan | No:
    """Check what a host asks for; return the refusal if it is impossible."""
    try:
        rules = Rules.parse(wanted.rules)
        if not {""} <= {*wanted.players} <= _PLAYERS or len(wanted.players) != rules.seats:
            return refusal("players")
        if wanted.clock not in CLOCKS:
            return refusal("clock")
        plan = TablePlan(rules, wanted.players, wanted.clock, wanted.spectators)
        for bot in {STAND_IN, *filter(None, plan.bots)}:
            check_bot(bot, rules)
    except (RulesError, AgentError) as error:
        return No("rules", why=str(error))
    return plan
