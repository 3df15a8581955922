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
from durak_core.lab.matches.match import GameSummary, Match
from durak_core.lab.stats.match_results import MatchTally
from durak_core.statistics import anytime_interval, score_of_elo, surely_above

_FEWEST_DEALS: Final = 30
"""Minimum number of deals of a verdict."""

ASSUMED_DEALS: Final = 5
"""Deals of two independent games that are assumed before the first one, so that no variance is 0."""

LARGEST_BET: Final = 0.4
"""Largest fraction of the capital that one deal can lose."""


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

    @property
    def note(self) -> str:
        """A remark on deals that decide nothing, or an empty string."""
        ties, deals = self.counts[len(self.counts) // 2], sum(self.counts)
        return ", all of them tied" if ties == deals > 0 else ""

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
        return f"{sure} after {sum(self.counts) * self.match.rules.seats} games{self.note}: {said}"


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
    """Return the log-likelihood ratio of elo1 against elo0, as the log capital of a bet.

    A capital of 1 is bet on every deal's score x: with expected scores s0 and s1 under elo0 and elo1, the bet
    on elo1 multiplies it by 1 + b (x - s0), which is fair under elo0. The stake b is (s1 - s0) / m, with the
    mean m of (x - s0)^2, and at most 2/5 of the capital is at risk. With many deals of small effects the
    result is the ratio by the normal approximation, N (s1 - s0) (2 s - s0 - s1) / (2 v) with N deals of mean
    s and variance v. Deals that are seldom decided, and scores near 0 and 1, do not pass for certainty.

    Args:
        counts: Number of deals by score: 0, 1/4, 1/2, 3/4 and 1, or finer steps.
        elo0: Null hypothesis, in logistic Elo points.
        elo1: Alternative hypothesis.

    Returns:
        The log capital bet on elo1, or minus the log capital bet on elo0 if that is larger.

    Source: M. Van den Bergh, "A practical introduction to the GSPRT" (Fishtest, 2020), for the pentanomial
    model of game pairs; I. Waudby-Smith and A. Ramdas, JRSS B 86 (2024), for the capital.
    """
    score0, score1 = score_of_elo(elo0), score_of_elo(elo1)
    above = _log_capital(counts, score0, score1 - score0)
    below = _log_capital(counts[::-1], 1 - score1, score1 - score0)
    return above if above >= below else -below


def _log_capital(counts: Sequence[int], mean: float, lead: float) -> float:
    """Return the log capital of a bet that the mean score is ``mean + lead`` and not ``mean``."""
    last = len(counts) - 1
    above = [place / last - mean for place in range(last + 1)]
    squares = sum(count * one**2 for count, one in zip(counts, above, strict=True))
    assumed = ASSUMED_DEALS * mean * (1 - mean) / 2
    spread = (assumed + squares) / (ASSUMED_DEALS + sum(counts))
    stake = min(lead / spread, LARGEST_BET / mean)
    return sum(count * math.log1p(stake * one) for count, one in zip(counts, above, strict=True))


@dataclass
class Sprt(_ByDeals):
    """Sequential probability ratio test of the first agent's lead.

    Accepts elo1 when `sprt_llr` reaches log((1 - beta) / alpha), and elo0 when it falls to
    log(beta / (1 - alpha)), after at least 30 deals. While all deals are tied it accepts nothing.

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
        if sum(self.counts) < _FEWEST_DEALS or self.note:
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
        deals = sum(self.counts)
        said = "undecided" if accepted is None else f"{accepted:+g} Elo accepted"
        needed = f" of at least {_FEWEST_DEALS}" if deals < _FEWEST_DEALS else ""
        return (
            f"SPRT {self.elo0:+g} against {self.elo1:+g} Elo: {said} after {deals}{needed} deals{self.note}, "
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
