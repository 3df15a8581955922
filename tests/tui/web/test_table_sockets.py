"""Tables over real sockets: a game, hostile connections, slow readers, and a server that is killed."""

import asyncio
import contextlib
import json
import random
from contextlib import asynccontextmanager

import pytest
from waiting import PATIENCE

pytest.importorskip("aiohttp", reason="the extra web is not installed")

import aiohttp
from aiohttp.test_utils import TestServer

from durak_core import read_game, read_observation
from durak_tui.friends.messages import (
    MOST_BYTES,
    VERSION,
    Act,
    Again,
    End,
    GameLook,
    Hello,
    Leave,
    Lobby,
    No,
    Open,
    Replace,
    Said,
    Say,
    Seated,
    Sit,
    Start,
    read_from_server,
    write_message,
)
from durak_tui.web import tables as module
from durak_tui.web.server import _DurakServer
from durak_tui.web.tables import TableLink
from durak_tui.web.visit import COOKIE
from tui.browsing import Served
from tui.friends.evening import QUICK


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("DURAK_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("DURAK_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("DURAK_ENGINE", "off")


@asynccontextmanager
async def serving():
    async with TestServer(_DurakServer(("true",), "127.0.0.1").make_app()) as server:
        yield str(server.make_url("/"))


class Client:
    """A person's program."""

    def __init__(self, socket):
        self.socket = socket
        self.heard = {}

    @classmethod
    @asynccontextmanager
    async def connected(cls, url, *messages, **headers):
        async with (
            aiohttp.ClientSession(headers=headers) as session,
            session.ws_connect(url + "tables") as socket,
        ):
            client = cls(socket)
            await client.say(*messages)
            yield client

    async def say(self, *messages):
        for message in messages:
            await self.socket.send_str(write_message(message))

    async def hear(self, kind):
        """Read until a message of a kind comes, and return it."""
        async with asyncio.timeout(PATIENCE):
            while True:
                frame = await self.socket.receive()
                assert frame.type is aiohttp.WSMsgType.TEXT, frame
                message = read_from_server(frame.data)
                self.heard[type(message)] = message
                if isinstance(message, kind):
                    return message

    async def is_closed(self):
        """Read to the end of the connection."""
        async with asyncio.timeout(PATIENCE):
            while (frame := await self.socket.receive()).type is aiohttp.WSMsgType.TEXT:
                pass
        return frame.type in {
            aiohttp.WSMsgType.CLOSE,
            aiohttp.WSMsgType.CLOSED,
            aiohttp.WSMsgType.CLOSING,
            aiohttp.WSMsgType.ERROR,
        }

    async def play(self, moves=1000):
        """Play the first legal action at each turn, so many times or until the game ends."""
        message = self.heard.get(GameLook) or await self.hear(GameLook)
        while moves:
            if isinstance(message, End):
                return message
            legal = read_observation(message.observation).legal_actions
            if legal:
                await self.say(Act(message.game, message.ply, str(legal[0])))
                moves -= 1
            message = await self.hear(GameLook | End)
        return message


def opening(name="Host", players=("", "")):
    return Hello(VERSION, name), Open(QUICK, players)


def joining(code, name="Guest", token=""):
    return Hello(VERSION, name), Sit(code, token)


async def test_two_people_play_a_game_over_sockets():
    async with serving() as url, Client.connected(url, *opening()) as host:
        code = (await host.hear(Seated)).code
        async with Client.connected(url, *joining(code)) as guest:
            await guest.hear(Lobby)
            await host.say(Start())
            ends = await asyncio.gather(host.play(), guest.play())
            assert ends[0] == ends[1]
            assert read_game(ends[0].record).end.is_over
            assert read_game(ends[0].record).players == ("Host", "Guest")


async def test_a_lost_connection_is_seen_and_the_seat_found_again():
    async with serving() as url, Client.connected(url, *opening()) as host:
        await host.hear(Seated)
        async with Client.connected(url, *joining(host.heard[Seated].code)) as guest:
            seated = await guest.hear(Seated)
            guest.socket._response.connection.transport.abort()
            while not (await host.hear(Lobby)).seats[1].is_away:
                pass
        async with Client.connected(url, *joining(seated.code, token=seated.token)) as back:
            assert (await back.hear(Seated)) == seated
            assert not (await back.hear(Lobby)).seats[1].is_away


@pytest.mark.parametrize("headers", [{"Origin": "http://evil.example"}, {"Host": "evil.example"}])
async def test_pages_and_names_of_other_sites_cannot_connect(headers):
    async with serving() as url, aiohttp.ClientSession(headers=headers) as session:
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await session.ws_connect(url + "tables")
        assert refused.value.status == 403


async def test_large_and_binary_messages_end_their_connection_alone():
    async with serving() as url, Client.connected(url, *opening()) as host:
        await host.hear(Seated)
        async with Client.connected(url, Hello(VERSION, "Large")) as large:
            await large.socket.send_str(json.dumps({"type": "start", "x": "x" * 2 * MOST_BYTES}))
            assert await large.is_closed()
        async with Client.connected(url, Hello(VERSION, "Binary")) as binary:
            await binary.socket.send_bytes(b'{"type":"start"}')
            assert await binary.is_closed()
        async with Client.connected(url, Hello(VERSION + 1, "Newer")) as newer:
            assert (await newer.hear(No)).kind == "version"
            assert await newer.is_closed()
        await host.say(Say(1))
        await host.hear(Said)


async def test_messages_that_come_too_fast_wait(monkeypatch):
    waits = []

    async def sleep(seconds):
        waits.append(seconds)

    async with serving() as url, Client.connected(url, *opening()) as host:
        await host.hear(Seated)
        monkeypatch.setattr(module.asyncio, "sleep", sleep)
        await host.say(*[Say(1)] * 60, Sit("ABCDEFGH"))
        while (await host.hear(No)).kind != "no_table":
            pass
        monkeypatch.undo()
    assert len(waits) > 20


async def test_a_visitor_of_the_browser_has_two_tables():
    cookie = {"Cookie": f"{COOKIE}={'a' * 32}"}
    async with serving() as url:
        for _ in range(2):
            async with Client.connected(url, *opening(), **cookie) as host:
                await host.hear(Seated)
        async with Client.connected(url, *opening(), **cookie) as host:
            assert (await host.hear(No)).kind == "many_tables"
        async with Client.connected(url, *opening()) as other:
            await other.hear(Seated)


class Stuck:
    """A socket whose reader never reads."""

    def __init__(self):
        self.is_aborted = False

    async def send_str(self, _text):
        await asyncio.Event().wait()

    def abort(self):
        self.is_aborted = True


async def test_a_reader_that_is_too_slow_is_dropped(monkeypatch):
    stuck = Stuck()
    link = TableLink(stuck, stuck)
    for _ in range(module._MOST_WAITING):
        link.send(No("late"))
    assert not stuck.is_aborted
    link.send(No("late"))
    assert stuck.is_aborted
    monkeypatch.setattr(module, "_PATIENCE", 0.01)
    stuck = Stuck()
    link = TableLink(stuck, stuck)
    link.send(No("late"))
    await link.run()
    assert stuck.is_aborted


async def test_a_second_server_on_the_folder_has_no_tables(capsys):
    async with serving() as url, serving() as other:
        async with aiohttp.ClientSession() as session:
            with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                await session.ws_connect(other + "tables")
            assert refused.value.status == 404
        assert "another program" in capsys.readouterr().err
        async with Client.connected(url, *opening()) as host:
            await host.hear(Seated)


async def test_a_killed_server_loses_nothing():
    served = await asyncio.to_thread(Served)
    seats = []
    try:
        async with Client.connected(served.url, *opening()) as host:
            seats.append(await host.hear(Seated))
            async with Client.connected(served.url, *joining(seats[0].code)) as guest:
                seats.append(await guest.hear(Seated))
                await host.say(Start())
                await asyncio.wait(
                    [asyncio.create_task(one.play(3)) for one in (host, guest)],
                    return_when=asyncio.FIRST_COMPLETED,
                )
                last = max(host.heard[GameLook].ply, guest.heard[GameLook].ply)
                served.process.kill()
                served.process.wait(PATIENCE)
        served.process.stdout.close()
        served = await asyncio.to_thread(Served)
        async with (
            Client.connected(served.url, *joining(seats[0].code, token=seats[0].token)) as host,
            Client.connected(served.url, *joining(seats[1].code, token=seats[1].token)) as guest,
        ):
            assert (await host.hear(GameLook)).ply >= last
            ends = await asyncio.gather(host.play(), guest.play())
            assert ends[0] == ends[1]
    finally:
        if served.process.poll() is None:
            served.end()
        served.process.stdout.close()


HOSTILE = (
    *(
        Start(),
        Again(),
        Leave(),
        Say(1),
        Replace(0),
        Sit("ABCDEFGH"),
        Sit("ABCDEFGH", "x"),
        Act(1, 3, "pass"),
    ),
    *(Open("huji:redeal_same_suit=3,seats=6", ("",) * 6), Open(QUICK, ("", "misha")), Hello(VERSION, "X")),
)
BROKEN = '{"x0\u044f'


async def attack(url, code, chance):
    """Send messages of all kinds, right and wrong, and go without a goodbye."""
    with contextlib.suppress(aiohttp.ClientError, ConnectionError):
        async with Client.connected(url, Hello(VERSION, "Hostile"), Sit(code)) as client:
            for _ in range(60):
                text = write_message(chance.choice(HOSTILE))
                place = chance.randrange(len(text))
                match chance.randrange(6):
                    case 0:
                        await client.socket.send_str(text[:place] + chance.choice(BROKEN) + text[place + 1 :])
                    case 1:
                        await client.socket.ping(b"x" * 100)
                    case _:
                        await client.socket.send_str(text)
            await client.socket.send_bytes(b"x")
            client.socket._response.connection.transport.abort()


@pytest.mark.slow
async def test_hostile_connections_stop_no_game_and_write_nothing_to_the_log():
    served = await asyncio.to_thread(Served)
    chance = random.Random(7)
    async with Client.connected(served.url, *opening()) as host:
        code = (await host.hear(Seated)).code
        async with Client.connected(served.url, *joining(code)) as guest:
            await guest.hear(Seated)
            attacks = [asyncio.create_task(attack(served.url, code, chance)) for _ in range(30)]
            await host.say(Start())
            ends = await asyncio.gather(host.play(), guest.play())
            await asyncio.wait(attacks)
            assert ends[0] == ends[1]
    assert await asyncio.to_thread(served.end) == ""
