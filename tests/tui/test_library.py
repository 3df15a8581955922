"""The library's file: what it stores and finds, and that no damage, lock or full disk loses a game."""

import json
import sqlite3
import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path

import pytest
from waiting import running

from durak_core.game.json_form import from_json, to_json, write_json_line
from durak_core.game.notation.game_text import write_game, write_games
from durak_tui.library.entries import entry_of, game_key
from durak_tui.library.errors import LibraryError
from durak_tui.library.importing import collect, import_file
from durak_tui.library.query import Query
from durak_tui.library.schema import STEPS, bring_up_to_date
from durak_tui.library.store import Library
from durak_tui.players.roster import HUMAN, LEVELS
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
    assert (row.date, row.rules, row.preset, row.seats) == (record.date, "podkidnoy", "podkidnoy", 2)
    assert (row.players, row.names) == ("Anna, greedy", "Anna, Boris (greedy)")
    assert row.outcome == {0: "lost", 1: "won", None: "draw"}[result.fool]
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
    library.bring_back([second])
    assert library.find() == [second, third]
    library.close()
    again = Library(tmp_path)
    assert again.find() == [second, third]
    again.bring_back([first])
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
    assert row.players == row.names == "A?, B?C?[31m"
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
    assert not library.set_judgement(record, "Durak", 300, "lines")
    library.add(entry_of(record))
    assert library.judgement(record) is None
    library.set_judgement(record, "Durak", 300, "lines")
    library.set_judgement(record, "An\x1bother", 1000, "more")
    assert library.judgement(record) == ("An?other", 1000, "more")
    assert library.judgement(a_record(2)) is None


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
        ({"opponent": "smart"}, "32"),
        ({"opponent": "ismcts"}, ""),
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
        ("ru", "просмотрена", "3"),
        ("ru", "прочитана", "4"),
        ("ru", "не доиграна", "4"),
        ("ru", "перев 3 места", "2"),
        ("ru", "watched", "3"),
        ("ru", "Любитель", "5"),
        ("ru", "маша", "5"),
        ("en", "masha", "5"),
        ("en", "club", "5"),
        ("en", "broken off", "4"),
        ("en", "unfinished", "4"),
        ("en", "просмотрена", ""),
    ],
)
def test_the_words_of_the_language_in_force_find_games_too(several, code, text, found):
    played = replace(a_record(5, date="2025-01-05"), players=("Anna", "Маша"))
    several.add(entry_of(tagged(played, Player1=LEVELS["club"].text)))
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


def test_a_second_program_may_look_but_not_write_and_is_told_so(library, tmp_path):
    library.add(entry_of(a_record(1)))
    second = Library(tmp_path)
    assert not second.can_write
    assert second.problem.startswith("Another Durak has the library open")
    assert second.count() == 1
    assert second.record(second.find()[0]) == a_record(1)
    with pytest.raises(LibraryError, match="Another Durak has the library open"):
        second.add(entry_of(a_record(2)))
    library.add(entry_of(a_record(2)))
    assert second.count() == 2
    second.close()
    library.close()
    third = Library(tmp_path)
    assert third.can_write
    third.close()


def test_a_program_that_was_killed_leaves_the_library_free_and_whole(tmp_path):
    program = textwrap.dedent(f"""
        import sys
        from pathlib import Path
        from durak_tui.library.store import Library
        from durak_tui.library.entries import entry_of
        sys.path[:0] = {[str(Path(__file__).parents[1])]!r}
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
    assert library.can_write
    assert str(aside) in library.notices[0]
    assert library.add(entry_of(a_record(1)))
    library.close()


def test_damage_that_shows_only_later_begins_a_new_library_and_loses_no_file(library, tmp_path):
    library.add_all(many(400))
    library.close()
    path = tmp_path / "library.sqlite3"
    damaged = bytearray(path.read_bytes())
    damaged[4096 * 12 :] = b"\xa5" * len(damaged[4096 * 12 :])
    path.write_bytes(damaged)
    opened = Library(tmp_path)
    with pytest.raises(LibraryError, match=r"damaged; its file is kept as .*damaged-1"):
        opened.find(Query(text="anna", opponent="greedy"))
    assert (tmp_path / "library.sqlite3.damaged-1").read_bytes()[4096 * 12 : 4096 * 13] == b"\xa5" * 4096
    assert opened.add(entry_of(a_record(1)))
    assert opened.count() == 1
    opened.close()


def test_a_library_whose_tables_are_gone_is_kept_aside(library, tmp_path):
    library.add(entry_of(a_record(1)))
    library.close()
    db = sqlite3.connect(tmp_path / "library.sqlite3")
    db.execute("DROP TABLE seats")
    db.close()
    opened = Library(tmp_path)
    with pytest.raises(LibraryError, match="damaged"):
        opened.opponents()
    assert opened.opponents() == []
    assert (tmp_path / "library.sqlite3.damaged-1").exists()
    opened.close()


def test_a_library_of_a_newer_version_is_refused_and_left_as_it_is(library, tmp_path):
    library.add(entry_of(a_record(1)))
    library.close()
    with sqlite3.connect(tmp_path / "library.sqlite3") as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    opened = Library(tmp_path)
    assert "was written by a newer version of Durak (library version 99; this program knows" in opened.problem
    assert opened.find() == []
    with pytest.raises(LibraryError, match="newer version"):
        opened.add(entry_of(a_record(2)))
    assert not list(tmp_path.glob("*.damaged-*"))
    opened.close()


def test_a_full_disk_is_named_and_what_was_there_stays(library):
    library.add(entry_of(a_record(1)))
    pages = library._db.execute("PRAGMA page_count").fetchone()[0]
    library._db.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(LibraryError, match=r"^The game cannot be stored in the library: the disk is full\.$"):
        library.add_all(many(50))
    assert library.count() == 1
    library._db.execute("PRAGMA max_page_count = 100000")
    assert library.add(entry_of(a_record(2)))


def test_a_library_that_may_not_be_written_is_named(library):
    library._db.execute("PRAGMA query_only = 1")
    with pytest.raises(LibraryError, match="it may not be written to"):
        library.add(entry_of(a_record(1)))


def test_a_folder_that_cannot_be_is_told_and_everything_goes_on(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    library = Library(tmp_path / "file")
    assert "cannot be written to" in library.problem
    assert library.find() == []
    with pytest.raises(LibraryError):
        library.add(entry_of(a_record(1)))
    library.close()


def test_a_library_in_a_folder_without_writing_is_read(library, tmp_path, monkeypatch):
    library.add(entry_of(a_record(1)))
    library.close()

    def refuse(path):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("durak_tui.library.file.FileLock.acquire", refuse)
    opened = Library(tmp_path)
    assert "cannot be written to (Permission denied)" in opened.problem
    assert opened.count() == 1
    opened.close()


# Versions


def test_a_library_of_version_1_is_read_and_brought_up_to_date(tmp_path):
    script = (Path(__file__).parent / "library_v1.sql").read_text("utf-8")
    db = sqlite3.connect(tmp_path / "library.sqlite3")
    db.executescript(script)
    assert db.execute("PRAGMA user_version").fetchone() == (1,)
    db.close()
    library = Library(tmp_path)
    assert (library.problem, library.notices) == ("", [])
    (row,) = stored(library)
    assert (row.outcome, row.hints, row.names) == ("lost", 1, "Anna, Boris (greedy)")
    assert library.record(row.id) == tagged(a_record(1, plies=10**6), Hints="1")
    assert [game.accuracy for game in library.played_by(HUMAN)] == [91.5]
    assert library.new_files(["old.durak", "new.durak"]) == ["new.durak"]
    assert not library.add(entry_of(a_record(1)))
    assert library._db.execute("PRAGMA user_version").fetchone() == (len(STEPS),)
    game = library.record(row.id)
    assert library.judgement(game) is None
    assert library.set_judgement(game, "Durak", 300, "lines")
    library.close()
    library = Library(tmp_path)
    assert library.judgement(game) == ("Durak", 300, "lines")
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


def test_a_file_of_many_games_is_imported_and_each_only_once(library, tmp_path):
    path = tmp_path / "games.jsonl"
    path.write_text("".join(write_json_line(a_record(seed, WATCHED)) for seed in (1, 2, 1, 3)), "utf-8")
    seen = []
    made = import_file(library, path, lambda so_far: seen.append(so_far.new))
    assert (made.new, made.known, made.broken) == (3, 1, 0)
    assert str(made) == "3 games imported, 1 there already"
    assert len(seen) == 4
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
    lines = [problem.partition(":")[0] for problem in made.problems]
    assert lines == ["line 1", "line 4", "line 5", "line 6", "line 7", "line 8"]
    assert "'1x'" in made.problems[2] or "1x" in made.problems[2]
    assert library.count() == 2


def test_of_many_damaged_lines_the_first_twenty_are_named(library, tmp_path):
    path = tmp_path / "games.jsonl"
    path.write_text("{ broken\n" * 25)
    made = import_file(library, path)
    assert (made.broken, len(made.problems)) == (25, 20)
    assert made.problems[-1].startswith("line 20:")


def test_a_comment_before_the_first_move_is_no_json(library, tmp_path):
    record = from_json({**to_json(a_record(1)), "tags": {}, "date": "", "comment": "By the fire."})
    path = tmp_path / "games.durak"
    path.write_text(write_game(record), "utf-8")
    assert "{By the fire.}" in path.read_text("utf-8").splitlines()[:10]
    made = import_file(library, path)
    assert (made.new, made.broken) == (1, 0)


def test_game_text_is_imported_up_to_the_damaged_game(library, tmp_path):
    path = tmp_path / "games.durak"
    path.write_text(write_games([a_record(1), a_record(2)]) + '\n[Rules "no such"]\n6c', "utf-8")
    made = import_file(library, path)
    assert (made.new, made.broken) == (2, 1)
    assert "line " in made.problems[0]


@pytest.mark.parametrize("content", [b"", b"\n\n", None])
def test_a_file_without_games_is_an_error(library, tmp_path, content):
    path = tmp_path / "nothing"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(LibraryError, match=r"nothing (holds no game|cannot be read: No such file)"):
        import_file(library, path)


def test_any_file_can_be_tried_and_says_what_is_wrong_with_it(library, tmp_path):
    path = tmp_path / "picture.png"
    path.write_bytes(b"\x89PNG\r\n\x1a\n\x00\xff\xfe")
    made = import_file(library, path)
    assert (made.new, made.broken) == (0, 1)
    assert made.problems == ["line 1: this is not UTF-8 text"]


def test_finished_games_of_people_are_taken_up_once_also_when_deleted(library, tmp_path):
    folder = tmp_path / "games"
    folder.mkdir()
    for name, record in (("a", a_record(1)), ("b", a_record(2, WATCHED))):
        (folder / f"{name}.durak").write_text(write_game(record), "utf-8")
    (folder / "c.durak").write_text("rubbish")
    assert collect(library, folder) == 1
    (row,) = stored(library)
    assert (row.source, row.human) == ("played", 0)
    library.delete([row.id])
    assert collect(library, folder) == 0
    assert library.count() == 0
    assert collect(library, tmp_path / "missing") == 0


def test_a_file_that_another_program_has_taken_up_brings_no_deleted_game_back(tmp_path):
    library = Library(tmp_path)
    library.take_up("a.durak", entry_of(a_record(1)))
    library.delete(library.find())
    library.close()
    library = Library(tmp_path)
    library.take_up("a.durak", entry_of(a_record(1)))
    assert library.find() == []
    library.close()
