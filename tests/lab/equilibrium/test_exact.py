"""Exact values of all actions, and how soon they come, against brute force that knows only the rules."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from random import Random

import pytest

from durak_core import CardSet, Rules, State
from durak_core.search.backend.backend import Backend, backend, plain_backend
from durak_core.search.endgame.solver import ActionSolver, known_to_the_end


def worth(state: State, seat: int, last_bout: int, seen: dict[tuple[State, int], int]) -> int:
    """Return a position's value for a seat when a game that goes on after a bout counts as a draw."""
    if state.is_over:
        return round(state.returns[seat])
    if state.bout > last_bout:
        return 0
    key = (state, state.bout)
    if key not in seen:
        values = [worth(state.apply(action), seat, last_bout, seen) for action in state.legal_actions]
        seen[key] = max(values) if state.turn == seat else min(values)
    return seen[key]


def endgame(rng: Random, rules: Rules, most: int) -> State:
    cards = list(rules.deck)
    rng.shuffle(cards)
    n = rng.randint(3, most)
    mine = rng.randint(1, n - 1)
    out = [CardSet()] * (rules.seats - 2)
    hands = [*out, CardSet.of(cards[:mine]), CardSet.of(cards[mine:n])]
    return State.setup(rules, hands, trump=cards[n], attacker=len(out))


@pytest.mark.parametrize(
    "rules",
    ["podkidnoy", "perevodnoy:stall_limit=4", "podkidnoy:pile_on=no", "podkidnoy:seats=4,teams=2x2"],
)
@pytest.mark.parametrize("find", [partial(backend, "search"), plain_backend], ids=["best", "plain"])
@pytest.mark.parametrize("most", [5, pytest.param(6, marks=pytest.mark.slow)])
def test_every_action_is_worth_what_brute_force_says(rules: str, most: int, find: Callable[[], Backend]):
    """Values of all actions, and the bouts until a win or a loss when one hurries and the other delays."""
    runner = find()
    rng = Random(11)
    lengths = set()
    for _ in range(8):
        state = endgame(rng, Rules.parse(rules), most)
        seat = state.turn
        assert seat is not None
        seen = state.observation(seat)
        if not known_to_the_end(seen) or len(seen.legal_actions) < 2:
            continue
        solver = ActionSolver(seen, runner)
        while not solver.is_done:
            assert not solver.hopeless
            solver.work(50_000)
        for action, value in solver.values.items():
            after = state.apply(action)
            assert value == worth(after, seat, 1_000, {})
            if value:
                bouts = solver.bouts(action)
                assert bouts is not None
                assert worth(after, seat, state.bout + bouts - 1, {}) == value
                assert bouts == 1 or worth(after, seat, state.bout + bouts - 2, {}) == 0
                lengths.add(bouts)
    assert len(lengths) > 1


def test_bigger_games_with_transfers_are_solved():
    """Six cards each, where brute force would not come to an end."""
    state = State.setup(Rules.preset("perevodnoy"), ["6c7d9hJsQdAh", "8c8dThQsKdKs"], trump="As")
    assert state.turn is not None
    solver = ActionSolver(state.observation(state.turn), backend("search"))
    solver.work(3_000 if backend("search").name == "plain" else 3_000_000)
    assert solver.values or backend("search").name == "plain"
