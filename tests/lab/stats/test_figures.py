"""What recorded games say about their players."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest
from playing import play, random_game

from durak_core import Record, Rules, State, from_json, to_json
from durak_core.lab import (
    ActionCounts,
    Figures,
    GameSummary,
    Match,
    RulesFigures,
    figures_json,
    play_match,
    tally_match,
)
from durak_core.lab.stats.recorded_games import ACTION_COUNTS

DUEL = Match(Rules(), ("greedy", "random"), 60, 5)
THREE = Match(Rules(seats=3), ("greedy", "random"), 9, 5)


def records(match: Match) -> list[Record]:
    """The games of a match, as its file has them."""
    told = {"rules": match.rules.text, "agents": list(match.agents), "seed": match.seed}
    return [
        replace(game.record, extra={"match": {**told, "game": game.number}}) for game in play_match(match)
    ]


@pytest.fixture(scope="module")
def duel() -> list[Record]:
    return records(DUEL)


@pytest.fixture(scope="module")
def three() -> list[Record]:
    return records(THREE)


def counted(games: list[Record], *, by_opponent: bool = False) -> Figures:
    figures = Figures(by_opponent=by_opponent)
    for game in games:
        figures.add(game)
    return figures


def one(figures: Figures) -> RulesFigures:
    (rules,) = figures
    return rules


def test_a_match_read_back_says_what_the_match_said(duel) -> None:
    """Counts and intervals by deals are those that durak match prints, in whatever order games stand."""
    tally = tally_match(DUEL, play_match(DUEL))
    figures = one(counted(duel[::-1]))
    assert (figures.games, figures.bouts, figures.plies) == (tally.games, tally.bouts, tally.plies)
    for row in figures.players:
        (agent,) = [agent for agent in tally.agents if agent.text == row.tally.text]
        assert (row.tally.wins, row.tally.draws, row.tally.losses) == (agent.wins, agent.draws, agent.losses)
        assert row.deals == tally.deals == 30
        assert row.share.value == agent.score
        assert (row.share.low, row.share.high) == pytest.approx((agent.share.low, agent.share.high))
    assert [row.tally.text for row in figures.players] == ["greedy", "random"]


def test_without_whole_deals_intervals_are_over_games(duel) -> None:
    """A deal with a chair missing, games without the key match, and games that the match did not play."""
    stripped = [replace(game, extra={}) for game in duel]
    renamed = [replace(game, players=("random", "greedy")) for game in duel]
    for games in (duel[:-1], stripped, renamed, [*duel, stripped[0]]):
        for row in one(counted(games)).players:
            assert row.deals == 0
            assert (row.share.low, row.share.high) == row.tally.score_interval
    mixed = one(counted([*duel, *records(Match(Rules(), ("smart", "random"), 3, 1))]))
    assert {row.tally.text: row.deals for row in mixed.players} == {"greedy": 30, "random": 0, "smart": 0}


def test_a_series_has_no_deals_of_its_own() -> None:
    """Where the last fool decides who begins, games of the same cards differ by more than the chairs."""
    series = Match(Rules(next_first_attacker="under_fool"), DUEL.agents, DUEL.games, DUEL.seed)
    assert all(row.deals == 0 for row in one(counted(records(series))).players)


def test_a_game_of_a_match_counts_once(duel) -> None:
    """Also where a file is given twice; games that name no match may be equal."""
    figures = counted([*duel, *duel[:7]])
    assert (figures.games, figures.twice) == (60, 7)
    assert figures_json(figures) == {**figures_json(counted(duel)), "twice": 7}
    other = [replace(game, extra={}) for game in duel[:7]]
    again = counted([*other, *other])
    assert (again.games, again.alike, figures.alike) == (14, 7, 0)


def test_whoever_attacks_first_is_counted_by_deals(duel) -> None:
    """Each deal has one first attacker, who is everybody in turn."""
    first = one(counted(duel)).first
    lost = sum(game.end.fool == game.first_attacker for game in duel)
    assert (first.tally.games, first.tally.losses, first.deals) == (60, lost, 30)


def test_rules_and_seats_are_never_counted_together(duel, three) -> None:
    """Each has its own figures; with three seats the loss rate counts, and chairs are games."""
    by_rules = {figures.rules: figures for figures in counted([*duel, *three])}
    assert {rules.seats: figures.games for rules, figures in by_rules.items()} == {2: 60, 3: 9}
    players = by_rules[THREE.rules].players
    assert sorted(row.tally.games for row in players) == [9, 18]
    assert sum(row.tally.losses for row in players) + by_rules[THREE.rules].draws == 9
    assert all(row.share == row.tally.share for row in players)


def test_opponents_are_counted_apart(three) -> None:
    """Who sat at the table decides, not in which order."""
    figures = one(counted(three, by_opponent=True))
    assert {(row.tally.text, row.opponents): row.tally.games for row in figures.players} == {
        ("greedy", ("greedy", "random")): 18,
        ("random", ("greedy", "greedy")): 9,
    }


def test_every_action_is_one_deed(duel, three) -> None:
    """Whatever the rules, what the seats did adds up to the actions of the game."""
    exchanging = Rules(exchange_trump=True)
    for rules in (Rules(), exchanging, Rules.preset("perevodnoy", seats=4, show_trump=True)):
        for seed, style in enumerate(("transfer", "take", "defend")):
            end = [*random_game(rules, seed, style)][-1]
            kinds = [
                [
                    getattr(actions, name)
                    for name in ACTION_COUNTS
                    if name not in ("early_trumps", "cards_taken")
                ]
                for actions in ActionCounts.of(end)
            ]
            assert [sum(row) for row in kinds] == [
                sum(move.seat == seat for move in Record.of(end, ("",) * rules.seats).moves)
                for seat in range(rules.seats)
            ]


def test_deeds_are_told_apart() -> None:
    """An opening card, an answer, cards thrown in and piled on, trumps before and after the last draw."""
    state = State.setup(Rules(), ["6s6h7s", "8sAs9c"], talon="Kd6d", attacker=0)
    after = play(state, "6s 8sx6s 6h take pass")
    first, second = ActionCounts.of(after)
    assert first == ActionCounts(attacks=1, throw_ins=1, passes=1)
    assert second == ActionCounts(defends=1, takes=1, cards_taken=3)
    taken = State.setup(Rules(), ["6s6h7s", "8sAs9c"], talon="Kd6d", attacker=0)
    assert ActionCounts.of(play(taken, "6s take 6h pass"))[0] == ActionCounts(
        attacks=1, throw_ins=1, passes=1
    )
    trumps = State.setup(Rules(), ["6d6h", "7d8s"], talon="7s9d", attacker=0)
    early = play(trumps, "6d 7dx6d pass")
    assert [actions.early_trumps for actions in ActionCounts.of(early)] == [1, 1]
    late = play(State.setup(Rules(), ["6d6h", "7d8s"], trump="Ad", attacker=0), "6d 7dx6d pass")
    assert [actions.early_trumps for actions in ActionCounts.of(late)] == [0, 0]


def test_unfinished_and_forfeited_games(duel) -> None:
    """The one counts for nothing; the other is lost by whoever failed."""
    broken = replace(duel[0], moves=duel[0].moves[:9], extra={})
    forfeit = replace(broken, tags={"Forfeit": "1"}, comment="crashed")
    assert GameSummary.of(broken) is None
    game = GameSummary.of(forfeit)
    assert game is not None
    assert (game.fool, game.bouts, game.plies, game.forfeit) == (1, forfeit.end.bout, 9, "crashed")
    figures = counted([broken, forfeit])
    assert (figures.games, figures.unfinished) == (1, 1)
    rows = {row.tally.text: row.tally for row in one(figures).players}
    assert (rows["random"].losses, rows["random"].forfeits) == (1, 1)
    assert (rows["greedy"].wins, rows["greedy"].forfeits) == (1, 0)


def test_what_stands_under_match_may_be_anything(duel) -> None:
    """Other programs' keys are no reason to fail."""
    for told in (None, 7, {}, {"agents": [], "seed": 5, "game": 0}, {"agents": [{}], "seed": 5, "game": 0}):
        assert counted([replace(duel[0], extra={"match": told})]).games == 1


def test_the_figures_as_json(duel, three) -> None:
    """Everything is there and can be written down."""
    told = json.loads(json.dumps(figures_json(counted([*duel, *three], by_opponent=True))))
    assert (told["games"], [rules["games"] for rules in told["rules"]]) == (69, [60, 9])
    two, many = told["rules"]
    greedy = two["players"][0]
    assert greedy["agent"] == "greedy"
    assert greedy["opponents"] == ["random"]
    assert greedy["score"]["deals"] == 30
    assert many["players"][0].keys() >= {"fool_share", "forfeits", "bouts", "plies"}
    assert math.isclose(
        sum(row["deeds"]["attacks"] for row in two["players"]), two["deeds"]["attacks"], rel_tol=1e-9
    )


def test_a_record_read_from_json_counts_the_same(duel) -> None:
    """Nothing that is counted is lost on the way through a file."""

    assert figures_json(counted([from_json(to_json(game)) for game in duel])) == figures_json(counted(duel))
