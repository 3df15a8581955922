"""The playout policies over codes, and that they alone replay what the agents play."""

from __future__ import annotations

from collections import Counter

import pytest

from durak_core import Rules, Suit, parse_action
from durak_core.actions import decode, encode
from durak_core.kernel.legal import legal
from durak_core.kernel.position import (
    CHANCE_STREAM,
    DEAL_STREAM,
    DEFENCE,
    GAMES_STREAM,
    MAX_ACTIONS,
    OPENING,
    PILE_ON,
    THROW_IN,
    VOLLEY,
    derive,
)
from durak_core.kernel.transition import apply, deal, new_position
from durak_core.lab import Match, play_match
from durak_core.search.policies.policies import greedy_policy, random_policy, random_shares, uniform_policy

CLUBS = Suit.CLUBS.mask


def greedy(actions: str, phase: int = OPENING, talon: int = 0, trumps: int = CLUBS) -> str:
    codes = [encode(parse_action(word)) for word in actions.split()]
    return str(decode(greedy_policy(codes, len(codes), trumps, talon, phase)))


@pytest.mark.parametrize(
    ("actions", "phase", "talon", "chosen"),
    [
        ("9s 7h 6c", OPENING, 0, "7h"),
        ("9s 9h 9d", OPENING, 0, "9s"),
        ("Tc 7c", OPENING, 10, "7c"),
        ("7sx6s 7cx6s take", DEFENCE, 10, "7sx6s"),
        ("Tcx6s 7cx6s take", DEFENCE, 10, "7cx6s"),
        ("take", DEFENCE, 10, "take"),
        ("7s 6c pass", THROW_IN, 10, "7s"),
        ("6c 7c pass", THROW_IN, 10, "pass"),
        ("6c 7c pass", VOLLEY, 10, "pass"),
        ("6c 7c pass", PILE_ON, 1, "pass"),
        ("7c 6c pass", THROW_IN, 0, "6c"),
        ("7c 6c pass", PILE_ON, 0, "6c"),
        ("7c 6c", THROW_IN, 10, "6c"),
        ("7sx6s >6h take", DEFENCE, 10, ">6h"),
        ("7sx6s >6c take", DEFENCE, 10, "7sx6s"),
        ("7cx6s ^6c take", DEFENCE, 10, "^6c"),
        ("7sx6s ^6c take", DEFENCE, 10, "7sx6s"),
        ("6cx6s >6c take", DEFENCE, 10, "6cx6s"),
        ("7cx6s >6c take", DEFENCE, 10, ">6c"),
        ("7cx6s >6c ^6c take", DEFENCE, 10, "^6c"),
    ],
)
def test_greedy_plays_the_cheapest(actions: str, phase: int, talon: int, chosen: str) -> None:
    """Plain transfers, plain cards, showing, trumps, passing; trumps are kept while the talon lasts."""
    assert greedy(actions, phase, talon) == chosen


def test_greedy_without_trumps_just_plays_low() -> None:
    """Where no suit is trumps there is nothing to keep."""
    assert greedy("9s 6c pass", THROW_IN, 10, trumps=0) == "6c"


def test_only_the_first_codes_count() -> None:
    """What stands behind the legal codes in the buffer is not looked at."""
    codes = [encode(parse_action(word)) for word in ("9s", "7h", "6s")]
    assert decode(greedy_policy(codes, 2, CLUBS, 0, OPENING)) == parse_action("7h")
    assert {uniform_policy(codes, 2, [derive(seed, 0)]) for seed in range(50)} == set(codes[:2])
    assert {random_policy(codes, 2, [derive(seed, 0)]) for seed in range(50)} == set(codes[:2])


def test_uniform_likes_all_actions_alike() -> None:
    """Each of four actions is drawn about one time in four."""
    codes, rng = [1, 2, 3, 64], [derive(7, 0)]
    counts = Counter(uniform_policy(codes, 4, rng) for _ in range(8000))
    assert set(counts) == set(codes)
    assert all(1850 < count < 2150 for count in counts.values())


@pytest.mark.parametrize("stop", ["pass", "take"])
def test_random_stops_one_time_in_five(stop: str) -> None:
    """Else all cards are equally likely."""
    codes = [encode(parse_action(word)) for word in ("6s", "7s", stop)]
    rng = [derive(7, 0)]
    counts = Counter(random_policy(codes, 3, rng) for _ in range(10_000))
    assert 1880 < counts[codes[2]] < 2120
    assert 3850 < counts[codes[0]] < 4150
    assert random_shares(codes) == [0.4, 0.4, 0.2]


def test_random_without_a_way_to_stop_is_uniform() -> None:
    """An opening has no pass."""
    codes = [encode(parse_action(word)) for word in ("6s", "7s", "8s")]
    rng = [derive(7, 0)]
    counts = Counter(random_policy(codes, 3, rng) for _ in range(6000))
    assert all(1850 < count < 2150 for count in counts.values())
    assert random_shares(codes) == [1 / 3] * 3


@pytest.mark.parametrize("policy", [uniform_policy, random_policy])
def test_a_forced_action_draws_no_random_number(policy: object) -> None:
    """So forced moves can be skipped without a change of what follows."""
    rng = [derive(7, 0)]
    assert callable(policy)
    assert policy([64], 1, rng) == 64
    assert rng == [derive(7, 0)]


@pytest.mark.parametrize("rules", ["podkidnoy", "perevodnoy:seats=3,show_trump=yes", "larsenbier:seats=4"])
def test_the_kernel_with_the_policies_replays_a_match_of_the_agents(rules: str) -> None:
    """A compiled batch has to give the very games of ``durak match random greedy``."""
    match = Match(Rules.parse(rules), ("random", "greedy"), 12, 5)
    for game in play_match(match):
        position = new_position(match.rules)
        deal_seed = derive(match.seed, game.number // match.rules.seats)
        assert deal(position, [derive(deal_seed, DEAL_STREAM)])
        agents_seed = derive(match.seed, GAMES_STREAM + game.number)
        chances = [[derive(derive(agents_seed, seat), CHANCE_STREAM)] for seat in range(match.rules.seats)]
        codes = [0] * MAX_ACTIONS
        while n := legal(position, codes):
            if game.seating[position.turn] == 0:
                code = random_policy(codes, n, chances[position.turn])
            else:
                talon = position.deck_size - position.drawn
                code = greedy_policy(codes, n, position.trump_mask, talon, position.phase)
            apply(position, code)
        assert position.fool == (-2 if game.fool is None else game.fool)
        assert (position.plies, position.bout) == (game.plies, game.bouts)
