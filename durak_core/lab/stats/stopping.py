"""Stopping rules (sequential tests) of matches between two agents.

Rules process games in order, so the stopping point depends on the seed and not on the number of processes.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from durak_core.errors import AgentError
from durak_core.lab.matches.game import GameSummary
from durak_core.lab.matches.match import Match
from durak_core.lab.stats.match_results import MatchTally
from durak_core.statistics import anytime_interval, score_of_elo, surely_above

_EMPTY: Final = 1e-3
"""Replaces a count of 0, so that the variance is positive."""

_FEWEST_DEALS: Final = 30
"""Minimum number of deals for the normal approximation."""


@dataclass
class _ByDeals(ABC):
    """A rule that tests the first agent's score after every deal.

    Attributes:
        counts: Number of deals by the first agent's score: 0, 1/4, 1/2, 3/4 and 1 with two seats.

    Raises:
        AgentError: If the match does not have two agents and independent deals.
    """

    match: Match = field(repr=False)
    counts: list[int] = field(init=False)
    _halves: int = field(default=0, init=False, repr=False)

    def __post_init__(self) -> None:
        _check_match(self.match)
        self.counts = [0] * (2 * self.match.rules.seats + 1)

    @property
    @abstractmethod
    def is_decided(self) -> bool: ...

    @property
    @abstractmethod
    def verdict(self) -> str: ...

    def add(self, game: GameSummary) -> bool:
        self._halves += 1 if game.fool is None else 2 * (game.seating[game.fool] == 1)
        if (game.number + 1) % self.match.rules.seats:
            return False
        return self.add_deal(self._halves)

    def add_deal(self, halves: int) -> bool:
        """Add a deal by the first agent's half points (0 to 4 with two seats); return whether to stop."""
        self.counts[halves] += 1
        self._halves = 0
        return self.is_decided


@dataclass
class UntilSure(_ByDeals):
    """Stops when the first agent's score differs from 50 %.

    The test is `durak_core.statistics.surely_above` on either side, with a total type I error of at most 5 %.
    """

    @property
    def is_decided(self) -> bool:
        return surely_above(self.counts, 0.5) or surely_above(self.counts[::-1], 0.5)

    @property
    def verdict(self) -> str:
        """The result as text, with an anytime-valid interval."""
        low, high = anytime_interval(self.counts)
        said = f"{self.match.agents[0]} {100 * low:.1f} to {100 * high:.1f} %, at any look"
        sure = "sure" if self.is_decided else "not sure"
        return f"{sure} after {sum(self.counts) * self.match.rules.seats} games: {said}"


class UntilSignificant:
    """Stops when the ordinary 95 % interval after a batch excludes 50 %.

    Batches are rounded up to whole deals. Repeated looks inflate the type I error: a third of all matches
    between equal players stop within 10,000 games. `UntilSure` corrects for this.

    Raises:
        AgentError: If the match does not have two agents and independent deals.

    Source: A. Zarlykov's thesis, Charles University, chapter 5 of the text in the repository
    AzamatZarlykov/Durak-AI: batches of 500 games, 10,000 at most.
    """

    def __init__(self, match: Match, batch: int) -> None:
        _check_match(match)
        self._batch = -(-batch // match.rules.seats) * match.rules.seats
        self._counted = MatchTally.of(match)
        self._sure = False

    def add(self, game: GameSummary) -> bool:
        self._counted.add(game)
        if self._counted.games % self._batch == 0:
            share = self._counted.agents[0].share
            self._sure = not share.low <= 0.5 <= share.high
        return self._sure

    @property
    def verdict(self) -> str:
        agent = self._counted.agents[0]
        said = f"{agent.text} {100 * agent.share.low:.1f} to {100 * agent.share.high:.1f} %"
        sure = "sure" if self._sure else "not sure"
        return f"{sure} after {self._counted.games} games: {said}"


def sprt_llr(counts: Sequence[int], elo0: float, elo1: float) -> float:
    """Return the log-likelihood ratio of elo1 against elo0 by the normal approximation.

    With N deals of mean score s and variance v, and expected scores s0 and s1 under elo0 and elo1::

        LLR = N (s1 - s0) (2 s - s0 - s1) / (2 v)

    Counts of 0 are replaced by 0.001, as in Fishtest.

    Args:
        counts: Number of deals by score: 0, 1/4, 1/2, 3/4 and 1, or finer steps.
        elo0: Null hypothesis, in logistic Elo points.
        elo1: Alternative hypothesis.

    Source: M. Van den Bergh, "A practical introduction to the GSPRT" (Fishtest, 2020); the pentanomial
    model of game pairs is Fishtest's.
    """
    known = [count or _EMPTY for count in counts]
    deals = sum(known)
    last = len(known) - 1
    mean = sum(place * count for place, count in enumerate(known)) / last / deals
    variance = sum(count * (place / last - mean) ** 2 for place, count in enumerate(known)) / deals
    score0, score1 = score_of_elo(elo0), score_of_elo(elo1)
    return deals * (score1 - score0) * (2 * mean - score0 - score1) / (2 * variance)


@dataclass
class Sprt(_ByDeals):
    """Sequential probability ratio test of the first agent's lead.

    Accepts elo1 when `sprt_llr` reaches log((1 - beta) / alpha), and elo0 when it falls to
    log(beta / (1 - alpha)), after at least 30 deals.

    Args:
        match: Match between two agents.
        elo0: Lead under the null hypothesis, in Elo points.
        elo1: Lead under the alternative, greater than ``elo0``.
        alpha: Type I error, between 0 and 0.5.
        beta: Type II error, between 0 and 0.5.

    Raises:
        AgentError: If the match does not have two agents and independent deals, or a number is out of range.

    Source: A. Wald, "Sequential Tests of Statistical Hypotheses", Annals of Mathematical Statistics 16
    (1945).
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        super().__post_init__()
        if not -1000 <= self.elo0 < self.elo1 <= 1000:
            raise AgentError(
                "SPRT of {elo0:g} and {elo1:g} Elo: expected the lower one first, both from -1000 to 1000",
                elo0=self.elo0,
                elo1=self.elo1,
            )
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            message = "alpha {alpha:g}, beta {beta:g}: expected numbers between 0 and 0.5"
            raise AgentError(message, alpha=self.alpha, beta=self.beta)

    @property
    def llr(self) -> float:
        """The log-likelihood ratio; 0 without deals."""
        return sprt_llr(self.counts, self.elo0, self.elo1) if any(self.counts) else 0.0

    @property
    def bounds(self) -> tuple[float, float]:
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    @property
    def accepted(self) -> float | None:
        """The accepted hypothesis, elo0 or elo1; None while undecided."""
        if sum(self.counts) < _FEWEST_DEALS:
            return None
        llr, (low, high) = self.llr, self.bounds
        if llr <= low:
            return self.elo0
        return self.elo1 if llr >= high else None

    @property
    def is_decided(self) -> bool:
        return self.accepted is not None

    @property
    def verdict(self) -> str:
        low, high = self.bounds
        accepted = self.accepted
        said = "undecided" if accepted is None else f"{accepted:+g} Elo accepted"
        return (
            f"SPRT {self.elo0:+g} against {self.elo1:+g} Elo: {said} after {sum(self.counts)} deals, "
            f"LLR {self.llr:.2f} ({low:.2f} to {high:.2f}), "
            f"deals by score 0 to 1: {' '.join(map(str, self.counts))}"
        )


StoppingRule: TypeAlias = UntilSure | UntilSignificant | Sprt
"""Receives games in order; `add` returns whether the match stops."""


def _check_match(match: Match) -> None:
    if match.rules.team_count != 2 or len(match.agents) != 2:
        raise AgentError(
            "{count} agents on {seats} seats: expected two agents on two seats, or two teams, for a match "
            "that stops by itself",
            count=len(match.agents),
            seats=match.rules.seats,
        )
    if match.is_series:
        raise AgentError(
            "a match that stops by itself needs deals that do not hang on each other: expected "
            "other rules than next_first_attacker=under_fool",
            rule="4.2",
        )
