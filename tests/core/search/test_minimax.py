"""Minimax against brute force that knows nothing but the rules, with and without its short cuts."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest
from lookahead import forced, hand_to_be, small_states, weak_ranks

from durak_core import Attack, Card, Rules, State, make_agent
from durak_core.kernel.position import MAX_SEATS, PILE_ON, Position, derive, random_below
from durak_core.search.backend.backend import Backend, backend, plain_backend
from durak_core.search.determinized import searches as determinized
from durak_core.search.determinized.look_ahead import DealMemory, _deal_key, recall, remember
from durak_core.search.determinized.searches import DealTable, LookAheadSettings, look_ahead_table, plan_of
from durak_core.search.endgame.alpha_beta import DepthFirst

GREEDY = make_agent("greedy")


def minimax(depth: int, evaluation: str, samples: int = 20, prunes: bool = True) -> LookAheadSettings:
    return LookAheadSettings(depth, samples, "paranoid", evaluation, prunes)


def brute_force(state: State, seat: int, depth: int, evaluation: str) -> int:
    """Return the value of a state for a seat by trying everything."""
    state = forced(state)
    if state.is_over:
        return outcome(state, seat, 1000)
    if depth == 0:
        return playout(state, seat) if evaluation == "playout" else basic(state, seat)
    values = [brute_force(state.apply(action), seat, depth - 1, evaluation) for action in state.legal_actions]
    return max(values) if state.turn in team_of(state, seat) else min(values)


def team_of(state: State, seat: int) -> tuple[int, ...]:
    return state.rules.members(state.rules.team_of(seat))


def outcome(state: State, seat: int, worth: int) -> int:
    if not state.fools:
        return 0
    return -worth if seat in state.fools else worth


def playout(state: State, seat: int) -> int:
    """Let greedy agents play the game to its end."""
    while state.turn is not None:
        state = state.apply(GREEDY.choose(state.observation(state.turn)).action)
    return outcome(state, seat, 900)


def basic(state: State, seat: int) -> int:
    """Compare with each opponent; the best comparison counts, and of those of partners the worst."""
    left = {other for other in range(state.rules.seats) if state.roles[other].name != "OUT"}
    mine = left.intersection(team_of(state, seat))
    best = [max(compare(state, partner, other) for other in left - mine) for partner in mine]
    return min(best, default=900)


def compare(state: State, seat: int, other: int) -> int:
    mine, theirs = hand_to_be(state, seat), hand_to_be(state, other)
    ranks = state.rules.deck_size // state.rules.suits

    def is_trump(card):
        return card.suit == state.trump_suit

    def worth(hand):
        return sum(int(card.rank) + (ranks if is_trump(card) else 0) for card in hand)

    value = len(theirs) - len(mine)
    if value == 0:
        value = worth(mine) - worth(theirs)
    elif len(state.talon) == 0:
        value *= 15
    if len(state.talon) == 0:
        if state.attacker == seat and not any(map(is_trump, theirs)):
            value += 500 if weak_ranks(mine, theirs) <= 1 else 0
        elif state.attacker == other and not any(map(is_trump, mine)):
            value -= 500 if weak_ranks(theirs, mine) <= 1 else 0
    return max(-900, min(900, value))


def search(state: State, runner: Backend, settings: LookAheadSettings, *, sees_all: bool = True) -> DealTable:
    assert state.turn is not None
    return look_ahead_table(state.observation(state.turn, sees_all=sees_all), 3, runner, settings)


@pytest.mark.parametrize(
    ("evaluation", "depth", "positions"), [("basic", 4, 60), ("basic", 1, 60), ("playout", 3, 25)]
)
def test_minimax_agrees_with_brute_force(evaluation: str, depth: int, positions: int):
    """With all cards open every action has the value that trying everything gives, under many rules."""
    runner = backend("classic")
    for state in small_states(Random(depth), positions, cards=9, talon=4):
        seat = state.turn
        expected = [brute_force(state.apply(a), seat, depth - 1, evaluation) for a in state.legal_actions]
        found = search(state, runner, minimax(depth, evaluation))
        assert found.rows == (tuple(expected),), state.hands


def test_what_is_expected_after_an_action_ends_in_its_value():
    """Whoever plays the line on, and what is forced in between, comes to a position of just that worth."""
    runner = backend("classic")
    for state in small_states(Random(5), 30, cards=9, talon=4):
        table = search(state, runner, minimax(4, "basic", prunes=False))
        for place, action in enumerate(state.legal_actions):
            after = forced(state.apply(action))
            for expected in table.continuation(0, place):
                after = forced(after.apply(expected))
            assert brute_force(after, state.turn, 0, "basic") == table.rows[0][place]
        assert 1 <= table.depth <= 4


def to_the_end(state: State, seat: int, seen: dict[State, int]) -> int:
    """Return the outcome for a seat by trying everything."""
    if state.is_over:
        return outcome(state, seat, 1000)
    if state not in seen:
        values = [to_the_end(state.apply(action), seat, seen) for action in state.legal_actions]
        seen[state] = max(values) if state.turn == seat else min(values)
    return seen[state]


def test_searching_to_the_end_tells_who_wins():
    """Deep enough, values are outcomes: 1000, 0 or -1000, for games of five cards without transfers."""
    runner = backend("classic")
    reached = set()
    for state in small_states(Random(8), 60, cards=5, talon=0):
        if state.rules.transfer or state.rules.seats > 2:
            continue
        seen: dict[State, int] = {}
        expected = [to_the_end(state.apply(action), state.turn, seen) for action in state.legal_actions]
        assert search(state, runner, minimax(25, "basic")).rows == (tuple(expected),)
        reached.update(expected)
    assert reached == {1000, 0, -1000}


def dealt_states(number: int, seed: int, styles: tuple[str, ...]):
    """Yield states with a choice from random play of whole games."""
    rng = [derive(seed, 1)]
    game = 0
    while number:
        state = State.deal(Rules.parse(styles[game % len(styles)]), seed + game)
        game += 1
        while not state.is_over and number:
            if len(state.legal_actions) > 1 and random_below(rng, 5) == 0:
                number -= 1
                yield state
            state = state.apply(state.legal_actions[random_below(rng, len(state.legal_actions))])


def check_pruning(positions: int, depth: int) -> None:
    runner = backend("classic")
    styles = (
        "zarlykov",
        "perevodnoy",
        "podkidnoy:attack_style=volley",
        "podkidnoy:seats=4,teams=2x2",
        "larsenbier",
    )
    cut = whole = 0
    for number, state in enumerate(dealt_states(positions, 77, styles)):
        evaluation = "playout" if number % 2 else "basic"
        tables = [
            search(state, runner, minimax(depth, evaluation, 2, prunes), sees_all=number % 3 > 0)
            for prunes in (True, False)
        ]
        assert tables[0].rows == tables[1].rows
        cut += tables[0].nodes
        whole += tables[1].nodes
    assert cut < whole


def test_pruning_changes_no_value():
    """With alpha-beta, deepening and table on or off, every action has the same value, for fewer nodes."""
    check_pruning(40, 4)


@pytest.mark.slow
def test_pruning_changes_no_value_at_length():
    """Five hundred positions, six decisions deep."""
    check_pruning(500, 6)


@pytest.mark.parametrize("attacker", range(4))
def test_pruning_changes_no_value_where_partners_choose(attacker: int):
    """A partner raises the value for the searching seat, so it must not be cut off like an opponent."""
    rules = Rules.parse("podkidnoy:seats=4,teams=2x2,visibility=open")
    hands = ["Th6cAc", "Qh8d8c", "8sTs", "9s7c"]
    state = State.setup(rules, hands, trump="7d", attacker=attacker)
    tables = [search(state, plain_backend(), minimax(5, "basic", 1, prunes)) for prunes in (True, False)]
    assert tables[0].rows == tables[1].rows


def a_position() -> Position:
    """Return a position of three, whose second seat has to beat a card."""
    state = State.setup(Rules(seats=3), ["6s7h6h", "8s9h9d", "TsKs"], talon="7d8dAc")
    return state.apply(Attack(Card.parse("6h"))).to_position()


@pytest.mark.parametrize(
    "change",
    [
        {"in_mask": 3},
        {"hands": [1, 2, 3]},
        {"attacker": 2},
        {"defender": 2},
        {"turn": 2},
        {"phase": PILE_ON},
        {"passed": 1},
        {"shown": 1},
        {"limit": 1},
        {"drawn": 34},
        {"stall": 1},
        {"bout": 1},
        {"n_attacks": 0},
    ],
    ids=lambda change: next(iter(change)),
)
def test_positions_of_one_deal_with_different_prospects_have_different_keys(change: dict[str, Any]):
    """Otherwise the table would give one of them the value of the other."""
    position = a_position()
    (name,) = change
    assert getattr(position, name) != change[name]
    assert _deal_key(replace(position, **change), 1) != _deal_key(position, 1)


def test_keys_of_one_deal_tell_the_exchanged_card():
    """Rules 5.9: the card under the talon is another one then."""
    before = replace(a_position(), exchange_trump=1)
    after = replace(before, deck=[*before.deck])
    after.deck[after.deck_size - 1] += 1
    assert _deal_key(after, 1) != _deal_key(before, 1)


def test_keys_of_one_deal_leave_out_what_has_no_effect():
    position = a_position()
    assert _deal_key(replace(position, bout=7), 1) == _deal_key(position, 1)
    assert _deal_key(position, 2) != _deal_key(position, 1)


@pytest.mark.parametrize(
    ("value", "known"),
    [
        (50, [True, True, True]),  # exact
        (90, [False, True, False]),  # at least: enough where it reaches beta
        (10, [False, True, True]),  # at most: enough where it does not exceed alpha
    ],
)
def test_a_bound_decides_only_where_the_window_excludes_it(value: int, known: list[bool]):
    """A value found between 20 and 80 is looked up with wider, lower and higher windows."""
    plan, search = plan_of(minimax(3, "basic"), 1), DepthFirst(slots=1)
    unused: list[Any] = []
    memory = DealMemory(unused, unused, unused, [plan], [search], [0], [0], unused, unused)
    search.key[1], search.alpha[1], search.beta[1] = 7, 20, 80
    plan.vectors[MAX_SEATS + search.seat] = value
    remember(memory, 1, 2)
    found = []
    for search.alpha[1], search.beta[1] in ((0, 100), (60, 85), (15, 95)):
        plan.vectors[MAX_SEATS + search.seat] = -1
        found.append(recall(memory, 1, 2))
        assert plan.vectors[MAX_SEATS + search.seat] == value
    assert found == known
    assert not recall(memory, 1, 1)


def test_the_table_changes_no_value(monkeypatch: pytest.MonkeyPatch):
    """A table of a single entry, which remembers next to nothing, gives the same values for more nodes."""
    runner = backend("classic")
    states = list(small_states(Random(6), 40, cards=12, talon=6))
    settings = minimax(5, "basic")
    tables = [search(state, runner, minimax(5, "playout")) for state in states[:8]]
    tables += [search(state, runner, settings) for state in states]
    monkeypatch.setattr(determinized, "_MOST_TABLE_BITS", 0)
    without = [search(state, runner, minimax(5, "playout")) for state in states[:8]]
    without += [search(state, runner, settings) for state in states]
    assert [table.rows for table in tables] == [table.rows for table in without]
    assert sum(table.nodes for table in tables) < sum(table.nodes for table in without)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "text",
    ["podkidnoy", "podkidnoy:seats=3,trumps=no", "perevodnoy:seats=4,show_trump=yes,teams=2x2", "larsenbier"],
)
@pytest.mark.parametrize("settings", [minimax(3, "playout", 2), minimax(3, "basic", 3, False)])
def test_both_backends_find_the_same(classic: Backend, text: str, settings: LookAheadSettings):
    """One seed gives the same deals, values and nodes in CPython and compiled."""
    for state in dealt_states(6, 5, (text,)):
        tables = [search(state, runner, settings, sees_all=False) for runner in (classic, plain_backend())]
        assert tables[0] == tables[1]
        places = range(len(state.legal_actions))
        lines = [
            [table.continuation(deal, at) for deal in range(len(table.rows)) for at in places]
            for table in tables
        ]
        assert lines[0] == lines[1]


def test_where_nothing_is_hidden_one_deal_is_enough():
    """Open cards make one row, hidden ones as many as were asked for, and the seed decides which."""
    state = State.deal(Rules(), 4)
    assert state.turn is not None
    settings = minimax(2, "basic", 5)
    observation = state.observation(state.turn)
    rows = [look_ahead_table(observation, seed, backend("classic"), settings).rows for seed in (1, 1, 2)]
    assert len(rows[0]) == 5
    assert rows[0] == rows[1] != rows[2]
    assert len(search(state, backend("classic"), settings).rows) == 1
