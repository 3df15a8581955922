"""The compile worker: a low-priority process for one group, one at a time, which ends with its parent."""

from __future__ import annotations

import os
import sys
import threading
from typing import Final

from durak_core.search.backend.backend import backend, cache_folder_of, in_turn, ready_mark

_LESS_URGENT: Final = 10
"""Niceness added to the parent's."""


def main(group: str) -> int:
    """Compile a group and return the exit code, 0 if its compiled code is cached."""
    if hasattr(os, "nice"):
        os.nice(_LESS_URGENT)
    threading.Thread(target=_end_with_input, daemon=True).start()
    folder = cache_folder_of(group)
    ready = ready_mark(folder, group)
    with in_turn(folder / "worker.lock", ready):
        if not ready.exists():
            backend(group)
    return 0 if ready.exists() else 1


def _end_with_input() -> None:
    """Exit at once when the parent process ends."""
    while os.read(0, 1):
        pass
    os._exit(1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
