"""Game codes that every version reads; ``make_codes.py`` wrote them."""

from __future__ import annotations

import make_codes

from durak_core import PRESETS, read_game_code, write_game_code

LINES = [line.split(" ") for line in make_codes.GOLDEN.read_text(encoding="utf-8").splitlines()]


def test_old_codes_are_read_as_the_games_that_they_were_and_written_again() -> None:
    """No change of the rules, presets or opponents has made a code another game."""
    assert len(LINES) == make_codes.GAMES
    for code, digest, rules in LINES:
        record = read_game_code(code)
        assert (make_codes.digest(record), str(record.rules)) == (digest, rules)
        assert write_game_code(record) == code


def test_they_cover_the_presets_tables_and_sources() -> None:
    """Every preset with all seats and teams is there, unfinished games, and deals without a seed."""
    records = [read_game_code(code) for code, _, _ in LINES]
    tables = {(record.rules.base, record.rules.teams, record.rules.seats) for record in records}
    assert {(preset, teams, seats) for preset in PRESETS for teams, seats in make_codes.TABLES} <= tables
    assert {record.result is None for record in records} == {True, False}
    assert {record.seed is None for record in records} == {True, False}
