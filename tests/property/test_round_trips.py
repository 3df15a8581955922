"""Whatever is written can be read back."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import islice

from hypothesis import strategies as st
from playing import STYLES, random_game, random_rules
from properties import few_and_many

from durak_core import (
    MOVE_MARKS,
    Record,
    State,
    from_json,
    read_game,
    read_game_code,
    read_games,
    read_json_lines,
    read_observation,
    read_position,
    to_json,
    write_game,
    write_game_code,
    write_games,
    write_json_line,
    write_observation,
    write_position,
)
from durak_core.game.record import RESERVED_TAGS

texts = st.text(st.characters() | st.sampled_from('{}[]"\\\n\r\t:!?*\ud800\u2028'), max_size=12)
names = st.from_regex(r"[A-Za-z][A-Za-z0-9_]{0,8}", fullmatch=True).filter(
    lambda name: name not in RESERVED_TAGS
)


@st.composite
def games(draw: st.DrawFn) -> list[State]:
    """Draw the states of a random game under random rules, or of its beginning."""
    teams = draw(st.sampled_from((False, False, True)))
    rules = random_rules(lambda options: draw(st.sampled_from(options)), teams=teams)
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
        record = record.annotated(ply, draw(st.sampled_from(MOVE_MARKS)), draw(texts))
    return record


@few_and_many(13, 200, states=games())
def test_positions_round_trip(states: list[State]) -> None:
    """Every position of every game comes back equal, and with the same legal actions."""
    for state in states:
        twin = read_position(write_position(state))
        assert twin == state
        assert twin.legal_actions == state.legal_actions
        assert write_position(twin) == write_position(state)


@few_and_many(13, 200, states=games(), data=st.data())
def test_observations_round_trip(states: list[State], data: st.DataObject) -> None:
    """Every observation of every seat comes back equal, but for the list of events."""
    seat = data.draw(st.integers(0, states[0].rules.seats - 1))
    for state in states:
        for viewer in {seat, state.turn or 0}:
            seen = state.observation(viewer)
            twin = read_observation(write_observation(seen))
            assert twin == replace(seen, events=())
            assert write_observation(twin) == write_observation(seen)


@few_and_many(10, 300, record=records())
def test_games_round_trip(record: Record) -> None:
    """Names, tags, marks and comments of any characters survive, and so does every move."""
    text = write_game(record)
    assert read_game(text) == record
    assert text.encode().decode() == text


@few_and_many(6, 100, several=st.lists(records(), max_size=3))
def test_files_of_games_round_trip(several: list[Record]) -> None:
    """Several games in one text stay apart."""
    assert read_games(write_games(several)) == several
    assert read_json_lines("".join(map(write_json_line, several))) == several


@few_and_many(20, 300, record=records())
def test_json_round_trips(record: Record) -> None:
    """The JSON form carries everything too."""
    line = write_json_line(record)
    assert read_json_lines(line.encode().decode()) == [record]
    assert from_json(json.loads(line)) == record
    assert to_json(from_json(to_json(record))) == to_json(record)


@few_and_many(20, 300, states=games(), has_seed=st.booleans())
def test_game_codes_round_trip(states: list[State], *, has_seed: bool) -> None:
    """Every game comes back from its code, without the players' names."""
    record = Record.of(states[-1], ("",) * states[-1].rules.seats)
    record = record if has_seed else replace(record, seed=None)
    code = write_game_code(record)
    assert read_game_code(code) == record
    assert write_game_code(read_game_code(code)) == code
