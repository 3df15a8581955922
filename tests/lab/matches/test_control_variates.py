"""Control variates: luck that is none on the mean, and results from which it was taken."""

from __future__ import annotations

from itertools import permutations

import pytest

from durak_core import AgentError, Rules, State, make_agent
from durak_core.lab import Match, play_match
from durak_core.lab.matches.game import play_from
from durak_core.lab.stats.control_variates import ControlledTally, luck_of_draws
from durak_core.statistics import ControlledMean, DealMean


@pytest.mark.parametrize("options", ["hand_size=5", "hand_size=6,trumps=no"])
def test_over_all_orders_of_the_talon_there_is_no_luck(options: str) -> None:
    """Whatever is played: the cards that lie hidden are laid in each order once, after the same deal."""
    rules = Rules.parse(f"podkidnoy:lowest_rank=J,{options}")
    deck, dealt = State.deal(rules, 5).deck or (), 2 * rules.hand_size
    shown = deck[-1:] if rules.trumps else ()
    orders = permutations(deck[dealt : len(deck) - len(shown)])
    total = [0.0, 0.0]
    greatest = 0.0
    for order in orders:
        start = State.from_deck(rules, (*deck[:dealt], *order, *shown), 0)
        game = play_from(start, [make_agent("greedy"), make_agent("expert")], 1)
        luck = luck_of_draws(game.state)
        total = [sum(pair) for pair in zip(total, luck, strict=True)]
        greatest = max(greatest, *luck)
    assert total == pytest.approx([0, 0], abs=1e-9)
    assert greatest > 0.5


def test_what_goes_with_luck_is_taken_out() -> None:
    """All of it where nothing else matters, and nothing where results have nothing to do with it."""
    luck = [(place % 10 - 4.5) / 5 for place in range(100)]
    only, other = ControlledMean(), ControlledMean()
    for place, one in enumerate(luck):
        only.add(0.6 + 0.2 * one, one + 0.5)
        other.add((place // 10) % 2, one)
    assert only.share is not None
    assert (only.removed, only.share.low, only.share.high) == pytest.approx((1, 0.5, 0.5))
    assert other.share is not None
    assert other.removed == pytest.approx(0, abs=1e-9)
    assert (other.share.low, other.share.high) == pytest.approx(other.shares.interval)
    assert ControlledMean().share is None


def test_a_match_has_the_same_mean_and_a_narrower_interval() -> None:
    """Its plain part is what the match counts; agents' results add up as they did."""
    match = Match(Rules(), ("expert", "greedy"), 200, 3)
    counted, plain = ControlledTally(match), DealMean()
    scores = []
    for game in play_match(match):
        counted.add(game.number, game.fool, game.record)
        team = game.seating.index(0)
        scores.append(0.5 if game.fool is None else float(game.fool != team))
        if game.number % 2:
            plain.add(sum(scores[-2:]) / 2)
    first, second = counted.means
    assert first.shares == plain
    assert first.share is not None
    assert second.share is not None
    assert first.share.value + second.share.value == pytest.approx(1)
    assert first.share.high - first.share.low < plain.interval[1] - plain.interval[0]
    assert first.share.value == pytest.approx(plain.mean, abs=0.05)
    assert first.removed > 0.02


def test_every_chair_counts_with_more_seats_than_two() -> None:
    """The share of lost games for two agents on four seats; partners count as one."""
    match = Match(Rules.parse("podkidnoy:seats=4,lowest_rank=9,hand_size=3"), ("greedy", "expert"), 120, 3)
    counted = ControlledTally(match)
    for game in play_match(match):
        counted.add(game.number, game.fool, game.record)
    assert sum(mean.shares.mean for mean in counted.means) == pytest.approx(0.5, abs=0.05)
    assert all(mean.shares.deals == 30 for mean in counted.means)


def test_games_that_depend_on_each_other_are_refused() -> None:
    with pytest.raises(AgentError, match="control variates need deals that are independent"):
        ControlledTally(Match(Rules(next_first_attacker="under_fool"), ("greedy", "random"), 10, 1))
