"""A text pasted where each of its characters arrives as a key, and signals that stop the program."""

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
