"""The app's interface for its screens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.signal import Signal

    from durak_core import Record, Rules, State
    from durak_tui.engine.processes import Engines
    from durak_tui.hints.model.player_models import PlayerModelMemory
    from durak_tui.library.model.service import LibraryService
    from durak_tui.play.saves import Saves, Unfinished
    from durak_tui.play.session import Session
    from durak_tui.play.setup import GameSetup
    from durak_tui.review.model.review_game import ReviewGame
    from durak_tui.storage.settings import Settings
    from durak_tui.ui.model.tones import Sound


class AppContext(Protocol):
    """The app's interface for its screens, so that no screen imports the app.

    Attributes:
        readings: Player models carried over from the last game.
        notices: Messages to the user, shown in the menu.
    """

    settings: Settings
    settings_changed: Signal[Settings]
    saves: Saves
    library: LibraryService
    engines: Engines
    readings: PlayerModelMemory
    notices: list[str]

    def change_settings(self, **changes: Any) -> None:  # noqa: ANN401 - the fields have several types
        """Save changed settings; an invalid value raises `ConfigError`."""

    def tell(self, text: str) -> None: ...

    def announce(self, sounds: Sequence[Sound], *, is_turn: bool) -> None:
        """Play sounds, and announce the player's turn: in the title and, from another window, as set."""

    def play_game(self) -> None: ...

    def begin(self, setup: GameSetup) -> None: ...

    def go_on(self, game: Unfinished) -> None: ...

    def watch_pairs(self) -> None:
        """Watch random pairs of opponents, one game after another."""

    def play_on(self, record: Record, seat: int, path: Sequence[State]) -> None:
        """Let the user take a seat of a recorded game, in a new game from the last of these positions."""

    def new_game(self, setup: GameSetup) -> Session:
        """Deal a game and start saving it; raise a `DurakError` if it cannot be played."""

    def game_to_review(self, record: Record, viewer: int | None = None) -> ReviewGame | None:
        """Return a game with its stored analysis; notify the user and return None if it is invalid."""

    def show_review(self, record: Record, viewer: int | None = None, ply: int = 0) -> None:
        """Review a game from a ply on as a seat sees it, by default the user's."""

    def review_one_of(self, games: Sequence[Record]) -> None: ...

    def host_table(self, rules: Rules, players: Sequence[str], clock: int, *, spectators: bool) -> None:
        """Open a table of friends.

        ``players`` has a bot's spec for each seat, or ``human`` for the player and friends. ``clock`` is in
        seconds a move, 0 for none.
        """

    def show_menu(self) -> None:
        """Close all screens over the menu, or over a watched or reviewed game that was played on."""

    def open_lesson(self, number: int = 0) -> None: ...

    def action_host(self) -> None:
        """Choose the rules and the players of a table of friends."""

    def action_set_up(self, watching: bool = False) -> None: ...

    def action_mistakes(self, game: ReviewGame | None = None) -> None:
        """Practise the mistakes that are due, or the mistakes of a game just reviewed."""

    def action_library(self) -> None: ...
