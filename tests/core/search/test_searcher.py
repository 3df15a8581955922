"""The searching player of compiled games chooses as the agent `ismcts` does."""

from __future__ import annotations

from random import Random

import pytest

from durak_core.actions import encode
from durak_core.agents.registry import make_agent
from durak_core.agents.searching import TreeAgent
from durak_core.game.state import State
from durak_core.kernel.position import AGENTS_STREAM, derive
from durak_core.rules import Rules
from durak_core.search.backend.backend import plain_backend
from durak_core.search.players.searcher import Replays, Searcher


def compare(text: str, rules: Rules, games: int) -> int:
    """Let the agent play against random moves; return its decisions, all of them the player's, too."""
    agent = make_agent(text)
    assert isinstance(agent, TreeAgent)
    found = agent.compiled_search(rules)
    assert found is not None
    searcher = Searcher(rules, found, plain_backend())
    chance = Random(3)
    decisions = 0
    for game in range(games):
        seat, seed = game % 2, derive(5, game)
        state = State.deal(rules, seed).settled()
        agent.begin(rules, seat, derive(seed, AGENTS_STREAM + seat))
        played: list[int] = []
        searches = [[0] * rules.seats]
        while state.legal_actions:
            action = chance.choice(state.legal_actions)
            if state.turn == seat:
                action = agent.choose(state.observation(seat)).action
                choices = [-1]
                searcher.choose(Replays([seed], [played], [len(played)], searches), [0], choices)
                assert state.legal_actions[choices[0]] == action, (game, len(played))
                decisions += 1
            played.append(encode(action))
            state = state.apply(action).settled()
    return decisions


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "rules", ["podkidnoy:lowest_rank=10", "podkidnoy:lowest_rank=8,pile_on=no", "zarlykov:suits=3"]
)
def test_a_compiled_searcher_chooses_as_the_agent(rules: str) -> None:
    """Beliefs, the solver at the root and ties are the same."""
    assert compare("ismcts:iterations=12,mix=0,simulation=greedy,nodes=150", Rules.parse(rules), 4) > 25


def test_a_compiled_searcher_with_a_network_chooses_as_the_agent() -> None:
    """With its own public knowledge of the hands."""
    assert compare("ismcts:iterations=4,net=auto,nodes=150", Rules(), 1) > 10


def test_a_search_that_knows_more_has_no_compiled_searcher() -> None:
    """Nor do rules that reveal more."""
    for text in ("ismcts:inference", "ismcts:open", "ismcts:time=10", "ismcts:threads=2"):
        agent = make_agent(text)
        assert isinstance(agent, TreeAgent)
        assert agent.compiled_search(Rules()) is None, text
    agent = make_agent("ismcts")
    assert isinstance(agent, TreeAgent)
    for name in ("perevodnoy", "groningen", "podkidnoy:seats=3", "podkidnoy:trumps=no"):
        assert agent.compiled_search(Rules.parse(name)) is None, name
