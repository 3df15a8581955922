"""`durak puzzles`."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import commands
import pytest
from puzzling import FOUND, HIDDEN

from durak_core.puzzles import finding

durak, good = partial(commands.durak, "puzzles"), partial(commands.good, "puzzles")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "five.txt"
    path.write_text("\n".join(FOUND.values()))
    return path


def test_list_names_every_puzzle_and_no_solution(file: Path) -> None:
    """By theme too; JSON has all there is to know."""
    text = good("list", "--file", file)
    assert [word in text for word in ("1400", "4 + 2", "draw", "perevodnoy", "Td")] == [True] * 4 + [False]
    found = json.loads(good("list", "--file", file, "--theme", "pair", "--json"))["puzzles"]
    assert [(one["number"], one["action"], one["goal"]) for one in found] == [
        (1, "Td", "win"),
        (4, "8dx7h", "draw"),
    ]


def test_what_is_damaged_is_named_and_the_others_are_listed(file: Path) -> None:
    lines = list(FOUND.values())
    file.write_text("\n".join([lines[0], lines[1].replace("limit=3", "limit=9"), lines[2]]))
    result = durak("list", "--file", file)
    assert result.exit_code == 2
    assert f"Error: {file}, line 2: limit=9: has to be 3" in result.stderr
    assert "1100" in result.stdout
    assert good("show", 3, "--file", file)
    result = durak("show", 2, "--file", file)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "line 2" in result.stderr


def test_show_tells_the_solution(file: Path) -> None:
    text = good("show", 2, "--file", file)
    assert "puzzle 2, rating 1200, podkidnoy: you move and win" in text
    assert "solution: take (take on purpose)" in text
    assert FOUND["beating would cost both trumps"].endswith(text.splitlines()[-1])
    assert json.loads(good("show", 5, "--file", file, "--json"))["themes"] == ["transfer"]


def test_solve_takes_moves_until_all_are_found(file: Path) -> None:
    """What is wrong, forbidden or no action at all is answered in words, and nothing is lost."""
    text = good("solve", 1, "--file", file, typed="nonsense\n10d\n\nJh\n6s\n" + 9 * "show\n")
    assert "I do not know “nonsense”" in text
    assert "Solved, with help." in text
    assert not {*"♠♥♦♣"} & {*text}
    assert durak("solve", 1, "--file", file, typed="Td\n").exit_code == 1


def test_make_goes_on_in_the_same_file(tmp_path: Path) -> None:
    """Two searches in a row find what one finds; the file of puzzles is one that all commands read."""
    whole, parts = tmp_path / "whole.txt", tmp_path / "parts.txt"
    good("make", "--games", 3, "--seed", 12, "--out", whole)
    for seed in (12, 13, 14):
        result = durak("make", "--games", 1, "--seed", seed, "--out", parts)
        assert f"go on with --seed {seed + 1}" in result.stderr
    assert parts.read_text() == whole.read_text() == good("make", "--games", 3, "--seed", 12)
    assert good("show", 1, "--file", whole)
    assert good("make", "--games", 3, "--seed", 12, "--least", 9999) == ""


def test_rules_for_more_than_two_are_refused() -> None:
    result = durak("make", "--games", 1, "--seats", 3)
    assert result.exit_code == 2
    assert "puzzles are for two players: expected seats=2, got 3" in result.stderr


@pytest.fixture
def hidden(tmp_path: Path) -> Path:
    path = tmp_path / "hidden.txt"
    path.write_text("\n".join(HIDDEN.values()))
    return path


def test_puzzles_with_hidden_cards_are_listed_and_shown(hidden: Path) -> None:
    """The list tells no solution; the figures and the reason are shown, and JSON has them too."""
    text = good("list", "--hidden", "--file", hidden)
    assert [word in text for word in ("1011", "4 + 11", "perevodnoy", "Kcx7c")] == [True] * 3 + [False]
    assert (
        len(json.loads(good("list", "--hidden", "--file", hidden, "--theme", "higher", "--json"))["puzzles"])
        == 1
    )
    text = good("show", 1, "--file", hidden)
    assert "puzzle 1, rating 1011, perevodnoy: what would you play?" in text
    assert "seat 1      11 cards, among them 6♠ 8♠" in text
    assert "69.6 %" in text
    assert "8cx7c lets seat 1 throw in 8s, seen in that hand; it loses 13.5 points" in text
    shown = json.loads(good("show", 1, "--hidden", "--file", hidden, "--json"))
    assert (shown["action"], shown["right"], shown["lines"][1]["chance"]) == ("Kcx7c", ["Kcx7c"], 0.561)


def test_solve_with_hidden_cards_takes_one_right_move(hidden: Path) -> None:
    """Wrong ones are told what they cost, and why; what is no move at all costs nothing."""
    text = good("solve", 2, "--hidden", "--file", hidden, typed="nonsense\n\n7c\nTd\n")
    assert "I do not know “nonsense”" in text
    assert "oses 28 more games in 100" in text
    assert "Solved, with help." in text
    assert "Solved, with help." in good("solve", 2, "--hidden", "--file", hidden, typed="show\n")
    assert durak("solve", 2, "--hidden", "--file", hidden, typed="7c\n").exit_code == 1


def test_make_finds_puzzles_with_hidden_cards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A game's puzzle follows from its seed alone; one that is known already is not found twice."""
    monkeypatch.setattr(finding, "STAGES", ((100, 0.01),))
    file = tmp_path / "hidden.txt"
    found = good("make", "--hidden", "--games", 2, "--seed", 9)
    count = len(found.splitlines())
    assert count
    for more in (count, 0):
        result = durak("make", "--hidden", "--games", 2, "--seed", 9, "--out", file)
        assert f"{more} puzzles in 2 games; go on with --seed 11" in result.stderr
        assert file.read_text() == found
    assert good("show", count, "--hidden", "--file", file)


@pytest.mark.parametrize("wrong", [("--seed", 2**63 - 1), ("--seed", 0, "--games", 2**63)])
def test_seeds_that_cannot_be_are_refused_before_anything_is_compiled(wrong, monkeypatch) -> None:
    monkeypatch.setattr("durak_core.cli.commands.play.load_compiled", pytest.fail)
    result = durak("make", *wrong)
    assert result.exit_code == 2
    assert isinstance(result.exception, SystemExit)
    assert "expected numbers from 0 to 9223372036854775807" in " ".join(result.stderr.split())
