"""Deep Monte Carlo: the learner of runs that are under way stays the same."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="the extra learn is not installed")

pytest.importorskip("tensorboard", reason="the extra learn is not installed")

import make_network  # noqa: E402 - likewise
import tiny_runs  # noqa: E402 - after the check

from durak_core.config import ConfigError  # noqa: E402
from durak_core.lab.learn.learners import DmcTrainer  # noqa: E402
from durak_core.lab.learn.network import PRECISION, parameters_of  # noqa: E402
from durak_core.lab.learn.run import TrainingRun  # noqa: E402
from durak_core.lab.learn.selfplay import Counts  # noqa: E402
from durak_core.search.network.encoding import ACTIONS  # noqa: E402
from durak_core.search.network.weights import read_network  # noqa: E402

pytestmark = pytest.mark.usefixtures("compiled_training")


def test_a_seeds_run_stays_the_same() -> None:
    """Games, drawn decisions and weights are those that this seed has always given.

    The teacher plays all of it, so that nothing depends on a processor but the weights, by its products'
    precision and rounding.
    """
    trainer = DmcTrainer(replace(tiny_runs.DMC, teacher_games=10**6, opponents={"greedy": 0.2}, trace=1.0))
    for _ in range(600):
        trainer.step()
    assert trainer.counts == Counts(games=146, decisions=4800, samples=2304, updates=36, steps=600)
    weights = torch.cat([one.detach().ravel() for one in (*trainer.parameters, *trainer.average)])
    total = 14.36 if PRECISION is torch.bfloat16 else 15.45
    assert float(weights.sum()) == pytest.approx(total, abs=0.2)
    assert float(weights.abs().sum()) == pytest.approx(3923.6, abs=1)


def test_checkpoints_of_runs_under_way_can_be_read() -> None:
    """Their parts have the names that they had when these runs began."""
    trainer = DmcTrainer(tiny_runs.DMC)
    while not trainer.counts.games:
        trainer.step()
    state = trainer.state()
    assert DmcTrainer.version == "durak-dmc/2"
    assert set(state) == {
        *("counts", "parameters", "average", "adam", "past", "past_in_play", "chance"),
        *("games", "rollout", "gathered"),
    }
    assert set(state["rollout"]) == {
        *("rng", "choices", "kept", "inputs", "lengths", "actions", "seats", "greatest", "values")
    }
    assert set(state["gathered"]) == {"inputs", "lengths", "actions", "outcomes"}


def test_a_run_begins_with_the_weights_it_is_given(tmp_path: Path) -> None:
    """They are those of the file, and other layers are refused."""
    TrainingRun(DmcTrainer(tiny_runs.DMC), tmp_path, lambda _: None).save()
    path = tmp_path / "weights.npz"
    begun = DmcTrainer(replace(tiny_runs.DMC, start=str(path)))
    written = DmcTrainer(tiny_runs.DMC).average
    weights, expected = (
        torch.cat([one.detach().ravel() for one in parameters]).tolist()
        for parameters in (begun.parameters, written)
    )
    assert weights == pytest.approx(expected, abs=1e-3)
    with pytest.raises(ConfigError, match=r"its layers are \(633, 16, 8\), and the run's \(633, 8\)"):
        DmcTrainer(replace(tiny_runs.DMC, start=str(path), hidden=(8,)))
    path.write_bytes(make_network.network(outputs="policy-value", hidden=(9, 8)))
    with pytest.raises(ConfigError, match="outputs are 'policy-value': expected outcome or outcome-fools"):
        DmcTrainer(replace(tiny_runs.DMC, start=str(path), rules="podkidnoy", hidden=(9, 8)))
    with pytest.raises(ConfigError, match=r"start: .*there is no such file .* expected .* dmc, dqn, ppo"):
        DmcTrainer(replace(tiny_runs.DMC, start="none.npz"))


def test_a_loser_prediction_head_is_left_out(tmp_path: Path) -> None:
    """As of the shipped networks for three seats and more."""
    path = tmp_path / "start.npz"
    path.write_bytes(make_network.network(outputs="outcome-fools", hidden=(9, 8)))
    settings = replace(tiny_runs.DMC, start=str(path), rules="podkidnoy", hidden=(9, 8))
    begun = DmcTrainer(settings)
    *before, weights, biases = parameters_of(read_network(path))
    assert all(torch.equal(one, other) for one, other in zip(begun.parameters, before, strict=False))
    assert torch.equal(begun.parameters[-2], weights[:, :ACTIONS])
    assert torch.equal(begun.parameters[-1], biases[:ACTIONS])


def test_frozen_weights_stay_while_the_fools_are_learnt(tmp_path: Path) -> None:
    """What the network to start with knows is the same afterwards, bit for bit."""
    three = replace(tiny_runs.DMC, rules="podkidnoy:seats=3")
    TrainingRun(DmcTrainer(three), tmp_path, lambda _: None).save()
    frozen = replace(three, start=str(tmp_path / "weights.npz"), others=True, freeze=True)
    trainer = DmcTrainer(frozen)
    before = [one.detach().clone() for one in trainer.parameters]
    while not trainer.counts.updates:
        trainer.step()
    for old, new in zip(before[:-2], trainer.parameters[:-2], strict=True):
        assert torch.equal(old, new)
    for old, new in zip(before[-2:], trainer.parameters[-2:], strict=True):
        assert torch.equal(old[..., :ACTIONS], new[..., :ACTIONS])
        assert not torch.equal(old[..., ACTIONS:], new[..., ACTIONS:])
    with pytest.raises(ConfigError, match="freeze=true: expected false without start and others = true"):
        replace(frozen, start="")
