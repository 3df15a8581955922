"""The rules screen and the key list."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import groupby
from typing import ClassVar, Final

from rich.console import Group
from rich.style import Style
from rich.table import Table
from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.visual import VisualType
from textual.widgets import Static

from durak_core import Rules
from durak_core.errors import RulesError
from durak_tui.help.view import Chapter, how_the_game_goes
from durak_tui.keys.actions import Key
from durak_tui.keys.keymap import Keymap, key_label
from durak_tui.text.core_messages import core_words, rules_in_force
from durak_tui.text.i18n import gettext, language, translate
from durak_tui.text.phrases import game_words
from durak_tui.ui.screens.base import Dialog, DurakScreen, start_work
from durak_tui.ui.widgets.canvas import Hanging

_TWO_COLUMNS: Final = 96
"""Window columns needed for two columns of keys."""
_KEYS_WIDTH: Final = 9
_WITH_CARDS: Final = frozenset({"table", "friends", "puzzle", "mistakes", "watch", "review"})
"""Places whose cards can have marks."""


class HelpDialog(Dialog[None]):
    """Lists keys in groups, and what they do."""

    BINDINGS: ClassVar = [("question_mark,comma,f1,enter,space", "close", "close")]
    MOVED = VerticalScroll

    def __init__(self, place: str) -> None:
        super().__init__()
        self._place = place

    def compose(self) -> ComposeResult:
        with Vertical(classes="window") as window:
            window.border_title = gettext("Keys")
            close = gettext("Close") if self.is_for_fingers else "Esc"
            window.border_subtitle = f"[@click=screen.close]{close}[/]"
            with VerticalScroll(classes="text", can_focus=False):
                with Horizontal(classes="columns"):
                    for _number in range(2):
                        yield Static(classes="column")
                hint = gettext(
                    "Letter keys work in Russian and Ukrainian layouts as well. The mouse does all of this "
                    "too: click cards, buttons, and the words in the last line."
                )
                yield Static(hint, classes="hint", markup=False)
                if self._place in _WITH_CARDS:
                    yield Static(self._about_cards(), classes="hint", markup=False)
                if self._place == "statistics":
                    yield Static(_about_rating(), classes="hint", markup=False)

    def _about_cards(self) -> str:
        known, hint = ("o", "*") if self.host.settings.ascii else ("•", "★")
        return gettext(
            "{known}: the others know that you hold this card. {hint}: the hint.", known=known, hint=hint
        )

    @on(events.Resize)
    def _fill(self) -> None:
        settings, is_wide = self.host.settings, self.app.size.width >= _TWO_COLUMNS
        groups = _groups(settings.keymap, self._place, ascii_only=settings.ascii)
        self.query_one(".window").set_class(is_wide, "-wide")
        shown = _halves(groups) if is_wide else (groups, [])
        for column, tables in zip(self.query(".column").results(Static), shown, strict=True):
            column.display = bool(tables)
            column.update(Group(*tables))

    def closes_at(self, event: events.Click) -> bool:
        """Close on any click: the dialog has no controls."""
        del event
        return True

    def action_left(self) -> None:
        self.action_move("page_up")

    def action_right(self) -> None:
        self.action_move("page_down")


def _about_rating() -> str:
    return gettext(
        "Your rating is on the opponents' scale: you would lose every other game to an opponent with the "
        "same rating. Each finished game against the six opponents changes it, the first ones most. Games "
        "with hints, moves taken back, a deal you know, partners, several people or other bots do not count."
    )


def _groups(keymap: Keymap, place: str, *, ascii_only: bool) -> list[Table]:
    """Return a table of keys for each group, with its heading."""
    tables = []
    for group, actions in groupby(keymap.at(place), key=lambda action: action.group):
        table = Table.grid(padding=(0, 2))
        table.add_column(justify="right", no_wrap=True, min_width=_KEYS_WIDTH)
        table.add_column()
        table.add_row("", Text(translate(group), "bold underline"))
        for action in actions:
            keys = Text(_keys(keymap, action, ascii_only=ascii_only), "bold")
            table.add_row(keys, Text(translate(action.help)))
        table.add_row("", "")
        tables.append(table)
    return tables


def _halves(tables: Sequence[Table]) -> tuple[list[Table], list[Table]]:
    """Split tables into two columns of about the same height."""
    rows = [table.row_count for table in tables]
    half = min(range(len(rows) + 1), key=lambda end: abs(sum(rows[:end]) - sum(rows[end:])))
    return list(tables[:half]), list(tables[half:])


def _keys(keymap: Keymap, action: Key, *, ascii_only: bool) -> str:
    labels = [key_label(key, ascii_only=ascii_only) for key in keymap.keys(action.id)]
    return f"{labels[0]} ... {labels[-1]}" if action.counted else " ".join(labels)


_NUMBERED: Final = re.compile(r"(\d+(?:\.\d+)+) (.*)", re.DOTALL)
_INTRODUCTION: Final = re.compile(r"^## (?!\d).*?(?=^## )", re.DOTALL | re.MULTILINE)
_NUMBER: Final = 5
"""Cells of a paragraph's number."""
_MARKED: Final = re.compile(r"(\*\*[^*]+\*\*|`[^`]+`)")


class RulesScreen(DurakScreen, place="rules"):
    """Shows the introduction and the rules, scrolled to a paragraph such as ``5.3`` if one is given."""

    MOVED = VerticalScroll

    def __init__(self, rules: Rules, at: str = "") -> None:
        super().__init__()
        self._rules = rules
        self._at = at
        self._language = language()

    def compose_body(self) -> ComposeResult:
        with VerticalScroll(id="rules", can_focus=False):
            yield from self._page()

    def _page(self) -> Iterator[_Block]:
        """Yield the introduction, at least as tall as the window, and the rules below it."""
        settings = self.host.settings
        label = partial(settings.keymap.label, ascii_only=settings.ascii)
        title = gettext("How the game goes: {game}", game=game_words(self._rules))
        yield _Block(title, classes="title")
        yield _Block(_how(how_the_game_goes(self._rules, label, ascii_only=settings.ascii)), classes="how")
        yield _Block(gettext("{key}: the rules in full", key=label("rules.next")), classes="plain")
        yield from _blocks(_text())

    def on_mount(self) -> None:
        if self._at:
            self.call_after_refresh(self._go_to, self._at)

    async def _retell(self) -> None:
        body = self._body
        share = body.scroll_y / max(1, body.max_scroll_y)
        with self.app.batch_update():
            await body.remove_children()
            await body.mount_all(self._page())
        self.call_after_refresh(
            lambda: body.scroll_to(y=share * body.max_scroll_y, animate=False, force=True)
        )

    def settings_changed(self) -> None:
        super().settings_changed()
        if self._language != language():
            self._language = language()
            start_work(self, self._retell, exclusive=True)

    def _go_to(self, number: str) -> None:
        for block in self.query(_Block):
            if block.number == number:
                block.add_class("-asked-for")
                self._body.scroll_to_widget(block, top=True, animate=False, force=True)

    @property
    def _body(self) -> VerticalScroll:
        return self.query_one("#rules", VerticalScroll)

    def action_go_section(self, direction: int) -> None:
        body = self._body
        here = round(body.scroll_y)
        tops = [block.virtual_region.y for block in self.query(".heading")]
        if direction > 0:
            top = min((top for top in tops if top > here), default=body.max_scroll_y)
        else:
            top = max((top for top in tops if top < here), default=0)
        body.scroll_to(y=top, animate=False, force=True)


def _text() -> str:
    """Return the numbered rules, without their introduction for players: the screen has its own."""
    try:
        return _INTRODUCTION.sub("", rules_in_force(), count=1)
    except RulesError as error:
        return core_words(error)


class _Block(Static):
    """A heading, a paragraph or a table."""

    def __init__(self, content: VisualType, number: str = "", classes: str = "") -> None:
        super().__init__(content, classes=classes)
        self.number = number


def _blocks(text: str) -> Iterator[_Block]:
    for part in text.strip().split("\n\n"):
        block = part.strip()
        if block.startswith("# "):
            yield _Block(block[2:], classes="title heading law")
        elif block.startswith("## "):
            heading = block[3:]
            yield _Block(heading, heading.partition(".")[0], classes="heading")
        elif block.startswith("|"):
            yield _Block(_table(block), classes="table")
        elif numbered := _NUMBERED.fullmatch(block):
            paragraph = Hanging([(numbered[1], _marked(numbered[2]))], _NUMBER)
            yield _Block(paragraph, numbered[1], classes="paragraph")
        else:
            yield _Block(_marked(block), classes="plain")


def _how(chapters: tuple[Chapter, ...]) -> Hanging:
    return Hanging([(about, Text(text)) for about, text in chapters])


def _table(block: str) -> Table:
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in block.splitlines()]
    grid = Table.grid(padding=(0, 2))
    for title in rows[0]:
        grid.add_column(title)
    grid.add_row(*(Text(title, "bold") for title in rows[0]))
    for row in rows[2:]:
        grid.add_row(*map(_marked, row))
    return grid


def _marked(text: str) -> Text:
    """Replace a paragraph's two marks, for defaults and for option names, with styles."""
    made = Text()
    for piece in _MARKED.split(" ".join(text.split())):
        if piece.startswith("**"):
            made.append(piece[2:-2], Style(bold=True, underline=True))
        elif piece.startswith("`"):
            made.append(piece[1:-1], Style(bold=True))
        else:
            made.append(piece)
    return made
