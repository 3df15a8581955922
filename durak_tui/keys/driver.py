"""Textual's bindings made from the keymap, and its driver of the terminal with its weaknesses removed."""

from __future__ import annotations

import asyncio
import codecs
import contextlib
import os
import re
import selectors
import signal
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

from textual import events
from textual.binding import Binding, BindingType
from textual.driver import Driver
from textual.message import Message

from durak_tui.keys.actions import BESIDE, KEYS
from durak_tui.keys.keymap import Keymap, twins


def bindings(place: str) -> list[BindingType]:
    keymap = Keymap()
    # Quitting must also work over a dialog, where the app's other keys do not.
    return [
        Binding(keys, action, key.help, show=False, id=bound, priority=key.id == "app.quit")
        for part in (place, *BESIDE.get(place, ()))
        for key in KEYS[part]
        for bound, keys, action in keymap.bound(key)
    ]


def system_binding(key: str, action: str) -> Binding:
    """Bind a key that every terminal program has, in all layouts; the player cannot change it."""
    return Binding(",".join((key, *twins(key))), action, show=False, priority=True)


if sys.platform != "win32":
    import termios

    from textual._xterm_parser import XTermParser

_BURST: Final = 200
"""Keys that may arrive at once: a path or a link pasted in a terminal without bracketed paste."""
_PER_SECOND: Final = 50.0
"""Keys that may follow each second; a held key repeats at most 40 times."""


class HardenedDriver(Driver):
    """Makes the platform's driver, the next base, survive any keys, signals and ends of its terminal.

    - A terminal without bracketed paste sends each pasted character as a key, and each key takes about a
      millisecond: the rest of a flood is dropped.
    - Bytes may be in the locale's encoding, or in none (`KeyReader`).
    - SIGSTOP cannot be caught: when the program continues after it, Textual would start the terminal a second
      time, and leave it in raw mode at the end. SIGCONT may also come before the start and after the end.
    - Textual's handlers of signals write to the terminal; one that interrupts a write would wait for the lock
      of that write forever.
    - A terminal that is gone reads as empty forever.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401 - the driver's own
        super().__init__(*arguments, **options)
        self._allowance = _Allowance()
        self._will_go_on = False
        self._is_started = self._is_suspended = False

    def process_message(self, message: Message) -> None:
        if not isinstance(message, events.Key) or self._allowance.take():
            super().process_message(message)
        else:
            _drop_input(self)

    def start_application_mode(self) -> None:
        self._is_started, self._is_suspended = True, False
        super().start_application_mode()  # type: ignore[safe-super]  # the platform's

    def stop_application_mode(self) -> None:
        self._is_started = self._is_suspended = False
        super().stop_application_mode()  # type: ignore[safe-super]  # as above

    def suspend_application_mode(self) -> None:
        if self._is_started:
            super().suspend_application_mode()
            self._is_suspended = True

    def resume_application_mode(self) -> None:
        self.suspend_application_mode()
        if self._is_suspended:
            super().resume_application_mode()

    def run_input_thread(self) -> None:
        if sys.platform == "win32" or self.is_web:
            super().run_input_thread()  # type: ignore[misc]  # as above
        elif not _read_keys(self):
            self._app.call_later(self._app.exit, None, 128 + signal.SIGHUP)

    def _sigtstp_application(self, *_signal: object) -> None:
        _call_soon(super()._sigtstp_application)  # type: ignore[misc]  # as above

    def _sigcont_application(self, *_signal: object) -> None:
        if not self._will_go_on:
            self._will_go_on = True
            _call_soon(self._go_on)

    def _go_on(self) -> None:
        self._will_go_on = False
        super()._sigcont_application()  # type: ignore[misc]  # as above


def hardened(driver: type[Driver]) -> type[Driver]:
    """Return the platform's driver with `HardenedDriver` before it."""
    return type("Hardened", (HardenedDriver, driver), {})


def can_continue() -> bool:
    """Return whether a shell with job control started the program, and so can continue it after Ctrl+Z."""
    try:
        parent = os.getppid()
        return os.getsid(parent) == os.getsid(0) and os.getpgid(parent) != os.getpgrp()
    except (AttributeError, OSError):  # on Windows; the parent is gone
        return False


_X10_MOUSE: Final = re.compile(rb"\x1b\[M([\s\S])([\s\S])([\s\S])")


_ALTERNATES: Final = re.compile(rb"(\x1b\[\d+)(?::\d*)+")
"""A key of the kitty protocol with its alternates, which Textual does not expect."""


class KeyReader:
    """Converts bytes from a terminal to events, ignoring what is no text and no known sequence.

    Mouse reports of old terminals, one byte a number, are rewritten in the SGR form that Textual reads.

    Args:
        encoding: The locale's encoding; ASCII is part of UTF-8 and decoded as such.
    """

    def __init__(self, encoding: str) -> None:
        name = codecs.lookup(encoding).name
        self._decoder = codecs.getincrementaldecoder("utf-8" if name == "ascii" else name)("ignore")
        self._parser = XTermParser()

    def read(self, data: bytes) -> Iterator[Message]:
        """Yield the events of new bytes, and of a sequence that waited too long for its end."""
        text = self._decoder.decode(_ALTERNATES.sub(rb"\1", _X10_MOUSE.sub(_sgr_report, data)))
        try:
            if text:  # to the parser, an empty text is the end
                yield from self._parser.feed(text)
            yield from self._parser.tick()
        except (ValueError, OverflowError):  # Textual's, for a number that is no character
            self._parser = XTermParser()


def _sgr_report(report: re.Match[bytes]) -> bytes:
    button, column, row = [number[0] - 32 for number in report.groups()]
    is_release = button & 0b1100011 == 0b11
    return b"\x1b[<%d;%d;%d%c" % (button - 3 * is_release, column, row, b"m" if is_release else b"M")


def _read_keys(driver: Any) -> bool:  # noqa: ANN401 - the platform's driver
    """Process input until the driver stops; return False if the terminal is gone."""
    keys = KeyReader(getattr(sys.__stdin__, "encoding", None) or "utf-8")
    with selectors.SelectSelector() as selector:
        selector.register(driver.fileno, selectors.EVENT_READ)
        while not driver.exit_event.is_set():
            data = None
            if selector.select(0.1):
                with contextlib.suppress(OSError):
                    data = os.read(driver.fileno, 4096)
                if not data:
                    return False
            for event in keys.read(data or b""):
                driver.process_message(event)
    return True


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
