"""The house rules of a new game, in groups, each in words with the sentence that explains it."""

from __future__ import annotations

from typing import ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static

from durak_core import OPTIONS, Rules
from durak_core.errors import RulesError
from durak_tui.input.bindings import bindings
from durak_tui.play.draft import Draft
from durak_tui.screens.base import DurakScreen, Words
from durak_tui.screens.dialogs import Pick
from durak_tui.text.core_messages import core_words
from durak_tui.text.house_rules import GROUPS, HouseRule, house_words
from durak_tui.text.i18n import mark, say
from durak_tui.text.phrases import capital
from durak_tui.widgets.form import Form, Row

_USUAL: Final = "usual"


class HouseRulesScreen(DurakScreen):
    """Change the rules of a draft."""

    PLACE: ClassVar[str] = "settings"
    BINDINGS: ClassVar = bindings("settings")
    CSS_PATH = "form.tcss"
    MOVED = Form

    def __init__(self, draft: Draft) -> None:
        super().__init__()
        self._draft = draft

    def compose_body(self) -> ComposeResult:
        yield Words(mark("House rules"), classes="form-title")
        yield Form()
        with Vertical(classes="form-foot"):
            yield Static(id="form-problem", markup=False)
            yield Static(id="form-help", markup=False)

    @property
    def paragraph(self) -> str:
        row = self.query_one(Form).row
        return OPTIONS[row.name].paragraph if row is not None and row.name in OPTIONS else ""

    def settings_changed(self) -> None:
        super().settings_changed()
        self.query_one(Form).ascii_only = self.host.settings.ascii
        self._show()

    def _show(self) -> None:
        rows: list[Row] = []
        for group, rules in GROUPS.items():
            shown = [self._row(rule) for rule in rules if not rule.needs or self._draft.values[rule.needs]]
            rows += [Row("", house_words(group)), *shown] if shown else []
        usual = say("The rules as most people play them.")
        rows.append(Row(_USUAL, say("Back to the usual rules"), help=usual))
        self.query_one(Form).show(rows)
        self.query_one("#form-problem", Static).update(self._problem())

    def _row(self, rule: HouseRule) -> Row:
        option = OPTIONS[rule.option]
        value = option.show(self._draft.values[rule.option])
        usual = option.show(getattr(Rules.preset(self._draft.base), rule.option))
        words = {choice: rule.words(choice) for choice in rule.choices(value)}
        note = "" if value == usual else say("usually {value}", value=rule.words(usual))
        label, help_ = house_words(rule.label), house_words(rule.sentence)
        return Row(rule.option, label, value, tuple(words), help=help_, note=note, words=words)

    def _problem(self) -> str:
        try:
            _ = self._draft.rules
        except RulesError as error:
            return capital(f"{core_words(error)}.")
        return ""

    @on(Form.Moved)
    def explain(self) -> None:
        row = self.query_one(Form).row
        self.query_one("#form-help", Static).update(row.help if row else "")

    def on_form_changed(self, event: Form.Changed) -> None:
        self._set(event.name, event.value)

    def _set(self, name: str, text: str) -> None:
        self._draft.values[name] = OPTIONS[name].read(text)
        self._show()

    def on_form_opened(self, event: Form.Opened) -> None:
        row = event.row
        if row.name == _USUAL:
            self._draft.take_rules(Rules.preset(self._draft.base))
            self._show()
        else:
            self.ask(Pick(row.label, row.options, row.value), lambda text: self._set(row.name, text))
