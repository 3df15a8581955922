"""Whole games that may only change on purpose; ``make_games.py`` writes them."""

from __future__ import annotations

import make_games
import pytest

from durak_core import PRESETS, RecordResult, Rules, load_records, write_game

GAMES = sorted((make_games.HERE / "games").glob("*.durak"))


def test_every_preset_has_a_golden_game() -> None:
    """No preset is without a whole game."""
    assert {Rules.parse(rules).base for rules, _ in make_games.GAMES.values()} == set(PRESETS)
    assert [path.stem for path in GAMES] == sorted(make_games.GAMES)


def test_games_and_playthroughs_are_what_the_program_plays() -> None:
    """The same seeds give the same games, positions and legal actions as when the files were written."""
    for path, text in make_games.files():
        assert path.read_text(encoding="utf-8") == text, path


@pytest.mark.parametrize("path", GAMES, ids=lambda path: path.stem)
def test_a_golden_game_is_read_played_and_written_as_it_stands(path) -> None:
    """Reading and writing a game's text changes nothing."""
    (record,) = load_records(path)
    assert write_game(record) == path.read_text(encoding="utf-8")
    assert record.replay()[-1].is_over


@pytest.mark.parametrize(
    ("name", "result"),
    [
        ("podkidnoy-2", RecordResult(fools=(0,), draw=False, places=(1, 0), bouts=17, plies=56)),
        ("perevodnoy-4", RecordResult(fools=(1,), draw=False, places=(2, 0, 3, 1), bouts=22, plies=142)),
    ],
)
def test_a_golden_game_ends_as_its_scorer_noted(name, result) -> None:
    """Two games have their results written down here as well."""
    (record,) = load_records(make_games.HERE / "games" / f"{name}.durak")
    assert record.result == result
