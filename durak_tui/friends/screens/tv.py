"""Watching a table of friends, game after game."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from textual.app import ComposeResult
from textual.containers import Center, Middle
from textual.timer import Timer
from textual.widgets import Static

from durak_core import Rules
from durak_tui.board.screens.board import BoardScreen
from durak_tui.board.view import table_view
from durak_tui.board.widgets.board import GameBoard
from durak_tui.friends.guest import Spectator, WatchedGame
from durak_tui.friends.messages import Address, FromServer
from durak_tui.friends.view import score_line, seat_lines, spaced_code, table_words, trouble
from durak_tui.play.snapshot import SessionSnapshot
from durak_tui.storage.settings import PACE_SECONDS
from durak_tui.text.i18n import gettext, pgettext
from durak_tui.ui.screens.base import start_work
from durak_tui.ui.view.board_data import ButtonView, TableView

_REST: Final = 5.0
"""Seconds between a game's end and the next game."""
_SHORTEST: Final = 0.02
"""Minimum seconds before a move."""


class TvScreen(BoardScreen, place="tv"):
    """Watches a table.

    Args:
        address: The server and the table.
        name: The spectator's name.
    """

    def __init__(self, address: Address, name: str) -> None:
        super().__init__()
        self.spectator = Spectator(address, name)
        self._game: WatchedGame | None = None
        self._ply = 0
        self._viewer = 0
        self._is_running = True
        self._shows_hands = True
        self._was_over = False
        self._keeps = False
        self._timer: Timer | None = None
        self._pace = "1x"

    def compose_body(self) -> ComposeResult:
        yield Static(id="friends-bar", markup=False)
        with Middle(id="tv-wait"), Center():
            yield Static(id="tv-words", markup=False)
        yield GameBoard()

    def on_mount(self) -> None:
        self._pace = self.host.settings.pace
        self.spectator.listen(self._heard)
        self.spectator.connection.start()
        self.redraw()

    async def on_unmount(self) -> None:
        await self.spectator.connection.close()

    def settings_changed(self) -> None:
        super().settings_changed()
        self._pace = self.host.settings.pace
        self.redraw()

    def _heard(self, message: FromServer | None) -> None:
        del message
        if self._game is None:
            self._begin_next()
        self._go_on()
        self.redraw()

    # The shown moment

    @property
    def moment(self) -> SessionSnapshot:
        if self._game is None:
            raise ValueError("there is no game yet")
        moment = self._game.moment(self._ply, self._viewer, is_open=self._is_open)
        return replace(moment, last_ply=self._ply) if self._is_running else moment  # the end is not known yet

    @property
    def rules(self) -> Rules:
        return self.spectator.rules or super(BoardScreen, self).rules

    @property
    def _is_open(self) -> bool:
        """Whether the hands are shown: once the end of a game has been seen."""
        return self._was_over and self._shows_hands

    @property
    def _next_game(self) -> WatchedGame | None:
        number = 0 if self._game is None else self._game.number
        return next((game for game in self.spectator.games if game.number > number and game.plies), None)

    @property
    def _next_ply(self) -> int | None:
        plies = () if self._game is None else self._game.plies
        return next((ply for ply in plies if ply > self._ply), None)

    def _begin_next(self) -> None:
        """Show the beginning of the next game that is known."""
        game = self._next_game
        if game is not None:
            self._game, self._was_over, self._keeps = game, False, False
            self._viewer %= game.rules.seats
            self._show(game.plies[0])

    def _show(self, ply: int) -> None:
        self._ply = ply
        self._go_on()
        self.redraw()

    def _go_on(self) -> None:
        """Show the next move, or the next game, when it is time."""
        game = self._game
        if game is not None and game.record is not None and self._ply == game.plies[-1]:
            self._was_over = True
            if self._keeps:
                self._keeps = False
                start_work(self, self._keep, group="keep")
        has_more = self._next_ply is not None or self._next_game is not None
        if self._timer is None and self._is_running and has_more and self.is_complete:
            self._timer = self.set_timer(self._delay, self._advance)

    @property
    def _delay(self) -> float:
        """Seconds before the next move; fewer for each bout that is waiting."""
        game = self._game
        if game is None or self._next_ply is None:
            return _REST
        late = game.bout(game.plies[-1]) - game.bout(self._ply) + (self._next_game is not None)
        return max(PACE_SECONDS[self._pace] / (1 + late), _SHORTEST)

    def _advance(self) -> None:
        self._timer = None
        if not self._is_running:
            return
        ply = self._next_ply
        if ply is None:
            self._begin_next()
        else:
            self._show(ply)

    def _pause(self) -> None:
        self._is_running = False
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    # Drawing

    def draw(self) -> None:
        words = trouble(self.spectator) or gettext("One bout behind. All hands are shown at the end.")
        if self._was_over and not trouble(self.spectator):
            words = score_line(*self._score, ascii_only=self.host.settings.ascii)
        bar = self.query_one("#friends-bar", Static)
        bar.update(words)
        bar.set_class(bool(trouble(self.spectator)), "-warning")
        is_on = self._game is not None
        bar.display = is_on
        self.query_one("#tv-wait").display = not is_on
        self.board.display = is_on
        if is_on:
            super().draw()
        else:
            self.query_one("#tv-words", Static).update(self._waiting_words())
            self.refresh_bindings()

    @property
    def _score(self) -> tuple[tuple[str, ...], tuple[int, ...]]:
        lobby = self.spectator.lobby
        return self.spectator.names, () if lobby is None else lobby.score

    def _waiting_words(self) -> str:
        lobby, rules = self.spectator.lobby, self.spectator.rules
        problem = trouble(self.spectator)
        if lobby is None or rules is None or self.spectator.connection.problem is not None:
            return problem or gettext("Looking for the table…")
        what = (
            gettext("You see the first bout when it is over.")
            if lobby.is_playing
            else gettext("The game has not begun yet.")
        )
        seats = "\n".join(seat_lines(self.spectator, ascii_only=self.host.settings.ascii))
        parts = (spaced_code(lobby.code), table_words(rules, lobby.clock), seats, problem or what)
        return "\n\n".join(parts)

    @property
    def seconds_per_move(self) -> float:
        return PACE_SECONDS[self._pace]

    def view(self) -> TableView:
        back, move = ButtonView("step_back", gettext("Back")), ButtonView("step", gettext("Move"))
        if self._was_over and self._next_ply is None:
            review = ButtonView("review", pgettext("button", "Review"))
            keep = ButtonView("keep", pgettext("button", "Keep"))
            return table_view(self.moment, self.look, extra=(back, review, keep))
        if self._is_running:
            pace = ButtonView("faster", pgettext("choice", self._pace))
            run = ButtonView("run", gettext("Pause"))
            return table_view(self.moment, self.look, extra=(back, pace, run))
        return table_view(self.moment, self.look, extra=(back, move, ButtonView("run", gettext("Run"))))

    def offers(self, action: str) -> bool:
        if self._game is None:
            return action == "back"
        return {"review": self._was_over, "open_hands": self._was_over}.get(action, super().offers(action))

    # Keys

    def action_run(self) -> None:
        if self._is_running:
            self._pause()
        else:
            self._is_running = True
            self._go_on()
        self.redraw()

    def action_step(self, direction: int) -> None:
        """Pause, and go one move back or on."""
        game = self._game
        if game is None:
            return
        self._pause()
        plies = [ply for ply in game.plies if (ply - self._ply) * direction > 0]
        if plies:
            self._show(min(plies, key=lambda ply: abs(ply - self._ply)))
        elif direction > 0 and self._was_over:
            self._begin_next()
        self.redraw()

    def action_bout(self, direction: int) -> None:
        """Pause, and go to the beginning of the next bout, of this one, or of the one before."""
        game = self._game
        if game is None:
            return
        plies = game.plies
        begins = [
            ply for at, ply in enumerate(plies) if at == 0 or game.bout(ply) != game.bout(plies[at - 1])
        ]
        later = [ply for ply in begins if ply > self._ply] or [plies[-1]]
        earlier = [ply for ply in begins if ply < self._ply] or [plies[0]]
        self.action_go(later[0] if direction > 0 else earlier[-1])

    def action_go(self, ply: int) -> None:
        """Pause, and show a ply, or the nearest one that is known."""
        if self._game is not None:
            self._pause()
            self._show(min(self._game.plies, key=lambda known: abs(known - ply)))

    def action_end(self) -> None:
        """Show the last move that is known, and follow the game."""
        if self._game is not None:
            self._show(self._game.plies[-1])
            self._is_running = True
            self._go_on()

    def action_change_pace(self, step: int) -> None:
        paces = list(PACE_SECONDS)
        self._pace = paces[max(0, min(paces.index(self._pace) + step, len(paces) - 1))]
        self.redraw()

    def action_open_hands(self) -> None:
        if self._was_over:
            self._shows_hands = not self._shows_hands
            self.redraw()
        elif self._game is not None:
            self.board.tell(gettext("Hands are shown when the game is over."))

    def action_next_view(self) -> None:
        if self._game is not None:
            self._viewer = (self._viewer + 1) % self._game.rules.seats
            self.redraw()

    def action_review(self) -> None:
        """Pause, and review the game once it is over."""
        game = self._game
        if game is not None and game.record is not None and self._was_over:
            self._pause()
            self.host.show_review(game.record, self._viewer, self._ply)
        elif game is not None:
            self.board.tell(gettext("The game can be reviewed when it is over."))

    async def action_keep(self) -> None:
        if self._game is None:
            return
        if self._was_over:
            await self._keep()
            return
        self._keeps = not self._keeps
        self.board.tell(
            gettext("The game will be kept in the library when it is over.")
            if self._keeps
            else gettext("The game will not be kept.")
        )

    async def _keep(self) -> None:
        record = None if self._game is None else self._game.record
        if record is not None:
            self.board.tell(await self.host.library.add_watched(record))
