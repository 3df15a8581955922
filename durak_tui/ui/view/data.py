"""What the table shows, made by `durak_tui.board.view.table` from one seat's `Observation`; no Textual."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from durak_core import Card, Suit
from durak_tui.text.phrases import LogLine

DeckColours: TypeAlias = Literal["two", "four"]
CardSize: TypeAlias = Literal["auto", "huge", "large", "normal", "small", "tiny"]
SortOrder: TypeAlias = Literal["suit", "rank", "drawn"]
Tone: TypeAlias = Literal["turn", "wait", "result"]
AsideTone: TypeAlias = Literal["note", "news", "refusal"]
"""How what stands in for the prompt's quieter sentence is meant: about the card under the cursor, something
that has happened, or why what was tried cannot be done."""


@dataclass(frozen=True, slots=True)
class Look:
    """How the person wants the cards to look.

    Attributes:
        colours: ``two`` for black and red, ``four`` for a colour of its own for each suit.
        ascii: Draw with letters and ``+-|`` alone.
        size: Cells of a card: huge 11 by 9, large 7 by 5, normal 5 by 4, small 5 by 3, tiny 3 by 1; auto
            takes what fits.
        sort: Order of the hand; trumps come at the end of ``suit`` and ``rank``.
        plain: No colours at all (NO_COLOR): what colours say is said by lines and signs too.
        seen: Show the cards that everybody knows to be in a hand (rules 9.2).
    """

    colours: DeckColours = "two"
    ascii: bool = False
    size: CardSize = "auto"
    sort: SortOrder = "suit"
    descending: bool = False
    plain: bool = False
    seen: bool = False


@dataclass(frozen=True, slots=True)
class ButtonView:
    """A button of the prompt.

    Attributes:
        name: The action that it stands for, such as ``take`` or ``show_trump``.
        key: The key that does the same, as people read it.
    """

    name: str
    label: str
    key: str = ""


@dataclass(frozen=True, slots=True)
class SeatView:
    """One seat's box.

    Attributes:
        role: What it does in this bout, in a word or two: "attacking", "passed", "out, 1st".
        team: The number of its team, where there are teams.
        partners: The names of its partners; only the viewer's are told.
        stars: How strong it plays, from 1 to 6; 0 where that is not known.
        place: Its finishing place from 1 once it is out, else None.
        shown: Cards of its hand that may be drawn open, in order; others are backs.
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
    place: int | None = None
    is_fool: bool = False
    shown: tuple[Card, ...] = ()


@dataclass(frozen=True, slots=True)
class PairView:
    """An attack card with what lies on it; the target is the open attack that the next answer beats."""

    attack: Card
    defence: Card | None = None
    is_target: bool = False


@dataclass(frozen=True, slots=True)
class TalonView:
    """The talon, the trump card beneath it, and the discard pile.

    Attributes:
        trump_card: The card that lies or lay open at the bottom; None without trumps.
        is_open: Whether the trump card still lies beneath the talon.
        talon: Cards left to draw, the trump card included.
    """

    trump_card: Card | None
    trump_suit: Suit | None
    is_open: bool
    talon: int
    discard: int


@dataclass(frozen=True, slots=True)
class PromptView:
    """The sentence under the table and the buttons beside it.

    Attributes:
        tone: ``turn`` when the viewer is to act, ``wait`` at another's turn, ``result`` at the end.
        detail: A second, quieter sentence; may be empty.
    """

    text: str
    tone: Tone
    detail: str = ""
    buttons: tuple[ButtonView, ...] = ()


@dataclass(frozen=True, slots=True)
class HandCard:
    """A card of the viewer's hand.

    Attributes:
        why: Why it cannot be played, as a sentence; empty when it can, or at another's turn.
        known: Whether all the others know that it is here (rules 9.2), where the person asks for that.
    """

    card: Card
    playable: bool = False
    why: str = ""
    known: bool = False


@dataclass(frozen=True, slots=True)
class HandView:
    """The viewer's hand.

    Attributes:
        is_turn: Whether the viewer is to act; only then are unplayable cards drawn dim.
        can_choose: Whether a person plays this hand, so that it has a cursor.
    """

    cards: tuple[HandCard, ...] = ()
    is_turn: bool = False
    can_choose: bool = False


@dataclass(frozen=True, slots=True)
class StatusView:
    """The status line.

    Attributes:
        changed: Whether options differ from the preset.
        limit: Most attack cards it may have.
        score: The score of a series, with a row of its own; empty where there is none.
    """

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
    """Everything the table shows.

    Attributes:
        opponents: The other seats, clockwise from the viewer.
        note: How the last bout ended, to be said on an empty table; may be empty.
    """

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
