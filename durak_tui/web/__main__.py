"""A server that the app starts for a table of friends: ``python -m durak_tui.web PORT``.

It listens on all addresses of the machine, on another port if this one is in use, and ends when its input is
closed.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from typing import Final

from durak_tui.web.server import listen, serve

_EVERYWHERE: Final = "0.0.0.0"  # noqa: S104 - friends connect from other devices


def _end_with_owner() -> None:
    sys.stdin.buffer.read()
    os.kill(os.getpid(), signal.SIGTERM)


def main(port: int) -> None:
    try:
        sock = listen(_EVERYWHERE, port)
    except OSError:
        sock = listen(_EVERYWHERE, 0)
    threading.Thread(target=_end_with_owner, name="durak-owner", daemon=True).start()
    serve(sock, _EVERYWHERE, (), is_owned=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
