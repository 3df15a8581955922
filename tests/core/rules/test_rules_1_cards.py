"""Section 1 of docs/rules.md: cards."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from playing import allowed, legal, play, refused

from durak_core import Card, CardSet, Rank, Rules, State, Suit
from durak_core.errors import DealError, NotationError, RulesError


def test_rule_1_1_four_suits_and_thirteen_ranks() -> None:
    """The suits stand in the order ♠ ♥ ♦ ♣ and the ranks rise from 2 to the ace; only jokers are above."""
    assert "".join(suit.symbol for suit in sorted(Suit)) == "♠♥♦♣"
    assert "".join(rank.letter for rank in sorted(Rank)) == "23456789TJQKA*"
    deck = Rules(lowest_rank=2).deck
    assert len(set(deck)) == len(deck) == 52
    assert Counter(card.suit for card in deck) == dict.fromkeys(Suit, 13)
    assert Counter(card.rank for card in deck) == dict.fromkeys([*Rank][:-1], 4)


@pytest.mark.parametrize(("lowest_rank", "size"), [(6, 36), (2, 52), (9, 24)])
def test_rule_1_2_lowest_rank_sets_the_size_of_the_deck(lowest_rank: int, size: int) -> None:
    """6 makes 36 cards, 2 makes 52 and 9 makes 24, and a deal uses exactly these cards."""
    rules = Rules(lowest_rank=lowest_rank)
    state = State.deal(rules, 1)
    assert rules.deck_size == size
    assert state.deck is not None
    ranks = [rank for rank in Rank if lowest_rank <= rank <= Rank.ACE]
    assert sorted(state.deck) == [Card(suit, rank) for suit in Suit for rank in ranks]
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


BLACK, RED = map(Card.parse, ("*s", "*h"))
JOKERS = ("any", "colour")


@pytest.mark.parametrize("jokers", JOKERS)
@pytest.mark.parametrize(
    ("options", "size"), [("", 38), (",lowest_rank=2", 54), (",suits=1,hand_size=2", 11)]
)
def test_rule_1_6_two_jokers_join_the_deck(jokers: str, options: str, size: int) -> None:
    """The black and the red one, whatever the lowest rank and the number of suits; they are of no suit."""
    rules = Rules.parse(f"podkidnoy:jokers={jokers}{options}")
    assert (rules.deck_size, len(set(rules.deck))) == (size, size)
    assert {card for card in rules.deck if card.is_joker} == {BLACK, RED}
    assert not any(card.is_of(suit) or card.mask & suit.mask for card in (BLACK, RED) for suit in Suit)
    assert (str(BLACK), RED.pretty, BLACK.number, RED.number) == ("*s", "*♥", 15, 31)
    assert sorted(State.deal(rules, 3).deck or ()) == sorted(rules.deck)
    for text in ("*d", "*c"):
        with pytest.raises(NotationError, match=re.escape(f"'{text}' is not a card")):
            Card.parse(text)


@pytest.mark.parametrize("jokers", JOKERS)
@pytest.mark.parametrize("trump", ["6c", "6h", None])
def test_rule_1_6_what_a_joker_beats(jokers: str, trump: str | None) -> None:
    """Every card but a joker, with `colour` of its colour, trumps included; no card beats a joker."""
    rules = Rules(hand_size=1, trumps=trump is not None, jokers=jokers)
    for joker, suits in ((BLACK, {Suit.SPADES, Suit.CLUBS}), (RED, {Suit.HEARTS, Suit.DIAMONDS})):
        for card in rules.deck:
            if card == joker:
                continue
            state = play(State.setup(rules, [str(card), str(joker)], trump=trump), str(card))
            beats = not card.is_joker and (jokers == "any" or card.suit in suits)
            assert allowed(state, f"{joker}x{card}") is beats, f"{joker} on {card}"
            assert (f"{joker}x{card}" in legal(state)) is beats
            assert beats or refused(state, f"{joker}x{card}") == "1.6"
            state = play(State.setup(rules, [str(joker), str(card)], trump=trump), str(joker))
            assert legal(state) == {"take"}
            assert refused(state, f"{card}x{joker}") == "1.6"


@pytest.mark.parametrize("jokers", JOKERS)
def test_rule_1_6_a_joker_opens_and_is_thrown_in_to_the_other_one(jokers: str) -> None:
    """The other joker has the rank of the first, whether that attacks or defends; other cards do not."""
    rules = Rules(jokers=jokers)
    state = play(State.setup(rules, ["*s*h7d", "8h9h"], trump="6c"), "*s take")
    assert legal(state) == {"*h", "pass"}
    state = play(State.setup(rules, ["7s*h6d", "*sKs8d"], trump="6c"), "7s *sx7s")
    assert legal(state) == {"*h", "pass"}
    assert refused(state, "6d") == "5.3"


def test_rule_1_6_a_joker_transfers_the_other_one() -> None:
    """And no other card; a joker is no trump to be shown (7.4)."""
    rules = Rules.preset("perevodnoy", seats=3, show_trump=True, jokers="any")
    state = play(State.setup(rules, ["*h7d", "*s8s", "9s9c"], trump="6h"), "*h")
    assert legal(state) == {">*s", "take"}
    assert refused(state, "^*s") == "7.4"
    assert play(state, ">*s").defender == 2
    state = play(State.setup(rules, ["8h7d", "*s8s", "9s9c"], trump="6s"), "8h")
    assert legal(state) == {"*sx8h", "8sx8h", ">8s", "^8s", "take"}


@pytest.mark.parametrize("options", ["suits=1", "suits=1,deal_all=yes", "suits=1,lowest_rank=13"])
def test_rule_1_6_a_joker_never_shows_the_trump_suit(options: str) -> None:
    """The deck is dealt again, also if it is dealt to the end; a given deck or position is refused."""
    rules = Rules.parse(f"podkidnoy:jokers=any,hand_size=2,{options}")
    dealt = [State.deal(rules, seed) for seed in range(40)]
    assert all(
        state.trump_suit == Suit.SPADES and not state.deck[-1].is_joker for state in dealt if state.deck
    )
    assert any(state.hands[0] & {BLACK, RED} for state in dealt)
    deck = [*rules.deck[:-2], BLACK, RED]
    with pytest.raises(DealError, match=r"\*h shows no trump suit.*rules 1\.6"):
        State.from_deck(rules, sorted(deck), 0)
    with pytest.raises(DealError, match=r"rules 1\.6"):
        State.setup(rules, ["As", "Ks"], trump=RED)
    without = rules.changed(trumps=False)
    assert any(State.deal(without, seed).deck[-1].is_joker for seed in range(40))


def test_rule_1_6_jokers_count_for_the_size_but_to_no_suit() -> None:
    """Two more cards are enough for a hand (1.3), and a suit is not longer for them (3.4)."""
    assert Rules(seats=2, suits=1, lowest_rank=13, jokers="any", hand_size=2).deck_size == 4
    with pytest.raises(RulesError, match=r"some hand always has 2 cards.*rules 3\.4"):
        Rules(suits=3, seats=3, jokers="any", redeal_same_suit=2)
    rules = Rules(suits=3, seats=2, jokers="any", redeal_same_suit=3)
    state = State.deal(rules, 1)
    assert all(len(hand & CardSet(suit.mask)) < 3 for hand in state.hands for suit in Suit)
    for deal_all, seats, suits, least in (
        (True, 2, 1, 5),
        (True, 4, 1, 3),
        (False, 2, 2, 3),
        (False, 3, 2, 3),
    ):
        options = {"hand_size": 1 if deal_all else 6, "deal_all": deal_all, "seats": seats, "suits": suits}
        with pytest.raises(RulesError, match=rf"always has {least} cards"):
            Rules(jokers="any", redeal_same_suit=2, **options)


def test_rule_1_6_a_joker_is_no_trump_for_the_first_attack_or_an_exchange() -> None:
    """The lowest trump begins (4.1), not a joker; the lowest trump of the deck is exchanged (5.9)."""
    rules = Rules(suits=2, jokers="colour", hand_size=2, lowest_rank=13)
    state = State.from_deck(rules, ["*h", "As", "*s", "Ah", "Ks", "Kh"])
    assert state.first_attacker == 1
    exchange = State.setup(Rules(jokers="any", exchange_trump=True), ["*h6h", "*s7h"], talon="8h", trump="8h")
    assert play(exchange, "exchange").hands[0] == CardSet.parse("*h8h")
    held = State.setup(Rules(jokers="any", exchange_trump=True), ["*h7h", "*s6h"], talon="8h", trump="8h")
    assert refused(held, "exchange") == "5.9.1"


@pytest.mark.parametrize("jokers", JOKERS)
def test_rule_1_6_a_joker_is_the_highest_card(jokers: str) -> None:
    """If the lowest card must be played (5.10), trumps come before jokers."""
    rules = Rules(jokers=jokers, lowest_card="always")
    state = State.setup(rules, ["*s*hAc", "9h6c7c"], trump="8c")
    assert legal(state) == {"Ac"}
    state = play(State.setup(rules, ["6d9c", "*h*s7c8c"], trump="8c"), "6d")
    assert legal(state) == {"7cx6d", "take"}
    assert refused(state, "*hx6d") == "5.10"
    state = play(State.setup(rules, ["AcKc", "*h*s7c8c"], trump="8c"), "Kc")
    assert legal(state) == {"*sxKc", "take"} if jokers == "colour" else {"*sxKc", "*hxKc", "take"}


def test_rule_1_4_nobody_has_to_follow_suit() -> None:
    """A defender who could follow suit may trump instead, or take."""
    state = play(State.setup(Rules(), ["6h7h", "9hQh6c"], trump="7c"), "6h")
    assert legal(state) == {"9hx6h", "Qhx6h", "6cx6h", "take"}
