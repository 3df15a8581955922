"""TOML configuration, validated and read into dataclasses.

A field's annotation is its schema: `bool`, `int`, `float`, `str`, ``tuple[X, ...]``, ``Mapping[str, X]``,
a union, or another dataclass. ``Annotated[X, ...]`` adds a `Range`, `OneOf`, `Tagged`, a text for
help, or a validator that returns the value, possibly converted, or raises a `DurakError`. Fields without a
default are required. Unknown keys are errors.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Final,
    NamedTuple,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from durak_core.errors import DurakError, Message, alternatives, unknown
from durak_core.files import MEGABYTE, read_bytes

_DEEPEST: Final = 20
_TOO_DEEP: Final = Message("lists and tables cannot be nested more than {most} deep", most=_DEEPEST)
_MOST_BITS: Final = 830
"""Largest size of a number in bits; it fits a float and has at most 250 digits."""
_TOO_LONG: Final = Message("a number cannot have more than {most} digits", most=250)
_MOST_PARTS: Final = 100
_KEY_PART: Final = r"""(?:[\w-]++|"(?:[^"\\\n]|\\.){0,40}+"|'[^'\n]{0,40}+')"""
_LONG_KEY: Final = re.compile(rf"(?<![\w-])(?:{_KEY_PART}[ \t]*+\.[ \t]*+){{{_MOST_PARTS}}}")
"""Rejects long dotted keys, because `tomllib` takes quadratic time for them."""

TABLE: Final = Message("a table")
_NOUNS: Final[Mapping[Any, Message]] = {
    bool: Message("true or false"),
    int: Message("a whole number"),
    float: Message("a number"),
    str: Message("a text"),
    tuple: Message("a list"),
}

Kind = TypeVar("Kind")
Values = TypeVar("Values", bound=Collection[Any])


class ConfigError(DurakError):
    """An invalid value.

    Attributes:
        problem: The error or the expected value.
        key: The value's path, such as ``table[0].players[2]``.
        value: The value as TOML; empty if the value itself is not at fault.
        file: The file's name, if any.
    """

    def __init__(self, problem: Message | str, key: str = "", value: str = "", file: str = "") -> None:
        self.problem = problem
        self.key = key
        self.value = value
        self.file = file
        what = f"{key}={value}" if key and value else key or value
        message = problem if isinstance(problem, Message) else Message("{why}", why=problem)
        for part in (what, file):
            message = Message("{where}: {why}", where=part, why=message) if part else message
        super().__init__(message)

    def under(self, key: str) -> ConfigError:
        """Return this error with its path prefixed by a key."""
        return ConfigError(self.problem, _joined(key, self.key), self.value)


class Range(NamedTuple):
    """The smallest and largest allowed number, inclusive."""

    low: float
    high: float


class OneOf(NamedTuple):
    """The allowed strings."""

    words: Collection[str]


class Tagged(NamedTuple):
    """A tagged union of dataclasses: the string under ``key`` selects the type."""

    key: str
    kinds: Mapping[str, type]


def _filled(text: str) -> str:
    if not text.strip():
        raise expected(_NOUNS[str], text)
    return text.strip()


def distinct(values: Values) -> Values:
    """Check that there are one or more values, all distinct."""
    if not values:
        raise expected(Message("one or more values"), values)
    seen: set[Any] = set()
    for place, one in enumerate(values):
        if one in seen:
            raise ConfigError(Message("{value} appears twice", value=shown(one)), f"[{place}]")
        seen.add(one)
    return values


Text = Annotated[str, _filled]
Texts = Annotated[tuple[Text, ...], distinct]
NamedTexts = Annotated[Mapping[str, Text], distinct]


class ConfigFile:
    """A TOML file of at most ``most`` bytes; ``name`` appears in errors.

    Raises:
        ConfigError: If it is not TOML, or its numbers or nesting exceed the limits.
        FileError: If it cannot be read.
    """

    def __init__(self, path: Path, name: str = "", most: int = MEGABYTE) -> None:
        self.name = name or str(path)
        data = read_bytes(path, most)
        with self.located():
            try:
                self.text = data.decode("utf-8-sig")
            except UnicodeDecodeError:
                raise ConfigError(Message("this is not UTF-8 text")) from None
            self.values: Mapping[str, Any] = _parsed(self.text)

    @contextmanager
    def located(self) -> Iterator[None]:
        """Add the file's name to errors raised in the block."""
        try:
            yield
        except ConfigError as error:
            raise self.locate(error) from None

    def locate(self, error: ConfigError) -> ConfigError:
        return ConfigError(error.problem, error.key, error.value, self.name)


def _parsed(text: str) -> dict[str, Any]:
    if _LONG_KEY.search(text):
        raise ConfigError(Message("a key cannot have more than {most} parts", most=_MOST_PARTS))
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(Message("this is not TOML: {why}", why=error)) from None
    except ValueError:
        raise ConfigError(_TOO_LONG) from None
    except RecursionError:
        raise ConfigError(_TOO_DEEP) from None
    _check_extent(values)
    return values


def _check_extent(value: object, depth: int = 0) -> None:
    """Check the size of numbers and the depth of nesting."""
    if depth > _DEEPEST:
        raise ConfigError(_TOO_DEEP)
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        raise ConfigError(_TOO_LONG)
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _check_extent(part, depth + 1)


@contextmanager
def under(key: str) -> Iterator[None]:
    """Prefix the path of errors raised in the block by a key."""
    try:
        yield
    except ConfigError as error:
        raise error.under(key) from None
    except DurakError as error:
        raise ConfigError(error.message, key) from None


def _joined(first: str, second: str) -> str:
    return f"{first}{second}" if second.startswith("[") or not (first and second) else f"{first}.{second}"


def read(kind: type[Kind], values: Mapping[str, Any]) -> Kind:
    """Read a table into a dataclass; raise `ConfigError` for unknown or missing keys and invalid values."""
    known = {field.name: field for field in fields(kind)}  # type: ignore[arg-type]
    for name in values:
        if name not in known:
            raise unknown_key(name, known)
    needed = [
        name for name, field in known.items() if field.default is MISSING and field.default_factory is MISSING
    ]
    if missing := [name for name in needed if name not in values]:
        raise ConfigError(Message("missing"), ", ".join(missing))
    return kind(**{name: read_field(kind, name, value) for name, value in values.items()})


def read_field(kind: type, name: str, value: object) -> Any:  # noqa: ANN401 - any annotated type
    """Validate and convert a value for a dataclass's field; raise `ConfigError` if it is invalid."""
    return _read(name, value, _hints(kind)[name])


def taken(kind: type, name: str) -> str:
    """Describe the values that a dataclass's field accepts."""
    return str(_noun(_hints(kind)[name]))


def meaning(kind: type, name: str) -> str:
    return next(one for one in get_args(_hints(kind)[name]) if isinstance(one, str))


def allowed_words(kind: type, name: str) -> tuple[str, ...]:
    """Return the strings that a dataclass's field allows; none if it allows others, too."""
    return next((tuple(one.words) for one in get_args(_hints(kind)[name]) if isinstance(one, OneOf)), ())


def check_fields(settings: Any) -> None:  # noqa: ANN401 - any dataclass
    """Validate all fields of a dataclass instance; raise `ConfigError` if a value is invalid."""
    for field in fields(settings):
        read_field(type(settings), field.name, getattr(settings, field.name))


def expected(what: Message | str, value: object) -> ConfigError:
    return ConfigError(Message("expected {expected}", expected=what), value=shown(value))


def unknown_key(name: str, known: Iterable[str]) -> ConfigError:
    return ConfigError(unknown(Message("there is no such key"), name, known), name)


def shown(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind, include_extras=True)


def _read(key: str, value: Any, kind: Any) -> Any:  # noqa: ANN401 - any annotated type
    with under(key):
        base, *checks = get_args(kind) if get_origin(kind) is Annotated else [kind]
        fitting = [one for one in _kinds(base) if _fits(value, one)]
        if not fitting:
            raise expected(_noun(kind), value)
        found = _parts(value, base, checks) if base in fitting else _read("", value, fitting[0])
        for check in checks:
            if (isinstance(check, Range) and not check.low <= found <= check.high) or (
                isinstance(check, OneOf) and found not in check.words
            ):
                raise expected(_noun(kind), value)
            if callable(check):
                found = check(found)
        return found


def _parts(value: Any, kind: Any, checks: Iterable[Any]) -> Any:  # noqa: ANN401 - as above
    for tag in checks:
        if isinstance(tag, Tagged):
            if tag.key not in value:
                raise ConfigError(Message("missing"), tag.key)
            kind = tag.kinds[_read(tag.key, value[tag.key], Annotated[str, OneOf(tag.kinds)])]
    origin, parts = get_origin(kind) or kind, get_args(kind)
    if is_dataclass(origin):
        return read(cast("type[Any]", origin), value)
    if origin is tuple:
        return tuple([_read(f"[{place}]", one, parts[0]) for place, one in enumerate(value)])
    if origin is Mapping:
        return {name: _read(name, one, parts[1]) for name, one in value.items()}
    return float(value) if kind is float else value


def _kinds(kind: Any) -> tuple[Any, ...]:  # noqa: ANN401 - an annotation
    return get_args(kind) if get_origin(kind) in {Union, UnionType} else (kind,)


def _fits(value: object, kind: Any) -> bool:  # noqa: ANN401 - an annotation
    """Return whether a value has a type, ignoring its items."""
    base = get_args(kind)[0] if get_origin(kind) is Annotated else kind
    origin = get_origin(base) or base
    if origin in {Union, UnionType}:
        return any(_fits(value, one) for one in get_args(base))
    if origin in {int, float}:
        return isinstance(value, origin | int) and not isinstance(value, bool)
    if origin is tuple:
        return isinstance(value, list | tuple)
    return isinstance(value, Mapping if is_dataclass(origin) else origin)


def _noun(kind: Any) -> Message | str:  # noqa: ANN401 - an annotation
    base, *checks = get_args(kind) if get_origin(kind) is Annotated else [kind]
    if (kinds := _kinds(base)) != (base,):
        return alternatives(*[_noun(one) for one in kinds if one is not NoneType])
    noun = _NOUNS.get(get_origin(base) or base, TABLE)
    for check in checks:
        if isinstance(check, Range):
            return Message("{what} from {low} to {high}", what=noun, low=check.low, high=check.high)
        if isinstance(check, OneOf):
            return Message("one of {words}", words=", ".join(check.words))
    return noun
