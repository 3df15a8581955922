"""Reading the others: evidence by hand, forced moves, series, and that a reader finds out whom it sees."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import cycle

import pytest
from playing import play

from benchmarks.reading import trial
from durak_core import AgentError, CardSet, Rules, State, parse_action
from durak_core.actions import encode
from durak_core.agents.learned import NetworkScores, shipped_network
from durak_core.search.backend.backend import plain_backend
from durak_core.search.opponents.model import PLAYER_TYPES, OpponentModel
from durak_core.search.players import SMART, VALUING, Player, tempered
from durak_core.search.policies.expert import Temperament
from durak_core.search.policies.playouts import GREEDY, UNIFORM
from durak_core.statistics import logistic

TYPES = {
    "beats": tempered(Temperament(defiance=100, noise=0)),
    "takes": tempered(Temperament(defiance=-100, noise=0)),
}
"""Who always beats if that is possible, and who always takes."""


def watch(state: State, action: str, **settings) -> OpponentModel:
    """A reader at seat 0 that has seen seat 1 do something."""
    reader = OpponentModel(state.rules, 0, TYPES, **settings)
    reader.observe(state.observation(0), 1, parse_action(action))
    return reader


def test_a_choice_is_evidence_by_the_rule_of_bayes() -> None:
    """With the hand known: likelihoods of 0 and 1 with slips of 3 %, half of them each way."""
    state = play(State.setup(Rules(), ["6s9h", "7s8h"], trump="Ac"), "6s")
    assert watch(state, "take").posterior(1)["takes"] == pytest.approx(0.985)
    prior = {"beats": 3, "takes": 1}
    found = watch(state, "take", prior=prior).posterior(1)
    assert found["takes"] == pytest.approx(0.985 / (0.985 + 3 * 0.015))
    assert sum(found.values()) == pytest.approx(1)
    assert OpponentModel(state.rules, 0, TYPES, prior=prior).posterior(1)["beats"] == pytest.approx(0.75)


def test_the_likelihood_of_a_network_is_a_softmax_over_its_values() -> None:
    """Of the seat's own values, for its hand and what it knows; with slips of 3 %."""
    network = shipped_network("dmc", Rules())
    assert network is not None
    state = play(State.setup(Rules(), ["6s9h", "7s8sAc"], trump="Ac"), "6s")
    types = {"network": Player(VALUING, manner=0.1), "uniform": Player(UNIFORM)}
    codes = [encode(action) for action in state.legal_actions]
    values = NetworkScores().of(network, plain_backend(), state.observation(1), codes)
    parts = [math.exp(logistic(value) / 0.1) for value in values]
    for action, part in zip(state.legal_actions, parts, strict=True):
        reader = OpponentModel(state.rules, 0, types, network=network)
        reader.observe(state.observation(0), 1, action)
        likely = 0.97 * part / sum(parts) + 0.03 / len(parts)
        expected = likely / (likely + 1 / len(parts))
        assert reader.posterior(1)["network"] == pytest.approx(expected)


def test_a_policy_may_stray() -> None:
    """A quarter of its actions are uniformly random then."""
    state = play(State.setup(Rules(), ["6s9h", "7s8sAc"], trump="Ac"), "6s")
    types = {"strays": Player(GREEDY, noise=250), "uniform": Player(UNIFORM)}
    reader = OpponentModel(state.rules, 0, types)
    reader.observe(state.observation(0), 1, parse_action("take"))
    likely = 0.97 * 0.25 / 4 + 0.03 / 4
    assert reader.posterior(1)["strays"] == pytest.approx(likely / (likely + 1 / 4))


def test_a_type_that_counts_cards_knows_the_sizes_of_hands() -> None:
    """The attacker took an eight, but its other cards may be nines: the lowest card that beats will do."""
    start = State.setup(Rules(), ["6s7d9hKd", "6d8h8s9sTh"], trump="Ac", attacker=1)
    state = play(start, "8h take pass 6d 7dx6d pass 6s")
    types = {"smart": Player(SMART), "uniform": Player(UNIFORM)}
    reader = OpponentModel(state.rules, 0, types)
    reader.observe(state.observation(0), 1, parse_action("8sx6s"))
    likely = 0.97 + 0.03 / 3
    assert reader.posterior(1)["smart"] == pytest.approx(likely / (likely + 1 / 3))


def test_forced_moves_say_nothing() -> None:
    """Taking what no possible hand beats leaves everything as it was."""
    state = play(State.setup(Rules(), ["KsAs6h", "7s8h7d"], trump="Ac"), "Ks")
    assert watch(state, "take").posterior(1) == {"beats": 0.5, "takes": 0.5}


def test_what_could_have_been_in_hand_counts() -> None:
    """A take is weaker evidence when the hidden hand may have had nothing to beat with."""
    sure = play(State.setup(Rules(), ["6s9h", "7s8h"], trump="Ac"), "6s")
    unsure = play(State.setup(Rules(), ["6s9h", "7s8h"], talon="8dTdJhQhKhAc"), "6s")
    strong, weak = (watch(state, "take", samples=400).posterior(1)["takes"] for state in (sure, unsure))
    assert 0.5 < weak < 0.8 < strong


def test_every_hand_that_is_tried_holds_the_card_that_was_played() -> None:
    """So a single one is enough to tell who would have beaten from who would have taken."""
    state = play(State.setup(Rules(), ["6s9h", "7s8h"], talon="8dTdJhQhKhAc"), "6s")
    for seed in range(10):
        reader = OpponentModel(state.rules, 0, TYPES, samples=1, seed=seed)
        reader.follow(state.observation(0))
        reader.follow(play(state, "7sx6s").observation(0))
        assert reader.posterior(1)["beats"] > 0.9


def test_hands_of_a_type_explain_its_choices() -> None:
    """A type that always beats has no card that beats what it took, apart from slips."""
    state = play(State.setup(Rules(), ["6s9h", "7s8h"], talon="8s8dTdJhQhKhAc"), "6s")
    reader = OpponentModel(state.rules, 0, TYPES, samples=200)
    assert not reader.hands(1, "beats")
    reader.observe(state.observation(0), 1, parse_action("take"))
    able = CardSet.parse("7s8sAc").mask
    shares = {name: sum(hand & able > 0 for hand in reader.hands(1, name)) / 200 for name in TYPES}
    assert shares["beats"] < 0.1
    assert shares["takes"] > 0.4


def test_the_hidden_cards_themselves_do_not_matter() -> None:
    """Two hands that the reader cannot tell apart give the same posterior."""
    hands = (["6s9h", "7s8h"], ["6s9h", "7sKd"])
    talons = ("8dKdJhQhAc", "8d8hJhQhAc")
    found = [
        watch(play(State.setup(Rules(), hand, talon=talon), "6s"), "7sx6s", seed=5).posterior(1)
        for hand, talon in zip(hands, talons, strict=True)
    ]
    assert found[0] == found[1] != {"beats": 0.5, "takes": 0.5}


def test_machine_code_may_become_ready_in_the_middle_of_a_game(monkeypatch: pytest.MonkeyPatch) -> None:
    """The hands that explain what was chosen before are taken along."""
    found = []
    for names in (("plain",), ("plain", "other")):
        turns = cycle([replace(plain_backend(), name=name) for name in names])
        monkeypatch.setattr(
            "durak_core.search.opponents.model.backend_now", lambda _group, turns=turns: next(turns)
        )
        state = State.deal(Rules(), 4)
        reader = OpponentModel(state.rules, 0, PLAYER_TYPES, samples=8)
        while not state.is_over:
            state = state.apply(state.legal_actions[0])
            reader.follow(state.observation(0))
        found.append(reader.posterior(1))
    assert found[0] == found[1]


def test_what_cannot_be_read_is_refused() -> None:
    """Own choices, other observers, priors, types and samples that are none."""
    state = State.setup(Rules(), ["6s9h", "7s8h"], trump="Ac")
    reader = OpponentModel(Rules(), 0, TYPES)
    with pytest.raises(AgentError, match="expected one of another seat at its turn, seen by seat 0"):
        reader.observe(state.observation(0), 0, parse_action("6s"))
    with pytest.raises(AgentError, match="seen by seat 1 at the turn of seat 0"):
        reader.observe(state.observation(1), 0, parse_action("6s"))
    with pytest.raises(AgentError, match="prior of beats: expected more than 0 for each of beats, takes"):
        OpponentModel(Rules(), 0, TYPES, prior={"beats": 1})
    with pytest.raises(AgentError, match="type dmc: expected a policy or a temperament"):
        OpponentModel(Rules(), 0, {"dmc": Player(VALUING)})
    with pytest.raises(AgentError, match="0 samples: expected 1 or more"):
        OpponentModel(Rules(), 0, TYPES, samples=0)


def test_what_is_known_moves_on_with_the_players() -> None:
    """In the next game everybody has moved on by as many chairs as the reader."""
    state = play(State.setup(Rules(seats=3), ["6s9h", "7s8h", "9d"], trump="Ac"), "6s")
    reader = OpponentModel(state.rules, 0, TYPES)
    reader.observe(state.observation(0), 1, parse_action("take"))
    found = reader.posterior(1)
    reader.next_game(1)
    assert reader.posterior(2) == found
    assert reader.posterior(0) == {"beats": 0.5, "takes": 0.5}


QUICKLY = ("aggressive", "smart", "random")


@pytest.mark.parametrize(
    "kind",
    [pytest.param(kind, marks=[pytest.mark.slow] * (kind not in QUICKLY)) for kind in PLAYER_TYPES],
)
def test_a_series_tells_who_it_is(kind: str) -> None:
    """After ten games the likeliest type is the right one."""
    assert trial(kind, 21)[-1] == kind
