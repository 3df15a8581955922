"""Texts cross the protocol with their values for clients that ask, and only then."""

from __future__ import annotations

import json

import pytest
from talking import OPENING, plain_environment
from waiting import PATIENCE

from durak_core import read_observation
from durak_core.engine.client import EngineClient
from durak_core.engine.protocol import LONGEST_LINE, Budget, parse_message, write_message
from durak_core.errors import EngineError, Message, RulesError

ASKED = "setoption name Messages value on\n"
REST = f"setoption name Agent value random\nobservation {OPENING}\ngo\n"


@pytest.mark.parametrize(
    "message",
    [
        Message("the game is over"),
        Message("{one} or {other!r}: {count:,}, {share:.0%}", one="{a}", other="{{", count=7_000, share=0.5),
        Message("{what} and {none}", what=Message("{what}!", what=Message("deep")), none=None),
    ],
)
def test_a_message_comes_back_as_it_was_sent(message):
    """Values that are messages, and values with braces."""
    assert parse_message(write_message(message)) == message


def test_errors_become_messages_and_anything_else_its_text():
    """A client translates an error within a text like any other part of it."""
    read = parse_message(write_message(Message("{a}, {b}", a=RulesError("{x} is wrong", x=1), b=[1, 2])))
    assert read == Message("{a}, {b}", a=Message("{x} is wrong", x=1), b="[1, 2]")


def doubled(depth):
    """A text that would be twice as long at every level."""
    text = {"template": "xx", "values": {}}
    for _ in range(depth):
        text = {"template": "{a}{a}", "values": {"a": text}}
    return text


@pytest.mark.parametrize(
    "value",
    [
        7,
        {"template": "text"},
        {"template": "text", "values": {}, "more": 1},
        {"template": ["text"], "values": {}},
        {"template": "{a}", "values": {}},
        {"template": "{}", "values": {"": 1}},
        {"template": "{a.__class__}", "values": {"a": 1, "a.__class__": 1}},
        {"template": "{a:9999}", "values": {"a": 1}},
        {"template": "{a:{b}}", "values": {"a": 1, "b": 99_999_999}},
        {"template": "{a:,}", "values": {"a": None}},
        {"template": "{a", "values": {"a": 1}},
        {"template": "{a}", "values": {"a": [1]}},
        {"template": "{a}" * 21, "values": {"a": 1}},
        doubled(40),
    ],
)
def test_what_is_no_message_is_refused(value):
    """Nothing is looked up, nothing grows, and nothing but a value stands in a place."""
    with pytest.raises(EngineError, match="expected info message JSON"):
        parse_message("info message " + json.dumps(value))


@pytest.mark.parametrize("text", ["", "{", "[" * 20_000, '{"template": ' * 3_000])
def test_broken_or_deep_json_is_refused(text):
    """The error is the protocol's."""
    with pytest.raises(EngineError, match="expected info message JSON"):
        parse_message("info message " + text)


def test_an_engine_gives_values_to_who_asks_and_to_nobody_else(answers):
    """The greeting and all other lines stay."""
    sent = f"durak\ngo 1\n{REST}"  # what is wrong comes first: the thread that decides answers when it has
    usual, asked = (answers(f"{before}{sent}".encode(), "bestmove") for before in ("", ASKED))
    told = [line for line in asked if line.startswith("info message ")]
    assert [line for line in asked if line not in told] == usual
    assert not any("Messages" in line for line in usual)
    for line in told:
        text = asked[asked.index(line) + 1]
        assert text.split(": ", 1)[1] == str(parse_message(line))
    assert any('"picks one of {count} moves at random"' in line for line in told)
    assert any(line.startswith("error go: ") for line in asked)


def test_an_error_about_a_long_line_is_short(answers):
    """It does not repeat what was sent."""
    lines = answers((ASKED + "newgame " + "x" * (LONGEST_LINE - 20) + "\n").encode())
    assert lines[-1] == f"error newgame: rules of {LONGEST_LINE - 20} characters: expected at most 2000"


async def test_a_client_that_asks_gets_reasons_and_errors_with_their_values():
    """The English text stays what it was."""
    options = {"Messages": "on", "Agent": "random"}
    client = EngineClient(options=options, grace_period=PATIENCE, environment=plain_environment())
    async with client:
        search = await client.go(read_observation(OPENING), Budget())
        await search.best()
        assert search.reason == Message("picks one of {count} moves at random", count=4)
        with pytest.raises(EngineError) as caught:
            await client.set_option("Agent", "gredy")
    text = "setoption: there is no agent 'gredy'; did you mean greedy? There are: "
    assert str(caught.value).startswith(text)
    what = dict(dict(caught.value.message.values)["why"].values)["known"]
    assert what.template == "{what}; did you mean {close}? There are: {known}"
    assert dict(what.values)["what"] == Message("there is no agent {name}", name="'gredy'")
