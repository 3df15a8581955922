"""When matches have said enough."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable
from contextlib import closing
from statistics import fmean

import pytest

from durak_core import AgentError, Rules
from durak_core.lab import (
    GameSummary,
    Match,
    Sprt,
    UntilSignificant,
    UntilSure,
    elo,
    play_matches,
    score_of_elo,
    sprt_llr,
    tally_match,
)
from durak_core.statistics import anytime_interval, surely_above

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


def test_the_ratio_is_the_capital_of_a_bet() -> None:
    """Bet by bet; from the other side it is the same with another sign."""
    counts = (3, 5, 11, 8, 6)
    scores = [place / 4 for place, count in enumerate(counts) for _ in range(count)]
    low, high = score_of_elo(-10), score_of_elo(25)
    spread = (2.5 * low * (1 - low) + sum((score - low) ** 2 for score in scores)) / (5 + len(scores))
    capital = math.prod(1 + (high - low) / spread * (score - low) for score in scores)
    assert sprt_llr(counts, -10, 25) == pytest.approx(math.log(capital))
    assert sprt_llr(counts[::-1], -25, 10) == pytest.approx(-math.log(capital))


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


@pytest.mark.parametrize("share", [0.2, 0.02])
def test_a_gain_that_seldom_matters_is_found(share: float) -> None:
    """One game more in a share of the deals, and ties otherwise, which are no proof of equality."""
    lead = elo(0.5 + share / 4)
    chance = random.Random(7)
    for _ in range(100):
        test = Sprt(DUEL, 0, lead)
        while not test.add_deal(chance.choices((2, 3), (1 - share, share))[0]):
            assert sum(test.counts) < 10_000
        assert test.accepted == lead


def test_far_hypotheses_are_not_mixed_up() -> None:
    """A lead of 400 Elo loses one game in eleven; thirty deals without a loss are no proof of more."""
    chance, wrong = random.Random(3), 0
    score = score_of_elo(400)
    for _ in range(200):
        test = Sprt(DUEL, 400, 450)
        while not test.add_deal(2 * (chance.random() < score) + 2 * (chance.random() < score)):
            assert sum(test.counts) < 20_000
        wrong += test.accepted == 450
    assert wrong <= 16


def test_twins_decide_nothing() -> None:
    """However many deals they tie; a single other deal ends that."""
    test = Sprt(DUEL, 0, 20)
    assert not any(test.add_deal(2) for _ in range(500))
    assert "undecided after 500 deals, all of them tied, LLR" in test.verdict
    assert test.add_deal(1)
    assert test.accepted == 0


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
    test = Sprt(DUEL, 0, 200)
    assert (test.llr, test.accepted) == (0, None)
    assert not any(test.add_deal(4) for _ in range(29))
    assert "undecided after 29 of at least 30 deals, LLR" in test.verdict
    assert test.add_deal(4)
    assert test.accepted == 200
    assert "+200 Elo accepted after 30 deals" in test.verdict
    assert test.verdict.endswith("0 0 0 0 30")


def stopped(games: Iterable[tuple[int, GameSummary]], rule) -> list[GameSummary]:
    """The games until a rule has seen enough."""
    seen = []
    for _, game in games:
        seen.append(game)
        if rule.add(game):
            break
    return seen


@pytest.mark.slow
def test_a_match_stops_at_the_same_game_on_any_number_of_processes() -> None:
    """The games are judged by their numbers, not as they come."""
    match = Match(Rules(), ("greedy", "random"), 200, 5)
    here, there = list(play_matches([match])), play_matches([match], 2)
    sprt, again = Sprt(match, 0, 100), Sprt(match, 0, 100)
    with closing(there):
        assert stopped(here, sprt) == stopped(there, again)
    assert sprt.verdict == again.verdict


def test_each_rule_stops_a_match_after_whole_deals() -> None:
    match = Match(Rules(), ("greedy", "random"), 200, 5)
    here = list(play_matches([match]))
    for rule in (Sprt(match, 0, 100), UntilSure(match), UntilSignificant(match, 7)):
        games = stopped(here, rule)
        assert len(games) < 200
    counted = tally_match(match, games)
    assert len(games) % 8 == 0
    assert counted.agents[0].share.low > 0.5


def sure(score: float, runs: int, deals: int, seed: int) -> list[int | None]:
    """After how many deals each match of two independent games a deal is called decided; None for never."""
    chance = random.Random(seed)
    chances = ((1 - score) ** 2, 2 * score * (1 - score), score * score)
    found: list[int | None] = []
    for _ in range(runs):
        rule = UntilSure(DUEL)
        scores = chance.choices((0, 2, 4), chances, k=deals)
        found.append(next((number for number, one in enumerate(scores, 1) if rule.add_deal(one)), None))
    return found


def decided(found: list[int | None]) -> list[int]:
    return [deals for deals in found if deals is not None]


def test_equal_players_are_seldom_told_apart_by_looking_after_every_deal() -> None:
    """And better ones soon are."""
    assert len(decided(sure(0.5, 120, 250, 1))) <= 6
    better = decided(sure(0.65, 60, 600, 2))
    assert len(better) == 60
    assert fmean(better) < 70


@pytest.mark.slow
def test_long_matches_of_equal_players_are_decided_once_in_twenty_at_most() -> None:
    """Two thousand of them; of scores of 0.55 seven in eight are found by 1,000 deals, of 0.6 by 250."""
    assert len(decided(sure(0.5, 2000, 1000, 3))) <= 100
    assert len(decided(sure(0.55, 400, 1000, 4))) >= 350
    assert len(decided(sure(0.6, 400, 250, 5))) >= 350


def test_an_interval_at_any_look_ends_where_the_test_refutes() -> None:
    """From both sides, and nothing is known without deals."""
    counts = (3, 5, 11, 28, 16)
    low, high = anytime_interval(counts)
    mean = sum(place * count for place, count in enumerate(counts)) / 4 / sum(counts)
    assert 0 < low < mean < high < 1
    assert surely_above(counts, low - 1e-6)
    assert not surely_above(counts, low + 1e-6)
    assert (1 - high, 1 - low) == pytest.approx(anytime_interval(counts[::-1]), abs=1e-6)
    assert anytime_interval((0, 0, 0)) == pytest.approx((0, 1), abs=1e-6)


def test_the_capital_of_all_bets_follows_its_formula() -> None:
    """Played bet by bet: it reaches 40 with the same deal as the test is sure."""
    capitals = [1 / 32] * 32
    for deals in range(1, 100):
        for place in range(32):
            share = (place + 0.5) / 32
            capitals[place] *= 1 - share + share * (0.75 if deals % 4 else 0.25) / 0.4
        counts = (0, deals // 4, 0, deals - deals // 4, 0)
        assert surely_above(counts, 0.4) == (math.fsum(capitals) >= 40)
    assert math.fsum(capitals) > 40


def test_deals_are_counted_by_the_first_agents_score() -> None:
    """The counts say the same as the match's table."""
    match = Match(Rules(), ("smart", "greedy"), 60, 3)
    test = Sprt(match, -500, 500)
    games = [game for _, game in play_matches([match])]
    for game in games:
        test.add(game)
    points = sum(place / 2 * count for place, count in enumerate(test.counts))
    agent = tally_match(match, games).agents[0]
    assert points == agent.wins + agent.draws / 2
    assert sum(test.counts) == 30


def test_equal_players_are_never_sure() -> None:
    """The same deals from both chairs: exactly 50 %."""
    match = Match(Rules(), ("greedy", "greedy"), 80, 3)
    for rule in (UntilSure(match), UntilSignificant(match, 20)):
        assert len(stopped(play_matches([match]), rule)) == 80
        assert rule.verdict.startswith("not sure after 80 games")
    assert rule.verdict.endswith(": greedy 45.2 to 54.8 %")


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
        UntilSure(match)
    with pytest.raises(AgentError, match=message):
        UntilSignificant(match, 10)


@pytest.mark.parametrize(("elo0", "elo1"), [(10, 10), (10, 0), (0, 2000), (float("nan"), 1)])
def test_hypotheses_have_to_differ_the_right_way(elo0: float, elo1: float) -> None:
    """The lower lead stands first."""
    with pytest.raises(AgentError, match="expected the lower one first"):
        Sprt(DUEL, elo0, elo1)


def test_each_error_has_its_own_bound() -> None:
    """Wald's bounds for errors that differ: log(0.2 / 0.99) and log(0.8 / 0.01)."""
    test = Sprt(DUEL, 0, 20, alpha=0.01, beta=0.2)
    assert test.bounds == pytest.approx((-1.59939, 4.38203), abs=1e-5)
    for counts, accepted in (((2, 0, 40, 0, 12), None), ((12, 0, 40, 0, 2), -10)):
        test = Sprt(DUEL, -10, 10, alpha=0.01, beta=0.2)
        test.counts[:] = counts
        assert abs(test.llr) == pytest.approx(2.03, abs=0.01)
        assert test.accepted == accepted
