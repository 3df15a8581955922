"""Who can play in matches, and how their texts are written."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from durak_core import AGENTS, AgentError
from durak_core.agents.registry import agent_values, thinks
from durak_core.lab import PLAYERS, player_text
from durak_core.lab.matches import players
from durak_core.lab.matches.players import is_external, load_compiled


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("engine", "engine"),
        ('engine:cmd="durak engine",time=100', "engine:time=100"),
        ("engine:time=0100,cmd=./bot", "engine:cmd=./bot,time=100"),
        ('engine: cmd = "a,b=c" , iterations=5', 'engine:cmd="a,b=c",iterations=5'),
        ("engine:cmd=a b", 'engine:cmd="a b"'),
        (r'engine:cmd="say \"hi\" \\ C:\bots"', r'engine:cmd="say \"hi\" \\ C:\\bots"'),
        ('ismcts:iterations="300"', "ismcts:iterations=300"),
        ("greedy", "greedy"),
    ],
)
def test_values_may_stand_in_quotes(text: str, canonical: str) -> None:
    """Commas, equals signs and escaped quotes are then part of the value; what needs no quotes gets none."""
    assert player_text(text) == canonical
    assert player_text(canonical) == canonical


@settings(max_examples=50, deadline=None)
@given(st.text(min_size=1).filter(str.strip))
def test_every_command_can_be_written(command: str) -> None:
    """The canonical text gives back the value, whatever it holds."""
    escaped = command.replace("\\", "\\\\").replace('"', '\\"')
    canonical = player_text(f'engine:cmd="{escaped}",time=7')
    assert agent_values(canonical, PLAYERS) == {
        "cmd": command.strip(),
        "iterations": 0,
        "time": 7,
        "patience": 30_000,
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('engine:cmd="durak engine', 'engine:cmd="durak engine: the quote is not closed: expected another "'),
        (
            'engine:cmd="a" b,time=1',
            "engine:cmd=\"a\": expected a comma or the end after it, found 'b,time=1'",
        ),
        ("engine:cmd=", "cmd=: expected a command line"),
        ("engine:cmd", "engine:cmd: expected cmd=value, where the value is a command line"),
        ("engine:time=-1", "time=-1: expected a whole number from 0 to"),
        (
            "engine:speed=1",
            "there is no option of engine 'speed'; there are: cmd, iterations, time, patience",
        ),
        ("engin", "there is no agent 'engin'; did you mean engine?"),
        ("engine:=1", "there is no option of engine ''"),
    ],
)
def test_wrong_texts_are_refused_in_words(text: str, message: str) -> None:
    """What is wrong, and what would be right."""
    with pytest.raises(AgentError) as caught:
        player_text(text)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("text", "groups"),
    [
        ("greedy", set()),
        ("dmc", {"network"}),
        ("level:misha", {"network"}),
        ("level:nina", {"search", "guided", "opponents", "network"}),
        ("ismcts", {"search"}),
        ("ismcts:net=auto", {"search", "guided"}),
        ("ismcts:net=dmc,inference", {"guided", "opponents"}),
        ("mcts", {"classic"}),
    ],
)
def test_what_players_need_is_compiled_before_their_games(text: str, groups: set[str], monkeypatch) -> None:
    """So that no move is slow because of it, and no process compiles what another one does."""
    loaded: list[str] = []
    monkeypatch.setattr(players, "backend", loaded.append)
    monkeypatch.setattr(players, "backend_if_it_pays", loaded.append)
    load_compiled([text])
    assert set(loaded) == groups


def test_engines_play_beside_the_agents() -> None:
    """In matches only, as saved equilibria do: a list of agents holds what needs no file and no program."""
    assert set(PLAYERS) - set(AGENTS) == {"equilibrium", "engine"}
    assert [text for text in ("engine:time=1", "ismcts", "greedy") if is_external(text)] == ["engine:time=1"]
    assert [text for text in ("engine:time=1", "ismcts:leaf=0", "greedy") if thinks(text)] == [
        "ismcts:leaf=0"
    ]
