"""Section 9 of docs/rules.md: what a seat knows."""

from __future__ import annotations

from dataclasses import fields

import pytest
from playing import deck_of, play, random_game

from durak_core import CardSet, Observation, Role, Rules, State, TablePair
from durak_core.errors import DealError
from durak_core.game.events import Attacked, Defended, Drew, Passed, TookUp

THREE = Rules(seats=3)


@pytest.mark.parametrize("seats", [2, 3, 6])
def test_rule_9_1_own_hand_table_and_sizes(seats: int) -> None:
    """At every moment a seat knows its hand, the table, the trump card, all sizes, turn and roles."""
    for state in random_game(Rules(seats=seats, transfer=True), seats, "play"):
        for seat in range(seats):
            seen = state.observation(seat)
            assert seen.seat == seat
            assert seen.hand == state.hands[seat]
            assert seen.hand_sizes == tuple(map(len, state.hands))
            assert seen.table == state.table
            assert (seen.trump_card, seen.trump_suit) == (state.trump_card, state.trump_suit)
            assert (seen.talon_size, seen.discard_size) == (len(state.talon), len(state.discards))
            assert (seen.phase, seen.turn, seen.bout, seen.limit) == (
                state.phase,
                state.turn,
                state.bout,
                state.limit,
            )
            assert (seen.attacker, seen.defender, seen.roles) == (state.attacker, state.defender, state.roles)
            assert (seen.places, seen.passed, seen.fool) == (state.places, state.passed, state.fool)
            assert seen.legal_actions == (state.legal_actions if state.turn == seat else ())


def test_rule_9_1_who_is_out_and_in_which_role() -> None:
    """Out, defending, attacking and helping seats are told apart."""
    state = State.setup(Rules(seats=4), ["6s7s", "8s9s", "", "TsJs"], trump="9c")
    seen = state.observation(3)
    assert seen.roles == (Role.ATTACKER, Role.DEFENDER, Role.OUT, Role.HELPER)
    assert seen.role == Role.HELPER
    narrow = State.setup(Rules(seats=4, throw_in="attacker"), ["6s7s", "8s9s", "KsAs", "TsJs"], trump="9c")
    assert narrow.observation(3).role == Role.BYSTANDER


def test_rule_9_1_every_public_event_in_its_order() -> None:
    """The log of a seat tells who played, beat, passed and took what, in the order of the game."""
    rules = Rules(seats=3, hand_size=2)
    deck = deck_of(rules, ["6s 6h", "7s 8s", "9d Th"], "As Ah Ad", "9c")
    state = play(State.from_deck(rules, deck, first_attacker=0), "6s 7sx6s pass pass 8s take pass pass")
    played = [
        event
        for event in state.observation(2).events
        if isinstance(event, Attacked | Defended | Passed | TookUp)
    ]
    six, seven, eight = deck[0], deck[1], deck[4]
    assert played == [
        Attacked(0, six),
        Defended(1, seven, six),
        Passed(0),
        Passed(2),
        Attacked(1, eight),
        TookUp(2),
        Passed(1),
        Passed(0),
    ]


def test_rule_9_1_the_cards_drawn_by_others_stay_hidden() -> None:
    """A seat sees which cards it drew itself, and only how many the others drew."""
    rules = Rules(seats=3, hand_size=2)
    deck = deck_of(rules, ["6s 6h", "7s 8s", "9d Th"], "As Ah Ad", "9c")
    state = play(State.from_deck(rules, deck, first_attacker=0), "6s 7sx6s pass pass")
    for seat in range(3):
        drawn = [event for event in state.observation(seat).events if isinstance(event, Drew)]
        draws = {event.seat: event for event in drawn if event.count == 1}
        assert set(draws) >= {0, 1}
        for other, event in draws.items():
            assert (event.cards is not None) is (other == seat)


def test_rule_9_1_there_is_no_such_seat() -> None:
    """Asking for the view of a seat that does not exist is an error."""
    for wrong in (-1, 3):
        with pytest.raises(DealError):
            State.deal(THREE, 1).observation(wrong)


def test_rule_9_2_taken_cards_are_known_until_they_are_played() -> None:
    """Everybody knows what the defender took; a card played again is no longer known there."""
    state = play(State.setup(THREE, ["6sAs", "7s8s", "9dTd"], trump="9c"), "6s take pass pass")
    for seat in range(3):
        assert state.observation(seat).known == (CardSet(), CardSet.parse("6s"), CardSet())
    state = play(state, "9d take 6s")
    assert state.attacker == 1
    assert state.observation(2).known == (CardSet.parse("9d"), CardSet(), CardSet())


def test_rule_9_2_the_drawn_trump_card_is_known() -> None:
    """Who draws the open trump card holds it before all eyes."""
    state = State.setup(Rules(hand_size=2), ["6s8s", "7sJs"], talon="9c")
    state = play(state, "6s 7sx6s pass")
    for seat in range(2):
        assert state.observation(seat).known[0] == CardSet.parse("9c")
    assert str(state.trump_card) == "9c"


def test_rule_9_2_beaten_cards_are_gone() -> None:
    """The discard pile is remembered card by card by those who care to."""
    state = play(State.setup(THREE, ["6sAs", "7s8s", "9dTd"], trump="9c"), "6s")
    before = state.observation(2).gone
    state = play(state, "7sx6s pass pass")
    assert state.observation(2).gone - before == CardSet.parse("6s7s")


def test_rule_9_2_what_is_known_is_true_and_no_secret() -> None:
    """In random games the known cards do lie there, are the same for all seats, and start from nothing."""
    for seed in range(10):
        start, *rest = random_game(Rules(seats=3, transfer=True, show_trump=True), seed, "take")
        assert not any(start.observation(0).known)
        for state in rest:
            views = [state.observation(seat) for seat in range(3)]
            assert views[0].known == views[1].known == views[2].known
            assert all(known <= hand for known, hand in zip(views[0].known, state.hands, strict=True))
            assert views[0].gone == state.discards


def test_rule_9_3_closed_shows_nobody_elses_cards() -> None:
    """By default an observation has neither the hands nor the order of the talon."""
    seen = State.deal(THREE, 1).observation(1)
    assert (seen.hands, seen.talon) == (None, None)


def test_rule_9_3_open_shows_everything() -> None:
    """With `open` all see every hand and the talon from top to bottom."""
    state = State.deal(Rules(seats=3, visibility="open"), 1)
    for seat in range(3):
        seen = state.observation(seat)
        assert seen.hands == state.hands
        assert seen.talon == state.talon


def test_rule_9_3_an_observation_has_no_way_back_to_the_state() -> None:
    """No field of a closed observation holds a state, a position or a card of another hand."""
    state = State.deal(THREE, 1)
    seen = state.observation(0)
    assert isinstance(seen, Observation)
    values = {field.name: getattr(seen, field.name) for field in fields(seen)}
    hidden = (state.hands[1] | state.hands[2] | CardSet.of(state.talon[:-1])) - seen.hand
    shown: list[object] = []
    pending: list[object] = list(values.values())
    while pending:
        value = pending.pop()
        assert not isinstance(value, State)
        shown.append(value)
        if isinstance(value, tuple | CardSet):
            pending.extend(value)
        elif isinstance(value, TablePair | Drew | Attacked | Defended):
            pending.extend(getattr(value, field.name) for field in fields(value))
    assert not [value for value in shown if value in list(hidden)]
