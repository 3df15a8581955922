"""Experiments whose tables stand in a document, as the ladder's do in docs/experiments/strength.md."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import commands
import pytest

from benchmarks.figures import HELD_OUT
from durak_core import Rules
from durak_core.cli.commands import experiment
from durak_core.lab import Match, play_match, tally_match
from durak_core.lab.experiments.manifest import read_experiment
from durak_core.lab.experiments.report import NOT_PLAYED, milliseconds_text, render
from durak_core.lab.experiments.results import Folder, ResultsError, ResultsFile

ROOT = Path(__file__).parents[3]
LADDER = ROOT / "benchmarks" / "experiments" / "ladder.toml"

SMALL = """
title = "A small ladder"
question = "Who is better?"
document = "page.md"
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
rules = { throwing = "podkidnoy", "five cards" = "perevodnoy:hand_size=5" }

[[table]]
name = "seats"
kind = "field"
title = "Seats"
players = ["smart"]
among = ["random"]
seats = [2, 3]

[[table]]
name = "levels"
kind = "chain"
title = "Levels"
names = ["Low", "Middle", "High"]
players = ["random", "greedy", "smart"]
"""

NAMES = ("agents", "some", "seats", "levels")
PLACES = "".join(
    f"# {name}\n\n<!-- table: {name} -->\nold\n<!-- end of table -->\n\nafter {name}\n" for name in NAMES
)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ladder.toml").write_text(SMALL, encoding="utf-8")
    (tmp_path / "page.md").write_text(PLACES, encoding="utf-8")
    return tmp_path


def durak(place: Path, command: str, *words: str, code: int = 0) -> str:
    """Run a command on the ladder of a folder and return what it printed."""
    line = ("experiment", command, place / "ladder.toml", "--out", place / "out", *words)
    result = commands.durak(*line)
    assert result.exit_code == code, result.output
    return result.stdout + result.stderr


def page(place: Path) -> str:
    return (place / "page.md").read_text(encoding="utf-8")


def test_every_match_of_this_projects_ladder_has_been_played() -> None:
    """With held-out seeds; the tables of docs/experiments/strength.md are what the results say."""
    ladder = read_experiment(LADDER)
    kept = ROOT / "docs" / "experiments" / "ladder" / "results.json"
    results = ResultsFile.load(kept)
    assert {table.spec.kind for table in ladder.tables} == {"matrix", "versus", "field", "chain"}
    assert all(work.settings["seed"] >= HELD_OUT for work in ladder.works)
    assert all(results.get(work) for work in ladder.works)
    written = (ROOT / "docs" / "experiments" / "strength.md").read_text(encoding="utf-8")
    for table in ladder.tables:
        assert f"<!-- table: {table.spec.name} -->\n\n{render(table, results)}\n\n<!-- end" in written


def test_times_have_three_significant_digits() -> None:
    """As in the tables of the terminal."""
    shown = [milliseconds_text(spent) for spent in (0.00712, 0.104, 5.3, 33.26, None)]
    assert shown == ["0.00712", "0.104", "5.30", "33.3", NOT_PLAYED]


def test_a_ladder_is_played_once_and_shown(place: Path) -> None:
    """Matches that two tables share are played once, and a second run plays nothing."""
    assert "8 matches and measurements, 0 of them done before" in durak(place, "run")
    first = page(place)
    assert "8 matches and measurements, 8 of them done before" in durak(place, "run")
    assert page(place) == first
    assert "old" not in first
    assert re.findall(r"after \w+", first) == [f"after {name}" for name in NAMES]
    assert "seed 3000000000, 12 games a match" in first
    assert "?" not in first
    assert "| `greedy, five cards` |" in first
    assert not (place / "out" / "report.md").exists()


def test_results_are_those_of_the_matches(place: Path) -> None:
    """Cells are what `play_match` gives, from the row's player's side; both halves of a matrix add up."""
    durak(place, "run", "--only", "agents", "--jobs", "2")
    match = Match(Rules(), ("greedy", "smart"), 12, 3_000_000_000)
    greedy, smart = tally_match(match, play_match(match)).agents
    shown = page(place).partition("# some")[0].splitlines()
    rows = {row.split("|")[1].strip(" `"): row for row in shown if row.startswith("| `")}
    assert f"| {greedy.score:.3f} (" in rows["greedy"]
    assert f"| {smart.score:.3f} (" in rows["smart"]
    results = Folder.open(place / "out", read_experiment(place / "ladder.toml")).results
    kept = next(one for one in results.by_key.values() if one.settings["players"] == ["greedy", "smart"])
    assert kept.agent("greedy")["wins"] == greedy.wins
    assert kept.commit
    assert kept.jobs == 2


def test_a_figure_that_another_seed_contradicts_is_marked(place: Path) -> None:
    """On both sides, and only where chance does not explain the difference."""
    durak(place, "run", "--only", "agents")
    experiment = read_experiment(place / "ladder.toml")
    table = next(one for one in experiment.tables if one.spec.name == "agents")
    results = Folder.open(place / "out", experiment).results
    work = table.cells["greedy", "smart"].work
    kept = results.by_key[work.key]
    assert "≠" not in render(table, results)
    for seed, score, marks in ((1, kept.agent("greedy")["score"], 0), (2, 0.0, 2)):
        agents = [
            {**kept.agent(name), "score": value, "interval": [value - 0.02, value + 0.02], "games": 500}
            for name, value in (("greedy", score), ("smart", 1 - score))
        ]
        again = replace(work, seed=seed)
        tally = {**kept.tally, "agents": agents}
        results.by_key[again.key] = replace(kept, settings=again.settings, tally=tally)
        assert render(table, results).count("≠") == marks
    assert "≠ 0.000 |" in render(table, results)


def test_a_table_is_provisional_until_two_seeds_have_a_thousand_games_each(place: Path) -> None:
    """Every match counts; a table without results is not marked."""
    table = read_experiment(place / "ladder.toml").tables[0]
    assert "Provisional" not in render(table, ResultsFile(place / "none.json"))
    durak(place, "run", "--only", "agents")
    results = ResultsFile.load(place / "out" / "results.json")
    assert "**Provisional**" in page(place)
    for games, again, provisional in ((1000, 999, True), (999, 1000, True), (1000, 1000, False)):
        for work in table.works:
            kept, other = results.by_key[work.key], replace(work, seed=1)
            results.by_key[work.key] = replace(kept, tally={**kept.tally, "games": games})
            tally = {**kept.tally, "games": again}
            results.by_key[other.key] = replace(kept, settings=other.settings, tally=tally)
        assert ("Provisional" in render(table, results)) is provisional
    del results.by_key[other.key]
    assert "Provisional" in render(table, results)


def test_fools_shares_are_held_against_the_fair_share(place: Path) -> None:
    """One player among others of a kind."""
    durak(place, "run", "--only", "seats")
    match = Match(Rules(seats=3), ("smart", "random", "random"), 12, 3_000_000_000)
    smart = tally_match(match, play_match(match)).agents[0]
    assert f"| `smart` | 3 | 0.333 | {smart.loss_rate:.3f} (" in page(place)


def test_what_was_interrupted_goes_on(place: Path, monkeypatch) -> None:
    """Each match is kept when it is done; Ctrl+C loses the one that was being played."""
    played = []

    def result(*told, make=experiment.TaskResult):
        if len(played) == 2:
            raise KeyboardInterrupt
        played.append(told)
        return make(*told)

    with monkeypatch.context() as patched:
        patched.setattr(experiment, "TaskResult", result)
        durak(place, "run", code=130)
    assert len(json.loads((place / "out" / "results.json").read_text(encoding="utf-8"))["entries"]) == 2
    shown = page(place)
    assert "2 of 3 matches have been played." in shown
    assert "Not played yet: 2 matches of 12 games, seed 3000000000." in shown
    assert "| ? |" in shown
    assert "8 matches and measurements, 2 of them done before" in durak(place, "run")
    assert "| ? |" not in page(place)


def test_the_key_is_of_the_settings_alone(place: Path) -> None:
    """Options that are defaults are part of it, commits are not."""
    work = read_experiment(place / "ladder.toml").works[0]
    assert work.settings["options"][1] == {"open": "off"}
    assert work.key == read_experiment(place / "ladder.toml").works[0].key
    assert work.key != read_experiment(place / "ladder.toml", quick=True).works[0].key


def test_without_results_the_tables_say_so(place: Path) -> None:
    """`report` plays nothing; a quick run says nothing that belongs into the document."""
    durak(place, "report")
    assert "Not played yet: 2 matches of 12 games, seed 3000000000." in page(place)
    table = read_experiment(place / "ladder.toml").tables[0]
    assert render(table, ResultsFile(place / "none.json")).count("| ?") == 9
    (place / "page.md").unlink()
    assert "report written to" in durak(place, "run", "--quick", "--out", str(place / "quick"))
    assert "| High | `smart` | " in (place / "quick" / "report.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('names = ["Low", "Middle", "High"]', 'names = ["Low"]'), "table[3].names: 1 names for 3 players"),
        (('players = ["random", "greedy", "smart"]', 'players = ["smart"]'), "1 players"),
        (('against = ["smart", "random"]', 'against = ["greedy"]'), "are the same agent greedy"),
        (('players = ["random", "greedy"', 'players = ["greedy", "greedy"'), "appears twice"),
        (('kind = "chain"', 'kind = "chain"\nrules = {a="podkidnoy", b="zarlykov"}'), "one kind of rules"),
        (('kind = "field"\ntitle = "Seats"\nplayers = ["smart"]\namong = ["random"]',
          'kind = "first"\ntitle = "Seats"\nplayers = ["smart"]'),
         'table[2].kind="first": expected one of matrix, versus, field, chain in a document'),
    ],
)  # fmt: skip
def test_wrong_ladders_are_refused(place: Path, change: tuple[str, str], message: str) -> None:
    """Before anything is played, with what is wrong and what would be right."""
    assert change[0] in SMALL
    (place / "ladder.toml").write_text(SMALL.replace(*change), encoding="utf-8")
    assert message in durak(place, "run", code=2)


def test_a_document_needs_a_place_and_a_table_has_to_be_there(place: Path) -> None:
    """Errors name the marker and the tables that there are."""
    printed = durak(place, "run", "--only", "cups", code=2)
    assert "there is no table 'cups'; there are agents, some, seats, levels" in printed
    (place / "page.md").write_text("empty", encoding="utf-8")
    for command in ("run", "report"):
        printed = durak(place, command, code=2)
        assert "expected one place from <!-- table: agents --> to" in printed
        assert "matches and measurements" not in printed  # nothing was played


@pytest.mark.parametrize("text", ["{", "[]", "{}", json.dumps({"format": "durak-experiment/0"})])
def test_files_that_hold_no_results_are_left_alone(place: Path, text: str) -> None:
    """They are not overwritten."""
    durak(place, "report")
    (place / "out" / "results.json").write_text(text, encoding="utf-8")
    durak(place, "run", code=2)
    assert (place / "out" / "results.json").read_text(encoding="utf-8") == text
    with pytest.raises(ResultsError):
        Folder.open(place / "out", read_experiment(place / "ladder.toml"))
