"""The way to a table: host, join or return, and the lobby with its code and link."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from secrets import choice
from typing import ClassVar, Final

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Center, Horizontal, Vertical
from textual.widgets import Input, Static

from durak_core import Rules
from durak_core.errors import EngineError, NotationError
from durak_tui.friends import messages
from durak_tui.friends.client import KeptSeat, KeptSeats, refusal_words
from durak_tui.friends.guest import Guest
from durak_tui.friends.messages import USUAL_SERVER, Address, FromServer, Open
from durak_tui.friends.own_server import PATIENCE, USUAL_PORT, Announcement, Nearby, OwnServer, find_table
from durak_tui.friends.screens.table import TICK, EveningDialog, FriendsTable
from durak_tui.friends.screens.tv import TvScreen
from durak_tui.friends.view import (
    line_above,
    news,
    score_line,
    seat_lines,
    spaced_code,
    spectators_line,
    table_words,
    what_next,
)
from durak_tui.keys.actions import Key
from durak_tui.keys.keymap import key_label
from durak_tui.library.model.file import LibraryError
from durak_tui.players import HUMAN, key_at
from durak_tui.sandbox import is_confined, page_server
from durak_tui.storage.settings import Settings, settings_problem
from durak_tui.text.core_messages import core_words
from durak_tui.text.i18n import gettext, in_every_language, mark, pgettext
from durak_tui.ui.screens.base import AppScreen, DurakScreen, ScreenLine, TranslatedLabel, start_work
from durak_tui.ui.screens.dialogs import Ask, FormScreen, Pick, Write
from durak_tui.ui.view.signals import qr_lines
from durak_tui.ui.widgets.cards import letter_cards
from durak_tui.ui.widgets.form import Form, Row

_BROAD: Final = 52
"""Columns needed for the code as cards."""
_BESIDE: Final = 76
"""Columns needed for a QR code next to the seats."""
_HIGH: Final = 24
_BELOW: Final = 44
"""Rows needed for a QR code below the seats, on a phone."""
_SHORT_LOOK: Final = 1.0
"""Seconds in which a table of the local network usually answers."""


class LobbyScreen(DurakScreen, place="lobby"):
    """Connects to a table, shows who is there, and opens the game.

    Args:
        address: The server and the table; None to start a server on this machine.
        opening: The table to open; None to sit down at the table of the address.
    """

    def __init__(self, address: Address | None, name: str, opening: Open | None = None) -> None:
        super().__init__()
        self._address = address
        self._person = name
        self._opening = opening
        self._server: OwnServer | None = None
        self._announcement = Announcement()
        self._told = ""
        self._opened = 0
        self._line: ScreenLine | None = None
        self.guest: Guest | None = None

    @classmethod
    def opening(
        cls, name: str, rules: Rules, players: Sequence[str], clock: int, *, spectators: bool
    ) -> LobbyScreen:
        """Open a table: on a server of this machine, or for a visitor in the browser on the page's.

        ``players`` has a bot's spec for each seat, or ``human`` for the player and friends.
        """
        address = Address(messages.own_server()) if is_confined() else None
        return cls(address, name, Open(rules.text, _keys(players), clock, spectators))

    def compose_body(self) -> ComposeResult:
        yield TranslatedLabel(mark("With friends"), classes="form-title")
        with Vertical(id="lobby"):
            with Center():
                yield Static(id="lobby-code")
            yield Static(id="lobby-link", markup=False)
            with Horizontal(id="lobby-body"):
                with Vertical(id="lobby-table"):
                    for part in ("rules", "seats", "score", "next"):
                        yield Static(id=f"lobby-{part}", markup=False)
                yield Static(id="lobby-qr", markup=False)

    def on_mount(self) -> None:
        start_work(self, self._connect, group="connect")
        self.set_interval(TICK, self._tick)

    async def on_unmount(self) -> None:
        if self._line is not None and self._line.is_attached:
            await self._line.remove()
        if self.guest is not None:
            await self.guest.close()
        await self._announcement.stop()
        if self._server is not None:
            await self._server.stop()

    def settings_changed(self) -> None:
        super().settings_changed()
        self.show()

    # The connection

    async def _connect(self) -> None:
        address = self._address
        kept = None if address is None else KeptSeats().find(address)
        if address is None or (kept is not None and kept.is_own):  # this machine has to run the server
            self._server = OwnServer()
            try:
                local = await self._server.start(USUAL_PORT if address is None else address.port)
            except (EngineError, OSError) as error:
                self._told = core_words(error)
                self.show()
                return
            if address is not None:
                local = local.at_table(address.code)
                KeptSeats().move(address, local)
            address = local
        if not self.is_complete:
            return
        self.guest = Guest(
            address, self._person, KeptSeats(), opening=self._opening, is_own=self._server is not None
        )
        self.guest.listen(self._heard)
        self.guest.connect()
        self.show()

    def _heard(self, message: FromServer | None) -> None:
        if not self.is_complete:
            return
        match message:
            case messages.GameLook(game=game) if game != self._opened:
                self._opened = game
                if not any(isinstance(screen, FriendsTable) for screen in self.app.screen_stack):
                    self._open_table()
            case messages.End() if self.guest is not None and self.guest.record is not None:
                start_work(self, self._keep, group="keep")
            case messages.No(kind=kind) if self.guest is not None and not self.guest.problem:
                self._told = "" if kind == "pause" else refusal_words(message)
            case messages.Lobby() if self.guest is not None:
                self._told = news(self.guest) or self._told
            case None | messages.Seated():
                self._told = ""
                if message is not None and self._server is not None and self.host.settings.nearby:
                    address = self._server.in_network.at_table(message.code)
                    start_work(self, self._announcement.start, address, group="announce")
        self.show()
        self._show_line()

    def _open_table(self) -> None:
        moment = None if self.guest is None else self.guest.moment
        if self.guest is not None and moment is not None:
            self.app.push_screen(FriendsTable(self.guest, moment))

    def _tick(self) -> None:
        guest = self.guest
        if guest is not None and guest.lobby is not None and guest.lobby.begins is not None:
            self.show()
        self._show_line()

    def _show_line(self) -> None:
        """Show above whatever screen is in front that the table waits for the player."""
        guest, screen = self.guest, self.app.screen
        if guest is None or not self.is_complete or not isinstance(screen, AppScreen):
            return
        has_own = isinstance(screen, FriendsTable | EveningDialog) and not guest.is_my_turn
        chooses = isinstance(screen, Pick | Write) or isinstance(self.app.focused, Input)
        key = "" if chooses else key_label("enter", ascii_only=self.host.settings.ascii)
        words, tone = line_above(guest, key)
        if isinstance(screen, FriendsTable) or has_own or (screen is self and not guest.is_playing):
            words = ""
        if self._line is None or self._line.parent is not screen:
            if self._line is not None and self._line.is_attached:
                self._line.remove()
            self._line = None
            if not words:
                return
            self._line = ScreenLine(markup=False)
            screen.mount(self._line)
        self._line.show(words, tone, None if chooses or not guest.is_playing else self._back_to_table)

    def _back_to_table(self) -> None:
        """Close what lies above the table, and show the table."""
        for screen in reversed(self.app.screen_stack):
            if screen is self or isinstance(screen, FriendsTable):
                break
            screen.dismiss(None)
        if self.app.screen is self:
            self._open_table()
        self._show_line()

    async def _keep(self) -> None:
        record = None if self.guest is None else self.guest.record
        if record is not None:
            try:
                await self.host.library.add(record, "played")
            except LibraryError as error:
                self.host.tell(core_words(error))

    # Drawing

    @property
    def link(self) -> str:
        """The address for friends; empty if only the code is known."""
        if self.guest is None or not self.guest.address.code:
            return ""
        if self._server is not None:
            return self._server.in_network.at_table(self.guest.address.code).link
        if is_confined():
            return replace(self.guest.address, server=page_server()).link if page_server() else ""
        return self.guest.address.link

    @on(events.Resize)
    @on(events.ScreenResume)
    def show(self) -> None:
        if not self.is_complete:
            return
        guest, ascii_only = self.guest, self.host.settings.ascii
        texts = {"link": self.link, "rules": "", "seats": "", "score": ""}
        key = self.host.settings.keymap.label("lobby.start", ascii_only=ascii_only)
        watch, wait = (
            self.host.settings.keymap.label(f"lobby.{name}", ascii_only=ascii_only)
            for name in ("watch", "wait")
        )
        words = gettext("Opening the table…") if guest is None else what_next(guest, key, watch, wait)
        texts["next"] = "\n".join(filter(None, (self._told, words)))
        if guest is not None and guest.lobby is not None and guest.rules is not None:
            lines = seat_lines(guest, ascii_only=ascii_only)
            texts["seats"] = "\n".join(f"{number}  {line}" for number, line in enumerate(lines, 1))
            texts["rules"] = table_words(guest.rules, guest.lobby.clock)
            lost = score_line(guest.names, guest.score, guest.rules, ascii_only=ascii_only)
            texts["score"] = "\n".join(filter(None, (lost, spectators_line(guest.lobby.spectators))))
        for part, text in texts.items():
            self.query_one(f"#lobby-{part}", Static).update(text)
        code = "" if guest is None else guest.address.code
        drawn = Text(spaced_code(code) if code else "", "bold")
        if code and self.app.size.width >= _BROAD:
            drawn = letter_cards(code, ascii_only=ascii_only)
        self.query_one("#lobby-code", Static).update(drawn)
        is_reachable = bool(self.link) and guest is not None and guest.problem is None
        self._show_qr(is_wanted=is_reachable and not ascii_only)
        self.refresh_bindings()

    def _show_qr(self, *, is_wanted: bool) -> None:
        width, height = self.app.size
        is_below = self.is_upright and height >= _BELOW
        has_room = is_wanted and ((width >= _BESIDE and height >= _HIGH) or is_below)
        lines = qr_lines(self.link) if has_room else []
        picture = self.query_one("#lobby-qr", Static)
        picture.update(Text("\n".join(lines), "white on black"))
        picture.display = bool(lines)
        self.query_one("#lobby-body").set_class(is_below, "-below")

    def bar_label(self, key: Key) -> str:
        guest = self.guest
        if key.word != "start" or guest is None:
            return super().bar_label(key)
        if guest.is_playing:
            return gettext("to the game")
        return gettext("ready") if guest.has_begun else super().bar_label(key)

    def offers(self, action: str) -> bool:
        guest = self.guest
        if guest is None or guest.lobby is None:
            return action == "back" or (action == "watch" and self._can_watch)
        lobby, is_gone = guest.lobby, guest.problem is not None
        agrees = lobby.begins is not None
        starts = (guest.is_host or guest.has_begun) and not lobby.is_playing
        offered = {
            "start": guest.is_closed if is_gone else starts or guest.is_playing,
            "wait": agrees and not is_gone,
            "change": guest.is_host and not lobby.is_playing and not is_gone,
            "copy": bool(self.link),
            "watch": self._can_watch,
        }
        return offered.get(action, super().offers(action))

    @property
    def _can_watch(self) -> bool:
        return self.guest is not None and self.guest.can_only_watch

    # Actions

    def action_start(self) -> None:
        """Start the game or the next one, or go back to the running one."""
        guest = self.guest
        self.action_watch()
        if guest is None or guest.lobby is None:
            return
        self._told = ""
        if guest.is_closed:
            if guest.seat is not None and not is_confined():
                start_work(
                    self, self._go_on_without_host, guest.lobby, guest.seat, group="look", exclusive=True
                )
        elif guest.is_playing:
            self._open_table()
        else:
            guest.send(messages.Again() if guest.has_begun else messages.Start())
        self.show()

    def action_wait(self) -> None:
        """Ask for a later start of the next game."""
        if self.guest is not None:
            self.guest.send(messages.Wait())

    def action_change(self) -> None:
        """Choose other rules, another clock and other bots for the next game."""
        if self.offers("change"):
            self.host.action_host()

    def change_table(self, rules: Rules, players: Sequence[str], clock: int, *, spectators: bool) -> None:
        """Play by these choices from the next game on; see `opening`."""
        if self.guest is not None:
            self.guest.send(messages.Change(rules.text, _keys(players), clock, spectators))

    async def _go_on_without_host(self, lobby: messages.Lobby, seat: int) -> None:
        """Go to the table that another player hosts under the old code; if there is none, host it oneself.

        One player after the other gives up looking for it, so that not everyone hosts.
        """
        self._told = gettext("Looking for the table…")
        self.show()
        before = sum(one.kind == "person" and one.presence != "left" for one in lobby.seats[:seat])
        before -= lobby.host < seat
        patience = _SHORT_LOOK + before * PATIENCE
        found = await find_table(lobby.code, (), is_near=self.host.settings.nearby, patience=patience)
        if not self.is_complete:
            return
        if found is not None:
            self._replace_by(LobbyScreen(found, self._person))
            return
        keys = tuple([one.player if one.kind == "bot" else "" for one in lobby.seats])
        people = zip(lobby.seats, lobby.score, strict=True)
        score = {one.name: lost for one, lost in people if one.kind == "person"}
        opening = Open(lobby.rules, keys, lobby.clock, score=score, code=lobby.code)
        self._replace_by(LobbyScreen(None, self._person, opening))

    def _replace_by(self, screen: LobbyScreen | TvScreen) -> None:
        self.dismiss()
        self.app.push_screen(screen)

    def action_watch(self) -> None:
        """Watch a table that has no free seat."""
        guest = self.guest
        if guest is not None and guest.can_only_watch:
            self._replace_by(TvScreen(guest.address, guest.name))

    def on_click(self, event: events.Click) -> None:
        """Start or copy by touch, for which the key bar has no Enter."""
        match event.widget.id if event.widget is not None else None:
            case "lobby-next":
                self.action_start()
            case "lobby-link":
                self.action_copy()

    def action_copy(self) -> None:
        if self.link:
            self.app.copy_to_clipboard(self.link)
            self._told = gettext("The link is copied.")
            self.show()

    def action_back(self) -> None:
        """Leave the table, for now or for good."""
        guest = self.guest
        if guest is None or guest.seat is None or guest.problem is not None:
            self.dismiss()
            return
        text = gettext("Your seat is kept: With friends brings you back. Until then Viktor plays for you.")
        if self._server is not None:
            text = gettext(
                "The table is on this machine. Your friends cannot play until you come back to it. If you "
                "leave for good, it closes for everyone."
            )
        buttons = (
            ("stay", gettext("Stay")),
            ("later", gettext("Come back later")),
            ("leave", gettext("Leave for good")),
        )

        def answered(answer: str) -> None:
            if answer in {"leave", "later"}:
                guest.leave(returns=answer == "later")
            if answer != "stay":
                self.dismiss()

        self.ask(Ask(gettext("Leave the table?"), text, buttons), answered)


def _keys(players: Sequence[str]) -> tuple[str, ...]:
    """Return each bot's name as messages have it, and an empty text for each person."""
    return tuple("" if player == HUMAN else key_at(players, seat) for seat, player in enumerate(players))


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
        self._nearby = Nearby(self._nearby_changed)
        self._typed = "" if at_once == HOST else at_once
        """The code or link typed last, to correct it."""
        self._looks_for = ""
        """The row, ``join`` or ``watch``, whose table is being looked for."""

    def _nearby_changed(self) -> None:
        if self.is_in_front:
            self.show()

    async def on_unmount(self) -> None:
        await self._nearby.stop()

    def on_mount(self) -> None:
        if self.host.settings.nearby and not is_confined():
            self._nearby.start()
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
        before = self._seats
        super().show()
        if self._seats and self._seats != before:  # come back later: the way back is what is wanted next
            self.query_one(Form).cursor = 0

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
        known = {seat.code for seat in self._seats}
        usual, looking = gettext("by its code or link"), gettext("Looking for the table…")
        near = [
            Row(
                f"near-{code}",
                gettext("Table nearby"),
                spaced_code(code),
                help=gettext("It says that it is at {server}.", server=address.server),
            )
            for code, address in sorted(self._nearby.tables.items())[: 2 * _MOST_SHOWN]
            if code not in known
        ]
        return [
            *back,
            *near,
            Row(
                "name",
                gettext("Your name"),
                name or gettext("none yet"),
                written=True,
                help=gettext("What the others call you."),
            ),
            Row(
                "join",
                gettext("Join a table"),
                looking if self._looks_for == "join" else usual,
                help=gettext("The host's screen shows both."),
            ),
            Row(
                "watch",
                gettext("Watch a table"),
                looking if self._looks_for == "watch" else usual,
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
        match row.name:
            case "name":
                write_name(self, self.show)
            case "join" | "watch":
                self._join(watching=row.name == "watch")
            case "host":
                ask_name(self, self.host.action_host)
            case name if name.startswith("near-"):
                address = self._nearby.tables.get(name.removeprefix("near-"))
                if address is not None:
                    self._enter(address, watching=False)
            case name:
                ask_name(self, partial(self._open, self._seats[int(name.removeprefix("seat-"))].address))

    def _join(self, server: str = "", *, told: str = "", watching: bool = False) -> None:
        def problem(text: str) -> str:
            try:
                address = self._parse(text, server)
            except NotationError as error:
                return core_words(error) if text.strip() else gettext("Type a code or a link.")
            if address.code:
                return ""
            return gettext("This link has no code; type the code as well: LINK/t/CODE")

        hint = gettext("The code has eight letters and digits. A link brings its own server.")
        write = Write(gettext("Which table?"), self._typed, problem, told or hint)

        def typed(text: str) -> None:
            self._typed = text
            self._enter(self._parse(text, server), watching=watching)

        self.ask(write, typed)

    @staticmethod
    def _parse(text: str, server: str = "") -> Address:
        """Parse a link or a code. A code alone belongs to this server, or else has no server yet."""
        code = messages.checked_code(text)
        if code and not server and not is_confined():
            return Address("", code)
        return messages.parse_address(text, server or USUAL_SERVER)

    def _enter(self, address: Address, *, watching: bool) -> None:
        """Go to a table, once its server is known; spectators need no name."""
        if not address.server:
            start_work(self, self._look_for, address.code, watching, group="look", exclusive=True)
        elif watching:
            self.app.push_screen(TvScreen(address, self.host.settings.name))
        else:
            ask_name(self, partial(self._open, address))

    async def _look_for(self, code: str, watching: bool) -> None:
        """Find the server of a code that was typed alone, and go to the table."""
        kept = KeptSeats().all()
        own = next((seat.address for seat in kept if seat.code == code), None)
        named = [self.host.settings.server] if self.host.settings.server else []
        named += [seat.server for seat in kept[:1] if not seat.is_own]
        self._looks_for = "watch" if watching else "join"
        self.show()
        found = own or await find_table(code, named, is_near=self.host.settings.nearby)
        if not self.is_complete:
            return
        self._looks_for = ""
        self.show()
        if found is not None:
            self._enter(found, watching=watching)
        else:
            told = gettext(
                "No table with the code {code} answers here. Ask the host for the link.",
                code=spaced_code(code),
            )
            self._join(watching=watching, told=told)

    def _open(self, address: Address) -> None:
        self.app.push_screen(LobbyScreen(address, self.host.settings.name))


def is_nameless(settings: Settings) -> bool:
    return settings.name in in_every_language("name", "You")


def ask_name(screen: AppScreen[None], then: Callable[[], object]) -> None:
    """Call a function once the player has a name that others can read."""
    if is_nameless(screen.host.settings):
        write_name(screen, then)
    else:
        then()


def write_name(screen: AppScreen[None], then: Callable[[], object]) -> None:
    """Ask for the player's name and keep it; then call a function."""

    def problem(text: str) -> str:
        name = messages.checked_name(text)
        if name in in_every_language("name", "You"):
            return gettext("Choose a name that the others can call you by.")
        return settings_problem(name=name)

    def named(name: str) -> None:
        screen.host.change_settings(name=messages.checked_name(name))
        then()

    settings = screen.host.settings
    usual = pgettext("names", "Alex Robin Kim Toni Nika Sasha Max Charlie").split()
    before = choice(usual) if is_nameless(settings) else settings.name
    hint = gettext("What the others call you.")
    screen.ask(Write(gettext("Your name at the table"), before, problem, hint), named)
