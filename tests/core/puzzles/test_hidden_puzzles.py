"""Puzzles with hidden cards: what would you play?"""

from __future__ import annotations

import re
from itertools import permutations
from pathlib import Path

import pytest
from puzzling import FOUND, HIDDEN

from durak_core import DurakError, NotationError, Rules, parse_action
from durak_core.puzzles.finding import find_hidden_puzzles
from durak_core.puzzles.puzzle import (
    hidden_likeness,
    read_hidden_collection,
    read_hidden_puzzle,
    themes_of,
    write_hidden_puzzle,
)

LINES = tuple(HIDDEN.values())
KING = read_hidden_puzzle(LINES[0])


@pytest.mark.parametrize("line", LINES, ids=HIDDEN)
def test_a_puzzle_is_written_as_it_is_read(line: str) -> None:
    """The order of the fields does not matter, nor that of the lines."""
    puzzle = read_hidden_puzzle(line)
    assert write_hidden_puzzle(puzzle) == line
    assert read_hidden_puzzle(" ".join(line.split()[::-1])).observation == puzzle.observation
    worths = re.findall(r"lines=(\S+)", line)[0]
    assert read_hidden_puzzle(line.replace(worths, "/".join(worths.split("/")[::-1]))).action == puzzle.action
    assert themes_of(puzzle.observation, puzzle.action) == puzzle.themes


def test_wrong_actions_have_a_cost_and_a_reason() -> None:
    """The reasons are those of the review, made from what the player could know."""
    assert (str(KING.action), KING.right) == ("Kcx7c", (KING.action,))
    assert KING.cost(KING.usual) == 0.135
    assert str(KING.reason(KING.usual)) == "lets seat 1 throw in 8s, seen in that hand"
    reasons = [str(puzzle.reason(puzzle.usual)) for puzzle in map(read_hidden_puzzle, LINES[1:])]
    assert reasons == ["runs into JcKc, seen with seat 1", "stops too early: As can still be thrown in"]


def test_the_state_that_stands_in_knows_the_rules_and_refuses_by_them() -> None:
    assert KING.state.observation(KING.observation.seat) == KING.observation
    assert all(KING.state.why_not(line.action) is None for line in KING.lines)
    assert KING.state.why_not(parse_action("pass")).paragraph == "5.5"  # type: ignore[union-attr]


def test_what_is_almost_as_good_is_right_too() -> None:
    near = read_hidden_puzzle(LINES[0].replace("Jdx7c:55.6", "Jdx7c:67.6"))
    assert near.right == (parse_action("Kcx7c"), parse_action("Jdx7c"))
    far = read_hidden_puzzle(LINES[0].replace("Jdx7c:55.6", "Jdx7c:67.5"))
    assert far.right == (parse_action("Kcx7c"),)


@pytest.mark.parametrize(
    ("found", "instead", "why"),
    [
        ("rating=1011", "", "rating is missing"),
        ("usual=8cx7c", "usual=Kcx7c", "usual=Kcx7c is not one of the wrong actions"),
        ("usual=8cx7c", "usual=9cx7c", "usual=9cx7c is not one of the wrong actions"),
        ("take:52.7", "take:152.7", "lines=take:152.7:pass:Kh:>Kc:take: expected a chance from 0.0 to 100.0"),
        ("take:52.7", "take:100.1", "expected a chance from 0.0 to 100.0"),
        ("take:52.7", "take", "expected a chance"),
        ("take:52.7", "Qcx7c:52.7", "lines has to name each action once: "),
        ("take:52.7", "Kcx7c:52.7", "lines has to name each action once: "),
        ("themes=higher", "themes=luck", "themes=luck: expected one of low, "),
        ("seat=0 ", "", "seat is missing"),
        ("seat=0", "seat=1", "hands"),
        ("Thx7h usual", "10hx7h usual", "'10hx7h' is not"),
    ],
)
def test_a_damaged_puzzle_is_named_with_its_line(found: str, instead: str, why: str, tmp_path: Path) -> None:
    """The others go on, under their own numbers."""
    file = tmp_path / "hidden.txt"
    file.write_text("\n".join([LINES[1], "", LINES[0].replace(found, instead), LINES[2]]))
    faults: list[NotationError] = []
    assert [number for number, _ in read_hidden_collection(file).sound(faults)] == [1, 3]
    (fault,) = faults
    assert str(fault).startswith(f"{file}, line 3: ")
    assert why in str(fault)


def test_puzzles_are_alike_up_to_suits() -> None:
    """What was discarded before does not count, and where cards are known to be does."""
    first = hidden_likeness(KING)
    for suits in map("".join, permutations("shdc")):
        renamed = re.sub(
            r"([6-9TJQKA])([shdc])",
            lambda card, names=suits: card[1] + names["shdc".index(card[2])],
            LINES[0],
        )
        assert hidden_likeness(read_hidden_puzzle(renamed)) == first
    assert hidden_likeness(read_hidden_puzzle(LINES[0].replace("bout=7", "bout=9"))) == first
    seen = read_hidden_puzzle(LINES[0].replace("?3+6s8s", "?4+6s"))
    assert hidden_likeness(seen) != first


def test_there_is_nothing_to_guess_in_open_games() -> None:
    with pytest.raises(DurakError, match="are hidden by these rules: expected visibility=closed"):
        next(find_hidden_puzzles(Rules(visibility="open"), [1], []))
    assert Rules.parse("podkidnoy:visibility=closed") == Rules()
    line = next(iter(FOUND.values())).split("rules=")[1]
    with pytest.raises(NotationError, match="seat is missing"):
        assert read_hidden_puzzle(f"rating=1 lines=Td:9.0/6s:1.0 usual=6s rules={line}").observation
