"""Section 1 of docs/rules.md: cards."""

from __future__ import annotations

from collections import Counter

import pytest
from playing import allowed, legal, play, refused

from durak_core import Card, CardSet, Rank, Rules, State, Suit
from durak_core.errors import RulesError


def test_rule_1_1_four_suits_and_thirteen_ranks() -> None:
    """The suits stand in the order ♠ ♥ ♦ ♣ and the ranks rise from 2 to the ace."""
    assert "".join(suit.symbol for suit in sorted(Suit)) == "♠♥♦♣"
    assert "".join(rank.letter for rank in sorted(Rank)) == "23456789TJQKA"
    deck = Rules(lowest_rank=2).deck
    assert len(set(deck)) == len(deck) == 52
    assert Counter(card.suit for card in deck) == dict.fromkeys(Suit, 13)
    assert Counter(card.rank for card in deck) == dict.fromkeys(Rank, 4)


@pytest.mark.parametrize(("lowest_rank", "size"), [(6, 36), (2, 52), (9, 24)])
def test_rule_1_2_lowest_rank_sets_the_size_of_the_deck(lowest_rank: int, size: int) -> None:
    """6 makes 36 cards, 2 makes 52 and 9 makes 24, and a deal uses exactly these cards."""
    rules = Rules(lowest_rank=lowest_rank)
    state = State.deal(rules, 1)
    assert rules.deck_size == size
    assert state.deck is not None
    assert sorted(state.deck) == [Card(suit, rank) for suit in Suit for rank in Rank if rank >= lowest_rank]
    assert sum(state.hand_sizes) + len(state.talon) == size


def test_rule_1_2_every_rank_may_be_the_lowest() -> None:
    """A deck of aces is enough for four seats with a card each; texts may name ranks by letter."""
    for lowest_rank in range(2, 15):
        assert Rules(lowest_rank=lowest_rank, hand_size=1).deck_size == 4 * (15 - lowest_rank)
    assert Rules.parse("podkidnoy:lowest_rank=J").lowest_rank == Rank.JACK
    assert Rules.parse("podkidnoy:lowest_rank=A,hand_size=2").lowest_rank == Rank.ACE
    for wrong in (1, 15):
        with pytest.raises(RulesError, match=r"rules 1\.2"):
            Rules(lowest_rank=wrong, hand_size=1)


def test_rule_1_2_suits_keeps_the_first_suits() -> None:
    """With three suits there are no clubs, with one there are only spades; none or five are refused."""
    assert {card.suit for card in Rules(suits=3).deck} == {Suit.SPADES, Suit.HEARTS, Suit.DIAMONDS}
    assert CardSet.of(Rules(suits=1, hand_size=4).deck) == CardSet.parse("6s7s8s9sTsJsQsKsAs")
    for wrong in (0, 5):
        with pytest.raises(RulesError, match=r"rules 1\.2"):
            Rules(suits=wrong)


def test_rule_1_3_the_deck_must_hold_all_hands() -> None:
    """Six hands of six need all 36 cards; a seventh card each, or a smaller deck, is refused."""
    assert State.deal(Rules(seats=6), 1).talon == ()
    with pytest.raises(RulesError, match=r"36 cards cannot give 6 seats 7 cards.*rules 1\.3"):
        Rules(seats=6, hand_size=7)
    with pytest.raises(RulesError, match=r"rules 1\.3"):
        Rules(seats=5, lowest_rank=9)
    with pytest.raises(RulesError, match=r"rules 1\.3"):
        Rules.preset("podkidnoy", seats=2, lowest_rank=11, hand_size=9)


@pytest.mark.parametrize("trump", ["6c", None])
def test_rule_1_4_what_beats_what(trump: str | None) -> None:
    """Every pair of cards: a higher card of the suit beats, a trump beats another suit, nothing else does."""
    rules = Rules(hand_size=1, trumps=trump is not None)
    for target in rules.deck:
        for card in rules.deck:
            if card == target:
                continue
            state = play(State.setup(rules, [str(target), str(card)], trump=trump), str(target))
            is_trump = trump is not None and card.suit == Suit.CLUBS
            beats = card.rank > target.rank if card.suit == target.suit else is_trump
            assert allowed(state, f"{card}x{target}") is beats, f"{card} on {target}"
            assert (f"{card}x{target}" in legal(state)) is beats
            assert beats or refused(state, f"{card}x{target}") == "1.4"


@pytest.mark.parametrize("value", ["none", "trump", "any"])
@pytest.mark.parametrize("lowest", [2, 6])
def test_rule_1_5_the_lowest_card_of_the_suit_beats_the_ace(value: str, lowest: int) -> None:
    """Of trumps alone or of every suit; the ace still beats it, and no other card beats an ace."""
    rules = Rules.parse(f"podkidnoy:hand_size=1,lowest_rank={lowest},lowest_beats_ace={value}")
    for suit, others in (("c", "KT7"), ("h", "KT7")):
        falls = value == "any" or (value == "trump" and suit == "c")
        for rank in (str(lowest), *others):
            state = play(State.setup(rules, [f"A{suit}", rank + suit], trump="9c"), f"A{suit}")
            assert allowed(state, f"{rank}{suit}xA{suit}") is (falls and rank == str(lowest))
        state = play(State.setup(rules, [f"{lowest}{suit}", f"A{suit}"], trump="9c"), f"{lowest}{suit}")
        assert allowed(state, f"A{suit}x{lowest}{suit}")


def test_rule_1_5_the_lowest_card_of_another_suit_beats_no_ace() -> None:
    """A plain six does not beat an ace of another suit; without trumps there is no trump ace."""
    rules = Rules(hand_size=1, lowest_beats_ace="any")
    state = play(State.setup(rules, ["Ah", "6s"], trump="9c"), "Ah")
    assert refused(state, "6sxAh") == "1.4"
    for value, beats in (("trump", False), ("any", True)):
        plain = Rules(hand_size=1, trumps=False, lowest_beats_ace=value)
        state = play(State.setup(plain, ["Ah", "6h"]), "Ah")
        assert allowed(state, "6hxAh") is beats


def test_rule_1_4_nobody_has_to_follow_suit() -> None:
    """A defender who could follow suit may trump instead, or take."""
    state = play(State.setup(Rules(), ["6h7h", "9hQh6c"], trump="7c"), "6h")
    assert legal(state) == {"9hx6h", "Qhx6h", "6cx6h", "take"}
