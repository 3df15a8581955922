"""The table of a network's outputs: never another result, and fewer evaluations."""

from __future__ import annotations

from random import Random

import pytest
from test_guided import random_network

from durak_core import Rules, State
from durak_core.search.backend.backend import plain_backend
from durak_core.search.ismcts import guided
from durak_core.search.ismcts.tree import MODELS, NETWORK
from durak_core.search.ismcts.tree_search import NetworkGuide, SearchSettings, TreeSearch
from durak_core.search.network import memo
from durak_core.search.network.arithmetic import Activations, Weights, action_values
from durak_core.search.network.encoding import ACTIONS, input_size
from durak_core.search.network.memo import Memo
from durak_core.search.network.weights import activations_for, in_memory


def test_outputs_are_those_of_the_present_inputs_and_actions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also with two slots, so that entries are often replaced, and with more outputs than are kept."""
    monkeypatch.setattr(memo, "_SLOTS", 2)
    runner, chance = plain_backend(), Random(1)
    network = random_network(2)
    weights, room, fresh = in_memory(network, runner), *[activations_for(network, runner) for _ in range(2)]
    table = memo.new_memo(runner)
    cases = [
        (chance.sample(range(input_size(2)), active), chance.sample(range(ACTIONS), n))
        for active, n in ((12, 6), (12, 6), (11, 7), (13, 5), (6, 12), (8, 17))
    ]
    cases += [(inputs, actions[::-1]) for inputs, actions in cases[:2]]
    for _ in range(60):
        inputs, actions = chance.choice(cases)
        for one in (room, fresh):
            one.inputs[: len(inputs)], one.actions[: len(actions)] = inputs, actions
        memo.remembered_values(weights, room, table, len(inputs), len(actions))
        action_values(weights, fresh, len(inputs), len(actions))
        assert room.outputs[: len(actions)] == fresh.outputs[: len(actions)]


def test_a_search_evaluates_less_and_grows_the_same_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a few hidden cards, a seat that follows the network often decides with the same hand."""
    state = State.setup(Rules(), ["6s9h7dTc", "7s8sAcKd"], talon="9cQc")
    settings = SearchSettings(leaf_cards=0, guide=NetworkGuide.of(random_network(2)))
    chances = [(0.0,) * MODELS, (0.0,) * NETWORK + (0.8,)]
    counts = [0, 0]

    def counted(network: Weights, room: Activations, n_inputs: int, n: int) -> None:
        counts[0] += 1
        action_values(network, room, n_inputs, n)

    def forgetful(network: Weights, room: Activations, _memo: Memo, n_inputs: int, n: int) -> None:
        counts[1] += 1
        action_values(network, room, n_inputs, n)

    searches = [TreeSearch(state.observation(0), 3, plain_backend(), settings, chances) for _ in range(2)]
    monkeypatch.setattr(memo, "action_values", counted)
    searches[0].run(200)
    monkeypatch.setattr(guided, "remembered_values", forgetful)
    searches[1].run(200)
    assert searches[0].lines() == searches[1].lines()
    assert searches[0].nodes == searches[1].nodes
    assert 0 < 2 * counts[0] < counts[1]
