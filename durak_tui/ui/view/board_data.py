"""View data of the board, and the columns and cells of a sheet.

`durak_tui.board.view.table` builds a `TableView` from one seat's `Observation`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from durak_core import Card, Suit
from durak_tui.text.phrases import LogLine
from durak_tui.ui.view.portraits import Mood

DeckColours: TypeAlias = Literal["two", "four"]
CardSize: TypeAlias = Literal["auto", "giant", "huge", "large", "normal", "small", "tiny"]
SortOrder: TypeAlias = Literal["suit", "rank", "drawn"]
Tone: TypeAlias = Literal["turn", "wait", "result"]
AsideTone: TypeAlias = Literal["note", "news", "refusal"]
"""Kind of the prompt's second sentence: a note on the card under the cursor, an event, or a refusal."""


@dataclass(frozen=True, slots=True)
class Look:
    """Card display options.

    Attributes:
        colours: ``two`` for red and black, ``four`` for one colour per suit.
        ascii: Use letters and ``+-|`` only.
        size: Card size in cells: huge 11 by 9, large 7 by 5, normal 5 by 4, small 5 by 3, tiny 3 by 1;
            ``auto`` picks the largest that fits.
        sort: Order of the hand; ``suit`` and ``rank`` put trumps last.
        plain: Use lines and signs instead of colours (NO_COLOR).
        seen: Show cards of a hand that are public knowledge (rules 9.2).
        trump: Suit whose cards have a mark.
        remarks: Show what opponents say.
    """

    colours: DeckColours = "four"
    ascii: bool = False
    size: CardSize = "auto"
    sort: SortOrder = "suit"
    descending: bool = False
    plain: bool = False
    seen: bool = False
    trump: Suit | None = None
    remarks: bool = True


@dataclass(frozen=True, slots=True)
class ButtonView:
    """A button of the prompt, named after its action, such as ``take``, or by a key's id."""

    name: str
    label: str
    key: str = ""


@dataclass(frozen=True, slots=True)
class SeatView:
    """One seat's box.

    Attributes:
        role: Its role in this bout: "attacking", "passed", "out, 1st".
        partners: Partners' names, for the viewer only.
        stars: Playing strength from 1 to 6; 0 if unknown.
        face: Key of the opponent; empty for other players.
        place: Finishing place from 1; None while in play.
        shown: Face-up cards of its hand, in order.
    """

    seat: int
    name: str
    role: str
    cards: int
    is_turn: bool = False
    is_defender: bool = False
    is_thinking: bool = False
    team: int | None = None
    partners: tuple[str, ...] = ()
    stars: int = 0
    face: str = ""
    mood: Mood = "calm"
    place: int | None = None
    is_fool: bool = False
    shown: tuple[Card, ...] = ()


@dataclass(frozen=True, slots=True)
class PairView:
    """An attack card and its defence; the target is the open attack the next defence beats."""

    attack: Card
    defence: Card | None = None
    is_target: bool = False


@dataclass(frozen=True, slots=True)
class TalonView:
    """The talon, its trump card, and the discard pile.

    Attributes:
        trump_card: The face-up bottom card, even after it is drawn; None without trumps.
        is_open: Whether the trump card is still under the talon.
        talon: Cards left to draw, including the trump card.
    """

    trump_card: Card | None
    trump_suit: Suit | None
    is_open: bool
    talon: int
    discard: int


@dataclass(frozen=True, slots=True)
class PromptView:
    """The sentences and buttons below the table.

    Attributes:
        detail: The second sentence, which is less prominent.
        words: Quieter buttons instead of a key bar, the most important first.
    """

    text: str
    tone: Tone
    detail: str = ""
    buttons: tuple[ButtonView, ...] = ()
    words: tuple[ButtonView, ...] = ()


@dataclass(frozen=True, slots=True)
class HandCard:
    """A card of the viewer's hand.

    Attributes:
        why: Why it cannot be played, as a sentence; empty if it can, or at another's turn.
        known: Whether it is marked as known to all other seats (rules 9.2).
    """

    card: Card
    playable: bool = False
    why: str = ""
    known: bool = False


@dataclass(frozen=True, slots=True)
class HandView:
    """The viewer's hand; unplayable cards are dimmed at the viewer's turn, a human's hand has a cursor.

    Attributes:
        cheapest: The cheapest playable card, on which the cursor stands when the question changes.
    """

    cards: tuple[HandCard, ...] = ()
    is_turn: bool = False
    can_choose: bool = False
    cheapest: Card | None = None


@dataclass(frozen=True, slots=True)
class StatusView:
    """The status line; ``limit`` is the bout's maximum of attack cards, ``score`` is on a second line."""

    preset: str
    changed: bool
    deck_size: int
    bout: int
    limit: int
    trump_suit: Suit | None
    talon: int
    discard: int
    ply: int
    last_ply: int
    score: str = ""


@dataclass(frozen=True, slots=True)
class TableView:
    """Everything the board shows; an empty table has a note on the last bout."""

    look: Look
    status: StatusView
    opponents: tuple[SeatView, ...]
    viewer: SeatView
    pairs: tuple[PairView, ...]
    talon: TalonView
    prompt: PromptView
    hand: HandView
    log: tuple[LogLine, ...]
    ply: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class Column:
    """A column, shown from a ``least`` width of the sheet; a width of 0 takes the remaining cells."""

    name: str
    title: str
    width: int = 0
    right: bool = False
    least: int = 0


@dataclass(frozen=True, slots=True)
class Cell:
    """The text of a cell, and its style: ``good``, ``bad``, ``muted``, ``strong`` or empty."""

    text: str
    kind: str = ""
