"""Puzzles as lines of text, files of them, and which are alike."""

from __future__ import annotations

import gzip
import subprocess
import sys
from itertools import permutations
from pathlib import Path

import pytest
from puzzling import FOUND

from durak_core import CardSet, DurakError, NotationError, Rules, State, Suit, write_position
from durak_core.puzzles.puzzle import likeness, read_collection, read_puzzle, write_puzzle

LINES = tuple(FOUND.values())


@pytest.mark.parametrize("line", LINES, ids=FOUND)
def test_a_puzzle_is_written_as_it_is_read(line: str) -> None:
    """The order of the fields does not matter."""
    puzzle = read_puzzle(line)
    assert write_puzzle(puzzle) == line
    assert read_puzzle(" ".join(line.split()[::-1])).state == puzzle.state


@pytest.mark.parametrize(
    ("found", "instead", "why"),
    [
        ("rating=1400 ", "", "rating is missing"),
        ("rating=1400", "rating=-1", "rating=-1: expected a number from 0 to 9999"),
        ("goal=win", "goal=lose", "goal=lose: expected one of win, draw"),
        ("themes=low,pair", "themes=low,luck", "themes=luck: expected one of low, trump, "),
        ("action=Td", "action=10d", "'10d' is not"),
        ("action=Td", "action=Td action=Td", "action appears twice"),
        ("action=Td", "action=Th", "action=Th: the card is not in the hand"),
        ("limit=2", "limit=7", "limit=7"),
        ("hands=+JsJh", "hands=?2", "hands"),
        ("trump=Jh", "trump=Jh talon=6d7d+Jh", "Jh lies in two places"),
    ],
)
def test_a_damaged_puzzle_is_named_with_its_line(found: str, instead: str, why: str, tmp_path: Path) -> None:
    """The others go on, under their own numbers."""
    file = tmp_path / "puzzles.txt"
    file.write_text("\n".join(["# mine", LINES[1], "", LINES[0].replace(found, instead), LINES[2]]))
    collection = read_collection(file)
    faults: list[NotationError] = []
    assert [number for number, _ in collection.sound(faults)] == [1, 3]
    (fault,) = faults
    assert str(fault).startswith(f"{file}, line 4: ")
    assert why in str(fault)


def test_a_file_of_something_else_is_not_read_to_its_end(tmp_path: Path) -> None:
    """Two million lines that are no puzzles took minutes, and each printed an error."""
    file = tmp_path / "puzzles.txt"
    file.write_text(f"{'x' * 9}\n" * 150 + LINES[0])
    faults: list[NotationError] = []
    assert list(read_collection(file).sound(faults)) == []
    assert len(faults) == 101
    assert "line 100: " in str(faults[99])
    assert str(faults[100]).endswith("after 100 invalid puzzles the rest is not read")


@pytest.mark.slow
def test_no_option_of_python_leaves_out_the_checks() -> None:
    """The tests of damaged puzzles hold under ``python -O``, too, which runs no assertions."""
    hidden = Path(__file__).with_name("test_hidden_puzzles.py")
    told = ("-q", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestConfigWarning", "-k", "damaged")
    command = (sys.executable, "-O", "-m", "pytest", *told, __file__, str(hidden))
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout


def test_hidden_cards_make_no_puzzle() -> None:
    """Two players have to know all cards: nothing is left to draw but the open trump."""
    state = State.deal(Rules(), 7)
    line = f"rating=1 goal=win action={state.legal_actions[0]} "
    with pytest.raises(NotationError, match="no endgame of two players"):
        assert read_puzzle(line + write_position(state)).state


def test_files_may_be_compressed(tmp_path: Path) -> None:
    """A file that breaks off is refused as a whole."""
    file = tmp_path / "puzzles.gz"
    packed = gzip.compress("\n".join(LINES).encode())
    file.write_bytes(packed)
    assert [number for number, _ in read_collection(file).sound([])] == [1, 2, 3, 4, 5]
    file.write_bytes(packed[:-9])
    with pytest.raises(NotationError, match="is damaged"):
        read_collection(file)
    file.write_bytes(gzip.compress(bytes(1 << 25)))
    with pytest.raises(DurakError, match="larger than 16 MB"):
        read_collection(file)


def test_there_is_no_puzzle_without_a_number(tmp_path: Path) -> None:
    file = tmp_path / "puzzles.txt"
    file.write_text(LINES[0])
    for number in (0, 2, -1):
        with pytest.raises(ValueError, match=f"holds 1 puzzles; there is no puzzle {number}"):
            read_collection(file).puzzle(number)


def renamed(cards: CardSet, suits: tuple[Suit, ...]) -> CardSet:
    return CardSet(sum((cards & CardSet(suit.mask)).mask >> 16 * suit << 16 * suits[suit] for suit in Suit))


def test_positions_are_alike_up_to_suits_and_seats() -> None:
    """Trumps stay trumps, whatever they are called; who does what stays the same."""
    hands = [CardSet.parse("6s7h8hTdAc"), CardSet.parse("9sKhKdJc")]
    first = State.setup(Rules(), hands, trump="7s")
    for suits in permutations(Suit):
        cards = [renamed(hand, suits) for hand in hands]
        (trump,) = renamed(CardSet.parse("7s"), suits)
        assert likeness(State.setup(Rules(), cards, trump=trump, bout=9)) == likeness(first)
        swapped = State.setup(Rules(), cards[::-1], trump=trump, attacker=1)
        assert likeness(swapped) == likeness(first)
    others = [
        State.setup(Rules(), hands, trump="6h"),
        State.setup(Rules(), hands, trump="7s", attacker=1),
        State.setup(Rules(), [hands[0], CardSet.parse("9sKhKdJd")], trump="7s"),
        State.setup(Rules.preset("perevodnoy"), hands, trump="7s"),
        first.apply(first.legal_actions[0]),
    ]
    assert len({likeness(state) for state in (first, *others)}) == len(others) + 1
