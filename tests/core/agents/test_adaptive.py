"""The agent `adaptive`: whom it believes to play against, what it plays then, and what it keeps."""

from __future__ import annotations

import pytest
from playing import play

from benchmarks.adaptive import series_scores, text_of
from durak_core import Rules, State, agent_text, make_agent
from durak_core.agents.simple import PAYOFFS, REPLIES, AdaptiveAgent, best_reply
from durak_core.lab import Match, play_game, play_match
from durak_core.search.opponents.model import PLAYER_TYPES, OpponentModel
from durak_core.search.policies.expert import AGGRESSIVE, Temperament


def test_the_book_is_whole() -> None:
    """Every reply has a payoff against every type, and against each temperament one of its own is best."""
    assert set(PAYOFFS) == set(REPLIES)
    for name, payoffs in PAYOFFS.items():
        assert set(payoffs) == set(PLAYER_TYPES), name
        assert all(0 < payoff < 1 for payoff in payoffs.values())
    for kind in ("aggressive", "cautious", "moderate"):
        assert max(PAYOFFS, key=lambda name: PAYOFFS[name][kind]) == f"against {kind}"


@pytest.mark.parametrize("kind", ["aggressive", "cautious", "moderate"])
def test_the_best_reply_follows_the_belief(kind: str) -> None:
    """Who is sure of a type plays what does best against it."""
    observation = State.deal(Rules(), 1).observation(0)
    sure = {name: 1e6 if name == kind else 1e-6 for name in PLAYER_TYPES}
    reader = OpponentModel(Rules(), 0, PLAYER_TYPES, sure)
    assert best_reply(reader, observation) == f"against {kind}"


def test_with_several_opponents_all_count_that_are_still_in() -> None:
    """A seat that is out does not matter."""
    state = State.setup(Rules(seats=3), ["6s9h", "7s8h", ""], trump="Ac")
    reader = OpponentModel(Rules(seats=3), 0, PLAYER_TYPES)
    everybody = {name: sum(payoffs.values()) for name, payoffs in PAYOFFS.items()}
    assert best_reply(reader, state.observation(0)) == max(everybody, key=lambda name: everybody[name])


class Sure(OpponentModel):
    """A model that is sure of the type of every seat."""

    def __init__(self, types: dict[int, str]) -> None:
        super().__init__(Rules(seats=3), 0, PLAYER_TYPES)
        self.sure = types

    def posterior(self, seat: int) -> dict[str, float]:
        return {name: float(name == self.sure[seat]) for name in PLAYER_TYPES}


@pytest.mark.parametrize("types", [("cautious", "aggressive"), ("aggressive", "cautious")])
def test_two_opponents_count_alike(types: tuple[str, str]) -> None:
    """The reply is best against both together, though another one is best against each."""
    observation = State.setup(Rules(seats=3), ["6s9h", "7s8h", "8s9c"], trump="Ac").observation(0)
    assert best_reply(Sure({1: types[0], 2: types[1]}), observation) == "against moderate"


def posterior(agent: AdaptiveAgent) -> dict[str, float]:
    assert agent.reader is not None
    return dict(agent.reader.posterior(1 - agent.reader.seat))


@pytest.mark.parametrize("memory", ["off", "on"])
def test_memory_is_kept_only_where_it_is_asked_for(memory: str) -> None:
    """Another game begins without knowledge, unless the agent remembers; then the seats do not matter."""
    agent = make_agent(f"adaptive:memory={memory}")
    assert isinstance(agent, AdaptiveAgent)
    play_game(Rules(), [agent, make_agent("random")], 5)
    found = posterior(agent)
    assert found["random"] > 0.9
    agent.begin(Rules(), 1, 6)
    assert (posterior(agent) == found) == (memory == "on")
    agent.begin(Rules(seats=3), 1, 6)
    assert len(set(posterior(agent).values())) == 1


def test_matches_do_not_depend_on_where_they_begin() -> None:
    """Without memory a game of a match is the same whether the games before were played or not."""
    match = Match(Rules(), ("adaptive:samples=3", "cautious"), 6, 4)
    games = {game.number: game.state for game in play_match(match)}
    assert [game.state for game in play_match(match, games=range(4, 6))] == [games[4], games[5]]


def test_it_plays_without_having_seen_anything() -> None:
    """An observation without a story is enough for a choice, and so is an agent that was never begun."""
    state = play(State.setup(Rules(), ["6s9h", "7s8h"], talon="KdAc"), "6s")
    decision = make_agent("adaptive").choose(state.observation(1))
    assert decision.action in state.legal_actions
    assert decision.reason


def test_series_are_scored_by_deals() -> None:
    """Two games a deal; the text of a temperament is an agent's."""
    assert set(series_scores(Match(Rules(), ("greedy", "random"), 8, 3), 2, 4)) <= {0, 0.25, 0.5, 0.75, 1}
    assert len(series_scores(Match(Rules(), ("greedy", "random"), 8, 3), 2, 4)) == 2
    assert agent_text(text_of(Temperament())) == "temperament"
    assert "thrift=-6" in agent_text(text_of(AGGRESSIVE))
