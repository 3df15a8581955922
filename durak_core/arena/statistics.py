"""What a match says: counts, scores and how sure they are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from durak_core.arena.match import Match, MatchGame
from durak_core.search.batch import GameFigures
from durak_core.search.intervals import wilson_interval

__all__ = ["AgentTally", "MatchTally", "tally_match", "wilson_interval"]


@dataclass
class AgentTally:
    """One agent's results; an agent on several seats of a game counts once for each.

    Attributes:
        text: The agent's text.
        seats: How many play in a game.
        games: Games counted.
        draws: Games without a fool.
        losses: Games in which this agent was the fool.
        decisions: Actions chosen.
        seconds: Time spent choosing them.
    """

    text: str
    seats: int
    games: int = 0
    draws: int = 0
    losses: int = 0
    decisions: int = 0
    seconds: float = 0.0

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
    def decisions_per_second(self) -> float:
        """Actions chosen in a second of this agent's own time; 0 if none was measured."""
        return self.decisions / self.seconds if self.seconds > 0 else 0.0


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

    @classmethod
    def of(cls, match: Match) -> MatchTally:
        """Start counting a match."""
        return cls(tuple([AgentTally(text, match.rules.seats) for text in match.agents]))

    def add(self, game: MatchGame) -> None:
        """Count a game."""
        result = game.result
        self.games += 1
        self.bouts += result.bouts
        self.plies += result.plies
        for seat, agent in enumerate(game.seating):
            counted = self.agents[agent]
            counted.games += 1
            counted.draws += result.is_draw
            counted.losses += result.fool == seat
            counted.decisions += result.decisions[seat]
            counted.seconds += result.seconds[seat]

    def add_figures(self, seating: Sequence[int], figures: GameFigures) -> None:
        """Count a game of a batch, of which only the figures are known.

        Args:
            seating: Which agent sat at each seat.
            figures: What the batch told.
        """
        self.games += 1
        self.bouts += figures.bouts
        self.plies += figures.plies
        for seat, agent in enumerate(seating):
            counted = self.agents[agent]
            counted.games += 1
            counted.draws += figures.fool is None
            counted.losses += figures.fool == seat

    @property
    def mean_bouts(self) -> float:
        """Bouts a game; 0 without games."""
        return self.bouts / self.games if self.games else 0.0

    @property
    def mean_plies(self) -> float:
        """Actions a game; 0 without games."""
        return self.plies / self.games if self.games else 0.0


def tally_match(match: Match, games: Iterable[MatchGame]) -> MatchTally:
    """Count the games of a match."""
    result = MatchTally.of(match)
    for game in games:
        result.add(game)
    return result
