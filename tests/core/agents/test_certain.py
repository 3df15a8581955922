"""What a seat can be certain of."""

from __future__ import annotations

import random

import pytest
from playing import play, random_game, random_rules

from durak_core import CardSet, Rules, State, hand_of, opponent_hand, unseen_cards
from durak_core.knowledge.certain import opponents, possible_cards


def test_a_fresh_deal_hides_everything_but_the_own_hand_and_the_trump_card() -> None:
    """The open trump card has a known place, so it is not unseen."""
    state = State.deal(Rules(), 3)
    observation = state.observation(0)
    unseen = unseen_cards(observation)
    assert len(unseen) == 36 - 6 - 1
    assert state.trump_card not in unseen
    assert opponent_hand(observation) is None


def test_with_the_talon_empty_the_opponents_hand_is_what_is_left() -> None:
    """Two seats: it follows from the cards that are gone."""
    state = State.setup(Rules(), ["6s7d", "6d7hAs"], trump="6c")
    assert opponent_hand(state.observation(0)) == CardSet.parse("6d7hAs")


def test_with_only_the_trump_card_to_draw_the_opponents_hand_is_known_already() -> None:
    """The last card of the talon lies open."""
    state = State.setup(Rules(), ["6s7d", "6d7hAs"], talon="Ac")
    assert opponent_hand(state.observation(0)) == CardSet.parse("6d7hAs")


def test_without_trumps_a_last_card_of_the_talon_hides_a_card() -> None:
    """No card is turned up there (rules 1.4)."""
    state = State.setup(Rules(trumps=False), ["6s7d", "6d7hAs"], talon="Ac")
    assert opponent_hand(state.observation(0)) is None


def test_two_cards_in_the_talon_leave_the_hand_open() -> None:
    """One of them is hidden."""
    state = State.setup(Rules(), ["6s7d", "6d7hAs"], talon="8cAc")
    assert opponent_hand(state.observation(0)) is None


def test_a_hand_that_was_taken_from_the_table_is_known() -> None:
    """What everybody saw being taken is certain even while the talon lasts."""
    state = play(State.setup(Rules(hand_size=1), ["6s6d", "9s"], talon="8cTcAc"), "6s take 6d")
    assert hand_of(state.observation(0), 1) is None
    taken = State.setup(Rules(hand_size=1), ["6s6dKh", "9s"], talon="8cTcAc")
    assert possible_cards(taken.observation(0), 1) == CardSet.parse("9s8cTc")


def test_open_visibility_shows_every_hand() -> None:
    """Rules 9.3."""
    state = State.deal(Rules(seats=3, visibility="open"), 3)
    observation = state.observation(0)
    assert not unseen_cards(observation)
    assert [hand_of(observation, seat) for seat in range(3)] == list(state.hands)
    assert opponent_hand(observation) is None


def test_the_last_opponent_counts_even_if_others_have_left() -> None:
    """A game of four that two have left is a game of two."""
    state = State.setup(Rules(seats=4), ["6s7d", "", "6d7hAs", ""], trump="6c")
    assert opponents(state.observation(0)) == (2,)
    assert opponent_hand(state.observation(0)) == CardSet.parse("6d7hAs")


def test_a_partner_is_no_opponent() -> None:
    """Both partners see the hand of the one opponent that is left, with open cards."""
    rules = Rules(seats=4, teams="2x2", visibility="open")
    state = State.setup(rules, ["6s7d", "", "8h", "6d7hAs"], trump="6c")
    assert opponents(state.observation(0)) == opponents(state.observation(2)) == (3,)
    assert opponent_hand(state.observation(2)) == CardSet.parse("6d7hAs")


@pytest.mark.parametrize("seed", range(25))
def test_certainties_are_true_in_random_games(seed: int) -> None:
    """Under random rules no certainty is ever wrong, and every hidden card is unseen."""
    rules = random_rules(random.Random(seed).choice)
    for state in random_game(rules, seed):
        for seat in range(rules.seats):
            observation = state.observation(seat)
            for other, hand in enumerate(state.hands):
                certain = hand_of(observation, other)
                assert certain is None or certain == hand
                assert hand <= possible_cards(observation, other)
