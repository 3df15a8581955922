"""Possible locations of hidden cards in hands of known sizes, by bipartite matching.

A hand's hidden cards come in draw batches. It may be public that a batch lacks certain cards, such as after a
pass under forced play (rules 5.8). Cards and batches form a bipartite graph. A card may be in a hand if and
only if some assignment that fills all batches exactly has it there. Augmenting paths find one assignment, and
cycles of exchanges the others.

Source: P. Hall, "On representatives of subsets", J. London Math. Soc. 10 (1935); for single edges, J.-C.
Régin, "A filtering algorithm for constraints of difference", AAAI 1994.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from durak_core.errors import KnowledgeError


class HiddenHand(NamedTuple):
    """The hidden cards of a hand, in draw batches."""

    draw_batches: tuple[
        tuple[int, int], ...
    ] = ()  # by batch: cards not accounted for, mask of cards not in it
    loose: tuple[tuple[int, int], ...] = ()  # cards that left: mask, bits of their possible batches
    dealt: bool = False  # whether the first batch is the deal, kept apart even if empty

    @classmethod
    def of(cls, count: int, lacking: int = 0) -> HiddenHand:
        """Return a hand of one batch that lacks the masked cards."""
        return cls(((count, lacking),)) if count else cls()

    @classmethod
    def of_deal(cls, count: int, lacking: int = 0) -> HiddenHand:
        """Return a hand of dealt cards, kept apart from later draws."""
        return cls(((count, lacking),), dealt=True)

    @property
    def size(self) -> int:
        draw_batches = self.draw_batches
        if len(draw_batches) == 1:
            return draw_batches[0][0] - len(self.loose)
        return sum([count for count, _ in draw_batches]) - len(self.loose)

    def lacks(self, pool: int) -> bool:
        return any(barred & pool for count, barred in self.draw_batches if count)

    def draw_batches_for(self, card: int) -> int:
        """Return a bit for each batch that may hold a card, given as a mask."""
        bits = 0
        for i, (count, barred) in enumerate(self.draw_batches):
            if count and not barred & card:
                bits |= 1 << i
        return bits

    def drawn(self, count: int, pool: int) -> HiddenHand:
        """Return the hand after a draw of hidden cards; ``pool`` is the mask of all hidden cards."""
        draw_batches = self.draw_batches
        if len(draw_batches) > self.dealt and not self.loose and not draw_batches[-1][1] & pool:
            return self._replace(draw_batches=(*draw_batches[:-1], (draw_batches[-1][0] + count, 0)))
        return self._replace(draw_batches=(*draw_batches, (count, 0)))

    def without(self, card: int) -> HiddenHand:
        """Return the hand after a hidden card has left it; `KnowledgeError` if no batch can have held it."""
        draw_batches = self.draw_batches
        bits = self.draw_batches_for(card)
        if not bits or self.size == 0:
            raise KnowledgeError("a card was played by a seat that cannot have held it")
        if self.size == 1 and not self.dealt:
            return HiddenHand()
        if bits & bits - 1:
            return HiddenHand(draw_batches, (*self.loose, (card, bits)), self.dealt)
        i = bits.bit_length() - 1
        row = (*draw_batches[:i], (draw_batches[i][0] - 1, draw_batches[i][1]), *draw_batches[i + 1 :])
        return HiddenHand(row, self.loose, self.dealt)

    def barred(self, cards: int) -> HiddenHand:
        """Return the hand after it becomes public that it lacks these cards."""
        return self._replace(
            draw_batches=tuple([(count, barred | cards) for count, barred in self.draw_batches])
        )

    def forgotten(self, pool: int) -> HiddenHand:
        """Return the hand once the deal no longer matters; ``pool`` is as for `drawn`."""
        return self._replace(dealt=False) if self.lacks(pool) else HiddenHand.of(self.size)

    def dealt_none_of(self, cards: int) -> HiddenHand | None:
        """Return the hand if none of these cards were dealt to it; None if that is impossible."""
        if not self.draw_batches:
            return self
        (count, barred), *later = self.draw_batches
        loose = tuple([(card, bits & ~1 if card & cards else bits) for card, bits in self.loose])
        hand = self._replace(draw_batches=((count, barred | cards), *later), loose=loose)
        fits = (
            not loose
            or assign([bits for _, bits in loose], [room for room, _ in hand.draw_batches]) is not None
        )
        return hand if fits else None

    def dealt_one(self, card: int) -> HiddenHand | None:
        """Return the rest of the hand if a card, held or gone, was dealt to it; otherwise None."""
        if not self.draw_batches or not self.draw_batches[0][0] or self.draw_batches[0][1] & card:
            return None
        kept = tuple([(one, bits) for one, bits in self.loose if one != card or not bits & 1])
        (count, barred), *later = self.draw_batches
        return self._replace(draw_batches=((count - 1, barred), *later), loose=kept)

    def accepts(self, cards: int) -> bool:
        """Return whether exactly these cards, as many as `size`, can be the hidden ones."""
        if len(self.draw_batches) <= 1:
            return not (self.draw_batches and self.draw_batches[0][1] & cards)
        allowed = [bits for _, bits in self.loose]
        allowed += [self.draw_batches_for(card) for card in _bits(cards)]
        return assign(allowed, [count for count, _ in self.draw_batches]) is not None


def spread(hands: Sequence[HiddenHand], pool: int) -> list[int]:
    """Return for each hand the mask of its possible cards; `KnowledgeError` if they do not fit.

    The hands, one of them the talon, have room for exactly ``pool``. Loose cards must fit into their batches.
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
            bits |= hand.draw_batches_for(card) << first
            first += len(hand.draw_batches)
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
    """Return a bin of limited room for each item, from its mask of allowed bins; None if they do not fit."""
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
    """Place one more item, moving others if needed (breadth-first augmenting path)."""
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
    """Return all batches in one row: their room, their hands, and the batches allowed to loose cards."""
    room: list[int] = []
    owner: list[int] = []
    allowed: list[int] = []
    for place, hand in enumerate(hands):
        allowed += [bits << len(room) for _, bits in hand.loose]
        owner += [place] * len(hand.draw_batches)
        room += [count for count, _ in hand.draw_batches]
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
