"""Pages that lose their connection: the server keeps the app for a while, and the page connects again."""

import asyncio
import json
import re
import shutil
import subprocess
from contextlib import asynccontextmanager
from importlib.resources import files

import pytest
from waiting import PATIENCE, until

pytest.importorskip("aiohttp", reason="the extra web is not installed")

import aiohttp
from aiohttp.test_utils import TestServer

from durak_tui.play.saves import Saves
from durak_tui.web import visit
from durak_tui.web.messages import PONG
from durak_tui.web.server import _DurakServer
from durak_tui.web.visit import COOKIE, MOST_VISITS, SlotPool, folder_of, visitor_of
from tui.browsing import PROGRAM
from tui.web.test_web import pages, picture

# The server


@asynccontextmanager
async def serving(monkeypatch, tmp_path):
    """Serve a game in this process; yields the address and the server."""
    monkeypatch.setenv("DURAK_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("DURAK_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("DURAK_ENGINE", "off")
    command = (*PROGRAM, "--seed", "3", "--bots", "greedy", "--pace", "instant")
    server = _DurakServer(command, "127.0.0.1")
    async with TestServer(server.make_app()) as served, pages() as session:

        def connect(visitor, query):
            headers = {"Cookie": f"{COOKIE}={visitor}"}
            return session.ws_connect(f"{served.make_url('/ws')}?width=80&height=24&{query}", headers=headers)

        yield connect, server


def app_of(server):
    (stay,) = server._stays
    return stay.visit._process.pid


async def lose(websocket, server):
    """Cut the connection, as a network does."""
    websocket._response.connection.transport.abort()
    await until(lambda: all(stay.is_alone for stay in server._stays))


async def test_a_page_that_returns_finds_the_same_app_drawn_anew(monkeypatch, tmp_path):
    async with serving(monkeypatch, tmp_path) as (connect, server):
        visitor = visitor_of(None)
        first = await connect(visitor, "page=a")
        await picture(first, "trumps", "You")
        app = app_of(server)
        await lose(first, server)
        back = await connect(visitor, "page=a&back=1")
        await picture(back, "\x1b[?1049h", "\x1b[?1000h")
        await picture(back, "trumps", "You")
        assert app_of(server) == app
        await back.send_str('["ping", "1"]')
        while (await back.receive()).data != PONG:
            pass
        newer = await connect(visitor, "page=a")
        while (message := await back.receive()).type == aiohttp.WSMsgType.BINARY:
            pass
        assert (message.type, message.data) == (aiohttp.WSMsgType.CLOSE, visit.ENDED)
        await lose(newer, server)
        reloaded = await connect(visitor, "page=b")
        await picture(reloaded, "trumps", "You")
        assert app_of(server) == app
        await reloaded.send_str(json.dumps(["stdin", "\x11"]))
        while (message := await reloaded.receive()).type == aiohttp.WSMsgType.BINARY:
            pass
        assert (message.type, message.data) == (aiohttp.WSMsgType.CLOSE, visit.ENDED)


@pytest.mark.slow
async def test_a_page_that_returns_too_late_goes_on_with_its_game(monkeypatch, tmp_path):
    monkeypatch.setattr(visit, "ABSENCE", 0.0)
    async with serving(monkeypatch, tmp_path) as (connect, server):
        visitor = visitor_of(None)
        first = await connect(visitor, "page=a")
        await picture(first, "trumps", "You")
        first._response.connection.transport.abort()
        await until(lambda: not server._stays)
        saves = Saves(folder_of(visitor))
        (game,) = saves.unfinished()
        back = await connect(visitor, "page=a&back=1")
        await picture(back, "trumps", "You")
        assert [path.name for path in saves.running.glob("*.durak")] == [game.path.name]
        await back.close()


async def test_an_idle_visit_leaves_its_slot_to_another_visitor():
    pool = SlotPool()
    held = [pool.hold_slot(f"{number}") for number in range(MOST_VISITS)]
    slots = [await one.__aenter__() for one in held]
    assert not pool.is_open("anna")
    slots[3].is_idle = True
    assert pool.is_open("anna")
    anna = asyncio.create_task(pool.hold_slot("anna").__aenter__())
    await until(slots[3].is_wanted.is_set)
    assert not any(slot.is_wanted.is_set() for slot in slots if slot is not slots[3])
    await held[3].__aexit__(None, None, None)
    assert (await anna).visitor == "anna"
    assert not pool.is_open("boris")


# The page

PAGE = files("durak_tui.web").joinpath("page.html").read_text(encoding="utf-8")
SCRIPT = re.search(r'id="connection">(.*?)</script>', PAGE, re.DOTALL)[1]
WORLD = """
let now = 0, timers = [], number = 0;
const setTimeout = (run, wait) => { timers.push({ id: ++number, at: now + wait, run }); return number; };
const clearTimeout = (id) => { timers = timers.filter((one) => one.id !== id); };
const setInterval = () => {};
Math.random = () => 1;
const pass = (milliseconds) => {
  for (const end = now + milliseconds; ; ) {
    const next = timers.filter((one) => one.at <= end).sort((one, other) => one.at - other.at)[0];
    if (!next) { now = end; return; }
    clearTimeout(next.id); now = next.at; next.run();
  }
};
const heard = {}, document = { hidden: false, addEventListener: (name, run) => { heard[name] = run; } };
const window = document, classes = new Set();
const body = { classList: {
  add: (name) => classes.add(name), remove: (name) => classes.delete(name),
  contains: (name) => classes.has(name),
} };
const sockets = [];
const connect = () => {
  const on = {}, socket = { at: now, sent: [], readyState: 1, on, send: (text) => socket.sent.push(text),
    close: () => { socket.readyState = 3; }, addEventListener: (name, run) => { on[name] = run; } };
  sockets.push(socket);
  return socket;
};
const last = () => sockets[sockets.length - 1];
let ended = 0;
const show = (value) => console.log(JSON.stringify(value));
"""


def run(scenario):
    """Run the script and a scenario; return the values shown."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed on this system")
    program = f"{WORLD}{SCRIPT}keepConnected(connect, body, () => ended++);{scenario}"
    result = subprocess.run(
        [node, "-"], input=program, capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    assert result.returncode == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_a_lost_page_connects_again_ever_more_slowly_until_it_hears_something():
    assert run("""
last().on.message(); show([...classes]);
for (let i = 0; i < 8; i++) { last().on.close({ code: 1006 }); show([...classes]); pass(8000); }
show(sockets.map((one) => one.at));
last().on.message(); show([...classes]);
last().on.close({ code: 1001 }); pass(250); show(sockets.length);
""") == [
        [],
        *[["-lost"]] * 8,
        [0, 250, 8500, 17000, 26000, 36000, 48000, 56000, 64000],
        [],
        10,
    ]


def test_a_page_whose_app_has_ended_stays_closed():
    assert run("""
last().on.message(); last().on.close({ code: 4000 }); pass(99999);
heard.visibilitychange(); heard.online(); pass(99999);
show([[...classes], sockets.length, ended]);
""") == [[["-ended"], 1, 1]]


def test_a_page_that_wakes_up_asks_whether_its_connection_is_alive():
    assert run("""
const silent = last();
silent.on.message(); heard.visibilitychange(); show(silent.sent);
silent.on.message(); pass(20000); show(sockets.length);
heard.visibilitychange(); pass(10000); show([silent.readyState, [...classes]]);
pass(250); show(sockets.length);
silent.on.close({ code: 4000 }); last().on.message(); show([[...classes], sockets.length]);
last().on.close({ code: 1006 }); heard.online(); show(sockets.length);
""") == [['["ping",""]'], 1, [3, ["-lost"]], 2, [[], 2], 3]


def test_a_page_whose_connection_never_opens_gives_it_up():
    assert run("pass(31000); show([sockets.length, sockets[0].readyState]);") == [[2, 3]]
