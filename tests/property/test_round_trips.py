"""Whatever is written can be read back, and whatever cannot be read gives one of our errors."""

from __future__ import annotations

import contextlib
import json
from dataclasses import replace
from itertools import islice
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from playing import STYLES, random_game, random_rules

from durak_core import (
    MARKS,
    Record,
    State,
    from_json,
    read_game,
    read_games,
    read_json_lines,
    read_observation,
    read_position,
    to_json,
    write_game,
    write_games,
    write_json_line,
    write_observation,
    write_position,
)
from durak_core.errors import DurakError
from durak_core.game.record import RESERVED_TAGS

quick = settings(
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
texts = st.text(st.characters() | st.sampled_from('{}[]"\\\n\r\t:!?*\ud800\u2028'), max_size=12)
names = st.from_regex(r"[A-Za-z][A-Za-z0-9_]{0,8}", fullmatch=True).filter(
    lambda name: name not in RESERVED_TAGS
)


@st.composite
def games(draw: st.DrawFn) -> list[State]:
    """Draw the states of a random game under random rules, or of its beginning."""
    rules = random_rules(lambda options: draw(st.sampled_from(options)))
    seed = draw(st.integers(0, 2**63 - 1))
    plies = draw(st.integers(0, 120) | st.just(1000))
    return list(islice(random_game(rules, seed, draw(st.sampled_from(STYLES))), plies + 1))


@st.composite
def records(draw: st.DrawFn) -> Record:
    """Draw the record of a game with names, tags, marks and comments."""
    last = draw(games())[-1]
    players = tuple(draw(st.lists(texts, min_size=last.rules.seats, max_size=last.rules.seats)))
    record = Record.of(last, players, draw(texts), **draw(st.dictionaries(names, texts, max_size=3)))
    record = record.annotated(0, comment=draw(texts))
    for _ in range(draw(st.integers(0, 4)) if record.moves else 0):
        ply = draw(st.integers(1, len(record.moves)))
        record = record.annotated(ply, draw(st.sampled_from(MARKS)), draw(texts))
    return record


@st.composite
def mutations(draw: st.DrawFn, text: str) -> str:
    """Draw a text with some of its characters lost, doubled, moved or changed."""
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.sampled_from((1, 1, 2, 4, 30))))
        kind = draw(st.sampled_from(("lose", "insert", "change", "cut", "double", "borrow")))
        if kind == "cut":
            text = text[:start]
        elif kind == "lose":
            text = text[:start] + text[end:]
        elif kind == "double":
            text = text[:end] + text[start:]
        elif kind == "borrow":
            other = draw(st.integers(0, len(text)))
            text = text[:start] + text[other : other + end - start] + text[end:]
        else:
            new = draw(st.text(st.sampled_from('0123456789TJQKAshdc+?-/,=: \n{}[]"\\!x>^.*_٣²'), max_size=3))
            text = text[:start] + new + text[start if kind == "insert" else end :]
    return text


@settings(quick, max_examples=40)
@given(states=games())
def test_positions_round_trip(states: list[State]) -> None:
    """Every position of every game comes back equal, and with the same legal actions."""
    for state in states:
        twin = read_position(write_position(state))
        assert twin == state
        assert twin.legal_actions == state.legal_actions
        assert write_position(twin) == write_position(state)


@settings(quick, max_examples=40)
@given(states=games(), data=st.data())
def test_observations_round_trip(states: list[State], data: st.DataObject) -> None:
    """Every observation of every seat comes back equal, but for the list of events."""
    seat = data.draw(st.integers(0, states[0].rules.seats - 1))
    for state in states:
        for viewer in {seat, state.turn or 0}:
            seen = state.observation(viewer)
            twin = read_observation(write_observation(seen))
            assert twin == replace(seen, events=())
            assert write_observation(twin) == write_observation(seen)


@settings(quick, max_examples=60)
@given(record=records())
def test_games_round_trip(record: Record) -> None:
    """Names, tags, marks and comments of any characters survive, and so does every move."""
    text = write_game(record)
    assert read_game(text) == record
    assert text.encode().decode() == text


@settings(quick, max_examples=20)
@given(several=st.lists(records(), max_size=3))
def test_files_of_games_round_trip(several: list[Record]) -> None:
    """Several games in one text stay apart."""
    assert read_games(write_games(several)) == several
    assert read_json_lines("".join(map(write_json_line, several))) == several


@settings(quick, max_examples=60)
@given(record=records())
def test_json_round_trips(record: Record) -> None:
    """The JSON form carries everything too."""
    line = write_json_line(record)
    assert read_json_lines(line.encode().decode()) == [record]
    assert from_json(json.loads(line)) == record
    assert to_json(from_json(to_json(record))) == to_json(record)


@settings(quick, max_examples=150)
@given(states=games(), data=st.data())
def test_mutated_positions_and_observations_give_our_errors(states: list[State], data: st.DataObject) -> None:
    """A damaged text is refused with a DurakError, or is a position that can be played."""
    state = data.draw(st.sampled_from(states))
    seat = data.draw(st.integers(0, state.rules.seats - 1))
    for _ in range(3):
        try:
            state = read_position(data.draw(mutations(write_position(state))))
        except DurakError:
            continue
        assert state.is_over or state.legal_actions
        for action in state.legal_actions:
            after = state.apply(action)
            assert read_position(write_position(after)) == after
    for _ in range(3):
        try:
            seen = read_observation(data.draw(mutations(write_observation(states[-1].observation(seat)))))
        except DurakError:
            continue
        assert read_observation(write_observation(seen)) == seen


@settings(quick, max_examples=100)
@given(record=records(), data=st.data())
def test_mutated_games_give_our_errors(record: Record, data: st.DataObject) -> None:
    """A damaged game or line is refused with a DurakError, or is another game that can be played."""
    for read, write in ((read_games, write_game), (read_json_lines, write_json_line)):
        try:
            found = read(data.draw(mutations(write(record))))
        except DurakError:
            continue
        assert read("".join(map(write, found))) == found


anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | texts
    | st.sampled_from(("yes", "none", "6s", "take")),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)


@settings(quick, max_examples=150)
@given(record=records(), data=st.data(), value=anything)
def test_json_with_any_value_anywhere_gives_our_errors(
    record: Record, data: st.DataObject, value: Any
) -> None:
    """Whatever stands at a key, the answer is a game or a DurakError."""
    game: Any = to_json(record)
    holder = game
    while True:
        keys = list(holder) if isinstance(holder, dict) else range(len(holder))
        key = data.draw(st.sampled_from(keys))
        if isinstance(holder[key], dict | list) and holder[key] and data.draw(st.booleans()):
            holder = holder[key]
        else:
            holder[key] = value
            break
    with contextlib.suppress(DurakError):
        assert isinstance(from_json(game), Record)


@settings(quick, max_examples=100)
@given(text=texts)
def test_any_text_gives_our_errors(text: str) -> None:
    """No text makes a reader raise anything else."""
    for read in (read_position, read_observation, read_games, read_json_lines):
        try:
            read(text)
        except DurakError:
            continue
