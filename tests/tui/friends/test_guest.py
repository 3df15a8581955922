"""A seat fed by a server: what it keeps, how it comes back, and what it does not believe."""

from __future__ import annotations

import asyncio
import random
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import replace

import msgspec
import pytest
from waiting import PATIENCE, until

from durak_core import PASS, Card, Record, Rules, State, write_game, write_observation
from durak_core.actions import Attack
from durak_core.agents.personas import OPPONENTS
from durak_core.engine.protocol import write_event
from durak_core.errors import NotationError
from durak_tui.friends.client import KeptSeat, KeptSeats
from durak_tui.friends.guest import Guest, SeenGame, WatchedGame
from durak_tui.friends.messages import (
    VERSION,
    Act,
    Address,
    End,
    GameLook,
    Hello,
    Leave,
    LobbySeat,
    No,
    Open,
    Said,
    Sit,
    Start,
    parse_address,
    refusal,
)
from durak_tui.friends.view import line_above
from durak_tui.sandbox import VISITOR_COOKIE
from tui.friends.fake_tables import CODE, FREE, FRIEND, PERSON, TOKEN, VIKTOR, fake_tables
from tui.games import a_record


@asynccontextmanager
async def seated(table, **settings):
    """Sit down at a table."""
    guest = Guest(table.address, "Anna", KeptSeats(), **settings)
    guest.connect()
    try:
        await until(lambda: guest.lobby is not None or guest.problem, lambda: guest.__dict__)
        yield guest
    finally:
        await guest.close()


async def play_to_the_end(guest):
    """Play the first action that the seat's own view allows, until the game is over."""
    while guest.record is None:
        await until(lambda: guest.record is not None or (guest.is_my_turn and guest._acted_at is None))
        if guest.record is None:
            assert guest.submit(guest.moment.options.actions[0]) is None


async def test_a_whole_game_is_played_from_looks_and_kept_as_a_record():
    async with fake_tables() as table, seated(table) as guest:
        assert table.greetings == [Hello(VERSION, "Anna"), Sit(CODE)]
        guest.send(Start())
        await play_to_the_end(guest)
        assert guest.record.players == ("Anna", "Boris")
        assert guest.record.end == table.state
        assert guest.record.tags == {"Player0": "human", "Player1": "friend", "Friends": "1"}
        assert guest.score == tuple(table.score)


def test_a_game_that_was_over_before_it_was_seen_has_the_names_of_its_record():
    record = replace(a_record(1), players=("Anna", "Boris"))
    game = WatchedGame(record.rules, 1, ("Player 1", "Player 2"), ("", ""))
    game.take_record(write_game(record))
    assert tuple(game.given_names) == ("Anna", "Boris")


async def test_it_is_the_guests_turn_only_when_its_seat_is_to_act():
    async with fake_tables(plays_on=False) as table, seated(table) as guest:
        guest.send(Start())
        turns = set()
        for _ in range(4):
            await until(lambda: guest.game and guest.game.last.seen == table.state.observation(0))
            assert guest.is_my_turn == (table.state.turn == 0)
            assert line_above(guest, "")[0] == ("Your turn." if guest.is_my_turn else "")
            turns.add(table.state.turn)
            await table.play(str(table.state.legal_actions[0]))
        assert turns == {0, 1}


@pytest.mark.parametrize(
    "rules", ["perevodnoy:seats=4", "podkidnoy:seats=4,teams=2x2", "larsenbier:seats=3", "huji"]
)
async def test_a_seat_sees_what_the_true_state_shows_it(rules):
    seats = [PERSON, FRIEND, VIKTOR, FRIEND][: max(2, int((rules + "seats=2").split("seats=")[1][0]))]
    async with fake_tables(rules, seats=seats) as table, seated(table) as guest:
        guest.send(Start())
        while guest.record is None:
            await until(lambda: guest.record is not None or (guest.is_my_turn and guest._acted_at is None))
            assert guest.moment.observation == table.state.observation(0)
            if guest.record is None:
                guest.submit(guest.moment.options.actions[-1])
        assert guest.record.end == table.state


async def test_nothing_is_sent_before_there_is_a_connection():
    async with fake_tables() as table:
        guest = Guest(table.address, "Anna", KeptSeats())
        assert not guest.send(Start())
        assert table.greetings == []


async def test_a_lost_connection_comes_back_to_the_same_seat():
    async with fake_tables() as table, seated(table) as guest:
        guest.send(Start())
        await until(lambda: guest.is_my_turn)
        before = guest.moment
        await table.cut()
        await until(lambda: not guest.is_connected)
        await until(lambda: len(table.greetings) == 4 and guest.is_connected)
        assert table.greetings[2:] == [Hello(VERSION, "Anna"), Sit(CODE, TOKEN)]
        assert guest.moment.observation == before.observation
        await play_to_the_end(guest)
        assert guest.record.end == table.state


async def test_another_start_of_the_app_finds_the_seat_again():
    async with fake_tables() as table:
        async with seated(table):
            pass
        async with seated(table) as guest:
            assert table.greetings[-1] == Sit(CODE, TOKEN)
            guest.leave()
            await until(lambda: table.heard == [Leave()])
        async with seated(table):
            assert table.greetings[-1] == Sit(CODE, "")


async def test_the_host_opens_the_table_once():
    opening = Open("podkidnoy", ("", "viktor"), 30)
    async with fake_tables(seats=[PERSON, FREE]) as table:
        guest = Guest(Address(table.server), "Anna", KeptSeats(), opening=opening)
        guest.connect()
        await until(lambda: guest.seat is not None)
        await table.cut()
        await until(lambda: table.opened == 2)
        await until(lambda: len(table.greetings) == 4)
        assert [table.greetings[1], table.greetings[3]] == [opening, Sit(CODE, TOKEN)]
        await guest.close()


async def test_an_action_goes_out_once_and_only_if_the_rules_allow_it():
    async with fake_tables(seed=3) as table, seated(table) as guest:
        assert guest.submit(PASS).kind == "not_your_turn"
        guest.send(Start())
        await until(lambda: guest.is_my_turn)
        hand = guest.moment.observation.hand
        strange = next(card for card in map(Card.parse, ("As", "Ah", "Ks", "Kh", "Qs")) if card not in hand)
        assert guest.submit(Attack(strange)) == table.state.why_not(Attack(strange))
        ply, action = table.state.plies, guest.moment.options.actions[0]
        guest.submit(action)
        guest.submit(action)
        await until(lambda: guest.is_my_turn and guest.moment.ply > ply)
        assert table.heard[1:] == [Act(1, ply, str(action))]


async def test_late_and_doubled_looks_change_nothing():
    async with (
        fake_tables(plays_on=False, me=1, seats=[FRIEND, PERSON], seed=2) as table,
        seated(table) as guest,
    ):
        guest.send(Start())
        await until(lambda: guest.game is not None and guest.game.states)
        first = msgspec.structs.replace(table.look(), first=0)
        for ply in range(1, 4):
            await table.play(str(table.state.legal_actions[0]))
            await until(lambda ply=ply: guest.moment.ply == ply)
        seen = guest.moment.observation
        told = []
        guest.listen(told.append)
        await table.say(first, table.look(), table.look(), Said(0, 3))
        await until(lambda: Said(0, 3) in told or guest.problem)
        assert guest.moment.observation == seen
        assert guest.problem is None


LIES = {
    "no message": "{}",
    "no JSON": "\x1b]0;x\a",
    "an unknown field": '{"type": "said", "seat": 0, "phrase": 1, "more": 1}',
    "no code": '{"type": "seated", "code": "\\u001b[2J", "seat": 0, "token": ""}',
    "another opponent": (
        '{"type": "lobby", "code": "ABCDEFGH", "rules": "podkidnoy:lowest_rank=J,hand_size=4", "clock": 0, '
        '"host": 0, "seats": [{"name": "A", "kind": "person"}, {"name": "B", "kind": "bot", '
        '"player": "\\u001b"}], "score": [0, 0], "is_playing": false}'
    ),
    "a seat that is not there": '{"type": "said", "seat": 5, "phrase": 1}',
}


@pytest.mark.parametrize("lie", LIES.values(), ids=LIES)
async def test_a_server_that_sends_nonsense_gets_a_sentence_and_nothing_more(lie):
    async with fake_tables() as table, seated(table) as guest:
        await table.say_text(lie)
        await until(lambda: guest.problem)
        assert str(guest.problem).startswith("The table sent something wrong, so you have left it")
        await until(lambda: not guest.is_connected)


async def test_rules_change_between_games_but_not_in_one():
    async with fake_tables() as table, seated(table) as guest:
        table.rules = Rules.parse("perevodnoy")
        await table.say(table.lobby)
        await until(lambda: guest.rules == table.rules)
        await table.begin()
        await until(lambda: guest.is_playing)
        table.rules = Rules.parse("podkidnoy")
        await table.say(table.lobby)
        await until(lambda: "the server changed the rules" in str(guest.problem))


async def test_a_record_that_contradicts_what_was_seen_is_not_kept():
    async with fake_tables() as table, seated(table) as guest:
        table.end = lambda: End(1, other_game(table), (1, 0))
        guest.send(Start())
        while not guest.problem:
            await until(lambda: guest.problem or (guest.is_my_turn and guest._acted_at is None))
            if not guest.problem:
                guest.submit(guest.moment.options.actions[0])
        assert guest.record is None
        assert "contradicts what you saw" in str(guest.problem)


def other_game(table):
    """Write a finished game of the same rules with other cards."""
    state = State.deal(table.rules, 99)
    while not state.is_over:
        state = state.apply(state.legal_actions[0])
    return write_game(Record.of(state, ("Anna", "Boris")))


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("no_table", "No table has this code."),
        ("version", "another version"),
        ("full", "All seats"),
        ("many_tables", "You are at too many tables."),
    ],
)
async def test_a_refusal_before_the_seat_is_the_end_of_the_attempt(kind, words):
    async with fake_tables() as table:

        async def refuse(message, socket):
            table.socket = socket
            if isinstance(message, Sit):
                await table.say(refusal(kind))

        table._answer = refuse
        KeptSeats().keep(KeptSeat(table.server, CODE, TOKEN))
        async with seated(table) as guest:
            assert words in str(guest.problem)
            assert (KeptSeats().find(table.address) is None) == (kind == "no_table")


async def test_a_lost_seat_is_taken_anew():
    async with fake_tables() as table:
        answer = table._answer

        async def once(message, socket):
            table.socket = socket
            if message == Sit(CODE, TOKEN):
                await table.say(No("no_seat"))
            else:
                await answer(message, socket)

        table._answer = once
        KeptSeats().keep(KeptSeat(table.server, CODE, TOKEN))
        async with seated(table) as guest:
            assert guest.seat == 0


async def test_an_address_without_tables_says_so():
    async with fake_tables() as table:
        guest = Guest(Address(table.server + "elsewhere/", CODE), "Anna", KeptSeats())
        guest.connect()
        await until(lambda: guest.problem)
        assert str(guest.problem) == "There are no tables at this address."
        await guest.close()


async def test_the_pause_before_another_attempt_doubles_up_to_eight_seconds(monkeypatch):
    waits, tried = [], asyncio.Event()

    async def note(seconds):
        waits.append(seconds)
        if len(waits) == 7:
            tried.set()
            await asyncio.Event().wait()

    monkeypatch.setattr(asyncio, "sleep", note)
    monkeypatch.setattr(random, "uniform", lambda _least, most: most)
    guest = Guest(Address("http://127.0.0.1:9/", CODE), "Anna", KeptSeats())
    guest.connect()
    await tried.wait()
    await guest.close()
    assert waits == [0.25, 0.5, 1, 2, 4, 8, 8]


async def test_nobody_else_is_called_you_and_bots_have_their_own_names():
    seats = [PERSON, LobbySeat("You", "person"), VIKTOR]
    async with fake_tables("podkidnoy:seats=3", seats=seats) as table, seated(table) as guest:
        assert guest.names == ("Anna", "Seat 1", "Viktor")
        assert guest.players == ("human", "friend", "level:viktor")


async def test_all_opponents_may_sit_at_a_table():
    seats = [PERSON, *(LobbySeat(one.name, "bot", one.key) for one in OPPONENTS[-5:])]
    async with fake_tables("podkidnoy:seats=6", seats=seats) as table, seated(table) as guest:
        assert guest.players == ("human", *(one.text for one in OPPONENTS[-5:]))


async def test_a_visitors_app_sends_the_visitors_cookie(monkeypatch, tmp_path):
    monkeypatch.setenv("DURAK_CONFINED", "1")
    monkeypatch.setenv("DURAK_DATA_DIR", str(tmp_path / "visitor"))
    async with fake_tables() as table:
        monkeypatch.setenv("DURAK_TABLES", table.server)
        async with seated(table):
            assert table.socket._req.cookies == {VISITOR_COOKIE: "visitor"}


async def test_who_is_away_can_be_replaced_but_not_by_themselves():
    async with (
        fake_tables("podkidnoy:seats=3", seats=[PERSON, FRIEND, FRIEND]) as table,
        seated(table) as guest,
    ):
        table.away, table.stand_ins = (0, 1, 2), (2,)
        guest.send(Start())
        await until(lambda: guest.away)
        assert guest.can_be_replaced == (1,)
        assert guest.moment.players == ("human", "friend", "level:viktor")


# Without a server


def looks_of(state, seat, first=0):
    seen = state.observation(seat)
    events = tuple(map(write_event, seen.events[first:]))
    return GameLook(1, state.plies, first, events, write_observation(seen))


def a_game():
    state = State.deal(Rules(), 5)
    return state, SeenGame(state.rules, 0, 1)


@pytest.mark.parametrize(
    "changes",
    [
        {"first": 9},
        {"events": ("bout:1:1:0:6",)},
        {"events": ("nonsense",)},
        {"observation": "rules=podkidnoy"},
    ],
    ids=lambda changes: next(iter(changes)),
)
async def test_a_look_that_does_not_follow_is_refused(changes):
    state, game = a_game()
    game.take(looks_of(state, 0))
    after = state.apply(state.legal_actions[0])
    with pytest.raises(NotationError):
        game.take(msgspec.structs.replace(looks_of(after, 0), **changes))


async def test_a_look_of_another_seat_or_with_other_rules_is_refused():
    state, game = a_game()
    with pytest.raises(NotationError, match="another game"):
        game.take(looks_of(state, 1))
    with pytest.raises(NotationError, match="another game"):
        game.take(looks_of(State.deal(state.rules.changed(hand_size=5), 5), 0))


async def test_the_same_ply_cannot_show_other_cards():
    state, game = a_game()
    game.take(looks_of(state, 0))
    other = next(one for seed in range(6, 99) if (one := State.deal(state.rules, seed)).turn == state.turn)
    with pytest.raises(NotationError, match="changed"):
        game.take(looks_of(other, 0))


# Addresses


@pytest.mark.parametrize(
    ("text", "server", "code"),
    [
        ("http://192.0.2.7:8000/t/ABCDEFGH", "http://192.0.2.7:8000/", CODE),
        (" https://durak.example/t/abcdefgh/ ", "https://durak.example/", CODE),
        ("durak.example/cards/t/ABCDEFGH", "http://durak.example/cards/", CODE),
        ("[2001:db8::1]:8000", "http://[2001:db8::1]:8000/", ""),
        ("wss://durak.example/play", "https://durak.example/play/", ""),
        ("abcd-efgh", "http://127.0.0.1:8000/", CODE),
    ],
)
async def test_links_hosts_and_codes_are_understood(text, server, code):
    assert parse_address(text) == Address(server, code)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ABC",
        "ftp://durak.example/",
        "http://",
        "http://me@durak.example/",
        "http://durak.example/?t=1",
        "http://durak.example:99999/",
        "http://durak.example/t/ABC",
        "http://[1/",
        "http://durak..example/",
        f"http://{'x' * 64}.example/",
        "durak example",
        "durak.example/\x1b[2J",
        "x" * 500,
    ],
)
async def test_what_is_no_address_is_refused_with_a_sentence(text):
    with pytest.raises(NotationError, match="expected its link"):
        parse_address(text)


async def test_a_visitor_in_the_browser_stays_at_its_server(monkeypatch):
    monkeypatch.setenv("DURAK_CONFINED", "1")
    monkeypatch.setenv("DURAK_TABLES", "http://127.0.0.1:8123/")
    for text in ("http://192.0.2.1:22/t/ABCDEFGH", "ABCDEFGH"):
        assert parse_address(text) == Address("http://127.0.0.1:8123/", CODE)
    assert Address("https://durak.example/", CODE).socket == "wss://durak.example/tables"
    assert Address("https://durak.example/", CODE).link == "https://durak.example/t/ABCDEFGH"


async def test_a_damaged_file_of_seats_costs_only_the_way_back(tmp_path):
    seats = KeptSeats(tmp_path)
    for number in range(25):
        seats.keep(KeptSeat(f"http://{number}/", CODE, TOKEN))
    assert len(seats.all()) == 20
    assert seats.all()[0].server == "http://24/"
    (tmp_path / "friends.json").write_text("{")
    assert seats.all() == ()


def test_two_windows_at_once_both_keep_their_seats(tmp_path, monkeypatch):
    monkeypatch.setattr("durak_tui.friends.client._WAIT", PATIENCE)

    def keep(number):
        KeptSeats(tmp_path).keep(KeptSeat(f"http://{number}/", CODE, TOKEN))

    with ThreadPoolExecutor(4) as windows:
        list(windows.map(keep, range(20)))
    assert {seat.server for seat in KeptSeats(tmp_path).all()} == {
        f"http://{number}/" for number in range(20)
    }
    assert not (tmp_path / "friends.lock").exists()
