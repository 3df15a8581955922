"""People with apps at table servers of this process, whose clock can skip time."""

# ruff: noqa: SLF001 - what the screens show is compared with what the server has

from __future__ import annotations

import asyncio
import os
import re
import time
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import textual._time
from aiohttp import web
from textual._context import active_app
from textual.widget import Widget

from durak_tui.app import DurakApp
from durak_tui.friends import client
from durak_tui.friends.client import Client
from durak_tui.friends.messages import Address
from durak_tui.friends.own_server import USUAL_PORT
from durak_tui.friends.screens import lobby
from durak_tui.friends.screens.lobby import LobbyScreen
from durak_tui.friends.tables import Tables
from durak_tui.play.setup import Launch
from durak_tui.web import tables as web_tables

CALM: Final = {
    "pace": "instant",
    "reduced_motion": True,
    "only_moves": False,
    "remarks": False,
    "nearby": False,
}
STEP: Final = 0.5
"""Seconds that the clock skips at a time."""
MOST: Final = 0.05
DATA: ContextVar[Path] = ContextVar("data")
"""The data folder of the person in whose app the code runs."""


class Clock:
    """A clock of this process that can skip time; timers that are due run at once.

    Between two looks it goes on by `MOST` at most: a busy machine does not make the screens late.
    """

    def __init__(self) -> None:
        self._real = time.monotonic
        self._looked = self._now = self._real()

    def __call__(self) -> float:
        looked, self._looked = self._looked, self._real()
        self._now += min(self._looked - looked, MOST)
        return self._now

    async def skip(self, seconds: float) -> None:
        for _ in range(round(seconds / STEP)):
            self._now += STEP
            await asyncio.sleep(0.002)


class Server:
    """A table server in this process, in the place of `OwnServer`."""

    latest: Server

    def __init__(self, *, is_own: bool = True) -> None:
        self._sockets = web_tables.TableSockets(is_own=is_own)
        self._runner: web.AppRunner | None = None
        self.port = 0

    @property
    def tables(self) -> Tables | None:
        return self._sockets._tables

    async def start(self, port: int = 0) -> Address:
        app = web.Application()
        app.router.add_get("/tables", self._sockets.connect)
        app.cleanup_ctx.append(self._sockets.run)
        app.on_shutdown.append(self._sockets.close_all)
        self._runner = web.AppRunner(app)
        await self._runner.setup()
        port = 0 if port == USUAL_PORT else port
        await web.TCPSite(self._runner, "127.0.0.1", port, reuse_address=True).start()
        self.port, Server.latest = self._runner.addresses[0][1], self
        return self.in_network

    @property
    def in_network(self) -> Address:
        return Address(f"http://127.0.0.1:{self.port}/")

    async def stop(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()


@dataclass(eq=False)
class Person:
    """Somebody with an app.

    Attributes:
        state: ``new``, ``here``, ``lost``, ``later`` or ``left``.
    """

    name: str
    folder: Path
    size: tuple[int, int]
    state: str = "new"
    _app: DurakApp | None = None
    _goes: asyncio.Event = field(default_factory=asyncio.Event)
    _life: asyncio.Task[None] | None = None

    async def come(self, link: str = "") -> None:
        """Start the app, at a table if there is a link."""
        self._goes, here = asyncio.Event(), asyncio.Event()
        self._life = asyncio.create_task(self._live(link, here))
        await here.wait()
        self.state = "here"

    async def _live(self, link: str, here: asyncio.Event) -> None:
        self.folder.mkdir(exist_ok=True)
        DATA.set(self.folder)
        app = DurakApp(Launch(None, (), None, "friends", {**CALM, "name": self.name}, (), link))
        async with app.run_test(size=self.size) as pilot:
            self._app = app
            here.set()
            await self._goes.wait()
            await pilot.pause()  # keys come before the end

    async def go(self, state: str = "lost") -> None:
        """Close the app as a window is closed."""
        self.state = state
        self._goes.set()
        if self._life is not None:
            await self._life

    @property
    def app(self) -> DurakApp:
        if self._app is None:
            raise ValueError(f"{self.name} has not come yet")
        return self._app

    @property
    def screen(self) -> object:
        return self.app.screen

    def press(self, *keys: str) -> None:
        for key in keys:
            self.app.simulate_key(key)

    @property
    def lobby(self) -> LobbyScreen | None:
        stack = self.app.screen_stack
        return next((screen for screen in stack if isinstance(screen, LobbyScreen)), None)

    @property
    def guest(self) -> Client | None:
        return None if self.lobby is None else self.lobby.guest

    def text(self, selector: str = "") -> str:
        """Return what the screen in front shows, or one of its widgets, without borders and line breaks."""
        app = self.app
        active_app.set(app)
        shown = app.screen._compositor.render_strips()[: app.size.height]
        if selector:
            widgets: list[Widget] = [one for one in app.screen.query(selector).results() if one.display]
            region = widgets[0].region if widgets else None
            if region is None:
                return ""
            shown = [line.crop(region.x, region.right) for line in shown[region.y : region.bottom]]
        return " ".join(re.sub(r"[│╭╮╰╯─┃┏┓┗┛━]", " ", " ".join(line.text for line in shown)).split())


def prepare(folder: Path) -> Clock:
    """Let apps of this process host in it, keep their seats apart, and live by a clock that can skip time."""
    clock = Clock()
    time.monotonic = textual._time.get_time = clock
    lobby.OwnServer = Server  # type: ignore[assignment,misc]
    client.data_dir = web_tables.data_dir = DATA.get
    for name in ("DURAK_DATA_DIR", "DURAK_CONFIG_DIR"):
        os.environ[name] = str(folder / name)
    os.environ["DURAK_ENGINE"] = "off"
    return clock
