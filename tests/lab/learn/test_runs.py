"""Every learner's run: the same from a seed, interrupted or not, and its weights play what was learnt."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="the extra learn is not installed")
pytest.importorskip("tensorboard", reason="the extra learn is not installed")

import numpy as np  # noqa: E402 - after the check
import tiny_runs  # noqa: E402
import tomli_w  # noqa: E402
from full_disk import empty, fill  # noqa: E402
from waiting import read_until, running, wait_for_rest, wait_until  # noqa: E402

from durak_core import Rules, State, make_agent  # noqa: E402
from durak_core.actions import encode  # noqa: E402
from durak_core.agents.learned import NetworkAgent, load_network  # noqa: E402
from durak_core.errors import ClusterError, DurakError, FileError  # noqa: E402
from durak_core.lab.equilibrium import saved  # noqa: E402
from durak_core.lab.equilibrium.saved import FORMAT, EquilibriumAbout, write_equilibrium  # noqa: E402
from durak_core.lab.equilibrium.small_game import TinyGame, play_as  # noqa: E402
from durak_core.lab.learn.learners import DmcTrainer, DqnTrainer, PpoTrainer  # noqa: E402
from durak_core.lab.learn.network import forward  # noqa: E402
from durak_core.lab.learn.run import RunError, TrainingRun, locked_run  # noqa: E402
from durak_core.lab.learn.selfplay import Trainer, company  # noqa: E402
from durak_core.lab.learn.settings import LearnerSettings  # noqa: E402
from durak_core.lab.matches import players  # noqa: E402
from durak_core.lab.workers import LostProcessError, Processes  # noqa: E402
from durak_core.search.backend.backend import plain_backend  # noqa: E402
from durak_core.search.network.encoding import (  # noqa: E402
    ACTIONS,
    active_inputs,
    code_index,
)

LEARNERS = {
    "dmc": (DmcTrainer, tiny_runs.DMC),
    "dqn": (DqnTrainer, tiny_runs.DQN),
    "ppo": (PpoTrainer, tiny_runs.PPO),
}


pytestmark = pytest.mark.usefixtures("compiled_training")


@pytest.fixture(params=LEARNERS)
def name(request: pytest.FixtureRequest) -> str:
    """Each learner in turn."""
    return request.param


@pytest.fixture
def tiny(name: str) -> LearnerSettings:
    """Settings of a run that is over in a second."""
    return LEARNERS[name][1]


@pytest.fixture
def learner(name: str, tiny: LearnerSettings) -> Callable[..., Trainer]:
    """Makes one that has not begun; changes of its settings may be given."""
    return lambda **changes: LEARNERS[name][0](replace(tiny, **changes))


def numbers(trainer: Trainer) -> list[float]:
    return torch.cat([one.detach().ravel() for one in (*trainer.parameters, *trainer.average)]).tolist()


def test_a_run_that_was_saved_goes_on_as_if_nothing_had_happened(
    tmp_path: Path, learner: Callable[..., Trainer]
) -> None:
    """Weights, games and chance are the same, interrupted or not, to the last bit."""
    whole = learner()
    for _ in range(400):
        whole.step()
    run = TrainingRun(learner(), tmp_path, lambda _: None)
    for _ in range(150):
        run.trainer.step()
    run.save()
    run.trainer.step()  # lost, as by a crash
    again = TrainingRun(learner(), tmp_path, lambda _: None).trainer
    for _ in range(250):
        again.step()
    assert again.counts == whole.counts
    assert again.counts.updates > 10
    assert isinstance(again, Trainer)
    assert numbers(again) == numbers(whole)


def test_another_seed_is_another_run(learner: Callable[..., Trainer]) -> None:
    """Deals, weights and chance all come from it."""
    one, other = learner(), learner(seed=4)
    for trainer in (one, other):
        for _ in range(50):
            trainer.step()
    assert one.counts.games != other.counts.games or numbers(one) != numbers(other)


def test_a_run_ends_with_its_games_and_leaves_weights(
    tmp_path: Path, learner: Callable[..., Trainer]
) -> None:
    """Its folder has a network that plays; another file's settings may not go on with it."""
    told: list[str] = []
    run = TrainingRun(learner(), tmp_path, told.append)
    run.go(lambda: False)
    assert run.trainer.counts.games >= 600
    assert len(told) == 3
    assert "greedy" in told[0]
    assert load_network(tmp_path / "weights.npz").about.games == run.trainer.counts.games
    with pytest.raises(RunError, match="batch=64, now 32: give it another folder"):
        TrainingRun(learner(batch=32), tmp_path, told.append)
    (tmp_path / "checkpoint.pt").write_bytes(b"nothing")
    with pytest.raises(RunError, match="is damaged, or no checkpoint"):
        TrainingRun(learner(), tmp_path, told.append)


def test_a_network_learns_and_is_measured_on_a_tiny_deck(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Against the deck's saved equilibrium, which it cannot beat, whatever it has learnt."""
    monkeypatch.setattr(players, "backend", lambda _: plain_backend())
    monkeypatch.setattr(saved, "backend", lambda _: plain_backend())
    rules = Rules.parse("podkidnoy:suits=1,lowest_rank=9,hand_size=2")
    game = TinyGame(rules, plain_backend())
    game.iterate(20)
    distance, equilibrium = game.distance(), game.snapshot()
    path = tmp_path / "six.npz"
    write_equilibrium(
        path, EquilibriumAbout(FORMAT, rules.text, distance.nash_conv, 0.0, 20), game.strategy()
    )
    opponents = {f"equilibrium:file={path}": 0.5}
    settings = replace(tiny_runs.DMC, rules=rules.text, games=100, opponents=opponents)
    TrainingRun(DmcTrainer(settings), tmp_path / "run", lambda _: None).go(lambda: False)
    play_as(game, make_agent(f"dmc:weights={tmp_path / 'run' / 'weights.npz'}"), 1, 1)
    assert game.distance().nash_conv > distance.nash_conv
    for gained, best in zip(game.returns_against(equilibrium), distance.best, strict=True):
        assert gained <= best + 1e-9


def test_a_damaged_checkpoint_is_refused_whatever_is_wrong(tmp_path: Path) -> None:
    """Bits that flip, an end that is missing, pieces that are missing: taken up as it was, or not at all."""
    trainer = DmcTrainer(tiny_runs.DMC)
    TrainingRun(trainer, tmp_path, lambda _: None).save()
    path, chance = tmp_path / "checkpoint.pt", random.Random(4)
    good = path.read_bytes()
    before = [one.tolist() for one in trainer.parameters]
    for number in range(200):
        place, end = chance.randrange(len(good)), len(good) - 1 - chance.randrange(3000)
        flipped = bytearray(good)
        flipped[chance.choice((place, end))] ^= 1 << chance.randrange(8)
        path.write_bytes((bytes(flipped), good[:place], good[:place] + good[end:])[number % 3])
        with contextlib.suppress(RunError, FileError):
            TrainingRun(trainer, tmp_path, lambda _: None)
        assert [one.tolist() for one in trainer.parameters] == before


def test_a_folder_has_one_training_at_a_time(tmp_path: Path) -> None:
    """Two would overwrite each other's files."""
    trainer, out = DmcTrainer(tiny_runs.DMC), tmp_path / "run"
    with (
        locked_run(trainer, out, lambda _: None),
        pytest.raises(RunError, match="another process is training in this folder: expected it to have"),
        locked_run(trainer, out, lambda _: None),
    ):
        pass
    with locked_run(trainer, out, lambda _: None):
        pass
    assert [path.name for path in out.iterdir()] == ["log"]


def test_weights_without_a_checkpoint_are_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "weights.npz").write_bytes(b"kept")
    with pytest.raises(RunError, match=r"holds weights.npz and no checkpoint.pt: expected another folder"):
        TrainingRun(DmcTrainer(tiny_runs.DMC), tmp_path, lambda _: None)
    assert (tmp_path / "weights.npz").read_bytes() == b"kept"


def test_only_regular_files_are_checkpoints(tmp_path: Path) -> None:
    """A pipe is not waited for."""
    os.mkfifo(tmp_path / "checkpoint.pt")
    with pytest.raises(FileError, match="cannot be read: it is not a regular file"):
        TrainingRun(DmcTrainer(tiny_runs.DMC), tmp_path, lambda _: None)


def test_another_learners_checkpoint_is_refused(tmp_path: Path) -> None:
    """Both kinds are named, and what to do."""
    TrainingRun(DmcTrainer(tiny_runs.DMC), tmp_path, lambda _: None).save()
    with pytest.raises(
        RunError, match=r"written as durak-dmc/2 .* this learner goes on with durak-ppo/1 .* give"
    ):
        TrainingRun(PpoTrainer(tiny_runs.PPO), tmp_path, lambda _: None)


def test_a_run_goes_on_against_the_same_opponents_in_the_same_order(tmp_path: Path) -> None:
    """The order decides who plays which game, and an agent's file how it plays."""
    own = tmp_path / "own.py"
    own.write_text("class Own:\n    def choose(self, seen):\n        return seen.legal_actions[0]\n")
    shares = {"past": 0.2, f"{own}:Own": 0.2}
    folder = tmp_path / "run"
    TrainingRun(DmcTrainer(replace(tiny_runs.DMC, opponents=shares)), folder, lambda _: None).save()
    turned = dict(reversed(shares.items()))
    with pytest.raises(RunError, match="was begun with opponents="):
        TrainingRun(DmcTrainer(replace(tiny_runs.DMC, opponents=turned)), folder, lambda _: None)
    TrainingRun(DmcTrainer(replace(tiny_runs.DMC, opponents=shares)), folder, lambda _: None)
    own.write_text("class Own:\n    def choose(self, seen):\n        return seen.legal_actions[-1]\n")
    with pytest.raises(RunError, match=r"begun against own.py:Own, sha256 \w+: expected it, not own.py:Own"):
        TrainingRun(DmcTrainer(replace(tiny_runs.DMC, opponents=shares)), folder, lambda _: None)


def test_shares_may_be_rounded_up() -> None:
    """Then no game is left with itself."""
    shares = {"past": 0.05, "expert": 0.55, "greedy": 0.3, "random": 0.1}
    assert sum(shares.values()) > 1
    assert set(company(shares, 2, 1).kinds) == set(shares)


def test_the_log_has_the_learners_figures(
    tmp_path: Path, name: str, learner: Callable[..., Trainer], monkeypatch: pytest.MonkeyPatch
) -> None:
    """TensorBoard gets losses, scores by opponent, evaluations, hours, and what is the learner's own."""
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator  # noqa: PLC0415

    monkeypatch.setattr("durak_core.lab.learn.run._TALLY_SECONDS", 0.0)
    TrainingRun(learner(games=300), tmp_path, lambda _: None).go(lambda: False)
    log = EventAccumulator(str(tmp_path / "log"))
    log.Reload()
    tags = set(log.Tags()["scalars"])
    own = {
        "dmc": {"train/epsilon"},
        "dqn": {"train/epsilon", "train/q", "train/replay"},
        "ppo": {"train/entropy", "train/kl", "train/clip_fraction", "train/value_loss"},
    }
    common = {"train/loss", "train/rate", "train/decisions", "train/score_self", "train/score_greedy"}
    evaluated = {"evaluation/greedy", "evaluation/expert", "evaluation/hours"}
    assert tags >= own[name] | common | evaluated


def test_a_disk_that_fills_during_a_run_is_named(
    small_disk: Path, learner: Callable[..., Trainer], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The curves are the first to find it full; their file stays readable."""
    monkeypatch.setattr("durak_core.lab.learn.run._TALLY_SECONDS", 0.0)
    run = TrainingRun(learner(games=300), small_disk, lambda _: None)
    (curves,) = (small_disk / "log").iterdir()
    before = curves.read_bytes()
    fill(small_disk)
    with pytest.raises(
        FileError, match=f"{curves.name} cannot be written: the disk is full; make room on it"
    ):
        run.go(lambda: False)
    assert curves.read_bytes().startswith(before)
    assert len(curves.read_bytes()) < len(before) + 4096


@pytest.mark.parametrize("small_disk", ["4m"], indirect=True)
def test_a_full_disk_keeps_the_checkpoint_of_several_actors(small_disk: Path) -> None:
    """It is named; with room again the run goes on as if nothing had happened."""
    settings = replace(tiny_runs.DMC, actors=2, round_steps=20, games=150, evaluate_games=10**6)
    alone = DmcTrainer(settings)
    while not alone.is_done:
        alone.step()
    run, checkpoint = (
        TrainingRun(DmcTrainer(settings), small_disk, lambda _: None),
        small_disk / "checkpoint.pt",
    )
    for _ in range(3):
        run.trainer.step()
    run.save()
    before = checkpoint.read_bytes()
    fill(small_disk)
    with pytest.raises(FileError, match=f"{checkpoint} cannot be written: the disk is full; make room on it"):
        run.go(lambda: False)
    assert checkpoint.read_bytes() == before
    assert {path.name for path in small_disk.iterdir()} == {"checkpoint.pt", "filling", "log", "weights.npz"}
    empty(small_disk)
    again = TrainingRun(DmcTrainer(settings), small_disk, lambda _: None)
    assert 0 < again.trainer.counts.games < run.trainer.counts.games
    again.go(lambda: False)
    assert numbers(again.trainer) == numbers(alone)


def test_players_compute_what_training_computed(
    tmp_path: Path, name: str, learner: Callable[..., Trainer]
) -> None:
    """The network agent's values are those of the trained tensors, but for rounding to 16 bits."""
    run = TrainingRun(learner(games=100), tmp_path, lambda _: None)
    run.go(lambda: False)
    rules = run.trainer.rules
    state = State.deal(rules, 5)
    assert state.turn is not None
    seen = state.observation(state.turn)
    agent = NetworkAgent(name, [load_network(tmp_path / "weights.npz")])
    agent.begin(rules, seen.seat, 0)
    codes = [encode(action) for action in seen.legal_actions]
    assert seen.trump_suit is not None
    trainer = run.trainer
    assert isinstance(trainer, Trainer)
    planes = np.zeros((1, len(trainer.average[0])), np.float32)
    planes[0][active_inputs(seen)] = 1
    outputs = forward(trainer.average, torch.from_numpy(planes))[0].tolist()
    if name == "dqn":
        mean = sum(outputs[:ACTIONS]) / ACTIONS
        outputs = [outputs[ACTIONS] + output - mean for output in outputs[:ACTIONS]]
    expected = [outputs[code_index(code, int(seen.trump_suit))] for code in codes]
    scores = agent._scores.of(agent._networks[0], plain_backend(), seen, codes)
    assert scores == pytest.approx(expected, abs=0.02)


def test_the_learner_chooses_legal_actions_only(learner: Callable[..., Trainer]) -> None:
    """However strongly its network is for something else: a choice is one of the legal actions."""
    trainer = learner(tables=64)
    games, actor = trainer.play.games, trainer.play.learner
    choices, values = np.full(64, -1), np.zeros(64, np.float32)
    every = np.arange(64)
    for _ in range(20):
        legal = games.masks().astype(bool)
        with torch.no_grad():
            trainer.parameters[-1][:ACTIONS] = 50 * torch.randn(ACTIONS)
        actor.take(trainer.acting(trainer.parameters))
        actor.choose(every, games, 0.3, (np.array([5]), choices, values))
        assert ((choices >= 0) & (choices < games.counts)).all()
        assert legal[every, games.actions[every, choices]].all()
        games.step_places(choices)


def test_several_actors_learn_the_same_wherever_they_play(
    tmp_path: Path, learner: Callable[..., Trainer]
) -> None:
    """Saved in the middle of a round and resumed, the weights are the same to the last bit."""
    many = {"actors": 3, "round_steps": 20, "games": 10**6}
    whole, run = learner(**many), TrainingRun(learner(**many), tmp_path, lambda _: None)
    for _ in range(14):
        whole.step()
    for _ in range(5):
        run.trainer.step()
    run.save()
    run.trainer.step()  # lost, as by a crash
    again = TrainingRun(learner(**many), tmp_path, lambda _: None).trainer
    for _ in range(9):
        again.step()
    assert again.counts == whole.counts
    assert again.counts.updates > 5
    assert numbers(again) == numbers(whole)
    more = TrainingRun(learner(**{**many, "actors": 4}), tmp_path, lambda _: None).trainer
    more.step()
    with pytest.raises(RunError, match="was begun with actors=3, now 1"):
        TrainingRun(learner(**{**many, "actors": 1}), tmp_path, lambda _: None)


@pytest.mark.slow
def test_killed_processes_lose_nothing() -> None:
    """Others play their rounds again."""
    pytest.importorskip("joblib", reason="the extra lab is not installed")
    settings = replace(tiny_runs.DMC, actors=2, round_steps=20, games=10**6)
    alone, trainer, two = DmcTrainer(settings), DmcTrainer(settings), Processes(2)
    with trainer.playing(two):
        for step in range(8):
            alone.step()
            trainer.step()
            if step == 3:
                for number in list(two._executor._processes):
                    os.kill(number, signal.SIGKILL)
    assert numbers(trainer) == numbers(alone)


class Threads:
    """Workers that are lost after some results."""

    width = 2

    def __init__(self, results: int) -> None:
        self.pool, self.left = ThreadPoolExecutor(2), results

    def submit(self, function: Callable[..., object], task: tuple[object, ...]) -> Future[object]:
        return self.pool.submit(function, *task)

    def result(self, call: Future[object]) -> object:
        self.left -= 1
        if self.left < 0:
            raise ClusterError("lost")
        return call.result()

    def look(self) -> None: ...

    def abandon(self, calls: Sequence[Future[object]]) -> None:
        self.pool.shutdown(cancel_futures=True)


class Replaced(Threads):
    """Workers that are found to be ended from outside when they get their fourth call; others follow."""

    calls = 0

    def submit(self, function: Callable[..., object], task: tuple[object, ...]) -> Future[object]:
        self.calls += 1
        if self.calls == 4:
            raise LostProcessError("ended")
        return super().submit(function, task)

    def abandon(self, calls: Sequence[Future[object]]) -> None:
        super().abandon(calls)
        self.pool = ThreadPoolExecutor(2)


def test_processes_that_end_before_a_round_is_begun_lose_nothing() -> None:
    settings = replace(tiny_runs.DMC, actors=2, round_steps=20, games=10**6)
    alone, trainer = DmcTrainer(settings), DmcTrainer(settings)
    with trainer.playing(Replaced(10**6)):
        for _ in range(6):
            alone.step()
            trainer.step()
    assert numbers(trainer) == numbers(alone)


def test_an_actor_without_compiled_code_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where only a worker has none."""
    trainer = DmcTrainer(replace(tiny_runs.DMC, actors=2))
    monkeypatch.setattr("durak_core.lab.learn.selfplay.backend", lambda _: plain_backend())
    with pytest.raises(DurakError, match="training runs as compiled code only"):
        trainer.step()


def test_a_run_whose_workers_are_lost_goes_on(tmp_path: Path) -> None:
    """What was learnt is saved, in the middle of a round; the same weights come of it."""
    settings = replace(tiny_runs.DMC, actors=2, round_steps=20, games=150, evaluate_games=10**6)
    alone = DmcTrainer(settings)
    while not alone.is_done:
        alone.step()
    run = TrainingRun(DmcTrainer(settings), tmp_path, lambda _: None)
    with pytest.raises(ClusterError, match="lost"):
        run.go(lambda: False, Threads(5))
    again = TrainingRun(DmcTrainer(settings), tmp_path, lambda _: None)
    assert again.trainer.counts == run.trainer.counts
    assert again.trainer.counts.games
    again.go(lambda: False, Threads(10**6))
    assert numbers(again.trainer) == numbers(alone)


@pytest.mark.slow
def test_training_beats_its_beginnings(name: str, learner: Callable[..., Trainer]) -> None:
    """Some thousand games of a small deck are enough to play visibly better against the greedy player."""
    own = {"ppo": {"horizon": 4096, "batch": 256}, "dqn": {"replay": 50_000, "target_updates": 50}}
    wide = {"games": 30_000, "tables": 64, "hidden": (32, 16), "average": 0.01, "rate_games": 10**6}
    trainer = learner(**wide, **own.get(name, {}))
    before = float(trainer.evaluate("greedy", 2000).mean())
    while not trainer.is_done:
        trainer.step()
    after = float(trainer.evaluate("greedy", 2000).mean())
    assert after > before + 0.1


@pytest.mark.slow
def test_a_killed_run_is_taken_up_again(tmp_path: Path, name: str, tiny: LearnerSettings) -> None:
    """Kill -9 in the middle of it; the same command goes on from the last checkpoint."""
    settings = tmp_path / "run.toml"
    endless = replace(tiny, games=10**9, evaluate_games=10**9, checkpoint_minutes=0.02)
    settings.write_text(tomli_w.dumps(endless.as_plain()), encoding="utf-8")
    out = tmp_path / "out"
    command = [sys.executable, "-m", "durak_core.cli", "train", name, "--config", settings, "--out", out]
    with running(command, stdout=subprocess.PIPE) as first:
        read_until(first.stdout.fileno(), "training for")
        wait_until(lambda: (out / "weights.npz").exists() or first.poll() is not None)
        assert first.poll() is None
    with running(command, stdout=subprocess.PIPE) as second:
        assert "going on after" in read_until(second.stdout.fileno(), "training for")
        os.kill(second.pid, signal.SIGTERM)
        assert b"saved after" in wait_for_rest(second)[0]
    assert second.returncode == 128 + signal.SIGTERM
