"""Every search plays for its team (rules 2.2), as trying everything says it should."""

from __future__ import annotations

from functools import cache
from random import Random

import pytest

from durak_core import Action, CardSet, Rules, State, make_agent
from durak_core.review.evaluation import Question, evaluate_move
from durak_core.search.analysis import analyse
from durak_core.search.backend.backend import backend_now

RULES = Rules.parse("podkidnoy:seats=4,teams=2x2,visibility=open")


def worth(state: State, team: tuple[int, ...], seen: dict[State, float]) -> float:
    """Return what a team gets when both play perfectly and see all cards."""
    if state.is_over:
        return state.returns[team[0]]
    if state not in seen:
        values = [worth(state.apply(action), team, seen) for action in state.legal_actions]
        seen[state] = max(values) if state.turn in team else min(values)
    return seen[state]


@cache
def decisive_states() -> list[tuple[State, set[Action]]]:
    """Return endgames of four in which some actions win and others lose, and those that win."""
    rng = Random(3)
    found: list[tuple[State, set[Action]]] = []
    while len(found) < 5:
        cards = list(RULES.deck)
        rng.shuffle(cards)
        hands = [
            CardSet.of(cards[:2]),
            CardSet.of(cards[2:3]),
            CardSet.of(cards[3:5]),
            CardSet.of(cards[5:6]),
        ]
        state = State.setup(RULES, hands, trump=cards[6], attacker=rng.randrange(4))
        if rng.random() < 0.5:
            state = state.apply(rng.choice(state.legal_actions))
        assert state.turn is not None
        team = RULES.members(RULES.team_of(state.turn))
        seen: dict[State, float] = {}
        values = {action: worth(state.apply(action), team, seen) for action in state.legal_actions}
        if set(values.values()) >= {1.0, -1.0}:
            found.append((state, {action for action, value in values.items() if value > 0}))
    return found


@pytest.mark.parametrize(
    "text",
    [
        "ismcts:iterations=200,memory=0.1",
        "ismcts:iterations=200,memory=0.1,leaf=0,solver=off",
        "hybrid:iterations=200,memory=0.1",
        "mcts:limit=200",
        "minimax:depth=12,eval=basic",
        "maxn:depth=12",
        "maxn:depth=12,mode=paranoid",
    ],
)
def test_what_wins_for_the_team_is_played(text: str):
    """Where partners can win, and could throw it away, the action that is chosen wins."""
    for state, winning in decisive_states():
        assert state.turn is not None
        agent = make_agent(text)
        agent.begin(RULES, state.turn, 1)
        assert agent.choose(state.observation(state.turn)).action in winning, state.hands


def test_what_loses_for_the_team_gets_a_mark_in_a_review():
    """Whether or not its player gets rid of its cards."""
    for state, winning in decisive_states():
        assert state.turn is not None
        seen = state.observation(state.turn)
        lines = analyse(seen, backend_now("search"), iterations=2000).lines()
        for action in state.legal_actions:
            mark = evaluate_move(Question(1, state, action, action), lines).mark
            assert (mark == "??") == (action not in winning), (state.hands, action, lines)
