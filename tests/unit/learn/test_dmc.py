"""Deep Monte Carlo: the learner of runs that are under way stays the same."""

from __future__ import annotations

from dataclasses import replace

import pytest

torch = pytest.importorskip("torch", reason="the extra learn is not installed")

import tiny_runs  # noqa: E402 - after the check

from durak_core.learn.dmc import DmcTrainer  # noqa: E402
from durak_core.learn.selfplay import Counts  # noqa: E402
from durak_core.search.backend import backend  # noqa: E402


@pytest.fixture(autouse=True)
def machine_code() -> None:
    if backend("learn").name != "compiled":
        pytest.skip("training runs as machine code only")


def test_a_seeds_run_stays_the_same() -> None:
    """Games, drawn decisions and weights are those that this seed has always given.

    The teacher plays all of it, so that nothing depends on a processor's rounding but the weights.
    """
    trainer = DmcTrainer(replace(tiny_runs.DMC, teacher_games=10**6, opponents={"greedy": 0.2}, trace=1.0))
    for _ in range(600):
        trainer.step()
    assert trainer.counts == Counts(games=146, decisions=4800, samples=2304, updates=36, steps=600)
    weights = torch.cat([one.detach().ravel() for one in (*trainer.parameters, *trainer.average)])
    assert float(weights.sum()) == pytest.approx(14.36, abs=0.2)
    assert float(weights.abs().sum()) == pytest.approx(3923.6, abs=1)


def test_checkpoints_of_runs_under_way_can_be_read() -> None:
    """Their parts have the names that they had when these runs began."""
    state = DmcTrainer(tiny_runs.DMC).state()
    assert DmcTrainer.version == "durak-dmc/2"
    assert set(state) == {
        *("counts", "parameters", "average", "adam", "past", "past_in_play", "chance"),
        *("games", "rollout", "gathered"),
    }
    assert set(state["rollout"]) == {
        *("rng", "choices", "kept", "inputs", "lengths", "actions", "seats", "greatest", "values")
    }
    assert set(state["gathered"]) == {"inputs", "lengths", "actions", "outcomes"}
