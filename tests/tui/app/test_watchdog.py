"""The watchdog of the app's tests sees what holds the event loop, and nothing else."""

import asyncio
import time

import pytest
from waiting import until

from tui.watchdog import BUSY_LIMIT, WATCHDOG


def work_for_long() -> None:
    begun = time.thread_time()
    while time.thread_time() < begun + 1.2 * BUSY_LIMIT:
        pass


async def call_soon_for_long():
    called = []

    def compute() -> None:
        work_for_long()
        called.append(True)

    asyncio.get_running_loop().call_soon(compute)
    await until(lambda: called)


async def test_a_slow_callback_fails_with_its_stack(monkeypatch):
    monkeypatch.setattr("tui.watchdog._slowness", lambda: 1.0)
    await call_soon_for_long()
    with pytest.raises(pytest.fail.Exception, match="held the event loop") as failure:
        WATCHDOG.check()
    frames = [line for line in str(failure.value).splitlines() if line.startswith("  File")]
    assert [line.rpartition(" ")[2] for line in frames[-2:]] == ["compute", "work_for_long"]
    assert __file__ in frames[-1]


async def test_a_slow_machine_may_take_longer(monkeypatch):
    monkeypatch.setattr("tui.watchdog._slowness", lambda: 3.0)
    await call_soon_for_long()
    assert WATCHDOG.stalls
    WATCHDOG.check()


async def test_a_slow_test_and_a_slow_thread_do_not_fail():
    work_for_long()
    await asyncio.to_thread(work_for_long)
    WATCHDOG.check()
