"""Hints for a decision, published while the engine searches; cancelling it never blocks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from durak_core import Observation
from durak_core.engine.protocol import Budget, Line
from durak_core.engine.search import Info, Search
from durak_core.errors import EngineError
from durak_tui.engine.processes import ALL_LINES, Engine, Question, ask_twice, plain, ranked
from durak_tui.sandbox import is_confined
from durak_tui.text.core_messages import core_words
from durak_tui.text.i18n import gettext

SHOWN: Final = 3
"""Number of actions that are shown; the others give the reason for the first one."""
_MILLISECONDS: Final = 5_000
"""Time of the first search; each repetition doubles it."""
_MOST_DOUBLINGS: Final = 3
_VISITORS_DOUBLINGS: Final = 1
_SILENCE: Final = 10.0
"""Seconds without output after which a searching engine counts as hung."""
_SURE: Final = 0.08
"""Half-width of an interval up to which a figure holds."""
_UNSURE_FOR: Final = 0.5
"""Seconds after which figures are shown regardless of their intervals."""
_BETWEEN: Final = 1.0
"""Minimum seconds between two updates."""


def half_width(line: Line) -> float:
    return (line.high - line.low) / 2


def is_rough(line: Line) -> bool:
    """Return whether the figure may still change a lot."""
    return not line.exact and half_width(line) > _SURE


def shown_percent(line: Line) -> int:
    """Return the percentage of games in which the acting player is not the fool."""
    return round(100 * line.score)


def by_figure(lines: Iterable[Line], before: Iterable[Line] = ()) -> tuple[Line, ...]:
    """Sort lines by the figures shown, best first; ties keep their order from ``before``."""
    stood = {line.action: place for place, line in enumerate(before)}
    ordered = sorted(lines, key=lambda line: stood.get(line.action, len(stood)))

    def key(line: Line) -> tuple[bool, int]:
        return not (line.visits or line.exact), -shown_percent(line)

    return tuple(sorted(ordered, key=key))


@dataclass(frozen=True, slots=True)
class Advice:
    """The current hint for a decision; the lines are empty until the first figures, and best first."""

    observation: Observation
    lines: tuple[Line, ...] = ()
    iterations: int = 0
    is_running: bool = True
    problem: str = ""

    @property
    def is_forced(self) -> bool:
        """Whether there is only one legal action, so that no search runs."""
        return len(self.observation.legal_actions) == 1


class Adviser:
    """Searches one decision at a time, and calls a listener with every new `advice`."""

    def __init__(self, engine: Engine, listener: Callable[[Advice | None], None]) -> None:
        self._engine = engine
        self._listener = listener
        self._task: asyncio.Task[None] | None = None
        self._asked = 0
        self._first_at: float | None = None
        self._shown_at = float("-inf")
        self._due: asyncio.TimerHandle | None = None
        self.advice: Advice | None = None

    def ask(self, observation: Observation) -> None:
        """Start a search; repeating the last one keeps its results and searches longer."""
        self.stop()
        before = self.advice
        if before is not None and before.observation == observation:
            most = _VISITORS_DOUBLINGS if is_confined() else _MOST_DOUBLINGS
            self._asked = min(self._asked + 1, most)
            self._publish(replace(before, is_running=not before.is_forced, problem=""))
        else:
            self._asked = 0
            self._publish(Advice(observation, is_running=len(observation.legal_actions) > 1))
        if len(observation.legal_actions) > 1:
            budget = Budget(time=_MILLISECONDS << self._asked, lines=ALL_LINES)
            self._first_at = None
            question = Question(observation, budget, _SILENCE)
            self._task = asyncio.get_running_loop().create_task(self._run(question))

    def stop(self) -> None:
        """Stop searching; keep the advice."""
        self._cancel()
        if self.advice is not None and self.advice.is_running:
            self._publish(replace(self.advice, is_running=False))

    def clear(self) -> None:
        """Stop searching; drop the advice."""
        self._cancel()
        self._publish(None)

    def close(self) -> None:
        self._listener = lambda _advice: None
        self._cancel()

    def _cancel(self) -> None:
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
        self._set_due(None)

    def _publish(self, advice: Advice | None) -> None:
        if advice != self.advice:
            self.advice = advice
            self._listener(advice)

    def _update(self, **changes: object) -> None:
        if self.advice is not None:
            self._publish(replace(self.advice, **changes))  # type: ignore[arg-type]

    async def _run(self, question: Question) -> None:
        problem = ""
        try:
            await ask_twice(partial(self._follow, question), self._started_again)
        except EngineError as error:
            problem = gettext("No hint: {why}. You can ask again.", why=core_words(plain(error)))
        self._update(is_running=False, problem=problem)

    def _started_again(self, error: EngineError) -> None:
        self._update(problem=gettext("Started again: {why}.", why=core_words(plain(error))))

    async def _follow(self, question: Question) -> None:
        advised = min(SHOWN, len(question.observation.legal_actions))
        self._show(await self._engine.answer(question, partial(self._take_report, advised)))

    def _take_report(self, advised: int, search: Search, info: Info) -> None:
        if isinstance(info, Line) and info.rank == advised:
            self._show_in_time(search)

    def _show_in_time(self, search: Search) -> None:
        """Show the newest results once they are precise enough and the last ones were visible long enough."""
        due = self._shown_at + _BETWEEN
        if self._first_at is None:
            self._first_at = _now()
        if any(map(is_rough, ranked(search)[:SHOWN])):
            due = max(due, self._first_at + _UNSURE_FOR)
        self._set_due(None)
        if due <= _now():
            self._show(search)
        else:
            self._set_due(asyncio.get_running_loop().call_at(due, self._show, search))

    def _set_due(self, due: asyncio.TimerHandle | None) -> None:
        if self._due is not None:
            self._due.cancel()
        self._due = due

    def _show(self, search: Search) -> None:
        """Show the newest results, unless an earlier search has more iterations."""
        self._set_due(None)
        iterations = search.progress.iterations if search.progress else 0
        before = self.advice.lines if self.advice else ()
        found = ranked(search)
        lines = (*by_figure(found[:SHOWN], before), *found[SHOWN:])
        known = self.advice.iterations if self.advice else 0
        if lines and (iterations >= known or all(line.exact for line in lines)):
            self._shown_at = _now()
            self._update(lines=lines, iterations=iterations, problem="")


def _now() -> float:
    return asyncio.get_running_loop().time()
