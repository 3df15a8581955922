"""Hidden cards in hands of known sizes: where each of them may be, by counting alone.

A hand's hidden cards came in lots, one for each time it drew. Of a lot it may be public that certain
cards are not in it (a pass under forced play, rules 5.8). Cards and lots make a bipartite graph, and a
card may be in a place if and only if some way to fill all lots exactly has it there. One way is found
by augmenting paths; the others follow from it by cycles of exchanges.

Source: P. Hall, "On representatives of subsets", J. London Math. Soc. 10 (1935); the test for single
edges is the one of J.-C. Régin, "A filtering algorithm for constraints of difference", AAAI 1994.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from durak_core.errors import KnowledgeError


class HiddenHand(NamedTuple):
    """The cards of a hand whose names are not public.

    Attributes:
        lots: For each lot, in the order in which they came, how many of its cards are not accounted
            for, and the mask of cards that are publicly not in it.
        loose: Cards that have left the hand, each as its mask and a set of bits of the lots it may have
            come from; they take up room in these.
        dealt: Whether the first lot is what was dealt, even if nothing is left of it, and is kept apart.
    """

    lots: tuple[tuple[int, int], ...] = ()
    loose: tuple[tuple[int, int], ...] = ()
    dealt: bool = False

    @classmethod
    def of(cls, count: int, lacking: int = 0) -> HiddenHand:
        """Return a hand of hidden cards that came at once, with a mask of cards that are not among them."""
        return cls(((count, lacking),)) if count else cls()

    @classmethod
    def of_deal(cls, count: int, lacking: int = 0) -> HiddenHand:
        """Return a hand of hidden cards that were dealt, to be kept apart from those drawn later."""
        return cls(((count, lacking),), dealt=True)

    @property
    def size(self) -> int:
        lots = self.lots
        if len(lots) == 1:
            return lots[0][0] - len(self.loose)
        return sum([count for count, _ in lots]) - len(self.loose)

    def lacks(self, pool: int) -> bool:
        return any(barred & pool for count, barred in self.lots if count)

    def lots_for(self, card: int) -> int:
        """Return the bits of the lots that may hold a card, given as a mask."""
        bits = 0
        for i, (count, barred) in enumerate(self.lots):
            if count and not barred & card:
                bits |= 1 << i
        return bits

    def drawn(self, count: int, pool: int) -> HiddenHand:
        """Return the hand after hidden cards were added; ``pool`` is the mask of all hidden cards."""
        lots = self.lots
        if len(lots) > self.dealt and not self.loose and not lots[-1][1] & pool:
            return self._replace(lots=(*lots[:-1], (lots[-1][0] + count, 0)))
        return self._replace(lots=(*lots, (count, 0)))

    def without(self, card: int) -> HiddenHand:
        """Return the hand after a hidden card has left it; `KnowledgeError` if no lot can have held it."""
        lots = self.lots
        bits = self.lots_for(card)
        if not bits or self.size == 0:
            raise KnowledgeError("a card was played by a seat that cannot have held it")
        if self.size == 1 and not self.dealt:
            return HiddenHand()
        if bits & bits - 1:
            return HiddenHand(lots, (*self.loose, (card, bits)), self.dealt)
        i = bits.bit_length() - 1
        row = (*lots[:i], (lots[i][0] - 1, lots[i][1]), *lots[i + 1 :])
        return HiddenHand(row, self.loose, self.dealt)

    def barred(self, cards: int) -> HiddenHand:
        """Return the hand after it has become public that it holds none of these cards."""
        return self._replace(lots=tuple([(count, barred | cards) for count, barred in self.lots]))

    def forgotten(self, pool: int) -> HiddenHand:
        """Return the hand when it does not matter any more what was dealt; ``pool`` is as for `drawn`."""
        return self._replace(dealt=False) if self.lacks(pool) else HiddenHand.of(self.size)

    def dealt_none_of(self, cards: int) -> HiddenHand | None:
        """Return the hand if none of these cards were dealt to it; None if they must have been."""
        if not self.lots:
            return self
        (count, barred), *later = self.lots
        loose = tuple([(card, bits & ~1 if card & cards else bits) for card, bits in self.loose])
        hand = self._replace(lots=((count, barred | cards), *later), loose=loose)
        fits = not loose or assign([bits for _, bits in loose], [room for room, _ in hand.lots]) is not None
        return hand if fits else None

    def dealt_one(self, card: int) -> HiddenHand | None:
        """Return the rest of the hand if a card, held or gone, was dealt to it; None if it was not."""
        if not self.lots or not self.lots[0][0] or self.lots[0][1] & card:
            return None
        kept = tuple([(one, bits) for one, bits in self.loose if one != card or not bits & 1])
        (count, barred), *later = self.lots
        return self._replace(lots=((count - 1, barred), *later), loose=kept)

    def accepts(self, cards: int) -> bool:
        """Tell whether exactly these cards, as many as `size`, can be the hidden ones."""
        if len(self.lots) <= 1:
            return not (self.lots and self.lots[0][1] & cards)
        allowed = [bits for _, bits in self.loose]
        allowed += [self.lots_for(card) for card in _bits(cards)]
        return assign(allowed, [count for count, _ in self.lots]) is not None


def spread(hands: Sequence[HiddenHand], pool: int) -> list[int]:
    """Return for each hand the mask of the cards that may be in it.

    Args:
        hands: Places and their sizes; together they have room for exactly the pool. The talon is a
            hand, too. Loose cards have to fit into their lots.
        pool: Mask of the hidden cards.

    Raises:
        KnowledgeError: If the cards do not fit into the places.
    """
    if sum([hand.size for hand in hands]) != pool.bit_count():
        raise KnowledgeError(
            "{count} cards for {places} places in hands and talon",
            count=pool.bit_count(),
            places=sum([hand.size for hand in hands]),
        )
    if not any(hand.lacks(pool) for hand in hands):
        return [pool if hand.size else 0 for hand in hands]
    room, owner, allowed = _bins(hands)
    cards = _bits(pool)
    for card in cards:
        bits, first = 0, 0
        for hand in hands:
            bits |= hand.lots_for(card) << first
            first += len(hand.lots)
        allowed.append(bits)
    bins = assign(allowed, room)
    if bins is None:
        raise KnowledgeError("no deal agrees with all that is public")
    reach = _closure(allowed, bins, len(room))
    result = [0] * len(hands)
    for card, bits, own in zip(reversed(cards), reversed(allowed), reversed(bins), strict=False):
        for other in range(len(room)):
            if other == own or (bits >> other & 1 and reach[other] >> own & 1):
                result[owner[other]] |= card
    return result


def assign(allowed: Sequence[int], room: Sequence[int]) -> list[int] | None:
    """Put items into bins with room for so many, each into one of the bins whose bits it is allowed.

    Returns:
        The bin of each item, or None if they do not fit.
    """
    holds: list[list[int]] = [[] for _ in room]
    for item, bits in enumerate(allowed):
        for target, places in enumerate(room):
            if bits >> target & 1 and len(holds[target]) < places:
                holds[target].append(item)
                break
        else:
            if not _augment(item, allowed, room, holds):
                return None
    bins = [0] * len(allowed)
    for i, items in enumerate(holds):
        for item in items:
            bins[item] = i
    return bins


def _augment(item: int, allowed: Sequence[int], room: Sequence[int], holds: list[list[int]]) -> bool:
    """Place one item more, moving others where that makes room (breadth first)."""
    seen = 0
    moves: list[tuple[int, int, int]] = []  # an item, its new bin, and the move that pushes it out or -1
    pushed = [(item, -1)]
    for mover, before in pushed:
        for target in range(len(room)):
            if not allowed[mover] & ~seen & 1 << target:
                continue
            seen |= 1 << target
            moves.append((mover, target, before))
            if len(holds[target]) < room[target]:
                _carry_out(moves, holds)
                return True
            pushed += [(other, len(moves) - 1) for other in holds[target]]
    return False


def _carry_out(moves: list[tuple[int, int, int]], holds: list[list[int]]) -> None:
    at = len(moves) - 1
    while at >= 0:
        item, target, before = moves[at]
        if before >= 0:
            holds[moves[before][1]].remove(item)
        holds[target].append(item)
        at = before


def _bins(hands: Sequence[HiddenHand]) -> tuple[list[int], list[int], list[int]]:
    """Return all lots in one row: their room, whose they are, and where the loose cards may belong."""
    room: list[int] = []
    owner: list[int] = []
    allowed: list[int] = []
    for place, hand in enumerate(hands):
        allowed += [bits << len(room) for _, bits in hand.loose]
        owner += [place] * len(hand.lots)
        room += [count for count, _ in hand.lots]
    return room, owner, allowed


def _closure(allowed: Sequence[int], bins: Sequence[int], n: int) -> list[int]:
    reach = [1 << i for i in range(n)]
    for bits, own in zip(allowed, bins, strict=True):
        reach[own] |= bits
    for middle in range(n):
        for i in range(n):
            if reach[i] >> middle & 1:
                reach[i] |= reach[middle]
    return reach


def _bits(mask: int) -> list[int]:
    """Return the single bits of a mask, lowest first."""
    found = []
    while mask:
        found.append(mask & -mask)
        mask &= mask - 1
    return found
