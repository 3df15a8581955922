"""Confidence intervals of shares, means over deals, the logistic function, Elo differences and rounding."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Self

Z95: Final = 1.959963984540054
"""The 97.5 % quantile of the normal distribution."""

_MANY_DEALS: Final = 30
"""Deals from which the mean is treated as normally distributed."""

_BETS: Final = [(place + 0.5) / 32 for place in range(32)]
"""Betting fractions, each with an equal part of the capital."""

_SURE: Final = math.log(40)
"""Logarithm of the capital that rejects at 2.5 %."""

_HALVINGS: Final = 30

_LARGEST: Final = 50.0
"""Logits are clipped to this magnitude."""


def wilson_interval(share: float, n: int) -> tuple[float, float]:
    """Return the 95 % Wilson interval of a share observed in n trials.

    Args:
        share: 0 to 1; draws can count half.
        n: Number of trials; 0 gives (0, 1).

    Raises:
        ValueError: If a number is out of range, or is none.

    Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference",
    JASA 22 (1927).
    """
    try:
        fit, counted = 0 <= share <= 1 and n >= 0, 1 < share <= n
    except TypeError:
        fit = counted = False
    if not fit:
        message = f"wilson_interval({share!r}, {n!r}): expected a share from 0 to 1 and a number of trials"
        raise ValueError(message + (f", such as wilson_interval({share} / {n}, {n})" if counted else ""))
    if n == 0:
        return 0.0, 1.0
    z2 = Z95 * Z95 / n
    middle = share + z2 / 2
    half = Z95 * math.sqrt(share * (1 - share) / n + z2 / (4 * n))
    low, high = (middle - half) / (1 + z2), (middle + half) / (1 + z2)
    return max(0.0, min(low, share)), min(1.0, max(high, share))  # rounding could pass the ends


def three_digits(number: float) -> str:
    """Return a number with three significant digits, or all digits before the point.

    >>> three_digits(0.000412), three_digits(5.3), three_digits(1234.5)
    ('0.000412', '5.30', '1,234')
    """
    digits = 2 - math.floor(math.log10(number)) if number > 0 else 0
    return f"{number:,.{max(0, digits)}f}"


@dataclass(frozen=True, slots=True)
class Share:
    """A share, 0 to 1, with its 95 % interval."""

    value: float
    low: float
    high: float

    @classmethod
    def wilson(cls, value: float, n: int) -> Self:
        return cls(value, *wilson_interval(value, n))

    def overlaps(self, other: Share) -> bool:
        return self.low <= other.high and other.low <= self.high


@dataclass
class DealMean:
    """Running mean of a share over deals, with the sum of squared deviations."""

    deals: int = 0
    mean: float = 0.0
    squares: float = 0.0

    def add(self, share: float) -> None:
        """Add a deal's mean share over all its seatings, 0 to 1.

        Source: B. P. Welford, "Note on a method for calculating corrected sums of squares and
        products", Technometrics 4 (1962).
        """
        self.deals += 1
        before = share - self.mean
        self.mean += before / self.deals
        self.squares += before * (share - self.mean)

    @property
    def variance(self) -> float:
        """The squared standard error of the mean; infinite below two deals."""
        return self.squares / (self.deals - 1) / self.deals if self.deals > 1 else math.inf

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % normal interval; None below 30 deals, or if all were won or all lost."""
        if self.deals < _MANY_DEALS or self.mean in (0, 1):
            return None
        half = Z95 * math.sqrt(self.variance)
        return max(0.0, self.mean - half), min(1.0, self.mean + half)


def surely_above(counts: Sequence[int], mean: float) -> bool:
    """Return whether the observations' mean exceeds ``mean``, a test valid at any stopping time.

    A capital of 1 is bet on every observation y: with the fraction f it is multiplied by 1 - f + f y / mean,
    which is fair if ``mean`` is true. For any distribution at most 2.5 % of runs ever reach a capital of 40
    (Ville's inequality). The capital is split evenly between 32 fractions from 1/64 to 63/64, to detect
    both small and large differences quickly.

    Args:
        counts: Number of observations of each value from 0 to 1, in equal steps.
        mean: Between 0 and 1.

    Source: I. Waudby-Smith and A. Ramdas, "Estimating means of bounded random variables by betting",
    Journal of the Royal Statistical Society B 86 (2024), with fixed instead of adaptive bets.
    """
    last = len(counts) - 1
    total = sum(counts)
    if sum(place * count for place, count in enumerate(counts)) <= last * total * mean:
        return False  # no bet has won
    logs: list[float] = [sum(map(operator.mul, counts, row)) for row in _growth(last, mean)]
    largest = max(logs)
    return largest + math.log(sum([math.exp(one - largest) for one in logs]) / len(logs)) >= _SURE


@lru_cache(maxsize=64)
def _growth(last: int, mean: float) -> list[list[float]]:
    """Return the log growth of each bet's capital for each value from 0 to 1."""
    return [[math.log1p(bet * (place / last / mean - 1)) for place in range(last + 1)] for bet in _BETS]


def anytime_interval(counts: Sequence[int]) -> tuple[float, float]:
    """Return a 95 % confidence sequence: an interval valid at any stopping time.

    It holds the means that `surely_above`, which describes ``counts``, rejects from neither side.
    """
    return _lowest_mean(counts), 1 - _lowest_mean(counts[::-1])


def _lowest_mean(counts: Sequence[int]) -> float:
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if surely_above(counts, middle) else (low, middle)
    return low


def logistic(logit: float) -> float:
    return 1.0 / (1.0 + math.exp(-max(-_LARGEST, min(_LARGEST, logit))))


def calibrated(share: float, shift: float, slope: float) -> float:
    """Return a share, 0 to 1, calibrated by Platt's intercept and slope; 0 and 1 are unchanged.

    Source: J. Platt, "Probabilistic outputs for support vector machines", Advances in Large Margin
    Classifiers, 1999.
    """
    if (shift, slope) == (0, 1) or not 0 < share < 1:
        return share
    return logistic(shift + slope * math.log(share / (1 - share)))


def score_of_elo(difference: float) -> float:
    """Return the expected score of an Elo difference."""
    return 1 / (1 + 10 ** (-difference / 400))
