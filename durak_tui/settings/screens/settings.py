"""The settings screen."""

from __future__ import annotations

from functools import partial
from typing import ClassVar, Final

from durak_core.config import ConfigError
from durak_tui.play.setup import person_name
from durak_tui.settings.screens.keys import KeysScreen
from durak_tui.storage.settings import CHOICES, Settings
from durak_tui.text.core_messages import core_words
from durak_tui.text.i18n import LANGUAGES, language_of, mark, say, say_as, say_count
from durak_tui.text.phrases import choice_words
from durak_tui.text.setting_words import setting_words, theme_words
from durak_tui.ui.screens.dialogs import Write
from durak_tui.ui.screens.form import FormScreen
from durak_tui.ui.widgets.form import Row

_YES_NO: Final = ("no", "yes")
_KEYS: Final = "keys"


class SettingsScreen(FormScreen):
    """Lists the settings. Every change applies at once and is saved."""

    HEADING: ClassVar[str] = mark("Settings")

    def rows(self) -> list[Row]:
        settings = self.host.settings
        choice, flag = partial(_choice, settings), partial(_flag, settings)
        around = say("The colours around the cards.")
        themes = sorted(self.app.available_themes, key=lambda name: (not name.startswith("durak"), name))
        words = theme_words(themes)
        return [
            Row("", say_as("heading", "You")),
            _name(settings),
            _language(settings),
            Row("", say("Cards")),
            choice("colours", say("Colours of the suits"), say("Two as in most decks, or four.")),
            choice("size", say("Size of the cards"), say("Small cards leave more room for the table.")),
            choice("sort", say("Order of your hand"), say("How your cards lie; trumps come last.")),
            flag("descending", say("Highest first"), say("Turns the order of your hand round.")),
            flag("ascii", say("Letters for suits"), say("For terminals without ♠ ♥ ♦ ♣ and lines.")),
            Row("", say_as("heading", "Screen")),
            Row("theme", say("Colours"), settings.theme, tuple(themes), help=around, words=words),
            flag("reduced_motion", say("Less motion"), say("Cards change places without flying.")),
            Row("", say_as("heading", "Play")),
            choice("pace", say("Pace of play"), say("How long your opponents wait before they move.")),
            flag("coach", say("Coach"), say("Advice on each of your turns; such games are not rated.")),
            flag(
                "confirm",
                say("Ask first"),
                say("Before you take what you could beat."),
            ),
            _review_time(settings),
            _keys(settings),
        ]

    def change(self, name: str, text: str) -> None:
        value = text == "yes" if isinstance(getattr(Settings(), name), bool) else text
        self.host.change_settings(**{name: value})

    def open_row(self, row: Row, typed: str) -> None:
        if row.choices:
            super().open_row(row, typed)
        elif row.name == _KEYS:
            self.app.push_screen(KeysScreen())
        else:
            write = Write(row.label, row.value, _name_problem, say("1 to 20 letters."))
            self.ask(write, lambda text: self.change(row.name, text))


def _choice(settings: Settings, name: str, label: str, help_text: str) -> Row:
    words = setting_words(name)
    return Row(name, label, getattr(settings, name), CHOICES[name], help=help_text, words=words)


def _flag(settings: Settings, name: str, label: str, help_text: str) -> Row:
    value = _YES_NO[getattr(settings, name)]
    return Row(name, label, value, _YES_NO, help=help_text, words=choice_words(_YES_NO))


def _name(settings: Settings) -> Row:
    called = say("What you are called at the table.")
    usual = {Settings().name: person_name(Settings())}
    return Row("name", say("Your name"), settings.name, written=True, help=called, words=usual)


def _review_time(settings: Settings) -> Row:
    choices = CHOICES["review_time"]
    label, more = say("Review: time per move"), say("More is more certain, and slower.")
    return Row("review_time", label, settings.review_time, choices, help=more, words=choice_words(choices))


def _keys(settings: Settings) -> Row:
    changes = settings.keymap.changes
    value = say_count("{count} changed", "{count} changed", len(changes)) if changes else say("as usual")
    return Row(_KEYS, say("Keys"), value, help=say("What each key does, and how to change it."))


def _language(settings: Settings) -> Row:
    own = say("as the system: {language}", language=LANGUAGES[language_of()])
    return Row(
        "language",
        say("Language"),
        settings.language,
        CHOICES["language"],
        help=say("Of everything on screen; files stay as they are."),
        words={**LANGUAGES, "auto": own},
    )


def _name_problem(text: str) -> str:
    try:
        Settings(name=text)
    except ConfigError as error:
        return core_words(error)
    return ""
