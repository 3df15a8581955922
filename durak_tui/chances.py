"""Each seat's probability of not being the fool while a game is watched, found in the background.

An engine is asked about one decision after the other, the one shown first, then the newest; the game never
waits for it. Nothing here knows Textual.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final

from durak_core import Observation, State
from durak_core.engine.protocol import Budget
from durak_core.errors import EngineError
from durak_tui.reviewing import Analyst

__all__ = ["MILLISECONDS", "Chances"]

MILLISECONDS: Final = 150
"""How long each decision is searched."""
_ATTEMPTS: Final = 2
"""How often in a row the engine may fail."""
_PATIENCE: Final = 30.0
"""Seconds beyond its time that an answer may take, on a busy machine."""


class Chances:
    """Asks an engine about the decisions of a game that goes on.

    Args:
        engine: Who is asked.
        changed: Called after every answer, and when the engine cannot be asked any more.

    Attributes:
        problem: Why the engine cannot be asked, or empty.
    """

    def __init__(self, engine: Analyst, changed: Callable[[], None]) -> None:
        self._engine = engine
        self._changed = changed
        self._states: Sequence[State] = ()
        self._ply = 0
        self._found: dict[int, float] = {}
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self.problem = ""

    @property
    def is_running(self) -> bool:
        """Whether it works, or waits for something to do."""
        return self._task is not None and not self._task.done()

    def follow(self, states: Sequence[State], ply: int) -> None:
        """Look at a game as it stands now.

        Args:
            states: Every moment of it; the same list as before, or another game.
            ply: Which of them is shown.
        """
        if self._states is not states:
            self._found = {}
        self._states, self._ply = states, ply
        self._wake.set()

    def start(self) -> None:
        """Begin, or go on where it was left; needs a running event loop."""
        if not self.is_running:
            self.problem = ""
            self._task = asyncio.get_running_loop().create_task(self._run(), name="durak-chances")

    def stop(self) -> None:
        """Leave off; what was found stays."""
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def close(self) -> None:
        """Leave off, and wait until that is done."""
        task = self._task
        self.stop()
        if task is not None:
            with contextlib.suppress(asyncio.CancelledError):
                await task

    def curve(self, seat: int) -> list[float | None]:
        """Return a seat's probability after each number of moves.

        A seat's own decisions are known, by what it knew there; between them lie straight lines, after the
        last one the value stays, and before the first there is None. Whoever is out has won.
        """
        states = self._states
        values: list[float | None] = [None] * len(states)
        known = {ply: value for ply, value in self._found.items() if states[ply].turn == seat}
        won = next((ply for ply, state in enumerate(states) if seat in state.places), None)
        if won is not None and states[won].fool != seat:
            known[won] = 1.0
        if states and states[-1].is_over:
            fool = states[-1].fool
            known[len(states) - 1] = 0.5 if fool is None else float(fool != seat)
        points = sorted(known.items())
        for (start, low), (end, high) in pairwise(points):
            for ply in range(start, end):
                values[ply] = low + (high - low) * (ply - start) / (end - start)
        if points:
            last, value = points[-1]
            values[last:] = [value] * (len(states) - last)
        return values

    def _wanted(self) -> tuple[int, Observation] | None:
        """Return the decision to ask about next: the one shown, else the newest that is open."""
        for ply in (self._ply, *range(len(self._states) - 1, -1, -1)):
            state = self._states[ply] if ply < len(self._states) else None
            is_open = state is not None and state.turn is not None and ply not in self._found
            if state is not None and is_open and len(state.legal_actions) > 1:
                return ply, state.observation(state.turn or 0)
        return None

    async def _run(self) -> None:
        failures = 0
        while failures < _ATTEMPTS:
            self._wake.clear()
            wanted = self._wanted()
            if wanted is None:
                await self._wake.wait()
                continue
            states, (ply, observation) = self._states, wanted
            try:
                score = await self._search(observation)
            except EngineError as error:
                failures += 1
                self.problem = str(error)
                continue
            failures = 0
            self.problem = ""
            if states is self._states:
                self._found[ply] = score
                self._changed()
            await asyncio.sleep(0)  # whoever wants to stop it gets a chance, however quick the engine is
        self._task = None
        self._changed()

    async def _search(self, observation: Observation) -> float:
        """Return what the best action of a decision is worth.

        Raises:
            EngineError: If the engine fails, or does not answer in time.
        """
        try:
            async with asyncio.timeout(MILLISECONDS / 1000 + _PATIENCE):
                budget = Budget(time=MILLISECONDS, lines=1)
                search = await self._engine.ask(observation, budget, {"Seed": "1"})
                await search.best()
        except TimeoutError:
            raise EngineError(f"no answer within {_PATIENCE:g} s after its time") from None
        if not search.lines:
            raise EngineError("the engine did not judge the position")
        return search.lines[min(search.lines)].score
