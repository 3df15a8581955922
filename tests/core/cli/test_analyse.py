"""`durak analyse`: of a text, and of a moment of a recorded game."""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path

import pytest
from commands import durak
from talking import ENDGAME, OPENING

from durak_core import Record, Rules, State, read_observation, write_game, write_observation

analyse = partial(durak, "analyse")


def recorded(path: Path, games: int = 1) -> Record:
    """Save games of six moves and return the last."""
    records = []
    for seed in range(7, 7 + games):
        record = Record.of(State.deal(Rules(), seed), ("Anna", "Boris"))
        for _ in range(6):
            record = record.added(record.end.legal_actions[0])
        records.append(record)
    path.write_text("\n".join(map(write_game, records)), encoding="utf-8")
    return records[-1]


def test_a_table_shows_every_action():
    """The observation, a row for each action, and how much was done."""
    done = analyse(OPENING, "--iterations", "100", "--seed", "1")
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith(OPENING)
    rows = [line.split("│")[1].strip() for line in done.stdout.splitlines() if line.startswith("│")]
    assert set(rows) == {str(action) for action in read_observation(OPENING).legal_actions}
    assert re.search(r"100 iterations, \d+ nodes, \d+ deep, seed 1\n$", done.stdout)
    assert analyse(OPENING, "--iterations", "100", "--seed", "1").stdout == done.stdout


def test_solved_endgames_say_so():
    """Won, drawn or lost, and exact."""
    done = analyse(ENDGAME)
    assert done.exit_code == 0, done.output
    assert "exact" in done.stdout
    assert "solved: " in done.stdout


def test_json_holds_the_same():
    """One object, with as many lines as asked for."""
    done = analyse(OPENING, "--iterations", "100", "--seed", "1", "--lines", "2", "--json")
    report = json.loads(done.stdout)
    assert report["observation"] == OPENING
    assert (report["seed"], report["iterations"], report["exact"], report["forced"]) == (1, 100, False, False)
    assert (len(report["lines"]), report["unit"], report["deals"]) == (2, "score", 100)
    assert report["nodes"] >= report["depth"] >= 1
    for line in report["lines"]:
        low, high = line["interval"]
        assert 0 <= low <= line["score"] <= high <= 1
        assert set(line) == {"action", "score", "interval", "visits", "exact", "bouts", "continuation"}


def test_the_moves_inside_a_search_are_printed():
    """One line for each move of the first deal, indented by depth; only agents that look ahead have them."""
    shown = analyse(OPENING, "--agent", "minimax:depth=2,samples=1", "--seed", "1", "--tree").stdout
    lines = shown[: shown.index("rules=")].splitlines()
    assert lines[0].startswith("first deal: seat 0 ")
    form = re.compile(r"( {2}| {4})seat \d \S+(, forced [^:]+)?: -?\d+(  best)?")
    assert all(map(form.fullmatch, lines[1:]))
    assert sum(line.startswith("    ") for line in lines) > sum(line.endswith("best") for line in lines) > 2
    assert "expected minimax or maxn" in analyse(OPENING, "--agent", "mcts", "--tree").stderr
    assert "--tree prints the search of an --agent" in analyse(OPENING, "--tree").stderr


def test_an_agent_can_be_asked_instead():
    """What it chooses, and by which figures; who does not search has none."""
    done = analyse(OPENING, "--agent", "mcts:limit=10,samples=3", "--seed", "1", "--json")
    report = json.loads(done.stdout)
    assert (report["agent"], report["unit"], report["deals"]) == ("mcts:limit=10,samples=3", "score", 3)
    assert report["lines"][0]["action"] == report["choice"]
    shown = analyse(OPENING, "--agent", "minimax:depth=2,samples=3", "--seed", "1").stdout
    assert [head.strip() for head in shown.splitlines()[2].split("┃")[1:3]] == ["action", "value"]
    assert re.search(r"2 deep, 3 deals, seed 1\nminimax:depth=2,samples=3 chooses \w+: best in", shown)
    assert "greedy found nothing to tell" in analyse(OPENING, "--agent", "greedy").stderr
    assert "belong to the analysis" in analyse(OPENING, "--agent", "mcts", "--time", "1").stderr


FORCED = OPENING.replace("ThJhKh8cKcAc", "6s7s8sTsJsQs")


def test_an_agent_without_a_reason_has_no_colon(tmp_path):
    """As own agents often are, which return just an action."""
    file = tmp_path / "mine.py"
    file.write_text("class Mine:\n    def choose(self, seen):\n        return seen.legal_actions[0]\n")
    done = analyse(FORCED, "--agent", f"{file}:Mine")
    assert re.search(r"mine\.py:Mine chooses \w+\n$", done.stdout), done.output


def test_forced_moves_are_said_to_be_forced():
    """There is one row and nothing to count."""
    done = analyse(FORCED)
    assert done.exit_code == 0, done.output
    assert done.stdout.endswith("there is no choice\n")


def test_a_moment_of_a_file_is_what_the_seat_to_act_sees(tmp_path):
    """The observation is that of the recorded state."""
    file = tmp_path / "games.durak"
    record = recorded(file, 2)
    done = analyse(str(file), "--game", "2", "--ply", "3", "--iterations", "40", "--json")
    assert done.exit_code == 0, done.output
    state = record.replay()[3]
    assert state.turn is not None
    assert json.loads(done.stdout)["observation"] == write_observation(state.observation(state.turn))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("rules=podkidnoy",), "is missing"),
        (("no-such-file.durak",), "no-such-file.durak"),
        ((OPENING, "--ply", "3"), "--game and --ply belong to a FILE"),
        ((OPENING, "--iterations", "0"), "--iterations"),
        ((OPENING, "--time", "-1"), "--time"),
        ((OPENING.replace("hands=Th", "hands=Xh"),), "hands="),
        (("FILE",), "holds 2 games: say with --game"),
        (("FILE", "--game", "1"), "expected --ply"),
        (("FILE", "--game", "3", "--ply", "0"), "there is no game 3"),
        (("FILE", "--game", "1", "--ply", "99"), "there is no position after 99"),
    ],
)
def test_errors_are_one_line_and_exit_code_2(tmp_path, words, message):
    """What is wrong is named."""
    file = tmp_path / "games.durak"
    recorded(file, 2)
    done = analyse(*(str(file) if word == "FILE" else word for word in words))
    assert done.exit_code == 2
    assert message in done.stderr.replace("\n", " ")
    assert "Traceback" not in done.stdout
