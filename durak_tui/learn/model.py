"""Progress and tasks: lessons, puzzles, spaced repetition of mistakes, and daily deals."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from enum import Enum, auto
from functools import cache, cached_property
from typing import ClassVar, Final, TypeAlias, TypeVar

from durak_core import Action, Card, CardSet, Observation, Record, SearchedAction, State
from durak_core.actions import card_of
from durak_core.daily import OPPONENTS, SEAT, DailyDeal, DailyResult
from durak_core.errors import DurakError, EngineError, Message, NotationError
from durak_core.lessons.lesson import Lesson, load_lesson, shipped_lessons
from durak_core.puzzles.grading import Glicko
from durak_core.puzzles.puzzle import (
    HiddenPuzzle,
    Puzzle,
    read_collection,
    read_hidden_collection,
    read_hidden_puzzle,
    read_puzzle,
)
from durak_core.puzzles.solution import Attempt
from durak_core.review import MoveEvaluation, Question, evaluate_move
from durak_tui.engine import Engine, EngineSolutions, UnsolvedError
from durak_tui.library.model.file import GameError
from durak_tui.library.model.store import Library
from durak_tui.play.analysis import AnalysisCache, Source, lines_text, read_lines
from durak_tui.play.saves import DAY_TAG, Saves, Unfinished, name_of_day
from durak_tui.play.setup import GameSetup, names_at_table
from durak_tui.players import HUMAN
from durak_tui.review.model import ReviewGame
from durak_tui.storage.settings import Settings
from durak_tui.text.i18n import mark

_DAY: Final = timedelta(days=1)


def today() -> date:
    return date.today()  # noqa: DTZ011 - of the clock on the wall


def daily_setup(day: date, settings: Settings) -> GameSetup:
    deal = DailyDeal.of(day)
    players = (HUMAN, *OPPONENTS)
    return GameSetup(deal.rules, players, names_at_table(players, settings), deal.seed, day=day)


def practice_setup(day: date, settings: Settings) -> GameSetup:
    return replace(daily_setup(day, settings), day=None)


def played_days(library: Library) -> dict[date, int]:
    """Return the numbers of the daily games in the library."""
    found = {}
    for text, number in library.tagged(DAY_TAG, SEAT).items():
        with suppress(ValueError):  # another program's tag
            found[date.fromisoformat(text)] = number
    return found


def daily_result(day: date, record: Record) -> DailyResult:
    """Return the result of a day's game. Raises `DurakError` if the record is of another game."""
    return DailyResult.of(DailyDeal.of(day), record)


def was_played(day: date, library: Library, saves: Saves) -> bool:
    """Return whether a day's game was finished or given up, even if deleted since."""
    name = name_of_day(day)
    is_saved = os.path.exists(saves.finished / name)  # noqa: PTH110 - Path.exists raises errors
    is_finished = is_saved or not library.new_files((name,))
    return is_finished or day in library.days_given_up()


def days_begun(games: tuple[Unfinished, ...]) -> dict[date, Unfinished]:
    return {game.setup.day: game for game in games if game.setup.day is not None}


def streak(days: Mapping[date, object], today: date) -> int:
    """Return the number of consecutive days up to today, or up to yesterday if today's deal is unplayed."""
    day = today if today in days else today - _DAY
    count = 0
    while day in days:
        count, day = count + 1, day - _DAY
    return count


DONE: Final = "lesson"
"""The kind under which completed lessons are remembered, by key."""
_DECLINED: Final = "no lesson"
"""Remembered if the player declines the first lesson."""


@cache
def lessons() -> tuple[tuple[Lesson, ...], tuple[DurakError, ...]]:
    """Return the lessons in order, and the errors of unreadable ones."""
    found: list[Lesson] = []
    problems: list[DurakError] = []
    for path in shipped_lessons():
        try:
            found.append(load_lesson(path))
        except DurakError as error:
            problems.append(error)
    return tuple(found), tuple(problems)


def decline(library: Library) -> None:
    library.remember(_DECLINED, "")


def offers_lesson(library: Library) -> bool:
    """Return whether to offer the first lesson: no games, no completed lesson, not declined."""
    return not (library.count() or library.remembered(DONE) or library.remembered(_DECLINED))


INTERVALS: Final = (1, 3, 10, 30)
"""Days until a mistake is repeated after one, two, ... solutions in a row. After the last it is known."""

_KNOWN: Final = len(INTERVALS) + 1
_LONGEST: Final = 100_000
"""Maximum characters of a stored analysis."""
_ASKED: Final = "deleted = 0 AND solved < ? AND (due <= ? OR due > ?)"
"""SQL condition for due mistakes. A date beyond the longest interval comes from a wrong clock and counts as
due.
"""


@dataclass(frozen=True, slots=True)
class Mistake:
    """A costly move.

    Attributes:
        game: The game's number in the library.
        ply: The move's number, from 1.
        lines: The position's analysis, in the caller's format.
        solved: Consecutive solutions.
        due: The day of the next repetition, as ``2026-11-22``; empty for a new mistake.
    """

    game: int
    ply: int
    lines: str
    solved: int = 0
    due: str = ""


def unsearched_games(library: Library) -> list[int]:
    """Return the player's reviewed games not yet searched for mistakes, newest first."""
    statement = (
        "SELECT id FROM judgements JOIN games ON id = game WHERE deleted = 0 AND human IS NOT NULL "
        "AND id NOT IN (SELECT game FROM searched) ORDER BY date DESC, id DESC"
    )
    return [number for (number,) in library.read(statement)]


def keep_mistakes(library: Library, game: int, evaluation: str, found: Mapping[int, str]) -> None:
    """Store a review's mistakes, unless the review has been replaced.

    `found` maps each evaluated move to its lines, or to an empty string if it is no mistake.
    """
    with library.using(Message("What you have learnt cannot be stored"), change=True) as db:
        mark = "INSERT OR IGNORE INTO searched SELECT game FROM judgements WHERE game = ? AND lines = ?"
        if not db.execute(mark, (game, evaluation)).rowcount:
            return
        db.executemany(
            "INSERT INTO mistakes (game, ply, lines) VALUES (?, ?, ?) "
            "ON CONFLICT (game, ply) DO UPDATE SET lines = excluded.lines",
            [(game, ply, lines) for ply, lines in found.items() if lines],
        )
        none = [(game, ply) for ply, lines in found.items() if not lines]
        db.executemany("DELETE FROM mistakes WHERE game = ? AND ply = ?", none)


def due_mistakes(library: Library, now: datetime, key: str = "") -> list[Mistake]:
    """Return the due mistakes, repetitions first; of one game only if its `game_key` is given."""
    which, values = (f"{_ASKED} AND key = ?", (*_asked(now), key)) if key else (_ASKED, _asked(now))
    statement = (
        f"SELECT game, ply, lines, solved, due FROM mistakes JOIN games ON id = game WHERE {which} "  # noqa: S608
        f"AND length(lines) < {_LONGEST} ORDER BY due = '', due, date DESC, game DESC, ply"
    )
    return [Mistake(*row) for row in library.read(statement, values, (int, int, str, int, str))]


def count_mistakes(library: Library, now: datetime) -> tuple[int, int]:
    """Return the numbers of due mistakes and of mistakes not yet known."""
    statement = (
        f"SELECT count(*), coalesce(sum({_ASKED}), 0) FROM mistakes JOIN games ON id = game "  # noqa: S608
        "WHERE deleted = 0 AND solved < ?"
    )
    ((unknown, asked),) = library.read(statement, (*_asked(now), _KNOWN))
    return int(asked), int(unknown)


def settle(
    library: Library, mistake: Mistake, now: datetime, *, is_solved: bool, with_hint: bool = False
) -> int | None:
    """Record whether a mistake's first answer was right, unless another window has recorded one.

    With a hint, a solution counts as the first. `now` has the player's time zone.

    Returns:
        Days until the next repetition, or None once the mistake is known.
    """
    solved = (1 if with_hint else mistake.solved + 1) if is_solved else 0
    days = INTERVALS[min(max(solved, 1), len(INTERVALS)) - 1]
    due = (now.date() + timedelta(days=days)).isoformat()
    when = now.astimezone(UTC).isoformat(timespec="seconds")
    with library.using(Message("What you have learnt cannot be stored"), change=True) as db:
        db.execute(
            "UPDATE mistakes SET solved = ?, due = ?, tried = ? "
            "WHERE game = ? AND ply = ? AND solved = ? AND due = ?",
            (solved, due, when, mistake.game, mistake.ply, mistake.solved, mistake.due),
        )
    return days if solved < _KNOWN else None


def _asked(now: datetime) -> tuple[int | str, ...]:
    today = now.date()
    return _KNOWN, today.isoformat(), (today + timedelta(days=INTERVALS[-1])).isoformat()


_NOT_GOOD: Final = frozenset({"??", "?", "?!"})


class ExerciseVerdict(Enum):
    """The verdict on an answer."""

    RIGHT = auto()
    WORSE = auto()
    UNKNOWN = auto()
    """Under-searched, or another order of the same defence."""


@dataclass(frozen=True)
class Exercise:
    """A move to improve.

    Attributes:
        state: The position. Only the player's observation may be shown.
        lines: Its analysis, best first.
        played: The evaluation of the move played.
    """

    mistake: Mistake
    record: Record
    state: State
    lines: Sequence[SearchedAction]
    played: MoveEvaluation

    @classmethod
    def of(cls, mistake: Mistake, record: Record) -> Exercise:
        """Create an exercise. Raises `GameError` if the position is invalid or its analysis does not fit."""
        try:
            state, move = record.replay()[mistake.ply - 1], record.moves[mistake.ply - 1]
            lines = read_lines(mistake.lines.split("\n"))
            asked = Question(mistake.ply, state, move.action, move.action)
        except (DurakError, IndexError) as error:
            raise _damaged(mistake) from error
        fits = {line.action for line in lines} == set(state.legal_actions) and state.turn == move.seat
        played = evaluate_move(asked, lines) if fits else None
        if played is None or not played.is_grave:
            raise _damaged(mistake)
        return cls(mistake, record, state, lines, played)

    @property
    def seat(self) -> int:
        return self.played.seat

    @cached_property
    def observation(self) -> Observation:
        return self.state.observation(self.seat)

    @property
    def best(self) -> Action:
        return self.lines[0].action

    def evaluate_move(self, action: Action) -> MoveEvaluation:
        asked = Question(self.mistake.ply, self.state, action, self.played.action)
        return evaluate_move(asked, self.lines)

    def verdict(self, action: Action) -> ExerciseVerdict:
        evaluation = self.evaluate_move(action)
        if evaluation.mark in _NOT_GOOD:
            return ExerciseVerdict.WORSE
        return ExerciseVerdict.RIGHT if evaluation.unevaluated is None else ExerciseVerdict.UNKNOWN

    @property
    def wrong_card(self) -> Card | None:
        """The worst card to play apart from the played one, or None."""
        good, wrong = set(), []
        for line in self.lines:
            card = card_of(line.action)
            if self.verdict(line.action) is not ExerciseVerdict.WORSE:
                good.add(card)
            elif card is not None and card != card_of(self.played.action):
                wrong.append(card)
        return next((card for card in reversed(wrong) if card not in good), None)


def _damaged(mistake: Mistake) -> GameError:
    return GameError("Move {ply} of a game cannot be asked about: it is damaged.", ply=mistake.ply)


def find_mistakes(library: Library, turn: Callable[[], None] = lambda: None) -> list[Message]:
    """Find the player's mistakes in newly reviewed games; return the problems of unreadable games.

    `turn` is called after each game.

    Raises:
        LibraryError: If the library cannot be read or written.
    """
    problems = []
    for number in unsearched_games(library):
        try:
            record = library.record(number)
            _engine, _time, evaluation = library.evaluation(record) or ("", 0, "")
            keep_mistakes(library, number, evaluation, _mistakes(record, evaluation))
        except GameError as error:
            problems.append(error.message)
        turn()
    return problems


def _mistakes(record: Record, evaluation: str) -> dict[int, str]:
    """Return the analysis of each evaluated move of the player, or an empty string if it is no mistake."""
    answers = AnalysisCache()
    game = ReviewGame(record, answers=answers)
    answers.load(evaluation, Source("", 0), game.states)
    found = {}
    for ply, one in game.review.evaluations.items():
        lines = answers.lines_at((ply - 1, ()))
        if one.seat == game.viewer and lines:
            is_mistake = one.is_grave and one.action in {line.action for line in lines}
            found[ply] = "\n".join(lines_text(lines)) if is_mistake else ""
    return found


class Exercises:
    """The due mistakes of all games, or of one game by key, in order.

    Attributes:
        number: The current mistake, from 1.
    """

    def __init__(self, library: Library, key: str = "") -> None:
        self.library = library
        self._mistakes = due_mistakes(library, now(), key)
        self.number = 0

    @property
    def count(self) -> int:
        return len(self._mistakes)

    def following(self, problems: list[Message]) -> Exercise | None:
        """Return the next exercise, or None. Damaged ones are added to `problems`."""
        while self.number < self.count:
            mistake = self._mistakes[self.number]
            self.number += 1
            try:
                return Exercise.of(mistake, self.library.record(mistake.game))
            except GameError as error:
                problems.append(error.message)
        return None


def now() -> datetime:
    return datetime.now().astimezone()


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
    "attack": (mark("Attack"), frozenset({"low", "high", "pair", "unbeatable", "offer", "several"})),
    "defence": (mark("Defence"), frozenset({"higher", "take", "close"})),
    "trumps": (mark("Trumps"), frozenset({"trump"})),
    "throwing": (mark("Throwing in"), frozenset({"throw", "stop"})),
    "transfers": (mark("Transfers"), frozenset({"transfer"})),
    "surprises": (mark("Surprises"), frozenset({"high", "ace", "zugzwang"})),
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


@dataclass(eq=False)
class HiddenSolving:
    """A hidden-card puzzle: one move, after which the game does not continue.

    Attributes:
        failed: Whether a wrong move was played or the answer was shown.
        found: The right action once played or shown.
        tried: The last wrong action.
    """

    number: int
    puzzle: HiddenPuzzle
    failed: bool = False
    found: Action | None = None
    tried: Action | None = None

    open_hands: ClassVar[None] = None

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


class EndgameSolving:
    """An endgame puzzle with open cards. An engine solves it and plays the other seat.

    Attributes:
        failed: Whether a wrong move was played or the answer was shown.
    """

    def __init__(self, number: int, puzzle: Puzzle, engine: Engine) -> None:
        self.number = number
        self.puzzle = puzzle
        self.failed = False
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

    def line(self, action: Action) -> SearchedAction | None:
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


Solving: TypeAlias = HiddenSolving | EndgameSolving


def solving_of(number: int, puzzle: Puzzle | HiddenPuzzle, engine: Engine) -> Solving:
    if isinstance(puzzle, HiddenPuzzle):
        return HiddenSolving(number, puzzle)
    return EndgameSolving(number, puzzle, engine)
