"""Simple policies over one or more legal codes in legal order: random and greedy; also compiled."""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from typing import Final, NamedTuple

from durak_core.kernel.legal import (
    EXCHANGE_CODE,
    FIRST_DEFENCE,
    FIRST_SHOWING,
    FIRST_TRANSFER,
    TAKE_CODE,
    card_of,
)
from durak_core.kernel.position import DEFENCE, JOKERS, OPENING, random_below


class LegalCodes(NamedTuple):
    """The ``n`` legal codes, 1 or more, as `durak_core.kernel.legal.legal` writes them."""

    codes: Sequence[int]
    n: int


# Costs of `greedy_policy`, by class of action; the rank of the card, at most 15, is added.
_EXCHANGE: Final = -1
_TRANSFER: Final = 0
_PLAIN_CARD: Final = 16
_SHOW: Final = 32
_TRUMP: Final = 48
_PASS_OR_TAKE: Final = 64
_TRUMP_TO_KEEP: Final = 80

_EARLY: Final = 4
TENTHS: Final = 10


def uniform_policy(codes: Sequence[int], n: int, rng: MutableSequence[int]) -> int:
    """Choose uniformly; a single action draws no random number."""
    if n == 1:
        return codes[0]
    return codes[random_below(rng, n)]


def random_policy(codes: Sequence[int], n: int, rng: MutableSequence[int]) -> int:
    """Choose at random, drawing no number for a single action; pass or take 1 in 5 if a card is playable.

    Source: the random player of the Charles University thesis (rules 12, `zarlykov`).
    """
    if n == 1:
        return codes[0]
    last = codes[n - 1]
    if last > TAKE_CODE:
        return codes[random_below(rng, n)]
    if random_below(rng, 5) == 0:
        return last
    return codes[random_below(rng, n - 1)]


def random_shares(codes: Sequence[int]) -> list[float]:
    """Return the probability of each choice of `random_policy`."""
    n = len(codes)
    if n == 1 or codes[-1] > TAKE_CODE:
        return [1 / n] * n
    return [*[0.8 / (n - 1)] * (n - 1), 0.2]


def greedy_cost(code: int, high: int, trump_cost: int) -> int:
    """Return an action's cost to `greedy_policy`, given the trumps and jokers, and the cost of each."""
    if code <= TAKE_CODE:
        return _PASS_OR_TAKE
    card = card_of(code)
    rank = card & 15
    if FIRST_SHOWING <= code < FIRST_DEFENCE:
        return _SHOW + rank if code < EXCHANGE_CODE else _EXCHANGE
    if high >> card & 1:
        return trump_cost + rank
    if FIRST_TRANSFER <= code < FIRST_SHOWING:
        return _TRANSFER + rank
    return _PLAIN_CARD + rank


def greedy_policy(codes: Sequence[int], n: int, trump_mask: int, talon_left: int, phase: int) -> int:
    """Choose the cheapest card, and never stop while a card can be played cheaply.

    The order is: the exchange of the lowest trump, transferring with a non-trump, the lowest non-trump,
    showing a trump, the lowest trump, passing or taking. While the talon lasts, passing comes before throwing
    in, piling on or adding to a volley with a trump, unless it is forbidden (rules 5.8). The first code in
    the list wins ties: ♠ before ♥ ♦ ♣, beating before transferring with the same trump. Jokers are played as
    the highest trumps.

    Source: the greedy player of the Charles University thesis (rules 12, `zarlykov`).
    """
    trump_cost = _TRUMP
    if talon_left > 0 and phase not in (OPENING, DEFENCE):
        trump_cost = _TRUMP_TO_KEEP
    high = trump_mask | JOKERS
    best = codes[0]
    least = greedy_cost(best, high, trump_cost)
    for i in range(1, n):
        cost = greedy_cost(codes[i], high, trump_cost)
        if cost < least:
            least = cost
            best = codes[i]
    return best


def lowest_policy(
    codes: Sequence[int], n: int, trump_mask: int, talon_to_hoard: int, rng: MutableSequence[int]
) -> int:
    """Choose the lowest card, trumps last, and stop or take only if no card can be played.

    With more than `_EARLY` cards in ``talon_to_hoard``, stops or takes nine times in ten rather than play a
    trump; 0 for never.

    Source: the endgame-MCTS project (rules 12, `larsenbier`), ``lowestValueAction`` and
    ``chooseActionHeuristic``.
    """
    stop = stop_to_hoard(codes, n, trump_mask, talon_to_hoard)
    if stop >= 0 and random_below(rng, TENTHS):
        return stop
    best = codes[0]
    for i in range(1, n):
        if _lowest_cost(codes[i], trump_mask) < _lowest_cost(best, trump_mask):
            best = codes[i]
    return best


def stop_to_hoard(codes: Sequence[int], n: int, trump_mask: int, talon: int) -> int:
    """Return the pass or take that would save a trump early, or -1 if none does."""
    stop, least = -1, _PASS_OR_TAKE
    for i in range(n):
        least = min(least, _lowest_cost(codes[i], trump_mask))
        if stop < 0 and codes[i] <= TAKE_CODE:
            stop = codes[i]
    return stop if talon > _EARLY and _TRUMP <= least < _PASS_OR_TAKE else -1


def _lowest_cost(code: int, trump_mask: int) -> int:
    if code <= TAKE_CODE:
        return _PASS_OR_TAKE
    card = card_of(code)
    return (_TRUMP if (trump_mask | JOKERS) >> card & 1 else 0) + (card & 15)
