"""Tables of the local network: what is announced is not trusted, and codes stay where they were typed."""

import asyncio

import pytest
from waiting import until

pytest.importorskip("zeroconf", reason="the extra web is not installed")

from zeroconf import ServiceStateChange

from durak_tui.friends import own_server as nearby
from durak_tui.friends.messages import Address, No, Sit, write_message
from durak_tui.friends.own_server import SERVICE, Nearby, find_table
from tui.friends.fake_tables import fake_tables

CODE = "ABCDEFGH"


class Announced:
    """What a network answers about each announced code."""

    def __init__(self, hosts, port=8000):
        self._hosts, self.port = hosts, port

    async def async_request(self, _zeroconf, _patience):
        return True

    def parsed_addresses(self, _version):
        return self._hosts


THERE = Address("http://192.168.1.7:8000/", CODE)


def announce(seen, name=CODE, change=ServiceStateChange.Added):
    seen._service_changed(None, SERVICE, f"{name}.{SERVICE}", change)


@pytest.mark.parametrize(
    ("name", "hosts", "port"),
    [
        (CODE, ["8.8.8.8"], 8000),
        (CODE, ["127.0.0.1"], 8000),
        (CODE, ["192.168.1.7"], 0),
        (CODE, [], 8000),
        ("Anna's printer", ["192.168.1.7"], 8000),
    ],
)
async def test_what_cannot_be_a_table_nearby_is_neither_asked_nor_shown(monkeypatch, name, hosts, port):
    monkeypatch.setattr(nearby, "AsyncServiceInfo", lambda *_name: Announced(hosts, port))
    monkeypatch.setattr(nearby, "_asked", lambda _address: pytest.fail("was asked"))
    seen = Nearby(lambda: None)
    announce(seen, name)
    await until(lambda: not seen._tasks)
    assert seen.tables == {}


async def test_a_table_is_shown_while_it_answers(monkeypatch):
    """Neither another program nor a table that has gone without a word is shown."""
    answers = {CODE}

    async def asked(address):
        return address if address.code in answers else None

    monkeypatch.setattr(nearby, "AsyncServiceInfo", lambda *_name: Announced(["192.168.1.7"]))
    monkeypatch.setattr(nearby, "_asked", asked)
    monkeypatch.setattr(nearby, "_BETWEEN_LOOKS", 0.0)
    seen = Nearby(lambda: None)
    announce(seen)
    announce(seen, "JKMNPQRS")
    await until(lambda: seen.tables == {CODE: THERE})
    announce(seen, change=ServiceStateChange.Removed)
    assert seen.tables == {}
    await until(lambda: CODE not in seen._tasks)
    announce(seen)
    await until(lambda: seen.tables == {CODE: THERE})
    answers.clear()
    await until(lambda: seen.tables == {})
    answers.add(CODE)  # it was only busy
    await until(lambda: seen.tables == {CODE: THERE})
    await seen.stop()


async def test_a_server_that_answers_nothing_or_as_another_program_has_no_table(monkeypatch):
    monkeypatch.setattr(nearby, "PATIENCE", 0.2)
    async with fake_tables() as table:
        for answer in ("", "hello", write_message(No("version")), write_message(No("no_table"))):

            async def say(message, socket, answer=answer):
                if isinstance(message, Sit) and answer:
                    await socket.send_str(answer)

            table._answer = say
            assert await nearby._asked(table.address) is None


async def test_a_wanted_code_is_found_among_a_thousand_others(monkeypatch):
    monkeypatch.setattr(nearby, "AsyncServiceInfo", lambda *_name: Announced(["192.168.1.7"]))
    seen = Nearby(lambda: None, CODE)
    announce_a_thousand(seen)
    announce(seen)
    await until(lambda: not seen._tasks)
    assert seen.tables == {CODE: THERE}


def announce_a_thousand(seen):
    for number in range(1000):
        announce(seen, "KBCDE" + "".join("ABCDEFGHJK"[int(digit)] for digit in f"{number:03}"))


async def test_of_a_thousand_tables_some_are_shown(monkeypatch):
    async def asked(address):
        return address

    monkeypatch.setattr(nearby, "AsyncServiceInfo", lambda *_name: Announced(["10.0.0.2"]))
    monkeypatch.setattr(nearby, "_asked", asked)
    seen = Nearby(lambda: None)
    announce_a_thousand(seen)
    await until(lambda: len(seen.tables) == len(seen._tasks) == 50)
    await seen.stop()


async def test_a_table_is_shown_behind_a_thousand_false_announcements(monkeypatch):
    async def asked(address):
        return address if address.code == CODE else None

    monkeypatch.setattr(nearby, "AsyncServiceInfo", lambda *_name: Announced(["192.168.1.7"]))
    monkeypatch.setattr(nearby, "_asked", asked)
    seen = Nearby(lambda: None)
    announce_a_thousand(seen)
    announce(seen)
    await until(lambda: seen.tables == {CODE: THERE})
    await seen.stop()


async def test_a_code_that_nobody_announces_is_given_up(monkeypatch):
    monkeypatch.setattr(nearby, "PATIENCE", 0.2)
    monkeypatch.setattr(nearby, "USUAL_SERVER", "http://127.0.0.1:9/")

    async def never(_code):
        await asyncio.Event().wait()

    monkeypatch.setattr(nearby, "_announced", never)
    assert await find_table(CODE, [], is_near=True) is None


async def test_a_named_server_is_asked_and_one_that_does_not_have_the_table_is_passed_over(monkeypatch):
    monkeypatch.setattr(nearby, "USUAL_SERVER", "http://127.0.0.1:9/")
    async with fake_tables() as other, fake_tables() as table:

        async def answers(message, socket, kind):
            if isinstance(message, Sit):
                await socket.send_str(write_message(No(kind)))

        other._answer = lambda message, socket: answers(message, socket, "no_table")
        table._answer = lambda message, socket: answers(message, socket, "no_seat")
        assert await find_table(CODE, [other.server, table.server], is_near=False) == table.address
