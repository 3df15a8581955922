"""Machine code is made once, by a worker, while those who may not wait go on in plain Python."""

import subprocess
import sys

import pytest

from durak_core.search.backend import backend as backends
from durak_core.search.backend.backend import ready_mark
from durak_core.search.backend.compile_worker import main

A_MOMENT = 30
"""Seconds that a process may take to start or to end on a busy machine."""


@pytest.fixture
def workers(monkeypatch, tmp_path):
    """Programs to be started one after the other instead of the worker, and the groups they were given."""
    programs, started = [], []

    def start(command, **streams):
        started.append(command[-1])
        return popen([sys.executable, "-c", programs.pop(0), str(tmp_path / "guided.ready")], **streams)

    popen = subprocess.Popen
    monkeypatch.setattr(backends.subprocess, "Popen", start)
    return programs, started


MAKES = "import pathlib, sys; pathlib.Path(sys.argv[1]).touch()"


def test_what_lies_ready_is_not_compiled_again(workers, tmp_path):
    programs, started = workers
    programs.append(MAKES)
    assert [backends.compile_in_worker(tmp_path, "guided") for _ in range(2)] == [True, True]
    assert started == ["guided"]


@pytest.mark.parametrize("program", ["raise SystemExit(1)", "pass", "import os; os.abort()"])
def test_a_worker_that_fails_is_not_started_again(workers, tmp_path, program):
    programs, started = workers
    programs.append(program)
    assert not backends.compile_in_worker(tmp_path, "guided")
    assert started == ["guided"]


def test_a_worker_that_cannot_be_started_leaves_plain_python(monkeypatch, tmp_path):
    monkeypatch.setattr(backends, "_WORKER", ("/no/such/program",))
    assert not backends.compile_in_worker(tmp_path, "guided")


def test_where_nothing_can_be_kept_no_worker_is_started(workers, tmp_path):
    _, started = workers
    blocked = tmp_path / "file"
    blocked.touch()
    assert not backends.compile_in_worker(blocked / "cache", "guided")
    assert started == []


def test_a_process_that_never_waits_loads_what_a_worker_made(monkeypatch):
    """It does not compile itself, where the worker has made nothing."""
    monkeypatch.delenv("DURAK_COMPILED", raising=False)
    monkeypatch.setattr(backends, "find_spec", lambda _: True)
    monkeypatch.setattr(backends, "cache_folder_of", lambda _: None)
    monkeypatch.setattr(backends, "compile_in_worker", lambda *_: False)
    process = backends.CompiledCode()
    process.disable_blocking_compile()
    process.warm("guided").join(A_MOMENT)
    assert process.backend("guided").note == "compiling failed, or its code cannot be kept"


def test_a_worker_compiles_only_what_is_missing(monkeypatch, tmp_path):
    """One that had to wait for another finds everything done."""
    asked = []
    monkeypatch.setattr("durak_core.search.backend.compile_worker.cache_folder_of", lambda _: tmp_path)
    monkeypatch.setattr("durak_core.search.backend.compile_worker.backend", asked.append)
    monkeypatch.setattr("durak_core.search.backend.compile_worker._end_with_input", lambda: None)
    monkeypatch.setattr("os.nice", lambda _: None)
    assert main("guided") == 1
    ready_mark(tmp_path, "guided").touch()
    assert main("guided") == 0
    assert asked == ["guided"]


def test_the_worker_ends_with_who_started_it(monkeypatch, tmp_path):
    pytest.importorskip("numba", reason="without numba there is nothing to compile")
    monkeypatch.setenv("DURAK_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv("DURAK_COMPILED", raising=False)
    command = [*backends._WORKER, "guided"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL) as worker:
        worker.stdin.close()
        assert worker.wait(A_MOMENT) == 1
    assert not ready_mark(backends.cache_folder_of("guided"), "guided").exists()
