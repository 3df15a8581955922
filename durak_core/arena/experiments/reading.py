"""Values of a TOML file, checked one by one; what is wrong is named by its key's path."""

from __future__ import annotations

import difflib
import json
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final, Self

from durak_core.errors import DurakError

_SHOWN: Final = 60
"""Letters of a value that an error shows."""

_MOST: Final = 10**9
"""No number of a manifest is larger, but for seeds."""


class ManifestError(DurakError):
    """A manifest that says what cannot be played, or not as a table."""


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file.

    Raises:
        ManifestError: If it is none.
        OSError: If it cannot be read.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ManifestError(f"{path} is no TOML: {error}") from None


class Node:
    """A table of a TOML file whose keys are taken one by one.

    Args:
        told: The table.
        path: Its own path, for errors; empty for the whole file.
        file: The file's name, for errors.
    """

    def __init__(self, told: Mapping[str, Any], path: str, file: str) -> None:
        self._told = told
        self._path = path
        self._file = file
        self._known: list[str] = []

    def __contains__(self, key: str) -> bool:
        self._known.append(key)
        return key in self._told

    def wrong(self, key: str, problem: str) -> ManifestError:
        """Return an error that names a key by its path."""
        return ManifestError(f"{self._file}: {self._at(key)}: {problem}")

    def end(self) -> None:
        """Refuse keys that nobody has asked for.

        Raises:
            ManifestError: If there is one.
        """
        for key in self._told:
            if key not in self._known:
                known = list(dict.fromkeys(self._known))
                close = difflib.get_close_matches(key, known, n=1)
                hint = f"did you mean {close[0]}? There are" if close else "there are"
                raise self.wrong(key, f"there is no such key; {hint} {', '.join(known)}")

    def text(self, key: str, default: str | None = None) -> str:
        """Return a text; without a default it has to be there."""
        return _text(self, key, self._value(key, default))

    def remark(self, key: str) -> str:
        """Return a text that need not be there; it is empty then."""
        return self.text(key) if key in self else ""

    def number(self, key: str, default: int | None = None, low: int = 1, high: int = _MOST) -> int:
        """Return a whole number, likewise."""
        return _number(self, key, self._value(key, default), low, high)

    def share(self, key: str) -> float | None:
        """Return a share in percent as one from 0 to 1, or None where it is not there."""
        if key not in self:
            return None
        value = self._told[key]
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 100:
            raise self.wrong(key, f"{_shown(value)}: expected a number of percent from 0 to 100")
        return value / 100

    def flag(self, key: str, *, default: bool = False) -> bool:
        """Return whether something is wished."""
        value = self._value(key, default)
        if not isinstance(value, bool):
            raise self.wrong(key, f"{_shown(value)}: expected true or false")
        return value

    def choice(self, key: str, choices: Iterable[str], default: str | None = None) -> str:
        """Return one of some words."""
        value = self.text(key, default)
        if value not in choices:
            raise self.wrong(key, f"{_shown(value)}: expected one of {', '.join(choices)}")
        return value

    def numbers(self, key: str, low: int = 1, high: int = _MOST) -> list[int]:
        """Return one or more different whole numbers."""
        found = self._list(key)
        return [_number(self, f"{key}[{place}]", value, low, high) for place, value in enumerate(found)]

    def texts(self, key: str) -> list[str]:
        """Return one or more different texts."""
        return [_text(self, f"{key}[{place}]", value) for place, value in enumerate(self._list(key))]

    def named_texts(self, key: str) -> dict[str, str]:
        """Return texts by name: a table of them, or a single text, which is its own name."""
        value = self._value(key, None)
        if isinstance(value, str):
            return {value: _text(self, key, value)}
        if not isinstance(value, Mapping) or not value:
            raise self.wrong(key, f"{_shown(value)}: expected a text, or a table of names and texts")
        return {name: _text(self, f"{key}.{name}", text) for name, text in value.items()}

    def nodes(self, key: str, *, needed: bool) -> list[Self]:
        """Return the tables of a list."""
        value = self._value(key, [])
        if not isinstance(value, list) or (needed and not value):
            raise self.wrong(key, f"{_shown(value)}: expected one or more tables, each begun by [[{key}]]")
        found = []
        for place, told in enumerate(value):
            if not isinstance(told, Mapping):
                raise self.wrong(f"{key}[{place}]", f"{_shown(told)}: expected a table")
            found.append(type(self)(told, self._at(f"{key}[{place}]"), self._file))
        return found

    def _at(self, key: str) -> str:
        return f"{self._path}.{key}" if self._path else key

    def _value(self, key: str, default: object) -> Any:  # noqa: ANN401 - checked by the caller
        self._known.append(key)
        value = self._told.get(key, default)
        if value is None:
            raise self.wrong(key, "missing")
        return value

    def _list(self, key: str) -> list[Any]:
        value = self._value(key, None)
        if not isinstance(value, list) or not value:
            raise self.wrong(key, f"{_shown(value)}: expected a list of one or more values")
        for place, one in enumerate(value):
            if one in value[:place]:
                raise self.wrong(f"{key}[{place}]", f"{_shown(one)} stands there twice")
        return list(value)


def _text(node: Node, key: str, value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise node.wrong(key, f"{_shown(value)}: expected a text")
    return value.strip()


def _number(node: Node, key: str, value: object, low: int, high: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise node.wrong(key, f"{_shown(value)}: expected a whole number from {low} to {high}")
    return value


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."
