"""Commands that are given a FILE which is none: exit code 2 and a sentence, at once and in little memory."""

from __future__ import annotations

import os
import shutil
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from commands import bad, good

from durak_core.cli.root import cli
from durak_tui.cli import _command as app

MEGABYTE = 1 << 20
TINY = Path(__file__).parents[2] / "golden" / "network.npz"
READS = """from pathlib import Path

class Reads:
    def __init__(self, weights: Path):
        pass
    def choose(self, observation):
        return observation.legal_actions[0]
"""
LOWEST = """class Lowest:
    def choose(self, observation):
        return observation.legal_actions[0]
"""

COMMANDS = {
    "replay": "replay FILE",
    "log": "log FILE",
    "log a game": "log FILE --game 2",
    "stats": "stats FILE",
    "export": "export FILE",
    "review": "review FILE",
    "analyse": "analyse FILE --ply 1",
    "know": "know FILE --ply 1",
    "experiment run": "experiment run FILE",
    "experiment report": "experiment report FILE",
    "experiment list": "experiment list FILE",
    "evaluate": "evaluate FILE --against greedy",
}

RESUMED = {
    "match": "match greedy random --games 2 --seed 1 --resume FILE",
    "tournament": "tournament greedy random --games 2 --seed 1 --resume FILE",
    "tune": "tune mcts:limit=2 --grid c=1 --against random --games 2 --seed 1 --resume FILE",
}
TAKEN = [
    "match lowest.py:Lowest random --json lowest.py",
    "match lowest.py:Lowest random --log link",
    "match greedy random --json new --log ./new",
    "tournament greedy random --csv games --resume games",
    "tournament greedy random --csv new --json new",
    "tune mcts:limit=2 --grid c=1 --against random --csv new.svg --plot new.svg",
    "tune mcts:limit=2 --grid c=1 --against random --csv games --resume games",
    "bench-agent greedy --json games --resume games",
    "stats games --csv games",
    "export games --out games",
    "replay games --game 1 --film games",
    "know games --game 1 --ply 1 --svg games",
    "solve podkidnoy:suits=1,lowest_rank=10,hand_size=2 --save new --json new",
    "match greedy random --rules mine.toml --games 2 --json mine.toml",
    "tournament greedy random --rules mine.toml:seats=2 --games 2 --markdown mine.toml",
    "tune mcts:limit=2 --grid c=1 --against random --rules mine.toml --csv mine.toml",
    "solve mine.toml --json mine.toml",
    "match dmc:weights=net greedy --games 2 --json net",
    "match greedy ismcts:net=net --games 2 --log net",
    "tournament dmc:weights=net greedy --games 2 --csv net",
    "bench-agent dmc:weights=net --json net",
    "match reads.py:Reads,weights=net greedy --games 2 --json net",
]
"""Commands with an output that would replace another file of theirs."""
BEGINNING = b'{"format": "durak-game/1", "seed": '
"""Of a line that `--resume` has written."""


def zeros(_folder: Path) -> Path:
    return Path("/dev/zero")


def pipe(folder: Path) -> Path:
    os.mkfifo(folder / "pipe")
    return folder / "pipe"


def a_folder(folder: Path) -> Path:
    return folder


def sparse(folder: Path) -> Path:
    with (folder / "sparse").open("wb") as file:
        file.truncate(300 * MEGABYTE)
    return folder / "sparse"


def garbage(folder: Path) -> Path:
    (folder / "garbage").write_bytes(bytes(range(256)) * 4000)
    return folder / "garbage"


def missing(folder: Path) -> Path:
    return folder / "missing"


def no_text(folder: Path) -> Path:
    return folder / "\udcff"


def long_line(folder: Path) -> Path:
    with (folder / "long").open("wb") as file:
        file.write(BEGINNING)
        file.truncate(200 * MEGABYTE)
    return folder / "long"


def nested(folder: Path) -> Path:
    (folder / "nested").write_bytes(BEGINNING + b"[" * 400_000 + b"]" * 400_000 + b"}\n")
    return folder / "nested"


FILES = (zeros, pipe, a_folder, sparse, garbage, missing, no_text)


@pytest.fixture(autouse=True)
def top(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).parents[3])


@pytest.mark.sampled(29)
@pytest.mark.parametrize("make", FILES, ids=lambda make: make.__name__)
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_refuses_what_is_no_file(
    tmp_path: Path, command: str, make: Callable[[Path], Path]
) -> None:
    """A device, a pipe without a writer, a folder, much of nothing, bytes of no format, no file at all."""
    refused(COMMANDS[command], make(tmp_path))


@pytest.mark.parametrize(
    "make", [zeros, pipe, a_folder, sparse, garbage, long_line, nested], ids=lambda make: make.__name__
)
@pytest.mark.parametrize("command", RESUMED)
def test_what_keeps_no_games_is_not_resumed(
    tmp_path: Path, command: str, make: Callable[[Path], Path]
) -> None:
    """It stays as it is, and nothing is left beside it; lines of no end and nested JSON are no games."""
    file = make(tmp_path)
    before = [(path.name, path.stat()) for path in tmp_path.iterdir()]
    refused(RESUMED[command], file)
    after = [(path.name, path.stat()) for path in tmp_path.iterdir()]
    assert [(name, found.st_size, found.st_mtime_ns) for name, found in after] == [
        (name, found.st_size, found.st_mtime_ns) for name, found in before
    ]


@pytest.mark.parametrize("command", TAKEN)
def test_no_output_replaces_another_file_of_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """Neither what it reads, by whatever name, nor another output, nor the source of an own agent."""
    monkeypatch.chdir(tmp_path)
    Path("lowest.py").write_text(LOWEST, encoding="utf-8")
    Path("link").symlink_to("lowest.py")
    Path("reads.py").write_text(READS, encoding="utf-8")
    Path("mine.toml").write_text('lowest_rank = "10"\nsuits = 1\nhand_size = 2\n', encoding="utf-8")
    shutil.copy(TINY, "net")
    good("match", "greedy", "random", "--games", 2, "--seed", 1, "--resume", "games")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    error = bad(*command.split())
    assert "expected another file" in error or "expected a name without .py" in error
    assert {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == before


def test_outputs_that_replace_nothing_may_be_the_same() -> None:
    good("tournament", "greedy", "random", "--games", 2, "--csv", os.devnull, "--json", os.devnull)


def refused(command: str, file: Path) -> None:
    """Give a command a file; it ends with a sentence, and has not held the file in memory."""
    words = [str(file) if word == "FILE" else word for word in command.split()]
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
@pytest.mark.parametrize("option", [[], ["--import"]], ids=["review", "import"])
def test_the_app_refuses_what_is_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: list[str], make: Callable[[Path], Path]
) -> None:
    """As `durak-tui FILE`, before anything is drawn, and where the library reads game by game."""
    monkeypatch.setenv("DURAK_DATA_DIR", str(tmp_path / "data"))
    result = CliRunner().invoke(app, [*option, str(make(tmp_path))])
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
