"""Base classes of screens and dialogs: key handling, key bar, minimum size, and the app's interface."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Final, Protocol, TypeVar, cast

from textual import events, on
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.containers import VerticalScroll
from textual.dom import DOMNode
from textual.screen import ModalScreen, Screen
from textual.widget import Widget
from textual.widgets import Input, OptionList, Static

from durak_core import Rules
from durak_tui.keys.actions import Key
from durak_tui.keys.driver import bindings
from durak_tui.sandbox import has_touch_screen
from durak_tui.text.i18n import gettext, translate
from durak_tui.ui.widgets.canvas import INKS, part_names
from durak_tui.ui.widgets.cards import UPRIGHT, USUAL_HEIGHT, is_upright
from durak_tui.ui.widgets.key_bar import KeyBar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.signal import Signal

    from durak_core import Record, State
    from durak_tui.engine import Engines
    from durak_tui.hints.model import PlayerModelMemory
    from durak_tui.library.model.service import LibraryService
    from durak_tui.play.analysis import AnalysisCache
    from durak_tui.play.saves import Saves, Unfinished
    from durak_tui.play.session import Session
    from durak_tui.play.setup import GameSetup
    from durak_tui.review.model import ReviewGame
    from durak_tui.storage.settings import Settings
    from durak_tui.ui.model import Sound


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

    def call_keyboard(self, *, is_wanted: bool) -> None:
        """Call the keyboard of a visitor's phone, or send it away."""

    def play_game(self) -> None: ...

    def begin(self, setup: GameSetup) -> None: ...

    def go_on(self, game: Unfinished) -> None: ...

    def watch_pairs(self) -> None:
        """Watch random pairs of opponents, one game after another."""

    def play_on(self, record: Record, seat: int, path: Sequence[State]) -> None:
        """Let the user take a seat of a recorded game, in a new game from the last of these positions."""

    def new_game(self, setup: GameSetup) -> Session:
        """Deal a game and start saving it; raise a `DurakError` if it cannot be played."""

    def game_to_review(
        self, record: Record, viewer: int | None = None, answers: AnalysisCache | None = None
    ) -> ReviewGame | None:
        """Return a game with its analysis, stored or given; None, with a message, if it is invalid."""

    def show_review(
        self,
        record: Record,
        viewer: int | None = None,
        ply: int | None = None,
        answers: AnalysisCache | None = None,
    ) -> None:
        """Review a game as a seat sees it, by default the user's, from a ply or its turning point on."""

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


_LEAST_WIDTH: Final = 40
_LEAST_HEIGHT: Final = 20
_ResultT = TypeVar("_ResultT")
_AnswerT = TypeVar("_AnswerT")


class TranslatedLabel(Static):
    """A label that is retranslated when the language changes."""

    def __init__(self, template: str, *, classes: str | None = None, id: str | None = None) -> None:  # noqa: A002
        super().__init__(classes=classes, id=id, markup=False)
        self._template = template

    def gettext(self) -> None:
        self.update(translate(self._template))


def start_work(
    node: DOMNode,
    function: Callable[..., Coroutine[Any, Any, object]],
    *arguments: object,
    group: str = "default",
    exclusive: bool = False,
) -> None:
    """Run a coroutine function in the background; it is not called if the app ends first."""
    work: Any = partial(function, *arguments)
    node.run_worker(work, group=group, exclusive=exclusive)


class ScreenLine(Static):
    """A line above a screen, with a way that Enter takes while the line shows one."""

    DEFAULT_CSS = """
    ScreenLine { layer: over; dock: top; width: 100%; height: auto; padding: 0 1; background: $panel; }
    ScreenLine.-warning { color: $text-warning; text-style: bold; }
    """
    way: Callable[[], object] | None = None

    def show(self, words: str, tone: str, way: Callable[[], object] | None) -> None:
        self.display, self.way = bool(words), way
        self.set_class(tone == "warning", "-warning")
        self.update(words)

    def on_click(self) -> None:
        if self.way is not None:
            self.way()


class AppScreen(Screen[_ResultT]):
    """A screen that handles keys only while it is mounted and in front."""

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (UPRIGHT, "-broad")]  # noqa: RUF012 - Textual's type
    VERTICAL_BREAKPOINTS = [(0, "-low"), (USUAL_HEIGHT, "-high")]  # noqa: RUF012 - Textual's type
    DEFAULT_CSS = f"AppScreen {{ layers: default over; {INKS} }}"
    COMPONENT_CLASSES: ClassVar[set[str]] = part_names(INKS)
    MOVED: ClassVar[type[Widget] | None] = None
    """The widget that the arrow, page, Home and End keys move or scroll."""
    _is_new = True

    @property
    def host(self) -> AppContext:
        return cast("AppContext", self.app)

    @property
    def is_upright(self) -> bool:
        """Whether the layout is for a phone in portrait orientation."""
        return is_upright(*self.app.size)

    @property
    def is_for_fingers(self) -> bool:
        """Whether lines and buttons have a finger's height, and no text names a key."""
        return self.is_upright or has_touch_screen()

    @property
    def is_complete(self) -> bool:
        """Whether all widgets are mounted and none is being removed."""
        is_there = self.is_mounted and self.is_attached and not self._pruning
        return is_there and self in self.app.screen_stack

    @property
    def is_in_front(self) -> bool:
        return self.is_complete and self.app.screen is self

    @on(events.Mount)
    @on(events.Resize)
    def _size_for_fingers(self) -> None:
        self.set_class(self.is_for_fingers, "-touch")

    @on(events.DescendantFocus)
    @on(events.DescendantBlur)
    @on(events.ScreenResume)
    def _call_keyboard(self) -> None:
        if has_touch_screen() and self.app.app_focus:  # else the page is away, and with it the focus
            self.host.call_keyboard(is_wanted=isinstance(self.app.focused, Input))

    async def on_event(self, event: events.Event) -> None:
        """Ignore mount events once the app is exiting, because no widgets are mounted then."""
        if isinstance(event, events.ScreenResume) and self._is_new:
            self._is_new = event.refresh_styles = False  # mounting has just applied them
        goes_on = self.is_attached and self.app.is_running
        if goes_on or not isinstance(event, events.Mount | events.Resize | events.ScreenResume):
            await super().on_event(event)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        del parameters
        return self.is_in_front and (action != "take_way" or any(line.way for line in self.query(ScreenLine)))

    def action_take_way(self) -> None:
        for line in self.query(ScreenLine):
            if line.way is not None:
                line.way()

    def dismiss(self, result: _ResultT | None = None) -> AwaitComplete:
        """Close with a result, unless another screen is in front, which Textual would close instead."""
        return super().dismiss(result) if self.app.screen is self else AwaitComplete()

    def ask(self, dialog: Dialog[_AnswerT], then: Callable[[_AnswerT], object]) -> None:
        """Show a dialog and call a function with its answer; a cancelled dialog calls nothing."""

        def answered(answer: _AnswerT | None) -> None:
            if answer is not None:
                then(answer)

        self.app.push_screen(dialog, answered)

    def action_move(self, way: str) -> None:
        """Run ``up``, ``down``, ``page_up``, ``page_down``, ``home`` or ``end`` in the `MOVED` widget."""
        if self.MOVED is None:
            return
        widget = self.query_one(self.MOVED)
        if isinstance(widget, VerticalScroll):
            getattr(widget, f"scroll_{way}")(animate=False)
        elif isinstance(widget, OptionList):
            getattr(widget, f"action_cursor_{way}")()
        else:
            getattr(widget, f"action_{way}")()


class DurakScreen(AppScreen[None]):
    """A full screen with a key bar.

    Subclasses name their group of keys as ``place`` and override `compose_body`.
    """

    PLACE: ClassVar[str]

    def __init_subclass__(cls, *, place: str = "", **options: bool) -> None:
        if place:
            cls.PLACE, cls.BINDINGS = place, bindings(place)
        super().__init_subclass__(**options)

    @property
    def rules(self) -> Rules:
        """The rules of the screen's game, or of the last game played."""
        return Rules.parse(self.host.settings.rules)

    @property
    def paragraph(self) -> str:
        """The rule paragraph the screen last referred to, such as ``5.3``, or empty."""
        return ""

    @property
    def has_word_bar(self) -> bool:
        """Whether the key bar has words to tap instead of keys."""
        return self.has_class("-narrow") or self.is_for_fingers

    def compose_body(self) -> ComposeResult:
        yield from ()

    def compose(self) -> ComposeResult:
        # Textual adds these classes later, which styles all widgets once more.
        sizes = zip(self.app.size, (self.HORIZONTAL_BREAKPOINTS, self.VERTICAL_BREAKPOINTS), strict=True)
        self.set_class(self.is_for_fingers, "-touch")
        self.add_class(*[max(point for point in points if point[0] <= size)[1] for size, points in sizes])
        yield from self.compose_body()
        yield KeyBar(self.PLACE)
        yield Static(id="no-room", markup=False)

    def on_mount(self) -> None:
        self.host.settings_changed.subscribe(self, lambda _settings: self.settings_changed())
        self.settings_changed()

    def settings_changed(self) -> None:
        """Apply changed settings, including the language; subclasses extend it."""
        settings = self.host.settings
        for words in self.query(TranslatedLabel):
            words.gettext()
        self.query_one(KeyBar).show(settings.keymap, ascii_only=settings.ascii)
        self.set_class(settings.ascii, "-ascii")

    def key_pressed(self) -> None:
        """Called before a key or mouse button acts."""

    def offers(self, action: str) -> bool:
        """Return whether the key bar lists an action; a key that is not listed may explain a refusal."""
        del action
        return True

    def bar_label(self, key: Key) -> str:
        """Return the key bar's words for a key; empty if it does not list the key."""
        return translate(key.label) if key.label else ""

    def save(self) -> str:
        """Retry a failed save; return the problem, or empty if all is saved."""
        return ""

    def action_back(self) -> None:
        self.dismiss()

    def on_resize(self, event: events.Resize) -> None:
        width, height = event.size
        too_small = width < _LEAST_WIDTH or height < _LEAST_HEIGHT
        self.set_class(too_small, "-too-small")
        if too_small:
            text = gettext(
                "Durak needs {least}; this window has {size}.",
                least=f"{_LEAST_WIDTH}x{_LEAST_HEIGHT}",
                size=f"{width}x{height}",
            )
            self.query_one("#no-room", Static).update(text)


class ListScreen(DurakScreen):
    """A screen with one list, whose keys are the screen's."""

    MOVED = OptionList

    def on_mount(self) -> None:
        self.query_one(OptionList).can_focus = False

    def action_choose(self) -> None:
        self.query_one(OptionList).action_select()


class Dialog(AppScreen[_ResultT], ModalScreen[_ResultT]):
    """A modal window; Escape or a click outside closes it without an answer."""

    BINDINGS: ClassVar = bindings("dialog")

    def on_mount(self) -> None:
        self.set_class(self.host.settings.ascii, "-ascii")

    def on_click(self, event: events.Click) -> None:
        # The second click of a double click belongs to the widget that opened the dialog.
        if event.chain == 1 and self.closes_at(event):
            self.action_close()

    def closes_at(self, event: events.Click) -> bool:
        return event.widget is self

    def action_close(self) -> None:
        self.dismiss(None)
