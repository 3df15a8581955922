"""View data of the board, of a sheet's columns and cells, and of plots.

`durak_tui.board.view` builds a `TableView` from one seat's `Observation`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Final, Literal, TypeAlias

from durak_core import Card, Suit
from durak_tui.play.game import Moment
from durak_tui.text.i18n import gettext, percent_sign, pgettext
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
class TableView:
    """Everything the board shows.

    Attributes:
        target: The open attack card that the next defence beats.
        score: The score of the series; empty before its first loss.
        note: For an empty table, how the last bout ended.
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


def dangers(chances: Sequence[Curve]) -> list[list[float | None]]:
    """Return each seat's probability of being the fool, from the seats' probabilities of not being it.

    They sum to 1 at each moment. A seat without an estimate counts as 1/n; if no seat has one, all are None.
    """
    moments = [_shares(at) for at in zip_longest(*chances)]
    return [list(curve) for curve in zip(*moments, strict=True)] or [[] for _ in chances]


def _shares(chances: Sequence[float | None]) -> Sequence[float | None]:
    fair = 1 / len(chances)
    if all(chance is None for chance in chances):
        return (None,) * len(chances)
    known = [fair if chance is None else 1 - chance for chance in chances]
    total = sum(known)
    return [share / total if total else fair for share in known]


def percents(shares: Sequence[float]) -> list[int]:
    """Round shares of a whole to percentages that sum to 100."""
    exact = [100 * share for share in shares]
    rounded = [math.floor(value) for value in exact]
    by_rest = sorted(range(len(exact)), key=lambda index: rounded[index] - exact[index])
    for index in by_rest[: 100 - sum(rounded)]:
        rounded[index] += 1
    return rounded


def fool_plot(
    chances: Sequence[Curve],
    labels: Sequence[tuple[str, str]],
    ink: Callable[[int], str],
    chosen: int,
    cursor: int,
) -> tuple[list[PlotLine], PlotLook]:
    """Plot each seat's probability of not being the fool. For two seats they sum to 1.

    In team games, each line is a team. The labels are a long and a short name for each line. From three
    seats, the y-axis ignores the last moment, which is the game's result.
    """
    risks = dangers(chances)
    count, figures = len(risks), _figures([risk[cursor] for risk in risks if cursor < len(risk)])
    lasts = _figures([next((share for share in reversed(risk) if share is not None), None) for risk in risks])
    low = 0.0 if count == 2 else 1 - _top(risks)
    titles = gettext("chance of not being the fool"), pgettext("chance", "not the fool")
    look = PlotLook(low=low, guide=1 - 1 / count, cursor=cursor, titles=titles)
    lines = [
        PlotLine(
            [None if share is None else 1 - share for share in risk],
            ink(seat),
            *labels[seat],
            figures[seat] if figures else "",
            lasts[seat] if lasts else "",
            is_bold=seat == chosen,
        )
        for seat, risk in enumerate(risks)
    ]
    return lines, look


def _figures(risks: Sequence[float | None]) -> list[str]:
    """Return the chances of not being the fool as text; empty if they are unknown."""
    known = [risk for risk in risks if risk is not None]
    return [percent_sign(str(100 - figure)) for figure in percents(known)] if known else []


def _top(curves: Sequence[Curve]) -> float:
    """Return the limit above all values but the last, and at least 2/n."""
    heights = [value for curve in curves for value in curve[:-1] if value is not None]
    return min(1.0, math.ceil(max(*heights, 2 / len(curves), 0) / _STEP - _SLACK) * _STEP)
