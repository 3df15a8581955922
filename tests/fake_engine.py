"""Somebody else's engine, good or broken: python fake_engine.py MODE [MARK].

MODE says what it does when it is asked to choose. With MARK, the path of a file, it does so once and
plays well afterwards, also in later processes.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path

from durak_core import read_observation

MODE = sys.argv[1]
MARK = Path(sys.argv[2]) if len(sys.argv) > 2 else None


def say(*lines: str) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


def compute(seconds: float) -> None:
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def misbehave(legal: list[str]) -> bool:
    """Do what the mode is about; return whether an answer is still due."""
    if MODE == "crash":
        compute(0.1)
        sys.stderr.write("Traceback: out of luck\n")
        sys.stderr.flush()
        os._exit(3)
    elif MODE == "busy":
        threading.Event().wait(0.6)
    elif MODE == "hang":
        say("info string thinking hard")
        threading.Event().wait()
    elif MODE == "babble":
        while True:
            say("la la la")
    elif MODE == "nonsense":
        say("bestmove banana")
    elif MODE == "illegal":
        say("bestmove take" if "take" not in legal else "bestmove pass")
    elif MODE == "refuse":
        say("error go: no idea")
    return MODE not in ("nonsense", "illegal", "refuse", "think")


class Engine:
    """What it remembers; a method for each command."""

    legal: tuple[str, ...] = ()

    def durak(self, rest: str) -> None:
        say("id name Fake", "option name SEED type number default 0 min 10 max 19", "protocol 1")
        if MODE == "hostile":
            say("id name \x1b]0;X\x07\x1b[2J" + "n" * 5_000, "info string \x9b2J")
            sys.stderr.write("\x1b[2J" + "e" * 100_000 + "\n")
        elif MODE == "wordy":
            say("option name " + "o" * 1_000_000 + " type text default 0")
        elif MODE == "optional":
            say(*[f"option name o{number} type text default 0" for number in range(10_000)])
        say("durakok")

    def isready(self, rest: str) -> None:
        say("readyok")

    def newgame(self, rest: str) -> None:
        if MODE == "hostile":
            say("error newgame: \x1b[2J" + "e" * 10_000)
        elif MODE == "babble":
            say("la la la")  # heard before the search, however little time there is in it
        elif MODE == "picky":
            say(f"error newgame: {rest} is not for me: expected larsenbier")

    def observation(self, rest: str) -> None:
        self.legal = tuple([str(action) for action in read_observation(rest).legal_actions])

    def go(self, rest: str) -> None:
        is_good = MARK is not None and MARK.exists()
        if MARK is not None:
            MARK.touch()
        if is_good or misbehave(list(self.legal)):
            say(f"bestmove {self.legal[0]}")

    def quit(self, rest: str) -> None:
        sys.exit()


def main() -> None:
    if MODE == "dead":
        sys.exit("no such luck")
    engine = Engine()
    for line in sys.stdin:
        word, _, rest = line.strip().partition(" ")
        command = getattr(engine, word, None)
        if command:
            command(rest)


if __name__ == "__main__":
    main()
