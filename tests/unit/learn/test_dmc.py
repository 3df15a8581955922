"""Deep Monte Carlo: it learns, it goes on where it was, and players compute what training computed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="the extra learn is not installed")
pytest.importorskip("tensorboard", reason="the extra learn is not installed")

import numpy as np  # noqa: E402 - after the check
import tomli_w  # noqa: E402

from durak_core import AgentError, Rules, State  # noqa: E402
from durak_core.agents.learned import NetworkAgent, load_network  # noqa: E402
from durak_core.learn.dmc import DmcTrainer  # noqa: E402
from durak_core.learn.network import forward  # noqa: E402
from durak_core.learn.run import RunError, TrainingRun  # noqa: E402
from durak_core.learn.settings import DmcSettings, SettingsError  # noqa: E402
from durak_core.search.backend import backend  # noqa: E402
from durak_core.search.encoding import action_index  # noqa: E402
from durak_core.search.features import active_inputs  # noqa: E402

TINY = DmcSettings(
    rules="podkidnoy:lowest_rank=9,hand_size=3",
    seed=3,
    games=600,
    tables=8,
    hidden=(16, 8),
    start="",
    teacher="greedy",
    teacher_games=20,
    epsilon=0.2,
    last_epsilon=0.05,
    epsilon_games=300,
    trace=0.8,
    keep=0.5,
    batch=64,
    rate=0.003,
    rate_games=1000,
    average=0.05,
    opponents={"past": 0.2, "greedy": 0.2},
    past=3,
    past_games=100,
    evaluate_games=200,
    evaluate_length=20,
    checkpoint_minutes=100,
)


@pytest.fixture(autouse=True)
def machine_code() -> None:
    if backend("learn").name != "compiled":
        pytest.skip("training runs as machine code only")


def numbers(trainer: DmcTrainer) -> list[float]:
    return torch.cat([one.detach().ravel() for one in trainer._parameters]).tolist()


def test_a_run_that_was_saved_goes_on_as_if_nothing_had_happened(tmp_path: Path) -> None:
    """Weights, games and chance are the same, interrupted or not, to the last bit."""
    whole = DmcTrainer(TINY)
    for _ in range(400):
        whole.step()
    run = TrainingRun(TINY, tmp_path, lambda _: None)
    for _ in range(150):
        run.trainer.step()
    run.save()
    run.trainer.step()  # lost, as by a crash
    again = TrainingRun(TINY, tmp_path, lambda _: None)
    for _ in range(250):
        again.trainer.step()
    assert again.trainer.counts == whole.counts
    assert again.trainer.counts.updates > 10
    assert numbers(again.trainer) == numbers(whole)
    assert all(torch.equal(*both) for both in zip(again.trainer.average, whole.average, strict=True))


def test_a_run_ends_with_its_games_and_leaves_weights(tmp_path: Path) -> None:
    """Its folder has a network that plays; another file's settings may not go on with it."""
    told: list[str] = []
    run = TrainingRun(TINY, tmp_path, told.append)
    run.go(lambda: False)
    assert run.trainer.counts.games >= TINY.games
    assert len(told) == 3
    assert "greedy" in told[0]
    assert load_network(tmp_path / "weights.npz").about.games == run.trainer.counts.games
    with pytest.raises(RunError, match="batch=64, now 32: give it another folder"):
        TrainingRun(replace(TINY, batch=32), tmp_path, told.append)
    (tmp_path / "checkpoint.pt").write_bytes(b"nothing")
    with pytest.raises(RunError, match="is damaged, or no checkpoint"):
        TrainingRun(TINY, tmp_path, told.append)


def test_a_run_begins_with_the_weights_it_is_given(tmp_path: Path) -> None:
    """They are those of the file, and other layers are refused."""
    TrainingRun(TINY, tmp_path, lambda _: None).save()
    path = tmp_path / "weights.npz"
    begun = DmcTrainer(replace(TINY, start=str(path)))
    written = DmcTrainer(TINY).average
    assert numbers(begun) == pytest.approx(torch.cat([one.ravel() for one in written]).tolist(), abs=1e-3)
    with pytest.raises(
        SettingsError, match=r"its layers are \(633, 16, 8, 210\), and the run's \(633, 8, 210\)"
    ):
        DmcTrainer(replace(TINY, start=str(path), hidden=(8,)))
    with pytest.raises(AgentError, match="No such file"):
        DmcTrainer(replace(TINY, start=str(tmp_path / "none.npz")))


def test_players_compute_what_training_computed(tmp_path: Path) -> None:
    """The network agent's values are those of the trained tensors, but for rounding to 16 bits."""
    run = TrainingRun(replace(TINY, games=100), tmp_path, lambda _: None)
    run.go(lambda: False)
    rules = Rules.parse(TINY.rules)
    state = State.deal(rules, 5)
    assert state.turn is not None
    seen = state.observation(state.turn)
    agent = NetworkAgent("dmc", [load_network(tmp_path / "weights.npz")])
    agent.begin(rules, seen.seat, 0)
    agent.choose(seen)
    assert agent._memory is not None
    from durak_core.actions import encode  # noqa: PLC0415 - the name is taken above

    codes = [encode(action) for action in seen.legal_actions]
    assert seen.trump_suit is not None
    planes = np.zeros((1, run.trainer._games.size), np.float32)
    planes[0][active_inputs(seen)] = 1
    outputs = forward(run.trainer.average, torch.from_numpy(planes))[0].tolist()
    expected = [outputs[action_index(code, int(seen.trump_suit))] for code in codes]
    assert agent._memory.values(seen, codes) == pytest.approx(expected, abs=0.02)


@pytest.mark.slow
def test_training_beats_its_beginnings() -> None:
    """Some thousand games of a small deck are enough to beat the greedy player half of the time."""
    trainer = DmcTrainer(replace(TINY, games=30_000, tables=64, hidden=(32, 16), average=0.01))
    before = float(trainer.evaluate("greedy", 2000).mean())
    while not trainer.is_done:
        trainer.step()
    after = float(trainer.evaluate("greedy", 2000).mean())
    assert after > before + 0.1


@pytest.mark.slow
def test_a_killed_run_is_taken_up_again(tmp_path: Path) -> None:
    """Kill -9 in the middle of it; the same command goes on from the last checkpoint."""
    settings = tmp_path / "run.toml"
    endless = replace(TINY, games=10**9, evaluate_games=10**9, checkpoint_minutes=0.02)
    settings.write_text(tomli_w.dumps(endless.as_plain()), encoding="utf-8")
    out = tmp_path / "out"
    command = [sys.executable, "-m", "durak_core.cli", "train", "dmc", "--config", settings, "--out", out]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as first:
        assert first.stdout is not None
        assert "training for" in first.stdout.readline()
        while not (out / "weights.npz").exists():
            with suppress(subprocess.TimeoutExpired):
                pytest.fail(f"it ended with {first.wait(0.05)}")
        first.kill()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as second:
        assert second.stdout is not None
        assert "going on after" in second.stdout.readline()
        assert "training for" in second.stdout.readline()
        os.kill(second.pid, signal.SIGTERM)
        assert "saved after" in second.communicate(timeout=120)[0]
    assert second.returncode == 130
