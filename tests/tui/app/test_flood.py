"""A text pasted where each of its characters arrives as a key."""

from textual import events
from textual.geometry import Size

from durak_tui.keys.flood import bounded


class Terminal:
    """A driver that keeps what it passes on."""

    def __init__(self):
        self.passed = []

    def process_message(self, message):
        self.passed.append(message)


def test_a_flood_of_keys_is_dropped_and_nothing_else():
    driver = bounded(Terminal)()
    for _ in range(20_000):
        driver.process_message(events.Key("t", "t"))
    assert 200 <= len(driver.passed) < 10_000
    resized = events.Resize(Size(80, 24), Size(80, 24))
    driver.process_message(resized)
    assert driver.passed[-1] is resized
