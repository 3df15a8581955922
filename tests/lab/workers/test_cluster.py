"""Matches on a Dask cluster are the same matches; who cannot play them is refused."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from commands import bad, durak
from waiting import running, wait_for_lines, wait_for_rest

from durak_core import AgentError, Rules
from durak_core.errors import ClusterError
from durak_core.installation import MissingExtraError
from durak_core.lab import Match, Tournament, play_match, play_matches
from durak_core.lab.matches.schedule import Wanted
from durak_core.lab.workers import DaskWorkers, run_in_order, sources_digest

distributed = pytest.importorskip("distributed")

ROOT = Path(__file__).parents[3]
DUEL = Match(Rules(), ("random", "greedy"), 41, 7)


def cluster(**settings: object) -> distributed.LocalCluster:
    return distributed.LocalCluster(
        **{"n_workers": 1, "threads_per_worker": 2, "dashboard_address": ":0", **settings}
    )


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Of a cluster whose only worker is a thread of this process."""
    with cluster(processes=False) as small:
        yield small.scheduler_address


FIRST = "class First:\n    def choose(self, seen):\n        return seen.legal_actions[0]\n"


@pytest.mark.slow
def test_a_cluster_plays_own_agents(address: str, tmp_path: Path) -> None:
    """By the absolute path of their file, or sent as objects; what cannot be sent is refused."""

    class Holding:
        def __init__(self) -> None:
            self.lock = threading.Lock()

        def choose(self, observation):
            return observation.legal_actions[0]

    file = tmp_path / "first.py"
    file.write_text(FIRST)
    with DaskWorkers(address) as workers:
        for agent in (f"{file}:First", ChoosesFirst, ChoosesFirst()):
            match = Match(Rules(), (agent, "greedy"), 8, 1)
            assert list(play_matches([match], workers)) == list(play_matches([match]))
        with pytest.raises(AgentError, match="cannot be sent to another process"):
            list(play_matches([Match(Rules(), (Holding(), "greedy"), 8, 1)], workers))


class ChoosesFirst:
    def choose(self, observation):
        return observation.legal_actions[0]


@pytest.mark.slow
def test_a_cluster_changes_nothing(address: str) -> None:
    """The same games in the same order, to the last move, also after a match that was left early."""
    with DaskWorkers(address) as workers:
        assert workers.width == 2
        alone = [game.summary(with_line=True) for game in play_match(DUEL)]
        assert [game for _, game in play_matches([DUEL], workers, wanted=Wanted(lines=True))] == alone
        with closing(play_matches([Match(Rules(), ("random",), 100_000, 1)], workers)) as games:
            assert next(games)[1].number == 0
        assert [game for _, game in play_matches([DUEL], workers, wanted=Wanted(lines=True))] == alone
        matches = Tournament(Rules(), ("random", "greedy", "smart"), 4, 1).matches
        assert list(play_matches(matches, workers)) == list(play_matches(matches))


def test_an_error_of_a_worker_arrives_here(address: str, tmp_path: Path) -> None:
    """As the same error, and the cluster can be used again."""
    file = tmp_path / "first.py"
    file.write_text(FIRST)
    broken = Match(Rules(), (f"{file}:First", "greedy"), 40, 1)
    file.write_text(f"{FIRST}    # changed\n")  # refused when it is read again, by the worker
    with DaskWorkers(address) as workers:
        with pytest.raises(AgentError, match="has another content here"):
            list(play_matches([broken], workers))
        assert len(list(play_matches([DUEL], workers))) == 41


def test_the_commands_play_on_a_cluster(address: str, tmp_path: Path) -> None:
    """The files of a match are those of one process; tournaments and tunings take the same options."""
    there = ("--backend", "dask", "--scheduler", address)
    files = [tmp_path / name for name in ("here.jsonl", "there.jsonl")]
    match = ("match", "greedy", "random", "--games", "30")
    for words in (
        match,
        ("tournament", "greedy", "random", "smart", "--games", "4"),
        ("tune", "random", "--grid", "open=off,on", "--against", "greedy", "--games", "4"),
    ):
        for file, options in zip(files, ((), there), strict=True):
            file.unlink(missing_ok=True)
            result = durak(*words, "--seed", 3, *options, "--resume", file)
            assert result.exit_code == 0, result.output
        assert files[0].read_bytes() == files[1].read_bytes()
    assert "--backend dask cannot tell the moves" in bad(*match, *there, "--verbose")


def test_other_sources_are_refused(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the beginning, and by the worker itself where it came later."""
    ours = sources_digest()
    with DaskWorkers(address) as workers:
        workers._digest = "0123456789ab"
        with pytest.raises(
            ClusterError, match=rf"has other sources of durak .{ours}.: expected 0123456789ab"
        ):
            list(play_matches([DUEL], workers))
    for answer, message in (
        ("0123456789ab", rf"tcp://far:1 has other sources of durak .0123456789ab.: expected {ours}"),
        (ModuleNotFoundError("No module named 'durak_core'"), "tcp://far:1 cannot play .No module named"),
    ):
        told = {"tcp://far:1": answer}
        monkeypatch.setattr(distributed.Client, "run", lambda *_, told=told, **__: told)
        with pytest.raises(ClusterError, match=message):
            DaskWorkers(address)


def unreadable() -> None:
    raise MissingExtraError("this needs wings")


class Unreadable:
    def __reduce__(self) -> tuple[object, ...]:
        return unreadable, ()


def test_a_scheduler_that_lacks_an_extra_is_named(address: str) -> None:
    """It reads what its workers get, and what is missing there is told here."""
    with DaskWorkers(address) as workers:
        for _ in range(2):
            with pytest.raises(
                ClusterError, match=f"scheduler at {address} cannot read .* .this needs wings"
            ):
                list(run_in_order(print, [(Unreadable(),)], workers))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--backend", "dask"), "expected its --scheduler ADDRESS"),
        (("--scheduler", "tcp://127.0.0.1:9"), "--scheduler belongs to --backend dask"),
        (("--backend", "dask", "--scheduler", "x:1", "--jobs", "2"), "expected --jobs or --backend dask"),
        (("--backend", "dask", "--scheduler", "x"), "no Dask scheduler answers at x (missing port number"),
        (("--backend", "spark"), "'spark' is not one of 'joblib', 'dask'"),
    ],
)
@pytest.mark.parametrize("command", ["match", "tournament", "tune"])
def test_options_that_do_not_go_together(command: str, options: tuple[str, ...], message: str) -> None:
    """Said before anything is played, by all three commands."""
    words = {"match": (), "tournament": (), "tune": ("--grid", "open=off", "--against", "greedy")}[command]
    agents = ("random",) if command == "tune" else ("random", "greedy")
    assert message in bad(command, *agents, *words, *options)


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The extra, and how to install it."""
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtraError, match=r"python3 -m pip install '\.\[cluster\]'"):
        DaskWorkers("tcp://127.0.0.1:9")


def test_whoever_does_not_answer_is_named() -> None:
    """A port where nobody is, and one where somebody is silent; neither takes longer than said."""
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        for port in (9, silent.getsockname()[1]):
            with pytest.raises(ClusterError, match=rf"no Dask scheduler answers at tcp://127.0.0.1:{port} "):
                DaskWorkers(f"tcp://127.0.0.1:{port}", answer_seconds=0.3)


def test_a_cluster_without_workers_is_not_waited_for() -> None:
    """The message says how to start one."""
    with (
        cluster(n_workers=0, processes=False) as empty,
        pytest.raises(ClusterError, match=r"has no workers: expected one within 0\.1 s; start dask worker"),
    ):
        DaskWorkers(empty.scheduler_address, worker_seconds=0.1)


@pytest.mark.slow
def test_one_process_two_or_a_cluster_of_two_write_the_same_file(tmp_path: Path) -> None:
    """With --resume, to the last byte; also when a worker of the cluster is killed on the way."""
    match = (sys.executable, "-m", "durak_core.cli", "match", "smart", "greedy", "--games", "1200")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with cluster(n_workers=2, threads_per_worker=1, processes=True) as two:
        there = ("--backend", "dask", "--scheduler", two.scheduler_address)
        for name, options in (("1", ()), ("2", ("--jobs", "2")), ("dask", there), ("killed", there)):
            path = tmp_path / name
            with running(
                [*match, "--seed", "1", "--resume", str(path), *options],
                env=environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
            ) as process:
                if name == "killed":
                    wait_for_lines(path)
                    os.kill(two.workers[0].pid, signal.SIGKILL)
                _, stderr = wait_for_rest(process)
            assert process.returncode == 0, stderr
            assert path.read_bytes() == (tmp_path / "1").read_bytes()


SMALL = """
import distributed, time
settings = {"protocol": "tcp", "processes": False, "dashboard_address": ":0"}
with distributed.LocalCluster(n_workers=1, threads_per_worker=1, **settings) as small:
    print(small.scheduler_address, flush=True)
    time.sleep(600)
"""


@pytest.mark.slow
def test_a_scheduler_that_falls_silent_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """As when its machine is switched off: its connections stay open."""
    with running([sys.executable, "-c", SMALL], stdout=subprocess.PIPE) as process:
        assert process.stdout
        with DaskWorkers(process.stdout.readline().decode().strip()) as workers:
            monkeypatch.setattr("durak_core.lab.workers._LOST_SECONDS", 1.0)
            os.kill(process.pid, signal.SIGSTOP)
            with pytest.raises(ClusterError, match="was lost: expected it to stay"):
                workers.look()
