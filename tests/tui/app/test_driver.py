"""Keys, bytes and signals of any terminal: pasted floods, other encodings, orders to stop and to go on."""

import asyncio
import contextlib
import os
import pty
import signal
import sys
import threading

import psutil
import pytest
from textual import events
from textual.driver import Driver
from textual.geometry import Size
from waiting import let_pass, wait_until

from durak_tui.keys.driver import KeyReader, hardened
from tui.terminal import is_running


class Terminal(Driver):
    """A driver that keeps what it passes on and does."""

    is_web = True

    def __init__(self):
        self.passed = []
        self.calls = []

    def write(self, data):
        pass

    def disable_input(self):
        pass

    def start_application_mode(self):
        self.calls.append("start")

    def stop_application_mode(self):
        self.calls.append("stop")

    def process_message(self, message):
        self.passed.append(message)

    def _sigtstp_application(self, *_signal):
        self.suspend_application_mode()

    def _sigcont_application(self, *_signal):
        self.resume_application_mode()


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
    driver.start_application_mode()
    driver.resume_application_mode()
    assert driver.calls == ["start", "stop", "start"]


def test_before_the_start_and_after_the_end_nothing_goes_on():
    """A shell sends SIGCONT to what it ends: a terminal started then would never be stopped."""
    driver = hardened(Terminal)()
    driver.resume_application_mode()
    driver.start_application_mode()
    driver.stop_application_mode()
    driver.suspend_application_mode()
    driver.resume_application_mode()
    assert driver.calls == ["start", "stop"]


async def test_signals_wait_for_the_write_that_they_interrupt():
    """Textual's handlers write at once, and would wait for ever for the lock of the write."""
    driver = hardened(Terminal)()
    driver.start_application_mode()
    driver._sigtstp_application(20, None)
    for _ in range(3):
        driver._sigcont_application(18, None)
    assert driver.calls == ["start"]
    called = asyncio.Event()
    asyncio.get_running_loop().call_soon(called.set)
    await called.wait()
    assert driver.calls == ["start", "stop", "start"]


def keys_of(encoding, *pieces):
    reader = KeyReader(encoding)
    return [event for piece in (*pieces, b"?") for event in reader.read(piece)][:-1]


@pytest.mark.parametrize(
    ("encoding", "data", "keys"),
    [
        ("utf-8", "ö".encode(), ["ö"]),
        ("utf-8", "ö".encode("latin-1"), []),
        ("ascii", "р".encode(), ["р"]),  # noqa: RUF001
        ("utf-8", "р".encode("koi8-r"), []),  # noqa: RUF001
        ("koi8-r", "р".encode("koi8-r"), ["р"]),  # noqa: RUF001
        ("cp1251", "р".encode("cp1251"), ["р"]),  # noqa: RUF001
        ("utf-8", b"\xe8", []),
        ("utf-8", b"\x1b[1089;5u", ["ctrl+с"]),  # noqa: RUF001
        ("utf-8", b"\x1b[968;5u", ["ctrl+ψ"]),
        ("utf-8", b"\x1b[1089::99;5u", ["ctrl+с"]),  # noqa: RUF001
        ("utf-8", b"\x1b[27;5;1089~", ["ctrl+с"]),  # noqa: RUF001
        ("utf-8", b"\x1b[99999999999u", []),
        ("utf-8", b"\x1b[1114112u", []),
        ("utf-8", b"\x1b[:R", []),
    ],
)
def test_any_byte_is_a_key_or_nothing(encoding, data, keys):
    assert [event.key for event in keys_of(encoding, data)] == keys


def test_a_character_may_come_in_two_reads():
    assert [event.key for event in keys_of("utf-8", b"\xd1", b"\x80")] == ["р"]  # noqa: RUF001


@pytest.mark.parametrize("column", [1, 60, 100, 223])
def test_the_mouse_of_an_old_terminal_clicks(column):
    down, up = keys_of(
        "utf-8", b"\x1b[M" + bytes([32, 32 + column, 37]) + b"\x1b[M" + bytes([35, 32 + column, 37])
    )
    assert isinstance(down, events.MouseDown)
    assert (down.x, down.y, down.button) == (column - 1, 4, 1)
    assert isinstance(up, events.MouseUp | events.MouseMove)


class Program:
    """The app in a terminal whose output is drained."""

    def __init__(self):
        self.master, slave = pty.openpty()
        self.shown = b""
        command = [sys.executable, "-m", "durak_tui", "--seed", "3", "--bots", "greedy", "--pace", "instant"]
        environment = {**os.environ, "TERM": "xterm-256color", "DURAK_ENGINE": "off"}
        self.process = psutil.Popen(
            command, stdin=slave, stdout=slave, stderr=slave, env=environment, start_new_session=True
        )
        os.close(slave)
        self._drain = threading.Thread(target=self._read)
        self._drain.start()

    def _read(self):
        with contextlib.suppress(OSError):
            while data := os.read(self.master, 65536):
                self.shown += data

    def end(self):
        if self.process.is_running():
            self.process.kill()
        self.process.wait()
        self._drain.join()


@pytest.fixture
def program():
    program = Program()
    yield program
    program.end()
    with contextlib.suppress(OSError):
        os.close(program.master)


@pytest.mark.parametrize(
    "orders",
    [
        "TERM CONT CONT CONT",
        pytest.param("CONT TERM CONT", marks=pytest.mark.slow),
        pytest.param("STOP TERM CONT CONT", marks=pytest.mark.slow),
        pytest.param("TSTP TERM CONT CONT CONT", marks=pytest.mark.slow),
        pytest.param("HUP CONT TERM CONT", marks=pytest.mark.slow),
    ],
)
def test_orders_to_end_and_to_go_on_in_any_order_leave_no_process(program, orders):
    wait_until(lambda: b"trumps" in program.shown)
    for order in orders.split():
        with contextlib.suppress(psutil.NoSuchProcess):
            program.process.send_signal(getattr(signal, f"SIG{order}"))
        let_pass(0.15)
    wait_until(lambda: not is_running(program.process.pid), program.process.cpu_times)
    assert program.shown.count(b"\x1b[?1049h") == program.shown.count(b"\x1b[?1049l")
