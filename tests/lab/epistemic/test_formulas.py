"""The text of formulas: it can be read back, and what does not parse is told where and why."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from durak_core import Card, CardSet, NotationError
from durak_core.cards import ALL_CARDS
from durak_core.lab.epistemic import (
    And,
    Common,
    Everybody,
    Formula,
    Implies,
    In,
    Knows,
    Not,
    Or,
    Possible,
    cards_of,
    parse_formula,
)
from durak_core.lab.epistemic.formulas import MAX_DEPTH

SEATS = st.integers(0, 5)
GROUPS = st.sets(SEATS, min_size=1).map(sorted).map(tuple)
FORMULAS: st.SearchStrategy[Formula] = st.recursive(
    st.builds(
        In, st.sampled_from(ALL_CARDS), SEATS | st.sampled_from(["talon", "bottom", "discard", "table"])
    ),
    lambda inside: st.one_of(
        st.builds(Not, inside),
        st.builds(And, inside, inside),
        st.builds(Or, inside, inside),
        st.builds(Implies, inside, inside),
        st.builds(Knows, SEATS, inside),
        st.builds(Possible, SEATS, inside),
        st.builds(Everybody, GROUPS, inside),
        st.builds(Common, GROUPS, inside),
    ),
    max_leaves=15,
)
QUICK = settings(deadline=None, derandomize=True, max_examples=200)


@QUICK
@given(FORMULAS)
def test_what_is_written_can_be_read_back(formula: Formula) -> None:
    """Whatever the operators and however nested; spaces between the signs do not matter."""
    assert parse_formula(str(formula)) == formula
    spread = "".join(f" {c} " if c in "!&|(){}," else c for c in str(formula))
    assert parse_formula(spread) == formula


@QUICK
@given(st.text("K0M1E{}C,in(As)&|->!talon \tж9", max_size=25))
def test_any_other_text_gives_our_error_with_a_place(text: str) -> None:
    """Never another one, and the place is in the text or just behind it."""
    position: int | None = 0
    try:
        formula = parse_formula(text)
    except NotationError as error:
        position = error.position
    else:
        assert parse_formula(str(formula)) == formula
    assert position is not None
    assert 0 <= position <= len(text)


A, B, C = (In(Card.parse(card), 0) for card in ("6s", "7s", "8s"))


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("in(6s,0) & in(7s,0) | in(8s,0)", Or(And(A, B), C)),
        ("in(6s,0) | in(7s,0) & in(8s,0)", Or(A, And(B, C))),
        ("in(6s,0) -> in(7s,0) -> in(8s,0)", Implies(A, Implies(B, C))),
        ("in(6s,0) & in(7s,0) & in(8s,0)", And(And(A, B), C)),
        ("!in(6s,0) & in(7s,0)", And(Not(A), B)),
        ("K0 in(6s,0) -> in(7s,0)", Implies(Knows(0, A), B)),
        ("K0 !M12 (in(6s,0) -> in(7s,0))", Knows(0, Not(Possible(12, Implies(A, B))))),
        ("E{1,0,1} C{2} in(6s,0)", Everybody((0, 1), Common((2,), A))),
        ("((in(6s,0)))", A),
    ],
)
def test_operators_bind_in_their_order(text: str, formula: Formula) -> None:
    """Not and the modalities, and, or, implies."""
    assert parse_formula(text) == formula


@pytest.mark.parametrize(
    ("text", "position", "expected"),
    [
        ("", 0, "ends too soon: expected a formula"),
        ("K0", 2, "ends too soon: expected a formula"),
        ("Kx in(As,1)", 0, "'Kx' does not belong here: expected a formula"),
        ("in(1s,1)", 3, "'1s' does not belong here: expected a card such as 6c or Th"),
        ("in(As,9999)", 6, "expected a seat's number or one of talon, bottom, discard, table"),
        ("in(As,pocket)", 6, "'pocket' does not belong here: expected a seat's number or one of talon"),
        ("in(As 1)", 6, "'1' does not belong here: expected , and a place"),
        ("in(As,1", 7, "ends too soon: expected )"),
        ("E in(As,1)", 2, "expected { and the seats of a group"),
        ("C{} in(As,1)", 2, "'}' does not belong here: expected a seat's number"),
        ("C{0 in(As,1)", 4, "expected , or }"),
        ("in(As,1) in(As,2)", 9, "expected an operator (&, | or ->), or the end"),
        ("in(As,1) & ", 10, "ends too soon: expected a formula"),
        ("(in(As,1) | in(As,2)", 20, "expected ) or an operator"),
        ("in(As,1) ? in(As,2)", 9, "'?' does not belong here"),
    ],
)
def test_errors_name_the_place_and_what_was_expected(text: str, position: int, expected: str) -> None:
    """So that it can be mended at once."""
    with pytest.raises(NotationError) as caught:
        parse_formula(text)
    assert expected in str(caught.value)
    assert caught.value.position == position


@pytest.mark.parametrize("sign", ["!", "(", "in(As,1) & ", "in(As,1) -> ", "K0 "])
def test_what_is_nested_too_deep_is_refused(sign: str) -> None:
    """Instead of running out of Python's stack; and nothing that is not so deep."""
    with pytest.raises(NotationError, match=f"more than {MAX_DEPTH} deep"):
        parse_formula(sign * 5000 + "in(As,1)" + ")" * 5000)
    n = MAX_DEPTH - 1
    assert parse_formula(sign * n + "in(As,1)" + (")" * n if sign == "(" else ""))


def test_a_formula_tells_its_cards() -> None:
    """All of them, wherever they stand."""
    formula = parse_formula("K0 (in(6s,1) -> !C{0,1} in(7s,table)) & E{0} in(6s,2)")
    assert cards_of(formula) == CardSet.parse("6s7s")
