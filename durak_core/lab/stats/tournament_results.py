"""Tournament results: cross table, ratings and statistics of the game."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import asdict, dataclass, field
from statistics import fmean, pstdev
from typing import Any

from durak_core.extras import data_frame
from durak_core.lab.matches.game import GameSummary
from durak_core.lab.matches.tournament import Tournament
from durak_core.lab.own_agents.origins import with_origins
from durak_core.lab.stats.match_results import (
    AgentTally,
    DealCounter,
    ResultMeasure,
    agent_row,
    agents_html,
    known,
)
from durak_core.lab.stats.ratings import EloTable, Pairing, SkillRating, elo_ratings, skill_ratings
from durak_core.statistics import Share


@dataclass(frozen=True, slots=True)
class StandingsCell:
    """Results of an agent against one opponent.

    Attributes:
        games: Games of the pair; with more than two teams or seats, games that one of the pair lost.
        wins: Games that the opponent lost.
        draws: Draws; 0 with more than two.
        share: Score; with more than two, the proportion of wins.
    """

    games: int
    wins: int
    draws: int
    share: Share


@dataclass
class Standings:
    """Results of a tournament; ``bouts`` and ``plies`` have an entry per game."""

    tournament: Tournament
    agents: tuple[AgentTally, ...] = field(init=False)
    games: int = 0
    draws: int = 0
    bouts: list[int] = field(default_factory=list, repr=False)
    plies: list[int] = field(default_factory=list, repr=False)
    _log_choices: float = 0.0
    _first: AgentTally = field(init=False, repr=False)
    _pairs: list[tuple[AgentTally, ...]] = field(init=False, repr=False)
    _counter: DealCounter = field(default_factory=DealCounter, repr=False)
    _beaten: Counter[tuple[int, int]] = field(default_factory=Counter, repr=False)
    _ended: list[tuple[tuple[int, ...], int | None]] = field(default_factory=list, repr=False)

    def __post_init__(self) -> None:
        teams = self.tournament.rules.team_count
        self.agents = tuple([AgentTally(text, teams) for text in self.tournament.agents])
        self._first = AgentTally("first attacker", teams)
        self._pairs = [
            tuple([AgentTally(text, teams) for text in match.agents]) for match in self.tournament.matches
        ]

    def add(self, fixture: int, game: GameSummary) -> None:
        """Add a game of the fixture with index ``fixture``."""
        players = self.tournament.fixtures[fixture].players
        teams = self.tournament.rules.team_count
        seating = tuple([players[place] for place in game.seating[:teams]])
        self.games += 1
        self.draws += game.fool is None
        self.bouts.append(game.bouts)
        self.plies.append(game.plies)
        self._log_choices += game.log_choices
        seated = [(seat, self._pairs[fixture][place]) for seat, place in enumerate(game.seating[:teams])]
        seated += [(seat, self.agents[player]) for seat, player in enumerate(seating)]
        seated.append((game.first_attacker, self._first))
        deal = (fixture, game.number // len(game.seating))
        is_duplicate = self.tournament.fixtures[fixture].match.has_duplicates
        self._counter.add(game, seated, deal if is_duplicate else None)
        self._ended.append((seating, game.fool))
        if game.fool is not None:
            fool = seating[game.fool]
            self._beaten.update([(other, fool) for other in seating if other != fool])

    @property
    def first_player(self) -> Share:
        """Score or loss rate of the first attacker."""
        return self._first.share

    @property
    def draw_share(self) -> Share:
        return Share.wilson(self.draws / max(self.games, 1), self.games)

    @property
    def branching(self) -> float:
        """Branching factor: the geometric mean of the number of legal actions."""
        plies = sum(self.plies)
        return math.exp(self._log_choices / plies) if plies else 0.0

    def cell(self, row: int, column: int) -> StandingsCell | None:
        """Return an agent's result against another, by index; None without games."""
        if self.tournament.rules.team_count == 2:
            return self._duel(row, column)
        wins = self._beaten[row, column]
        games = wins + self._beaten[column, row]
        return StandingsCell(games, wins, 0, Share.wilson(wins / games, games)) if games else None

    def _duel(self, row: int, column: int) -> StandingsCell | None:
        for fixture, counted in zip(self.tournament.fixtures, self._pairs, strict=True):
            if set(fixture.players) == {row, column} and counted[0].games:
                agent = counted[fixture.players.index(row)]
                return StandingsCell(agent.games, agent.wins, agent.draws, agent.share)
        return None

    def elo(self) -> EloTable | None:
        """Return Elo ratings; None with more than two seats or teams, or while a pair has no games."""
        if self.tournament.rules.team_count != 2:
            return None
        pairings = []
        for fixture, (agent, _) in zip(self.tournament.fixtures, self._pairs, strict=True):
            if not agent.games:
                return None
            first, second = fixture.players
            by_deals = agent.means[ResultMeasure.SCORE]
            known = agent.deals_by(ResultMeasure.SCORE) and by_deals.squares
            variance = by_deals.variance if known else None
            pairings.append(Pairing(first, second, agent.games, agent.score, variance))
        return elo_ratings(len(self.agents), pairings)

    def skills(self) -> tuple[SkillRating, ...] | None:
        """Return openskill ratings; None with two seats or teams."""
        if self.tournament.rules.team_count == 2:
            return None
        return skill_ratings(len(self.agents), self._ended)

    def to_frame(self) -> Any:  # noqa: ANN401 - pandas is optional
        """Return a pandas data frame, best agent first; raises `MissingExtraError` without pandas."""
        table = self.elo()
        rows = []
        for place in self.order():
            rating = {"elo": table.ratings[place].points} if table else {}
            rows.append(agent_row(self.agents[place]) | rating)
        return data_frame(rows)

    def _repr_html_(self) -> str:
        ranked = [self.agents[place] for place in self.order()]
        return agents_html(ranked, f"{self.games} games, {self.tournament.rules}")

    def order(self) -> list[int]:
        """Return the agents' indices, best first."""
        rank = ResultMeasure.of(self.tournament.rules.team_count).rank
        return sorted(range(len(self.agents)), key=lambda place: rank(self.agents[place].share.value))


def standings_json(standings: Standings) -> dict[str, Any]:
    tournament = standings.tournament
    table, skills, order = standings.elo(), standings.skills(), standings.order()
    agents = []
    for place in order:
        agent = standings.agents[place]
        told: dict[str, Any] = {
            "agent": agent.text,
            **agent.counts,
            agent.measure.key: asdict(agent.share),
            "milliseconds_a_move": known(1000 * agent.seconds_a_move),
            **agent.foreign,
        }
        if table:
            rating = table.ratings[place]
            told["elo"] = {"value": rating.points, "low": rating.low, "high": rating.high}
        if skills:
            told["openskill"] = asdict(skills[place])
        agents.append(told)
    told = {
        "rules": tournament.rules.text,
        "games_a_table": tournament.games,
        "seed": tournament.seed,
        "games": standings.games,
        "agents": agents,
        "pairs": [
            {
                "agent": tournament.agents[row],
                "opponent": tournament.agents[column],
                **asdict(cell),
            }
            for row in order
            for column in order
            if row != column and (cell := standings.cell(row, column))
        ],
        "elo_with_prior": table.with_prior if table else None,
        "first_player": asdict(standings.first_player),
        "draws": asdict(standings.draw_share),
        "bouts": _lengths_json(standings.bouts),
        "plies": _lengths_json(standings.plies),
        "branching_factor": standings.branching,
    }
    return with_origins(told, tournament.origins)


def _lengths_json(lengths: list[int]) -> dict[str, float]:
    if not lengths:
        return {}
    return {"mean": fmean(lengths), "deviation": pstdev(lengths), "least": min(lengths), "most": max(lengths)}
