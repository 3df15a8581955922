"""`durak log`."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import partial
from pathlib import Path

import commands
import pytest
from playing import random_game

from durak_core import Record, Rules, write_games, write_json_line
from durak_core.lab import Match, SavedGames, play_match, play_matches

DUEL = Match(Rules(), ("greedy", "random"), 5, 3)
good, bad = partial(commands.good, "log"), partial(commands.bad, "log")


@pytest.fixture
def file(tmp_path) -> Path:
    """The file of a match."""
    path = tmp_path / "games.jsonl"
    with SavedGames(path, [DUEL]) as saved:
        list(play_matches([DUEL], 1, saved))
    return path


def test_the_log_of_a_file_is_that_of_the_match(file) -> None:
    """Word for word what --verbose told, but for the reasons, which no file holds."""
    told = commands.durak(
        "match", *DUEL.agents, "--games", DUEL.games, "--seed", DUEL.seed, "--verbose"
    ).stdout
    told = re.sub(r": [^(\n]+  \(hand", "  (hand", told)
    for number in range(1, DUEL.games + 1):
        log = good(file, "--game", number)
        assert log.startswith(f"game {number}  rules podkidnoy  deal ")
        assert log in told


def test_a_game_has_the_number_of_its_match(file, tmp_path) -> None:
    """Wherever it stands; a game without a match is counted from 1."""
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    wanted = good(file, "--game", 4)
    file.write_text(lines[3] + lines[0], encoding="utf-8")
    assert good(file, "--game", 4) == wanted
    assert "holds 2 games; there is no game 2" in bad(file, "--game", 2)
    assert [line[:7] for line in good(file).splitlines()] == ["game 4:", "game 1:"]
    file.write_text(lines[3].replace('"match"', '"contest"') + lines[3], encoding="utf-8")
    assert good(file, "--game", 1) == wanted.replace("game 4", "game 1")


def test_two_matches_in_a_file_are_not_mixed_up(file) -> None:
    """A number that two games have is refused with their lines."""
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    file.write_text("".join([*lines, lines[1]]), encoding="utf-8")
    assert "several games 2, at lines 2 and 6: expected one match in a file" in bad(file, "--game", 2)
    assert good(file, "--game", 3)


def test_several_games_are_listed_and_one_is_told(file, tmp_path) -> None:
    """Number, players, result, plies; an unfinished game says so."""
    games = list(play_match(DUEL))
    lines = good(file).splitlines()
    assert len(lines) == DUEL.games
    for line, game in zip(lines, games, strict=True):
        record = game.record
        fool = "draw" if game.is_draw else f"fool: {record.players[game.fool]} at seat"
        assert line.startswith(f"game {game.number + 1}: {fool}")
        assert f"{game.bouts} bouts, {game.plies} plies" in line
        assert line.endswith(f"({', '.join(record.players)}; podkidnoy)")
    record = games[0].record
    broken = replace(record, moves=record.moves[:7], date="2025-11-20", comment="Vorspiel\x1b[31m")
    single = tmp_path / "single.json"
    single.write_text(json.dumps(json.loads(write_json_line(broken)), indent=2), encoding="utf-8")
    text = good(single)
    assert text.startswith("game 1  rules podkidnoy")
    assert "  Date: 2025-11-20\n  Comment: Vorspiel?[31m\n" in text
    assert text.endswith("game 1: breaks off after 7 plies\n\n")
    single.write_text(write_json_line(broken) + write_json_line(record), encoding="utf-8")
    assert good(single).startswith("game 1: breaks off after 7 plies  (greedy, random; podkidnoy)\n")


def test_a_seats_view_hides_what_it_does_not_see(file) -> None:
    """Others' hands and draws are numbers, and what they could have done is not told (rules 9)."""
    text = good(file, "--game", 1, "--seat", 1)
    assert re.search(r"^    seat 0 greedy  6 cards$", text, re.MULTILINE)
    assert re.search(r"^    seat 1 random  (\w\w ?){6}$", text, re.MULTILINE)
    assert re.search(r"^  talon 24 cards  trump \w\w$", text, re.MULTILINE)
    assert re.search(r"^  seat 0 greedy draws \d cards?$", text, re.MULTILINE)
    assert re.search(r"^  seat 1 random draws (\w\w ?)+$", text, re.MULTILINE)
    for line in text.splitlines():
        assert "seat 0 greedy" not in line or "(hand" not in line
    assert good(file, "--game", 1, "--open") == good(file, "--game", 1)
    assert "there is no seat 2" in bad(file, "--game", 1, "--seat", 2)
    assert "exclude each other" in bad(file, "--game", 1, "--seat", 1, "--open")


def test_every_kind_of_event_has_words(tmp_path) -> None:
    """Game texts are read as well; marks and comments stand behind the moves."""
    rules = Rules.preset("perevodnoy", seats=3, show_trump=True)
    record = Record.of([*random_game(rules, 6, "transfer")][-1], ("A", "Ольга", "C"), Event="Кубок")
    path = tmp_path / "games.durak"
    path.write_text(write_games([record.annotated(2, "!?", "was\nnun"), record]), encoding="utf-8")
    text = good(path, "--game", 1)
    for words in (
        "  Event: Кубок\n",
        "Bout 2: seat ",
        "plays ",
        "beats ",
        "transfers with ",
        "transfers by showing ",
        "passes",
        "takes  (hand",
        "takes up ",
        "has beaten off the attack",
        "is out, place 1",
        "the game is over",
        ": !? was nun  (hand",
    ):
        assert words in text
    assert len(good(path).splitlines()) == 2


def test_only_the_game_that_is_asked_for_has_to_be_sound(file, tmp_path) -> None:
    """Damage elsewhere does not matter; in that game, and in a list, it is named with its line."""
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    whole = good(file, "--game", 5)
    file.write_text("".join([*lines[:2], lines[2][:99] + "\n", *lines[3:]]), encoding="utf-8")
    assert good(file, "--game", 5) == whole
    for error in (bad(file, "--game", 3), commands.durak("log", file).stderr):
        assert f"{file}, line 3: this is not JSON" in error
    text = tmp_path / "games.durak"
    records = [game.record for game in play_match(DUEL)]
    text.write_text(write_games(records[:2])[:-9] + "\n\n" + write_games(records[2:3]), encoding="utf-8")
    assert good(text, "--game", 1)
    assert good(text, "--game", 3)
    assert re.search(rf"{text}: .*\(line \d+, character \d+\)", bad(text, "--game", 2))


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"hello", b"{}", b"[Rules"])
def test_files_that_hold_no_game_are_refused(tmp_path, content) -> None:
    """Whatever the file holds, the answer is one line."""
    path = tmp_path / "a"
    path.write_bytes(content)
    assert str(path) in bad(path)
    assert str(path) in bad(path, "--game", 1)
