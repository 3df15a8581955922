"""The messages of a table: written and read as the same, and refused if anything about them is wrong."""

import json
from typing import get_args

import pytest

pytest.importorskip("msgspec", reason="the extra web is not installed")

from durak_core.errors import NotationError
from durak_tui.friends import messages
from durak_tui.friends.messages import (
    CODE_LENGTH,
    CODE_LETTERS,
    LONGEST_NAME,
    MOST_BYTES,
    NO_REASONS,
    VERSION,
    Act,
    Again,
    Change,
    End,
    GameLook,
    Hello,
    Leave,
    Lobby,
    LobbySeat,
    No,
    Open,
    Replace,
    Said,
    Say,
    Seated,
    Sit,
    Start,
    Wait,
    Watch,
    checked_code,
    checked_name,
    read_from_player,
    read_from_server,
    refusal,
    write_message,
)

FROM_PLAYERS = (
    *(Hello(VERSION, "Анна"), Open("perevodnoy:seats=3", ("", "", "viktor"), 30), Sit("ABCDEFGH")),
    *(Sit("ABCDEFGH", "0" * 32), Start(), Act(1, 7, "9cx6c"), Say(3), Replace(1), Again(), Leave()),
    *(Watch("ABCDEFGH"), Wait(), Leave(returns=True), Change("podkidnoy", ("", "misha"), 30)),
    Open("podkidnoy", ("", ""), score={"Анна": 2}),
)
SEATS = (LobbySeat("Anna", "person", "", True, "lost", 90.0), LobbySeat("Boris", "person", agrees=True))
FROM_SERVER = (
    Lobby("ABCDEFGH", "podkidnoy", 0, 0, (LobbySeat("Anna", "person"), LobbySeat("", "free")), (0, 2), False),
    Lobby("ABCDEFGH", "podkidnoy", 0, 0, SEATS, (0, 2), False, 0, 9.5, 1),
    *(Seated("ABCDEFGH", 1, "0" * 32), GameLook(1, 2, 0, ("bout:1:0:1:6", "0:6c"), "...", 12.5, (1,), ())),
    *(No("rank_not_on_table", "5.3", "no card"), refusal("late"), Said(0, 3), End(1, "[Rules ...", (1, 0))),
)


def test_every_message_is_read_as_it_was_written():
    assert [read_from_player(write_message(one)) for one in FROM_PLAYERS] == list(FROM_PLAYERS)
    assert [read_from_server(write_message(one)) for one in FROM_SERVER] == list(FROM_SERVER)
    assert {*map(type, FROM_PLAYERS)} == {*get_args(messages.FromPlayer)}
    assert {*map(type, FROM_SERVER)} == {*get_args(messages.FromServer)}


@pytest.mark.parametrize("message", FROM_PLAYERS, ids=lambda one: type(one).__name__)
def test_a_message_with_an_unknown_or_missing_or_wrong_field_is_refused(message):
    fields = json.loads(write_message(message))
    wrong = [{**fields, "seed": 7}, {**fields, "type": "deal"}]
    wrong += [{**fields, name: [{}]} for name in fields]
    wrong += [{**fields, name: "x" * 3000} for name in fields]
    wrong += [{**fields, name: -1} for name in fields]
    needed = [name for name in fields if name not in {"token", "clock", "spectators", "returns", "score"}]
    wrong += [{key: value for key, value in fields.items() if key != name} for name in needed]
    for one in wrong:
        with pytest.raises(NotationError):
            read_from_player(json.dumps(one))


@pytest.mark.parametrize(
    "text",
    [
        *("", "null", "[]", "start", '{"type":"start"} x', '{"type":"lobby"}', "[" * 4000, "\ud800"),
        '{"type":"say","phrase":1e400}',
        '{"type":"say","phrase":true}',
        '{"type":"say","phrase":16}',
        '{"type":"act","game":1,"ply":1,"action":"\\ud800"}',
        '{"type":"open","rules":"podkidnoy","players":[""]}',
        '{"type":"open","rules":"podkidnoy","players":["","","","","","",""]}',
    ],
)
def test_what_is_no_message_is_refused(text):
    with pytest.raises(NotationError):
        read_from_player(text)


def test_a_message_of_too_many_bytes_is_refused():
    read_from_player('{"type":"start"}'.ljust(MOST_BYTES))
    for text in (
        '{"type":"start"}'.ljust(MOST_BYTES + 1),
        '{"type":"hello","version":1,"name":"' + "я" * 2040,
    ):
        with pytest.raises(NotationError, match=str(MOST_BYTES)):
            read_from_player(text)


@pytest.mark.parametrize(
    ("name", "taken"),
    [
        ("Анна", "Анна"),
        ("  Anna   Karenina ", "Anna Karenina"),
        ("x" * LONGEST_NAME, "x" * LONGEST_NAME),
        *(("x" * (LONGEST_NAME + 1), ""), ("", ""), (" \t ", ""), ("\x1b[31m", ""), ("\u202eannA", "")),
        *(("a\0b", ""), ("\ud800", ""), ("\u200b", "")),
    ],
)
def test_names_are_short_and_visible(name, taken):
    assert checked_name(name) == taken


def test_codes_are_found_however_they_are_typed():
    assert len(CODE_LETTERS) == len(set(CODE_LETTERS)) == 30
    assert not set(CODE_LETTERS) & set("01ILOU")
    assert checked_code(" abcd-efgh ") == checked_code("ABCD EFGH") == "ABCDEFGH"
    assert checked_code("\u0410BCDEFGH") == "ABCDEFGH"  # a Cyrillic letter that looks Latin
    for text in ("", "ABCDEFG", "ABCDEFGHJ", "ABCDEFG0", "\u0416BCDEFGH", "ABCD_FGH"):
        assert not checked_code(text)
    assert len(checked_code("2" * CODE_LENGTH)) == CODE_LENGTH


def test_every_refusal_has_its_sentence():
    assert all(refusal(kind).why for kind in NO_REASONS)
