"""Matches that go on where they were ended."""

from __future__ import annotations

import errno
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from commands import bad
from waiting import running, wait_for_lines

import durak_core
from durak_core import RecordError, Rules, read_json_lines
from durak_core.errors import FileError
from durak_core.lab import Match, SavedGames, play_match, play_matches, tally_json, tally_match

DUEL = Match(Rules(), ("greedy", "random"), 12, 5)


def play(path, match: Match = DUEL, jobs: int = 1) -> list:
    with SavedGames(path, [match]) as saved:
        return [game for _, game in play_matches([match], jobs, saved)]


@pytest.fixture
def whole(tmp_path) -> bytes:
    """The file of the uninterrupted match."""
    play(tmp_path / "whole.jsonl")
    return (tmp_path / "whole.jsonl").read_bytes()


def lines(text: bytes) -> list[bytes]:
    return text.splitlines(keepends=True)


def counts(match: Match, games) -> dict:
    """What is counted, without what hangs on the clock; saved games have no times."""
    told = tally_json(tally_match(match, games))
    for agent in told["agents"]:
        for name in ("seconds", "decisions", "milliseconds_a_move"):
            del agent[name]
    return told


def test_the_file_holds_the_games_of_the_match(whole: bytes) -> None:
    """Every line is a game that can be read, and names its match."""
    records = read_json_lines(whole.decode())
    assert records == [game.record for game in play_match(DUEL)]
    assert [record.extra["match"] for record in records] == [
        {"rules": "podkidnoy", "agents": ["greedy", "random"], "seed": 5, "game": number}
        for number in range(12)
    ]


@pytest.mark.parametrize(
    ("tail", "jobs"),
    [(b"", 2), (b'{"format": "durak-game/1", "rul', 1), (b"\0" * 40, 1), (b"xyz\n", 1)],
)
def test_a_match_goes_on_after_its_last_good_line(tmp_path, whole: bytes, tail: bytes, jobs: int) -> None:
    """What the disk kept of the last line is dropped; the end is that of an uninterrupted match."""
    path = tmp_path / "games.jsonl"
    path.write_bytes(b"".join(lines(whole)[:5]) + tail)
    with SavedGames(path, [DUEL]) as saved:
        assert sorted(saved.finished) == [(0, number) for number in range(5)]
    games = play(path, DUEL, jobs)
    assert path.read_bytes() == whole
    assert counts(DUEL, games) == counts(DUEL, play_match(DUEL))


def test_every_place_where_a_line_can_break_is_survived(tmp_path, whole: bytes) -> None:
    """Cut anywhere in the second line, even just before its end, the first game is kept."""
    path = tmp_path / "games.jsonl"
    first, second = lines(whole)[:2]
    for kept in range(0, len(second), 97):
        path.write_bytes(first + second[:kept])
        with SavedGames(path, [DUEL]) as saved:
            assert list(saved.finished) == [(0, 0)]
        assert path.read_bytes() == first
    for kept in (1, 20, 60, len(first) - 1):
        path.write_bytes(first[:kept])
        with SavedGames(path, [DUEL]) as saved:
            assert saved.finished == {}


def test_games_that_are_missing_in_the_middle_are_played(tmp_path, whole: bytes) -> None:
    """In whatever order the lines stand; at the end they stand by their numbers."""
    path = tmp_path / "games.jsonl"
    of = lines(whole)
    path.write_bytes(of[9] + of[2] + of[3])
    assert [game.number for game in play(path)] == list(range(12))
    assert path.read_bytes() == whole


def test_the_lines_stay_where_they_are_when_a_match_fails(tmp_path, whole: bytes) -> None:
    """The disk may be full; what is whole so far is put in order when the match goes on."""
    path = tmp_path / "games.jsonl"
    of = lines(whole)
    path.write_bytes(of[9] + of[2])
    with pytest.raises(OSError, match="No space"), SavedGames(path, [DUEL]):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert path.read_bytes() == of[9] + of[2]
    play(path)
    assert path.read_bytes() == whole


def test_a_series_goes_on_with_the_fool_of_the_last_game(tmp_path) -> None:
    """Rules 4.2: who begins hangs on the last game of the file."""
    series = Match(Rules(seats=3, next_first_attacker="under_fool"), ("greedy", "random"), 9, 2)
    path = tmp_path / "series.jsonl"
    play(path, series)
    whole = path.read_bytes()
    for kept in (1, 4, 7):
        path.write_bytes(b"".join(lines(whole)[:kept]))
        play(path, series, jobs=2)
        assert path.read_bytes() == whole


def test_more_games_are_asked_for_later(tmp_path, whole: bytes) -> None:
    """A match of more games begins with the same ones."""
    path = tmp_path / "games.jsonl"
    play(path, Match(Rules(), DUEL.agents, 5, DUEL.seed))
    play(path)
    assert path.read_bytes() == whole


@pytest.mark.parametrize(
    ("match", "message"),
    [
        (Match(Rules(), DUEL.agents, 12, 6), "line 1: another match: seed 5: expected 6"),
        (Match(Rules.parse("perevodnoy"), DUEL.agents, 12, 5), 'rules "podkidnoy": expected "perevodnoy"'),
        (Match(Rules(), ("greedy", "smart"), 12, 5), r'agents \["greedy", "random"\]: expected'),
        (Match(Rules(), DUEL.agents, 4, 5), "line 5: another match: game 4: expected a number from 0 to 3"),
    ],
)
def test_the_file_of_another_match_is_refused_and_untouched(
    tmp_path, whole: bytes, match: Match, message: str
) -> None:
    """The error names what differs."""
    path = tmp_path / "games.jsonl"
    path.write_bytes(whole)
    with pytest.raises(RecordError, match=message):
        SavedGames(path, [match])
    assert path.read_bytes() == whole


def test_a_game_of_swapped_players_is_refused(tmp_path, whole: bytes) -> None:
    """The deal and the match are the right ones, but others sit on the seats than the number says."""
    path = tmp_path / "games.jsonl"
    first, *others = lines(whole)
    game = json.loads(first)
    game["players"].reverse()
    path.write_bytes(b"".join([json.dumps(game).encode() + b"\n", *others]))
    with pytest.raises(RecordError, match=r"line 1: game 0 has the deal \d+ of random, greedy: expected"):
        SavedGames(path, [DUEL])


def test_another_network_in_the_same_file_is_refused(tmp_path) -> None:
    weights = tmp_path / "сеть.npz"
    networks = Path(durak_core.__file__).parent / "agents" / "networks"
    shutil.copy(networks / "dmc-podkidnoy-2.npz", weights)
    match = Match(Rules(), (f'dmc:weights="{weights}"', "random"), 2, 1)
    games = play(tmp_path / "games.jsonl", match)
    before = (tmp_path / "games.jsonl").read_bytes()
    assert [game.fool for game in play(tmp_path / "games.jsonl", match)] == [game.fool for game in games]
    shutil.copy(networks / "greedy-response-podkidnoy-2.npz", weights)
    with pytest.raises(RecordError, match="another match: origins"):
        play(tmp_path / "games.jsonl", match)
    with pytest.raises(RecordError, match=r"agents .*сеть\.npz.*: expected"):
        SavedGames(tmp_path / "games.jsonl", [DUEL])
    assert (tmp_path / "games.jsonl").read_bytes() == before


def test_what_is_no_match_is_refused_and_untouched(tmp_path, whole: bytes) -> None:
    """A poem, games of --json, a broken line in the middle, a game twice, a game under a wrong number."""
    path = tmp_path / "games.jsonl"
    of = lines(whole)
    moved = json.loads(of[2])
    moved["match"]["game"] = 7
    for text, message in (
        (b"Whose woods these are\n", "expected the games of a match"),
        (b"Whose woods these are", "expected the games of a match"),
        (b"".join(of).replace(b'"match"', b'"contest"'), "line 1: no key match"),
        (of[0] + of[1][:100] + b"\n" + of[2], "line 2: this is not JSON"),
        (of[0] + of[0], "line 2: game 0 appears twice"),
        (json.dumps(moved).encode() + b"\n" + of[0], "line 1: game 7 has the deal"),
    ):
        path.write_bytes(text)
        with pytest.raises(RecordError, match=message):
            SavedGames(path, [DUEL])
        assert path.read_bytes() == text


@contextmanager
def playing(path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Play a long match into a file in another process, which has finished some games."""
    command = [sys.executable, "-m", "durak_core.cli", "match", *DUEL.agents, "--seed", str(DUEL.seed)]
    with running(
        [*command, "--games", "100000", "--resume", str(path)],
        cwd=Path(__file__).parents[3],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        wait_for_lines(path, 3)
        yield process


def test_a_file_that_is_played_into_is_refused_until_its_process_has_gone(tmp_path) -> None:
    """Two processes never write into one file, under whatever name; who is killed holds nothing."""
    path, link = tmp_path / "games.jsonl", tmp_path / "link.jsonl"
    link.symlink_to(path)
    match = Match(DUEL.rules, DUEL.agents, 100_000, DUEL.seed)
    with playing(path) as process:
        for name in (path, link):
            with pytest.raises(FileError, match=f"{name}: another process is playing a match"):
                SavedGames(name, [match])
            error = bad("match", *DUEL.agents, "--seed", DUEL.seed, "--resume", name)
            assert f"Error: {name}: another process is playing" in error
        assert process.poll() is None
    with SavedGames(link, [match]) as saved:
        assert len(saved.finished) > 2
        with pytest.raises(FileError):
            SavedGames(path, [match])
    assert sorted(item.name for item in tmp_path.iterdir()) == ["games.jsonl", "link.jsonl"]


def test_the_lock_is_given_back_where_the_file_is_refused(tmp_path, whole: bytes) -> None:
    """What cannot be opened does not stay locked, and a folder that is missing is named by its file."""
    path = tmp_path / "games.jsonl"
    path.write_bytes(whole)
    with pytest.raises(RecordError):
        SavedGames(path, [Match(Rules(), DUEL.agents, 12, 6)])
    with SavedGames(path, [DUEL]) as saved:
        assert len(saved.finished) == 12
    missing = tmp_path / "no" / "games.jsonl"
    with pytest.raises(FileError, match=f"{missing} cannot be written: there is no such file or folder"):
        SavedGames(missing, [DUEL])


def test_a_file_that_cannot_grow_ends_on_a_whole_line_and_is_named(tmp_path, whole: bytes) -> None:
    """The error is one sentence, and the games of before can be read."""
    pytest.importorskip("resource")
    path = tmp_path / "games.jsonl"
    path.write_bytes(b"".join(lines(whole)[:2]))
    before = path.read_bytes()
    most = len(before) + 1000
    command = "import resource, sys; from durak_core.cli import cli; "
    command += f"resource.setrlimit(resource.RLIMIT_FSIZE, ({most}, {most})); cli()"
    words = ("match", "greedy", "random", "--games", "12", "--seed", "5", "--resume", str(path))
    run = subprocess.run([sys.executable, "-c", command, *words], capture_output=True, text=True, check=False)
    assert run.returncode == 2
    assert f"Error: {path} cannot be written: it would become too large; raise the limit" in run.stderr
    assert "Traceback" not in run.stderr
    assert path.read_bytes() == before
