"""Deep Q-learning: targets computed by hand, and what the replay buffer keeps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the extra learn is not installed")

import tiny_runs  # noqa: E402 - after the check

from durak_core.lab.learn.arrays import byte_width  # noqa: E402
from durak_core.lab.learn.learners import DqnTrainer, ReplayBuffer, best_legal, duelling  # noqa: E402
from durak_core.lab.learn.network import forward  # noqa: E402
from durak_core.search.backend.backend import backend  # noqa: E402
from durak_core.search.network.encoding import ACTIONS, input_size  # noqa: E402

PASS, TAKE, ATTACK = 0, 1, 2


def logit(chance: float) -> float:
    return float(np.log(chance / (1 - chance)))


def decisions(left: list[int], legal: list[tuple[int, ...]], outcome: float) -> dict:
    """Decisions of one seat without any active input."""
    masks = np.zeros((len(left), ACTIONS), np.uint8)
    for mask, actions in zip(masks, legal, strict=True):
        mask[list(actions)] = 1
    n = len(left)
    return {
        "inputs": np.zeros((n, byte_width(input_size(2))), np.uint8),
        "legal": np.packbits(masks, axis=1),
        "actions": np.zeros(n, np.int16),
        "outcomes": np.full(n, outcome, np.float32),
        "left": np.array(left, np.int16),
    }


def constant(parameters: list, values: dict[int, float]) -> None:
    """Make a network that gives these outputs whatever it sees, and 0 for all other actions."""
    with torch.no_grad():
        for one in parameters:
            one.zero_()
        for action, value in values.items():
            parameters[-1][action] = value


def test_targets_of_two_steps_by_hand() -> None:
    """The end counts with its discount; else the target network says what the learner's choice is worth."""
    if backend("learn").name != "compiled":
        pytest.skip("training runs as machine code only")
    trainer = DqnTrainer(replace(tiny_runs.DQN, n_steps=2, discount=0.5))
    legal = [(PASS,), (PASS,), (PASS, TAKE), (PASS, TAKE)]
    trainer._replay.add(decisions([3, 2, 1, 0], legal, 1.0))
    # The learner likes ATTACK best, which is not legal, then TAKE; the target network thinks otherwise.
    constant(trainer.parameters, {PASS: 1.0, TAKE: 2.0, ATTACK: 9.0, ACTIONS: 0.3})
    constant(trainer._target, {PASS: 5.0, TAKE: -1.0, ATTACK: 0.0, ACTIONS: 0.25})
    mean = (5.0 - 1.0) / ACTIONS
    worth = 1 / (1 + np.exp(-(0.25 - 1.0 - mean)))
    expected = [0.25 * worth, 0.25 * worth, 0.5 * 1.0, 1.0]
    assert trainer.targets(np.arange(4)) == pytest.approx(expected, abs=2e-3)


def test_plain_targets_by_hand() -> None:
    """The target network's own best legal action counts, and the last layer does not duel."""
    if backend("learn").name != "compiled":
        pytest.skip("training runs as machine code only")
    trainer = DqnTrainer(replace(tiny_runs.DQN, n_steps=1, discount=0.5, double=False, dueling=False))
    trainer._replay.add(decisions([1, 0], [(PASS,), (PASS, TAKE)], 1.0))
    constant(trainer.parameters, {PASS: 1.0, TAKE: 2.0})
    constant(trainer._target, {PASS: 0.75, TAKE: -1.0, ATTACK: 9.0})
    assert len(trainer.parameters[-1]) == ACTIONS
    assert trainer.targets(np.arange(2)) == pytest.approx([0.5 / (1 + np.exp(-0.75)), 1.0], abs=2e-3)


def test_the_state_value_and_advantages_make_the_outputs() -> None:
    """Of each action's output the mean of all is taken away, and the state's value is added."""
    weights, biases = torch.zeros(1, ACTIONS + 1), torch.zeros(ACTIONS + 1)
    weights[0, 3], biases[ACTIONS] = float(ACTIONS), 0.5
    values = forward(duelling([weights, biases]), torch.ones(1, 1))[0]
    assert values[3].item() == pytest.approx(ACTIONS - 1 + 0.5, rel=1e-4)
    assert values[4].item() == pytest.approx(-0.5, rel=1e-4)


def test_only_a_legal_action_is_the_best() -> None:
    """Even where every legal one is valued less than the others."""
    values = torch.tensor([[5.0, -3.0, -2.0], [1.0, 2.0, 3.0]])
    legal = torch.tensor([[False, True, True], [True, False, False]])
    assert best_legal(values, legal).tolist() == [2, 0]


def test_the_oldest_decisions_are_overwritten() -> None:
    """Later decisions of a seat are found behind the end of the buffer, and it is restored as it was."""
    replay = ReplayBuffer(5, input_size(2))
    for outcome in (0.0, 1.0):
        replay.add(decisions([2, 1, 0], [(PASS,), (TAKE,), (PASS, TAKE)], outcome))
    again = ReplayBuffer(5, input_size(2))
    again.restore(replay.state())
    for one in (replay, again):
        assert one.size == 5
        assert one.take(np.array([3, 4, 5]))["outcomes"].tolist() == [1.0, 1.0, 1.0]
        assert one.take(np.array([3, 4, 5]))["left"].tolist() == [2, 1, 0]
        assert one.take(np.array([1, 2]))["outcomes"].tolist() == [0.0, 0.0]
        one.add(decisions([0], [(PASS,)], 0.5))
        assert one.take(np.array([1]))["outcomes"].tolist() == [0.5]


def test_a_seats_decisions_stand_one_after_the_other() -> None:
    """So the decision n later is n places further on; it has n fewer left, and the same outcome."""
    if backend("learn").name != "compiled":
        pytest.skip("training runs as machine code only")
    trainer = DqnTrainer(replace(tiny_runs.DQN, opponents={}, replay=100_000))
    for _ in range(300):
        trainer.step()
    kept = trainer._replay.take(np.arange(trainer._replay.size))
    inside = kept["left"][:-1] > 0
    assert inside.sum() > 100
    assert (kept["left"][1:][inside] == kept["left"][:-1][inside] - 1).all()
    assert (kept["outcomes"][1:][inside] == kept["outcomes"][:-1][inside]).all()
    legal = np.unpackbits(kept["legal"], axis=1, count=ACTIONS)
    assert (legal[np.arange(len(legal)), kept["actions"]] == 1).all()
    assert (legal.sum(1) > 1).all()
