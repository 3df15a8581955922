"""The one module that imports numba: the kernel's and the playouts' own functions as machine code.

Nothing is written twice. The functions of the kernel are registered as they stand, so that compiled
code may call them; records with the layout of `Position` and `Desk` are generated from their field
tables. Only `popcount` and `lowest_bit` have a twin, the processor's instruction.

Compiled code never raises, never allocates and releases the GIL. Machine code may assume that signed
arithmetic does not overflow, so neither may the kernel.
"""

from __future__ import annotations

import types as python_types
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

import llvmlite.ir
import numba
import numpy as np
from numba import types
from numba.core import config
from numba.extending import intrinsic, overload, register_jitable

from durak_core.kernel import bits, codes, deal, legal, perft, position, random, transition
from durak_core.knowledge import sampling, weakness
from durak_core.search.determinized import lookahead, maxn, mcts, minimax
from durak_core.search.endgame import alpha_beta as endgame
from durak_core.search.endgame import foresight
from durak_core.search.ismcts import guided
from durak_core.search.ismcts import tree as ismcts
from durak_core.search.network import arithmetic as network
from durak_core.search.network import encoding, vector
from durak_core.search.policies import expert, playouts, policies, smart, temperament

_MODULES: Final = (
    bits,
    codes,
    random,
    legal,
    transition,
    deal,
    position,
    perft,
    sampling,
    weakness,
    policies,
    expert,
    temperament,
    smart,
    playouts,
    foresight,
    endgame,
    ismcts,
    lookahead,
    minimax,
    maxn,
    mcts,
    encoding,
    vector,
    network,
    guided,
)
_TWINS: Final = ("popcount", "lowest_bit")


def _record(table: type, shapes: Mapping[str, int]) -> np.dtype[Any]:
    """Generate a record type from a class's field table."""
    columns: list[Any] = []
    for field in fields(table):
        kind = np.float64 if field.type in {"float", "list[float]"} else np.int64
        length = shapes.get(field.name)
        columns.append((field.name, kind) if length is None else (field.name, kind, (length,)))
    return np.dtype(columns, align=True)


_RECORDS: Final[Mapping[type, np.dtype[Any]]] = {
    position.Position: _record(position.Position, position.FIELD_SHAPES),
    playouts.Desk: _record(playouts.Desk, playouts.DESK_SHAPES),
    sampling.Belief: _record(sampling.Belief, sampling.BELIEF_SHAPES),
    endgame.Solver: _record(endgame.Solver, endgame.SOLVER_SHAPES),
    ismcts.Tree: _record(ismcts.Tree, ismcts.TREE_SHAPES),
    guided.Guide: _record(guided.Guide, guided.GUIDE_SHAPES),
    minimax.Minimax: _record(minimax.Minimax, minimax.MINIMAX_SHAPES),
    maxn.Maxn: _record(maxn.Maxn, maxn.MAXN_SHAPES),
    encoding.Memory: _record(encoding.Memory, encoding.MEMORY_SHAPES),
    vector.Slot: _record(vector.Slot, vector.SLOT_SHAPES),
}


def record_array(source: Any, length: int) -> np.ndarray[Any, Any]:
    """Return that many records, all equal to an object of a class with a field table."""
    array = np.zeros(length, _RECORDS[type(source)])
    for name in source.__slots__:
        array[name] = getattr(source, name)
    return array


def position_of(array: np.ndarray[Any, Any]) -> position.Position:
    """Return the first record of an array as a position."""
    values: dict[str, Any] = {name: array[0][name].tolist() for name in position.Position.__slots__}
    return position.Position(**values)


def integer_array(length: int) -> np.ndarray[Any, Any]:
    """Return that many zeros."""
    return np.zeros(length, np.int64)


def float_array(length: int) -> np.ndarray[Any, Any]:
    """Return that many zeros."""
    return np.zeros(length, np.float64)


def table_array(rows: int, columns: int) -> np.ndarray[Any, Any]:
    """Return a table of zeros."""
    return np.zeros((rows, columns), np.int64)


def weight_array(rows: int, columns: int) -> np.ndarray[Any, Any]:
    """Return a table of zeros for a network's weights; its numbers have 32 bits."""
    return np.zeros((rows, columns), np.float32)


@intrinsic
def _count_ones(_context: Any, mask: Any) -> Any:
    def build(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        return builder.ctpop(values[0])

    return types.int64(types.int64), build


@intrinsic
def _count_trailing_zeros(_context: Any, mask: Any) -> Any:
    def build(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        zero_is_undefined = llvmlite.ir.Constant(llvmlite.ir.IntType(1), 1)
        return builder.cttz(values[0], zero_is_undefined)

    return types.int64(types.int64), build


@overload(bits.popcount)
def _popcount(mask: Any) -> Any:
    count: Any = _count_ones

    def twin(mask: Any) -> Any:
        return count(mask)

    return twin


@overload(bits.lowest_bit)
def _lowest_bit(mask: Any) -> Any:
    trailing: Any = _count_trailing_zeros

    def twin(mask: Any) -> Any:
        return trailing(mask)

    return twin


def _register() -> None:
    for module in _MODULES:
        for name, function in vars(module).items():
            if (
                isinstance(function, python_types.FunctionType)
                and function.__module__ == module.__name__
                and name not in _TWINS
            ):
                register_jitable(function)


_register()


def compile_functions(
    functions: Mapping[str, Callable[..., Any]],
    cache_folder: Path | None,
    report: Callable[[str], None] | None = None,
) -> dict[str, Callable[..., Any]]:
    """Compile entry points, or load them from a cache.

    Args:
        functions: Plain functions by name, each with an entry in the table of signatures.
        cache_folder: Where machine code is kept; None compiles without keeping it.
        report: Hears each entry point's name when it is ready.

    Returns:
        The compiled functions by name. They take arrays of records where the plain ones take a
        position; those that take one position take ``array[0]``.

    Raises:
        OSError: If the cache folder cannot be used.
    """
    compiled: dict[str, Callable[..., Any]] = {}
    for name, function in functions.items():
        dispatcher = _dispatcher(function, cache_folder)
        dispatcher.compile(_SIGNATURES[name])
        dispatcher.disable_compile()
        compiled[name] = dispatcher
        if report is not None:
            report(name)
    return compiled


def _dispatcher(function: Callable[..., Any], cache_folder: Path | None) -> Any:
    if cache_folder is None:
        return numba.njit(nogil=True)(function)
    settings: Any = config
    before = settings.CACHE_DIR
    settings.CACHE_DIR = str(cache_folder)
    try:
        return numba.njit(nogil=True, cache=True)(function)
    finally:
        settings.CACHE_DIR = before


_INTEGERS: Final = types.int64[::1]
_TYPE_OF_RECORD: Any = numba.from_dtype
_RECORD_TYPES: Final = {table: _TYPE_OF_RECORD(record) for table, record in _RECORDS.items()}
_POSITION: Final = _RECORD_TYPES[position.Position]
_DESK: Final = _RECORD_TYPES[playouts.Desk]
_SOLVER: Final = _RECORD_TYPES[endgame.Solver]
_TUPLE: Any = types.Tuple
_BELIEFS: Final = _RECORD_TYPES[sampling.Belief][::1]
_TREE_MEMORY: Final = (
    _POSITION[::1],
    _BELIEFS,
    _RECORD_TYPES[ismcts.Tree][::1],
    _INTEGERS,
    types.float64[::1],
)
_SOLVER_MEMORY: Final = _TUPLE((_POSITION[::1], _SOLVER[::1], _INTEGERS, _INTEGERS))
_INTEGER_TABLE: Final = types.int64[:, ::1]
_SHORT_TABLE: Final = types.int16[:, ::1]
_BOARD: Final = _TUPLE((_INTEGERS, _INTEGERS, _INTEGERS, _SHORT_TABLE, _SHORT_TABLE))
_WEIGHTS: Final = types.float32[:, ::1]
_FLOATS: Final = types.float64[::1]
_NETWORK: Final = (
    _TUPLE((_INTEGERS, _WEIGHTS)),
    _TUPLE((_INTEGERS, _INTEGERS)),
    _TUPLE((_INTEGERS, _FLOATS, _FLOATS, _FLOATS)),
)
_GAMES: Final = _TUPLE((_POSITION[::1], _RECORD_TYPES[encoding.Memory][::1], _RECORD_TYPES[vector.Slot][::1]))
_VECTOR: Final = (_GAMES, _INTEGER_TABLE, _BOARD, _TUPLE((types.float64[:, ::1], _INTEGERS)))

_SIGNATURES: Final[Mapping[str, tuple[Any, ...]]] = {
    "deal": (_POSITION, _INTEGERS),
    "legal": (_POSITION, _INTEGERS),
    "apply": (_POSITION, types.int64),
    "returns": (_POSITION, types.float64[::1]),
    "perft_on": (_POSITION[::1], _INTEGERS, _INTEGERS, types.int64),
    "play_out": (_POSITION, _DESK),
    "play_games": (
        _TUPLE((_POSITION[::1], _DESK[::1])),
        _INTEGERS,
        types.int64,
        types.int64,
        types.int64[:, ::1],
    ),
    "solve": (_POSITION[::1], _SOLVER, _INTEGERS, _INTEGERS, types.int64, types.int64),
    "grow_tree": (
        _TUPLE(_TREE_MEMORY),
        _SOLVER_MEMORY,
        types.int64,
    ),
    "grow_guided": (
        _TUPLE(_TREE_MEMORY),
        _TUPLE(
            (
                _RECORD_TYPES[guided.Guide][::1],
                _RECORD_TYPES[encoding.Memory][::1],
                types.float64[::1],
                _TUPLE(_NETWORK),
            )
        ),
        _SOLVER_MEMORY,
        types.int64,
    ),
    "minimax_deal": (
        _TUPLE((_POSITION[::1], _POSITION[::1])),
        _TUPLE((_BELIEFS, _RECORD_TYPES[minimax.Minimax][::1], _SOLVER[::1], _INTEGERS, _INTEGERS)),
        types.int64,
        _INTEGERS,
    ),
    "maxn_deal": (
        _TUPLE((_POSITION[::1], _POSITION[::1])),
        _TUPLE((_BELIEFS, _RECORD_TYPES[maxn.Maxn][::1], _SOLVER[::1], _INTEGERS)),
        types.int64,
        _INTEGERS,
    ),
    "mcts_deal": (
        _POSITION[::1],
        _TUPLE((_BELIEFS, _RECORD_TYPES[ismcts.Tree][::1], _INTEGERS, types.float64[::1])),
        types.int64,
        _INTEGERS,
        types.float64[::1],
    ),
    "start_games": _VECTOR,
    "step_games": (*_VECTOR, _INTEGERS),
    "choose_by_policy": (
        _GAMES,
        _INTEGERS,
        types.int64,
        types.float64,
        _TUPLE((_INTEGERS, _INTEGERS)),
    ),
    "open_game": (_GAMES, types.int64),
    "play_index": (_GAMES, types.int64, types.float64[::1]),
    "look": (_GAMES, types.int64, _INTEGERS, types.int8[::1], types.int8[::1]),
    "write_planes": (_INTEGERS, _SHORT_TABLE, types.int8[:, ::1]),
    "first_layer": (_INTEGERS, _WEIGHTS, _BOARD, types.float32[:, ::1]),
    "choose_rows": (
        _INTEGERS,
        _BOARD,
        types.float32[:, ::1],
        types.float64,
        _TUPLE((_INTEGERS, _INTEGERS, types.float32[::1])),
    ),
    "action_values": (*_NETWORK[:2], types.int64, types.int64, _NETWORK[2]),
}
