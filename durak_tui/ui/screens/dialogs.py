"""Dialogs, form screens, and sharing a finished game by its code."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from rich.console import Console, ConsoleOptions
from rich.text import Text
from textual import events, on
from textual.app import App, ComposeResult
from textual.await_complete import AwaitComplete
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.visual import VisualType
from textual.widgets import Button, Input, OptionList, Static
from textual.widgets.option_list import Option

from durak_core import Record
from durak_tui.keys.driver import bindings
from durak_tui.keys.keymap import key_label, latin_twin, twins
from durak_tui.text.i18n import gettext
from durak_tui.ui.screens.base import AppScreen, Dialog, DurakScreen, TranslatedLabel
from durak_tui.ui.view.signals import code_of, game_link, qr_lines
from durak_tui.ui.widgets.canvas import cut
from durak_tui.ui.widgets.form import Form, Row

_IN_A_ROW: Final = 4
"""Maximum number of buttons in one row; more form a block."""
_LONG: Final = 36


def answer_keys(labels: Iterable[str]) -> list[str]:
    """Choose a distinct letter for each label, preferably the first letter of a word.

    >>> answer_keys(["Next game", "New game", "Menu"])
    ['n', 'g', 'm']
    """
    keys: list[str] = []
    for label in labels:
        letters = [word[0] for word in label.lower().split()] + list(label.lower())
        keys.append(next((letter for letter in letters if letter.isalpha() and letter not in keys), ""))
    return keys


class Ask(Dialog[str]):
    """A text and buttons, each a name and a label; the answer is a name. The first button has the focus.

    Each button has a letter key, which works in the Latin and in Cyrillic keyboard layouts.
    """

    MOVED = VerticalScroll

    def __init__(self, title: str, text: str | Text, buttons: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self._title = title
        self._text = text
        self._buttons = buttons
        self._keys = answer_keys(label for _name, label in buttons)

    def compose(self) -> ComposeResult:
        with Vertical(classes="window") as window:
            window.border_title = Content(self._title)
            with VerticalScroll(classes="text", can_focus=False):
                yield from self.compose_text()
            many = len(self._buttons) > _IN_A_ROW
            with Horizontal(classes="buttons -many" if many else "buttons"):
                for (name, label), key in zip(self._buttons, self._keys, strict=True):
                    text = label if self.is_for_fingers else f"{label} {key}"
                    yield Button(Content(text), id=f"answer-{name}", compact=True)
            yield from self.compose_below()

    def compose_text(self) -> ComposeResult:
        yield Static(self._text, markup=False)

    def compose_below(self) -> ComposeResult:
        yield from ()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        self.answer((event.button.id or "").removeprefix("answer-"))

    def answer(self, name: str) -> None:
        self.dismiss(name)

    def on_key(self, event: events.Key) -> None:
        """Answer by a letter: as shown, one that looks the same, or the same key in another layout."""
        typed = (event.character or "").lower()
        keys = {
            key: name
            for (name, _label), key in zip(self._buttons, self._keys, strict=True)
            if key and typed and not self.query_one(f"#answer-{name}", Button).disabled
        }
        alike = [key for key in keys if typed == latin_twin(key)]
        elsewhere = [key for key in keys if typed in twins(key) or key in twins(typed)]
        meant = [*([typed] if typed in keys else []), *alike, *elsewhere]
        if meant:
            event.stop()
            self.answer(keys[meant[0]])

    def action_left(self) -> None:
        self.focus_previous(Button)

    def action_right(self) -> None:
        self.focus_next(Button)


class NotSaved(Ask):
    """Offers to retry, discard or keep unsaved data when leaving; Escape stays."""

    def __init__(self, problem: str, *, again: bool) -> None:
        lines = (problem, gettext("Unsaved changes are lost if you leave."))
        buttons = (
            ("again", gettext("Try again")),
            ("leave", gettext("Leave without saving")),
            ("stay", gettext("Stay")),
        )
        super().__init__(
            gettext("Still not saved") if again else gettext("Not saved"), "\n\n".join(lines), buttons
        )


def when_saved(
    app: App[None], save: Callable[[], str], leave: Callable[[], object], *, again: bool = False
) -> None:
    """Leave once everything is saved or the user insists; `save` returns what could not be saved."""
    problem = save()
    if not problem:
        leave()
        return

    def answered(answer: str | None) -> None:
        if answer == "again":
            when_saved(app, save, leave, again=True)
        elif answer == "leave":
            leave()

    app.push_screen(NotSaved(problem, again=again), answered)


class _Choices(OptionList):
    """A list whose highlighted option stays in sight when the window changes its size."""

    def on_resize(self) -> None:
        self.call_after_refresh(self.scroll_to_highlight)


class Pick(Dialog[str]):
    """A list of choices, each a value and a label; the answer is a value."""

    MOVED = OptionList

    def __init__(self, title: str, choices: Sequence[tuple[str, str]], value: str) -> None:
        super().__init__()
        self._title = title
        self._choices = choices
        self._value = value

    def compose(self) -> ComposeResult:
        is_wide = any(len(label) > _LONG for _value, label in self._choices)
        with Vertical(classes="window -wide" if is_wide else "window") as window:
            window.border_title = Content(self._title)
            gap = "\n" if self.is_for_fingers else ""
            labels = [self.draw_label(label, gap) for _value, label in self._choices]
            options = [Option(label, id=f"choice-{number}") for number, label in enumerate(labels)]
            yield _Choices(*options)

    def draw_label(self, label: str, gap: str) -> VisualType:
        """Return a label followed by a gap, with brackets shown literally."""
        return Content(label + gap)

    def on_mount(self) -> None:
        values = [value for value, _label in self._choices]
        if self._value in values:
            self.query_one(OptionList).highlighted = values.index(self._value)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self._choices[event.option_index][0])

    def action_left(self) -> None:
        self.dismiss(None)

    def action_right(self) -> None:
        self.query_one(OptionList).action_select()


@dataclass(frozen=True)
class _OneLine:
    """A text cut to the width it is drawn in, followed by a gap."""

    text: str
    ellipsis: str
    gap: str

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        del console
        yield Text(cut(self.text, options.max_width, ellipsis=self.ellipsis) + self.gap)


class PickLook(Pick):
    """A list of colour themes, each shown while it is highlighted."""

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        self.app.theme = self._choices[event.option_index][0]

    def on_unmount(self) -> None:
        self.app.theme = self.host.settings.theme


class PickName(Pick):
    """A list of names, which may be of any length: each is cut to one line."""

    def draw_label(self, label: str, gap: str) -> VisualType:
        return _OneLine(label, "~" if self.host.settings.ascii else "…", gap)


class Write(Dialog[str]):
    """A line of text; the check returns what is wrong with it. Text already typed replaces the value."""

    def __init__(
        self, title: str, value: str, check: Callable[[str], str], hint: str = "", *, typed: str = ""
    ) -> None:
        super().__init__()
        self._title = title
        self._value = typed or value
        self._is_typed = bool(typed)
        self._check = check
        self._hint = hint

    def compose(self) -> ComposeResult:
        with Vertical(classes="window") as window:
            window.border_title = Content(self._title)
            yield Input(self._value, compact=True, select_on_focus=not self._is_typed)
            yield Static(self._hint, classes="hint", markup=False)
            yield Static("", classes="problem", markup=False)
            if self.is_for_fingers:
                with Horizontal(classes="buttons"):
                    yield Button(gettext("OK"), compact=True)

    def on_input_changed(self, event: Input.Changed) -> None:
        self.query_one(".problem", Static).update(self._check(event.value))

    @on(Input.Submitted)
    @on(Button.Pressed)
    def take(self) -> None:
        value = self.query_one(Input).value
        if not self._check(value):
            self.dismiss(value)

    def action_left(self) -> None:
        for line in self.query(Input):
            line.action_cursor_left()

    def action_right(self) -> None:
        for line in self.query(Input):
            line.action_cursor_right()


class FormScreen(DurakScreen, place="settings"):
    """Shows editable rows. Subclasses provide the rows and apply changes."""

    HEADING: ClassVar[str]
    PARAGRAPHS: ClassVar[Mapping[str, str]] = {}

    def compose_body(self) -> ComposeResult:
        yield TranslatedLabel(self.HEADING, classes="form-title")
        with Horizontal(classes="page"):
            yield Form()
        yield from self.compose_foot()

    def compose_foot(self) -> ComposeResult:
        with Vertical(classes="form-foot"):
            yield Static(id="form-problem", markup=False)
            yield Static(id="form-help", markup=False)

    @property
    def paragraph(self) -> str:
        row = self.query_one(Form).row
        return self.PARAGRAPHS.get(row.name, "") if row is not None else ""

    @abstractmethod
    def rows(self) -> list[Row]: ...

    def problem(self) -> str:
        """Return why the current values are invalid; empty if they are valid."""
        return ""

    @abstractmethod
    def change(self, name: str, text: str) -> None: ...

    def open_row(self, row: Row, typed: str) -> None:
        """Ask for a row's value; the first characters may already be typed."""
        del typed
        self.ask(Pick(row.label, row.options, row.value), lambda text: self.change(row.name, text))

    def show(self) -> None:
        self.query_one(Form).show(self.rows())
        text, line = self.problem(), self.query_one("#form-problem", Static)
        line.update(text)
        line.display = bool(text)

    def settings_changed(self) -> None:
        super().settings_changed()
        self.query_one(Form).ascii_only = self.host.settings.ascii
        self.show()

    @on(Form.Moved)
    def explain(self) -> None:
        row = self.query_one(Form).row
        self.query_one("#form-help", Static).update(row.help if row else "")

    def on_form_changed(self, event: Form.Changed) -> None:
        self.change(event.name, event.value)

    def on_form_opened(self, event: Form.Opened) -> None:
        self.open_row(event.row, event.typed)


_LARGEST: Final = 500
"""Characters of the longest code with a QR code that fits some window."""
_AROUND: Final = 5
"""Window rows around the picture."""
_BESIDE: Final = 34
"""Window columns for the text and the frame next to the picture."""


def share_game(screen: AppScreen[Any], record: Record) -> str:
    """Copy a finished game's code and show it; return why there is none, or an empty string."""
    code, problem = code_of(record)
    if code:
        screen.app.copy_to_clipboard(code)
        screen.app.push_screen(ShareDialog(code))
    return problem


class ShareDialog(Ask):
    """Shows a game's code, its link if there is a server, and a QR code of these."""

    def __init__(self, code: str) -> None:
        self._code = code
        self._link = game_link(code)
        buttons = [("code", gettext("Copy code")), ("close", gettext("Close"))]
        if self._link:
            buttons.insert(1, ("link", gettext("Copy link")))
        super().__init__(gettext("Share this game"), "", buttons)
        self._keys[-1] = key_label("escape")

    def compose_text(self) -> ComposeResult:
        with Horizontal(id="share"):
            with Vertical(id="share-text"):
                yield Static(gettext("The code is copied."), id="share-told", markup=False)
                yield Static(Text(self._code, overflow="fold"), id="share-code")
                yield Static(self._how(), markup=False)
            yield Static(id="share-qr", markup=False)

    def _how(self) -> str:
        if self._link:
            return gettext(
                "The code and this link open the whole game with its review: {link}", link=self._link
            )
        return gettext(
            "It holds the whole game. To open it, start {command} with the code.", command="durak-tui"
        )

    def on_resize(self) -> None:
        width, height = self.app.size
        text = self._link or self._code
        can_have = not self.host.settings.ascii and len(text) <= _LARGEST
        lines = qr_lines(text) if can_have else []
        room = (width, height // 2) if self.is_upright else (width - _BESIDE, height - _AROUND)
        has_room = bool(lines) and len(lines[0]) <= room[0] and len(lines) <= room[1]
        picture = self.query_one("#share-qr", Static)
        picture.update(Text("\n".join(lines) if has_room else "", "white on black"))
        picture.display = has_room
        self.set_class(has_room, "-with-picture")

    def answer(self, name: str) -> None:
        if name == "close":
            self.dismiss(None)
            return
        self.app.copy_to_clipboard(self._link if name == "link" else self._code)
        told = gettext("The link is copied.") if name == "link" else gettext("The code is copied.")
        self.query_one("#share-told", Static).update(told)


class SharingAsk(Ask):
    """A dialog about a finished game, which one key shares.

    Args:
        record: Returns the game to share, or None if there is none yet.
        buttons: Each button's name and label.
    """

    BINDINGS: ClassVar = bindings("result")

    def __init__(self, record: Callable[[], Record | None], buttons: Sequence[tuple[str, str]]) -> None:
        super().__init__(gettext("The game is over"), "", buttons)
        self._shared_record = record

    def on_mount(self) -> None:
        if not self.is_for_fingers:
            key = self.host.settings.keymap.label("result.share")
            words = gettext("{key}: share the game", key=key)
        else:
            words = gettext("Share the game")
        self.query_one(".window").border_subtitle = f"[@click=screen.share]{words}[/]"

    def on_key(self, event: events.Key) -> None:
        # The letters of the buttons do not distinguish cases.
        if event.key in self.host.settings.keymap.all_keys("result.share"):
            event.stop()
            event.prevent_default()
            self.action_share()

    def dismiss(self, result: str | None = None) -> AwaitComplete:
        """Close with a result, and what is shown to share the game."""
        if isinstance(self.app.screen, ShareDialog):
            self.app.screen.dismiss(None)
        return super().dismiss(result)

    def action_share(self) -> None:
        record = self._shared_record()
        problem = "" if record is None else share_game(self, record)
        if problem:
            self.host.tell(problem)
