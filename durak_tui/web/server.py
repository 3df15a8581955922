"""Serves the app to browsers by textual-serve: every visitor gets a process and a folder of their own.

Nothing is fetched from elsewhere, so a machine without the internet shows the same page. Pages of other
sites cannot connect: the server compares what a browser says about the page it comes from.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import socket
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import click
from aiohttp import web
from textual_serve.app_service import AppService
from textual_serve.server import Server

from durak_tui.web.visitors import COOKIE, environment_of, folder_of, visitor_of

MOST_VISITORS: Final = 16
"""So many may play at once: each has processes of their own."""

_PAGE: Final = Path(__file__).with_name("page.html")
_YEAR: Final = 365 * 24 * 3600
_FAREWELL: Final = 5.0
"""Seconds that an app gets to end by itself, once its visitor has left."""

_Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def _is_loopback(host: str) -> bool:
    """Tell whether an address can be reached from this machine alone."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def listen(host: str, port: int) -> socket.socket:
    """Listen on a name or an address; port 0 takes any that is free.

    Raises:
        OSError: If the port is in use, or the address is not one of this machine.
    """
    family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    return socket.create_server(address[:2], family=family, backlog=64)


class _Visit(AppService):
    """The app process of one page."""

    def __init__(self, command: Sequence[str], environment: dict[str, str], **channel: Any) -> None:  # noqa: ANN401
        super().__init__("", **channel)
        self._command = tuple(command)
        self._environment = environment

    def _build_environment(self, width: int = 80, height: int = 24) -> dict[str, str]:
        return super()._build_environment(width, height) | self._environment

    async def _open_app_process(self, width: int = 80, height: int = 24) -> Process:
        """Start the app without a shell in between, which would hide its end."""
        environment = self._build_environment(width, height)
        self._process = await asyncio.create_subprocess_exec(
            *self._command, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=environment
        )
        self._stdin = self._process.stdin
        return self._process

    async def end(self) -> None:
        """Let the app save and end; one that hangs is ended."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.stop(), _FAREWELL)
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                self._process.terminate()
            try:
                await asyncio.wait_for(self._process.wait(), _FAREWELL)
            except TimeoutError:
                self._process.kill()
                await self._process.wait()


class _DurakServer(Server):
    """textual-serve's server with visitors that are told apart, and without anything from the net."""

    def __init__(self, command: Sequence[str], host: str) -> None:
        super().__init__("durak-tui", title="Durak")
        self._command = tuple(command)
        self._is_private = _is_loopback(host)
        self._sockets: set[web.WebSocketResponse] = set()

    async def _make_app(self) -> web.Application:
        app = await super()._make_app()

        @web.middleware
        async def guard(request: web.Request, handler: _Handler) -> web.StreamResponse:
            """Refuse pages of other sites, and names that other sites gave this machine."""
            host = urlsplit(f"//{request.host}")
            origin = request.headers.get("Origin")
            if self._is_private and not _is_loopback(host.hostname or ""):
                raise web.HTTPForbidden(text=f"This Durak is not served as {request.host}.")
            if origin is not None and urlsplit(origin).netloc != host.netloc:
                raise web.HTTPForbidden(text="Another site's page may not play here.")
            return await handler(request)

        app.middlewares.append(guard)
        return app

    async def on_startup(self, app: web.Application) -> None:
        """Say nothing; `serve` has said where the game is."""

    async def on_shutdown(self, app: web.Application) -> None:
        del app
        for websocket in tuple(self._sockets):
            await websocket.close(message=b"the server ends")

    async def handle_index(self, request: web.Request) -> web.StreamResponse:
        if len(self._sockets) >= MOST_VISITORS:
            text = f"{MOST_VISITORS} people play here already. Please try again later."
            raise web.HTTPServiceUnavailable(text=text)
        response = web.FileResponse(_PAGE, headers={"Cache-Control": "no-store"})
        visitor = visitor_of(request.cookies.get(COOKIE))
        response.set_cookie(COOKIE, visitor, max_age=_YEAR, httponly=True, samesite="Strict")
        return response

    async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
        """Start a visitor's app and pass keys and pictures on until one side ends."""
        if len(self._sockets) >= MOST_VISITORS:
            raise web.HTTPServiceUnavailable(text="too many visitors")
        websocket = web.WebSocketResponse(heartbeat=15)
        self._sockets.add(websocket)
        visit: _Visit | None = None
        try:
            await websocket.prepare(request)
            visitor = visitor_of(request.cookies.get(COOKIE))
            folder_of(visitor).mkdir(parents=True, exist_ok=True)
            visit = _Visit(
                self._command,
                environment_of(visitor, request.headers.get("Accept-Language", "")),
                write_bytes=websocket.send_bytes,
                write_str=websocket.send_str,
                close=websocket.close,
                download_manager=self.download_manager,
            )
            await visit.start(_cells(request, "width", 80), _cells(request, "height", 24))
            await self._process_messages(websocket, visit)
        except (OSError, ValueError, LookupError, TypeError, AssertionError) as error:
            click.echo(f"A visit ended: {type(error).__name__}: {error}", err=True)
        finally:
            self._sockets.discard(websocket)
            if visit is not None:
                await visit.end()
        return websocket


def _cells(request: web.Request, name: str, usual: int) -> int:
    """Return the width or height that a page asks for, within reason."""
    text = request.query.get(name, "")
    return min(max(int(text), 1), 500) if text.isascii() and text.isdecimal() else usual


def serve(sock: socket.socket, host: str, arguments: Sequence[str]) -> None:
    """Serve the app, started with these options for every visitor, until Ctrl+C or SIGTERM."""
    port = sock.getsockname()[1]
    name = f"[{host}]" if ":" in host else host
    server = _DurakServer((sys.executable, "-m", "durak_tui", *arguments), host)
    app = server._make_app()  # noqa: SLF001
    with contextlib.suppress(KeyboardInterrupt):  # between its announcement and the first visitor
        click.echo(f"Durak is at http://{name}:{port}/ - Ctrl+C ends it.")
        if not _is_loopback(host):
            click.echo(
                f"Warning: whoever reaches {host}:{port} can play here, without a password or encryption.",
                err=True,
            )
        sys.stdout.flush()
        web.run_app(app, sock=sock, print=None, access_log=None, shutdown_timeout=2 * _FAREWELL)
