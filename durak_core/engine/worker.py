"""One search of the engine: a thread that works in small steps and tells how it gets on."""

from __future__ import annotations

import threading
from collections.abc import Callable
from time import perf_counter
from typing import Final

from durak_core.engine.protocol import Budget, Line, Progress, write_line, write_progress
from durak_core.search.analysis import Analysis
from durak_core.search.backend.backend import Backend

REPORT_SECONDS: Final = 0.2
"""Time between two reports."""


class SearchThread(threading.Thread):
    """Searches until the budget is used up or somebody says stop, and then names the best action.

    Args:
        analysis: What to advance.
        budget: How far.
        lines: How many actions the reports show.
        say: Takes a line of output; it may be called from any thread.
        best_backend: Returns where to run by now; when that becomes machine code, the search moves there.
    """

    can_stop: Final = True
    """Steps are short: who says stop need not wait."""

    def __init__(
        self,
        analysis: Analysis,
        budget: Budget,
        lines: int,
        say: Callable[[str], None],
        best_backend: Callable[[], Backend],
    ) -> None:
        super().__init__(name="durak-search", daemon=True)
        self._analysis = analysis
        self._budget = budget
        self._lines = lines
        self._say = say
        self._best_backend = best_backend
        self._began = perf_counter()
        self._stopped = threading.Event()
        self._silent = False
        self.is_over = False
        """Whether the last line of this search is written, or about to be."""

    def stop(self, *, silent: bool = False) -> None:
        """Ask for the end; `join` waits for it.

        Args:
            silent: Nobody wants to know the best action any more.
        """
        self._silent = self._silent or silent
        self._stopped.set()

    def run(self) -> None:
        """Search; whatever goes wrong becomes a line of output."""
        try:
            best = self._search()
        except Exception as error:  # noqa: BLE001 - the process has to go on answering, whatever this was
            self.is_over = True
            self._say(f"error go: the search failed: {type(error).__name__}: {error}")
            return
        self.is_over = True
        if not self._silent:
            self._say(f"bestmove {best}")

    def _search(self) -> str:
        reported = self._began
        while self._analysis.step(self._budget.iterations) and not self._ended():
            if perf_counter() - reported >= REPORT_SECONDS:
                self._report()
                reported = perf_counter()
            self._move_up()
        self._report()
        return str(self._analysis.lines()[0].action)

    def _ended(self) -> bool:
        late = self._budget.time is not None and self._milliseconds() >= self._budget.time
        return late or self._stopped.is_set()

    def _milliseconds(self) -> int:
        return int((perf_counter() - self._began) * 1000)

    def _move_up(self) -> None:
        """Go on as machine code as soon as that is ready; nothing of the result changes."""
        if self._analysis.backend == "plain":
            runner = self._best_backend()
            if runner.name == "compiled":
                self._analysis = self._analysis.moved_to(runner)
                self._say("info string compiled: machine code is ready, the search goes on in it")

    def _report(self) -> None:
        if self._silent:
            return
        analysis = self._analysis
        progress = Progress(analysis.iterations, analysis.nodes, self._milliseconds(), analysis.backend)
        self._say(write_progress(progress))
        for rank, found in enumerate(analysis.lines()[: self._lines], 1):
            line = Line(
                rank,
                found.action,
                found.score,
                found.low,
                found.high,
                found.visits,
                found.exact,
                found.continuation,
                found.bouts,
            )
            self._say(write_line(line))
