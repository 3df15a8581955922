"""The standard input and output, line by line; no colours, no movement of the cursor."""

from __future__ import annotations

import shutil
import sys
from typing import Final

from durak_core.messages import printable
from durak_tui.engine import in_thread

_AT_ONCE: Final = 65_536
_LONGEST: Final = 10_000
"""Most bytes of a line; the rest of a longer one is dropped."""
_PROMPT: Final = "> "


class OutputError(Exception):
    """The output cannot be written; ``is_closed`` if it is a pipe without a reader."""

    def __init__(self, error: OSError) -> None:
        super().__init__(error.strerror or str(error))
        self.is_closed = isinstance(error, BrokenPipeError)


class Console:
    """Lines that are said and heard.

    Input is read only when a line is wanted, so that a script's lines wait for their questions. It is read
    without the lock of `sys.stdin`, which a waiting thread would hold at the end of the program.
    """

    def __init__(self) -> None:
        stdin = sys.stdin
        self._input = None if stdin is None else getattr(stdin.buffer, "raw", stdin.buffer)
        self._encoding = getattr(stdin, "encoding", None) or "utf-8"
        self._is_prompting = stdin is not None and stdin.isatty()
        self._rest = b""
        self._has_ended = self._input is None
        self._failure: OSError | None = None

    def say(self, *lines: str) -> None:
        """Print lines. A failure is raised by the next `hear`."""
        if sys.stdout is None or self._failure is not None:
            return
        try:
            for line in lines:
                sys.stdout.write(f"{printable(line)}\n")
            sys.stdout.flush()
        except OSError as error:
            self._failure = error

    def clear(self) -> None:
        """Move what was said off the screen of a terminal, so that the next player does not see it."""
        if self._is_prompting:
            self.say(*[""] * shutil.get_terminal_size().lines)

    async def hear(self) -> str | None:
        """Return the next line, or None at the end of the input.

        Raises:
            OutputError: If something could not be said.
        """
        if self._is_prompting and sys.stdout is not None and self._failure is None:
            try:
                sys.stdout.write(_PROMPT)
                sys.stdout.flush()
            except OSError as error:
                self._failure = error
        if self._failure is not None:
            raise OutputError(self._failure)
        while b"\n" not in self._rest and not self._has_ended:
            piece = await in_thread(self._read)
            self._has_ended = not piece
            self._rest = (self._rest + piece)[: _LONGEST + _AT_ONCE]
        line, found, self._rest = self._rest.partition(b"\n")
        if not found and not line:
            return None
        return line[:_LONGEST].decode(self._encoding, "replace")

    def _read(self) -> bytes:
        try:
            return bytes(self._input.read(_AT_ONCE) or b"") if self._input is not None else b""
        except OSError:
            return b""  # the terminal is gone
