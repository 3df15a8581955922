"""The arrays that compiled functions take, and the types of their arguments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cache
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import numpy as np


def _shortest(value: Any) -> Any:
    # Converting long lists of zeros takes long.
    is_even = type(value) is list and value[0] == value[-1] and value.count(value[0]) == len(value)
    return value[0] if is_even else value


@cache
def _record_type(table: Any) -> np.dtype[Any]:
    """Return the record type of a dataclass; lists are as long as in a fresh object."""
    columns: list[Any] = []
    for name, value in asdict(table()).items():
        values = value if isinstance(value, list) else [value]
        kind = np.float64 if isinstance(values[0], float) else np.int64
        columns.append((name, kind, (len(values),)) if isinstance(value, list) else (name, kind))
    return np.dtype((np.record, np.dtype(columns, align=True)))


def record_array(source: Any, length: int) -> np.ndarray[Any, Any]:
    """Return an array of records equal to an object of a dataclass."""
    table: Any = type(source)
    kind = _record_type(table)
    record: Any = np.array([tuple([_shortest(getattr(source, name)) for name in kind.names or ()])], kind)
    return np.asarray(record if length == 1 else np.repeat(record, length))


def zeros_of(kind: str) -> Callable[..., np.ndarray[Any, Any]]:
    """Return a factory for arrays and tables of zeros, with a NumPy type name."""
    return lambda *shape: np.zeros(shape, kind)


@dataclass(frozen=True, slots=True)
class Array:
    """A contiguous array or table of numbers or records."""

    item: np.dtype[Any]
    dimensions: int


def types_of(function: Callable[..., Any]) -> tuple[Any, ...]:
    """Return the types of a function's arguments, see `durak_core.kernel.compiled`.

    Numbers and records have NumPy's types, sequences are an `Array`, and tuples hold their items' types.
    """
    hints = get_type_hints(function, include_extras=True)
    return tuple([_type_of(hint) for name, hint in hints.items() if name != "return"])


def _type_of(hint: Any, number: Any = None) -> Any:
    """Return the type of an annotation; its numbers are of the type ``number``, if any."""
    arguments = get_args(hint)
    if get_origin(hint) is Annotated:
        return _type_of(arguments[0], arguments[1])
    if hint in {int, float}:
        return np.dtype(number or (np.int64 if hint is int else np.float64))
    if hasattr(hint, "__dataclass_fields__"):
        return _record_type(hint)
    if get_origin(hint) is tuple:
        return tuple(map(_type_of, arguments))
    if isinstance(hint, type):
        fields: Any = hint
        return fields(*map(_type_of, get_type_hints(hint, include_extras=True).values()))
    inner = get_args(arguments[0])
    return Array(_type_of(inner[0] if inner else arguments[0], number), 2 if inner else 1)
