"""Where machine code comes from and where it is kept: nothing that goes wrong there may matter."""

from __future__ import annotations

import inspect
import os
import pickle
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest
from waiting import PATIENCE, let_pass, wait_for_rest

import durak_core.kernel
from durak_core import Rules, State
from durak_core.files import FileLock
from durak_core.kernel import legal
from durak_core.kernel.position import MAX_ACTIONS
from durak_core.search.backend import backend as module
from durak_core.search.backend.backend import (
    Backend,
    CompiledCode,
    cache_folder_of,
    in_turn,
    ready_mark,
    source_digest,
)

RETURNS = """
import os, sys
if "WITHOUT_NUMBA" in os.environ:
    sys.modules["numba"] = None
from durak_core import Rules, State
from durak_core.search.backend import backend as module
function = module.functions_of("rules")["returns"]
module.functions_of = lambda group: {"returns": function}  # the others take long to compile
runner = module.backend()
state = State.deal(Rules(), 1)
while not state.is_over:
    state = state.apply(state.legal_actions[0])
worth = runner.floats(6)
runner.functions["returns"](runner.records(state.to_position(), 1)[0], worth)
print(runner.name, *map(float, worth))
"""


def run(cache: Path, **more: str) -> subprocess.Popen[str]:
    env = {**os.environ, "DURAK_CACHE_DIR": str(cache), **more}
    return subprocess.Popen([sys.executable, "-c", RETURNS], stdout=subprocess.PIPE, text=True, env=env)


@pytest.mark.slow
def test_two_processes_and_a_damaged_cache(compiled: Backend, tmp_path: Path):
    """Two processes that compile at once agree, with plain Python and with one that finds damaged files."""
    both = [run(tmp_path), run(tmp_path)]
    outputs = [wait_for_rest(process)[0] for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert outputs[0] == outputs[1]
    name, *worth = outputs[0].split()
    assert name == "compiled"
    assert set(worth) == {"-1.0", "0.0", "1.0"}
    assert wait_for_rest(run(tmp_path, DURAK_COMPILED="0"))[0].split() == ["plain", *worth]
    (code,) = tmp_path.rglob("*.o")
    half = code.read_bytes()[: code.stat().st_size // 2]
    for damaged in (None, b"damaged", half):
        if damaged is not None:
            code.write_bytes(damaged)
            assert wait_for_rest(run(tmp_path))[0] == outputs[0]
        assert wait_for_rest(run(tmp_path, WITHOUT_NUMBA="1"))[0] == outputs[0], "it compiles again"


def test_calls_with_other_types_are_refused(compiled: Backend):
    """Compiled code would read and write memory that is not the argument's."""
    position = compiled.records(State.deal(Rules(), 1).to_position(), 1)
    legal_codes, out = compiled.functions["legal"], compiled.integers(MAX_ACTIONS)
    assert legal_codes(position[0], out) > 0
    for numbers in (compiled.floats(MAX_ACTIONS), compiled.integers(1, MAX_ACTIONS), out[::2]):
        with pytest.raises(TypeError, match="expected an array"):
            legal_codes(position[0], numbers)
    for wrong in ((out, out), (position, out)):
        with pytest.raises(TypeError, match="expected an array"):
            legal_codes(*wrong)
    with pytest.raises(ValueError, match="argument"):
        legal_codes(position[0])


def leaf(number: int) -> int:
    return 3 * number + 1


def branch(number: int) -> int:
    return leaf(number) * leaf(number + 1)


def root(number: int) -> int:
    return branch(number) - leaf(number)


def test_a_called_function_is_compiled_once(compiled: Backend):
    """Whoever calls it, an entry point or another function: compiling the program takes half as long."""
    from numba.core import event  # noqa: PLC0415 - numba is heavy, and need not be there

    from durak_core.search.backend.native import load_functions  # noqa: PLC0415 - it imports llvmlite

    with event.install_recorder("numba:run_pass") as passes:
        functions = load_functions({"root": root}, None)
    assert functions["root"](5) == root(5)
    begun = [one.data["name"] for _, one in passes.buffer if one.is_start]
    for function in (leaf, branch, root):
        assert begun.count(f"native_lowering [{function.__name__}]") == 1


@pytest.mark.parametrize("how", ["done", "given up"])
def test_a_group_is_compiled_by_one_process_at_a_time(tmp_path: Path, how: str):
    """The others wait until its machine code is there, or until that process has ended without."""
    lock = FileLock.acquire(tmp_path / "rules.lock")
    assert lock is not None
    over: list[bool] = []

    def enter() -> None:
        with in_turn(tmp_path / "rules.lock", ready_mark(tmp_path, "rules")):
            over.append(is_over)

    is_over = False
    thread = threading.Thread(target=enter)
    thread.start()
    let_pass(0.05)
    is_over = True
    if how == "done":
        ready_mark(tmp_path, "rules").touch()
    else:
        lock.release()
    thread.join(PATIENCE)
    assert over == [True]
    lock.release()
    assert not list(tmp_path.glob("*.lock"))


class Compiler:
    """Stands for the compiler: remembers the folders and fails with those it was told to."""

    def __init__(self, *failures: Exception) -> None:
        self.folders: list[Path | None] = []
        self._failures = list(failures)

    def __call__(self, functions: object, folder: Path | None, report: object) -> dict[str, object]:
        self.folders.append(folder)
        if folder is not None and self._failures:
            raise self._failures.pop()
        return DONE


DONE: dict[str, object] = {"done": None}


def test_another_process_uses_its_own_compiled_code() -> None:
    """Programs send functions that name these methods to their workers, and locks cannot be sent."""
    there = pickle.loads(pickle.dumps(module.backend))  # noqa: S301 - pickled here
    assert there == module.PROCESS.backend


def test_without_a_usable_folder_nothing_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """A cache folder that cannot be made is done without."""
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    monkeypatch.setenv("DURAK_CACHE_DIR", str(blocked))
    compiler = Compiler()
    assert module._compiled(compiler, "rules", None) is DONE
    assert compiler.folders == [None]
    assert blocked.read_text() == "not a folder"


@pytest.mark.parametrize("failure", [OSError("disk full"), EOFError(), ValueError("bad pickle")])
def test_a_failing_cache_only_costs_time(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, failure: Exception):
    """Whatever the cache raises, everything is compiled once more, and kept."""
    monkeypatch.setenv("DURAK_CACHE_DIR", str(tmp_path))
    compiler = Compiler(failure)
    assert module._compiled(compiler, "rules", None) is DONE
    assert compiler.folders == [cache_folder_of("rules")] * 2
    assert cache_folder_of("rules").is_dir()


def test_a_cache_that_fails_again_is_done_without(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("DURAK_CACHE_DIR", str(tmp_path))
    compiler = Compiler(OSError("disk full"), OSError("disk full"))
    assert module._compiled(compiler, "rules", None) is DONE
    assert compiler.folders == [*[cache_folder_of("rules")] * 2, None]


def test_an_edit_changes_the_key(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """One more byte in any source of the kernel makes another cache folder, in whatever folder it stands."""
    before = source_digest(())
    kernel = tmp_path / "kernel"
    shutil.copytree(durak_core.kernel.__path__[0], kernel, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(durak_core.kernel, "__path__", [str(kernel)])
    assert source_digest(()) == before
    room = kernel / "room"
    room.mkdir()
    moved = room / "moved.py"
    moved.write_text(inspect.getsource(legal.legal))
    with_a_copy = source_digest(())
    assert with_a_copy != before
    moved.write_text(moved.read_text() + "\n")
    assert source_digest(()) not in {before, with_a_copy}


def test_old_caches_are_forgotten(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """Of the caches of earlier sources only the latest few stay."""
    monkeypatch.setenv("DURAK_CACHE_DIR", str(tmp_path))
    for age in range(6):
        folder = tmp_path / "machine-code" / f"old-{age}"
        folder.mkdir(parents=True)
        os.utime(folder, (1_000_000 - age, 1_000_000 - age))
    module._compiled(Compiler(), "rules", None)
    left = {path.name for path in (tmp_path / "machine-code").iterdir()}
    assert left == {cache_folder_of("rules").name, "old-0", "old-1"}
    again = tmp_path / "machine-code" / "old-1"
    assert module.is_usable(again)
    assert again.stat().st_mtime > 2_000_000


def test_nobody_waits(monkeypatch: pytest.MonkeyPatch):
    """While nothing is compiled, the plain backend is at hand and says so."""
    process = CompiledCode()
    assert process.backend_now().name == "plain"
    assert "not ready" in process.backend_now().note
    monkeypatch.setenv("DURAK_COMPILED", "0")
    assert process.is_compiled()
    process.warm().join(PATIENCE)
    assert "switched off" in process.backend_now().note


def test_code_is_compiled_after_seconds_of_interpreted_work(monkeypatch: pytest.MonkeyPatch):
    """Unless it is compiled already; in the app another process compiles it from the first use on."""
    now = [100.0]
    monkeypatch.setattr(module, "process_time", lambda: now[0])
    for is_compiled, names in ((False, ["plain", "plain", "waited"]), (True, ["waited"] * 3)):
        process = CompiledCode()
        monkeypatch.setattr(process, "is_compiled", lambda _group, found=is_compiled: found)
        monkeypatch.setattr(process, "backend", lambda _group: SimpleNamespace(name="waited"))
        found = []
        for seconds in (0, 9.9, 0.1):
            now[0] += seconds
            found.append(process.backend_if_it_pays("learn").name)
        assert found == names
    process = CompiledCode()
    warmed: list[str] = []
    monkeypatch.setattr(process, "warm", warmed.append)
    monkeypatch.setattr(process, "is_compiled", lambda _group: False)
    process.disable_blocking_compile()
    assert process.backend_if_it_pays("learn").name == "plain"
    assert warmed == ["learn"]


def test_without_numba_everything_is_plain(monkeypatch: pytest.MonkeyPatch):
    """Where numba is missing the plain backend is used and says why."""
    monkeypatch.delenv("DURAK_COMPILED", raising=False)
    monkeypatch.setitem(sys.modules, "durak_core.search.backend.native", None)
    monkeypatch.delattr("durak_core.search.backend.native", raising=False)
    found = CompiledCode().backend()
    assert found.name == "plain"
    assert "numba cannot be imported" in found.note


def test_a_failing_compiler_leaves_plain_python(monkeypatch: pytest.MonkeyPatch, compiled: Backend):
    """Where even compiling without a cache fails, everything runs in CPython and says why."""
    from durak_core.search.backend import native  # noqa: PLC0415 - numba is there only with the fixture

    def fail(*_: object) -> None:
        raise RuntimeError("no such processor")

    monkeypatch.setattr(native, "load_functions", fail)
    monkeypatch.setattr(module, "is_usable", lambda _: False)
    broken = module._load("rules", None, may_compile=True)
    assert broken.name == "plain"
    assert broken.note == "compiling failed: RuntimeError"
