"""The game in a real terminal: tmux plays it by keyboard, changes its size, kills it and goes on."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from durak_tui.saves import Saves

ROOT = Path(__file__).parents[2]
PLAYABLE = re.compile(r"[─━](\d)[─━]")

pytestmark = pytest.mark.skipif(
    shutil.which("tmux") is None, reason="tmux is not installed: the game was not tried in a real terminal"
)


STILL = 5
"""So many captures in a row have to be equal: a screen may be caught half painted."""


class Terminal:
    """A tmux server of its own with one window."""

    def __init__(self, folder, environment):
        self._base = ["tmux", "-u", "-S", str(folder / "socket"), "-f", os.devnull]
        self._environment = environment

    def tmux(self, *arguments):
        """Give tmux a command and return what it prints."""
        result = subprocess.run(
            [*self._base, *arguments], capture_output=True, text=True, check=True, env=self._environment
        )
        return result.stdout

    def start(self, *arguments, width=80, height=24):
        """Run durak-tui; its exit code is shown when it ends."""
        command = f"{sys.executable} -m durak_tui {' '.join(arguments)}; echo exit code $?; exec sleep 600"
        size = ["-x", str(width), "-y", str(height)]
        self.tmux("new-session", "-d", *size, "-c", str(ROOT), "sh", "-c", command)

    def stop(self):
        """End the server and everything in it."""
        subprocess.run([*self._base, "kill-server"], capture_output=True, check=False)

    def text(self):
        """Return what is shown."""
        return self.tmux("capture-pane", "-p")

    def press(self, *keys):
        """Press keys, by tmux's names."""
        self.tmux("send-keys", *keys)

    def program(self):
        """Return the process id of durak-tui."""
        shell = self.tmux("list-panes", "-F", "#{pane_pid}").strip()
        return int(Path(f"/proc/{shell}/task/{shell}/children").read_text().split()[0])

    def wait(self, condition, seconds=60.0):
        """Wait until the text shown fulfils a condition and no longer changes; return the text."""
        deadline = time.monotonic() + seconds
        same, last = 0, ""
        while True:
            text = self.text()
            same, last = (same + 1 if text == last else 0), text
            if same >= STILL and condition(text):
                return text
            assert time.monotonic() < deadline, f"waited in vain; this is shown:\n{text}"
            time.sleep(0.01)

    def see(self, words):
        """Wait until words are shown."""
        return self.wait(lambda text: words in text)


@pytest.fixture
def terminal(tmp_path):
    environment = {**os.environ, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}
    terminal = Terminal(tmp_path, environment)
    yield terminal
    terminal.stop()


def play_on(terminal, text, moves=10_000):
    """Play the first card that can be played, else pass or take, until the game is over."""
    for _ in range(moves):
        if "The game is over" in text:
            break
        numbers = PLAYABLE.findall(text)
        before = text
        terminal.press(numbers[0] if numbers else "Space")
        text = terminal.wait(
            lambda text: text != before and is_my_turn(text)  # noqa: B023 - awaited at once
        )
    return text


def is_my_turn(text):
    return "▶ You" in text or "The game is over" in text


def test_a_whole_game_in_a_real_terminal(terminal):
    terminal.start("--seed", "3", "--bots", "greedy", "--pace", "instant")
    text = terminal.wait(is_my_turn)
    assert "trumps" in text
    text = play_on(terminal, text, moves=6)
    for width, height in ((120, 36), (59, 19), (80, 24)):
        terminal.tmux("resize-window", "-x", str(width), "-y", str(height))
        if width < 60:
            terminal.see("60x20")
        else:
            text = terminal.wait(lambda text: is_my_turn(text) and "60x20" not in text)
    text = play_on(terminal, text)
    assert "seed 3" in text
    terminal.press("Escape")
    terminal.see("[ Rematch")
    terminal.press("C-q")
    terminal.see("exit code 0")
    assert len(list(Saves().finished.iterdir())) == 1


@pytest.mark.parametrize("how", ["SIGKILL", "SIGHUP", "closed window"])
def test_a_game_goes_on_after_the_end_of_its_program(terminal, how):
    terminal.start("--seed", "3", "--bots", "greedy,smart", "--pace", "instant")
    text = play_on(terminal, terminal.wait(is_my_turn), moves=5)
    hand = text.splitlines()[-7:-1]
    if how == "closed window":
        terminal.tmux("kill-session")
    else:
        os.kill(terminal.program(), getattr(signal, how))
        terminal.see("exit code")
        terminal.stop()
    deadline = time.monotonic() + 20
    while not Saves().unfinished():
        assert time.monotonic() < deadline, "the game is still locked"
        time.sleep(0.01)
    terminal.start("--pace", "instant")
    terminal.see("Continue")
    terminal.press("Enter")
    text = terminal.wait(is_my_turn)
    assert text.splitlines()[-7:-1] == hand
    play_on(terminal, text, moves=3)


@pytest.mark.parametrize("how", ["key", "signal"])
def test_ctrl_c_leaves_with_130_and_the_game_is_saved(terminal, how):
    terminal.start("--seed", "3", "--bots", "greedy", "--pace", "instant")
    terminal.wait(is_my_turn)
    if how == "key":
        terminal.press("C-c")
    else:
        os.kill(terminal.program(), signal.SIGINT)
    text = terminal.see("exit code 130")
    assert "Traceback" not in text
    assert len(Saves().unfinished()) == 1


def test_two_programs_play_two_games_side_by_side(terminal, tmp_path):
    (tmp_path / "other").mkdir()
    other = Terminal(tmp_path / "other", {**os.environ, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"})
    try:
        terminal.start("--seed", "3", "--bots", "greedy", "--pace", "instant")
        other.start("--seed", "4", "--bots", "greedy", "--pace", "instant")
        for one in (terminal, other):
            text = play_on(one, one.wait(is_my_turn))
            assert "The game is over" in text
    finally:
        other.stop()
    assert len(list(Saves().finished.iterdir())) == 2


def test_the_first_picture_comes_soon(terminal):
    started = time.monotonic()
    terminal.start()
    terminal.see("Play")
    assert time.monotonic() - started < 5, "far more than the second it should take"


def test_plain_ascii_without_colours(terminal):
    terminal._environment["NO_COLOR"] = "1"
    terminal.start("--seed", "3", "--bots", "greedy", "--pace", "instant", "--ascii")
    terminal.see("> You")
    assert terminal.text().isascii()
    colours = re.findall(r"\x1b\[[\d;]*?[34]8;2;(\d+);(\d+);(\d+)", terminal.tmux("capture-pane", "-p", "-e"))
    assert all(red == green == blue for red, green, blue in colours)
