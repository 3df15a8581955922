"""Why a move was worse than another one, in words: the catalogue of reasons.

Every reason is said of the move that was played ("spends the trump Kh ..."), and is made from what its
player could know and from what the search expects after both moves; hidden cards have no part in it. The
first one that holds is given, those that are certain before those that are likely.
"""

from __future__ import annotations

from typing import Final

from durak_core.actions import Defend, ShowTrump
from durak_core.messages import Message
from durak_core.review.attacking import ATTACKS, leaves_out_what_cannot_be_beaten
from durak_core.review.comparison import Comparison, Kind
from durak_core.review.defending import ANSWERS


def misses_the_way_out(it: Comparison) -> Message | None:
    """The better move plays the last card, and nothing is left to draw."""
    is_last = len(it.observation.hand) == 1 and it.talon == 0 and not isinstance(it.better, ShowTrump)
    if is_last and it.better_card is not None and it.card is None:
        return Message("misses the way out: {better} is the last card", better=it.better_card)
    return None


def gives_away_a_win(it: Comparison) -> Message | None:
    """Both are played out to the end: the better move wins."""
    if it.proved is not None and it.proved[1] == 1:
        return Message("lets the win slip: {better} wins whatever the others do", better=it.better)
    return None


def gives_away_a_draw(it: Comparison) -> Message | None:
    """Both are played out to the end: the better move draws."""
    if it.proved is not None and it.proved[1] < 1:
        return Message("loses: {better} holds a draw whatever the others do", better=it.better)
    return None


_FIRST: Final[tuple[Kind, ...]] = (
    misses_the_way_out,
    leaves_out_what_cannot_be_beaten,
    gives_away_a_win,
    gives_away_a_draw,
)
"""What is certain, of any two moves."""

_KINDS: Final = {**ATTACKS, **ANSWERS}
"""The reasons to look for, in this order, by what was played and what was better."""


def reason_of(it: Comparison) -> Message:
    """Return why the better of two actions is better; there is always something to say."""
    return known_reason(it) or Message("gains less than {better}", better=it.better)


def known_reason(it: Comparison) -> Message | None:
    """Return the reason of the catalogue why the better of two actions is better, where one holds."""
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
