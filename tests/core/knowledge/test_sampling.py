"""Sampled deals: consistent with all that is known, and all equally likely."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest
from deals import together
from playing import STYLES, random_game

from durak_core import CardSet, Rules, State
from durak_core.kernel.legal import legal
from durak_core.kernel.position import MAX_ACTIONS, Position, derive, random_below
from durak_core.knowledge.belief import NUMBERS, belief_of, sample_deal

CLOSED = [
    "podkidnoy",
    "podkidnoy:seats=3,trumps=no",
    "podkidnoy:seats=6",
    "perevodnoy:seats=4,show_trump=yes",
    "podkidnoy:seats=3,exchange_trump=yes",
    "groningen:seats=3",
    "larsenbier",
    "podkidnoy:seats=2,visibility=open",
    "podkidnoy:seats=3,jokers=any",
    "groningen:seats=2,jokers=colour,lowest_rank=2",
]

ALL = 1_000_000


def moments(rules: Rules, games: int):
    """States of random games."""
    rng = [derive(77, games)]
    for seed in range(games):
        state = State.deal(rules, seed)
        while not state.is_over:
            yield state
            legal_actions = state.legal_actions
            state = state.apply(legal_actions[random_below(rng, len(legal_actions))])


@pytest.mark.sampled(3)
@pytest.mark.parametrize("games", [2, pytest.param(6, marks=pytest.mark.slow)])
@pytest.mark.parametrize("text", CLOSED)
def test_sampled_deals_agree_with_everything_seen(text: str, games: int):
    """Own hand, sizes, known cards, bottom trump, public fields and legal actions are those of the game."""
    rules = Rules.parse(text)
    rng, codes, p = [derive(1, 2)], [0] * MAX_ACTIONS, Position()
    for state in moments(rules, games):
        true = state.to_position()
        for seat in range(rules.seats):
            observation = state.observation(seat)
            root, belief = belief_of(observation)
            if state.plies % 2:
                belief.by_odds = ALL
                belief.odds[:] = [random_below(rng, 100) + 1.0 for _ in belief.odds]
            sample_deal(p, root, belief, rng)
            hands = [CardSet(mask) for mask in p.hands[: rules.seats]]
            talon = p.deck[p.drawn : p.deck_size]
            assert hands[seat] == observation.hand
            assert tuple(map(len, hands)) == observation.hand_sizes
            assert all(known <= hand for known, hand in zip(observation.known, hands, strict=True))
            assert len(talon) == observation.talon_size
            if talon and observation.trump_card:
                assert talon[-1] == observation.trump_card.number
            placed = [card for hand in hands for card in hand]
            placed += [*observation.gone, *observation.table_cards]
            assert sorted([*(card.number for card in placed), *talon]) == [c.number for c in rules.deck]
            for name in (
                "phase",
                "turn",
                "attacker",
                "defender",
                "limit",
                "bout",
                "passed",
                "stall",
                "in_mask",
            ):
                assert getattr(p, name) == getattr(true, name), name
        assert codes[: legal(p, codes)] == codes[: legal(true, codes)] or seat != state.turn


def test_open_cards_leave_nothing_to_chance():
    """With open visibility the sample is the game itself."""
    rules = Rules(visibility="open")
    p, rng = Position(), [derive(5, 5)]
    for state in moments(rules, 2):
        sample_deal(p, *belief_of(state.observation(0)), rng)
        true = state.to_position()
        assert p.hands == true.hands
        assert p.deck[p.drawn : p.deck_size] == true.deck[true.drawn : true.deck_size]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("text", "seed"),
    [
        ("podkidnoy:suits=2,lowest_rank=10,hand_size=3", 1),
        ("podkidnoy:suits=2,lowest_rank=11,hand_size=2", 2),
        ("podkidnoy:seats=3,suits=2,lowest_rank=11,hand_size=2", 29),
        ("perevodnoy:seats=3,suits=2,lowest_rank=11,hand_size=2,show_trump=yes", 2),
        ("podkidnoy:suits=2,lowest_rank=11,hand_size=2,exchange_trump=yes", 3),
        ("podkidnoy:seats=3,suits=2,lowest_rank=11,hand_size=2,deal_all=yes", 1),
        ("podkidnoy:suits=2,lowest_rank=11,hand_size=3,trumps=no", 1),
    ],
)
def test_deals_are_as_likely_as_those_that_were_dealt_so(text: str, seed: int):
    """Frequencies match all deals of the deck, played through, with the same seat to begin (rules 4.1).

    No deal is missing, none is too much, and chi-square is in its range.
    """
    rules = Rules.parse(text)
    checked = 0
    for state, twins in together(random_game(rules, seed, STYLES[1])):
        if state.turn is None:
            break
        seat = state.plies % rules.seats
        seen = state.observation(seat)
        expected = Counter(laid(twin.to_position()) for twin in twins if twin.observation(seat) == seen)
        if not 2 <= len(expected) <= 400:
            continue
        belief = belief_of(seen)
        n = max(2000, 60 * len(expected))
        rng, p = [derive(9, checked)], Position()
        counts: Counter[tuple[tuple[int, ...], ...]] = Counter()
        for _ in range(n):
            sample_deal(p, *belief, rng)
            counts[laid(p)] += 1
        assert set(counts) <= set(expected), state
        mean = n / expected.total()
        chi_square = sum((counts[deal] - mean * ways) ** 2 / (mean * ways) for deal, ways in expected.items())
        degrees = len(expected) - 1
        assert chi_square < degrees + 4.5 * (2 * degrees) ** 0.5 + 10, state
        checked += 1
    assert checked


def laid(p: Position) -> tuple[tuple[int, ...], ...]:
    """Hands and talon."""
    return tuple(p.hands[: p.seats]), tuple(p.deck[p.drawn : p.deck_size])


@pytest.mark.parametrize("share", [ALL // 2, ALL])
def test_hands_are_drawn_by_odds_in_as_many_deals_as_told(share: int):
    """One card after the other, each as likely as its odds among those left; else all alike."""
    state = State.deal(Rules.parse("podkidnoy:suits=1,lowest_rank=9,hand_size=2,trumps=no"), 3)
    root, belief = belief_of(state.observation(0))
    numbers = list(belief.pool[: belief.n_pool])
    assert (len(numbers), belief.missing[1], belief.n_cases) == (4, 2, 0)
    odds = dict(zip(numbers, (1.0, 2.0, 4.0, 9.0), strict=True))
    for number, value in odds.items():
        belief.odds[NUMBERS + number] = value
    belief.by_odds = share
    rng, p, n = [derive(4, share)], Position(), 20_000
    counts: Counter[int] = Counter()
    for _ in range(n):
        sample_deal(p, root, belief, rng)
        counts[p.hands[1]] += 1
    chi_square = 0.0
    for one, other in combinations(numbers, 2):
        total = sum(odds.values())
        by_odds = odds[one] * odds[other] / total * (1 / (total - odds[one]) + 1 / (total - odds[other]))
        expected = n * (share * by_odds + (ALL - share) / 6) / ALL
        chi_square += (counts[1 << one | 1 << other] - expected) ** 2 / expected
    assert len(counts) == 6
    assert chi_square < 30
