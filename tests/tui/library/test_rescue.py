"""A damaged library: what can be read of it is in the new one, and reading it always ends."""

import contextlib
import os
import sqlite3

import pytest

from durak_tui.library.model.entries import entry_of
from durak_tui.library.model.file import GameError, LibraryError
from durak_tui.library.model.store import Library
from durak_tui.storage import database as rescue
from tui.games import a_record

_PAGE = 4096
_GAMES = 12
_NOTICE = "The library was damaged; its file is kept as {}. A new one has the games that could be read."


@pytest.fixture
def folder(tmp_path):
    """Return the folder of a library with games, all of which were imported from files, and with progress."""
    library = Library(tmp_path)
    for seed in range(1, _GAMES + 1):
        library.add_file(f"{seed}.json", entry_of(a_record(seed)))
        library.set_accuracy(a_record(seed), {0: 50 + seed})
        library.set_evaluation(a_record(seed), "engine", 100, f"lines of {seed}")
    library.remember("lesson", "first")
    library.close()
    return tmp_path


def path_in(folder):
    return folder / "library.sqlite3"


def tamper(folder, script):
    with sqlite3.connect(path_in(folder)) as db:
        db.executescript(script)
    db.close()


def root_page(folder, table):
    with sqlite3.connect(path_in(folder)) as db:
        (page,) = db.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)).fetchone()
    db.close()
    return page


def destroy(folder, *pages):
    """Overwrite pages, whose numbers start at 1."""
    with path_in(folder).open("r+b") as file:
        for page in pages:
            file.seek((page - 1) * _PAGE)
            file.write(b"\xa5" * _PAGE)


def opened(folder):
    """Open a damaged library, whose damage may show only when it is used."""
    library = Library(folder)
    try:
        for statement in ("SELECT * FROM games", "SELECT * FROM records", "SELECT * FROM seats"):
            library.read(statement)
        library.opponents()
    except LibraryError:
        assert len(library.notices) == 1
    return library


def readable(library):
    """Return the listed games that can be read, and close the library. All must have their seats."""
    rows = library.rows(library.find())
    counts = dict(library.read("SELECT id, seats FROM games"))
    assert all(len(row.seats) == counts[number] for number, row in rows.items())
    found = []
    for number in rows:
        with contextlib.suppress(GameError):
            found.append(library.record(number))
    library.close()
    return found


def test_a_page_costs_only_the_games_whose_records_lie_on_it(folder):
    """Games that lose other rows are rebuilt from their records."""
    whole = path_in(folder).read_bytes()
    roots = {root_page(folder, table) for table in ("records", "judgements")}
    all_games = [a_record(seed) for seed in range(1, _GAMES + 1)]
    kept = []
    for page in sorted(set(range(2, len(whole) // _PAGE + 1)) - roots)[::2]:
        path_in(folder).write_bytes(whole)
        destroy(folder, page)
        found = readable(opened(folder))
        assert [game for game in found if game not in all_games] == []
        kept.append(len(found))
    assert min(kept) > 0
    assert sum(kept) > 0.9 * len(kept) * _GAMES
    assert kept.count(_GAMES) > 2


def test_the_player_reads_where_the_file_is(folder):
    destroy(folder, root_page(folder, "games"))
    library = opened(folder)
    aside = folder / "library.sqlite3.damaged-1"
    assert [str(notice) for notice in library.notices] == [_NOTICE.format(aside)]
    assert aside.stat().st_size > _PAGE
    assert len(readable(library)) == _GAMES


def test_lost_games_are_imported_again_from_their_files(folder):
    names = [f"{seed}.json" for seed in range(1, _GAMES + 1)]
    tamper(folder, "ALTER TABLE games ADD COLUMN more TEXT")
    library = opened(folder)
    assert library.new_files(names) == []
    library.close()
    destroy(folder, root_page(folder, "records"))
    library = opened(folder)
    assert library.count() == 0
    assert library.new_files(names) == names
    library.close()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("part", [0.9, 0.6])
def test_a_truncated_file_is_read_as_far_as_it_goes(folder, part):
    whole = path_in(folder).read_bytes()
    path_in(folder).write_bytes(whole[: int(len(whole) * part)])
    assert 0 < len(readable(opened(folder))) < _GAMES


ENDLESS = "WITH RECURSIVE c(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM c) SELECT"


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "tampered",
    [
        "ALTER TABLE games ADD COLUMN more TEXT",
        "ALTER TABLE games ADD COLUMN more TEXT AS (printf('%.*c', 10000000, 'x'))",
        "CREATE TABLE more AS SELECT * FROM games",
        "CREATE TRIGGER t AFTER INSERT ON games BEGIN DELETE FROM games; END",
        f"CREATE VIEW more AS {ENDLESS} n FROM c",
        f"DROP TABLE searched; CREATE VIEW searched AS {ENDLESS} n AS game FROM c",
        "DROP TABLE searched; CREATE TABLE searched (n INTEGER PRIMARY KEY, game AS (n))",
        "DROP INDEX seats_by_player",
    ],
)
def test_foreign_tables_views_and_triggers_stay_behind(folder, tampered):
    tamper(folder, tampered)
    library = opened(folder)
    assert len(library.notices) == ("more AS SELECT" not in tampered)
    assert library.remembered("lesson") == {"first"}
    assert library.evaluation(a_record(3)) == ("engine", 100, "lines of 3")
    assert [row.accuracy for row in library.played_by("human")] == [
        50 + seed for seed in range(1, _GAMES + 1)
    ]
    assert len(readable(library)) == _GAMES


@pytest.mark.parametrize(("steps", "games", "progress"), [(100, 0, 0), (10_000, _GAMES, 1)])
def test_a_file_that_takes_too_long_is_left_in_the_middle(folder, monkeypatch, steps, games, progress):
    """A game takes about 60 steps."""
    monkeypatch.setattr(rescue, "_VM_STEPS", 10)
    monkeypatch.setattr(rescue, "_MOST_VM_STEPS", steps)
    monkeypatch.setattr(rescue, "_VM_STEPS_A_BYTE", 0)
    tamper(folder, "ALTER TABLE games ADD COLUMN more TEXT")
    library = opened(folder)
    assert len(library.remembered("lesson")) == progress
    assert len(readable(library)) == games


def test_readings_of_a_table_are_limited(folder, monkeypatch):
    """Without a limit, the dead ranges of numbers would be halved for ever."""
    monkeypatch.setattr(rescue, "_MOST_READINGS", 100)
    destroy(folder, *(root_page(folder, table) for table in ("games", "records", "seats")))
    library = opened(folder)
    assert library.remembered("lesson") == {"first"}
    assert readable(library) == []


@pytest.mark.parametrize("first", [b"\xa5" * _PAGE, b"SQLite format 3\0" + bytes(_PAGE - 16), b""])
def test_a_library_that_cannot_be_read_at_all_leaves_a_new_empty_one(folder, first):
    whole = path_in(folder).read_bytes()
    path_in(folder).write_bytes(first + whole[_PAGE:])
    library = opened(folder)
    assert readable(library) == []
    library = Library(folder)
    assert library.add(entry_of(a_record(1)))
    library.close()


def test_a_damaged_file_is_set_aside_with_its_journal(folder):
    """Beside the new library it would be taken for the new one's."""
    path = path_in(folder)
    whole = path.read_bytes()
    path.write_bytes(whole[:100] + b"\xa5" * (_PAGE - 100) + whole[_PAGE:])
    rescue.extra_files(path)[0].write_bytes(b"\xa5" * 64)
    aside = rescue.set_aside(path)
    assert all(one.exists() for one in (aside, rescue.extra_files(aside)[0]))
    assert not any(one.exists() for one in (path, *rescue.extra_files(path)))


def test_a_value_that_no_column_can_hold_costs_only_its_row(folder):
    tamper(
        folder,
        "ALTER TABLE games ADD COLUMN more TEXT; PRAGMA writable_schema = ON;"
        "UPDATE sqlite_master SET sql = replace(sql, 'bouts INTEGER NOT NULL', 'bouts INTEGER');"
        "PRAGMA writable_schema = RESET; UPDATE games SET bouts = NULL WHERE id = 2;"
        "UPDATE games SET date = printf('%.*c', 20000000, 'x') WHERE id = 3;"
        "UPDATE records SET record = 'no game' WHERE game = 4;"
        "DELETE FROM records WHERE game = 5; DELETE FROM seats WHERE game = 6",
    )
    library = opened(folder)
    row = library.rows([library.find()[-1]])
    assert row
    with pytest.raises(LibraryError, match="cannot be read"):
        library.record(4)
    library.delete([4])
    found = readable(library)
    assert len(found) == _GAMES - 2
    assert a_record(5) not in found
    assert all(a_record(seed) in found for seed in (2, 3, 6))


@pytest.mark.parametrize("word", [b"games", b"record TEXT", b"PRIMARY", b"INDEX", b"table"])
def test_a_schema_that_is_no_text_costs_nothing(folder, word):
    """SQLite quotes it in an error that Python cannot decode."""
    data = bytearray(path_in(folder).read_bytes())
    data[data.index(word) + 2] |= 0x80
    path_in(folder).write_bytes(data)
    library = opened(folder)
    assert [str(notice) for notice in library.notices] == [
        _NOTICE.format(folder / "library.sqlite3.damaged-1")
    ]
    assert library.remembered("lesson") == {"first"}
    assert len(readable(library)) == _GAMES
    assert bytes(data) == (folder / "library.sqlite3.damaged-1").read_bytes()
    assert not list(folder.glob("*.tmp*"))


@pytest.mark.parametrize("version", [0, 3, 1 << 31])
def test_a_wrong_version_costs_nothing(folder, version):
    with path_in(folder).open("r+b") as file:
        file.seek(60)
        file.write(version.to_bytes(4, "big"))
    assert len(readable(opened(folder))) == _GAMES


def test_what_a_damaged_file_lost_comes_from_the_newest_copy(folder):
    library = Library(folder)
    library.copy_daily(lambda: None)
    library.add(entry_of(a_record(99)))
    library.close()
    (copy,) = (folder / "copies").iterdir()
    old = copy.with_name("library-2026-01-01.sqlite3")
    old.write_bytes(b"no library")
    today = copy.stem.removeprefix("library-")
    with path_in(folder).open("r+b") as file:
        file.truncate(2 * _PAGE)
    library = opened(folder)
    assert f"those of the copy of {today}" in str(library.notices[0])
    assert library.remembered("lesson") == {"first"}
    assert len(readable(library)) == _GAMES


def test_what_was_lost_beside_the_games_comes_from_the_newest_copy_too(folder):
    library = Library(folder)
    library.copy_daily(lambda: None)
    library.close()
    destroy(folder, root_page(folder, "judgements"))
    library = opened(folder)
    with pytest.raises(LibraryError, match="those of the copy of"):
        library.evaluation(a_record(3))
    assert library.evaluation(a_record(3)) == ("engine", 100, "lines of 3")
    library.close()


def test_an_emptied_library_is_restored(folder):
    library = Library(folder)
    library.copy_daily(lambda: None)
    library.close()
    path_in(folder).write_bytes(b"")
    os.utime(path_in(folder), (0, 0))
    library = Library(folder)
    assert "those of the copy of" in str(library.notices[0])
    assert len(readable(library)) == _GAMES


def test_copies_are_daily_and_bounded(folder):
    copies = folder / "copies"
    copies.mkdir()
    for day in range(1, 6):
        (copies / f"library-2026-01-0{day}.sqlite3").write_bytes(b"old")
    library = Library(folder)
    calls = []
    library.copy_daily(lambda: calls.append(1))
    assert calls
    assert len(list(copies.iterdir())) == 3
    assert (copies / "library-2026-01-05.sqlite3").exists()
    library.copy_daily(lambda: calls.append(2))
    library.close()
    again = Library(folder)
    again.copy_daily(lambda: calls.append(2))
    again.close()
    assert 2 not in calls


def test_a_cancelled_or_damaged_copy_leaves_the_others(folder):
    def cancel():
        raise LibraryError("The program ends.")

    library = Library(folder)
    with pytest.raises(LibraryError):
        library.copy_daily(cancel)
    assert list((folder / "copies").iterdir()) == []
    library.close()
    destroy(folder, root_page(folder, "records"))
    library = Library(folder)
    library.copy_daily(lambda: None)
    assert list((folder / "copies").iterdir()) == []
    library.close()
