"""Matches on several processes are the same matches."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from joblib.externals.loky import get_reusable_executor

from durak_core import AgentError, DurakError, Rules
from durak_core.lab import Match, play_match, tally_match
from durak_core.lab.matches.schedule import ChunkPlan, GameRange, SavedGames, Wanted, play_matches

DUEL = Match(Rules(), ("random", "greedy"), 41, 7)


def played(match: Match, jobs: int, *, with_lines: bool = False) -> list:
    return [game for _, game in play_matches([match], jobs, wanted=Wanted(lines=with_lines))]


def test_a_part_of_a_match_is_played_as_in_the_whole() -> None:
    """Games hang on their numbers alone, so any range of them can be played by itself."""
    whole = [game.summary(with_line=True) for game in play_match(DUEL)]
    part = [game.summary(with_line=True) for game in play_match(DUEL, games=range(7, 12))]
    assert part == whole[7:12]
    assert list(play_match(DUEL, games=range(0))) == []


@pytest.mark.parametrize("games", [range(40, 42), range(-1, 3), range(0, 10, 2), range(5, 1, -1)])
def test_games_that_are_not_there_are_refused(games: range) -> None:
    """Before anything is played."""
    with pytest.raises(AgentError, match="expected a range of ascending numbers from 0 to 40"):
        play_match(DUEL, games=games)


def test_a_series_is_not_entered_in_its_middle() -> None:
    """Rules 4.2: without the game before nobody knows who begins."""
    series = Match(Rules(next_first_attacker="under_fool"), ("random", "greedy"), 6, 7)
    with pytest.raises(AgentError, match=r"expected all from 0 on.*rules 4\.2"):
        play_match(series, games=range(2, 4))
    whole = [game.summary() for game in play_match(series)]
    assert [game.summary() for game in play_match(series, games=range(4))] == whole[:4]
    assert played(series, 2) == whole


@pytest.mark.sampled(1)
@pytest.mark.parametrize("rules", ["podkidnoy", "perevodnoy:seats=3"])
def test_the_number_of_processes_changes_nothing(rules: str) -> None:
    """The same games in the same order, to the last move."""
    match = Match(Rules.parse(rules), ("random", "smart"), 40, 3)
    alone = played(match, 1, with_lines=True)
    assert played(match, 2, with_lines=True) == alone
    assert [game.line for game in played(match, 2)] == [""] * 40
    assert tally_match(match, alone).plies == tally_match(match, play_match(match)).plies


def test_deals_stay_together_and_every_game_is_dealt_out_once() -> None:
    """Chunks begin with one deal, grow when games are quick, and end with a deal."""
    match = Match(Rules(seats=3), ("random",), 10_000, 1)
    plan = ChunkPlan([match], [GameRange(0, range(5, 9_998))], 2)
    chunks = []
    for run in plan:
        chunk = run.games
        chunks.append(chunk)
        plan.took(0, 0.01 * len(chunk), len(chunk))
    assert [number for chunk in chunks for number in chunk] == list(range(5, 9_998))
    assert chunks[0] == range(5, 6)
    assert all(chunk.start % 3 == 0 for chunk in chunks[1:])
    assert 150 < max(map(len, chunks)) <= 201
    assert len(chunks[-2]) == 3


def test_slow_games_are_dealt_out_by_the_deal() -> None:
    """Where a game takes ten seconds, a chunk is one deal from all seatings."""
    plan = ChunkPlan([DUEL], [GameRange(0, range(40))], 2)
    sizes = []
    for run in plan:
        sizes.append(len(run.games))
        plan.took(0, 10.0 * len(run.games), len(run.games))
    assert sizes == [2] * 20


@pytest.mark.slow
def test_an_error_in_a_process_arrives_here(tmp_path: Path) -> None:
    """As the same error, and the processes can be used again."""
    file = tmp_path / "broken.py"
    file.write_text("class Broken:\n    def choose(self, observation):\n        return 1 / 0\n")
    broken = Match(Rules(), (f"{file}:Broken",), 40, 1)
    with pytest.raises(AgentError, match="failed in choose: ZeroDivisionError"):
        played(broken, 2)
    assert len(played(DUEL, 2)) == 41


def test_processes_stay_for_the_next_match(tmp_path: Path) -> None:
    """They are started once, whether games are kept in a file or not."""

    def workers() -> set[int]:
        return set(get_reusable_executor(reuse=True)._processes)

    played(DUEL, 2)
    first = workers()
    assert len(first) == 2
    with SavedGames(tmp_path / "games", [DUEL]) as saved:
        assert len(list(play_matches([DUEL], 2, saved))) == 41
    played(DUEL, 2)
    assert workers() == first


@pytest.mark.slow
def test_whoever_has_seen_enough_may_go() -> None:
    """An iterator that is closed early ends the work without a warning."""
    games = play_matches([Match(Rules(), ("random", "random"), 100_000, 1)], 2)
    assert next(games)[1].number == 0
    games.close()


def test_a_process_that_is_killed_is_an_error() -> None:
    """Not a hang, and not a table with games missing."""
    games = play_matches([Match(Rules(), ("smart", "smart"), 100_000, 1)], 2)
    assert next(games)[1].number == 0
    for pid in list(get_reusable_executor(reuse=True)._processes):
        os.kill(pid, signal.SIGKILL)
    with pytest.raises(DurakError, match="was ended from outside"):
        list(games)
