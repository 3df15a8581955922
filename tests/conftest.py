"""What all tests share."""

import gc
import signal

signal.signal(signal.SIGINT, signal.default_int_handler)
"""Programs that tests start hear Ctrl+C, even where this one was started in the background and does not."""


def pytest_collection_finish() -> None:
    """Look for garbage less often, and not in what stays: it took a fifth of the time of an app's test."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 10, 10)
