"""The way in: host a table, join one, or return to a seat."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import ClassVar, Final

from textual import events, on

from durak_core.errors import NotationError
from durak_tui.friends.address import USUAL_SERVER, Address, parse_address
from durak_tui.friends.kept_seats import KeptSeat, KeptSeats
from durak_tui.friends.messages import checked_name
from durak_tui.friends.screens.lobby import LobbyScreen
from durak_tui.friends.screens.tv import TvScreen
from durak_tui.friends.view import spaced_code
from durak_tui.storage.settings import Settings, settings_problem
from durak_tui.text.core_messages import core_words
from durak_tui.text.i18n import gettext, in_every_language, mark
from durak_tui.ui.screens.base import AppScreen
from durak_tui.ui.screens.dialogs import Write
from durak_tui.ui.screens.form import FormScreen
from durak_tui.ui.widgets.form import Row

_MOST_SHOWN: Final = 3


HOST: Final = "table"
"""What `FriendsScreen` does at once to host a table."""


class FriendsScreen(FormScreen):
    """Asks for the player's name and for the table.

    Args:
        at_once: `HOST`, or the link or code of a table to join at once, or empty.
        watching: Whether to watch that table.
    """

    HEADING: ClassVar[str] = mark("With friends")

    def __init__(self, at_once: str = "", *, watching: bool = False) -> None:
        super().__init__()
        self._at_once = at_once
        self._is_watching = watching
        self._seats: tuple[KeptSeat, ...] = ()

    def on_mount(self) -> None:
        if self._at_once:
            self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        if self._at_once == HOST:
            ask_name(self, self.host.action_host)
            return
        try:
            address = self._parse(self._at_once)
        except NotationError as error:
            self.host.tell(core_words(error))
            return
        if address.code:
            self._enter(address, watching=self._is_watching)
        else:
            self._join(address.server, watching=self._is_watching)

    @on(events.ScreenResume)
    def show(self) -> None:
        super().show()

    def rows(self) -> list[Row]:
        name = "" if is_nameless(self.host.settings) else self.host.settings.name
        self._seats = KeptSeats().all()[:_MOST_SHOWN]
        back = [
            Row(
                f"seat-{number}",
                gettext("Back to your table"),
                spaced_code(seat.code),
                help=gettext("Your seat is kept at {server}.", server=seat.server),
            )
            for number, seat in enumerate(self._seats)
        ]
        return [
            Row(
                "name",
                gettext("Your name"),
                name or gettext("none yet"),
                written=True,
                help=gettext("What the others call you."),
            ),
            *back,
            Row(
                "join",
                gettext("Join a table"),
                gettext("by its code or link"),
                help=gettext("The host's screen shows both."),
            ),
            Row(
                "watch",
                gettext("Watch a table"),
                gettext("by its code or link"),
                help=gettext("You see no hands, and everything one bout later."),
            ),
            Row(
                "host",
                gettext("Host a table"),
                gettext("your rules, your friends"),
                help=gettext("Friends open a link on their phones, or type a code. Bots take free seats."),
            ),
        ]

    def change(self, name: str, text: str) -> None:
        """No row has choices: each is opened."""

    def open_row(self, row: Row, typed: str) -> None:
        del typed
        if row.name == "name":
            write_name(self, self.show)
        elif row.name == "join":
            self._join()
        elif row.name == "watch":
            self._join(watching=True)
        elif row.name == "host":
            ask_name(self, self.host.action_host)
        else:
            seat = self._seats[int(row.name.removeprefix("seat-"))]
            ask_name(self, partial(self._open, seat.address))

    def _join(self, server: str = "", *, watching: bool = False) -> None:
        hint = gettext("The code has eight letters and digits. A link brings its own server.")
        write = Write(gettext("Which table?"), "", partial(self._address_problem, server=server), hint)
        self.ask(write, lambda text: self._enter(self._parse(text, server), watching=watching))

    def _address_problem(self, text: str, *, server: str) -> str:
        try:
            address = self._parse(text, server)
        except NotationError as error:
            return core_words(error) if text.strip() else gettext("Type a code or a link.")
        return "" if address.code else gettext("This link has no code; type the code as well: LINK/t/CODE")

    @staticmethod
    def _parse(text: str, server: str = "") -> Address:
        """Parse a link or a code. A code alone belongs to this server, or to the one used last."""
        kept = KeptSeats().all()
        return parse_address(text, server or (kept[0].server if kept else USUAL_SERVER))

    def _enter(self, address: Address, *, watching: bool) -> None:
        """Go to a table; spectators need no name."""
        if watching:
            self.app.push_screen(TvScreen(address, self.host.settings.name))
        else:
            ask_name(self, partial(self._open, address))

    def _open(self, address: Address) -> None:
        self.app.push_screen(LobbyScreen(address, self.host.settings.name))


def is_nameless(settings: Settings) -> bool:
    return settings.name in in_every_language("name", "You")


def ask_name(screen: AppScreen[None], then: Callable[[], object]) -> None:
    """Call a function once the player has a name that others can read."""
    if not is_nameless(screen.host.settings):
        then()
        return
    write_name(screen, then)


def write_name(screen: AppScreen[None], then: Callable[[], object] = lambda: None) -> None:
    """Ask for the player's name and keep it; then call a function."""

    def named(name: str) -> None:
        screen.host.change_settings(name=checked_name(name))
        then()

    settings = screen.host.settings
    before = "" if is_nameless(settings) else settings.name
    hint = gettext("What the others call you.")
    screen.ask(Write(gettext("Your name at the table"), before, name_problem, hint), named)


def name_problem(text: str) -> str:
    name = checked_name(text)
    if name in in_every_language("name", "You"):
        return gettext("Choose a name that the others can call you by.")
    return settings_problem(name=name)
