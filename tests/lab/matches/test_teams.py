"""Matches between teams (rules 2.2)."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest
from commands import durak

from durak_core import AgentError, Rules
from durak_core.agents.base import BaseAgent
from durak_core.agents.simple import greedy_decision
from durak_core.cli.output import match_line
from durak_core.errors import ForfeitError
from durak_core.game.json_form import from_json, write_json_line
from durak_core.game.state import State
from durak_core.lab import (
    Figures,
    Match,
    ResultMeasure,
    SoloMatch,
    Sprt,
    Standings,
    Tournament,
    UntilSignificant,
    play_match,
    play_matches,
    standings_json,
    tally_json,
    tally_match,
)
from durak_core.lab.matches.match import GameSummary, chairs, play_out
from durak_core.lab.matches.players import make_player, team_members, team_text

DIVISIONS = {"2x2": 4, "2x3": 6, "3x2": 6}


def rules_of(teams: str) -> Rules:
    return Rules(teams=teams, seats=DIVISIONS[teams])


MIXED = Match(rules_of("2x2"), ("greedy+random", "random:uniform+greedy"), 16, 5)


@pytest.mark.parametrize("teams", DIVISIONS)
def test_whole_teams_move_on_and_members_meet_each_other_equally_often(teams):
    """In each deal everybody sits once on each chair; over all orders each opponent is before each other."""
    rules = rules_of(teams)
    size = rules.seats // rules.team_count
    deals = size ** (rules.team_count - 1)
    met: Counter[tuple[int, int]] = Counter()
    for deal in range(deals):
        games = [chairs(rules, deal * rules.seats + place) for place in range(rules.seats)]
        for seated in games:
            for seat, player in enumerate(seated):
                assert all(
                    seated[other] % rules.team_count == player % rules.team_count
                    for other in rules.members(seat % rules.team_count)
                )
                met[player, seated[(seat + 1) % rules.seats]] += 1
        for player in range(rules.seats):
            assert sorted(seated.index(player) for seated in games) == list(range(rules.seats))
    assert set(met.values()) == {rules.seats * deals // size}
    assert chairs(rules, deals * rules.seats) == chairs(rules, 0)


def test_a_deal_is_shared_by_the_seatings_of_teams():
    games = list(play_match(MIXED))
    assert [game.seating for game in games[:4]] == [(0, 1, 0, 1), (1, 0, 1, 0)] * 2
    assert games[0].players == ("greedy", "random:uniform", "random", "greedy")
    assert games[4].players == ("greedy", "greedy", "random", "random:uniform")
    decks = [game.state.deck for game in games]
    assert decks[0] == decks[1] == decks[2] == decks[3] != decks[4]
    for game in games:
        assert game.fool == game.state.fool
        assert game.players == MIXED.seated(game.number)


def test_a_team_counts_once_and_its_members_moves_together():
    counted = tally_match(MIXED, play_match(MIXED))
    one, other = counted.agents
    assert (one.text, other.text) == MIXED.agents
    assert one.games == other.games == 16 == one.wins + one.losses
    assert one.losses == other.wins
    assert one.decisions + other.decisions == counted.plies
    assert (one.par, one.measure) == (0.5, ResultMeasure.SCORE)
    assert tally_json(counted)["agents"][0]["agent"] == "greedy+random"


def test_three_teams_are_measured_by_lost_games():
    match = Match(rules_of("3x2"), ("greedy+greedy", "random+random", "greedy+random"), 12, 2)
    counted = tally_match(match, play_match(match))
    assert sum(agent.losses for agent in counted.agents) == 12
    assert {(agent.par, agent.measure, agent.games) for agent in counted.agents} == {
        (1 / 3, ResultMeasure.LOST, 12)
    }


@pytest.mark.parametrize("teams", DIVISIONS)
def test_a_series_of_teams_attacks_the_first_seat_of_the_team_that_lost(teams):
    """Rules 2.2: the nearest opponent before that seat attacks, wherever the team sits now."""
    rules = rules_of(teams).changed(next_first_attacker="under_fool")
    size = rules.seats // rules.team_count
    names = ("greedy", "random", "random:uniform")[: rules.team_count]
    match = Match(rules, tuple("+".join([name] * size) for name in names), 8, 9)
    for last, game in pairwise(play_match(match)):
        if last.fool is not None:
            fool = last.seating[last.fool]
            attacked = game.seating.index(fool)
            assert game.first_attacker == (attacked - 1) % rules.seats


@pytest.mark.parametrize(
    ("teams", "agents", "wrong"),
    [
        ("2x2", ("greedy+greedy",), "teams=2x2 is for 2 teams of 2, such as greedy.greedy smart.smart"),
        ("2x2", ("greedy", "random"), "greedy: teams=2x2 is for 2 teams of 2"),
        ("2x3", ("greedy+greedy", "random+random"), "teams=2x3 is for 2 teams of 3, such as"),
        ("3x2", ("greedy+greedy", "random+random"), "for 3 teams of 2, such as greedy.greedy smart.smart"),
        ("2x2", ("greedy+nobody", "random+random"), "there is no agent 'nobody'"),
    ],
)  # fmt: skip
def test_wrong_teams_are_refused(teams, agents, wrong):
    with pytest.raises(AgentError, match=wrong):
        Match(rules_of(teams), agents, 1, 1)


def test_a_team_needs_rules_with_teams():
    with pytest.raises(AgentError, match=r"greedy\+random is a team of 2: .*teams=2x2 \(rules 2.2\)"):
        Match(Rules(), ("greedy+random", "greedy"), 1, 1)
    with pytest.raises(AgentError, match="there is no agent 'nobody'"):
        Match(Rules(), ("greedy+nobody", "greedy"), 1, 1)


def test_a_plus_within_a_value_stands_in_quotes_in_a_team():
    """Alone it needs none, and is what it always was."""
    alone = "engine:cmd=./a+b"
    assert Match(Rules(), (alone, "greedy"), 1, 1).agents == (alone, "greedy")
    text = 'engine:cmd="./a+b",time=5+engine:cmd="x \\"y+z\\""+greedy'
    members = team_members(text)
    assert members == ("engine:cmd=./a+b,time=5", 'engine:cmd="x \\"y+z\\""', "greedy")
    assert team_text(members) == text
    assert team_members(team_text(members)) == members


class Quitter(BaseAgent):
    """Its program is gone after the first bout."""

    def choose(self, observation):
        if observation.bout > 1:
            raise ForfeitError("its program is gone")
        return greedy_decision(observation)


def test_a_forfeit_is_its_teams_loss_and_names_the_seat():
    """The tag has the seat, the result the team; who still has cards is last, its own team behind all."""
    agents = [make_player("greedy") for _ in range(4)]
    agents[3] = Quitter("greedy")
    game = play_out(State.deal(rules_of("2x2"), 3), agents, 1)
    assert (game.fool, game.failed, game.forfeit) == (1, 3, "its program is gone")
    assert game.returns == (1, -1, 1, -1)
    assert game.places == (0, 2, 1, 3)
    again = GameSummary.of(from_json(json.loads(write_json_line(game.record)), with_end=True))
    assert again is not None
    assert (again.fool, again.forfeit) == (1, "its program is gone")
    assert again.decisions != game.decisions
    match = Match(rules_of("2x2"), ("greedy+greedy", "random+random"), 4, 3)
    assert match_line(match, game.summary()).startswith(
        "game 1: fools: random at seat 1 and random at seat 3"
    )


def test_statistics_know_teams_and_their_deals(tmp_path):
    """Partners are one player, whichever of them sits first; a team that was someone else's is none."""
    figures = Figures()
    told = {"rules": MIXED.rules.text, "agents": list(MIXED.agents), "seed": MIXED.seed}
    for game in play_match(MIXED):
        figures.add(replace(game.record, extra={"match": {**told, "game": game.number}}))
        figures.add(replace(game.record, extra={"match": {**told, "game": game.number}}))
    assert (figures.games, figures.twice) == (16, 16)
    (one,) = figures
    assert {row.tally.text: row.tally.games for row in one.players} == {
        "greedy+random": 16,
        "greedy+random:uniform": 16,
    }
    assert one.first.tally.games == 16
    assert {row.tally.in_deals for row in one.players} == {16}
    other = Figures()
    for agents in ([], ["greedy+random"], ["greedy", 7], ["greedy+nobody", "greedy+random"]):
        game = next(play_match(MIXED))
        other.add(replace(game.record, extra={"match": {**told, "agents": agents, "game": 0}}))
    assert (other.games, other.twice) == (4, 0)


def test_matches_of_two_teams_stop_by_themselves():
    """Whole deals are looked at, four games here."""
    match = Match(rules_of("2x2"), ("greedy+greedy", "random+random"), 400, 1)
    test, sure = Sprt(match, 0, 50), UntilSignificant(match, 5)
    played = 0
    for game in play_match(match):
        played += 1
        sure.add(game)
        if test.add(game):
            break
    assert played % 4 == 0
    assert test.accepted == 50
    assert sum(test.counts) == played // 4
    assert len(test.counts) == 9
    assert "sure after 120 games" in sure.verdict
    three = Match(rules_of("3x2"), ("greedy+greedy", "random+random", "greedy+random"), 6, 1)
    with pytest.raises(AgentError, match="or two teams, for a match that stops by itself"):
        Sprt(three, 0, 50)


def test_every_team_meets_every_other_one():
    """Of three teams each pair plays; what counts and what is rated is the team."""
    tournament = Tournament(rules_of("2x2"), ("greedy+greedy", "random+random", "greedy+random"), 8, 1)
    standings = Standings(tournament)
    assert [fixture.players for fixture in tournament.fixtures] == [(0, 1), (0, 2), (1, 2)]
    for fixture, game in play_matches(tournament.matches):
        standings.add(fixture, game)
    assert [agent.games for agent in standings.agents] == [16] * 3
    told = standings_json(standings)
    assert [one["agent"] for one in told["agents"]][-1] == "random+random"
    assert all({"score", "elo"} <= one.keys() for one in told["agents"])
    assert told["first_player"]["value"] == standings.first_player.value
    assert standings.cell(0, 1).games == 8
    assert standings.cell(0, 1).share.value + standings.cell(1, 0).share.value == 1


def test_three_pairs_are_rated_in_both_orders():
    agents = ("greedy+greedy", "random+random", "greedy+random")
    tournament = Tournament(rules_of("3x2"), agents, 12, 1)
    assert [fixture.players for fixture in tournament.fixtures] == [(0, 1, 2), (0, 2, 1)]
    standings = Standings(tournament)
    for fixture, game in play_matches(tournament.matches):
        standings.add(fixture, game)
    table = standings.elo()
    assert table is not None
    assert table.ratings[0].points > table.ratings[1].points
    assert sum(agent.losses for agent in standings.agents) == 12


def test_wrong_tournaments_of_teams_are_refused():
    with pytest.raises(AgentError, match="greedy: teams=2x2 is for 2 teams of 2"):
        Tournament(rules_of("2x2"), ("greedy", "random"), 8, 1)
    with pytest.raises(AgentError, match="1 teams with teams=2x2: expected 2 teams or more"):
        Tournament(rules_of("2x2"), ("greedy+random",), 8, 1)
    with pytest.raises(AgentError, match="appears twice"):
        Tournament(rules_of("2x2"), ("greedy+random", "greedy+random"), 8, 1)


@pytest.mark.slow
@pytest.mark.parametrize("teams", DIVISIONS)
def test_among_equals_every_team_loses_its_share(teams):
    """By chi-square at one in a thousand: 600 deals, each played once, so that nothing cancels."""
    rules = rules_of(teams)
    agents = ("+".join(["greedy"] * (rules.seats // rules.team_count)),) * rules.team_count
    lost = Counter(game.fool for game in play_match(SoloMatch(rules, agents, 600, 11)))
    lost.pop(None, None)
    fair = lost.total() / rules.team_count
    chi_square = sum((lost[team] - fair) ** 2 / fair for team in range(rules.team_count))
    assert chi_square < {2: 10.83, 3: 13.82}[rules.team_count]


@pytest.mark.slow
@pytest.mark.parametrize("teams", DIVISIONS)
def test_two_hundred_games_are_written_and_replayed(teams, tmp_path):
    """From the file that a match writes, every game to its end."""
    rules = rules_of(teams)
    size = rules.seats // rules.team_count
    names = ("greedy", "random", "smart")[: rules.team_count]
    kept = tmp_path / "games.jsonl"
    words = ["match", *["+".join([name] * size) for name in names], "--rules", rules.text]
    run(*words, "--games", "200", "--seed", "3", "--json", str(kept))
    assert "200 games" in run("stats", str(kept))
    told = run("replay", str(kept))
    assert told.count(" are the fools, after ") + told.count("The game is a draw") == 200


def run(*words: str) -> str:
    done = durak(*words)
    assert done.exit_code in {0, 1, 2}
    return done.output


def test_the_command_line_plays_teams(tmp_path):
    """The rules follow from what is named; games are kept, continued and read again."""
    kept = tmp_path / "kept.jsonl"
    words = ("match", "greedy+random", "random+greedy", "--seed", "4", "--resume", str(kept))
    assert "rules podkidnoy:seats=4,teams=2x2" in run(*words, "--games", "4")
    output = run(*words, "--games", "8")
    assert "4 games were finished before" in output
    assert "greedy+random against random+greedy:" in output
    assert "8 games, rules podkidnoy:seats=4,teams=2x2" in run("stats", str(kept))
    assert "fools: " in run("log", str(kept))
    other = run("match", "greedy+random", "random+random", "--seed", "4", "--resume", str(kept))
    assert 'another match: agents ["greedy+random", "random+greedy"]' in other


def test_the_command_line_plays_tournaments_and_tunings_of_teams(tmp_path):
    words = ("greedy+greedy", "random+random", "--games", "4", "--seed", "1")
    kept = tmp_path / "told.json"
    assert "Elo" in run("tournament", *words, "--json", str(kept))
    assert json.loads(kept.read_text())["rules"] == "podkidnoy:seats=4,teams=2x2"
    rules = ("--rules", "podkidnoy:seats=4,teams=2x2", "--games", "4", "--seed", "1")
    tuned = run("tune", "random", "--grid", "uniform=off,on", "--against", "greedy", *rules)
    assert "against greedy+greedy" in tuned


def test_the_command_line_says_which_teams_would_be_right():
    refused = run("match", "greedy", "random", "--rules", "podkidnoy:seats=4,teams=2x2")
    assert "teams=2x2 is for 2 teams of 2, such as greedy+greedy smart+smart (rules 2.2)" in refused
    assert "is a team of 2" in run("match", "greedy+random", "random", "--seats", "3")
    assert "choose seats=4" in run("match", "greedy+random", "random+greedy", "--seats", "6")
