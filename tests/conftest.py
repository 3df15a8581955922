"""What all tests share."""

import gc
import signal
import subprocess
import sys

import pytest

signal.signal(signal.SIGINT, signal.default_int_handler)
"""Programs that tests start hear Ctrl+C, even where this one was started in the background and does not."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Begin with the tests of the app: they need no machine code, and other tests would wait for it."""
    app = config.rootpath / "tests" / "tui"
    items.sort(key=lambda item: not item.path.is_relative_to(app))


def pytest_collection_finish() -> None:
    """Look for garbage less often, and not in what stays: it took a fifth of the time of an app's test."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 10, 10)


_COMPILING = """
from durak_core.search.backend import backend as module
for group in module.GROUPS:
    if group != "solve":  # only slow tests need it
        module.backend(group)
"""


@pytest.hookimpl(wrapper=True)
def pytest_runtestloop(session):
    """Compile beside several processes with tests: each of them would wait for it, or for the other."""
    if not session.config.getoption("numprocesses", None):
        return (yield)
    with subprocess.Popen([sys.executable, "-c", _COMPILING]) as compiler:
        try:
            return (yield)
        finally:
            compiler.kill()
