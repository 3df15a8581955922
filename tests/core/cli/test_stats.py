"""`durak stats`."""

from __future__ import annotations

import csv
import json
import re
from functools import partial
from importlib import import_module
from pathlib import Path

import commands
import pytest

from durak_core import Rules, write_games
from durak_core.lab import Match, SavedGames, play_match, play_matches

DUEL = Match(Rules(), ("greedy", "random"), 60, 5)
THREE = Match(Rules(seats=3), ("greedy", "random"), 3, 5)
good, bad = partial(commands.good, "stats", columns=200), partial(commands.bad, "stats")


@pytest.fixture(scope="module")
def file(tmp_path_factory) -> Path:
    """The file of a match of two."""
    path = tmp_path_factory.mktemp("stats") / "duel.jsonl"
    with SavedGames(path, [DUEL]) as saved:
        list(play_matches([DUEL], 1, saved))
    return path


@pytest.fixture(scope="module")
def text_file(tmp_path_factory) -> Path:
    """Games of three as text, which no match is named in."""
    path = tmp_path_factory.mktemp("stats") / "three.durak"
    path.write_text(write_games([game.record for game in play_match(THREE)]), encoding="utf-8")
    return path


def rows(text: str) -> list[list[str]]:
    """The tables' rows, as texts."""
    return [[cell.strip() for cell in line.split("│")[1:-1]] for line in text.splitlines() if "│" in line]


def test_the_table_is_that_of_the_match(file) -> None:
    """Wins, draws, losses, score and interval are those that durak match prints for the same games."""
    match = rows(commands.good("match", *DUEL.agents, "--games", 60, "--seed", 5))
    wanted = {row[0]: row[1:6] for row in match if row[0] in DUEL.agents and len(row) > 5}
    found = {row[0]: row[2:7] for row in rows(good(file)) if row[-1] == "30 deals"}
    assert found == wanted


def test_rules_and_seats_have_tables_of_their_own(file, text_file) -> None:
    """Nothing is pooled; games without a match have their intervals from games."""
    text = good(file, text_file)
    assert "60 games, rules podkidnoy\n" in text
    assert "3 games, rules podkidnoy:seats=3\n" in text
    assert "63 games of 2 files" in text
    assert {row[-1] for row in rows(text) if row[-1].endswith("games")} == {"6 games", "3 games"}
    assert len(re.findall(r"^first attacker: ", text, re.MULTILINE)) == 2
    by_rules = rows(good(file, text_file, "--by", "rules"))
    assert [(row[1], row[2], row[-1]) for row in by_rules if row[-1].endswith(("games", "deals"))] == [
        ("2", "60", "30 deals"),
        ("3", "3", "3 games"),
    ]


def test_opponents(file, text_file) -> None:
    """A line for each player and those it met."""
    names = [row[0] for row in rows(good(file, text_file, "--by", "opponent"))]
    assert names[:2] == ["greedy against random", "random against greedy"]
    assert {"greedy against greedy, random", "random against greedy, greedy"} <= {*names}


def test_figures_are_written_to_files(file, text_file, tmp_path) -> None:
    """As CSV, JSON and Markdown; all say the same."""
    paths = [tmp_path / name for name in ("a.csv", "a.json", "a.md")]
    text = good(file, text_file, "--csv", paths[0], "--json", paths[1], "--markdown", paths[2])
    with paths[0].open(encoding="utf-8", newline="") as lines:
        table = list(csv.DictReader(lines))
    assert [(row["rules"], row["agent"], row["games"]) for row in table] == [
        ("podkidnoy", "greedy", "60"),
        ("podkidnoy", "random", "60"),
        ("podkidnoy:seats=3", "greedy", "6"),
        ("podkidnoy:seats=3", "random", "3"),
    ]
    told = json.loads(paths[1].read_text(encoding="utf-8"))
    players = [player for rules in told["rules"] for player in rules["players"]]
    for row, player in zip(table, players, strict=True):
        share = player.get("score") or player["fool_share"]
        assert float(row["share"]) == share["value"]
        assert float(row["early_trumps"]) == player["deeds"]["early_trumps"]
    markdown = paths[2].read_text(encoding="utf-8")
    assert "## 60 games, rules podkidnoy\n\n| agent | games |" in markdown
    assert "- 63 games of 2 files\n" in markdown
    for row in rows(text):
        assert f"| {' | '.join(row)} |" in markdown
    good(file, text_file, "--by", "rules", "--csv", paths[0])
    with paths[0].open(encoding="utf-8", newline="") as lines:
        assert [row["agent"] for row in csv.DictReader(lines)] == ["whoever attacks first"] * 2


def test_damaged_games_are_named_and_end_it(file, tmp_path) -> None:
    """File, line, and what was expected; no file is written."""
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    path = tmp_path / "games.jsonl"
    for damaged, message in (
        (lines[1][:200] + "\n", "this is not JSON"),
        ("\0" * 9 + "\n", "this is not JSON"),
        ("[1]\n", "the game: expected an object, found [1]"),
        (lines[1].replace('"pass"', '"pas"', 1), "expected attack, defend, transfer"),
        (lines[1].replace('"plies": ', '"plies": 1'), "result.plies: the game gives"),
    ):
        path.write_text("".join([lines[0], damaged, *lines[2:]]), encoding="utf-8")
        error = bad(path, "--csv", tmp_path / "a.csv")
        assert f"{path}, line 2: " in error
        assert message in error
    assert not (tmp_path / "a.csv").exists()


def test_damaged_games_can_be_skipped(file, text_file, tmp_path) -> None:
    """Each is named and counted, and costs no other game."""
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    path, told = tmp_path / "games.jsonl", tmp_path / "a.json"
    path.write_text("".join([lines[0][9:], *lines[1:30], lines[30][:-40] + "\n", *lines[31:]]), "utf-8")
    text = tmp_path / "games.durak"
    games = text_file.read_text(encoding="utf-8").split("\n\n[Rules")
    text.write_text("\n\n[Rules".join([games[0], games[1][:-30], games[2]]), encoding="utf-8")
    result = commands.durak("stats", path, text, "--skip-damaged", "--json", told)
    assert result.exit_code == 0
    assert f"skipped: {path}, line 1: " in result.stderr
    assert f"skipped: {path}, line 31: " in result.stderr
    assert re.search(rf"^skipped: {text}: .*\(line \d+, ", result.stderr, re.MULTILINE)
    assert result.stderr.count("skipped") == 3
    assert "60 games of 2 files\ndamaged games, skipped: 3\n" in result.stdout
    assert json.loads(told.read_text(encoding="utf-8"))["damaged"] == 3


def test_only_so_many_damaged_games_are_listed(file, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(import_module("durak_core.cli.commands.games"), "_MOST_LISTED", 2)
    path = tmp_path / "games.jsonl"
    path.write_text("[]\n" * 5 + file.read_text("utf-8"), "utf-8")
    result = commands.durak("stats", path, "--skip-damaged")
    listed = result.stderr.splitlines()
    assert [line.partition(",")[0] for line in listed[:2]] == [f"skipped: {path}"] * 2
    assert listed[2:] == ["skipped: after 2 damaged games no more are listed"]
    assert "damaged games, skipped: 5" in result.stdout


def test_what_cannot_be_counted_is_said(tmp_path, file) -> None:
    """An empty file, a folder that is not there for the results, games that stand twice."""
    empty = tmp_path / "empty.jsonl"
    empty.write_bytes(b"\n")
    assert "empty.jsonl holds no game" in bad(empty)
    assert "/no/such/folder/a.csv cannot be written: there is no such folder" in bad(
        file, "--csv", "/no/such/folder/a.csv"
    )
    assert "no cannot be read: there is no such file" in bad(tmp_path / "no")
    assert "games of a match that were there already, left out: 60" in good(file, file)
