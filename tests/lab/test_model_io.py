"""Observations as numbers and actions by index are those of the environments."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

np = pytest.importorskip("numpy", reason="numpy comes with numba or the extra lab")

from durak_core import ActionError, AgentError, Rules, RulesError, State, parse_action  # noqa: E402 - after the check
from durak_core.lab import (  # noqa: E402
    N_ACTIONS,
    Match,
    action_index,
    action_mask,
    action_of_index,
    best_action,
    check_model,
    encode_observation,
    input_size,
    play_match,
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


def test_jokers_have_no_inputs_and_no_outputs() -> None:
    """The planes hold 52 cards, so rules with jokers are refused (1.6)."""
    rules = Rules(jokers="any")
    observation = State.deal(rules, 1).observation(0)
    for encode in (encode_observation, action_mask):
        with pytest.raises(RulesError, match=r"choose jokers=none.*rules 1\.6"):
            encode(observation)
    with pytest.raises(RulesError, match="jokers"):
        check_model(rules, input_size(rules))


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
    check_model(Rules(), 633, trained="podkidnoy")
    for inputs, actions, version in ((739, 210, "durak-obs/2"), (633, 200, "durak-obs/2"), (633, 210, "v1")):
        with pytest.raises(
            AgentError, match=f"{inputs} inputs of {version} and {actions} outputs: 2 seats have 633"
        ):
            check_model(Rules(), inputs, actions, version)


MODEL = """
from typing import Literal

from durak_core.lab import action_of_index, best_action, check_model

class Model:
    def __init__(
        self,
        inputs: int = 633,
        actions: int = 210,
        version: str = "durak-obs/2",
        trained: str | None = None,
        says: Literal["scores", "nan", "matrix", "index", "word"] = "scores",
    ):
        self.model = inputs, actions, version, trained
        self.says = says

    def begin(self, rules, seat, seed):
        check_model(rules, *self.model)

    def choose(self, observation):
        match self.says:
            case "index":
                return action_of_index(observation, 209)
            case "word":
                return "tale"
            case "matrix":
                return best_action(observation, [[0.0] * 210])
        return best_action(observation, [0.0 if self.says == "scores" else float("nan")] * 210)
"""


@pytest.mark.parametrize(
    ("options", "rules", "error"),
    [
        (
            "",
            "podkidnoy:seats=3",
            "633 inputs of durak-obs/2 and 210 outputs: 3 seats have 715 inputs of durak",
        ),
        ("inputs=715", "podkidnoy", "715 inputs of durak-obs/2 and 210 outputs: 2 seats have 633 inputs"),
        (
            "actions=209",
            "podkidnoy",
            "and 209 outputs: 2 seats have 633 inputs of durak-obs/2 and 210 outputs",
        ),
        ("version=durak-obs/1", "podkidnoy", "633 inputs of durak-obs/1 and 210 outputs: 2 seats have 633"),
        (
            "trained=podkidnoy",
            "perevodnoy",
            "trained for podkidnoy and cannot play perevodnoy",
        ),
        ("says=nan", "podkidnoy", "the model's output for a legal action is NaN: expected a number"),
        ("says=matrix", "podkidnoy", r"the model's output has the shape (1, 210): expected (210,)"),
        ("says=index", "podkidnoy", "action 209 is not legal here; expected one of "),
        ("says=word", "podkidnoy", "chose 'tale': expected one of observation.legal_actions"),
    ],
)
def test_models_that_cannot_play_end_a_match_before_its_first_game(
    options: str, rules: str, error: str, tmp_path: Path
) -> None:
    """The error names the agent, what it has, and what is expected; no game has a result."""
    (tmp_path / "model.py").write_text(MODEL)
    spec = f"{tmp_path}/model.py:Model"
    game = Rules.parse(rules)
    players = (f"{spec},{options}".rstrip(","), *["greedy"] * (game.seats - 1))
    with pytest.raises(AgentError, match=re.escape(error)) as found:
        next(play_match(Match(game, players, game.seats, 1)))
    assert "model.py:Model" in str(found.value)
    if options:
        fitting = Match("podkidnoy", (f"{spec},trained=podkidnoy", "greedy"), 2, 1)
        assert len(list(play_match(fitting))) == 2
