"""Where the kernel's text runs: in CPython, or as machine code when numba is there.

Nobody has to wait or to choose: `backend_now` answers at once with what is ready, `start_warming`
makes the compiled functions ready in the background, and `backend` waits for them. Without numba, with
``DURAK_COMPILED=0`` in the environment, or when compiling fails, everything runs in CPython and
``note`` says why.

Machine code is kept under the platform's cache folder (``DURAK_CACHE_DIR`` overrides it), in a folder
named after a hash of all sources that take part: numba itself only notices changes of the file that
a compiled function stands in, not of the functions it calls.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from pkgutil import walk_packages
from typing import Any, Final

import durak_core.kernel
import durak_core.knowledge
import durak_core.search
from durak_core.kernel.machine_code import GROUPS, with_called
from durak_core.search.backend.elsewhere import compile_elsewhere, in_turn, ready_mark

_PACKAGES: Final = (durak_core.kernel, durak_core.knowledge, durak_core.search)
"""Where functions stand that may run as machine code."""

_DECLARING: Final = (durak_core.kernel, durak_core.search)
"""Where some of them are declared as what Python calls."""

_BACKEND: Final = "durak_core.search.backend"
"""Where none are declared, and numba may be missing."""

_KEPT_CACHES: Final = 3


@dataclass(frozen=True)
class Backend:
    """A way to run the entry points, with the memory they work on.

    Attributes:
        name: ``plain`` or ``compiled``.
        note: Why it is plain; empty for compiled.
        records: Makes that many copies of a `Position` or another class with a field table.
        table: Makes that many rows of that many zeros.
        weights: The same for a network's weights, which are exact in 16 bits.
    """

    name: str
    note: str
    functions: Mapping[str, Callable[..., Any]]
    records: Callable[[Any, int], Any]
    integers: Callable[[int], Any]
    floats: Callable[[int], Any]
    table: Callable[[int, int], Any]
    weights: Callable[[int, int], Any]


def plain_backend(note: str = "") -> Backend:
    """Return the backend that runs everything in CPython, with a note on why it is used."""
    return Backend(
        name="plain",
        note=note,
        functions=_all_functions(),
        records=lambda source, length: [_copy_record(source) for _ in range(length)],
        integers=lambda length: [0] * length,
        floats=lambda length: [0.0] * length,
        table=lambda rows, columns: [[0] * columns for _ in range(rows)],
        weights=lambda rows, columns: [[0.0] * columns for _ in range(rows)],
    )


class _Loader:
    """Loads a group of compiled functions once, whoever asks first."""

    def __init__(self, group: str) -> None:
        self._lock = threading.Lock()
        self._group = group
        self.loaded: Backend | None = None
        self.is_warming = False

    def load(self, report: Callable[[str], None] | None = None) -> Backend:
        """Load them; Ctrl+C would be lost in the compiler's callbacks, so the main thread only waits."""
        if self.loaded is None and threading.current_thread() is threading.main_thread():
            thread = threading.Thread(target=self._load, args=(report,), name="durak-compile", daemon=True)
            thread.start()
            thread.join()
        return self._load(report)

    def _load(self, report: Callable[[str], None] | None) -> Backend:
        with self._lock:
            if self.loaded is None:
                self.loaded = _load(self._group, report)
            return self.loaded


class _Patience:
    """Whether `backend` may wait for machine code."""

    may_wait = True


_LOADERS: Final = {group: _Loader(group) for group in GROUPS}


def backend(group: str = "rules", report: Callable[[str], None] | None = None) -> Backend:
    """Return the best backend for a group, compiling if need be: seconds once a machine, then a moment.

    After `never_wait` another process compiles, and plain Python runs meanwhile. ``report`` hears the name of
    each entry point when it is ready.
    """
    loader = _LOADERS[group]
    if not _Patience.may_wait and loader.loaded is None:
        warm(group)
        return backend_now(group)
    return loader.load(report)


def never_wait() -> None:
    """Let `backend` answer at once in this process from now on; people wait for what it runs."""
    _Patience.may_wait = False


def backend_now(group: str = "rules") -> Backend:
    """Return the compiled backend if it is ready, else the plain one, without waiting."""
    return _LOADERS[group].loaded or plain_backend("machine code is not ready yet")


def start_warming(group: str = "rules") -> threading.Thread:
    """Make the compiled backend ready in the background and return the thread that does it."""
    _LOADERS[group].is_warming = True
    thread = threading.Thread(target=_LOADERS[group].load, name=f"durak-warm-up-{group}", daemon=True)
    thread.start()
    return thread


def warm(group: str = "rules") -> None:
    """Make the compiled backend ready in the background, unless somebody has begun to."""
    if not _LOADERS[group].is_warming:
        start_warming(group)


def is_at_hand(group: str = "rules") -> bool:
    """Tell whether `backend` answers without compiling."""
    if _LOADERS[group].loaded is not None or find_spec("numba") is None:
        return True
    return ready_mark(cache_folder(), group).exists()


def functions_of(group: str) -> Mapping[str, Callable[..., Any]]:
    """Return the functions of a group, from wherever they are declared."""
    _declare_all()
    return GROUPS[group]


@cache
def _declare_all() -> None:
    for package in _DECLARING:
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.startswith(_BACKEND):
                import_module(module.name)


def source_digest() -> str:
    """Return a hash of everything that machine code depends on.

    That is all sources of kernel, knowledge and search in all their folders, those of functions elsewhere
    that compiled ones call, the versions of numba and Python, and the processor.
    """
    import importlib.metadata  # noqa: PLC0415 - slow to import, and not needed at every start

    digest = hashlib.sha256()
    for package in _PACKAGES:
        root = Path(package.__path__[0])
        for source in sorted(root.rglob("*.py")):
            digest.update(source.relative_to(root).as_posix().encode())
            digest.update(source.read_bytes())
    for name in other_sources():
        digest.update(Path(name).read_bytes())
    for text in (importlib.metadata.version("numba"), sys.version, platform.platform(), platform.processor()):
        digest.update(text.encode())
    return digest.hexdigest()[:20]


@cache
def other_sources() -> tuple[str, ...]:
    """Return the files outside the three packages in which functions stand that compiled ones call."""
    packages = tuple([f"{package.__name__}." for package in _PACKAGES])
    return tuple(
        sorted(
            {
                function.__code__.co_filename
                for function in with_called(_all_functions().values())
                if not function.__module__.startswith(packages)
            }
        )
    )


def cache_folder() -> Path:
    """Return the folder for machine code of the present sources; it need not exist."""
    import platformdirs  # noqa: PLC0415 - as above

    root = os.environ.get("DURAK_CACHE_DIR") or platformdirs.user_cache_dir("durak")
    return Path(root) / "machine-code" / source_digest()


def _all_functions() -> dict[str, Callable[..., Any]]:
    return {name: function for group in GROUPS for name, function in functions_of(group).items()}


def _copy_record(source: Any) -> Any:  # noqa: ANN401 - any class with a field table
    values = {name: getattr(source, name) for name in source.__slots__}
    return type(source)(
        **{name: value[:] if isinstance(value, list) else value for name, value in values.items()}
    )


def _load(group: str, report: Callable[[str], None] | None) -> Backend:
    if os.environ.get("DURAK_COMPILED") == "0" or os.environ.get("NUMBA_DISABLE_JIT", "0") != "0":
        return plain_backend("machine code is switched off in the environment")
    # The compiler takes the interpreter's lock for long stretches, so it would hold up who may not wait.
    if not _Patience.may_wait and find_spec("numba") and not compile_elsewhere(cache_folder(), group):
        return plain_backend("compiling failed, or machine code cannot be kept")
    try:
        from durak_core.search.backend import jit  # noqa: PLC0415 - numba is heavy, and need not be there
    except ImportError as error:
        return plain_backend(f"numba cannot be imported: {error}")
    with in_turn(cache_folder(), group):
        try:
            functions = _compiled(jit.compile_functions, functions_of(group), report)
        except Exception as error:  # noqa: BLE001 - whatever the compiler raises, the text runs without it
            return plain_backend(f"compiling failed: {type(error).__name__}")
        with contextlib.suppress(OSError):
            ready_mark(cache_folder(), group).touch()
    return Backend(
        name="compiled",
        note="",
        functions=functions,
        records=jit.record_array,
        integers=jit.integer_array,
        floats=jit.float_array,
        table=jit.table_array,
        weights=jit.weight_array,
    )


def _compiled(
    compile_functions: Callable[..., dict[str, Callable[..., Any]]],
    functions: Mapping[str, Callable[..., Any]],
    report: Callable[[str], None] | None,
) -> Mapping[str, Callable[..., Any]]:
    """Compile with the cache; where it is unusable or damaged, without."""
    folder = _usable(cache_folder())
    if folder is not None:
        try:
            compiled = compile_functions(functions, folder, report)
        except Exception:  # noqa: BLE001 - a damaged cache can fail in any way, and must only cost time
            _remove(folder)
        else:
            _forget_old_caches(folder)
            return compiled
    return compile_functions(functions, None, report)


def _usable(folder: Path) -> Path | None:
    """Return the folder if files can be written to it, else None."""
    import tempfile  # noqa: PLC0415 - as above

    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
        os.utime(folder)
    except OSError:
        return None
    return folder


def _remove(folder: Path) -> None:
    import shutil  # noqa: PLC0415 - as above

    shutil.rmtree(folder, ignore_errors=True)


def _forget_old_caches(current: Path) -> None:
    """Remove the caches of earlier sources, but for the latest few."""
    try:
        folders = sorted(current.parent.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
    except OSError:
        return
    for folder in [path for path in folders if path != current][_KEPT_CACHES - 1 :]:
        _remove(folder)
