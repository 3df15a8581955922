"""What the knowledge panel shows, as frozen data: made by `durak_tui.views.knowledge`, drawn by its widget.

Nothing here knows of Textual or of a `State`; everything comes from one seat's `Observation`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from durak_core import Card, Suit
from durak_tui.views.data import Look

Side: TypeAlias = Literal["places", "hand"]
"""Where the cards are, or what the others know of the viewer's hand."""

Kind: TypeAlias = Literal[
    "own", "seat", "talon", "bottom", "table", "discard", "open", "some", "known", "none"
]
"""How a card is coloured: in the viewer's hand, certainly with another seat, or in one of the other places;
hidden and maybe in any hidden place, or only in some of them; known to somebody; nothing to be said of it."""

_SOMEWHERE: Final = "~"
"""Where a cell has no room for all letters."""


@dataclass(frozen=True, slots=True)
class KnownCard:
    """A card of the deck.

    Attributes:
        card: The card.
        kind: How it is coloured.
        signs: What stands for each place where it may be, or for each seat that knows it, with the seat that
            the sign stands for, if it is one.
        words: The same in words, the card named first.
    """

    card: Card
    kind: Kind
    signs: tuple[tuple[str, int | None], ...]
    words: str


@dataclass(frozen=True, slots=True)
class PanelState:
    """What was chosen to be shown.

    Attributes:
        side: Where the cards are, or what the others know of the viewer's hand.
        cursor: The card to be told of in words, or None.
        hint: What is said where there is none.
    """

    side: Side = "places"
    cursor: Card | None = None
    hint: str = ""


AS_IT_OPENS: Final = PanelState()


@dataclass(frozen=True, slots=True)
class LegendItem:
    """What a sign means.

    Attributes:
        sign: The sign.
        words: Its meaning.
        kind: How the sign is coloured.
        seat: Whose colour it has, where the kind has none of its own.
    """

    sign: str
    words: str
    kind: Kind
    seat: int | None = None


@dataclass(frozen=True, slots=True)
class CharacterRow:
    """A line about one of the others.

    Attributes:
        seat: Which one.
        sign: Its sign.
        name: Its name.
        parts: What is said of it, the most important first; less room shows fewer of them.
        is_quiet: Whether there is nothing to say yet.
    """

    seat: int
    sign: str
    name: str
    parts: tuple[str, ...]
    is_quiet: bool = False


@dataclass(frozen=True, slots=True)
class KnowledgeView:
    """Everything that the panel shows.

    Attributes:
        look: How cards and signs look.
        title: Whose knowledge it is, and of what.
        side: Which of both it is.
        trump: The trump suit, or None.
        deck: The cards by suit, each in the order of ranks.
        legend: What the signs mean.
        heading: What the rows are about.
        rows: A line for each of the others.
        told: The card under the panel's cursor in words, or how to move it.
        cursor: That card, or None.
    """

    look: Look
    title: str
    side: Side
    trump: Suit | None
    deck: tuple[tuple[KnownCard, ...], ...]
    legend: tuple[LegendItem, ...]
    heading: str
    rows: tuple[CharacterRow, ...]
    told: str
    cursor: Card | None = None

    def card(self, card: Card) -> KnownCard | None:
        """Return what is shown of a card; None where the deck does not have it."""
        return next((known for row in self.deck for known in row if known.card == card), None)

    def beside(self, right: int, down: int) -> Card:
        """Return the card so many columns and rows from the cursor, going round; or the first."""
        if self.cursor is None:
            return self.deck[0][0].card
        y = next(y for y, row in enumerate(self.deck) if any(known.card == self.cursor for known in row))
        row = self.deck[(y + down) % len(self.deck)]
        x = next(x for x, known in enumerate(self.deck[y]) if known.card == self.cursor)
        return row[(min(x, len(row) - 1) + right) % len(row)].card


def cell_text(known: KnownCard, width: int) -> tuple[tuple[str, int | None], ...]:
    """Return what a cell of so many letters says of a card, with the seat that each sign stands for."""
    return known.signs if len(known.signs) <= width else ((_SOMEWHERE, None),)
