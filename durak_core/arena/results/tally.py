"""What a match says: counts, scores and how sure they are.

A deal that is played from every seating counts as one observation: its games share their luck, which
cancels in their mean. Intervals from such means know that; Wilson's take all games for independent.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from durak_core.arena.matches.match import GameSummary, Match, MatchGame
from durak_core.search.backend.batch import GameFigures
from durak_core.statistics import DealMean, wilson_interval

@dataclass
class AgentTally:
    """One agent's results; an agent on several seats of a game counts once for each.

    Attributes:
        text: The agent's text.
        seats: How many play in a game.
        games: Games counted.
        draws: Games without a fool.
        losses: Games in which this agent was the fool.
        forfeits: Those among them that it lost because its program failed.
        decisions: Actions chosen.
        seconds: Time spent choosing them.
        deal_scores: The score by deals, as far as they were played from every seating.
        deal_fools: The fool's share by deals, likewise.
        has_whole_deals: Whether all games counted so far belong to such deals.
    """

    text: str
    seats: int
    games: int = 0
    draws: int = 0
    losses: int = 0
    forfeits: int = 0
    decisions: int = 0
    seconds: float = 0.0
    deal_scores: DealMean = field(default_factory=DealMean)
    deal_fools: DealMean = field(default_factory=DealMean)
    has_whole_deals: bool = False

    @property
    def wins(self) -> int:
        """Games with another fool."""
        return self.games - self.draws - self.losses

    @property
    def score(self) -> float:
        """Wins and half the draws, as a share of the games; 0 without games."""
        return (self.wins + self.draws / 2) / self.games if self.games else 0.0

    @property
    def score_interval(self) -> tuple[float, float]:
        """The score's 95 % Wilson interval."""
        return wilson_interval(self.score, self.games)

    @property
    def fool_share(self) -> float:
        """Lost games as a share of all; 0 without games; to be held against `par`."""
        return self.losses / self.games if self.games else 0.0

    @property
    def par(self) -> float:
        """The fool's share among equal players."""
        return 1 / self.seats

    @property
    def fool_interval(self) -> tuple[float, float]:
        """The fool's share's 95 % Wilson interval."""
        return wilson_interval(self.fool_share, self.games)

    @property
    def best_score_interval(self) -> tuple[float, float]:
        """The score's 95 % interval: by deals where the games are 30 whole deals or more, else Wilson's."""
        return (self.has_whole_deals and self.deal_scores.interval) or self.score_interval

    @property
    def best_fool_interval(self) -> tuple[float, float]:
        """The fool's share's 95 % interval, likewise."""
        return (self.has_whole_deals and self.deal_fools.interval) or self.fool_interval

    @property
    def seconds_a_move(self) -> float:
        """Time spent on an action chosen, on the mean; 0 if none was measured."""
        return self.seconds / self.decisions if self.decisions else 0.0

    @property
    def decisions_per_second(self) -> float:
        """Actions chosen in a second of this agent's own time; 0 if none was measured."""
        return self.decisions / self.seconds if self.seconds > 0 else 0.0


@dataclass
class _OpenDeal:
    """A deal of which some seatings are still to come; scores and fools by agent."""

    scores: list[float]
    fools: list[int]
    games: int = 0


@dataclass
class MatchTally:
    """A match's results so far.

    Attributes:
        agents: One tally for each agent of the match.
        games: Games counted.
        bouts: Bouts of all of them.
        plies: Actions of all of them.
    """

    agents: tuple[AgentTally, ...]
    games: int = 0
    bouts: int = 0
    plies: int = 0
    _is_series: bool = False
    _open: dict[int, _OpenDeal] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, match: Match) -> MatchTally:
        """Start counting a match."""
        agents = tuple([AgentTally(text, match.rules.seats) for text in match.agents])
        return cls(agents, _is_series=match.is_series)

    def add(self, game: MatchGame | GameSummary) -> None:
        """Count a game."""
        summary = game.summary() if isinstance(game, MatchGame) else game
        self._count(summary.number, summary.seating, summary)
        for seat, agent in enumerate(summary.seating):
            counted = self.agents[agent]
            counted.forfeits += bool(summary.forfeit) and seat == summary.fool
            counted.decisions += summary.decisions[seat]
            counted.seconds += summary.seconds[seat]

    def add_figures(self, seating: Sequence[int], figures: GameFigures) -> None:
        """Count the next game of a batch, of which only the figures are known.

        Args:
            seating: Which agent sat at each seat.
            figures: What the batch told.
        """
        self._count(self.games, seating, figures)

    def _count(self, number: int, seating: Sequence[int], game: GameSummary | GameFigures) -> None:
        self.games += 1
        self.bouts += game.bouts
        self.plies += game.plies
        kinds = len(self.agents)
        deal = self._open.setdefault(number // len(seating), _OpenDeal([0.0] * kinds, [0] * kinds))
        deal.games += 1
        for seat, agent in enumerate(seating):
            counted = self.agents[agent]
            counted.games += 1
            counted.draws += game.fool is None
            counted.losses += game.fool == seat
            deal.fools[agent] += game.fool == seat
            deal.scores[agent] += 0.5 if game.fool is None else float(game.fool != seat)
        if deal.games == len(seating):
            self._close_deal(self._open.pop(number // len(seating)), seating)
        whole = not self._open and not self._is_series
        for counted in self.agents:
            counted.has_whole_deals = whole

    def _close_deal(self, deal: _OpenDeal, seating: Sequence[int]) -> None:
        for place, counted in enumerate(self.agents):
            chairs = sum(agent == place for agent in seating) * deal.games
            counted.deal_scores.add(deal.scores[place] / chairs)
            counted.deal_fools.add(deal.fools[place] / chairs)

    @property
    def deals(self) -> int:
        """Deals that the intervals come from; 0 where they are Wilson's."""
        agent = self.agents[0]
        return agent.deal_scores.deals if agent.has_whole_deals and agent.deal_scores.interval else 0

    @property
    def mean_bouts(self) -> float:
        """Bouts a game; 0 without games."""
        return self.bouts / self.games if self.games else 0.0

    @property
    def mean_plies(self) -> float:
        """Actions a game; 0 without games."""
        return self.plies / self.games if self.games else 0.0


def tally_match(match: Match, games: Iterable[MatchGame | GameSummary]) -> MatchTally:
    """Count the games of a match."""
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


def agent_json(agent: AgentTally) -> dict[str, Any]:
    """Return an agent's results as an object of strings, numbers and lists."""
    return {
        "agent": agent.text,
        "games": agent.games,
        "wins": agent.wins,
        "draws": agent.draws,
        "losses": agent.losses,
        "forfeits": agent.forfeits,
        "score": agent.score,
        "interval": list(agent.best_score_interval),
        "wilson": list(agent.score_interval),
        "fool_share": agent.fool_share,
        "fool_interval": list(agent.best_fool_interval),
        "par": agent.par,
        "decisions": agent.decisions,
        "seconds": agent.seconds,
        "milliseconds_a_move": 1000 * agent.seconds_a_move,
    }
