"""What a tournament says: the cross table, ratings, and figures of the game itself."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from statistics import fmean, pstdev
from typing import Any

from durak_core.arena.matches.match import GameSummary
from durak_core.arena.results.ratings import EloTable, Pairing, SkillRating, elo_ratings, skill_ratings
from durak_core.arena.results.tally import AgentTally, MatchTally
from durak_core.statistics import DealMean, Share
from durak_core.arena.matches.tournament import Tournament, TournamentGame

def share_of(agent: AgentTally) -> Share:
    """Return an agent's score with two seats, or its share of lost games with more."""
    if agent.seats == 2:
        return Share(agent.score, *agent.best_score_interval)
    return Share(agent.fool_share, *agent.best_fool_interval)


@dataclass(frozen=True, slots=True)
class Cell:
    """What an agent did against another one.

    Attributes:
        games: With two seats, all games of the two; with more, those in which one of them was the fool.
        wins: Games among them in which the other one was the fool.
        draws: Games without a fool; none with more than two seats.
        share: With two seats the score, with more the wins' share.
    """

    games: int
    wins: int
    draws: int
    share: Share


@dataclass
class _Meeting:
    """Games of a pair in which either was the fool."""

    wins: int = 0
    losses: int = 0


@dataclass
class Standings:
    """A tournament's results so far.

    Attributes:
        tournament: What is played.
        agents: Each agent's results in all its games.
        games: Games counted.
        draws: Those without a fool.
        bouts: Bouts of each game.
        plies: Actions of each game.
    """

    tournament: Tournament
    agents: tuple[AgentTally, ...] = field(init=False)
    games: int = 0
    draws: int = 0
    bouts: list[int] = field(default_factory=list, repr=False)
    plies: list[int] = field(default_factory=list, repr=False)
    _log_choices: float = 0.0
    _choices: int = 0
    _first: AgentTally = field(init=False, repr=False)
    _first_deals: dict[tuple[int, int], list[float]] = field(default_factory=dict, repr=False)
    _alone: list[MatchTally] = field(init=False, repr=False)
    _together: list[MatchTally] = field(init=False, repr=False)
    _met: dict[tuple[int, int], _Meeting] = field(default_factory=dict, repr=False)
    _ended: list[tuple[tuple[int, ...], int | None]] = field(default_factory=list, repr=False)

    def __post_init__(self) -> None:
        fixtures = self.tournament.fixtures
        seats = self.tournament.rules.seats
        self.agents = tuple([AgentTally(text, seats) for text in self.tournament.agents])
        self._first = AgentTally("first attacker", seats)
        self._alone = [MatchTally.of(fixture.match) for fixture in fixtures]
        self._together = [
            MatchTally(
                tuple([self.agents[player] for player in fixture.players]),
                _is_series=fixture.match.is_series,
            )
            for fixture in fixtures
        ]

    def add(self, game: TournamentGame) -> None:
        """Count a game."""
        summary = game.summary
        players = self.tournament.fixtures[game.fixture].players
        seating = tuple([players[place] for place in summary.seating])
        self.games += 1
        self.draws += summary.fool is None
        self.bouts.append(summary.bouts)
        self.plies.append(summary.plies)
        self._log_choices += game.log_choices
        self._choices += sum(summary.decisions)
        self._alone[game.fixture].add(summary)
        self._together[game.fixture].add(summary)
        self._ended.append((seating, summary.fool))
        self._count_first(game)
        if summary.fool is not None:
            fool = seating[summary.fool]
            for other in set(seating) - {fool}:
                self._met.setdefault((other, fool), _Meeting()).wins += 1
                self._met.setdefault((fool, other), _Meeting()).losses += 1

    def _count_first(self, game: TournamentGame) -> None:
        summary: GameSummary = game.summary
        lost = summary.fool == game.first_attacker
        self._first.games += 1
        self._first.draws += summary.fool is None
        self._first.losses += lost
        seats = len(summary.seating)
        deal = (game.fixture, summary.number // seats)
        shares = self._first_deals.setdefault(deal, [])
        if seats == 2:
            shares.append(0.5 if summary.fool is None else float(not lost))
        else:
            shares.append(float(lost))
        if len(shares) == seats:
            (self._first.deal_scores if seats == 2 else self._first.deal_fools).add(fmean(shares))
            del self._first_deals[deal]
        self._first.has_whole_deals = (
            not self._first_deals and not self.tournament.fixtures[0].match.is_series
        )

    @property
    def first_player(self) -> Share:
        """The same for whoever attacked first; without any advantage it is one half, or one in the seats."""
        return share_of(self._first)

    @property
    def draw_share(self) -> Share:
        """Games without a fool."""
        share = self.draws / self.games if self.games else 0.0
        return Share.wilson(share, self.games)

    @property
    def branching(self) -> float:
        """How many actions a player could choose from: the geometric mean over all decisions."""
        return math.exp(self._log_choices / self._choices) if self._choices else 0.0

    def cell(self, row: int, column: int) -> Cell | None:
        """Return what an agent did against another one, or None if nothing can be said.

        Args:
            row: The one's place in the tournament's agents.
            column: The other's.
        """
        if self.tournament.rules.seats == 2:
            return self._duel(row, column)
        met = self._met.get((row, column))
        if met is None:
            return None
        games = met.wins + met.losses
        share = met.wins / games
        return Cell(games, met.wins, 0, Share.wilson(share, games))

    def _duel(self, row: int, column: int) -> Cell | None:
        for fixture, counted in zip(self.tournament.fixtures, self._alone, strict=True):
            if set(fixture.players) == {row, column} and counted.games:
                agent = counted.agents[fixture.players.index(row)]
                share = Share(agent.score, *agent.best_score_interval)
                return Cell(agent.games, agent.wins, agent.draws, share)
        return None

    def elo(self) -> EloTable | None:
        """Return Elo ratings; None with more than two seats, or before everybody has met somebody."""
        if self.tournament.rules.seats != 2:
            return None
        pairings = []
        for fixture, counted in zip(self.tournament.fixtures, self._alone, strict=True):
            if not counted.games:
                return None
            agent = counted.agents[0]
            first, second = fixture.players
            variance = None
            deals: DealMean = agent.deal_scores
            if agent.has_whole_deals and deals.interval and deals.squares:
                variance = deals.variance
            pairings.append(Pairing(first, second, counted.games, agent.score, variance))
        return elo_ratings(len(self.agents), pairings)

    def skills(self) -> tuple[SkillRating, ...] | None:
        """Return ratings by openskill; None with two seats."""
        if self.tournament.rules.seats == 2:
            return None
        return skill_ratings(len(self.agents), self._ended)

    def order(self) -> list[int]:
        """Return the agents' places from the best to the worst, by score or by the share of lost games."""
        sign = -1 if self.tournament.rules.seats == 2 else 1
        return sorted(range(len(self.agents)), key=lambda place: sign * share_of(self.agents[place]).value)


def standings_json(standings: Standings) -> dict[str, Any]:
    """Return a tournament's results as an object of strings, numbers, lists and dicts."""
    tournament = standings.tournament
    two = tournament.rules.seats == 2
    table, skills, order = standings.elo(), standings.skills(), standings.order()
    agents = []
    for place in order:
        agent = standings.agents[place]
        told: dict[str, Any] = {
            "agent": agent.text,
            "games": agent.games,
            "wins": agent.wins,
            "draws": agent.draws,
            "losses": agent.losses,
            "forfeits": agent.forfeits,
            "score" if two else "fool_share": _share_json(share_of(agent)),
            "milliseconds_a_move": 1000 * agent.seconds_a_move,
        }
        if table:
            rating = table.ratings[place]
            told["elo"] = {"value": rating.points, "low": rating.low, "high": rating.high}
        if skills:
            told["openskill"] = {"mu": skills[place].mu, "sigma": skills[place].sigma}
        agents.append(told)
    return {
        "rules": tournament.rules.text,
        "games_a_table": tournament.games,
        "seed": tournament.seed,
        "games": standings.games,
        "agents": agents,
        "pairs": [
            {
                "agent": tournament.agents[row],
                "opponent": tournament.agents[column],
                "games": cell.games,
                "wins": cell.wins,
                "draws": cell.draws,
                "share": _share_json(cell.share),
            }
            for row in order
            for column in order
            if row != column and (cell := standings.cell(row, column))
        ],
        "elo_with_prior": table.with_prior if table else None,
        "first_player": _share_json(standings.first_player),
        "draws": _share_json(standings.draw_share),
        "bouts": _lengths_json(standings.bouts),
        "plies": _lengths_json(standings.plies),
        "branching_factor": standings.branching,
    }


def _share_json(share: Share) -> dict[str, float]:
    return {"value": share.value, "low": share.low, "high": share.high}


def _lengths_json(lengths: list[int]) -> dict[str, float]:
    if not lengths:
        return {}
    return {
        "mean": fmean(lengths),
        "deviation": pstdev(lengths),
        "least": min(lengths),
        "most": max(lengths),
    }
