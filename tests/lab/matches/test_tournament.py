"""Tournaments, ratings, and grids of settings."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import astuple, replace
from itertools import combinations, permutations
from statistics import fmean, variance

import pytest

from durak_core import AgentError, Rules
from durak_core.lab import (
    DealMean,
    Grid,
    Match,
    Pairing,
    Standings,
    Tournament,
    combinations_of,
    cyclic_orders,
    elo,
    elo_ratings,
    fool_ratings,
    play_match,
    play_matches,
    score_of_elo,
    standings_json,
    tally_match,
)

THREE = ("greedy", "random", "smart")


def standings(tournament: Tournament, jobs: int = 1) -> Standings:
    counted = Standings(tournament)
    for fixture, game in play_matches(tournament.matches, jobs):
        counted.add(fixture, game)
    return counted


# Who meets whom


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_orders_are_balanced(seats: int) -> None:
    """Each player sits at each distance before each other equally often."""
    orders = cyclic_orders(seats)
    assert [len(cyclic_orders(n)) for n in range(2, 7)] == [1, 2, 6, 4, 20]
    assert all(sorted(order) == list(range(seats)) and order[0] == 0 for order in orders)
    for distance in range(1, seats):
        met = Counter((order[at], order[(at + distance) % seats]) for order in orders for at in range(seats))
        assert set(met) == set(permutations(range(seats), 2))
        assert len(set(met.values())) == 1


@pytest.mark.parametrize(("seats", "games", "tables"), [(2, 6, 10), (3, 6, 10), (4, 24, 5), (5, 20, 1)])
def test_everybody_plays_equally_often_on_every_chair(seats: int, games: int, tables: int) -> None:
    """Five agents: all tables, whole deals."""
    agents = ("greedy", "random", "random:uniform", "smart", "expert")
    tournament = Tournament(Rules(seats=seats), agents, games, 1)
    assert tournament.all_games == tables * games
    chairs = Counter(
        (fixture.players[place], seat)
        for fixture in tournament.fixtures
        for game in range(fixture.match.games)
        for seat, place in enumerate(fixture.match.seating(game))
    )
    assert len(chairs) == 5 * seats
    assert len(set(chairs.values())) == 1
    assert len({fixture.match.seed for fixture in tournament.fixtures}) == len(tournament.fixtures)


def test_games_are_rounded_up_to_whole_deals() -> None:
    """So that luck cancels."""
    assert Tournament(Rules(), THREE, 3, 1).all_games == 12
    assert Tournament(Rules(seats=3), THREE, 4, 1).all_games == 6


def test_one_agent_more_leaves_the_games_of_the_others_alone() -> None:
    """Seeds hang on who plays, not on how many there are."""
    three = Tournament(Rules(), THREE, 4, 1).fixtures
    four = Tournament(Rules(), (*THREE, "expert"), 4, 1).fixtures
    assert set(three) <= set(four)


@pytest.mark.parametrize(
    ("agents", "seats", "message"),
    [
        (("greedy",), 2, "1 agents on 2 seats: expected 2 agents or more"),
        (THREE, 4, "3 agents on 4 seats: expected 4 agents or more"),
        (("greedy", "random:uniform", "random:uniform=on"), 2, "random:uniform appears twice"),
        (("greedy", "nobody"), 2, "there is no agent 'nobody'"),
    ],
)
def test_a_tournament_has_to_be_possible(agents: tuple[str, ...], seats: int, message: str) -> None:
    """Checked before anything is played."""
    with pytest.raises(AgentError, match=message):
        Tournament(Rules(seats=seats), agents, 2, 1)
    with pytest.raises(AgentError, match="0 games"):
        Tournament(Rules(), THREE, 0, 1)


# What comes of it


def test_a_pair_plays_a_match() -> None:
    """The same games and the same interval, seen from both sides."""
    tournament = Tournament(Rules(), THREE, 60, 1)
    counted = standings(tournament)
    match = tournament.fixtures[0].match
    assert match == Match(Rules(), ("greedy", "random"), 60, match.seed)
    greedy, rival = tally_match(match, play_match(match)).agents
    cell, other = counted.cell(0, 1), counted.cell(1, 0)
    assert cell is not None
    assert other is not None
    assert (cell.games, cell.wins, cell.draws) == (60, greedy.wins, greedy.draws)
    assert (cell.share.value, cell.share.low) == (greedy.score, greedy.share.low)
    assert (other.wins, other.share.value) == (rival.wins, rival.score)
    assert counted.agents[0].games == 120
    assert sum(agent.score for agent in counted.agents) == pytest.approx(1.5)
    table = counted.elo()
    assert table is not None
    assert sum(rating.points for rating in table.ratings) == pytest.approx(0, abs=1e-6)
    points = [table.ratings[place].points for place in counted.order()]
    assert points == sorted(points, reverse=True)


@pytest.mark.parametrize("seats", [2, 3])
def test_the_number_of_processes_changes_nothing(seats: int) -> None:
    """The same games in the same order."""
    tournament = Tournament(Rules(seats=seats), THREE, 12, 1)
    assert list(play_matches(tournament.matches, 2)) == list(play_matches(tournament.matches))


def test_among_several_players_the_fool_counts() -> None:
    """Shares of lost games, duels of those who lost, and ratings with random at the end."""
    counted = standings(Tournament(Rules(seats=3), (*THREE, "expert"), 12, 1))
    assert sum(agent.losses for agent in counted.agents) == counted.games - counted.draws
    table = counted.elo()
    assert table is not None
    assert min(table.ratings, key=lambda rating: rating.points) == table.ratings[1]
    cell, other = counted.cell(0, 1), counted.cell(1, 0)
    assert cell is not None
    assert other is not None
    assert cell.wins + other.wins == cell.games == other.games
    assert cell.draws == other.draws == 0
    assert cell.share.value > 0.5
    assert counted.order()[-1] == 1


def test_figures_of_the_game_are_those_of_its_games() -> None:
    """Lengths, draws, choices and the first attacker, counted again from the games themselves."""
    tournament = Tournament(Rules(), ("greedy", "smart"), 20, 3)
    counted = standings(tournament)
    games = [game.state for game in play_match(tournament.fixtures[0].match)]
    choices = []
    play = [game.record.replay() for game in play_match(tournament.fixtures[0].match)]
    for states in play:
        choices += [len(state.legal_actions) for state in states[:-1]]
    assert counted.branching == pytest.approx(math.exp(sum(map(math.log, choices)) / len(choices)))
    assert counted.plies == [state.plies for state in games]
    assert counted.bouts == [state.bout for state in games]
    assert counted.draws == sum(state.is_draw for state in games)
    score = sum(0.5 if state.is_draw else float(state.fool != state.first_attacker) for state in games)
    assert counted.first_player.value == pytest.approx(score / 20)


def test_nothing_played_is_nothing_known() -> None:
    """An interrupted tournament can be shown at any time."""
    counted = Standings(Tournament(Rules(), THREE, 2, 1))
    told = standings_json(counted)
    assert (told["games"], told["pairs"], told["branching_factor"]) == (0, [], 0)
    assert counted.elo() is None


def test_a_series_is_played_whole() -> None:
    """Rules 4.2: each pair's games hang on each other; processes change nothing."""
    tournament = Tournament(Rules(next_first_attacker="under_fool"), THREE, 6, 1)
    whole = list(play_match(tournament.fixtures[0].match))
    assert [game for _, game in play_matches(tournament.matches)][:6] == [game.summary() for game in whole]
    assert list(play_matches(tournament.matches, 2)) == list(play_matches(tournament.matches))


# Ratings


def test_two_players_differ_by_their_scores_elo() -> None:
    """The likelihood's maximum is the score itself; the interval is that of a share."""
    table = elo_ratings(2, [Pairing(0, 1, 400, 0.64)])
    first, second = table.ratings
    assert first.points - second.points == pytest.approx(elo(0.64))
    assert first.points == -second.points
    error = 400 / math.log(10) / math.sqrt(400 * 0.64 * 0.36) / 2
    assert first.high - first.points == pytest.approx(1.959964 * error)
    assert not table.with_prior


def test_ratings_that_made_the_scores_are_found_again() -> None:
    """Exact scores of known ratings, with very different numbers of games, and one pair that never met."""
    points = [310.0, 40.0, -100.0, -250.0]
    met = [(0, 1, 10), (1, 2, 700), (3, 2, 50), (0, 2, 90), (3, 1, 33)]
    pairings = [Pairing(i, j, games, score_of_elo(points[i] - points[j])) for i, j, games in met]
    found = [rating.points for rating in elo_ratings(4, pairings).ratings]
    assert found == pytest.approx(points, abs=1e-6)


def test_lopsided_scores_in_a_ring_are_rated() -> None:
    """However far the first steps would lead, everybody is expected to have the points that were won."""
    pairings = [
        Pairing(0, 1, 1000, 0.99999),
        Pairing(0, 2, 1000, 0.99999),
        Pairing(1, 3, 1, 0.9999),
        Pairing(3, 2, 100_000, 0.9999),
    ]
    points = [rating.points for rating in elo_ratings(4, pairings).ratings]
    surplus = [0.0] * 4
    for one in pairings:
        by = one.games * (one.score - score_of_elo(points[one.first] - points[one.second]))
        surplus[one.first] += by
        surplus[one.second] -= by
    assert surplus == pytest.approx([0.0] * 4, abs=1e-6)


def test_deals_that_vary_less_make_narrower_intervals() -> None:
    """A quarter of the variance is half the width; the points stay."""
    pairing = Pairing(0, 1, 100, 0.6)
    wide = elo_ratings(2, [pairing]).ratings[0]
    narrow = elo_ratings(2, [replace(pairing, variance=0.6 * 0.4 / 400)]).ratings[0]
    assert narrow.points == wide.points
    assert narrow.high - narrow.low == pytest.approx((wide.high - wide.low) / 2)


def test_a_tournaments_intervals_are_those_of_its_deals() -> None:
    """The variance comes from the mean scores of deals played twice, not from single games."""
    tournament = Tournament(Rules(), ("greedy", "expert"), 80, 3)
    deals: dict[int, list[float]] = {}
    for game in play_match(tournament.fixtures[0].match):
        lost = None if game.fool is None else game.seating[game.fool]
        deals.setdefault(game.number // 2, []).append(0.5 if lost is None else float(lost == 1))
    scores = [fmean(deal) for deal in deals.values()]
    assert {len(deal) for deal in deals.values()} == {2}
    pairing = Pairing(0, 1, 80, fmean(scores), variance(scores) / len(scores))
    table = standings(tournament).elo()
    assert table is not None
    for found, expected in zip(table.ratings, elo_ratings(2, [pairing]).ratings, strict=True):
        # The error is half the width of the score's interval, a little more than the deals' own.
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=0.02)
    by_games = elo_ratings(2, [replace(pairing, variance=None)]).ratings[0]
    assert abs(by_games.high - table.ratings[0].high) > 1


def test_who_never_lost_a_point_is_rated_all_the_same() -> None:
    """Without a maximum of the likelihood each pair counts one draw more."""
    table = elo_ratings(3, [Pairing(0, 1, 20, 1.0), Pairing(1, 2, 20, 0.5), Pairing(2, 0, 20, 0.0)])
    assert table.with_prior
    first, second, third = (rating.points for rating in table.ratings)
    assert 200 < first < 1000
    assert second == pytest.approx(third)


def test_players_who_never_met_cannot_be_compared() -> None:
    """Two pairs that know nothing of each other, or no pair at all."""
    for pairings in ([Pairing(0, 1, 20, 0.5), Pairing(2, 3, 20, 0.5)], []):
        with pytest.raises(AgentError, match="never met"):
            elo_ratings(4, pairings)


def test_ratings_of_the_fool_are_elo_with_two_seats() -> None:
    """The same points and, from as many deals, the same width of the intervals."""
    wins = [[((0, 1), 1), ((1, 0), 0)]] * 30 + [[((0, 1), 1), ((1, 0), 1)]] * 40 + [[((0, 1), 0)] * 2] * 10
    deals = [[(seating, fool) for seating, fool in games] for games in wins]
    table = fool_ratings(2, deals)
    assert table is not None
    mean = DealMean()
    for games in deals:
        mean.add(sum(seating[fool] == 1 for seating, fool in games) / 2)
    pairing = Pairing(0, 1, 160, mean.mean, mean.variance)
    for found, expected in zip(table.ratings, elo_ratings(2, [pairing]).ratings, strict=True):
        assert astuple(found) == pytest.approx(astuple(expected))


@pytest.mark.parametrize("seats", [2, 3, 6])
def test_ratings_have_one_scale_for_all_numbers_of_seats(seats: int) -> None:
    """Losses in proportion to 10^(-r/400) give the same points; four times the games halve the interval."""
    points = [150.0, 60, 20, -20, -60, -150]
    widths = []
    for times in (1, 4):
        deals = []
        for table in combinations(range(6), seats):
            risks = [10 ** (-points[player] / 400) for player in table]
            counts = [round(2000 * times * risk / sum(risks)) for risk in risks]
            deals += [[(table, fool)] for fool, count in enumerate(counts) for _ in range(count)]
        found = fool_ratings(6, deals)
        assert found is not None
        assert [one.points for one in found.ratings] == pytest.approx(points, abs=0.5)
        widths.append(found.ratings[0].high - found.ratings[0].low)
    assert widths[0] / widths[1] == pytest.approx(2, rel=0.01)


def test_ratings_of_many_seats_without_a_fool_or_a_loss() -> None:
    """Draws leave all equal, somebody who never lost is rated, and tables that never met are not."""
    drawn = fool_ratings(3, [[((0, 1, 2), None)]])
    assert drawn is not None
    assert drawn.with_prior
    assert [one.points for one in drawn.ratings] == pytest.approx([0, 0, 0])
    won = fool_ratings(3, [[((2, 0, 1), 1)], [((2, 0, 1), 2)]] * 5)
    assert won is not None
    assert won.ratings[2].points > won.ratings[0].points == pytest.approx(won.ratings[1].points)
    assert fool_ratings(6, [[((0, 1, 2), 0)], [((3, 4, 5), 0)]]) is None
    assert fool_ratings(2, []) is None


# Grids


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("limit=10..30..10", ("10", "20", "30")),
        ("limit=1..3", ("1", "2", "3")),
        ("c=0.5..1.2..0.25", ("0.5", "0.75", "1")),
        ("c=0.5, 1.0 ,1.4", ("0.5", "1.0", "1.4")),
        ("simulation=greedy,random", ("greedy", "random")),
        ("limit=1..2,50", ("1", "2", "50")),
    ],
)
def test_grids_are_lists_and_ranges(text: str, values: tuple[str, ...]) -> None:
    """Both ends of a range are in it, and no value is rounded."""
    assert Grid.parse(text).values == values


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("limit=", "has no values"),
        ("limit=,", "has no values"),
        ("limit=5..1", "has no values in 5..1"),
        ("limit=1..5..0", "has no values in"),
        ("limit", "expected option=value,value"),
        ("=1,2", "expected option=value,value"),
        ("limit=1..x", "expected low..high or low..high..step"),
        ("limit=1..2..3..4", "expected low..high or low..high..step"),
        ("limit=1..inf", "expected low..high or low..high..step"),
        ("limit=1..1000000000000", "has more values in 1..1000000000000: expected at most 1000"),
        ("limit=0..1e99999", "expected at most 1000"),
        ("c=0..1e999999..1e-999999", "expected at most 1000"),
        ("limit=3,1..5", "has the value 3 twice"),
    ],
)
def test_grids_that_say_nothing_are_refused(text: str, message: str) -> None:
    """With what would be right."""
    with pytest.raises(AgentError, match=message):
        Grid.parse(text)


def test_every_combination_is_an_agent() -> None:
    """The grids' values come on top of what the text says."""
    grids = [Grid.parse("limit=10,20"), Grid.parse("c=1,1.4")]
    assert combinations_of("mcts:simulation=random,c=2", grids) == {
        "mcts:limit=10,c=1,simulation=random": ("10", "1"),
        "mcts:limit=10,simulation=random": ("10", "1.4"),
        "mcts:limit=20,c=1,simulation=random": ("20", "1"),
        "mcts:limit=20,simulation=random": ("20", "1.4"),
    }


@pytest.mark.parametrize(
    ("grids", "message"),
    [
        ((), "there is no grid"),
        (("limit=1,2", "limit=3"), "the option limit has two grids"),
        (("limt=1,2",), "did you mean limit"),
        (("limit=1,0",), "limit=0: expected a whole number from 1"),
        (("c=1,1.0",), "are the same agent mcts:c=1"),
        (("limit=1..100", "samples=1..100"), "10000 combinations: expected at most 1000"),
    ],
)
def test_combinations_have_to_be_possible(grids: tuple[str, ...], message: str) -> None:
    """Unknown options and values out of range are found before anything is played."""
    with pytest.raises(AgentError, match=message):
        combinations_of("mcts", [Grid.parse(text) for text in grids])
