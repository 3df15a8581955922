"""The statistics screen: loss rates by opponent, and their change over time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.style import Style
from textual.widgets import Static

from durak_tui.library.model.file import LibraryError
from durak_tui.library.model.statistics import GROUPINGS, GameCounts, PlayerStatistics, Standing, group
from durak_tui.library.view import (
    MOST_POINTS,
    PLOTS,
    curve,
    group_cells,
    group_name,
    rating_curve,
    statistics_columns,
    summary,
    texts_by_name,
)
from durak_tui.players import HUMAN, fit_names
from durak_tui.text.core_messages import core_words
from durak_tui.text.i18n import gettext, mark, ngettext, pgettext
from durak_tui.ui.screens.base import DurakScreen, TranslatedLabel, start_work
from durak_tui.ui.screens.dialogs import PickName
from durak_tui.ui.view.board_data import Cell
from durak_tui.ui.widgets.lines import LongTable
from durak_tui.ui.widgets.plot import Plot


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
        players = self._players
        counted = await self.host.library.query(
            lambda store: (PlayerStatistics.of(store.played_by(*players)), store.standing(MOST_POINTS))
        )
        if self.is_complete and players == self._players:
            self._figures, self._standing = counted or (PlayerStatistics.of(()), Standing())
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
        games = figures.total.games + figures.assisted.games
        (who,) = fit_names((group_name(self._players[0], ascii_only=self.host.settings.ascii),))
        click = Style.from_meta({"@click": "screen.player"})
        self.query_one("#statistics-player", Static).update(
            Content.assemble((f"{who}, {ngettext('{count} game', '{count} games', games)}", click))
        )
        self.query_one("#statistics-summary", Static).update(
            "\n".join(filter(None, summary(figures, self._standing if self._is_mine else None)))
        )
        self._show_groups()
        self._show_plot()

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
        self.set_class(not drawn.series, "-no-plot")
        click = Style.from_meta({"@click": "screen.plot"})
        self.query_one("#statistics-plot-title", Static).update(Content.assemble((drawn.title, click)))
        self.query_one(Plot).show(drawn.series, drawn.look, ascii_only=self.host.settings.ascii)
        room = max(0, self.query_one(Plot).outer_size.width - 8 - len(drawn.first) - len(drawn.last))
        self.query_one("#statistics-dates", Static).update(drawn.first + " " * room + drawn.last)

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
        try:
            players = self.host.library.store.opponents()
        except LibraryError as error:
            self.host.tell(core_words(error))
            return
        texts = {group_name(HUMAN): (HUMAN,), **texts_by_name(players)}
        choices = [("\n".join(same), name) for name, same in texts.items()]
        pick = PickName(gettext("Whose games?"), choices, "\n".join(self._players))
        self.ask(pick, self._count_games_of)

    def _count_games_of(self, players: str) -> None:
        self._players = tuple(players.split("\n"))
        start_work(self, self._count, group="count", exclusive=True)
