"""The app in the browser: the page, who may connect, what each visitor gets, and a game in Chromium."""

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import psutil
import pytest
from click.testing import CliRunner
from waiting import PATIENCE, until, wait_for_rest, wait_until

import durak_tui.friends
from durak_core import write_game_code
from durak_tui import cli
from durak_tui.play.saves import Saves
from durak_tui.storage.paths import data_dir, home, why_no_file, why_no_place
from durak_tui.ui.model import SOUNDS
from durak_tui.ui.view.signals import page_sound
from durak_tui.web import visit as slots
from durak_tui.web.visit import COOKIE, folder_of, process_environment, visitor_of
from tui.browsing import PROGRAM, Served, a_browser, is_my_turn, press, see
from tui.reviewing import a_game

aiohttp = pytest.importorskip("aiohttp", reason="the extra web is not installed")

PROMPT, HAND = 8, 6
"""Lines from the bottom at which the prompt and the hand begin."""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("served")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DURAK_DATA_DIR", str(folder))
        patch.setenv("DURAK_CONFIG_DIR", str(folder / "config"))
        patch.setenv("DURAK_ENGINE", "off")
        patch.delenv("NO_COLOR", raising=False)
        server = Served("--seed", "3", "--bots", "greedy", "--pace", "instant")
    server.folder = folder
    yield server
    if server.process.poll() is None:
        server.end()


def get(url, path="", **headers):
    """Ask for a page; return its status, text and headers."""
    request = urllib.request.Request(url + path, headers=headers)  # noqa: S310 - the server's own
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:  # noqa: S310 - as above
            return answer.status, answer.read().decode("utf-8", "replace"), answer.headers
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode(), error.headers


def run(*arguments, **environment):
    return subprocess.run(
        [*PROGRAM, *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        check=False,
        timeout=PATIENCE,
    )


# The command


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--port", "80"], "give --web as well"),
        (["--web", "--port", "65536"], "0<=x<=65535"),
        (["--web", "--port", "eighty"], "not a valid integer"),
        (["--web", "--continue"], "leave FILE, --continue, --join and --tv away"),
        (["--web", "--host"], "--host needs an ADDRESS"),
        (["--join", "table 5"], "expected its link"),
        (["--join", "ABCDEFGH", "--watch"], "a table has its own games"),
        (["--host", "--daily"], "a table has its own games"),
        (["--web", "--host", "192.0.2.1"], "choose another --port or --host"),
        (["--web", "--host", "a..b"], "choose another --port or --host"),
        (["--web", "--name", "x" * 30], "Invalid value for --name: expected a name of 1 to 20 letters"),
    ],
)
def test_wrong_arguments_exit_with_2_and_say_why(arguments, told):
    result = CliRunner().invoke(cli._command, arguments)
    assert result.exit_code == 2
    assert isinstance(result.exception, SystemExit)
    assert told in result.output


def test_joining_without_the_extra_names_the_command_that_brings_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "msgspec", None)
    monkeypatch.setattr(durak_tui, "friends", durak_tui.friends)  # importing it again replaces it there, too
    for module in [name for name in sys.modules if name.startswith("durak_tui.friends")]:
        monkeypatch.delitem(sys.modules, module)
    result = CliRunner().invoke(cli._command, ["--join", "ABCDEFGH"])
    assert result.exit_code == 2
    assert "--join needs msgspec" in result.output
    assert "pip install '.[web]'" in result.output


def test_a_port_in_use_is_one_clear_line():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = run("--web", "--port", str(port))
    assert result.returncode == 2
    assert result.stderr.count("\n") == 1
    assert f"127.0.0.1, port {port}: Address already in use" in result.stderr


def test_a_missing_extra_names_what_to_install(tmp_path):
    (tmp_path / "aiohttp.py").write_text("raise ModuleNotFoundError('No module', name='aiohttp')")
    path = os.pathsep.join([str(tmp_path), str(Path(__file__).parents[3])])
    result = run("--web", "--port", "0", PYTHONPATH=path)
    assert result.returncode == 2
    assert "aiohttp" in result.stderr
    assert "pip install '.[web]'" in result.stderr
    assert result.stderr.count("\n") == 1


def test_visitors_get_the_options_that_were_given_seed_0_too(monkeypatch):
    """A number may be 0, which equals False, and is given all the same."""
    given = []
    monkeypatch.setattr("durak_tui.web.server.listen", lambda *_: None)
    monkeypatch.setattr("durak_tui.web.server.serve", lambda _sock, _host, more: given.extend(more))
    result = CliRunner().invoke(cli._command, ["--web", "--seed", "0", "--ascii"])
    assert result.exit_code == 0, result.output
    assert given == ["--seed", "0", "--ascii"]


def test_who_serves_to_others_is_warned_and_ctrl_c_is_the_way_out():
    server = Served("--host", "0.0.0.0")  # noqa: S104 - what is tested
    rest = server.process.stdout.readline()
    server.process.send_signal(signal.SIGINT)
    more, _ = wait_for_rest(server.process)
    assert "without a password" in rest
    assert "Traceback" not in more
    assert server.process.returncode == 0


# The page, and who may have it


def test_the_page_needs_nothing_from_elsewhere(server):
    status, page, headers = get(server.url)
    assert status == 200
    assert "127.0.0.1" in server.said
    assert not re.search(r"""(src|href)=["'](https?:)?//|url\(["']?(https?:)?//|@import""", page)
    assert "HttpOnly" in headers["Set-Cookie"]
    for path in re.findall(r'"(static/[^"]+)"', page):
        assert get(server.url, path)[0] == 200, path


CODE = write_game_code(a_game())


@pytest.mark.parametrize(("path", "socket"), [("t/ABCDEFGH", "ws/ABCDEFGH"), (f"g/{CODE}", f"ws/g/{CODE}")])
def test_the_page_of_a_table_or_game_finds_its_parts_one_folder_up_and_its_own_socket(server, path, socket):
    status, page, headers = get(server.url, path)
    assert status == 200
    assert "HttpOnly" in headers["Set-Cookie"]
    up = "../"
    assert f'new URL("{up}{socket}"' in page
    paths = re.findall(r'"([^"]*static/[^"]+)"', page)
    assert paths
    assert all(path.startswith(f"{up}static/") for path in paths)
    for wrong in ("t/ABC", "ws/nothing", "t/ABCDEFGH/more", "g/ABCDEFGH", f"g/{CODE}.durak", "ws/g/--import"):
        assert get(server.url, wrong)[0] == 404


POLICY = "Content-Security-Policy"
NOTHING = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
HEADERS = {
    POLICY: NOTHING,
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}


@pytest.mark.parametrize(
    ("status", "path", "headers"),
    [
        (200, "static/js/textual.js", {}),
        (206, "static/js/textual.js", {"Range": "bytes=0-9"}),
        (304, "static/js/textual.js", {"If-None-Match": "*"}),
        (400, "ws", {}),
        (403, "", {"Host": "durak.example"}),
        (403, "static/", {}),
        (404, "durak", {}),
        (417, "", {"Expect": "durak"}),
    ],
)
def test_every_answer_forbids_frames_guesses_and_foreign_code(server, status, path, headers):
    told = get(server.url, path, **headers)
    assert told[0] == status
    assert {name: told[2][name] for name in HEADERS} == HEADERS


async def test_a_socket_and_a_failure_have_the_headers_too(server, monkeypatch):
    from aiohttp.test_utils import TestClient, TestServer  # noqa: PLC0415 - of an extra

    from durak_tui.web.server import _DurakServer  # noqa: PLC0415 - needs it too

    async with pages() as session, visit(session, server, visitor_of(None)) as websocket:
        assert HEADERS.items() <= dict(websocket._response.headers).items()
    await until(lambda: not server.apps())
    monkeypatch.setattr("durak_tui.web.server.is_full", None)
    async with TestClient(TestServer(_DurakServer(PROGRAM, "localhost").make_app())) as client:
        answer = await client.get("/")
        assert answer.status == 500
        assert HEADERS.items() <= dict(answer.headers).items()


def test_the_page_runs_only_what_has_the_nonce_of_this_answer(server):
    nonces = set()
    for _ in range(2):
        _, page, headers = get(server.url)
        (nonce,) = set(re.findall(r'nonce="([^"]*)"', page))
        own = f"script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'"
        files = "font-src 'self'; img-src 'self'; manifest-src 'self'; connect-src 'self'"
        assert headers[POLICY] == f"{NOTHING}; {own}; {files}"
        assert all(headers[name] == HEADERS[name] for name in HEADERS if name != POLICY)
        marked = re.findall(r'<(?:script|style|link rel="stylesheet")[^>]*>', page)
        assert len(marked) == 4
        assert all(f'nonce="{nonce}"' in tag for tag in marked)
        assert not re.search(r"<[^>]* (on\w+|style)=", page)
        nonces.add(nonce)
    assert len(nonces) == 2
    assert all(len(nonce) >= 22 for nonce in nonces)


def test_a_link_from_another_site_keeps_the_cookie_and_scripts_never_see_it(server):
    """With ``Strict`` the browser would leave the cookie away, and the answer would replace it."""
    visitor = visitor_of(None)
    cookie = get(server.url, Cookie=f"{COOKIE}={visitor}")[2]["Set-Cookie"]
    assert cookie.startswith(f"{COOKIE}={visitor}; ")
    assert {"HttpOnly", "Path=/", "SameSite=Lax"} <= set(cookie.split("; "))
    assert "Domain" not in cookie


def test_pages_of_other_sites_and_other_names_are_refused(server):
    host = server.url.removeprefix("http://").strip("/")
    assert get(server.url, Host="durak.example")[0] == 403
    assert get(server.url, "ws", Origin="http://durak.example")[0] == 403
    assert get(server.url, "ws", Origin=f"http://{host}")[0] == 400  # it is no WebSocket, but may come
    assert get(server.url, Host=host.replace("127.0.0.1", "localhost"))[0] == 200


@pytest.mark.parametrize("path", ["/", "/ws"])
async def test_whoever_comes_when_all_places_are_taken_is_asked_to_come_later(monkeypatch, path):
    from aiohttp.test_utils import TestClient, TestServer  # noqa: PLC0415 - of an extra

    from durak_tui.web.server import _DurakServer  # noqa: PLC0415 - needs it too

    monkeypatch.setattr(slots, "MOST_VISITS", 0)
    app = _DurakServer(PROGRAM, "localhost").make_app()
    async with TestClient(TestServer(app)) as client:
        answer = await client.get(path, headers={"Accept-Language": "ru"})
        assert answer.status == 503
        assert "Зайдите попозже." in await answer.text()


class Page(aiohttp.ClientWebSocketResponse):
    """A socket that answers the server's pings whatever the test waits for, as a browser's does."""

    def __init__(self, *arguments, **settings):
        super().__init__(*arguments, **settings)
        self._messages = asyncio.Queue()
        self._attention = asyncio.create_task(self._attend())

    async def _attend(self):
        while not self.closed:
            await self._messages.put(await super().receive())

    async def receive(self, timeout=PATIENCE):  # noqa: ASYNC109 - aiohttp's signature
        async with asyncio.timeout(timeout):
            return await self._messages.get()


def pages(**settings):
    return aiohttp.ClientSession(ws_response_class=Page, **settings)


async def picture(websocket, *words):
    """Read what the app draws until it has drawn some words."""
    drawn = b""
    while not all(word.encode() in drawn for word in words):
        message = await websocket.receive()
        assert message.type in {aiohttp.WSMsgType.BINARY, aiohttp.WSMsgType.TEXT}, (message, drawn)
        if message.type == aiohttp.WSMsgType.BINARY:
            drawn += message.data
    return drawn


def visit(session, server, visitor, **headers):
    return session.ws_connect(
        f"{server.url}ws?width=80&height=24", headers={"Cookie": f"{COOKIE}={visitor}", **headers}
    )


async def test_every_visitor_has_a_process_and_games_of_their_own_which_go_on_later(server, monkeypatch):
    monkeypatch.setenv("DURAK_DATA_DIR", str(server.folder))
    first, second = visitor_of(None), visitor_of(None)
    async with pages() as session:
        async with visit(session, server, first) as one, visit(session, server, second) as two:
            for websocket in (one, two):
                await picture(websocket, "trumps", "You")
            apps = server.apps()
            assert len(apps) == 2
        await until(lambda: not server.apps())
    for visitor in (first, second):
        (game,) = Saves(folder_of(visitor)).unfinished()
        assert game.setup.seed == 3
    assert not data_dir().joinpath("running").exists()


async def test_the_page_of_a_table_opens_the_app_at_that_table(server):
    """The options of --web are for other games, and do not get in the way."""
    async with (
        pages() as session,
        session.ws_connect(f"{server.url}ws/ABCDEFGH?width=80&height=24") as websocket,
    ):
        await picture(websocket, "Your name at the table")
        await websocket.send_str(json.dumps(["stdin", "Vera\r"]))
        await picture(websocket, "No table has this code.")
    await until(lambda: not server.apps())


async def test_the_page_of_a_game_opens_its_review(server):
    async with (
        pages() as session,
        session.ws_connect(f"{server.url}ws/g/{CODE}?width=80&height=24") as websocket,
    ):
        await picture(websocket, "Play again")
    await until(lambda: not server.apps())


async def test_the_app_of_a_server_that_is_killed_ends_and_its_game_is_saved(monkeypatch):
    server = Served("--seed", "3", "--bots", "greedy")
    visitor = visitor_of(None)
    async with pages() as session:
        websocket = await visit(session, server, visitor)
        await picture(websocket, "trumps")
        (app,) = server.apps()
        server.process.kill()
        await asyncio.to_thread(wait_for_rest, server.process)
        await until(lambda: not Path(f"/proc/{app}/exe").exists())
        await websocket.close()
    assert len(Saves(folder_of(visitor)).unfinished()) == 1


def test_cookies_that_are_no_visitors_name_no_folder():
    up = ".."
    for cookie in (None, "", f"{up}/{up}/etc", "A" * 32, "0" * 31, "0" * 33):
        assert visitor_of(cookie) != cookie
        assert folder_of(visitor_of(cookie)).parent == data_dir() / "web"
    assert visitor_of("0" * 32) == "0" * 32


@pytest.mark.parametrize(
    ("languages", "code"),
    [
        ("ru,en;q=0.8", "ru.UTF-8"),
        ("en-GB", "en.UTF-8"),
        ("fr-FR,fr;q=0.9,ru;q=0.8,en;q=0.5", "ru.UTF-8"),
        ("en;q=0.3, ru-RU;q=0.7", "ru.UTF-8"),
        ("fr", "en.UTF-8"),
        ("*", None),
        ("", None),
    ],
)
def test_the_browsers_language_is_the_apps(languages, code):
    assert process_environment(visitor_of(None), languages=languages).get("LC_ALL") == code


@pytest.mark.parametrize(
    ("accepted", "language", "sentence", "button"),
    [
        ("ru-RU,ru;q=0.9", "ru", "Дурак закрыт. Партия сохранена.", "Открыть снова"),
        ("en-GB", "en", "Durak has closed. Your game is saved.", "Open it again"),
        ("fr", "en", "Durak has closed. Your game is saved.", "Open it again"),
    ],
)
def test_the_page_speaks_the_browsers_language(server, accepted, language, sentence, button):
    status, text, _ = get(server.url, **{"Accept-Language": accepted})
    assert status == 200
    assert f'<html lang="{language}">' in text
    assert sentence in text
    assert button in text
    (nonce,) = set(re.findall(r'nonce="([^"]*)"', text))
    assert "__" not in text.replace(nonce, "")  # which may have two of these by chance


def test_visitors_name_only_files_of_their_own(tmp_path, monkeypatch):
    outside = tmp_path / "games.jsonl"
    outside.touch()
    data_dir().mkdir()
    (data_dir() / "mine").touch()
    (data_dir() / "link").symlink_to(outside)
    assert why_no_file(str(outside)) == why_no_place(str(tmp_path / "new")) == ""
    monkeypatch.setenv("DURAK_CONFINED", "1")
    assert home() == data_dir()
    assert why_no_file(str(data_dir() / "mine")) == why_no_place(str(data_dir() / "new")) == ""
    for path in (outside, data_dir() / "link", data_dir() / ".." / "games.jsonl"):
        assert "Visitors may only use files in" in why_no_file(str(path))
    for path in (tmp_path / "new", tmp_path / "no" / "new", outside):
        assert why_no_place(str(path)) == why_no_file(str(path)) == why_no_file(str(outside))
    monkeypatch.chdir(tmp_path)
    assert why_no_file("games.jsonl") == "Expected the name of an existing file."
    assert why_no_file("mine") == ""


# A real browser


@pytest.mark.slow
def test_cards_are_played_by_keyboard_in_a_browser_also_after_a_lost_connection(tmp_path):
    from selenium.webdriver import Keys  # noqa: PLC0415 - the extra browser

    server = Served("--bots", "greedy", "--seed", "3", "--pace", "2x")
    try:
        with a_browser(tmp_path / "profile") as browser:
            browser.get(server.url)
            see(browser, is_my_turn)
            visitor = browser.get_cookie(COOKIE)["value"]
            for _ in range(5):
                play_a_card(browser)
            browser.execute_script("window.lost = textual.socket; textual.socket.close()")
            back = "return textual.socket !== window.lost && textual.socket.readyState === 1"
            wait_until(lambda: browser.execute_script(back))
            play_a_card(browser)
            press(browser, Keys.ESCAPE)
            see(browser, lambda text: "Continue" in text and "New game" in text)
            browser.refresh()
            see(browser, lambda text: "Continue" in text and "New game" in text)
            bad = [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
            assert not bad
        apps = server.apps()
    finally:
        server.end()
    wait_until(lambda: not any(map(psutil.pid_exists, apps)))
    (game,) = Saves(folder_of(visitor)).unfinished()
    assert len(game.states) > 6


@pytest.mark.slow
def test_the_page_has_the_title_and_the_sounds_of_the_app(tmp_path):
    counting = """
        const Real = OscillatorNode;
        window.tones = 0;
        window.OscillatorNode = class extends Real {
          constructor(...given) { super(...given); window.tones += 1; }
        };
        textual.terminal.write(arguments[0]);
    """
    server = Served("--bots", "greedy", "--seed", "3", "--pace", "instant")
    try:
        with a_browser(tmp_path / "profile") as browser:
            browser.get(server.url)
            see(browser, is_my_turn)
            wait_until(lambda: browser.title == "Your turn - Durak")
            browser.execute_script(counting, page_sound("beaten") + "\x1b]777;durak;1,2;x,y,z;9e9,0,1\x07")
            wait_until(lambda: browser.execute_script("return window.tones") == len(SOUNDS["beaten"]))
            assert not [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
    finally:
        server.end()


PLAYABLE = re.compile(r"[─━](\d)[─━]")
CARD = re.compile(r"(?:10|[2-9JQKA])[♠♥♦♣]")


def play_a_card(browser):
    """Play the first card that may be played, and see it move from the hand to the table."""
    shown = see(browser, is_my_turn)
    while not PLAYABLE.search(shown):
        press(browser, " ")
        last = shown
        shown = see(browser, lambda text: is_my_turn(text) and text != last)  # noqa: B023 - awaited at once
    number = PLAYABLE.search(shown)[1]
    card = card_under(shown, number)
    picture = browser.get_screenshot_as_png()
    assert card not in halves(shown)[0]
    assert card in halves(shown)[1]
    press(browser, number)
    after = see(browser, lambda text: card in halves(text)[0])
    assert card not in halves(after)[1]
    assert browser.get_screenshot_as_png() != picture


def halves(text):
    """Cut what is shown into the table and the hand, and leave away the prompt between them."""
    lines = text.split("\n")
    return "\n".join(lines[:-PROMPT]), "\n".join(lines[-HAND:])


def card_under(text, number):
    """Return the card of the hand that a digit plays."""
    lines = text.split("\n")
    row = next(index for index, line in enumerate(lines) if re.search(f"[─━]{number}[─━]", line))
    column = re.search(f"[─━]{number}[─━]", lines[row]).start()
    cards = [found for line in lines[row - 5 : row + 1] for found in CARD.finditer(line)]
    return min(cards, key=lambda found: abs(found.start() - column + 3))[0]
