"""Commands that are given a FILE which is none: exit code 2 and a sentence, at once and in little memory."""

from __future__ import annotations

import os
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from durak_core.cli.root import cli
from durak_tui.cli import _command as app

MEGABYTE = 1 << 20

COMMANDS = {
    "replay": "replay FILE",
    "log": "log FILE",
    "log a game": "log FILE --game 2",
    "stats": "stats FILE",
    "review": "review FILE",
    "analyse": "analyse FILE --ply 1",
    "know": "know FILE --ply 1",
    "experiment run": "experiment run FILE",
    "experiment report": "experiment report FILE",
    "experiment list": "experiment list FILE",
    "evaluate": "evaluate FILE --against greedy",
}


def zeros(_folder: Path) -> Path:
    return Path("/dev/zero")


def pipe(folder: Path) -> Path:
    os.mkfifo(folder / "pipe")
    return folder / "pipe"


def a_folder(folder: Path) -> Path:
    return folder


def sparse(folder: Path) -> Path:
    with (folder / "sparse").open("wb") as file:
        file.truncate(3 * 1024 * MEGABYTE)
    return folder / "sparse"


def garbage(folder: Path) -> Path:
    (folder / "garbage").write_bytes(bytes(range(256)) * 4000)
    return folder / "garbage"


def missing(folder: Path) -> Path:
    return folder / "missing"


def no_text(folder: Path) -> Path:
    return folder / "\udcff"


FILES = (zeros, pipe, a_folder, sparse, garbage, missing, no_text)


@pytest.fixture(autouse=True)
def top(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).parents[3])


@pytest.mark.parametrize("make", FILES, ids=lambda make: make.__name__)
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_refuses_what_is_no_file(
    tmp_path: Path, command: str, make: Callable[[Path], Path]
) -> None:
    """A device, a pipe without a writer, a folder, much of nothing, bytes of no format, no file at all."""
    file = str(make(tmp_path))
    words = [word.replace("FILE", file) for word in COMMANDS[command].split()]
    tracemalloc.start()
    result = CliRunner().invoke(cli, words)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert result.exit_code == 2
    assert isinstance(result.exception, SystemExit)
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    assert len(result.stderr) < 700
    assert peak < 100 * MEGABYTE


@pytest.mark.parametrize("make", FILES, ids=lambda make: make.__name__)
def test_the_app_refuses_what_is_no_file(tmp_path: Path, make: Callable[[Path], Path]) -> None:
    """As `durak-tui FILE`, before anything is drawn."""
    result = CliRunner().invoke(app, [str(make(tmp_path))])
    assert result.exit_code == 2
    assert isinstance(result.exception, SystemExit)
    assert result.stderr.splitlines()[-1].startswith("Error: ")


@pytest.mark.parametrize("make", FILES, ids=lambda make: make.__name__)
def test_training_refuses_what_is_no_file(tmp_path: Path, make: Callable[[Path], Path]) -> None:
    """Settings are read before a folder is made."""
    pytest.importorskip("torch", reason="the extra learn is not installed")
    out = tmp_path / "out"
    result = CliRunner().invoke(cli, ["train", "dmc", "--config", str(make(tmp_path)), "--out", str(out)])
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert not out.exists()
