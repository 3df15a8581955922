"""The key list of a screen, from the active keymap."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import ClassVar, Final

from rich.console import Group
from rich.table import Table
from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import Static

from durak_tui.keys.actions import Key
from durak_tui.keys.keymap import Keymap, key_label
from durak_tui.text.i18n import gettext, translate
from durak_tui.ui.screens.base import Dialog

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
