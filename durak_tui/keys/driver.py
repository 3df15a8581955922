"""Textual's bindings made from the keymap, and its driver of the terminal with three weaknesses removed."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import time
from collections.abc import Callable
from typing import Any, Final

from textual import events
from textual.binding import Binding, BindingType
from textual.driver import Driver
from textual.message import Message

from durak_tui.keys.actions import BESIDE, KEYS
from durak_tui.keys.keymap import Keymap


def bindings(place: str) -> list[BindingType]:
    keymap = Keymap()
    # Quitting must also work over a dialog, where the app's other keys do not.
    return [
        Binding(keys, action, key.help, show=False, id=bound, priority=key.id == "app.quit")
        for part in (place, *BESIDE.get(place, ()))
        for key in KEYS[part]
        for bound, keys, action in keymap.bound(key)
    ]


if sys.platform != "win32":
    import termios

_BURST: Final = 200
"""Keys that may arrive at once: a path or a link pasted in a terminal without bracketed paste."""
_PER_SECOND: Final = 50.0
"""Keys that may follow each second; a held key repeats at most 40 times."""


def hardened(driver: type[Driver]) -> type[Driver]:
    """Return a driver that drops the rest of a flood of keys, and survives any signals to stop and go on.

    A terminal without bracketed paste sends each pasted character as a key, and each key takes about a
    millisecond. SIGSTOP cannot be caught: when the program goes on after it, Textual would start the terminal
    a second time, and the end would leave it in raw mode. Its handlers of signals write to the terminal; one
    that interrupts a write would wait for the lock of that write for ever.
    """

    class Hardened(driver):  # type: ignore[valid-type, misc]  # the platform's driver
        def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401 - the driver's own
            super().__init__(*arguments, **options)
            self._allowance = _Allowance()
            self._will_go_on = False

        def process_message(self, message: Message) -> None:
            if not isinstance(message, events.Key) or self._allowance.take():
                super().process_message(message)
            else:
                _drop_input(self)

        def resume_application_mode(self) -> None:
            keys = getattr(self, "_key_thread", None)
            if keys is not None and keys.is_alive():
                self.suspend_application_mode()
            super().resume_application_mode()

        def _sigtstp_application(self, *_signal: object) -> None:
            _call_soon(super()._sigtstp_application)

        def _sigcont_application(self, *_signal: object) -> None:
            if not self._will_go_on:
                self._will_go_on = True
                _call_soon(self._go_on)

        def _go_on(self) -> None:
            self._will_go_on = False
            super()._sigcont_application()

    return Hardened


class _Allowance:
    """How many keys may arrive now."""

    def __init__(self) -> None:
        self._left: float = _BURST
        self._since = time.monotonic()

    def take(self) -> bool:
        """Return whether one more key may arrive, and count it."""
        now = time.monotonic()
        self._left = min(_BURST, self._left + _PER_SECOND * (now - self._since))
        self._since = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


def _drop_input(driver: Any) -> None:  # noqa: ANN401 - the platform's driver
    if sys.platform != "win32":
        with contextlib.suppress(termios.error, AttributeError):  # no terminal, but a browser
            termios.tcflush(driver.fileno, termios.TCIFLUSH)


def _call_soon(work: Callable[[], None]) -> None:
    """Call in the event loop; at once if none runs."""
    try:
        asyncio.get_running_loop().call_soon_threadsafe(work)
    except RuntimeError:
        work()
