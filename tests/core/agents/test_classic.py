"""The agents of the published projects: how deals are put together, and how strong that is."""

from __future__ import annotations

import pytest

from durak_core import AgentError, Rules, State, make_agent, parse_action
from durak_core.agents.classic import best_by_mean, best_by_vote, foremost
from durak_core.lab import Match, play_match, tally_match
from durak_core.search.determinized.searches import DealTable


def choices():
    """An observation with four actions: 6♠ 9♠ K♥ and the trump 7♦, of which greedy plays 6♠."""
    state = State.setup(Rules(), ["6s9sKh7d", "8s8h8cTc"], trump="Ad")
    assert list(map(str, state.legal_actions)) == ["6s", "9s", "Kh", "7d"]
    return state.observation(0)


def test_the_most_frequent_best_action_wins():
    """Each deal has one vote, however much better its best action is."""
    decision = best_by_vote(choices(), DealTable(((0, 1, 0, 0), (0, 1, 0, 0), (0, 0, 0, 1000)), 0))
    assert decision.action == parse_action("9s")
    assert str(decision.reason) == "best in 2 of 3 deals"


def test_the_mean_counts_by_how_much():
    """One great gain outweighs two small ones."""
    decision = best_by_mean(choices(), DealTable(((0, 1, 0, 0), (0, 1, 0, 0), (0, 0, 0, 1000)), 0))
    assert decision.action == parse_action("7d")
    assert str(decision.reason) == "value 333, averaged over 3 deals"


def test_of_equal_actions_the_cheapest_is_played():
    """Within a deal, between as many votes, and between equal means."""
    tie = DealTable(((-900, 5, 5, 5),), 0)
    assert best_by_vote(choices(), tie).action == parse_action("9s")
    assert best_by_mean(choices(), tie).action == parse_action("9s")
    draw = DealTable(((0, 0, 0, 7), (0, 0, 7, 0)), 0)
    assert best_by_vote(choices(), draw).action == parse_action("Kh")


def test_of_equal_actions_the_first_may_be_played_instead():
    """A higher card of an earlier suit comes first in the list; greedy plays the lower one."""
    seen = State.setup(Rules(), ["9s7h", "8s8h8cTc"], trump="Ad").observation(0)
    equal = DealTable(((1, 1),), 0)
    for verdict in (best_by_vote, best_by_mean):
        assert verdict(seen, equal).action == parse_action("7h")
        assert verdict(seen, equal, foremost).action == parse_action("9s")


@pytest.mark.parametrize("text", ["minimax:depth=2", "maxn", "mcts"])
def test_with_all_cards_in_sight_there_is_one_deal(text: str):
    """The open form searches the cards as they lie, the closed one as many deals as it was told."""
    state = State.deal(Rules(), 3)
    assert state.turn is not None
    reasons = []
    for form in (
        f"{text}:samples=3" if ":" not in text else f"{text},samples=3",
        f"{text}:open".replace("2:", "2,"),
    ):
        agent = make_agent(form)
        agent.begin(state.rules, state.turn, 1)
        reasons.append(str(agent.choose(state.observation(state.turn, sees_all=agent.sees_all)).reason))
    assert [reason.split()[-2] for reason in reasons] == ["3", "1"]


def test_forced_moves_are_played_at_once():
    """Where nothing else is allowed nothing is searched, however much was asked for."""
    state = State.setup(Rules(), ["6s", "8s8h"])
    for text in ("minimax:depth=40,samples=10000", "maxn:depth=40", "mcts:limit=1000000,samples=10000"):
        agent = make_agent(text)
        agent.begin(state.rules, 0, 1)
        assert str(agent.choose(state.observation(0)).reason) == "only legal move"


def test_what_is_no_option_is_refused():
    """Depths, tempers and evaluations have to exist."""
    for text in (
        "minimax:depth=0",
        "minimax:eval=luck",
        "minimax:vote=loudest",
        "maxn:mode=kind",
        "mcts:limit=0",
    ):
        with pytest.raises(AgentError):
            make_agent(text)


def score(text: str, other: str, rules: str, games: int) -> float:
    match = Match(Rules.parse(rules), (text, other), games, 99)
    return tally_match(match, play_match(match)).agents[0].score


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "other", "least"),
    [
        ("minimax", "greedy", 0.57),
        ("mcts", "greedy", 0.69),
        ("maxn", "greedy", 0.52),
        ("mcts:simulation=random", "random", 0.94),
        ("mcts:limit=1000,open", "greedy", 0.90),
    ],
)
def test_searching_beats_policies(text: str, other: str, least: float):
    """Over three hundred games the score is well above what was measured less the noise."""
    assert score(text, other, "zarlykov", 300) > least
