"""The player's mistakes: storage, spaced repetition, and exercises made of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import Enum, auto
from functools import cached_property
from typing import Final

from durak_core import Action, Card, Observation, Record, State
from durak_core.engine.protocol import Line
from durak_core.errors import DurakError
from durak_core.messages import Message
from durak_core.review import MoveEvaluation, Question, evaluate_move
from durak_core.review.comparison import card_of
from durak_tui.library.model.errors import GameError
from durak_tui.library.model.store import Library
from durak_tui.review.model.analysis_cache import AnalysisCache, Source, lines_text, read_lines
from durak_tui.review.model.review_game import ReviewGame

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
    """Return the due mistakes, repetitions first; only those of one game if its `game_key` is given."""
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


_MISTAKES: Final = frozenset({"??", "?"})
_NOT_GOOD: Final = frozenset({"??", "?", "?!"})


class Verdict(Enum):
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
    lines: Sequence[Line]
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
        if played is None or played.mark not in _MISTAKES:
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

    def verdict(self, action: Action) -> Verdict:
        evaluation = self.evaluate_move(action)
        if evaluation.mark in _NOT_GOOD:
            return Verdict.WORSE
        return Verdict.RIGHT if evaluation.unevaluated is None else Verdict.UNKNOWN

    @property
    def wrong_card(self) -> Card | None:
        """The worst card to play apart from the played one, or None."""
        good, wrong = set(), []
        for line in self.lines:
            card = card_of(line.action)
            if self.verdict(line.action) is not Verdict.WORSE:
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
            is_mistake = one.mark in _MISTAKES and one.action in {line.action for line in lines}
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
