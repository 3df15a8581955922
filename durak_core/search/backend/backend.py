"""Runs functions in CPython, or compiled if numba is installed, from a cache that one process fills.

The cache's folder is named after a hash of all sources. ``DURAK_CACHE_DIR`` overrides the platform's folder.

`backend_now` returns at once with what is ready, `warm` compiles in the background, `backend` waits, and
`backend_if_it_pays` waits only after some seconds of interpreted work.
Without numba, with ``DURAK_COMPILED=0`` or after a compile error everything runs in CPython.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from time import process_time
from typing import Any, Final, TypeAlias

import durak_core.kernel
import durak_core.knowledge
import durak_core.search
from durak_core import statistics
from durak_core.files import held, user_folder
from durak_core.kernel.compiled import GROUPS, with_called

_PACKAGES: Final = (durak_core.kernel, durak_core.knowledge, durak_core.search)
"""Packages with functions that may be compiled."""

_KEPT_CACHES: Final = 3

_MINUTE: Final = 60.0

_COMPILING: Final = {"network": 1.5, "guided": 13.0}
_COMPILING_OTHERS: Final = 10.0
"""CPU seconds in which a group is compiled. After as much interpreted work, more is likely to take longer."""

_GLANCE: Final = 0.2
"""Polling interval of other processes, in seconds."""


def cache_folder(functions: Iterable[Callable[..., Any]]) -> Path:
    """Return the cache folder of some functions for the present sources; it need not exist."""
    return user_folder("cache", "DURAK_CACHE_DIR") / "machine-code" / source_digest(functions)


def source_digest(functions: Iterable[Callable[..., Any]]) -> str:
    """Return a hash of the functions' sources, the numba and Python versions, and the processor."""
    import importlib.metadata  # noqa: PLC0415 - slow to import

    digest = hashlib.sha256()
    for name, text in sorted((source.name, source.read_bytes()) for source in sources_of(functions)):
        digest.update(name.encode() + text)
    for version in (
        importlib.metadata.version("numba"),
        sys.version,
        platform.platform(),
        platform.processor(),
    ):
        digest.update(version.encode())
    return digest.hexdigest()[:20]


def sources_of(functions: Iterable[Callable[..., Any]]) -> set[Path]:
    """Return all sources of kernel, knowledge and search, and of other functions that are called."""
    packages = [Path(package.__path__[0]) for package in _PACKAGES]
    called = {Path(function.__code__.co_filename) for function in with_called(functions)}
    return {Path(statistics.__file__), *called}.union(*[package.rglob("*.py") for package in packages])


def ready_mark(folder: Path, group: str) -> Path:
    """Return the file that marks a group's compiled code as complete."""
    return folder / f"{group}.ready"


def in_turn(lock_file: Path, ready: Path) -> AbstractContextManager[None]:
    """Return a context manager that holds a lock, after waiting until it is free or ``ready`` exists."""
    return held(lock_file, lambda: not ready.exists(), _GLANCE)


def is_usable(folder: Path) -> bool:
    """Return whether a folder, which is created and touched, is writable."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
        os.utime(folder)
    except OSError:
        return False
    return True


def remove_old_caches(current: Path) -> None:
    """Remove the caches of earlier sources, except the latest few."""
    try:
        folders = sorted(current.parent.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
    except OSError:
        return
    for folder in [path for path in folders if path != current][_KEPT_CACHES - 1 :]:
        shutil.rmtree(folder, ignore_errors=True)


_COMPILED_MODULES: Final = (
    "durak_core.kernel.transition",
    "durak_core.kernel.legal",
    "durak_core.search.determinized.look_ahead",
    "durak_core.search.determinized.mcts",
    "durak_core.search.endgame.alpha_beta",
    "durak_core.search.ismcts.guided",
    "durak_core.search.ismcts.tree",
    "durak_core.search.network.weights",
    "durak_core.search.network.vector",
    "durak_core.search.opponents.particle_filter",
    "durak_core.search.players",
    "durak_core.search.policies.playouts",
)
"""Modules that declare functions; others declare a group before they use it."""

_WORKER: Final = (sys.executable, "-m", "durak_core.search.backend.compile_worker")
"""Compiles the group named after it; ends when its standard input closes."""


@dataclass(frozen=True)
class Backend:
    """A way to run the entry points, and factories for their memory."""

    name: str  # ``plain`` or ``compiled``
    note: str  # why it is plain; empty if compiled
    functions: Mapping[str, Callable[..., Any]]
    records: Callable[[Any, int], Any]  # copies of a `Position` or another dataclass, by their number
    integers: Callable[..., Any]  # zeros: their number, or rows and columns
    narrow: Callable[..., Any]  # the same, for numbers below 2^31
    short: Callable[..., Any]  # the same, for numbers below 2^15
    floats: Callable[[int], Any]


def plain_backend(note: str = "") -> Backend:
    return Backend(
        name="plain",
        note=note,
        functions=_all_functions(),
        records=lambda source, length: [_copy_record(source) for _ in range(length)],
        integers=_plain_integers,
        floats=lambda length: [0.0] * length,
        narrow=_plain_integers,
        short=_plain_integers,
    )


def _plain_integers(count: int, *columns: int) -> list[Any]:
    return [[0] * columns[0] for _ in range(count)] if columns else [0] * count


Report: TypeAlias = Callable[[str], None]
"""Gets the name of an entry point that is ready."""

Announce: TypeAlias = Callable[[str, int], tuple[Report, Callable[[], None]]]
"""Gets a group's name and number of functions; returns a report, and a function to call once a minute."""


class CompiledCode:
    """The compiled functions of this process."""

    def __init__(self) -> None:
        self._may_wait = True
        self._loaded: dict[str, Backend] = {}
        self._locks = {group: threading.Lock() for group in GROUPS}
        self._warming: dict[str, threading.Thread] = {}
        self._announce: Announce | None = None
        self._awaited: threading.Thread | None = None
        self._first_uses: dict[str, float] = {}

    def __reduce__(self) -> str:
        return "PROCESS"  # in another process, that process's own

    def backend(self, group: str = "rules", report: Report | None = None) -> Backend:
        """Return the best backend for a group, compiling if needed: seconds once per machine.

        After `disable_blocking_compile` another process compiles, and interpreted code runs meanwhile.
        It loads cached code first: that takes a moment, and an interpreted search needs more memory.
        """
        if group not in self._loaded:
            if not self._may_wait:
                loading = self.warm(group)
                if self.is_compiled(group):
                    loading.join()
                return self.backend_now(group)
            minute_passes: Callable[[], object] = bool
            if report is None and self._announce is not None and not self.is_compiled(group):
                report, minute_passes = self._announce(group, len(functions_of(group)))
            if threading.current_thread() is threading.main_thread():
                # The compiler's callbacks would swallow Ctrl+C, so the main thread only waits.
                self._awaited = threading.Thread(target=self._load, args=(group, report), daemon=True)
                self._awaited.start()
                self._awaited.join(_MINUTE)
                while self._awaited.is_alive():
                    minute_passes()
                    self._awaited.join(_MINUTE)
        return self._load(group, report)

    def backend_if_it_pays(self, group: str) -> Backend:
        """Return what `backend` does, but the plain one until as much work is done as compiling takes.

        The CPU time of the process since the first call counts as such work. Compiled code is loaded at once.
        """
        if self._may_wait and group not in self._loaded:
            limit = _COMPILING.get(group, _COMPILING_OTHERS)
            if group not in self._first_uses:
                self._first_uses[group] = process_time() - limit * self.is_compiled(group)
            if process_time() - self._first_uses[group] < limit:
                return self.backend_now(group)
        return self.backend(group)

    def backend_now(self, group: str = "rules") -> Backend:
        """Return the compiled backend if it is ready, otherwise the plain one, without waiting."""
        return self._loaded.get(group) or plain_backend("compiled code is not ready yet")

    def warm(self, group: str = "rules") -> threading.Thread:
        """Compile in the background, once, and return the thread."""
        if group not in self._warming:
            self._warming[group] = threading.Thread(target=self._load, args=(group,), daemon=True)
            self._warming[group].start()
        return self._warming[group]

    def is_interrupted(self) -> bool:
        """Return whether the compiler still runs that the main thread waited for."""
        return self._awaited is not None and self._awaited.is_alive()

    def announce(self, announce: Announce | None) -> None:
        """Call a function before `backend` compiles a group, and what it returns meanwhile."""
        self._announce = announce

    def disable_blocking_compile(self) -> None:
        """Make `backend` return at once from now on."""
        self._may_wait = False

    def is_compiled(self, group: str = "rules") -> bool:
        """Return whether `backend` returns without compiling."""
        if group in self._loaded or _is_switched_off() or find_spec("numba") is None:
            return True
        return ready_mark(cache_folder_of(group), group).exists()

    def _load(self, group: str, report: Report | None = None) -> Backend:
        with self._locks[group]:
            if group not in self._loaded:
                self._loaded[group] = _load(group, report, may_compile=self._may_wait)
            return self._loaded[group]


PROCESS: Final = CompiledCode()
"""The state of this process, used by the functions below."""

backend = PROCESS.backend
backend_if_it_pays = PROCESS.backend_if_it_pays
backend_now = PROCESS.backend_now
warm = PROCESS.warm
announce = PROCESS.announce
disable_blocking_compile = PROCESS.disable_blocking_compile
is_compiled = PROCESS.is_compiled


def functions_of(group: str) -> Mapping[str, Callable[..., Any]]:
    _declare_all()
    return GROUPS[group]


def cache_folder_of(group: str) -> Path:
    """Return the cache folder of a group for the present sources; it need not exist."""
    return cache_folder(functions_of(group).values())


@cache
def _declare_all() -> None:
    for module in _COMPILED_MODULES:
        import_module(module)


def _all_functions() -> dict[str, Callable[..., Any]]:
    return {name: function for group in GROUPS for name, function in functions_of(group).items()}


def _copy_record(source: Any) -> Any:  # noqa: ANN401 - any class with a field table
    values = {name: getattr(source, name) for name in source.__slots__}
    return type(source)(
        **{name: value[:] if isinstance(value, list) else value for name, value in values.items()}
    )


def _is_switched_off() -> bool:
    return os.environ.get("DURAK_COMPILED") == "0" or os.environ.get("NUMBA_DISABLE_JIT", "0") != "0"


def _load(group: str, report: Report | None, *, may_compile: bool) -> Backend:
    """Load a group, compiled in this process if allowed, otherwise by a worker."""
    if _is_switched_off():
        return plain_backend("compiled code is switched off in the environment")
    # The compiler holds the GIL for long stretches and would block interactive callers.
    if not may_compile and find_spec("numba") and not compile_in_worker(cache_folder_of(group), group):
        return plain_backend("compiling failed, or its code cannot be kept")
    try:
        from durak_core.search.backend import arrays, native  # noqa: PLC0415 - heavy, and need not be there
    except ImportError as error:
        return plain_backend(f"numba cannot be imported: {error}")
    folder = cache_folder_of(group)
    ready = ready_mark(folder, group)
    with in_turn(folder / f"{group}.lock", ready):
        try:
            functions = _compiled(native.load_functions, group, report)
        except Exception as error:  # noqa: BLE001 - whatever the compiler raises, the text runs without it
            return plain_backend(f"compiling failed: {type(error).__name__}")
        with contextlib.suppress(OSError):
            ready.touch()
    return Backend(
        name="compiled",
        note="",
        functions=functions,
        records=arrays.record_array,
        integers=arrays.zeros_of("int64"),
        floats=arrays.zeros_of("float64"),
        narrow=arrays.zeros_of("int32"),
        short=arrays.zeros_of("int16"),
    )


def _compiled(
    load_functions: Callable[..., dict[str, Callable[..., Any]]],
    group: str,
    report: Report | None,
) -> Mapping[str, Callable[..., Any]]:
    """Compile with the cache, emptied if it is damaged, or without it if it is unusable."""
    functions, folder = functions_of(group), cache_folder_of(group)
    for _ in range(2):  # the second time with an empty cache
        if is_usable(folder):
            remove_old_caches(folder)
            try:
                return load_functions(functions, folder, report)
            except Exception:  # noqa: BLE001 - a damaged cache can fail in any way, and must only cost time
                shutil.rmtree(folder, ignore_errors=True)
    return load_functions(functions, None, report)


def compile_in_worker(folder: Path, group: str) -> bool:
    """Compile a group in a worker unless it is cached, wait, and return whether it is available."""
    ready = ready_mark(folder, group)
    if not ready.exists() and is_usable(folder):
        nothing = subprocess.DEVNULL
        with (
            contextlib.suppress(OSError),
            subprocess.Popen(  # noqa: S603 - our own module
                [*_WORKER, group], stdin=subprocess.PIPE, stdout=nothing, stderr=nothing
            ) as worker,
        ):
            worker.wait()
    return ready.exists()
