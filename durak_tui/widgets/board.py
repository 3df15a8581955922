"""The game board: all parts of the table, laid out for the room there is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Container, Horizontal, Vertical
from textual.geometry import Offset
from textual.widget import Widget

from durak_core import Card
from durak_tui.input.messages import CursorMoved
from durak_tui.views.advice import AdviceView
from durak_tui.views.card_motion import MOST_FLIGHTS, Flight, Spot, flights_between
from durak_tui.views.data import AsideTone, Look, TableView
from durak_tui.views.knowledge import KnowledgeView
from durak_tui.widgets.advice import AdvicePanel
from durak_tui.widgets.cards import LARGE, TINY, Flyer, Size, sizes_up_to
from durak_tui.widgets.hand import Hand
from durak_tui.widgets.knowledge import KnowledgePanel
from durak_tui.widgets.move_log import MoveLog
from durak_tui.widgets.prompt import Prompt
from durak_tui.widgets.seats import OwnSeat, Seats
from durak_tui.widgets.status import Status
from durak_tui.widgets.table import Table
from durak_tui.widgets.talon import Talon

_LOG_FROM: Final = 100
_SIDE_WIDTHS: Final = ((160, 44), (120, 38), (0, 28))
_ADVICE_FROM: Final = 120
"""Width from which advice stands beside the table instead of in it."""
_LEAST_LOG: Final = 6
"""Rows that the move log and the status need beside the knowledge; with fewer the log gives way."""
BOXES_FROM: Final = 22
"""Height from which the opponents have boxes."""
_ONE_ROW_FROM: Final = 72
"""Width from which a sentence of the prompt has room in one row."""
_ROOMY_TABLE: Final = 12
"""Rows the table keeps beside a hand of the largest cards, unless they are asked for."""


class GameBoard(Vertical):
    """Shows a `TableView`; what people do comes out as the messages of `durak_tui.input.messages`."""

    DEFAULT_CSS = """
    GameBoard {
        width: 1fr;
        height: 1fr;
        layers: base over;
        background: $background;
        & Status { background: $panel; }
        & #body { height: 1fr; }
        & #play { width: 1fr; background: $success 22%; }
        & #felt { height: 1fr; }
        & Prompt { background: $panel; }
        & #side { display: none; width: 28; background: $surface; padding: 0 0 0 1; }
        & #side.-beside { display: block; }
        & #side.-over { display: block; layer: over; position: absolute; }
        & #advice { display: none; height: auto; margin: 1 0 0 0; }
        & #knowledge-beside { margin: 1 0 0 0; }
        & #knowledge-over { layer: over; position: absolute; offset: 0 1; }
        &:ansi, &:ansi #play, &:ansi #side, &:ansi Status, &:ansi Prompt { background: ansi_default; }
    }
    """

    _view: TableView | None = None
    _log_wanted: bool | None = None
    _is_told = False
    _flight = 0

    def compose(self) -> ComposeResult:
        yield Status()
        with Horizontal(id="body"):
            with Vertical(id="play"):
                yield Seats()
                with Horizontal(id="felt"):
                    yield Table()
                    yield Talon()
                yield AdvicePanel(id="advice-strip")
                yield OwnSeat()
                yield Prompt()
                yield Hand()
            with Vertical(id="side"):
                yield MoveLog()
                with Container(id="advice"):
                    yield AdvicePanel(narrow=True, id="advice-panel")
                yield KnowledgePanel(narrow=True, id="knowledge-beside")
        yield KnowledgePanel(id="knowledge-over")
        for _ in range(MOST_FLIGHTS):
            yield Flyer()

    # What the screen asks for

    def show(self, view: TableView, seconds: float = 0.0) -> None:
        """Show another moment; cards that have moved are seen on their way for so many seconds, if any."""
        if self._view is None or view.ply != self._view.ply:
            self.land()
        flights = flights_between(self._view, view) if seconds > 0 else ()
        starts = [self._offset_of(flight.start, flight.card) for flight in flights]
        self._show(view)
        if flights:
            self._fly(flights, starts, seconds)

    def _show(self, view: TableView) -> None:
        self._view = view
        look = view.look
        self.query_one(Status).show(view.status, look)
        self.query_one(Seats).show(view.opponents, look)
        self.query_one(Table).show(view.pairs, look, view.status.limit, view.note)
        self.query_one(Talon).show(view.talon, look)
        self.query_one(OwnSeat).show(view.viewer, look)
        self.hand.show(view.hand, look)
        self.query_one(Prompt).show(view.prompt, look)
        self._tell_why()
        self.query_one(MoveLog).show(view.log, view.ply)
        self._arrange()

    # Cards on their way

    def _offset_of(self, spot: Spot, card: Card) -> Offset:
        table = self.query_one(Table)
        match spot.zone:
            case "hand":
                widget: Widget = self.hand
                at = self.hand.place_of(card)
            case "seat":
                widget = self.query_one(Seats)
                at = self.query_one(Seats).place_of(spot.number)
            case "discards":
                widget = self.query_one(Talon)
                at = Offset(2, max(0, widget.size.height - 5))
            case _:
                widget = table
                at, _ = table.place_of(spot.number, defence=spot.zone == "defence")
        return widget.region.offset - self.region.offset + at

    def _fly(self, flights: Sequence[Flight], starts: Sequence[Offset], seconds: float) -> None:
        """Let cards be seen on their way; the table draws them when they have come."""
        self._flight += 1
        number = self._flight
        table = self.query_one(Table)
        table.hold(flight.card for flight in flights)
        _, size = table.place_of(0)
        look = self._view.look if self._view is not None else Look()
        for flyer, flight, start in zip(self.query(Flyer), flights, starts, strict=False):
            end = self._offset_of(flight.end, flight.card)
            flyer.carry(flight.card, size, look)
            flyer.offset = start
            flyer.display = True
            flyer.animate(
                "offset",
                end,
                duration=seconds,
                easing="out_cubic",
                on_complete=lambda: self.land() if self._flight == number else None,
            )

    @property
    def is_flying(self) -> bool:
        return any(flyer.display for flyer in self.query(Flyer))

    def land(self) -> None:
        """Let every card be where it belongs, at once."""
        if self.is_flying:
            self._flight += 1
            for flyer in self.query(Flyer):
                flyer.display = False
            self.query_one(Table).hold(())

    def tell(self, text: str, tone: AsideTone = "news") -> None:
        """Say something in the prompt until the next moment."""
        self._is_told = bool(text)
        prompt = self.query_one(Prompt)
        prompt.aside, prompt.aside_tone = text, tone

    def _tell_why(self) -> None:
        """Say why the card under the cursor cannot be played, or nothing."""
        self.tell(self.hand.why, "note")
        self._is_told = False

    @property
    def hand(self) -> Hand:
        return self.query_one(Hand)

    @property
    def card(self) -> Card | None:
        return self.hand.card

    def show_advice(self, view: AdviceView | None) -> None:
        """Show advice beside the table, or where there is no room in it, above the hand; None hides it."""
        before = self._advice_rows
        for panel in self.query(AdvicePanel):
            panel.show(view)
        if self._advice_rows != before:
            self._arrange()

    def show_knowledge(self, view: KnowledgeView | None) -> None:
        """Show what a seat knows beside the table, or where there is no room over it; None hides it."""
        for panel in self.query(KnowledgePanel):
            panel.show(view)
        self._arrange()

    @property
    def is_covered(self) -> bool:
        """Whether something lies over the table."""
        return bool(self.query_one("#knowledge-over").display)

    @property
    def _advice_rows(self) -> tuple[int, ...]:
        return tuple(panel.rows for panel in self.query(AdvicePanel))

    def toggle_log(self) -> None:
        """Show or hide the move log; without room beside the table it lies over it."""
        side = self.query_one("#side")
        self._log_wanted = not (side.display and self.query_one(MoveLog).display)
        self._arrange()

    # The layout

    def on_resize(self, event: events.Resize) -> None:
        del event
        self._arrange()

    def _arrange(self) -> None:
        width, height = self.size
        if not width:
            return
        play_width = width - self._arrange_side(width, height)
        seats = 3 if height >= BOXES_FROM else 2
        prompt = 2 if play_width >= _ONE_ROW_FROM else 3
        self.query_one(Seats).styles.height = seats
        self.query_one(Prompt).styles.height = prompt
        own_lines = self.query_one(Status).rows + 1
        rows = height - own_lines - seats - prompt - self._arrange_strip(width)
        size = self._card_size(rows)
        self.hand.styles.height = size.height + 1
        self._arrange_over(play_width, seats + rows - size.height - 1)
        self.query_one(Table).largest = size
        self.query_one(Talon).largest = size

    def _arrange_side(self, width: int, height: int) -> int:
        """Place the move log and the advice under it; return the columns they take from the table."""
        has_room = width >= _LOG_FROM
        log_wanted = has_room if self._log_wanted is None else self._log_wanted
        advice_wanted = width >= _ADVICE_FROM and self._arrange_panel()
        knowledge_rows = self._arrange_beside(width, height)
        wanted = log_wanted or advice_wanted or knowledge_rows > 0
        least = knowledge_rows + self._panel_rows + _LEAST_LOG
        self.query_one(MoveLog).display = log_wanted and (not knowledge_rows or least <= height)
        side = self.query_one("#side")
        columns = next(columns for least, columns in _SIDE_WIDTHS if width >= least)
        side.set_class(wanted and has_room, "-beside")
        side.set_class(wanted and not has_room, "-over")
        side.styles.width = columns
        if wanted and not has_room:
            side.styles.offset = (width - columns, 0)
            side.styles.height = max(6, height - 11)
        else:
            side.styles.offset = (0, 0)
            side.styles.height = "1fr"
        return columns if wanted and has_room else 0

    def _arrange_beside(self, width: int, height: int) -> int:
        """Fit the knowledge under the move log where there is room; return the rows it takes."""
        panel = self.query_one("#knowledge-beside", KnowledgePanel)
        columns = next(columns for least, columns in _SIDE_WIDTHS if width >= least)
        rows = panel.rows(columns - 1) if width >= _ADVICE_FROM else 0
        fits = rows + 1 + self._panel_rows + self.query_one(Status).rows <= height
        panel.display = rows > 0 and fits
        panel.styles.height = rows
        return rows + 1 if rows and fits else 0

    def _arrange_over(self, width: int, rows: int) -> None:
        """Lay the knowledge over so many rows of seats and table where it has no room beside them."""
        panel = self.query_one("#knowledge-over", KnowledgePanel)
        needed = panel.rows(width)
        panel.display = needed > 0 and not self.query_one("#knowledge-beside").display
        panel.styles.width = width
        panel.styles.height = max(needed, rows)
        panel.styles.offset = (0, self.query_one(Status).rows)

    @property
    def _panel_rows(self) -> int:
        """How many rows the advice takes beside the table, with the gap above it."""
        rows = self.query_one("#advice-panel", AdvicePanel).rows
        return rows + 1 if rows else 0

    def _arrange_panel(self) -> bool:
        """Fit the advice under the move log, and return whether there is any."""
        panel = self.query_one("#advice-panel", AdvicePanel)
        self.query_one("#advice").display = panel.display = panel.rows > 0
        panel.styles.height = panel.rows
        return panel.rows > 0

    def _arrange_strip(self, width: int) -> int:
        """Fit the advice into the table where it has no room beside it; return the rows it takes."""
        strip = self.query_one("#advice-strip", AdvicePanel)
        strip.display = strip.rows > 0 and width < _ADVICE_FROM
        if width < _ADVICE_FROM:
            self.query_one("#advice").display = False
        strip.styles.height = strip.rows
        return strip.rows if strip.display else 0

    def _card_size(self, rows: int) -> Size:
        wanted = self._view.look.size if self._view else "auto"
        for size in sizes_up_to(wanted):
            table = _ROOMY_TABLE if size is LARGE and wanted == "auto" else size.pair_height + 1
            if rows - size.height - 1 >= table:
                return size
        return TINY

    @on(CursorMoved)
    def _say_why_not(self) -> None:
        if self.hand.why or not self._is_told:
            self._tell_why()
