"""Damage stored files, and count what opens, what is refused, what is lost, and what crashes.

    python3 -m benchmarks.damage [--damages 200] [--seed 1] [--only library settings]

Each format's file is damaged in turn: cut, a flipped bit, a high bit, noise, emptied, or replaced with a
folder. It is then opened as the programs open it. A row has the files opened and refused, the share of their
games that was kept, the crashes, and the slowest opening. `DurakError` is a refusal, anything else a crash.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from benchmarks.exits import with_exit_codes
from durak_core import DurakError, Record, Rules, State, load_records
from durak_core.game.json_form import write_json_line
from durak_core.game.notation.game_text import write_game
from durak_core.lessons.lesson import load_lesson
from durak_core.puzzles.puzzle import SHIPPED, SHIPPED_HIDDEN, read_collection, read_hidden_collection
from durak_core.search.network.weights import read_network
from durak_tui.friends.store import StoredSeat, StoredTable, TableStore
from durak_tui.library.model.entries import entry_of
from durak_tui.library.model.store import Library
from durak_tui.play.saves import Saves
from durak_tui.storage.settings import Settings, SettingsFile

_GAMES: Final = 30
_ROOT: Final = Path(__file__).resolve().parent.parent


def some_record(seed: int) -> Record:
    """Return a finished game of random moves."""
    state = State.deal(Rules(), seed)
    chooser = random.Random(seed)
    while not state.is_over:
        state = state.apply(chooser.choice(state.legal_actions))
    return Record.of(state, ("You", "greedy"), Player0="human", Player1="greedy")


def _library(folder: Path) -> Path:
    library = Library(folder)
    library.add_all(entry_of(some_record(seed)) for seed in range(_GAMES))
    library.remember("lesson", "first")
    library.close()
    return folder / "library.sqlite3"


def _open_library(path: Path) -> int:
    library = Library(path.parent)
    try:
        found = 0
        for number in library.find():
            try:
                library.record(number)
                found += 1
            except DurakError:
                continue
        return found
    finally:
        library.close()


def write_table(store: TableStore, code: str) -> None:
    """Store a table with some moves."""
    seats = (StoredSeat("Anna", "t", plays=True), StoredSeat("Boris", "u", plays=True))
    store.keep(StoredTable(code, "v", "podkidnoy", ("", ""), 0, 0, (0, 0), seats), ["6c"] * 9)


def _tables(folder: Path) -> Path:
    store = TableStore(folder)
    for number in range(_GAMES):
        write_table(store, f"C{number}")
    store.close()
    return folder / "tables.sqlite3"


def _open_tables(path: Path) -> int:
    store = TableStore(path.parent)
    try:
        return len(store.tables())
    finally:
        store.close()


def _settings(folder: Path) -> Path:
    SettingsFile(folder / "settings.toml").save(Settings(name="Anna", keys={"table.take": ("t",)}))
    return folder / "settings.toml"


def _open_settings(path: Path) -> int:
    SettingsFile(path).load()
    return 1


def _running(folder: Path) -> Path:
    (folder / "running").mkdir()
    path = folder / "running" / "2026-01-01-000000-abcdef.durak"
    record = some_record(1)
    moves = record.moves[: len(record.moves) // 2]
    path.write_text(
        write_game(Record(record.rules, record.deck, record.first_attacker, record.players, moves)), "utf-8"
    )
    return path


def _open_running(path: Path) -> int:
    return len(Saves(path.parent.parent).unfinished())


def _lines(folder: Path) -> Path:
    path = folder / "games.jsonl"
    path.write_text("".join([write_json_line(some_record(seed)) for seed in range(5)]), "utf-8")
    return path


def _copied(source: Path) -> Callable[[Path], Path]:
    return lambda folder: Path(shutil.copy(source, folder / source.name))


@dataclass(frozen=True)
class _Format:
    make: Callable[[Path], Path]
    open: Callable[[Path], object]
    most: int = 1


_FORMATS: Final = {
    "library": _Format(_library, _open_library, _GAMES),
    "tables": _Format(_tables, _open_tables, _GAMES),
    "settings": _Format(_settings, _open_settings),
    "running": _Format(_running, _open_running),
    "games": _Format(_lines, lambda path: len(load_records(path)), 5),
    "puzzles": _Format(_copied(Path(SHIPPED)), read_collection),
    "hidden": _Format(_copied(Path(SHIPPED_HIDDEN)), read_hidden_collection),
    "network": _Format(_copied(next(_ROOT.glob("durak_core/**/*.npz"))), read_network),
    "lesson": _Format(_copied(next(_ROOT.glob("durak_core/**/*.lesson"))), load_lesson),
}


def _damages(data: bytes, chooser: random.Random) -> Iterator[tuple[str, bytes | None]]:
    """Yield kinds of damage and damaged data for ever; None stands for a folder."""
    while True:
        at = chooser.randrange(len(data))
        yield "cut", data[:at]
        yield "flip", data[:at] + bytes([data[at] ^ 1 << chooser.randrange(8)]) + data[at + 1 :]
        early = chooser.randrange(min(4096, len(data)))
        yield "high bit", data[:early] + bytes([data[early] | 0x80]) + data[early + 1 :]
        yield "noise", data[:at] + chooser.randbytes(64) + data[at + 64 :]
        yield "empty", b""
        yield "folder", None


@dataclass
class _Row:
    seen: Counter[str] = field(default_factory=Counter)
    kept: int = 0
    slowest: float = 0.0
    crashes: list[str] = field(default_factory=list)


def _try_all(name: str, count: int, seed: int) -> _Row:
    """Damage a format's file ``count`` times."""
    row = _Row()
    form = _FORMATS[name]
    with tempfile.TemporaryDirectory() as made:
        whole = form.make(Path(made))
        data = whole.read_bytes()
        place = whole.relative_to(made)
    damages = _damages(data, random.Random(f"{seed} {name}"))
    for _ in range(count):
        kind, damaged = next(damages)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / place
            path.parent.mkdir(exist_ok=True)
            if damaged is None:
                path.mkdir()
            else:
                path.write_bytes(damaged)
            began = time.perf_counter()
            try:
                found = form.open(path)
                row.seen["opened"] += 1
                row.kept += found if isinstance(found, int) else form.most
            except DurakError:
                row.seen["refused"] += 1
            except Exception as error:  # noqa: BLE001 - what is counted
                row.crashes.append(f"{kind}: {type(error).__name__}: {error}"[:120])
            row.slowest = max(row.slowest, time.perf_counter() - began)
    return row


@with_exit_codes("the rows above are whole")
def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--damages", type=int, default=200, help="damages of each format")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="+", choices=_FORMATS, default=list(_FORMATS))
    options = parser.parse_args(arguments)
    print(f"{'format':10}{'opened':>8}{'refused':>9}{'crashes':>9}{'kept':>8}{'slowest':>10}")
    for name in options.only:
        row = _try_all(name, options.damages, options.seed)
        share = row.kept / (options.damages * _FORMATS[name].most)
        counts = f"{row.seen['opened']:8}{row.seen['refused']:9}{len(row.crashes):9}"
        print(f"{name:10}{counts}{share:8.1%}{row.slowest:8.2f} s", flush=True)
        for crash in sorted(set(row.crashes))[:5]:
            print("   ", crash)


if __name__ == "__main__":
    sys.exit(main())
