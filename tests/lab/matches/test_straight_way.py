"""A match reads each agent's text once and builds each agent once."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from commands import good

from durak_core.agents import registry
from durak_core.agents.registry import NamedAgent, read_agent
from durak_core.lab.matches import players

AGENTS = ("greedy", "ismcts:iterations=2")
SHORT = "podkidnoy:lowest_rank=J,hand_size=3"


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[tuple[str, str]]:
    """How often each agent's text is read, and how often the agent is built."""
    counted: Counter[tuple[str, str]] = Counter()
    build = NamedAgent.build

    def reading(text: str, *known) -> NamedAgent:
        counted["read", text] += 1
        return read_agent(text, *known)

    def building(named: NamedAgent):
        counted["built", named.text] += 1
        return build(named)

    for module in (registry, players):
        monkeypatch.setattr(module, "read_agent", reading)
    monkeypatch.setattr(NamedAgent, "build", building)
    return counted


@pytest.mark.parametrize("games", ["2", "24"])
def test_a_match_reads_each_text_once_and_builds_each_agent_once(
    games: str, calls: Counter[tuple[str, str]]
) -> None:
    """From the command line to the table, whether agents play or machine code."""
    for texts in (("greedy", "smart"), AGENTS):
        calls.clear()
        good("match", *texts, "--games", games, "--seed", 1, "--rules", SHORT)
        assert calls == {(what, text): 1 for what in ("read", "built") for text in texts}


def test_a_file_and_a_log_change_nothing(tmp_path: Path, calls: Counter[tuple[str, str]]) -> None:
    for options in (("--resume", str(tmp_path / "games")), ("--log", str(tmp_path / "log"))):
        calls.clear()
        good("match", "greedy", "smart", "--games", 2, *options)
        assert set(calls.values()) == {1}
