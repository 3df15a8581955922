"""When matches have said enough."""

from __future__ import annotations

import random
from statistics import fmean, pvariance

import pytest

from durak_core import AgentError, Match, Rules, elo, play_parallel, tally_match
from durak_core.arena import Sprt, UntilSure, score_of_elo, sprt_llr

DUEL = Match(Rules(), ("greedy", "random"), 400, 5)


@pytest.mark.parametrize(
    ("counts", "elo0", "elo1", "llr"),
    [
        ((223, 9863, 21279, 10037, 246), 0.5, 2.5, -3.07),
        ((871, 26175, 55983, 26678, 821), 0, 2, -4.98),
    ],
)
def test_the_ratio_is_that_of_chess_engine_testing(counts, elo0: float, elo1: float, llr: float) -> None:
    """Values of fastchess' own tests, from real runs; there they come from the exact likelihood."""
    assert sprt_llr(counts, elo0, elo1) == pytest.approx(llr, rel=0.01)


def test_the_ratio_follows_its_formula() -> None:
    """Computed again from a list of scores."""
    counts = (3, 5, 11, 8, 6)
    scores = [place / 4 for place, count in enumerate(counts) for _ in range(count)]
    low, high = score_of_elo(-10), score_of_elo(25)
    expected = len(scores) * (high - low) * (2 * fmean(scores) - low - high) / 2 / pvariance(scores)
    assert sprt_llr(counts, -10, 25) == pytest.approx(expected)
    assert sprt_llr(counts[::-1], -25, 10) == pytest.approx(-expected)


def test_elo_and_score_are_inverse() -> None:
    """The same logistic curve both ways."""
    for difference in (-300, 0, 5, 120):
        assert elo(score_of_elo(difference)) == pytest.approx(difference, abs=1e-9)


def accepted(chances: tuple[float, ...], runs: int, seed: int) -> tuple[int, int]:
    """How often each hypothesis of a lead of 0 or 60 Elo is accepted on streams of deals."""
    chance = random.Random(seed)
    found = [0, 0]
    for _ in range(runs):
        test = Sprt(DUEL, 0, 60)
        while not test.add_deal(chance.choices(range(5), chances)[0]):
            assert sum(test.counts) < 5000
        found[test.accepted == 60] += 1
    return found[0], found[1]


@pytest.mark.parametrize("draws", [0.0, 0.3])
def test_errors_are_as_rare_as_promised(draws: float) -> None:
    """Where a hypothesis is true, the other one is accepted in about 5 % of the runs, and hardly more."""

    def deals(score: float) -> tuple[float, ...]:
        win = score - draws / 2
        loss = 1 - win - draws
        return (
            loss * loss,
            2 * loss * draws,
            2 * win * loss + draws * draws,
            2 * win * draws,
            win * win,
        )

    kept, lost = accepted(deals(0.5), 200, 1)
    assert (kept + lost, lost < 20) == (200, True)
    lost, kept = accepted(deals(score_of_elo(60)), 200, 2)
    assert (kept + lost, lost < 20) == (200, True)


def test_the_test_needs_deals_before_it_speaks() -> None:
    """29 deals without a loss accept nothing, the thirtieth does."""
    test = Sprt(DUEL, 0, 20)
    assert (test.llr, test.accepted) == (0, None)
    assert not any(test.add_deal(4) for _ in range(29))
    assert test.add_deal(4)
    assert test.accepted == 20
    assert "+20 Elo accepted after 30 deals" in test.verdict
    assert test.verdict.endswith("0 0 0 0 30")


def stopped(match: Match, rule, jobs: int) -> list:
    games = []
    for game in play_parallel(match, jobs):
        games.append(game)
        if rule.add(game):
            break
    return games


def test_a_match_stops_at_the_same_game_on_any_number_of_processes() -> None:
    """The games are judged by their numbers, not as they come."""
    match = Match(Rules(), ("greedy", "random"), 200, 5)
    for make in (lambda: Sprt(match, 0, 100), lambda: UntilSure(match, 7)):
        first, second = make(), make()
        games = stopped(match, first, 1)
        assert games == stopped(match, second, 2)
        assert first.verdict == second.verdict
        assert len(games) < 200
    counted = tally_match(match, games)
    assert len(games) % 8 == 0
    assert counted.agents[0].share.low > 0.5


def test_deals_are_counted_by_the_first_agents_score() -> None:
    """The counts say the same as the match's table."""
    match = Match(Rules(), ("smart", "greedy"), 60, 3)
    test = Sprt(match, -500, 500)
    games = list(play_parallel(match, 1))
    for game in games:
        test.add(game)
    points = sum(place / 2 * count for place, count in enumerate(test.counts))
    agent = tally_match(match, games).agents[0]
    assert points == agent.wins + agent.draws / 2
    assert sum(test.counts) == 30


def test_equal_players_are_never_sure() -> None:
    """The same deals from both chairs: exactly 50 %."""
    match = Match(Rules(), ("greedy", "greedy"), 80, 3)
    rule = UntilSure(match, 20)
    assert len(stopped(match, rule, 1)) == 80
    assert rule.verdict.startswith("not sure after 80 games")


@pytest.mark.parametrize(
    ("match", "message"),
    [
        (Match(Rules(seats=3), ("greedy", "random"), 3, 1), "expected two agents on two seats"),
        (Match(Rules(), ("greedy",), 3, 1), "1 agents on 2 seats"),
        (Match(Rules(next_first_attacker="under_fool"), ("greedy", "random"), 3, 1), r"rules 4\.2"),
    ],
)
def test_only_matches_of_two_can_stop_by_themselves(match: Match, message: str) -> None:
    """Their deals have to be independent, too."""
    with pytest.raises(AgentError, match=message):
        Sprt(match, 0, 10)
    with pytest.raises(AgentError, match=message):
        UntilSure(match, 10)


@pytest.mark.parametrize(("elo0", "elo1"), [(10, 10), (10, 0), (0, 2000), (float("nan"), 1)])
def test_hypotheses_have_to_differ_the_right_way(elo0: float, elo1: float) -> None:
    """The lower lead stands first."""
    with pytest.raises(AgentError, match="expected the lower one first"):
        Sprt(DUEL, elo0, elo1)
