"""Recorded games as tables: of decisions, for pandas, and for notebooks."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from commands import bad, good

from durak_core import Rules, State, parse_action, read_json_lines, read_observation
from durak_core.lab import Match, Standings, Tournament, play_match, tally_match
from durak_core.lab.stats.recorded_games import COLUMNS, decision_rows


@pytest.fixture
def games(tmp_path: Path) -> Path:
    """Two games between a searching and a simple agent, with what was found."""
    file = tmp_path / "games.jsonl"
    good("match", "mcts:limit=3,samples=2", "greedy", "--games", 2, "--seed", 1, "--json", file, "--findings")
    return file


def test_a_table_has_a_row_for_every_decision(games: Path) -> None:
    """What was known, legal and done; the result is that of the game, and findings are those of its line."""
    text = good("export", games, "--to", "csv")
    records = read_json_lines(games.read_text(encoding="utf-8"))
    with games.with_suffix(".csv").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert tuple(header) == COLUMNS
    decisions = sum(len(record.moves) for record in records)
    assert text == f"{decisions} decisions written to {games.with_suffix('.csv')}\n"
    found = iter(rows)
    for number, record in enumerate(records, 1):
        for ply, move in enumerate(record.moves, 1):
            row = dict(zip(header, next(found), strict=True))
            seen = read_observation(row["observation"])
            assert (row["game"], row["ply"], row["seat"]) == (str(number), str(ply), str(move.seat))
            assert row["agent"] == record.players[move.seat]
            assert row["legal"].split() == [str(action) for action in seen.legal_actions]
            assert parse_action(row["action"]) == move.action
            fools = record.result.fools if record.result else ()
            assert float(row["result"]) == (0.5 if not fools else float(move.seat not in fools))
            searched = row["agent"].startswith("mcts") and len(seen.legal_actions) > 1
            assert bool(row["findings"]) == searched
            assert not searched or json.loads(row["findings"])["lines"][0]["action"] == row["action"]


def test_a_table_never_replaces_its_games(games: Path) -> None:
    """Also not by the name that it has by default."""
    kept = games.read_bytes()
    copy = games.with_suffix(".csv")
    copy.write_bytes(kept)
    assert "expected another file" in bad("export", copy)
    assert "expected another file" in bad("export", games, "--out", games)
    assert games.read_bytes() == copy.read_bytes() == kept


def test_the_suffix_of_the_file_gives_the_format(games: Path) -> None:
    out = games.with_suffix(".CSV")
    good("export", games, "--out", out)
    assert out.read_text().startswith("game,")
    assert "expected a name with .parquet" in bad("export", games, "--to", "parquet", "--out", out)
    assert "expected a name with .csv" in bad(
        "export", games, "--to", "csv", "--out", games.with_suffix(".parquet")
    )


def test_parquet_holds_the_same(games: Path) -> None:
    """Column by column; without pyarrow the error says what to install."""
    parquet = pytest.importorskip("pyarrow.parquet")
    good("export", games, "--to", "parquet")
    table = parquet.read_table(games.with_suffix(".parquet")).to_pylist()
    records = read_json_lines(games.read_text(encoding="utf-8"))
    assert table == [{name: getattr(row, name) for name in COLUMNS} for row in decision_rows(records)]


def test_results_are_frames_for_pandas() -> None:
    """A row for each agent, with its interval; of a tournament the best comes first."""
    pytest.importorskip("pandas")
    match = Match(Rules(), ("greedy", "random"), games=20, seed=1)
    frame = tally_match(match, play_match(match)).to_frame()
    assert list(frame["agent"]) == ["greedy", "random"]
    assert frame["score"].sum() == pytest.approx(1)
    assert (frame["low"] <= frame["score"]).all()


def test_notebooks_show_positions_and_results() -> None:
    """Whatever a name holds, nothing of it is taken for HTML; what a seat does not know is not shown."""
    state = State.deal(Rules(), 7)
    shown, seen = state._repr_html_(), state.observation(1)._repr_html_()
    assert "10♥ J♥ K♥ 8♣ K♣ A♣" in shown
    assert "10♥" not in seen
    assert "6 hidden" in seen
    assert "talon</td><td>24, trump 7♦" in seen
    match = Match(Rules(), ("greedy", "random"), games=20, seed=1)
    assert "<td>greedy</td>" in tally_match(match, play_match(match))._repr_html_()
    standings = Standings(Tournament(Rules(), ("greedy", "random"), 2, 1))
    for game in play_match(standings.tournament.fixtures[0].match):
        standings.add(0, game)
    assert "<caption>2 games, podkidnoy</caption>" in standings._repr_html_()
