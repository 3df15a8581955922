"""A UCT tree for every deal: the same everywhere, bounded, and it finds what is plain to see."""

from __future__ import annotations

from random import Random

import pytest

from durak_core import CardSet, Rules, State
from durak_core.kernel.position import derive, random_below
from durak_core.search.backend.backend import Backend, backend, plain_backend
from durak_core.search.determinized import searches as determinized
from durak_core.search.determinized.searches import SIMULATIONS, DealTable, MctsSettings, mcts_table
from durak_core.search.endgame.alpha_beta import outcome
from durak_core.search.search_result import SCORE


def grow(
    state: State, runner: Backend, settings: MctsSettings, seed: int = 3, *, sees_all: bool = False
) -> DealTable:
    assert state.turn is not None
    return mcts_table(state.observation(state.turn, sees_all=sees_all), seed, runner, settings)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("simulation", SIMULATIONS)
@pytest.mark.parametrize(
    "text",
    [
        "podkidnoy",
        "podkidnoy:seats=3,trumps=no",
        "podkidnoy:seats=6,throw_in=neighbours",
        "perevodnoy:seats=4,show_trump=yes",
        "groningen:seats=3",
        "podkidnoy:visibility=open",
    ],
)
def test_both_backends_grow_the_same_trees(classic: Backend, text: str, simulation: str):
    """One seed gives the same visits, outcomes and nodes in CPython and compiled."""
    settings = MctsSettings(60, simulation=simulation, samples=3)
    state = State.deal(Rules.parse(text), 8)
    rng = [derive(4, 4)]
    for _ in range(2):
        if len(state.legal_actions) > 1:
            assert grow(state, classic, settings) == grow(state, plain_backend(), settings)
        for _ in range(24):
            if not state.is_over:
                state = state.apply(state.legal_actions[random_below(rng, len(state.legal_actions))])


def test_all_iterations_are_counted_in_every_tree():
    """The visits of a tree are its iterations; every action is tried before one is tried again."""
    state = State.deal(Rules(), 2)
    table = grow(state, backend("classic"), MctsSettings(40, samples=7))
    assert len(table.rows) == 7
    for row in table.rows:
        assert sum(row) == 40
        assert min(row) >= 1
    few = grow(state, backend("classic"), MctsSettings(4, samples=5))
    assert all(sorted(row) == [0, 0, 1, 1, 1, 1] for row in few.rows)


def test_what_came_of_them_decides_between_equal_visits():
    """Visits count first, and all scores of an action go into its value."""
    table = DealTable(((3, 3, 4), (1, 0, 5)), 0, unit=SCORE, scores=((1.5, 2.0, 0.5), (1.0, 0.0, 2.5)))
    assert table.ranks(0) == [(3, 0.5), (3, 2 / 3), (4, 0.125)]
    assert [table.value(place) for place in range(3)] == [(2.5 / 4, 4), (2 / 3, 3), (3.0 / 9, 9)]
    values = DealTable(((3, 5), (1, 1)), 0)
    assert (values.value(1), values.depth) == ((3, 0), 0)


def test_the_seed_decides():
    """The same seed gives the same trees, another one others."""
    state = State.deal(Rules(seats=3), 6)
    rows = [grow(state, backend("classic"), MctsSettings(50, samples=4), seed).rows for seed in (1, 1, 2)]
    assert rows[0] == rows[1] != rows[2]


def test_where_nothing_is_hidden_there_is_one_tree():
    """All cards in sight make one tree."""
    state = State.deal(Rules(), 6)
    assert len(grow(state, backend("classic"), MctsSettings(50), sees_all=True).rows) == 1


def test_full_memory_stops_the_tree_and_not_the_search(monkeypatch: pytest.MonkeyPatch):
    """Where no node can be added the games go on from what there is."""
    monkeypatch.setattr(determinized, "_MOST_NODES", 20)
    state = State.deal(Rules(), 6)
    table = grow(state, backend("classic"), MctsSettings(500, samples=2))
    assert table.nodes <= 40
    assert all(sum(row) == 500 for row in table.rows)


def value(state: State, seat: int) -> int:
    """Return a position's value for a seat by trying everything."""
    if state.is_over:
        return outcome(state.to_position(), seat)
    values = [value(state.apply(action), seat) for action in state.legal_actions]
    return max(values) if state.turn == seat else min(values)


def test_it_finds_the_only_winning_action():
    """In endgames where one action wins by force and all others lose, that one gets the visits."""
    rng = Random(5)
    checked = 0
    while checked < 5:
        cards = list(Rules().deck)
        rng.shuffle(cards)
        state = State.setup(Rules(), [CardSet.of(cards[:3]), CardSet.of(cards[3:6])], trump=cards[6])
        values = [value(state.apply(action), 0) for action in state.legal_actions]
        if sorted(values) == [-1, -1, 1]:
            checked += 1
            (row,) = grow(state, backend("classic"), MctsSettings(2000)).rows
            assert row.index(max(row)) == values.index(1)


def test_cutting_the_work_into_calls_changes_nothing(monkeypatch: pytest.MonkeyPatch):
    """Seven iterations a call or all of them grow the same trees."""
    state = State.deal(Rules(), 6)
    settings = MctsSettings(100, samples=3)
    whole = grow(state, backend("classic"), settings)
    monkeypatch.setattr(determinized, "CHUNK", {"plain": 7, "compiled": 7})
    assert grow(state, backend("classic"), settings) == whole
