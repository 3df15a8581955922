"""A match's results with the luck of the draw taken out.

Whoever draws a trump from the talon has had luck, whatever was played before: all hidden cards there are
equally likely to be the next one. So what a card drawn is worth, minus what those hidden are worth on the
mean, comes to nothing over many games, however well anybody plays. A result goes with it, though, and what
part of a result goes with luck can be subtracted: the mean stays, the interval becomes narrower. The worths
need not be right for that; good ones help more.

Source: Burch, Schmid, Moravcik, Morrill and Bowling, "AIVAT: a new variance reduction technique for agent
evaluation in imperfect information games" (AAAI 2018), for the draws of the talon alone, and with worths and
a regression (control variates) instead of an estimate of each position.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import fmean
from typing import Final

from durak_core.cards import Card
from durak_core.errors import AgentError
from durak_core.game.events import Drew
from durak_core.game.record import Record
from durak_core.game.state import State
from durak_core.lab.matches.match import Match
from durak_core.lab.stats.measure import Measure
from durak_core.statistics import ControlledMean

_TRUMP: Final = 1.5
"""By how much a trump is worth more than a plain card of its rank, when the highest plain card is worth 1
and the lowest 0; see docs/experiments/hands.md."""


def luck_of_draws(end: State) -> tuple[float, ...]:
    """Return each seat's luck in drawing during a game, 0 on the mean of all orders of the talon.

    The unit is the difference between the highest and the lowest plain card. The state has to know the whole
    game from its deal.
    """
    rules, deck = end.rules, end.deck or ()
    ranks = sorted({card.rank for card in deck})

    def worth(card: Card) -> float:
        return ranks.index(card.rank) / (len(ranks) - 1 or 1) + _TRUMP * (card.suit == end.trump_suit)

    hidden = list(map(worth, deck[rules.seats * rules.hand_size : -1 if rules.trumps else None]))
    luck = [0.0] * rules.seats
    for event in end.events:
        if isinstance(event, Drew):
            drawn = event.count - event.trump
            for _ in range(drawn):
                luck[event.seat] += hidden[0] - fmean(hidden)
                del hidden[0]
    return tuple(luck)


@dataclass
class ControlledTally:
    """Counts a match's games with the luck of the draw, by deals.

    Args:
        match: A match whose deals are played from every seat.

    Raises:
        AgentError: If the games depend on each other (rules 4.2).
    """

    match: Match
    means: tuple[ControlledMean, ...] = field(init=False)
    _open: dict[int, list[list[tuple[float, float]]]] = field(default_factory=dict, init=False, repr=False)
    _games: dict[int, int] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        if self.match.is_series:
            raise AgentError(
                "control variates need deals that are independent: expected rules without "
                "next_first_attacker=under_fool",
                rule="4.2",
            )
        self.means = tuple([ControlledMean() for _ in self.match.agents])

    @property
    def measure(self) -> Measure:
        return Measure.of(self.match.rules.team_count)

    def add(self, number: int, fool: int | None, record: Record) -> None:
        """Count a game by its number in the match, the team that lost if there was one, and its moves."""
        rules = self.match.rules
        luck = luck_of_draws(record.end)
        by_team = [sum(luck[team :: rules.team_count]) for team in range(rules.team_count)]
        deal = number // rules.seats
        chairs = self._open.setdefault(deal, [[] for _ in self.match.agents])
        seating = self.match.seating(number)
        for team, own in enumerate(by_team):
            lead = own - (sum(by_team) - own) / (rules.team_count - 1)
            chairs[seating[team]].append((self._result(team, fool), lead))
        self._games[deal] = self._games.get(deal, 0) + 1
        if self._games[deal] == rules.seats:
            del self._open[deal], self._games[deal]
            for mean, results in zip(self.means, chairs, strict=True):
                mean.add(*map(fmean, zip(*results, strict=True)))

    def _result(self, team: int, fool: int | None) -> float:
        if self.measure is Measure.LOST:
            return float(fool == team)
        return 0.5 if fool is None else float(fool != team)
