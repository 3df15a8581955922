"""Random and greedy, as agents."""

from __future__ import annotations

import pytest
from playing import play

from durak_core import AGENTS, PASS, TAKE, AgentError, Rules, State, make_agent, parse_action


def choice(text: str, state: State) -> tuple[str, str]:
    """What an agent does in a state, and why."""
    assert state.turn is not None
    agent = make_agent(text)
    agent.begin(state.rules, state.turn, 1)
    decision = agent.choose(state.observation(state.turn))
    return str(decision.action), str(decision.reason)


@pytest.mark.parametrize(
    ("hands", "talon", "moves", "action", "reason"),
    [
        (["9s7h", "8hAs"], "6dAc", "", "7h", "plays the lowest plain card"),
        (["9c7c", "8hAs"], "6dAc", "", "7c", "plays the lowest trump: there is no plain card"),
        (["9s7h", "8hAs"], "6dAc", "9s", "Asx9s", "beats it with the lowest plain card"),
        (["9s7h", "8h7c"], "6dAc", "9s", "7cx9s", "beats it with the lowest trump: no plain card does"),
        (["9s7h", "8h7d"], "6dAc", "9s", "take", "cannot beat the attack"),
        (["9s9cKd", "TsKh"], "6dAc", "9s Tsx9s", "pass", "saves trumps while the talon lasts"),
        (["9sKd", "TsKh"], "6dAc", "9s Tsx9s", "pass", "has nothing to add"),
        (["9s9dKd", "TsKh"], "6dAc", "9s Tsx9s", "9d", "plays the lowest plain card"),
    ],
)
def test_greedy_gives_its_reason(hands: list[str], talon: str, moves: str, action: str, reason: str) -> None:
    """Each decision comes with a clause in words."""
    state = play(State.setup(Rules(), hands, talon=talon), moves)
    assert choice("greedy", state) == (action, reason)


@pytest.mark.parametrize(
    ("hands", "moves", "spending"),
    [
        (["9s7h", "8h7c"], "9s", "7cx9s"),
        (["9s9cKd", "TsKh8d"], "9s Tsx9s", "9c"),
        (["9s9dKd", "TsKh8d"], "9s Tsx9s", "9d"),
        (["9c7c8c", "8hKsAd"], "", "7c"),
    ],
)
def test_the_published_heuristics_spend_or_hoard_trumps(hands: list[str], moves: str, spending: str) -> None:
    """One plays any card rather than stop or take, the other mostly stops before it plays a trump."""
    state = play(State.setup(Rules(), hands, talon="6dAs7d8s9hTc"), moves)
    assert choice("greedy:trumps=spend", state)[0] == spending
    hoarding = make_agent("greedy:trumps=hoard")
    hoarding.begin(state.rules, state.turn or 0, 1)
    stops = [action for action in state.legal_actions if action in (PASS, TAKE)]
    is_trump = spending[:2].endswith("c")
    chosen = [hoarding.choose(state.observation(state.turn or 0)).action for _ in range(100)]
    assert (
        75 <= sum(action in stops for action in chosen) <= 98
        if stops and is_trump
        else not set(chosen) - {parse_action(spending)}
    )


@pytest.mark.parametrize(
    ("hand", "action", "reason"),
    [
        ("9hTs8d", ">9h", "lets the next player deal with it"),
        ("9c8d7d", ">9c", "transfers with a trump"),
    ],
)
def test_greedy_passes_attacks_on(hand: str, action: str, reason: str) -> None:
    """Transfers count as playing a card."""
    rules = Rules.preset("perevodnoy", seats=3)
    state = play(State.setup(rules, ["9sKs", hand, "7hAhKh"], trump="Ac"), "9s")
    expected = (
        ("9cx9s", "beats it with the lowest trump: no plain card does")
        if hand.startswith("9c")
        else (action, reason)
    )
    assert choice("greedy", state) == expected


def test_greedy_shows_a_trump_before_spending_one() -> None:
    """Rules 7.4: the shown card stays in hand."""
    rules = Rules.preset("perevodnoy", seats=3, show_trump=True)
    state = play(State.setup(rules, ["9sKs", "9cTc", "7hAhKh"], trump="Ac"), "9s")
    assert choice("greedy", state) == ("^9c", "transfers by showing a trump, and keeps it")


def test_random_says_how_many_actions_it_drew_from() -> None:
    """And says so when nothing else was allowed."""
    state = State.setup(Rules(), ["9s7h", "8h7d"], trump="6c")
    assert choice("random", state)[1] == "picks one of 2 moves at random"
    assert choice("random:uniform", play(state, "9s")) == ("take", "only legal move")


@pytest.mark.parametrize("name", AGENTS)
def test_an_agent_that_is_not_asked_does_not_answer(name: str) -> None:
    """It is another seat's turn, or the game is over."""
    state = State.setup(Rules(), ["9s", "8h"], trump="6c")
    with pytest.raises(AgentError, match="it is seat 0's turn"):
        make_agent(name).choose(state.observation(1))
    over = play(state, "9s take")
    with pytest.raises(AgentError, match="the game is over"):
        make_agent(name).choose(over.observation(1))
