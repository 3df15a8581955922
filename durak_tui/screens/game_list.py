"""The list of all games: searched, filtered and sorted."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from rich.text import Text
from textual import on
from textual.containers import Horizontal
from textual.content import Content
from textual.style import Style
from textual.widgets import Input, Static

from durak_tui.library.errors import LibraryError
from durak_tui.library.query import COLUMNS, Query
from durak_tui.screens.base import DurakScreen, Words
from durak_tui.screens.dialogs import Pick
from durak_tui.text.i18n import mark, say, say_as, say_count, translate
from durak_tui.views.library import (
    FILTERS,
    filter_choices,
    filter_value,
    filtered,
    game_cells,
    game_details,
    library_columns,
    matches,
    waiting_cells,
    waiting_details,
)
from durak_tui.views.sheet import Cell
from durak_tui.widgets.sheet import Sheet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult

    from durak_tui.library.store import GameRow, Library
    from durak_tui.play.saves import Unfinished

_VALUE_WIDTH: Final = 18


class GameListScreen(DurakScreen):
    """Look through all games; what is done with them is its subclass's matter.

    Attributes:
        query_now: What is asked for.
        ids: The numbers of the games shown, without those that wait to be continued.
    """

    MOVED = Sheet

    def __init__(self) -> None:
        super().__init__()
        self.query_now = Query()
        self._unfinished: tuple[Unfinished, ...] = ()
        self._waiting: list[Unfinished] = []
        self.ids: list[int] = []
        self._total = 0
        self._taken_up = 0
        self._told: tuple[str, object] = ("", None)

    def compose_body(self) -> ComposeResult:
        with Horizontal(id="library-head"):
            yield Words(mark("Library"), id="library-title")
            yield Static(id="library-count")
        with Horizontal(id="library-search"):
            yield Words(mark("Search:"))
            yield Input(placeholder=say("/ and any words"), compact=True, select_on_focus=False)
        yield Static(id="library-filters")
        yield Sheet(library_columns())
        yield Static(id="library-foot", markup=False)

    def on_mount(self) -> None:
        self._sheet.focus()

    async def on_screen_resume(self) -> None:
        self.reload()
        await self.host.shelf.collect()
        if self.is_attached and self._taken_up != self.host.shelf.taken_up:
            self.reload()

    def settings_changed(self) -> None:
        """Take over the signs that are drawn."""
        super().settings_changed()
        self._sheet.ascii_only = self.host.settings.ascii
        self._sheet.set_columns(library_columns())
        self.query_one(Input).placeholder = say("/ and any words")
        self._show_count()
        self.show_details()

    @property
    def library(self) -> Library:
        """The library."""
        return self.host.shelf.library

    @property
    def _sheet(self) -> Sheet:
        return self.query_one(Sheet)

    # Looking

    def reload(self) -> None:
        """Look for unfinished games too, then show what is asked for."""
        self._unfinished = self.host.saves.unfinished()
        for problem in self.host.saves.problems:
            self.host.tell(problem)
        self._find()

    def look_for(self, **changes: Any) -> None:  # noqa: ANN401 - the fields have several types
        """Change what is asked for, by the fields of `Query`, and go to the first game."""
        self.query_now = replace(self.query_now, **changes)
        self._told = ("", None)
        self._sheet.set_reactive(Sheet.cursor, 0)
        self._find()

    def _find(self) -> None:
        query = self.query_now
        self._taken_up = self.host.shelf.taken_up
        self._waiting = [game for game in self._unfinished if matches(game, query)]
        try:
            self.ids = self.library.find(query)
            self._total = self.library.count() + len(self._unfinished)
        except LibraryError as error:
            self.ids = []
            self.tell(str(error))
        count = len(self._waiting) + len(self.ids)
        self._sheet.show(count, self._fetch, sorted_by=query.column, descending=query.descending)
        self._show_count()

    def _show_count(self) -> None:
        """Say how many games there are and which are shown."""
        count = len(self._waiting) + len(self.ids)
        games = say_count("{count} game", "{count} games", self._total)
        text = games if count == self._total else say("{count} of {games}", count=count, games=games)
        self.query_one("#library-count", Static).update(text)
        self._show_filters()

    def _fetch(self, start: int, stop: int) -> Sequence[Sequence[Cell]]:
        waiting = [waiting_cells(game) for game in self._waiting[start:stop]]
        first = len(self._waiting)
        ids = self.ids[max(0, start - first) : max(0, stop - first)]
        try:
            rows = self.library.rows(ids)
        except LibraryError:
            rows = {}
        lost = (Cell("-"),) * len(library_columns())
        return waiting + [game_cells(rows[number]) if number in rows else lost for number in ids]

    def _show_filters(self) -> None:
        muted = Style.parse("dim")
        pieces: list[Any] = []
        for name, label in FILTERS.items():
            value = filter_value(self.query_now, name)
            click = Style.from_meta({"@click": f"screen.filter_by('{name}')"})
            shown = value if len(value) <= _VALUE_WIDTH else value[: _VALUE_WIDTH - 1] + "~"
            pieces += [
                (f"{translate(label)}: ", muted + click),
                (shown or say_as("filter", "any"), (Style(bold=True) if value else muted) + click),
                "  ",
            ]
        self.query_one("#library-filters", Static).update(Content.assemble(*pieces))

    def tell(self, text: str) -> None:
        """Say something under the list, until another game is chosen."""
        self._told = (text, self._mark)
        self.show_details()

    @on(Sheet.Moved)
    def show_details(self) -> None:
        """Say more about the game under the cursor, unless there is something else to say."""
        text, mark = self._told
        if mark != self._mark:
            text, self._told = "", ("", None)
        foot = self.query_one("#library-foot", Static)
        foot.set_class(bool(text), "-told")
        foot.update(Text(text) if text else Text(self._details(), no_wrap=True, overflow="ellipsis"))
        self.refresh_bindings()

    def _details(self) -> str:
        chosen = self.chosen
        if chosen is None:
            if self._total:
                return say("No game is like that; c shows all games again.")
            return say("There is no game yet. Play one, or import games with i.")
        if isinstance(chosen, int):
            row = self.row(chosen)
            return "" if row is None else game_details(row)
        return waiting_details(chosen)

    @property
    def chosen(self) -> int | Unfinished | None:
        """The game under the cursor: its number in the library, or an unfinished one."""
        index = self._sheet.cursor
        if index < len(self._waiting):
            return self._waiting[index]
        index -= len(self._waiting)
        return self.ids[index] if index < len(self.ids) else None

    @property
    def _mark(self) -> object:
        """What tells the game under the cursor from others."""
        chosen = self.chosen
        return chosen if chosen is None or isinstance(chosen, int) else chosen.path

    def row(self, number: int) -> GameRow | None:
        """Return what the list shows of a game; None where it cannot be read."""
        try:
            return self.library.rows([number]).get(number)
        except LibraryError:
            return None

    def offers(self, action: str) -> bool:
        """Name keys only where they would do something."""
        if action in {"open", "delete", "export"}:
            return self.chosen is not None
        return True

    # Searching

    def action_search(self) -> None:
        self.set_focus(self.query_one(Input))

    @on(Input.Changed, "#library-search Input")
    def search(self, event: Input.Changed) -> None:
        """Find while it is written."""
        if event.value != self.query_now.text:
            self.look_for(text=event.value)

    @on(Input.Submitted, "#library-search Input")
    def leave_search(self) -> None:
        """Go to what was found."""
        self.set_focus(self._sheet)

    def action_back(self) -> None:
        if self.query_one(Input).has_focus:
            self.set_focus(self._sheet)
        else:
            self.dismiss()

    def action_clear(self) -> None:
        query = self.query_now
        self.query_one(Input).value = ""
        fresh = Query(column=query.column, descending=query.descending)
        self.look_for(**{name: getattr(fresh, name) for name in ("text", *FILTERS)})

    def action_filter(self) -> None:
        choices = [
            (name, f"{translate(label)}: {filter_value(self.query_now, name) or say_as('filter', 'any')}")
            for name, label in FILTERS.items()
        ]
        self.app.push_screen(
            Pick(say("Show only"), choices, ""), lambda name: self.action_filter_by(name or "")
        )

    def action_filter_by(self, name: str) -> None:
        if name not in FILTERS:
            return
        try:
            choices = filter_choices(name, self.library.opponents(), self.library.presets())
        except LibraryError as error:
            self.tell(str(error))
            return
        now = getattr(self.query_now, name)
        value = ("yes" if now else "no") if isinstance(now, bool) else "" if now is None else str(now)

        def take(chosen: str | None) -> None:
            if chosen is not None:
                self.look_for(**filtered(name, chosen))

        self.app.push_screen(Pick(translate(FILTERS[name]), choices, value), take)

    def action_sort(self) -> None:
        names = list(COLUMNS)
        column = names[(names.index(self.query_now.column) + 1) % len(names)]
        self.look_for(column=column, descending=column in {"date", "help"})

    def action_reverse(self) -> None:
        self.look_for(descending=not self.query_now.descending)

    @on(Sheet.TitleClicked)
    def sort_by(self, event: Sheet.TitleClicked) -> None:
        """Sort by the column that was clicked; the other way round at the second click."""
        name = "date" if event.name == "time" else event.name
        if name == self.query_now.column:
            self.action_reverse()
        else:
            self.look_for(column=name, descending=name in {"date", "help"})
