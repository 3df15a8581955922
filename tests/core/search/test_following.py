"""What others chose between two decisions of a seat: the very positions that the seat saw."""

from __future__ import annotations

import random

import pytest
from playing import play, random_game, random_rules

from durak_core import Exchanged, Rules, State, unseen_cards
from durak_core.actions import encode
from durak_core.search.opponents.model import choice_of, choices_between

PUBLIC = ("phase", "turn", "attacker", "defender", "limit", "bout", "passed", "in_mask", "stall")
CARDS = ("table", "discards", "drawn", "n_open", "n_attacks", "trump_mask")


def check(choice, state: State, seat: int) -> None:
    """A choice's position agrees with what a seat saw of a state, and so does what it knew."""
    observation = state.observation(seat)
    p, truth = choice.position, state.to_position()
    assert [getattr(p, name) for name in PUBLIC + CARDS] == [getattr(truth, name) for name in PUBLIC + CARDS]
    assert p.attacks[: p.n_attacks] == truth.attacks[: truth.n_attacks]
    assert p.defences[: p.n_attacks] == truth.defences[: truth.n_attacks]
    assert [hand.bit_count() for hand in p.hands] == [hand.bit_count() for hand in truth.hands]
    assert p.hands[seat] == truth.hands[seat]
    assert choice.known == tuple([hand.mask for hand in state.known])
    assert all(hand & known == known for hand, known in zip(p.hands, choice.known, strict=False))
    assert choice.hidden == unseen_cards(observation).mask


@pytest.mark.sampled(9)
@pytest.mark.parametrize("seed", range(24))
def test_choices_are_seen_as_they_came(seed: int) -> None:
    """Under random rules: every choice since the last decision, on what the seat then knew."""
    check_game(random_rules(random.Random(seed).choice), seed, "play")


def test_a_shown_trump_stays_in_hand() -> None:
    """In this game a seat shows a trump and draws before its next decision (rules 7.4)."""
    check_game(Rules.parse("perevodnoy:show_trump=yes,hand_size=3"), 59, "transfer")


@pytest.mark.parametrize(("seats", "seed"), [(2, 44), (3, 3)])
def test_an_exchange_is_seen_as_it_came(seats: int, seed: int) -> None:
    """In these games the lowest trump is exchanged for the face-up card (rules 5.9)."""
    rules = Rules(seats=seats, suits=2, lowest_rank=11, hand_size=2, exchange_trump=True)
    *_, end = random_game(rules, seed, "any")
    assert any(isinstance(event, Exchanged) for event in end.events)
    check_game(rules, seed, "any")


def check_game(rules: Rules, seed: int, style: str) -> None:
    last = {}
    since: dict[int, list[State]] = {seat: [] for seat in range(rules.seats)}
    for state in random_game(rules, seed, style):
        seat = state.turn
        if seat is None:
            break
        observation = state.observation(seat)
        if seat in last:
            found = list(choices_between(last[seat], observation, [7]))
            assert len(found) == len(since[seat])
            for choice, moment in zip(found, since[seat], strict=True):
                check(choice, moment, seat)
        last[seat] = observation
        since = {other: [*seen, state] if other != seat else [] for other, seen in since.items()}


def test_a_single_choice_is_seen_as_it_came() -> None:
    """From the onlooker's observation, without events."""
    state = State.deal(Rules(), 5)
    assert state.turn is not None
    seat = 1 - state.turn
    action = state.legal_actions[0]
    choice = choice_of(state.observation(seat), action, [7])
    check(choice, state, seat)
    assert choice.code == encode(action)


def test_observations_of_different_games_have_nothing_between_them() -> None:
    """Nor has an observation without events, such as one read from its text."""
    state = State.setup(Rules(), ["6s7h", "8h9s"], talon="TsAc")
    other = play(State.setup(Rules(), ["6s7h", "8h9s"], talon="TsAc", bout=4), "6s take pass 7h")
    assert not list(choices_between(state.observation(0), other.observation(0), [7]))
    assert not list(choices_between(state.observation(0), state.observation(0), [7]))
