"""Measure a table server: its time for an action, latency, bytes and memory with many tables.

    python3 -m benchmarks.tables [--tables 200] [--seconds 30] [--thinking 2] [--games 1000]

A process serves the tables. This one has two players at each, who play at random after thinking. The
latency is the time from an action until its player sees it. The server's CPU time is divided by the actions.
With `--games` it lasts until so many games have ended, and prints the slope of the server's memory.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import os
import random
import socket
import statistics
import tempfile
import time
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Final

import aiohttp
import psutil
from aiohttp import web

from durak_core import Rules, read_observation
from durak_tui.friends.messages import (
    MOST_FROM_SERVER,
    VERSION,
    Act,
    Again,
    End,
    FromPlayer,
    GameLook,
    Hello,
    Open,
    Seated,
    Sit,
    Start,
    read_from_server,
    write_message,
)
from durak_tui.friends.store import TableStore
from durak_tui.friends.tables import Limits, Tables
from durak_tui.web.tables import FOLDER, TableSockets

_RULES: Final = Rules().text
_RETURNS: Final = 20
"""Players who return, to measure the size of a whole game."""
_BETWEEN_LOOKS: Final = 1.0
"""Seconds between two looks at the server's memory."""
_WARM: Final = 0.2
"""The share of the games after which its memory is measured."""
_LIMITS: Final = Limits(tables=1000, of_one=1000)


@dataclass(slots=True)
class Figures:
    """What the players have measured."""

    latencies: list[float] = field(default_factory=list)
    looks: list[int] = field(default_factory=list)
    returns: list[int] = field(default_factory=list)
    games: int = 0


class Player:
    """A player at a table, who plays at random.

    Args:
        socket: The connection.
        thinking: Mean seconds before an action.
        figures: Where latencies and sizes go.
    """

    def __init__(self, socket: aiohttp.ClientWebSocketResponse, thinking: float, figures: Figures) -> None:
        self.socket = socket
        self._thinking = thinking
        self._figures = figures
        self._acted_at = 0.0
        self.seat: Seated | None = None

    async def say(self, *messages: FromPlayer) -> None:
        for message in messages:
            await self.socket.send_str(write_message(message))

    async def seated(self) -> Seated:
        while True:
            message = read_from_server((await self.socket.receive()).data)
            if isinstance(message, Seated):
                self.seat = message
                return message

    async def return_to(self, seat: Seated) -> int:
        """Sit down again by the token; return the bytes of the look with the whole game."""
        await self.say(Hello(VERSION, "Back"), Sit(seat.code, seat.token))
        while True:
            text = (await self.socket.receive()).data
            if isinstance(read_from_server(text), GameLook):
                return len(text)

    async def play(self) -> None:
        """Play until cancelled."""
        async for frame in self.socket:
            message = read_from_server(frame.data)
            if isinstance(message, GameLook):
                await self._answer(message, len(frame.data))
            elif isinstance(message, End):
                self._figures.games += 1
                await self.say(Again())

    async def _answer(self, look: GameLook, size: int) -> None:
        figures = self._figures
        if self._acted_at:
            figures.latencies.append(time.perf_counter() - self._acted_at)
            self._acted_at = 0.0
        figures.looks.append(size)
        legal = read_observation(look.observation).legal_actions
        if legal:
            await asyncio.sleep(random.uniform(0, 2 * self._thinking))
            self._acted_at = time.perf_counter()
            await self.say(Act(look.game, look.ply, str(random.choice(legal))))


def serve(folder: str, pipe: Connection) -> None:
    """Serve tables from a folder until terminated; send the port."""
    os.environ["DURAK_DATA_DIR"] = folder
    os.environ["DURAK_ENGINE"] = "off"
    sockets = TableSockets(_LIMITS)
    app = web.Application()
    app.router.add_get("/tables", sockets.connect)
    app.cleanup_ctx.append(sockets.run)

    async def announce(_app: web.Application) -> None:
        pipe.send(server.getsockname()[1])

    server = socket.create_server(("127.0.0.1", 0), backlog=1000)
    app.on_startup.append(announce)
    web.run_app(app, sock=server, print=None, access_log=None)


async def sit_down(
    session: aiohttp.ClientSession, url: str, thinking: float, figures: Figures
) -> list[Player]:
    """Open a table for two, and start its first game."""
    sockets = [await session.ws_connect(url, max_msg_size=MOST_FROM_SERVER) for _ in range(2)]
    host, guest = (Player(one, thinking, figures) for one in sockets)
    await host.say(Hello(VERSION, "Host"), Open(_RULES, ("", "")))
    code = (await host.seated()).code
    await guest.say(Hello(VERSION, "Guest"), Sit(code))
    await guest.seated()
    await host.say(Start())
    return [host, guest]


async def measure(port: int, pid: int, options: argparse.Namespace) -> None:
    """Play at all tables for a while, and print the figures."""
    figures, process = Figures(), psutil.Process(pid)
    timeout, connector = aiohttp.ClientTimeout(total=None), aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(timeout=timeout, connector=connector) as session:
        url = f"http://127.0.0.1:{port}/tables"
        players: list[Player] = []
        for _ in range(options.tables):
            players += await sit_down(session, url, options.thinking, figures)
        tasks = [asyncio.create_task(player.play()) for player in players]
        await asyncio.sleep(min(5.0, options.seconds))
        figures.latencies.clear()
        before, began = process.cpu_times(), time.monotonic()
        memory: list[tuple[int, int]] = []
        while (passed := time.monotonic() - began) < options.seconds or figures.games // 2 < options.games:
            await asyncio.sleep(min(_BETWEEN_LOOKS, max(0.0, options.seconds - passed) or _BETWEEN_LOOKS))
            memory.append((figures.games // 2, process.memory_info().rss))
        after = process.cpu_times()
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        for player in players[:_RETURNS]:
            async with session.ws_connect(url, max_msg_size=MOST_FROM_SERVER) as one:
                if player.seat is not None:
                    figures.returns.append(await Player(one, 0, figures).return_to(player.seat))
    spent = after.user + after.system - before.user - before.system
    actions = len(figures.latencies)
    latencies = [1000 * seconds for seconds in figures.latencies]
    print(f"{options.tables} tables of two, {passed:.0f} s, {options.thinking:g} s of thinking a move")
    print(f"{actions} actions, {actions / passed:.0f} a second; {figures.games // 2} games ended")
    print(f"server time an action: {1000 * spent / actions:.2f} ms ({spent / passed:.0%} of a core)")
    late = statistics.quantiles(latencies, n=20)[-1]
    print(f"latency: median {statistics.median(latencies):.1f} ms, 95th percentile {late:.1f} ms")
    looks, returns = statistics.mean(figures.looks), statistics.mean(figures.returns)
    print(f"bytes of a look: {looks:.0f}, and {returns:.0f} after a reconnection")
    print(f"server memory: {process.memory_info().rss / 2**20:.0f} MB; load {os.getloadavg()[0]:.1f}")
    late_looks = [look for look in memory if look[0] >= figures.games // 2 * _WARM]
    if len({games for games, _bytes in late_looks}) > 1:
        slope, _start = statistics.linear_regression(*zip(*late_looks, strict=True))
        print(f"memory slope after the first {_WARM:.0%} of the games: {slope / 2**10:+.2f} KiB a game")


async def restart(folder: Path) -> None:
    """Print how long a server takes to restore its tables."""
    began = time.perf_counter()
    store = TableStore(folder)
    tables = Tables(store, None, limits=_LIMITS)
    tables.start()
    took = time.perf_counter() - began
    print(f"restart: {len(tables)} tables in {took:.2f} s ({1000 * took / len(tables):.1f} ms a table)")
    await tables.close()
    store.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--thinking", type=float, default=2.0)
    parser.add_argument("--games", type=int, default=0, help="fewest games that end")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        here, there = multiprocessing.Pipe()
        server = multiprocessing.get_context("spawn").Process(target=serve, args=(folder, there))
        server.start()
        there.close()  # so that a server that ends is the end of its pipe
        try:
            asyncio.run(measure(here.recv(), server.pid or 0, options))
        finally:
            server.kill()
            server.join()
        asyncio.run(restart(Path(folder) / FOLDER))


if __name__ == "__main__":
    main()
