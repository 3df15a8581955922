"""The lines of the protocol, read and written."""

from __future__ import annotations

import contextlib
import random
from pathlib import Path

import pytest
from playing import play

from durak_core import DurakError, Rules, State, parse_action
from durak_core.engine import protocol
from durak_core.engine.protocol import (
    COMMANDS,
    Budget,
    EventSync,
    Progress,
    parse_command,
    parse_event,
    parse_go,
    parse_line,
    parse_option,
    parse_progress,
    parse_setoption,
    write_event,
    write_go,
    write_line,
    write_option,
    write_progress,
)
from durak_core.engine.server import OPTIONS
from durak_core.errors import EngineError
from durak_core.search.search_result import SearchedAction

PAGE = Path(__file__).parents[3] / "docs" / "protocol.md"


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("durak", ("durak", "")),
        ("  isready \t", ("isready", "")),
        ("newgame podkidnoy:seats=3", ("newgame", "podkidnoy:seats=3")),
        ("go time 5", ("go", "time 5")),
        ("", None),
        ("   ", None),
    ],
)
def test_commands_are_read(text, command):
    """The first word and the rest; an empty line is nothing."""
    assert parse_command(text) == command


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("strop", "unknown command 'strop': did you mean stop? expected one of durak, isready"),
        ("GO", "unknown command 'GO'"),
        ("stop now", "stop takes no arguments: found 'now'"),
        ("\x00\u2660", "unknown command '\\x00\u2660'"),
        ("x" * 1000, "x...x"),
    ],
)
def test_what_is_no_command_is_named(text, message):
    """The error says what was found and what would be right."""
    with pytest.raises(EngineError) as caught:
        parse_command(text)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "budget",
    [
        Budget(),
        Budget(iterations=7),
        Budget(time=100, lines=2),
        Budget(iterations=1, time=1, lines=1),
        Budget(infinite=True),
        Budget(lines=3, infinite=True),
    ],
)
def test_budgets_come_back(budget):
    """Written and read again they are the same."""
    command = parse_command(write_go(budget))
    assert command is not None
    assert parse_go(command[1]) == budget


@pytest.mark.parametrize(
    ("rest", "message"),
    [
        ("iterations", "iterations cannot be '': expected a number from 1 to"),
        ("iterations 0", "iterations cannot be '0'"),
        ("time -3", "time cannot be '-3'"),
        ("time " + "9" * 5000, "time cannot be '999"),
        ("lines 2 lines 3", "lines appears twice"),
        ("infinite infinite", "infinite appears twice"),
        ("infinite time 3", "infinite excludes iterations and time"),
        ("depth 3", "found 'depth': expected go [iterations N]"),
    ],
)
def test_wrong_budgets_are_refused(rest, message):
    """Missing, bad and repeated numbers are named."""
    with pytest.raises(EngineError) as caught:
        parse_go(rest)
    assert message in str(caught.value)


def test_options_come_back():
    """What the engine announces can be read by a client."""
    assert tuple(parse_option(write_option(option)) for option in OPTIONS) == OPTIONS
    assert parse_setoption("name Seed value 3") == ("Seed", "3")
    with pytest.raises(EngineError, match="expected setoption name NAME value VALUE"):
        parse_setoption("Seed 3")


def test_infos_come_back():
    """A report that is read again is the report."""
    progress = Progress(iterations=12, nodes=7, time=250, backend="plain")
    assert parse_progress(write_progress(progress)) == progress
    actions = tuple(map(parse_action, ("pass", "6c", "9cx6c", ">6d", "^6h", "take")))
    for ahead in ((), actions):
        for bouts in (None, 3):
            line = SearchedAction(actions[2], 0.5, 12, ahead, 0.25, 0.75, bouts=bouts)
            assert parse_line(write_line(1, line)) == (1, line)
    facts = "info line 1 action 6c score 1 interval 1 1 visits 0 exact yes"
    assert parse_line(f"{facts} later 7 in 2 continuation pass")[1].bouts == 2


def test_garbage_from_an_engine_is_an_error():
    """No reader of the client fails in any other way."""
    rng = random.Random(2)
    words = ["info", "line", "1", "action", "6c", "score", "0.5", "nan", "interval", "visits", "exact", "yes"]
    words += ["continuation", "option", "name", "X", "type", "number", "default", "min", "max", "\x00"]
    for _ in range(3000):
        text = " ".join(rng.choices(words, k=rng.randint(0, 14)))
        for read in (parse_line, parse_option, parse_progress, parse_go, parse_setoption):
            with contextlib.suppress(DurakError):
                read(text)


def test_the_page_knows_every_command_and_option():
    """docs/protocol.md is complete, and says the same numbers."""
    text = PAGE.read_text("utf-8")
    assert [usage for usage in COMMANDS.values() if f"`{usage}`" not in text] == []
    assert [option.name for option in OPTIONS if write_option(option) not in text] == []
    assert f"protocol {protocol.VERSION}" in text
    assert f"{protocol.LONGEST_LINE:,}" in text


def test_the_pages_session_is_a_session():
    """Whatever is sent there is a command, and whatever is answered can be read by a client."""
    block = PAGE.read_text("utf-8").partition("```session\n")[2].partition("```")[0]
    for line in block.splitlines():
        text = line[2:]
        if line.startswith("> "):
            assert parse_command(text) is not None
        elif text.startswith("info line"):
            assert write_line(*parse_line(text)) == text
        elif text.startswith("info iterations"):
            assert write_progress(parse_progress(text)) == text
        elif text.startswith("option"):
            assert parse_option(text) in OPTIONS


def test_an_exchange_is_told_with_both_cards():
    """All see them (rules 5.9), and without them there is no such event."""
    state = play(State.setup(Rules(exchange_trump=True), ["6h9s", "7s8s"], talon="TsKh"), "exchange")
    words = [write_event(event) for event in state.observation(1).events]
    assert words[-1] == "0:exchange:6h:Kh"
    assert [parse_event(word) for word in words] == [*state.observation(1).events]
    for wrong in ("0:exchange", "0:exchange:6h", "0:exchange:6h:Kh:9s"):
        with pytest.raises(EngineError, match="expected an event"):
            parse_event(wrong)


def test_an_engine_is_told_what_is_new_for_a_seat():
    """Each event once; another game's story from its beginning."""
    first = play(State.setup(Rules(), ["6s7h", "8s9h"], trump="Ac"), "6s")
    second = play(first, "8sx6s")
    other = play(State.setup(Rules(), ["7h6s", "8s9h"], trump="Ac"), "7h 9hx7h")
    sync = EventSync()

    def told(state: State, seat: int) -> list[str]:
        return list(sync.news(state.observation(seat)))

    count = len(first.events)
    words = [write_event(event) for event in first.events]
    assert told(first, 0) == [" ".join(["events 0 from 0", *words])]
    assert told(second, 0) == [f"events 0 from {count} 1:8sx6s"]
    assert told(second, 1) == [" ".join(["events 1 from 0", *words, "1:8sx6s"])]
    assert told(other, 0)[0].startswith("events 0 from 0 ")
