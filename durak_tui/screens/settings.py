"""The settings: every change is in force at once and saved."""

from __future__ import annotations

from functools import partial
from typing import ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static

from durak_core.config import ConfigError
from durak_tui.input.bindings import bindings
from durak_tui.input.keymap import ACTIONS, Keymap, KeymapError
from durak_tui.play.setup import person_name
from durak_tui.screens.base import DurakScreen, Words
from durak_tui.screens.dialogs import Pick, Write
from durak_tui.storage.settings import CHOICES, Settings
from durak_tui.text.core_messages import core_words
from durak_tui.text.i18n import LANGUAGES, language_of, mark, say, say_as, translate
from durak_tui.text.phrases import capital, choice_words
from durak_tui.widgets.form import Form, Row

_YES_NO: Final = ("no", "yes")
_KEY: Final = "key "
_PLACES: Final = {
    "app": mark("Keys everywhere"),
    "menu": mark("Keys of the menu"),
    "table": mark("Keys at the table"),
    "handover": mark("Keys when the keyboard is handed over"),
    "watch": mark("Keys when watching"),
    "library": mark("Keys of the library"),
    "statistics": mark("Keys of the statistics"),
    "review": mark("Keys in a review"),
    "knowledge": mark("Keys of the cards panel"),
    "rules": mark("Keys in the rules"),
    "form": mark("Keys of forms"),
    "setup": mark("Keys of a new game"),
    "settings": mark("Keys of the settings"),
    "dialog": mark("Keys of small windows"),
}


class SettingsScreen(DurakScreen):
    """Change settings."""

    PLACE: ClassVar[str] = "settings"
    BINDINGS: ClassVar = bindings("settings")
    CSS_PATH = "form.tcss"
    MOVED = Form

    def compose_body(self) -> ComposeResult:
        yield Words(mark("Settings"), classes="form-title")
        yield Form()
        with Vertical(classes="form-foot"):
            yield Static(id="form-help", markup=False)

    def settings_changed(self) -> None:
        super().settings_changed()
        form = self.query_one(Form)
        form.ascii_only = self.host.settings.ascii
        form.show(self._rows())

    def _rows(self) -> list[Row]:
        settings = self.host.settings
        choice, flag = partial(_choice, settings), partial(_flag, settings)
        called = say("What you are called at the table.")
        usual_name = {Settings().name: person_name(Settings())}
        around = say("The colours around the cards.")
        themes = sorted(self.app.available_themes, key=lambda name: (not name.startswith("durak"), name))
        return [
            Row("", say_as("heading", "You")),
            Row("name", say("Your name"), settings.name, written=True, help=called, words=usual_name),
            _language(settings),
            Row("", say("Cards")),
            choice("colours", say("Colours of the deck"), say("Two, or one for each suit.")),
            flag("ascii", say("ASCII only"), say("For terminals without ♠ ♥ ♦ ♣ and lines.")),
            choice("size", say("Size of the cards"), say("Auto takes the largest that fits.")),
            choice("sort", say("Order of your hand"), say("Trumps last, or as the cards came.")),
            flag("descending", say("Highest first"), say("Reverses the order of your hand.")),
            Row("", say_as("heading", "Play")),
            choice("pace", say("Pace of the bots"), say("How long a bot waits before it moves.")),
            flag("coach", say("Coach"), say("Advice on each of your turns; such games are assisted.")),
            flag(
                "confirm",
                say("Ask first"),
                say("Before you take what you could beat."),
            ),
            flag("reduced_motion", say("Reduced motion"), say("Nothing moves unless it has to.")),
            choice("review_time", say("Time per reviewed move"), say("More is more certain, and slower.")),
            Row("theme", say("Theme"), settings.theme, tuple(themes), help=around),
            *_key_rows(settings),
        ]

    @on(Form.Moved)
    def explain(self) -> None:
        row = self.query_one(Form).row
        self.query_one("#form-help", Static).update(row.help if row else "")

    def on_form_changed(self, event: Form.Changed) -> None:
        value = event.value == "yes" if isinstance(getattr(Settings(), event.name), bool) else event.value
        self.host.change_settings(**{event.name: value})

    def on_form_opened(self, event: Form.Opened) -> None:
        row = event.row
        if row.choices:
            pick = Pick(row.label, row.options, row.value)
            self.ask(pick, lambda word: self.host.change_settings(**{row.name: word}))
        elif row.name.startswith(_KEY):
            action_id = row.name.removeprefix(_KEY)
            keys = " ".join(self.host.settings.keymap.keys(action_id))
            hint = say("Names of keys separated by spaces, such as: t f5 ctrl+x. Empty for the defaults.")
            write = Write(row.label, keys, lambda text: self._key_problem(action_id, text), hint)
            self.ask(write, lambda text: self.host.change_settings(keys=self._changed_keys(action_id, text)))
        else:
            write = Write(row.label, row.value, _name_problem, say("1 to 20 letters."))
            self.ask(write, lambda text: self.host.change_settings(**{row.name: text}))

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
            return str(error)
        return ""


def _choice(settings: Settings, name: str, label: str, help_text: str) -> Row:
    choices = CHOICES[name]
    return Row(name, label, getattr(settings, name), choices, help=help_text, words=choice_words(choices))


def _flag(settings: Settings, name: str, label: str, help_text: str) -> Row:
    value = _YES_NO[getattr(settings, name)]
    return Row(name, label, value, _YES_NO, help=help_text, words=choice_words(_YES_NO))


def _language(settings: Settings) -> Row:
    own = say("as the system: {language}", language=LANGUAGES[language_of()])
    return Row(
        "language",
        say("Language"),
        settings.language,
        CHOICES["language"],
        help=say("Of all texts; games and files stay as they are."),
        words={**LANGUAGES, "auto": own},
    )


def _name_problem(text: str) -> str:
    try:
        Settings(name=text)
    except ConfigError as error:
        return core_words(error)
    return ""


def _key_rows(settings: Settings) -> list[Row]:
    rows: list[Row] = []
    keymap = settings.keymap
    for place, heading in _PLACES.items():
        rows.append(Row("", translate(heading)))
        for action in ACTIONS.values():
            if action.place != place:
                continue
            what = translate(action.help)
            note = say("changed") if action.id in keymap.changes else ""
            keys = " ".join(keymap.keys(action.id))
            help_text = say("{action}: {what}. Enter changes its keys.", action=action.id, what=what)
            rows.append(Row(_KEY + action.id, capital(what), keys, help=help_text, note=note))
    return rows
