"""Section 3 of docs/rules.md: the deal."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from random import Random

import pytest
from playing import cards, deck_of

from durak_core import CardSet, Rank, Rules, State, Suit
from durak_core.errors import DealError, RulesError

DECK_OF_SEED_7 = "KcKsKh6sTh7hAcQcJh6h8c9cQd6c8sJdKdTdJc6dAh9dAsTc7sQs9sQhJsTs9hAd7c8d8h7d"


def text_of(state: State) -> str:
    """The deck of a deal as one text."""
    assert state.deck is not None
    return "".join(map(str, state.deck))


def largest_suit(state: State) -> int:
    """The most cards of one suit that any hand holds."""
    return max(sum(card.suit == suit for card in hand) for hand in state.hands for suit in Suit)


@pytest.mark.parametrize("seats", range(2, 7))
def test_rule_3_1_one_card_at_a_time_from_seat_0(seats: int) -> None:
    """Card after card goes clockwise from seat 0 until every hand has six."""
    state = State.deal(Rules(seats=seats), 11)
    assert state.deck is not None
    for seat, hand in enumerate(state.hands):
        assert hand == CardSet.of(state.deck[seat : 6 * seats : seats])
        assert len(hand) == 6


def test_rule_3_1_hand_size_is_an_option() -> None:
    """With `hand_size` 4 every hand has four cards."""
    assert State.deal(Rules(seats=3, hand_size=4), 11).hand_sizes == (4, 4, 4)


def test_rule_3_1_one_seed_gives_one_deal() -> None:
    """The same seed deals the same deck for ever, here and in a fresh interpreter; other seeds differ."""
    assert text_of(State.deal(Rules(seats=3), 7)) == DECK_OF_SEED_7
    program = "from durak_core import *; print(*State.deal(Rules(seats=3), 7).deck, sep='')"
    fresh = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert fresh.stdout.strip() == DECK_OF_SEED_7
    assert len({text_of(State.deal(Rules(), seed)) for seed in range(200)}) == 200


def test_rule_3_1_shuffles_are_fair() -> None:
    """Over 1,600 deals of eight cards, each lies about two hundred times in every place."""
    rules = Rules.parse("podkidnoy:suits=2,lowest_rank=11,hand_size=2")
    decks = [State.deal(rules, seed).deck or () for seed in range(1_600)]
    places = Counter((card, place) for deck in decks for place, card in enumerate(deck))
    assert len(places) == 64
    assert all(147 < count < 253 for count in places.values())  # four standard deviations


def test_rule_3_1_seeds_out_of_range_are_refused() -> None:
    """A negative seed, or one that does not fit 63 bits, is refused."""
    for wrong in (-1, 2**63):
        with pytest.raises(DealError, match="seed"):
            State.deal(Rules(), wrong)


def test_rule_3_2_the_bottom_card_shows_trumps_and_is_drawn_last() -> None:
    """The talon's last card gives the trump suit and is the last one drawn."""
    rules = Rules(hand_size=1)
    state = State.from_deck(rules, deck_of(rules, ["7s", "6d"], "Ad Kd", "Qd 6c"), first_attacker=0)
    assert str(state.trump_card) == "6c"
    assert state.trump_suit == Suit.CLUBS
    assert str(state.talon[-1]) == "6c"
    assert len(state.talon) == 34
    last = state.talon
    while last:
        assert str(last[-1]) == "6c"
        state = state.apply(state.legal_actions[-1])
        last = state.talon


def test_rule_3_2_the_last_card_dealt_shows_trumps_when_all_are_dealt() -> None:
    """Six hands of six leave no talon; the last card dealt is trumps and all know who holds it."""
    rules = Rules(seats=6)
    state = State.deal(rules, 4)
    assert state.deck is not None
    assert state.talon == ()
    assert state.trump_card == state.deck[-1]
    assert state.trump_suit == state.deck[-1].suit
    for seat in range(6):
        seen = state.observation(seat)
        assert seen.trump_card == state.deck[-1]
        assert seen.known[5] == CardSet.of([state.deck[-1]])
        assert not any(seen.known[:5])


@pytest.mark.parametrize(
    ("seats", "sizes"),
    [(2, (18, 18)), (3, (12, 12, 12)), (5, (8, 7, 7, 7, 7)), (6, (6, 6, 6, 6, 6, 6))],
)
def test_rule_3_3_deal_all_deals_as_evenly_as_it_goes(seats: int, sizes: tuple[int, ...]) -> None:
    """The whole deck is dealt, and where it does not divide the first seats get one more."""
    state = State.deal(Rules(seats=seats, deal_all=True), 2)
    assert state.hand_sizes == sizes
    assert state.talon == ()
    assert state.deck is not None
    assert state.hands[1] == CardSet.of(state.deck[1::seats])


def test_rule_3_3_without_deal_all_there_is_a_talon() -> None:
    """By default only the hands are dealt."""
    assert len(State.deal(Rules(seats=5), 2).talon) == 6


def test_rule_3_4_hands_of_one_suit_are_dealt_again() -> None:
    """With 5 no hand ever has five cards of a suit; without the option some hands do."""
    assert max(largest_suit(State.deal(Rules(), seed)) for seed in range(300)) >= 5
    rules = Rules(redeal_same_suit=5)
    assert max(largest_suit(State.deal(rules, seed)) for seed in range(300)) == 4


def test_rule_3_4_a_deal_by_a_generator_keeps_the_rules_of_dealing_and_has_no_seed() -> None:
    """Such deals are dealt again, too, and the same generator gives the same deal."""
    rules = Rules.preset("huji", redeal_trump_ace=True)
    for number in range(20):
        state = State.deal_with(rules, Random(number))
        assert largest_suit(state) < 5
        assert state.trump_card is not None
        assert state.trump_card.rank != Rank.ACE
        assert state.seed is None
        assert state.events == State.deal_with(rules, Random(number)).events
    assert State.deal_with(rules, Random(1), 1).first_attacker == 1


def test_rule_3_4_deals_that_need_no_redeal_are_kept() -> None:
    """A deal that stands is the same with and without the option."""
    for seed in range(50):
        plain, again = State.deal(Rules(), seed), State.deal(Rules(redeal_same_suit=5), seed)
        assert (plain.hands == again.hands) is (largest_suit(plain) < 5)


def test_rule_3_4_numbers_that_must_be_reached_are_refused() -> None:
    """Six cards in four suits always hold two of one; nine in two suits hold five."""
    with pytest.raises(RulesError, match=r"rules 3\.4"):
        Rules(redeal_same_suit=2)
    assert Rules(redeal_same_suit=3).redeal_same_suit == 3
    with pytest.raises(RulesError, match=r"rules 3\.4"):
        Rules(deal_all=True, suits=2, redeal_same_suit=5)


def test_rule_3_4_ten_thousand_failed_deals_are_an_error() -> None:
    """Rules under which a deal practically never stands give an error instead of dealing for ever."""
    rules = Rules(seats=6, lowest_rank=2, hand_size=8, redeal_same_suit=3)
    with pytest.raises(DealError, match=r"10000 deals.*rules 3\.4"):
        State.deal(rules, 1)


def test_rule_3_5_a_deal_with_a_trump_ace_is_dealt_again() -> None:
    """The card under the talon, or the last one dealt, is no ace; other deals are as without the option."""
    for options in ({}, {"seats": 3, "deal_all": True}, {"seats": 4, "lowest_rank": 9}):
        again = 0
        for seed in range(60):
            plain = State.deal(Rules(**options), seed)
            state = State.deal(Rules(**options, redeal_trump_ace=True), seed)
            assert state.trump_card.rank != Rank.ACE
            assert (plain.deck == state.deck) is (plain.trump_card.rank != Rank.ACE)
            again += plain.deck != state.deck
        assert again > 2


def test_rule_3_5_changes_nothing_without_trumps() -> None:
    """The last card of the deck is then a card like any other."""
    decks = [State.deal(Rules(trumps=False, redeal_trump_ace=True), seed).deck for seed in range(40)]
    assert decks == [State.deal(Rules(trumps=False), seed).deck for seed in range(40)]
    assert any(deck[-1].rank == Rank.ACE for deck in decks)


def test_rule_3_5_both_reasons_for_a_new_deal_hold_together() -> None:
    """With 3.4 as well, neither an ace shows the trumps nor has a hand five cards of a suit."""
    for seed in range(60):
        state = State.deal(Rules(redeal_same_suit=5, redeal_trump_ace=True), seed)
        assert state.trump_card.rank != Rank.ACE
        assert largest_suit(state) < 5


def test_rule_3_1_a_given_deck_must_be_complete() -> None:
    """A deck with a card twice, one too few or a foreign one is refused."""
    deck = list(Rules().deck)
    for wrong in ([*deck[:-1], deck[0]], deck[:-1], [*deck, deck[0]], [*deck[:-1], *cards("2s")]):
        with pytest.raises(DealError, match="36 cards"):
            State.from_deck(Rules(), wrong, first_attacker=0)
