"""The `durak` command as a process: Ctrl+C, closed pipes, poor terminals."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from durak_core import read_json_lines

ROOT = Path(__file__).parents[3]
DURAK = [sys.executable, "-m", "durak_core.cli"]


def environment(**changes: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), **changes}


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_keeps_what_was_played(tmp_path, jobs: str) -> None:
    """The table so far, finished games in the file, exit code 130; also when all processes hear it."""
    path = tmp_path / "games.jsonl"
    command = [*DURAK, "match", "random", "random", "--games", "1000000", "--seed", "1", "--json", str(path)]
    command += ["--jobs", jobs]
    with subprocess.Popen(
        command,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        start_new_session=True,
    ) as process:
        deadline = time.monotonic() + 30
        while not any(part.stat().st_size for part in tmp_path.iterdir()):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        os.killpg(process.pid, signal.SIGINT)
        stdout, stderr = process.communicate(timeout=30)
    assert process.returncode == 130, stderr
    assert "Traceback" not in stderr
    assert "interrupted after" in stderr
    assert "│ random" in stdout
    records = read_json_lines(path.read_text(encoding="utf-8"))
    assert all(record.result is not None for record in records)
    assert f"{len(records)} games, " in stdout
    assert [part.name for part in tmp_path.iterdir()] == ["games.jsonl"]


def test_a_closed_pipe_is_no_error_to_look_at() -> None:
    """As with ``durak match ... --verbose | head -1``."""
    with subprocess.Popen(
        [*DURAK, "match", "greedy", "random", "--games", "200", "--seed", "1", "--verbose"],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().startswith("200 games")
        process.stdout.close()
        assert process.stderr.read() == ""
        process.wait(timeout=30)


@pytest.mark.parametrize("arguments", [["deal", "--seed", "1"], ["rules"], ["agents"]])
def test_a_terminal_without_suit_symbols_gets_question_marks(arguments: list[str]) -> None:
    """No output ever fails for want of a character."""
    result = subprocess.run(
        [*DURAK, *arguments],
        env=environment(PYTHONIOENCODING="ascii"),
        capture_output=True,
        check=False,
        timeout=30,
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.isascii()
