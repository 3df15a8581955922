"""What screens may ask of the app behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.signal import Signal

    from durak_core import Record
    from durak_tui.engine.processes import Engines
    from durak_tui.hints.model.player_models import PlayerModelMemory
    from durak_tui.library.model.service import LibraryService
    from durak_tui.play.saves import Saves, Unfinished
    from durak_tui.play.session import Session
    from durak_tui.play.setup import GameSetup
    from durak_tui.review.model.review_game import ReviewGame
    from durak_tui.storage.settings import Settings


class Host(Protocol):
    """The app, as its screens see it; so none of them imports it.

    Attributes:
        settings_changed: Published after every change of the settings.
        engines: The processes in which bots think and advice is found.
        readings: What was read of the players of the last game.
        notices: What the person should know, shown in the menu.
    """

    settings: Settings
    settings_changed: Signal[Settings]
    saves: Saves
    library: LibraryService
    engines: Engines
    readings: PlayerModelMemory
    notices: list[str]

    def change_settings(self, **changes: Any) -> None:  # noqa: ANN401 - the fields have several types
        """Change settings for good, at once; a value that may not stand raises `ConfigError`."""

    def tell(self, text: str) -> None:
        """Tell the person something that went wrong, on whatever screen they are."""

    def play_game(self) -> None: ...

    def begin(self, setup: GameSetup) -> None: ...

    def go_on(self, game: Unfinished) -> None: ...

    def play_on(self, game: ReviewGame) -> None:
        """Play on from the position that a review shows, on the seat that looks."""

    def new_game(self, setup: GameSetup) -> Session:
        """Deal a game and begin to save it; raise a `DurakError` if it cannot be played."""

    def game_to_review(self, record: Record, viewer: int | None = None) -> ReviewGame | None:
        """Return a game with what was found about it; None, with a word, if it cannot have been played."""

    def show_review(self, record: Record, viewer: int | None = None, ply: int = 0) -> None:
        """Review a game from a moment on as a seat sees it, by default that of the person who played it."""

    def review_one_of(self, games: Sequence[Record]) -> None:
        """Review a game, or the one that is picked where there are several."""

    def open_lesson(self, number: int = 0) -> None:
        """Tell a lesson, by default the first one, if there is one of this number."""

    def action_set_up(self, watching: bool = False) -> None:
        """Choose a game to play, or one to watch, by what was chosen last."""

    def action_mistakes(self, game: ReviewGame | None = None) -> None:
        """Ask about the person's mistakes that are due, or about those of a game that was just reviewed."""

    def action_library(self) -> None: ...
