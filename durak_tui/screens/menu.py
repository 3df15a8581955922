"""The first screen: Enter starts a game, or continues the one that waits."""

from __future__ import annotations

from itertools import cycle
from pathlib import Path
from typing import ClassVar, Final

from rich.console import OverflowMethod
from rich.style import Style
from rich.text import Text
from textual import work
from textual.app import ComposeResult
from textual.containers import Center, Vertical
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from durak_core import Rules, choose_records
from durak_core.errors import DurakError
from durak_tui.input.bindings import bindings
from durak_tui.input.keymap import key_label
from durak_tui.play.saves import Unfinished
from durak_tui.screens.base import DurakScreen, start_work
from durak_tui.screens.dialogs import Write
from durak_tui.storage.paths import why_no_file, written_path
from durak_tui.text.core_messages import core_words
from durak_tui.text.i18n import mark, say, say_as, say_count, translate
from durak_tui.text.phrases import preset_text
from durak_tui.threads import in_thread

_ENTRIES: Final = (
    ("continue_game", mark("Continue"), "menu.continue-game"),
    ("play", mark("Play"), "menu.play"),
    ("watch", mark("Watch bots"), "menu.watch"),
    ("setup", mark("New game ..."), "menu.setup"),
    ("library", mark("Library"), "menu.library"),
    ("statistics", mark("Statistics"), "menu.statistics"),
    ("review", mark("Review a game ..."), "menu.review"),
    ("rules", mark("Rules"), "menu.rules"),
    ("settings", mark("Settings"), "app.settings"),
    ("quit", mark("Quit"), "menu.quit"),
)
_WIDTH: Final = 47
_RED: Final = "#c8102e"
_BLACK: Final = "#17171b"
_PAPER: Final = "#f4f0e6"


class MenuScreen(DurakScreen):
    """Choose what to do."""

    PLACE: ClassVar[str] = "menu"
    BINDINGS: ClassVar = bindings("menu")
    MOVED = OptionList

    def __init__(self) -> None:
        super().__init__()
        self._waiting: Unfinished | None = None
        self._others = 0

    def compose_body(self) -> ComposeResult:
        with Vertical(id="menu"):
            with Center():
                yield Static(id="title")
            with Center():
                yield OptionList(id="entries")
            yield Static(id="notice", markup=False)

    def on_mount(self) -> None:
        self.query_one("#entries").can_focus = False

    def on_screen_resume(self) -> None:
        self.reload()

    def reload(self) -> None:
        games = self.host.saves.unfinished()
        for problem in self.host.saves.problems:
            self.host.tell(problem)
        self._waiting = games[0] if games else None
        self._others = max(0, len(games) - 1)
        self._fill()
        start_work(self, self.host.library.collect, group="collect")

    def settings_changed(self) -> None:
        super().settings_changed()
        self.query_one("#title", Static).update(_title(ascii_only=self.host.settings.ascii))
        self._fill()

    def _fill(self) -> None:
        entries = self.query_one("#entries", OptionList)
        entries.clear_options()
        for name, label, action_id in _ENTRIES:
            if name == "continue_game" and self._waiting is None:
                continue
            entries.add_option(Option(self._line(name, label, action_id), id=name))
        entries.highlighted = 0
        self.query_one("#notice", Static).update("\n".join(self.host.notices))
        self.refresh_bindings()

    def _line(self, name: str, label: str, action_id: str) -> Text:
        settings = self.host.settings
        what = ""
        if name == "play":
            what = _summary(Rules.parse(settings.rules))
        elif name == "continue_game" and self._waiting is not None:
            state = self._waiting.states[-1]
            fields = {"preset": preset_text(state.rules.base), "bout": state.bout}
            if self._waiting.setup.humans:
                what = say("{preset}, bout {bout}", **fields)
            else:
                what = say("watching {preset}, bout {bout}", **fields)
        elif name == "library" and self._others:
            what = say_count("{count} more to continue", "{count} more to continue", self._others)
        key = key_label(settings.keymap.keys(action_id)[0], ascii_only=settings.ascii)
        line = Text.assemble((f" {translate(label)}", "bold"), ("  " + what, "dim"))
        overflow: OverflowMethod = "crop" if settings.ascii else "ellipsis"
        line.truncate(_WIDTH - len(key) - 2, overflow=overflow, pad=True)
        return line + Text.assemble((key, "bold dim"))

    async def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        name = event.option_id or ""
        await self.run_action("app.settings" if name == "settings" else name)

    def action_choose(self) -> None:
        self.query_one("#entries", OptionList).action_select()

    def action_play(self) -> None:
        self.host.play_game()

    def action_continue_game(self) -> None:
        if self._waiting is not None:
            self.host.go_on(self._waiting)

    def action_watch(self) -> None:
        self.host.watch_game()

    def action_setup(self) -> None:
        self.host.open_setup()

    def action_library(self) -> None:
        self.host.open_library()

    def action_statistics(self) -> None:
        self.host.open_statistics()

    def action_review(self) -> None:
        hint = say("Game text or games as JSON, as durak match --json and the library write them.")
        question = Write(say("Review a game of the file"), "", why_no_file, hint)
        self.ask(question, lambda text: self._load(written_path(text)))

    @work(exclusive=True, group="load")
    async def _load(self, path: Path) -> None:
        """Read the file in a thread: it may hold thousands of games."""
        try:
            games = await in_thread(choose_records, path)
        except DurakError as error:
            self.host.tell(say("The game cannot be read: {why}", why=core_words(error)))
            self.query_one("#notice", Static).update("\n".join(self.host.notices))
        else:
            self.host.review_one_of(games)

    async def action_rules(self) -> None:
        await self.app.run_action("rules")

    async def action_quit(self) -> None:
        await self.app.action_quit()


def _summary(rules: Rules) -> str:
    changed = " *" if any(name != "seats" for name in rules.differences) else ""
    seats = say_count("{count} seat", "{count} seats", rules.seats)
    return f"{preset_text(rules.base)}{changed}, {seats}"


def _title(*, ascii_only: bool) -> Text:
    suits = "shdc" if ascii_only else "♠♥♦♣"
    lines = ("+---+", "|   |") if ascii_only else ("╭───╮", "╰───╯")
    side = "|" if ascii_only else "│"
    rows = [Text() for _ in range(4)]
    for letter, suit in zip(say_as("title", "DURAK"), cycle(suits), strict=False):
        ink = Style(color=_RED if suit in "♥♦hd" else _BLACK, bgcolor=_PAPER)
        top, bottom = (lines[0], lines[0]) if ascii_only else lines
        card = (top, f"{side}{letter}  {side}", f"{side}  {suit}{side}", bottom)
        for number, (row, text) in enumerate(zip(rows, card, strict=True)):
            if row.plain:
                row.append(" ")
            row.append(text, ink + Style(bold=number in {1, 2}))
    return Text("\n").join(rows)
