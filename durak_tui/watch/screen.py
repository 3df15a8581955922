"""The screen for watching bots, with replay of every move."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Final

from rich.cells import cell_len
from textual import events, on, work
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.timer import Timer
from textual.widgets import Static

from durak_core import Record
from durak_core.agents.registry import thinks
from durak_core.errors import DurakError, Message
from durak_core.review import MoveEvaluation
from durak_tui.board.screens.board import AT_ONCE, WatchingScreen
from durak_tui.board.screens.playing import WARM_AFTER, SessionScreen
from durak_tui.board.view import table_view
from durak_tui.board.widgets.board import GameBoard
from durak_tui.hints.model import Chances, Posteriors
from durak_tui.hints.view.advice import marked_words
from durak_tui.hints.view.knowledge import manner_words
from durak_tui.play.game import Moment
from durak_tui.play.saves import game_record, time_now
from durak_tui.play.session import Session
from durak_tui.play.setup import GameSetup, new_seed, next_setup, random_pair
from durak_tui.players import shown_names, stars_at, stars_text, team_labels
from durak_tui.review.view import with_marks
from durak_tui.storage.settings import PACE_SECONDS
from durak_tui.text.core_messages import core_words
from durak_tui.text.i18n import gettext, pgettext
from durak_tui.text.phrases import LogLine, Voice
from durak_tui.ui.view.board_data import ButtonView, TableView, fool_plot
from durak_tui.ui.widgets.plot import Plot

_CHANCES_FROM: Final = 120
"""Columns needed to show the chances by default."""
_USUAL_HEIGHT: Final = 24
_LEAST_ROWS: Final = 6
_MOST_ROWS: Final = 12
_REST: Final = 4
"""Pause before the next game of a series, in moves."""
_SHORTEST_REST: Final = 0.05
"""Minimum of this pause in seconds."""


def told_log(
    log: Iterable[LogLine],
    evaluations: Mapping[int, MoveEvaluation],
    reasons: Mapping[int, Message | str],
    voice: Voice,
) -> tuple[LogLine, ...]:
    """Add marks to a log, and below each action its player's reasons, unless repeated, and the analysis's.

    Evaluations and reasons are by the number of the action, counted from 1.
    """
    marks = {ply: one.mark for ply, one in evaluations.items() if one.mark}
    told: list[LogLine] = []
    last: dict[int | None, list[str]] = {}
    for line in log:
        told.append(with_marks(line, marks))
        if line.is_action:
            given = list(_given(line, reasons))
            new = given if given != last.get(line.seat) else []
            last[line.seat] = given
            below = dict.fromkeys((*new, *_found(line, evaluations, voice)))
            told.extend(LogLine(line.ply, words, first=line.first) for words in below)
    return tuple(told)


def _given(line: LogLine, reasons: Mapping[int, Message | str]) -> Iterator[str]:
    """Yield a player's reasons; several players who pass have none."""
    if line.seat is not None:
        yield from (core_words(reasons[ply]) for ply in line.plies if reasons.get(ply))


def _found(line: LogLine, evaluations: Mapping[int, MoveEvaluation], voice: Voice) -> Iterator[str]:
    for ply in line.plies:
        one = evaluations.get(ply)
        if one is not None and one.mark and one.reason is not None:
            yield f"{one.mark} {marked_words(one, voice)}"


def reading_words(posteriors: Posteriors, names: Sequence[str]) -> list[str]:
    """Return how each player plays, as far as their moves have shown it."""
    found = [(names[seat], manner_words(posteriors[seat])) for seat in sorted(posteriors)]
    return [f"{name} {words}" for name, words in found if words]


def starred(setup: GameSetup, *, ascii_only: bool) -> tuple[str, ...]:
    """Return the players' names, each with its stars."""
    names = shown_names(setup.names, setup.players)
    return tuple(
        f"{name} {stars_text(stars_at(setup.players, seat), ascii_only=ascii_only)}"
        for seat, name in enumerate(names)
    )


class ChancesPanel(Vertical):
    """Plots each team's win probability over the game."""

    is_empty = True
    """Whether there is nothing to plot yet: then the panel has one row."""

    def compose(self) -> ComposeResult:
        yield Static(id="chances-head", markup=False)
        yield Plot()

    def show(
        self,
        chances: Chances,
        session: Session,
        readings: Sequence[str],
        *,
        is_waiting: bool,
        ascii_only: bool,
    ) -> None:
        """Show everything that is known so far; while hints are on, nothing is added."""
        rules = session.setup.rules
        labels = team_labels(session.names, rules, ascii_only=ascii_only)
        curves = [chances.curve(team) for team in range(rules.team_count)]
        self.is_empty = all(value is None for curve in curves for value in curve)
        if chances.problem:
            head = gettext("no chances: {problem}", problem=core_words(chances.problem))
        elif self.is_empty and is_waiting:
            head = gettext("The chances follow once hints are off.")
        elif self.is_empty:
            head = gettext("Who will be the fool? Looking at the first moves.")
        elif rules.teams is not None:
            head = gettext("How safe each team is, as it sees the game")
        else:
            head = gettext("How safe each player is, as they see the game")
        line = self.query_one("#chances-head", Static)
        line.update(chances_head(head, readings, line.content_size.width))
        plot = self.query_one(Plot)
        lines, look = fool_plot(curves, labels, plot.inks(rules), rules.team_of(session.viewer), session.ply)
        plot.show(lines, replace(look, titles=()), ascii_only=ascii_only)


def chances_head(head: str, readings: Sequence[str], width: int) -> str:
    """Return the heading with as many readings as fit in a row."""
    for count in range(len(readings), 0, -1):
        line = f"{head.rstrip('.')}. {'; '.join(readings[:count])}"
        if cell_len(line) <= width:
            return line
    return head


class WatchScreen(SessionScreen, WatchingScreen, place="watch"):
    """Runs games between bots.

    Args:
        session: The first game.
        random_pairs: Whether games of random pairs of opponents follow without end.
    """

    def __init__(self, session: Session, *, random_pairs: bool = False) -> None:
        super().__init__(session)
        self._random_pairs = random_pairs
        self._next: GameSetup | None = None
        self._is_advising = False
        self._chances_wanted: bool | None = None
        self._rest: Timer | None = None
        self._is_beginning = False

    def compose_body(self) -> ComposeResult:
        yield GameBoard()
        yield ChancesPanel()

    @property
    def game(self) -> Session:  # type: ignore[override]
        return self.session

    @cached_property
    def chances(self) -> Chances:
        return Chances(self.host.engines.adviser, self.redraw)

    def on_mount(self) -> None:
        self.open_session(self.session)
        self.set_timer(WARM_AFTER, self._warm)
        self._introduce()

    async def on_unmount(self) -> None:
        await self.chances.close()
        await self.end_session()

    def settings_changed(self) -> None:
        super().settings_changed()
        self._show_chances()

    def wants_advice(self, moment: Moment) -> bool:
        """Return whether hints were asked for: then they follow the game."""
        del moment
        return self._is_advising

    # Chances

    @property
    def shows_chances(self) -> bool:
        """Whether the chances are shown: by request, or by default with enough room and an engine."""
        if self._chances_wanted is None:
            return self.app.size.width >= _CHANCES_FROM and not self.chances.problem
        return self._chances_wanted

    def _warm(self) -> None:
        self.warm_engine()
        self._follow_with_chances()

    @on(events.Resize)
    def _arrange_chances(self) -> None:
        panel = self.query_one(ChancesPanel)
        panel.display = self.shows_chances
        height = self.app.size.height
        rows = min(max(_LEAST_ROWS + (height - _USUAL_HEIGHT) // 3, _LEAST_ROWS), _MOST_ROWS)
        panel.styles.height = 1 if panel.is_empty else rows

    def _follow_with_chances(self) -> None:
        """Evaluate while the chances are shown. Hints have priority on the shared engine."""
        self.chances.follow(self.session.states, self.session.ply, self.session.answers)
        is_wanted = self.shows_chances or self.board.shows_log
        if is_wanted and not self._is_advising and not self.chances.problem:
            self.chances.start()
        else:
            self.chances.stop()
        self._show_chances()

    def _show_chances(self) -> None:
        panels = self.query(ChancesPanel)
        if not self.is_complete or not panels:
            return
        panel = panels.first()
        if panel.display != self.shows_chances:
            self._arrange_chances()
        if self.shows_chances:
            posteriors = self._posteriors
            readings = reading_words(posteriors, self.session.names)
            was_empty = panel.is_empty
            panel.show(
                self.chances,
                self.session,
                readings,
                is_waiting=self._is_advising,
                ascii_only=self.look.ascii,
            )
            if panel.is_empty != was_empty:
                self._arrange_chances()
            if len(posteriors) < self.rules.seats:
                self._read_players()

    def action_chances(self) -> None:
        self._chances_wanted = not self.shows_chances
        if self._chances_wanted:
            self.chances.problem = ""
        self._follow_with_chances()

    def action_log(self) -> None:
        super().action_log()
        self._follow_with_chances()

    # How the players play

    @property
    def _readers(self) -> dict[int, int]:
        """The seat whose model of each seat is shown: the viewing seat, and the next one for itself."""
        seats, viewer = self.rules.seats, self.session.viewer
        return {seat: viewer if seat != viewer else (viewer + 1) % seats for seat in range(seats)}

    @property
    def _posteriors(self) -> Posteriors:
        found = {seat: self.readings.at(reader, self.read_up_to) for seat, reader in self._readers.items()}
        return {seat: models[seat] for seat, models in found.items() if seat in models}

    @work(group="players", exclusive=True)
    async def _read_players(self) -> None:
        """Update the models, a little at a time, until they reach the shown moment."""
        while self.is_complete:
            readers = sorted(set(self._readers.values()))
            if all(self.readings.read(seat, self.read_up_to, AT_ONCE) for seat in readers):
                self.redraw()
                return
            await asyncio.sleep(0)

    # Drawing

    def view(self) -> TableView:
        moment = replace(self.moment, reason="") if self.board.shows_log else self.moment
        view = table_view(moment, self.look, extra=self._buttons())
        voice = Voice(self.session.names, None, self.look.ascii)
        hidden, given = set(moment.forced_passes), self.session.reasons
        reasons = {ply: reason for ply, reason in given.items() if ply not in hidden}
        log = told_log(view.log, self.chances.evaluations, reasons, voice)
        prompt = view.prompt
        if self._next is not None and self._is_at_end:
            one, other = starred(self._next, ascii_only=self.look.ascii)
            prompt = replace(prompt, detail=gettext("Next: {one} against {other}", one=one, other=other))
        return replace(view, log=log, prompt=prompt)

    def draw(self) -> None:
        """Draw the game and the chances; schedule the next game of a series."""
        self.chances.follow(self.session.states, self.session.ply, self.session.answers)
        self._let_next_game_follow()
        super().draw()
        self._show_chances()
        self.keep_at_end()

    @property
    def has_seen_end(self) -> bool:
        return self.session.is_over

    def finished_record(self) -> Record:
        return game_record(self.session.setup, self.session.state, time_now())

    @property
    def _is_at_end(self) -> bool:
        return self.session.is_live and self.session.is_over

    def _buttons(self) -> tuple[ButtonView, ...]:
        back, move = self.step_buttons()
        keep = ButtonView("keep", pgettext("button", "Keep"))
        if self._is_at_end:
            again = gettext("Next game") if self._random_pairs else gettext("New game")
            return (back, ButtonView("review", pgettext("button", "Review")), keep, ButtonView("new", again))
        if self.session.is_running:
            pace = pgettext("choice", self.pace)
            if any(map(thinks, self.session.setup.players)):
                pace = gettext("{pace} at most", pace=pace)
            return (back, move, ButtonView("faster", pace), ButtonView("run", gettext("Pause")))
        try_it = ButtonView("play_on", gettext("Try another move"))
        offered = (keep,) if self.session.shown.is_over else (try_it, keep)
        return (*offered, back, move, ButtonView("run", gettext("Run")))

    def view_changed(self) -> None:
        self.session.publish()

    def action_run(self) -> None:
        if self.session.is_running:
            self.session.pause()
        else:
            self.session.resume()

    def action_review(self) -> None:
        """Pause, and review the game from the shown moment, where other moves can be tried."""
        session = self.session
        session.pause()
        self.host.show_review(session.record, session.viewer, session.ply, session.answers)

    def action_play_on(self) -> None:
        """Pause, and let the user play on from the shown moment, in place of the player to move."""
        session, shown = self.session, self.session.shown
        if shown.turn is None:
            self.board.tell(gettext("The game is over here; go back to play on from an earlier moment."))
            return
        session.pause()
        path = session.states[: session.ply + 1]
        self.host.play_on(session.record, shown.turn, path)

    def action_change_pace(self, step: int) -> None:
        super().action_change_pace(step)
        self.session.set_pace(PACE_SECONDS[self.pace])
        self.draw()
        if not self.session.is_running:  # the button that shows it has made room
            self.board.tell(gettext("Speed: {pace}", pace=pgettext("choice", self.pace)))

    def action_hint(self) -> None:
        self._is_advising = not self._is_advising
        if self._is_advising:
            self.advice.ask()
        else:
            self.advice.hide()
        self._follow_with_chances()

    def _let_next_game_follow(self) -> None:
        session = self.session
        goes_on = self._random_pairs or session.series.goes_on
        over = self._is_at_end and session.is_running and goes_on
        if over and self._random_pairs and self._next is None:
            self._next = random_pair(self.host.settings, session.setup.players)
        if self._rest is not None and not over:
            self._rest.stop()
            self._rest = None
        elif self._rest is None and over:
            self._rest = self.set_timer(max(_REST * session.pace, _SHORTEST_REST), self.action_new)

    async def action_new(self) -> None:
        """Start another game of the same or of random players. An unfinished one does not count."""
        if self._is_beginning:  # the timer or another key, while the old game ends
            return
        self._is_beginning = True
        try:
            await self._begin_another()
        finally:
            self._is_beginning = False

    async def _begin_another(self) -> None:
        old = self.session
        setup = old.setup
        if self._rest is not None:
            self._rest.stop()
            self._rest = None
        self._drop_unfinished()
        if self._random_pairs:
            setup = self._next or random_pair(self.host.settings, setup.players)
        elif old.is_over:
            setup = next_setup(setup, old.state, rotate=setup.series.rotating)
        else:
            setup = replace(setup, seed=new_seed())
        try:
            session = self.host.new_game(setup)
        except DurakError as error:
            self.board.tell(core_words(error))
            return
        session.viewer, session.open_hands = old.viewer, old.open_hands
        session.set_pace(old.pace)
        self._keeps_at_end, self._next = False, None
        await self.end_session()
        self.board.show_advice(None)
        self.open_session(session)
        self._follow_with_chances()
        self._introduce()

    def _introduce(self) -> None:
        """Show which random opponents play."""
        if self._random_pairs:
            one, other = starred(self.session.setup, ascii_only=self.look.ascii)
            self.show_notice(gettext("{one} against {other}", one=one, other=other))

    def action_back(self) -> None:
        """Leave. An unfinished game of bots is dropped."""
        self._drop_unfinished()
        self.leave_game()

    def _drop_unfinished(self) -> None:
        if not self.session.is_over and self.session.keeper is not None:
            self.session.keeper.drop()
