"""The library's file: what it stores and finds, and that no damage, lock or full disk loses a game."""

import errno
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import textwrap
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from waiting import running

from durak_core.game.json_form import from_json, to_json, write_json_line
from durak_core.game.notation.game_code import write_game_code
from durak_core.game.notation.game_text import write_game
from durak_tui.library.model.entries import SeatEntry, entry_of, game_key
from durak_tui.library.model.file import SCHEMA, STEPS, LibraryError, bring_up_to_date
from durak_tui.library.model.service import LibraryService, collect, import_file
from durak_tui.library.model.store import Library, Query
from durak_tui.players import HUMAN
from durak_tui.storage.database import check_schema
from durak_tui.text.i18n import set_language
from tui.games import a_record, many, tagged

WATCHED = ("smart", "greedy")


@pytest.fixture
def library(tmp_path):
    opened = Library(tmp_path)
    yield opened
    opened.close()


def stored(library, **query):
    """Return the rows that a query finds, in its order."""
    ids = library.find(Query(**query))
    rows = library.rows(ids)
    return [rows[number] for number in ids]


def test_the_library_needs_no_textual():
    program = "import durak_tui.library, sys; print('textual' in sys.modules, 'numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


# Storing


def test_a_game_is_stored_with_all_that_lists_and_statistics_need(library):
    record = tagged(a_record(3), Hints="2", Undos="1", Event="at home")
    assert library.add(entry_of(record))
    (row,) = stored(library)
    result = record.result
    assert (row.date, row.rules, row.preset, len(row.seats)) == (record.date, "podkidnoy", "podkidnoy", 2)
    lost = [seat in result.fools for seat in range(2)]
    assert row.seats == (SeatEntry(HUMAN, "Anna", lost[0]), SeatEntry("greedy", "Boris", lost[1]))
    assert row.outcome == {(0,): "lost", (1,): "won", (): "draw"}[result.fools]
    assert (row.bouts, row.plies, row.over) == (result.bouts, result.plies, True)
    assert (row.hints, row.undos, row.source, row.human) == (2, 1, "played", 0)
    assert library.record(row.id) == record
    assert stored(library, text="at HOME assisted") == [row]


def test_a_game_that_is_there_is_not_stored_twice(library):
    assert library.add(entry_of(a_record(3)))
    assert not library.add(entry_of(a_record(3), "imported"))
    assert not library.add(entry_of(tagged(a_record(3), Event="again")))
    assert library.count() == 1


def test_the_key_tells_games_apart_by_rules_players_deal_and_moves_alone():
    keys = {
        game_key(record)
        for record in (
            a_record(1),
            a_record(2),
            a_record(1, plies=5),
            a_record(1, rules="perevodnoy"),
            a_record(1, players=(HUMAN, "greedy", "smart")),
            a_record(1, players=WATCHED),
            a_record(1, players=WATCHED[::-1]),
        )
    }
    assert len(keys) == 7
    assert game_key(a_record(1)) == game_key(tagged(a_record(1, date=""), Event="again"))


def test_several_games_are_stored_all_or_none(library):
    def failing():
        yield entry_of(a_record(1))
        raise KeyError("the file ends")

    with pytest.raises(KeyError):
        library.add_all(failing())
    assert library.count() == 0
    assert library.add_all([entry_of(a_record(seed)) for seed in (1, 2, 1)]) == 2


def test_a_deleted_game_can_be_brought_back_until_the_library_is_closed(library, tmp_path):
    library.add_all([entry_of(a_record(seed)) for seed in (1, 2, 3)])
    first, second, third = library.find()
    library.delete([first, second])
    assert library.find() == [third]
    library.restore([second])
    assert library.find() == [second, third]
    library.close()
    again = Library(tmp_path)
    assert again.find() == [second, third]
    again.restore([first])
    assert again.count() == 2
    again.close()


def test_a_deleted_game_comes_back_when_it_is_imported_again(library):
    library.add(entry_of(a_record(1)))
    library.delete(library.find())
    assert library.count() == 0
    assert library.add(entry_of(a_record(1)))
    assert library.count() == 1


def test_names_that_no_terminal_or_file_can_hold_are_stored_as_question_marks(library):
    obj = to_json(a_record(1, WATCHED)) | {
        "players": ["A\udcff", "B\x00C\x1b[31m"],
        "tags": {"Event": "\ud800"},
    }
    record = from_json(obj)
    assert library.add(entry_of(record))
    (row,) = stored(library, text="b?c")
    assert [(seat.player, seat.name) for seat in row.seats] == [("A?", "A?"), ("B?C?[31m",) * 2]
    assert library.opponents() == ["A?", "B?C?[31m"]
    assert len(library.played_by("A?")) == 1
    assert library.record(row.id).players == record.players
    assert not library.add(entry_of(record))


@pytest.mark.parametrize(
    ("written", "read"), [("88.5", 88.5), ("101", None), ("nan", None), ("much", None), ("", None)]
)
def test_the_accuracy_of_a_reviewed_file_is_taken_over(library, written, read):
    library.add(entry_of(tagged(a_record(1), Accuracy0=written)))
    assert [game.accuracy for game in library.played_by(HUMAN)] == [read]


def test_accuracy_is_remembered_once_a_game_is_reviewed(library):
    library.add(entry_of(a_record(1)))
    assert [game.accuracy for game in library.played_by(HUMAN)] == [None]
    assert library.set_accuracy(a_record(1), {0: 87.5, 1: 60.0})
    assert [game.accuracy for game in library.played_by(HUMAN)] == [87.5]
    assert [game.accuracy for game in library.played_by("greedy")] == [60.0]
    assert not library.set_accuracy(a_record(2), {0: 1.0})


def test_a_judgement_is_kept_with_its_game_and_replaced_by_the_next(library):
    record = a_record(1)
    assert not library.set_evaluation(record, "Durak", 300, "lines")
    library.add(entry_of(record))
    assert library.evaluation(record) is None
    library.set_evaluation(record, "Durak", 300, "lines")
    library.set_evaluation(record, "An\x1bother", 1000, "more")
    assert library.evaluation(record) == ("An?other", 1000, "more")
    assert library.evaluation(a_record(2)) is None


# Finding


@pytest.fixture
def several(library):
    library.add_all(
        [
            entry_of(a_record(1, date="2026-01-01")),
            entry_of(a_record(2, (HUMAN, "smart", "greedy"), "perevodnoy", date="2026-01-02")),
            entry_of(a_record(3, WATCHED, date="2026-01-03"), "watched"),
            entry_of(a_record(4, plies=7, date="2026-01-04"), "imported"),
        ]
    )
    return library


def dates(rows):
    return [row.date[-1] for row in rows]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({}, "4321"),
        ({"preset": "perevodnoy"}, "2"),
        ({"opponent": ("smart",)}, "32"),
        ({"opponent": ("ismcts",)}, ""),
        ({"opponent": ("ismcts", "smart")}, "32"),
        ({"seats": 3}, "2"),
        ({"seats": 2, "with_me": True}, "41"),
        ({"with_me": False}, "3"),
        ({"result": "open"}, "4"),
        ({"text": "PEREV clara"}, "2"),
        ({"text": "watched"}, "3"),
        ({"text": "2026-01-01"}, "1"),
        ({"text": "%"}, ""),
        ({"text": "' OR 1 --"}, ""),
        ({"column": "date", "descending": False}, "1234"),
        ({"column": "moves", "descending": False, "seats": 2}, None),
    ],
)
def test_a_query_finds_what_it_says_in_its_order(several, query, found):
    rows = stored(several, **query)
    if found is None:
        assert [row.plies for row in rows] == sorted(row.plies for row in rows)
    else:
        assert "".join(dates(rows)) == found


@pytest.mark.parametrize(("descending", "found"), [(False, ["1", "2"]), (True, ["2", "1"])])
def test_games_that_are_equal_in_a_column_stand_by_their_dates(tmp_path, descending, found):
    library = Library(tmp_path)
    library.add_all([entry_of(a_record(seed, date=f"2026-01-0{3 - seed}")) for seed in (1, 2)])
    assert dates(stored(library, column="rules", descending=descending)) == found
    library.close()


@pytest.mark.parametrize(
    ("code", "text", "found"),
    [
        ("ru", "переводной", "2"),
        ("ru", "подкид", "4315"),
        ("ru", "просмотр", "3"),
        ("ru", "из файла", "4"),
        ("ru", "не доиграна", "4"),
        ("ru", "перев 3 игрока", "2"),
        ("ru", "watched", "3"),
        ("ru", "Баба", "5"),
        ("ru", "прежний мастер", "5"),
        ("en", "nina", "5"),
        ("en", "earlier", "5"),
        ("en", "broken off", "4"),
        ("en", "unfinished", "4"),
        ("en", "просмотр", ""),
    ],
)
def test_the_words_of_the_language_in_force_find_games_too(several, code, text, found):
    played = replace(a_record(5, date="2025-01-05"), players=("Прежний", "Баба Нина"))
    players = {"Player0": "ismcts:iterations=500", "Player1": "level:nina"}
    several.add(entry_of(tagged(played, **players)))
    set_language(code)
    assert dates(stored(several, text=text)) == list(found)


def test_a_result_is_found_by_its_word_in_the_language_in_force(several):
    ended = {entry_of(several.record(row.id)).outcome for row in stored(several, seats=2, with_me=True)}
    for code, words in (
        ("en", {"won": "won", "lost": "lost"}),
        ("ru", {"won": "победа", "lost": "я в дураках"}),
    ):
        set_language(code)
        for outcome in ended & set(words):
            outcomes = {row.outcome for row in stored(several, text=words[outcome])}
            assert outcomes == {outcome}


@pytest.mark.parametrize("result", ["won", "lost", "draw", "open", "ended"])
def test_results_are_found_by_what_they_are(library, result):
    library.add_all(many(60))
    rows = stored(library, result=result)
    wanted = "fool " if result == "ended" else result
    assert all(row.outcome.startswith(wanted) for row in rows)
    assert len(rows) == sum(row.outcome.startswith(wanted) for row in stored(library))


def test_opponents_and_presets_are_listed_the_most_frequent_first(several):
    assert several.opponents() == ["greedy", "smart"]
    assert several.presets() == ["perevodnoy", "podkidnoy"]


# What can go wrong


def test_two_programs_see_and_store_each_others_games(library, tmp_path):
    second = Library(tmp_path)
    for number, program in enumerate((library, second, library, second)):
        assert program.add(entry_of(a_record(number)))
        assert not (library if program is second else second).add(entry_of(a_record(number)))
    assert library.find() == second.find()
    assert library.count() == second.count() == 4
    second.close()


def test_what_one_program_deleted_it_can_bring_back_whatever_others_open_and_close(library, tmp_path):
    library.add_all([entry_of(a_record(seed)) for seed in (1, 2)])
    first, second = library.find()
    library.delete([first])
    for _ in range(2):
        Library(tmp_path).close()
    library.restore([first])
    assert library.count() == 2
    library.delete([first])
    other = Library(tmp_path)
    library.close()
    other.close()  # the last one forgets
    again = Library(tmp_path)
    again.restore([first])
    assert again.find() == [second]
    again.close()


WRITER = """
import sys
from pathlib import Path
sys.path[:0] = [sys.argv[1]]
from durak_tui.library.model.entries import entry_of
from durak_tui.library.model.store import Library, Query
from tui.games import many
library = Library(Path(sys.argv[2]))
print(library.problem, flush=True)
sys.stdin.readline()
for number, entry in enumerate(many(400)):
    if number % 2 == int(sys.argv[3]) or number % 10 == 0:
        library.add_file(f"{number}.durak", entry)
library.close()
"""


def test_two_programs_that_write_at_once_lose_no_game_and_take_up_none_twice(tmp_path):
    """They open the file at the same time, too; every tenth game is found by both."""
    here, pipe = str(Path(__file__).parents[2]), subprocess.PIPE
    command = [sys.executable, "-c", WRITER, here, str(tmp_path)]
    programs = [
        subprocess.Popen([*command, each], stdin=pipe, stdout=pipe, stderr=pipe, text=True) for each in "01"
    ]
    for program in programs:
        assert program.stdout.readline() == "\n"
    for program in programs:
        program.stdin.write("go\n")
        program.stdin.flush()
    for program in programs:
        assert program.communicate() == ("", "")
        assert program.returncode == 0
    library = Library(tmp_path)
    assert library.count() == 400
    assert library.new_files([f"{number}.durak" for number in range(401)]) == ["400.durak"]
    library.close()


def test_tables_are_brought_up_to_date_once_by_programs_that_start_together(tmp_path):
    first, second = (
        sqlite3.connect(tmp_path / "x", isolation_level=None, check_same_thread=False) for _ in range(2)
    )
    begun = threading.Event()
    second.set_trace_callback(lambda sql: begun.set() if sql.startswith("BEGIN") else None)
    waiting = threading.Thread(target=bring_up_to_date, args=(second,))
    first.execute("BEGIN IMMEDIATE")
    waiting.start()
    begun.wait()
    for statement in ";".join(STEPS).split(";"):
        first.execute(statement)
    first.execute(f"PRAGMA user_version = {len(STEPS)}")
    first.execute("COMMIT")
    waiting.join()
    check_schema(second, SCHEMA)
    assert second.execute("PRAGMA user_version").fetchone() == (len(STEPS),)
    for db in (first, second):
        db.close()


def test_a_program_that_was_killed_leaves_the_library_free_and_whole(tmp_path):
    program = textwrap.dedent(f"""
        import sys
        from pathlib import Path
        from durak_tui.library.model.store import Library
        from durak_tui.library.model.entries import entry_of
        sys.path[:0] = {[str(Path(__file__).parents[2])]!r}
        from tui.games import a_record
        library = Library(Path({str(tmp_path)!r}))
        library.add(entry_of(a_record(1)))
        library._db.execute("BEGIN")
        library._db.execute("DELETE FROM games")
        print("in the middle", flush=True)
        sys.stdin.read()
    """)  # noqa: S608 - no input of anybody's
    pipe = subprocess.PIPE
    with running([sys.executable, "-c", program], stdin=pipe, stdout=pipe) as other:
        assert other.stdout.readline() == b"in the middle\n"
    library = Library(tmp_path)
    assert (library.problem, library.notices, library.count()) == ("", [], 1)
    library.close()


@pytest.mark.parametrize("rubbish", [b"rubbish " * 900, b"SQLite format 3\0" + b"\xff" * 9000])
def test_rubbish_in_the_librarys_place_is_kept_aside(tmp_path, rubbish):
    path = tmp_path / "library.sqlite3"
    path.write_bytes(rubbish)
    library = Library(tmp_path)
    aside = tmp_path / "library.sqlite3.damaged-1"
    assert aside.read_bytes() == rubbish
    assert not library.problem
    assert "library.sqlite3.damaged-1" in str(library.notices[0])
    assert library.add(entry_of(a_record(1)))
    library.close()


def test_damage_that_shows_only_later_begins_a_new_library_and_loses_no_file(library, tmp_path):
    library.add_all(many(200))
    library.close()
    path = tmp_path / "library.sqlite3"
    damaged = bytearray(path.read_bytes())
    damaged[4096 * 12 :] = b"\xa5" * len(damaged[4096 * 12 :])
    path.write_bytes(damaged)
    opened = Library(tmp_path)
    with pytest.raises(LibraryError, match="damaged; its file is kept as "):
        opened.find(Query(text="anna", opponent=("greedy",)))
    assert (tmp_path / "library.sqlite3.damaged-1").read_bytes()[4096 * 12 : 4096 * 13] == b"\xa5" * 4096
    assert opened.add(entry_of(a_record(1)))
    assert opened.count() == 1
    opened.close()


@pytest.mark.parametrize(
    "tampered",
    [
        "DROP TABLE seats",
        "ALTER TABLE games ADD COLUMN more TEXT",
        "CREATE TRIGGER t AFTER INSERT ON games BEGIN DELETE FROM games; END",
        "ALTER TABLE files RENAME TO f; CREATE VIEW files AS SELECT * FROM f",
    ],
)
def test_a_library_with_other_tables_than_this_programs_is_replaced(library, tmp_path, tampered):
    library.add(entry_of(a_record(1)))
    library.close()
    db = sqlite3.connect(tmp_path / "library.sqlite3")
    db.executescript(tampered)
    db.close()
    opened = Library(tmp_path)
    assert "was damaged" in str(opened.notices[0])
    assert (opened.problem, opened.count()) == ("", 1)
    assert (tmp_path / "library.sqlite3.damaged-1").exists()
    opened.close()


@pytest.mark.parametrize("replaced", [False, True], ids=["deleted", "replaced"])
def test_what_is_learnt_after_the_folder_was_deleted_is_stored_in_the_library_that_is_there(
    library, tmp_path, replaced
):
    """SQLite goes on writing into the deleted file, and says nothing."""
    library.remember("lesson", "before")
    shutil.rmtree(tmp_path)
    if replaced:
        other = Library(tmp_path)
        other.remember("lesson", "of another window")
        other.close()
    library.remember("lesson", "after")
    assert "was deleted while Durak was running" in str(library.notices[0])
    assert len(library.notices) == 1
    library.remember("lesson", "later")
    library.close()
    opened = Library(tmp_path)
    assert opened.remembered("lesson") == {"after", "later", *(["of another window"] if replaced else [])}
    assert not opened.notices
    opened.close()


def test_a_damaged_library_is_not_taken_from_under_another_program(library, tmp_path):
    library.add(entry_of(a_record(1)))
    other = sqlite3.connect(tmp_path / "library.sqlite3")
    other.execute("DROP TABLE seats")
    second = Library(tmp_path)
    assert "is damaged and cannot be put aside (another program is using it; close that program)" in str(
        second.problem
    )
    other.close()
    library.close()
    second.open_again()
    assert (second.problem, len(second.notices)) == ("", 1)
    assert second.count() == 1
    second.close()


@pytest.mark.parametrize("suffix", ["", "-wal", "-shm", "-journal"])
@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_only_regular_files_are_opened_and_games_go_on(library, tmp_path, suffix, make):
    library.close()
    path = tmp_path / f"library.sqlite3{suffix}"
    path.unlink(missing_ok=True)
    make(path)
    opened = Library(tmp_path)
    assert f"{path.name} is not a regular file. Games are played, but not stored" in str(opened.problem)
    assert opened.find() == []
    opened.close()


TAMPERED = {
    "date": "x'00ff'",
    "seats": "'many'",
    "human": "77",
    "bouts": "NULL",
    "preset": "x'1b5b'",
    "plies": "1e300",
}


@pytest.mark.parametrize("column", TAMPERED)
def test_a_row_that_cannot_be_is_left_out_of_lists_and_statistics(library, column):
    library.add_all([entry_of(a_record(seed)) for seed in (1, 2)])
    first, second = library.find()
    with library.using("trying") as db:
        db.execute("PRAGMA ignore_check_constraints = ON")
        db.execute("PRAGMA writable_schema = ON")
        null = "REPLACE(sql, 'INTEGER NOT NULL', 'INTEGER')"
        db.execute(f"UPDATE sqlite_master SET sql = {null} WHERE name = 'games'")  # noqa: S608
        db.execute("PRAGMA writable_schema = RESET")
        db.execute(f"UPDATE games SET {column} = {TAMPERED[column]} WHERE id = ?", (first,))  # noqa: S608
    assert list(library.rows([first, second])) == [second]
    assert len(library.find()) == 2
    assert len(library.played_by(HUMAN)) in {1, 2}
    assert len(library.played_by("greedy")) in {1, 2}


def test_texts_of_a_library_from_elsewhere_reach_no_terminal_as_they_are(library):
    library.add(entry_of(a_record(1)))
    with library.using("trying") as db:
        nasty = "a\x1b]0;X\x07"
        db.execute("UPDATE games SET preset = ?1, date = CAST(x'41ff42' AS TEXT)", (nasty,))
        db.execute("UPDATE seats SET player = ? WHERE seat = 1", (nasty,))
    (row,) = stored(library)
    assert (row.seats[1].player, row.preset, row.date) == ("a?]0;X?", "a?]0;X?", "A\ufffdB")
    assert library.opponents() == ["a?]0;X?"]
    assert library.presets() == ["a?]0;X?"]
    (played,) = library.played_by(HUMAN)
    assert (played.preset, played.opponents) == ("a?]0;X?", ("a?]0;X?",))


@pytest.mark.parametrize("text", ["", "\n", "{}", "[" * 100_000, "1" * 10_000, "null", "\x1b[2J"])
def test_a_record_that_is_no_game_is_said_to_be_damaged(library, text):
    library.add(entry_of(a_record(1)))
    with library.using("trying") as db:
        db.execute("UPDATE records SET record = ?", (text,))
    with pytest.raises(LibraryError, match="This game cannot be read"):
        library.record(library.find()[0])


def test_a_text_of_many_megabytes_makes_a_library_a_damaged_one_whose_records_remain(library, tmp_path):
    library.add(entry_of(a_record(1)))
    library.close()
    with sqlite3.connect(tmp_path / "library.sqlite3") as db:
        db.execute("UPDATE games SET date = printf('%.*c', 20000000, 'x')")
    db.close()
    opened = Library(tmp_path)
    with pytest.raises(LibraryError, match="was damaged; its file is kept"):
        opened.find()
    (row,) = stored(opened)
    assert row.date == a_record(1).date
    opened.close()


def test_a_library_of_a_newer_version_is_refused_and_left_as_it_is(library, tmp_path):
    library.add(entry_of(a_record(1)))
    library.close()
    with sqlite3.connect(tmp_path / "library.sqlite3") as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    opened = Library(tmp_path)
    assert "newer version of Durak (library version 99; this program knows" in str(opened.problem)
    assert opened.find() == []
    with pytest.raises(LibraryError, match="newer version"):
        opened.add(entry_of(a_record(2)))
    assert not list(tmp_path.glob("*.damaged-*"))
    opened.close()


def test_a_full_disk_is_named_and_what_was_there_stays(library):
    library.add(entry_of(a_record(1)))
    pages = library._db.execute("PRAGMA page_count").fetchone()[0]
    library._db.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(
        LibraryError, match=r"^The game cannot be stored in the library: the disk is full; make room on it\.$"
    ):
        library.add_all(many(50))
    assert library.count() == 1
    library._db.execute("PRAGMA max_page_count = 100000")
    assert library.add(entry_of(a_record(2)))


def test_a_library_that_may_not_be_written_is_named(library):
    library._db.execute("PRAGMA query_only = 1")
    with pytest.raises(LibraryError, match="this is not allowed; change the permissions"):
        library.add(entry_of(a_record(1)))


def test_a_folder_that_cannot_be_is_told_and_everything_goes_on(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    library = Library(tmp_path / "file")
    why = f"cannot be used: {tmp_path / 'file'} is in the way: it is no folder"
    assert why in str(library.problem)
    assert library.find() == []
    with pytest.raises(LibraryError):
        library.add(entry_of(a_record(1)))
    library.close()


def test_a_library_in_a_folder_without_writing_is_read(library, tmp_path, monkeypatch):
    library.add(entry_of(a_record(1)))
    library.close()

    def refuse(_self):
        error = sqlite3.OperationalError("attempt to write a readonly database")
        error.sqlite_errorcode = sqlite3.SQLITE_READONLY
        raise error

    with monkeypatch.context() as context:
        context.setattr(Library, "_open_writable", refuse)
        opened = Library(tmp_path)
        assert "library.sqlite3 cannot be changed: this is not allowed; change the permissions of" in str(
            opened.problem
        )
        assert opened.count() == 1
        with pytest.raises(LibraryError, match="cannot be changed"):
            opened.add(entry_of(a_record(2)))

        def write_bytes(_path, _data):
            raise OSError(errno.EROFS, "")

        context.setattr(Path, "write_bytes", write_bytes)
        opened.open_again()
        assert "library.sqlite3 cannot be changed: the disk can only be read; use another one. Games" in str(
            opened.problem
        )
    assert opened.add(entry_of(a_record(2)))  # what was wrong has gone
    opened.close()


@pytest.mark.skipif(sys.platform == "win32", reason="SQLite has this kind of lock on POSIX alone")
def test_where_memory_cannot_be_shared_games_are_stored_without_it(library, tmp_path, monkeypatch):
    library.add(entry_of(a_record(1)))
    library.close()
    connect = sqlite3.connect

    def without(name, *arguments, **options):
        is_library = "library.sqlite3" in str(
            name
        )  # and no database of another program's, such as coverage's
        return connect(f"{name}&vfs=unix-dotfile" if is_library else name, *arguments, **options)

    monkeypatch.setattr("durak_tui.library.model.file.sqlite3.connect", without)
    first, second = Library(tmp_path), Library(tmp_path)
    assert (first.problem, second.problem) == ("", "")
    assert first.add(entry_of(a_record(2)))
    assert second.add(entry_of(a_record(3)))
    assert first.count() == second.count() == 3
    first.delete(first.find()[:1])
    second.close()
    first.restore(first.find()[:1])
    assert len(first.notices) == 1
    assert "in turns" in str(first.notices[0])
    first.close()


# Versions


def test_a_library_of_version_1_is_read_and_brought_up_to_date(tmp_path):
    script = (Path(__file__).parents[1] / "library_v1.sql").read_text("utf-8")
    db = sqlite3.connect(tmp_path / "library.sqlite3")
    db.executescript(script)
    assert db.execute("PRAGMA user_version").fetchone() == (1,)
    db.close()
    library = Library(tmp_path)
    assert (library.problem, library.notices) == ("", [])
    (row,) = stored(library)
    assert (row.outcome, row.hints, [seat.name for seat in row.seats]) == ("lost", 1, ["Anna", "Boris"])
    assert library.record(row.id) == tagged(a_record(1, plies=10**6), Hints="1")
    assert [game.accuracy for game in library.played_by(HUMAN)] == [91.5]
    assert library.new_files(["old.durak", "new.durak"]) == ["new.durak"]
    assert not library.add(entry_of(a_record(1)))
    assert library._db.execute("PRAGMA user_version").fetchone() == (len(STEPS),)
    game = library.record(row.id)
    assert library.evaluation(game) is None
    assert library.set_evaluation(game, "Durak", 300, "lines")
    library.close()
    library = Library(tmp_path)
    assert library.evaluation(game) == ("Durak", 300, "lines")
    library.close()


def test_a_step_to_a_newer_version_keeps_the_games_and_a_failing_one_changes_nothing(tmp_path):
    db = sqlite3.connect(tmp_path / "x", isolation_level=None)
    bring_up_to_date(db)
    db.execute("INSERT INTO files VALUES ('a')")
    better = (*STEPS, "ALTER TABLE files ADD COLUMN size INTEGER; UPDATE files SET size = 7")
    with pytest.raises(sqlite3.OperationalError):
        bring_up_to_date(db, (*better, "DROP TABLE files; DROP TABLE nonsense"))
    assert db.execute("SELECT * FROM files").fetchall() == [("a",)]
    assert db.execute("PRAGMA user_version").fetchone() == (len(STEPS),)
    bring_up_to_date(db, better)
    assert db.execute("SELECT * FROM files").fetchall() == [("a", 7)]
    bring_up_to_date(db, better)
    with pytest.raises(LibraryError, match="newer version"):
        bring_up_to_date(db, STEPS)
    db.close()


# Files of games


def test_a_file_of_many_games_is_imported_and_each_only_once(library, tmp_path, monkeypatch):
    monkeypatch.setattr("durak_tui.library.model.service._AT_ONCE", 2)
    path = tmp_path / "games.jsonl"
    path.write_text("".join(write_json_line(a_record(seed, WATCHED)) for seed in (1, 2, 1, 3)), "utf-8")
    seen = []
    made = import_file(library, path, lambda so_far: seen.append(so_far.new))
    assert (made.new, made.known, made.broken) == (3, 1, 0)
    assert str(made) == "3 games imported, 1 there already"
    assert seen == [0, 2, 2, 3]
    assert {row.source for row in stored(library)} == {"imported"}
    assert str(import_file(library, path)) == "0 games imported, 4 there already"


def test_damaged_lines_are_named_and_the_good_ones_imported(library, tmp_path):
    first, second = (write_json_line(a_record(seed)) for seed in (1, 2))
    wrong = to_json(a_record(3))
    wrong["actions"][0]["card"] = "1x"
    path = tmp_path / "games.jsonl"
    path.write_bytes(
        b"\xef\xbb\xbf{ this is broken\n\n"
        + first.encode()
        + b"\xff\xfe\n"
        + json.dumps(wrong).encode()
        + b"\n[1, 2]\n"
        + first[:200].encode()
        + b"\n"
        + b"[" * 100_000
        + b"\n"
        + second.encode()
    )
    made = import_file(library, path)
    assert (made.new, made.known, made.broken) == (2, 0, 6)
    lines = [problem.removeprefix(f"{path}, ").partition(":")[0] for problem in made.problems]
    assert lines == ["line 1", "line 4", "line 5", "line 6", "line 7", "line 8"]
    assert "'1x'" in made.problems[2] or "1x" in made.problems[2]
    assert library.count() == 2


def test_of_many_damaged_lines_the_first_twenty_are_named(library, tmp_path):
    path = tmp_path / "games.jsonl"
    path.write_text("{ broken\n" * 25)
    made = import_file(library, path)
    assert (made.broken, len(made.problems)) == (25, 20)
    assert made.problems[-1].startswith(f"{path}, line 20:")


def test_a_comment_before_the_first_move_is_no_json(library, tmp_path):
    record = from_json({**to_json(a_record(1)), "tags": {}, "date": "", "comment": "By the fire."})
    path = tmp_path / "games.durak"
    path.write_text(write_game(record), "utf-8")
    assert "{By the fire.}" in path.read_text("utf-8").splitlines()[:10]
    made = import_file(library, path)
    assert (made.new, made.broken) == (1, 0)


def test_a_damaged_game_in_the_middle_of_game_text_costs_no_other(library, tmp_path):
    path = tmp_path / "games.durak"
    first, second = (write_game(a_record(seed)) for seed in (1, 2))
    path.write_text(f'{first}\n[Rules "no such"]\n6c\n\n{second}', "utf-8")
    made = import_file(library, path)
    assert (made.new, made.broken) == (2, 1)
    assert re.search(r"'no such'.*\(line \d+, character 1\)$", made.problems[0])


def test_a_game_code_is_not_imported(library):
    """Its people have no names, so it would count as a game of one's own."""
    with pytest.raises(LibraryError, match="start durak-tui with it"):
        import_file(library, Path(write_game_code(a_record(1))))


@pytest.mark.parametrize("text", ["{" + "x" * 3_000_000, '[Rules "podkidnoy"]\n\n' + "6c " * 999_999])
def test_an_import_ends_with_what_is_too_long_for_a_game_and_keeps_those_before(
    library, tmp_path, text, monkeypatch
):
    monkeypatch.setattr("durak_tui.library.model.service._AT_ONCE", 2)
    path = tmp_path / "games"
    write = write_json_line if text[0] == "{" else write_game
    path.write_text(f"{write(a_record(1))}\n{text}\n", "utf-8")
    made = import_file(library, path)
    assert (made.new, made.broken) == (1, 1)
    assert made.problems[0].endswith(
        "a game cannot have more than 1048576 bytes; the games after it were not read"
    )
    path.write_text(f"{write(a_record(1))}\n{write(a_record(2))}\n{text}\n", "utf-8")
    made = import_file(library, path)
    assert (made.new, made.known) == (1, 1)
    path.write_text(text, "utf-8")
    with pytest.raises(LibraryError, match="a game cannot have more than 1048576 bytes"):
        import_file(library, path)


@pytest.mark.parametrize("content", [b"", b"\n\n", None])
def test_a_file_without_games_is_an_error(library, tmp_path, content):
    path = tmp_path / "nothing"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(LibraryError, match=r"nothing (holds no game|cannot be read: there is no such file)"):
        import_file(library, path)


def test_any_file_can_be_tried_and_says_what_is_wrong_with_it(library, tmp_path):
    path = tmp_path / "picture.png"
    path.write_bytes(b"\x89PNG\r\n\x1a\n\x00\xff\xfe")
    made = import_file(library, path)
    assert (made.new, made.broken) == (0, 1)
    assert made.problems == [f"{path}, line 1: this is not UTF-8 text (at character 1)"]


def test_finished_games_of_people_are_taken_up_once_also_when_deleted(library, tmp_path):
    folder = tmp_path / "games"
    folder.mkdir()
    for name, record in (("a", a_record(1)), ("b", a_record(2, WATCHED))):
        (folder / f"{name}.durak").write_text(write_game(record), "utf-8")
    (folder / "c.durak").write_text("rubbish")
    counts = []
    assert collect(library, folder, counts.append) == []
    assert counts == [1, 1]
    (row,) = stored(library)
    assert (row.source, row.human) == ("played", 0)
    library.delete([row.id])
    assert collect(library, folder, counts.append) == []
    assert library.count() == 0
    assert collect(library, tmp_path / "missing") == []
    assert counts == [1, 1]


def test_files_that_cannot_be_games_are_left_out_and_named(library, tmp_path):
    (tmp_path / "a.durak").mkdir()
    os.mkfifo(tmp_path / "b.durak")
    (tmp_path / "c.durak").write_text(" " * 1_100_000)
    (tmp_path / "d.durak").symlink_to("/dev/zero")
    (tmp_path / "e.durak").write_text(write_game(a_record(1)), "utf-8")
    assert collect(library, tmp_path) == [
        "a.durak was not added to the library: it is a folder; expected a file.",
        "b.durak was not added to the library: it is not a regular file.",
        "c.durak was not added to the library: it is larger than 1 MB.",
        "d.durak was not added to the library: it is not a regular file.",
    ]
    assert library.count() == 1


def test_a_file_that_another_program_has_taken_up_brings_no_deleted_game_back(tmp_path):
    library = Library(tmp_path)
    library.add_file("a.durak", entry_of(a_record(1)))
    library.delete(library.find())
    library.close()
    library = Library(tmp_path)
    library.add_file("a.durak", entry_of(a_record(1)))
    assert library.find() == []
    library.close()


async def test_what_another_program_keeps_from_the_library_is_written_at_the_next_start(tmp_path):
    """The lock is told after a second, and closing does not wait for it."""
    told = []
    service = LibraryService(tmp_path, tmp_path / "games", told.append)
    assert service.store.count() == 0
    other = sqlite3.connect(tmp_path / "library.sqlite3", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(LibraryError, match="another program is using it"):
        await service.add(a_record(1), "watched")
    await service.keep_evaluation(a_record(1), ("Durak", 300, "lines"), {0: 50.0})
    assert "another program is using it" in told[-1]
    service.close()
    other.close()
    later = LibraryService(tmp_path, tmp_path / "games", told.append)
    await later.collect()
    assert later.store.count() == 1
    assert later.evaluation(a_record(1)) == ("Durak", 300, "lines")
    later.close()
    assert not (tmp_path / "unwritten.json").exists()
