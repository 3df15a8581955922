"""Proximal policy optimisation: advantages and losses computed by hand, and what is sampled."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the extra learn is not installed")

import make_network  # noqa: E402 - after the check
import tiny_runs  # noqa: E402

from durak_core.config import ConfigError  # noqa: E402
from durak_core.lab.learn.learners import SHARPNESS, PpoTrainer, clipped_loss, legal_log_probabilities  # noqa: E402
from durak_core.lab.learn.network import parameters_of  # noqa: E402
from durak_core.lab.learn.rollout import expected, traced  # noqa: E402
from durak_core.lab.learn.run import TrainingRun  # noqa: E402
from durak_core.search.backend.backend import backend  # noqa: E402
from durak_core.search.network.encoding import ACTIONS  # noqa: E402
from durak_core.search.network.weights import read_network  # noqa: E402


def test_advantages_by_hand() -> None:
    """Two seats' games of three decisions and of one in between; errors count from the end backwards."""
    hopes = np.array([0.5, 0.6, 0.4, 0.8], np.float32)
    outcomes = np.array([1.0, 1.0, 0.0, 1.0], np.float32)
    values = np.log(hopes / (1 - hopes))
    gained = traced(outcomes, values, np.array([7, 7, 2, 7]), 0.5, 0.9) - expected(values)
    last = 1.0 - 0.8
    middle = (0.9 * 0.8 - 0.6) + 0.9 * 0.5 * last
    first = (0.9 * 0.6 - 0.5) + 0.9 * 0.5 * middle
    assert gained.tolist() == pytest.approx([first, middle, -0.4, last], abs=1e-6)


def test_the_clipped_loss_by_hand() -> None:
    """A good action's gain ends at 1 + clip, a bad one's at 1 - clip; what makes it worse counts whole."""
    ratios = torch.tensor([1.5, 0.5, 1.5, 0.5])
    gained = torch.tensor([1.0, 1.0, -1.0, -1.0])
    before = torch.full((4,), -1.0)
    loss = clipped_loss(before + ratios.log(), before, gained, 0.2)
    assert loss.item() == pytest.approx(-(1.2 + 0.5 - 1.5 - 0.8) / 4)


def test_the_softmax_is_over_legal_actions() -> None:
    """The others have no probability, however great their outputs."""
    outputs = torch.tensor([[9.0, 1.0, 1.0 + math.log(3.0)]])
    legal = torch.tensor([[False, True, True]])
    assert legal_log_probabilities(outputs, legal).exp()[0].tolist() == pytest.approx([0.0, 0.25, 0.75])


def test_actions_are_sampled_by_their_probabilities() -> None:
    """Frequencies are those of the softmax, and notes say what the probability was and what is expected."""
    if backend("learn").name != "compiled":
        pytest.skip("training runs as machine code only")
    trainer = PpoTrainer(tiny_runs.PPO)
    games, notes = trainer.play.games, trainer.play.notes
    outputs = np.arange(ACTIONS) % 5 / 2
    with torch.no_grad():
        for one in trainer.parameters:
            one.zero_()
        trainer.parameters[-1][:ACTIONS] = torch.from_numpy(outputs)
        trainer.parameters[-1][ACTIONS] = math.log(4.0)
    trainer.play.learner.take(trainer.parameters)
    rows, choices, values = np.zeros(1, np.int64), np.zeros(8, np.int64), np.zeros(8, np.float32)
    drawn = np.zeros(games.counts[0])
    weights = np.exp(outputs[games.actions[0, : games.counts[0]]])
    shares = weights / weights.sum()
    for _ in range(500):
        trainer.play.learner.choose(rows, games, 0.0, (np.array([1]), choices, values))
        drawn[choices[0]] += 1
        noted = float(notes["log_probabilities"][0])
        assert noted == pytest.approx(math.log(shares[choices[0]]), abs=1e-4)
    assert drawn / 500 == pytest.approx(shares, abs=0.1)
    assert (drawn > 0).sum() > 1
    assert expected(values)[0] == pytest.approx(0.8, abs=0.01)


def test_behaviour_is_what_learning_starts_from() -> None:
    """Before the first step of learning the probabilities are those that were noted in play."""
    if backend("learn").name != "compiled":
        pytest.skip("training runs as machine code only")
    trainer = PpoTrainer(tiny_runs.PPO)
    noticed = []

    def fit(some: dict) -> None:
        from durak_core.lab.learn.arrays import unpacked  # noqa: PLC0415 - likewise
        from durak_core.lab.learn.network import forward  # noqa: PLC0415 - beside its use

        inputs = torch.from_numpy(unpacked(some["inputs"], trainer.play.games.size)).float()
        legal = torch.from_numpy(unpacked(some["legal"])).bool()
        every = legal_log_probabilities(forward(trainer.parameters, inputs)[:, :ACTIONS], legal)
        chosen = every.gather(1, torch.from_numpy(some["actions"]).unsqueeze(1)).squeeze(1)
        noticed.extend((chosen.detach() - torch.from_numpy(some["log_probabilities"])).tolist())

    trainer._fit = fit  # type: ignore[method-assign]
    while not noticed:
        trainer.step()
    assert len(noticed) >= 256
    assert noticed == pytest.approx([0.0] * len(noticed), abs=0.01)


def test_a_run_can_begin_with_weights_of_either_kind(tmp_path: Path) -> None:
    """Its own go on as they are; of outcomes the actions liked best stay the same, and all is open."""
    path = tmp_path / "start.npz"
    settings = replace(tiny_runs.PPO, rules="podkidnoy", hidden=(9, 8), start=str(path))
    for outputs in ("policy-value", "outcome", "outcome-fools"):
        path.write_bytes(make_network.network(outputs=outputs, hidden=(9, 8)))
        *hidden, weights, biases = PpoTrainer(settings).parameters
        *before, last, last_biases = parameters_of(read_network(path))
        assert all(torch.equal(one, other) for one, other in zip(hidden, before, strict=True))
        assert (weights.shape, biases.shape) == ((8, ACTIONS + 1), (ACTIONS + 1,))
        if outputs == "policy-value":
            assert torch.equal(weights, last)
            assert torch.equal(biases, last_biases)
        else:
            units = torch.rand(8)
            preferences = (units @ weights + biases)[:ACTIONS]
            outcomes = (units @ last + last_biases)[:ACTIONS]
            assert torch.allclose(preferences, SHARPNESS * outcomes, atol=1e-4)
            assert not weights[:, ACTIONS].any()
            assert not biases[ACTIONS:].any()
    with pytest.raises(ConfigError, match=r"its layers are \(633, 9, 8\), and the run's \(633, 8\)"):
        PpoTrainer(replace(settings, hidden=(8,)))
    path.write_bytes(make_network.network(outputs="hands", hidden=(9, 8)))
    with pytest.raises(ConfigError, match="its outputs are 'hands': expected policy-value or outcome or"):
        PpoTrainer(settings)


def test_what_plays_says_how_often_to_play_what_and_what_to_expect(tmp_path: Path) -> None:
    """The file keeps the value, which a search needs."""
    TrainingRun(PpoTrainer(tiny_runs.PPO), tmp_path, lambda _: None).save()
    network = read_network(tmp_path / "weights.npz")
    assert network.about.outputs == "policy-value"
    assert network.about.widths[-1] == ACTIONS + 1
