"""Section 6 of docs/rules.md: the end of a bout."""

from __future__ import annotations

import pytest
from playing import deck_of, legal, play, refused

from durak_core import CardSet, Phase, Rules, State

TWO = Rules()
THREE = Rules(seats=3)


def test_rule_6_1_beaten_off_when_all_have_passed() -> None:
    """After the last pass the table is discarded and the defender attacks the next seat."""
    state = play(State.setup(THREE, ["6s9h", "7s8s", "9dTh"], trump="9c"), "6s 7sx6s pass")
    assert (state.phase, state.turn) == (Phase.THROW_IN, 2)
    before = state.discards
    state = play(state, "pass")
    assert state.table == ()
    assert state.discards - before == CardSet.parse("6s7s")
    assert (state.phase, state.attacker, state.turn, state.defender) == (Phase.OPENING, 1, 1, 2)


def test_rule_6_1_beaten_off_when_the_limit_is_reached() -> None:
    """At the limit nobody is asked for more, though others could throw in and the defender has cards left."""
    state = State.setup(Rules(attack_limit=2), ["6s6h6d", "7s7h8s"], trump="9c")
    state = play(state, "6s 7sx6s 6h 7hx6h")
    assert (state.phase, state.attacker, str(state.hands[1])) == (Phase.OPENING, 1, "8s")


def test_rule_6_1_beaten_off_when_the_defender_has_no_card_left() -> None:
    """The last card of the defender ends the bout at once."""
    state = State.setup(THREE, ["6s6h6d", "7s7h", "6cAs"], trump="9c")
    state = play(state, "6s 7sx6s 6h 7hx6h")
    assert (state.phase, state.bout) == (Phase.OPENING, 3)
    assert state.places == (1,)


def test_rule_6_1_an_open_card_keeps_the_bout_open() -> None:
    """With one of two attack cards unbeaten the defender still has to answer."""
    rules = Rules(attack_style="volley")
    state = play(State.setup(rules, ["6s6h", "7s7h8d"], trump="9c"), "6s 6h 7sx6s")
    assert (state.phase, state.turn, state.bout) == (Phase.DEFENCE, 1, 2)
    assert legal(state) == {"7hx6h", "take"}


def test_rule_6_1_the_discard_pile_is_not_looked_at() -> None:
    """No card of the discard pile comes back: nobody can play it and no hand gets it."""
    state = play(State.setup(TWO, ["6s9h", "7s8s"], trump="9c"), "6s 7sx6s pass")
    for text in ("6s", "7s"):
        assert refused(state, text) == "5.1"
    assert not any(hand & state.discards for hand in state.hands)


def test_rule_6_2_the_others_may_pile_on() -> None:
    """After "I take" the others go on card by card under the same ranks and limit, without an answer."""
    state = play(State.setup(THREE, ["6s6hAs", "7s8s9s", "6d7dTh"], trump="9c"), "6s take")
    assert (state.phase, state.turn, legal(state)) == (Phase.PILE_ON, 0, {"6h", "pass"})
    state = play(state, "6h")
    assert (state.phase, state.turn, legal(state)) == (Phase.PILE_ON, 0, {"pass"})
    state = play(state, "pass")
    assert (state.turn, legal(state)) == (2, {"6d", "pass"})
    assert refused(state, "7d") == "5.3"
    state = play(state, "6d")
    assert state.hands[1] == CardSet.parse("7s8s9s6s6h6d")


def test_rule_6_2_after_each_card_the_round_starts_again() -> None:
    """A card piled on by a later seat brings the principal attacker back, who had passed."""
    state = State.setup(THREE, ["6s6hAs", "7s8s9sTs", "6dJdTh"], trump="9c")
    state = play(state, "6s take pass")
    assert (state.turn, state.passed) == (2, (0,))
    state = play(state, "6d")
    assert (state.turn, state.passed, legal(state)) == (0, (), {"6h", "pass"})
    state = play(state, "pass")
    assert (state.turn, state.passed, legal(state)) == (2, (0,), {"pass"})


def test_rule_6_2_beaten_cards_are_taken_too() -> None:
    """The whole table goes to the hand, attack and defence cards."""
    state = play(State.setup(TWO, ["6s7hAs", "7s8s9s"], trump="9c"), "6s 7sx6s 7h take pass")
    assert state.hands[1] == CardSet.parse("6s7s7h8s9s")
    assert state.table == ()


def test_rule_6_2_the_defender_is_passed_over() -> None:
    """The seat after the one that took attacks next."""
    state = play(State.setup(THREE, ["6sAs", "7s8s", "9dTd"], trump="9c"), "6s take pass pass")
    assert (state.attacker, state.defender, state.turn) == (2, 0, 2)
    state = play(State.setup(TWO, ["6sAs", "7s8s"], trump="9c"), "6s take pass")
    assert (state.attacker, state.defender) == (0, 1)


def test_rule_6_2_without_pile_on_the_table_is_taken_at_once() -> None:
    """With `pile_on` no nothing more can be thrown in."""
    rules = Rules(seats=3, pile_on=False)
    state = play(State.setup(rules, ["6s6hAs", "7s8s9s", "6d7dTh"], trump="9c"), "6s take")
    assert (state.phase, state.attacker) == (Phase.OPENING, 2)
    assert state.hands[1] == CardSet.parse("6s7s8s9s")


def test_rule_6_2_no_piling_on_at_the_limit() -> None:
    """When the limit is reached already, the taking is at once."""
    state = play(State.setup(TWO, ["6s6hAs", "7s"], trump="9c"), "6s take")
    assert (state.phase, state.bout) == (Phase.OPENING, 3)
    assert state.hands[1] == CardSet.parse("6s7s")


@pytest.mark.parametrize("answer", ["7sx6s", "take"])
def test_rule_6_3_attacker_first_defender_last(answer: str) -> None:
    """The principal attacker fills up first, then the others clockwise, and the defender last."""
    rules = Rules(seats=4, hand_size=3)
    hands = ["9sTsJs", "6s6h8d", "7s8s9h", "6dQhKh"]
    state = State.setup(rules, hands, talon="AsAhAdQsQd9c", attacker=1)
    # Seat 1 attacks seat 2; seat 1 lays two cards and seat 3 one.
    if answer == "take":
        state = play(state, "6s take 6h pass 6d")
        assert state.hands[1] == CardSet.parse("8dAsAh")
        assert state.hands[3] == CardSet.parse("QhKhAd")
        assert state.hand_sizes == (3, 3, 6, 3)
        assert len(state.talon) == 3
    else:
        state = play(state, "6s 7sx6s pass pass pass")
        assert state.hands[1] == CardSet.parse("6h8dAs")
        assert state.hands[2] == CardSet.parse("8s9hAh")
        assert state.hand_sizes == (3, 3, 3, 3)


def test_rule_6_3_the_defender_gets_what_is_left() -> None:
    """With one card left in the talon the attacker gets it and the defender nothing."""
    state = State.setup(Rules(hand_size=2), ["6sAs", "7s8s"], talon="9c")
    state = play(state, "6s 7sx6s pass")
    assert state.hands == (CardSet.parse("As9c"), CardSet.parse("8s"))
    assert state.talon == ()


def test_rule_6_3_a_hand_fills_up_before_the_next_draws() -> None:
    """The attacker takes all its cards from the top before the next seat gets one."""
    rules = Rules(seats=3, hand_size=3)
    state = State.setup(rules, ["6s6hTs", "7s7h9s", "6dJdKd"], talon="AsAhAdQsQd9c")
    state = play(state, "6s 7sx6s 6h 7hx6h pass 6d take")
    assert state.hands[0] == CardSet.parse("TsAsAh")
    assert state.hands[2] == CardSet.parse("JdKdAd")
    assert state.talon == tuple(CardSet.parse("Qs")) + tuple(CardSet.parse("Qd")) + tuple(CardSet.parse("9c"))


def test_rule_6_3_after_a_transfer_the_new_attacker_draws_first() -> None:
    """The seat that transferred is the principal attacker, and the first one draws after it."""
    rules = Rules(seats=3, hand_size=2, transfer=True)
    state = State.setup(rules, ["6s9s", "6hJs", "7s8h"], talon="AsAhAd9c")
    state = play(state, "6s >6h take")
    assert state.hands[1] == CardSet.parse("JsAs")
    assert state.hands[0] == CardSet.parse("9sAh")


def test_rule_6_3_nobody_draws_above_the_hand_size() -> None:
    """A hand that grew by taking draws nothing."""
    rules = Rules(hand_size=2)
    deck = deck_of(rules, ["6s 9s", "7h 8h"], "As", "9c")
    state = play(State.from_deck(rules, deck, first_attacker=0), "6s take pass")
    assert state.hands == (CardSet.parse("9sAs"), CardSet.parse("6s7h8h"))
