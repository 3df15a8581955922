"""Clients at a table of a real server: the host's own child process."""

from __future__ import annotations

import asyncio
import contextlib
from contextlib import asynccontextmanager

import pytest
from waiting import until

from durak_tui.friends.client import KeptSeats
from durak_tui.friends.guest import Guest
from durak_tui.friends.messages import Address, Again, Open, Start
from durak_tui.friends.own_server import OwnServer
from tui.friends.evening import has_free_seats

QUICK = "podkidnoy:lowest_rank=J,hand_size=4"


class Wire:
    """A network between a client and a server, which can be cut."""

    def __init__(self, server):
        self._server = server
        self._open = set()
        self.connections = 0

    @asynccontextmanager
    async def laid(self):
        """Listen during the block; yields the server's address behind the wire."""
        async with await asyncio.start_server(self._carry, "127.0.0.1", 0) as end:
            port = end.sockets[0].getsockname()[1]
            yield Address(f"http://127.0.0.1:{port}/", self._server.code)
            self.cut()

    def cut(self):
        for writer in self._open:
            writer.transport.abort()

    async def _carry(self, reader, writer):
        self.connections += 1
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._server.port)
        self._open |= {writer, far_writer}
        await asyncio.gather(_pass_on(reader, far_writer), _pass_on(far_reader, writer))
        self._open -= {writer, far_writer}


async def _pass_on(reader, writer):
    with contextlib.suppress(OSError):
        while block := await reader.read(1 << 16):
            writer.write(block)
            await writer.drain()
    writer.close()


def is_to_act(guest):
    return guest.is_my_turn and guest._acted_at is None


async def play(guests, plies=10**6):
    """Let each play the first action that their own view allows, until the end or a number of actions."""
    while not all(guest.record for guest in guests):
        await until(lambda: all(guest.record for guest in guests) or any(map(is_to_act, guests)))
        for guest in guests:
            if is_to_act(guest):
                if guest.moment.ply >= plies:
                    return
                assert guest.submit(guest.moment.options.actions[0]) is None


async def test_a_server_that_is_still_starting_can_be_stopped():
    server = OwnServer()
    start = asyncio.create_task(server.start(0))
    await until(lambda: server._process)
    await server.stop()
    assert server._process is None
    with pytest.raises(asyncio.CancelledError):
        await start


@pytest.mark.slow
async def test_two_clients_play_on_after_a_cut_a_new_start_and_the_end_of_their_server(tmp_path):
    server = OwnServer()
    local = await server.start(0)
    seats = KeptSeats(tmp_path / "a"), KeptSeats(tmp_path / "b")
    try:
        anna = Guest(local, "Anna", seats[0], opening=Open(QUICK, ("", "")), is_own=True)
        anna.connect()
        await until(lambda: anna.lobby)
        wire = Wire(anna.address)
        async with wire.laid() as address:
            boris = Guest(address, "Boris", seats[1])
            boris.connect()
            await until(lambda: not has_free_seats(anna))
            assert anna.names == ("Anna", "Boris")
            anna.send(Start())
            await play((anna, boris), plies=4)
            wire.cut()
            await until(lambda: wire.connections == 2 and boris.is_connected)
            await play((anna, boris), plies=8)
            await boris.close()
            await until(lambda: 1 in anna.away)
            boris = Guest(address, "Boris", seats[1])
            boris.connect()
            await until(lambda: boris.game is not None and boris.game.states and not anna.away)
            await play((anna, boris), plies=10)
            killed = server._process
            killed.kill()
            await until(lambda: not anna.is_connected)
            await until(lambda: anna.is_connected and boris.is_connected and not anna.away)
            assert server._process is not killed
            await play((anna, boris))
            assert anna.record.moves == boris.record.moves
            assert anna.record.deck == boris.record.deck
            assert [anna.record.tags[f"Player{seat}"] for seat in (0, 1)] == ["human", "friend"]
            assert [boris.record.tags[f"Player{seat}"] for seat in (0, 1)] == ["friend", "human"]
            lost = [int(seat in anna.record.result.fools) for seat in (0, 1)]
            assert list(anna.score) == list(boris.score) == lost
            boris.send(Again())
            await until(lambda: anna.game.number == boris.game.number == 2)
            for guest in (anna, boris):
                assert guest.problem is None
                await guest.close()
    finally:
        await server.stop()
