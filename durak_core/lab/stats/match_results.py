"""What a match says: counts, scores and how sure they are.

A deal that is played from every seating counts as one observation: its games share their luck, which
cancels in their mean. Intervals from such means know that; Wilson's take all games for independent.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from typing import Any

from durak_core.extras import data_frame
from durak_core.html_text import html_table
from durak_core.lab.matches.game import GameSummary
from durak_core.lab.matches.match import Match
from durak_core.lab.stats.measure import Measure
from durak_core.statistics import DealMean, Share, wilson_interval


@dataclass
class AgentTally:
    """One agent's results; an agent on several seats of a game counts once for each, a team once.

    Attributes:
        teams: How many teams play; without teams the seats.
        forfeits: Those among them that it lost because its program failed.
        name: What its program calls itself, where it is another one.
        seconds: Processor time spent choosing them; nan if unknown for another program.
        waited: Time by the clock spent choosing them.
        in_deals: How many of its games belong to deals that were played from every seating.
        means: Its measures by such deals.
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
    means: dict[Measure, DealMean] = field(default_factory=lambda: {one: DealMean() for one in Measure})

    @property
    def wins(self) -> int:
        return self.games - self.draws - self.losses

    @property
    def score(self) -> float:
        """Wins and half the draws, as a share of the games; 0 without games."""
        return (self.wins + self.draws / 2) / self.games if self.games else 0.0

    @property
    def fool_share(self) -> float:
        """Lost games as a share of all; 0 without games; to be held against `par`."""
        return self.losses / self.games if self.games else 0.0

    @property
    def par(self) -> float:
        """What equal players would have, by score and by the share of lost games."""
        return 1 / self.teams

    @property
    def score_interval(self) -> tuple[float, float]:
        return wilson_interval(self.score, self.games)

    @property
    def fool_interval(self) -> tuple[float, float]:
        return wilson_interval(self.fool_share, self.games)

    @property
    def measure(self) -> Measure:
        return Measure.of(self.teams)

    @property
    def share(self) -> Share:
        return self.share_by(self.measure)

    def share_by(self, measure: Measure) -> Share:
        """Return the result; its interval is by deals from 30 whole deals on, else Wilson's."""
        value = self.score if measure is Measure.SCORE else self.fool_share
        if self.deals_by(measure) and (by_deals := self.means[measure].interval):
            return Share(value, *by_deals)
        return Share.wilson(value, self.games)

    def deals_by(self, measure: Measure) -> int:
        """Return how many deals a result's interval comes from; 0 where it is Wilson's."""
        means = self.means[measure]
        return means.deals if self.in_deals == self.games and means.interval else 0

    @property
    def seconds_a_move(self) -> float:
        """Mean processor time spent on an action chosen; 0 if none was measured."""
        return self.seconds / self.decisions if self.decisions else 0.0

    @property
    def waited_a_move(self) -> float:
        """Mean time by the clock for an action chosen; 0 if none was measured."""
        return self.waited / self.decisions if self.decisions else 0.0

    @property
    def foreign(self) -> dict[str, Any]:
        """What files say besides of another program."""
        return {"name": self.name, "waited": self.waited} if self.name else {}

    @property
    def counts(self) -> dict[str, int]:
        return {name: getattr(self, name) for name in ("games", "wins", "draws", "losses", "forfeits")}


@dataclass(slots=True)
class _Chairs:
    """What somebody did on all its chairs of a deal so far: half points, lost games, chairs."""

    tally: AgentTally
    halves: int = 0
    lost: int = 0
    number: int = 0


@dataclass(slots=True)
class _OpenDeal:
    """A deal of which some seatings are still to come; the chairs by their tallies' identities."""

    games: int = 0
    chairs: dict[int, _Chairs] = field(default_factory=dict)


class DealCounter:
    """Counts games in tallies, and a deal once all its seatings were played."""

    def __init__(self) -> None:
        self._open: dict[Hashable, _OpenDeal] = {}

    def add(self, game: GameSummary, seated: Iterable[tuple[int, AgentTally]], deal: Hashable | None) -> None:
        """Count a game.

        Args:
            game: The game.
            seated: Seats, one of each team, and the tallies in which to count them; a seat may have
                several.
            deal: What the game shares with those of the same cards and other chairs, or None.
        """
        opened = _OpenDeal() if deal is None else self._open.setdefault(deal, _OpenDeal())
        opened.games += 1
        for seat, tally in seated:
            team = seat % tally.teams
            lost, drawn = game.fool == team, game.fool is None
            tally.games += 1
            tally.draws += drawn
            tally.losses += lost
            tally.forfeits += lost and bool(game.forfeit)
            tally.decisions += sum(game.decisions[team :: tally.teams])
            tally.seconds += sum(game.seconds[team :: tally.teams])
            tally.waited += sum(game.waited[team :: tally.teams])
            tally.name = "+".join(dict.fromkeys(filter(None, game.names[team :: tally.teams]))) or tally.name
            chairs = opened.chairs.setdefault(id(tally), _Chairs(tally))
            chairs.halves += 1 if drawn else 2 * (not lost)
            chairs.lost += lost
            chairs.number += 1
        if deal is not None and opened.games == len(game.seating):
            del self._open[deal]
            for chairs in opened.chairs.values():
                chairs.tally.in_deals += chairs.number
                chairs.tally.means[Measure.SCORE].add(chairs.halves / 2 / chairs.number)
                chairs.tally.means[Measure.LOST].add(chairs.lost / chairs.number)


@dataclass
class MatchTally:
    """A match's results so far, with a tally for each of its agents."""

    agents: tuple[AgentTally, ...]
    games: int = 0
    bouts: int = 0
    plies: int = 0
    _is_series: bool = False
    _counter: DealCounter = field(default_factory=DealCounter, repr=False)

    @classmethod
    def of(cls, match: Match) -> MatchTally:
        agents = tuple([AgentTally(text, match.rules.team_count) for text in match.agents])
        return cls(agents, _is_series=match.is_series)

    def add(self, game: GameSummary) -> None:
        self.games += 1
        self.bouts += game.bouts
        self.plies += game.plies
        deal = None if self._is_series else game.number // len(game.seating)
        seated = [(team, self.agents[game.seating[team]]) for team in range(self.agents[0].teams)]
        self._counter.add(game, seated, deal)

    @property
    def deals(self) -> int:
        """Deals that the intervals come from; 0 where they are Wilson's."""
        return self.agents[0].deals_by(Measure.SCORE)

    def to_frame(self) -> Any:  # noqa: ANN401 - pandas need not be there
        """Return a pandas data frame with a row for each agent; `MissingExtraError` without pandas."""
        return data_frame([agent_row(agent) for agent in self.agents])

    def _repr_html_(self) -> str:
        return agents_html(self.agents, f"{self.games} games")

    @property
    def mean_bouts(self) -> float:
        """Bouts a game; 0 without games."""
        return self.bouts / self.games if self.games else 0.0

    @property
    def mean_plies(self) -> float:
        """Actions a game; 0 without games."""
        return self.plies / self.games if self.games else 0.0


def agent_row(agent: AgentTally) -> dict[str, Any]:
    """Return an agent's figures by name, the ends of its result's interval among them."""
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
    """Return the figures of agents as a table for notebooks."""
    rows = [
        (
            *[agent.text, *map(str, (agent.wins, agent.draws, agent.losses))],
            *[f"{share.value:.1%}", f"{share.low:.1%} to {share.high:.1%}"],
        )
        for agent in agents
        for share in [agent.share]
    ]
    measure = next((agent.measure for agent in agents), Measure.SCORE)
    return html_table(("agent", "wins", "draws", "losses", measure.heading, "95 %"), rows, caption)


def tally_match(match: Match, games: Iterable[GameSummary]) -> MatchTally:
    result = MatchTally.of(match)
    for game in games:
        result.add(game)
    return result


def tally_json(counted: MatchTally) -> dict[str, Any]:
    """Return a match's results as an object of strings, numbers, lists and dicts.

    ``deals`` is 0 where ``interval`` is Wilson's, too; an interval by deals needs 30 of them.
    """
    return {
        "games": counted.games,
        "deals": counted.deals,
        "bouts": counted.bouts,
        "plies": counted.plies,
        "agents": [agent_json(agent) for agent in counted.agents],
    }


def known(number: float) -> float | None:
    """Return a number as JSON can have it: none for nan."""
    return None if math.isnan(number) else number


def agent_json(agent: AgentTally) -> dict[str, Any]:
    score, lost = agent.share_by(Measure.SCORE), agent.share_by(Measure.LOST)
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
