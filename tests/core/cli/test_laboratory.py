"""`durak match` that goes on or stops by itself, `durak tournament` and `durak tune`."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from commands import bad, durak, good
from waiting import running, wait_for_lines, wait_for_session

from durak_core.lab import GameSummary, play_matches

ROOT = Path(__file__).parents[3]


# Resuming


@pytest.mark.parametrize("jobs", ["1", pytest.param("2", marks=pytest.mark.slow)])
def test_a_killed_match_goes_on_where_it_was(tmp_path, jobs: str) -> None:
    """Kill -9 in the middle: what was finished is not played again, and the end is the same.

    Processes that only worked for the killed one end by themselves.
    """
    path, whole = tmp_path / "games.jsonl", tmp_path / "whole.jsonl"
    match = ("match", "greedy", "random", "--seed", "3", "--resume")
    with running(
        [sys.executable, "-m", "durak_core.cli", *match, str(path), "--games", "100000", "--jobs", jobs],
        env={**os.environ, "PYTHONPATH": str(ROOT), "DURAK_COMPILED": "0"},  # else it would soon be over
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        wait_for_lines(path, 3)
    wait_for_session(process.pid)
    kept = path.read_bytes()
    finished = kept.count(b"\n")
    path.write_bytes(kept[: -(len(kept.splitlines()[-1]) // 2)])
    finished -= kept.endswith(b"\n")
    games = str(finished + 20)
    text = good(*match, str(path), "--games", games, "--jobs", "2")
    assert f"{finished} games were finished before" in text
    assert path.read_bytes().startswith(b"".join(kept.splitlines(keepends=True)[:finished]))
    table = good(*match, str(whole), "--games", games)
    assert path.read_bytes() == whole.read_bytes()
    assert results_of(text) == results_of(table)


def results_of(text: str) -> list[list[str]]:
    """Return the cells of the tables above the times."""
    return [row.split("│") for row in text.partition("ms a move")[0].splitlines() if "│" in row]


def test_a_finished_match_is_only_counted(tmp_path) -> None:
    """The second run plays nothing and says the same; a stopping rule stops at the same game."""
    path = tmp_path / "games.jsonl"
    match = ("match", "greedy", "random", "--seed", "3", "--until-sure")
    first = good(*match, "--resume", str(path))
    kept = path.read_bytes()
    again = good(*match, "--resume", str(path))
    assert path.read_bytes() == kept
    assert first.splitlines()[-1] == again.splitlines()[-1]
    games = kept.count(b"\n")
    assert first.splitlines()[-1].startswith(f"sure after {games} games: greedy ")


def test_reading_finished_games_shows_how_far_it_is(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A large file is read for seconds before the first new game."""
    monkeypatch.setattr("durak_core.cli.output._MINUTE", 0.0)
    match = ("match", "greedy", "random", "--seed", "3", "--resume", tmp_path / "games.jsonl", "--games")
    good(*match, 3)
    assert re.match(r"(reading: [12] of 3, [\d,.]+ a second, \S+ left\n){2}", durak(*match, 4).stderr)


def test_drawn_seats_are_remembered(tmp_path) -> None:
    """A file continues with the seats it began with, and is refused without them."""
    path = str(tmp_path / "duel.jsonl")
    words = ("match", "greedy", "random", "--seed", "1", "--resume", path)
    good(*words, "--games", "4", "--seating", "random")
    good(*words, "--games", "8", "--seating", "random")
    told = [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]
    assert len({game["seed"] for game in told}) == 8
    assert {game["match"]["seating"] for game in told} == {"random"}
    assert 'seating "random": expected' in bad(*words, "--games", "8")
    ordinary = ("match", "greedy", "random", "--seed", "1", "--games", "4")
    other = str(tmp_path / "other.jsonl")
    good(*ordinary, "--resume", other)
    assert "seating null: expected" in bad(*ordinary, "--resume", other, "--seating", "random")


def test_the_file_of_another_match_ends_with_an_error(tmp_path) -> None:
    """It names the field, and the file stays as it is."""
    path = str(tmp_path / "games.jsonl")
    good("match", "greedy", "random", "--seed", "3", "--games", "2", "--resume", path)
    other = ("match", "greedy", "random", "--games", "2", "--resume", path)
    assert bad(*other, "--seed", "4").endswith("line 1: another match: seed 3: expected 4")
    assert "leave out --verbose, --log and --json" in bad(*other, "--json", path)
    assert "there is no such file or folder" in bad(*other[:-1], "/no/such/folder/games.jsonl")


# Stopping


def test_sprt_says_what_it_accepts() -> None:
    """Or that it could not tell."""
    match = ("match", "greedy", "random", "--seed", "3", "--sprt", "0,50")
    line = good(*match).splitlines()[-1]
    assert line.startswith("SPRT +0 against +50 Elo: +50 Elo accepted after 30 deals, LLR ")
    undecided = good(*match, "--max-games", "22").splitlines()[-1]
    assert "undecided after 11 of at least 30 deals" in undecided


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--sprt", "0"), "expected two numbers of Elo points"),
        (("--sprt", "5,0"), "expected the lower one first"),
        (("--sprt", "0,5", "--games", "10"), "expected --max-games, not --games"),
        (("--sprt", "0,5", "--until-sure"), "--until-sure and --sprt are 2 rules: expected one"),
        (("--until-sure", "--games", "10"), "expected --max-games, not --games"),
        (("--max-games", "5"), "--max-games belongs to --until-sure, --sprt or"),
        (("--until-sure", "--seats", "3"), "expected two agents on two seats"),
    ],
)
def test_rules_of_stopping_that_make_no_sense(options: tuple[str, ...], message: str) -> None:
    """Said before anything is played."""
    assert message in bad("match", "greedy", "random", *options)


# Tournaments


def test_a_tournament_prints_and_writes_its_tables(tmp_path) -> None:
    """Results, ratings and the cross table; the same figures in all files."""
    files = [tmp_path / name for name in ("t.csv", "t.json", "t.md")]
    text = good(
        *("tournament", "greedy", "random", "smart", "--games", "8", "--seed", "1"),
        *("--csv", str(files[0]), "--json", str(files[1]), "--markdown", str(files[2])),
    )
    assert text.startswith("3 agents, 24 games, rules podkidnoy, seed 1\n")
    for word in ("│ greedy", "┃  Elo ┃", "┃ against", "first attacker: score ", "draws: ", "± "):
        assert word in text
    told = json.loads(files[1].read_text(encoding="utf-8"))
    rows = list(csv.DictReader(files[0].read_text(encoding="utf-8").splitlines()))
    assert len(rows) == len(told["pairs"]) == 6
    for row, pair in zip(rows, told["pairs"], strict=True):
        assert (row["agent"], row["opponent"], row["games"]) == (pair["agent"], pair["opponent"], "8")
        assert float(row["share"]) == pair["share"]["value"]
    written = files[2].read_text(encoding="utf-8")
    assert written.count("| agent |") == 3
    best = told["agents"][0]
    assert f"| {best['agent']} | {best['wins']} | {best['draws']} | {best['losses']} |" in written


def test_equal_ratings_stand_in_the_order_of_the_results() -> None:
    """Whatever the rounding errors of two equal ones."""
    text = good("tournament", "greedy", "smart", "random", "--games", "8", "--seed", "4")
    ratings = text.split("┃  Elo ┃")[1].split("against")[0]
    assert ratings.count("+164 ") == 2
    assert ratings.index("greedy") < ratings.index("smart")


def test_a_tournament_says_at_once_what_its_ratings_need(monkeypatch: pytest.MonkeyPatch) -> None:
    """Numba brings numpy; where there is neither, the error names the extra before any game is played."""
    monkeypatch.setitem(sys.modules, "numpy", None)
    needs = "Error: An Elo rating needs numpy; in a checkout of Durak run python3 -m pip install '.[lab]'"
    assert bad("tournament", "greedy", "random", "--games", "2") == needs


def test_a_tournament_of_three_seats_is_rated_in_elo_points() -> None:
    """And no figure of a wide table is cut off."""
    agents = ("greedy", "random", "random:uniform", "smart", "expert")
    text = good("tournament", *agents, "--seats", "3", "--games", "3", "--seed", "1")
    assert "5 agents, 30 games, rules podkidnoy:seats=3" in text
    assert "┃  Elo ┃" in text
    assert "loss rate" in text
    assert "…" not in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("greedy",), "1 agents on 2 seats: expected 2 agents or more"),
        (
            ("greedy", "random", "--csv", "/no/such/folder/x"),
            "/no/such/folder/x cannot be written: there is no such folder",
        ),
        (("greedy", "random", "--games", "0"), "--games"),
    ],
)
def test_tournaments_that_cannot_be(words: tuple[str, ...], message: str) -> None:
    """Said before anything is played."""
    assert message in bad("tournament", *words)


# Tournaments and tunings that go on


EVERYBODY = ("tournament", "greedy", "random", "smart", "--games", "6", "--seed", "1")
TRIED = ("tune", "random", "--grid", "uniform=off,on", "--against", "greedy", "--games", "6", "--seed", "1")


def figures(words: tuple[str, ...], path: Path, *options: str) -> object:
    """What a command found, without what depends on the clock."""
    kind = "--json" if words[0] == "tournament" else "--csv"
    good(*words, kind, str(path), *options)
    text = path.read_text(encoding="utf-8")
    if kind == "--csv":
        return [{**row, "ms_a_move": ""} for row in csv.DictReader(text.splitlines())]
    told = json.loads(text)
    return {**told, "agents": [{**agent, "milliseconds_a_move": 0} for agent in told["agents"]]}


@pytest.mark.parametrize("jobs", [pytest.param("1", marks=pytest.mark.slow), "2"])
@pytest.mark.parametrize("words", [EVERYBODY, (*EVERYBODY, "--seats", "3"), TRIED])
def test_tournaments_and_tunings_go_on(tmp_path, words: tuple[str, ...], jobs: str) -> None:
    """From any of their games, in whatever order these stand, to the same file and figures."""
    file, out = tmp_path / "games.jsonl", tmp_path / "out"
    found = figures(words, out)
    resume = ("--resume", str(file), "--jobs", jobs)
    assert figures(words, out, *resume) == found
    whole = file.read_bytes()
    lines = whole.splitlines(keepends=True)
    file.write_bytes(b"".join([lines[-1], lines[2], lines[0], lines[1][:99]]))
    assert "3 games were finished before" in good(*words, *resume)
    assert file.read_bytes() == whole
    assert figures(words, out, *resume) == found
    assert file.read_bytes() == whole


def interrupted_after(games: int) -> Callable[..., Iterator[tuple[int, GameSummary]]]:
    """Return what plays matches until Ctrl+C is pressed after some games."""

    def play(*arguments: Any) -> Iterator[tuple[int, GameSummary]]:
        yield from islice(play_matches(*arguments), games)
        raise KeyboardInterrupt

    return play


@pytest.mark.parametrize("words", [EVERYBODY, TRIED])
def test_what_ctrl_c_ends_can_be_resumed(tmp_path, monkeypatch, words: tuple[str, ...]) -> None:
    """The games until then are in the file, in order."""
    file, out = tmp_path / "games.jsonl", tmp_path / "out"
    module = "commands.match" if words[0] == "tournament" else "output"

    with monkeypatch.context() as patched:
        patched.setattr(f"durak_core.cli.{module}.play_matches", interrupted_after(7))
        result = durak(*words, "--resume", str(file))
    assert (result.exit_code, "interrupted after 7 games" in result.stderr) == (130, True)
    assert file.read_bytes().count(b"\n") == 7
    assert figures(words, out, "--resume", str(file)) == figures(words, out)


@pytest.mark.parametrize(
    ("words", "other", "message"),
    [
        (EVERYBODY, ("--seed", "2"), "line 1: another tournament: seed 1: expected 2"),
        (EVERYBODY, ("--rules", "perevodnoy"), 'tournament: rules "podkidnoy": expected "perevodnoy"'),
        (EVERYBODY, ("expert",), 'another tournament: agents ["greedy", "random", "smart"]: expected ["'),
        (EVERYBODY, ("--games", "2"), "another match: game 2: expected a number from 0 to 1"),
        (TRIED, ("--seed", "2"), "line 1: another match: seed 1: expected 2"),
        (TRIED, ("--against", "smart"), 'agents ["random", "greedy"]: expected ["random", "smart"] or ["ra'),
        (TRIED, ("--rules", "perevodnoy"), 'another match: rules "podkidnoy": expected "perevodnoy"'),
    ],
)
def test_the_games_of_another_tournament_are_refused(
    tmp_path, words: tuple[str, ...], other: tuple[str, ...], message: str
) -> None:
    """The error names the field that differs, and the file stays as it is."""
    file = tmp_path / "games.jsonl"
    good(*words, "--resume", str(file))
    whole = file.read_bytes()
    assert message in bad(*words, *other, "--resume", str(file))
    assert file.read_bytes() == whole


def test_a_match_is_no_tournament(tmp_path) -> None:
    """A tournament's games can be counted as any others, but a match's are none of a tournament."""
    match, file = tmp_path / "match.jsonl", tmp_path / "games.jsonl"
    good("match", "greedy", "random", "--games", "2", "--seed", "1", "--resume", str(match))
    assert "line 1: no key tournament: expected games" in bad(*EVERYBODY, "--resume", str(match))
    good(*EVERYBODY, "--resume", str(file))
    assert "18 games" in good("stats", str(file))
    broken = file.read_text(encoding="utf-8").replace('"log_choices": ', '"choices": ')
    file.write_text(broken, encoding="utf-8")
    assert "line 1: tournament: log_choices None: expected a number" in bad(*EVERYBODY, "--resume", str(file))


# Tuning


def test_tuning_tries_every_combination(tmp_path) -> None:
    """Sorted by score, the best first; all with the same deals."""
    path = tmp_path / "t.csv"
    text = good(
        *("tune", "random", "--grid", "uniform=off,on", "--grid", "open=off,on", "--against", "greedy"),
        *("--games", "20", "--seed", "1", "--csv", str(path)),
    )
    assert text.startswith("4 agents, 20 games each against greedy, rules podkidnoy, seed 1\n")
    rows = list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
    assert {(row["uniform"], row["open"]) for row in rows} == {
        (first, second) for first in ("off", "on") for second in ("off", "on")
    }
    scores = [float(row["score"]) for row in rows]
    assert scores == sorted(scores, reverse=True)
    assert [(row[1].strip(), row[2].strip()) for row in results_of(text)] == [
        (row["uniform"], row["open"]) for row in rows
    ]
    best = rows[0]
    match = good("match", best["agent"], "greedy", "--games", "20", "--seed", "1")
    assert f"│ {int(best['wins']):>4} │ {int(best['draws']):>5} │ {int(best['losses']):>6} │" in match


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "there is no grid"),
        (("--grid", "limit=0..5"), "limit=0: expected a whole number from 1"),
    ],
)
def test_grids_that_cannot_be(words: tuple[str, ...], message: str) -> None:
    """Said before anything is played."""
    assert message in bad("tune", "mcts", "--against", "greedy", *words)


TUNED = ("tune", "random", "--grid", "uniform=off,on", "--against", "greedy", "--games", "4", "--seed", "1")


def test_tune_draws_its_results(tmp_path) -> None:
    """The picture says what was played, and under which rules."""
    path = tmp_path / "t.svg"
    good(*TUNED[:1], "random:uniform=on", *TUNED[2:], "--plot", str(path))
    text = path.read_text(encoding="utf-8")
    for label in ("random against greedy", "4 games each, rules podkidnoy, seed 1", "uniform", "off", "on"):
        assert f"<!-- {label} -->" in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--plot", "t.gif"), "t.gif: expected a name that ends in .png or .svg"),
        (("--plot", "nowhere/t.svg"), "nowhere/t.svg"),
    ],
)
def test_pictures_that_cannot_be(words: tuple[str, ...], message: str) -> None:
    """Said before anything is played."""
    result = durak(*TUNED, *words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr


def test_a_picture_of_three_grids_is_refused() -> None:
    """It has an axis and lines, and no third direction."""
    grids = ("--grid", "c=1,2", "--grid", "limit=1,2", "--grid", "simulation=random,greedy")
    result = durak("tune", "mcts", *grids, "--against", "greedy", "--plot", "t.svg")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "a picture of 3 grids: expected one or two" in result.stderr


def test_without_matplotlib_nothing_is_played_for_a_picture(tmp_path, monkeypatch) -> None:
    """The extra is asked for at once."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = durak(*TUNED, "--plot", str(tmp_path / "t.svg"))
    assert (result.exit_code, result.stdout) == (2, "")
    assert "pip install '.[plot]'" in result.stderr


def test_without_the_laboratory_the_error_says_what_to_install(monkeypatch) -> None:
    """Nothing is played; one process needs no extra."""
    monkeypatch.setitem(sys.modules, "joblib", None)
    result = durak("match", "smart", "greedy", "--games", "2", "--jobs", "2")
    assert result.exit_code == 2
    assert "Playing on several processes needs joblib" in result.stderr
    assert "python3 -m pip install '.[lab]'" in result.stderr


@pytest.mark.parametrize("finished", [0, 6])
def test_an_interrupted_tune_draws_what_was_played(tmp_path, monkeypatch, finished: int) -> None:
    """Ctrl+C in the second of four matches; without any game there is no picture."""
    path = tmp_path / "t.svg"
    monkeypatch.setattr("durak_core.cli.output.play_matches", interrupted_after(finished))
    result = durak(*TUNED, "--grid", "open=off,on", "--plot", str(path))
    assert result.exit_code == 130
    moment = f"after {finished} games" if finished else "before the first game"
    assert f"interrupted {moment}" in result.stderr
    assert path.exists() == bool(finished)
    if finished:
        text = path.read_text(encoding="utf-8")
        for label in ("off", "open = off", "open = on", "up to 4 games each, rules podkidnoy, seed 1"):
            assert f"<!-- {label} -->" in text
        assert "<!-- on -->" not in text
