"""The compile worker: a process of low priority that makes the machine code of one group, then ends.

It runs while the process that started it goes on in plain Python, and ends with that process; what is
compiled by then stays. Of all workers on a machine one compiles, and the others wait for it.
"""

from __future__ import annotations

import os
import sys
import threading
from typing import Final

from durak_core.search.backend.backend import backend, cache_folder_of
from durak_core.search.backend.cache import in_turn, ready_mark

_LESS_URGENT: Final = 10
"""How much nicer the worker is than the process that started it."""


def main(group: str) -> int:
    """Compile a group and return the exit code, 0 where its machine code is kept now."""
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
    """End this process at once when the one that started it ends."""
    while os.read(0, 1):
        pass
    os._exit(1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
