"""Textual's driver of the terminal, with two weaknesses removed."""

from __future__ import annotations

import contextlib
import sys
import time
from typing import Any, Final

from textual import events
from textual.driver import Driver
from textual.message import Message

if sys.platform != "win32":
    import termios

_BURST: Final = 200
"""Keys that may arrive at once: a path or a link pasted in a terminal without bracketed paste."""
_PER_SECOND: Final = 50.0
"""Keys that may follow each second; a held key repeats at most 40 times."""


def hardened(driver: type[Driver]) -> type[Driver]:
    """Return a driver that drops the rest of a flood of keys, and restarts in order after any stop.

    A terminal without bracketed paste sends each pasted character as a key, and each key takes about a
    millisecond. SIGSTOP cannot be caught: when the program goes on after it, Textual would start the terminal
    a second time, and the end would leave it in raw mode.
    """

    class Hardened(driver):  # type: ignore[valid-type, misc]  # the platform's driver
        def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401 - the driver's own
            super().__init__(*arguments, **options)
            self._room: float = _BURST
            self._since = time.monotonic()

        def process_message(self, message: Message) -> None:
            if not isinstance(message, events.Key) or self._admits():
                super().process_message(message)
            elif sys.platform != "win32":
                with contextlib.suppress(termios.error, AttributeError):  # no terminal, but a browser
                    termios.tcflush(self.fileno, termios.TCIFLUSH)

        def resume_application_mode(self) -> None:
            keys = getattr(self, "_key_thread", None)
            if keys is not None and keys.is_alive():
                self.suspend_application_mode()
            super().resume_application_mode()

        def _admits(self) -> bool:
            now = time.monotonic()
            self._room = min(_BURST, self._room + _PER_SECOND * (now - self._since))
            self._since = now
            if self._room < 1:
                return False
            self._room -= 1
            return True

    return Hardened
