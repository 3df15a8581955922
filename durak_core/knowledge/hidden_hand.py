"""Possible locations of hidden cards in hands, and what first attacks and forced actions prove.

A hand's hidden cards come in draw batches. It may be public that a batch lacks certain cards, such as after a
pass under forced play (rules 5.8). Cards and batches form a bipartite graph. A card may be in a hand if and
only if some assignment that fills all batches exactly has it there. Augmenting paths find one assignment, and
cycles of exchanges the others.

Source: P. Hall, "On representatives of subsets", J. London Math. Soc. 10 (1935); for single edges, J.-C.
Régin, "A filtering algorithm for constraints of difference", AAAI 1994.

The trump itself is not shown, so there is a case for each possible lowest trump. In each case it was dealt to
the first attacker, and no lower trump was dealt at all. Cards drawn later are not restricted, so hands keep
dealt cards apart (`HiddenHand.dealt`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from durak_core.cards import CardSet
from durak_core.errors import KnowledgeError
from durak_core.game import events
from durak_core.game.events import BoutBegan, Event, FirstBy
from durak_core.game.observation import Observation
from durak_core.kernel.legal import beaters, fitting_cards, transfer_cards
from durak_core.kernel.position import Position
from durak_core.kernel.transition import add_attack, transfer_attack
from durak_core.knowledge.certain import visible_position


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


class ForcedBout:
    """The public part of the running bout, from which the kernel computes playable cards."""

    __slots__ = ("_p",)

    def __init__(self, observation: Observation) -> None:
        self._p: Position = visible_position(observation)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ForcedBout) and self._bout() == other._bout()

    __hash__ = None  # type: ignore[assignment]

    def lacking(self, event: Event, sizes: Sequence[int]) -> int:
        """Return the mask of cards that a seat cannot hold after an event that is not observed yet."""
        p = self._p
        match event:
            case events.Passed(seat):
                self._lay_hands(sizes, seat)
                return fitting_cards(p, seat)
            case events.TookUp(seat):
                self._lay_hands(sizes, seat)
                cards = transfer_cards(p)
                for i in range(p.n_attacks):
                    if p.defences[i] == 0:
                        cards |= beaters(p, p.attacks[i])
                return cards
            case _:
                return 0

    def observe(self, event: Event, sizes: Callable[[], Sequence[int]], gone: int) -> None:
        """Update the bout; ``sizes`` returns the hand sizes after the event, ``gone`` masks the discards."""
        p = self._p
        p.discards = gone
        match event:
            case events.BoutBegan(bout, attacker, defender, limit):
                p.bout, p.attacker, p.defender, p.limit = bout, attacker, defender, limit
                p.table = p.n_attacks = p.n_open = 0
                p.in_mask = sum([1 << seat for seat, size in enumerate(sizes()) if size])
            case events.Attacked(_, card):
                p.table |= card.mask
                add_attack(p, card.number)
            case events.Defended(_, card, target):
                p.table |= card.mask
                for i in range(p.n_attacks):
                    if p.attacks[i] == target.number:
                        p.defences[i] = card.number
                p.n_open -= 1
            case events.Transferred(_, card):
                p.table |= card.mask
                add_attack(p, card.number)
                self._hand_on(sizes())
            case events.TrumpShown():
                self._hand_on(sizes())

    def _hand_on(self, sizes: Sequence[int]) -> None:
        self._lay_hands(sizes)
        transfer_attack(self._p)

    def _lay_hands(self, sizes: Sequence[int], asked: int | None = None) -> None:
        """Set every hand to its size, and the asked seat's hand to all cards."""
        p = self._p
        for seat, size in enumerate(sizes):
            p.hands[seat] = (1 << size) - 1
        if asked is not None:
            p.hands[asked] = p.deck_mask

    def _bout(self) -> tuple[object, ...]:
        p = self._p
        laid = (p.table, p.n_attacks, p.n_open, tuple(p.attacks[: p.n_attacks]))
        seats = (p.in_mask, p.attacker, p.defender)
        return (*seats, p.discards, p.bout, p.limit, *laid, tuple(p.defences[: p.n_attacks]))


@dataclass(frozen=True, slots=True)
class Lowest:
    """A case: the mask of the lowest trump dealt, or 0 for none, and of all trumps below it."""

    card: int
    below: int


@dataclass(frozen=True, slots=True)
class FirstAttack:
    """Public knowledge from the first attack."""

    seat: int | None  # the first attacker; None if no seat was dealt a trump
    trumps: int  # mask of all trumps
    dealt: tuple[int, ...]  # for each seat, the mask of trumps publicly dealt to it

    @classmethod
    def of(cls, observation: Observation) -> FirstAttack | None:
        """Return what an observation's first event reveals; None if rules 4.1 do not apply."""
        match observation.events[:1]:
            case (BoutBegan(attacker=seat, first_by=FirstBy() as found),) if (
                observation.trump_mask and observation.hands is None
            ):
                holder = seat if found is FirstBy.TRUMP else None
                return cls(holder, observation.trump_mask, (0,) * observation.rules.seats)
        return None

    def seen(self, seat: int, card: int) -> FirstAttack:
        """Return the knowledge after it becomes public that a card was dealt to a seat."""
        if not card & self.trumps:
            return self
        dealt = tuple([cards | card if who == seat else cards for who, cards in enumerate(self.dealt)])
        return FirstAttack(self.seat, self.trumps, dealt)

    def is_told(self, hands: Sequence[HiddenHand], hidden: int) -> bool:
        """Return whether this knowledge is used up: no hidden card can be a lower trump."""
        if not any(hand.draw_batches[0][0] for hand in hands):
            return True
        for hand in hands:
            for card, bits in hand.loose:
                hidden |= card if bits & 1 else 0
        sure = 0 if self.seat is None else self.dealt[self.seat]
        return not hidden & self.trumps & (below(sure & -sure) if sure else -1)

    def cases(
        self, hands: Sequence[HiddenHand], pool: int, seat: int | None = None, dealt: int = 0
    ) -> Iterator[tuple[Lowest, list[HiddenHand]]]:
        """Yield each possible lowest trump in ascending order, with the hands in that case.

        ``hands`` has all hands but the observer's, then those not dealt; ``pool`` masks their hidden cards.
        ``seat`` is the observer, None for a spectator; ``dealt`` masks the cards dealt to it.
        """
        for lowest in self._candidates(hands, pool, seat, dealt & self.trumps):
            narrowed = []
            for who, hand in enumerate(hands):
                kept: HiddenHand | None = hand
                if who == self.seat != seat and lowest.card & ~self.dealt[who]:
                    kept = hand.dealt_one(lowest.card)
                if kept is not None and hand.dealt:
                    kept = kept.dealt_none_of(lowest.below)
                if kept is None:
                    break
                narrowed.append(kept)
            else:
                yield lowest, narrowed

    def _candidates(
        self, hands: Sequence[HiddenHand], pool: int, seat: int | None, dealt: int
    ) -> Iterator[Lowest]:
        others = dealt
        for who, cards in enumerate(self.dealt):
            others |= 0 if who == self.seat else cards
        if self.seat is None:
            if not others:
                yield Lowest(0, self.trumps)
            return
        if seat == self.seat:
            others &= ~dealt
            candidates = [dealt & -dealt] if dealt else []
        else:
            candidates = self.lowest_of(self.seat, hands[self.seat], pool)
        for card in candidates:
            lower = below(card) & self.trumps
            if card and not lower & others:
                yield Lowest(card, lower)

    def lowest_of(self, seat: int, hand: HiddenHand, pool: int) -> list[int]:
        """Return a seat's possible lowest dealt trumps, ascending, 0 for none; ``pool`` masks its cards."""
        sure = self.dealt[seat]
        cards = sure & -sure | pool & self.trumps
        for card, bits in hand.loose:
            cards |= card & self.trumps if bits & 1 else 0
        if sure:
            cards &= (sure & -sure) * 2 - 1
        found = [] if sure else [0]
        while cards:
            found.append(cards & -cards)
            cards &= cards - 1
        return found


def below(card: int) -> int:
    """Return the mask of all cards before a card's mask; within its suit, these are the lower ones."""
    return card - 1


def spread_cases(
    first: FirstAttack, hands: list[HiddenHand], pool: int, seat: int | None, dealt: int
) -> list[int]:
    """Return the possible locations of the hidden cards over all cases; see `FirstAttack.cases`."""
    anywhere = [pool if hand.size else 0 for hand in hands]
    result = [0] * len(hands)
    for lowest, narrowed in first.cases(hands, pool, seat, dealt):
        card = lowest.card & pool
        try:
            found = spread(narrowed, pool ^ card)
        except KnowledgeError:
            continue
        if card and first.seat is not None:
            found[first.seat] |= card
        result = [before | more for before, more in zip(result, found, strict=True)]
        if result == anywhere:
            break
    if pool and not any(result):
        raise KnowledgeError("no deal agrees with all that is public")
    return result


def dealt_to(observation: Observation) -> CardSet:
    """Return the cards dealt to an observation's seat; without events, the cards it holds."""
    seat = observation.seat
    cards = observation.hand.mask
    for event in reversed(observation.events):
        if getattr(event, "seat", None) != seat:
            continue
        if isinstance(event, events.Attacked | events.Defended | events.Transferred):
            cards |= event.card.mask
        elif isinstance(event, events.TableTaken):
            cards &= ~event.cards.mask
        elif isinstance(event, events.Exchanged):
            cards ^= event.given.mask | event.taken.mask
        elif isinstance(event, events.Drew):
            cards &= ~CardSet.of(event.cards or ()).mask
    return CardSet(cards)
