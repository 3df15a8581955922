"""The way to a table, the lobby, the table and the result, with a server that does as the test says."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager

import msgspec
import pytest
from textual.widgets import Input
from waiting import until

from durak_core import Rules
from durak_tui.app import DurakApp
from durak_tui.board.widgets.board import GameBoard
from durak_tui.friends.client import KeptSeat, KeptSeats
from durak_tui.friends.messages import (
    PHRASES,
    Again,
    Change,
    Leave,
    LobbySeat,
    No,
    Open,
    Replace,
    Said,
    Say,
    Sit,
    Start,
    Wait,
)
from durak_tui.friends.own_server import OwnServer
from durak_tui.friends.screens import lobby
from durak_tui.friends.screens.lobby import FriendsScreen, LobbyScreen
from durak_tui.friends.screens.table import EveningDialog, FriendsTable, PhraseDialog
from durak_tui.friends.view import spaced_code
from durak_tui.library.model.store import Library
from durak_tui.menu import MenuScreen
from durak_tui.play.game import openly_forced_action
from durak_tui.play.setup import Launch
from durak_tui.review.screen import ReviewScreen
from durak_tui.setup.screens import SetupScreen
from durak_tui.storage.paths import data_dir
from durak_tui.ui.screens.dialogs import Ask, ShareDialog, Write
from durak_tui.ui.view.board_data import ButtonView
from durak_tui.ui.view.signals import qr_lines
from tui.friends.fake_tables import CODE, FREE, FRIEND, PERSON, TOKEN, VIKTOR, fake_tables
from tui.helpers import CALM, click, hides, on_screen, screen_text, send, shows

LINK = "http://192.168.100.100:8000/t/ABCDEFGH"
SHORT = "podkidnoy:lowest_rank=J,hand_size=4"


def friends_app(table="", **changes):
    return DurakApp(Launch(None, (), None, "friends", {**CALM, "name": "Anna", **changes}, (), table))


@asynccontextmanager
async def joined(table, size=(80, 24), **changes):
    """Run an app that has joined a table, at its lobby."""
    app = friends_app(table.address.link, **changes)
    async with app.run_test(size=size) as pilot:
        await until(lambda: on_screen(app, LobbyScreen)() and app.screen.guest and app.screen.guest.lobby)
        await pilot.pause()
        yield app, pilot


@asynccontextmanager
async def playing(table, size=(80, 24), **changes):
    """Run an app at the table of a game in which it is to act."""
    async with joined(table, size, **changes) as (app, pilot):
        send(app, "enter")
        await until(lambda: on_screen(app, FriendsTable)() and app.screen.is_my_turn)
        await pilot.pause()
        yield app, pilot


async def to_the_end(app):
    """Play on until the result is shown."""
    guest = next(screen for screen in app.screen_stack if isinstance(screen, LobbyScreen)).guest
    while not isinstance(app.screen, EveningDialog):
        await until(
            lambda: isinstance(app.screen, EveningDialog) or (guest.is_my_turn and guest._acted_at is None)
        )
        if guest.is_my_turn:
            guest.submit(guest.moment.options.actions[0])
    return guest


# The way in


async def test_the_menu_leads_to_a_table_by_its_link():
    async with fake_tables() as table:
        app = DurakApp(Launch(changes=CALM))
        async with app.run_test(size=(80, 24)) as pilot:
            await until(on_screen(app, MenuScreen))
            send(app, "f")
            await until(on_screen(app, FriendsScreen))
            send(app, "down", "enter")
            await until(on_screen(app, Write))
            await pilot.pause()
            send(app, *"ABC", "enter")
            await until(shows(app, "expected its"))
            app.screen.query_one(Input).value = table.address.link
            send(app, "enter")
            await until(shows(app, "Your name at the table"))
            await until(lambda: app.screen.query_one(Input).selected_text)  # a suggestion, to type over
            send(app, *"You", "enter")
            await until(shows(app, "Choose a name that the others can call you by."))
            app.screen.query_one(Input).value = "Vera"
            send(app, "enter")
            await until(on_screen(app, LobbyScreen))
            await until(lambda: len(table.greetings) == 2)
            assert table.greetings[0].name == app.settings.name == "Vera"


async def test_a_wrong_code_is_corrected_in_place(monkeypatch):
    silence = asyncio.Event()

    async def nowhere(*_where, **_how):
        await silence.wait()

    monkeypatch.setattr("durak_tui.friends.screens.lobby.find_table", nowhere)
    app = DurakApp(Launch(changes=CALM))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(on_screen(app, MenuScreen))
        send(app, "f")
        await until(on_screen(app, FriendsScreen))
        send(app, "down", "enter")
        await until(on_screen(app, Write))
        await pilot.pause()
        send(app, *"abcd2345", "enter")
        await until(shows(app, "Looking for the table…"))
        silence.set()
        await until(shows(app, "No table with the code ABCD 2345 answers here.", "Which table?"))
        assert app.screen.query_one(Input).value == "abcd2345"


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("size", "code", "has_picture"),
    [((60, 20), "║", False), ((80, 24), "║", True), ((46, 24), "ABCD EFGH", False), ((46, 50), "ABCD", True)],
)
async def test_the_lobby_shows_code_link_and_seats_in_every_window(monkeypatch, size, code, has_picture):
    async with (
        fake_tables("podkidnoy:seats=3", seats=[PERSON, FREE, VIKTOR], clock=30) as table,
        joined(table, size) as (app, pilot),
    ):
        assert qr_lines(table.address.link) == []  # no phone can open a link to this machine
        monkeypatch.setattr(LobbyScreen, "link", LINK)
        app.screen.show()
        await pilot.pause()
        await until(shows(app, "1  Anna (you, host)", "2  free", "3  Viktor (bot)"))
        await until(shows(app, "30 seconds a move"))
        shown = screen_text(app)
        assert LINK in shown.replace("\n", "") or size[0] < 50
        assert (qr_lines(LINK)[2] in shown) == has_picture
        if code == "║":
            assert all(f"│{letter}  │" in shown for letter in CODE)
        else:
            assert code in shown


async def test_seats_fill_while_the_host_waits_and_enter_starts():
    async with fake_tables(seats=[PERSON, FREE]) as table, joined(table) as (app, pilot):
        await until(shows(app, "2  free", "start. A bot takes the free seat."))
        table.seats[1] = FRIEND
        await table.say(table.lobby)
        await until(shows(app, "2  Boris", "⏎: start."))
        await pilot.press("enter")
        await until(on_screen(app, FriendsTable))
        assert table.heard[0] == Start()


async def test_a_tap_on_the_sentence_starts_and_one_on_the_link_copies_it():
    async with fake_tables() as table, joined(table, (46, 50)) as (app, pilot):
        await click(pilot, "#lobby-link")
        await until(shows(app, "The link is copied."))
        await click(pilot, "#lobby-next")
        await until(on_screen(app, FriendsTable))


async def test_a_guest_waits_for_the_host():
    async with fake_tables(me=1, seats=[FRIEND, PERSON]) as table, joined(table) as (app, pilot):
        await until(shows(app, "1  Boris (host)", "2  Anna (you)", "Boris starts the game."))
        await table.begin()
        await until(on_screen(app, FriendsTable))
        await pilot.pause()


async def test_a_table_that_does_not_exist_is_one_sentence():
    async with fake_tables() as table:

        async def refuse(message, socket):
            table.socket = socket
            if isinstance(message, Sit):
                await table.say(No("no_table"))

        table._answer = refuse
        app = friends_app(table.address.link)
        async with app.run_test(size=(80, 24)) as pilot:
            await until(shows(app, "No table has this code."))
            await pilot.press("escape")
            await until(on_screen(app, FriendsScreen))


async def test_hosting_asks_for_the_rules_and_opens_the_table(monkeypatch):
    """The server is the test's, in place of a child process."""
    async with fake_tables("podkidnoy:seats=3", seats=[PERSON, FREE, VIKTOR]) as table:

        async def start(server, port=0):
            return table.address.at_table("")

        monkeypatch.setattr(OwnServer, "start", start)
        monkeypatch.setattr(OwnServer, "in_network", table.address)
        app = friends_app("table", rules="podkidnoy:seats=3")
        async with app.run_test(size=(80, 24)) as pilot:
            await until(on_screen(app, SetupScreen))
            await until(shows(app, "Host a table", "Seats for", "no clock"))
            app.screen.change("clock", "60")
            await until(shows(app, "60 seconds a move"))
            await pilot.press("f5")
            await until(on_screen(app, LobbyScreen))
            await until(lambda: len(table.greetings) == 2)
            assert table.greetings[1] == Open("podkidnoy:seats=3", ("", "", "misha"), 60)
            assert app.settings.players == ()
            await until(shows(app, table.address.link))


async def test_hosting_begins_at_the_top_of_its_form_if_no_bot_plays():
    app = friends_app("table", rules="podkidnoy:seats=2")
    async with app.run_test(size=(80, 24)):
        await until(on_screen(app, SetupScreen))
        await until(shows(app, "Host a table", "Podkidnoy", "Bots at the table"))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("size", [(60, 20), (80, 24), (100, 32), (120, 36)])
@pytest.mark.parametrize("rules", ["podkidnoy:seats=2", "podkidnoy:seats=4,teams=2x2"])
async def test_the_button_that_opens_the_table_is_visible_at_once(size, rules):
    app = friends_app("table", rules=rules)
    async with app.run_test(size=size):
        await until(on_screen(app, SetupScreen))
        await until(shows(app, "Host a table", "Open the table"))


@pytest.mark.parametrize(
    ("page", "link"), [("https://durak.example", "https://durak.example/t/ABCDEFGH"), ("", ""), ("null", "")]
)
async def test_a_visitor_in_the_browser_hosts_at_the_pages_server_under_its_address(monkeypatch, page, link):
    async with fake_tables(seats=[PERSON, FREE]) as table:
        monkeypatch.setenv("DURAK_CONFINED", "1")
        monkeypatch.setenv("DURAK_TABLES", table.server)
        monkeypatch.setenv("DURAK_PAGE", page)
        app = friends_app()
        async with app.run_test(size=(80, 24)):
            await until(on_screen(app, FriendsScreen))
            app.host_table(table.rules, ("human", "human"), 0, spectators=False)
            await until(lambda: on_screen(app, LobbyScreen)() and app.screen.guest and app.screen.guest.lobby)
            assert table.greetings[1] == Open(table.rules.text, ("", ""), 0, spectators=False)
            assert app.screen.link == link
            await until(shows(app, "2  free"))


async def test_a_seat_that_was_left_is_offered_again():
    async with (
        fake_tables() as table,
        joined(table) as (app, pilot),
    ):
        await pilot.press("escape")
        await until(shows(app, "Leave the table?"))
        await pilot.press("c")
        await until(on_screen(app, FriendsScreen))
        await until(shows(app, "Back to your table", spaced_code(CODE)))
        await pilot.press("enter")
        await until(on_screen(app, LobbyScreen))
        await until(lambda: table.greetings[-1] == Sit(CODE, TOKEN))
        await until(lambda: app.screen.guest.lobby)
        await pilot.press("escape")
        await until(on_screen(app, Ask))
        await pilot.press("l")
        await until(on_screen(app, FriendsScreen))
        await until(hides(app, "Back to your table"))
        assert table.heard == [Leave(returns=True), Leave()]


async def test_a_seat_that_another_window_has_left_can_still_be_asked_for():
    async with fake_tables() as table:
        KeptSeats().keep(KeptSeat(table.server, CODE, TOKEN))
        app = friends_app()
        async with app.run_test(size=(80, 24)) as pilot:
            await until(shows(app, "Back to your table", spaced_code(CODE)))
            KeptSeats().drop(table.address)
            await pilot.press("enter")
            await until(on_screen(app, LobbyScreen))
            await until(lambda: table.greetings[1:] == [Sit(CODE)])


async def test_a_page_that_has_lost_its_app_returns_to_the_last_table():
    async with fake_tables() as table:
        KeptSeats().keep(KeptSeat(table.server, CODE, TOKEN))
        app = DurakApp(Launch(at_once="return", changes={**CALM, "name": "Anna"}))
        async with app.run_test(size=(80, 24)):
            await until(on_screen(app, LobbyScreen))
            await until(lambda: table.greetings[-1:] == [Sit(CODE, TOKEN)])


# The table


async def test_a_game_is_played_with_keys_and_ends_in_everyones_library():
    async with fake_tables(SHORT) as table, playing(table) as (app, pilot):
        await pilot.press("1")
        await until(lambda: len(table.heard) == 2)
        assert all(map(app.screen.offers, ("left", "right", "sort")))
        guest = await to_the_end(app)
        await until(shows(app, "The game is over", "Games lost:"))
        library = Library(data_dir())
        await until(library.count)
        (entry,) = library.rows(library.find()).values()
        assert [seat.name for seat in entry.seats] == ["Anna", "Boris"]
        assert [seat.player for seat in entry.seats] == ["human", "friend"]
        assert library.standing().games == 0
        library.close()
        await pilot.press("r")
        await until(on_screen(app, ReviewScreen))
        await pilot.press("escape")
        await until(on_screen(app, FriendsTable))
        assert app.screen.extra_buttons()[0] == ButtonView("play", "Next game")
        assert not any(map(app.screen.offers, ("left", "right", "sort")))
        await pilot.press("enter")
        await until(lambda: table.heard[-1] == Again())
        await until(lambda: guest.game.number == 2)
        await until(lambda: guest.record is None)


async def test_a_move_plays_itself_if_everyone_knows_that_it_is_the_only_one():
    async with fake_tables(SHORT, seed=6) as table, playing(table, only_moves=True) as (app, _pilot):
        played, guest = [], app.screen.guest
        while guest.record is None:
            await until(lambda: guest.record or (guest.is_my_turn and guest._acted_at is None))
            moment = guest.moment
            if openly_forced_action(moment.observation, moment.options) is not None:
                played.append(moment.ply)
                await until(lambda ply=moment.ply: guest.record or guest.moment.ply > ply)
            elif guest.is_my_turn:
                guest.submit(moment.options.actions[0])
        assert len(played) == 2


@pytest.mark.sampled(1)
@pytest.mark.parametrize("reads", ["result", "share", "review"])
async def test_someone_elses_next_game_closes_nothing_and_enter_goes_to_it(reads):
    async with fake_tables(SHORT, clock=60) as table, playing(table) as (app, pilot):
        await to_the_end(app)
        if reads != "result":
            send(app, {"share": "Y", "review": "r"}[reads])
        shown = {"result": EveningDialog, "share": ShareDialog, "review": ReviewScreen}[reads]
        await until(on_screen(app, shown))
        await table.begin()
        await until(shows(app, "Your turn, 1:00. ⏎: back to the table."))
        assert on_screen(app, shown)()
        await pilot.press("enter")
        await until(on_screen(app, FriendsTable))
        assert app.screen.is_my_turn
        await until(hides(app, "back to the table"))


async def test_everyone_sees_who_is_ready_for_the_next_game_and_may_ask_for_a_later_start():
    async with fake_tables(SHORT) as table, playing(table) as (app, pilot):
        await to_the_end(app)
        await until(shows(app, "⏎: next game."))
        table.agrees, table.begins = (1,), 9.0
        await table.say(table.lobby)
        await until(shows(app, "Next game in 0:09. Ready: Boris."))
        await pilot.press("w")
        await until(lambda: table.heard[-1] == Wait())
        table.agrees, table.begins, table.waits_for = (), None, 1
        await table.say(table.lobby)
        await until(shows(app, "Boris asks you to wait."))
        await pilot.press("t")
        await until(on_screen(app, LobbyScreen))
        table.agrees, table.begins, table.waits_for = (0,), 9.0, None
        await table.say(table.lobby)
        await until(shows(app, "1  Anna (you, host, ready)", "Ready: Anna. n: wait."))


async def test_who_comes_after_a_game_may_agree_to_the_next_one():
    async with fake_tables(SHORT, host=1, game=1) as table, joined(table) as (app, pilot):
        await until(shows(app, "⏎: next game."))
        assert not shows(app, "Boris starts the game.")()
        await pilot.press("enter")
        await until(lambda: table.heard[-1] == Again())


async def test_names_stay_with_their_game_when_a_player_has_left():
    async with fake_tables(SHORT) as table, playing(table) as (app, _pilot):
        guest = await to_the_end(app)
        await until(shows(app, "The game is over"))
        before = guest.moment.names
        table.seats[1] = FREE
        await table.say(table.lobby)
        await until(lambda: guest.lobby.seats[1] == FREE)
        assert guest.moment.names == before == ("Anna", "Boris")


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("presence", "words"),
    [
        ("late", "Boris: time is up. Viktor plays in 1:30. v: let Viktor play."),
        ("lost", "Boris: connection lost. Viktor plays in 1:30. v: let Viktor play."),
        ("later", "Boris: will be back. Viktor plays in 1:30. v: let Viktor play."),
    ],
)
async def test_the_line_above_the_table_tells_why_nobody_plays_and_what_comes_next(presence, words):
    async with fake_tables(SHORT, clock=30) as table, playing(table, (120, 36)) as (app, _pilot):
        table.seats[1] = LobbySeat("Boris", "person", "", True, presence, 90.0)
        table.away = (1,)
        await table.say(table.lobby, table.look(5))
        await until(
            shows(app, " ".join(words.split(" Viktor")[:1]), "Viktor plays in 1:30", "let Viktor play.")
        )


async def test_a_line_of_two_rows_does_not_cover_the_names():
    seats = [PERSON, LobbySeat("Boris", "person", "", True, "lost", 90.0), LobbySeat("Konstantin", "person")]
    rules = "podkidnoy:seats=3,lowest_rank=J,hand_size=3"
    async with fake_tables(rules, seats=seats) as table, playing(table) as (app, _pilot):
        table.away, table.stand_ins = (1,), (2,)
        await table.say(table.lobby, table.look())
        bar, board = app.screen.query_one("#friends-bar"), app.screen.query_one(GameBoard)
        await until(lambda: bar.region.height == 2 and board.region.y >= bar.region.bottom)


async def test_who_runs_out_of_time_is_told_and_what_happens_then():
    async with fake_tables(SHORT, clock=30) as table, playing(table, (120, 36)) as (app, _pilot):
        table.seats[0] = LobbySeat("Anna", "person", "", True, "late", 90.0)
        table.away = (0,)
        await table.say(table.lobby, table.look(0.0))
        await until(shows(app, "Your time is up. Viktor plays for you in 1:30."))


async def test_a_change_of_the_host_and_people_who_come_and_go_are_told():
    seats = [PERSON, FRIEND, LobbySeat("Vera", "person")]
    async with fake_tables("podkidnoy:seats=3", seats=seats, host=1) as table, joined(table) as (app, _pilot):
        table.seats[1], table.host = FREE, 0
        await table.say(table.lobby)
        await until(shows(app, "Boris has left the table.", "host now."))
        table.seats[1] = LobbySeat("Olga", "person")
        await table.say(table.lobby)
        await until(shows(app, "Olga has sat down."))
        table.seats[2] = LobbySeat("Vera", "person", "", True, "lost")
        await table.say(table.lobby)
        await until(shows(app, "Vera: connection lost."))


async def test_a_host_who_comes_back_later_and_one_who_closes_the_table_are_named():
    async with fake_tables(host=1) as table, joined(table) as (app, _pilot):
        await table.say(No("pause"))
        await until(shows(app, "Boris will be back: waiting…"))
        await table.say(No("closed"))
        await until(shows(app, "Boris has closed the table.", "⏎: go on at a table of your own."))


@pytest.mark.parametrize("is_found", [True, False])
async def test_the_others_find_the_table_that_goes_on_by_its_old_code(monkeypatch, is_found):
    """The first player who goes on hosts it, with the old code and the score."""
    async with (
        fake_tables(host=1, seats=[PERSON, FRIEND], score=[2, 1]) as closed,
        fake_tables() as other,
        joined(closed) as (app, pilot),
    ):

        async def find(code, named, *, is_near, patience):
            assert (code, named) == (CODE, ())
            return other.address if is_found else None

        async def start(server, port=0):
            return other.address.at_table("")

        monkeypatch.setattr(lobby, "find_table", find)
        monkeypatch.setattr(OwnServer, "start", start)
        monkeypatch.setattr(OwnServer, "in_network", other.address)
        await closed.say(No("closed"))
        await until(shows(app, "⏎: go on at a table of your own."))
        await pilot.press("enter")
        await until(lambda: len(other.greetings) == 2)
        opened = Open(closed.rules.text, ("", ""), score={"Anna": 2, "Boris": 1}, code=CODE)
        assert other.greetings[1] == (Sit(CODE) if is_found else opened)


async def test_the_host_changes_the_game_between_two_games():
    async with fake_tables(SHORT) as table, joined(table) as (app, pilot):
        await pilot.press("c")
        await until(on_screen(app, SetupScreen))
        app.screen.change("clock", "60")
        await pilot.press("f5")
        await until(lambda: table.heard and isinstance(table.heard[-1], Change))
        assert table.heard[-1].clock == 60
        assert on_screen(app, LobbyScreen)()
        table.rules, table.clock = Rules.parse("perevodnoy:seats=2"), 60
        await table.say(table.lobby)
        await until(shows(app, "Anna has changed the game:", "60 seconds a move"))


async def test_refusals_have_their_reasons_without_asking_the_server():
    async with fake_tables("podkidnoy", seed=4) as table, playing(table) as (app, pilot):
        table.plays_on = False
        before = len(table.heard)
        if table.state.phase.name == "OPENING":
            await pilot.press("space")
            await until(shows(app, "You have to play a card"), lambda: screen_text(app))
        assert len(table.heard) == before
        app.screen.submit(app.screen.moment.options.actions[0])
        await until(lambda: not app.screen.is_my_turn)
        await pilot.pause()
        await pilot.press("t")
        await until(shows(app, "It is not your turn."))


async def test_phrases_go_out_as_numbers_and_are_read_in_ones_own_language():
    async with fake_tables() as table, playing(table, language="ru") as (app, pilot):
        await pilot.press("p")
        await until(on_screen(app, PhraseDialog))
        await pilot.pause()
        await pilot.press("3")
        await until(lambda: table.heard[-1] == Say(2))
        await table.say(Said(1, 2))
        await until(shows(app, "Boris: Жулик!"))
        await table.say(Said(1, len(PHRASES)))
        await until(shows(app, "Boris: ..."))


async def test_the_clock_and_those_who_are_away_stand_above_the_table():
    seats = [PERSON, FRIEND, FRIEND]
    async with (
        fake_tables("podkidnoy:seats=3", seats=seats, clock=30) as table,
        playing(table) as (app, pilot),
    ):
        await until(shows(app, "Your time: "))
        table.away = (1,)
        await table.say(table.look(5))
        await until(shows(app, "Boris: away.", "v: let Viktor play."))
        await pilot.press("v")
        await until(lambda: table.heard[-1] == Replace(1))
        table.stand_ins = (1,)
        await table.say(table.look(5))
        await until(shows(app, "Viktor plays for Boris."))
        await until(shows(app, "Viktor plays for Boris now."))
        table.stand_ins = (0,)
        await table.say(table.look(5))
        await until(shows(app, "Boris is back."))
        await until(shows(app, "v: play on yourself."))
        before = len(table.greetings)
        await pilot.press("v")
        await until(lambda: table.greetings[before:] == [Sit(CODE, TOKEN)])


async def test_a_server_that_is_gone_for_good_is_one_sentence():
    async with fake_tables() as table, playing(table) as (app, pilot):
        guest, size = app.screen.guest, app.screen.board.size
        guest._socket = guest._socket.replace("tables", "missing")
        await table.cut()
        await until(shows(app, "There are no tables at this address."))
        assert app.screen.board.size == size
        heard = len(table.heard)
        await pilot.press("1")
        assert len(table.heard) == heard


async def test_the_lobby_stays_open_while_the_others_play_on():
    async with (
        fake_tables("podkidnoy:seats=3", seats=[PERSON, FRIEND, FRIEND]) as table,
        playing(table) as (app, pilot),
    ):
        await pilot.press("escape")
        await until(on_screen(app, LobbyScreen))
        await table.say(table.look(), Said(1, 0), table.lobby)
        await until(shows(app, "back to the game."))
        assert on_screen(app, LobbyScreen)()
        await pilot.press("enter")
        await until(on_screen(app, FriendsTable))


async def test_trying_again_is_shown_and_ends_by_itself():
    async with fake_tables() as table, playing(table) as (app, _pilot):
        told = []
        app.screen.guest.listen(lambda message: told.append(app.screen.guest.is_connected))
        await table.cut()
        await until(lambda: False in told)
        await until(lambda: told[-1])
        await until(hides(app, "Connection lost"))
        assert app.screen.is_my_turn


async def test_a_lying_server_ends_the_game_with_a_sentence():
    async with fake_tables() as table, playing(table) as (app, pilot):
        await table.say(msgspec.structs.replace(table.look(), ply=table.state.plies + 1, first=999))
        await until(shows(app, "The table sent something wrong, so you have left it"))
        await pilot.press("escape")
        await until(on_screen(app, LobbyScreen))
        await pilot.press("escape")
        await until(on_screen(app, FriendsScreen))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("size", [(60, 20), (80, 24), (120, 36)])
async def test_nothing_is_cut_off_in_russian(size):
    """The longest line above the table, and the lobby's sentence."""
    seats = [PERSON, FRIEND, FRIEND]
    async with (
        fake_tables("podkidnoy:seats=3", seats=seats, clock=30) as table,
        playing(table, size, language="ru") as (app, _pilot),
    ):
        table.away = (1,)
        await table.say(table.look(5))
        await until(shows(app, "Boris: нет на месте.", "v: пусть сыграет"))


def test_a_qr_code_is_as_wide_as_a_lobby_leaves_room_for():
    lines = qr_lines("http://192.168.100.100:8000/t/ABCDEFGH")
    assert {len(line) for line in lines} == {33}
    assert len(lines) == 17
    assert set("".join(lines)) == set("█▀▄ ")
