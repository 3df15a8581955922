"""Files of games."""

from __future__ import annotations

import json
import os
import re
import tracemalloc
from pathlib import Path

import pytest
from playing import random_game

from durak_core import (
    BrokenGameError,
    Record,
    Rules,
    choose_records,
    load_records,
    to_json,
    write_game_code,
    write_games,
    write_json_line,
    write_text_atomically,
)
from durak_core.errors import FileError, NotationError, RecordError
from durak_core.game.files import LARGEST_GAME, scan_games


@pytest.fixture
def records() -> list[Record]:
    """Two random games."""
    return [
        Record.of([*random_game(Rules(seats=seats), seats)][-1], ("Анна", "B", "C")[:seats])
        for seats in (2, 3)
    ]


def test_game_text_and_json_lines_are_told_apart(tmp_path, records) -> None:
    """The first character decides, not the file's name."""
    text, lines = tmp_path / "a.txt", tmp_path / "b.txt"
    write_text_atomically(text, "\n" + write_games(records))
    write_text_atomically(lines, "\n" + "".join(map(write_json_line, records)))
    assert load_records(text) == records
    assert load_records(str(lines)) == records


def test_a_byte_order_mark_and_other_line_ends_do_not_matter(tmp_path, records) -> None:
    """Editors of other systems may have saved the file."""
    path = tmp_path / "a.durak"
    path.write_bytes(b"\xef\xbb\xbf" + write_games(records).replace("\n", "\r\n").encode())
    assert load_records(path) == records


def test_files_joined_by_windows_are_read_to_the_end(tmp_path, records) -> None:
    """Each file brings its byte order mark, and DOS ends a file with Ctrl+Z."""
    path = tmp_path / "a.durak"
    for text in (write_games(records), "".join(map(write_json_line, records))):
        marked = b"\xef\xbb\xbf" + text.encode()
        path.write_bytes(marked + b"\n" + marked + b"\x1a")
        assert load_records(path) == [*records, *records]
        assert scanned(path) == [*records, *records]


def test_another_encoding_is_refused_by_its_line(tmp_path, records) -> None:
    path = tmp_path / "a.durak"
    text = write_games(records[:1])
    path.write_bytes(text.replace("\n", "\n{Алёна}\n", 1).encode("cp1251"))
    assert f"{path}, line 2: this is not UTF-8 text" in scanned(path)[0]
    path.write_text(text, encoding="utf-16")
    assert f"{path}, line 1: it is UTF-16 text, not UTF-8" in scanned(path)[0]
    with pytest.raises(FileError, match="it is UTF-16 text"):
        load_records(path)


def test_a_file_without_a_game_is_refused(tmp_path) -> None:
    """An empty file is a mistake."""
    path = tmp_path / "a.durak"
    path.write_text(" \n")
    with pytest.raises(NotationError, match=r"a\.durak holds no game"):
        load_records(path)


def test_a_file_that_is_no_text_is_refused(tmp_path) -> None:
    """Bytes that are not UTF-8 give an error with their place."""
    path = tmp_path / "a.durak"
    path.write_bytes(b"[Rules \xff")
    with pytest.raises(FileError, match="it is not UTF-8 text from byte 8 on"):
        load_records(path)


def test_what_is_no_file_within_its_bound_is_refused_at_once(tmp_path) -> None:
    """All games at once or one by one: nobody waits for a pipe, and nothing endless is read."""
    pipe, sparse = tmp_path / "pipe", tmp_path / "sparse"
    os.mkfifo(pipe)
    with sparse.open("wb") as file:
        file.truncate(3 * 2**30)
    whys = {"no": "there is no such file", "": "it is a folder", "/dev/zero": "it is not a regular file"}
    for name, why in {**whys, "pipe": whys["/dev/zero"]}.items():
        for read in (load_records, choose_records, lambda path: list(scan_games(path))):
            with pytest.raises(FileError, match=f"cannot be read: .*{why}"):
                read(tmp_path / name)
    with pytest.raises(FileError, match="it is larger than 64 MB"):
        load_records(sparse)
    tracemalloc.start()
    with pytest.raises(NotationError, match="line 1: a game cannot have more than 1048576 bytes"):
        list(scan_games(sparse))
    assert tracemalloc.get_traced_memory()[1] < 20 * LARGEST_GAME
    tracemalloc.stop()


@pytest.mark.parametrize("long", ["{}" + " " * LARGEST_GAME, "[a\n" * LARGEST_GAME])
def test_a_game_that_is_too_long_ends_the_scan(tmp_path, records, long) -> None:
    """What stands before it is read, and it is named by its line."""
    write = write_json_line if long.startswith("{") else lambda record: write_games([record]) + "\n"
    path = tmp_path / "a"
    path.write_text(write(records[0]) + long, encoding="utf-8")
    found = scan_games(path)
    assert next(found).records() == (records[0],)
    line = write(records[0]).count("\n") + 1
    with pytest.raises(NotationError, match=f"a, line {line}: a game cannot have more than"):
        next(found)


def test_a_cut_file_keeps_its_games(tmp_path, records) -> None:
    """What could be read is in the error."""
    path = tmp_path / "a.durak"
    path.write_text(write_games(records)[:-30], encoding="utf-8")
    with pytest.raises(BrokenGameError) as caught:
        load_records(path)
    assert caught.value.earlier == (records[0],)
    assert caught.value.partial is not None


def test_one_game_is_chosen_whatever_comes_after_it(tmp_path, records) -> None:
    """A number picks a game; without one all are wanted, so that a damaged one counts."""
    path = tmp_path / "games.jsonl"
    path.write_text("".join(map(write_json_line, records)), encoding="utf-8")
    assert choose_records(path) == tuple(records)
    assert choose_records(path, 2) == (records[1],)
    for number in (0, 3):
        with pytest.raises(RecordError, match=f"holds 2 games; there is no game {number}"):
            choose_records(path, number)
    path.write_text(write_json_line(records[0]) + "{", encoding="utf-8")
    assert choose_records(path, 1) == (records[0],)
    for damaged in (None, 2):
        with pytest.raises(RecordError, match="line 2: this is not JSON"):
            choose_records(path, damaged)


# Game by game


def scanned(path: Path) -> list[Record | str]:
    """The games of a file, and what is wrong with the others."""
    found: list[Record | str] = []
    for stored in scan_games(path):
        try:
            found += stored.records()
        except BrokenGameError as error:
            found += [*error.earlier, str(error)]
    return found


def test_games_are_read_one_by_one(tmp_path, records) -> None:
    """Text and JSON, with other line ends, a mark at the beginning, and empty lines in many places."""
    path = tmp_path / "a"
    text, lines = write_games(records), "".join(map(write_json_line, records))
    for content in (
        text,
        text.replace("\n", "\r\n"),
        text.replace('"]\n', '"]\n\n'),
        "\n \n" + text.replace('"]\n', '"]\n\n') + "\n\n",
        text.replace("\n\n[", "\n["),
        lines,
        lines.replace("\n", "\n\n"),
        lines.rstrip("\n"),
    ):
        for mark in ("", "\ufeff"):
            path.write_bytes((mark + content).encode())
            assert scanned(path) == records
    path.write_text(json.dumps(to_json(records[0]), indent=1), encoding="utf-8")
    assert scanned(path) == records[:1]


def test_records_that_are_scanned_know_their_ends(tmp_path, records, monkeypatch) -> None:
    """Whoever counts games asks for the end of each; they are not played a second time."""
    path = tmp_path / "a"
    for content in (write_games(records), "".join(map(write_json_line, records))):
        path.write_text(content, encoding="utf-8")
        found = scanned(path)
        with monkeypatch.context() as context:
            context.setattr(Record, "_states", None)
            assert [record.end for record in found] == [record.end for record in records]


def test_a_damaged_game_costs_no_other(tmp_path, records) -> None:
    """Its file and line are named, however it is damaged; the comment that opens a line is not JSON."""
    path = tmp_path / "a"
    games = [record.annotated(0, comment="{curly}") for record in (*records, records[0])]
    texts = [write_games([game]) for game in games]
    start = texts[0].count("\n") + 2
    for broken in (texts[1][:-20], texts[1].replace("Deck", "Dekc"), texts[1].replace("attacks", "assaults")):
        path.write_text("\n".join([texts[0], broken + "\n", texts[2]]), encoding="utf-8")
        first, error, last = scanned(path)
        assert (first, last) == (games[0], games[2])
        line = int(re.search(rf"^{path}: .*\(line (\d+), character \d+\)$", error)[1])
        assert start <= line <= start + broken.count("\n") + 2
    lines = [write_json_line(game) for game in games]
    for broken in ("x\n", lines[1][:-30] + "\n", '{"a": ' + "[" * 9999 + "\n", "\0\n"):
        path.write_text("".join([broken, lines[0], lines[2]]), encoding="utf-8")
        error, first, last = scanned(path)
        assert error.startswith(f"{path}, line 1: ")
        assert (first, last) == (games[0], games[2])
    path.write_bytes(lines[0].encode() + b"\xff\n" + texts[0].encode())
    assert f"{path}, line 2: this is not UTF-8 text" in scanned(path)[1]


def test_scanning_holds_one_game_at_a_time(tmp_path, records) -> None:
    """A file of thousands of games is never in memory as a whole, be it JSON or text."""
    path = tmp_path / "a"
    for game in (write_json_line(records[0]), write_games(records[:1]) + "\n"):
        path.write_bytes(game.encode() * 1000)
        tracemalloc.start()
        count = sum(1 for _ in scan_games(path))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert count == 1000
        assert peak < 100 * len(game.encode()) < path.stat().st_size


def test_a_game_code_or_its_link_stands_for_a_file(tmp_path, monkeypatch, records) -> None:
    """Wherever games are read, unless a file has that name."""
    monkeypatch.chdir(tmp_path)
    record = records[0]
    code = write_game_code(record)
    for name in (
        code,
        Path(code),
        f"http://127.0.0.1:8000/g/{code}",
        Path(f"https://durak.example/a/g/{code}"),
    ):
        (found,) = load_records(name)
        assert found.moves == record.moves
        assert choose_records(name, 1) == (found,)
        assert [game for stored in scan_games(name) for game in stored.records()] == [found]
    with pytest.raises(NotationError, match="incomplete"):
        load_records(code[:-1])
    with pytest.raises(NotationError, match="is no file, and game codes of this version begin with D"):
        load_records("E" + code)
    with pytest.raises(NotationError, match="is no file, and game codes of this version begin with D"):
        load_records(code.lower())
    Path(code).write_text(write_games(records), encoding="utf-8")
    assert len(load_records(code)) == len(records)
