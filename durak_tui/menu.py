"""The main menu: Enter starts a new game or continues the unfinished one."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Any, Final

from rich.cells import cell_len, set_cell_size
from rich.console import OverflowMethod
from rich.text import Text
from textual import events, on, work
from textual.app import ComposeResult
from textual.containers import Center, Horizontal, Vertical
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from durak_core import Rules, choose_records
from durak_core.agents.personas import opponent_of
from durak_core.errors import DurakError
from durak_core.game.files import game_code_in
from durak_tui.engine import in_thread
from durak_tui.keys.actions import ACTIONS
from durak_tui.keys.keymap import key_label
from durak_tui.learn.model import decline, offers_lesson, played_days, streak
from durak_tui.learn.model import today as now
from durak_tui.learn.view import daily_line
from durak_tui.library.model.entries import Entry
from durak_tui.library.model.file import LibraryError
from durak_tui.library.model.statistics import Standing
from durak_tui.library.model.store import Library
from durak_tui.library.view import SPARKS, rating_line
from durak_tui.play.saves import Unfinished, unfinished_words
from durak_tui.play.setup import last_players
from durak_tui.players import HUMAN, called, face_of, stars_text
from durak_tui.storage.paths import why_no_file, written_path
from durak_tui.text.core_messages import core_words
from durak_tui.text.house_rules import house_rules_text
from durak_tui.text.i18n import gettext, mark, ngettext, pgettext, translate
from durak_tui.text.phrases import DOT, players_words, preset_text
from durak_tui.ui.screens.base import ListScreen, start_work
from durak_tui.ui.screens.dialogs import Pick, Write
from durak_tui.ui.widgets.canvas import wrapped
from durak_tui.ui.widgets.cards import SUIT_SIGNS, letter_cards
from durak_tui.ui.widgets.form import Portrait

_ENTRIES: Final = {
    "continue_game": (mark("Continue"), "menu.continue-game"),
    "play": (mark("Play"), "menu.play"),
    "setup": (mark("New game"), "menu.setup"),
    "daily": (mark("Daily deal"), "menu.daily"),
    "friends": (mark("With friends"), "menu.friends"),
    "real": (mark("Real cards"), "menu.real"),
    "watch": (mark("Watch"), "menu.watch"),
    "learn": (mark("Learn"), "menu.learn"),
    "rules": (mark("Rules"), "menu.rules"),
    "review": (mark("Review"), "menu.review"),
    "library": (mark("Library"), "menu.library"),
    "statistics": (mark("Statistics"), "menu.statistics"),
    "settings": (mark("Settings"), "app.settings"),
    "quit": (mark("Quit"), "menu.quit"),
}
"""Menu lines by name: title, and the equivalent key."""
_ABOUT: Final = {
    "learn": mark("lessons, puzzles, your mistakes"),
    "setup": mark("choose opponents and rules"),
    "watch": mark("let opponents play each other"),
    "friends": mark("host a table, or join one"),
    "real": mark("keep a game at your own table"),
    "statistics": mark("how you play"),
    "rules": mark("how the game goes"),
    "settings": mark("your name, cards, colours, language"),
}
"""Descriptions of some lines. The others show the current state."""
_GROUPS: Final = ("learn", "review", "settings")
"""Lines above which a line is empty if there is room."""
_OUTCOMES: Final = {
    "won": mark("your last game: you won"),
    "lost": mark("your last game: you were the fool"),
    "draw": mark("your last game: a draw"),
}
_OFFER: Final = ("first-lesson", "no-lesson")
"""Actions that answer the offer of the first lesson."""
_WIDEST: Final = 66
_MARGIN: Final = 4
_LABEL: Final = 13
"""Least width of the titles."""
_BESIDE: Final = 18
"""Columns of a line for its title and key."""
_WITH_PORTRAIT: Final = 104
"""Columns needed to show the next opponent next to the lines."""
_FINGER: Final = 3
"""Rows of a line on a phone."""
_AROUND: Final = 6
"""Rows around the lines and the motto on a phone."""
_SPARED: Final = 3
"""Rows of these that a low phone leaves out: the title, and the space around it."""
_ROOMY: Final = 30
"""Rows needed for space between the groups of lines."""
_HIGH: Final = 23
"""Rows needed for cards in the title."""


@dataclass(frozen=True, slots=True)
class _Played:
    """What the library knows about earlier games."""

    games: int
    last: Entry | None
    standing: Standing
    days_in_a_row: int
    is_today_played: bool
    offers_lesson: bool


class MenuScreen(ListScreen, place="menu"):
    """Lists what the app can do."""

    def __init__(self) -> None:
        super().__init__()
        self._waiting: Unfinished | None = None
        self._others = 0
        self._played: _Played | None = None
        self._lines: list[tuple[str, Text]] = []

    def compose_body(self) -> ComposeResult:
        with Vertical(id="menu"):
            with Center():
                yield Static(id="title")
            yield Static(id="motto", markup=False)
            with Center(), Horizontal(id="front"):
                yield OptionList(id="entries")
                yield Portrait()
            yield Static(id="notice", markup=False)

    def on_mount(self) -> None:
        self._waiting = self.host.saves.newest()
        self.app.screen_change_signal.subscribe(self, self._come_back, immediate=True)

    def on_screen_resume(self) -> None:
        start_work(self, self._read_others, self.host.saves.problems, group="collect")

    def _come_back(self, screen: Screen[Any]) -> None:
        """Fill the lines before the first frame, which would otherwise show them where they were."""
        if screen is self:
            self._waiting = self.host.saves.newest()
            self.query_one("#entries", OptionList).highlighted = None
            self._fill()
            # Without this a busy machine paints a frame before the widgets have asked for a new layout.
            self.update_node_styles(animate=False)
            for widget in self.query(Widget):
                widget._check_refresh()  # noqa: SLF001 - otherwise at the widget's next idle time
            self.refresh(layout=True)

    async def _read_others(self, problems: tuple[str, ...]) -> None:
        """Read the other unfinished games, and tell about these and earlier problems."""
        for games in self.host.saves.search():
            self._others = max(0, len(games) - 1)
            await asyncio.sleep(0)  # each takes milliseconds
        for problem in dict.fromkeys((*problems, *self.host.saves.problems)):
            self.host.tell(problem)
        await self._look_back()

    async def _look_back(self) -> None:
        await self.host.library.collect()
        try:
            library = self.host.library
            self._played = await in_thread(lambda: _look_into(library.store, library.standing(SPARKS)))
        except LibraryError:
            return  # the library service reports the error
        if self.is_complete:
            self._fill()

    def settings_changed(self) -> None:
        super().settings_changed()
        self._fill()

    @on(events.Resize)
    def _fill(self) -> None:
        ascii_only, size = self.host.settings.ascii, self.app.size
        # Notices need the rows of the cards in the title.
        height = 0 if self.is_upright or (self.host.notices and size.height < _ROOMY) else size.height
        self.set_class(self._missing > 0, "-tight")
        self.query_one("#title", Static).update(_title(height, ascii_only=ascii_only))
        self.query_one("#motto", Static).update(self._motto())
        entries = self.query_one("#entries", OptionList)
        chosen = entries.highlighted_option
        titles = {name: f" {translate(title)}" for name, (title, _) in _ENTRIES.items()}
        width = max(_LABEL, *map(cell_len, titles.values()))
        lines = [(name, self._line(name, titles[name], width)) for name in self._names]
        if lines != self._lines:
            self._lines = lines
            is_roomy = not self.is_for_fingers and size.height >= _ROOMY
            entries.set_options(self._options(lines, is_roomy=is_roomy))
        at = 0 if chosen is None or chosen.id is None else entries.get_option_index(chosen.id)
        entries.highlighted = at
        entries.styles.width = self._width + 2
        self.query_one(Portrait).set_class(size.width < _WITH_PORTRAIT or size.height < _HIGH, "-hidden")
        self._picture()
        notice = self.query_one("#notice", Static)
        notice.set_class(not self.host.notices, "-empty")
        notice.update("\n".join(self.host.notices))
        self.refresh_bindings()

    def _options(self, lines: Sequence[tuple[str, Text]], *, is_roomy: bool) -> Iterator[Option]:
        for name, line in lines:
            if is_roomy and name in _GROUPS:
                yield Option("", disabled=True)
            yield Option(line, id=name)

    @on(OptionList.OptionHighlighted)
    def _picture(self) -> None:
        """Show the first opponent of the game that Enter continues or starts."""
        players, waiting = self._opponents, self._chosen_game
        if waiting is not None:
            players = tuple(player for player in waiting.setup.players if player != HUMAN)
        shown = opponent_of((*players, "")[0])
        self.query_one(Portrait).show(shown, ascii_only=self.host.settings.ascii)

    @property
    def _names(self) -> tuple[str, ...]:
        """The lines: Continue if a game waits, and no Quit on a phone, where the page is closed."""
        left_out = {"continue_game": self._waiting is None, "quit": self.is_for_fingers}
        return tuple(name for name in _ENTRIES if not left_out.get(name))

    @property
    def _missing(self) -> int:
        """Number of rows that a phone lacks for lines of a finger's height below the title and the motto."""
        if not self.is_upright:
            return 0
        motto = len(wrapped(self._motto(), self.app.size.width - _MARGIN))
        return _AROUND + motto + _FINGER * len(self._names) - self.app.size.height

    @property
    def _chosen_game(self) -> Unfinished | None:
        """The unfinished game if the cursor is on its line."""
        chosen = self.query_one("#entries", OptionList).highlighted_option
        return self._waiting if chosen is not None and chosen.id == "continue_game" else None

    @property
    def _width(self) -> int:
        return min(_WIDEST, self.app.size.width - _MARGIN)

    @property
    def _opponents(self) -> tuple[str, ...]:
        if self._played is None and not self.host.settings.players:
            return ()  # the library's suggestion has not arrived yet
        suggested = self._played.standing.suggested.text if self._played is not None else ""
        players = last_players(self.host.settings, suggested=suggested)
        return tuple(player for player in players if player != HUMAN)

    def _motto(self) -> str:
        played = self._played
        if played is not None and played.standing.games:
            return rating_line(played.standing, ascii_only=self.host.settings.ascii)
        if played is None or played.games or self._waiting is not None:
            return ""
        fool = gettext("Get rid of your cards: the last player holding any is the fool, the durak.")
        if self.is_for_fingers:
            return fool
        if played.offers_lesson:
            keymap, ascii_only = self.host.settings.keymap, self.host.settings.ascii
            lesson, no = (keymap.label(f"menu.{name}", ascii_only=ascii_only) for name in _OFFER)
            how = gettext(
                "Enter: play. {lesson}: first lesson. {no}: no thanks.",
                lesson=lesson,
                no=no,
            )
        else:
            how = gettext("Enter: play. The table shows what you can do.")
        return f"{fool}\n{how}"

    def _line(self, name: str, title: str, width: int) -> Text:
        """Return a line with its title in some columns and its key; by touch of a finger's height."""
        settings = self.host.settings
        if self.is_for_fingers:
            about = Text.assemble(" ", *self._about(name))
            about.truncate(self._width - 2, overflow="crop" if settings.ascii else "ellipsis")
            is_roomy = self._missing <= _SPARED
            return Text("\n").join((Text(title, "bold"), about, *([Text()] * is_roomy)))
        key = key_label(settings.keymap.keys(_ENTRIES[name][1])[0], ascii_only=settings.ascii)
        label = set_cell_size(title, width) + " "
        line = Text.assemble((label, "bold"), *self._about(name))
        overflow: OverflowMethod = "crop" if settings.ascii else "ellipsis"
        line.truncate(self._width - len(key) - 3, overflow=overflow, pad=True)
        return line + Text.assemble((f" {key}", "bold"))

    def _about(self, name: str) -> Iterator[tuple[str, str]]:
        played = self._played
        if name == "play":
            yield from self._next_game()
        elif name == "continue_game" and self._waiting is not None:
            yield unfinished_words(self._waiting), ""
        elif name == "review":
            last = played.last if played is not None else None
            none = gettext("a game of the library, or of a file")
            yield translate(_OUTCOMES.get(last.outcome, mark("your last game"))) if last else none, "dim"
        elif name == "daily" and played is not None:
            days, is_played = played.days_in_a_row, played.is_today_played
            yield daily_line(days, is_played=is_played, ascii_only=self.host.settings.ascii), "dim"
        elif name == "library" and played is not None:
            yield self._in_library(played.games), "dim"
        else:
            yield translate(_ABOUT.get(name, "")), "dim"

    def _in_library(self, finished: int) -> str:
        unfinished = self._others + (self._waiting is not None)
        games = ngettext("{count} game", "{count} games", finished + unfinished)
        if not self._others:
            return games  # the line above continues the only unfinished one
        others = ngettext("{count} unfinished", "{count} unfinished", unfinished)
        return gettext("{games}, {others}", games=games, others=others)

    def _next_game(self) -> Iterator[tuple[str, str]]:
        ascii_only = self.host.settings.ascii
        rules = Rules.parse(self.host.settings.rules)
        partners = "" if rules.teams is None else players_words(rules.seats, rules.team_count)
        words = [*filter(None, [partners, preset_text(rules.base), house_rules_text(rules)])]
        is_usual = not rules.differences.keys() - {"seats"} and rules.base == Rules().base
        game = "" if is_usual else DOT[ascii_only] + ", ".join(words)
        opponent = opponent_of(self._opponents[0]) if len(self._opponents) == 1 else None
        if opponent is not None:
            yield f"{face_of(opponent, ascii_only=ascii_only)} ", ""
            yield f"{called(opponent.text)} ", "bold"
            yield stars_text(opponent.stars, ascii_only=ascii_only), ""
        elif self._opponents:
            names, count = ", ".join(map(called, self._opponents)), len(self._opponents)
            room = self._width - (2 if self.is_for_fingers else _BESIDE)
            if count > 1 and cell_len(names + game) > room:
                names = ngettext("{count} opponent", "{count} opponents", count)
            yield names, ""
        elif self.host.settings.players:
            yield gettext("with friends"), ""
        if game:
            yield game, "dim"

    def offers(self, action: str) -> bool:
        offered = self._played is not None and self._played.offers_lesson
        return offered if action.replace("_", "-") in _OFFER else super().offers(action)

    # Actions

    async def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        if self.is_in_front:  # ignores the second click of a double click
            await self.run_action(ACTIONS[_ENTRIES[event.option_id or ""][1]].action)

    @on(Portrait.Chosen)
    def _play_pictured(self) -> None:
        if self._chosen_game is None:
            self.action_play()
        else:
            self.action_continue_game()

    def action_play(self) -> None:
        self.host.play_game()

    def action_continue_game(self) -> None:
        if self._waiting is not None:
            self.host.go_on(self._waiting)

    def action_first_lesson(self) -> None:
        if self.offers("first_lesson"):
            self.host.open_lesson()

    @work(group="decline")
    async def action_no_lesson(self) -> None:
        if self.offers("no_lesson"):
            await self.host.library.query(decline)
            await self._look_back()

    @work(exclusive=True, group="load")
    async def action_review(self) -> None:
        await self._look_back()
        last = self._played.last if self._played is not None else None
        if last is None:
            self.action_review_other()
            return
        record = await self.host.library.query(lambda library: library.record(last.id))
        if record is not None:
            self.host.show_review(record)

    def action_review_other(self) -> None:
        choices = (
            ("library", gettext("one of the library")),
            ("file", gettext("one of a file, or by its code")),
        )
        self.ask(Pick(gettext("Review a game"), choices, "library"), self._review_from)

    def _review_from(self, place: str) -> None:
        if place == "library":
            self.host.action_library()
            return
        hint = gettext("A file of game text or of games as JSON, or a game code or its link.")
        question = Write(gettext("Review a game of the file or code"), "", _why_no_game, hint)
        self.ask(question, lambda text: self._load(_game_in(text)))

    @work(exclusive=True, group="load")
    async def _load(self, path: Path | str) -> None:
        try:
            games = await in_thread(choose_records, path)
        except DurakError as error:
            self.host.tell(gettext("The game cannot be read: {why}", why=core_words(error)))
            if self.is_complete:
                self._fill()
        else:
            self.host.review_one_of(games)


def _why_no_game(text: str) -> str:
    return why_no_file(text) if isinstance(_game_in(text), Path) else ""


def _game_in(text: str) -> Path | str:
    """Return what was typed as a file, or as a game code or its link."""
    name = text.strip()
    return written_path(text) if game_code_in(name) is None else name


def _look_into(library: Library, standing: Standing) -> _Played:
    days, today = played_days(library), now()
    return _Played(
        library.count(),
        library.last_played(),
        standing,
        streak(days, today),
        today in days,
        offers_lesson(library),
    )


def _title(height: int, *, ascii_only: bool) -> Text:
    word = pgettext("title", "DURAK")
    if height < _HIGH:
        pairs = zip(word, cycle(SUIT_SIGNS[ascii_only]), strict=False)
        return Text(" ".join(f"{letter}{suit}" for letter, suit in pairs), "bold")
    return letter_cards(word, ascii_only=ascii_only)
