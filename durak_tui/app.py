"""The app: holds settings, saves, library and engines, and opens every screen."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import sys
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, ClassVar, Final

from textual import events
from textual.app import App, SystemCommand
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.driver import Driver
from textual.screen import Screen
from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.signal import Signal

from durak_core import Record, Rules, State, write_json_line
from durak_core.errors import DurakError, FileError
from durak_tui.engine import Engines, engine_command, in_thread
from durak_tui.hints.model import PlayerModelMemory
from durak_tui.keys.driver import bindings, can_continue, hardened, system_binding
from durak_tui.library.model.service import LibraryService
from durak_tui.library.view import SPARKS
from durak_tui.menu import MenuScreen
from durak_tui.play.bots import try_own
from durak_tui.play.real import RealTable
from durak_tui.play.saves import Saves, Unfinished
from durak_tui.play.session import Session
from durak_tui.play.setup import (
    GameSetup,
    Launch,
    person_name,
    play_on_setup,
    play_setup,
    random_pair,
    watch_setup,
)
from durak_tui.players import called, own_name
from durak_tui.storage.paths import FailureNotice
from durak_tui.storage.settings import Settings, SettingsFile
from durak_tui.text.core_messages import core_words
from durak_tui.text.i18n import gettext, language_of, mark, set_language
from durak_tui.ui.screens.base import AppContext, DurakScreen, start_work
from durak_tui.ui.screens.dialogs import NotSaved, Pick, when_saved
from durak_tui.ui.theme import THEMES
from durak_tui.ui.view import signals

if TYPE_CHECKING:
    from textual.command import Provider

    from durak_tui.play.analysis import AnalysisCache
    from durak_tui.review.model import ReviewGame
    from durak_tui.ui.model import Sound, SoundPlayer

_INTERRUPTED: Final = 130
_SEAT_IS_RECENT: Final = 3600.0
"""Seconds after which a page that has lost its app opens no table any more."""
_REVIEWS_KEPT: Final = 20
"""Number of analyses kept in memory until the program ends, including games outside the library."""

_FIRST: Final = {
    "play": "table.screens",
    "continue": "table.screens",
    "watch": "watch.screen",
    "daily": "learn.screens.daily",
    "review": "review.screen",
}
"""The module of the first screen for `Launch.at_once`; loaded before the event loop starts."""
_COVERING: Final = frozenset({"play", "continue", "watch", "daily", "review"})
"""What hides the menu at once, so that it opens only later; the choice between several games is a dialog."""
_LATER: Final = (
    "table.screens",
    "setup.screens",
    "real",
    "learn.screens.lesson",
    "learn.screens.puzzle",
    "review.screen",
    "watch.screen",
    "help.screens",
    "settings",
    "library.screens.library",
    "learn.screens.daily",
    "palette",
)
"""Modules of other screens, loaded in a thread while the player looks at the first one; likely ones first."""


class _PlainBars(ScrollBarRender):
    """Draws scroll bars in ASCII."""

    VERTICAL_BARS: ClassVar[list[str]] = [" "] * 8
    HORIZONTAL_BARS: ClassVar[list[str]] = [" "] * 8


def _render_bar(bar: ScrollBar, **options: Any) -> ScrollBarRender:  # noqa: ANN401 - Textual's options
    """Draw a scroll bar as its own app wants it."""
    is_plain = isinstance(bar.app, DurakApp) and bar.app.settings.ascii
    return (_PlainBars if is_plain else ScrollBarRender)(**options)


ScrollBar.renderer = _render_bar  # type: ignore[assignment]  # a method of the bar is as good as a class


def _load(*modules: str) -> None:
    """Import modules of the app, so that opening their screens does not hold the event loop."""
    for module in modules:
        import_module(f"durak_tui.{module}")


def _commands() -> type[Provider]:
    from durak_tui.palette import Commands

    return Commands


class _NoMenu(Screen[None]):
    """Lies below the first screen in place of the menu, which would take as long to open as that screen."""


class DurakApp(App[None]):
    """The Durak app. `AppContext` describes what screens may call."""

    TITLE = "Durak"
    CSS_PATH: ClassVar[str | PurePath | list[str | PurePath] | None] = [
        *sorted(Path(__file__).parent.rglob("*.tcss"), key=lambda path: ("ui" not in path.parts, path))
    ]
    """Loaded together: a style sheet that comes with a screen makes Textual parse all of them again."""
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings("app"),
        system_binding("ctrl+c", "interrupt"),
        system_binding("ctrl+z", "suspend_process"),
        Binding("enter", "screen.take_way", show=False, priority=True),  # before Enter's meaning on a screen
    ]
    ENABLE_COMMAND_PALETTE = True
    COMMAND_PALETTE_BINDING = "ctrl+p"
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {_commands}

    def __init__(self, launch: Launch | None = None) -> None:
        super().__init__()
        self._launch = launch or Launch()
        self._settings_file = SettingsFile()
        self._settings_failure = FailureNotice(self.tell, mark("The settings are saved again."))
        set_language(language_of())
        self.settings: Settings = replace(self._settings_file.load(), **self._launch.changes)
        self.saves = Saves(tell=self.tell)
        self.library = LibraryService(self.saves.folder, self.saves.finished, self.tell)
        self.engines = Engines(engine_command())
        self.readings = PlayerModelMemory()
        self._answers: dict[str, AnalysisCache] = {}
        self._is_turn = self._has_keyboard = False
        self._sounds: SoundPlayer | None = None
        self.notices: list[str] = list(self._settings_file.problems)
        self.settings_changed: Signal[Settings] = Signal(self, "settings")
        for theme in THEMES:
            self.register_theme(theme)
        self._apply_settings()
        if self._launch.at_once in _FIRST:
            _load(_FIRST[self._launch.at_once])

    async def on_event(self, event: events.Event) -> None:
        pressed = isinstance(event, events.Key | events.MouseDown)
        if pressed and (self._exit or not self.is_running):
            return  # the screens are being removed, or are gone
        screen = self.screen_stack[-1] if pressed and self.screen_stack else None
        if isinstance(screen, DurakScreen) and screen.is_complete:
            screen.key_pressed()
        await super().on_event(event)

    # Settings

    def change_settings(self, **changes: Any) -> None:  # noqa: ANN401 - the fields have several types
        self.settings = replace(self.settings, **changes)
        self._apply_settings()
        self._save_settings(**changes)
        self.settings_changed.publish(self.settings)

    def _save_settings(self, **changes: Any) -> str:  # noqa: ANN401 - as above
        """Save changed settings; return the error message, or an empty string."""
        try:
            self._settings_file.change(**changes)
        except FileError as error:
            problem = gettext("The settings cannot be saved: {why}.", why=core_words(error.why))
            what_then = gettext("They work for now. Durak will try saving again.")
            self._settings_failure.report(f"{problem} {what_then}")
            return problem
        self._settings_failure.report(None)
        return ""

    def _try_settings_again(self) -> str:
        return "" if self._settings_failure.problem is None else self._save_settings()

    def _apply_settings(self) -> None:
        if self.settings.theme not in self.available_themes:
            problem = gettext(
                "There is no theme {theme!r}; the default one is used.", theme=self.settings.theme
            )
            self.notices.append(problem)
            self.settings = replace(self.settings, theme=Settings().theme)
        problem = set_language(self.settings.language_code)
        if problem and problem not in self.notices:
            self.notices.append(problem)
        self.theme = self.settings.theme
        self.animation_level = "none" if self.settings.reduced_motion else "full"
        self.set_keymap(self.settings.keymap.changed_bindings)

    def tell(self, text: str) -> None:
        if text not in self.notices:
            self.notices.append(text)
        self.notify(text, severity="warning", timeout=8, markup=False)

    def refresh_css(self, animate: bool = True) -> None:
        if self.screen_stack:
            super().refresh_css(animate=animate)
        else:  # a theme chosen before the start: the style sheets are parsed later, and only once
            self.stylesheet.set_variables(self.get_css_variables())

    # Signals outside the window

    def announce(self, sounds: Sequence[Sound], *, is_turn: bool) -> None:
        if self.settings.sounds:
            for sound in sounds:
                self._play(sound)
        was_turn, self._is_turn = self._is_turn, is_turn
        if is_turn == was_turn:
            return
        self._write(signals.title(gettext("Your turn - Durak") if is_turn else self.TITLE))
        if is_turn and not self.app_focus:
            if self.settings.alert == "bell":
                self.bell()
            elif self.settings.alert == "notification":
                self._write(signals.notification(gettext("It is your turn."), os.environ))

    def _play(self, sound: Sound) -> None:
        if self.is_web:
            self._write(signals.page_sound(sound))
            return
        if self._sounds is None:
            from durak_tui.ui.model import SoundPlayer

            loop = asyncio.get_running_loop()
            self._sounds = SoundPlayer(partial(loop.call_soon_threadsafe, self.bell))
        self._sounds.play(sound)

    def call_keyboard(self, *, is_wanted: bool) -> None:
        if is_wanted or self._has_keyboard:
            self._write(signals.page_keyboard(is_wanted=is_wanted))
        self._has_keyboard = is_wanted

    def _write(self, sequence: str) -> None:
        if self._driver is not None and not self.is_headless:
            self._driver.write(sequence)

    # Starting

    def get_driver_class(self) -> type[Driver]:
        return hardened(super().get_driver_class())

    def get_default_screen(self) -> Screen[Any]:
        is_covered = self._launch.at_once in _COVERING and len(self._launch.games) < 2
        return _NoMenu() if is_covered else MenuScreen()

    def pop_screen(self) -> AwaitComplete:
        if len(self.screen_stack) == 2 and isinstance(self.screen_stack[0], _NoMenu):
            return self.switch_screen(MenuScreen())
        return super().pop_screen()

    def on_load(self) -> None:
        self._listen_to_signals()

    def on_mount(self) -> None:
        self._fit_colours()
        self._write(signals.KEEP_TITLE + signals.title(self.TITLE))
        self.call_after_refresh(lambda: start_work(self, in_thread, self._finish_start))
        if self._launch.problem is not None:
            self.tell(core_words(self._launch.problem))
        self._open_first()
        if isinstance(self.screen, _NoMenu):  # nothing opened
            self.push_screen(MenuScreen())
        elif isinstance(self.screen_stack[0], _NoMenu):  # a menu would collect games
            self.call_after_refresh(lambda: start_work(self, self.library.collect))

    def _open_first(self) -> None:
        match self._launch.at_once:
            case "play":
                self.play_game(self._launch)
            case "watch":
                self.watch_game(self._launch)
            case "continue":
                self._continue_newest()
            case "return":
                self._return()
            case "daily":
                self.action_daily()
            case "friends" | "tv" as how:
                self.action_friends(self._launch.table, watching=how == "tv")
            case "real":
                self._keep_real_cards()
            case "review":
                self.review_one_of(self._launch.games)

    def _fit_colours(self) -> None:
        """Use palettes of our own on a terminal with few colours."""
        system = self.console.color_system
        if system in {"256", "standard"} and not (self.is_headless or self.no_color):
            from durak_tui.ui.few_colours import FewColours

            self._filters.append(FewColours(system))

    async def on_unmount(self) -> None:
        self._write(signals.RETURN_TITLE)
        if self._sounds is not None:
            self._sounds.close()
        self._try_settings_again()
        self.library.close()
        await self.engines.close()

    def _finish_start(self) -> None:
        if not gc.isenabled():
            gc.freeze()  # what the start has made stays, and need not be searched for garbage
            gc.enable()
        _load(*_LATER)
        self.saves.sweep()
        self._settings_file.sweep()

    def _listen_to_signals(self) -> None:
        """Exit cleanly on signals to end, with the terminal as it was."""
        if sys.platform == "win32":
            return
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            loop.add_signal_handler(number, self.exit, None, 128 + number)

    def _continue_newest(self) -> None:
        game = self.saves.newest()
        if game is not None:
            self.go_on(game)
        else:
            self.tell(gettext("There is no unfinished game."))

    def _keep_real_cards(self) -> None:
        game = next((game for game in self.saves.unfinished() if game.real is not None), None)
        if game is not None:
            self.go_on(game)
        else:
            self.action_real()

    def _return(self) -> None:
        """Open the table or the game that was played last, for a page that has lost its app."""
        from durak_tui.friends.client import KeptSeats

        game, seats, launch = self.saves.newest(), KeptSeats(), self._launch
        played_at = 0.0 if game is None else game.path.stat().st_mtime
        seat = seats.latest(since=max(played_at, time.time() - _SEAT_IS_RECENT))
        if seat is not None:
            self.action_friends(seat.address.link)
        elif game is not None:
            self.go_on(game)
        elif launch.rules is not None or launch.seed is not None:
            self.play_game(launch)

    # Games

    def play_game(self, launch: Launch | None = None) -> None:
        is_chosen = self.settings.players or (launch is not None and launch.bots)
        suggested = "" if is_chosen else self.library.standing().suggested.text
        self._begin(lambda: play_setup(self.settings, launch, suggested))

    def watch_game(self, launch: Launch | None = None) -> None:
        self._begin(lambda: watch_setup(self.settings, launch))

    def begin(self, setup: GameSetup) -> None:
        self._begin(lambda: setup)

    def go_on(self, game: Unfinished) -> None:
        kind = Session if game.real is None else RealTable
        session = kind.continued(game, self.saves, self.engines.players)
        if session is not None:
            self._open(session)

    def watch_pairs(self) -> None:
        self._begin(lambda: random_pair(self.settings), random_pairs=True)

    def play_on(self, record: Record, seat: int, path: Sequence[State]) -> None:
        name, suggested = person_name(self.settings), self.library.standing().suggested.text
        self._begin(lambda: play_on_setup(record, seat, name, suggested), path)

    def _begin(
        self, make_setup: Callable[[], GameSetup], states: Iterable[State] = (), *, random_pairs: bool = False
    ) -> None:
        """Open a game, by default a new deal. Show a notice if it cannot be played."""
        try:
            setup = make_setup()
            if any(map(own_name, setup.players)):
                start_work(self, self._try_and_open, setup, group="own agents", exclusive=True)
            else:
                self._open(self.new_game(setup, states), random_pairs=random_pairs)
        except DurakError as error:
            self.tell(core_words(error))

    async def _try_and_open(self, setup: GameSetup) -> None:
        own = [called(player) for player in setup.players if own_name(player)]
        self.notify(gettext("Starting {names}...", names=", ".join(own)), markup=False)
        try:
            await try_own(setup, self.engines.players)
            self._open(self.new_game(setup))
        except DurakError as error:
            self.tell(core_words(error))

    def new_game(self, setup: GameSetup, states: Iterable[State] = ()) -> Session:
        return Session.new(setup, self.saves, self.engines.players, states)

    def _open(self, session: Session, *, random_pairs: bool = False) -> None:
        self.notices.clear()
        if isinstance(session, RealTable):
            from durak_tui.real import RealScreen

            self.push_screen(RealScreen(session))
        elif session.setup.humans:
            from durak_tui.table.screens import TableScreen

            self.push_screen(TableScreen(session))
        else:
            from durak_tui.watch.screen import WatchScreen

            self.push_screen(WatchScreen(session, random_pairs=random_pairs))

    # Reviews

    def game_to_review(
        self, record: Record, viewer: int | None = None, answers: AnalysisCache | None = None
    ) -> ReviewGame | None:
        from durak_tui.review.model import ReviewGame

        try:
            key = write_json_line(record)
            game = ReviewGame(record, viewer, self._answers.get(key, answers))
        except DurakError as error:
            self.tell(core_words(error))
            return None
        if self._answers.setdefault(key, game.answers).source is None:
            game.recall(self.library)
        while len(self._answers) > _REVIEWS_KEPT:
            self._answers.pop(next(iter(self._answers)))
        return game

    def show_review(
        self,
        record: Record,
        viewer: int | None = None,
        ply: int | None = None,
        answers: AnalysisCache | None = None,
    ) -> None:
        from durak_tui.review.screen import ReviewScreen

        game = self.game_to_review(record, viewer, answers)
        if game is None:
            return
        if ply is not None:
            game.go(ply)

        def closed(_result: None) -> None:
            start_work(self, game.remember, self.library)

        self.push_screen(ReviewScreen(game, self.engines.adviser, opens_at_turn=ply is None), closed)

    def review_one_of(self, games: Sequence[Record]) -> None:
        if len(games) == 1:
            self.show_review(games[0])
            return
        from durak_tui.review.model import game_line

        choices = [(str(number), game_line(number, game)) for number, game in enumerate(games)]

        def picked(number: str | None) -> None:
            if number is not None:
                self.show_review(games[int(number)])

        self.push_screen(Pick(gettext("Which game?"), choices, "0"), picked)

    # Screens, and keys that work everywhere

    def show_menu(self) -> None:
        from durak_tui.board.screens.board import ReplayScreen

        while len(self.screen_stack) > 1 and not isinstance(self.screen, MenuScreen | ReplayScreen):
            self.pop_screen()

    def action_set_up(self, watching: bool = False) -> None:
        self._set_up(watching=watching)

    def _set_up(self, *, watching: bool = False, hosting: bool = False) -> None:
        from durak_tui.setup.model import Draft
        from durak_tui.setup.screens import SetupScreen

        draft = Draft(self.settings, self.library.standing(SPARKS), watching=watching, hosting=hosting)
        self.push_screen(SetupScreen(draft))

    def action_friends(self, at_once: str = "", *, watching: bool = False) -> None:
        """Open the way to tables of friends, and host, join or watch a table at once (`FriendsScreen`)."""
        try:
            from durak_tui.friends.screens.lobby import FriendsScreen
        except ModuleNotFoundError as error:
            from durak_core.installation import install_command, is_from_index

            needed = gettext("Playing with friends needs {name}.", name=error.name)
            way = gettext("To install it, run") if is_from_index() else gettext("In a checkout of Durak, run")
            self.tell(f"{needed} {way} {install_command('web')}")
            return
        self.push_screen(FriendsScreen(at_once, watching=watching))

    def action_real(self) -> None:
        from durak_tui.real import RealDraft, RealSetupScreen

        settings, rules = self.settings, self._launch.rules
        if rules is not None and self._launch.at_once == "real":
            settings = replace(settings, rules=rules.text)
        self.push_screen(RealSetupScreen(RealDraft(settings, self.library.standing())))

    def action_host(self) -> None:
        self._set_up(hosting=True)

    def host_table(self, rules: Rules, players: Sequence[str], clock: int, *, spectators: bool) -> None:
        from durak_tui.friends.screens.lobby import LobbyScreen

        for screen in self.screen_stack:
            if isinstance(screen, LobbyScreen) and screen.offers("change"):
                screen.change_table(rules, players, clock, spectators=spectators)
                return
        self.push_screen(
            LobbyScreen.opening(self.settings.name, rules, players, clock, spectators=spectators)
        )

    def action_learn(self) -> None:
        from durak_tui.learn.screens.lesson import LearnScreen

        self.push_screen(LearnScreen())

    def action_lessons(self) -> None:
        from durak_tui.learn.screens.lesson import LessonsScreen

        self.push_screen(LessonsScreen())

    def open_lesson(self, number: int = 0) -> None:
        from durak_tui.learn.model import lessons
        from durak_tui.learn.screens.lesson import LessonScreen

        found, problems = lessons()
        if number < len(found):
            self.push_screen(LessonScreen(found, number))
        else:
            for problem in problems:
                self.tell(core_words(problem))

    def action_mistakes(self, game: ReviewGame | None = None) -> None:
        from durak_tui.learn.screens.puzzle import open_mistakes

        start_work(self, self._push_found, open_mistakes, game, group="mistakes", exclusive=True)

    def action_puzzles(self, kind: str = "all") -> None:
        from durak_tui.learn.screens.puzzle import open_puzzles

        self.engines.adviser.warm()
        start_work(self, self._push_found, open_puzzles, kind, group="puzzles", exclusive=True)

    async def _push_found(
        self, find: Callable[..., Awaitable[Screen[Any] | None]], *arguments: object
    ) -> None:
        screen = await find(self, *arguments)
        if screen is not None:
            self.push_screen(screen)

    def action_daily(self) -> None:
        from durak_tui.learn.screens.daily import DailyScreen

        self.push_screen(DailyScreen())

    def action_library(self) -> None:
        from durak_tui.library.screens.library import LibraryScreen

        self.push_screen(LibraryScreen())

    def action_statistics(self) -> None:
        from durak_tui.library.screens.library import StatisticsScreen

        self.push_screen(StatisticsScreen())

    def action_settings(self) -> None:
        from durak_tui.settings import SettingsScreen

        if not isinstance(self.screen, SettingsScreen):
            self.push_screen(SettingsScreen())

    def action_rules(self) -> None:
        from durak_tui.help.screens import RulesScreen

        if not isinstance(self.screen, RulesScreen):
            screen = self.screen
            if isinstance(screen, DurakScreen):
                self.push_screen(RulesScreen(screen.rules, screen.paragraph))

    def action_help(self) -> None:
        from durak_tui.help.screens import HelpDialog

        if isinstance(self.screen, DurakScreen):
            self.push_screen(HelpDialog(self.screen.PLACE))

    def action_command_palette(self) -> None:
        from durak_tui.palette import Palette

        if not isinstance(self.screen, Palette):
            self.push_screen(Palette(placeholder=gettext("Search for commands...")))

    async def action_quit(self) -> None:
        """Quit. If a running game is not saved, ask first."""
        self._leave(0)

    def action_suspend_process(self) -> None:
        """Suspend on Ctrl+Z, if the shell can continue the program."""
        if can_continue():
            super().action_suspend_process()

    def action_interrupt(self) -> None:
        self._leave(_INTERRUPTED)

    def _leave(self, code: int) -> None:
        if not isinstance(self.screen, NotSaved):
            when_saved(self, self._save, lambda: self.exit(return_code=code))

    def _save(self) -> str:
        """Retry failed saves; return the error that remains, or an empty string."""
        games = [screen.save() for screen in self.screen_stack if isinstance(screen, DurakScreen)]
        return "\n".join(filter(None, (*games, self._try_settings_again(), self.library.writing())))

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        if not isinstance(screen, DurakScreen):
            return
        from durak_tui.palette import commands

        yield from commands(screen)


if TYPE_CHECKING:
    _host: AppContext = DurakApp()  # lets the type checker compare the app with the protocol
