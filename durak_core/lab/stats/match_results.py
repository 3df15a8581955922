"""Results of matches and tournaments: counts, scores, confidence intervals, cross tables and ratings.

The games of a duplicate deal are correlated, so intervals use one mean per deal. Wilson intervals treat games
as independent.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable
from dataclasses import asdict, dataclass, field
from enum import Enum
from itertools import chain
from statistics import fmean, pstdev
from typing import Any

from durak_core.html_text import html_table
from durak_core.installation import data_frame
from durak_core.lab.matches.match import GameSummary, Match, play_match
from durak_core.lab.matches.tournament import Tournament
from durak_core.lab.own_agents.origins import with_origins
from durak_core.lab.stats.ratings import EloTable, Pairing, elo_ratings, fool_ratings
from durak_core.statistics import Z95, DealMean, Share, wilson_interval


class ResultMeasure(Enum):
    """The measure of results: score with two players or teams, loss rate with more.

    Attributes:
        key: JSON key of the value.
        interval_key: JSON key of the interval.
        phrase: Name in a sentence or heading.
        games: Name before a percentage.
    """

    SCORE = ("score", "interval", "score", "score")
    LOST = ("fool_share", "fool_interval", "loss rate", "lost games")

    def __init__(self, key: str, interval_key: str, phrase: str, games: str) -> None:
        self.key, self.interval_key, self.phrase, self.games = key, interval_key, phrase, games

    @classmethod
    def of(cls, teams: int) -> ResultMeasure:
        return cls.SCORE if teams == 2 else cls.LOST

    def rank(self, value: float) -> float:
        """Return a sort key, best first."""
        return -value if self is ResultMeasure.SCORE else value


@dataclass(repr=False)
class AgentTally:
    """Results of an agent, counted once per seat, or of a team, counted once per game.

    Attributes:
        teams: Number of teams; without teams the number of seats.
        forfeits: Losses caused by a failing agent.
        name: Name an external engine reports, otherwise empty.
        seconds: CPU time of the decisions; nan if unknown.
        waited: Wall time of the decisions.
        in_deals: Games of complete duplicate deals.
        means: Means over complete deals, by measure.
        is_alone: Whether the agent plays on both sides, so that its score is 1/2 without chance.
    """

    text: str
    teams: int
    games: int = 0
    draws: int = 0
    losses: int = 0
    forfeits: int = 0
    decisions: int = 0
    seconds: float = 0.0
    waited: float = 0.0
    name: str = ""
    in_deals: int = 0
    means: dict[ResultMeasure, DealMean] = field(
        default_factory=lambda: {one: DealMean() for one in ResultMeasure}
    )
    is_alone: bool = False

    def __repr__(self) -> str:
        share = self.share
        result = f"{self.measure.phrase} {share.value:.1%} ({share.low:.1%} to {share.high:.1%})"
        return f"<{self.text}: {self.wins} wins, {self.draws} draws, {self.losses} losses, {result}>"

    @property
    def wins(self) -> int:
        return self.games - self.draws - self.losses

    @property
    def score(self) -> float:
        """(wins + draws / 2) / games; 0 without games."""
        return (self.wins + self.draws / 2) / self.games if self.games else 0.0

    @property
    def loss_rate(self) -> float:
        """Loss rate, to compare with `par`; 0 without games."""
        return self.losses / self.games if self.games else 0.0

    @property
    def par(self) -> float:
        """Expected score and loss rate of equal players, 1 / teams."""
        return 1 / self.teams

    @property
    def score_interval(self) -> tuple[float, float]:
        return wilson_interval(self.score, self.games)

    @property
    def loss_interval(self) -> tuple[float, float]:
        return wilson_interval(self.loss_rate, self.games)

    @property
    def measure(self) -> ResultMeasure:
        return ResultMeasure.of(self.teams)

    @property
    def share(self) -> Share:
        return self.share_by(self.measure)

    def share_by(self, measure: ResultMeasure) -> Share:
        """Return the result, with an interval over deals from 30 complete deals on, otherwise Wilson's."""
        value = self.score if measure is ResultMeasure.SCORE else self.loss_rate
        if self.is_alone and measure is ResultMeasure.SCORE:
            return Share(value, value, value)
        if self.deals_by(measure) and (by_deals := self.means[measure].interval):
            return Share(value, *by_deals)
        return Share.wilson(value, self.games)

    def deals_by(self, measure: ResultMeasure) -> int:
        """Return the number of deals behind the interval; 0 if it is Wilson's."""
        means = self.means[measure]
        return means.deals if self.in_deals == self.games and means.interval else 0

    @property
    def variance_ratio(self) -> float:
        """The variance of the mean over deals, relative to as many independent games; nan without intervals.

        Duplicate deals save a share of the games of 1 minus this ratio.
        """
        mean, games = self.means[self.measure], self.games
        share, draws = (
            (self.score, self.draws) if self.measure is ResultMeasure.SCORE else (self.loss_rate, 0)
        )
        variance = share * (1 - share) - draws / 4 / max(games, 1)
        if not self.deals_by(self.measure) or self.is_alone or variance <= 0:
            return math.nan
        return mean.variance * (games - 1) / variance

    @property
    def seconds_a_move(self) -> float:
        """Mean CPU time per decision in seconds; 0 if not measured."""
        return self.seconds / self.decisions if self.decisions else 0.0

    @property
    def waited_a_move(self) -> float:
        """Mean wall time per decision in seconds; 0 if not measured."""
        return self.waited / self.decisions if self.decisions else 0.0

    @property
    def foreign(self) -> dict[str, Any]:
        return {"name": self.name, "waited": self.waited} if self.name else {}

    @property
    def counts(self) -> dict[str, int]:
        return {name: getattr(self, name) for name in ("games", "wins", "draws", "losses", "forfeits")}


@dataclass(kw_only=True)
class GameCounter:
    """Counts games, and adds them to tallies, deals once all their seatings are played."""

    games: int = 0
    draws: int = 0
    _open: dict[Hashable, list[list[tuple[AgentTally, float, bool]]]] = field(
        default_factory=dict, repr=False
    )

    @property
    def draw_share(self) -> Share:
        return Share.wilson(self.draws / max(self.games, 1), self.games)

    def count(
        self, game: GameSummary, seated: Iterable[tuple[int, AgentTally]], deal: Hashable | None
    ) -> None:
        """Add a game to tallies, given with a seat of their team; duplicate deals share the key ``deal``."""
        self.games += 1
        self.draws += game.fool is None
        results = []
        for seat, tally in seated:
            team = seat % tally.teams
            lost = game.fool == team
            tally.games += 1
            tally.draws += game.fool is None
            tally.losses += lost
            tally.forfeits += lost and bool(game.forfeit)
            tally.decisions += sum(game.decisions[team :: tally.teams])
            tally.seconds += sum(game.seconds[team :: tally.teams])
            tally.waited += sum(game.waited[team :: tally.teams])
            tally.name = "+".join(dict.fromkeys(filter(None, game.names[team :: tally.teams]))) or tally.name
            results.append((tally, game.score_of(team), lost))
        if deal is None:
            return
        games = self._open.setdefault(deal, [])
        games.append(results)
        if len(games) < len(game.seating):
            return
        by_tally = defaultdict(list)
        for tally, score, lost in chain.from_iterable(self._open.pop(deal)):
            by_tally[id(tally)].append((tally, score, lost))
        for rows in by_tally.values():
            (tally, *_), scores, losses = zip(*rows, strict=True)
            tally.in_deals += len(rows)
            tally.means[ResultMeasure.SCORE].add(sum(scores) / len(rows))
            tally.means[ResultMeasure.LOST].add(sum(losses) / len(rows))


@dataclass
class PlaceTally:
    """Lost games by place: 0 is the first attacker, 1 the seat or team after it, and so on.

    Attributes:
        games: All games.
        lost: Lost games by place.
        means: Means over complete deals, by place.
    """

    lost: list[int]
    means: list[DealMean]
    games: int = 0
    _open: dict[int, list[int]] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, places: int) -> PlaceTally:
        return cls([0] * places, [DealMean() for _ in range(places)])

    def add(self, game: GameSummary, deal: int | None) -> None:
        places = len(self.lost)
        place = -1 if game.fool is None else (game.fool - game.first_attacker) % places
        self.games += 1
        if place >= 0:
            self.lost[place] += 1
        if deal is None:
            return
        fools = self._open.setdefault(deal, [])
        fools.append(place)
        if len(fools) == len(game.seating):
            del self._open[deal]
            for number, mean in enumerate(self.means):
                mean.add(fools.count(number) / len(fools))

    @property
    def shares(self) -> list[Share]:
        """The loss rate of each place, with an interval over deals from 30 complete deals on."""
        values = [lost / max(self.games, 1) for lost in self.lost]
        return [
            Share(value, *mean.interval)
            if mean.interval and not self._open
            else Share.wilson(value, self.games)
            for value, mean in zip(values, self.means, strict=True)
        ]


@dataclass
class MatchTally(GameCounter):
    """Results of a match."""

    agents: tuple[AgentTally, ...]
    places: PlaceTally
    bouts: int = 0
    plies: int = 0
    _has_duplicates: bool = True

    @classmethod
    def of(cls, match: Match) -> MatchTally:
        teams = match.rules.team_count
        is_alone = len(match.agents) == 1 and teams == 2
        agents = tuple([AgentTally(text, teams, is_alone=is_alone) for text in match.agents])
        return cls(agents, PlaceTally.of(teams), _has_duplicates=match.has_duplicates)

    def add(self, game: GameSummary) -> None:
        self.bouts += game.bouts
        self.plies += game.plies
        deal = game.number // len(game.seating) if self._has_duplicates else None
        self.places.add(game, deal)
        self.count(
            game, [(team, self.agents[game.seating[team]]) for team in range(self.agents[0].teams)], deal
        )

    @property
    def deals(self) -> int:
        return self.agents[0].deals_by(ResultMeasure.SCORE)

    @property
    def variance_ratio(self) -> float:
        """The agents' mean `AgentTally.variance_ratio`; nan without intervals over deals."""
        return fmean([agent.variance_ratio for agent in self.agents])

    def to_frame(self) -> Any:  # noqa: ANN401 - pandas is optional
        """Return a pandas data frame, one row per agent; raises `MissingExtraError` without pandas."""
        return data_frame([agent_row(agent) for agent in self.agents])

    def _repr_html_(self) -> str:
        return agents_html(self.agents, f"{self.games} games")

    @property
    def mean_bouts(self) -> float:
        return self.bouts / max(self.games, 1)

    @property
    def mean_plies(self) -> float:
        return self.plies / max(self.games, 1)


def agent_row(agent: AgentTally) -> dict[str, Any]:
    measure, share = agent.measure, agent.share
    return {
        "agent": agent.text,
        **agent.counts,
        measure.key: share.value,
        "low": share.low,
        "high": share.high,
        "milliseconds_a_move": 1000 * agent.seconds_a_move,
    }


def agents_html(agents: Iterable[AgentTally], caption: str) -> str:
    rows = [
        (
            *[agent.text, *map(str, (agent.wins, agent.draws, agent.losses))],
            *[f"{share.value:.1%}", f"{share.low:.1%} to {share.high:.1%}"],
        )
        for agent in agents
        for share in [agent.share]
    ]
    measure = next((agent.measure for agent in agents), ResultMeasure.SCORE)
    return html_table(("agent", "wins", "draws", "losses", measure.phrase, "95 %"), rows, caption)


def tally_match(match: Match, games: Iterable[GameSummary] | None = None) -> MatchTally:
    """Count a match's games; without ``games``, play it as `play_match` does."""
    result = MatchTally.of(match)
    for game in play_match(match) if games is None else games:
        result.add(game)
    return result


def tally_json(counted: MatchTally) -> dict[str, Any]:
    """Return a match's results as JSON data.

    ``deals`` is 0 if ``interval`` is Wilson's; ``variance_ratio`` is `MatchTally.variance_ratio`.
    """
    places = zip(counted.places.lost, counted.places.shares, strict=True)
    return {
        "games": counted.games,
        "deals": counted.deals,
        "variance_ratio": known(counted.variance_ratio),
        "bouts": counted.bouts,
        "plies": counted.plies,
        "agents": [agent_json(agent) for agent in counted.agents],
        "places": [
            {"losses": lost, "fool_share": share.value, "fool_interval": [share.low, share.high]}
            for lost, share in places
        ],
    }


def known(number: float) -> float | None:
    return None if math.isnan(number) else number


def agent_json(agent: AgentTally) -> dict[str, Any]:
    score, lost = agent.share_by(ResultMeasure.SCORE), agent.share_by(ResultMeasure.LOST)
    return {
        "agent": agent.text,
        **agent.counts,
        "score": score.value,
        "interval": [score.low, score.high],
        "wilson": list(agent.score_interval),
        "fool_share": lost.value,
        "fool_interval": [lost.low, lost.high],
        "par": agent.par,
        "decisions": agent.decisions,
        "seconds": known(agent.seconds),
        "milliseconds_a_move": known(1000 * agent.seconds_a_move),
        **agent.foreign,
    }


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
class Standings(GameCounter):
    """Results of a tournament; ``bouts`` and ``plies`` have an entry per game."""

    tournament: Tournament
    agents: tuple[AgentTally, ...] = field(init=False)
    bouts: list[int] = field(default_factory=list, repr=False)
    plies: list[int] = field(default_factory=list, repr=False)
    _log_choices: float = 0.0
    _first: AgentTally = field(init=False, repr=False)
    _pairs: list[tuple[AgentTally, ...]] = field(init=False, repr=False)
    _beaten: Counter[tuple[int, int]] = field(default_factory=Counter, repr=False)
    _ended: dict[Hashable, list[tuple[tuple[int, ...], int | None]]] = field(
        default_factory=lambda: defaultdict(list), repr=False
    )

    def __post_init__(self) -> None:
        teams = self.tournament.rules.team_count
        self.agents = tuple([AgentTally(text, teams) for text in self.tournament.agents])
        self._first = AgentTally("first attacker", teams)
        self._pairs = [
            tuple([AgentTally(text, teams) for text in match.agents]) for match in self.tournament.matches
        ]

    def add(self, fixture: int, game: GameSummary) -> None:
        """Add a game of the fixture with index ``fixture``."""
        fixed = self.tournament.fixtures[fixture]
        teams = self.tournament.rules.team_count
        seating = tuple([fixed.players[place] for place in game.seating[:teams]])
        self.bouts.append(game.bouts)
        self.plies.append(game.plies)
        self._log_choices += game.log_choices
        seated = [(seat, self._pairs[fixture][place]) for seat, place in enumerate(game.seating[:teams])]
        seated += [(seat, self.agents[player]) for seat, player in enumerate(seating)]
        seated.append((game.first_attacker, self._first))
        deal = (fixture, game.number // len(game.seating)) if fixed.match.has_duplicates else None
        self.count(game, seated, deal)
        self._ended[(fixture, game.number, None) if deal is None else deal].append((seating, game.fool))
        if game.fool is not None:
            fool = seating[game.fool]
            self._beaten.update([(other, fool) for other in seating if other != fool])

    @property
    def first_player(self) -> Share:
        return self._first.share

    @property
    def branching(self) -> float:
        """Branching factor: the geometric mean of the number of legal actions."""
        plies = sum(self.plies)
        return math.exp(self._log_choices / plies) if plies else 0.0

    def cell(self, row: int, column: int) -> StandingsCell | None:
        """Return an agent's result against another, by index; None without games."""
        if self.tournament.rules.team_count > 2:
            wins = self._beaten[row, column]
            games = wins + self._beaten[column, row]
            return StandingsCell(games, wins, 0, Share.wilson(wins / games, games)) if games else None
        for fixture, counted in zip(self.tournament.fixtures, self._pairs, strict=True):
            if set(fixture.players) == {row, column} and counted[0].games:
                agent = counted[fixture.players.index(row)]
                return StandingsCell(agent.games, agent.wins, agent.draws, agent.share)
        return None

    def elo(self) -> EloTable | None:
        """Return Elo ratings; None while the games do not connect all agents."""
        if self.tournament.rules.team_count != 2:
            return fool_ratings(len(self.agents), self._ended.values())
        pairings = []
        for fixture, (agent, _) in zip(self.tournament.fixtures, self._pairs, strict=True):
            if not agent.games:
                return None
            first, second = fixture.players
            share = agent.share
            known = agent.deals_by(ResultMeasure.SCORE) and 0 < share.value < 1
            variance = ((share.high - share.low) / 2 / Z95) ** 2 if known else None
            pairings.append(Pairing(first, second, agent.games, agent.score, variance))
        return elo_ratings(len(self.agents), pairings)

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
    table, order = standings.elo(), standings.order()
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
        agents.append(told)
    told = {
        "rules": tournament.rules.text,
        "games_a_table": tournament.games,
        "seed": tournament.seed,
        "games": standings.games,
        "agents": agents,
        "pairs": [
            {"agent": tournament.agents[row], "opponent": tournament.agents[column], **asdict(cell)}
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
