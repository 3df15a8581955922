"""The deals that a seat considers possible in compiled games of two seats, and their weights.

The same as `durak_core.knowledge.belief`, from `durak_core.search.players.public_knowledge`.
"""

from __future__ import annotations

from typing import Final

from durak_core.kernel.bits import lowest_bit, popcount
from durak_core.kernel.legal import face_up_card
from durak_core.kernel.position import MAX_SEATS, NOBODY, Position
from durak_core.knowledge.sampling import Belief
from durak_core.search.network.encoding import Memory, bit_length
from durak_core.search.players.public_knowledge import BATCHES, COUNTS, Deduction

_WHOLE: Final = 1 << 30
"""Sum of the weights of all cases in a `Belief`."""

_SAME: Final = 1 + 1e-11
"""Ratio up to which two weights are equal apart from rounding."""


def write_belief(root: Position, memory: Memory, k: Deduction, seat: int, belief: Belief) -> None:
    hidden = root.deck_mask & ~(root.table | root.discards | face_up_card(root))
    for other in range(root.seats):
        hidden &= ~root.hands[other]
        belief.missing[other] = memory.sizes[other] - popcount(root.hands[other])
    belief.n_pool = 0
    rest = hidden
    while rest:
        belief.pool[belief.n_pool] = lowest_bit(rest)
        belief.n_pool += 1
        rest &= rest - 1
    belief.talon_from = root.drawn
    belief.talon_to = min(root.deck_size, max(root.drawn, root.deck_size - 1))
    belief.n_cases = 0
    belief.by_odds = 0
    if k.told == 0 and hidden & root.trump_mask:
        _add_cases(k, seat, hidden, root.trump_mask, belief)


def _add_cases(k: Deduction, seat: int, hidden: int, trumps: int, belief: Belief) -> None:
    """Add a case for each possible lowest trump; see `durak_core.knowledge.locations.first_attack`."""
    other = 1 - seat
    if k.first == NOBODY:
        _add_case(k, other, 0, trumps, hidden, belief)
    elif k.first == seat:
        lowest = k.dealt[seat] & -k.dealt[seat]
        _add_case(k, other, lowest, (lowest - 1) & trumps, hidden, belief)
    else:
        _add_lowest(k, other, k.dealt[seat], hidden, trumps, belief)
    _finish_cases(k, trumps, belief)


def _add_lowest(  # noqa: PLR0913, PLR0917 - the memory, piece by piece
    k: Deduction, other: int, own: int, hidden: int, trumps: int, belief: Belief
) -> None:
    """Add a case for each trump that may be the other seat's lowest one."""
    sure = k.sure[other]
    cards = sure & -sure | hidden & trumps
    for i in range(other * BATCHES, other * BATCHES + k.n_loose[other]):
        if k.bits[i] & 1:
            cards |= k.loose[i] & trumps
    if sure:
        cards &= (sure & -sure) * 2 - 1
    while cards:
        lowest = cards & -cards
        lower = (lowest - 1) & trumps
        if lower & own == 0:
            _add_case(k, other, lowest, lower, hidden, belief)
        cards &= cards - 1


def _add_case(  # noqa: PLR0913, PLR0917 - the memory, piece by piece
    k: Deduction, other: int, lowest: int, lower: int, hidden: int, belief: Belief
) -> None:
    """Add the deals with a lowest trump, by the dealt cards that the other seat still holds."""
    base = other * BATCHES
    dealt = k.batches[base]
    is_held = other == k.first and lowest & k.sure[other] == 0
    room = dealt if is_held else 1
    if room == 0:
        return
    if is_held:
        dealt -= 1
    k.n_kept = 0
    for i in range(base, base + k.n_loose[other]):
        if not (is_held and k.loose[i] == lowest and k.bits[i] & 1):
            k.kept[k.n_kept] = k.bits[i] & ~1 if k.loose[i] & lower else k.bits[i]
            k.n_kept += 1
    if _fit(k, base, dealt, k.n_batches[other]):
        _count_ways(k, base, dealt)
        low = popcount(hidden & lower)
        if low == 0:
            _merge_ways(k, dealt)
        first = belief.n_cases
        _add_rows(k, other, dealt, room, belief)
        for at in range(first, belief.n_cases):
            belief.held[at] = lowest_bit(lowest) if lowest & hidden else 0
            belief.low[at] = low
        _weigh_rows(k, other, first, popcount(hidden & ~lowest), belief)


def _merge_ways(k: Deduction, dealt: int) -> None:
    total = 0.0
    for count in range(dealt + 1):
        total += k.ways[count]
        k.ways[count] = 0.0
    k.ways[0] = total


def _add_rows(k: Deduction, other: int, dealt: int, room: int, belief: Belief) -> None:
    """Add a row for each number of dealt cards, the greatest weight first."""
    first = belief.n_cases
    for count in range(dealt, -1, -1):
        weight = k.ways[count] * float(room)
        if weight > 0.0:
            at = belief.n_cases
            while at > first and weight > k.weights[at - 1] * _SAME:
                _move_case(k, belief, at - 1, at)
                at -= 1
            k.weights[at] = weight
            belief.dealt[at * MAX_SEATS + other] = count
            belief.dealt[at * MAX_SEATS + 1 - other] = 0
            belief.n_cases += 1


def _weigh_rows(k: Deduction, other: int, first: int, left: int, belief: Belief) -> None:
    """Multiply the rows' weights by the arrangements of ``left`` hidden cards; drop impossible rows."""
    kept = first
    for at in range(first, belief.n_cases):
        count, low = belief.dealt[at * MAX_SEATS + other], belief.low[at]
        weight = k.weights[at]
        for i in range(low):
            weight *= float(max(0, left - count - i))
        for i in range(2, left - low + 1):
            weight *= float(i)
        if weight > 0.0:
            _move_case(k, belief, at, kept)
            k.weights[kept] = weight
            kept += 1
    belief.n_cases = kept


def _fit(k: Deduction, base: int, dealt: int, n_batches: int) -> bool:
    """Return whether every card that left fits into a batch, the earliest last batch first."""
    for i in range(k.n_kept):
        k.placed[i] = 0
    missing = k.n_kept
    for batch in range(n_batches):
        room = k.batches[base + batch] if batch else dealt
        for i in range(k.n_kept):
            if room and k.placed[i] == 0 and k.kept[i] >> batch & 1:
                k.placed[i] = 1
                room -= 1
                missing -= 1
    return missing == 0


def _count_ways(k: Deduction, base: int, dealt: int) -> None:
    """Count the ways for each number of dealt cards that are still hidden in the hand."""
    for left in range(COUNTS):
        k.ways[left] = 0.0
    k.ways[dealt] = 1.0
    for gone in range(k.n_kept):
        bits = k.kept[gone]
        later = 0
        for batch in range(1, bit_length(bits)):
            later += k.batches[base + batch]
        for left in range(dealt + 1):
            k.after[left] = 0.0
        for left in range(dealt + 1):
            room = later - (gone - (dealt - left))
            if bits & 1 and left:
                k.after[left - 1] += k.ways[left] * float(left)
            if room > 0:
                k.after[left] += k.ways[left] * float(room)
        for left in range(dealt + 1):
            k.ways[left] = k.after[left]


def _move_case(k: Deduction, belief: Belief, source: int, target: int) -> None:
    k.weights[target] = k.weights[source]
    belief.held[target] = belief.held[source]
    belief.low[target] = belief.low[source]
    for seat in range(MAX_SEATS):
        belief.dealt[target * MAX_SEATS + seat] = belief.dealt[source * MAX_SEATS + seat]


def _finish_cases(k: Deduction, trumps: int, belief: Belief) -> None:
    """Sort the cases by weight, and write their cumulated shares and the pool's order."""
    n = belief.n_cases
    total = 0.0
    matters = 0
    for i in range(n):
        weight = k.weights[i]
        held, low = belief.held[i], belief.low[i]
        mine, theirs = belief.dealt[i * MAX_SEATS], belief.dealt[i * MAX_SEATS + 1]
        j = i
        while j > 0 and weight > k.weights[j - 1] * _SAME:
            _move_case(k, belief, j - 1, j)
            j -= 1
        k.weights[j] = weight
        belief.held[j] = held
        belief.low[j] = low
        belief.dealt[j * MAX_SEATS] = mine
        belief.dealt[j * MAX_SEATS + 1] = theirs
        matters |= held | low
    if matters == 0:
        belief.n_cases = 0
        return
    for i in range(n):
        total += k.weights[i]
    until = 0.0
    for i in range(n):
        until += k.weights[i]
        belief.until[i] = int(until / total * float(_WHOLE))
    belief.first = MAX_SEATS if k.first == NOBODY else k.first
    at = 0
    for plain in range(2):
        for i in range(belief.n_pool):
            if (trumps >> belief.pool[i] & 1) != plain:
                belief.order[at] = belief.pool[i]
                at += 1
