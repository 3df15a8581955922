"""A server in a process of its own, and a real browser that plays on it."""

import contextlib
import re
import shutil
import signal
import subprocess
import sys

import psutil
import pytest
from waiting import wait_for_rest, wait_until

PROGRAM = (sys.executable, "-m", "durak_tui")


class Served:
    """A server in a process of its own."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen(
            [*PROGRAM, "--web", "--port", "0", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.said = self.process.stdout.readline()
        self.url = re.search(r"http://\S+", self.said)[0]

    def apps(self):
        """Return the process ids of the visitors' apps."""
        return [child.pid for child in psutil.Process(self.process.pid).children()]

    def end(self):
        """End it in order, and return what else it said."""
        self.process.send_signal(signal.SIGTERM)
        rest, _ = wait_for_rest(self.process)
        return rest


CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")

READ = """
const [isChange, answer] = arguments;
const read = () => {
  const {buffer, rows, cols} = textual.terminal;
  return [...Array(rows).keys()]
    .map((row) => buffer.active.getLine(row).translateToString(false, 0, cols)).join("\\n");
};
const isMade = typeof textual !== "undefined" && textual;
const tell = () => answer(isMade ? read() : "");
if (!isChange) return tell();
setTimeout(tell, 200);
if (isMade) textual.terminal.onRender(tell);
"""
"""Answers with the terminal's text: at once, or when it is drawn next and at the latest in 200 ms."""


@contextlib.contextmanager
def a_browser(folder, *, phone=None):
    """Start Chromium without a window, and without any net but this machine; or a phone of this size."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="the extra browser is not installed")
    if not CHROMIUM or not DRIVER:
        pytest.skip("Chromium or its driver is not installed: the game was not tried in a browser")
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in (
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--disable-dev-shm-usage",
        "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
        "--window-size=780,620",  # below 100 columns: no log of moves
        f"--user-data-dir={folder}",
    ):
        options.add_argument(flag)
    if phone is not None:
        width, height = phone
        options.add_argument("--force-device-scale-factor=3")  # else its canvas stays empty
        metrics = {"width": width, "height": height, "pixelRatio": 3.0, "touch": True, "mobile": True}
        options.add_experimental_option("mobileEmulation", {"deviceMetrics": metrics})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    browser = webdriver.Chrome(options, webdriver.ChromeService(DRIVER))
    try:
        yield browser
    finally:
        browser.quit()


def press(browser, *keys):
    """Type into whatever has the focus, as a person does."""
    from selenium.webdriver import ActionChains  # noqa: PLC0415 - the extra browser

    ActionChains(browser).send_keys(*keys).perform()


def see(browser, condition):
    """Wait until the terminal shows what fulfils a condition; return its text."""
    text = None

    def is_shown():
        nonlocal text
        text = browser.execute_async_script(READ, text is not None)
        return condition(text)

    wait_until(is_shown, lambda: f"while this was shown:\n{text}")
    return text


def is_my_turn(text):
    return "▶ You" in text
