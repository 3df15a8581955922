"""A reviewed game: positions, variations, stored analysis, background search, and export.

Positions have a key, under which `AnalysisCache` stores their lines.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Final, TypeAlias

from durak_core import Action, Observation, Record, SearchedAction, State, write_game, write_json_line
from durak_core.engine.client import Search
from durak_core.engine.protocol import parse_line, write_line
from durak_core.errors import EngineError
from durak_core.files import make_private, read_json, write_text_atomically, writing
from durak_core.messages import printable
from durak_core.review import MoveEvaluation, Review, Unevaluated, questions
from durak_tui.engine import BackgroundSearch, Engine, Request
from durak_tui.library.model.service import LibraryService, is_json_name
from durak_tui.play.game import Game, Moment
from durak_tui.players import HUMAN, fit_names, recorded_players
from durak_tui.storage.paths import data_dir, unused_path, why_no_place, written_path
from durak_tui.storage.settings import Settings
from durak_tui.text.i18n import date_text, in_every_language, ngettext

PositionKey: TypeAlias = tuple[int, tuple[Action, ...]]
"""Number of game moves before a position, and the variation's actions after them."""

_HEAD: Final = "info line "
"""Start of every protocol line, omitted in storage."""

_LONGEST: Final = 16_000_000
"""Maximum characters of a game's lines."""


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


class AnalysisCache:
    """Analysis lines by position, kept after the screen is closed.

    Attributes:
        hasty: Positions searched before the engine was compiled.
        source: The engine of the newest lines, or None.
        is_stored: Whether the library has all lines, or will retry to store them.
    """

    def __init__(self) -> None:
        self._lines: dict[PositionKey, tuple[SearchedAction, ...]] = {}
        self.hasty: set[PositionKey] = set()
        self.source: Source | None = None
        self.is_stored = True

    def __contains__(self, key: PositionKey) -> bool:
        return key in self._lines

    def lines_at(self, key: PositionKey) -> tuple[SearchedAction, ...]:
        """Return a position's lines, best first; empty if it is not analysed."""
        return self._lines.get(key, ())

    def add_lines(self, key: PositionKey, lines: Iterable[SearchedAction], *, hasty: bool = False) -> None:
        """Store a position's lines, best first, one per legal action.

        Lines are hasty if the engine ran interpreted: a compiled search may do better.
        """
        self._lines[key] = tuple(lines)
        self.hasty.discard(key)
        if hasty:
            self.hasty.add(key)
        if not key[1]:
            self.is_stored = False

    def clear(self) -> None:
        self._lines.clear()
        self.hasty.clear()
        self.source = None

    def by_ply(self) -> dict[int, tuple[SearchedAction, ...]]:
        """Return the lines of the game's positions by the number of the next move."""
        return {ply + 1: lines for (ply, tried), lines in self._lines.items() if not tried}

    # Storage

    def text(self) -> str:
        lines = {ply: lines_text(found) for (ply, tried), found in self._lines.items() if not tried}
        hasty = sorted(ply for ply, tried in self.hasty if not tried)
        return json.dumps({"hasty": hasty, "lines": lines}, separators=(",", ":"), sort_keys=True)

    def load(self, text: str, source: Source, states: Sequence[State]) -> None:
        """Load the output of `text`. Lines that do not fit the game are skipped, and analysed again."""
        try:
            stored: Any = read_json(text, _LONGEST)
            hasty = set(stored["hasty"])
            by_ply = {int(ply): read_lines(lines) for ply, lines in stored["lines"].items()}
        except (ValueError, TypeError, KeyError, AttributeError, EngineError):
            return
        for ply, lines in by_ply.items():
            is_there = 0 <= ply < len(states)
            if is_there and {line.action for line in lines} == set(states[ply].legal_actions):
                self.add_lines((ply, ()), lines, hasty=ply in hasty)
                self.source = source
        self.is_stored = True


_ENOUGH: Final = 3
"""Choices that must count for an accuracy."""


class ReviewGame(Game[State]):
    """A recorded game, variations of it, and the review so far.

    Args:
        record: The game.
        viewer: The viewing seat; by default the person's, or the first one.
        answers: Earlier analysis.

    Raises:
        RecordError: If the game is impossible.

    Attributes:
        ply: Number of game moves before the position, or before the variation.
        tried: The variation's moves up to the shown position.
    """

    def __init__(
        self, record: Record, viewer: int | None = None, answers: AnalysisCache | None = None
    ) -> None:
        players = recorded_players(record)
        if viewer is None:
            viewer = players.index(HUMAN) if HUMAN in players else 0
        super().__init__(record.replay(), fit_names(record.players), players, viewer)
        self.record = record
        self.answers = answers or AnalysisCache()
        self.ply = 0
        self.tried: tuple[Action, ...] = ()
        self._asked = questions(record, self.states)
        self._variation: tuple[Action, ...] = ()
        self._tried_states: dict[PositionKey, State] = {}
        self._review: Review | None = None

    # The shown position

    @property
    def key(self) -> PositionKey:
        return self.ply, self.tried

    @property
    def shown(self) -> State:
        return self._state_at(self.key)

    @property
    def path(self) -> tuple[State, ...]:
        tried = [self._state_at((self.ply, self.tried[:depth])) for depth in range(1, len(self.tried) + 1)]
        return (*self.states[: self.ply + 1], *tried)

    def _state_at(self, key: PositionKey) -> State:
        ply, tried = key
        if not tried:
            return self.states[ply]
        if key not in self._tried_states:
            self._tried_states[key] = self._state_at((ply, tried[:-1])).apply(tried[-1])
        return self._tried_states[key]

    def go(self, ply: int) -> None:
        """Show the position after this many moves of the game, or the nearest."""
        super().go(ply)
        self.tried = self._variation = ()

    def step(self, direction: int) -> None:
        """Go one move forward (1) or back (-1), in the game or in the variation."""
        if not self._variation:
            super().step(direction)
            return
        depth = min(len(self.tried) + direction, len(self._variation))
        self.tried = self._variation[:depth]
        if depth == 0:
            self._variation = ()

    def go_bout(self, direction: int) -> None:
        """Show the start of a bout of the game, counted from where a variation begins."""
        self.ply += bool(self.tried and direction < 0)
        super().go_bout(direction)

    def go_mark(self, mark: str) -> bool:
        """Show the next or first position with a mark, as its player; return False if there is none."""
        plies = [ply for ply, evaluation in self.review.evaluations.items() if evaluation.mark == mark]
        if not plies:
            return False
        ply = next((ply for ply in plies if ply - 1 > self.ply), plies[0])
        self.go(ply - 1)
        self.viewer = self.review.evaluations[ply].seat
        return True

    def follow(self, action: Action) -> None:
        if not self.tried and action == self.played:
            self.go(self.ply + 1)
            return
        tried = (*self.tried, action)
        self._state_at((self.ply, tried))
        if self._variation[: len(tried)] != tried:
            self._variation = tried
        self.tried = tried

    def leave_variation(self) -> None:
        """Leave the variation, and show the position where it starts."""
        self.go(self.ply)

    # The viewer's information

    @property
    def played(self) -> Action | None:
        if self.tried or self.ply >= len(self.record.moves):
            return None
        return self.record.moves[self.ply].action

    @property
    def candidates(self) -> tuple[SearchedAction, ...]:
        """The actions of the shown position, best first as far as known; the others are not tried."""
        played, lines = self.played, self.answers.lines_at(self.key)
        known = {line.action for line in lines}
        others = [action for action in self.shown.legal_actions if action not in known]
        if played is not None and played not in known and played not in others:
            others.append(played)  # a defence of a card other than the oldest (rules 5.5)
        return (*lines, *[SearchedAction(action, 0.5) for action in others])

    @property
    def moment(self) -> Moment:
        if not self.tried:
            return super().moment
        return replace(super().moment, ply=self.shown.plies, last_ply=self.shown.plies, story=None)

    @property
    def you(self) -> int | None:
        """The seat addressed as "you", if the player is called so, else None."""
        nameless = in_every_language("name", Settings().name)
        return next((seat for seat, name in enumerate(self.names) if name in nameless), None)

    # The review

    @property
    def review(self) -> Review:
        if self._review is None:
            self._review = Review(self.record, self._asked, self.answers.by_ply())
        return self._review

    @property
    def next_evaluation(self) -> MoveEvaluation | None:
        return None if self.tried else self.review.evaluations.get(self.ply + 1)

    @property
    def last_evaluation(self) -> MoveEvaluation | None:
        return None if self.tried else self.review.evaluations.get(self.ply)

    @property
    def free_moves(self) -> int:
        return sum(question.is_free for question in self._asked)

    @property
    def open_choices(self) -> int:
        """Number of the viewer's choices not yet analysed."""
        return sum(map(self._is_viewers, self.review.open_plies))

    @property
    def evaluated_moves(self) -> int:
        return self.free_moves - len(self.review.open_plies)

    def accuracy(self, seat: int) -> float | None:
        """Return a player's accuracy, 0 to 100; None if it is unknown or too few choices count."""
        player = self.review.player(seat)
        return player.accuracy if player.counted >= _ENOUGH else None

    def answer(self, key: PositionKey, lines: Sequence[SearchedAction], *, hasty: bool = False) -> None:
        self.answers.add_lines(key, lines, hasty=hasty)
        self._review = None

    def clear_analysis(self) -> None:
        self.answers.clear()
        self._review = None

    async def remember(self, library: LibraryService) -> None:
        """Store the analysis in the library, and the accuracies once the review is complete."""
        if self.answers.is_stored or self.answers.source is None:
            return
        source, review = self.answers.source, self.review
        played = {seat: self.accuracy(seat) for seat in range(self.record.rules.seats)}
        accuracies = {seat: value for seat, value in played.items() if value is not None}
        evaluation = source.engine, source.milliseconds, self.answers.text()
        self.answers.is_stored = True  # the library retries from now on
        await library.keep_evaluation(self.record, evaluation, accuracies if review.is_complete else {})

    def recall(self, library: LibraryService) -> None:
        stored = library.evaluation(self.record)
        if stored is not None:
            engine, milliseconds, lines = stored
            self.answers.load(lines, Source(engine, milliseconds), self.states)

    def wanted(self, *, warm: bool = False) -> tuple[PositionKey, Observation] | None:
        """Return the next position to search, as its player sees it. If warm, hasty ones come again."""
        key = next(self._open_positions(), None)
        if key is None and warm:
            key = min(self.answers.hasty, key=lambda at: (len(at[1]), at[0]), default=None)
        if key is None:
            return None
        state = self._state_at(key)
        return key, state.observation(state.turn or 0)

    def doubtful(self, settled: Collection[PositionKey]) -> tuple[PositionKey, Observation] | None:
        """Return a position whose evaluation is doubtful and not in `settled`, or None."""
        for ply, evaluation in self.review.evaluations.items():
            key: PositionKey = (ply - 1, ())
            if evaluation.is_doubtful and key not in settled:
                return key, self.states[ply - 1].observation(evaluation.seat)
        return None

    def under_searched(self, tries: Mapping[PositionKey, int], most: int) -> PositionKey | None:
        """Return a position searched too little for an evaluation, the viewer's first, or None.

        Positions with the most tries are left out.
        """
        plies = [
            ply
            for ply, evaluation in self.review.evaluations.items()
            if evaluation.unevaluated is Unevaluated.TOO_LITTLE and tries.get((ply - 1, ()), 0) < most
        ]
        plies.sort(key=lambda ply: (not self._is_viewers(ply), tries.get((ply - 1, ()), 0)))
        return (plies[0] - 1, ()) if plies else None

    def _open_positions(self) -> Iterator[PositionKey]:
        """Yield unanalysed positions: the shown one, then later ones, the viewer's first."""
        if len(self.shown.legal_actions) > 1 and self.key not in self.answers:
            yield self.key
        order = {ply: (ply <= self.ply, not self._is_viewers(ply)) for ply in self.review.open_plies}
        for ply in sorted(order, key=order.__getitem__):
            yield ply - 1, ()

    def _is_viewers(self, ply: int) -> bool:
        return self.record.moves[ply - 1].seat == self.viewer


def game_line(number: int, record: Record) -> str:
    """Return a game's line in a list, from its index."""
    names = ", ".join(fit_names(record.players))
    date = f" {printable(date_text(record.date))}" if record.date else ""
    moves = ngettext("{count} move", "{count} moves", len(record.moves))
    return f"{number + 1:>3}{date} {names} - {moves}"


def default_path(game: ReviewGame) -> Path:
    names = "-".join(re.sub(r"\W+", "", name) or f"seat{seat}" for seat, name in enumerate(game.names))
    date = re.sub(r"[^0-9-]+", "", game.record.date[:10])
    stem = "-".join(part for part in (date, names[:60]) if part)
    return unused_path(data_dir() / "reviews" / f"{stem}.durak")


def export_problem(text: str) -> str:
    """Return why a game cannot be written to a path, or an empty string."""
    folder = written_path(text).parent
    if folder == data_dir() / "reviews" and not folder.exists():
        return ""  # created by the export
    return why_no_place(text)


def export_review(game: ReviewGame, text: str) -> Path:
    """Write a game with marks and comments atomically; return the path."""
    path = written_path(text)
    if path.parent == data_dir() / "reviews":
        with writing(path):
            make_private(path.parent)
    record = game.review.annotated()
    write = write_json_line if is_json_name(path) else write_game
    write_text_atomically(path, write(record))
    return path


_FIRST_LOOK: Final = 4
"""Divisor of the search time for the first search of a position."""
_MOST_TRIES: Final = 4
"""Further searches of a position searched too little, each twice as long as the one before."""


class Reviewer(BackgroundSearch):
    """Searches every unanalysed position of a game, the shown one first.

    Each position gets a quarter of the time, and then all of it if its evaluation is doubtful. Positions
    searched too little, as before the engine is compiled, get more and more time. `changed` is also called
    when all is done.

    Attributes:
        is_idle: Whether all is done, until another variation is entered.
    """

    NAME: ClassVar[str] = "durak-review"

    def __init__(
        self, game: ReviewGame, engine: Engine, changed: Callable[[], None], milliseconds: int = 300
    ) -> None:
        super().__init__(engine, changed, milliseconds)
        self._game = game
        self.is_idle = False
        self._settled: set[PositionKey] = set()
        self._tries: dict[PositionKey, int] = {}

    def attend(self) -> None:
        """Choose the next position again after the shown one changed."""
        self._wake.set()

    def _wanted(self) -> Request | None:
        wanted = self._game.wanted(warm=self._is_warm)
        milliseconds = self.milliseconds // _FIRST_LOOK
        settle: Callable[[PositionKey], None] = self._settled.discard
        if wanted is None:
            wanted = self._game.doubtful(self._settled)
            milliseconds, settle = self.milliseconds, self._settled.add
        if wanted is None:
            wanted, milliseconds = self._again()
        self.is_idle = wanted is None
        if wanted is None:
            self._changed()
            return None
        key, observation = wanted
        return observation, milliseconds, partial(self._take, key, observation, settle)

    def _again(self) -> tuple[tuple[PositionKey, Observation] | None, int]:
        """Return a position searched too little, with the milliseconds of its next search."""
        key = self._game.under_searched(self._tries, _MOST_TRIES)
        if key is None:
            return None, 0
        tries = self._tries.get(key, 0)
        self._tries[key] = tries + 1
        state = self._game.states[key[0]]
        return (key, state.observation(state.turn or 0)), self.milliseconds << tries

    def _take(
        self,
        key: PositionKey,
        observation: Observation,
        settle: Callable[[PositionKey], None],
        search: Search,
    ) -> bool:
        if {line.action for line in search.lines.values()} != set(observation.legal_actions):
            raise EngineError("the engine did not evaluate every action of the position")
        settle(key)
        self._game.answer(key, search.ranked, hasty=self._is_hasty(search))
        self._game.answers.source = Source(self._engine.name, self.milliseconds)
        return True
