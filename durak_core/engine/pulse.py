"""Whether an engine lives that nobody hears: looks that are counted, and a question in between."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

_LOOKS: Final = 4
"""How often within its patience somebody looks whether the engine has said anything."""

_ASKING_LOOK: Final = 2
"""After so many looks without a word the engine is asked."""


class Pulse:
    """Looks after an engine now and then, from `start` to `stop`.

    Looks count instead of seconds: while this process itself stands still, nothing can be heard.

    Args:
        ask: Asks the engine for a sign of life.
        lost: Called when none came.
    """

    def __init__(self, ask: Callable[[], None], lost: Callable[[], None]) -> None:
        self._ask = ask
        self._lost = lost
        self._handle: asyncio.TimerHandle | None = None
        self._quiet = 0

    def start(self, patience: float) -> None:
        """Begin to look, or begin anew.

        Args:
            patience: About how many seconds the engine may be silent.
        """
        self.stop()
        self._quiet = 0
        self._wait(patience)

    def heard(self) -> None:
        """Note a sign of life."""
        self._quiet = 0

    def stop(self) -> None:
        """Look no more."""
        if self._handle:
            self._handle.cancel()
            self._handle = None

    def _wait(self, patience: float) -> None:
        self._handle = asyncio.get_running_loop().call_later(patience / _LOOKS, self._look, patience)

    def _look(self, patience: float) -> None:
        self._quiet += 1
        if self._quiet > _LOOKS:
            self._lost()
            return
        if self._quiet == _ASKING_LOOK:
            self._ask()
        self._wait(patience)
