"""Puzzles: the player's results and rating, selection, and solving with an engine."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final, TypeAlias, TypeVar

from durak_core import Action, CardSet, State
from durak_core.engine.protocol import Line
from durak_core.errors import DurakError, EngineError, NotationError
from durak_core.messages import Message
from durak_core.puzzles.attempt import Attempt
from durak_core.puzzles.collection import read_collection, read_hidden_collection
from durak_core.puzzles.glicko import Glicko
from durak_core.puzzles.hidden import HiddenPuzzle, read_hidden_puzzle
from durak_core.puzzles.puzzle import Puzzle, read_puzzle
from durak_tui.engine.processes import Engine
from durak_tui.engine.solutions import EngineSolutions, UnsolvedError
from durak_tui.library.model.store import Library
from durak_tui.text.i18n import mark

_START: Final = Glicko(1000, 200)
"""A beginner's rating: seven of ten puzzles are harder. With Glicko's 350 one result would move it by 170."""
_DEVIATION: Final = 100.0
"""Rating deviation of a puzzle, which was rated by about ten agents."""


@dataclass(frozen=True, slots=True)
class PuzzleStanding:
    """The player's results over all puzzles.

    Attributes:
        change: Rating change of the last puzzle.
        streak: Puzzles solved in a row, up to the last.
        tried: By position, whether the first attempt solved it.
    """

    rating: int
    change: int
    streak: int
    tried: dict[str, bool]


def puzzle_standing(library: Library) -> PuzzleStanding:
    rows = library.read("SELECT position, level, solved FROM puzzles ORDER BY place, position")
    before = now = _START
    streak = 0
    for _position, level, solved in rows:
        before, now = now, now.after([(Glicko(level, _DEVIATION), solved)])
        streak = streak + 1 if solved else 0
    change = round(now.rating) - round(before.rating)
    return PuzzleStanding(round(now.rating), change, streak, {row[0]: bool(row[2]) for row in rows})


def keep_puzzle(library: Library, position: str, level: int, *, is_solved: bool) -> PuzzleStanding | None:
    """Store the result of a first attempt at a puzzle. Returns None for a later attempt."""
    with library.using(Message("What you have learnt cannot be stored"), change=True) as db:
        new = db.execute(
            "INSERT OR IGNORE INTO puzzles SELECT ?, coalesce(max(place), 0) + 1, ?, ? FROM puzzles",
            (position, level, is_solved),
        ).rowcount
    return puzzle_standing(library) if new else None


HIDDEN: Final = "hidden"
"""The kind of puzzles with hidden cards. All other kinds are endgames."""

KINDS: Final[Mapping[str, tuple[str, frozenset[str]]]] = {
    HIDDEN: (mark("What would you play?"), frozenset()),
    "all": (mark("All endgames"), frozenset()),
    "attack": (mark("Attack"), frozenset({"low", "pair", "unbeatable", "offer", "several"})),
    "defence": (mark("Defence"), frozenset({"higher", "take", "close"})),
    "trumps": (mark("Trumps"), frozenset({"trump"})),
    "throwing": (mark("Throwing in"), frozenset({"throw", "stop"})),
    "transfers": (mark("Transfers"), frozenset({"transfer"})),
}
"""Kinds of puzzles: a title, and themes of which a puzzle must have one."""

_T = TypeVar("_T")

_NEAREST: Final = 12
"""Number of candidates of about the player's strength."""


@cache
def _puzzles(*, hidden: bool) -> tuple[tuple[tuple[int, Puzzle | HiddenPuzzle], ...], tuple[DurakError, ...]]:
    """Return the numbered puzzles, positions unchecked, and the errors of unreadable lines."""
    collection = read_hidden_collection() if hidden else read_collection()
    read = read_hidden_puzzle if hidden else read_puzzle
    found: list[tuple[int, Puzzle | HiddenPuzzle]] = []
    problems: list[DurakError] = []
    for number, (line, text) in enumerate(collection.lines, 1):
        try:
            found.append((number, read(text)))
        except DurakError as error:
            problems.append(
                NotationError("{file}, line {line}: {why}", file=collection.name, line=line, why=error)
            )
    return tuple(found), tuple(problems)


def choose_puzzle(
    kind: str, standing: PuzzleStanding, seen: set[str], problems: list[DurakError]
) -> tuple[int, Puzzle | HiddenPuzzle] | None:
    """Return a numbered puzzle of about the player's strength: a new one, or else a failed one.

    Adds its position to `seen`; seen puzzles come last. Skips damaged puzzles and adds their errors to
    `problems`.
    """
    themes = KINDS[kind][1]
    everything, faults = _puzzles(hidden=kind == HIDDEN)
    problems += faults if seen.isdisjoint([puzzle.position for _number, puzzle in everything]) else ()
    able = [one for one in everything if not themes or themes.intersection(one[1].themes)]
    for _round in range(2):
        while left := [one for one in able if one[1].position not in seen]:
            fresh = [one for one in left if one[1].position not in standing.tried]
            failed = [one for one in left if not standing.tried.get(one[1].position, True)]
            near = sorted(fresh or failed or left, key=lambda one: abs(one[1].rating - standing.rating))
            number, puzzle = random.choice(near[:_NEAREST])  # noqa: S311 - nothing secret
            seen.add(puzzle.position)
            try:
                _ = puzzle.state  # builds the position, or raises
            except DurakError as error:
                problems.append(NotationError("puzzle {number} is left out: {why}", number=number, why=error))
                able.remove((number, puzzle))
            else:
                return number, puzzle
        seen.difference_update([puzzle.position for _number, puzzle in able])
    return None


class _Solving:
    """Base of both kinds of puzzles.

    Attributes:
        failed: Whether a wrong move was played or the answer was shown.
    """

    puzzle: Puzzle | HiddenPuzzle

    def __init__(self, number: int) -> None:
        self.number = number
        self.failed = False

    @property
    def seat(self) -> int:
        return self.puzzle.state.turn or 0


class Decision(_Solving):
    """A hidden-card puzzle: one move, after which the game does not continue.

    Attributes:
        found: The right action once played or shown.
        tried: The last wrong action.
    """

    open_hands = None

    def __init__(self, number: int, puzzle: HiddenPuzzle) -> None:
        super().__init__(number)
        self.puzzle: HiddenPuzzle = puzzle
        self.found: Action | None = None
        self.tried: Action | None = None

    @property
    def state(self) -> State:
        """The position. Only the player's observation may be shown."""
        return self.puzzle.state

    @property
    def is_over(self) -> bool:
        return self.found is not None

    @property
    def answer(self) -> Action:
        return self.puzzle.action

    async def begin(self) -> None:
        """Do nothing: the right moves are stored with the puzzle."""

    async def accepts(self, action: Action) -> bool:
        """Play a legal action; return whether it is right."""
        if action in self.puzzle.right:
            self.found = action
            return True
        self.tried, self.failed = action, True
        return False


class Endgame(_Solving):
    """An endgame puzzle with open cards. An engine solves it and plays the other seat."""

    def __init__(self, number: int, puzzle: Puzzle, engine: Engine) -> None:
        super().__init__(number)
        self.puzzle: Puzzle = puzzle
        self._solutions = EngineSolutions(engine)
        self._attempt: Attempt | None = None

    @property
    def state(self) -> State:
        return self.puzzle.state if self._attempt is None else self._attempt.state

    @property
    def open_hands(self) -> tuple[CardSet, ...]:
        return self.state.hands

    @property
    def is_over(self) -> bool:
        return self.state.is_over

    @property
    def answer(self) -> Action:
        return self.puzzle.action if self._attempt is None else self._attempt.answers[0]

    def line(self, action: Action) -> Line | None:
        return next((one for one in self._solutions.lines.get(self.state, ()) if one.action == action), None)

    async def begin(self) -> None:
        """Check the puzzle. Raises `DurakError` if it is invalid or the engine fails."""
        await self._ready()

    async def accepts(self, action: Action) -> bool:
        """Return whether a legal action is right, and if so play it and the moves up to the next choice.

        If the engine fails, nothing is played.
        """
        attempt = await self._ready()
        played = len(attempt.moves)
        try:
            is_right = await self._solved(lambda: attempt.accepts(action))
            if is_right:
                await self._solved(attempt.follow)
                await self._solved(lambda: attempt.answers)
        except EngineError:
            attempt.take_back(played)
            raise
        self.failed |= not is_right
        return is_right

    async def _ready(self) -> Attempt:
        if self._attempt is None:
            self._attempt = await self._solved(lambda: Attempt(self.puzzle, self._solutions))
        return self._attempt

    async def _solved(self, step: Callable[[], _T]) -> _T:
        """Run a step, and repeat it after fetching each missing solution from the engine."""
        while True:
            try:
                return step()
            except UnsolvedError as missing:
                await self._solutions.find(missing.state)


Solving: TypeAlias = Decision | Endgame


def solving_of(number: int, puzzle: Puzzle | HiddenPuzzle, engine: Engine) -> Solving:
    if isinstance(puzzle, HiddenPuzzle):
        return Decision(number, puzzle)
    return Endgame(number, puzzle, engine)
