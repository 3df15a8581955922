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
"""Deals from which intervals use the deals' variance."""

_FEW_POINTS: Final = 4
"""Effective number of points up to which an end of a deals' interval is a Poisson limit."""

_Z_FEW: Final = 1.6448536269514722
"""The 95 % quantile of the normal distribution."""

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
    return _wilson(share, n, Z95) if n else (0.0, 1.0)


def _wilson(share: float, n: float, z: float) -> tuple[float, float]:
    z2 = z * z / n
    middle = share + z2 / 2
    half = z * math.sqrt(share * (1 - share) / n + z2 / (4 * n))
    low, high = (middle - half) / (1 + z2), (middle + half) / (1 + z2)
    return max(0.0, min(low, share)), min(1.0, max(high, share))  # rounding could pass the ends


def _lowest_share(share: float, n: float) -> float:
    """Return the lower 95 % Poisson limit of a share with few points, otherwise the share.

    Source: E. B. Wilson and M. M. Hilferty, "The distribution of chi-square", PNAS 17 (1931).
    """
    points = share * n
    if not 0 < points <= _FEW_POINTS:
        return share
    return max(0.0, 1 - 1 / (9 * points) - _Z_FEW / (3 * math.sqrt(points))) ** 3 * share


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
        """The 95 % interval; None below 30 deals.

        It is Wilson's, with Student's quantile and the effective number of games: as many independent games
        as have the deals' standard error. If all games were won or all lost, that is one game a deal. Near 0
        and 1, where a score hangs on four lost games or fewer, the end nearer 1/2 is Wilson's and the other
        one a Poisson limit, as the number of lost games is too coarse for Wilson's. `benchmarks/coverage.py`
        measures the coverage.

        Source: L. D. Brown, T. T. Cai and A. DasGupta, "Interval estimation for a binomial proportion",
        Statistical Science 16 (2001), with the effective sample size of E. L. Korn and B. I. Graubard,
        "Confidence intervals for proportions with small expected number of positive counts estimated from
        survey data", Survey Methodology 24 (1998).
        """
        if self.deals < _MANY_DEALS:
            return None
        mean = self.mean
        if mean in (0, 1):
            return _wilson(mean, self.deals, Z95)
        if not self.squares:  # no deal differs from another: as if the next one were about to
            half = Z95 * Z95 / 2 / self.deals
            return max(0.0, mean - half), min(1.0, mean + half)
        games = mean * (1 - mean) / self.variance
        low, high = _wilson(mean, games, Z95 + (Z95**3 + Z95) / (4 * (self.deals - 1)))
        return min(low, _lowest_share(mean, games)), max(high, 1 - _lowest_share(1 - mean, games))


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
