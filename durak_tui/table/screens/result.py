"""The result of a game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from textual import events
from textual.app import ComposeResult
from textual.widgets import Button, Static

from durak_core import Record
from durak_tui.engine.processes import Engine
from durak_tui.keys.actions import ACTIONS
from durak_tui.learn.view.daily import shared_line
from durak_tui.play.session import Session
from durak_tui.review.model.review_game import ReviewGame
from durak_tui.review.model.reviewer import Reviewer
from durak_tui.review.view import turning_words, worst_move_words
from durak_tui.table.view import (
    accuracy_line,
    chance_plot,
    facts,
    headline,
    places_line,
    rating_change_line,
    shoulder_straps,
)
from durak_tui.table.widgets import ResultBanner, card_count
from durak_tui.text.i18n import gettext, ngettext, pgettext
from durak_tui.text.phrases import Voice
from durak_tui.ui.screens.base import start_work
from durak_tui.ui.screens.share import SharingAsk
from durak_tui.ui.widgets.plot import Plot

_PLOT_FROM: Final = 34
"""Window rows needed for the curve."""
_BANNER_FROM: Final = 30
"""Window rows needed for the place in large signs and the faces."""
_SMALL_BANNER_FROM: Final = 24
"""Window rows needed for both in one row."""
_SIDES: Final = 8
"""Window columns left and right of the text."""
_AROUND: Final = 9
"""Window rows around the text."""
_FINGER: Final = 4
"""Rows of a button on a phone, with the gap below it."""
_LEAST: Final = 5
_MOST: Final = 29
_MOST_AT_ONCE: Final = 15
"""Rows of text when no analysis follows."""


class WorstMove(Static):
    """A key moment. A click opens it in the review."""


class ResultDialog(SharingAsk):
    """Shows the result at once, and the analysis of the play as it arrives.

    Returns a button's name, or the number of a move to open in the review.

    Args:
        session: The game.
        record: The game as the library stores it.
        game: The game under review by its player; None if several people played.
        engine: The engine for the analysis.
    """

    def __init__(self, session: Session, record: Record, game: ReviewGame | None, engine: Engine) -> None:
        buttons = {
            "again": (gettext("Next game"), gettext("The same players, new cards.")),
            "new": (gettext("New game"), gettext("Choose the game and the players first.")),
            "swap": (
                gettext("Swap seats"),
                gettext("Same deal, new seats."),
            ),
            "review": (pgettext("button", "Review"), gettext("Look at the game again, move by move.")),
            "mistakes": (gettext("Fix mistakes"), gettext("Retry your costliest moves.")),
            "menu": (gettext("Menu"), gettext("Leave the table.")),
        }
        if session.setup.day is not None:
            copy = pgettext("button", "Copy"), gettext("Copy the line, to share it.")
            buttons = {"copy": copy, **{name: buttons[name] for name in ("review", "mistakes", "menu")}}
        labels = [(name, label) for name, (label, _how) in buttons.items()]
        super().__init__(lambda: record, labels)
        if "copy" in buttons:
            self._keys[0] = ACTIONS["daily.copy"].keys[0]
        self._session = session
        self._hints = {f"answer-{name}": how for name, (_label, how) in buttons.items()}
        self._record = record
        self._game = game
        self._moves: Sequence[tuple[int, str]] = ()
        self._reviewer = None if game is None else Reviewer(game, engine, self._answered)

    def compose_text(self) -> ComposeResult:
        session, plain = self._session, self.host.settings.ascii
        observation = session.moment.observation
        voice = Voice(session.names, session.moment.human, plain)
        yield Static(headline(observation, voice), id="headline", markup=False)
        yield ResultBanner()
        told = (shoulder_straps(observation, voice), places_line(observation, voice))
        yield Static("\n".join(filter(None, told)), markup=False)
        yield Static(id="daily", markup=False)
        for name in ("rating", "accuracy", "turning"):
            yield Static(id=name, markup=False)
        yield Plot()
        yield Static(id="learn", markup=False)
        for number in range(3):
            yield WorstMove(id=f"move-{number}", markup=False)
        yield Static(facts(session), id="facts", markup=False)

    def compose_below(self) -> ComposeResult:
        yield Static(id="what", markup=False)

    def on_mount(self) -> None:
        self._tell("rating", "")
        self.query_one("#answer-mistakes", Button).disabled = True
        self._fit()
        if not (self.host.settings.reduced_motion or self.app.animation_level == "none"):
            self.query_one(ResultBanner).turn_cards(card_count(self._session.moment))
        if self._reviewer is not None:
            self._reviewer.milliseconds = self.host.settings.review_milliseconds
            self._reviewer.start()
            start_work(self, self._show_rating, group="rating")

    async def on_unmount(self) -> None:
        if self._reviewer is not None:
            await self._reviewer.close()

    def on_resize(self) -> None:
        self._fit()

    def _fit(self) -> None:
        # The height is fixed, so that later results do not move the buttons.
        width, height = self.app.size
        rows = max(_LEAST, height - _AROUND)
        if self.is_for_fingers:
            rows_of_buttons = -(-len(self._buttons) // (2 if self.is_upright else 3))
            rows = max(_LEAST, rows - _FINGER * (rows_of_buttons - 1))
        banner = self.query_one(ResultBanner)
        banner.show(
            self._session.moment,
            width - _SIDES,
            is_small=height < _BANNER_FROM,
            ascii_only=self.host.settings.ascii,
        )
        banner.display = height >= _SMALL_BANNER_FROM
        self.query_one(".text").styles.height = min(rows, _MOST if self._game else _MOST_AT_ONCE)
        self._show_evaluation()

    # Texts

    async def _show_rating(self) -> None:
        change = await self.host.library.rating_change(self._record)
        if change is not None and self.is_complete:
            self._tell("rating", rating_change_line(*change, ascii_only=self.host.settings.ascii))

    def _answered(self) -> None:
        if self.is_complete:
            self._show_evaluation()
            game = self._game
            if game is not None and game.review.is_complete and not game.answers.is_stored:
                start_work(self, game.remember, self.host.library, group="remember", exclusive=True)

    def _show_evaluation(self) -> None:
        game = self._game
        self._tell("daily", self._line)
        plot = self.query_one(Plot)
        problem = self._reviewer is not None and self._reviewer.problem
        is_evaluated = game is not None and game.evaluated_moves > 0
        plot.display = is_evaluated and self.app.size.height >= _PLOT_FROM
        if game is None or (problem and not is_evaluated):
            for name in ("accuracy", "turning", "learn"):
                self._tell(name, "")
            self._tell_moves(())
            return
        seat, settings = game.viewer, self.host.settings
        voice = Voice(game.names, seat, settings.ascii)
        line, look = chance_plot(game, seat, plot.ink(seat))
        plot.show([line], look, ascii_only=settings.ascii)
        self._tell("accuracy", accuracy_line(game, seat, is_done=self._is_done))
        is_known = not game.open_choices
        self._tell("turning", turning_words(game, seat, voice) if is_known else "")
        self._tell_moves(worst_move_words(game, seat, voice) if is_known else ())
        marks = game.review.player(seat).marks
        has_mistakes = is_known and marks["??"] + marks["?"] > 0
        self.query_one("#answer-mistakes", Button).disabled = not has_mistakes

    @property
    def _is_done(self) -> bool:
        reviewer = self._reviewer
        return reviewer is None or reviewer.is_idle or bool(reviewer.problem)

    @property
    def _line(self) -> str:
        day, game = self._session.setup.day, self._game
        if day is None or game is None:
            return ""
        return shared_line(day, game, ascii_only=self.host.settings.ascii)

    def _tell_moves(self, told: Sequence[tuple[int, str]]) -> None:
        self._moves = told
        count = len(told)
        title = ngettext("{count} key moment:", "{count} key moments:", count)
        self._tell("learn", title if count else "")
        for number, line in enumerate(self.query(WorstMove)):
            line.display = number < count
            line.update(f"{number + 1}  {told[number][1]}" if number < count else "")

    def _tell(self, name: str, text: str) -> None:
        line = self.query_one(f"#{name}", Static)
        line.update(text)
        line.display = bool(text)

    # Actions

    @property
    def moves(self) -> Sequence[int]:
        """Number of game moves before each key moment."""
        return [ply for ply, _words in self._moves]

    def answer(self, name: str) -> None:
        if name == "copy":
            self.app.copy_to_clipboard(self._line)
            self._tell("what", gettext("The line is copied."))
        else:
            super().answer(name)

    def on_key(self, event: events.Key) -> None:
        if event.key.isdecimal() and 1 <= int(event.key) <= len(self._moves):
            event.stop()
            self.dismiss(str(int(event.key) - 1))

    def on_click(self, event: events.Click) -> None:
        if isinstance(event.widget, WorstMove):
            self.dismiss((event.widget.id or "").removeprefix("move-"))

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        self._tell_what(event.widget.id)

    def on_enter(self, event: events.Enter) -> None:
        if isinstance(event.node, Button):
            self._tell_what(event.node.id)

    def _tell_what(self, button: str | None) -> None:
        self.query_one("#what", Static).update(self._hints.get(button or "", ""))
