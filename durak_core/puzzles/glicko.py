"""Glicko-2 ratings of puzzle solvers.

Source: M. E. Glickman, "Example of the Glicko-2 system" (2013), whose symbols name the variables.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

_SCALE: Final = 173.7178
_MIDDLE: Final = 1500.0
_TAU: Final = 0.5
"""System constant, which limits changes of volatility; the paper recommends 0.3 to 1.2."""
_CLOSE: Final = 1e-6


@dataclass(frozen=True, slots=True)
class Glicko:
    """A rating in Elo points.

    Attributes:
        deviation: Its standard deviation; 350 for a new player.
        volatility: Expected fluctuation of the strength.
    """

    rating: float = 1500.0
    deviation: float = 350.0
    volatility: float = 0.06

    def after(self, results: Sequence[tuple[Glicko, float]]) -> Glicko:
        """Return the rating after a period with these opponents and scores, 0 to 1."""
        mu, phi = (self.rating - _MIDDLE) / _SCALE, self.deviation / _SCALE
        information = gain = 0.0
        for other, score in results:
            g = 1 / math.sqrt(1 + 3 * (other.deviation / _SCALE / math.pi) ** 2)
            expected = 1 / (1 + math.exp(-g * (mu - (other.rating - _MIDDLE) / _SCALE)))
            information += g * g * expected * (1 - expected)
            gain += g * (score - expected)
        if not information:
            return Glicko(self.rating, _SCALE * math.hypot(phi, self.volatility), self.volatility)
        sigma = _volatility(self.volatility, phi, 1 / information, gain / information)
        phi = 1 / math.sqrt(1 / (phi**2 + sigma**2) + information)
        return Glicko(_MIDDLE + _SCALE * (mu + phi * phi * gain), _SCALE * phi, sigma)


def _volatility(sigma: float, phi: float, v: float, delta: float) -> float:
    """Return the new volatility by the Illinois algorithm (step 5 of the paper)."""
    a = math.log(sigma * sigma)

    def f(x: float) -> float:
        grown = phi * phi + v + math.exp(x)
        return math.exp(x) * (delta * delta - grown) / (2 * grown * grown) - (x - a) / (_TAU * _TAU)

    low, step = a, 1
    if delta * delta > phi * phi + v:
        high = math.log(delta * delta - phi * phi - v)
    else:
        while f(a - step * _TAU) < 0:
            step += 1
        high = a - step * _TAU
    f_low, f_high = f(low), f(high)
    while abs(high - low) > _CLOSE:
        middle = low + (low - high) * f_low / (f_high - f_low)
        f_middle = f(middle)
        if f_middle * f_high <= 0:
            low, f_low = high, f_high
        else:
            f_low /= 2
        high, f_high = middle, f_middle
    return math.exp(low / 2)
