"""The encoding ``durak-obs/2``: what is seen, from an observation and from games in machine words alike."""

from __future__ import annotations

import random

import pytest
from playing import random_game

from durak_core import PRESETS, Card, CardSet, Defend, Phase, Rules, State
from durak_core.actions import encode as code_of
from durak_core.search.network.encoding import (
    ACTIONS,
    CARDS,
    MAX_ACTIVE,
    Memory,
    active_inputs,
    card_input,
    encode,
    indexed_actions,
    input_size,
    reset_memory,
    update_memory,
)

HAND, OPEN, BEATEN, DEFENCES, GONE, UNSEEN, SAFE, ASKED, FIRST_KNOWN = range(0, 9 * CARDS, CARDS)


def plane(inputs: list[int], start: int) -> set[int]:
    return {number - start for number in inputs if start <= number < start + CARDS}


def places(cards: CardSet, trump: int) -> set[int]:
    return {card_input(card.number, trump) for card in cards}


@pytest.mark.sampled(15)
@pytest.mark.parametrize("seats", range(2, 7))
@pytest.mark.parametrize("preset", PRESETS)
def test_both_ways_to_an_encoding_agree(preset: str, seats: int) -> None:
    """At every decision of a random game each seat's observation encodes as the game played in words does."""
    rules = Rules.preset(preset, seats=seats)
    chance = random.Random(seats)
    state = State.deal(rules, 7)
    position, memory = state.to_position(), Memory()
    reset_memory(position, memory)
    out = [0] * MAX_ACTIVE
    while not state.is_over:
        for seat in range(seats):
            written = out[: encode(position, memory, seat, out)]
            assert active_inputs(state.observation(seat)) == written
            assert len(set(written)) == len(written)
            assert max(written) < input_size(seats)
        action = chance.choice(state.legal_actions)
        state = state.apply(action)
        update_memory(position, memory, code_of(action))


@pytest.mark.parametrize(
    "rules",
    ["podkidnoy:visibility=open", "perevodnoy:seats=3,show_trump=yes", "podkidnoy:exchange_trump=yes"],
)
def test_open_hands_and_known_trumps_are_remembered_both_ways(rules: str) -> None:
    """The options that no preset has agree as well."""
    read = Rules.parse(rules)
    chance = random.Random(2)
    for seed in range(3):
        state = State.deal(read, seed)
        position, memory = state.to_position(), Memory(is_open=int(read.visibility == "open"))
        reset_memory(position, memory)
        out = [0] * MAX_ACTIVE
        while not state.is_over:
            for seat in range(read.seats):
                written = out[: encode(position, memory, seat, out)]
                assert active_inputs(state.observation(seat)) == written
            action = chance.choice(state.legal_actions)
            state = state.apply(action)
            update_memory(position, memory, code_of(action))


def test_planes_hold_what_they_say() -> None:
    """Hand, table, discards and unseen cards are found in their planes, the trump suit first."""
    for state in random_game(Rules(), 5, "play"):
        if state.turn is None:
            continue
        seen = state.observation(state.turn)
        inputs = active_inputs(seen)
        assert seen.trump_suit is not None
        trump = int(seen.trump_suit)
        assert plane(inputs, HAND) == places(seen.hand, trump)
        assert plane(inputs, OPEN) == places(CardSet.of(seen.open_attacks), trump)
        assert plane(inputs, GONE) == places(seen.gone, trump)
        tables = plane(inputs, OPEN) | plane(inputs, BEATEN) | plane(inputs, DEFENCES)
        assert tables == places(seen.table_cards, trump)
        trumps = {place for place in plane(inputs, HAND) if place < 13}
        assert len(trumps) == len([card for card in seen.hand if card.suit == seen.trump_suit])


def test_the_last_hand_is_known_when_nothing_else_is_hidden() -> None:
    """With two seats and no hidden talon the other hand stands in its plane, and no card is unseen."""
    found = 0
    for state in random_game(Rules(), 8, "play"):
        if state.turn is None or len(state.talon) > 1:
            continue
        seen = state.observation(state.turn)
        inputs = active_inputs(seen)
        assert seen.trump_suit is not None
        assert plane(inputs, FIRST_KNOWN) == places(state.hands[1 - state.turn], int(seen.trump_suit))
        assert plane(inputs, UNSEEN) == set()
        found += 1
    assert found > 5


@pytest.mark.parametrize("preset", PRESETS)
def test_who_defends_sees_which_card_the_answers_beat(preset: str) -> None:
    """The plane names the card that every listed answer beats, and nobody else has it."""
    answered = 0
    for state in random_game(Rules.preset(preset, seats=3), 4, "answers"):
        for seat in range(3):
            seen = state.observation(seat)
            asked = plane(active_inputs(seen), ASKED)
            beaten = {action.target for action in seen.legal_actions if isinstance(action, Defend)}
            trump = -1 if seen.trump_suit is None else int(seen.trump_suit)
            assert len(asked) == (state.phase is Phase.DEFENCE and seat == state.turn)
            assert not beaten or asked == places(CardSet.of(beaten), trump)
            answered += bool(beaten)
    assert answered > 5


def test_a_safe_card_is_one_that_nobody_else_can_beat() -> None:
    """The ace of trumps always is, and a plain card never while an unseen trump remains."""
    state = State.setup(Rules(), ["As6h", "7s8s"], talon="9c6s")
    inputs = active_inputs(state.observation(0))
    assert plane(inputs, SAFE) == {card_input(Card.parse("As").number, 0)}


@pytest.mark.parametrize("preset", PRESETS)
def test_every_legal_action_has_an_index_of_its_own(preset: str) -> None:
    """No two legal actions share an index of the fixed space, and the order is kept."""
    for state in random_game(Rules.preset(preset, seats=3), 3, "transfer"):
        if state.turn is None:
            continue
        actions = indexed_actions(state.observation(state.turn))
        assert tuple(actions.values()) == state.legal_actions
        assert all(0 <= index < ACTIONS for index in actions)


def test_an_encoding_does_not_depend_on_the_numbers_of_seats() -> None:
    """With everybody one seat further round the table each player sees the same."""
    read = Rules.parse("perevodnoy:seats=4,show_trump=yes")
    chance = random.Random(3)
    shown = 0
    for seed in range(2):
        dealt = State.deal(read, seed, first_attacker=2 + seed)
        hands = list(dealt.hands)
        state, turned = (
            State.setup(read, players, talon=dealt.talon, attacker=attacker)
            for players, attacker in (
                (hands, dealt.first_attacker),
                ([*hands[-1:], *hands[:-1]], (dealt.first_attacker + 1) % 4),
            )
        )
        while not state.is_over:
            for seat in range(4):
                seen, from_there = state.observation(seat), turned.observation((seat + 1) % 4)
                assert active_inputs(seen) == active_inputs(from_there)
            shown += any(state.shown)
            action = chance.choice(state.legal_actions)
            state, turned = state.apply(action), turned.apply(action)
    assert shown
