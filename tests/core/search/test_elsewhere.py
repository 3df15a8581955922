"""Machine code is made once, by another process, while those who may not wait go on in plain Python."""

import subprocess
import sys
import threading

import pytest

from durak_core.search.backend import backend as backends
from durak_core.search.backend import elsewhere
from durak_core.search.backend.elsewhere import OTHERS_DO, compile_elsewhere, compiling_lock, ready_mark

A_MOMENT = 30
"""Seconds that a process may take to start or to end on a busy machine."""


@pytest.fixture
def compilers(monkeypatch, tmp_path):
    """Programs to be started one after the other instead of the compiler, and those that were."""
    programs, started = [], []

    def start(command, **streams):
        started.append(command[-1])
        return popen([sys.executable, "-c", programs.pop(0), str(tmp_path / "guided.ready")], **streams)

    popen = subprocess.Popen
    monkeypatch.setattr(elsewhere.subprocess, "Popen", start)
    monkeypatch.setattr(elsewhere, "_GLANCE", 0.01)
    return programs, started


MAKES = "import pathlib, sys; pathlib.Path(sys.argv[1]).touch()"


def test_what_lies_ready_is_not_compiled_again(compilers, tmp_path):
    programs, started = compilers
    programs.append(MAKES)
    assert [compile_elsewhere(tmp_path, "guided") for _ in range(2)] == [True, True]
    assert started == ["guided"]


@pytest.mark.parametrize("program", ["raise SystemExit(1)", "pass", "import os; os.abort()"])
def test_a_compiler_that_fails_is_not_started_again(compilers, tmp_path, program):
    programs, started = compilers
    programs.append(program)
    assert not compile_elsewhere(tmp_path, "guided")
    assert started == ["guided"]


def test_a_compiler_that_cannot_be_started_leaves_plain_python(monkeypatch, tmp_path):
    monkeypatch.setattr(elsewhere, "COMMAND", ("/no/such/program",))
    assert not compile_elsewhere(tmp_path, "guided")


def test_while_another_process_compiles_none_is_started(compilers, tmp_path):
    programs, started = compilers
    programs += [f"raise SystemExit({OTHERS_DO})", MAKES]
    lock = compiling_lock(tmp_path)
    assert lock is not None
    waiting = threading.Thread(target=compile_elsewhere, args=(tmp_path, "guided"))
    waiting.start()
    assert started == []
    lock.release()
    waiting.join(A_MOMENT)
    assert ready_mark(tmp_path, "guided").exists()
    assert started == ["guided"] * 2


def test_the_compiler_ends_with_who_started_it(monkeypatch, tmp_path):
    monkeypatch.setenv("DURAK_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv("DURAK_COMPILED", raising=False)
    command = [*elsewhere.COMMAND, "guided"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL) as compiler:
        compiler.stdin.close()
        assert compiler.wait(A_MOMENT) == 1
    assert not ready_mark(backends.cache_folder(), "guided").exists()
