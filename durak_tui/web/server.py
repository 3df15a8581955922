"""The web server: every visitor gets an app process and a folder.

The page's script and fonts come from textual-serve. Nothing is fetched from other hosts, so it works offline.
The server checks the browser's ``Origin``, so pages of other sites cannot connect.
"""

from __future__ import annotations

import asyncio
import contextlib
import html
import ipaddress
import logging
import os
import re
import secrets
import socket
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import click
import textual_serve
from aiohttp import WSCloseCode, web, web_response
from aiohttp.http_exceptions import HttpProcessingError

from durak_core import is_game_code
from durak_core.engine.client import DURAK
from durak_tui.engine import engine_command
from durak_tui.friends.messages import checked_code
from durak_tui.sandbox import CAN_LIMIT, PAGE, TOUCH
from durak_tui.text.i18n import Speaker, mark
from durak_tui.web.messages import MOST_BYTES, cells
from durak_tui.web.tables import TableSockets
from durak_tui.web.visit import (
    COOKIE,
    FAREWELL,
    NoSlotError,
    SlotPool,
    Stay,
    Visit,
    is_full,
    page_of,
    process_environment,
    speaker_of,
    visitor_of,
)

_POLICY: Final = "Content-Security-Policy"
_NOTHING: Final = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
_HEADERS: Final = {
    _POLICY: _NOTHING,
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}


_OF_A_PAGE: Final = (
    f"{_NOTHING}; script-src 'nonce-NONCE'; style-src 'nonce-NONCE'; "
    "font-src 'self'; img-src 'self'; manifest-src 'self'; connect-src 'self'"
)
"""Allows a page its marked scripts and styles, its fonts, icons and socket."""


# aiohttp's own names its version and Python's, also to a request that reaches no handler.
web_response.SERVER_SOFTWARE = "durak"  # type: ignore[attr-defined]


async def _add_headers(_request: web.Request, response: web.StreamResponse) -> None:
    """Add the headers to a response of any kind, unless it has its own."""
    for name, value in _HEADERS.items():
        response.headers.setdefault(name, value)


_MOST_FILES: Final = 600
"""Maximum number of the server's open files. All visits together need about a hundred."""
_RESERVE: Final = 56
"""Files below the system's limit that connections leave to visits."""


def most_files() -> int:
    """Return the maximum number of the server's open files on this system."""
    try:
        import resource  # noqa: PLC0415 - there is none on Windows
    except ModuleNotFoundError:
        return _MOST_FILES
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _MOST_FILES if soft == resource.RLIM_INFINITY else min(_MOST_FILES, soft - _RESERVE)


class _Listener(socket.socket):
    """Closes connections beyond a number. Without it, the process would run out of files."""

    def accept(self) -> tuple[socket.socket, Any]:
        connection, address = super().accept()
        # The system gives each file the lowest free number, except on Windows, where files are not numbered.
        if sys.platform != "win32" and connection.fileno() >= most_files():
            connection.close()
            raise ConnectionAbortedError
        return connection, address


def listen(host: str, port: int) -> socket.socket:
    """Listen on a name or address; port 0 takes any free one. Raises `OSError` on failure."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except UnicodeError:
        raise OSError("this is not an address") from None
    created = socket.create_server(address[:2], family=family, backlog=64)
    return _Listener(fileno=created.detach())


def _is_http(record: logging.LogRecord) -> bool:
    return not (record.exc_info and isinstance(record.exc_info[1], HttpProcessingError))


_PAGE: Final = Path(__file__).with_name("page.html").read_text(encoding="utf-8")
_FIELD: Final = re.compile(r"__([A-Z]+)__")
_TEXTS: Final = {
    "STARTING": mark("Durak is starting …"),
    "ENDED": mark("Durak has closed. Your game is saved."),
    "LOST": mark("Reconnecting…"),
    "AGAIN": mark("Open it again"),
    "LEFT": mark("Left"),
    "RIGHT": mark("Right"),
    "ENTER": mark("Enter"),
    "KEYBOARD": mark("Keyboard"),
}


def page(speaker: Speaker, nonce: str, code: str = "", game: str = "") -> str:
    """Return the page in a language; its scripts and styles have the nonce.

    With a table's code it is the page at ``/t/CODE``, whose app joins that table. With a game's code it is
    the page at ``/g/CODE``, whose app reviews that game.
    """
    socket = f"ws/g/{game}" if game else f"ws/{code}" if code else "ws"
    values = {name: speaker.translate(text) for name, text in _TEXTS.items()}
    values |= {"NONCE": nonce, "LANGUAGE": speaker.language()}
    values |= {"TOP": "../" if code or game else "", "SOCKET": socket}
    return _FIELD.sub(lambda field: html.escape(values[field[1]]), _PAGE)


_STATIC: Final = Path(textual_serve.__file__).with_name("static")
_DAY: Final = 24 * 3600
_YEAR: Final = 365 * _DAY
_CLOSING: Final = 2.0
"""Seconds for a browser to close its socket."""
_OWN_ADDRESSES: Final = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}  # noqa: S104 - a key
"""Where to reach a server on this machine that listens on all addresses."""
_WARM_UP: Final = (
    *(sys.executable, "-m", "durak_core.cli", "warm-up"),
    *("--beside", "guided", "--beside", "search"),
)

_Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def _speaker(request: web.Request) -> Speaker:
    return speaker_of(request.headers.get("Accept-Language", ""))


def _code(request: web.Request) -> str:
    """Return the code of the table in a page's address, or empty. Raises an error if there can be none."""
    named = request.match_info.get("code", "")
    code = checked_code(named)
    if named and not code:
        raise web.HTTPNotFound(text=_speaker(request).gettext("No table has this code."))
    return code


def _game(request: web.Request) -> str:
    """Return the game code in a page's address, or empty. Raises an error if it does not look like one."""
    code = request.match_info.get("game", "")
    if code and not is_game_code(code):
        raise web.HTTPNotFound(text=_speaker(request).gettext("This is not the code of a game."))
    return code


def _no_slot(request: web.Request) -> web.HTTPServiceUnavailable:
    text = _speaker(request).gettext("All seats are taken. Please try again later.")
    return web.HTTPServiceUnavailable(text=text)


def _is_loopback(host: str) -> bool:
    """Return whether an address is reachable from this machine only."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class _DurakServer:
    """Serves the page and its sockets. Each socket shows a visit, or connects to a table.

    Args:
        command: The command line of a visitor's app.
        host: The name or address on which the server listens.
        own: The server's address for visitors' apps, which run on this machine.
        is_owned: Whether the server ends with the player who opens its tables.
    """

    def __init__(self, command: Sequence[str], host: str, own: str = "", *, is_owned: bool = False) -> None:
        self._command = tuple(command)
        self._own = own
        self._is_private = _is_loopback(host)
        self._slots = SlotPool()
        self._starting = asyncio.Semaphore(max(1, (os.cpu_count() or 1) // 2))
        self._sockets: set[web.WebSocketResponse] = set()
        self._stays: dict[Stay, asyncio.Task[None]] = {}
        self._tables = TableSockets(is_own=is_owned)

    def make_app(self) -> web.Application:
        app = web.Application(middlewares=[self._guard])
        app.add_routes(
            [
                web.get("/", self._give_page),
                web.get("/t/{code}", self._give_page),
                web.get("/g/{game}", self._give_page),
                web.get("/ws", self._visit),
                web.get("/ws/{code}", self._visit),
                web.get("/ws/g/{game}", self._visit),
                web.get("/tables", self._tables.connect),
                web.get("/{name:icon\\.(png|svg)|app\\.webmanifest}", _give_file),
                web.static("/static", _STATIC),
            ]
        )
        app.on_response_prepare.append(_add_headers)
        app.on_shutdown.extend([self._close_all, self._tables.close_all])
        app.cleanup_ctx.append(self._tables.run)
        if engine_command() == DURAK:
            app.cleanup_ctx.append(_warming)
        return app

    @web.middleware
    async def _guard(self, request: web.Request, handler: _Handler) -> web.StreamResponse:
        """Refuse pages of other sites, and host names given to this machine by other sites."""
        try:
            host = urlsplit(f"//{request.host}")
            origin = urlsplit(request.headers.get("Origin", f"//{request.host}"))
        except ValueError:
            raise web.HTTPBadRequest(text="Invalid address.") from None
        if self._is_private and not _is_loopback(host.hostname or ""):
            raise web.HTTPForbidden(text="Durak is not available under this host name.")
        if origin.netloc != host.netloc:
            raise web.HTTPForbidden(text="Pages of other sites cannot connect.")
        return await handler(request)

    async def _close_all(self, _app: web.Application) -> None:
        for websocket in tuple(self._sockets):
            await websocket.close(code=WSCloseCode.GOING_AWAY, message=b"the server ends")
        tasks = tuple(self._stays.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    async def _admitted(self, request: web.Request) -> str:
        """Return the requesting visitor. Raises an error with a text if there is no slot or space."""
        visitor = visitor_of(request.cookies.get(COOKIE))
        if not self._slots.is_open(visitor):
            raise _no_slot(request)
        if await asyncio.to_thread(is_full, visitor):
            text = _speaker(request).gettext(
                "There is no room for more of your games. Ask the owner of this machine to make some."
            )
            raise web.HTTPInsufficientStorage(text=text)
        return visitor

    async def _give_page(self, request: web.Request) -> web.StreamResponse:
        visitor = await self._admitted(request)
        nonce = secrets.token_urlsafe(16)
        response = web.Response(
            text=page(_speaker(request), nonce, _code(request), _game(request)),
            content_type="text/html",
            headers={"Cache-Control": "no-store", _POLICY: _OF_A_PAGE.replace("NONCE", nonce)},
        )
        response.set_cookie(COOKIE, visitor, max_age=_YEAR, httponly=True, samesite="Lax")
        return response

    async def _visit(self, request: web.Request) -> web.StreamResponse:
        visitor = await self._admitted(request)
        code, game, page = _code(request), _game(request), page_of(request.query.get("page"))
        options = ("--join", code) if code else (game,) if game else ()
        stay = self._find(visitor, options, page)
        websocket = web.WebSocketResponse(
            timeout=_CLOSING, heartbeat=30, autoping=False, compress=False, max_msg_size=MOST_BYTES
        )
        if not websocket.can_prepare(request).ok:
            raise web.HTTPBadRequest(text="This is no WebSocket.")
        size = cells(request.query.get("width"), request.query.get("height"))
        if stay is None:
            stay = await self._begin(request, Stay(visitor, options, page), size)
        stay.page = page
        try:
            await websocket.prepare(request)
            self._sockets.add(websocket)
            await stay.serve(websocket, size)
        finally:
            self._sockets.discard(websocket)
            stay.lose(websocket)
            if request.transport is not None:  # the app's output must not wait for a page that does not read
                request.transport.abort()
        return websocket

    def _find(self, visitor: str, options: tuple[str, ...], page: str) -> Stay | None:
        """Return the visit of this page, or one of the same visitor that has lost its page."""
        mine = [stay for stay in self._stays if (stay.visitor, stay.options) == (visitor, options)]
        found = [stay for stay in mine if not stay.is_ending and (stay.page == page or stay.is_alone)]
        found.sort(key=lambda stay: stay.page == page)
        return found[-1] if page and found else None

    async def _begin(self, request: web.Request, stay: Stay, size: tuple[int, int]) -> Stay:
        """Start a visit's app. Raises an error with a text if there is no slot."""
        environment = process_environment(
            stay.visitor, size, request.headers.get("Accept-Language", ""), self._own
        )
        environment[PAGE] = request.headers.get("Origin", "")
        environment[TOUCH] = "1" if "touch" in request.query else ""
        options = stay.options or (("--return",) if "back" in request.query else ())
        stay.visit = Visit((*self._command, *options), environment, stay.show, self._starting)
        entered = asyncio.get_running_loop().create_future()
        task = asyncio.create_task(stay.run(self._slots, entered), name="durak-stay")
        self._stays[stay] = task
        task.add_done_callback(lambda _task: self._stays.pop(stay, None))
        try:
            await entered
        except NoSlotError:
            raise _no_slot(request) from None
        except asyncio.CancelledError:
            task.cancel()
            raise
        return stay


async def _give_file(request: web.Request) -> web.StreamResponse:
    """Return an icon, or what a phone needs to keep the page among its apps."""
    name = request.match_info["name"]
    kinds = {"png": "image/png", "svg": "image/svg+xml", "webmanifest": "application/manifest+json"}
    headers = {"Cache-Control": f"max-age={_DAY}", "Content-Type": kinds[name.rpartition(".")[2]]}
    return web.FileResponse(Path(__file__).with_name(name), headers=headers)


async def _warming(_app: web.Application) -> AsyncIterator[None]:
    """Compile the engines' code once for all visitors, while the server runs."""
    process = await asyncio.create_subprocess_exec(*_WARM_UP, stdin=PIPE, stdout=DEVNULL, stderr=DEVNULL)
    yield
    if process.stdin is not None:
        process.stdin.close()  # it exits when its input is closed
    await process.wait()


def serve(sock: socket.socket, host: str, arguments: Sequence[str], *, is_owned: bool = False) -> None:
    """Serve the app, with these options for every visitor, until Ctrl+C or SIGTERM."""
    logging.getLogger("aiohttp.server").addFilter(_is_http)
    port = sock.getsockname()[1]
    name = f"[{host}]" if ":" in host else host
    own = f"http://{_OWN_ADDRESSES.get(host, name)}:{port}/"
    command = (sys.executable, "-m", "durak_tui", *arguments)
    app = _DurakServer(command, host, own, is_owned=is_owned).make_app()
    loop = asyncio.new_event_loop()  # a Ctrl+C during its creation would leave it incomplete
    with contextlib.suppress(KeyboardInterrupt):  # between its announcement and the first visitor
        click.echo(f"Durak is at http://{name}:{port}/ - Ctrl+C ends it.")
        if not _is_loopback(host):
            click.echo(
                f"Warning: anyone who can reach {host}:{port} can play, without a password or encryption.",
                err=True,
            )
        if not CAN_LIMIT:
            click.echo("Warning: this system cannot limit the memory of visitors' apps.", err=True)
        sys.stdout.flush()
        web.run_app(app, sock=sock, print=None, access_log=None, shutdown_timeout=2 * FAREWELL, loop=loop)
