"""A reviewed game: positions, variations, stored analysis, background search, and export.

Positions have a key, under which `AnalysisCache` stores their lines.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar, Final

from durak_core import Action, Record, SearchedAction, State, write_game, write_json_line
from durak_core.errors import printable
from durak_core.files import make_private, write_text_atomically, writing
from durak_core.game.real_game import seat_to_show
from durak_core.review import MoveEvaluation, Review, questions, turning_point, worst_moves
from durak_tui.engine import Engine
from durak_tui.library.model.service import LibraryService, is_json_name
from durak_tui.play.analysis import AnalysisCache, GameSearch, PositionKey, Source
from durak_tui.play.game import Game, Moment
from durak_tui.players import HUMAN, fit_names, recorded_players
from durak_tui.storage.paths import data_dir, unused_path, why_no_place, written_path
from durak_tui.storage.settings import Settings
from durak_tui.text.i18n import date_text, in_every_language, ngettext

_ENOUGH: Final = 3
"""Choices that must count for an accuracy."""


class ReviewGame(Game[State]):
    """A recorded game, variations of it, and the review so far.

    Args:
        viewer: The viewing seat; by default the person's, or the first one.
        answers: Earlier analysis.

    Raises:
        RecordError: If the game is impossible, or real cards were drawn that have no names yet.

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
        self.known_seat = seat_to_show(record, None)
        if self.known_seat is not None:
            self.viewer = self.known_seat
        self.answers = answers or AnalysisCache()
        self.ply = 0
        self.tried: tuple[Action, ...] = ()
        self._asked = questions(record, self.states)
        self._variation: tuple[Action, ...] = ()
        self._tried_states: dict[PositionKey, State] = {}
        self._review: tuple[int, Review] | None = None

    # The shown position

    @property
    def key(self) -> PositionKey:
        return self.ply, self.tried

    @property
    def shown(self) -> State:
        return self.state_at(self.key)

    @property
    def path(self) -> tuple[State, ...]:
        tried = [self.state_at((self.ply, self.tried[:depth])) for depth in range(1, len(self.tried) + 1)]
        return (*self.states[: self.ply + 1], *tried)

    def state_at(self, key: PositionKey) -> State:
        ply, tried = key
        if not tried:
            return self.states[ply]
        if key not in self._tried_states:
            self._tried_states[key] = self.state_at((ply, tried[:-1])).apply(tried[-1])
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

    @property
    def moments(self) -> tuple[int, ...]:
        """The viewer's key positions, in the order of the game: before a mistake or at the turning point."""
        plies = {ply for mark in ("??", "?", "?!") for ply in self.marked(mark)}
        turning = self.turning_ply
        return tuple(sorted(plies if turning is None else plies | {turning}))

    @property
    def first_choice(self) -> int:
        """Number of moves before the viewer's first choice, 0 without any."""
        plies = (asked.ply for asked in self._asked if asked.is_free and self._is_viewers(asked.ply))
        return next(plies, 1) - 1

    @property
    def turning_ply(self) -> int | None:
        """Number of moves before the viewer's turning point, otherwise before the costliest move."""
        turn = turning_point(self.review, self.viewer)
        if turn is not None:
            return turn.ply if turn.own is None else turn.own.ply - 1
        worst = worst_moves(self.review, self.viewer)
        return worst[0].ply - 1 if worst else None

    def go_next(self) -> bool:
        """Show the viewer's next key position, or the first one again; return whether there is one."""
        return self._go_next_of(self.moments)

    def go_mark(self, mark: str) -> bool:
        """Show the viewer's next or first position with a mark; return whether there is one."""
        return self._go_next_of(self.marked(mark))

    def marked(self, mark: str) -> tuple[int, ...]:
        """Return the positions before the viewer's moves with a mark."""
        found = self.review.evaluations.values()
        return tuple(one.ply - 1 for one in found if one.seat == self.viewer and one.mark == mark)

    def _go_next_of(self, plies: Sequence[int]) -> bool:
        if plies:
            self.go(next((ply for ply in plies if ply > self.ply), plies[0]))
        return bool(plies)

    def follow(self, action: Action) -> None:
        if not self.tried and action == self.played:
            self.go(self.ply + 1)
            return
        tried = (*self.tried, action)
        self.state_at((self.ply, tried))
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
        """The actions of the shown position, best first as far as known; the others are not tried.

        With real cards, another seat's are unknown, except the one that it played.
        """
        played, lines = self.played, self.answers.lines_at(self.key)
        known = {line.action for line in lines}
        legal = self.shown.legal_actions if self._is_choice_known else ()
        others = [action for action in legal if action not in known]
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
        version = self.answers.version
        if self._review is None or self._review[0] != version:
            self._review = version, Review(self.record, self._asked, self.answers.by_ply())
        return self._review[1]

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
    def own_choices(self) -> int:
        """Number of the viewer's choices."""
        return sum(asked.is_free and self._is_viewers(asked.ply) for asked in self._asked)

    @property
    def open_choices(self) -> int:
        """Number of the viewer's choices not yet analysed."""
        return sum(map(self._is_viewers, self.review.open_plies))

    @property
    def evaluated_moves(self) -> int:
        return self.free_moves - len(self.review.open_plies)

    def is_settled(self, seat: int | None = None) -> bool:
        """Return whether the analysis of a player's moves, or of all, is finished.

        Its marks and the accuracy no longer change.
        """
        doubts = [ply + 1 for ply, _tried in self.answers.doubts(self.review.evaluations)]
        plies = (*self.review.open_plies, *doubts)
        return not any(seat in {None, self.record.moves[ply - 1].seat} for ply in plies)

    @property
    def is_flawless(self) -> bool:
        """Whether the viewer surely made no mistake: each choice was searched enough, none has a mark."""
        unsure = self.review.player(self.viewer).unsure
        return self.is_settled(self.viewer) and not self.moments and not unsure

    def accuracy(self, seat: int) -> float | None:
        """Return a player's accuracy, 0 to 100; None if it may still change or too few choices count."""
        player = self.review.player(seat)
        return player.accuracy if self.is_settled(seat) and player.counted >= _ENOUGH else None

    async def remember(self, library: LibraryService) -> None:
        """Store the analysis in the library, and the accuracies once the review is complete."""
        if self.answers.is_stored or self.answers.source is None:
            return
        source = self.answers.source
        played = {seat: self.accuracy(seat) for seat in range(self.record.rules.seats)}
        accuracies = {seat: value for seat, value in played.items() if value is not None}
        evaluation = source.engine, source.milliseconds, self.answers.text()
        self.answers.is_stored = True  # the library retries from now on
        await library.keep_evaluation(self.record, evaluation, accuracies if self.is_settled() else {})

    def recall(self, library: LibraryService) -> None:
        stored = library.evaluation(self.record)
        if stored is not None:
            engine, milliseconds, lines = stored
            self.answers.load(lines, Source(engine, milliseconds), self.states)

    def open_positions(self) -> Iterator[PositionKey]:
        """Yield unanalysed positions: the shown one, then later ones, the viewer's first."""
        if len(self.shown.legal_actions) > 1 and self._is_choice_known and self.key not in self.answers:
            yield self.key
        order = {ply: (ply <= self.ply, not self._is_viewers(ply)) for ply in self.review.open_plies}
        for ply in sorted(order, key=order.__getitem__):
            yield ply - 1, ()

    @property
    def _is_choice_known(self) -> bool:
        return self.known_seat in {None, self.shown.turn}

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
    if folder == data_dir() / "reviews" and not os.path.exists(folder):  # noqa: PTH110 - Path.exists raises errors
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


class Reviewer(GameSearch):
    """Analyses a finished game: the shown position first, then the viewer's until their marks are sure."""

    NAME: ClassVar[str] = "durak-review"

    def __init__(
        self, game: ReviewGame, engine: Engine, changed: Callable[[], None], milliseconds: int = 300
    ) -> None:
        super().__init__(engine, changed, milliseconds)
        self._game = game
        self.answers = game.answers

    @property
    def evaluations(self) -> Mapping[int, MoveEvaluation]:
        return self._game.review.evaluations

    def _open(self) -> Iterator[PositionKey]:
        return self._game.open_positions()

    def _state(self, key: PositionKey) -> State:
        return self._game.state_at(key)

    def _waits(self, key: PositionKey) -> bool:
        return key != self._game.key and self._game.states[key[0]].turn != self._game.viewer
