"""Cards and actions may be given as texts; what is neither is refused in a sentence."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from random import Random

import pytest

from durak_core import (
    ActionError,
    Attack,
    Card,
    CardSet,
    DealError,
    Defend,
    NotationError,
    Rank,
    Rules,
    RulesError,
    ShowTrump,
    State,
    Suit,
    Transfer,
    parse_action,
    wilson_interval,
)
from durak_core.knowledge.locations import SeatLocations
from durak_core.lab import play_game


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


def test_texts_stand_for_cards_in_sets_and_positions() -> None:
    cards = CardSet.parse("6s7s")
    assert "6s" in cards
    assert "8s" not in cards
    assert 6 not in cards
    assert CardSet.of(["6s", Card("7s")]) == cards == cards | ["6s"]
    assert cards & ["6s", "9s"] == CardSet.parse("6s")
    rules = Rules(lowest_rank=11, suits=1, hand_size=1)
    state = State.setup(rules, [["Js"], "Qs"], talon=["Ks", "As"])
    assert state == State.setup(rules, ["Js", CardSet.parse("Qs")], talon="KsAs")
    assert State.from_deck(rules, ["Js", "Qs", "Ks", "As"]) == State.from_deck(rules, rules.deck)
    places = SeatLocations.from_observation(state.observation(0))
    assert places.places_of("Js") == (0,)
    assert places.knows_that_knows(0, "Js", 0) is places.knows_that_knows(0, Card("Js"), 0) is True


def test_texts_stand_for_rules() -> None:
    text = "perevodnoy:seats=3"
    rules = Rules.parse(text)
    state = State.deal(text, 7)
    assert state == State.deal(rules, 7)
    assert state.rules == rules
    assert state.deck is not None
    assert State.from_deck(text, state.deck) == state
    assert State.deal_with(text, Random(7)) == State.deal_with(rules, Random(7))
    assert State.setup(text, ["6s", "7s", "8s"]) == State.setup(rules, ["6s", "7s", "8s"])


def test_numbers_of_numpy_are_seeds() -> None:
    numpy = pytest.importorskip("numpy")
    assert State.deal("podkidnoy", numpy.int64(7)) == State.deal("podkidnoy", 7)


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
        (lambda: CardSet.of(["6s", "XX"]), NotationError, "'XX' is not a card"),
        (lambda: CardSet.of([7]), NotationError, "7 is not a card"),  # type: ignore[list-item]
        (lambda: "6" in CardSet.parse("6s"), NotationError, "'6' is not a card"),
        (lambda: CardSet("6s7s"), TypeError, r"CardSet\('6s7s'\): expected a bit mask; CardSet.parse reads"),  # type: ignore[arg-type]
        (lambda: CardSet(["6s"]), TypeError, r"CardSet.of cards"),  # type: ignore[arg-type]
        (lambda: State.deal("podkidnoi", 7), RulesError, "there is no preset 'podkidnoi'"),
        (lambda: State.deal(7, Rules()), RulesError, "there is no preset '7'"),  # type: ignore[arg-type]
        (lambda: State.deal(Rules(), "x"), DealError, "seed 'x': expected a number from 0 to"),  # type: ignore[arg-type]
        (lambda: State.deal(Rules(), 7.5), DealError, "seed 7.5: expected a number from 0 to"),  # type: ignore[arg-type]
        (lambda: play_game("podkidnoy", ["greedy"] * 2, "x"), DealError, "seed 'x': expected"),  # type: ignore[arg-type]
        (lambda: State.deal(Rules(), 7).observation("0"), DealError, "there is no seat '0': expected 0 to 1"),  # type: ignore[arg-type]
        (lambda: State.deal(Rules(), 7).apply("6"), ActionError, "'6' is not an action"),
        (lambda: State.deal(Rules(), 7).apply(None), ActionError, "'None' is not an action"),  # type: ignore[arg-type]
        (lambda: State.deal(Rules(), 7).why_not(7), ActionError, "'7' is not an action"),  # type: ignore[arg-type]
    ],
)
def test_what_is_neither_is_refused_in_a_sentence(
    call: Callable[[], object], kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind, match=message):
        call()


def test_an_interval_of_counts_says_what_it_wants() -> None:
    with pytest.raises(ValueError, match=r"expected a share .* such as wilson_interval\(132 / 150, 150\)"):
        wilson_interval(132, 150)
    with pytest.raises(ValueError, match="a number of trials"):
        wilson_interval(0.5, -1)
    with pytest.raises(ValueError, match=r"wilson_interval\('a', 3\): expected a share .* number of trials$"):
        wilson_interval("a", 3)  # type: ignore[arg-type]
