"""Section 11 of docs/rules.md: the order of actions."""

from __future__ import annotations

import random

import pytest
from playing import STYLES, pick

from durak_core import PRESETS, Rules, State


@pytest.mark.sampled(3)
@pytest.mark.parametrize("preset", PRESETS)
def test_rule_11_1_a_deal_and_the_actions_determine_everything(preset: str) -> None:
    """Playing the same actions on the same deal again gives the same states, events and end."""
    rules = Rules.preset(preset, seats=3)
    for seed in range(4):
        chance = random.Random(seed)
        state = State.deal(rules, seed)
        states = [state]
        actions = []
        while not state.is_over:
            action = pick(state.legal_actions, chance, STYLES[seed % len(STYLES)])
            actions.append(action)
            state = state.apply(action)
            states.append(state)
        assert state.deck is not None
        again = State.from_deck(rules, state.deck, state.first_attacker)
        for before, action in zip(states, [*actions, None], strict=True):
            assert again == before
            assert again.events == before.events
            if action is not None:
                again = again.apply(action)
        assert (again.returns, again.places) == (state.returns, state.places)


@pytest.mark.parametrize("preset", PRESETS)
def test_rule_11_1_one_card_at_a_time_by_one_seat(preset: str) -> None:
    """Within a bout an action moves at most one card, from the hand of the seat to act to the table."""
    rules = Rules.preset(preset, seats=4)
    chance = random.Random(4)
    state = State.deal(rules, 4)
    while not state.is_over:
        action = pick(state.legal_actions, chance, "any")
        after = state.apply(action)
        if after.bout == state.bout and not after.is_over:
            moved = [before - now for before, now in zip(state.hands, after.hands, strict=True)]
            assert not any(now - before for before, now in zip(state.hands, after.hands, strict=True))
            assert sum(map(len, moved)) == (1 if hasattr(action, "card") else 0)
            assert all(not cards or seat == state.turn for seat, cards in enumerate(moved))
        state = after
