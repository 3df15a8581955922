"""No card is ever lost, doubled or invented, and cards leave the game in pairs."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from playing import STYLES, conceivable, random_game, random_rules
from properties import few_or_many

from durak_core import PRESETS, Card, Defend, Rules, State


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
        assert len(state.discards) % 2 == 0  # an attack and its defence (6.1)
        if before is not None:
            assert state.discards >= before.discards  # the pile is not looked at again (6.1)
            rest = before.talon[len(before.talon) - len(state.talon) :]  # top first (3.2)
            if state.trump_card != before.trump_card:  # an exchange (5.9)
                rest = (*rest[:-1], state.trump_card)
            assert rest == state.talon
        before = state
    assert before is not None
    assert before.is_over
    if not before.talon:
        assert sum(map(len, before.hands)) % 2 == len(once) % 2  # nobody is the fool with one of 36 cards


@pytest.mark.sampled(15)
@pytest.mark.parametrize("seats", range(2, 7))
@pytest.mark.parametrize("preset", PRESETS)
def test_every_card_stays_in_exactly_one_place(preset: str, seats: int) -> None:
    """Every preset keeps its 36 cards through games of two kinds with every number of seats."""
    for seed in (0, 1):
        check_game(Rules.preset(preset, seats=seats), seed, STYLES[(2 * seats + seed) % len(STYLES)])


@few_or_many("games", 40, 400)
def test_every_card_stays_under_any_rules(games: int) -> None:
    """The same holds for decks of other sizes and options in any mixture."""
    for seed in range(games):
        check_game(random_rules(random.Random(seed).choice), seed, STYLES[seed % len(STYLES)])


@few_or_many("games", 20, 50)
def test_every_card_stays_where_partners_play(games: int) -> None:
    """The same holds with teams."""
    for seed in range(games):
        rules = random_rules(random.Random(seed).choice, teams=True)
        check_game(rules, seed, STYLES[seed % len(STYLES)])


@few_or_many("games", 15, 30)
def test_partners_never_act_against_each_other_and_what_is_refused_is_not_legal(games: int) -> None:
    """Whoever acts in a bout is the defender or one of its opponents; refusals and the legal list agree."""
    for seed in range(games):
        chance = random.Random(seed)
        rules = random_rules(chance.choice, teams=True)
        every = conceivable(rules)
        for state in random_game(rules, seed, STYLES[seed % len(STYLES)]):
            if state.is_over:
                continue
            assert state.turn not in rules.partners(state.defender)
            assert state.attacker not in rules.partners(state.defender)
            if chance.random() < 0.02:
                allowed = {action for action in every if state.why_not(action) is None}
                legal = set(state.legal_actions)
                assert legal <= allowed
                assert all(isinstance(action, Defend) for action in allowed - legal)
