"""Watching: bots play each other, and every move can be looked at again."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from textual import on

from durak_tui.bindings import bindings
from durak_tui.library import LibraryError
from durak_tui.messages import ButtonChosen, PlyChosen
from durak_tui.newgame import new_seed
from durak_tui.saves import game_record
from durak_tui.screens.game import GameScreen
from durak_tui.session import GameSetup
from durak_tui.settings import PACE_SECONDS
from durak_tui.view_model import ButtonView

if TYPE_CHECKING:
    from durak_tui.saves import SavedGame
    from durak_tui.session import Session

__all__ = ["WatchScreen"]


class WatchScreen(GameScreen):
    """Watch a game."""

    PLACE: ClassVar[str] = "watch"
    BINDINGS: ClassVar = bindings("watch")
    CSS_PATH = "table.tcss"
    BUTTON_KEYS: ClassVar[dict[str, str]] = {
        "run": "watch.run",
        "step_back": "watch.step-back",
        "step": "watch.step",
        "open_hands": "watch.open-hands",
        "faster": "watch.faster",
        "new": "watch.new",
    }

    def __init__(self, session: Session, saved: SavedGame | None) -> None:
        super().__init__(session, saved)
        self.pace = "1x"
        self._is_advising = False

    @property
    def wants_advice(self) -> bool:
        """Once asked for, advice goes along with the game."""
        return self._is_advising

    def settings_changed(self) -> None:
        """Take over the pace and the looks."""
        self.pace = self.durak.settings.pace
        super().settings_changed()

    def extra_buttons(self) -> tuple[ButtonView, ...]:
        """Offer what the keys do, and show how fast the game runs."""
        session = self.session
        at_end = session.is_live and session.is_over
        label = "Pause" if session.is_running and not at_end else "Run"
        run = ButtonView("new", "New game", "n") if at_end else ButtonView("run", label, "space")
        return (
            ButtonView("step_back", "Back", "left"),
            ButtonView("step", "Move", "right"),
            ButtonView("faster", self.pace, "+"),
            run,
        )

    @on(ButtonChosen)
    async def press_button(self, event: ButtonChosen) -> None:
        """Do what the button says."""
        event.stop()
        await self.run_action(event.name)

    @on(PlyChosen)
    def show_ply(self, event: PlyChosen) -> None:
        """Go to the move that was clicked in the log."""
        event.stop()
        self.session.go(event.ply)

    def action_run(self) -> None:
        """Run or pause."""
        if self.session.is_running:
            self.session.pause()
        else:
            self.session.resume()

    def action_step(self) -> None:
        """Go one move on."""
        self.session.step()

    def action_step_back(self) -> None:
        """Go one move back."""
        self.session.go(self.session.ply - 1)

    def action_bout(self) -> None:
        """Go to the next bout."""
        self.session.go_bout(1)

    def action_bout_back(self) -> None:
        """Go to the beginning of the bout, or of the one before."""
        self.session.go_bout(-1)

    def action_home(self) -> None:
        """Go to the deal."""
        self.session.go(0)

    def action_end(self) -> None:
        """Go to the last move played."""
        self.session.go(len(self.session.states))

    def action_faster(self) -> None:
        """Run faster."""
        self._change_pace(1)

    def action_slower(self) -> None:
        """Run slower."""
        self._change_pace(-1)

    def _change_pace(self, step: int) -> None:
        paces = list(PACE_SECONDS)
        self.pace = paces[max(0, min(paces.index(self.pace) + step, len(paces) - 1))]
        self.session.set_pace(PACE_SECONDS[self.pace])
        self.draw()

    def action_hint(self) -> None:
        """Show or hide advice for the seat to move, from here on."""
        self._is_advising = not self._is_advising
        if self._is_advising:
            self._ask_for_advice()
        else:
            self.hide_advice()

    def action_open_hands(self) -> None:
        """Show or hide all hands."""
        self.session.set_open_hands(not self.session.open_hands)

    def action_next_view(self) -> None:
        """See the table as the next seat does."""
        self.session.look_from((self.session.viewer + 1) % self.session.setup.rules.seats)

    def action_new(self) -> None:
        """Watch another game of the same players."""
        setup = self.session.setup
        self.leave()
        self.durak.begin(GameSetup(setup.rules, setup.players, setup.names, new_seed()))

    async def action_keep(self) -> None:
        """Keep the finished game in the library."""
        session = self.session
        if not session.is_over:
            self.board.tell("Only a finished game can be kept in the library.")
            return
        date = datetime.now().astimezone().isoformat(" ", "minutes")[:16]
        try:
            is_new = await self.durak.shelf.add(game_record(session.setup, session.state, date), "watched")
        except LibraryError as error:
            self.board.tell(str(error))
        else:
            self.board.tell("The game is in the library." if is_new else "The library has it already.")

    def action_back(self) -> None:
        """Go back to the menu; an unfinished game of bots is not kept."""
        self.leave()

    def leave(self) -> None:
        """Go back; an unfinished game of bots is not kept."""
        if self.saved is not None:
            self.saved.drop()
        super().leave()
