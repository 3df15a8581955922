"""The library of games and the statistics."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from rich.table import Table
from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.style import Style
from textual.widgets import Input, Static

from durak_core.errors import DurakError
from durak_core.files import MEGABYTE, read_text, write_text_atomically
from durak_tui.engine import in_thread
from durak_tui.library.model.entries import Entry
from durak_tui.library.model.file import LibraryError
from durak_tui.library.model.service import Imported
from durak_tui.library.model.statistics import GROUPINGS, GameCounts, PlayerStatistics, Standing, group
from durak_tui.library.model.store import COLUMNS, Library, Query
from durak_tui.library.view import (
    FILTERS,
    MOST_POINTS,
    PLOTS,
    curve,
    filter_choices,
    filter_value,
    filtered,
    game_cells,
    game_details,
    group_cells,
    group_name,
    library_columns,
    matches,
    rating_curve,
    statistics_columns,
    summary,
    texts_by_name,
    waiting_cells,
    waiting_details,
)
from durak_tui.play.saves import Unfinished
from durak_tui.players import HUMAN, fit_names
from durak_tui.storage.paths import WorkRate, home, unused_path, why_no_file, why_no_place, written_path
from durak_tui.text.core_messages import core_words
from durak_tui.text.i18n import gettext, mark, ngettext, percent, pgettext, translate
from durak_tui.text.phrases import reading_text
from durak_tui.ui.screens.base import DurakScreen, TranslatedLabel, start_work
from durak_tui.ui.screens.dialogs import PickName, Write, share_game
from durak_tui.ui.view.board_data import Cell
from durak_tui.ui.widgets.lines import LongTable
from durak_tui.ui.widgets.plot import Plot

_VALUE_WIDTH: Final = 18
_MOST_TAKEBACKS: Final = 100
_LISTED: Final = "listed"
"""The mark of a message for the game that is selected once the list is read."""


def _found(library: Library, query: Query) -> tuple[list[int], int]:
    """Return the games that match, and the number of all."""
    return library.find(query), library.count()


class LibraryScreen(DurakScreen, place="library"):
    """Lists all games, and opens or changes the selected one."""

    MOVED = LongTable

    def __init__(self) -> None:
        super().__init__()
        self.query_now = Query()
        self._unfinished: tuple[Unfinished, ...] = ()
        self._waiting: list[Unfinished] = []
        self.ids: list[int] = []  # of the listed games, without unfinished ones
        self._total = 0
        self._seen = 0
        self._asked = self._answered = 0
        self._is_finding = self._is_listed = False
        self._told: tuple[str, object] = ("", None)
        self._takebacks: list[Callable[[], None]] = []

    def compose_body(self) -> ComposeResult:
        with Horizontal(id="library-head"):
            yield TranslatedLabel(mark("Library"), id="library-title")
            yield Static(id="library-count", markup=False)
        with Horizontal(classes="page"), Vertical():
            with Horizontal(id="library-search"):
                yield TranslatedLabel(mark("Search:"))
                yield Input(placeholder=gettext("/ and any words"), compact=True, select_on_focus=False)
            yield Static(id="library-filters")
            yield LongTable()
            yield Static(id="library-foot", markup=False)

    def on_mount(self) -> None:
        self.set_focus(self._sheet)

    def on_screen_resume(self) -> None:
        self.reload()
        start_work(self, self._collect, group="collect")

    async def _collect(self) -> None:
        await self.host.library.collect()
        if self.is_complete and self._seen != self.host.library.changes:
            self.reload()

    def settings_changed(self) -> None:
        super().settings_changed()
        self._sheet.ascii_only = self.host.settings.ascii
        self._sheet.columns = library_columns()
        self.query_one(Input).placeholder = gettext("/ and any words")
        self._show_count()
        self.show_details()

    @property
    def library(self) -> Library:
        return self.host.library.store

    @property
    def _sheet(self) -> LongTable:
        return self.query_one(LongTable)

    # Drawing

    def reload(self, told: str = "") -> None:
        """List the games again, then show a message."""
        self._unfinished = self.host.saves.unfinished()
        for problem in self.host.saves.problems:
            self.host.tell(problem)
        self._find(told)

    def look_for(self, **changes: Any) -> None:  # noqa: ANN401 - the fields have several types
        self.query_now = replace(self.query_now, **changes)
        self._told = ("", None)
        self._sheet.set_reactive(LongTable.cursor, 0)
        self._find()

    def _find(self, told: str = "") -> None:
        self._asked += 1
        if told:
            self._told = (told, _LISTED)
        if not self._is_finding:
            self._is_finding = True
            start_work(self, self._find_games)

    async def _find_games(self) -> None:
        """Search in a thread until the newest query is answered."""
        problem, query = "", self.query_now
        found: tuple[list[int], int] = ([], 0)
        try:
            while self._answered != self._asked:
                self._answered, query, problem = self._asked, self.query_now, ""
                self._seen = self.host.library.changes
                try:
                    found = await in_thread(_found, self.library, query)
                except LibraryError as error:
                    found, problem = ([], self._total), core_words(error)
        finally:
            self._is_finding = False
        if self.is_complete:
            self.ids, self._total = found
            self._is_listed = True
            self._waiting = [game for game in self._unfinished if matches(game, query)]
            self._show_list()
            told, mark = self._told
            if problem or mark == _LISTED:
                self.tell(problem or told)

    def _show_list(self) -> None:
        query, count = self.query_now, len(self._waiting) + len(self.ids)
        self._sheet.show(count, self._fetch, sorted_by=query.column, descending=query.descending)
        self._show_count()

    def _show_count(self) -> None:
        count, total = len(self._waiting) + len(self.ids), self._total + len(self._unfinished)
        games = ngettext("{count} game", "{count} games", total)
        text = games if count == total else gettext("{count} of {games}", count=count, games=games)
        if not self._is_listed:
            text = reading_text(ascii_only=self.host.settings.ascii)
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
        pieces: list[Any] = []
        for name, label in FILTERS.items():
            value = filter_value(self.query_now, name)
            click = Style.from_meta({"@click": f"screen.filter_by('{name}')"})
            shown = value if len(value) <= _VALUE_WIDTH else value[: _VALUE_WIDTH - 1] + "~"
            pieces += [
                (f"{translate(label)}: ", click),
                (shown or pgettext("filter", "any"), Style(bold=bool(value)) + click),
                "  ",
            ]
        self.query_one("#library-filters", Static).update(Content.assemble(*pieces))

    def tell(self, text: str) -> None:
        """Show a message below the list until another game is selected."""
        self._told = (text, self._mark)
        self.show_details()

    @on(LongTable.Moved)
    def show_details(self) -> None:
        """Show the selected game's details, unless there is a message."""
        text, mark = self._told
        if mark not in {self._mark, _LISTED}:
            text, self._told = "", ("", None)
        foot = self.query_one("#library-foot", Static)
        foot.set_class(bool(text), "-told")
        foot.update(Text(text) if text else Text(self._details(), no_wrap=True, overflow="ellipsis"))
        self.refresh_bindings()

    def _details(self) -> str:
        chosen, ascii_only = self.chosen, self.host.settings.ascii
        if chosen is None:
            if not self._is_listed:
                return ""
            if self._total or self._unfinished:
                return gettext("No game matches; c shows all games again.")
            return gettext("No games yet. Play one, or import some with i.")
        if isinstance(chosen, int):
            row = self.row(chosen)
            lost = gettext("This game cannot be read.")
            return lost if row is None else game_details(row, ascii_only=ascii_only)
        return waiting_details(chosen, ascii_only=ascii_only)

    @property
    def chosen(self) -> int | Unfinished | None:
        """The selected game: its number in the library, or an unfinished game."""
        index = self._sheet.cursor
        if index < len(self._waiting):
            return self._waiting[index]
        index -= len(self._waiting)
        return self.ids[index] if index < len(self.ids) else None

    @property
    def _mark(self) -> object:
        chosen = self.chosen
        return chosen if chosen is None or isinstance(chosen, int) else chosen.path

    def row(self, number: int) -> Entry | None:
        try:
            return self.library.rows([number]).get(number)
        except LibraryError:
            return None

    def offers(self, action: str) -> bool:
        if action in {"open", "delete", "export", "share"}:
            return self.chosen is not None
        return action != "undo" or bool(self._takebacks)

    # Searching

    def action_search(self) -> None:
        self.set_focus(self.query_one(Input))

    @on(Input.Changed, "#library-search Input")
    def search(self, event: Input.Changed) -> None:
        if event.value != self.query_now.text:
            self.look_for(text=event.value)

    @on(Input.Submitted, "#library-search Input")
    def leave_search(self) -> None:
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
            (name, f"{translate(label)}: {filter_value(self.query_now, name) or pgettext('filter', 'any')}")
            for name, label in FILTERS.items()
        ]
        self.ask(PickName(gettext("Show only"), choices, ""), self.action_filter_by)

    def action_filter_by(self, name: str) -> None:
        start_work(self, self._filter_by, name, group="choices", exclusive=True)

    async def _filter_by(self, name: str) -> None:
        try:
            opponents = await in_thread(self.library.opponents)
            presets = await in_thread(self.library.presets)
        except LibraryError as error:
            self.tell(core_words(error))
            return
        if not self.is_complete:
            return
        choices = filter_choices(name, opponents, presets)
        chosen = getattr(self.query_now, name)
        now = next((value for value, _label in choices if filtered(name, value)[name] == chosen), "")
        pick = PickName(translate(FILTERS[name]), choices, now)
        self.ask(pick, lambda value: self.look_for(**filtered(name, value)))

    def action_sort(self) -> None:
        names = list(COLUMNS)
        self._sort_by(names[(names.index(self.query_now.column) + 1) % len(names)])

    def _sort_by(self, column: str) -> None:
        self.look_for(column=column, descending=column in {"date", "help"})

    def action_reverse(self) -> None:
        self.look_for(descending=not self.query_now.descending)

    @on(LongTable.TitleClicked)
    def sort_by(self, event: LongTable.TitleClicked) -> None:
        name = "date" if event.name == "time" else event.name
        if name == self.query_now.column:
            self.action_reverse()
        else:
            self._sort_by(name)

    # Actions on a game

    @on(LongTable.Chosen)
    def action_open(self) -> None:
        chosen = self.chosen
        if chosen is None:
            return
        if isinstance(chosen, int):
            try:
                record = self.library.record(chosen)
            except LibraryError as error:
                self.tell(core_words(error))
            else:
                self.host.show_review(record)
        else:
            self.host.go_on(chosen)

    def action_delete(self) -> None:
        chosen = self.chosen
        if chosen is None:
            return
        try:
            if isinstance(chosen, int):
                self.library.delete([chosen])
                takeback: Callable[[], None] = partial(self.library.restore, [chosen])
            else:
                takeback = self._delete_waiting(chosen)
        except DurakError as error:
            self.tell(gettext("The game cannot be deleted: {why}", why=core_words(error)))
            return
        self._takebacks = [*self._takebacks, takeback][-_MOST_TAKEBACKS:]
        self.ids = [number for number in self.ids if number != chosen]
        self._waiting = [game for game in self._waiting if game is not chosen]
        self._show_list()
        key = self.host.settings.keymap.label("library.undo")
        self.reload(gettext("The game is deleted; {key} brings it back.", key=key))

    def _delete_waiting(self, game: Unfinished) -> Callable[[], None]:
        text = read_text(game.path, MEGABYTE)
        resumed = self.host.saves.resume(game)
        if resumed is None:
            raise LibraryError("another program is playing it.")
        _, saved = resumed
        try:
            if game.setup.day is not None:
                self.library.give_up_day(game.setup.day)
        except LibraryError:
            saved.release()
            raise
        saved.drop()
        return lambda: write_text_atomically(game.path, text)

    def action_undo(self) -> None:
        if not self._takebacks:
            self.tell(gettext("Nothing was deleted."))
            return
        try:
            self._takebacks.pop()()
        except DurakError as error:
            self.tell(gettext("The game cannot be brought back: {why}", why=core_words(error)))
            return
        self.reload(gettext("The game is back."))

    def action_export(self) -> None:
        chosen = self.chosen
        if isinstance(chosen, int):
            self._ask_where([chosen])
        elif chosen is not None:
            self.tell(gettext("An unfinished game is exported when it is over."))

    def action_share(self) -> None:
        chosen = self.chosen
        if isinstance(chosen, int):
            try:
                problem = share_game(self, self.library.record(chosen))
            except LibraryError as error:
                problem = core_words(error)
            self.tell(problem)
        elif chosen is not None:
            self.tell(gettext("A game can be shared once it is over."))

    def action_export_all(self) -> None:
        """Export all listed games. The whole library includes the learning progress."""
        if self.ids:
            is_whole = len(self.ids) == self._total
            self._ask_where(list(self.ids), with_progress=is_whole)

    def _ask_where(self, ids: list[int], *, with_progress: bool = False) -> None:
        row = self.row(ids[0]) if len(ids) == 1 else None
        stem = "games" if row is None else f"game-{row.date[:10] or row.id}".replace(" ", "-")
        hint = gettext("Choose a name that ends in .json for JSON; any other gives the game as text.")
        if with_progress:
            hint = gettext("A name that ends in .jsonl takes along what you have learnt; .durak gives text.")
        title = ngettext("Write the game to", "Write {count} games to", len(ids))
        value = str(unused_path(home() / f"durak-{stem}.jsonl"))
        write = Write(title, value, why_no_place, hint)
        self.ask(
            write, lambda text: start_work(self.app, self._export, ids, written_path(text), with_progress)
        )

    async def _export(self, ids: list[int], path: Path, with_progress: bool) -> None:
        rate = WorkRate()

        def show(share: float) -> None:
            if (left := rate.left(share)) is not None:
                text = gettext(
                    "Writing {file}: {percent}, {left}", file=path.name, percent=percent(share), left=left
                )
                loop.call_soon_threadsafe(self._tell_if_seen, text)

        loop = asyncio.get_running_loop()
        try:
            left_out = await self.host.library.export(ids, path, show, with_progress=with_progress)
        except LibraryError as error:
            self.host.tell(core_words(error))
        else:
            told = gettext("Written to {path}.", path=path)
            if left_out:
                told += "\n" + ngettext(
                    "{count} game cannot be read and is not in it.",
                    "{count} games cannot be read and are not in it.",
                    left_out,
                )
            self._tell_if_seen(told)

    def action_import(self) -> None:
        hint = gettext("A file of games: game text, or JSON with a game on each line.")
        write = Write(gettext("Read games from"), f"{home()}/", why_no_file, hint)
        self.ask(write, lambda text: start_work(self.app, self._import, written_path(text)))

    async def _import(self, path: Path) -> None:
        loop, rate = asyncio.get_running_loop(), WorkRate()

        def show(so_far: Imported) -> None:
            if (left := rate.left(so_far.share)) is not None:
                text = gettext(
                    "Reading {file}: {percent}, {left}: {made}",
                    file=path.name,
                    percent=percent(so_far.share),
                    left=left,
                    made=so_far,
                )
                loop.call_soon_threadsafe(self._tell_if_seen, text)

        try:
            made = await self.host.library.import_file(path, show)
        except LibraryError as error:
            self.host.tell(core_words(error))
            return
        told = f"{path.name}: {made}."
        if made.problems:
            told += "\n" + made.problems[0]
        if self.is_complete:
            self.reload(told)
        else:
            self.host.tell(told)

    def _tell_if_seen(self, text: str) -> None:
        if self.is_complete:
            self.tell(text)


class StatisticsScreen(DurakScreen, place="statistics"):
    """Shows the loss rate, a table by group, and a curve."""

    MOVED = LongTable

    def __init__(self) -> None:
        super().__init__()
        self._players: tuple[str, ...] = (HUMAN,)
        self._standing = Standing()
        self._grouping = next(iter(GROUPINGS))
        self._plot = ""
        self._figures = PlayerStatistics.of(())
        self._is_counted = False
        self._groups: list[tuple[str, GameCounts]] = []

    def compose_body(self) -> ComposeResult:
        with Horizontal(id="statistics-head"):
            yield TranslatedLabel(mark("Statistics"), id="statistics-title")
            yield Static(id="statistics-player")
        with Horizontal(classes="page"), Vertical():
            yield Static(id="statistics-summary", markup=False)
            yield Static(id="statistics-groups")
            yield LongTable()
            yield Static(id="statistics-plot-title")
            yield Plot()
            yield Static(id="statistics-dates", markup=False)

    def on_mount(self) -> None:
        self.set_focus(self.query_one(LongTable))

    def on_screen_resume(self) -> None:
        start_work(self, self._count, group="count", exclusive=True)
        start_work(self, self._collect, self.host.library.changes, group="collect")

    async def _collect(self, seen: int) -> None:
        await self.host.library.collect()
        if seen != self.host.library.changes:
            await self._count()

    def settings_changed(self) -> None:
        super().settings_changed()
        self.query_one(LongTable).ascii_only = self.host.settings.ascii
        self._show()

    async def _count(self) -> None:
        players, loop, rate = self._players, asyncio.get_running_loop(), WorkRate()

        def told(share: float) -> None:
            if (left := rate.left(share)) is not None:
                loop.call_soon_threadsafe(self._show_share, f"{percent(share)}, {left}")

        def count(store: Library) -> tuple[PlayerStatistics, Standing]:
            rated = 0.0  # a half, unless it is known already

            def rate_told(share: float) -> None:
                nonlocal rated
                rated = 0.5
                told(share / 2)

            standing = store.standing(MOST_POINTS, rate_told)
            played = store.played_by(*players, told=lambda share: told(rated + (1 - rated) * share))
            return PlayerStatistics.of(played), standing

        counted = await self.host.library.query(count)
        if self.is_complete and players == self._players:
            self._figures, self._standing = counted or (PlayerStatistics.of(()), Standing())
            self._is_counted = True
            self._show()

    @property
    def _is_mine(self) -> bool:
        return HUMAN in self._players

    @property
    def _plots(self) -> tuple[str, ...]:
        return ("rating", *PLOTS) if self._is_mine else PLOTS

    @property
    def _shown_plot(self) -> str:
        """The selected curve if it exists, or else the rating once there is one."""
        if self._plot in self._plots:
            return self._plot
        return "rating" if self._is_mine and len(self._standing.history) > 1 else PLOTS[0]

    def _show(self) -> None:
        figures = self._figures
        count = figures.total.games + figures.assisted.games
        if self._is_counted:
            self._show_player(ngettext("{count} game", "{count} games", count))
        else:
            self._show_player(reading_text(ascii_only=self.host.settings.ascii))
        lines = summary(figures, self._standing if self._is_mine else None) if self._is_counted else []
        self.query_one("#statistics-summary", Static).update("\n".join(filter(None, lines)))
        self._show_groups()
        self._show_plot()

    def _show_share(self, share: str) -> None:
        """Show how much is counted, unless earlier figures are shown."""
        if self.is_complete and not self._is_counted:
            self._show_player(f"{reading_text(ascii_only=self.host.settings.ascii)} {share}")

    def _show_player(self, games: str) -> None:
        (who,) = fit_names((group_name(self._players[0], ascii_only=self.host.settings.ascii),))
        click = Style.from_meta({"@click": "screen.player"})
        self.query_one("#statistics-player", Static).update(Content.assemble((f"{who}, {games}", click)))

    def _show_groups(self) -> None:
        pieces: list[Any] = [gettext("By"), " "]
        for name in GROUPINGS:
            style = Style(bold=True, reverse=True) if name == self._grouping else Style()
            label = pgettext("by", name)
            pieces += [(f" {label} ", style + Style.from_meta({"@click": f"screen.group_by('{name}')"})), " "]
        self.query_one("#statistics-groups", Static).update(Content.assemble(*pieces))
        self._groups = list(group(self._figures.games, self._grouping).items())
        sheet = self.query_one(LongTable)
        sheet.columns = statistics_columns(self._grouping, mine=self._is_mine)
        sheet.show(len(self._groups), self._fetch)
        self._fit_groups()

    @on(events.Resize)
    def _fit_groups(self) -> None:
        """Leave the room below the groups to the curve."""
        sheet = self.query_one(LongTable)
        sheet.styles.height = sheet.HEAD + sheet.per * len(self._groups) + 1

    def _fetch(self, start: int, stop: int) -> Sequence[Sequence[Cell]]:
        ascii_only = self.host.settings.ascii
        standing = self._standing if self._is_mine and self._grouping == "opponent" else None
        return [
            group_cells(name, tally, standing, ascii_only=ascii_only)
            for name, tally in self._groups[start:stop]
        ]

    @on(events.Resize)
    def _show_plot(self) -> None:
        style = self.app.current_theme.primary
        if self._shown_plot == "rating":
            drawn = rating_curve(self._standing, style)
        else:
            drawn = curve(self._figures.games, self._shown_plot, style)
        self.query_one("#statistics-plot-title").display = self._is_counted
        self.set_class(not drawn.series, "-no-plot")
        click = Style.from_meta({"@click": "screen.plot"})
        self.query_one("#statistics-plot-title", Static).update(Content.assemble((drawn.title, click)))
        self.query_one(Plot).show(drawn.series, drawn.look, ascii_only=self.host.settings.ascii)
        dates = Table.grid(expand=True)  # as wide as the plot, which has no width before it is shown
        dates.add_column()
        dates.add_column(justify="right")
        dates.add_row(Text(drawn.first), Text(drawn.last))
        self.query_one("#statistics-dates", Static).update(dates)

    # Keys

    def action_step(self, step: int) -> None:
        names = list(GROUPINGS)
        self.action_group_by(names[(names.index(self._grouping) + step) % len(names)])

    def action_group_by(self, grouping: str) -> None:
        self._grouping = grouping
        self.query_one(LongTable).set_reactive(LongTable.cursor, 0)
        self._show_groups()

    @on(LongTable.TitleClicked)
    def take_next_grouping(self, event: LongTable.TitleClicked) -> None:
        if event.name == "name":
            self.action_step(1)

    def action_plot(self) -> None:
        plots = self._plots
        self._plot = plots[(plots.index(self._shown_plot) + 1) % len(plots)]
        self._show_plot()

    def action_player(self) -> None:
        start_work(self, self._choose_player, group="choices", exclusive=True)

    async def _choose_player(self) -> None:
        players = await self.host.library.query(Library.opponents)
        if players is None or not self.is_complete:
            return
        texts = {group_name(HUMAN): (HUMAN,), **texts_by_name(players)}
        choices = [("\n".join(same), name) for name, same in texts.items()]
        pick = PickName(gettext("Whose games?"), choices, "\n".join(self._players))
        self.ask(pick, self._count_games_of)

    def _count_games_of(self, players: str) -> None:
        self._players = tuple(players.split("\n"))
        start_work(self, self._count, group="count", exclusive=True)
