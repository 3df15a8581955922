"""What the first attacker reveals about the deal: no seat was dealt a lower trump (rules 4.1).

The trump itself is not shown, so there is a case for each possible lowest trump. In each case it was dealt to
the first attacker, and no lower trump was dealt at all. Cards drawn later are not restricted, so hands keep
dealt cards apart (`HiddenHand.dealt`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from durak_core.cards import CardSet
from durak_core.errors import KnowledgeError
from durak_core.game import events
from durak_core.game.events import BoutBegan, FirstBy
from durak_core.game.observation import Observation
from durak_core.knowledge.locations.hidden_hand import HiddenHand, spread


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
