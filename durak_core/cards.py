"""Cards and card sets: immutable views over integers.

A card's number is ``16 * suit + rank``. Each suit owns 16 bits of a card mask and the highest bit
used is 62, so masks fit a signed 64-bit integer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from durak_core.errors import NotationError

_RANK_LETTERS: Final = "23456789TJQKA*"
_SUIT_LETTERS: Final = "shdc"
_SUIT_SYMBOLS: Final = "♠♥♦♣"


class Suit(IntEnum):
    """The four suits in the order of rules 1.1."""

    SPADES = 0
    HEARTS = 1
    DIAMONDS = 2
    CLUBS = 3

    @property
    def letter(self) -> str:
        return _SUIT_LETTERS[self]

    @property
    def symbol(self) -> str:
        return _SUIT_SYMBOLS[self]

    @property
    def mask(self) -> int:
        return 0x7FFC << (16 * self)


class Rank(IntEnum):
    """The ranks by value; jack to ace are 11 to 14 (rules 1.1), and the jokers' is 15 (1.6)."""

    TWO = 2
    THREE = 3
    FOUR = 4
    FIVE = 5
    SIX = 6
    SEVEN = 7
    EIGHT = 8
    NINE = 9
    TEN = 10
    JACK = 11
    QUEEN = 12
    KING = 13
    ACE = 14
    JOKER = 15

    @property
    def letter(self) -> str:
        return _RANK_LETTERS[self - 2]


@dataclass(frozen=True, slots=True, order=True, init=False)
class Card:
    """One card, from its suit and rank or from its text: ``Card("6s")``.

    `Card.parse` and `Card.from_number` return shared objects. `NotationError` is raised if there is no such
    card. The black joker is the joker "of spades", ``*s``, the red one that "of hearts", ``*h``: their suit
    is only their colour (rules 1.6), so ask `is_of` whether a card is a trump.
    """

    suit: Suit
    rank: Rank

    def __init__(self, suit: Suit | str, rank: Rank | None = None) -> None:
        try:
            if isinstance(suit, str):
                card = Card.parse(suit)
                suit, rank = card.suit, card.rank
            object.__setattr__(self, "suit", Suit(suit))
            object.__setattr__(self, "rank", Rank(rank))  # type: ignore[arg-type]  # refuses None
        except ValueError:
            raise _no_card(suit) from None
        if self.rank == Rank.JOKER and self.suit > Suit.HEARTS:
            raise _no_card(_RANK_LETTERS[-1] + self.suit.letter)

    @property
    def number(self) -> int:
        """``16 * suit + rank``, 2 to 62."""
        return 16 * self.suit + self.rank

    @property
    def mask(self) -> int:
        return 1 << self.number

    @property
    def is_joker(self) -> bool:
        return self.rank == Rank.JOKER

    def is_of(self, suit: Suit | None) -> bool:
        """Return whether the card is of a suit; a joker is of none (rules 1.6)."""
        return self.suit == suit and self.rank != Rank.JOKER

    def is_plain(self, trump: Suit | None) -> bool:
        """Return whether the card is neither a trump nor a joker."""
        return not (self.is_joker or self.suit == trump)

    @property
    def pretty(self) -> str:
        """Rank and suit symbol, such as ``6♣`` or ``10♥``."""
        return ("10" if self.rank == Rank.TEN else self.rank.letter) + self.suit.symbol

    @classmethod
    def from_number(cls, number: int) -> Card:
        """Return the card with a number; raise `NotationError` if there is none."""
        try:
            return _BY_NUMBER[number]
        except KeyError:
            raise NotationError("no card has the number {number}", number=number) from None

    @classmethod
    def parse(cls, text: str) -> Card:
        """Parse a rank of ``23456789TJQKA`` and a suit of ``shdc``, or ``*s`` or ``*h``, a joker.

        Raises:
            NotationError: If the text is no card.
        """
        try:
            return _BY_TEXT[text]
        except (KeyError, TypeError):
            raise _no_card(text) from None

    def __str__(self) -> str:
        return _TEXTS[16 * self.suit + self.rank]

    def __format__(self, spec: str) -> str:
        return format(str(self), "" if spec.isalpha() else spec)  # a form of words, for translations


def as_card(given: Card | str) -> Card:
    """Return a card given as a `Card` or as text; raise `NotationError` if it is neither."""
    return given if isinstance(given, Card) else Card.parse(given)


def _no_card(text: object) -> NotationError:
    return NotationError(
        "{text!r} is not a card: expected a rank of {ranks} and a suit of {suits}, as in 6c or Th, or a "
        "joker, *s or *h",
        text=text,
        ranks=_RANK_LETTERS[:-1],
        suits=_SUIT_LETTERS,
    )


ALL_CARDS: Final[tuple[Card, ...]] = tuple(
    Card(suit, rank) for suit in Suit for rank in Rank if rank < Rank.JOKER or suit <= Suit.HEARTS
)
_BY_NUMBER: Final = {card.number: card for card in ALL_CARDS}
_TEXTS: Final = {card.number: card.rank.letter + card.suit.letter for card in ALL_CARDS}
_BY_TEXT: Final = {str(card): card for card in ALL_CARDS}


class CardSet(AbstractSet[Card]):
    """An immutable ``collections.abc.Set`` of cards over a bit mask, the sum of ``1 << card.number``.

    Iteration runs from the lowest spade to the highest club. `NotationError` is raised if a text is asked for
    that is no card.
    """

    __slots__ = ("mask",)
    mask: int

    def __init__(self, mask: int = 0) -> None:
        try:
            self.mask = +mask  # fails for what is no number
        except TypeError:
            message = f"CardSet({mask!r}): expected a bit mask; CardSet.parse reads a text, CardSet.of cards"
            raise TypeError(message) from None

    @classmethod
    def of(cls, cards: Iterable[Card | str]) -> CardSet:
        """Return the set of some cards or their texts; raise `NotationError` if one is neither."""
        mask = 0
        for card in cards:
            try:
                mask |= card.mask  # type: ignore[union-attr]  # a text has none
            except AttributeError:
                mask |= Card.parse(card).mask  # type: ignore[arg-type]  # what is neither is refused
        return cls(mask)

    @classmethod
    def parse(cls, text: str) -> CardSet:
        """Parse cards such as ``6c7dTh`` or ``6c 7d``; raise `NotationError` if invalid or repeated."""
        squeezed = "".join(text.split())
        mask = 0
        for start in range(0, len(squeezed), 2):
            card = Card.parse(squeezed[start : start + 2])
            if mask & card.mask:
                raise NotationError("{card} appears twice in {text!r}", card=card, text=text)
            mask |= card.mask
        return cls(mask)

    @classmethod
    def _from_iterable(cls, it: Iterable[Card]) -> CardSet:  # type: ignore[override]
        return cls.of(it)

    def __contains__(self, card: object) -> bool:
        if isinstance(card, Card):
            return bool(self.mask >> card.number & 1)
        return isinstance(card, str) and Card.parse(card) in self

    def __iter__(self) -> Iterator[Card]:
        mask = self.mask
        while mask:
            low = mask & -mask
            yield _BY_NUMBER[low.bit_length() - 1]
            mask ^= low

    def __len__(self) -> int:
        return self.mask.bit_count()

    def __eq__(self, other: object) -> bool:
        if isinstance(other, CardSet):
            return self.mask == other.mask
        return AbstractSet.__eq__(self, other)

    def __hash__(self) -> int:
        return self._hash()

    def __str__(self) -> str:
        return "".join(map(str, self))

    def __repr__(self) -> str:
        return f"CardSet.parse({str(self)!r})"


def deck_cards(lowest_rank: int = 6, suits: int = 4, *, jokers: bool = False) -> tuple[Card, ...]:
    """Return the cards of a deck by their numbers, lowest spade first.

    The lowest rank is 2 to 14 (rules 1.2); 1 to 4 suits are in the order ♠ ♥ ♦ ♣. ``jokers`` adds both (1.6).
    """
    return tuple(
        card
        for card in ALL_CARDS
        if (jokers if card.is_joker else card.rank >= lowest_rank and card.suit < suits)
    )
