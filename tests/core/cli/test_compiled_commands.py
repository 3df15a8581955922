"""Commands that use machine code when they can: same results, and figures of this machine."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner
from commands import good
from waiting import PATIENCE

from durak_core.cli.commands.bench import bench
from durak_core.cli.root import announce_compiling
from durak_core.kernel.compiled import GROUPS
from durak_core.search.backend import backend as module
from durak_core.search.backend.backend import CompiledCode, backend, functions_of, is_compiled

run = partial(good, columns=120)


def table(output: str) -> list[list[str]]:
    """Return the cells that a match decides; speed is left out."""
    results = output.partition("ms a move")[0]
    rows = [line.split("│")[1:7] for line in results.splitlines() if line.startswith("│")]
    return [[cell.strip() for cell in row] for row in rows]


@pytest.mark.parametrize(
    "words",
    [
        ("greedy", "random", "--rules", "zarlykov"),
        ("random", "greedy", "random:uniform", "--rules", "perevodnoy"),
        ("random:uniform", "greedy", "--seats", "4", "--set", "throw_in=neighbours"),
    ],
)
def test_a_batch_is_the_match(words: tuple[str, ...], tmp_path: Path):
    """A match that is played as a batch has the table of the same match played by agents."""
    match = ("match", *words, "--games", "90", "--seed", "11")
    batch = table(run(*match))
    agents = table(run(*match, "--json", str(tmp_path / "games.jsonl")))
    assert [row[:6] for row in agents] == batch
    assert batch


def test_a_series_is_no_batch():
    """When the fool decides who begins, games depend on one another and are played one by one."""
    output = run("match", "greedy", "random", "--games", "30", "--set", "next_first_attacker=under_fool")
    assert "ms a move" in output


def test_long_perft_goes_on_in_machine_code():
    """The depths that machine code counts continue those of plain Python."""
    lines = run("perft", "--seed", "1", "--depth", "11").splitlines()
    assert lines[-2:] == ["depth 10: 79834", "depth 11: 242120"]


@pytest.mark.slow
def test_warm_up_says_what_it_did():
    """The command ends with the number of functions and the folder, or with the reason for none.

    Afterwards nothing that a command needs is left to compile.
    """
    output = run("warm-up")
    assert all(is_compiled(group) and functions_of(group) for group in GROUPS)
    if backend().name == "compiled":
        assert "functions compiled" in output
        assert "compiled code is kept in" in output
    else:
        assert output.strip().startswith("interpreted: ")


def test_compiling_is_announced(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """With a line before and after, and without any if the code is there."""
    code = CompiledCode()
    code.announce(announce_compiling)
    monkeypatch.setattr(code, "is_compiled", lambda _group: True)
    if code.backend("rules").name == "plain":
        pytest.skip("there is no compiler on this system")
    assert capsys.readouterr().err == ""
    code = CompiledCode()
    code.announce(announce_compiling)
    monkeypatch.setattr(code, "is_compiled", lambda _group: False)
    code.backend("rules")
    before, after = capsys.readouterr().err.splitlines()
    assert before == f"compiling rules ({len(functions_of('rules'))} functions), once for this machine ..."
    assert after.startswith("compiled rules in ")


def test_long_compiling_prints_a_line_a_minute(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """The main thread reports while another one compiles."""
    monkeypatch.setattr(module, "_MINUTE", 0.001)
    code, reported = CompiledCode(), threading.Event()
    ready, minute_passes = announce_compiling("search", 3)

    def passes() -> None:
        minute_passes()
        reported.set()

    def load(_group: str, report: Callable[[str], None]) -> None:
        if not reported.is_set():
            report("search_tree")
            reported.wait(PATIENCE)

    monkeypatch.setattr(code, "_load", load)
    monkeypatch.setattr(code, "is_compiled", lambda _group: False)
    code.announce(lambda _group, _count: (ready, passes))
    code.backend("search")
    _, line, *_ = capsys.readouterr().err.splitlines()
    assert line.startswith("compiling search: 1 of 3 functions in ")


@pytest.mark.parametrize("switch", [("DURAK_COMPILED", "0"), ("NUMBA_DISABLE_JIT", "1")])
def test_nothing_is_announced_if_nothing_is_compiled(
    switch: tuple[str, str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
):
    monkeypatch.delenv("DURAK_COMPILED", raising=False)
    monkeypatch.setenv("DURAK_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv(*switch)
    code = CompiledCode()
    code.announce(announce_compiling)
    assert code.backend("classic").name == "plain"
    assert capsys.readouterr().err == ""


@pytest.mark.slow
def test_bench_prints_one_json_object():
    """Every measurement of `durak bench --json` is there, and positive."""
    done = CliRunner().invoke(bench, ["--json", "--seconds", "0.02", "--seed", "3"], catch_exceptions=False)
    report = json.loads(done.output)
    compiled = report["backend"] == "compiled"
    ways = {(speed["backend"], speed["threads"]) for speed in report["speeds"]}
    assert len(report["speeds"]) == 16 * len(ways)
    assert ("plain", 1) in ways
    assert (("compiled", 1) in ways) == compiled
    assert all(speed["plies_per_second"] > 0 and speed["games_per_second"] > 0 for speed in report["speeds"])
    assert report["seconds"]["import_core"] > 0
    if compiled:
        assert report["seconds"]["cold_compile"] > report["seconds"]["cached_start"] > 0
        memory = report["memory_kib"]
        assert memory["after_10_million_plies"] <= memory["after_10_thousand_plies"] + 256
