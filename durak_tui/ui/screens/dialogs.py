"""Dialogs: a question with buttons, a list of choices, a line of text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from rich.console import Console, ConsoleOptions
from rich.text import Text
from textual import events
from textual.app import App, ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.visual import VisualType
from textual.widgets import Button, Input, OptionList, Static
from textual.widgets.option_list import Option

from durak_tui.keys.keymap import twins
from durak_tui.text.i18n import gettext
from durak_tui.ui.screens.base import Dialog
from durak_tui.ui.widgets.canvas import cut

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
        typed = (event.character or "").lower()
        for (name, _label), key in zip(self._buttons, self._keys, strict=True):
            is_meant = typed and key and (typed in (key, *twins(key)) or key in twins(typed))
            if is_meant and not self.query_one(f"#answer-{name}", Button).disabled:
                event.stop()
                self.answer(name)

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

    def on_input_changed(self, event: Input.Changed) -> None:
        self.query_one(".problem", Static).update(self._check(event.value))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        if not self._check(event.value):
            self.dismiss(event.value)

    def action_left(self) -> None:
        for line in self.query(Input):
            line.action_cursor_left()

    def action_right(self) -> None:
        for line in self.query(Input):
            line.action_cursor_right()
