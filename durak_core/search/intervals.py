"""How sure a share is, and what it is before the logistic function."""

from __future__ import annotations

import math
from typing import Final

from durak_core.search.network.arithmetic import logistic

_Z95: Final = 1.959963984540054
"""The 97.5 % point of the normal distribution: both tails together make 5 %."""


def levelled(share: float, shift: float, slope: float) -> float:
    """Return a probability moved before the logistic function; what is certain stays so.

    Args:
        share: 0 to 1.
        shift: Added.
        slope: Multiplies before, above 0.

    Source: J. Platt, "Probabilistic outputs for support vector machines", Advances in Large Margin
    Classifiers, 1999.
    """
    if (shift, slope) == (0, 1) or not 0 < share < 1:
        return share
    return logistic(shift + slope * math.log(share / (1 - share)))


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
    z2 = _Z95 * _Z95 / n
    middle = share + z2 / 2
    half = _Z95 * math.sqrt(share * (1 - share) / n + z2 / (4 * n))
    low, high = (middle - half) / (1 + z2), (middle + half) / (1 + z2)
    return max(0.0, min(low, share)), min(1.0, max(high, share))  # equal at the ends but for rounding
