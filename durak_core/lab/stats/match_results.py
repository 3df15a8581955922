"""Match results: counts, scores and confidence intervals.

The games of a duplicate deal are correlated, so intervals use one mean per deal. Wilson intervals treat games
as independent.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from enum import Enum
from itertools import chain
from typing import Any

from durak_core.extras import data_frame
from durak_core.html_text import html_table
from durak_core.lab.matches.game import GameSummary
from durak_core.lab.matches.match import Match
from durak_core.statistics import DealMean, Share, wilson_interval


class ResultMeasure(Enum):
    """The measure of results: score with two players or teams, loss rate with more.

    Attributes:
        key: JSON key of the value.
        interval_key: JSON key of the interval.
        heading: Column heading.
        phrase: Name in a sentence.
        games: Name before a percentage.
    """

    SCORE = ("score", "interval", "score", "score", "score")
    LOST = ("fool_share", "fool_interval", "loss rate", "loss rate", "lost games")

    def __init__(self, key: str, interval_key: str, heading: str, phrase: str, games: str) -> None:
        self.key = key
        self.interval_key = interval_key
        self.heading = heading
        self.phrase = phrase
        self.games = games

    @classmethod
    def of(cls, teams: int) -> ResultMeasure:
        return cls.SCORE if teams == 2 else cls.LOST

    def rank(self, value: float) -> float:
        """Return a sort key, best first."""
        return -value if self is ResultMeasure.SCORE else value


@dataclass
class AgentTally:
    """Results of an agent, counted once per seat, or of a team, counted once per game.

    Attributes:
        teams: Number of teams; without teams the number of seats.
        forfeits: Losses caused by a failing engine.
        name: Name an external engine reports, otherwise empty.
        seconds: CPU time of the decisions; nan if unknown.
        waited: Wall time of the decisions.
        in_deals: Games of complete duplicate deals.
        means: Means over complete deals, by measure.
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

    @property
    def wins(self) -> int:
        return self.games - self.draws - self.losses

    @property
    def score(self) -> float:
        """(wins + draws / 2) / games; 0 without games."""
        return (self.wins + self.draws / 2) / self.games if self.games else 0.0

    @property
    def fool_share(self) -> float:
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
    def fool_interval(self) -> tuple[float, float]:
        return wilson_interval(self.fool_share, self.games)

    @property
    def measure(self) -> ResultMeasure:
        return ResultMeasure.of(self.teams)

    @property
    def share(self) -> Share:
        return self.share_by(self.measure)

    def share_by(self, measure: ResultMeasure) -> Share:
        """Return the result, with an interval over deals from 30 complete deals on, otherwise Wilson's."""
        value = self.score if measure is ResultMeasure.SCORE else self.fool_share
        if self.deals_by(measure) and (by_deals := self.means[measure].interval):
            return Share(value, *by_deals)
        return Share.wilson(value, self.games)

    def deals_by(self, measure: ResultMeasure) -> int:
        """Return the number of deals behind the interval; 0 if it is Wilson's."""
        means = self.means[measure]
        return means.deals if self.in_deals == self.games and means.interval else 0

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


class DealCounter:
    """Adds games to tallies, and deals once all their seatings are played."""

    def __init__(self) -> None:
        self._open: dict[Hashable, list[list[tuple[AgentTally, float, bool]]]] = {}

    def add(self, game: GameSummary, seated: Iterable[tuple[int, AgentTally]], deal: Hashable | None) -> None:
        """Add a game to tallies, given with a seat of their team; duplicate deals share the key ``deal``."""
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
        if len(games) == len(game.seating):
            _add_deal(chain.from_iterable(self._open.pop(deal)))


def _add_deal(results: Iterable[tuple[AgentTally, float, bool]]) -> None:
    """Add the scores and losses of a complete deal to its tallies' means."""
    by_tally = defaultdict(list)
    for tally, score, lost in results:
        by_tally[id(tally)].append((tally, score, lost))
    for rows in by_tally.values():
        (tally, *_), scores, losses = zip(*rows, strict=True)
        tally.in_deals += len(rows)
        tally.means[ResultMeasure.SCORE].add(sum(scores) / len(rows))
        tally.means[ResultMeasure.LOST].add(sum(losses) / len(rows))


@dataclass
class MatchTally:
    """Results of a match."""

    agents: tuple[AgentTally, ...]
    games: int = 0
    bouts: int = 0
    plies: int = 0
    _has_duplicates: bool = True
    _counter: DealCounter = field(default_factory=DealCounter, repr=False)

    @classmethod
    def of(cls, match: Match) -> MatchTally:
        agents = tuple([AgentTally(text, match.rules.team_count) for text in match.agents])
        return cls(agents, _has_duplicates=match.has_duplicates)

    def add(self, game: GameSummary) -> None:
        self.games += 1
        self.bouts += game.bouts
        self.plies += game.plies
        deal = game.number // len(game.seating) if self._has_duplicates else None
        seated = [(team, self.agents[game.seating[team]]) for team in range(self.agents[0].teams)]
        self._counter.add(game, seated, deal)

    @property
    def deals(self) -> int:
        return self.agents[0].deals_by(ResultMeasure.SCORE)

    def to_frame(self) -> Any:  # noqa: ANN401 - pandas is optional
        """Return a pandas data frame, one row per agent; raises `MissingExtraError` without pandas."""
        return data_frame([agent_row(agent) for agent in self.agents])

    def _repr_html_(self) -> str:
        return agents_html(self.agents, f"{self.games} games")

    @property
    def mean_bouts(self) -> float:
        return self.bouts / self.games if self.games else 0.0

    @property
    def mean_plies(self) -> float:
        return self.plies / self.games if self.games else 0.0


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
    return html_table(("agent", "wins", "draws", "losses", measure.heading, "95 %"), rows, caption)


def tally_match(match: Match, games: Iterable[GameSummary]) -> MatchTally:
    result = MatchTally.of(match)
    for game in games:
        result.add(game)
    return result


def tally_json(counted: MatchTally) -> dict[str, Any]:
    """Return a match's results as JSON data; ``deals`` is 0 if ``interval`` is Wilson's."""
    return {
        "games": counted.games,
        "deals": counted.deals,
        "bouts": counted.bouts,
        "plies": counted.plies,
        "agents": [agent_json(agent) for agent in counted.agents],
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
