"""Sampled deals: consistent with all that is known, and all equally likely."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

from durak_core import CardSet, Rules, State
from durak_core.kernel.legal import legal
from durak_core.kernel.position import MAX_ACTIONS, Position
from durak_core.kernel.random import derive, random_below
from durak_core.knowledge.belief import belief_of
from durak_core.knowledge.sampling import sample_deal

CLOSED = [
    "podkidnoy",
    "podkidnoy:seats=3,trumps=no",
    "podkidnoy:seats=6",
    "perevodnoy:seats=4,show_trump=yes",
    "groningen:seats=3",
    "larsenbier",
    "podkidnoy:seats=2,visibility=open",
]


def moments(rules: Rules, games: int):
    """States of random games."""
    rng = [derive(77, games)]
    for seed in range(games):
        state = State.deal(rules, seed)
        while not state.is_over:
            yield state
            legal_actions = state.legal_actions
            state = state.apply(legal_actions[random_below(rng, len(legal_actions))])


@pytest.mark.parametrize("text", CLOSED)
def test_sampled_deals_agree_with_everything_seen(text: str):
    """Own hand, sizes, known cards, bottom trump, public fields and legal actions are those of the game."""
    rules = Rules.parse(text)
    rng, codes, p = [derive(1, 2)], [0] * MAX_ACTIONS, Position()
    for state in moments(rules, 6):
        true = state.to_position()
        for seat in range(rules.seats):
            observation = state.observation(seat)
            sample_deal(p, *belief_of(observation), rng)
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


def deals_of(state: State, seat: int) -> set[tuple[int, ...]]:
    """Enumerate, without the code under test, all hands and talons a seat cannot tell apart."""
    observation = state.observation(seat)
    trump = observation.trump_card
    bottom = [trump] if trump and observation.talon_size else []
    seen = [*observation.hand, *observation.gone, *observation.table_cards, *bottom]
    for other, known in enumerate(observation.known):
        seen += [card for card in known if other != seat]
    hidden = [card for card in state.rules.deck if card not in seen]

    def fill(seats: list[int], cards: list):
        if not seats:
            yield ()
            return
        known = observation.known[seats[0]]
        for chosen in combinations(cards, observation.hand_sizes[seats[0]] - len(known)):
            for rest in fill(seats[1:], [card for card in cards if card not in chosen]):
                yield (known.mask | CardSet.of(chosen).mask, *rest)

    return set(fill([other for other in range(state.rules.seats) if other != seat], hidden))


@pytest.mark.parametrize(
    "text",
    [
        "podkidnoy:lowest_rank=11,hand_size=4",
        "podkidnoy:seats=3,lowest_rank=11,hand_size=3",
        "perevodnoy:seats=3,lowest_rank=11,hand_size=4",
        "podkidnoy:suits=2,lowest_rank=9,hand_size=4",
    ],
)
def test_every_consistent_deal_is_equally_likely(text: str):
    """Frequencies match an exhaustive enumeration: no deal is missing, and chi-square is in its range."""
    rules = Rules.parse(text)
    checked = 0
    for state in moments(rules, 3):
        if state.plies % 5 or state.turn is None:
            continue
        expected = deals_of(state, state.turn)
        if not 2 <= len(expected) <= 400:
            continue
        belief = belief_of(state.observation(state.turn))
        n = 60 * len(expected)
        rng, p = [derive(9, checked)], Position()
        counts: Counter[tuple[int, ...]] = Counter()
        for _ in range(n):
            sample_deal(p, *belief, rng)
            counts[tuple(mask for seat, mask in enumerate(p.hands[: rules.seats]) if seat != state.turn)] += 1
        assert set(counts) == expected
        degrees = len(expected) - 1
        chi_square = sum((count - 60) ** 2 / 60 for count in counts.values())
        assert chi_square < degrees + 4.5 * (2 * degrees) ** 0.5 + 10
        checked += 1
        if checked == 6:
            break
    assert checked
