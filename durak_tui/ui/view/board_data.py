"""View data of the board, of a sheet's columns and cells, and of plots.

`durak_tui.board.view` builds a `TableView` from one seat's `Observation`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from durak_core import Card, Suit
from durak_tui.play.game import Moment
from durak_tui.text.i18n import gettext, percent, pgettext
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
        cursor: The card chosen when the turn begins: ``none``, or ``middle`` unless the player may pass. The
            only legal action's card is always chosen.
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
    cursor: str = "none"


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
        start: The card that is chosen when the question changes, or None.
        is_numbered: Whether number keys play the cards.
    """

    cards: tuple[HandCard, ...] = ()
    is_turn: bool = False
    can_choose: bool = False
    start: Card | None = None
    is_numbered: bool = True


@dataclass(frozen=True, slots=True)
class TableView:
    """Everything the board shows.

    Attributes:
        target: The open attack card that the next defence beats.
        score: The score of the series; empty before its first loss.
        note: For an empty table, how the last bout ended.
        is_before: Whether the move to come is looked at, and counted in the head, as in a review.
    """

    look: Look
    moment: Moment
    opponents: tuple[SeatView, ...]
    viewer: SeatView
    target: Card | None
    prompt: PromptView
    hand: HandView
    log: tuple[LogLine, ...]
    score: str = ""
    note: str = ""
    is_before: bool = False

    @property
    def ply(self) -> int:
        return self.moment.ply


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


Curve: TypeAlias = Sequence[float | None]

_STEP: Final = 0.1
_SLACK: Final = 1e-9


@dataclass(frozen=True, slots=True)
class PlotLine:
    """A line of a plot.

    Attributes:
        values: Values at equal distances; None leaves a gap.
        short: A shorter name for a narrow legend; without it, long names are cut.
        figure: The value at the cursor, as text.
        last: The last value, as text.
    """

    values: Curve
    style: str = ""
    name: str = ""
    short: str = ""
    figure: str = ""
    last: str = ""
    is_bold: bool = False


@dataclass(frozen=True, slots=True)
class PlotLook:
    """Axes and marks of a plot.

    Attributes:
        guide: Height of a dotted horizontal line, such as 1/n.
        cursor: Index of the highlighted column.
        marks: One-cell signs above values, by index, each with a style.
        titles: What the plot shows, in a long and a short form.
        figures: Whether each line has its figure next to the cursor, unless the cursor is at the end.
        unit: ``%`` for percentages, otherwise plain numbers.
    """

    low: float = 0.0
    high: float = 1.0
    guide: float | None = None
    cursor: int | None = None
    marks: Mapping[int, tuple[str, str]] = field(default_factory=dict)
    titles: tuple[str, ...] = ()
    figures: bool = False
    unit: str = "%"


def fool_plot(
    chances: Sequence[Curve],
    labels: Sequence[tuple[str, str]],
    ink: Callable[[int], str],
    chosen: int,
    cursor: int,
) -> tuple[list[PlotLine], PlotLook]:
    """Plot each seat's probability of not being the fool, as hints and lists have it.

    In team games, each line is a team. The labels are a long and a short name for each line. From three
    seats, the y-axis ignores the last moment, which is the game's result.
    """
    count = len(chances)
    low = 0.0 if count == 2 else _bottom(chances)
    titles = gettext("how safe each player is"), pgettext("chance", "safe")
    look = PlotLook(low=low, guide=1 - 1 / count, cursor=cursor, titles=titles)
    lines = [
        PlotLine(
            values,
            ink(seat) if seat == chosen or count == 2 else f"{ink(seat)} dim".strip(),
            *labels[seat],
            _figure(values[cursor : cursor + 1]),
            _figure(values),
            is_bold=seat == chosen,
        )
        for seat, values in enumerate(chances)
    ]
    return lines, look


def _figure(values: Curve) -> str:
    """Return the last known value as text; empty without one."""
    known = [value for value in values if value is not None]
    return percent(known[-1]) if known else ""


def _bottom(curves: Sequence[Curve]) -> float:
    """Return the limit below all values but the last, and at most 1 - 2/n."""
    heights = [value for curve in curves for value in curve[:-1] if value is not None]
    return max(0.0, math.floor(min([*heights, 1 - 2 / len(curves)]) / _STEP + _SLACK) * _STEP)
