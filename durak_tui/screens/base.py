"""What all screens share: keys from the keymap, the key line, and a word when there is no room."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final, TypeVar, cast

from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.screen import ModalScreen, Screen
from textual.widgets import Static

from durak_tui.text.i18n import say, translate
from durak_tui.widgets.key_bar import KeyBar

if TYPE_CHECKING:
    from textual import events

    from durak_tui.app import DurakApp

LEAST_WIDTH: Final = 60
LEAST_HEIGHT: Final = 20

_ResultT = TypeVar("_ResultT")


class Words(Static):
    """A text that is said anew when the language changes.

    Args:
        template: The English text.
        classes: Style classes.
        id: The widget's name.
    """

    def __init__(self, template: str, *, classes: str | None = None, id: str | None = None) -> None:  # noqa: A002
        super().__init__(classes=classes, id=id, markup=False)
        self._template = template

    def say(self) -> None:
        """Show the text in the language in force."""
        self.update(translate(self._template))


class ClosesItself(Screen[_ResultT]):
    """A screen that closes no other one."""

    def dismiss(self, result: _ResultT | None = None) -> AwaitComplete:
        """Close, with a result; nothing happens where another screen has come in front.

        Textual would close that one, and fail at the next attempt.
        """
        return super().dismiss(result) if self.app.screen is self else AwaitComplete()


class _Patient(ClosesItself[_ResultT]):
    """A screen that does nothing before its widgets are there, nor when they are gone.

    Somebody may type faster than it opens or closes.
    """

    @property
    def is_complete(self) -> bool:
        """Whether all widgets are there, and none is being taken away."""
        return self.is_mounted and not self._pruning and self in self.app.screen_stack

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Let keys act while the screen is complete and in front."""
        del action, parameters
        return self.is_complete and self.app.screen is self


class DurakScreen(_Patient[None]):
    """A full screen.

    Subclasses set ``PLACE`` to their part of the keymap, ``BINDINGS`` to its bindings, and compose
    their widgets with `compose_body`.
    """

    PLACE: ClassVar[str]

    @property
    def durak(self) -> DurakApp:
        """The app."""
        return cast("DurakApp", self.app)

    @property
    def paragraph(self) -> str:
        """The paragraph of the rules that the screen named last, such as ``5.3``; may be empty."""
        return ""

    def compose_body(self) -> ComposeResult:
        yield from ()

    def compose(self) -> ComposeResult:
        yield from self.compose_body()
        yield KeyBar(self.PLACE)
        yield Static(id="no-room")

    def on_mount(self) -> None:
        self.durak.settings_changed.subscribe(self, lambda _settings: self.settings_changed())
        self.settings_changed()

    def settings_changed(self) -> None:
        """Take over changed settings, the language too; subclasses extend it."""
        settings = self.durak.settings
        for words in self.query(Words):
            words.say()
        self.query_one(KeyBar).show(settings.keymap, ascii_only=settings.ascii)
        self.set_class(settings.ascii, "-ascii")

    def key_pressed(self) -> None:
        """Be ready for a key or a button of the mouse, which is about to do something."""

    def offers(self, action: str) -> bool:
        """Tell whether the key line shall name an action now; its key may still explain itself."""
        del action
        return True

    def on_resize(self, event: events.Resize) -> None:
        width, height = event.size
        too_small = width < LEAST_WIDTH or height < LEAST_HEIGHT
        self.set_class(too_small, "-too-small")
        if too_small:
            text = say(
                "Durak needs {least}; this window has {size}.",
                least=f"{LEAST_WIDTH}x{LEAST_HEIGHT}",
                size=f"{width}x{height}",
            )
            self.query_one("#no-room", Static).update(text)


class Dialog(_Patient[_ResultT], ModalScreen[_ResultT]):
    """A window over another screen; Escape closes it without an answer."""

    @property
    def durak(self) -> DurakApp:
        """The app."""
        return cast("DurakApp", self.app)

    def on_mount(self) -> None:
        self.set_class(self.durak.settings.ascii, "-ascii")

    def action_close(self) -> None:
        self.dismiss(None)
