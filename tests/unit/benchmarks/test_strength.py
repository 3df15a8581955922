"""The ladder: its manifest, its results, its tables."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from benchmarks.strength import __main__ as program
from benchmarks.strength.manifest import HELD_OUT, all_entries, read_manifest
from benchmarks.strength.results import load_results
from benchmarks.strength.tables import render, replace_between
from durak_core import AGENTS, Match, Rules, play_match, tally_match
from durak_core.arena.experiments.results import ResultsError
from durak_core.config import ConfigError

ROOT = Path(__file__).parents[3]
LADDER = ROOT / "benchmarks" / "strength" / "ladder.toml"

SMALL = """
games = 12
seed = 3_000_000_000

[[table]]
name = "agents"
kind = "matrix"
title = "All"
players = ["smart", "greedy", "random:uniform"]

[[table]]
name = "some"
kind = "versus"
title = "Some"
players = ["greedy"]
against = ["smart", "random"]
rules = ["podkidnoy", "perevodnoy:hand_size=5"]

[[table]]
name = "seats"
kind = "field"
title = "Seats"
players = ["smart"]
against = ["random"]
seats = [2, 3]

[[table]]
name = "levels"
kind = "chain"
title = "Levels"
names = ["Low", "Middle", "High"]
players = ["random", "greedy", "smart"]
"""

PLACES = "".join(
    f"# {name}\n\n<!-- table: {name} -->\nold\n<!-- end of table -->\n\nafter {name}\n"
    for name in ("agents", "some", "seats", "levels")
)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "ladder.toml").write_text(SMALL, encoding="utf-8")
    (tmp_path / "page.md").write_text(PLACES, encoding="utf-8")
    return tmp_path


def run(place: Path, *words: str) -> int:
    files = {"--ladder": "ladder.toml", "--results": "results.json", "--document": "page.md"}
    return program.main([*words, *[word for key, name in files.items() for word in (key, str(place / name))]])


def test_the_manifest_of_this_project_can_be_played() -> None:
    """Every text and number of it; with held-out seeds, and every agent in the matrix."""
    tables = read_manifest(LADDER)
    assert {table.kind for table in tables} == {"matrix", "versus", "field", "chain"}
    matrix = next(table for table in tables if table.name == "agents")
    assert {player.partition(":")[0] for player in matrix.players} == set(AGENTS)
    assert all(entry.seed >= HELD_OUT for entry in all_entries(tables))
    document = (ROOT / "docs" / "strength.md").read_text(encoding="utf-8")
    for table in tables:
        replace_between(document, table.name, "", ROOT)


def test_a_ladder_is_played_once_and_shown(place: Path, capsys) -> None:
    """Matches that two tables share are played once, and a second run plays nothing."""
    assert run(place) == 0
    tables = read_manifest(place / "ladder.toml")
    entries = all_entries(tables)
    assert len(entries) == 8
    assert f"{len(entries)} matches, 0 of them played before" in capsys.readouterr().out
    first = (place / "page.md").read_text(encoding="utf-8")
    assert run(place) == 0
    assert f"{len(entries)} matches, {len(entries)} of them played before" in capsys.readouterr().out
    assert (place / "page.md").read_text(encoding="utf-8") == first
    assert "old" not in first
    assert re.findall(r"after \w+", first) == ["after agents", "after some", "after seats", "after levels"]
    assert "seed 3000000000, 12 games a match" in first
    assert "?" not in first
    assert "against perevodnoy:hand_size=5: `smart`" in first


def test_results_are_those_of_the_matches(place: Path) -> None:
    """Cells are what `play_match` gives, from the row's player's side; both halves of a matrix add up."""
    assert run(place, "--only", "agents", "--jobs", "2") == 0
    match = Match(Rules(), ("greedy", "smart"), 12, 3_000_000_000)
    greedy, smart = tally_match(match, play_match(match)).agents
    page = (place / "page.md").read_text(encoding="utf-8")
    rows = {row.split("|")[1].strip(" `"): row for row in page.splitlines() if row.startswith("| `")}
    assert f"| {greedy.score:.3f} (" in rows["greedy"]
    assert f"| {smart.score:.3f} (" in rows["smart"]
    results = load_results(place / "results.json")
    kept = next(one for one in results.by_key.values() if one.settings["players"] == ["greedy", "smart"])
    assert kept.agent("greedy")["wins"] == greedy.wins
    assert kept.commit
    assert kept.jobs == 2


def test_fools_shares_are_held_against_the_fair_share(place: Path) -> None:
    """One player among others of a kind."""
    assert run(place, "--only", "seats") == 0
    match = Match(Rules(seats=3), ("smart", "random", "random"), 12, 3_000_000_000)
    smart = tally_match(match, play_match(match)).agents[0]
    page = (place / "page.md").read_text(encoding="utf-8")
    assert f"| `smart` | 3 | 0.333 | {smart.fool_share:.3f} (" in page


def test_what_was_interrupted_goes_on(place: Path, monkeypatch) -> None:
    """Each match is kept when it is done; Ctrl+C loses the one that was being played."""
    played = []

    def play(entry, jobs, play_entry=program.play_entry):
        if len(played) == 2:
            raise KeyboardInterrupt
        played.append(entry)
        return play_entry(entry, jobs)

    monkeypatch.setattr(program, "play_entry", play)
    assert run(place) == 130
    assert len(load_results(place / "results.json").by_key) == 2
    monkeypatch.undo()
    assert run(place, "--render") == 0
    page = (place / "page.md").read_text(encoding="utf-8")
    assert "2 of 3 matches have been played." in page
    assert "| ? |" in page
    assert run(place) == 0
    assert "| ? |" not in (place / "page.md").read_text(encoding="utf-8")


def test_two_runs_lose_nothing_of_each_other(place: Path) -> None:
    """Each adds its result to what the file holds by then."""
    entries = all_entries(read_manifest(place / "ladder.toml"))[:2]
    one, other = load_results(place / "results.json"), load_results(place / "results.json")
    one.add(entries[0], program.play_entry(entries[0], 1))
    other.add(entries[1], program.play_entry(entries[1], 1))
    assert set(load_results(place / "results.json").by_key) == {entry.key for entry in entries}


def test_the_key_is_of_the_settings_alone(place: Path) -> None:
    """Options that are defaults are part of it, commits are not."""
    tables = read_manifest(place / "ladder.toml")
    entry = all_entries(tables)[0]
    assert entry.settings["options"][1] == {"open": "off"}
    other = all_entries(read_manifest(place / "ladder.toml", games=24))[0]
    assert entry.key != other.key
    assert entry.key == all_entries(read_manifest(place / "ladder.toml"))[0].key


def test_a_table_without_results_says_so(place: Path, capsys) -> None:
    """What is shown and what is missing."""
    assert run(place, "--list", "--only", "levels") == 0
    shown = capsys.readouterr().out
    assert "Not played yet: 2 matches of 12 games, seed 3000000000." in shown
    table = read_manifest(place / "ladder.toml")[0]
    assert render(table, load_results(place / "none.json")).count("| ?") == 9


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("games = 12", "games = 13"), "13 games with 2 seats: expected whole deals, a multiple of 2"),
        (("seed = 3_000_000_000", "seed = 7"), "seed 7: expected 1000000000 or more"),
        (('kind = "matrix"', 'kind = "cup"'), "table 'agents': kind 'cup': expected one of matrix, versus"),
        (('"smart", "greedy", "random:uniform"', '"smrt"'), "there is no agent 'smrt'; did you mean smart?"),
        (('names = ["Low", "Middle", "High"]', "names = []"), "0 names for 3 players"),
        (('against = ["smart", "random"]', 'against = ["greedy"]'), "greedy would play against itself"),
        (('title = "All"', ""), "table 'agents': title missing"),
        (('title = "All"', 'title = "All"\nplayer = 1'), "table 'agents': there is no player"),
        (("seats = [2, 3]", 'seats = ["two"]'), "seats 'two': expected a number from 1 on"),
        (('name = "some"', 'name = "agents"'), "two tables have the same name"),
        (("games = 12", "games = "), "is no TOML"),
        (("games = 12", "game = 12"), "the manifest: there is no game; there are games, rules, seed"),
    ],
)
def test_wrong_manifests_are_refused(place: Path, capsys, change: tuple[str, str], message: str) -> None:
    """Before anything is played, with what is wrong and what would be right."""
    (place / "ladder.toml").write_text(SMALL.replace(*change), encoding="utf-8")
    assert run(place) == 2
    assert message in capsys.readouterr().err
    with pytest.raises(ConfigError):
        read_manifest(place / "ladder.toml")


def test_a_document_needs_a_place_and_a_table_has_to_be_there(place: Path, capsys) -> None:
    """Errors name the marker and the tables that there are."""
    assert run(place, "--only", "cups") == 2
    assert "there is no table 'cups'; there are agents, some, seats, levels" in capsys.readouterr().err
    (place / "page.md").write_text("empty", encoding="utf-8")
    assert run(place, "--render") == 2
    assert "expected one place from <!-- table: agents --> to" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["{", "[]", "{}", json.dumps({"format": "durak-strength/0"})])
def test_files_that_hold_no_results_are_left_alone(place: Path, text: str) -> None:
    """They are not overwritten."""
    (place / "results.json").write_text(text, encoding="utf-8")
    assert run(place) == 2
    assert (place / "results.json").read_text(encoding="utf-8") == text
    with pytest.raises(ResultsError):
        load_results(place / "results.json")
