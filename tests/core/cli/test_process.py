"""The `durak` command as a process: Ctrl+C, closed pipes, poor terminals."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from waiting import (
    PATIENCE,
    let_pass,
    running,
    wait_for_end,
    wait_for_lines,
    wait_for_rest,
    wait_for_session,
    wait_until,
)

from durak_core import read_json_lines

ROOT = Path(__file__).parents[3]
DURAK = [sys.executable, "-m", "durak_core.cli"]


def environment(**changes: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), **changes}


def started(*command: object, **settings: Any) -> AbstractContextManager[subprocess.Popen[str]]:
    """Start a command in a session of its own; it does not outlive the block."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "encoding": "utf-8"}
    return running(
        list(map(str, command)), **{"env": environment(), "start_new_session": True, **pipes, **settings}
    )


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("number", "before", "jobs"),
    [
        (signal.SIGINT, (), "2"),
        (signal.SIGTERM, (), "1"),
        # As scripts start what is to go on.
        (signal.SIGTERM, ("sh", "-c", "trap '' INT; exec \"$@\"", "sh"), "2"),
        pytest.param(signal.SIGINT, (), "1", marks=pytest.mark.slow),
        pytest.param(signal.SIGTERM, (), "2", marks=pytest.mark.slow),
        pytest.param(signal.SIGHUP, (), "1", marks=pytest.mark.slow),
        pytest.param(signal.SIGHUP, (), "2", marks=pytest.mark.slow),
    ],
)
@pytest.mark.slow
def test_whatever_ends_a_match_keeps_what_was_played(tmp_path, jobs: str, number: int, before) -> None:
    """The table so far, finished games in the file, an exit code; also when all processes hear it."""
    path = tmp_path / "games.jsonl"
    match = ("match", "random", "random", "--games", 1_000_000, "--seed", 1, "--json", path, "--jobs", jobs)
    with started(*before, *DURAK, *match) as process:
        wait_until(lambda: any(part.stat().st_size for part in tmp_path.iterdir()))
        os.killpg(process.pid, number)
        stdout, stderr = wait_for_rest(process)
    wait_for_session(process.pid)
    assert process.returncode == 128 + number, stderr
    assert "Traceback" not in stderr
    assert "interrupted after" in stderr
    assert "│ random" in stdout
    records = read_json_lines(path.read_text(encoding="utf-8"))
    assert all(record.result is not None for record in records)
    assert f"{len(records)} games, " in stdout
    assert [part.name for part in tmp_path.iterdir()] == ["games.jsonl"]


COMPILING = """
import sys, threading
from durak_core.cli import root
from durak_core.search.backend import backend
backend._load = lambda *_, **__: print("compiling", flush=True) or threading.Event().wait()
sys.argv = ["durak", "match", "ismcts:iterations=1", "random", "--games", "2", "--seed", "1"]
root.main()
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_order_to_end_while_code_is_compiled_prints_no_table(number: int) -> None:
    """The compiler cannot be stopped, and no game was played."""
    settings = {"env": environment(DURAK_COMPILED="1"), "start_new_session": True}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with running([sys.executable, "-c", COMPILING], **settings, **pipes) as process:
        assert any("compiling" in line for line in process.stdout)
        process.send_signal(number)
        stdout, stderr = wait_for_rest(process)
    assert process.returncode == 128 + number, stderr
    assert "interrupted before the first game" in stderr
    assert "Traceback" not in stderr
    assert "%" not in stdout


ENDLESS = """
title = "Endless"
question = "None."
takes = "for ever"
games = 1000000
seed = 1

[agents]
random = "random"
greedy = "greedy"

[rules]
podkidnoy = "podkidnoy"

[[table]]
name = "endless"
kind = "versus"
title = "Endless"
players = ["random"]
against = ["greedy"]
"""


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(
            "tournament random greedy --games 1000000 --seed 1 --resume kept/games.jsonl",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "tune temperament --grid noise=0,1 --against random --games 9999 --seed 1 "
            "--resume kept/games.jsonl",
            marks=pytest.mark.slow,
        ),
        "experiment run endless.toml --out kept",
    ],
)
@pytest.mark.slow
def test_an_order_to_end_keeps_the_games_of_all_that_plays_for_long(tmp_path: Path, command: str) -> None:
    """Nobody is left of two processes, and the same command finds what was played."""
    (tmp_path / "endless.toml").write_text(ENDLESS, encoding="utf-8")
    kept = tmp_path / "kept"
    if "--resume" in command:
        kept.mkdir()

    def games() -> list[Path]:
        return [path for path in kept.rglob("*.jsonl") if path.stat().st_size]

    with started(*DURAK, *command.split(), "--jobs", 2, cwd=tmp_path) as process:
        wait_until(lambda: games() or process.poll() is not None)
        os.kill(process.pid, signal.SIGTERM)
        _stdout, stderr = wait_for_rest(process)
    wait_for_session(process.pid)
    assert process.returncode == 128 + signal.SIGTERM, stderr
    assert "Traceback" not in stderr
    assert "interrupted" in stderr
    (path,) = games()
    assert all(record.result for record in read_json_lines(path.read_text(encoding="utf-8")))


def interrupted(tmp_path: Path, agents: tuple[str, ...], delay: float, everybody: bool) -> tuple[int, str]:
    """Send Ctrl+C some time after the first line of a match of two jobs; return exit code and stderr.

    Fails where the match does not end, or leaves a process behind.
    """
    path = tmp_path / "games.jsonl"
    path.unlink(missing_ok=True)
    match = ("match", *agents, "--games", 1_000_000, "--seed", 1, "--jobs", 2, "--json", path)
    unbuffered = environment(PYTHONUNBUFFERED="1")
    with (
        (tmp_path / "stdout").open("w+", encoding="utf-8") as out,
        started(*DURAK, *match, env=unbuffered, stdout=out) as process,
    ):
        wait_for_lines(Path(out.name))
        let_pass(delay)
        (os.killpg if everybody else os.kill)(process.pid, signal.SIGINT)
        _, stderr = wait_for_rest(process)
    wait_for_session(process.pid)
    table = Path(out.name).read_text(encoding="utf-8")
    if "before the first game" in stderr:
        assert not path.exists()
        assert "│ random" not in table
    else:
        records = read_json_lines(path.read_text(encoding="utf-8"))
        assert all(record.result is not None for record in records)
        assert f"interrupted after {len(records)} games" in stderr
        assert "│ random" in table
    return process.returncode, stderr


CHEAP, THINKING = ("greedy", "random"), ("ismcts:iterations=200", "random")


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("agents", "delay", "everybody"),
    [
        (CHEAP, 0.0, True),
        pytest.param(CHEAP, 0.35, True, marks=pytest.mark.slow),
        pytest.param(CHEAP, 0.6, False, marks=pytest.mark.slow),
        (THINKING, 0.5, True),
    ],
)
def test_ctrl_c_ends_a_match_of_two_jobs_at_any_moment(
    tmp_path: Path, agents: tuple[str, ...], delay: float, everybody: bool
) -> None:
    """While processes start, import or play; the terminal sends it to all of them, `kill` to one."""
    code, stderr = interrupted(tmp_path, agents, delay, everybody)
    assert (code, stderr.count("\n")) == (130, 1), stderr


@pytest.mark.slow
@pytest.mark.parametrize("agents", [CHEAP, THINKING])
@pytest.mark.parametrize("cold", [False, True])
def test_ctrl_c_ends_a_match_of_two_jobs_at_random_moments(
    tmp_path: Path, agents: tuple[str, ...], cold: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also while machine code is compiled, where a Ctrl+C was once lost in a callback of the compiler."""
    rng = random.Random(7)
    for number in range(15):
        if cold:
            monkeypatch.setenv("DURAK_CACHE_DIR", str(tmp_path / f"cache{number}"))
        code, stderr = interrupted(tmp_path, agents, rng.uniform(0, 3), rng.random() < 0.6)
        assert (code, stderr.count("\n")) == (130, 1), stderr


@pytest.mark.sampled(2)
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
@pytest.mark.parametrize("module", ["durak_core.cli", "durak_tui"])
@pytest.mark.parametrize("option", ["--help", "--version"])
def test_a_full_disk_is_an_error_message(module: str, option: str) -> None:
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", module, option]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (2, "Error: No space left on device")
    assert "Traceback" not in done.stderr


def test_a_closed_pipe_is_no_error_to_look_at() -> None:
    """As with ``durak match ... --verbose | head -1``."""
    match = ("match", "greedy", "random", "--games", 200, "--seed", 1, "--verbose")
    with started(*DURAK, *match) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().startswith("200 games")
        process.stdout.close()
        assert process.stderr.read() == ""
        wait_for_end(process)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("arguments", [["deal", "--seed", "1"], ["rules"], ["agents"]])
def test_a_terminal_without_suit_symbols_gets_question_marks(arguments: list[str]) -> None:
    """No output ever fails for want of a character."""
    result = subprocess.run(
        [*DURAK, *arguments],
        env=environment(PYTHONIOENCODING="ascii"),
        capture_output=True,
        check=False,
        timeout=PATIENCE,
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.isascii()
