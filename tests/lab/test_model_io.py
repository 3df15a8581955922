"""Observations as numbers and actions by index are those of the environments."""

from __future__ import annotations

import pytest

np = pytest.importorskip("numpy", reason="numpy comes with numba or the extra lab")

from durak_core import ActionError, AgentError, Rules, State, parse_action  # noqa: E402 - after the check
from durak_core.lab import (  # noqa: E402
    N_ACTIONS,
    action_index,
    action_mask,
    action_of_index,
    best_action,
    check_model,
    encode_observation,
    input_size,
)


@pytest.mark.parametrize("rules", ["podkidnoy", "perevodnoy:seats=4,show_trump=yes,exchange_trump=yes"])
def test_observations_and_indices_are_those_of_the_environment(rules: str) -> None:
    pytest.importorskip("pettingzoo", reason="the extra learn is not installed")
    pytest.importorskip("gymnasium", reason="the extra learn is not installed")
    from durak_core.lab.learn import durak_v0  # noqa: PLC0415 - needs both

    game = durak_v0.raw_env(rules)
    game.reset(seed=3)
    for step in range(40):
        seen, state = game.last()[0], game.state_of_game()
        if state.is_over:
            break
        observation = state.observation(state.turn)
        encoded, mask = encode_observation(observation), action_mask(observation)
        assert np.array_equal(encoded, seen["observation"])
        assert np.array_equal(mask, seen["action_mask"])
        assert encoded.dtype == mask.dtype == np.int8
        assert encoded.shape == (input_size(state.rules),)
        for index in np.flatnonzero(mask):
            assert action_index(observation, action_of_index(observation, index)) == index
        game.step(int(np.flatnonzero(mask)[step % mask.sum()]))


def test_the_best_legal_action_is_chosen() -> None:
    """Illegal actions never count, whatever their score."""
    observation = State.deal(Rules(), 7).observation(State.deal(Rules(), 7).turn)
    scores = np.where(action_mask(observation) == 1, -1.0, np.nan)
    wanted = observation.legal_actions[2]
    scores[action_index(observation, wanted)] = -0.5
    assert best_action(observation, scores) == wanted
    assert best_action(observation, [0.0] * N_ACTIONS) in observation.legal_actions


def test_wrong_models_and_outputs_are_refused() -> None:
    observation = State.deal(Rules(), 7).observation(State.deal(Rules(), 7).turn)
    with pytest.raises(AgentError, match=r"shape \(3,\): expected \(210,\)"):
        best_action(observation, [1, 2, 3])
    with pytest.raises(AgentError, match="is NaN: expected a number"):
        best_action(observation, [float("nan")] * N_ACTIONS)
    with pytest.raises(ActionError, match="action 1 is not legal here; expected one of"):
        action_of_index(observation, 1)
    with pytest.raises(ActionError, match="'x' is not legal here"):
        action_of_index(observation, "x")
    with pytest.raises(ActionError, match="take is not legal here"):
        action_index(observation, parse_action("take"))
    check_model(Rules(), 633)
    for inputs, actions, version in ((739, 210, "durak-obs/2"), (633, 200, "durak-obs/2"), (633, 210, "v1")):
        with pytest.raises(
            AgentError, match=f"{inputs} inputs of {version} and {actions} outputs: 2 seats have 633"
        ):
            check_model(Rules(), inputs, actions, version)
