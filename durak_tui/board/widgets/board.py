"""The game board: arranges its parts and panels, and animates cards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.geometry import NULL_OFFSET, Offset, Region, Size, Spacing
from textual.layout import ArrangeResult, Layout, WidgetPlacement
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Static

from durak_core import Card
from durak_tui.board.view import MOST_FLIGHTS, Flight, Spot, flights_between
from durak_tui.board.widgets.cards import Hand, Status, Table, Talon
from durak_tui.board.widgets.layout import LEAST_LOG, LOG_FROM, BoardPlan, Needs, Panel, PanelName, plan
from durak_tui.board.widgets.prompt import MoveLog, Prompt
from durak_tui.board.widgets.seats import OwnSeat, Seat, open_hand
from durak_tui.hints.view.advice import AdviceView
from durak_tui.hints.view.knowledge import KnowledgeView
from durak_tui.hints.widgets import AdvicePanel, KnowledgePanel
from durak_tui.ui.view.board_data import AsideTone, Look, TableView
from durak_tui.ui.widgets.cards import Flyer

_MOST_OPPONENTS = 5


class _Planned(Layout):
    """Gives each part of the board the region that the plan has for its id."""

    name = "planned"

    def __init__(self, plan_for: Callable[[Size], BoardPlan]) -> None:
        self._plan_for = plan_for

    def arrange(
        self,
        parent: Widget,
        children: list[Widget],
        size: Size,
        greedy: bool = True,
    ) -> ArrangeResult:
        del parent, greedy
        parts = self._plan_for(size).parts
        return [_placed(child, parts) for child in children]


def _placed(child: Widget, parts: dict[str, Region]) -> WidgetPlacement:
    if isinstance(child, Flyer):
        return WidgetPlacement(child.cells.region, child.offset, Spacing(), child)
    return WidgetPlacement(parts.get(child.id or "", Region()), NULL_OFFSET, Spacing(), child)


class GameBoard(Widget):
    """Shows a `TableView`; its parts post the user's input as messages.

    Args:
        log: Whether the move log is open by default if there is room.
    """

    DEFAULT_CSS = """
    GameBoard {
        width: 1fr;
        height: 1fr;
        layers: ground base over;
        background: $success 22%;
        & Status { background: $panel; }
        & Prompt { background: $panel; }
        & #side { layer: ground; background: $surface; }
        & MoveLog { background: $surface; }
        &:ansi, &:ansi #side, &:ansi MoveLog, &:ansi Status, &:ansi Prompt { background: ansi_default; }
    }
    """

    @dataclass
    class Dropped(Message):
        """A card of the hand was dragged to the table, perhaps onto an open attack card."""

        card: Card
        target: Card | None

    _view: TableView | None = None
    _plan: BoardPlan | None = None
    _asked: tuple[PanelName, ...] = ()
    """The panels opened by the user, the newest first."""
    is_told = False
    """Whether the prompt shows a text from `tell`."""
    is_flying = False
    """Whether cards are on their way; every key asks."""
    _flight = 0

    def __init__(self, *, log: bool = True) -> None:
        super().__init__()
        self._log_hidden = not log
        self._layout = _Planned(self._plan_for)

    @property
    def layout(self) -> Layout:
        return self._layout

    def compose(self) -> ComposeResult:
        yield Static(id="side")
        yield Status(id="status")
        for number in range(_MOST_OPPONENTS):
            yield Seat(id=f"seat-{number}")
        yield Table(id="table")
        yield Talon(id="talon")
        yield AdvicePanel(id="advice")
        yield OwnSeat(id="own")
        yield Prompt(id="prompt")
        yield Hand(id="hand")
        yield MoveLog(id="log")
        yield KnowledgePanel(id="knowledge")
        for _ in range(MOST_FLIGHTS):
            yield Flyer()

    # Interface for the screen

    def show(self, view: TableView, seconds: float = 0.0) -> None:
        """Show another moment; a positive number of seconds animates the cards that moved."""
        if self._view is None or view.ply != self._view.ply:
            self.land()
        flights = flights_between(self._view, view) if seconds > 0 else ()
        starts = [self._offset_of(flight.start, flight.card) for flight in flights]
        self._show(view)
        if flights:
            self._fly(flights, starts, seconds)

    def _show(self, view: TableView) -> None:
        before, self._view = self._view, view
        look = view.look
        self.query_one(Status).show(view, look)
        self.query_one(AdvicePanel).look = look
        for seat, opponent in zip(self.query(Seat), view.opponents, strict=False):
            seat.show(opponent, look)
        self.query_one(Table).show(view, look)
        self.query_one(Talon).show(view.moment.observation, look)
        self.query_one(OwnSeat).show(view.viewer, look)
        self.hand.show(view.hand, look)
        self.query_one(Prompt).show(view.prompt, look)
        if before is None or (view.ply, view.hand) != (before.ply, before.hand) or not self.is_told:
            self._show_reason()
        self.query_one(MoveLog).show(view.log, view.ply, look)
        self._arrange()

    # Card animations

    def _offset_of(self, spot: Spot, card: Card) -> Offset:
        table = self.query_one(Table)
        match spot.zone:
            case "hand":
                widget: Widget = self.hand
                at = self.hand.place_of(card)
            case "seat":
                widget = self._seat(spot.number)
                at = Offset(widget.size.width // 2, 0)
            case "discards":
                widget = self.query_one(Talon)
                at = Offset(2, max(0, widget.size.height - 5))
            case _:
                widget = table
                at, _ = table.place_of(spot.number, defence=spot.zone == "defence")
        return widget.region.offset - self.region.offset + at

    def _fly(self, flights: Sequence[Flight], starts: Sequence[Offset], seconds: float) -> None:
        """Animate cards; the table draws them once they arrive."""
        self.is_flying = True
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

    @on(Hand.Dragged)
    def drag(self, event: Hand.Dragged) -> None:
        """Let a card follow the mouse; over the table it is played."""
        event.stop()
        self.land()
        flyer, table = self.query(Flyer).first(), self.query_one(Table)
        at = event.place - self.region.offset
        flyer.carry(event.card, self.hand.card_size, self.hand.look)
        flyer.offset = at - Offset(flyer.cells.width // 2, flyer.cells.height // 2)
        flyer.display = not event.is_over
        if event.is_over and table.region.contains_point(event.place):
            target = table.lies_at(event.place - table.region.offset)
            self.post_message(self.Dropped(event.card, target if isinstance(target, Card) else None))

    def land(self) -> None:
        if self.is_flying:
            self.is_flying = False
            self._flight += 1
            for flyer in self.query(Flyer):
                flyer.display = False
            self.query_one(Table).hold(())

    def tell(self, text: str, tone: AsideTone = "news") -> None:
        """Show a text in the prompt until the next action or a change of the hand."""
        self.is_told = bool(text)
        prompt = self.query_one(Prompt)
        prompt.aside, prompt.aside_tone = text, tone

    def _show_reason(self) -> None:
        self.tell(self.hand.why, "note")
        self.is_told = False

    @property
    def hand(self) -> Hand:
        return self.query_one(Hand)

    @property
    def card(self) -> Card | None:
        return self.hand.card

    # Panels

    def show_advice(self, view: AdviceView | None) -> None:
        self.query_one(AdvicePanel).show(view)
        self.hand.hinted = None if view is None else view.card
        self._ask("advice", wanted=view is not None)

    def show_knowledge(self, view: KnowledgeView | None) -> None:
        self.query_one(KnowledgePanel).show(view)
        self._ask("knowledge", wanted=view is not None)

    def toggle_log(self) -> None:
        """Show or hide the move log; without room beside the table, the table shrinks."""
        self._log_hidden = self.query_one(MoveLog).display
        self._ask("log", wanted=not self._log_hidden)

    def _ask(self, name: PanelName, *, wanted: bool) -> None:
        """Open or close a panel; without room for all, the newest stay."""
        if not wanted:
            self._asked = tuple(other for other in self._asked if other != name)
        elif name not in self._asked:
            self._asked = (name, *self._asked)
        self._arrange()

    def _panels(self, width: int) -> tuple[Panel, ...]:
        asked = self._asked
        if width >= LOG_FROM and not self._log_hidden and "log" not in asked:
            asked = (*asked, "log")
        advice, knowledge = self.query_one(AdvicePanel), self.query_one(KnowledgePanel)
        known: dict[PanelName, Panel] = {
            "log": Panel("log", lambda _width: LEAST_LOG, lambda _width: LEAST_LOG + 2),
            "advice": Panel("advice", advice.rows_beside, advice.rows_across),
            "knowledge": Panel("knowledge", knowledge.rows_beside, knowledge.rows_across),
        }
        return tuple(known[name] for name in asked)

    # The layout

    def on_resize(self) -> None:
        self._arrange()

    @property
    def shows_log(self) -> bool:
        return self.query_one(MoveLog).display

    @property
    def shows_hands(self) -> bool:
        return self._plan is None or self._plan.whole

    def _seat(self, number: int) -> Seat:
        opponents = self._view.opponents if self._view is not None else ()
        numbers = [opponent.seat for opponent in opponents]
        return list(self.query(Seat))[numbers.index(number) if number in numbers else 0]

    def _needs(self, width: int) -> Needs:
        view = self._view
        if view is None:
            return Needs(1, 0, 0)
        observation = view.moment.observation
        return Needs(
            opponents=len(view.opponents),
            hand=len(view.hand.cards),
            pairs=len(observation.table),
            limit=observation.limit,
            status=self.query_one(Status).rows,
            size=view.look.size,
            is_for_fingers=self.screen.has_class("-touch"),
            opened=lambda columns: max(len(open_hand(seat.shown, columns)) for seat in view.opponents),
            is_open=any(seat.cards for seat in view.opponents)
            and all(len(seat.shown) == seat.cards for seat in view.opponents),
            panels=self._panels(width),
        )

    def _plan_for(self, size: Size) -> BoardPlan:
        """Return the current plan, or a new one if Textual arranges another size first."""
        if self._plan is not None and size == self.size:
            return self._plan
        return plan(size.width, size.height, self._needs(size.width))

    def _arrange(self) -> None:
        if not self.size.width:
            return
        made = plan(self.size.width, self.size.height, self._needs(self.size.width))
        if made == self._plan:
            return
        self._plan = made
        for child in self.children:
            if not isinstance(child, Flyer):
                child.display = child.id in made.parts
        for seat in self.query(Seat):
            seat.boxed = made.boxed
        self.hand.card_size = made.card
        self.query_one(Table).largest = self.query_one(Talon).largest = made.card
        self.query_one(Table).centre = made.centre
        self.query_one(AdvicePanel).narrow = "advice" in made.beside
        self.query_one(KnowledgePanel).narrow = "knowledge" in made.beside
        self.hand.refresh(layout=True)  # Textual drops its cached arrangement only if a child requests it

    @on(Hand.CursorMoved)
    def _update_reason(self) -> None:
        if self.hand.why or not self.is_told:
            self._show_reason()
