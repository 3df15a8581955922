"""People who watch a table: what they may do, what they see, and the screen that shows it."""

import random
from contextlib import asynccontextmanager

import pytest
from click.testing import CliRunner
from waiting import until

pytest.importorskip("aiohttp", reason="the extra web is not installed")

from aiohttp.test_utils import TestServer

from durak_core.game.notation.position_text import read_public, write_public
from durak_tui import cli
from durak_tui.app import DurakApp
from durak_tui.friends import game
from durak_tui.friends.client import KeptSeats
from durak_tui.friends.guest import Guest
from durak_tui.friends.messages import (
    VERSION,
    Act,
    Address,
    Again,
    GameLook,
    Hello,
    Leave,
    Lobby,
    Open,
    Say,
    Sit,
    Start,
    Watch,
)
from durak_tui.friends.screens.lobby import LobbyScreen
from durak_tui.friends.screens.tv import TvScreen
from durak_tui.library.model.store import Library
from durak_tui.play.setup import Launch
from durak_tui.review.screen import ReviewScreen
from durak_tui.storage.paths import data_dir
from durak_tui.web.server import _DurakServer
from tui.friends.evening import QUICK, agree, begun, has_free_seats, new_table, plan_of, play_out, seated_at
from tui.friends.test_tables import Visitor, server, two_at_a_table
from tui.helpers import CALM, hides, on_screen, send, shows


async def watching(tables, code):
    spectator = Visitor(tables, "Vera", "s")
    await spectator.say(Hello(VERSION, "Vera"), Watch(code))
    return spectator


# At the server


async def test_a_spectator_sees_each_game_a_bout_late_and_its_record():
    async with server() as tables:
        table, host, guest = await two_at_a_table(tables)
        spectator = await watching(tables, host.code)
        assert spectator.last(Lobby).spectators == host.lobby.spectators == 1
        await play_out(table, [host, guest], random.Random(1))
        assert spectator.end == host.end
        assert read_public(spectator.look.observation) == read_public(write_public(table.game.state))
        assert spectator.look.game == 1
        late = await watching(tables, host.code)
        assert late.end == host.end
        agree(table)
        await begun(table, 2)
        before = len(spectator.sent)
        await play_out(table, [host, guest], random.Random(2))
        assert [one.ply for one in spectator.sent[before:] if isinstance(one, GameLook)] == list(
            range(table.game.state.plies + 1)
        )
        spectator.connection.end()
        assert host.lobby.spectators == 1


async def test_a_spectator_can_do_nothing_else():
    async with server() as tables:
        table, host, _ = await two_at_a_table(tables)
        spectator = await watching(tables, host.code)
        state, people = table.game.state, table.people
        for message in (
            *(Start(), Act(1, 0, "pass"), Say(1), Leave(), Sit(host.code), Sit(host.code, host.token)),
            *(Watch(host.code), Open(QUICK, ("", "")), Hello(VERSION, "Vera")),
        ):
            spectator.sent.clear()
            await spectator.say(message)
            assert [no.kind for no in spectator.sent] == ["spectator"], message
        assert (table.game.state, table.people, len(tables)) == (state, people, 1)
        await host.say(Watch(host.code))
        assert host.refused == "not_now"


async def test_a_table_has_so_many_spectators_or_none(monkeypatch):
    monkeypatch.setattr(game, "MOST_SPECTATORS", 2)
    async with server() as tables:
        host = Visitor(tables, "Host")
        await host.say(Hello(VERSION, "Host"), Open(QUICK, ("", ""), spectators=False))
        assert (await watching(tables, host.code)).refused == "no_spectators"
        assert (await watching(tables, "ABCDEFGH")).refused == "no_table"
        other = Visitor(tables, "Other", "w")
        await other.open()
        assert [(await watching(tables, other.code)).refused for _ in range(3)] == ["", "", "many_spectators"]
        assert other.lobby.spectators == 2


async def test_a_restarted_server_shows_the_whole_game_and_a_closed_table_ends_the_watching(tmp_path):
    chance = random.Random(3)
    async with server(tmp_path) as tables:
        table, host, guest = await two_at_a_table(tables)
        spectator = await watching(tables, host.code)
        while table.game.state.bout < 2 or spectator.look.ply > table.game.state.plies - 3:
            [host, guest][table.game.state.turn].act(table, chance)
    async with server(tmp_path) as tables:
        table = tables.find(host.code)
        back, late = Visitor(tables, "Host"), Visitor(tables, "Guest")
        await back.sit(host.code, host.token)
        await late.sit(host.code, guest.token)
        again = await watching(tables, host.code)
        assert again.look.ply == spectator.look.ply
        await play_out(table, [back, late], chance)
        shown = [one.ply for one in (*spectator.sent, *again.sent[1:]) if isinstance(one, GameLook)]
        assert sorted(set(shown)) == list(range(table.game.state.plies + 1))
        assert again.end == back.end
        tables.end(table)
        assert again.refused == "expired"
        assert again.is_closed


async def test_spectators_do_not_keep_a_game_of_bots_going():
    table = new_table(plan_of(players=("", "viktor")))
    (person,) = seated_at(table, 1)
    table.disconnect(person)
    table.watch(person)
    assert table.is_deserted


# The screen


@asynccontextmanager
async def a_table(monkeypatch, tmp_path, **changes):
    """Two people at the table of a server in this process; yields the host and the guest."""
    monkeypatch.setenv("DURAK_ENGINE", "off")
    async with TestServer(_DurakServer(("true",), "127.0.0.1").make_app()) as served:
        address = Address(str(served.make_url("/")))
        host = Guest(address, "Anna", KeptSeats(tmp_path / "host"), opening=Open(QUICK, ("", ""), **changes))
        host.connect()
        await until(lambda: host.seat is not None)
        guest = Guest(host.address, "Boris", KeptSeats(tmp_path / "guest"))
        guest.connect()
        await until(lambda: guest.seat is not None and not has_free_seats(host))
        try:
            yield host, guest
        finally:
            await host.close()
            await guest.close()


def an_app(kind, table):
    changes = {**CALM, "name": "Vera", "pace": "instant"}
    return DurakApp(Launch(None, (), None, kind, changes, (), table))


async def play(guests, is_enough=lambda: False):
    """Let each play the first action that their own view allows, until the end or until it is enough."""
    while not all(guest.record for guest in guests) and not is_enough():
        for guest in guests:
            if guest.is_my_turn and guest._acted_at is None:
                guest.submit(guest.moment.options.actions[0])
        await until(
            lambda: (
                all(guest.record for guest in guests)
                or any(guest.is_my_turn and guest._acted_at is None for guest in guests)
            )
        )


async def test_the_screen_follows_the_table_game_after_game(monkeypatch, tmp_path):
    async with a_table(monkeypatch, tmp_path) as players:
        host = players[0]
        app = an_app("tv", host.address.link)
        async with app.run_test(size=(80, 24)) as pilot:
            await until(on_screen(app, TvScreen))
            screen = app.screen
            await until(shows(app, "Anna", "Boris", "The game has not begun yet."))
            host.send(Start())
            await until(shows(app, "You see the first bout when it is over."))
            await play(players, lambda: host.moment.observation.bout > 1)
            await until(lambda: screen.game.states)
            await pilot.pause()
            await until(shows(app, "One bout behind."))
            assert not screen.moment.observation.hand
            assert screen.moment.open_hands is None
            send(app, "o", "K")
            await until(lambda: screen._keeps_at_end)  # the words may give way to the next move at once
            await play(players)
            await until(lambda: screen._was_over)
            await until(shows(app, "Games lost:"))
            assert screen.moment.open_hands == read_game_end(host)
            library = Library(data_dir())
            await until(library.count)
            library.close()
            await pilot.press("home")
            await until(lambda: screen.moment.ply == 0)
            assert screen.moment.observation.hand == host.record.replay()[0].hands[0]
            await pilot.press("right")
            await until(lambda: screen.moment.ply == 1)
            send(app, "f", "v")
            await until(on_screen(app, ReviewScreen))
            await pilot.press("escape")
            await until(on_screen(app, TvScreen))
            host.send(Again())
            await until(lambda: all(guest.game.number == 2 for guest in players))
            await play(players, lambda: host.moment.observation.bout > 1)
            assert screen.game.number == 1
            monkeypatch.setattr("durak_tui.friends.screens.tv._REST", 0.02)
            send(app, "end")
            await until(lambda: screen.game.number == 2)
            await until(hides(app, "Games lost:"))


def read_game_end(guest):
    return guest.record.end.hands


async def test_whoever_finds_all_seats_taken_may_watch(monkeypatch, tmp_path):
    async with a_table(monkeypatch, tmp_path) as (host, _guest):
        app = an_app("friends", host.address.link)
        async with app.run_test(size=(80, 24)) as pilot:
            await until(shows(app, "All seats at this table are taken. w: watch it."))
            assert on_screen(app, LobbyScreen)()
            await pilot.press("w")
            await until(on_screen(app, TvScreen))
            await until(lambda: host.lobby.spectators == 1)
            await until(shows(app, "The game has not begun yet."))
            await pilot.press("escape")
            await until(lambda: host.lobby.spectators == 0)


async def test_a_table_without_spectators_says_so(monkeypatch, tmp_path):
    async with a_table(monkeypatch, tmp_path, spectators=False) as (host, _guest):
        app = an_app("tv", host.address.link)
        async with app.run_test(size=(46, 40)):
            await until(shows(app, "This table has no spectators."))


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--tv", "table 5"], "Invalid value for --tv"),
        (["--tv", "ABCDEFGH", "--join", "ABCDEFGH"], "give only one of --join, --tv and --host"),
        (["--tv", "ABCDEFGH", "--daily"], "a table has its own games"),
        (["--web", "--tv", "ABCDEFGH"], "leave FILE, --continue, --join and --tv away"),
    ],
)
def test_wrong_arguments_exit_with_2_and_say_why(arguments, told):
    result = CliRunner().invoke(cli._command, arguments)
    assert result.exit_code == 2
    assert told in result.output


def test_what_only_a_seat_may_see_is_no_text_of_a_spectator():
    from durak_core import Rules, State, write_observation, write_position  # noqa: PLC0415
    from durak_core.errors import NotationError  # noqa: PLC0415

    state = State.deal(Rules(), 7)
    for text in (write_observation(state.observation(0)), write_position(state)):
        with pytest.raises(NotationError):
            read_public(text)
    assert write_public(read_public(write_public(state))) == write_public(state)
