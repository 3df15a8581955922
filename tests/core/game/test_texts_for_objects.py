"""Cards and actions may be given as texts; what is neither is refused in a sentence."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable

import pytest

from durak_core import (
    ActionError,
    Attack,
    Card,
    Defend,
    DurakError,
    NotationError,
    Rank,
    Rules,
    ShowTrump,
    State,
    Suit,
    Transfer,
    parse_action,
    wilson_interval,
)


def test_texts_stand_for_cards_and_actions() -> None:
    six = Card("6s")
    assert six == Card(Suit.SPADES, Rank.SIX) == Card.parse("6s")
    assert hash(six) == hash(Card.parse("6s"))
    for made, text in ((Attack("6s"), "6s"), (Transfer("6s"), ">6s"), (ShowTrump("6s"), "^6s")):
        assert made == parse_action(text)
        assert str(made) == text
    assert Defend("9c", "6c") == parse_action("9cx6c")
    assert len({Attack("6s"), Transfer("6s"), ShowTrump("6s")}) == 3
    for one in (six, Attack(six), Defend("9c", "6c")):
        assert copy.deepcopy(one) == pickle.loads(pickle.dumps(one)) == one  # noqa: S301 - our own bytes


def test_a_state_takes_the_text_of_an_action() -> None:
    state = State.deal(Rules(), 7)
    text = str(state.legal_actions[0])
    assert state.apply(text).table == state.apply(state.legal_actions[0]).table
    assert state.why_not(text) is None
    assert state.why_not("pass") == state.why_not(parse_action("pass"))


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: Card("XX"), NotationError, "'XX' is not a card"),
        (lambda: Card(3), NotationError, "3 is not a card: expected a rank of"),  # type: ignore[arg-type]
        (lambda: Attack(3), NotationError, "3 is not a card"),  # type: ignore[arg-type]
        (lambda: State.deal(Rules(), 7).apply("6"), ActionError, "'6' is not an action"),
        (lambda: State.deal(Rules(), 7).apply(None), ActionError, "'None' is not an action"),  # type: ignore[arg-type]
        (lambda: State.deal(Rules(), 7).why_not(7), ActionError, "'7' is not an action"),  # type: ignore[arg-type]
    ],
)
def test_what_is_neither_is_refused_in_a_sentence(
    call: Callable[[], object], kind: type[DurakError], message: str
) -> None:
    with pytest.raises(kind, match=message):
        call()


def test_an_interval_of_counts_says_what_it_wants() -> None:
    with pytest.raises(ValueError, match=r"expected a share .* such as wilson_interval\(132 / 150, 150\)"):
        wilson_interval(132, 150)
    with pytest.raises(ValueError, match="a number of trials"):
        wilson_interval(0.5, -1)
