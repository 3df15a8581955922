"""What the engine's tests share: two observations, and a process to talk to."""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
from pathlib import Path

from waiting import PATIENCE, wait_for_end

ROOT = Path(__file__).parents[1]

OPENING = (
    "rules=podkidnoy seat=0 bout=1 attacker=1 defender=0 limit=6 phase=defence turn=0 "
    "hands=ThJhKh8cKcAc/?5 table=6c talon=?23+7d trump=7d"
)
ENDGAME = (
    "rules=podkidnoy seat=0 bout=9 attacker=0 defender=1 limit=2 phase=opening turn=0 "
    "hands=6c7d/?2 trump=Ah gone=6s7s9sTsJsQsKsAs6h7h8hThJhQhKhAh6d8d9dTdJdQdKdAd7c8c9cTcJcQcKcAc"
)


def plain_environment() -> dict[str, str]:
    """Return variables under which nothing is compiled, so that a process starts quickly."""
    return {**os.environ, "PYTHONPATH": str(ROOT), "DURAK_COMPILED": "0"}


class Talk:
    """An engine process; every wait has a deadline."""

    def __init__(self, environment: dict[str, str], module: tuple[str, ...] = ("durak_core.engine",)) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", *module],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._lines: queue.Queue[str] = queue.Queue()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        for line in self.process.stdout or ():
            self._lines.put(line.decode().rstrip("\n"))

    def say(self, *lines: str) -> None:
        """Send lines."""
        assert self.process.stdin is not None
        self.process.stdin.write("".join(f"{line}\n" for line in lines).encode())
        self.process.stdin.flush()

    def until(self, beginning: str) -> list[str]:
        """Return the lines up to one that begins so."""
        heard = [self._lines.get(timeout=PATIENCE)]
        while not heard[-1].startswith(beginning):
            heard.append(self._lines.get(timeout=PATIENCE))
        return heard

    def end(self) -> tuple[int, str]:
        """Wait for the end and return the exit code and what was complained of."""
        code = wait_for_end(self.process)
        self._reader.join(PATIENCE)
        assert self.process.stderr is not None
        return code, self.process.stderr.read().decode()

    def clean_up(self) -> None:
        """Leave nothing behind."""
        self.process.kill()
        wait_for_end(self.process)
        self._reader.join(PATIENCE)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert stream is not None
            try:
                stream.close()
            except BrokenPipeError:
                continue
