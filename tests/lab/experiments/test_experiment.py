"""`durak experiment`: manifests, folders of results, reports."""

from __future__ import annotations

import json
import math
import re
import shutil
from functools import partial
from pathlib import Path
from statistics import NormalDist, fmean, stdev

import commands
import pytest

from durak_core import Rules, read_json_lines
from durak_core.errors import DurakError
from durak_core.lab import Match, play_match, tally_match
from durak_core.lab.experiments import report
from durak_core.lab.experiments import results as results_file
from durak_core.lab.experiments import tables as tasks
from durak_core.lab.experiments.manifest import find_manifests, read_experiment
from durak_core.lab.experiments.report import write_report
from durak_core.lab.experiments.results import Folder, ResultsError, ResultsFile
from durak_core.lab.stats.match_results import AgentTally, ResultMeasure, agent_json

ROOT = Path(__file__).parents[3]
SHIPPED = ROOT / "benchmarks" / "experiments"

SMALL = """
title = "Small things"
question = "Who is better?"
source = "a book"
rules = "zarlykov"
games = 61
seed = 5

[agents]
weak = "random"
strong = "greedy"

[[table]]
name = "pairs"
kind = "matrix"
title = "All"
note = "Nothing else."
players = ["weak", "strong", "smart"]
published = [
    { row = "strong", column = "weak", low = 90, high = 99, games = 500 },
    { row = "smart", column = "weak", value = 2, games = 500, why = "They had a bug." },
]

[[table]]
name = "options"
kind = "grid"
title = "Options"
games = 4
against = "strong"
x_label = "how careless"
columns = ["0", "1"]
times = true
published = [{ row = "weak", column = "1", value = 10, low = 5, high = 99 }]

[table.grid]
weak = "uniform=off,on"

[[table]]
name = "some"
kind = "versus"
title = "Some"
games = 2
players = ["smart"]
against = ["weak"]

[table.rules]
"36 cards" = "podkidnoy"
"transfers" = "perevodnoy"

[[table]]
name = "seats"
kind = "field"
title = "Seats"
games = 4
rules = "podkidnoy:lowest_rank=10"
players = ["strong"]
among = ["weak", "smart"]
seats = [2, 3]

[[table]]
name = "first"
kind = "first"
title = "First"
games = 31
players = ["strong"]
seats = [2, 3]
"""

PRUNING = """
title = "Pruning"
question = "What does it save?"

[[table]]
name = "nodes"
kind = "pruning"
title = "Nodes"
rules = "zarlykov:visibility=open"
evaluation = "basic"
positions = 6
depths = [1, 2, 3]
"""


@pytest.fixture
def manifest(tmp_path: Path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text(SMALL, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The small manifest, played by two processes, and what was printed meanwhile."""
    path = tmp_path_factory.mktemp("played") / "small.toml"
    path.write_text(SMALL, encoding="utf-8")
    return path, run(path, "--jobs", "2")


def change(manifest: Path, *pairs: tuple[str, str]) -> None:
    text = SMALL
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    manifest.write_text(text, encoding="utf-8")


durak = partial(commands.durak, "experiment", columns=200)


def run(manifest: Path, *words: str, code: int = 0) -> str:
    """Run a manifest into the folder ``out`` beside it and return what was printed, errors last."""
    result = durak("run", manifest, "--out", manifest.parent / "out", *words)
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result.stdout + result.stderr


def read(manifest: Path, name: str) -> str:
    return (manifest.parent / "out" / name).read_text(encoding="utf-8")


def rows(text: str) -> dict[tuple[str, str], list[str]]:
    """The lines of all tables of a report by their first two cells."""
    lines = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    return {(line[0], line[1]): line for line in lines if len(line) > 1}


# Running


def test_an_experiment_is_played_and_reported(played: tuple[Path, str]) -> None:
    """Every kind of table; figures are those of `play_match`, and the folder says how they were made."""
    manifest, printed = played
    assert "11 matches and measurements, 0 of them done before" in printed
    text = read(manifest, "report.md")
    match = Match(Rules.parse("zarlykov"), ("greedy", "random"), 62, 5)
    greedy = tally_match(match, play_match(match)).agents[0]
    low, high = greedy.share.low, greedy.share.high
    figure = f"{100 * greedy.score:.1f} ({100 * low:.1f} to {100 * high:.1f})"
    found = rows(text.partition("## Times")[0])
    assert found["strong", figure][0] == "strong"  # its first column is the one against weak
    assert found["strong against weak", figure][3:] == ["90.0 to 99.0", "500", "overlap"]
    assert "- strong against weak: the 95 % intervals overlap." in text
    assert re.search(r"- smart against weak: .* do not overlap, ours is higher by .* They had a bug\.", text)
    assert found["weak", "0"][2] == "4"
    assert {"smart, 36 cards", "smart, transfers"} <= {row for row, _ in found}
    assert found["strong", "3"][4] == "33.3"
    assert "Not played, because" not in text
    assert text.count("**Provisional**") == 5
    for line in (
        "Seed: 5",
        "Commit: ",
        "durak experiment run",
        "numba ",
        "Published figures: a book",
        "Nothing else.",
    ):
        assert line in text


def test_everything_needed_to_check_it_lies_beside(played: tuple[Path, str]) -> None:
    """The manifest, who played on what, every game, and pictures."""
    manifest, _ = played
    out = manifest.parent / "out"
    assert read(manifest, "manifest.toml") == SMALL
    told = json.loads(read(manifest, "run.json"))
    (only,) = told["runs"]
    assert only["finished"]
    assert only["jobs"] == 2
    assert set(only["versions"]) == {"python", "durak", "numba", "numpy"}
    assert only["machine"]["cores"] > 0
    assert only["changed"] == only["commit"].endswith("+")
    results = json.loads(read(manifest, "results.json"))["entries"]
    for key, result in results.items():
        path = out / "games" / f"{key}.jsonl"
        if "players" in result["settings"]:
            assert len(read_json_lines(path.read_text(encoding="utf-8"))) == result["tally"]["games"]
        else:
            assert not path.exists()
    pictures = re.findall(r"!\[.*\]\((.*)\)", read(manifest, "report.md"))
    assert pictures == ["pairs.svg", "options.svg", "some.svg", "seats.svg", "first.svg"]
    assert all((out / name).read_text(encoding="utf-8").startswith("<?xml") for name in pictures)


def test_every_interval_can_be_computed_from_who_lost(played: tuple[Path, str]) -> None:
    """Here by hand: a deal's two games are one observation, in Wilson's interval."""
    results = json.loads(read(played[0], "results.json"))["entries"].values()
    tally = next(result["tally"] for result in results if result["tally"]["games"] == 62)
    halves = [{"0": 0, "1": 1, "-": 0.5}[one] for one in tally["losers"]]
    deals = [fmean(pair) for pair in zip(halves[::2], halves[1::2], strict=True)]
    mean, z = fmean(deals), NormalDist().inv_cdf(0.975)
    z += (z**3 + z) / (4 * (len(deals) - 1))  # Student's quantile
    games = mean * (1 - mean) * len(deals) / stdev(deals) ** 2
    middle = (mean + z * z / (2 * games)) / (1 + z * z / games)
    half = z / (1 + z * z / games) * (mean * (1 - mean) / games + (z / (2 * games)) ** 2) ** 0.5
    assert tally["agents"][0]["interval"] == pytest.approx([middle - half, middle + half])


def test_a_result_that_its_games_contradict_is_no_result(played: tuple[Path, str], tmp_path: Path) -> None:
    """Reports count all matches again; one whose games were not kept stays as it is."""
    out = tmp_path / "out"
    shutil.copytree(played[0].parent / "out", out)
    file = out / "results.json"
    told = json.loads(file.read_text(encoding="utf-8"))
    tallies = [one["tally"] for one in told["entries"].values()]
    first, second, third = [tally for tally in tallies if "losers" in tally][:3]
    del first["losers"]
    file.write_text(json.dumps(told), encoding="utf-8")
    assert "8 of 9 matches counted again" in durak("report", played[0], "--out", out).output
    for tally, change, why in (
        (second, {"losers": "01-"}, "losers of 3 games"),
        (third, {"losers": "7" * third["games"]}, "game 0 lost by '7': expected 0 to 1"),
        (third, {"agents": [{**third["agents"][0], "interval": [0, 1]}, third["agents"][1]]}, "score"),
    ):
        kept = {name: tally[name] for name in change}
        tally.update(change)
        file.write_text(json.dumps(told), encoding="utf-8")
        result = durak("report", played[0], "--out", out)
        assert (result.exit_code, why in result.stderr) == (2, True), result.output
        tally.update(kept)


def test_pruning_is_measured_over_the_same_positions(manifest: Path) -> None:
    """Fewer nodes, equal values and choices at every depth."""
    manifest.write_text(PRUNING, encoding="utf-8")
    run(manifest)
    entries = json.loads(read(manifest, "results.json"))["entries"].values()
    tallies = {entry["settings"]["depth"]: entry["tally"] for entry in entries}
    assert set(tallies) == {1, 2, 3}
    for tally in tallies.values():
        assert tally["positions"] == tally["equal_values"] == tally["same_choice"] == 6
    assert tallies[1]["nodes"]["whole"] < tallies[2]["nodes"]["whole"] < tallies[3]["nodes"]["whole"]
    assert "nodes.svg" in read(manifest, "report.md")
    assert "A look" not in read(manifest, "report.md")


def test_quick_is_quick(manifest: Path) -> None:
    """Two deals of each match, and the report says what that is worth."""
    run(manifest, "--quick", "--only", "seats")
    assert "**A quick run" in read(manifest, "report.md")
    results = json.loads(read(manifest, "results.json"))["entries"].values()
    assert {result["tally"]["games"] for result in results} == {4, 6}


def test_without_matplotlib_the_report_has_no_pictures(manifest: Path, monkeypatch) -> None:
    """It says so, and why."""

    def refuse(*paths: object) -> None:
        raise DurakError("pictures need matplotlib")

    monkeypatch.setattr(report, "check_picture", refuse)
    assert "the report has no pictures: pictures need matplotlib" in run(
        manifest, "--quick", "--only", "pairs"
    )
    assert "This report has no pictures: pictures need matplotlib" in read(manifest, "report.md")
    assert "](pairs.svg)" not in read(manifest, "report.md")


def test_what_the_rules_refuse_is_said(manifest: Path) -> None:
    """Four seats with 16 cards cannot be; the other seats are played."""
    change(manifest, ("seats = [2, 3]\n\n", "seats = [2, 3, 4]\n\n"))
    run(manifest, "--quick", "--only", "seats")
    assert "- strong, 4 seats: a deck of 20 cards cannot give 4 seats 6 cards each" in read(
        manifest, "report.md"
    )


# Going on


def test_what_is_finished_is_not_played_again(manifest: Path, monkeypatch) -> None:
    """The report is written anew, with other words and published figures if the manifest has them."""
    words = ("--quick", "--only", "pairs", "--only", "first")
    run(manifest, *words)
    monkeypatch.setattr(tasks.MatchTask, "play", None)
    monkeypatch.setattr(tasks.FirstAttackerTask, "play", None)
    change(manifest, ("They had a bug.", "They had two bugs."), ('title = "All"', 'title = "Each"'))
    assert "5 matches and measurements, 5 of them done before" in run(manifest, *words)
    assert "They had two bugs." in read(manifest, "report.md")
    assert "## Each" in read(manifest, "manifest.toml").replace('title = "Each"', "## Each")
    assert len(json.loads(read(manifest, "run.json"))["runs"]) == 1


def test_ctrl_c_keeps_what_is_finished(manifest: Path, monkeypatch, played: tuple[Path, str]) -> None:
    """Matches, and games of the one being played; the same command goes on to what two processes found."""
    games = []

    def play(matches, jobs, saved, play_matches=tasks.play_matches):
        for game in play_matches(matches, jobs, saved):
            games.append(game)
            if len(games) == 70:
                raise KeyboardInterrupt
            yield game

    monkeypatch.setattr(tasks, "play_matches", play)
    assert "interrupted; what is finished is kept" in run(manifest, code=130)
    assert "**Not finished: 10 of 11 matches are missing.**" in read(manifest, "report.md")
    assert "- smart against weak: not played yet." in read(manifest, "report.md")
    assert [run["finished"] for run in json.loads(read(manifest, "run.json"))["runs"]] == [False]
    monkeypatch.undo()
    counts = sorted(path.read_bytes().count(b"\n") for path in (manifest.parent / "out" / "games").iterdir())
    assert counts == [8, 62]
    assert "11 matches and measurements, 1 of them done before" in run(manifest)
    assert "Not finished" not in read(manifest, "report.md")
    assert without_times(manifest) == without_times(played[0])


def test_two_runs_at_once_keep_each_others_results(manifest: Path) -> None:
    """Each adds to what is in the file by then."""
    path = manifest.with_name("results.json")
    pieces = read_experiment(manifest).works[:2]
    for results, work in zip([ResultsFile.load(path), ResultsFile.load(path)], pieces, strict=True):
        counted = {"games": 0, "agents": []}
        results.add(work, results_file.TaskResult(work.settings, "0", "a machine", 1, 0.5, counted))
    assert ResultsFile.load(path).by_key.keys() == {work.key for work in pieces}


def test_two_runs_at_once_are_both_recorded(manifest: Path) -> None:
    """Each was opened before the other began, and the first one ends last."""
    path, experiment = manifest.with_name("out"), read_experiment(manifest)
    first, second = Folder.open(path, experiment), Folder.open(path, experiment)
    runs = [first.begin_run("durak first", 1), second.begin_run("durak second", 2)]
    second.end_run(runs[1], 2.0, finished=True)
    first.end_run(runs[0], 3.0, finished=False)
    told = Folder.open(path, experiment).runs
    assert {(run.command, run.seconds, run.finished) for run in told} == {
        ("durak first", 3.0, False),
        ("durak second", 2.0, True),
    }


def without_times(manifest: Path) -> dict[str, object]:
    """All tallies of an experiment that was run, without what no two runs share."""
    results = json.loads(read(manifest, "results.json"))["entries"]
    for result in results.values():
        for agent in result["tally"]["agents"]:
            del agent["seconds"], agent["milliseconds_a_move"], agent["decisions"]
    return {key: result["tally"] for key, result in results.items()}


@pytest.mark.parametrize(
    ("pair", "words", "message"),
    [
        (("seed = 5", "seed = 6"), (), "seed is 5 there and 6 here"),
        (("games = 31", "games = 32"), (), "table[4].games is 31 there and 32 here"),
        (('weak = "random"', 'weak = "random:uniform"'), (), 'agents.weak is "random" there and'),
        (
            ('[table.grid]\nweak = "uniform=off,on"', '[table.grid]\nweak = "uniform=on,off"'),
            (),
            "table[1].grid.weak",
        ),
        (
            ('players = ["weak", "strong", "smart"]', 'players = ["weak", "strong", "smart", "expert"]'),
            (),
            "table[0].players",
        ),
        (("seed = 5", "seed = 5 "), ("--quick",), "--quick is false there and true here"),
    ],
)
def test_the_folder_of_another_experiment_is_refused(manifest: Path, pair, words, message: str) -> None:
    """The field that differs is named, and nothing in the folder changes."""
    change(manifest, ("games = 61", "games = 2"))
    folder = manifest.parent / "out"
    Folder.open(folder, read_experiment(manifest))
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    change(manifest, ("games = 61", "games = 2"), pair)
    printed = run(manifest, *words, code=2)
    assert "holds results of another experiment" in printed
    assert message in printed
    assert {path: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before


def test_folders_with_something_else_are_left_alone(manifest: Path) -> None:
    """Nothing is written among other files, or over results that cannot be read."""
    out = manifest.parent / "out"
    out.mkdir()
    (out / "diary.txt").write_text("dear", encoding="utf-8")
    assert "holds other files: expected an empty folder" in run(manifest, code=2)
    assert [path.name for path in out.iterdir()] == ["diary.txt"]
    (out / "diary.txt").unlink()
    Folder.open(out, read_experiment(manifest))
    told = json.loads((out / "run.json").read_text("utf-8"))
    lost = {**told, "runs": [{"command": "durak"}]}
    for text, problem in (("{", "holds no results"), (json.dumps(lost), r"run\.json .* there is no 'began'")):
        (out / "run.json").write_text(text, encoding="utf-8")
        with pytest.raises(ResultsError, match=problem):
            Folder.open(out, read_experiment(manifest))


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ({"games": "many"}, "invalid literal for int() with base 10: 'many'"),
        ({"agents": [{}]}, "there is no 'score'"),
        ({"agents": 1}, "'int' object is not iterable"),
        ({"agents": [{**agent_json(AgentTally("a", 2)), "agent": 7}]}, "7: expected str"),
    ],
)
def test_results_are_read_down_to_their_figures(manifest: Path, value: dict[str, object], told: str) -> None:
    """What a report counts and shows is checked where the file is read; a result of other work, too."""
    path = manifest.with_name("results.json")
    work, other = read_experiment(manifest).works[:2]
    tally = {"games": 0, "agents": [], **value}
    entry = {
        "settings": work.settings,
        "commit": "0",
        "machine": "a",
        "jobs": 1,
        "seconds": 1,
        "tally": tally,
    }
    for key, change, why in (
        (work.key, {}, told),
        (other.key, {}, "is not the key of its settings"),
        (work.key, {"tally": {"games": 0, "agents": []}, "jobs": "two"}, "'two': expected int"),
    ):
        file = {"format": results_file.FORMAT, "entries": {key: {**entry, **change}}}
        path.write_text(json.dumps(file), encoding="utf-8")
        with pytest.raises(ResultsError, match=re.escape(why)):
            ResultsFile.load(path)


def test_results_of_other_programs_are_read_back(manifest: Path) -> None:
    """They say its name, and no time where that is not known."""
    path = manifest.with_name("results.json")
    work = read_experiment(manifest).works[0]
    agent = agent_json(AgentTally("engine", 2, games=4, seconds=math.nan, waited=0.5, name="Other"))
    tally = {"games": 4, "agents": [agent]}
    ResultsFile(path).add(work, results_file.TaskResult(work.settings, "0", "a machine", 1, 0.5, tally))
    figure = ResultsFile.load(path).figure(work, "engine", ResultMeasure.SCORE)
    assert figure
    assert (figure.games, figure.seconds) == (4, 0)


# Manifests


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("games = 61", "game = 61", "small.toml: game: there is no such key; did you mean games?"),
        ('title = "All"', 'titel = "All"', "small.toml: table[0].titel: there is no such key; did you"),
        ('title = "All"', 'title = "All"\ncolour = 1', "table[0].colour: there is no such key; there are"),
        ("games = 61", 'games = "many"', 'small.toml: games="many": expected a whole number from 1 to'),
        ("games = 61", "games = 0", "games=0: expected a whole number from 1 to"),
        ("seed = 5", "seed = -1", "seed=-1: expected a whole number from 0"),
        ('kind = "matrix"', 'kind = "cup"', 'table[0].kind="cup": expected one of matrix, versus, grid'),
        ('"strong", "smart"]', '"strong", "smrt"]', "table[0].players[2]: there is no agent 'smrt'"),
        ('weak = "random"', 'weak = "random:luck=1"', "agents.weak: there is no option of random 'luck'"),
        ('"strong", "smart"]', "]", "table[0].players: expected two or more players"),
        ('players = ["weak", "strong", "smart"]', "players = []", "players=[]: expected one or more values"),
        ('"strong", "smart"]', '"strong", "strong"]', 'table[0].players[2]: "strong" appears twice'),
        ('"strong", "smart"]', '"strong", "greedy"]', "strong and greedy are the same agent greedy"),
        ("uniform=off,on", "uniform=", "table[1].grid.weak: grid 'uniform=' has no values"),
        ("uniform=off,on", "uniform=off", "table[1].grid.weak: 1 values for 2 columns"),
        ("uniform=off,on", "luck=1,2", "table[1].grid.weak: there is no option of random 'luck'"),
        ('against = "strong"', "against = 1", "table[1].against=1: expected a text"),
        ("times = true", 'times = "yes"', 'table[1].times="yes": expected true or false'),
        ("seats = [2, 3]", "seats = [7]", "table[3].seats[0]=7: expected a whole number from 2 to 6"),
        ("lowest_rank=10", "lowest_rank=x", "table[3].rules: lowest_rank=x: expected"),
        ('"podkidnoy"', '"chess"', "table[2].rules.36 cards: "),
        ('"podkidnoy"', '"podkidnoy:seats=3"', "table[2].rules: podkidnoy:seats=3: expected seats=2; the"),
        ("seats = [2, 3]\n\n", "seats = [6]\n\n", "table[3].seats: nothing can be played: a deck"),
        ('among = ["weak", "smart"]', 'among = ["strong"]', "table[3].players: strong would play"),
        ('name = "options"', 'name = "pairs"', "table[1].name: 'pairs' is the name of another table"),
        ('name = "options"', 'name = "Up"', 'table[1].name="Up": expected small letters'),
        ("low = 90", "low = 900", "table[0].published[0].low=900: expected a number from 0 to 100"),
        ("low = 90, ", "", "table[0].published[0].low: missing: expected both ends"),
        ("low = 90, high = 99, games = 500", "value = 90", "table[0].published[0].low: missing: expected"),
        ('column = "weak", low', 'column = "strong", low', "row: 'strong' has no figure in the"),
        ("games = 61", "games = ", "is not TOML"),
        ('title = "Small things"', "", "small.toml: title: missing"),
    ],
)  # fmt: skip
def test_wrong_manifests_are_refused(manifest: Path, old: str, new: str, message: str) -> None:
    """Before anything is played, with the key's path, what is wrong and what would be right."""
    change(manifest, (old, new))
    printed = run(manifest, code=2)
    assert message in printed
    assert not (manifest.parent / "out").exists()


TEAMS = """
title = "Pairs"
question = "Who is better with a partner?"
rules = "podkidnoy:seats=4,teams=2x2"
games = 8

[agents]
mixed = "greedy+random"

[[table]]
name = "pairs"
kind = "matrix"
title = "Pairs"
players = ["greedy+greedy", "mixed"]
"""


def test_reports_of_equal_games_differ_in_their_times_alone(manifest: Path) -> None:
    """Line by line, up to the section of the times."""
    found = []
    for factor in (1, 3):
        manifest.write_text(TEAMS, encoding="utf-8")
        shutil.rmtree(manifest.parent / "out", ignore_errors=True)
        run(manifest)
        path = manifest.parent / "out" / "results.json"
        told = json.loads(path.read_text())
        for entry in told["entries"].values():
            for agent in entry["tally"]["agents"]:
                agent["seconds"] *= factor
        path.write_text(json.dumps(told))
        assert durak("report", manifest, "--out", path.parent).exit_code == 0
        found.append(read(manifest, "report.md").split("## Times"))
    (games, times), (same, others) = found
    assert games == same
    assert times != others


def test_two_teams_play_where_two_seats_do(manifest: Path) -> None:
    """Every place has its options; tables of single players, and three teams, are refused."""
    manifest.write_text(TEAMS, encoding="utf-8")
    run(manifest)
    assert "| mixed |" in read(manifest, "report.md")
    (entry,) = json.loads(read(manifest, "results.json"))["entries"].values()
    assert [agent["agent"] for agent in entry["tally"]["agents"]] == ["greedy+greedy", "greedy+random"]
    assert len(entry["settings"]["options"]) == 4
    for old, new, message in (
        ('"greedy+greedy", ', '"greedy", ', "players[0]: greedy: teams=2x2 is for 2 teams of 2"),
        (
            'kind = "matrix"',
            'kind = "first"\nseats = [2]',
            "table[0].rules: podkidnoy:seats=4,teams=2x2: expected",
        ),
        ("seats=4,teams=2x2", "seats=6,teams=3x2", "expected two teams, teams=2x2 or teams=2x3"),
        (":seats=4,teams=2x2", "", "greedy+greedy is a team of 2"),
    ):
        manifest.write_text(TEAMS.replace(old, new), encoding="utf-8")
        assert message in run(manifest, code=2)


def test_a_manifest_needs_tables(manifest: Path) -> None:
    """And a file that is not there is named."""
    manifest.write_text('title = "A"\nquestion = "B"\n', encoding="utf-8")
    assert "table: missing" in run(manifest, code=2)
    manifest.write_text('title = "A"\nquestion = "B"\ntable = [1]\n', encoding="utf-8")
    assert "small.toml: table[0]=1: expected a table" in run(manifest, code=2)
    manifest.unlink()
    assert "small.toml cannot be read: there is no such file" in run(manifest, code=2)


# What ships


def test_the_manifests_of_this_project_are_listed() -> None:
    """All of them can be played, and each says what it takes."""
    result = durak("list", SHIPPED)
    assert result.exit_code == 0, result.output
    paths = find_manifests(SHIPPED)
    assert len(paths) == 8
    for path in paths:
        assert f" {path.stem} │" in result.stdout
        assert read_experiment(path).manifest.takes


def test_where_nothing_ships_the_list_says_so(tmp_path: Path, monkeypatch) -> None:
    """An installed package has no manifests."""
    monkeypatch.chdir(tmp_path)
    result = durak("list")
    assert result.exit_code == 2
    assert "there is no folder benchmarks/experiments" in result.stderr
    result = durak("list", ".")
    assert result.exit_code == 2
    assert "holds no manifest" in result.stderr


@pytest.mark.slow
@pytest.mark.parametrize("path", find_manifests(SHIPPED), ids=lambda path: path.stem)
def test_the_manifests_of_this_project_can_be_run(path: Path, tmp_path: Path) -> None:
    """With a few games each, to the last figure of the report."""
    result = durak("run", path, "--quick", "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    text = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "| ? |" not in text
    assert "not played yet" not in text
    planned = read_experiment(path, quick=True)
    assert write_report(planned, Folder.open(tmp_path / "out", planned)) == ""
