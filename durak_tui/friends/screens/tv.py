"""Watching a table of friends, game after game."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from textual.app import ComposeResult
from textual.containers import Center, Middle
from textual.timer import Timer
from textual.widgets import Static

from durak_core import Record, Rules
from durak_tui.board.screens.board import BoardScreen, WatchingScreen
from durak_tui.board.view import table_view
from durak_tui.board.widgets.board import GameBoard
from durak_tui.friends.guest import Spectator, WatchedGame
from durak_tui.friends.messages import Address, FromServer
from durak_tui.friends.view import score_line, seat_lines, spaced_code, table_words, trouble
from durak_tui.play.game import Moment
from durak_tui.text.i18n import gettext, pgettext
from durak_tui.ui.view.board_data import ButtonView, TableView

_REST: Final = 5.0
"""Seconds between a game's end and the next game."""
_SHORTEST: Final = 0.02
"""Minimum seconds before a move."""


class TvScreen(WatchingScreen, place="tv"):
    """Watches a table.

    Args:
        address: The server and the table.
    """

    game: WatchedGame

    def __init__(self, address: Address, name: str) -> None:
        super().__init__()
        self.spectator = Spectator(address, name)
        self.game = WatchedGame(Rules(), 0, (), ())  # without a position until the first one is known
        self._is_running = True
        self._shows_hands = True
        self._was_over = False
        self._timer: Timer | None = None

    def compose_body(self) -> ComposeResult:
        yield Static(id="friends-bar", markup=False)
        with Middle(id="tv-wait"), Center():
            yield Static(id="tv-words", markup=False)
        yield GameBoard()

    def on_mount(self) -> None:
        self.pace = self.host.settings.pace
        self.spectator.listen(self._heard)
        self.spectator.connect()
        self.redraw()

    async def on_unmount(self) -> None:
        await self.spectator.close()

    def settings_changed(self) -> None:
        super().settings_changed()
        self.redraw()

    def _heard(self, _message: FromServer | None) -> None:
        if not self.game.states:
            self._begin_next()
        self.moment_changed()

    # The shown moment

    @property
    def moment(self) -> Moment:
        moment = self.game.moment
        if self._is_running:  # the end is not known yet
            moment = replace(moment, last_ply=moment.ply)
        return moment

    @property
    def rules(self) -> Rules:
        return self.spectator.rules or super(BoardScreen, self).rules

    @property
    def has_seen_end(self) -> bool:
        return self._was_over

    def finished_record(self) -> Record | None:
        return self.game.record

    @property
    def _next_game(self) -> WatchedGame | None:
        later = (game for game in self.spectator.games if game.number > self.game.number)
        return next((game for game in later if game.states), None)

    def _begin_next(self) -> None:
        """Show the beginning of the next game that is known."""
        before, game = self.game, self._next_game
        if game is not None:
            game.viewer = before.viewer % game.rules.seats
            game.go(0)
            self.game, self._was_over, self._keeps_at_end = game, False, False
            self.moment_changed()

    def moment_changed(self) -> None:
        """Redraw, and show the next move, or the next game, when it is time."""
        game = self.game
        if game.record is not None and game.is_live:
            self._was_over, game.open_hands = True, self._shows_hands
            self.keep_at_end()
        has_more = not game.is_live or self._next_game is not None
        if self._timer is None and self._is_running and has_more and self.is_complete:
            self._timer = self.set_timer(self._delay, self._advance)
        self.redraw()

    @property
    def _delay(self) -> float:
        """Seconds before the next move; fewer for each bout that is waiting."""
        game = self.game
        if game.is_live:
            return _REST
        late = game.last.bout - game.shown.bout + (self._next_game is not None)
        return max(self.seconds_per_move / (1 + late), _SHORTEST)

    def _advance(self) -> None:
        self._timer = None
        if not self._is_running:
            return
        if self.game.is_live:
            self._begin_next()
        else:
            self.game.step(1)
            self.moment_changed()

    def _pause(self) -> None:
        self._is_running = False
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    # Drawing

    def draw(self) -> None:
        words = trouble(self.spectator) or gettext("One bout behind. All hands are shown at the end.")
        if self._was_over and not trouble(self.spectator):
            lobby, rules = self.spectator.lobby, self.spectator.rules or Rules()
            score = () if lobby is None else lobby.score
            words = score_line(self.spectator.names, score, rules, ascii_only=self.host.settings.ascii)
        bar = self.query_one("#friends-bar", Static)
        bar.update(words)
        bar.set_class(bool(trouble(self.spectator)), "-warning")
        is_on = bool(self.game.states)
        bar.display = is_on
        self.query_one("#tv-wait").display = not is_on
        self.board.display = is_on
        if is_on:
            super().draw()
        else:
            self.query_one("#tv-words", Static).update(self._waiting_words())
            self.refresh_bindings()

    def _waiting_words(self) -> str:
        lobby, rules = self.spectator.lobby, self.spectator.rules
        problem = trouble(self.spectator)
        if lobby is None or rules is None or self.spectator.problem is not None:
            return problem or gettext("Looking for the table…")
        what = (
            gettext("You see the first bout when it is over.")
            if lobby.is_playing
            else gettext("The game has not begun yet.")
        )
        seats = "\n".join(seat_lines(self.spectator, ascii_only=self.host.settings.ascii))
        parts = (spaced_code(lobby.code), table_words(rules, lobby.clock), seats, problem or what)
        return "\n\n".join(parts)

    def view(self) -> TableView:
        back, move = self.step_buttons()
        if self._was_over and self.game.is_live:
            review = ButtonView("review", pgettext("button", "Review"))
            buttons = back, review, ButtonView("keep", pgettext("button", "Keep"))
        elif self._is_running:
            pace = ButtonView("faster", pgettext("choice", self.pace))
            buttons = back, pace, ButtonView("run", gettext("Pause"))
        else:
            buttons = back, move, ButtonView("run", gettext("Run"))
        return table_view(self.moment, self.look, extra=buttons)

    def offers(self, action: str) -> bool:
        if not self.game.states:
            return action == "back"
        return {"review": self._was_over, "open_hands": self._was_over}.get(action, super().offers(action))

    # Keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Allow only to leave until there is a game."""
        return (action == "back" or bool(self.game.states)) and super().check_action(action, parameters)

    def action_run(self) -> None:
        if self._is_running:
            self._pause()
        else:
            self._is_running = True
        self.moment_changed()

    def action_step(self, direction: int) -> None:
        """Pause, and go one move back or on."""
        self._pause()
        if direction > 0 and self._was_over and self.game.is_live:
            self._begin_next()
        else:
            super().action_step(direction)

    def action_bout(self, direction: int) -> None:
        """Pause, and go to the beginning of the next bout, of this one, or of the one before."""
        self._pause()
        super().action_bout(direction)

    def action_go(self, ply: int) -> None:
        """Pause, and show a ply, or the nearest one that is known."""
        self._pause()
        super().action_go(ply)

    def action_end(self) -> None:
        """Show the last move that is known, and follow the game."""
        self._is_running = True
        super().action_go(self.game.last_ply)

    def action_open_hands(self) -> None:
        if self._was_over:
            self._shows_hands = not self._shows_hands
            super().action_open_hands()
        else:
            self.board.tell(gettext("Hands are shown when the game is over."))

    def action_review(self) -> None:
        """Pause, and review the game once it is over."""
        game = self.game
        if game.record is not None and self._was_over:
            self._pause()
            self.host.show_review(game.record, game.viewer, game.ply)
        else:
            self.board.tell(gettext("The game can be reviewed when it is over."))
