"""No card is ever lost, doubled or invented."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from playing import STYLES, random_game, random_rules

from durak_core import PRESETS, Card, Rules, State


def lying(state: State) -> Counter[Card]:
    """Count every card wherever it lies."""
    places = [*state.hands, state.talon, state.discards]
    found = Counter(card for place in places for card in place)
    for pair in state.table:
        found[pair.attack] += 1
        if pair.defence is not None:
            found[pair.defence] += 1
    return found


def check_game(rules: Rules, seed: int, style: str) -> None:
    """Play a random game and count all cards after every action."""
    once = Counter(rules.deck)
    before = None
    for state in random_game(rules, seed, style):
        assert lying(state) == once, f"{rules}, seed {seed}, ply {state.plies}"
        seen = state.observation(0)
        on_table = sum(2 - (pair.defence is None) for pair in state.table)
        assert sum(seen.hand_sizes) + on_table + seen.talon_size + seen.discard_size == rules.deck_size
        if before is not None:
            assert state.discards >= before.discards  # the pile is not looked at again (6.1)
            assert before.talon[len(before.talon) - len(state.talon) :] == state.talon  # top first (3.2)
        before = state
    assert before is not None
    assert before.is_over


@pytest.mark.parametrize("seats", range(2, 7))
@pytest.mark.parametrize("preset", PRESETS)
def test_every_card_stays_in_exactly_one_place(preset: str, seats: int) -> None:
    """Every preset keeps its 36 cards through games of all kinds with every number of seats."""
    for seed, style in enumerate(STYLES):
        check_game(Rules.preset(preset, seats=seats), seed, style)


def test_every_card_stays_under_any_rules() -> None:
    """The same holds for decks of other sizes and options in any mixture."""
    for seed in range(150):
        check_game(random_rules(random.Random(seed).choice), seed, STYLES[seed % len(STYLES)])
