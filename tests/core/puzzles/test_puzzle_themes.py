"""What the right action of a puzzle is like."""

from __future__ import annotations

import pytest
from puzzling import FOUND

from durak_core import Rules, State, parse_action, read_position
from durak_core.puzzles.puzzle import THEMES, read_puzzle, themes_of

LEAD = State.setup(Rules(), ["6h6dAh9s", "KhTcKc"], trump="6s")
ANSWER = read_position(
    "rules=podkidnoy bout=9 attacker=0 defender=1 limit=4 phase=defence turn=1 hands=KdQdQc/9hKhQs9s "
    "table=8h trump=6s"
)
THROW = read_position(
    "rules=podkidnoy bout=9 attacker=0 defender=1 limit=3 phase=throw_in turn=0 hands=9sQc/KcTs table=9hx8h "
    "trump=6s"
)
TRANSFER = read_position(
    "rules=perevodnoy bout=9 attacker=0 defender=1 limit=2 phase=defence turn=1 hands=KhKdQc/9h8c "
    "table=8h trump=6s"
)
PAIR = read_position(
    "rules=podkidnoy bout=9 attacker=0 defender=1 limit=4 phase=defence turn=1 hands=KdQdQc/9h9dKhAs "
    "table=8h trump=6s"
)


@pytest.mark.parametrize(
    ("key", "state", "yes", "no"),
    [
        ("low", LEAD, "Ah", "6d"),
        ("trump", LEAD, "9s", "Ah"),
        ("trump", ANSWER, "9sx8h", "9hx8h"),
        ("higher", ANSWER, "Khx8h", "9hx8h"),
        ("pair", LEAD, "Ah", "6d"),
        ("pair", PAIR, "Khx8h", "9hx8h"),
        ("unbeatable", LEAD, "6d", "6h"),
        ("offer", LEAD, "6h", "6d"),
        ("several", LEAD, "6h", "Ah"),
        ("take", ANSWER, "take", "9hx8h"),
        ("close", ANSWER, "9hx8h", "Khx8h"),
        ("throw", THROW, "9s", "pass"),
        ("stop", THROW, "pass", "9s"),
        ("transfer", TRANSFER, ">8c", "9hx8h"),
        ("high", LEAD, "Ah", "6d"),
        ("high", LEAD, "Ah", "9s"),
    ],
)
def test_a_theme_holds_of_one_action_and_not_of_another(key: str, state: State, yes: str, no: str) -> None:
    """Each theme has an example, in a position in which it might have been otherwise."""
    assert key in themes_of(state, parse_action(yes))
    assert key not in themes_of(state, parse_action(no))


def test_what_has_to_be_done_has_no_theme() -> None:
    """Taking because nothing beats it is not on purpose."""
    state = State.setup(Rules(), ["Ah", "KhTcKc"], trump="6s").apply(parse_action("Ah"))
    assert themes_of(state, parse_action("take")) == ()


@pytest.mark.parametrize("line", FOUND.values(), ids=FOUND)
def test_puzzles_have_the_themes_that_hold(line: str) -> None:
    """A file keeps them, so that whoever chooses by theme need not ask again."""
    puzzle = read_puzzle(line)
    assert puzzle.themes == themes_of(puzzle.state, puzzle.action)
    assert set(puzzle.themes) <= set(THEMES)
