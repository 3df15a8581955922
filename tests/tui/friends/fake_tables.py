"""A server with one table, for tests: the client has a seat, and the other seats do as the test says."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import msgspec
from aiohttp import WSMsgType, web
from aiohttp.test_utils import TestServer
from waiting import until

from durak_core import Record, Rules, State, parse_action, write_game, write_observation
from durak_core.engine.protocol import write_event
from durak_tui.friends.messages import (
    Act,
    Address,
    Again,
    End,
    FromPlayer,
    FromServer,
    GameLook,
    Hello,
    Leave,
    Lobby,
    LobbySeat,
    Open,
    Seated,
    Sit,
    Start,
    read_from_player,
    write_message,
)

CODE = "ABCDEFGH"
TOKEN = "0123456789abcdef" * 2
PERSON = LobbySeat("Anna", "person")
FRIEND = LobbySeat("Boris", "person")
VIKTOR = LobbySeat("Viktor", "bot", "viktor")
FREE = LobbySeat("", "free")


@dataclass
class FakeTables:
    """The table of a server.

    Attributes:
        me: The client's seat.
        heard: What the client has said, without its greetings.
        greetings: What the client has said before it was seated.
    """

    rules: Rules
    seats: list[LobbySeat]
    me: int = 0
    host: int = 0
    clock: int = 0
    seed: int = 1
    state: State | None = None
    game: int = 0
    told: int = 0
    away: tuple[int, ...] = ()
    stand_ins: tuple[int, ...] = ()
    score: list[int] = field(default_factory=list)
    heard: list[FromPlayer] = field(default_factory=list)
    greetings: list[FromPlayer] = field(default_factory=list)
    server: str = ""
    socket: web.WebSocketResponse | None = None
    opened: int = 0
    agrees: tuple[int, ...] = ()
    begins: float | None = None
    waits_for: int | None = None
    plays_on: bool = True
    """Whether the other seats play by themselves, the first legal action each."""

    @property
    def address(self) -> Address:
        return Address(self.server, CODE)

    async def say(self, *messages: FromServer) -> None:
        """Send messages to the client."""
        await until(lambda: self.socket is not None)
        for message in messages:
            await self.socket.send_str(write_message(message))

    async def say_text(self, text: str) -> None:
        await until(lambda: self.socket is not None)
        await self.socket.send_str(text)

    @property
    def lobby(self) -> Lobby:
        score = tuple(self.score or [0] * self.rules.seats)
        is_playing = self.state is not None and not self.state.is_over
        seats = tuple(
            msgspec.structs.replace(one, agrees=seat in self.agrees) for seat, one in enumerate(self.seats)
        )
        now = (is_playing, 0, self.begins, self.waits_for, self.game)
        return Lobby(CODE, self.rules.text, self.clock, self.host, seats, score, *now)

    async def begin(self) -> None:
        """Deal a game."""
        self.game += 1
        self.told = 0
        self.state = State.deal(self.rules, self.seed + self.game - 1)
        await self.say(self.lobby)
        await self.go_on()

    def look(self, left: float | None = None) -> GameLook:
        """Return what the client sees now, with the events that are new to it."""
        seen = self.state.observation(self.me)
        events = tuple(map(write_event, seen.events[self.told :]))
        first, self.told = self.told, len(seen.events)
        return GameLook(
            self.game,
            self.state.plies,
            first,
            events,
            write_observation(seen),
            left if left is not None else self.clock or None,
            self.away,
            self.stand_ins,
        )

    async def play(self, action: str) -> None:
        """Play an action for the seat to act, and show it."""
        self.state = self.state.apply(parse_action(action))
        await self.say(self.look())

    async def go_on(self) -> None:
        """Show the game, and play for the others until it is the client's turn."""
        await self.say(self.look())
        while self.plays_on and not self.state.is_over and self.state.turn != self.me:
            await self.play(str(self.state.legal_actions[0]))
        if self.state.is_over:
            self.score = [
                lost + (seat in self.state.fools)
                for seat, lost in enumerate(self.score or [0] * self.rules.seats)
            ]
            await self.say(self.end(), self.lobby)

    def end(self, **changes: object) -> End:
        record = Record.of(self.state, [seat.name for seat in self.seats])
        return End(self.game, write_game(record), tuple(self.score), **changes)

    async def cut(self) -> None:
        """End the connection as a lost network does."""
        await until(lambda: self.socket is not None)
        socket, self.socket = self.socket, None
        transport = socket._req.transport
        transport.abort()

    async def hear(self, request: web.Request) -> web.StreamResponse:
        """Serve a connection."""
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        self.opened += 1
        async for frame in socket:
            assert frame.type is WSMsgType.TEXT
            await self._answer(read_from_player(frame.data), socket)
        if self.socket is socket:
            self.socket = None
        return socket

    async def _answer(self, message: FromPlayer, socket: web.WebSocketResponse) -> None:
        match message:
            case Hello():
                self.greetings.append(message)
            case Open() | Sit():
                self.greetings.append(message)
                self.socket = socket
                await self.say(Seated(CODE, self.me, TOKEN), self.lobby)
                if self.state is not None:
                    self.told = 0
                    await self.say(self.look())
            case _:
                self.heard.append(message)
                await self._do(message)

    async def _do(self, message: FromPlayer) -> None:
        match message:
            case Act() if (message.game, message.ply) == (self.game, self.state.plies):
                self.state = self.state.apply(parse_action(message.action))
                await self.go_on()
            case Start() | Again():
                await self.begin()
            case Leave():
                await self.socket.close()


@contextlib.asynccontextmanager
async def fake_tables(
    rules: str = "podkidnoy:lowest_rank=J,hand_size=4", **settings: object
) -> AsyncIterator[FakeTables]:
    """Run the server in this process."""
    parsed = Rules.parse(rules)
    seats = settings.pop("seats", None) or [PERSON, FRIEND][: parsed.seats]
    table = FakeTables(parsed, list(seats), **settings)
    app = web.Application()
    app.router.add_get("/tables", table.hear)
    async with TestServer(app) as server:
        table.server = str(server.make_url("/"))
        yield table
