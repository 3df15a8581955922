"""The house rules of a new game."""

from __future__ import annotations

from typing import ClassVar, Final

from durak_core import OPTIONS, PRESETS, Rules
from durak_tui.setup.screens.draft import DraftScreen
from durak_tui.text.house_rules import GROUPS, ONLINE, HouseRule, house_words
from durak_tui.text.i18n import gettext, mark
from durak_tui.ui.widgets.form import Row

_USUAL: Final = "usual"


class HouseRulesScreen(DraftScreen):
    """Lists rule options in groups, each with an explanation."""

    HEADING: ClassVar[str] = mark("House rules")
    PARAGRAPHS: ClassVar = {name: option.paragraph for name, option in OPTIONS.items()}

    def rows(self) -> list[Row]:
        rows: list[Row] = []
        for group, rules in GROUPS.items():
            shown = [self._row(rule) for rule in rules if not rule.needs or self.draft.values[rule.needs]]
            rows += [Row("", house_words(group)), *shown] if shown else []
        usual = gettext("The rules as most people play them.")
        online = gettext("Several attack cards at once, and five until the first attack is beaten off.")
        return [
            *rows,
            Row(ONLINE, gettext("As in the popular app"), help=online),
            Row(_USUAL, gettext("Back to the usual rules"), help=usual),
        ]

    def _row(self, rule: HouseRule) -> Row:
        option = OPTIONS[rule.option]
        value = option.show(self.draft.values[rule.option])
        usual = option.show(getattr(Rules.preset(self.draft.base), rule.option))
        words = {choice: rule.words(choice) for choice in rule.choices(value)}
        note = "" if value == usual else gettext("usually {value}", value=rule.words(usual))
        label, help_ = house_words(rule.label), house_words(rule.sentence)
        return Row(rule.option, label, value, tuple(words), help=help_, note=note, words=words)

    def change(self, name: str, text: str) -> None:
        self.draft.values[name] = OPTIONS[name].read(text)
        self.show()

    def open_row(self, row: Row, typed: str) -> None:
        if row.name == _USUAL:
            self.draft.take_rules(Rules.preset(self.draft.base))
            self.show()
        elif row.name == ONLINE:
            self.draft.values |= PRESETS[ONLINE]  # other options stay
            self.show()
        else:
            super().open_row(row, typed)
