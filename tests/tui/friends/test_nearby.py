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


@pytest.mark.parametrize(
    ("name", "hosts", "port", "is_shown"),
    [
        (CODE, ["192.168.1.7"], 8000, True),
        (CODE, ["8.8.8.8"], 8000, False),
        (CODE, ["127.0.0.1"], 8000, False),
        (CODE, ["192.168.1.7"], 0, False),
        (CODE, [], 8000, False),
        ("Anna's printer", ["192.168.1.7"], 8000, False),
    ],
)
async def test_only_what_can_be_a_table_nearby_is_shown(monkeypatch, name, hosts, port, is_shown):
    monkeypatch.setattr(nearby, "AsyncServiceInfo", lambda *_name: Announced(hosts, port))
    seen = Nearby(lambda: None)
    seen._service_changed(None, SERVICE, f"{name}.{SERVICE}", ServiceStateChange.Added)
    await until(lambda: not seen._tasks)
    assert seen.tables == ({CODE: Address("http://192.168.1.7:8000/", CODE)} if is_shown else {})
    seen._service_changed(None, SERVICE, f"{name}.{SERVICE}", ServiceStateChange.Removed)
    assert seen.tables == {}


async def test_a_thousand_announcements_are_not_all_remembered(monkeypatch):
    monkeypatch.setattr(nearby, "AsyncServiceInfo", lambda *_name: Announced(["10.0.0.2"]))
    seen = Nearby(lambda: None)
    letters = "ABCDEFGHJK"
    for number in range(1000):
        code = "ABCDE" + "".join(letters[int(digit)] for digit in f"{number:03}")
        seen._service_changed(None, SERVICE, f"{code}.{SERVICE}", ServiceStateChange.Added)
    await until(lambda: not seen._tasks)
    assert 0 < len(seen.tables) <= 50


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
