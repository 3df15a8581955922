"""Compiles functions with numba; the only module that imports it.

The kernel's functions are compiled unchanged, and record types are generated from dataclass fields. Only
`popcount`, `lowest_bit` and `ticks` become a processor instruction, and `TWINS` are compiled in another form.
Compiled code never raises or allocates, and assumes no signed overflow.
`durak_core.search.backend.native` loads and calls it.
"""

from __future__ import annotations

import gc
import platform
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any, Final

import llvmlite.binding as llvm
import llvmlite.ir
import numba
from numba import types
from numba.core import codegen, compiler
from numba.core.registry import cpu_target
from numba.extending import intrinsic, overload

from durak_core.kernel import position
from durak_core.kernel.compiled import TWINS, ticks, with_called
from durak_core.search.backend.arrays import Array, types_of

_INSTRUCTIONS: Final[set[Any]] = {position.popcount, position.lowest_bit, ticks}
_COUNTING: Final = {"x86_64", "amd64"}
"""Processors with a readable counter."""

_registered: Final[set[FunctionType]] = set()


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


@overload(position.popcount)
def _popcount(mask: Any) -> Any:
    count: Any = _count_ones

    def twin(mask: Any) -> Any:
        return count(mask)

    return twin


@overload(position.lowest_bit)
def _lowest_bit(mask: Any) -> Any:
    trailing: Any = _count_trailing_zeros

    def twin(mask: Any) -> Any:
        return trailing(mask)

    return twin


@intrinsic
def _read_counter(_context: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, _values: Any) -> Any:
        if platform.machine().lower() not in _COUNTING:
            return context.get_constant(signature.return_type, 0)
        number = llvmlite.ir.IntType(64)
        counter = builder.module.declare_intrinsic(
            "llvm.readcyclecounter", fnty=llvmlite.ir.FunctionType(number, [])
        )
        return builder.call(counter, [])

    return types.int64(), build


@overload(ticks)
def _ticks() -> Any:
    count: Any = _read_counter

    def twin() -> Any:
        return count()

    return twin


_LARGE: Final = 100
"""Instructions of a function that is called, not copied into its callers."""


def _declaration(code: str, name: str) -> str:
    """Return the text of a module that only declares one of a module's functions."""
    lines = code.splitlines()
    kept = [line for line in lines if line.startswith(("target ", "attributes "))]
    (head,) = [line for line in lines if line.startswith("define ") and f"@{name}(" in line]
    return "\n".join([*kept, head.replace("define linkonce_odr", "declare").rstrip(" {")])


class _Library(codegen.JITCodeLibrary):
    """Code that is optimised once: what it calls joins afterwards, unless it is small enough to be copied."""

    def __init__(self, codegen: Any, name: str) -> None:
        super().__init__(codegen, name)
        self.bodies: dict[str, Any] = {}
        """Modules with the optimised code of large functions that are called, by name."""

    def add_linking_library(self, library: Any) -> None:
        super().add_linking_library(library)
        library._get_module_for_linking()
        self.bodies.update(getattr(library, "bodies", {}))

    def _optimize_functions(self, ll_module: Any) -> None:
        """Only state the layout: there are no references to count that could be left out."""
        ll_module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        manager = self._codegen._module_pass_manager()
        passes, *builder = manager if isinstance(manager, tuple) else (manager,)  # numba 0.61 has no builder
        passes.run(self._final_module, *builder)


class _Part(_Library):
    """The code of a function that only compiled code calls: it is linked into entry points, and never runs.

    numba would also make it executable, with all that it calls, and optimise it again with each caller.
    """

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def _get_module_for_linking(self) -> Any:
        if self._shared_module is None:
            ((name, size),) = [
                (function.name, sum(1 for block in function.blocks for _ in block.instructions))
                for function in self.get_defined_functions()
                if function.linkage == llvm.Linkage.external
            ]
            module = super()._get_module_for_linking()
            if size >= _LARGE:
                self.bodies[name] = module
                self._shared_module = llvm.parse_assembly(_declaration(str(module), name))
        return self._shared_module

    def get_pointer_to_function(self, name: str) -> int:  # noqa: ARG002 - it is not executable
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> Any:
        return self

    def set_env(self, name: str, environment: Any) -> None:
        """Do nothing: the environment holds what Python code and exceptions need, and there are none."""


class _EntryPoint(_Part):
    """The code of a function that Python calls, with all that it calls."""

    def _optimize_final_module(self) -> None:
        super()._optimize_final_module()
        for body in reversed(self.bodies.values()):  # callers first: what nothing calls yet is left out
            self._final_module.link_in(body, preserve=True)

    def object_code(self) -> bytes:
        code: bytes = self._codegen._tm.emit_object(self._final_module)
        return code


_NEEDLESS: Final = {"InlineClosureLikes", "InlineInlinables", "InlineOverloads", "NopythonRewrites"}
"""numba's passes that find nothing in the kernel's functions: closures, and arithmetic of whole arrays."""


class _Compiler(compiler.Compiler):
    def define_pipelines(self) -> Any:
        managers = super().define_pipelines()
        for manager in managers:
            manager.passes = [step for step in manager.passes if step[0].__name__ not in _NEEDLESS]
            manager.finalize()
        return managers


class _CompilePart(_Compiler):
    def define_pipelines(self) -> Any:
        state = self.state
        state.library = _Part(state.targetctx.codegen(), state.func_id.func_qualname)
        return super().define_pipelines()


class _CompileEntryPoint(_Compiler):
    def define_pipelines(self) -> Any:
        state = self.state
        state.library = _EntryPoint(state.targetctx.codegen(), state.func_id.func_qualname)
        return super().define_pipelines()


_FLAGS: Final[dict[str, Any]] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "_nrt": False}
"""Wrappers take time to compile, and `native` needs none. Nothing is allocated: no references are counted."""


def _register(functions: Iterable[Callable[..., Any]]) -> None:
    """Let compiled code call these functions and everything they call."""
    for function in with_called(functions):
        if function not in _registered and function not in _INSTRUCTIONS:
            _replace(function, TWINS.get(function, function))
            _registered.add(function)


def _replace(function: Callable[..., Any], twin: Callable[..., Any]) -> None:
    options: Any = {**_FLAGS, "pipeline_class": _CompilePart}
    overload(function, jit_options=options, strict=False)(lambda *_types: twin)


_GARBAGE: Final = 100_000
"""Objects between two collections while compiling, which makes many that stay."""


def bind_mathematics() -> None:
    """Let llvmlite call Python's C library, where a process has several of them."""
    _ = cpu_target.target_context  # it does so when it is made


def compile_function(function: Callable[..., Any]) -> tuple[str, bytes]:
    """Compile a function that Python calls, and return its symbol and object code."""
    thresholds = gc.get_threshold()
    gc.set_threshold(_GARBAGE, *thresholds[1:])
    try:
        _register([function])
        dispatcher: Any = numba.njit(**_FLAGS, pipeline_class=_CompileEntryPoint)(function)
        dispatcher.compile(tuple(map(_numba_type, types_of(function))))
        (result,) = dispatcher.overloads.values()
        return result.fndesc.llvm_func_name, result.library.object_code()
    finally:
        gc.set_threshold(*thresholds)


def _numba_type(kind: Any) -> Any:
    if isinstance(kind, tuple):
        return _tuple_of(tuple(map(_numba_type, kind)), type(kind))
    if isinstance(kind, Array):
        return types.Array(_from_dtype(kind.item), kind.dimensions, "C")
    return _from_dtype(kind)


_tuple_of: Final[Any] = types.BaseTuple.from_types
_from_dtype: Final[Any] = numba.from_dtype
