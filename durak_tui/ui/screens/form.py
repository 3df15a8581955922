"""Base class of form screens: editable rows, and help on the current row."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Static

from durak_tui.ui.screens.base import DurakScreen, TranslatedLabel
from durak_tui.ui.screens.dialogs import Pick
from durak_tui.ui.widgets.form import Form, Row


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
