"""Max^n in its three tempers against brute force that knows nothing but the rules."""

from __future__ import annotations

from random import Random

import pytest
from lookahead import cheapest_first, forced, hand_to_be, small_states, weak_ranks

from durak_core import Rules, State
from durak_core.search.backend.backend import Backend, backend, plain_backend
from durak_core.search.determinized import searches as determinized
from durak_core.search.determinized.look_ahead import LookAheadPlan, evaluate
from durak_core.search.determinized.searches import (
    EVALUATIONS,
    PUBLISHED,
    TEMPERS,
    DealTable,
    LookAheadSettings,
    Prospects,
    look_ahead_table,
    look_ahead_tree,
)


@pytest.mark.parametrize(
    ("temper", "evaluation"),
    [*(("paranoid", name) for name in EVALUATIONS), ("maxn", "prospect"), ("coalition", "prospect")],
)
def test_the_whole_tree_has_the_values_of_the_search(temper: str, evaluation: str) -> None:
    """Every move of the first deal has the value that the search, with its short cuts, gives it."""
    for depth in (1, 3):
        settings = LookAheadSettings(depth, 1, temper, evaluation)
        state = State.deal(Rules(seats=3, lowest_rank=11, hand_size=4), 3)
        for _ in range(4):
            while len(state.legal_actions) == 1:
                state = state.apply(state.legal_actions[0])
            seen = state.observation(state.turn or 0)
            table = look_ahead_table(seen, 5, plain_backend(), settings)
            hands, moves = look_ahead_tree(seen, 5, settings)
            assert hands[seen.seat] == seen.hand
            values = {move.action: move.values[seen.seat if len(move.values) > 1 else 0] for move in moves}
            if temper != "coalition":
                assert tuple(values[action] for action in seen.legal_actions) == table.rows[0]
            best = next(move for move in moves if move.is_best)
            assert table.rows[0][seen.legal_actions.index(best.action)] == max(table.rows[0])
            state = state.apply(state.legal_actions[0])


def is_in(state: State, seat: int) -> bool:
    return state.roles[seat].name != "OUT"


def next_in(state: State, seat: int) -> int:
    """Return the next seat that is still in."""
    while True:
        seat = (seat + 1) % state.rules.seats
        if is_in(state, seat):
            return seat


def prospect(state: State, seat: int, weights: Prospects = PUBLISHED) -> int:
    """Count a hand: plain cards and weak ranks minus one, trumps plus one; or by other weights."""
    hand = hand_to_be(state, seat)
    trumps = sum(card.suit == state.trump_suit for card in hand)
    attacked = next_in(state, seat)
    while attacked in state.rules.partners(seat):
        attacked = next_in(state, attacked)
    weak = weak_ranks(hand, hand_to_be(state, attacked))
    return weights.trump * trumps - weights.card * len(hand) - weights.weakness * weak


def vector(state: State) -> list[int]:
    return [team_value(state, state.rules.team_of(seat)) for seat in range(state.rules.seats)]


def team_value(state: State, team: int) -> int:
    """Add up the prospects of a team; who has got out counts no more, and a team that has, has won."""
    members = state.rules.members(team)
    share = 6000 * len(members) // (state.rules.seats - len(members))
    if state.is_over:
        return 0 if state.is_draw else -6000 if team == state.fool else share
    left = [prospect(state, seat) for seat in members if is_in(state, seat)]
    return sum(left) if left else share


def brute_force(state: State, searcher: int, weakest: int, temper: str, depth: int) -> list[int]:
    """Return everybody's value by trying everything; of equal actions the cheapest is played."""
    state = forced(state)
    if state.is_over or depth == 0:
        return vector(state)
    found = [
        brute_force(state.apply(action), searcher, weakest, temper, depth - 1)
        for action in cheapest_first(state)
    ]
    return max(found, key=lambda values: wish(values, state, searcher, weakest, temper))


def wish(values: list[int], state: State, searcher: int, weakest: int, temper: str) -> int:
    """Return what the seat to act wants to be as great as possible."""
    mover = state.turn
    assert mover is not None
    team = state.rules.members(state.rules.team_of(mover))
    if temper == "paranoid":
        return values[searcher] if searcher in team else -values[searcher]
    if temper == "coalition" and weakest not in team:
        return values[mover] - values[weakest]
    return values[mover]


def weakest_of(state: State, searcher: int) -> int:
    """Return who stands worst; of equals the first after the searcher."""
    seats = [next_in(state, searcher)]
    while seats[-1] != searcher:
        seats.append(next_in(state, seats[-1]))
    return min(seats, key=lambda seat: prospect(state, seat))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("temper", TEMPERS)
@pytest.mark.parametrize("depth", [1, 4])
def test_max_n_agrees_with_brute_force(temper: str, depth: int):
    """With all cards open every action is worth what trying everything says, with partners, too."""
    runner = backend("classic")
    targets = set()
    for state in small_states(Random(depth), 60, cards=10, talon=3):
        seat = state.turn
        assert seat is not None
        weakest = weakest_of(state, seat)
        targets.add(weakest == seat)
        expected = []
        for action in state.legal_actions:
            values = brute_force(state.apply(action), seat, weakest, temper, depth - 1)
            expected.append(wish(values, state, seat, weakest, temper))
        observation = state.observation(seat, sees_all=True)
        found = look_ahead_table(observation, 1, runner, LookAheadSettings(depth, 4, temper))
        assert found.rows == (tuple(expected),), state.hands
    assert targets == {True, False}


@pytest.mark.parametrize(
    "weights", [Prospects(1, 0, 0), Prospects(0, 3, 0), Prospects(2, 5, 7), Prospects(1, -2, 1)]
)
def test_the_parts_of_the_evaluation_have_weights(weights: Prospects):
    """One decision deep an action is worth what the hand after it is, part by part."""
    settings = LookAheadSettings(1, 1, weights=weights)
    for state in small_states(Random(3), 20, cards=10, talon=3):
        assert state.turn is not None
        found = look_ahead_table(
            state.observation(state.turn, sees_all=True), 1, backend("classic"), settings
        )
        after = [forced(state.apply(action)) for action in state.legal_actions]
        expected = [
            prospect(one, state.turn, weights) for one in after if not one.is_over and is_in(one, state.turn)
        ]
        if len(expected) == len(after) and state.rules.teams is None:
            assert found.rows == (tuple(expected),)


def test_a_team_that_is_out_has_won():
    """Its seats share what the fool's team will lose; partners have the sum of their prospects."""
    state = State.setup(
        Rules.parse("podkidnoy:seats=6,teams=3x2"), ["6s", "7s", "", "8s", "9s", ""], trump="Ac"
    )
    plan = LookAheadPlan(weights=list(PUBLISHED))
    evaluate(state.to_position(), state.to_position(), 0, plan, 0)
    assert plan.vectors[:6] == vector(state)
    assert plan.vectors[2] == plan.vectors[5] == 3000


def test_paranoia_cuts_branches():
    """Only there does less than the whole tree suffice."""
    nodes = dict.fromkeys(TEMPERS, 0)
    for state in small_states(Random(2), 20, cards=12, talon=3):
        assert state.turn is not None
        observation = state.observation(state.turn)
        for temper in TEMPERS:
            nodes[temper] += look_ahead_table(
                observation, 1, backend("classic"), LookAheadSettings(4, 2, temper)
            ).nodes
    assert nodes["paranoid"] < nodes["maxn"] == nodes["coalition"]


@pytest.mark.sampled(5)
@pytest.mark.parametrize("temper", TEMPERS)
@pytest.mark.parametrize(
    "text", ["podkidnoy", "van-khan:seats=3", "podkidnoy:seats=6,teams=3x2", "perevodnoy:seats=4"]
)
def test_both_backends_find_the_same(classic: Backend, text: str, temper: str):
    """One seed gives the same deals, values and nodes in CPython and compiled."""
    settings = LookAheadSettings(3, 3, temper)
    for seed in range(3):
        state = State.deal(Rules.parse(text), seed)
        for _ in range(4):
            assert state.turn is not None
            if len(state.legal_actions) > 1:
                observation = state.observation(state.turn)
                found = look_ahead_table(observation, 5, classic, settings)
                assert found == look_ahead_table(observation, 5, plain_backend(), settings)
                assert len(found.rows) == 3
            state = state.apply(state.legal_actions[-1])
            state = state.apply(state.legal_actions[0])


def test_cutting_the_work_into_calls_changes_nothing(monkeypatch: pytest.MonkeyPatch):
    """Three nodes a call or thousands: the same values and nodes, of max^n and minimax, however it is cut."""
    runner = backend("classic")

    def tables(state: State) -> list[DealTable]:
        assert state.turn is not None
        observation = state.observation(state.turn)
        found = [
            look_ahead_table(observation, 7, runner, LookAheadSettings(4, 3, temper)) for temper in TEMPERS
        ]
        settings = [LookAheadSettings(4, 3, "paranoid", "basic", prunes) for prunes in (True, False)]
        found += [look_ahead_table(observation, 7, runner, each) for each in settings]
        return found

    for state in small_states(Random(3), 12, cards=12, talon=6):
        monkeypatch.setattr(determinized, "NODES_A_CALL", {"plain": 10**6, "compiled": 10**6})
        whole = tables(state)
        monkeypatch.setattr(determinized, "NODES_A_CALL", {"plain": 3, "compiled": 3})
        assert tables(state) == whole
