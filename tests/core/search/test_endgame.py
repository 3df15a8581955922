"""The exact endgame against brute force that knows nothing but the rules."""

from __future__ import annotations

import gc
import weakref
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from brute_force import can_have
from endgames import solve_position
from playing import play
from properties import few_or_many

from durak_core import CardSet, Rules, State
from durak_core.actions import encode
from durak_core.kernel.position import PILE_ON
from durak_core.search.backend.backend import Backend, backend, plain_backend
from durak_core.search.endgame.alpha_beta import DepthFirst, _position_key, attacker_has_won, move_score
from durak_core.search.endgame.solver import ActionSolver, PositionSolver, SeatTable, solve_actions

RULES = [
    *("podkidnoy", "zarlykov", "podkidnoy:pile_on=no", "podkidnoy:draws=no", "podkidnoy:forced_play=yes"),
    "podkidnoy:lowest_card=always",
]
RULES += ["podkidnoy:attack_style=volley", "podkidnoy:attack_limit=2", "podkidnoy:stall_limit=1"]
RULES += [
    "perevodnoy:stall_limit=3",
    "perevodnoy:stall_limit=4,show_trump=yes",
    "perevodnoy:stall_limit=2,draws=no",
    "podkidnoy:exchange_trump=yes",
    *(
        "podkidnoy:jokers=any,lowest_rank=12,hand_size=2",
        "podkidnoy:jokers=colour,lowest_rank=12,hand_size=2",
    ),
    "perevodnoy:jokers=colour,stall_limit=3,lowest_rank=11,hand_size=2",
]


def brute_force(state: State, seat: int, seen: dict[State, int]) -> int:
    """Return the value of a position for a seat by trying everything."""
    if state.is_over:
        return round(state.returns[seat])
    if state not in seen:
        values = [brute_force(state.apply(action), seat, seen) for action in state.legal_actions]
        seen[state] = max(values) if state.turn == seat else min(values)
    return seen[state]


def small_endgame(rng: Random, most: int) -> State:
    """Return a random position with few cards, now and then with the open trump still to be drawn."""
    rules = Rules.parse(rng.choice(RULES))
    cards = list(rules.deck)
    rng.shuffle(cards)
    n = rng.randint(2, most)
    while cards[n].is_joker:
        rng.shuffle(cards)
    mine = rng.randint(1, n - 1)
    talon = [cards[n]] if rng.random() < 0.2 else []
    hands = [CardSet.of(cards[:mine]), CardSet.of(cards[mine:n])]
    state = State.setup(rules, hands, talon=talon, trump=cards[n], attacker=rng.randint(0, 1))
    for _ in range(rng.randint(0, 4)):
        if len(state.legal_actions) > 1:
            state = state.apply(rng.choice(state.legal_actions))
    return state


def check(runner: Backend, positions: int, seed: int, most: int) -> None:
    rng = Random(seed)
    for _ in range(positions):
        state = small_endgame(rng, most)
        if state.turn is None:
            continue
        seat = rng.randint(0, 1)
        found = solve_position(state.to_position(), seat, runner, table_bits=12)
        assert found is not None
        seen: dict[State, int] = {}
        value = brute_force(state, seat, seen)
        assert found.value == value, state.hands
        assert found.action is not None
        assert brute_force(state.apply(found.action), seat, seen) == value


def test_the_solver_agrees_with_brute_force():
    """Value and action are those of brute force, on random small endgames of many rules."""
    check(backend("search"), 25, seed=1, most=6)


@few_or_many("positions", 30, 10_000)
def test_the_solver_agrees_with_brute_force_on_transfers(positions: int):
    """Odd and even numbers of cards, on both sides of a draw that only a game of both sides proves."""
    rng = Random(6)
    rules = Rules.preset("perevodnoy")
    runner = backend("search")
    values: set[tuple[int, int | None]] = set()
    for _ in range(positions):
        cards = list(rules.deck)
        rng.shuffle(cards)
        n = rng.randint(2, 6)
        mine = rng.randint(1, n - 1)
        hands = [CardSet.of(cards[:mine]), CardSet.of(cards[mine:n])]
        state = State.setup(rules, hands, trump=cards[n], attacker=rng.randint(0, 1))
        found = solve_position(state.to_position(), 0, runner, table_bits=12)
        assert found is not None
        assert found.value is not None
        assert can_have(state, 0, found.value), state.hands
        assert found.value == 1 or can_have(state, 0, found.value + 1) is False, state.hands
        values.add((n % 2, found.value))
    assert values == {(0, -1), (0, 0), (0, 1), (1, -1), (1, 1)}


@pytest.mark.parametrize(("hands", "drawn"), [(("9cKcAs", "7c8sQh"), True), (("9cKcAs", "7c8sQh6d"), False)])
def test_no_nodes_go_into_draws_that_an_odd_number_of_cards_rules_out(hands: tuple[str, str], drawn: bool):
    """Cards leave in pairs, so the search for an odd number is the one of rules without draws (8.3)."""
    nodes = {}
    for draws in (True, False):
        rules = Rules.parse(f"perevodnoy:draws={'yes' if draws else 'no'}")
        found = solve_position(State.setup(rules, hands, trump="Ah").to_position(), 0, plain_backend())
        assert found is not None
        nodes[draws] = found.nodes
    assert (nodes[True] > nodes[False]) == drawn


@pytest.mark.parametrize(
    ("rules", "hands", "trump", "attacker"),
    [
        ("podkidnoy:lowest_rank=12,lowest_beats_ace=any,hand_size=2", ["QsAsKhAdKc", "Ah"], "Qc", 0),
        (
            "podkidnoy:lowest_rank=12,lowest_beats_ace=any,hand_size=2,jokers=any",
            ["QsAs*sKc", "KdAc"],
            "Ah",
            1,
        ),
    ],
)
def test_a_lead_that_is_taken_may_beat_an_ace(rules: str, hands: list[str], trump: str, attacker: int):
    """Unbeatable cards do not win by themselves where the lowest card beats the ace (1.5)."""
    state = State.setup(Rules.parse(rules + ",attack_limit=1"), hands, trump=trump, attacker=attacker)
    found = solve_position(state.to_position(), 0, plain_backend())
    assert found is not None
    assert found.value == brute_force(state, 0, {})


def test_the_solver_agrees_with_brute_force_in_plain_python():
    """The same text in CPython."""
    check(plain_backend(), 20, seed=2, most=5)


@pytest.mark.slow
def test_the_solver_agrees_with_brute_force_at_length():
    """Two thousand endgames."""
    check(backend("search"), 2000, seed=3, most=6)


def test_the_last_two_of_two_teams_play_for_their_teams():
    """Rules 2.2: the fool is a team, here of seats 0 and 2 or of seats 1 and 3."""
    rules = Rules.parse("podkidnoy:seats=4,teams=2x2")
    rng = Random(4)
    values = set()
    for _ in range(20):
        cards = list(rules.deck)
        rng.shuffle(cards)
        hands = [CardSet(), CardSet(), CardSet.of(cards[:2]), CardSet.of(cards[2:4])]
        state = State.setup(rules, hands, trump=cards[4], attacker=rng.choice((2, 3)))
        for seat in (2, 3):
            found = solve_position(state.to_position(), seat, plain_backend(), table_bits=8)
            assert found is not None
            assert found.value == brute_force(state, seat, {}), state.hands
            values.add(found.value)
    assert values >= {-1, 1}


def test_what_cannot_be_solved_is_not():
    """Hidden cards to draw (one without trumps, too), three seats and finished games are refused."""
    runner = plain_backend()
    assert solve_position(State.deal(Rules(), 1).to_position(), 0, runner) is None
    hidden = State.setup(Rules.parse("podkidnoy:trumps=no"), ["6c7d", "8c9d"], talon="Tc")
    assert solve_position(hidden.to_position(), 0, runner) is None
    three = State.setup(Rules(seats=3), ["6c", "7c", "8c"])
    assert solve_position(three.to_position(), 0, runner) is None


def test_a_budget_that_runs_out_is_said():
    """Without enough nodes the value is unknown, and no action is named."""
    state = State.setup(Rules(), ["6c7dThQsKd9h", "8c8dJhAsQd9s"], trump="As")
    found = solve_position(state.to_position(), 0, plain_backend(), nodes=5)
    assert found is not None
    assert (found.value, found.action) == (None, None)


def test_no_win_is_seen_that_comes_too_late():
    """Rules 8.5: whoever takes every lead may have the game drawn before the last one."""
    position = State.setup(Rules(), ["AsKs", "6h7h8h"], trump="9c").to_position()
    position.stall = position.stall_limit - 3
    assert attacker_has_won(position, 0)
    position.stall += 1
    assert not attacker_has_won(position, 0)


@pytest.mark.parametrize(
    ("rules", "won"),
    [
        ("podkidnoy", True),
        ("podkidnoy:forced_play=yes", False),
        ("podkidnoy:transfer=yes", False),
        ("podkidnoy:attack_style=volley", False),
    ],
)
def test_no_win_is_seen_where_other_rules_could_prevent_it(rules: str, won: bool):
    """Only the attacker's free choice of single leads makes it certain."""
    position = State.setup(Rules.parse(rules), ["AsKs", "6h7h8h"], trump="9c").to_position()
    assert attacker_has_won(position, 0) == won


@pytest.mark.parametrize(("limit", "won"), [(3, True), (2, False)])
def test_no_win_is_seen_that_does_not_fit_into_its_bouts(limit: int, won: bool):
    """Sixes that sevens beat must all be led at once; every unbeatable card needs a bout."""
    rules = Rules(attack_limit=limit)
    sixes = State.setup(rules, ["6c6d6h", "7c7d7h8s"], trump="9s").to_position()
    assert attacker_has_won(sixes, 0) == won
    aces = State.setup(rules, ["AsKs", "6h7h8h"], trump="9c").to_position()
    assert attacker_has_won(aces, aces.bout + 1)
    assert not attacker_has_won(aces, aces.bout)


def test_the_length_of_a_game_counts_the_bout_that_an_action_ends():
    """The last six cannot be beaten; after a pass the king goes first, in the next bout."""
    state = play(State.setup(Rules(), ["6c6d", "7cKh"], trump="As"), "6c 7cx6c")
    solver = ActionSolver(state.observation(0), plain_backend())
    while not solver.is_done:
        solver.work(1000)
    assert {str(action): (value, solver.bouts(action)) for action, value in solver.values.items()} == {
        "6d": (1, 1),
        "pass": (-1, 2),
    }


def test_the_position_is_left_alone():
    """Solving changes nothing of the position that it was asked about."""
    position = State.setup(Rules(), ["6c7dTh", "8c8dJh"], trump="As").to_position()
    before = repr(position)
    solve_position(position, 0, plain_backend())
    assert repr(position) == before


def test_a_card_that_is_alone_of_its_rank_is_tried_before_a_pair():
    """Whatever their ranks are; a lead of a pair invites the other card."""
    state = State.setup(Rules(), ["6c6d8hTh", "9c7hTs"], trump="As")
    position = state.to_position()
    led = sorted(state.legal_actions, key=lambda action: move_score(position, encode(action)))
    assert [str(action) for action in led] == ["8h", "Th", "6d", "6c"]


def test_positions_with_and_without_a_shown_trump_are_different():
    """Rules 7.4: a trump is shown once in a bout, so the same cards can have another value after it."""
    rules = Rules.parse("perevodnoy:show_trump=yes,draws=no")
    state = State.setup(rules, ["TcTdKcKdKh6h", "Ks7cQh"], trump="6s")
    values = solve_actions(state.observation(0), 60_000)
    assert values is not None
    won = {str(action) for action, value in values.items() if value == 1}
    assert won == {"Tc", "Td", "Kc", "Kd"}


@pytest.mark.parametrize(
    "change", [{"limit": 1}, {"phase": PILE_ON}, {"shown": 1}, {"stall": 58}, {"attacker": 1, "turn": 1}]
)
def test_positions_with_different_prospects_have_different_keys(change: dict[str, Any]):
    """The same cards in hand and on the table can have another value."""
    position = State.setup(Rules.preset("perevodnoy"), ["6s7h", "8s9h"], trump="Ac").to_position()
    search = DepthFirst()
    assert _position_key(replace(position, **change), search) != _position_key(position, search)


def test_positions_before_and_after_an_exchange_have_different_keys():
    """Rules 5.9: the same hands can have another card under the talon, once both trumps have been in play."""
    rules = Rules.parse("podkidnoy:exchange_trump=yes,hand_size=1")
    kings, sixes = (State.setup(rules, ["7s8s", "9s9h"], talon=talon).to_position() for talon in ("Kc", "6c"))
    assert _position_key(kings, DepthFirst()) != _position_key(sixes, DepthFirst())


def test_a_search_of_some_bouts_has_keys_of_its_own():
    """What an unfinished game counts as, and the bouts that are left, decide the value."""
    position = State.setup(Rules.preset("perevodnoy"), ["6s7h", "8s9h"], trump="Ac").to_position()
    searches = [DepthFirst(last_bout=last, cut=cut) for last in (0, 2, 3) for cut in (-1, 0, 1)]
    keys = [_position_key(position, search) for search in searches if search.last_bout or not search.cut]
    assert len(set(keys)) == len(keys) == 7


@pytest.mark.parametrize("ahead", [0, 1, 3])
def test_keys_tell_takes_in_a_row_only_if_they_can_end_the_game(ahead: int):
    """Rules 8.5: with so many bouts to search after this one, one take more may make the game a draw."""
    position = State.setup(Rules.preset("perevodnoy"), ["6s7h", "8s9h"], trump="Ac").to_position()
    search = DepthFirst(last_bout=position.bout + ahead, cut=-1)
    fresh, safe, critical = (
        _position_key(replace(position, stall=stall), search)
        for stall in (0, position.stall_limit - ahead - 2, position.stall_limit - ahead - 1)
    )
    assert fresh == safe != critical


def test_a_win_over_several_bouts_tells_how_many_they_are():
    """With transfers the search looks as far ahead as the game goes on."""
    rules = Rules.preset("perevodnoy")
    position = State.setup(rules, ["9cKcAs", "7c8sQh"], trump="Ah").to_position()
    runner = plain_backend()
    solver = PositionSolver(position, runner, SeatTable.of(0, runner, 64))
    while solver.value is None:
        solver.work(1000)
    assert (solver.value, solver.bouts) == (1, solver.ahead)
    assert solver.ahead > 4


@pytest.mark.parametrize("rules", ["podkidnoy", "perevodnoy"])
def test_a_solver_frees_its_tables_with_its_last_use(rules):
    """Engines solve an endgame with megabytes for each move of a game, for hours."""
    state = State.setup(rules, ["6d 9d", "7d 8d"], trump="As")
    gc.disable()
    try:
        solver = ActionSolver(state.observation(0), plain_backend())
        solver.work(10)
        kept = [weakref.ref(solver), *map(weakref.ref, solver._solvers.values())]
        del solver
        assert [one() for one in kept] == [None] * len(kept)
    finally:
        gc.enable()
