"""The key editor."""

from __future__ import annotations

from typing import ClassVar

from durak_tui.keys.actions import ACTIONS, PLACES
from durak_tui.keys.keymap import Keymap, KeymapError, key_label
from durak_tui.storage.settings import Settings
from durak_tui.text.i18n import gettext, mark, translate
from durak_tui.text.phrases import capital
from durak_tui.ui.screens.dialogs import Write
from durak_tui.ui.screens.form import FormScreen
from durak_tui.ui.widgets.form import Row


class KeysScreen(FormScreen):
    """Lists every key and what it does. Enter changes one."""

    HEADING: ClassVar[str] = mark("Keys")

    def rows(self) -> list[Row]:
        return _key_rows(self.host.settings)

    def change(self, name: str, text: str) -> None:
        self.host.change_settings(keys=self._changed_keys(name, text))

    def open_row(self, row: Row, typed: str) -> None:
        keys = " ".join(self.host.settings.keymap.keys(row.name))
        hint = gettext("Names of keys separated by spaces, such as: t f5 ctrl+x. Empty for the defaults.")
        write = Write(row.label, keys, lambda text: self._key_problem(row.name, text), hint, typed=typed)
        self.ask(write, lambda text: self.change(row.name, text))

    def _changed_keys(self, action_id: str, text: str) -> dict[str, tuple[str, ...]]:
        changes = dict(self.host.settings.keys)
        keys = tuple(text.split())
        if not keys or keys == ACTIONS[action_id].keys:
            changes.pop(action_id, None)
        else:
            changes[action_id] = keys
        return changes

    def _key_problem(self, action_id: str, text: str) -> str:
        try:
            Keymap(self._changed_keys(action_id, text))
        except KeymapError as error:
            if not error.key:
                return capital(error.problem)
            other = next(one for one in error.actions if one != action_id)
            key = key_label(error.key, ascii_only=self.host.settings.ascii)
            return gettext("{key} already does this: {what}.", key=key, what=translate(ACTIONS[other].help))
        return ""


def _key_rows(settings: Settings) -> list[Row]:
    rows: list[Row] = []
    keymap = settings.keymap
    for place, heading in PLACES.items():
        rows.append(Row("", translate(heading)))
        for action in ACTIONS.values():
            if action.place != place:
                continue
            what = translate(action.help)
            note = gettext("changed") if action.id in keymap.changes else ""
            keys = " ".join(key_label(key, ascii_only=settings.ascii) for key in keymap.keys(action.id))
            help_text = gettext("{what}. Enter changes the keys.", what=capital(what))
            rows.append(Row(action.id, capital(what), keys, help=help_text, note=note))
    return rows
