"""Games on disk: saved after every action, continued after a crash, damaged files kept, no clashes."""

import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from datetime import datetime, timedelta
from itertools import cycle

import pytest
from waiting import running, wait_for_end

from durak_core.game.notation.game_text import read_game
from durak_tui.library.view import waiting_details
from durak_tui.play.saves import Saves
from durak_tui.play.session import Session
from durak_tui.players import HUMAN
from tui.helpers import a_setup, until


@pytest.fixture
def saves(tmp_path):
    return Saves(tmp_path)


def begin(saves, setup=None, plies=0):
    """Begin a game and play some actions of it; return the file and the states."""
    setup = setup or a_setup()
    states = [setup.deal()]
    saved = saves.begin(setup, states[0])
    for _ in range(plies):
        states.append(states[-1].apply(states[-1].legal_actions[0]))
        saved.keep(states[-1])
    return saved, states


def crashed(saves, setup=None, plies=9):
    """Leave a game as a program does that is killed: unlocked, its file in place."""
    saved, states = begin(saves, setup, plies)
    saved.release()
    return saved.path, states


@pytest.mark.parametrize(("plies", "told"), [(1, "after 1 move;"), (2, "after 2 moves;")])
def test_a_game_that_waits_is_listed_with_its_moves(saves, plies, told):
    begin(saves, plies=plies)[0].release()
    (game,) = saves.unfinished()
    assert told in waiting_details(game)


def files(folder):
    return sorted(path.name for path in folder.iterdir())


async def test_the_file_holds_the_game_after_every_action(saves):
    setup = a_setup()
    session = Session(setup)
    saved = saves.begin(setup, session.state)
    kept = []

    class Reader:
        unsaved = None

        def keep(self, state, used):
            saved.keep(state)
            record = read_game(saved.path.read_text("utf-8"))
            kept.append(record.end == state)

    session = Session(setup, keeper=Reader())
    session.start()
    await until(lambda: session.is_over)
    await session.close()
    assert len(kept) == len(session.states) - 1
    assert all(kept)


async def test_games_are_kept_while_the_systems_clock_jumps_by_days(saves, monkeypatch):
    """Each look at it tells another day, earlier or later; no game takes another's place."""
    days = cycle([0, 3, -400, 1, -1])

    class Jumping(datetime):
        @classmethod
        def now(cls, tz=None):
            return datetime(2026, 11, 22, 10, tzinfo=tz) + timedelta(next(days))

    monkeypatch.setattr("durak_tui.play.saves.datetime", Jumping)
    monkeypatch.setattr(time, "time", lambda: Jumping.now().timestamp())
    crashes = [crashed(saves)[0] for _ in range(5)]
    setup = a_setup()
    session = Session(setup)
    session.keeper = saves.begin(setup, session.state)
    session.start()
    await until(lambda: session.is_over)
    await session.close()
    assert len(files(saves.finished)) == 1
    assert {game.path for game in saves.unfinished()} == set(crashes)
    _, taken_up = saves.resume(saves.newest())
    assert taken_up.path == max(crashes)
    taken_up.release()


async def test_a_finished_game_moves_to_the_history(saves):
    setup = a_setup((HUMAN, "greedy"))
    session = Session(setup)
    saved = saves.begin(setup, session.state)
    while not session.is_over:
        assert session.submit(session.state.legal_actions[0], session.state.turn) is None
        saved.keep(session.state)
    assert files(saves.running) == []
    (name,) = files(saves.finished)
    record = read_game((saves.finished / name).read_text("utf-8"))
    assert record.players == setup.names
    assert record.tags["Player0"] == HUMAN
    assert record.end == session.state
    assert saves.unfinished() == ()


def test_a_game_left_unlocked_is_offered_again_and_is_the_same_game(saves):
    setup = a_setup((HUMAN, "greedy"), seed=8)
    path, states = crashed(saves, setup)
    (game,) = saves.unfinished()
    assert (game.path, game.setup.players, game.setup.names) == (path, setup.players, setup.names)
    assert (game.setup.rules, game.setup.seed) == (setup.rules, 8)
    assert list(game.states) == states
    _, saved = saves.resume(game)
    saved.keep(states[-1].apply(states[-1].legal_actions[0]))
    saved.release()
    assert len(saves.unfinished()[0].states) == len(states) + 1


def test_a_file_that_stays_as_it_is_is_read_once(saves, monkeypatch):
    (kept, _), (changed, _) = crashed(saves, plies=3), crashed(saves, plies=3)
    saves.unfinished()
    read = []
    monkeypatch.setattr(
        "durak_tui.play.saves.read_bytes", lambda path, most: read.append(path) or path.read_bytes()[:most]
    )
    assert len(saves.unfinished()) == 2
    assert read == []
    changed.write_bytes(changed.read_bytes().rpartition(b"\n")[0].rpartition(b" ")[0])
    assert {game.path for game in saves.unfinished()} == {kept, changed}
    assert read == [changed]


def test_the_newest_game_is_found_without_reading_older_ones(saves, monkeypatch):
    path, _ = crashed(saves, a_setup((HUMAN, "greedy")))
    watched, _ = crashed(saves, a_setup(("smart", "greedy")))
    names = [saves.running / f"20{year}-01-01-000000-a.durak" for year in range(10, 16)]
    for name in names[:5]:
        shutil.copy(path, name)
    watched.rename(names[5])
    path.unlink()
    read = []
    monkeypatch.setattr(
        "durak_tui.play.saves.read_bytes", lambda path, most: read.append(path) or path.read_bytes()[:most]
    )
    assert saves.newest().path == names[4]
    assert read == [names[5], names[4]]
    for name in names[:5]:
        name.unlink()
    assert saves.newest().path == names[5]


def test_games_of_people_are_offered_before_newer_ones_of_bots(saves):
    path, _ = crashed(saves, a_setup((HUMAN, "greedy")))
    watched, _ = crashed(saves, a_setup(("smart", "greedy")))
    older, newer = (
        saves.running / name for name in ("2000-01-01-000000-a.durak", "2030-01-01-000000-b.durak")
    )
    path.rename(older)
    watched.rename(newer)
    assert [game.path for game in saves.unfinished()] == [older, newer]


def test_a_game_that_has_gone_is_not_taken_up(saves):
    """Another program may have finished it since it was offered: its lock is free then, and its file away."""
    path, _ = crashed(saves, a_setup((HUMAN, "greedy")))
    (game,) = saves.unfinished()
    content = path.read_bytes()
    path.unlink()
    assert saves.resume(game) is None
    assert not path.exists()
    path.write_bytes(content)
    assert saves.resume(game) is not None


async def test_a_game_played_on_in_another_window_is_continued_as_it_is_now(saves, tmp_path):
    crashed(saves, a_setup((HUMAN, "greedy")), plies=3)
    (offered,) = saves.unfinished()
    other = Saves(tmp_path)
    game, saved = other.resume(other.newest())
    state = game.states[-1].apply(game.states[-1].legal_actions[0])
    saved.keep(state)
    saved.release()
    session = Session.continued(offered, saves, None)
    assert session.state == state
    await session.close()


def test_a_game_that_is_being_played_is_nobody_elses(saves, tmp_path):
    saved, _states = begin(saves, plies=3)
    other = Saves(tmp_path)
    assert other.unfinished() == ()
    second, _ = begin(other)
    assert second.path != saved.path
    saved.release()
    (game,) = other.unfinished()
    taken = saves.resume(game)
    assert taken is not None
    assert other.resume(game) is None


def test_a_game_saved_again_after_its_folder_was_deleted_is_nobody_elses(saves, tmp_path):
    """Otherwise another window would continue it too, and each would write over the other's moves."""
    saved, states = begin(saves, plies=3)
    shutil.rmtree(tmp_path / "running")
    saved.keep(states[-1])
    assert saved.unsaved is None
    assert Saves(tmp_path).unfinished() == ()
    saved.release()
    assert len(Saves(tmp_path).unfinished()) == 1


def test_a_game_taken_over_after_its_folder_was_deleted_is_not_written_by_both(saves, tmp_path):
    saved, states = begin(saves, plies=3)
    content = saved.path.read_bytes()
    shutil.rmtree(tmp_path / "running")
    (tmp_path / "running").mkdir()
    saved.path.write_bytes(content)  # as when a backup is brought back
    other = Saves(tmp_path)
    _, taken = other.resume(other.unfinished()[0])
    saved.keep(states[-1].apply(states[-1].legal_actions[0]))
    assert "another program is playing this game" in str(saved.unsaved)
    assert saved.path.read_bytes() == content
    taken.release()
    saved.try_again()
    assert saved.unsaved is None
    assert len(read_game(saved.path.read_text("utf-8")).moves) == 4


def test_a_game_that_is_left_is_saved_first_if_it_was_not(saves, tmp_path):
    saved, states = begin(saves, plies=3)
    shutil.rmtree(tmp_path / "running")
    (tmp_path / "running").write_text("in the way")
    saved.keep(states[-1].apply(states[-1].legal_actions[0]))
    assert saved.unsaved is not None
    (tmp_path / "running").unlink()
    saved.release()
    (game,) = Saves(tmp_path).unfinished()
    assert len(game.states) == 5


def test_another_programs_lock_counts_and_ends_with_it(saves, tmp_path):
    path, _states = crashed(saves)
    program = textwrap.dedent(f"""
        import sys
        from pathlib import Path
        from durak_tui.play.saves import Saves
        saves = Saves(Path({str(tmp_path)!r}))
        _, saved = saves.resume(saves.unfinished()[0])
        print("held", flush=True)
        sys.stdin.read()
    """)
    pipe = subprocess.PIPE
    with running([sys.executable, "-c", program], stdin=pipe, stdout=pipe) as other:
        assert other.stdout.readline() == b"held\n"
        assert saves.unfinished() == ()
    assert [game.path for game in saves.unfinished()] == [path]


@pytest.mark.parametrize("name", ["SIGKILL", "SIGHUP"])
def test_a_program_killed_while_it_saves_leaves_a_game_that_goes_on(saves, tmp_path, name):
    program = textwrap.dedent(f"""
        import asyncio
        from pathlib import Path
        from durak_core import Rules
        from durak_tui.play.saves import Saves
        from durak_tui.play.session import GameSetup, Session

        async def main():
            saves = Saves(Path({str(tmp_path)!r}))
            rules = Rules.parse("podkidnoy:seats=4")
            setup = GameSetup(rules, ("greedy",) * 4, ("A", "B", "C", "D"), 1)
            state = setup.deal()
            saved = saves.begin(setup, state)
            while True:
                state = setup.deal() if state.plies == 12 else state.apply(state.legal_actions[0])
                saved.keep(state)
                print(state.plies, flush=True)

        asyncio.run(main())
    """)
    with running([sys.executable, "-c", program], stdout=subprocess.PIPE) as other:
        for _ in range(30):
            other.stdout.readline()
        os.kill(other.pid, getattr(signal, name))
        wait_for_end(other)
    (game,) = saves.unfinished()
    assert saves.problems == ()
    assert game.states[-1].plies == len(game.states) - 1 <= 12


def test_a_truncated_save_is_kept_aside_and_its_good_part_goes_on(saves):
    path, states = crashed(saves)
    text = path.read_text("utf-8")
    path.write_text(text[: len(text) * 9 // 10], "utf-8")
    (game,) = saves.unfinished()
    assert 1 <= len(game.states) <= len(states)
    assert list(game.states) == states[: len(game.states)]
    (problem,) = saves.problems
    aside = path.with_name(path.name + ".damaged-1")
    assert str(aside) in problem
    assert aside.read_text("utf-8") == text[: len(text) * 9 // 10]
    assert list(Saves(saves.folder).unfinished()[0].states) == list(game.states)


def test_any_cut_is_survived_and_nothing_is_deleted(saves):
    path, states = crashed(saves)
    text = path.read_bytes()
    for cut in range(0, len(text), 7):
        path.write_bytes(text[:cut])
        for game in saves.unfinished():
            assert list(game.states) == states[: len(game.states)]
        assert any(aside.read_bytes() == text[:cut] for aside in saves.running.iterdir())


@pytest.mark.parametrize("rubbish", [b"", b"\x00\xff\xfe rubbish", b'[Rules "no such"]\n', b"6c 7c"])
def test_rubbish_is_kept_aside_and_told(saves, rubbish):
    saves.running.mkdir(parents=True)
    (saves.running / "x.durak").write_bytes(rubbish)
    assert saves.unfinished() == ()
    assert len(saves.problems) == 1
    assert "codec" not in saves.problems[0]
    assert (saves.running / "x.durak.damaged-1").read_bytes() == rubbish
    assert saves.unfinished() == ()
    assert saves.problems == ()


def test_a_second_damaged_file_of_the_name_gets_the_next_number(saves):
    saves.running.mkdir(parents=True)
    for number in (1, 2, 3):
        (saves.running / "x.durak").write_text(f"rubbish {number}")
        saves.unfinished()
    assert files(saves.running) == [f"x.durak.damaged-{number}" for number in (1, 2, 3)]


def test_people_s_games_are_offered_before_watched_ones(saves):
    crashed(saves, a_setup((HUMAN, "greedy")))
    crashed(saves, a_setup(("smart", "greedy")))
    first, second = saves.unfinished()
    assert (first.setup.human, second.setup.human) == (0, None)


def test_a_game_that_ended_before_it_could_be_moved_is_moved_now(saves):
    saved, states = begin(saves)
    while not states[-1].is_over:
        states.append(states[-1].apply(states[-1].legal_actions[0]))
        saved.keep(states[-1])
    saved.path.replace(saves.running / saved.path.name)
    assert saves.unfinished() == ()
    assert len(files(saves.finished)) == 1


def test_a_watched_game_can_be_dropped_but_a_finished_one_stays(saves):
    saved, states = begin(saves, plies=5)
    saved.drop()
    assert files(saves.running) == []
    saved, states = begin(saves)
    while not states[-1].is_over:
        states.append(states[-1].apply(states[-1].legal_actions[0]))
        saved.keep(states[-1])
    saved.drop()
    assert len(files(saves.finished)) == 1
