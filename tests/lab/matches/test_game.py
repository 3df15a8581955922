"""One game between agents."""

from __future__ import annotations

from time import process_time

import pytest

from durak_core import AgentError, Attack, Card, Decision, Rules, State, make_agent
from durak_core.lab import play_from, play_game


class Stubborn:
    """Always plays one card, allowed or not."""

    text = "stubborn"
    sees_all = False

    def __init__(self, card):
        self.card = card

    def begin(self, rules, seat, seed):
        del rules, seat, seed

    def choose(self, observation):
        del observation
        return Decision(Attack(self.card), "will not listen")


def agents(*texts: str) -> list:
    return [make_agent(text) for text in texts]


def test_a_game_is_played_to_its_end_and_recorded() -> None:
    """The record replays to the same last state."""
    result = play_game(Rules(seats=3), agents("greedy", "random", "smart"), 5)
    assert result.state.is_over
    assert result.players == ("greedy", "random", "smart")
    assert result.record.replay()[-1] == result.state
    assert result.record.seed == 5
    assert len(result.record.moves) == result.plies == sum(result.decisions)
    assert all(seconds > 0 for seconds in result.seconds)
    assert result.fool == result.state.fool
    assert result.is_draw == result.state.is_draw
    assert result.places == result.state.places
    assert result.returns == result.state.returns
    assert result.bouts == result.state.bout


def test_the_cpu_time_of_agents_is_part_of_the_process() -> None:
    began = process_time()
    result = play_game(Rules(), agents("greedy", "expert"), 5)
    assert 0 < sum(result.seconds) < process_time() - began


def test_the_deal_is_the_seeds() -> None:
    """Deal and first attacker are those of `State.deal`; a first attacker can be asked for."""
    state = State.deal(Rules(), 5)
    result = play_game(Rules(), agents("random", "random"), 5)
    assert (result.state.deck, result.state.first_attacker) == (state.deck, state.first_attacker)
    other = 1 - state.first_attacker
    assert play_game(Rules(), agents("random", "random"), 5, other).state.first_attacker == other


def test_every_decision_is_reported_before_it_is_played() -> None:
    """The listener gets the state in which it was made."""
    seen = []
    result = play_game(
        Rules(),
        agents("greedy", "random"),
        5,
        on_decision=lambda state, decision: seen.append((state, decision)),
    )
    assert [decision.action for _, decision in seen] == [move.action for move in result.record.moves]
    assert [state.turn for state, _ in seen] == [move.seat for move in result.record.moves]


def test_an_illegal_choice_is_an_error_that_names_the_agent() -> None:
    """Rules 10.1: nothing is played in its place."""
    state = State.setup(Rules(), ["6s7d", "6d7hAs"], trump="6c")
    with pytest.raises(AgentError, match="agent stubborn at seat 0 chose an illegal action: Kc is not"):
        play_from(state, [Stubborn(Card.parse("Kc")), make_agent("greedy")], 1)


def test_agents_have_to_fit_the_seats() -> None:
    """One object for each seat, and none of them on two chairs."""
    with pytest.raises(AgentError, match="2 seats need 2 agents, each its own object; got 3"):
        play_game(Rules(), agents("random", "random", "random"), 1)
    with pytest.raises(AgentError, match="each its own object"):
        play_game(Rules(), agents("random") * 2, 1)


def test_games_can_be_played_on_from_any_state() -> None:
    """Set-up positions too."""
    result = play_from(State.setup(Rules(), ["6s7d", "6d7hAs"], trump="6c"), agents("greedy", "greedy"), 1)
    assert result.state.is_over
    assert result.decisions[0] > 0
