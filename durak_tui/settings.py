"""The settings screen and the key editor."""

from __future__ import annotations

from functools import partial
from typing import ClassVar, Final

from durak_core.config import allowed_words
from durak_tui.keys.actions import ACTIONS, PLACES
from durak_tui.keys.keymap import Keymap, KeymapError, key_label
from durak_tui.play.setup import person_name
from durak_tui.storage.settings import Settings, settings_problem
from durak_tui.text.house_rules import setting_words
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
        settings = self.host.settings
        choice, flag = partial(_choice, settings), partial(_flag, settings)
        around = gettext("The colours around the cards.")
        words = theme_words(self.app.available_themes.values())
        return [
            Row("", pgettext("heading", "You")),
            _name(settings),
            _language(settings),
            Row("", gettext("Cards")),
            choice("colours", gettext("Colours of the suits"), gettext("Two as in most decks, or four.")),
            choice(
                "size", gettext("Size of the cards"), gettext("Small cards leave more room for the table.")
            ),
            choice("sort", gettext("Order of your hand"), gettext("How your cards lie; trumps come last.")),
            flag("descending", gettext("Highest first"), gettext("Highest cards on the left.")),
            flag("ascii", gettext("Letters for suits"), gettext("For terminals without ♠ ♥ ♦ ♣ and lines.")),
            Row("", pgettext("heading", "Screen")),
            Row("theme", gettext("Colours"), settings.theme, tuple(words), help=around, words=words),
            flag("reduced_motion", gettext("Less motion"), gettext("Turn off card animations.")),
            choice("alert", gettext("Your turn"), gettext("If this window is not in front.")),
            flag("sounds", gettext("Sounds"), gettext("Cards, your turn, the end of a game.")),
            Row("", pgettext("heading", "Play")),
            choice(
                "pace", gettext("Pace of play"), gettext("How long your opponents wait before they move.")
            ),
            flag(
                "coach",
                gettext("Hints on every turn"),
                gettext("A hint on each of your turns; such games are not rated."),
            ),
            flag("confirm", gettext("Ask first"), gettext("Before you take what you could beat.")),
            flag("remarks", gettext("Table talk"), gettext("Your opponents say something now and then.")),
            flag(
                "only_moves",
                gettext("Play my only move"),
                gettext("If you have just one move, it plays itself."),
            ),
            choice(
                "cursor", gettext("The cursor starts"), gettext("If on no card, Enter alone plays nothing.")
            ),
            flag("figures", gettext("Figures"), gettext("Percentages in hints and reviews.")),
            flag(
                "nearby",
                gettext("Tables nearby"),
                gettext("Show your own table in the local network, and look for others there."),
            ),
            _review_time(settings),
            _keys(settings),
        ]

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


def _choice(settings: Settings, name: str, label: str, help_text: str) -> Row:
    words = setting_words(name)
    return Row(
        name, label, getattr(settings, name), allowed_words(Settings, name), help=help_text, words=words
    )


def _flag(settings: Settings, name: str, label: str, help_text: str) -> Row:
    value = _YES_NO[getattr(settings, name)]
    return Row(name, label, value, _YES_NO, help=help_text, words=choice_words(_YES_NO))


def _name(settings: Settings) -> Row:
    called = gettext("What you are called at the table.")
    usual = {Settings().name: person_name(Settings())}
    return Row("name", gettext("Your name"), settings.name, written=True, help=called, words=usual)


def _review_time(settings: Settings) -> Row:
    times = allowed_words(Settings, "review_time")
    label, more = gettext("Review: time per move"), gettext("More time is more accurate, but slower.")
    return Row("review_time", label, settings.review_time, times, help=more, words=choice_words(times))


def _keys(settings: Settings) -> Row:
    changes = settings.keymap.changes
    value = ngettext("{count} changed", "{count} changed", len(changes)) if changes else gettext("as usual")
    return Row(_KEYS, gettext("Keys"), value, help=gettext("What each key does, and how to change it."))


def _language(settings: Settings) -> Row:
    own = gettext("as the system: {language}", language=LANGUAGES[language_of()])
    return Row(
        "language",
        gettext("Language"),
        settings.language,
        allowed_words(Settings, "language"),
        help=gettext("For everything on screen. Saved files don't change."),
        words={**LANGUAGES, "auto": own},
    )
