"""What a hostile visitor may try: the server goes on, others play on, and the machine stays the owner's."""

import asyncio
import contextlib
import json
import os
import random
import socket
import subprocess
import sys
from urllib.parse import urlsplit

import psutil
import pytest
from waiting import PATIENCE, until, wait_until

from durak_tui import sandbox
from durak_tui.web import visit as visitors
from durak_tui.web.messages import MOST_BYTES, Pace, cells, price, read_message
from durak_tui.web.server import most_files
from durak_tui.web.visit import (
    COOKIE,
    MOST_OF_ONE,
    MOST_VISITS,
    NoSlotError,
    SlotPool,
    folder_of,
    is_full,
    visitor_of,
)
from tui.browsing import Served
from tui.web.test_web import get, pages, picture, server, visit

aiohttp = pytest.importorskip("aiohttp", reason="the extra web is not installed")

__all__ = ("server",)  # the fixture

# Messages


def resize(width, height):
    return json.dumps(["resize", {"width": width, "height": height}])


@pytest.mark.parametrize(
    ("message", "payload"),
    [
        ('["stdin", "я1\\u001b[A"]', b"D\0\0\0\6\xd1\x8f1\x1b[A"),
        ('["stdin", "\\ud800"]', b"D\0\0\0\1?"),
        ('["focus"]', b'M\0\0\0\x11{"type": "focus"}'),
        ('["blur"]', b'M\0\0\0\x10{"type": "blur"}'),
    ],
)
def test_what_a_page_says_becomes_a_packet_of_the_app(message, payload):
    assert read_message(message)[1] == payload


@pytest.mark.parametrize(
    ("told", "taken"),
    [
        ((80, 24), (80, 24)),
        ((20000, 24), (500, 24)),
        ((-5, 10**8), (1, 200)),
        (("90", "30"), (90, 30)),
        (("9" * 5000, 1e300), (500, 24)),
        ((None, {}), (80, 24)),
        ((True, [1]), (80, 24)),
        (("nan", "²"), (80, 24)),
        ((100.7, " 5"), (100, 24)),
    ],
)
def test_sizes_are_what_can_be_shown(told, taken):
    assert cells(*told) == taken
    packet = read_message(resize(*told))[1]
    assert json.loads(packet[5:]) == {"type": "resize", "width": taken[0], "height": taken[1]}


NONSENSE = (
    "",
    "null",
    "[]",
    "{}",
    '"stdin"',
    "[[]]",
    '["stdin"]',
    '["stdin", 5]',
    '["stdin", null]',
    '["stdin", "a", "b"]',
    '["stdin", ["a"]]',
    '["resize"]',
    '["resize", 5]',
    '["resize", {"width": 5}]',
    '["resize", {"width": NaN, "height": 24}]',
    '["focus", 1]',
    '["quit"]',
    '["ping", {}]',
    '["deliver_chunk_request", {"key": "x", "size": 99999999}]',
    '["open_url", {"url": "http://durak.example", "new_tab": true}]',
    "[" * 60_000,
    "1" * 60_000,
    '["stdin", ' + "[" * 30_000,
    '["stdin", "\\ud800',
    json.dumps(["stdin", "x" * 20_000]),
)


@pytest.mark.parametrize("message", NONSENSE, ids=range(len(NONSENSE)))
def test_what_is_no_message_means_nothing(message):
    assert read_message(message) == ("", b"")


def test_no_text_breaks_the_reader():
    chance = random.Random(7)
    pieces = [*'[]{}",:\\\0 ', "stdin", "resize", "width", "height", "1e999", "-1", "null", "\\ud800", "NaN"]
    for _ in range(5_000):
        text = "".join(chance.choices(pieces, k=chance.randrange(30)))
        kind, packet = read_message(text)
        assert bool(kind) == bool(packet)


async def test_whoever_sends_too_much_waits_and_loses_nothing(monkeypatch):
    waited = []

    async def sleep(seconds):
        waited.append(seconds)

    monkeypatch.setattr("durak_tui.web.messages.asyncio.sleep", sleep)
    pace = Pace()
    for _ in range(150):
        await pace.wait()
    assert not waited
    for _ in range(30):
        await pace.wait(price("resize"))
    assert sum(waited) > 0
    assert waited == sorted(waited)


# Places


async def test_a_place_is_free_when_its_visit_has_ended_and_a_visitor_has_two_at_most():
    pool = SlotPool()
    async with pool.hold_slot("anna") as first, pool.hold_slot("anna") as second:
        async with asyncio.timeout(PATIENCE):
            third = asyncio.create_task(pool.hold_slot("anna").__aenter__())
            await first.is_wanted.wait()
        assert not second.is_wanted.is_set()
        assert not third.done()
        fourth = asyncio.create_task(pool.hold_slot("anna").__aenter__())
        with pytest.raises(NoSlotError):
            await third
    assert (await fourth).visitor == "anna"


async def test_a_full_house_has_room_for_the_newest_page_of_who_is_there_already():
    pool = SlotPool()
    async with contextlib.AsyncExitStack() as stack:
        for number in range(MOST_VISITS - 1):
            await stack.enter_async_context(pool.hold_slot(f"{number}"))
        async with pool.hold_slot("anna") as slot:
            assert not pool.is_open("boris")
            again = asyncio.create_task(pool.hold_slot("anna").__aenter__())
            await slot.is_wanted.wait()
        with pytest.raises(NoSlotError):
            async with pool.hold_slot("boris"):
                pass
        assert (await again).visitor == "anna"


# Folders


def test_a_folder_holds_so_much_and_no_more(monkeypatch):
    monkeypatch.setattr(visitors, "MOST_FOLDER_BYTES", 100)
    monkeypatch.setattr(visitors, "MOST_FILES", 2)
    monkeypatch.setattr(visitors, "MOST_FOLDERS", 1)
    anna = visitor_of(None)
    assert not is_full(anna)
    folder = folder_of(anna)
    folder.joinpath("config").mkdir(parents=True)
    (folder / "config" / "a").write_bytes(b"x" * 100)
    assert not is_full(anna)
    (folder / "b").write_bytes(b"x")
    assert is_full(anna)
    (folder / "config" / "a").write_bytes(b"")
    assert not is_full(anna)
    (folder / "c").touch()
    assert is_full(anna)
    assert is_full(visitor_of(None)), "there are as many folders as may be"


# Limits of the system


@pytest.mark.skipif(not sandbox.CAN_LIMIT, reason="this system does not limit memory")
@pytest.mark.parametrize(
    ("work", "outcome"),
    [
        ("bytearray(3 << 30)", "MemoryError"),
        ("open('large', 'wb').truncate(65 << 20)", "File too large"),
        ("[open('small', 'wb') for _ in range(300)].__len__()", "Too many open files"),
        ("print(resource.getrlimit(resource.RLIMIT_CORE))", "(0, 0)"),
        ("subprocess.run([sys.executable, '-c', 'bytearray(3 << 30)'])", "MemoryError"),
    ],
)
def test_the_system_limits_a_visitors_processes(work, outcome, tmp_path):
    program = "import resource, subprocess, sys; from durak_tui.sandbox import confine; confine(); "
    done = subprocess.run(
        [sys.executable, "-c", program + work], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert outcome in (done.stdout + done.stderr).splitlines()[-1]


# A server


async def shows_help(websocket):
    """Press a key and see its effect: this visit goes on."""
    await websocket.send_json(["stdin", "?"])
    await picture(websocket, "Keys")
    await websocket.send_json(["stdin", "\x1b"])
    await picture(websocket, "trumps")


def app_of(visitor, served):
    for app in served.apps():
        with contextlib.suppress(psutil.NoSuchProcess):
            if visitor in psutil.Process(app).environ().get("DURAK_DATA_DIR", ""):
                return psutil.Process(app)
    return None


async def test_a_hostile_page_neither_ends_nor_swells_its_app_nor_anybody_elses(server):
    anna, boris = visitor_of(None), visitor_of(None)
    async with (
        pages() as session,
        visit(session, server, anna) as good,
        visit(session, server, boris) as bad,
    ):
        for websocket in (good, bad):
            await picture(websocket, "trumps")
        for message in NONSENSE:
            if len(message) < MOST_BYTES:
                await bad.send_str(message)
        for size in ((20000, 20000), (None, "x"), ([], {}), (0, 0), (10**400, 1), (True, -1)):
            await bad.send_str(resize(*size))
        await bad.send_json(["stdin", "\x1b[48;20000;20000;20000;20000t"])
        await bad.send_json(["stdin", "\x1b[<0;99999999999999999999;1M\x1b[" + "9" * 5000 + "u"])
        await bad.send_bytes(b"\xff" * 5000)
        for _ in range(300):  # more than are heard at once
            await bad.ping()
        await bad.send_str(resize(80, 24))
        await shows_help(good)
        await shows_help(bad)
        assert app_of(boris, server).memory_info().rss < 300 << 20
        await bad.send_str("x" * (MOST_BYTES + 1))
        await until(lambda: app_of(boris, server) is None)
        await shows_help(good)
        if sandbox.CAN_LIMIT:
            limits = app_of(anna, server).rlimit(psutil.RLIMIT_AS)
            assert limits == (sandbox._LIMITS["AS"],) * 2
    await until(lambda: not server.apps())


async def test_a_page_that_reloads_quickly_keeps_its_two_places_and_sixteen_stay_sixteen(server):
    """Sockets are opened and closed at once, those of one visitor and those of many."""
    one, most_of_one, most = visitor_of(None), 0, 0

    def count():
        nonlocal most_of_one, most
        apps = [psutil.Process(app) for app in server.apps() if psutil.pid_exists(app)]
        most = max(most, len(apps))
        with contextlib.suppress(psutil.Error):
            mine = [app for app in apps if one in app.environ().get("DURAK_DATA_DIR", "")]
            most_of_one = max(most_of_one, len(mine))

    async def come_and_go(session, visitor):
        with contextlib.suppress(aiohttp.WSServerHandshakeError):
            async with visit(session, server, visitor):
                pass

    counting = asyncio.create_task(until(count))
    async with pages(connector=aiohttp.TCPConnector(limit=0)) as session:
        others = [visitor_of(None) for _ in range(32)]
        await asyncio.gather(*[come_and_go(session, visitor) for visitor in [*others, *[one] * 32]])
        async with visit(session, server, one) as websocket:
            await picture(websocket, "trumps")
        await until(lambda: not server.apps())
    counting.cancel()
    assert 0 < most <= MOST_VISITS
    assert 0 < most_of_one <= MOST_OF_ONE


async def test_who_has_a_full_folder_is_told(server, monkeypatch):
    monkeypatch.setenv("DURAK_DATA_DIR", str(server.folder))
    visitor = visitor_of(None)
    folder_of(visitor).mkdir(parents=True)
    with (folder_of(visitor) / "large").open("wb") as file:
        file.truncate(visitors.MOST_FOLDER_BYTES + 1)
    status, text, _ = await asyncio.to_thread(get, server.url, Cookie=f"{COOKIE}={visitor}")
    assert status == 507
    assert "no room" in text


def raw(served, request):
    """Send bytes to the server, and return the first line of its answer."""
    address = urlsplit(served.url)
    with socket.create_connection((address.hostname, address.port), timeout=PATIENCE) as connection:
        connection.sendall(request)
        return connection.makefile("rb").readline()


def test_requests_that_are_none_are_refused(server):
    host = f"Host: 127.0.0.1:{urlsplit(server.url).port}\r\n".encode()
    end, up = b"Connection: close\r\n\r\n", b"../" * 8
    for status, request in (
        (b"400", b"nonsense\r\n\r\n"),
        (b"400", b"GET / HTTP/1.1\r\n" + host + b"X: " + b"x" * 100_000 + b"\r\n" + end),
        (b"400", b"GET /?width=" + b"9" * 100_000 + b" HTTP/1.1\r\n" + host + end),
        (b"400", b"GET / HTTP/1.1\r\nHost: [\r\n" + end),
        (b"400", b"GET / HTTP/1.1\r\n" + host + b"Origin: http://[\r\n" + end),
        (b"400", b"GET / HTTP/1.1\r\nHost: \x1b[2J\r\n" + end),
        (b"404", b"GET /download/x HTTP/1.1\r\n" + host + end),
        (b"404", b"GET /static/" + up + b"etc/passwd HTTP/1.1\r\n" + host + end),
        (b"404", b"GET /static/%2e%2e/%2e%2e/server.py HTTP/1.1\r\n" + host + end),
        (b"403", b"GET /static/ HTTP/1.1\r\n" + host + end),
        (b"405", b"POST / HTTP/1.1\r\n" + host + end),
        (b"200", b"GET / HTTP/1.1\r\n" + host + b"Cookie: durak-visitor=%2e%2e/x\r\n" + end),
    ):
        assert status in raw(server, request), request[:60]


def test_idle_connections_and_garbage_neither_exhaust_the_server_nor_fill_its_log(tmp_path, monkeypatch):
    monkeypatch.setenv("DURAK_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("DURAK_ENGINE", "off")
    served = Served()
    assert raw(served, b"nonsense\r\n\r\n").startswith(b"HTTP/1.0 400")
    address = urlsplit(served.url)
    with contextlib.ExitStack() as idle:
        for _ in range(most_files() + 100):
            connection = socket.create_connection((address.hostname, address.port), timeout=PATIENCE)
            idle.enter_context(contextlib.closing(connection))
        wait_until(lambda: psutil.Process(served.process.pid).num_fds() > most_files() - 10)
        assert psutil.Process(served.process.pid).num_fds() < most_files() + 50
    wait_until(lambda: psutil.Process(served.process.pid).num_fds() < 50)
    assert get(served.url)[0] == 200
    assert served.end() == ""


async def test_what_a_visitors_app_says_last_cannot_write_to_the_owners_terminal(tmp_path, monkeypatch):
    monkeypatch.setenv("DURAK_DATA_DIR", str(tmp_path))
    (tmp_path / "sitecustomize.py").write_text(
        "import os, sys\nif os.environ.get('DURAK_CONFINED'): sys.exit('\\x1b]0;X\\a\\x1b[2J bad')\n"
    )
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    monkeypatch.setenv("PYTHONPATH", path)
    served = await asyncio.to_thread(Served)
    async with pages() as session, visit(session, served, visitor_of(None)) as websocket:
        assert (await websocket.receive()).type is aiohttp.WSMsgType.CLOSE
    rest = await asyncio.to_thread(served.end)
    assert rest.startswith("The app of a visitor ended with 1: ")
    assert rest.endswith(" ?]0;X??[2J bad\n")
