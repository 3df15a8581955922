"""Texts of the player's rating and scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from durak_tui.library.model.rating import Score, Standing
from durak_tui.text.i18n import gettext

SPARKS: Final = 12
"""Number of ratings in a sparkline."""

_BARS: Final = "▁▂▃▄▅▆▇█"
_PLAIN_BARS: Final = "_.-=*#"
_LEAST_SPREAD: Final = 60
"""Minimum range of a sparkline in rating points, so that small changes look small."""


def rating_text(standing: Standing) -> str:
    """Return the rating, with a question mark while provisional; empty before the first game."""
    if not standing.games:
        return ""
    return f"{standing.rating}?" if standing.is_provisional else str(standing.rating)


def rating_line(standing: Standing, *, ascii_only: bool = False) -> str:
    if not standing.games:
        return ""
    line = gettext("Your rating {rating}", rating=rating_text(standing))
    drawn = sparkline(standing.history[-SPARKS:], ascii_only=ascii_only)
    return f"{line} {drawn}" if drawn else line


def score_text(score: Score | None) -> str:
    return "" if score is None else gettext("you {won} : {lost}", won=score.won, lost=score.lost)


def sparkline(values: Sequence[int], *, ascii_only: bool = False) -> str:
    """Draw values as characters of different heights; empty for fewer than two values."""
    if len(values) < 2:
        return ""
    signs = _PLAIN_BARS if ascii_only else _BARS
    spread = max(max(values) - min(values), _LEAST_SPREAD)
    lowest = (max(values) + min(values) - spread) / 2
    return "".join(signs[min(len(signs) - 1, int((one - lowest) / spread * len(signs)))] for one in values)
