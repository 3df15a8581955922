"""The analysis of a game: one store of evaluated positions, and one queue that fills it.

Hints, curves, lists, results and exports read the same store, so that they show the same value for a moment.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Final, TypeAlias

from durak_core import Action, SearchedAction, State
from durak_core.engine.protocol import Budget, parse_line, write_line
from durak_core.errors import EngineError, Message
from durak_core.files import read_json
from durak_core.review import MoveEvaluation, with_comparison, with_playouts
from durak_core.review.evaluation import BY_PLAYOUTS, DROPS
from durak_tui.engine import ALL_LINES, PATIENCE, Engine, EngineQuestion, ask_twice, plain

PositionKey: TypeAlias = tuple[int, tuple[Action, ...]]
"""Number of game moves before a position, and the variation's actions after them."""

_HEAD: Final = "info line "
"""Start of every protocol line, omitted in storage."""

_LONGEST: Final = 16_000_000
"""Maximum characters of a game's lines."""

_FIRST_LOOK: Final = 4
"""Divisor of the search time for the first search of a position; a comparison gets all of it."""
_MOST_COMPARED: Final = 12
"""Comparisons of a player's moves in a game."""


@dataclass(frozen=True, slots=True)
class Source:
    """The engine of a review, and its search time per position."""

    engine: str
    milliseconds: int


def lines_text(lines: Iterable[SearchedAction]) -> list[str]:
    return [write_line(rank, line).removeprefix(_HEAD) for rank, line in enumerate(lines, 1)]


def read_lines(texts: Iterable[str]) -> tuple[SearchedAction, ...]:
    """Parse the output of `lines_text`. Raises `EngineError` if it is damaged."""
    return tuple([parse_line(_HEAD + text)[1] for text in texts])


def _effort(lines: Iterable[SearchedAction], *, fair: bool) -> float:
    """Return the visits of all lines, or of the least visited one that was tried."""
    visits = [math.inf if line.exact else line.visits for line in lines if line.is_tried]
    return min(visits, default=0) if fair else sum(visits)


class AnalysisCache:
    """Analysis lines by position, kept after the screen is closed.

    Attributes:
        hasty: Positions searched before the engine was compiled.
        compared: How often a position's move was compared with the best one.
        source: The engine of the newest lines, or None.
        is_stored: Whether the library has all lines, or will retry to store them.
        version: Increases with each change.
    """

    def __init__(self) -> None:
        self._lines: dict[PositionKey, tuple[SearchedAction, ...]] = {}
        self.hasty: set[PositionKey] = set()
        self.compared: Counter[PositionKey] = Counter()
        self.source: Source | None = None
        self.is_stored = True
        self.version = 0

    def __contains__(self, key: PositionKey) -> bool:
        return key in self._lines

    def lines_at(self, key: PositionKey) -> tuple[SearchedAction, ...]:
        """Return a position's lines, best first; empty if it is not analysed."""
        return self._lines.get(key, ())

    def add_lines(self, key: PositionKey, lines: Iterable[SearchedAction], *, hasty: bool = False) -> None:
        """Store a position's lines, best first, one per legal action, unless a longer search is known.

        After a comparison of some actions, the others keep their lines. Lines are hasty if the engine ran
        interpreted: a compiled search may do better.
        """
        found, known = tuple(lines), self.lines_at(key)
        tried = {line.action for line in found if line.is_tried}
        is_comparison = any(line.is_tried and line.action not in tried for line in known)
        before = [line for line in known if line.action in tried] if is_comparison else known
        if key not in self.hasty and _effort(before, fair=is_comparison) > _effort(found, fair=is_comparison):
            return
        if is_comparison:
            found = with_comparison(known, found)
        self.hasty.discard(key)
        if hasty:
            self.hasty.add(key)
        self._store(key, found)

    def add_playouts(self, key: PositionKey, lines: Sequence[SearchedAction]) -> None:
        """Store what a comparison by playouts found."""
        self._store(key, with_playouts(self.lines_at(key), lines))

    def _store(self, key: PositionKey, lines: tuple[SearchedAction, ...]) -> None:
        self._lines[key] = lines
        self.version += 1
        if not key[1]:
            self.is_stored = False

    def forget_from(self, ply: int) -> None:
        """Drop the lines of positions after so many moves or more, which were taken back."""
        self._lines = {key: lines for key, lines in self._lines.items() if key[0] < ply}
        self.hasty = {key for key in self.hasty if key[0] < ply}
        self.compared = Counter({key: done for key, done in self.compared.items() if key[0] < ply})
        self.version += 1

    def clear(self) -> None:
        self._lines.clear()
        self.hasty.clear()
        self.compared.clear()
        self.source = None
        self.version += 1

    def by_ply(self) -> dict[int, tuple[SearchedAction, ...]]:
        """Return the lines of the game's positions by the number of the next move."""
        return {ply + 1: lines for (ply, tried), lines in self._lines.items() if not tried}

    def doubts(self, evaluations: Mapping[int, MoveEvaluation]) -> list[PositionKey]:
        """Return the doubtful positions that may be compared: likely mistakes first, then later ones.

        Grave marks that one comparison found come last, to be confirmed.
        """
        done = [key for key in self.compared if not key[1] and key[0] + 1 in evaluations]
        counts = Counter(evaluations[ply + 1].seat for ply, _tried in done)
        found = []
        for ply, one in evaluations.items():
            comparisons = self.compared[ply - 1, ()]
            if one.comparison(comparisons) and (comparisons or counts[one.seat] < _MOST_COMPARED):
                found.append((comparisons, one.drop < DROPS[-1][1], -ply))
        return [(-ply - 1, ()) for _, _, ply in sorted(found)]

    # Storage

    def text(self) -> str:
        lines = {ply: lines_text(found) for (ply, tried), found in self._lines.items() if not tried}
        hasty = sorted(ply for ply, tried in self.hasty if not tried)
        compared = sorted(ply for ply, tried in self.compared.elements() if not tried)
        told = {"compared": compared, "hasty": hasty, "lines": lines}
        return json.dumps(told, separators=(",", ":"), sort_keys=True)

    def load(self, text: str, source: Source, states: Sequence[State]) -> None:
        """Load the output of `text`. Lines that do not fit the game are skipped, and analysed again."""
        try:
            stored: Any = read_json(text, _LONGEST)
            hasty = set(stored["hasty"])
            by_ply = {int(ply): read_lines(lines) for ply, lines in stored["lines"].items()}
            compared = Counter(int(ply) for ply in stored.get("compared", stored.get("tries", ())))
        except (ValueError, TypeError, KeyError, AttributeError, EngineError):
            return
        for ply, lines in by_ply.items():
            is_there = 0 <= ply < len(states)
            if is_there and {line.action for line in lines} == set(states[ply].legal_actions):
                self.add_lines((ply, ()), lines, hasty=ply in hasty)
                if ply in compared:
                    self.compared[ply, ()] = compared[ply]
                self.source = source
        self.is_stored = True


class GameSearch(ABC):
    """The queue that analyses a game: open positions first, then those whose move may get another mark.

    Positions that wait come last. Each gets a quarter of the time. A doubtful move gets all of it, to be
    compared with the best one, at most twelve of a player, and five times as much if that finds a grave
    mistake. Subclasses know the game.

    Args:
        changed: Called after every new result, when the search stops, and when nothing is left to do.
        milliseconds: Time per position. May be changed at any time.

    Attributes:
        problem: Why the engine cannot be used, or empty.
        is_idle: Whether nothing is left to do.
    """

    NAME: ClassVar[str]
    answers: AnalysisCache

    def __init__(self, engine: Engine, changed: Callable[[], None], milliseconds: int) -> None:
        self._engine = engine
        self._changed = changed
        self.milliseconds = milliseconds
        self._wake = asyncio.Event()
        self._is_warm = False
        self._task: asyncio.Task[None] | None = None
        self.problem: Message | str = ""
        self.is_idle = False

    @abstractmethod
    def _open(self) -> Iterator[PositionKey]:
        """Yield the positions without an analysis, the most wanted first."""

    @abstractmethod
    def _state(self, key: PositionKey) -> State: ...

    @property
    @abstractmethod
    def evaluations(self) -> Mapping[int, MoveEvaluation]:
        """The evaluations of the moves so far, by their numbers, counted from 1."""

    def _waits(self, key: PositionKey) -> bool:
        """Return whether other positions come first, the doubtful ones included."""
        del key
        return False

    @property
    def is_running(self) -> bool:
        return self._task is not None and not self._task.done()

    def start(self) -> None:
        """Start or continue. Needs a running event loop."""
        if not self.is_running:
            self.problem, self.is_idle = "", False
            self._task = asyncio.get_running_loop().create_task(self._run(), name=self.NAME)

    def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def close(self) -> None:
        """Pause and wait until the search has stopped."""
        task = self._task
        self.stop()
        if task is not None:
            with contextlib.suppress(asyncio.CancelledError):
                await task

    def attend(self) -> None:
        """Choose the next position again after the shown one changed."""
        self._wake.set()

    def _wanted(self) -> tuple[PositionKey, int] | None:
        """Return the next position to search and the milliseconds, or None to wait for `attend`."""
        key = next(self._open(), None)
        if key is None and self._is_warm:
            key = min(self.answers.hasty, key=lambda at: (len(at[1]), -at[0]), default=None)
        if key is None or self._waits(key):
            doubts = self.answers.doubts(self.evaluations)
            doubt = min(doubts, key=self._waits, default=None)
            if doubt is not None and (key is None or not self._waits(doubt)):
                length = self.evaluations[doubt[0] + 1].comparison(self.answers.compared[doubt])
                return doubt, length * self.milliseconds
        return None if key is None else (key, self.milliseconds // _FIRST_LOOK)

    async def _run(self) -> None:
        while True:
            self._wake.clear()
            wanted = self._wanted()
            was_idle, self.is_idle = self.is_idle, wanted is None
            if wanted is None:
                if not was_idle:  # a listener may follow the game again, which wakes this
                    self._changed()
                await self._wake.wait()
                continue
            try:
                await ask_twice(partial(self._answer, *wanted), self._failed)
            except EngineError as error:
                self._failed(error)
                break
            self.problem = ""
            self._changed()
            await asyncio.sleep(0)  # lets others stop it, however quick the engine is
        self._task = None
        self._changed()

    def _failed(self, error: EngineError) -> None:
        self.problem = plain(error)

    async def _answer(self, key: PositionKey, milliseconds: int) -> None:
        answers, state = self.answers, self._state(key)
        budget = Budget(time=milliseconds, lines=ALL_LINES)
        compared: tuple[Action, ...] = ()
        is_comparison = key in answers and not (self._is_warm and key in answers.hasty)
        if is_comparison:
            compared = self.evaluations[key[0] + 1].compared
            compared = compared if set(compared) <= set(state.legal_actions) else ()
        seen = state.observation(state.turn or 0)
        done = answers.compared[key] if is_comparison else 0
        by_playouts = done == BY_PLAYOUTS
        question = EngineQuestion(
            seen, budget, PATIENCE, {"Seed": "1"}, compared=compared, by_playouts=by_playouts
        )
        search = await self._engine.answer(question)
        if {line.action for line in search.lines.values()} != set(state.legal_actions):
            raise EngineError("the engine did not evaluate every action of the position")
        if is_comparison:
            answers.compared[key] += 1
        else:
            del answers.compared[key]
        if by_playouts:
            answers.add_playouts(key, search.ranked)
        else:
            self._is_warm = not search.is_interpreted
            is_hasty = search.is_interpreted and not all(line.exact for line in search.ranked)
            answers.add_lines(key, search.ranked, hasty=is_hasty)
        answers.source = Source(self._engine.name, self.milliseconds)
