"""Agents whose search asks a network: what they refuse, and where they can be used."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import make_network
import pytest
from click.testing import CliRunner

from durak_core import AgentError, Rules, State, make_agent, write_observation
from durak_core.agents import learned
from durak_core.agents.learned import NetworkSelector, load_network
from durak_core.cli import cli
from durak_core.lab import play_game
from durak_core.lab.learn.arrays import network_bytes
from durak_core.search.ismcts.tree_search import SearchSettings

TINY = make_network.GOLDEN
OPENING = State.deal(Rules(), 1)


def test_a_game_is_played_with_a_file_and_with_the_shipped_network():
    """Both take part in a game; the second one also in two threads."""
    light = f"iterations=8,leaf=4,nodes=300,memory=0.1,net={TINY}"
    agents = [make_agent(f"ismcts:{light}"), make_agent(f"hybrid:{light}")]
    assert play_game(Rules(), agents, 3).state.is_over
    agent = make_agent("ismcts:net=dmc,iterations=4,threads=2,memory=1")
    assert OPENING.turn is not None
    agent.begin(Rules(), OPENING.turn, 1)
    assert agent.choose(OPENING.observation(OPENING.turn)).action in OPENING.legal_actions


def test_the_time_is_kept():
    """Without machine code an iteration takes longer, so fewer are done between two looks at the clock."""
    assert OPENING.turn is not None
    agent = make_agent(f"ismcts:net={TINY},time=5")
    agent.begin(Rules(), OPENING.turn, 1)
    assert str(agent.choose(OPENING.observation(OPENING.turn)).reason).endswith("games tried")


def test_rules_without_a_network_are_refused():
    """When a game begins and when asked; the error names what differs and what would do."""
    message = "net=dmc was trained for perevodnoy with 2 seats and cannot play with seats=3: search without"
    for text in ("ismcts:net=dmc", "hybrid:net=dmc"):
        with pytest.raises(AgentError, match=message):
            make_agent(text).begin(Rules.preset("perevodnoy", seats=3), 0, 1)
    state = State.deal(Rules.preset("perevodnoy", seats=3), 1)
    assert state.turn is not None
    with pytest.raises(AgentError, match="or take net=FILE of a network for such rules"):
        make_agent("ismcts:net=dmc").choose(state.observation(state.turn))


@pytest.mark.parametrize(
    ("rules", "same"),
    [
        ("podkidnoy", "dmc"),
        ("podkidnoy:seats=3", "dmc"),
        ("podkidnoy:seats=6", "dmc"),
        ("podkidnoy:seats=4,teams=2x2", "off"),
        ("perevodnoy", "dmc"),
        ("perevodnoy:seats=3", "off"),
        ("perevodnoy:seats=4", "dmc"),
    ],
)
def test_auto_takes_a_network_where_there_is_one(rules: str, same: str) -> None:
    """It searches as with the package's network, or as with none."""
    state = State.deal(Rules.parse(rules), 1)
    assert state.turn is not None
    reasons = set()
    for net in ("auto", same):
        agent = make_agent(f"ismcts:net={net},iterations=30,leaf=4,nodes=300,memory=0.1")
        agent.begin(state.rules, state.turn, 1)
        decision = agent.choose(state.observation(state.turn))
        reasons.add((decision.action, decision.reason))
    assert len(reasons) == 1


def test_files_that_cannot_guide_are_refused(tmp_path: Path):
    """Missing, none of a network, or one with outputs that mean something else."""
    path = tmp_path / "other.npz"
    with pytest.raises(AgentError, match="cannot be read: there is no such file"):
        make_agent(f"ismcts:net={path}")
    with pytest.raises(AgentError, match=r"net=serch-response: expected .* or search-response or .*path"):
        make_agent("ismcts:net=serch-response")
    path.write_text("nothing")
    with pytest.raises(AgentError, match="is not a network's file"):
        make_agent(f"ismcts:net={path}")
    network = load_network(TINY)
    path.write_bytes(network_bytes(replace(network.about, outputs="nothing"), network.weights))
    with pytest.raises(
        AgentError, match='outputs="nothing": expected one of outcome, outcome-fools, policy-value'
    ):
        make_agent(f"ismcts:net={path}")


def test_both_kinds_of_network_guide(tmp_path: Path):
    """Each with what suits it, unless the text says otherwise."""
    found = {}
    for outputs in ("outcome", "policy-value"):
        path = tmp_path / f"{outputs}.npz"
        path.write_bytes(make_network.network(outputs=outputs))
        light = f"iterations=8,leaf=4,nodes=300,memory=0.1,net={path}"
        agents = [make_agent(f"ismcts:{light}"), make_agent("greedy")]
        assert play_game(Rules(), agents, 3).state.is_over
        guide = NetworkSelector(str(path)).fit(SearchSettings(), Rules()).guide
        assert guide is not None
        found[outputs] = (guide.exploration, guide.temperature)
        other = NetworkSelector(str(path), temperature=0.4).fit(SearchSettings(), Rules()).guide
        assert other is not None
        assert (other.exploration, other.temperature) == (guide.exploration, 0.4)
    assert found == {"outcome": (2.0, 0.1), "policy-value": (1.5, 1.0)}


def test_of_the_shipped_networks_only_those_for_the_seats_are_read(monkeypatch: pytest.MonkeyPatch):
    """Choosing an opponent in the app waits for nothing else; rules without a network have no guide."""
    read = []
    monkeypatch.setattr(learned, "load_network", lambda path: read.append(path.name) or load_network(path))
    learned.shipped_network.cache_clear()
    selector = NetworkSelector("auto")
    assert read == []
    guide = selector.fit(SearchSettings(), Rules(seats=3)).guide
    assert guide is not None
    assert guide.network.rules == Rules(seats=3)
    assert read == ["dmc-podkidnoy-3.npz"]
    assert selector.fit(SearchSettings(), Rules.parse("podkidnoy:lowest_rank=2")).guide is None
    with pytest.raises(AgentError, match="was trained for"):
        NetworkSelector("ppo").fit(SearchSettings(), Rules(seats=3))


def test_a_network_for_three_seats_guides_at_three(tmp_path: Path):
    """Leaves have a worth for every seat."""
    path = tmp_path / "three.npz"
    path.write_bytes(make_network.network(rules="podkidnoy:seats=3", seats=3))
    light = f"iterations=6,leaf=4,nodes=300,memory=0.1,net={path}"
    agents = [make_agent(f"ismcts:{light}"), make_agent("greedy"), make_agent("random")]
    assert play_game(Rules(seats=3), agents, 1).state.is_over


def test_parameters_reach_the_search():
    """Without a network the usual ones hold; with one it has its own, or what the text says."""
    guide = (
        NetworkSelector(str(TINY), exploration=0.3, opponent_policy_share=1.0)
        .fit(SearchSettings(), Rules())
        .guide
    )
    assert guide is not None
    assert (guide.exploration, guide.opponent_policy_share) == (0.3, 1.0)
    assert make_agent(f"ismcts:net={TINY},c=0.3,mix=1").text == f"ismcts:c=0.3,mix=1,net={TINY}"
    with pytest.raises(AgentError, match="net_temperature=0: expected auto or a number from"):
        make_agent("ismcts:net=dmc,net_temperature=0")


def test_analysis_on_the_command_line_takes_a_network():
    """Visits, scores and what is expected, for every action; rules that do not fit end with exit code 2."""
    assert OPENING.turn is not None
    text = write_observation(OPENING.observation(OPENING.turn))
    words = ["analyse", text, "--net", str(TINY), "--iterations", "40", "--seed", "1", "--json"]
    done = CliRunner().invoke(cli, words)
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)
    assert sum(line["visits"] for line in report["lines"]) == 40
    assert report["lines"][0]["continuation"]
    other = State.deal(Rules.preset("perevodnoy"), 1)
    assert other.turn is not None
    words[1] = write_observation(other.observation(other.turn))
    done = CliRunner().invoke(cli, words)
    assert done.exit_code == 2
    assert "cannot play with transfer=yes" in done.output
