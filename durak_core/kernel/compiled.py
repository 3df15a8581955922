"""Declares the functions that Python calls compiled, and a clock for them.

The annotations of a `compiled` function are its signature; the functions it calls are found in its bytecode,
or in their twin's.
No compiler is imported here: `durak_core.search.backend.jit` reads the declarations and maps annotations to
types.

===================================  ==============================================================
annotation                           compiled type
===================================  ==============================================================
``int``, ``float``                   64 bits
a dataclass with slots               a record; a list field is as long as in a fresh object
a sequence of one of these           a contiguous array
a sequence of sequences of numbers   a contiguous table, row after row
`typing.NamedTuple`, ``tuple``       the same, of such things
``Annotated[..., "int16"]``          an array or table of narrower numbers, named as NumPy does
===================================  ==============================================================

Functions with short run times take records in arrays of one: passing a bare record is fifty times slower.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from time import perf_counter_ns
from types import FunctionType
from typing import Any, Final, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])

GROUPS: Final[dict[str, dict[str, Callable[..., Any]]]] = {
    "rules": {},  # the rules, and games by policies
    "replay": {},  # recorded games
    "search": {},  # the tree search and the exact endgame
    "classic": {},  # the searches of the published projects, used by experiments only
    "network": {},  # players that are networks
    "players": {},  # whole games by players that do not search
    "guided": {},  # searches with a network
    "opponents": {},  # opponent modelling
    "environments": {},  # games with decisions from outside
    "learn": {},  # training
    "solve": {},  # equilibria of tiny decks
}
"""The functions that Python calls compiled, by name, in groups compiled on demand."""


def compiled(*groups: str) -> Callable[[_Function], _Function]:
    """Declare that Python calls a function compiled, in one or more of `GROUPS`."""

    def declare(function: _Function) -> _Function:
        for group in groups:
            GROUPS[group][function.__name__] = function
        return function

    return declare


TWINS: Final[dict[Callable[..., Any], Callable[..., Any]]] = {}
"""Functions that are compiled in another form than CPython runs, and that form."""


def compiled_as(twin: _Function) -> Callable[[_Function], _Function]:
    """Declare that compiled code calls a twin with the same result instead of a function."""

    def declare(function: _Function) -> _Function:
        TWINS[function] = twin
        return function

    return declare


def zeros(length: int) -> Callable[[], list[int]]:
    """Return a factory for a list of zeros, for a record's field."""
    return lambda: [0] * length


def float_zeros(length: int) -> Callable[[], list[float]]:
    return lambda: [0.0] * length


def with_called(functions: Iterable[Callable[..., Any]]) -> tuple[FunctionType, ...]:
    """Return functions and everything that they or their twins call, directly or indirectly."""
    found: dict[FunctionType, None] = {}
    pending = [function for function in functions if isinstance(function, FunctionType)]
    while pending:
        function = pending.pop()
        if function not in found:
            found[function] = None
            code = TWINS.get(function, function).__code__
            named = [function.__globals__.get(name) for name in code.co_names]
            pending += [value for value in named if isinstance(value, FunctionType)]
    return tuple(found)


def ticks() -> int:
    """Return the time in machine-dependent units, for ratios; 0 if compiled without a shared counter."""
    return perf_counter_ns()
