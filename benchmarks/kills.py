"""Kill programs while they write, and check that everything they reported as written is there.

    python3 -m benchmarks.kills [--kills 50] [--seed 1] [--only library match]

Each child process prints a number after each thing that it has written, or runs a command whose files are
counted, and is killed after a random time. Then another one opens the files again, and temporary files must
be swept. Children are forks, which start at once. A row has the kills, what was written and what was lost.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from benchmarks.damage import some_record
from benchmarks.exits import with_exit_codes
from durak_core import Drew, DurakError, RealGame, load_records
from durak_core.cli import main as durak
from durak_core.files import sweep
from durak_core.game.json_form import write_json_line
from durak_core.lab.experiments.manifest import read_experiment
from durak_core.lab.experiments.results import Folder, ResultsFile
from durak_core.lab.matches.match import Match
from durak_core.lab.matches.schedule import SavedGames
from durak_core.search.network.weights import read_network
from durak_tui.friends.store import TableStore
from durak_tui.library.model.store import Library
from durak_tui.play.evening import Evening
from durak_tui.play.saves import Saves
from durak_tui.storage.settings import SettingsFile

_ROOT: Final = Path(__file__).resolve().parent.parent
_LONGEST: Final = 1.0
"""Seconds until a kill, after the first thing was written."""

_OUTPUT: Final = "output"

_BEGIN: Final = """
import itertools
from benchmarks.damage import some_record, write_table
def done(count): print(count, flush=True)
"""


def _told(folder: Path) -> int:
    """Return the last number that a program has printed, or 0."""
    lines = (folder / _OUTPUT).read_text().splitlines(keepends=True)
    return max([int(line) for line in lines if line.endswith("\n") and line.strip().isdecimal()], default=0)


@dataclass(frozen=True)
class _Work:
    """What is killed.

    Attributes:
        program: A child's program, which prints a number after each thing; or the words of a command.
        count: Opens the files and returns how many things are there.
        written: Counts what was written before the kill.
        prepare: Writes what a command needs.
        needs: Modules without which the work is left out.
    """

    program: str
    count: Callable[[Path], int]
    written: Callable[[Path], int] = _told
    prepare: Callable[[Path], object] = lambda _folder: None
    needs: tuple[str, ...] = ()


def _games(folder: Path) -> int:
    library = Library(folder)
    try:
        return sum(library.record(number) is not None for number in library.find())
    finally:
        library.close()


def _learnt(folder: Path) -> int:
    library = Library(folder)
    try:
        return len(library.remembered("lesson"))
    finally:
        library.close()


def _settings_name(folder: Path) -> int:
    file = SettingsFile(folder / "settings.toml")
    name = file.load().name
    file.sweep()
    return int(name.removeprefix("N")) if not file.problems else -1


def _plies(folder: Path) -> int:
    saves = Saves(folder)
    saves.sweep()
    games = saves.unfinished()
    return -1 if saves.problems else sum(len(game.states) for game in games)


def _reports(folder: Path) -> int:
    """Count the moves and the names of cards that were reported, of all games with real cards."""
    saves = Saves(folder)
    saves.sweep()
    finished = [load_records(path)[0] for path in saves.finished.glob("*.durak")]
    games = [game.real for game in saves.unfinished() if game.real] + [RealGame.of(one) for one in finished]
    if saves.problems or len(Evening(folder).games) < len(finished):
        return -1
    return sum(len(game.moves) + _named(game) for game in games)


def _named(game: RealGame) -> int:
    drawn = [event for event in game.state.events if isinstance(event, Drew) and event.seat == game.seat]
    dealt = game.states[0].hands[game.seat] - game.states[0].known[game.seat]
    return len(dealt) + sum(event.count - event.trump for event in drawn) - len(game.unnamed)


def _tables(folder: Path) -> int:
    store = TableStore(folder)
    try:
        return len(store.tables())
    finally:
        store.close()


def _ended(folder: Path) -> int:
    saves = Saves(folder)
    saves.sweep()
    return len(list(saves.finished.glob("*.durak")))


def _line_count(folder: Path) -> int:
    """Count the whole lines of all files of games."""
    return sum(path.read_bytes().count(b"\n") for path in folder.rglob("*.jsonl"))


def _finished(folder: Path) -> int:
    with SavedGames(folder / "games.jsonl", [Match("podkidnoy", ("random", "greedy"), 100_000, 1)]) as saved:
        return len(saved.finished)


def _five_games(folder: Path) -> None:
    (folder / "games.jsonl").write_text("".join([write_json_line(some_record(seed)) for seed in range(5)]))


def _old_or_new(folder: Path) -> int:
    """Return 5 if the file of before or the new one is whole."""
    sweep(folder)
    return 5 if len(load_records(folder / "games.jsonl")) in {5, 40} else 0


def _five_once_begun(folder: Path) -> int:
    return 5 * (any(folder.glob(".games.jsonl.*.tmp")) or _line_count(folder) == 40)


def _manifest(folder: Path) -> None:
    names = ["random", "greedy", "smart", "aggressive", "cautious", "moderate", "expert"]
    table = f'[[table]]\nname = "t"\nkind = "matrix"\ntitle = "T"\nplayers = {names}'
    (folder / "m.toml").write_text(f'title = "T"\nquestion = "Q"\ngames = 4\nseed = 1\n{table}\n')


def _tasks(folder: Path) -> int:
    return len(Folder.open(folder / "out", read_experiment(folder / "m.toml")).results.by_key)


def _tasks_written(folder: Path) -> int:
    return len(ResultsFile.load(folder / "out" / "results.json").by_key)


def _shards(folder: Path) -> int:
    from pyarrow.parquet import read_table  # noqa: PLC0415 - may be missing

    sweep(folder / "games")
    sweep(folder / "decisions")
    return sum(read_table(path).num_rows > 0 for path in (folder / "games").glob("*.parquet"))


def _learner_settings(folder: Path) -> None:
    text = (_ROOT / "benchmarks" / "learning" / "dmc-two.toml").read_text("utf-8")
    small = {"hidden": "[16]", "tables": "4", "teacher_games": "0", "checkpoint_minutes": "0.002"}
    lines = [line for line in text.splitlines() if line.partition(" = ")[0] not in small]
    added = [f"{name} = {value}" for name, value in small.items()]
    (folder / "dmc.toml").write_text("\n".join(added + lines))


def _checkpoints(folder: Path) -> int:
    """Return 1 if the run has a checkpoint and weights that can be read."""
    import torch  # noqa: PLC0415 - may be missing

    sweep(folder / "run")
    read_network(folder / "run" / "weights.npz")
    return int(bool(torch.load(folder / "run" / "checkpoint.pt", weights_only=False)))


def _has_checkpoint(folder: Path) -> int:
    return int((folder / "run" / "checkpoint.pt").exists() and (folder / "run" / "weights.npz").exists())


_WORKS: Final = {
    "library": _Work(
        """
from durak_tui.library.model.entries import entry_of
from durak_tui.library.model.store import Library
library = Library(folder)
for count in itertools.count(1):
    library.add(entry_of(some_record(count)))
    done(count)
""",
        _games,
    ),
    "learn": _Work(
        """
from durak_tui.library.model.store import Library
library = Library(folder)
for count in itertools.count(1):
    library.remember("lesson", str(count))
    done(count)
""",
        _learnt,
    ),
    "settings": _Work(
        """
from durak_tui.storage.settings import SettingsFile
file = SettingsFile(folder / "settings.toml")
for count in itertools.count(1):
    file.change(name=f"N{count}")
    done(count)
""",
        _settings_name,
    ),
    "play": _Work(
        """
from durak_core import Rules, State
from durak_tui.play.saves import Saves
from durak_tui.play.setup import GameSetup
saves = Saves(folder)
plies = 0
for seed in itertools.count(1):
    state = State.deal(Rules(), seed)
    setup = GameSetup(Rules(), ("human", "greedy"), ("You", "greedy"), seed)
    saved = saves.begin(setup, state)
    while not state.is_over:
        state = state.apply(state.legal_actions[0])
        if state.is_over:
            break
        saved.keep(state)
        plies += 1
        done(plies)
""",
        _plies,
    ),
    "real": _Work(
        """
from random import Random
from durak_core import RealGame
from durak_tui.play.real import RealTable
from durak_tui.play.saves import Saves
chance, reports = Random(1), 0
while True:
    game = RealGame.begin("podkidnoy:seats=3", 0, 0, "Kc")
    table = RealTable.begin(game, ("Anna", "Boris", "Vera"), Saves(folder))
    while not table.is_over:
        options = table.options
        if table.game.unnamed:
            table.name([chance.choice(options.cards).card])
        else:
            table.act(chance.choice(options.actions))
        reports += 1
        done(reports)
""",
        _reports,
    ),
    "friends": _Work(
        """
from durak_tui.friends.store import TableStore
store = TableStore(folder)
for count in itertools.count(1):
    write_table(store, f"C{count}")
    done(count)
""",
        _tables,
    ),
    "end": _Work(
        """
from durak_core import Rules, State
from durak_tui.play.saves import Saves
from durak_tui.play.setup import GameSetup
saves = Saves(folder)
for seed in itertools.count(1):
    state = State.deal(Rules(), seed)
    saved = saves.begin(GameSetup(Rules(), ("human", "greedy"), ("You", "greedy"), seed), state)
    while not state.is_over:
        state = state.apply(state.legal_actions[0])
    saved.keep(state)
    done(seed)
""",
        _ended,
    ),
    "resume": _Work(
        "match random greedy --games 100000 --seed 1 --resume {folder}/games.jsonl", _finished, _line_count
    ),
    "match": _Work(
        "match random greedy --games 40 --seed 1 --json {folder}/games.jsonl",
        _old_or_new,
        _five_once_begun,
        _five_games,
    ),
    "experiment": _Work(
        "experiment run {folder}/m.toml --out {folder}/out", _tasks, _tasks_written, _manifest
    ),
    "dataset": _Work(
        """
from dataclasses import replace
from durak_core.lab.experiments.dataset import DataSet, write_dataset
planned = DataSet(games=4, searched=0)
count = itertools.count(1)
write_dataset(folder, planned, step=lambda: done(next(count)))
""",
        _shards,
        needs=("pyarrow",),
    ),
    "train": _Work(
        "train dmc --config {folder}/dmc.toml --out {folder}/run",
        _checkpoints,
        _has_checkpoint,
        _learner_settings,
        needs=("torch", "tensorboard"),
    ),
}


def _run(work: _Work, folder: Path) -> None:
    if work.written is _told:
        exec(_BEGIN + work.program, {"folder": folder})  # noqa: S102 - the programs above
    else:
        sys.argv = ["durak", *work.program.format(folder=folder).split()]
        durak()


def _forked(run: Callable[[], object], output: Path) -> int:
    """Run something in a process of its own, which writes to a file; return its number."""
    child = os.fork()
    if child:
        return child
    with output.open("wb", buffering=0) as file:
        os.dup2(file.fileno(), sys.stdout.fileno())
        os.dup2(file.fileno(), sys.stderr.fileno())
    try:
        run()
    except BaseException:  # noqa: BLE001 - whatever it is, the parent tells it
        traceback.print_exc()
    sys.stdout.flush()
    os._exit(0)


def _kill(work: _Work, seconds: float) -> tuple[int, int]:
    """Return what a killed child had written, and what is found."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        output, found = folder / _OUTPUT, folder / "found"
        work.prepare(folder)
        child = _forked(lambda: _run(work, folder), output)
        while not output.exists() or not work.written(folder):
            if os.waitpid(child, os.WNOHANG)[0]:
                raise DurakError(output.read_text()[-500:])
            time.sleep(0.01)
        time.sleep(seconds)
        told = work.written(folder)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.waitpid(_forked(lambda: print(work.count(folder)), found), 0)
        if not found.read_text().strip().lstrip("-").isdecimal():
            raise DurakError(found.read_text()[-500:])
        if list(folder.rglob(".*.tmp")):
            raise DurakError("a temporary file was left")
        return told, int(found.read_text())


@with_exit_codes("the rows above are whole")
def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kills", type=int, default=50, help="kills of each work")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="+", choices=_WORKS, default=list(_WORKS))
    options = parser.parse_args(arguments)
    print(f"{'work':10}{'kills':>7}{'written':>10}{'lost':>7}")
    lost_at_all = 0
    for name in options.only:
        missing = [module for module in _WORKS[name].needs if not find_spec(module)]
        if missing or (name == "train" and os.environ.get("DURAK_COMPILED") == "0"):
            print(f"{name:10}   left out: it needs {' '.join(missing) or 'compiled code'}")
            continue
        chooser = random.Random(f"{options.seed} {name}")
        written = lost = 0
        for _ in range(options.kills):
            told, found = _kill(_WORKS[name], chooser.random() * _LONGEST)
            written += told
            lost += max(0, told - found)
        lost_at_all += lost
        print(f"{name:10}{options.kills:7}{written:10}{lost:7}", flush=True)
    if lost_at_all:
        raise DurakError("things that were written are lost")


if __name__ == "__main__":
    sys.exit(main())
