"""Settings in a TOML file that the player may edit.

An unreadable file is set aside, and the defaults are used. A wrong value is reported by key and replaced with
its default. Before the app overwrites such a file, the file is set aside.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Final

import tomli_w

from durak_core import Rules
from durak_core.config import (
    TABLE,
    ConfigError,
    ConfigFile,
    OneOf,
    expected,
    read_field,
    shown,
    under,
    unknown_key,
)
from durak_core.errors import FileError, Message
from durak_core.files import MEGABYTE, is_replaced, make_private, sweep, write_text_atomically, writing
from durak_tui.keys.keymap import Keymap, KeymapError
from durak_tui.storage.paths import config_dir, keep_aside
from durak_tui.text.core_messages import core_words
from durak_tui.text.i18n import LANGUAGES, gettext, language_of

PACE_SECONDS: Final[Mapping[str, float]] = {"0.5x": 1.8, "1x": 0.9, "2x": 0.45, "4x": 0.22, "instant": 0.0}
"""Seconds before a bot moves, by pace."""

REVIEW_MILLISECONDS: Final[Mapping[str, int]] = {
    "0.2 s": 200,
    "0.3 s": 300,
    "0.5 s": 500,
    "1 s": 1000,
    "3 s": 3000,
}
"""Review search time per move, by name."""

_LONGEST_NAME: Final = 20
_LARGEST: Final = MEGABYTE // 10
_MOST_TOLD: Final = 20
_NO_FILE: Final = Message("it is not a regular file")

_TABLES: Final[Mapping[str, tuple[str, ...]]] = {
    "player": ("name", "guests"),
    "friends": ("nearby", "server"),
    "cards": ("colours", "ascii", "size", "sort", "descending", "said"),
    "screen": ("theme", "reduced_motion", "language", "alert", "sounds"),
    "play": (
        *("pace", "coach", "confirm", "only_moves", "remarks", "review_time", "figures", "cursor"),
        *("rules", "players", "watched"),
    ),
}


def _check_name(name: str) -> str:
    if 0 < len(name.strip()) <= _LONGEST_NAME and name.isprintable():
        return name
    problem = Message("expected a name of 1 to {most} letters", most=_LONGEST_NAME)
    raise ConfigError(problem, value=shown(name))


def _check_theme(theme: str) -> str:
    if not theme:
        raise ConfigError(Message("expected the name of a theme"), value=shown(theme))
    return theme


def _check_rules(rules: str) -> str:
    Rules.parse(rules)
    return rules


def _check_players(players: tuple[str, ...]) -> tuple[str, ...]:
    if not players:
        return players
    from durak_core.agents.registry import AGENTS  # noqa: PLC0415 - bots load search code
    from durak_tui.players import OPPONENT_WORDS, own_name  # noqa: PLC0415

    known = ("human", *OPPONENT_WORDS, *AGENTS)
    for player in players:
        if player.partition(":")[0] not in known and not own_name(player):
            there_are = ", ".join(known)
            problem = Message(
                "there is no player {player!r}; there are {known}", player=player, known=there_are
            )
            raise ConfigError(problem)
    return players


def _check_server(server: str) -> str:
    if server and not (server.startswith(("http://", "https://")) and server.isprintable()):
        raise ConfigError(Message("expected an address such as https://durak.example/"), value=shown(server))
    return server if not server or server.endswith("/") else f"{server}/"


def _check_keys(keys: Mapping[str, tuple[str, ...]]) -> Mapping[str, tuple[str, ...]]:
    try:
        Keymap(keys)
    except KeymapError as error:
        raise ConfigError(str(error)) from None
    return keys


_Name = Annotated[str, _check_name]
_Players = Annotated[tuple[str, ...], _check_players]


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings, validated.

    Attributes:
        guests: Names of people who share one keyboard.
        size: Card size; ``auto`` takes the largest that fits.
        sort: Order of the hand; ``descending`` reverses it.
        said: How the game in lines names cards.
        language: ``auto`` takes the environment's language, or else English.
        alert: How the player's turn is announced, besides the title, if the window is not in front.
        coach: Whether to show a hint on every turn of the player.
        confirm: Whether to ask before taking cards that could be beaten.
        figures: Whether hints and reviews have percentages.
        cursor: Whether a card is chosen when the player's turn begins: the middle one that can be played.
        remarks: Whether opponents say something now and then.
        only_moves: Whether the player's only legal moves play themselves.
        rules: The last used rules.
        players: ``human`` or a bot's spec per seat. If the number does not fit the rules, the default players
            play.
        watched: The last watched bots.
        nearby: Whether an own table is announced in the local network, and others' tables are looked for.
        server: The server that is asked first for a table's code; empty for none.
        keys: Changed keys by action id.

    Raises:
        ConfigError: If a value is not allowed.
    """

    name: _Name = "You"
    guests: tuple[_Name, ...] = ()
    colours: Annotated[str, OneOf(("two", "four"))] = "four"
    ascii: bool = False
    size: Annotated[str, OneOf(("auto", "giant", "huge", "large", "normal", "small", "tiny"))] = "auto"
    sort: Annotated[str, OneOf(("suit", "rank", "drawn"))] = "suit"
    descending: bool = False
    said: Annotated[str, OneOf(("words", "signs", "letters"))] = "words"
    theme: Annotated[str, _check_theme] = "durak"
    reduced_motion: bool = False
    language: Annotated[str, OneOf(("auto", *LANGUAGES))] = "auto"
    alert: Annotated[str, OneOf(("off", "bell", "notification"))] = "off"
    sounds: bool = False
    pace: Annotated[str, OneOf(PACE_SECONDS)] = "1x"
    coach: bool = False
    confirm: bool = True
    remarks: bool = True
    only_moves: bool = True
    review_time: Annotated[str, OneOf(REVIEW_MILLISECONDS)] = "0.3 s"
    figures: bool = False
    cursor: Annotated[str, OneOf(("none", "middle"))] = "none"
    rules: Annotated[str, _check_rules] = "podkidnoy"
    players: _Players = ()
    watched: _Players = ()
    nearby: bool = True
    server: Annotated[str, _check_server] = ""
    keys: Annotated[Mapping[str, tuple[str, ...]], _check_keys] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for table, names in (*_TABLES.items(), ("", ("keys",))):
            with under(table):
                for name in names:
                    read_field(Settings, name, getattr(self, name))

    @property
    def pace_seconds(self) -> float:
        return PACE_SECONDS[self.pace]

    @property
    def review_milliseconds(self) -> int:
        return REVIEW_MILLISECONDS[self.review_time]

    @property
    def language_code(self) -> str:
        """The active language, a key of `LANGUAGES`."""
        return language_of() if self.language == "auto" else self.language

    @property
    def keymap(self) -> Keymap:
        return _keymap(tuple((action_id, tuple(keys)) for action_id, keys in self.keys.items()))


def settings_problem(**values: Any) -> str:  # noqa: ANN401 - the fields have several types
    """Return why settings cannot have these values; empty if they can."""
    try:
        Settings(**values)
    except ConfigError as error:
        return core_words(error.problem)
    return ""


@lru_cache(maxsize=4)
def _keymap(changes: tuple[tuple[str, tuple[str, ...]], ...]) -> Keymap:
    """Return a cached keymap: creating one checks all keys, and every redraw needs it."""
    return Keymap(dict(changes))


class SettingsFile:
    """The settings file, by default ``settings.toml`` in the user's configuration folder.

    Attributes:
        problems: Errors in the file, as messages for the player.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or config_dir() / "settings.toml"
        self.problems: list[str] = []
        self._keep = False
        self._known = Settings()
        self._unsaved: dict[str, Any] = {}

    def load(self) -> Settings:
        """Read the settings. Wrong values are added to `problems` and replaced with their defaults."""
        self.problems = []
        self._keep = False
        try:
            self._known = self._read(ConfigFile(self.path, self.path.name, _LARGEST))
        except ConfigError as error:
            self._known = self._defaults_after(error)
        except FileError as error:
            if not error.is_missing:
                self._keep = True
                self._known = Settings()
                told = {"path": self.path, "why": core_words(error.why)}
                self.problems.append(gettext("{path} cannot be read ({why}): the defaults are used.", **told))
        return self._known

    def change(self, **changes: Any) -> None:  # noqa: ANN401 - the fields have several types
        """Save changed settings, and leave the others as another window or an editor has saved them.

        Changes that failed are saved with the next ones.

        Raises:
            FileError: If the file cannot be written.
        """
        self._unsaved |= changes
        known = self._known
        self.load()
        self._known = replace(known if self.problems else self._known, **self._unsaved)
        self.save(self._known)
        self._unsaved = {}

    def save(self, settings: Settings) -> None:
        """Write the settings atomically. Raises `FileError` on failure."""
        with writing(self.path):
            if not is_replaced(self.path):
                raise FileError("{path} cannot be written: {why}", path=self.path, why=_NO_FILE)
            if self._keep and self.path.exists():
                keep_aside(self.path)
            self._keep = False
            make_private(self.path.parent)
        data = {table: {name: getattr(settings, name) for name in names} for table, names in _TABLES.items()}
        keys = {"keys": dict(settings.keys)} if settings.keys else {}
        write_text_atomically(self.path, tomli_w.dumps(data | keys))

    def sweep(self) -> None:
        sweep(self.path.parent)

    def _defaults_after(self, error: ConfigError) -> Settings:
        try:
            where = gettext("it is kept as {name}", name=keep_aside(self.path).name)
        except OSError as failure:
            where = gettext("it could not be renamed ({why})", why=failure.strerror)
        told = {"name": self.path.name, "error": core_words(error.problem), "where": where}
        self.problems = [gettext("{name} is damaged, {error}: {where}, and the defaults are used.", **told)]
        return Settings()

    def _read(self, file: ConfigFile) -> Settings:
        values: dict[str, Any] = {}
        for table, told in file.values.items():
            with self._telling(file):
                if table not in {*_TABLES, "keys"}:
                    raise unknown_key(table, (*_TABLES, "keys"))
                if not isinstance(told, Mapping):
                    raise expected(TABLE, told).under(table)
                if table == "keys":
                    values["keys"] = self._read_keys(told, file)
                    continue
                for name, value in told.items():
                    with self._telling(file), under(table):
                        if name not in _TABLES[table]:
                            raise unknown_key(name, _TABLES[table])
                        values[name] = read_field(Settings, name, value)
        return Settings(**values)

    def _read_keys(self, told: Mapping[str, Any], file: ConfigFile) -> Mapping[str, tuple[str, ...]]:
        """Read all keys at once, as two may be exchanged; after an error one by one, skipping wrong ones."""
        # What is neither a key nor a list of keys becomes an invalid key name.
        given = {
            action_id: tuple(map(str, value if isinstance(value, list) else [value]))
            for action_id, value in _flat(told)
        }
        try:
            return _check_keys(given)
        except ConfigError:
            pass
        right: dict[str, tuple[str, ...]] = {}
        for action_id, keys in given.items():
            with self._telling(file), under(f"keys.{action_id}"):
                right = dict(_check_keys({**right, action_id: keys}))
        return right

    @contextmanager
    def _telling(self, file: ConfigFile) -> Iterator[None]:
        try:
            yield
        except ConfigError as error:
            if len(self.problems) == _MOST_TOLD:
                problem = Message("more than {count} of its values are wrong", count=_MOST_TOLD)
                raise ConfigError(problem) from None
            self._keep = True
            self.problems.append(core_words(file.locate(error)))


def _flat(values: Mapping[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    """Flatten nested tables to ids: TOML parses an unquoted ``table.take`` as a nested table."""
    rows: list[tuple[str, Any]] = []
    for name, value in values.items():
        rows += _flat(value, f"{prefix}{name}.") if isinstance(value, Mapping) else [(prefix + name, value)]
    return rows
