"""Temperaments: a space of characters, their odds, and what they do in a game."""

from __future__ import annotations

import pytest
from playing import play

from benchmarks.temperaments import Habits, habits, habits_by_deal
from durak_core import Rules, State, make_agent
from durak_core.kernel.legal import legal
from durak_core.kernel.position import MAX_ACTIONS, derive
from durak_core.lab import Match, play_match
from durak_core.search.policies.expert import (
    AGGRESSIVE,
    CAUTIOUS,
    MODERATE,
    N_WEIGHTS,
    WEIGHTS,
    Character,
    Temperament,
    tempered_policy,
    write_costs,
    write_odds,
)
from durak_core.search.policies.policies import LegalCodes

MIXED = ("aggressive", "temperament:thrift=3,noise=2", "cautious")


def test_moderate_is_the_rule_book() -> None:
    """All weights 0 leave the costs as they are, and without noise the choices."""
    assert tuple(MODERATE.table()) == WEIGHTS
    match = Match(Rules(seats=3), ("temperament:noise=0", "expert"), 6, 3)
    expert = Match(Rules(seats=3), ("expert", "expert"), 6, 3)
    for one, other in zip(play_match(match), play_match(expert), strict=True):
        assert one.state == other.state


@pytest.mark.parametrize(
    ("hands", "moves", "weight", "more", "less"),
    [
        (["9s9c7h", "KsKd9d"], "9s Ksx9s", "aggression", "9c", "pass"),
        (["KsKhKc", "7h9d7c"], "Ks take", "spite", "Kh", "pass"),
        (["9s7s", "Ac7hKd"], "9s", "thrift", "take", "Acx9s"),
        (["9s7s", "Ac7hKd"], "9s", "defiance", "Acx9s", "take"),
        (["KsKh6c", "9dTd9h"], "", "daring", "6c", "Ks"),
        (["9sTsKd", "9hJs8d"], "9s", "evasion", ">9h", "Jsx9s"),
        (["7s7h9d", "TsKs9h"], "7s", "secrecy", "Ksx7s", "Tsx7s"),
    ],
)
def test_each_weight_is_a_habit(hands: list[str], moves: str, weight: str, more: str, less: str) -> None:
    """Much of it and little of it lead to what the weight is named after, and to its opposite."""
    talon = "6d7d8s8hThJhQhAh6s6hQsAsJdQd"
    state = play(State.setup(Rules.preset("perevodnoy"), hands, talon=f"{talon}Jc"), moves)
    assert state.turn is not None
    for value, action in ((40, more), (-40, less)):
        agent = make_agent(f"temperament:{weight}={value},noise=0")
        assert str(agent.choose(state.observation(state.turn)).action) == action


def test_odds_halve_with_the_noise() -> None:
    """An action that is dearer by the noise is half as likely; far dearer ones never happen."""
    state = State.setup(Rules(), ["6s8hKd", "7s9s"], talon="TsAc")
    p = state.to_position()
    codes, costs, odds = [0] * MAX_ACTIONS, [0] * MAX_ACTIONS, [0] * MAX_ACTIONS
    n = legal(p, codes)
    best = write_costs(p, codes, n, None, costs)
    assert costs[codes.index(best)] == min(costs[:n])
    noise = sorted(costs[:n])[1] - min(costs[:n])
    total = write_odds(p, LegalCodes(codes, n), Character(WEIGHTS, noise), odds)
    assert total == sum(odds[:n]) < 1 << 31
    assert max(odds[:n]) == 2 * sorted(odds[:n])[-2]
    assert write_odds(p, LegalCodes(codes, n), Character(WEIGHTS, 1), odds) == max(odds[:n])
    character = Character(WEIGHTS, 1000)
    drawn = {
        tempered_policy(p, LegalCodes(codes, n), character, odds, [derive(seed, 0)]) for seed in range(60)
    }
    assert drawn == set(codes[:n])


def test_characters_behave_differently() -> None:
    """Aggressive spends more trumps and throws in more than cautious, which takes more."""
    counts = {}
    for name in ("aggressive", "cautious"):
        deals = habits_by_deal(Match(Rules(), (name, "greedy"), 60, 2), 0, 60)
        counts[name] = Habits(*[sum(column) for column in zip(*deals, strict=True)])  # type: ignore[arg-type]
    hot, cold = counts["aggressive"], counts["cautious"]
    assert hot.trumps > 2 * cold.trumps
    assert hot.throw_ins > cold.throw_ins
    assert cold.takes > 1.5 * hot.takes


def test_habits_are_counted() -> None:
    """A short game by hand: a throw-in, a trump while the talon lasts, a take."""
    state = State.setup(Rules(), ["6s6h9d", "7s7cKh"], talon="8dJdJcQc")
    state = play(state, "6s 7sx6s 6h 7cx6h")
    assert habits(state, 0) == Habits(trumps=0, takes=0, throw_ins=1, transfers=0)


def test_a_temperament_is_small() -> None:
    """Tables stay far below the limit of costs, whatever the options allow."""
    most = Temperament(100, 100, 100, 100, 100, 100, 100)
    assert len(most.table()) == N_WEIGHTS
    assert max(map(abs, most.table())) < 1 << 20
    assert AGGRESSIVE != CAUTIOUS
