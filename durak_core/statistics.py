"""The statistics of shares and scores: intervals, means over deals, the logistic curve and Elo points."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Self

Z95: Final = 1.959963984540054
"""The 97.5 % point of the normal distribution: both tails together make 5 %."""

_MANY_DEALS: Final = 30
"""From so many deals on their mean is as good as normally distributed."""

_BETS: Final = [(place + 0.5) / 32 for place in range(32)]
"""Shares of a capital that are staked again and again, and between which it is divided evenly."""

_SURE: Final = math.log(40)
"""The logarithm of a capital that 2.5 % of fair bets ever reach."""

_HALVINGS: Final = 30

_LARGEST: Final = 50.0
"""Logits beyond it are as certain as can be."""


def wilson_interval(share: float, n: int) -> tuple[float, float]:
    """Return the 95 % interval of a share that was observed in n trials.

    Args:
        share: 0 to 1; with draws as halves it need not be a whole number of trials.
        n: How many trials; without any, nothing is known and the interval is (0, 1).

    Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference",
    JASA 22 (1927).
    """
    if n == 0:
        return 0.0, 1.0
    z2 = Z95 * Z95 / n
    middle = share + z2 / 2
    half = Z95 * math.sqrt(share * (1 - share) / n + z2 / (4 * n))
    low, high = (middle - half) / (1 + z2), (middle + half) / (1 + z2)
    return max(0.0, min(low, share)), min(1.0, max(high, share))  # equal at the ends but for rounding


@dataclass(frozen=True, slots=True)
class Share:
    """A share, 0 to 1, with the ends of its 95 % interval."""

    value: float
    low: float
    high: float

    @classmethod
    def wilson(cls, value: float, n: int) -> Self:
        """Return a share that was observed in n trials, with `wilson_interval`."""
        return cls(value, *wilson_interval(value, n))

    def overlaps(self, other: Share) -> bool:
        return self.low <= other.high and other.low <= self.high


@dataclass
class DealMean:
    """The mean of a share over deals, and the sum of its squared distances from the mean."""

    deals: int = 0
    mean: float = 0.0
    squares: float = 0.0

    def add(self, share: float) -> None:
        """Count a deal by the mean over all its seatings, 0 to 1.

        Source: B. P. Welford, "Note on a method for calculating corrected sums of squares and
        products", Technometrics 4 (1962).
        """
        self.deals += 1
        before = share - self.mean
        self.mean += before / self.deals
        self.squares += before * (share - self.mean)

    @property
    def variance(self) -> float:
        """The square of the mean's standard error; infinite below two deals."""
        return self.squares / (self.deals - 1) / self.deals if self.deals > 1 else math.inf

    @property
    def interval(self) -> tuple[float, float] | None:
        """The mean's 95 % interval by the normal distribution; None below 30 deals.

        None also where all deals were lost or all won: that no spread was seen does not mean that
        there is none.
        """
        if self.deals < _MANY_DEALS or self.mean in (0, 1):
            return None
        half = Z95 * math.sqrt(self.variance)
        return max(0.0, self.mean - half), min(1.0, self.mean + half)


def surely_above(counts: Sequence[int], mean: float) -> bool:
    """Return whether observations say that their mean is greater than this, however often one asks.

    A gambler who begins with a capital of 1 stakes a share f of it on every observation y at odds that
    are fair if `mean` is right, so that it becomes 1 - f + f y / mean times as much. Whatever the
    distribution, the capital then reaches 40 in 2.5 % of all infinite runs at most (Ville). The capital
    is divided evenly between 32 shares from 1/64 to 63/64, so that neither small nor large leads take
    long.

    Args:
        counts: How many observations had each of the values from 0 to 1, in equal steps.
        mean: Between 0 and 1.

    Source: I. Waudby-Smith and A. Ramdas, "Estimating means of bounded random variables by betting",
    Journal of the Royal Statistical Society B 86 (2024), with fixed bets in place of adaptive ones.
    """
    last = len(counts) - 1
    total = sum(counts)
    if sum(place * count for place, count in enumerate(counts)) <= last * total * mean:
        return False  # no bet has won anything
    logs: list[float] = [sum(map(operator.mul, counts, row)) for row in _growth(last, mean)]
    largest = max(logs)
    return largest + math.log(sum([math.exp(one - largest) for one in logs]) / len(logs)) >= _SURE


@lru_cache(maxsize=64)
def _growth(last: int, mean: float) -> list[list[float]]:
    """Return the logarithm of what each bet makes of a capital, for each value from 0 to 1."""
    return [[math.log1p(bet * (place / last / mean - 1)) for place in range(last + 1)] for bet in _BETS]


def anytime_interval(counts: Sequence[int]) -> tuple[float, float]:
    """Return a mean's interval for those who look after every observation: 95 % that all of them hold.

    It has the means that `surely_above` refutes from neither side, and is wider than for one look.
    The counts are those of `surely_above`.
    """
    return _lowest_mean(counts), 1 - _lowest_mean(counts[::-1])


def _lowest_mean(counts: Sequence[int]) -> float:
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if surely_above(counts, middle) else (low, middle)
    return low


def logistic(logit: float) -> float:
    """Return the probability with these log odds."""
    return 1.0 / (1.0 + math.exp(-max(-_LARGEST, min(_LARGEST, logit))))


def calibrated(share: float, shift: float, slope: float) -> float:
    """Return a share of 0 to 1 moved before the logistic function; what is certain stays so.

    Source: J. Platt, "Probabilistic outputs for support vector machines", Advances in Large Margin
    Classifiers, 1999.
    """
    if (shift, slope) == (0, 1) or not 0 < share < 1:
        return share
    return logistic(shift + slope * math.log(share / (1 - share)))


def elo(score: float) -> float:
    """Return the difference in Elo points that a score between two players means.

    Args:
        score: 0 to 1, a draw counting half; 0 and 1 are minus and plus infinity.

    Raises:
        ValueError: If the score is out of range.

    Source: A. E. Elo, The Rating of Chessplayers (1978), the logistic curve.
    """
    if not 0 <= score <= 1:
        raise ValueError(f"score {score}: expected a share from 0 to 1")
    if score in (0, 1):
        return math.inf if score else -math.inf
    return 400 * math.log10(score / (1 - score))


def elo_interval(interval: tuple[float, float]) -> tuple[float, float]:
    """Return the Elo differences of both ends of a score's interval."""
    return elo(interval[0]), elo(interval[1])


def score_of_elo(difference: float) -> float:
    """Return the score that a difference in Elo points means, the inverse of `elo`."""
    return 1 / (1 + 10 ** (-difference / 400))
