"""People with apps at table servers of this process, whose clock can skip time."""

# ruff: noqa: SLF001 - what the screens show is compared with what the server has

from __future__ import annotations

import asyncio
import os
import re
import selectors
import threading
import time
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import textual._time
from aiohttp import web
from textual._compositor import Compositor
from textual._context import active_app
from textual.strip import Strip
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
GLANCE: Final = 0.02
MOST: Final = 100
"""Real seconds of a look at computing threads, and how many looks the clock waits for them."""
DATA: ContextVar[Path] = ContextVar("data")
"""The data folder of the person in whose app the code runs."""


class Clock(selectors.DefaultSelector):
    """A clock of this process that stands still while anything is done, and skips all waiting.

    It is the selector of the event loop too: when nothing has arrived and no thread computes, it goes on to
    the next timer at once. So the machine's speed makes no screen late.
    """

    def __init__(self) -> None:
        super().__init__()
        self._now = 0.0

    def __call__(self) -> float:
        return self._now

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        waits = 0
        while not ready and threading.active_count() > 1 and waits < MOST:
            ready, waits = super().select(GLANCE), waits + 1
        if ready or timeout is None:
            return ready or super().select(None)
        self._now += max(0.0, timeout)
        return ready


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
    _picture: list[Strip] = field(default_factory=list)

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
        async with app.run_test(size=self.size):
            self._app = app
            here.set()
            await self._goes.wait()

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

    def look(self) -> str:
        """Look at the screen in front, and return what it shows."""
        active_app.set(self.app)
        self._picture = self.app.screen._compositor.render_strips()[: self.app.size.height]
        return self.text()

    def text(self, selector: str = "") -> str:
        """Return what the screen showed at the last look, or one of its widgets, without borders."""
        app, shown = self.app, self._picture
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
    Compositor.render_update = draw_nothing  # type: ignore[method-assign]
    return clock


def draw_nothing(compositor: Compositor, **_options: object) -> None:
    """Draw no change: these terminals have no viewer, and `Person.text` draws the whole screen."""
    compositor._dirty_regions.clear()
