"""What screens with a form share: its rows, and under them what the chosen one is for."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static

from durak_tui.input.bindings import bindings
from durak_tui.screens.base import DurakScreen, Words
from durak_tui.widgets.form import Form, Row


class FormScreen(DurakScreen):
    """Shows rows that can be changed. Subclasses say which, and what a change does."""

    PLACE: ClassVar[str] = "settings"
    BINDINGS: ClassVar = bindings("settings")
    CSS_PATH = "form.tcss"
    MOVED = Form
    HEADING: ClassVar[str]
    """What stands above the form, in English."""

    def compose_body(self) -> ComposeResult:
        yield Words(self.HEADING, classes="form-title")
        yield Form()
        with Vertical(classes="form-foot"):
            yield Static(id="form-help", markup=False)

    @abstractmethod
    def rows(self) -> list[Row]:
        """Return what the form shows."""

    def settings_changed(self) -> None:
        super().settings_changed()
        form = self.query_one(Form)
        form.ascii_only = self.host.settings.ascii
        form.show(self.rows())

    @on(Form.Moved)
    def explain(self) -> None:
        row = self.query_one(Form).row
        self.query_one("#form-help", Static).update(row.help if row else "")
