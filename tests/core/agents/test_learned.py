"""The network's player: which files it reads, what it refuses, and that it plays the same both ways."""

from __future__ import annotations

import zipfile
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import TypeAlias

import make_network
import pytest

from durak_core import AgentError, Rules, State, make_agent
from durak_core.agents import learned
from durak_core.agents.learned import NetworkAgent, load_network, shipped_networks
from durak_core.lab import play_game
from durak_core.lab.learn.arrays import network_bytes
from durak_core.search.backend.backend import Backend, backend, plain_backend
from durak_core.search.network.weights import _quantised, _step_for, activation_sizes

Layers: TypeAlias = list[list[list[float]]]
"""For each layer and the outputs a row of weights per input, then the biases."""

TINY = make_network.GOLDEN
NETWORKS = Path(learned.__file__).parent / "networks"


@pytest.fixture
def compiled() -> Backend:
    loaded = backend("network")
    if loaded.name != "compiled":
        pytest.skip(f"no machine code here: {loaded.note}")
    return loaded


@pytest.mark.parametrize("name", ["dmc", "dqn", "ppo"])
def test_networks_know_no_jokers(name: str) -> None:
    """They have no inputs for them (rules 1.6), and name the option in their refusal."""
    with pytest.raises(AgentError, match="cannot play with jokers=any"):
        play_game(Rules(jokers="any"), [name, "greedy"], seed=1)


def choices(runner: Backend, monkeypatch: pytest.MonkeyPatch, path: Path, games: int) -> list:
    """What a network plays in games against the greedy player, and why."""
    monkeypatch.setattr("durak_core.agents.learned.backend_if_it_pays", lambda _: runner)
    heard = []
    for seed in range(games):
        agents = [NetworkAgent("dmc", [load_network(path)]), make_agent("greedy")]
        play_game(Rules(), agents, seed, on_decision=lambda _, decision: heard.append(decision))
    return heard


def values_of(layers: Layers, active: list[int], runner: Backend) -> list[float]:
    """What a network gives for each output."""
    weights = _quantised(layers, runner)
    outputs = len(layers[-1][-1])
    room = activation_sizes(max(weights.widths[1:]), runner)
    room.active[: len(active)] = active
    room.actions[:outputs] = range(outputs)
    runner.functions["action_values"](weights, room, len(active), outputs)
    return list(room.outputs[:outputs])


def test_the_values_of_a_small_network_by_hand() -> None:
    """Three inputs, two hidden units and two outputs; units below 0 are off."""
    inputs, biases = [[1.0, -1.0], [2.0, 1.0], [9.0, 9.0]], [-1.0, 0.5]
    outputs, last = [[1.0, 3.0], [2.0, 5.0]], [-1.0, 0.5]
    layers = [[*inputs, biases], [*outputs, last]]
    assert values_of(layers, [0, 1], plain_backend()) == [2.0, 9.0]
    assert values_of(layers, [0], plain_backend()) == [-1.0, 0.5]


def exact_values(layers: Layers, active: list[int]) -> list[float]:
    """The same with fractions."""
    units = [Fraction(int(i in active)) for i in range(len(layers[0]) - 1)]
    for *weights, biases in layers:
        sums = [
            bias + sum(unit * Fraction(row[j]) for unit, row in zip(units, weights, strict=True) if unit)
            for j, bias in enumerate(map(Fraction, biases))
        ]
        units = [max(one, Fraction(0)) for one in sums]
    return list(map(float, sums))


@pytest.mark.parametrize("scale", [2.0**-20, 0.01, 1.0, 200.0, 65504.0])
@pytest.mark.parametrize("hidden", [(12,), (40, 12), (40, 24, 12), (24, 24, 24, 8)])
def test_rounded_weights_give_nearly_the_values(compiled: Backend, scale: float, hidden: tuple[int, ...]):
    """Of any size: no sum exceeds its bits, and values are off by a thousandth of the greatest at most."""
    chance = Random(len(hidden))
    widths = [60, *hidden, 5]
    layers = [
        [
            [chance.choice((-1, 1, 1)) * scale * chance.random() ** 3 for _ in range(width)]
            for _ in range(before + 1)
        ]
        for before, width in pairwise(widths)
    ]
    for active in ([], [3], list(range(0, 60, 3)), list(range(60))):
        found = values_of(layers, active, compiled)
        assert found == values_of(layers, active, plain_backend())
        expected = exact_values(layers, active)
        greatest = max(map(abs, expected))
        assert found == pytest.approx(expected, abs=greatest / 1000)


@pytest.mark.parametrize("weight", [0.5, 1.0, 65504.0])
def test_weights_of_one_sign_fill_the_sums(compiled: Backend, weight: float) -> None:
    """The greatest sums of two wide layers are right, so nothing has exceeded its bits."""
    widths = (60, 200, 200, 3)
    layers = [[[weight] * width for _ in range(before + 1)] for before, width in pairwise(widths)]
    value = 1.0
    for active in widths[:-1]:
        value = (active * value + 1) * weight
    for runner in (compiled, plain_backend()):
        assert values_of(layers, list(range(60)), runner) == pytest.approx([value] * 3, rel=1e-3)


@pytest.mark.parametrize("units", [1, 4096])
@pytest.mark.parametrize("weight", [0.5, 1.0, 65504.0])
def test_large_weights_take_a_coarser_step(weight: float, units: int) -> None:
    """No weight exceeds 16 bits and no sum 31; the step is no coarser than needed."""
    step = _step_for([[0.25, weight]] * 200, units)

    def fits(step: float) -> bool:
        return weight / step < 2**15 and units * 200 * (weight / step + 1) <= 2**30

    assert fits(step)
    assert step == 2**-24 or not fits(step / 2)


def test_a_network_plays_the_same_compiled(compiled: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sums are taken in the same order, so the values and the choices are equal."""
    plain = choices(plain_backend(), monkeypatch, TINY, 4)
    assert plain == choices(compiled, monkeypatch, TINY, 4)
    assert len(plain) > 100


@pytest.mark.parametrize("name", ["dmc", "dqn", "ppo"])
def test_the_shipped_networks_are_small_and_beat_the_greedy_player(compiled: Backend, name: str) -> None:
    """Less than two megabytes, for two seats of podkidnoy; sixty games are enough to see it."""
    assert Rules() in [network.rules for network in shipped_networks(name)]
    assert all(path.stat().st_size < 2_000_000 for path in NETWORKS.glob("*.npz"))
    won = 0.0
    agents = [make_agent(name), make_agent("greedy")]
    for seed in range(60):
        order = agents if seed % 2 == 0 else agents[::-1]
        fool = play_game(Rules(), order, seed // 2).fool
        won += 0.5 if fool is None else order[fool] is agents[1]
    assert won > 30


def test_each_rules_have_their_own_network(compiled: Backend) -> None:
    """The one that was trained for the rules plays; the other one would choose otherwise."""
    networks = {network.rules: network for network in shipped_networks("dmc")}
    assert {rules.transfer for rules in networks} == {False, True}
    assert {rules.seats for rules in networks} == {2, 3, 4, 5, 6}
    reasons = []
    for rules in (
        *[Rules.preset("perevodnoy", seats=seats) for seats in (2, 4)],
        *[Rules(seats=seats) for seats in range(2, 7)],
    ):
        state = State.deal(rules, 1)
        assert state.turn is not None
        seen = state.observation(state.turn)
        reason = make_agent("dmc").choose(seen).reason
        assert reason == NetworkAgent("dmc", [networks[rules]]).choose(seen).reason
        reasons.append(str(reason))
    assert all(reason.startswith("expects to get away in") for reason in reasons)


@pytest.mark.parametrize(
    ("rules", "trained", "named"),
    [
        ("perevodnoy:seats=3", 2, "seats=3"),
        ("perevodnoy:seats=6", 2, "seats=6"),
        ("podkidnoy:attack_limit=none,draws=no", 2, "attack_limit=none, draws=no"),
        ("podkidnoy:seats=4,teams=2x2", 4, "teams=2x2"),
        ("podkidnoy:exchange_trump=yes", 2, "exchange_trump=yes"),
        (
            "podkidnoy:first_bout_limit=5,first_limit_lasts=until_beaten",
            2,
            "first_bout_limit=5, first_limit_lasts=until_beaten",
        ),
    ],
)
def test_other_rules_are_refused(rules: str, trained: int, named: str) -> None:
    """It says for which rules it was trained, and in what these differ."""
    with pytest.raises(AgentError) as caught:
        make_agent("dmc").begin(Rules.parse(rules), 0, 1)
    preset = rules.partition(":")[0]
    assert f"was trained for {preset}" in str(caught.value)
    assert f"with {trained} seats and cannot play with {named}: take" in str(caught.value)
    state = State.deal(Rules.parse(rules), 1)
    assert state.turn is not None
    with pytest.raises(AgentError, match="cannot play with"):
        make_agent("dmc").choose(state.observation(state.turn))


@pytest.mark.parametrize(
    "rules", ["huji", "podkidnoy:redeal_trump_ace=yes,next_first_attacker=under_fool,visibility=open"]
)
def test_rules_that_only_deal_otherwise_can_be_played(rules: str) -> None:
    """Which deals stand, who begins and who sees what do not change what the network has learnt."""
    agents = [make_agent(f"dmc:weights={TINY}"), make_agent("greedy")]
    assert play_game(Rules.parse(rules), agents, 3).state.is_over


def test_files_that_are_none_of_a_network_are_refused(tmp_path: Path) -> None:
    """Missing, no archive, another encoding, other rules, too few weights: the error says which."""
    path = tmp_path / "other.npz"
    with pytest.raises(AgentError, match="cannot be read: there is no such file"):
        make_agent(f"dmc:weights={path}")
    path.write_text("nothing")
    with pytest.raises(AgentError, match="is not a network's file"):
        make_agent(f"dmc:weights={path}")
    path.write_bytes(make_network.network(encoding="durak-obs/0"))
    with pytest.raises(
        AgentError, match="trained with the encoding 'durak-obs/0'; this program has 'durak-obs/2'"
    ):
        make_agent(f"dmc:weights={path}")
    path.write_bytes(make_network.network(rules="whist"))
    with pytest.raises(AgentError, match="rules cannot be played here: there is no preset 'whist'"):
        make_agent(f"dmc:weights={path}")
    path.write_bytes(make_network.network(rules="podkidnoy:seats=3"))
    with pytest.raises(AgentError, match="is damaged"):
        make_agent(f"dmc:weights={path}")
    network = load_network(TINY)
    for levels in ((11, 1), (0, 0), (0, -1), (0, 101), (0,), (0, 1, 2)):
        path.write_bytes(network_bytes(replace(network.about, levels=levels), network.weights))
        with pytest.raises(
            AgentError, match=r"file: levels=\[.*: expected a shift from -10 to 10, and a slope"
        ):
            make_agent(f"dmc:weights={path}")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("about.npy", b"x")
    with pytest.raises(AgentError, match="is not a network's file: about is no array"):
        make_agent(f"dmc:weights={path}")
    path.write_bytes(network_bytes(network.about, [*network.weights[1:], float("inf")]))
    with pytest.raises(AgentError, match="is not a network's file: a weight is no finite number"):
        make_agent(f"dmc:weights={path}")


@pytest.mark.parametrize("named", [True, False])
def test_a_network_of_another_learner_is_refused(tmp_path: Path, named: bool) -> None:
    """The sentence names both; of files that do not say whose they are, the outputs of ppo are known."""
    path = tmp_path / "weights.npz"
    path.write_bytes(make_network.network(outputs="policy-value"))
    network = load_network(path)
    if named:
        path.write_bytes(network_bytes(replace(network.about, learner="ppo"), network.weights))
    with pytest.raises(AgentError, match="was trained by ppo, and dqn plays what dqn has learnt: take ppo:"):
        make_agent(f"dqn:weights={path}")
    assert make_agent(f"ppo:weights={path}").text == f"ppo:weights={path}"


def test_a_network_for_more_seats_plays_at_them(tmp_path: Path) -> None:
    """What it can play hangs on the file."""
    path = tmp_path / "three.npz"
    path.write_bytes(make_network.network(rules="perevodnoy:seats=3", seats=3))
    agents = [make_agent(f"dmc:weights={path}"), make_agent("greedy"), make_agent("random")]
    assert play_game(Rules.preset("perevodnoy", seats=3), agents, 1).state.is_over
    with pytest.raises(AgentError, match="trained for perevodnoy:seats=3 with 3 seats"):
        make_agent(f"dmc:weights={path}").begin(Rules(), 0, 0)
