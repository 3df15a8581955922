"""`durak replay`."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import commands
import pytest
from playing import random_game
from waiting import read_until, wait_for_end

from durak_core import (
    Record,
    Rules,
    load_records,
    read_observation,
    read_position,
    write_games,
    write_json_line,
)

ROOT = Path(__file__).parents[3]
good, bad = partial(commands.good, "replay"), partial(commands.bad, "replay")


@pytest.fixture(scope="module")
def records() -> list[Record]:
    """A throw-in game of two and a transfer game of three with comments."""
    (first,) = load_records(ROOT / "tests" / "golden" / "games" / "podkidnoy-2.durak")
    rules = Rules.preset("perevodnoy", seats=3, show_trump=True)
    second = Record.of([*random_game(rules, 6, "transfer")][-1], ("A", "Ольга", "\x1b[31mC"), Event="Кубок")
    second = second.annotated(2, "!?", "was\nnun").annotated(0, comment="Vorspiel")
    return [first, second]


@pytest.fixture
def file(tmp_path, records) -> Path:
    """A file of both games."""
    path = tmp_path / "games.durak"
    path.write_text(write_games(records), encoding="utf-8")
    return path


def test_all_games_bouts_and_moves_are_shown(file, records) -> None:
    """Every bout has its heading, every move its number."""
    text = good(file)
    for record in records:
        assert record.result is not None
        assert f"after {record.result.bouts} bouts and {record.result.plies} moves." in text
    lines = text.splitlines()
    moves = [line for line in lines if line[:5].strip().isdecimal() and line[5:7] == ". "]
    assert len(moves) == sum(len(record.moves) for record in records)
    bouts = [line for line in lines if line.startswith("Bout ")]
    assert len(bouts) == sum(record.result.bouts for record in records if record.result)


def test_comments_marks_and_tags_are_shown(file) -> None:
    """What people wrote stands beside the moves, without their control characters."""
    text = good(file, "--game", 2)
    assert "Event: Кубок" in text
    assert "Vorspiel" in text
    assert "       was nun" in text
    assert " !?\n" in text
    assert "seat 1 Ольга" in text
    assert "\x1b" not in text


def test_every_kind_of_event_has_words(file) -> None:
    """A person can follow what happens."""
    text = good(file, "--game", 2)
    for words in (
        "plays ",
        "beats ",
        "transfers with ",
        "transfers by showing ",
        "passes",
        "takes\n",
        "takes up ",
        "has beaten off the attack",
        "draws ",
        "is out, place 1",
        "the game is over",
        "is the fool, after ",
    ):
        assert words in text


def test_a_stalled_game_says_so(tmp_path) -> None:
    """The reason for a draw that nobody sees is named (rules 8.5)."""
    rules = Rules(seats=3, stall_limit=1)
    for seed in range(50):
        state = [*random_game(rules, seed, "take")][-1]
        if state.is_draw:
            break
    path = tmp_path / "a"
    path.write_text(write_json_line(Record.of(state, ("A", "B", "C"))), encoding="utf-8")
    text = good(path)
    assert "the game is over: 1 taken bouts in a row (rules 8.5)" in text
    assert "The game is a draw, after" in text


def test_one_game_can_be_chosen(file) -> None:
    """Games are counted from 1."""
    text = good(file, "--game", 1)
    assert text.startswith("rules podkidnoy, seed 11, 2025-11-20\n")
    assert good(file) == text + good(file, "--game", 2)
    assert "holds 2 games; there is no game 3" in bad(file, "--game", 3)
    assert "0 is not in the range" in bad(file, "--game", 0)


def test_json_lines_are_read_as_well(tmp_path, file, records) -> None:
    """The format is found out."""
    path = tmp_path / "games.jsonl"
    path.write_text("".join(map(write_json_line, records)), encoding="utf-8")
    assert good(path) == good(file)


def test_one_position_can_be_shown(file, records) -> None:
    """A ply's position stands there with its text for other programs."""
    states = records[0].replay()
    for ply in (0, 20, len(states) - 1):
        text = good(file, "--game", 1, "--ply", ply)
        assert text.startswith(f"after {ply} moves: bout {states[ply].bout}, ")
        assert read_position(text.splitlines()[-1]) == states[ply]
    assert "there is no position after 500" in bad(file, "--game", 1, "--ply", 500)
    assert "holds 2 games: say with --game" in bad(file, "--ply", 3)


def test_a_seats_view_hides_what_it_does_not_see(file) -> None:
    """With --seat the others' hands are numbers and their draws too (rules 9)."""
    text = good(file, "--game", 1, "--seat", 1)
    for line in text.splitlines():
        if line.startswith("       seat 0 Anna  "):
            assert line.endswith((" cards", " card"))
        if "seat 0 Anna draws" in line:
            assert line.endswith((" cards", " card"))
        if "seat 1 Boris draws" in line:
            assert not line.endswith((" cards", " card"))
    ply = good(file, "--game", 1, "--seat", 1, "--ply", 9).splitlines()[-1]
    assert read_observation(ply).seat == 1
    assert "there is no seat 5" in bad(file, "--seat", 5)
    assert "exclude each other" in bad(file, "--open", "--seat", 1)
    assert good(file, "--open") == good(file)


def test_an_open_games_hands_are_seen_by_all(tmp_path) -> None:
    """Where the rules are open, a seat's view is open too (rules 9.3)."""
    state = [*random_game(Rules(visibility="open"), 3)][-1]
    path = tmp_path / "a"
    path.write_text(write_json_line(Record.of(state, ("A", "B"))), encoding="utf-8")
    assert good(path, "--seat", 0) == good(path, "--open")


def test_an_illegal_move_is_an_error_with_everything_in_it(file) -> None:
    """Ply, action, paragraph and legal actions are named, and the exit code is 2."""
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace(" 0:9hx8h ", " 0:Kcx8h "), encoding="utf-8")
    error = bad(file)
    for part in (str(file), "ply 2: Kcx8h is not allowed here", "rules 1.4", "legal: ", "take", "line "):
        assert part in error


def test_a_game_before_a_broken_one_can_be_shown(file) -> None:
    """An error in a later game does not matter to an earlier one."""
    text = file.read_text(encoding="utf-8")
    file.write_text(text[:-60], encoding="utf-8")
    assert good(file, "--game", 1)
    assert "line" in bad(file, "--game", 2)
    assert "line" in bad(file)


def test_an_unfinished_game_breaks_off(tmp_path) -> None:
    """A saved game can be looked at as well."""
    state = list(random_game(Rules(), 3))[5]
    path = tmp_path / "a"
    path.write_text(write_json_line(Record.of(state, ("A", "B"))), encoding="utf-8")
    assert good(path).endswith("The game breaks off after 5 moves.\n\n")


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"hello", b"{}", b"[Rules"])
def test_files_that_hold_no_game_are_refused(tmp_path, content) -> None:
    """Whatever the file holds, the answer is one line."""
    path = tmp_path / "a"
    path.write_bytes(content)
    assert str(path) in bad(path) or "format: expected" in bad(path)


def test_missing_files_and_folders_are_refused(tmp_path) -> None:
    """The name that was given is in the answer."""
    assert "there is no such file or folder" in bad(tmp_path / "no")
    assert "it is a folder" in bad(tmp_path)


def terminal(file: Path, *arguments: str) -> tuple[subprocess.Popen, int]:
    """Start the command on a terminal of its own."""
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "durak_core.cli", "replay", str(file), *arguments],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        cwd=ROOT,
        start_new_session=True,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "200"},
    )
    os.close(slave)
    return process, master


def test_step_waits_for_enter_and_ctrl_c_ends_with_130(file) -> None:
    """On a terminal every move waits; an interrupt is no traceback."""
    process, master = terminal(file, "--game", "1", "--step")
    try:
        seen = read_until(master, "    1. ")
        os.write(master, b"\n")
        seen += read_until(master, "    2. ")
        assert "    3. " not in seen
        process.send_signal(signal.SIGINT)
        assert wait_for_end(process) == 130
    finally:
        process.kill()
        wait_for_end(process)
        os.close(master)


def test_step_without_a_terminal_prints_all(file) -> None:
    """Nobody is there to press Enter."""
    assert good(file, "--step") == good(file)
