"""The settings screen and the key editor."""

from __future__ import annotations

from typing import ClassVar, Final

from durak_core.config import allowed_words
from durak_tui.keys.actions import ACTIONS, PLACES
from durak_tui.keys.keymap import Keymap, KeymapError, key_label
from durak_tui.play.setup import person_name
from durak_tui.storage.settings import Settings, settings_problem
from durak_tui.text.house_rules import SETTINGS, setting_words
from durak_tui.text.i18n import LANGUAGES, gettext, language_of, mark, ngettext, pgettext, translate
from durak_tui.text.phrases import capital, choice_words
from durak_tui.ui.screens.dialogs import FormScreen, PickLook, Write
from durak_tui.ui.theme import theme_words
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


_YES_NO: Final = ("no", "yes")
_KEYS: Final = "keys"


class SettingsScreen(FormScreen):
    """Lists the settings. Every change applies at once and is saved."""

    HEADING: ClassVar[str] = mark("Settings")

    def rows(self) -> list[Row]:
        headings = {
            "name": pgettext("heading", "You"),
            "colours": gettext("Cards"),
            "theme": pgettext("heading", "Screen"),
            "pace": pgettext("heading", "Play"),
        }
        rows: list[Row] = []
        for name in SETTINGS:
            rows += [Row("", headings[name])] if name in headings else []
            rows.append(self._row(name))
        return rows

    def _row(self, name: str) -> Row:
        settings = self.host.settings
        value, choices = getattr(settings, name), allowed_words(Settings, name)
        if isinstance(value, bool):
            value, choices = _YES_NO[value], _YES_NO
            words = choice_words(choices)
        elif name == "name":
            words = {Settings().name: person_name(Settings())}
        elif name == "language":
            own = gettext("as the system: {language}", language=LANGUAGES[language_of()])
            words = {**LANGUAGES, "auto": own}
        elif name == "theme":
            words = theme_words(self.app.available_themes.values())
            choices = tuple(words)
        elif name == _KEYS:
            count, words = len(settings.keymap.changes), {}
            value = ngettext("{count} changed", "{count} changed", count) if count else gettext("as usual")
        else:
            words = choice_words(choices) if name == "review_time" else setting_words(name)
        label, help_text = map(translate, SETTINGS[name])
        return Row(name, label, value, choices, name == "name", help_text, words=words)

    def change(self, name: str, text: str) -> None:
        value = text == "yes" if isinstance(getattr(Settings(), name), bool) else text
        self.host.change_settings(**{name: value})

    def open_row(self, row: Row, typed: str) -> None:
        if row.name == "theme":
            self.ask(PickLook(row.label, row.options, row.value), lambda name: self.change("theme", name))
        elif row.choices:
            super().open_row(row, typed)
        elif row.name == _KEYS:
            self.app.push_screen(KeysScreen())
        else:
            usual = person_name(Settings())
            write = Write(
                row.label, row.shown, lambda text: settings_problem(name=text), gettext("1 to 20 letters.")
            )
            self.ask(write, lambda text: self.change(row.name, Settings().name if text == usual else text))
