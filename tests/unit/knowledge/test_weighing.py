"""Deals weighed by what was chosen: hands of the past, proportions, and what is known for certain."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from playing import play, random_game

from durak_core import Rules, State, make_agent
from durak_core.kernel.random import derive
from durak_core.knowledge.belief import belief_of
from durak_core.knowledge.opponents.decision_points import choices_between
from durak_core.knowledge.opponents.model import OpponentModel
from durak_core.knowledge.opponents.weighing import DealPool, _hand_before, likely_deals
from durak_core.search.backend.backend import plain_backend
from durak_core.search.ismcts.tree_search import SearchSettings, TreeSearch
from durak_core.search.policies.player_types import PLAYER_TYPES

SIZES = (40, 20)


def story(rules: Rules, seed: int, seat: int) -> list[State]:
    """The moments of a random game at which a seat acts."""
    return [state for state in random_game(rules, seed, "play") if state.turn == seat]


@pytest.mark.parametrize(
    "rules", ["groningen", "groningen:seats=3,forced_play=no,transfer=yes,show_trump=yes"]
)
def test_without_draws_the_hands_of_the_past_are_certain(rules: str) -> None:
    """All cards are dealt: backwards from the true hands comes what each hand was at each choice."""
    checked = 0
    for seed in range(6):
        read = Rules.parse(rules)
        game = [state for state in random_game(read, seed, "play") if state.turn is not None]
        first, *_, end = [place for place, state in enumerate(game) if state.turn == 0]
        choices = []
        own = [state.observation(0) for state in game if state.turn == 0]
        for before, after in pairwise(own):
            choices += choices_between(before, after, [3])
        moments = [state for state in game[first:end] if state.turn != 0]
        hands = [hand.mask for hand in game[end].hands]
        known = [hand.mask for hand in game[end].known]
        for choice, state in zip(reversed(choices), reversed(moments), strict=True):
            seat = choice.position.turn
            hands[seat] = _hand_before(hands[seat], known[seat], choice, [derive(seed, 9)])
            known[seat] = choice.known[seat]
            assert hands[seat] == state.hands[seat].mask
            checked += 1
    assert checked > 60


def test_deals_agree_with_what_is_known() -> None:
    """Own hand, known cards, sizes, and every hidden card in one place, in all deals of a pool."""
    drawn = 0
    for seed in range(4):
        rules = Rules(seats=2 + seed % 2)
        reader = OpponentModel(rules, 0, PLAYER_TYPES, samples=2, seed=seed)
        for state in story(rules, seed, 0):
            observation = state.observation(0)
            reader.follow(observation)
            pool = likely_deals(observation, reader.choices, reader.chance, [derive(seed, 1)], SIZES)
            if pool is None:
                continue
            drawn += 1
            root, belief = belief_of(observation)
            hidden = sum(1 << card for card in belief.pool[: belief.n_pool])
            assert 1 <= pool.effective <= SIZES[0] + 1e-9
            assert len(pool.positions) == len(pool.beliefs) == SIZES[1]
            for position, rest in zip(pool.positions, pool.beliefs, strict=True):
                hands = position.hands[: rules.seats]
                assert [hand.bit_count() for hand in hands] == list(observation.hand_sizes)
                assert hands[0] == observation.hand.mask
                assert all(sure & ~hand == 0 for sure, hand in zip(root.hands, hands, strict=False))
                talon = sum(1 << card for card in rest.pool[: rest.n_pool])
                assert talon.bit_count() == rest.n_pool == rest.talon_to - rest.talon_from
                assert talon | sum(hands[1:]) & hidden == hidden
                assert not any(rest.missing)
    assert drawn > 20


def test_deals_are_drawn_by_their_weights() -> None:
    """Of two possible hands, the one with which the choice is three times as likely comes as much oftener."""
    state = State.setup(Rules(), ["6s9h", "7s8h"], talon="KdAc")
    before = play(state, "6s")
    reader = OpponentModel(Rules(), 0, PLAYER_TYPES)
    observation = before.observation(0)
    reader.follow(state.observation(0))
    after = play(before, "7sx6s")
    reader.follow(after.observation(0))
    (choice,) = reader.choices

    def chance(_choice, hand: int) -> float:
        return 0.9 if hand >> 24 & 1 else 0.3  # the 8 of hearts

    pool = likely_deals(after.observation(0), [choice], chance, [derive(4, 0)], (2000, 2000))
    assert pool is not None
    counts = Counter(position.hands[1] for position in pool.positions)
    assert len(counts) == 2
    assert counts[1 << 24] == pytest.approx(1500, abs=60)
    assert observation.turn == 1


def test_there_is_nothing_to_weigh_without_choices_or_hidden_cards() -> None:
    """Then the search deals as ever."""
    state = State.setup(Rules(), ["6s9h", "7s8h"], talon="KdAc")
    assert likely_deals(state.observation(0), [], lambda *_: 1.0, [5], SIZES) is None


def test_a_search_of_a_pool_of_all_that_is_possible_is_a_search() -> None:
    """Over a pool that leaves everything open the very tree grows that grows without one."""
    state = play(State.deal(Rules(), 3), "")
    observation = state.observation(state.turn or 0)
    root, belief = belief_of(observation)
    settings = SearchSettings(memory=0.1)
    plain = plain_backend()
    pool = DealPool([root], [belief], 1.0)
    found = []
    for _ in range(2):
        search = TreeSearch(observation, 5, plain, settings, pool)
        search.run(30)
        assert search.iterations == 30
        found.append(search.lines())
    assert found[0] == found[1]
    usual = TreeSearch(observation, 5, plain, settings)
    usual.run(30)
    assert usual.lines() == found[0]
    assert make_agent("ismcts:inference").text == "ismcts:inference"
