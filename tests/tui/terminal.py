"""A real terminal for tests: tmux, with a server of its own."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path

from waiting import wait_until

from durak_tui.storage.paths import config_dir

ROOT = Path(__file__).parents[2]
PLAYABLE = re.compile(r"[─━-](\d)[─━-]")
CARD = re.compile(r"(?:10|[2-9JQKA])[♠♥♦♣shdc]")
COUNTED = re.compile(r"[─-][─-] . You .* (\d+) cards? [─-][─-]")
STILL = 8
"""So many captures in a row have to be equal: a screen may be caught half painted."""
LOST = 500
"""After so many equal captures a key was lost: it came while a bot acted, before the screen said so."""


class Terminal:
    """A tmux server of its own with one window.

    Every start has a socket of its own: a server that was told to end still answers on its socket for a
    moment, and takes the next one's client with it. Sockets lie in a short folder, for their paths may
    have about a hundred characters.
    """

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        self.environment = dict(os.environ if environment is None else environment)
        self._folder = Path(tempfile.mkdtemp(prefix="durak-tmux-"))
        self._starts = 0

    @property
    def _base(self) -> list[str]:
        return ["tmux", "-u", "-S", str(self._folder / str(self._starts)), "-f", os.devnull]

    def tmux(self, *arguments: str) -> str:
        """Give tmux a command and return what it prints."""
        result = subprocess.run(
            [*self._base, *arguments], capture_output=True, text=True, check=False, env=self.environment
        )
        assert result.returncode == 0, f"tmux {arguments[0]}: {result.stderr}"
        return result.stdout

    def start(
        self, *arguments: str, width: int = 80, height: int = 24, term: str = "", unset: str = ""
    ) -> None:
        """Run durak-tui; its exit code is shown when it ends.

        Args:
            arguments: Its options.
            width: Of the window.
            height: Of the window.
            term: The variable ``TERM`` of the program; by default tmux says what it is.
            unset: Words for ``env``, such as ``-u LANG`` or ``LC_ALL=C``.
        """
        self._starts += 1
        env = f"env {unset} {f'TERM={term}' if term else ''}"
        command = (
            f"{env} {sys.executable} -m durak_tui {' '.join(arguments)}; echo exit code $?; exec sleep 600"
        )
        size = ["-x", str(width), "-y", str(height)]
        self.tmux("new-session", "-d", *size, "-c", str(ROOT), "sh", "-c", command)

    def stop(self) -> None:
        """End the server and everything in it, and wait until it is gone."""
        if not self._starts:
            return
        asked = subprocess.run(
            [*self._base, "display-message", "-p", "#{pid}"], capture_output=True, text=True, check=False
        )
        subprocess.run([*self._base, "kill-server"], capture_output=True, check=False)
        if asked.stdout.strip():
            wait_until(lambda: not is_running(int(asked.stdout)))

    def close(self) -> None:
        """Stop, and leave no folder behind."""
        self.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    def text(self) -> str:
        """Return what is shown."""
        return self.tmux("capture-pane", "-p")

    def press(self, *keys: str) -> None:
        """Press keys, by tmux's names."""
        self.tmux("send-keys", *keys)

    def program(self) -> int:
        """Return the process id of durak-tui."""
        shell = self.tmux("list-panes", "-F", "#{pane_pid}").strip()
        return int(Path(f"/proc/{shell}/task/{shell}/children").read_text("ascii").split()[0])

    def wait(self, condition: Callable[[str], object], still: int = STILL) -> str:
        """Wait until the text shown fulfils a condition and no longer changes; return the text."""
        same, last = 0, ""

        def is_there() -> object:
            nonlocal same, last
            text = self.text()
            same, last = (same + 1 if text == last else 0), text
            return same >= still and condition(text)

        wait_until(is_there, lambda: f"while this was shown:\n{last}")
        return last

    def see(self, *words: str) -> str:
        """Wait until words are shown."""
        return self.wait(lambda text: all(word in text for word in words))


def is_running(pid: int) -> bool:
    """Tell whether a process is there and no zombie."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()[0] != "Z"
    return False


def is_my_turn(text: str) -> bool:
    """Tell whether the person is to act, or the game is over."""
    return "▶ You" in text or "> You" in text or "The game is over" in text


def play_every_move() -> None:
    """Write settings with which no move plays itself."""
    config_dir().mkdir(parents=True, exist_ok=True)
    (config_dir() / "settings.toml").write_text("[play]\nonly_moves = false\n", "utf-8")


def play_on(terminal: Terminal, text: str, moves: int = 10_000) -> str:
    """Play the first card that can be played, else pass or take, until the game is over.

    Cards from the eleventh on have no number; who could play one is asked before the table is taken. No
    move may play itself (`play_every_move`), for keys that come right after one are ignored.
    """

    def has_dialog(text: str) -> bool:
        return "You could still answer" in text

    for _ in range(moves):
        if "The game is over" in text:
            break
        numbers = PLAYABLE.findall(text)
        if was_asked := has_dialog(text):
            key, changing = "t", str
        else:
            key, changing = (numbers[0], shown_hand) if numbers else ("Space", _cards)
        before, looks = changing(text), count()
        terminal.press(key)
        text = terminal.wait(
            lambda text: (
                is_my_turn(text)
                and _is_whole(text)
                and (changing(text) != before or has_dialog(text) != was_asked or next(looks) > LOST)  # noqa: B023 - awaited at once
            )
        )
    return text


def _is_whole(text: str) -> bool:
    """Tell whether the line above the hand counts its cards: widgets are painted one after the other.

    On a busy machine the hand may be without the card just played for a while in which that line still says
    that it is the person's turn.
    """
    lines = text.splitlines()
    for row, line in enumerate(lines):
        if counted := COUNTED.search(line):
            hand = "\n".join(under[: len(line)] for under in lines[row + 3 :])
            return int(counted[1]) == len(set(CARD.findall(hand)))
    return True


def _cards(text: str) -> str:
    """Return the cards on the screen, less those in the two lines above the hand, which come and go."""
    lines = text.splitlines()
    return "".join(CARD.findall("".join(lines[:-9] + lines[-7:])))


def shown_hand(text: str) -> str:
    """Return the cards of the hand. A card that is chosen first has another frame, and lies there still."""
    return _cards("".join(text.splitlines()[-7:]))
