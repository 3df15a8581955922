"""What all tests share."""

import signal

signal.signal(signal.SIGINT, signal.default_int_handler)
"""Programs that tests start hear Ctrl+C, even where this one was started in the background and does not."""
