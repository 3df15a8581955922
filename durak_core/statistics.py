"""The statistics of shares and scores: intervals, means over deals, the logistic curve and Elo points."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Self

Z95: Final = 1.959963984540054
"""The 97.5 % point of the normal distribution: both tails together make 5 %."""

_MANY_DEALS: Final = 30
"""From so many deals on their mean is as good as normally distributed."""

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
