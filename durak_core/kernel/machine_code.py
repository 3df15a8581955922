"""What may run as machine code: functions, each declared beside its text and once.

`compiled` puts a function on the list of those that Python calls as machine code; its annotations are its
signature, and what it calls is found in its text. Nothing here knows a compiler:
`durak_core.search.backend.jit` reads these declarations and makes types of the annotations.

===================================  ==============================================================
annotation                           machine code
===================================  ==============================================================
``int``, ``float``                   64 bits
a dataclass with slots               a record; a list field is as long as in a fresh object
a sequence of one of these           a contiguous array
a sequence of sequences of numbers   a contiguous table, row after row
`typing.NamedTuple`, ``tuple``       the same, of such things
``Annotated[..., "int16"]``          an array or table of narrower numbers, named as NumPy does
===================================  ==============================================================

Where calls are short, records come in arrays of one: handing a record over takes fifty times as long.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any, Final, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])

GROUPS: Final[dict[str, dict[str, Callable[..., Any]]]] = {
    "rules": {},  # the rules, and games by policies
    "search": {},  # the tree search and the exact endgame
    "classic": {},  # the searches of the published projects, which only experiments need
    "network": {},  # players that are networks
    "players": {},  # whole games by all players without a search
    "guided": {},  # searches with a network
    "opponents": {},  # reading who the others are
    "learn": {},  # training, which few people do
    "solve": {},  # equilibria of tiny decks, likewise
}
"""The functions that Python calls as machine code, by name, in groups that are compiled when needed."""


def compiled(*groups: str) -> Callable[[_Function], _Function]:
    """Declare that a function is called as machine code, by those of `GROUPS` that need it."""

    def declare(function: _Function) -> _Function:
        for group in groups:
            GROUPS[group][function.__name__] = function
        return function

    return declare


def zeros(length: int) -> Callable[[], list[int]]:
    """Return what makes a list of zeros, for a record's field."""
    return lambda: [0] * length


def float_zeros(length: int) -> Callable[[], list[float]]:
    """Return what makes a list of zeros, for a record's field."""
    return lambda: [0.0] * length


def with_called(functions: Iterable[Callable[..., Any]]) -> tuple[FunctionType, ...]:
    """Return functions and whatever their text calls, directly or not."""
    found: dict[FunctionType, None] = {}
    pending = [function for function in functions if isinstance(function, FunctionType)]
    while pending:
        function = pending.pop()
        if function not in found:
            found[function] = None
            named = [function.__globals__.get(name) for name in function.__code__.co_names]
            pending += [value for value in named if isinstance(value, FunctionType)]
    return tuple(found)
