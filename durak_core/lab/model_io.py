"""Between a model and a game: observations as numbers, and actions by their index (docs/environments.md).

Observations, masks and indices are as in the environments, so an agent for `durak match` needs only these
functions and its model.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, SupportsIndex

from durak_core.actions import Action
from durak_core.errors import ActionError, AgentError
from durak_core.game.observation import Observation
from durak_core.installation import require
from durak_core.rules import Rules
from durak_core.search.network import encoding
from durak_core.search.network.encoding import ACTIONS, ENCODING, Choice, active_inputs, indexed_actions

if TYPE_CHECKING:
    from durak_core.lab.learn.arrays import Int8s

N_ACTIONS: Final = ACTIONS
"""Size of the action space."""


def input_size(rules: Rules | int) -> int:
    """Return the number of inputs for rules, or for 2 to 6 seats."""
    return encoding.input_size(rules if isinstance(rules, int) else rules.seats)


def check_model(
    rules: Rules,
    inputs: int,
    actions: int = ACTIONS,
    version: str = ENCODING,
    trained: Rules | str | None = None,
) -> None:
    """Check a model against a game's rules; call it in an agent's ``begin``.

    Args:
        rules: Rules of the game.
        inputs: Number of the model's inputs.
        actions: Number of its outputs.
        version: Name of the encoding it was trained with.
        trained: The only rules that the model plays; None for all rules with its number of seats.

    Raises:
        AgentError: If the model is for another encoding, number of seats or of actions, or other rules.
        RulesError: If the rules have jokers.
    """
    encoding.check_encodable(rules)
    if trained is not None and (only := Rules.parse(str(trained))) != rules:
        raise AgentError("the model was trained for {only} and cannot play {rules}", only=only, rules=rules)
    expected = ENCODING, input_size(rules), ACTIONS
    if (version, inputs, actions) != expected:
        raise AgentError(
            "the model has {inputs} inputs of {version} and {actions} outputs: {seats} seats have {expected} "
            "inputs of {known} and {all} outputs",
            inputs=inputs,
            version=version,
            actions=actions,
            seats=rules.seats,
            expected=expected[1],
            known=ENCODING,
            all=ACTIONS,
        )


def encode_observation(observation: Observation) -> Int8s:
    """Return an observation as zeros and ones in the encoding `ENCODING`; int8, (`input_size`,).

    Raises:
        MissingExtraError: Without NumPy.
        RulesError: If the rules have jokers.
    """
    encoding.check_encodable(observation.rules)
    return _ones(active_inputs(observation), input_size(observation.rules))


def action_mask(observation: Observation) -> Int8s:
    """Return the legal actions as ones by index; int8, (`N_ACTIONS`,); `RulesError` with jokers."""
    encoding.check_encodable(observation.rules)
    return _ones(list(indexed_actions(observation)), ACTIONS)


def action_index(observation: Observation, action: Action) -> int:
    """Return the index of a legal action, 0 to `N_ACTIONS` - 1; `ActionError` if it is not legal."""
    for index, legal in indexed_actions(observation).items():
        if legal == action:
            return index
    raise ActionError("{action} is not legal here", action=action)


def action_of_index(observation: Choice, index: object) -> Action:
    """Return the legal action with an index; `ActionError`, which lists the legal ones, if there is none."""
    legal = indexed_actions(observation)
    if isinstance(index, SupportsIndex) and int(index) in legal:
        return legal[int(index)]
    listed = ", ".join(f"{number} ({action})" for number, action in legal.items())
    raise ActionError(
        "action {index} is not legal here; expected one of {listed}", index=repr(index), listed=listed
    )


def best_action(observation: Observation, scores: Sequence[float]) -> Action:
    """Return the legal action with the greatest score; the one with the lowest index among equals.

    Args:
        observation: The observation.
        scores: The model's output: one number for each action, higher is better, (`N_ACTIONS`,).

    Raises:
        AgentError: If the output has another shape, or a legal action's score is no number.
    """
    import numpy as np  # noqa: PLC0415 - optional, and slow to load

    row = np.asarray(scores)
    if row.shape != (ACTIONS,):
        raise AgentError(
            "the model's output has the shape {shape}: expected ({expected},)",
            shape=str(row.shape),
            expected=ACTIONS,
        )
    legal = sorted(indexed_actions(observation))
    if np.isnan(row[legal]).any():
        raise AgentError("the model's output for a legal action is NaN: expected a number")
    return action_of_index(observation, legal[int(row[legal].argmax())])


def _ones(numbers: Sequence[int], size: int) -> Int8s:
    require("Encoding observations", "lab", "numpy")
    import numpy as np  # noqa: PLC0415 - as above

    row = np.zeros(size, np.int8)
    row[numbers] = 1
    return row
