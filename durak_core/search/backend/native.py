"""Loads the object code of compiled functions, and calls it with arrays.

llvmlite links the code. numba, which would take half a second and 70 MB, is imported only to compile.
"""

from __future__ import annotations

import ctypes
import hashlib
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import index
from pathlib import Path
from typing import Any, Final, get_type_hints

import llvmlite.binding as llvm
import numpy as np

from durak_core.files import write_bytes_atomically
from durak_core.search.backend.arrays import Array, types_of


def _leaves(values: Iterable[Any]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, tuple):
            yield from _leaves(value)
        else:
            yield value


def _number_or_record(kind: Any) -> tuple[list[Any], Callable[[Any], Sequence[Any]]]:
    if kind.names:
        return [ctypes.c_void_p], lambda record: (_checked(np.asarray(record), kind, 0).ctypes.data,)
    if kind.kind == "f":
        return [ctypes.c_double], lambda number: (float(number),)
    return [ctypes.c_int64], lambda number: (index(number),)


def _array(kind: Array) -> tuple[list[Any], Callable[[Any], Sequence[Any]]]:
    """Return what numba passes for an array: no owner, its length, an item's size, its address and shape."""
    item, dimensions, pointer, number = kind.item, kind.dimensions, ctypes.c_void_p, ctypes.c_ssize_t

    def words(array: Any) -> Sequence[Any]:
        _checked(array, item, dimensions)
        plain = array.view(np.uint8) if item.names else array  # a buffer of records describes their fields
        address = ctypes.addressof(_Start.from_buffer(plain))  # a quarter of the time of ``array.ctypes``
        return None, None, array.size, array.itemsize, address, *array.shape, *array.strides

    return [pointer, pointer, number, number, pointer, *[number] * (2 * dimensions)], words


_Start: Final = ctypes.c_char * 0
"""The beginning of a buffer."""


def _checked(array: Any, item: Any, dimensions: int) -> Any:
    """Return an array; raise TypeError unless it is of this type, contiguous and writable."""
    if array.dtype != item or array.ndim != dimensions or not array.flags.carray:
        raise TypeError(f"expected an array of {item} with {dimensions} dimensions")
    return array


_RESULTS: Final[dict[type, Any]] = {
    int: ctypes.c_int64,
    float: ctypes.c_double,
    bool: ctypes.c_bool,
    type(None): ctypes.c_void_p,
}


class _Function:
    """A compiled function; it releases the GIL.

    Args:
        function: Its Python function, for its annotations.
        address: Where its code is.
        engine: Owns the code.
    """

    def __init__(self, function: Callable[..., Any], address: int, engine: Any) -> None:
        self._engine = engine
        leaves = [
            _array(leaf) if isinstance(leaf, Array) else _number_or_record(leaf)
            for leaf in _leaves(types_of(function))
        ]
        self._words = [words for _types, words in leaves]
        self._result = _RESULTS[get_type_hints(function)["return"]]
        pointers = ctypes.c_void_p, ctypes.c_void_p
        types = [name for names, _words in leaves for name in names]
        self._call = ctypes.CFUNCTYPE(ctypes.c_int32, *pointers, *types)(address)

    def __call__(self, *values: Any) -> Any:
        result, error = self._result(), ctypes.c_void_p()
        words: list[Any] = []
        for one, value in zip(self._words, _leaves(values), strict=True):
            words += one(value)
        if self._call(ctypes.addressof(result), ctypes.addressof(error), *words):
            raise ArithmeticError("compiled code has failed")
        return result.value


def load_functions(
    functions: Mapping[str, Callable[..., Any]],
    cache_folder: Path | None,
    report: Callable[[str], None] | None = None,
) -> dict[str, Callable[..., Any]]:
    """Load functions by name from a cache folder, if any, and compile what is missing or damaged.

    They take arrays of records for sequences of positions, and ``array[0]`` for a position.
    ``report`` is called with each function's name when it is ready.
    """
    engine = _engine()
    loaded: dict[str, Callable[..., Any]] = {}
    for name, function in functions.items():
        symbol, code = _object_code(name, function, cache_folder)
        engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        engine.finalize_object()
        loaded[name] = _Function(function, engine.get_function_address(symbol), engine)
        if report is not None:
            report(name)
    return loaded


def _engine() -> Any:
    if sys.platform == "win32":
        from durak_core.search.backend import jit  # noqa: PLC0415 - it imports numba

        jit.bind_mathematics()
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(jit=True)
    return llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)


def _object_code(name: str, function: Callable[..., Any], cache_folder: Path | None) -> tuple[str, bytes]:
    """Return a function's symbol and object code from the cache folder, where they are written if missing."""
    file = cache_folder and cache_folder / f"{name}-{_processor()}.o"
    if file:
        try:
            return _read(file.read_bytes())
        except (OSError, ValueError):
            pass  # it is missing or damaged
    from durak_core.search.backend import jit  # noqa: PLC0415 - it imports numba

    symbol, code = jit.compile_function(function)
    if file:
        write_bytes_atomically(file, f"{symbol} {_digest(code)}\n".encode() + code)
    return symbol, code


def _read(data: bytes) -> tuple[str, bytes]:
    head, _, code = data.partition(b"\n")
    symbol, digest = head.decode("ascii").split()
    if digest != _digest(code):
        raise ValueError(digest)
    return symbol, code


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:20]


def _processor() -> str:
    """Return a digest of what the code must run on; machines may share a cache folder."""
    names = llvm.get_process_triple(), llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
    return _digest(" ".join(names).encode())
