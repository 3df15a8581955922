"""What a person has chosen, in a TOML file that people may edit by hand.

A file that is no TOML is kept aside and the defaults are used; a single wrong value is named with its
line, its default is used, and the file is kept aside before the app writes its own.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import tomli_w

from durak_core import PRESETS, Rules
from durak_core.errors import RulesError
from durak_core.game import write_text_atomically
from durak_tui.input.keymap import Keymap, KeymapError
from durak_tui.storage.data_dirs import config_dir, keep_aside
from durak_tui.text.core_messages import core_words
from durak_tui.text.i18n import LANGUAGES, language_of, say

PACE_SECONDS: Final[Mapping[str, float]] = {
    "0.5x": 1.8,
    "1x": 0.9,
    "2x": 0.45,
    "4x": 0.22,
    "instant": 0.0,
}
"""Seconds before a bot moves, by pace."""

REVIEW_MILLISECONDS: Final[Mapping[str, int]] = {
    "0.2 s": 200,
    "0.3 s": 300,
    "0.5 s": 500,
    "1 s": 1000,
    "3 s": 3000,
}
"""How long a review searches each move, by the words for it."""

CHOICES: Final[Mapping[str, tuple[str, ...]]] = {
    "colours": ("two", "four"),
    "size": ("auto", "large", "normal", "small", "tiny"),
    "sort": ("suit", "rank", "drawn"),
    "pace": tuple(PACE_SECONDS),
    "review_time": tuple(REVIEW_MILLISECONDS),
    "language": ("auto", *LANGUAGES),
}
"""The words that may stand for a setting."""

_LONGEST_NAME: Final = 20


class SettingsError(ValueError):
    """A settings value that may not stand; the text names its key."""


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings, checked.

    Attributes:
        name: What the person is called at the table.
        guests: What people are called where several play at one keyboard.
        colours: A deck of ``two`` or ``four`` colours.
        ascii: Cards and lines of letters and ``+-|`` alone.
        size: Size of the cards; ``auto`` takes what fits.
        sort: Order of the hand: by ``suit``, by ``rank`` or as ``drawn``.
        descending: That order turned round.
        theme: Name of the app's theme.
        reduced_motion: Nothing moves that need not.
        language: Code of the language; ``auto`` takes that of the environment, else English.
        pace: How fast bots play.
        coach: Whether advice is shown at every turn of the person.
        confirm: Whether leaving a game, and taking what could be beaten, is asked about first.
        review_time: How long a review searches each move.
        rules: Text of the rules last played.
        players: Who sat in the seats: ``human`` or the text of a bot; any other number of them than
            the rules have seats means the usual ones.
        watched: The bots last watched.
        keys: Keys by action id, where they are not the default ones.

    Raises:
        SettingsError: If a value may not stand.
    """

    name: str = "You"
    guests: tuple[str, ...] = ()
    colours: str = "two"
    ascii: bool = False
    size: str = "auto"
    sort: str = "suit"
    descending: bool = False
    theme: str = "durak"
    reduced_motion: bool = False
    language: str = "auto"
    pace: str = "1x"
    coach: bool = False
    confirm: bool = True
    review_time: str = "0.3 s"
    rules: str = "podkidnoy:seats=3"
    players: tuple[str, ...] = ()
    watched: tuple[str, ...] = ()
    keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for item in fields(self):
            problem = _CHECKS.get(item.name, _check_choice(item.name))(getattr(self, item.name))
            if problem:
                raise SettingsError(f"{_PATHS[item.name]}: {problem}")

    @property
    def pace_seconds(self) -> float:
        """Seconds before a bot moves."""
        return PACE_SECONDS[self.pace]

    @property
    def review_milliseconds(self) -> int:
        """Milliseconds that a review searches each move."""
        return REVIEW_MILLISECONDS[self.review_time]

    @property
    def language_code(self) -> str:
        """The language in which the app speaks, a key of `LANGUAGES`."""
        return language_of() if self.language == "auto" else self.language

    @property
    def keymap(self) -> Keymap:
        """The keys in force."""
        return _keymap(tuple((action_id, tuple(keys)) for action_id, keys in self.keys.items()))


@lru_cache(maxsize=4)
def _keymap(changes: tuple[tuple[str, tuple[str, ...]], ...]) -> Keymap:
    """Make a keymap once: it is asked for at every draw, and checks all keys."""
    return Keymap(dict(changes))


def _check_choice(name: str) -> Callable[[object], str]:
    def check(value: object) -> str:
        if name not in CHOICES:
            return (
                "" if isinstance(value, bool) else say("expected true or false, not {value!r}", value=value)
            )
        words = CHOICES[name]
        known = ", ".join(words)
        return (
            "" if value in words else say("expected one of {words}, not {value!r}", words=known, value=value)
        )

    return check


def _check_name(value: object) -> str:
    if isinstance(value, str) and 0 < len(value.strip()) <= _LONGEST_NAME and value.isprintable():
        return ""
    return say("expected a name of 1 to {most} letters, not {value!r}", most=_LONGEST_NAME, value=value)


def _check_theme(value: object) -> str:
    right = isinstance(value, str) and value
    return "" if right else say("expected the name of a theme, not {value!r}", value=value)


def _check_rules(value: object) -> str:
    if not isinstance(value, str):
        return say(
            "expected the text of rules such as {text}, not {value!r}", text=next(iter(PRESETS)), value=value
        )
    try:
        Rules.parse(value)
    except RulesError as error:
        return core_words(error)
    return ""


def _check_players(value: object) -> str:
    if not isinstance(value, tuple) or not all(isinstance(player, str) for player in value):
        return say('expected a list such as ["human", "greedy"], not {value!r}', value=value)
    if not value:
        return ""
    from durak_tui.players.roster import BOTS, LEVELS  # noqa: PLC0415 - bots load search code

    for player in value:
        kind = player.partition(":")[0]
        if kind not in ("human", *LEVELS, *BOTS):
            known = ", ".join(("human", *LEVELS, *BOTS))
            return say("there is no player {player!r}; there are {known}", player=player, known=known)
    return ""


def _check_guests(value: object) -> str:
    if not isinstance(value, tuple) or any(_check_name(name) for name in value):
        return say('expected a list of names such as ["Masha", "Boris"], not {value!r}', value=value)
    return ""


def _check_keys(value: object) -> str:
    if not isinstance(value, Mapping):
        return say("expected a table of keys, not {value!r}", value=value)
    try:
        Keymap(value)
    except KeymapError as error:
        return str(error)
    return ""


_CHECKS: Final[Mapping[str, Callable[[object], str]]] = {
    "name": _check_name,
    "guests": _check_guests,
    "theme": _check_theme,
    "rules": _check_rules,
    "players": _check_players,
    "watched": _check_players,
    "keys": _check_keys,
}

_TABLES: Final[Mapping[str, tuple[str, ...]]] = {
    "player": ("name", "guests"),
    "cards": ("colours", "ascii", "size", "sort", "descending"),
    "screen": ("theme", "reduced_motion", "language"),
    "play": ("pace", "coach", "confirm", "review_time", "rules", "players", "watched"),
}
_PATHS: Final = {
    **{name: f"{table}.{name}" for table, names in _TABLES.items() for name in names},
    "keys": "keys",
}


class SettingsFile:
    """The settings in their file.

    Args:
        path: The file; by default ``settings.toml`` in the user's configuration folder.

    Attributes:
        problems: What was wrong with the file, in sentences for the person.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or config_dir() / "settings.toml"
        self.problems: list[str] = []
        self._keep = False

    def load(self) -> Settings:
        """Read the settings; whatever is wrong is told in `problems` and has its default."""
        self.problems = []
        self._keep = False
        try:
            text = self.path.read_text("utf-8")
            data = tomllib.loads(text)
        except FileNotFoundError:
            return Settings()
        except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            return self._defaults_after(error)
        except OSError as error:
            self.problems.append(
                say(
                    "{path} cannot be read ({why}): the defaults are used.",
                    path=self.path,
                    why=error.strerror,
                )
            )
            return Settings()
        return self._read(data, text)

    def save(self, settings: Settings) -> None:
        """Write the settings, all at once or not at all.

        Raises:
            OSError: If the file cannot be written.
        """
        if self._keep and self.path.exists():
            keep_aside(self.path)
        self._keep = False
        self.path.parent.mkdir(parents=True, exist_ok=True)
        write_text_atomically(self.path, tomli_w.dumps(_as_data(settings)))

    def _defaults_after(self, error: ValueError) -> Settings:
        try:
            where = say("it is kept as {name}", name=keep_aside(self.path).name)
        except OSError as failure:
            where = say("it could not be renamed ({why})", why=failure.strerror)
        self.problems.append(
            say(
                "{name} is damaged, {error}: {where}, and the defaults are used.",
                name=self.path.name,
                error=error,
                where=where,
            )
        )
        return Settings()

    def _read(self, data: Mapping[str, Any], text: str) -> Settings:
        settings = Settings()
        for table, values in data.items():
            if table == "keys" or table not in _TABLES or not isinstance(values, Mapping):
                if table == "keys" and isinstance(values, Mapping):
                    settings = self._read_keys(settings, values, text)
                else:
                    hint = _hint(table, (*_TABLES, "keys"))
                    problem = say("there is no table {table!r}; {hint}", table=table, hint=hint)
                    self._tell(problem, text, table, "")
                continue
            for name, value in values.items():
                if name in _TABLES[table]:
                    settings = self._set(settings, name, value, text)
                else:
                    hint = _hint(name, _TABLES[table])
                    problem = say(
                        "{setting}: there is no such setting; {hint}", setting=f"{table}.{name}", hint=hint
                    )
                    self._tell(problem, text, table, name)
        return settings

    def _read_keys(self, settings: Settings, values: Mapping[str, Any], text: str) -> Settings:
        """Take all keys at once, for two may change places; else one by one: a wrong one loses no other."""
        given = {action_id: _key_names(value) for action_id, value in _flat(values)}
        changes: dict[str, tuple[str, ...]] = {}
        try:
            return replace(settings, keys=given)
        except SettingsError:
            pass
        for action_id, keys in given.items():
            try:
                Keymap({**changes, action_id: keys})
            except KeymapError as error:
                self._tell(f"keys: {error}", text, "keys", action_id)
            else:
                changes[action_id] = keys
        return replace(settings, keys=changes)

    def _set(self, settings: Settings, name: str, value: object, text: str) -> Settings:
        given: Any = tuple(value) if isinstance(value, list) else value
        try:
            return replace(settings, **{name: given})
        except SettingsError as error:
            self._tell(str(error), text, _PATHS[name].partition(".")[0], name)
            return settings

    def _tell(self, problem: str, text: str, table: str, name: str) -> None:
        self._keep = True
        line = _line_of(text, table, name)
        where = say("{name}, line {line}", name=self.path.name, line=line) if line else self.path.name
        self.problems.append(f"{where}: {problem}")


def _hint(word: str, known: tuple[str, ...]) -> str:
    close = difflib.get_close_matches(word, known, n=1)
    if close:
        return say("did you mean {word}?", word=close[0])
    return say("there are {words}", words=", ".join(known))


def _flat(values: Mapping[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    """List the keys of nested tables as ids: TOML reads an unquoted ``table.take`` as a table in a table."""
    rows: list[tuple[str, Any]] = []
    for name, value in values.items():
        rows += _flat(value, f"{prefix}{name}.") if isinstance(value, Mapping) else [(prefix + name, value)]
    return rows


def _key_names(value: object) -> tuple[str, ...]:
    """Read one key or a list of them; anything else becomes a name that no key has."""
    return tuple(str(key) for key in (value if isinstance(value, list) else [value]))


def _line_of(text: str, table: str, name: str) -> int | None:
    """Find the line of a key, for messages; None if it is written in a way that this does not see."""
    current = ""
    for number, line in enumerate(text.splitlines(), 1):
        heading = re.match(r"\s*\[\s*([^\]]+?)\s*\]", line)
        if heading:
            current = heading[1]
        bare = line.split("=")[0].strip().strip("\"'")
        if table in {current, bare} if not name else (current, bare) == (table, name):
            return number
    return None


def _as_data(settings: Settings) -> dict[str, Any]:
    data: dict[str, Any] = {
        table: {name: _plain(getattr(settings, name)) for name in names} for table, names in _TABLES.items()
    }
    if settings.keys:
        data["keys"] = {action_id: list(keys) for action_id, keys in settings.keys.items()}
    return data


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value
