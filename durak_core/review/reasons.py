"""The catalogue of reasons why a move was worse than another one.

Every reason describes the played move ("spends the trump Kh ..."). It uses the player's knowledge and the
expected continuations, never hidden cards. The first that applies is given, certain reasons first.
"""

from __future__ import annotations

from typing import Final

from durak_core.actions import Attack, Defend, ShowTrump
from durak_core.messages import Message
from durak_core.review.attacking import ATTACKS, leaves_out_what_cannot_be_beaten
from durak_core.review.comparison import Comparison, Kind
from durak_core.review.defending import ANSWERS


def misses_the_way_out(it: Comparison) -> Message | None:
    """The better move plays the last card with an empty talon."""
    is_last = len(it.observation.hand) == 1 and it.talon == 0 and not isinstance(it.better, ShowTrump)
    if is_last and it.better_card is not None and it.card is None:
        return Message("misses the way out: {better} is the last card", better=it.better_card)
    return None


def gives_away_a_win(it: Comparison) -> Message | None:
    if it.proved is not None and it.proved[1] == 1:
        if isinstance(it.better, Attack | Defend):
            return Message("misses a forced win with {better}", better=it.better)
        return Message("misses a forced win by {better}", better=it.better)
    return None


def gives_away_a_draw(it: Comparison) -> Message | None:
    if it.proved is not None and it.proved[1] < 1:
        if isinstance(it.better, Attack | Defend):
            return Message("misses a forced draw with {better}", better=it.better)
        return Message("misses a forced draw by {better}", better=it.better)
    return None


_FIRST: Final[tuple[Kind, ...]] = (
    misses_the_way_out,
    leaves_out_what_cannot_be_beaten,
    gives_away_a_win,
    gives_away_a_draw,
)
"""Certain reasons, for all types of moves."""

_KINDS: Final = {**ATTACKS, **ANSWERS}
"""Reasons by the types of the played and the better action, in the order of checking."""


def reason_of(it: Comparison) -> Message:
    """Return why the better action is better, with a fallback."""
    return known_reason(it) or Message("gains less than {better}", better=it.better)


def known_reason(it: Comparison) -> Message | None:
    """Return the catalogue's reason why the better action is better, or None."""
    kinds = _KINDS.get((type(it.played), type(it.better)), ())
    if _answer_different_cards(it):
        kinds = ()
    return next((found for kind in (*_FIRST, *kinds) if (found := kind(it)) is not None), None)


def _answer_different_cards(it: Comparison) -> bool:
    match it.played, it.better:
        case Defend(_, target), Defend(_, other):
            return target != other
        case _:
            return False
