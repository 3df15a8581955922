"""A text pasted where each of its characters arrives as a key, and signals that stop the program."""

import asyncio
from types import SimpleNamespace

from textual import events
from textual.geometry import Size

from durak_tui.keys.driver import hardened


class Terminal:
    """A driver that keeps what it passes on and does."""

    def __init__(self):
        self.passed = []
        self.calls = []

    def suspend_application_mode(self):
        self.calls.append("suspend")

    def resume_application_mode(self):
        self.calls.append("resume")

    def process_message(self, message):
        self.passed.append(message)

    def _sigtstp_application(self, *_signal):
        self.calls.append("stop")

    def _sigcont_application(self, *_signal):
        self.calls.append("go on")


def test_a_flood_of_keys_is_dropped_and_nothing_else():
    driver = hardened(Terminal)()
    for _ in range(20_000):
        driver.process_message(events.Key("t", "t"))
    assert 200 <= len(driver.passed) < 10_000
    resized = events.Resize(Size(80, 24), Size(80, 24))
    driver.process_message(resized)
    assert driver.passed[-1] is resized


def test_going_on_without_having_been_told_to_stop_does_not_start_twice():
    """After SIGSTOP and SIGCONT the terminal is in raw mode: it is restored before it is set up."""
    driver = hardened(Terminal)()
    driver.resume_application_mode()
    driver._key_thread = SimpleNamespace(is_alive=lambda: True)
    driver.resume_application_mode()
    assert driver.calls == ["resume", "suspend", "resume"]


async def test_signals_wait_for_the_write_that_they_interrupt():
    """Textual's handlers write at once, and would wait for ever for the lock of the write."""
    driver = hardened(Terminal)()
    driver._sigtstp_application(20, None)
    for _ in range(3):
        driver._sigcont_application(18, None)
    assert driver.calls == []
    called = asyncio.Event()
    asyncio.get_running_loop().call_soon(called.set)
    await called.wait()
    assert driver.calls == ["stop", "go on"]
