"""All tables of a server: opening and joining, codes and tokens, limits, and what survives its end."""

import asyncio
import random
import shutil
import sqlite3
from contextlib import asynccontextmanager

import pytest
from waiting import a_while, until

pytest.importorskip("msgspec", reason="the extra web is not installed")

from durak_core.errors import FileError
from durak_tui.friends.messages import (
    VERSION,
    Act,
    Again,
    Hello,
    Leave,
    Open,
    Replace,
    Say,
    Sit,
    Start,
    write_message,
)
from durak_tui.friends.store import FILE_NAME, TableStore, read_table
from durak_tui.friends.table import Timing
from durak_tui.friends.tables import ConnectionState, Limits, Tables
from tui.friends.evening import NEVER, QUICK, Person, begun, new_table, play_out, seated_at

LIMITS = Limits(wrong_code=0.0)


@asynccontextmanager
async def server(folder=None, limits=LIMITS, report=print, *, is_own=False):
    store = None if folder is None else TableStore(folder, report)
    tables = Tables(store, None, limits=limits, timing=Timing(0.0, NEVER), report=report, is_own=is_own)
    tables.start()
    try:
        yield tables
    finally:
        await tables.close()
        if store is not None:
            store.close()


class Visitor(Person):
    """A person and their conversation with a server."""

    def __init__(self, tables, name="Anna", visitor="v"):
        super().__init__(name)
        self.connection = ConnectionState(tables, visitor, self)

    async def say(self, *messages):
        for message in messages:
            await self.connection.take(write_message(message))

    async def open(self, players=("", ""), rules=QUICK):
        await self.say(Hello(VERSION, self.name), Open(rules, players))

    async def sit(self, code, token=""):
        await self.say(Hello(VERSION, self.name), Sit(code, token))

    @property
    def code(self):
        return self.lobby.code


async def two_at_a_table(tables):
    """Seat a host and a guest, and start the game; return the table and both."""
    host, guest = Visitor(tables, "Host"), Visitor(tables, "Guest", "w")
    await host.open()
    await guest.sit(host.code)
    table = tables.find(host.code)
    await host.say(Start())
    await begun(table)
    return table, host, guest


@pytest.mark.parametrize("is_own", [False, True])
async def test_only_an_own_server_goes_on_under_the_code_of_a_closed_table(is_own):
    async with server(is_own=is_own) as tables:
        for number, wanted in enumerate(("ABCDEFGH", "ABCDEFGH", "OOOOOOOO")):
            host = Visitor(tables, "Host", str(number))
            await host.say(Hello(VERSION, "Host"), Open(QUICK, ("", ""), code=wanted))
            assert (host.code == wanted) == (is_own and number == 0)


async def test_a_table_is_opened_joined_by_its_code_and_left():
    async with server() as tables:
        table, host, guest = await two_at_a_table(tables)
        await play_out(table, [host, guest])
        await guest.say(Again())
        await begun(table, 2)
        await guest.say(Leave())
        await guest.say(Say(1))
        assert guest.refused == "no_seat"
        await host.say(Leave())
        assert len(tables) == 0


async def test_what_a_player_may_not_do_is_refused_with_its_kind():
    async with server() as tables:
        host, guest, third = Visitor(tables, "Host"), Visitor(tables), Visitor(tables)
        await guest.say(Sit("ABCDEFGH"))
        assert guest.refused == "name"
        await guest.say(Hello(VERSION, "\x1b[2J"))
        assert guest.refused == "name"
        await guest.sit("ABCDEFGH")
        assert guest.refused == "no_table"
        await guest.say(Start())
        assert guest.refused == "no_seat"
        await host.open()
        await host.say(Open(QUICK, ("", "")))
        assert host.refused == "not_now"
        await host.say(Hello(VERSION, "Other"))
        assert host.refused == "not_now"
        await guest.say(Sit(host.code.lower()))
        await guest.say(Start())
        assert guest.refused == "not_host"
        await guest.say(Replace(0))
        assert guest.refused == "not_now"
        await third.sit(host.code)
        assert third.refused == "full"
        for token in ("0" * 32, "яяя", guest.token[:-1]):
            await third.say(Sit(host.code, token))
            assert third.refused == "no_seat"
        assert await third.connection.take("{}") is None
        assert third.refused == "message"
        await third.say(Hello(VERSION + 1, "Third"))
        assert third.refused == "version"
        assert third.is_closed


async def test_wrong_codes_and_tokens_are_answered_late(monkeypatch):
    waits = []

    async def sleep(seconds):
        waits.append(seconds)

    async with server(limits=Limits()) as tables:
        host, guest = Visitor(tables, "Host"), Visitor(tables)
        await host.open()
        monkeypatch.setattr(asyncio, "sleep", sleep)
        await guest.sit("ABCDEFGH")
        await guest.say(Sit(host.code, "x"))
        assert [seconds for seconds in waits if seconds] == [1.0, 1.0]
        monkeypatch.undo()


async def test_a_visitor_has_two_tables_and_a_server_has_its_most():
    limits = Limits(tables=3, wrong_code=0.0)
    async with server(limits=limits) as tables:
        for refused in ("", "", "many_tables"):
            one = Visitor(tables, visitor="one")
            await one.open()
            assert one.refused == refused
        for number, refused in enumerate(("", "server_full")):
            other = Visitor(tables, visitor=f"other {number}")
            await other.open()
            assert other.refused == refused


async def test_unused_tables_end():
    async with server(limits=Limits(unused=0.0, idle=1000.0, wrong_code=0.0)) as tables:
        host = Visitor(tables)
        await host.open()
        code = host.code
        tables.end_unused()
        assert tables.find(code)
        host.connection.end()
        tables.end_unused()
        assert not tables.find(code)
    async with server(limits=Limits(idle=-1.0, wrong_code=0.0)) as tables:
        host = Visitor(tables)
        await host.open()
        tables.end_unused()
        assert host.refused == "expired"
        assert host.is_closed


async def test_a_table_that_fails_ends_alone(monkeypatch):
    reports = []
    async with server(report=reports.append) as tables:
        table, host, _ = await two_at_a_table(tables)
        other = Visitor(tables, "Other", "x")
        await other.open()

        def fail():
            raise ZeroDivisionError("oh")

        monkeypatch.setattr(table, "_keep_time", fail)
        host.connection.end()
        await until(lambda: len(tables) == 1)
        assert "ZeroDivisionError: oh" in reports[0]
        assert tables.find(other.code)


# What survives


async def test_a_stored_table_is_as_it_was_and_everyone_finds_their_seats(tmp_path):
    chance = random.Random(4)
    async with server(tmp_path) as tables:
        table, host, guest = await two_at_a_table(tables)
        await play_out(table, [host, guest], chance)
        await host.say(Again())
        await begun(table, 2)
        for _ in range(5):
            if not table.game.is_over:
                [host, guest][table.game.state.turn].act(table, chance)
        score, state, code = list(table.score), table.game.state, host.code
    async with server(tmp_path) as tables:
        table = tables.find(code)
        assert (table.score, table.game.state, table.game.number) == (score, state, 2)
        assert table.game.state.events == state.events
        assert table.game.state.first_attacker == state.first_attacker
        back, late = Visitor(tables, "Host"), Visitor(tables, "Guest")
        await back.sit(code, host.token)
        assert back.lobby.seats[1].is_away
        assert (back.look.away, back.look.stand_ins) == ((1,), ())
        await late.sit(code, guest.token)
        assert [person.seat for person in (back, late)] == [0, 1]
        await play_out(table, [back, late], chance)
        assert back.end.game == 2


async def test_a_server_that_is_killed_at_any_ply_has_stored_every_action(tmp_path):
    chance = random.Random(6)
    async with server(tmp_path / "running") as tables:
        table, host, guest = await two_at_a_table(tables)
        while not table.game.is_over:
            [host, guest][table.game.state.turn].act(table, chance)
            copy = tmp_path / str(table.game.state.plies)  # what the killed program leaves behind
            shutil.copytree(tmp_path / "running", copy)
            async with server(copy) as restored:
                state = restored.find(host.code).game.state
                assert state == table.game.state
                assert state.events == table.game.state.events


async def test_the_file_has_no_token_and_is_the_owners_alone(tmp_path):
    async with server(tmp_path) as tables:
        _, host, guest = await two_at_a_table(tables)
        data = b"".join(path.read_bytes() for path in tmp_path.glob(f"{FILE_NAME}*"))
        assert host.code.encode() in data
        for token in (host.token, guest.token):
            assert token.encode() not in data
        assert (tmp_path / FILE_NAME).stat().st_mode & 0o077 == 0


async def test_a_table_that_has_ended_is_not_restored(tmp_path):
    async with server(tmp_path) as tables:
        _, host, guest = await two_at_a_table(tables)
        await guest.say(Leave())
        await host.say(Leave())
    async with server(tmp_path) as tables:
        assert len(tables) == 0


def test_a_table_that_was_dropped_is_kept_from_the_beginning(tmp_path):
    """Nothing of it counts as written any more."""
    table = new_table()
    seated_at(table, 1)
    store = TableStore(tmp_path)
    for _ in range(2):
        store.keep(table.stored(), [])
        assert [code for code, _, _ in store.tables()] == [table.code]
        store.drop(table.code)
        assert store.tables() == []
    store.close()


def test_two_servers_do_not_share_a_folder(tmp_path):
    store = TableStore(tmp_path)
    with pytest.raises(FileError, match="another program"):
        TableStore(tmp_path)
    store.close()
    TableStore(tmp_path).close()


async def test_nothing_of_an_ended_table_goes_on(tmp_path):
    async with server(tmp_path) as tables:
        table, _, _ = await two_at_a_table(tables)
        name = f"durak-table-{table.code}"
        assert name in {task.get_name() for task in asyncio.all_tasks()}
        tables.end(table)
        await until(lambda: name not in {task.get_name() for task in asyncio.all_tasks()})


async def test_a_damaged_table_or_file_harms_no_other(tmp_path):
    reports = []
    async with server(tmp_path) as tables:
        _, host, _ = await two_at_a_table(tables)
    with sqlite3.connect(tmp_path / FILE_NAME) as db:
        db.execute("INSERT INTO tables VALUES ('BAD', '{}')")
        db.execute(
            "INSERT INTO tables SELECT 'WORSE', replace(cast(about as text), '\"deck\":\"', '\"deck\":\"9x') "
            "FROM tables WHERE code = ?",
            (host.code,),
        )
        about = db.execute("SELECT about FROM tables WHERE code = ?", (host.code,)).fetchone()[0]
    db.close()
    assert read_table(about).code == host.code
    async with server(tmp_path, report=reports.append) as tables:
        assert tables.find(host.code)
        assert len(tables) == 1
        assert len(reports) == 2
    (tmp_path / FILE_NAME).write_bytes(b"no database" * 100)
    async with server(tmp_path, report=reports.append) as tables:
        assert len(tables) == 0
        assert (tmp_path / f"{FILE_NAME}.damaged-1").exists()


@pytest.mark.parametrize("damage", ["schema", "move", "number"])
async def test_damage_costs_only_the_tables_that_have_it(tmp_path, damage):
    """One byte of the schema is mended; a move that is no text costs its table."""
    reports = []
    async with server(tmp_path) as tables:
        _, first, _ = await two_at_a_table(tables)
        _, second, _ = await two_at_a_table(tables)
    path = tmp_path / FILE_NAME
    bad = min(first.code, second.code)
    if damage == "schema":
        data = bytearray(path.read_bytes())
        data[data.index(b"action TEXT") + 2] |= 0x80
        path.write_bytes(data)
    else:
        with sqlite3.connect(path) as db:
            action = b"\xff41" if damage == "move" else b"9"
            db.execute("INSERT OR REPLACE INTO moves VALUES (?, 0, CAST(? AS TEXT))", (bad, action))
        db.close()
    async with server(tmp_path, report=reports.append) as tables:
        found = {code for code in (first.code, second.code) if tables.find(code)}
    assert len(reports) == 1
    if damage == "schema":
        assert found == {first.code, second.code}
        assert f"{FILE_NAME}.damaged-1" in reports[0]
    else:
        assert found == {first.code, second.code} - {bad}
        assert bad in reports[0]


def test_a_file_that_cannot_be_opened_is_an_error_with_its_name(tmp_path):
    (tmp_path / FILE_NAME).symlink_to(tmp_path / FILE_NAME)
    with pytest.raises(FileError, match=f"{FILE_NAME} cannot be opened: its links lead in a circle"):
        TableStore(tmp_path)


async def test_a_full_disk_stops_no_game_and_is_made_up_for(tmp_path):
    reports = []
    store = TableStore(tmp_path, reports.append)
    tables = Tables(store, None, limits=LIMITS, timing=Timing(0.0, NEVER), report=reports.append)
    tables.start()
    table, host, guest = await two_at_a_table(tables)
    db, store._db = store._db, sqlite3.connect(":memory:", isolation_level=None)  # has no tables
    store._db.execute("PRAGMA query_only = ON")
    people = [host, guest]
    for _ in range(3):
        people[table.game.state.turn].act(table)
    assert len(reports) == 1
    store._db.close()
    store._db = db
    people[table.game.state.turn].act(table)
    state = table.game.state
    await tables.close()
    store.close()
    async with server(tmp_path) as tables:
        assert tables.find(host.code).game.state == state


async def test_rules_of_a_client_never_end_the_server():
    async with server() as tables:
        for rules in ("nonsense", "podkidnoy:seats=99", "huji:redeal_same_suit=2", "podkidnoy:hand_size=26"):
            host = Visitor(tables)
            await host.open(rules=rules)
            assert host.refused == "rules"
        host = Visitor(tables)
        await host.open()
        assert host.refused == ""


async def test_nothing_that_anyone_says_at_random_ends_a_table():
    chance = random.Random(5)
    messages = (
        *(Start(), Again(), Leave(), Say(2), Replace(0), Replace(1), Hello(VERSION, "X"), Sit("ABCDEFGH")),
        *(Act(1, 0, "pass"), Act(1, 1, "take"), Act(0, 0, "^6h"), Open(QUICK, ("", ""))),
    )
    async with server() as tables:
        for _ in range(3):
            table, host, guest = await two_at_a_table(tables)
            for _ in range(60):
                await chance.choice((host, guest)).say(chance.choice(messages))
            await a_while()
            assert tables.find(table.code) is not None or not table.people
            for person in (host, guest):
                await person.say(Leave())
        assert len(tables) == 0


async def test_only_the_newest_connection_of_a_seat_acts():
    """The same person on a second device: the first one can neither play nor leave the table."""
    async with server() as tables:
        table, host, guest = await two_at_a_table(tables)
        mover = (host, guest)[table.game.state.turn]
        other = guest if mover is host else host
        second = Visitor(tables, mover.name)
        await second.sit(table.code, mover.token)
        legal = str(table.game.state.legal_actions[0])
        mover.is_closed = False  # what it was sent until now is still read
        for message in (Act(1, 0, legal), Say(1), Leave()):
            await mover.say(message)
            assert mover.refused == "no_seat"
        await mover.connection.take(write_message(Replace(other.seat)))
        assert table.game.state.plies == 0
        assert table.people == [0, 1]
        await second.say(Act(1, 0, legal))
        assert table.game.state.plies == 1
