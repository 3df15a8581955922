"""All tables of a server, and the connections that reach them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

from durak_core.errors import DurakError, NotationError
from durak_tui.engine import Answering, in_thread
from durak_tui.friends import messages
from durak_tui.friends.game import Link, OldLink, new_code
from durak_tui.friends.messages import No, Open, read_plan, refusal
from durak_tui.friends.store import StoredTable, TableStore, read_table
from durak_tui.friends.table import USUAL_TIMING, HostedTable, Timing

_GLANCE: Final = 60.0
"""Seconds between searches for tables to end."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a server.

    Attributes:
        tables: Most tables.
        of_one: Most tables opened by one visitor.
        unused: Seconds until an empty table that never had a game ends.
        idle: Seconds without any action of a person until a table ends.
        wrong_code: Seconds until the answer to a wrong code or token.
    """

    tables: int = 100
    of_one: int = 2
    unused: float = 600.0
    idle: float = 24 * 3600.0
    wrong_code: float = 1.0


USUAL_LIMITS: Final = Limits()


class Tables:
    """The tables of a server.

    Args:
        store: Where they are kept; None to keep them in memory.
        engine: Runs searching bots.
        report: Called with problems, for the server's owner.
        is_own: Whether the server belongs to the player who opens its tables, and ends with them.
    """

    def __init__(  # noqa: PLR0913 - what the tables of a server have in common
        self,
        store: TableStore | None,
        engine: Answering | None,
        *,
        limits: Limits = USUAL_LIMITS,
        timing: Timing = USUAL_TIMING,
        report: Callable[[str], None] = lambda _text: None,
        is_own: bool = False,
    ) -> None:
        self.limits = limits
        self._is_own = is_own
        self._store = store
        self._report = report
        self._new_table = partial(
            HostedTable, engine=engine, timing=timing, keep=self._keep, report=report, is_own=is_own
        )
        self._tables: dict[str, HostedTable] = {}
        self._running: dict[str, asyncio.Task[None]] = {}
        self._sweeper: asyncio.Task[None] | None = None

    def __len__(self) -> int:
        return len(self._tables)

    def start(self) -> None:
        """Restore the stored tables, and run them. Needs a running event loop."""
        for code, about, moves in [] if self._store is None else self._store.tables():
            try:
                self._restore(read_table(about), moves)
            except DurakError as error:
                self._report(f"The table {code} is damaged: {error}")
        self._sweeper = asyncio.create_task(self._sweep(), name="durak-tables")

    async def close(self) -> None:
        """End all tasks. The tables stay stored."""
        tasks = [task for task in (self._sweeper, *self._running.values()) if task is not None]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    def pause(self) -> None:
        """Announce that an own server ends and that its tables stay stored."""
        if self._is_own:
            for table in self._tables.values():
                table.close(refusal("pause"))

    def find(self, code: str) -> HostedTable | None:
        return self._tables.get(code)

    async def open(self, visitor: str, wanted: Open) -> HostedTable | No:
        """Open a table for a visitor, or return why not."""
        plan = await in_thread(read_plan, wanted)
        if isinstance(plan, No):
            return plan
        if sum(table.visitor == visitor for table in self._tables.values()) >= self.limits.of_one:
            return refusal("many_tables")
        if len(self._tables) >= self.limits.tables:
            return refusal("server_full")
        code = wanted.code if self._is_own and messages.checked_code(wanted.code) == wanted.code else ""
        while not code or code in self._tables:
            code = new_code()
        table = self._new_table(code, visitor, plan)
        table.earlier = dict(wanted.score)
        self._run(table)
        return table

    def end(self, table: HostedTable) -> None:
        """End a table, and close its connections."""
        if self._tables.pop(table.code, None) is None:
            return
        self._running.pop(table.code).cancel()
        table.close(refusal("closed" if table.is_closed else "expired"))
        if self._store is not None:
            self._store.drop(table.code)

    def end_unused(self) -> None:
        """End the tables that have been unused for long."""
        now = time.monotonic()
        for table in list(self._tables.values()):
            is_unused = table.is_deserted and table.game is None
            if now - table.used_at > (self.limits.unused if is_unused else self.limits.idle):
                self.end(table)

    def _restore(self, stored: StoredTable, moves: tuple[str, ...]) -> None:
        plan = read_plan(Open(stored.rules, stored.players, stored.clock, stored.spectators))
        if isinstance(plan, No):
            raise DurakError("{why}", why=plan.why)
        table = self._new_table(stored.code, stored.visitor, plan)
        table.restore(stored, moves)
        self._run(table)

    def _run(self, table: HostedTable) -> None:
        self._tables[table.code] = table
        task = asyncio.create_task(table.run(), name=f"durak-table-{table.code}")
        self._running[table.code] = task

        def over(task: asyncio.Task[None]) -> None:
            """End a table whose loop has failed; the others go on."""
            if not task.cancelled() and (error := task.exception()) is not None:
                self._report(f"A table has failed: {type(error).__name__}: {error}")
                self.end(table)

        task.add_done_callback(over)

    def _keep(self, table: HostedTable) -> None:
        if table.is_closed or not table.people:
            self.end(table)
        elif self._store is not None:
            self._store.keep(table.stored(), [] if table.game is None else table.game.moves)

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(_GLANCE)
            self.end_unused()


class ConnectionState:
    """What the server knows of one connection: its name, and its seat or the table that it watches."""

    def __init__(self, tables: Tables, visitor: str, link: Link) -> None:
        self._tables = tables
        self._visitor = visitor
        self._link = link
        self._name = ""
        self._seated: HostedTable | None = None
        self._watched: HostedTable | None = None

    async def take(self, text: str) -> messages.FromPlayer | None:
        """Answer a message; return it, or None if it is invalid."""
        try:
            message = messages.read_from_player(text)
        except NotationError:
            self._link.send(refusal("message"))
            return None
        no = await self._answer(message)
        if no is not None:
            self._link.send(no)
            if no.kind == "version":
                self._link.close()
        return message

    def end(self) -> None:
        """Note that the connection has ended."""
        if self._watched is not None:
            self._watched.watch_no_more(self._link)
        if self._seated is not None:
            table, self._seated = self._seated, None
            table.disconnect(self._link)

    async def _answer(self, message: messages.FromPlayer) -> No | None:
        if self._seated is not None and self._seated.seat_at(self._link) is None:
            self._seated = None  # a newer connection has the seat, or the table has ended
        if self._watched is not None:
            return refusal("spectator")
        match message:
            case messages.Hello():
                no = self._greet(message)
            case _ if not self._name:
                no = refusal("name")
            case Open():
                no = await self._open(message)
            case messages.Sit():
                no = await self._sit(message)
            case messages.Watch():
                no = await self._watch(message)
            case _ if self._seated is None:
                no = refusal("no_seat")
            case messages.Change():
                no = await self._change(message, self._seated)
            case _:
                no = self._act(message, self._seated)
        return no

    async def _change(self, message: messages.Change, table: HostedTable) -> No | None:
        plan = await in_thread(read_plan, message)
        seat = table.seat_at(self._link)
        if isinstance(plan, No):
            return plan
        return refusal("no_seat") if seat is None else table.change(seat, plan)

    def _act(self, message: messages.FromPlayer, table: HostedTable) -> No | None:
        """Do what only a seated person can."""
        seat = table.seat_at(self._link)
        if seat is None:
            return refusal("no_seat")
        match message:
            case messages.Start():
                no = table.start(seat)
            case messages.Again():
                no = table.again(seat)
            case messages.Wait():
                no = table.wait(seat)
            case messages.Act():
                no = table.act(seat, message)
            case messages.Replace():
                no = table.replace(message.seat)
            case messages.Say():
                no = None
                table.say(seat, message.phrase)
            case messages.Leave(returns=returns):
                self._seated = None
                no = None
                table.leave(seat, returns=returns)
            case _:
                no = None
        return no

    def _greet(self, hello: messages.Hello) -> No | None:
        if not messages.OLDEST_VERSION <= hello.version <= messages.VERSION:
            return refusal("version")
        if hello.version < messages.VERSION and not isinstance(self._link, OldLink):
            self._link = OldLink(self._link)
        name = messages.checked_name(hello.name)
        if not name:
            return refusal("name")
        if self._seated is not None:
            return refusal("not_now")
        self._name = name
        return None

    async def _open(self, message: Open) -> No | None:
        if self._seated is not None:
            return refusal("not_now")
        table = await self._tables.open(self._visitor, message)
        if isinstance(table, No):
            return table
        self._take_seat(table)
        return None

    async def _sit(self, message: messages.Sit) -> No | None:
        """Give a free seat, or with a token the seat that it belongs to."""
        table = self._tables.find(messages.checked_code(message.code))
        if table is None:
            return await self._wrong("no_table")
        seat = table.seat_of(message.token) if message.token else None
        if message.token and seat is None:
            return await self._wrong("no_seat")
        if self._seated is not None and (self._seated, self._seated.seat_at(self._link)) != (table, seat):
            return refusal("not_now")
        if seat is None:
            return None if self._take_seat(table) else refusal("full")
        self._seated = table
        table.connect(seat, message.token, self._link)
        return None

    async def _watch(self, message: messages.Watch) -> No | None:
        if self._seated is not None:
            return refusal("not_now")
        table = self._tables.find(messages.checked_code(message.code))
        if table is None:
            return await self._wrong("no_table")
        no = table.watch(self._link)
        self._watched = table if no is None else None
        return no

    def _take_seat(self, table: HostedTable) -> bool:
        seat = table.free_seat()
        if seat is None:
            return False
        self._seated = table
        table.sit(seat, self._name, self._link)
        return True

    async def _wrong(self, kind: str) -> No:
        """Refuse a wrong code or token slowly, so that guessing takes for ever."""
        await asyncio.sleep(self._tables.limits.wrong_code)
        return refusal(kind)
