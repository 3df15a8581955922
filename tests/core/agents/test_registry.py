"""Agent texts."""

from __future__ import annotations

import pytest

from durak_core import AGENTS, AgentError, AgentOption, agent_text, make_agent
from durak_core.agents.base import OPEN


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("random", "random"),
        ("random:", "random"),
        ("random:uniform", "random:uniform"),
        ("random:uniform=on", "random:uniform"),
        ("random:uniform=off", "random"),
        (" random : uniform ".replace(" :", ":"), "random:uniform"),
        ("greedy", "greedy"),
        ("minimax:eval=payout", "minimax"),
        ("smart", "smart"),
        ("level", "level:misha"),
        ("level:olga", "level:olga"),
        ("level:who=olga", "level:olga"),
        ("level:open,viktor", "level:viktor,open"),
    ],
)
def test_texts_have_a_canonical_form(text: str, canonical: str) -> None:
    """It names what differs from the defaults, and reads back."""
    assert make_agent(text).text == canonical
    assert agent_text(text) == canonical
    assert make_agent(canonical).text == canonical


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gready", "there is no agent 'gready'; did you mean greedy? There are: level, random, greedy"),
        ("", "there is no agent ''; there are: level, random, greedy"),
        (
            "random:unifrom",
            "there is no option of random 'unifrom'; did you mean uniform? There are: uniform",
        ),
        ("random:speed=3", "there is no option of random 'speed'; there are: uniform"),
        ("random:uniform=maybe", "uniform=maybe: expected off or on"),
        ("level:mischa", "there is no option of level 'mischa'; did you mean misha?"),
        ("level:who=mischa", "who=mischa: expected misha or tanya"),
        ("greedy:depth=3", "there is no option of greedy 'depth'; there are: trumps, open"),
    ],
)
def test_what_does_not_exist_is_refused_with_what_does(text: str, message: str) -> None:
    """The error lists the right names and guesses what was meant."""
    with pytest.raises(AgentError) as caught:
        make_agent(text)
    assert str(caught.value).startswith(message)


def test_every_agent_introduces_itself() -> None:
    """Name, title, one sentence and one word of style, for help and for the list of players."""
    for name, info in AGENTS.items():
        assert info.name == name
        assert info.title
        assert info.summary.endswith(".")
        assert info.style.isalpha()
        assert make_agent(name).text == agent_text(name)
        assert make_agent(name) is not make_agent(name)
        for option in info.options:
            assert option.read(option.show(option.default)) == option.default
            assert option.summary


def test_an_agent_that_sees_all_cards_says_so() -> None:
    """Games are recorded under the agent's own text, and `--resume` compares it with the spec."""
    opened = [name for name, info in AGENTS.items() if OPEN in info.options]
    assert len(opened) > 10
    for text in [*[f"{name}:open" for name in opened], "random:uniform,open"]:
        agent = make_agent(text)
        assert agent.sees_all
        assert agent.text == agent_text(text)
        assert agent.text.endswith("open")


def test_options_check_their_values() -> None:
    """Words, whole numbers and numbers in a range."""
    limit = AgentOption("limit", "iterations", 100, ("none",), 1, 1000)
    assert limit.read("007") == 7
    assert limit.read("none") == "none"
    assert str(limit.expected) == "none or a whole number from 1 to 1,000"
    assert not limit.is_flag
    for wrong in ("0", "1001", "1.5", "many", "nan"):
        with pytest.raises(AgentError, match="expected none or a whole number from 1 to 1,000"):
            limit.read(wrong)
    c = AgentOption("c", "exploration", 0.7, low=0, high=10, whole=False)
    assert c.show(c.read("0.70")) == "0.7"
    for wrong in ("-1", "inf", "nan"):
        with pytest.raises(AgentError, match="expected a number from 0 to 10"):
            c.read(wrong)


def test_an_option_that_is_no_flag_needs_a_value() -> None:
    """Only keys that are off or on may stand alone."""
    assert AGENTS["random"].options[0].is_flag
