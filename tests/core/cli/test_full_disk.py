"""Every option of a command that writes, on a disk that is full."""

from __future__ import annotations

from importlib.util import find_spec

import click
import pytest
from commands import durak, good
from full_disk import fill
from playing import random_record

from durak_core import Rules, write_game
from durak_core.cli import cli
from durak_core.search.backend.backend import PROCESS

SIX = "podkidnoy:suits=1,lowest_rank=9,hand_size=2"
MATCH = "match random greedy --games 2 --seed 1"
TUNE = "tune mcts:limit=1 --grid c=1,2 --against random --games 2 --seed 1"

FILES = {
    "match --log": MATCH,
    "match --json": MATCH,
    "match --results": MATCH,
    "match --resume": "match random greedy --games 9 --seed 1",
    "tournament --csv": "tournament random greedy --games 2 --seed 1",
    "tournament --json": "tournament random greedy --games 2 --seed 1",
    "tournament --markdown": "tournament random greedy --games 2 --seed 1",
    "tournament --resume": "tournament random greedy --games 9 --seed 1",
    "tune --csv": TUNE,
    "tune --plot": TUNE,
    "tune --resume": "tune mcts:limit=1 --grid c=1 --against random --games 9 --seed 1",
    "solve --save": f"solve {SIX} --within 1",
    "solve --json": f"solve {SIX} --within 1",
    "replay --film": "replay {game} --game 1",
    "stats --csv": "stats {game}",
    "stats --json": "stats {game}",
    "stats --markdown": "stats {game}",
    "export --out": "export {game}",
    "puzzles make --out": "puzzles make --games 3 --seed 12",
    "know --dot": "know {game} --ply 33",
    "know --svg": "know {game} --ply 33",
    "bench-agent --json": "bench-agent random --deals 1",
    "bench-agent --resume": "bench-agent random --deals 1",
    "exploit --json": "exploit random --hours 0 --test-games 2 --out {run}",
}
"""Options that name a file, and the words before them."""

FOLDERS = {
    "experiment run --out": "experiment run {manifest}",
    "dataset --out": "dataset --shards 1",
    "train dmc --out": "train dmc --config {dmc}",
    "train dqn --out": "train dqn --config {dqn}",
    "train ppo --out": "train ppo --config {ppo}",
    "exploit --out": "exploit random --hours 0",
}
"""Options that name a folder to fill."""

READ = {"experiment report --out", "train dmc --config", "train dqn --config", "train ppo --config"}
READ |= {f"puzzles {command} --file" for command in ("list", "show", "solve")}
EXTRAS = {"train": ("torch", "tensorboard"), "exploit": ("torch", "tensorboard"), "dataset": ("pyarrow",)}
SLOW = ("bench", "replay", "solve")
MANIFEST = """
title = "T"
question = "Q"
games = 2
seed = 1
[[table]]
name = "t"
kind = "matrix"
title = "T"
players = ["random", "greedy"]
"""


def run(option, words, path, tmp_path):
    """Run a command that is to write to a path; return what it says of the failure."""
    name, flag = option.split()[0], option.split()[-1]
    if not all(map(find_spec, EXTRAS.get(name, ()))):
        pytest.skip(f"{EXTRAS[name]} are not installed")
    if name in {"train", "exploit"} and PROCESS.backend("learn").name != "compiled":
        pytest.skip("training runs as machine code only")
    settings = {one: f"benchmarks/learning/{one}-two.toml" for one in ("dmc", "dqn", "ppo")}
    places = {one: tmp_path / one for one in ("game", "manifest", "run")}
    places["game"].write_text(write_game(random_record(Rules(lowest_rank=11, hand_size=3), 1)))
    places["manifest"].write_text(MANIFEST)
    result = durak(*words.format(**places, **settings).split(), flag, path)
    assert result.exit_code == 2, result.output
    assert not isinstance(result.exception, Exception), result.output
    return result.stderr


def left_behind(disk):
    return [path for path in disk.rglob("*") if path.name.endswith(".tmp")]


@pytest.mark.sampled(8)
@pytest.mark.parametrize(
    "option",
    [pytest.param(one, marks=[pytest.mark.slow] if one.startswith(SLOW) else []) for one in FILES],
)
def test_the_old_file_stays_as_it_was(small_disk, tmp_path, option):
    path = small_disk / "old.svg"
    if option.endswith("--resume"):
        good(*FILES[option].split(), option.split()[-1], path)
        path.write_bytes(path.read_bytes().splitlines(keepends=True)[0])
    elif option.startswith("puzzles"):
        good(*FILES[option].split(), "--out", path)
    else:
        path.write_text("the old file\n")
    before = path.read_bytes()
    fill(small_disk)
    told = run(option, FILES[option], path, tmp_path)
    assert f"{path} cannot be written: the disk is full; make room on it" in told
    after = path.read_bytes()
    assert after == before or (
        option.endswith("--resume") and after.startswith(before) and after[-1:] == b"\n"
    )
    assert not left_behind(small_disk)


@pytest.mark.parametrize("option", FOLDERS)
def test_a_new_folder_is_not_filled(small_disk, tmp_path, option):
    fill(small_disk)
    told = run(option, FOLDERS[option], small_disk / "new", tmp_path)
    assert str(small_disk / "new") in told
    assert "the disk is full; make room on it" in told
    assert not left_behind(small_disk)


def test_these_are_all_options_that_write():
    def options(command, names):
        if isinstance(command, click.Group):
            context = click.Context(command)
            for name in command.list_commands(context):
                yield from options(command.get_command(context, name), [*names, name])
        else:
            for one in command.params:
                if isinstance(one, click.Option) and isinstance(one.type, click.Path):
                    yield " ".join([*names, *one.opts])

    assert set(options(cli, [])) == READ | FILES.keys() | FOLDERS.keys()
