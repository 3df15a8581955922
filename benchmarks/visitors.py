"""Key latency with sixteen people playing in the browser at once, one of them hostile.

Run it in the project's folder as ``python3 -m benchmarks.visitors``. It needs Chromium, its driver, the extra
``web`` and the dependency group ``browser``. Each visitor has a headless window of one browser. A script in
the page plays: it types the digit of a playable card, or takes, passes or begins a new game, and measures the
time from each key to the first change of the terminal's text. The hostile visitor has no browser. It repeats
the attacks of tests/tui/web/test_web_attacks.py: sizes of 20000 columns, invalid messages, bots with files
and much memory, sockets that open and close. Times are wall times, and everything runs on this machine,
which has to be idle.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import json
import os
import re
import secrets
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import aiohttp
from selenium import webdriver

from durak_core.lab.experiments.results import commit, processor
from durak_tui.web.visit import COOKIE

TARGET: Final = 150.0
"""Milliseconds for 95 of 100 keys."""

FLAGS: Final = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--disable-renderer-backgrounding",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    "--window-size=780,620",
)

# Plays by itself, as soon as the page has its terminal.
PLAYER: Final = """
window.taken = [];
window.lost = 0;
function shown() {
  if (typeof textual === "undefined" || !textual) return "";
  const buffer = textual.terminal.buffer.active;
  return [...Array(textual.terminal.rows).keys()]
    .map((row) => buffer.getLine(row).translateToString()).join("\\n");
}
let state = SEED;
function chance() {
  state = (state * 1103515245 + 12345) % 2147483648;
  return state / 2147483648;
}
function key(text) {
  if (text.includes("You could still answer")) return "\\r";
  const card = text.match(/[─━](\\d)[─━]/);
  if (text.includes("▶ You")) return card && chance() < 0.7 ? card[1] : chance() < 0.5 ? " " : "\\x1b[C";
  return /fool|draw/i.test(text) ? "\\r" : "";
}
let before = null, sent = 0;
function watch() {
  if (before === null || shown() === before) return;
  window.taken.push(performance.now() - sent);
  before = null;
}
function play() {
  setTimeout(play, 400 + 800 * chance());
  if (!shown()) return;
  if (!window.watched) {
    window.watched = true;
    textual.terminal.onWriteParsed(watch);
  }
  if (before !== null && performance.now() - sent < 5000) return;
  if (before !== null) window.lost += 1;
  before = null;
  const text = shown(), typed = key(text);
  if (!typed) return;
  before = text;
  sent = performance.now();
  textual.terminal.input(typed, true);
}
setTimeout(play, 3000);
"""

NONSENSE: Final = (
    *(["resize", {"width": width, "height": 20000}] for width in (20000, "x", None, [], 0, -1)),
    *([], ["stdin"], ["stdin", 5], ["resize", 5], ["deliver_chunk_request", {"key": "x", "size": 10**9}]),
    ["stdin", "x" * 20_000],
)
BOTS: Final = (
    "dmc:weights=/dev/zero",
    "ismcts:memory=16384,threads=64,time=3600000",
    "ismcts:net=/etc/passwd",
)


class Server:
    """``durak-tui --web`` in a process of its own."""

    def __init__(self, folder: Path, arguments: Sequence[str]) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "durak_tui", "--web", "--port", "0", *arguments],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "DURAK_DATA_DIR": str(folder), "DURAK_CONFIG_DIR": str(folder)},
        )
        said = self.process.stdout.readline() if self.process.stdout else ""
        self.url = re.findall(r"http://\S+", said)[0]

    def end(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate()


class Attacker(threading.Thread):
    """Tries everything that a page can send, until it is stopped."""

    def __init__(self, url: str) -> None:
        super().__init__(name="attacker", daemon=True)
        self._url = url
        self._is_over = threading.Event()
        self.rounds = 0

    def stop(self) -> None:
        self._is_over.set()
        self.join()

    def run(self) -> None:
        asyncio.run(self._attack())

    async def _attack(self) -> None:
        cookie = {"Cookie": f"{COOKIE}={secrets.token_hex(16)}"}
        async with aiohttp.ClientSession(headers=cookie) as session:
            while not self._is_over.is_set():
                with contextlib.suppress(aiohttp.ClientError, ConnectionError):
                    await asyncio.gather(*[self._flood(session) for _ in range(4)], self._fight(session))
                self.rounds += 1

    async def _flood(self, session: aiohttp.ClientSession) -> None:
        with contextlib.suppress(aiohttp.ClientError):
            async with session.ws_connect(f"{self._url}ws"):
                pass

    async def _fight(self, session: aiohttp.ClientSession) -> None:
        """Send sizes and nonsense, then write bots' texts into whatever form may be open."""
        async with session.ws_connect(f"{self._url}ws?width=99999&height=99999") as websocket:
            reading = asyncio.create_task(_read_away(websocket))
            for message, bot in zip(NONSENSE, itertools.cycle(BOTS), strict=False):
                for _ in range(20):
                    await websocket.send_str(json.dumps(message))
                for text in ("\x1b", "n", "\r", bot, "\r"):
                    await websocket.send_json(["stdin", text])
                await websocket.send_bytes(b"\xff" * 1000)
                await asyncio.sleep(0)
            await websocket.send_str("x" * 100_000)
            await reading


async def _read_away(websocket: aiohttp.ClientWebSocketResponse) -> None:
    async for _ in websocket:
        pass


@contextlib.contextmanager
def a_browser() -> Iterator[webdriver.Chrome]:
    """Start Chromium without a screen, whose pages play by themselves."""
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or shutil.which("google-chrome") or ""
    for flag in FLAGS:
        options.add_argument(flag)
    browser = webdriver.Chrome(options, webdriver.ChromeService(shutil.which("chromedriver") or ""))
    try:
        yield browser
    finally:
        browser.quit()


def measure(url: str, players: int, seconds: float, seed: int) -> dict[str, Any]:
    """Let all play at once for so long; return the times of their keys and how many had no effect."""
    taken: list[float] = []
    lost = 0
    with a_browser() as browser:
        for number in range(players):
            if number:
                browser.switch_to.new_window("window")
            browser.execute_cdp_cmd("Network.enable", {})
            script = PLAYER.replace("SEED", str(seed + number))
            browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": script})
            browser.get(url)
            browser.delete_all_cookies()  # the next window is another visitor
        for window in browser.window_handles:  # all are there: from now on it counts
            browser.switch_to.window(window)
            browser.execute_script("window.taken = []; window.lost = 0; before = null;")
        time.sleep(seconds)
        shown = []
        for window in browser.window_handles:
            browser.switch_to.window(window)
            taken += browser.execute_script("return window.taken")
            lost += browser.execute_script("return window.lost")
            shown.append(browser.execute_script("return shown()"))
    return {"taken": taken, "lost": lost, "playing": sum("trumps" in text for text in shown)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--players", type=int, default=15, help="number of players next to the hostile one")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--bots", default="ismcts:iterations=80,greedy")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--peaceful", action="store_true", help="without the hostile one")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder), ("--bots", given.bots, "--seed", str(given.seed)))
        attacker = Attacker(server.url)
        try:
            if not given.peaceful:
                attacker.start()
            found = measure(server.url, given.players, given.seconds, given.seed)
        finally:
            if not given.peaceful:
                attacker.stop()
            server.end()
    taken = found["taken"]
    parts = statistics.quantiles(taken, n=20, method="inclusive")
    print(f"commit {commit()}, seed {given.seed}, {processor()}, {os.cpu_count()} processors")
    print(f"load {os.getloadavg()[0]:.1f}, {given.players} players against {given.bots}")
    print(f"{found['playing']} still play, {attacker.rounds} rounds of attacks")
    print(f"{len(taken)} keys, {found['lost']} without an effect within 5 s")
    print(f"half of them within {parts[9]:.0f} ms, 95 % within {parts[18]:.0f} (target {TARGET:.0f})")


if __name__ == "__main__":
    main()
