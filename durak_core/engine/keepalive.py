"""Keepalive of a searching engine: it is asked when it has said nothing for a while, and then given up."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

_CHECKS: Final = 4
"""How often within its patience it is checked whether the engine has said anything."""

_ASKING_CHECK: Final = 2
"""The engine is asked at this check without a word."""


class Keepalive:
    """Checks now and then, from `start` to `stop`, whether an engine is alive.

    Checks count instead of seconds: while this process itself stands still, nothing can be heard.
    """

    def __init__(self, ask: Callable[[], None], lost: Callable[[], None]) -> None:
        self._ask = ask
        self._lost = lost
        self._handle: asyncio.TimerHandle | None = None
        self._quiet = 0

    def start(self, patience: float) -> None:
        """Begin to check, or begin anew; the engine may be silent for about ``patience`` seconds."""
        self.stop()
        self._quiet = 0
        self._wait(patience)

    def heard(self) -> None:
        self._quiet = 0

    def stop(self) -> None:
        if self._handle:
            self._handle.cancel()
            self._handle = None

    def _wait(self, patience: float) -> None:
        self._handle = asyncio.get_running_loop().call_later(patience / _CHECKS, self._check, patience)

    def _check(self, patience: float) -> None:
        self._quiet += 1
        if self._quiet > _CHECKS:
            self._lost()
            return
        if self._quiet == _ASKING_CHECK:
            self._ask()
        self._wait(patience)
