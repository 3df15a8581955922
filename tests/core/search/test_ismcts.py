"""The information-set search: the same everywhere, bounded, fair, and it finds what is plain to see."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from endgames import solve_position
from lookahead import one_way_to_win
from playing import play

from durak_core import Rules, State, read_observation, write_observation
from durak_core.kernel.position import OPENING, OVER, Position, derive, random_below
from durak_core.search.backend.backend import Backend, backend, plain_backend
from durak_core.search.endgame.alpha_beta import LEVELS, UNKNOWN, DepthFirst, EndgameMemory
from durak_core.search.ismcts.tree import (
    AVAILABLE,
    NODE_WIDTH,
    VALUE_WIDTH,
    VISITS,
    Tree,
    add_child,
    back_up,
    cards_left,
    find_children,
    make_room,
    reward,
    roll_out,
    solve_leaf,
    solved_reward,
)
from durak_core.search.ismcts.tree_search import SearchSettings, TreeSearch

SMALL = SearchSettings(memory=0.5)


def lines(state: State, runner: Backend, iterations: int = 400, seed: int = 3):
    assert state.turn is not None
    search = TreeSearch(state.observation(state.turn), seed, runner, SMALL)
    search.run(iterations)
    assert search.iterations == iterations
    return search.lines()


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "text",
    [
        "podkidnoy",
        pytest.param("podkidnoy:seats=3,trumps=no", marks=pytest.mark.slow),
        "podkidnoy:seats=6,throw_in=neighbours",
        "perevodnoy:seats=4,show_trump=yes,teams=2x2",
        pytest.param("larsenbier", marks=pytest.mark.slow),
        pytest.param("groningen:seats=3", marks=pytest.mark.slow),
        "podkidnoy:visibility=open",
    ],
)
def test_both_backends_grow_the_same_tree(searcher: Backend, text: str):
    """One seed and one number of iterations give the same visits and scores in CPython and compiled."""
    state = State.deal(Rules.parse(text), 8)
    rng = [derive(4, 4)]
    for _ in range(2):
        assert lines(state, searcher) == lines(state, plain_backend())
        for _ in range(24):
            if not state.is_over:
                state = state.apply(state.legal_actions[random_below(rng, len(state.legal_actions))])
        if state.is_over:
            break


def test_all_actions_are_tried_and_all_iterations_counted():
    """Every legal action has visits, and together they are the iterations."""
    state = State.deal(Rules(), 2)
    found = lines(state, backend("search"))
    assert {line.action for line in found} == set(state.legal_actions)
    assert sum(line.visits for line in found) == 400
    assert all(0 <= line.score <= 1 for line in found)


def test_a_search_can_be_continued():
    """Searching twice is searching once for longer."""
    state = State.deal(Rules(), 5)
    assert state.turn is not None
    observation = state.observation(state.turn)
    once, twice = (TreeSearch(observation, 1, backend("search"), SMALL) for _ in range(2))
    once.run(700)
    twice.run(300)
    twice.run(400)
    assert once.lines() == twice.lines()


def test_each_iteration_adds_one_node_at_most():
    """The first one's path is a single decision."""
    search = TreeSearch(State.deal(Rules(), 5).observation(1), 1, plain_backend(), SMALL)
    search.run(1)
    assert (search.nodes, search.depth) == (2, 1)


def test_full_memory_stops_the_tree_and_not_the_search():
    """With room for the root's children and a few more, the iterations go on."""
    state = State.deal(Rules(), 5)
    assert state.turn is not None
    search = TreeSearch(state.observation(state.turn), 1, backend("search"), SearchSettings(memory=0.005))
    search.run(3000)
    assert search.iterations == 3000
    assert search.nodes <= 5_000 / (4 * NODE_WIDTH + 8 * VALUE_WIDTH)
    assert sum(line.visits for line in search.lines()) > 2000


def test_it_finds_the_only_winning_action():
    """In endgames where one action wins by force and all others lose, that one gets the visits."""
    runner = backend("search")
    for state, winning in one_way_to_win(Random(5), 12, runner):
        assert lines(state, runner, 3000)[0].action == winning


def test_hidden_cards_make_no_difference():
    """The search sees the observation's text and nothing else: the same lines come from its copy."""
    state = State.deal(Rules(seats=3), 6)
    rng = [derive(8, 8)]
    for _ in range(25):
        state = state.apply(state.legal_actions[random_below(rng, len(state.legal_actions))])
    assert state.turn is not None
    observation = state.observation(state.turn)
    searches = [
        TreeSearch(seen, 2, backend("search"), SMALL)
        for seen in (observation, read_observation(write_observation(observation)))
    ]
    for search in searches:
        search.run(500)
    assert searches[0].lines() == searches[1].lines()


@pytest.mark.parametrize(
    ("rules", "hands", "moves", "expected"),
    [
        ("podkidnoy:seats=3", ["6d", "8d", ""], "6d 8dx6d", [0.5, 0.5, 0.5]),
        ("podkidnoy:seats=3", ["6d", "8d9h", ""], "6d 8dx6d", [1, 0, 1]),
        ("podkidnoy:seats=4,teams=2x2", ["6d", "8d9h", "", ""], "6d 8dx6d", [1, 0, 1, 0]),
    ],
)
def test_a_playout_counts_for_every_seat(rules: str, hands: list[str], moves: str, expected: list[float]):
    """A draw is half a win for every seat, and a team loses together."""
    state = play(State.setup(Rules.parse(rules), hands, trump="Ac"), moves)
    position = state.to_position()
    assert state.is_over
    assert [reward(position, seat) for seat in range(position.seats)] == expected


@pytest.mark.parametrize(
    ("rules", "hands", "expected"),
    [
        ("podkidnoy:seats=3", ["6s", "8s", ""], {1: [1, 0, 1], 0: [0.5, 0.5, 0.5], -1: [0, 1, 1]}),
        (
            "podkidnoy:seats=4,teams=2x2",
            ["6s", "8s", "", ""],
            {1: [1, 0, 1, 0], 0: [0.5, 0.5, 0.5, 0.5], -1: [0, 1, 0, 1]},
        ),
    ],
)
def test_a_solved_leaf_counts_for_every_seat(rules: str, hands: list[str], expected: dict[int, list[float]]):
    """A seat that is out draws with the others, and wins or loses with its team."""
    position = State.setup(Rules.parse(rules), hands, trump="Ac").to_position()
    for value, rewards in expected.items():
        assert [solved_reward(position, value, seat) for seat in range(position.seats)] == rewards


@pytest.mark.parametrize(
    ("rules", "hands", "expected"),
    [("perevodnoy", ["9cKcAs", "7c8sQh"], UNKNOWN), ("podkidnoy", ["6c", "7c"], 0)],
)
def test_a_leaf_that_goes_on_after_the_last_bout_is_unknown(rules: str, hands: list[str], expected: int):
    """With transfers the bouts can run out before the attacker has won; without them 0 is a draw."""
    runner = plain_backend()
    position = State.setup(Rules.parse(rules), hands, trump="Ah").to_position()
    solution = solve_position(position, 0, runner)
    assert solution is not None
    assert solution.value == (1 if expected == UNKNOWN else 0)
    assert solved_leaf(position) == expected


def solved_leaf(position: Position) -> int:
    slots = 64
    stack = plain_backend().records(position, LEVELS)
    endgame = EndgameMemory(stack, [DepthFirst(slots=slots)], [0] * slots, [0] * slots)
    return solve_leaf(Tree(leaf_nodes=1000), position, endgame)


@pytest.mark.parametrize(("hands", "value"), [(["6h", "8hAc"], 1), (["6h", "8h"], 0), (["6h7c", "8h"], -1)])
def test_a_leaf_has_the_value_for_its_attacker_whoever_acts(hands: list[str], value: int):
    """The defender has to answer."""
    state = play(State.setup(Rules(), hands, trump="Ah"), "6h")
    assert state.turn == 1
    assert solved_leaf(state.to_position()) == value


def test_an_action_counts_as_available_whenever_it_is_legal():
    """The bound of an action grows with the times that another one was chosen instead of it."""
    tree, nodes = Tree(capacity=5), [0] * (5 * NODE_WIDTH)
    tree.codes[:3] = [11, 12, 13]
    assert make_room(tree, (nodes, [0.0] * 10), 0, 3)
    for i in range(3):
        add_child(tree, nodes, 0, i)
    children = tree.children[:3]
    for legal in ([11, 12], [11, 14]):
        tree.codes[:2] = legal
        assert find_children(tree, nodes, 0, 2) == legal.count(14)
    assert [nodes[child * NODE_WIDTH + AVAILABLE] for child in children] == [3, 2, 1]


def test_more_children_move_with_their_numbers() -> None:
    """Room is for a power of two; a child keeps its visits and its value."""
    tree, nodes, values = Tree(capacity=5), [0] * (5 * NODE_WIDTH), [0.0] * 10
    for i, code in enumerate((11, 12)):
        tree.codes[i] = code
        assert make_room(tree, (nodes, values), 0, 1)
        add_child(tree, nodes, 0, i)
        back_up(nodes, values, tree.children[i], 0.25 + i)
    first, second = tree.children[:2]
    assert (second, tree.n_nodes, tree.used) == (first + 1, 3, 4)
    assert [nodes[child * NODE_WIDTH + VISITS] for child in (first, second)] == [1, 1]
    assert [values[child * VALUE_WIDTH] for child in (first, second)] == [0.25, 1.25]
    assert not make_room(tree, (nodes, values), 0, 1)


@pytest.mark.parametrize(
    ("hands", "end_cards", "ends"),
    [(["6s7h", "8s"], 3, False), (["6s7h", "8s"], 2, True), (["6s7h", "8s", "9h"], 3, False)],
)
def test_a_playout_stops_where_it_can_be_solved(hands: list[str], end_cards: int, ends: bool):
    """Two seats and few cards; of three seats, one plays on until it is out."""
    position = State.setup(Rules(seats=len(hands)), hands, trump="Ac").to_position()
    roll_out(Tree(rng=[1]), position, end_cards)
    assert (position.phase == OVER) == ends
    assert (position.in_mask.bit_count() == 2) != ends


def test_a_playout_is_solved_from_the_start_of_a_bout():
    """The bout that is running is played out first."""
    position = play(State.setup(Rules(), ["6s7h", "8sTd"], trump="Ac"), "6s").to_position()
    roll_out(Tree(epsilon=0), position, 4)
    assert (position.phase, position.bout) == (OPENING, 3)


def test_cards_on_the_table_are_left_to_be_played():
    """A leaf in the middle of a bout is as large as before it."""
    state = State.setup(Rules(), ["6s7h", "8sTd"], trump="Ac")
    counts = [cards_left(play(state, moves).to_position()) for moves in ("", "6s", "6s 8sx6s", "6s take")]
    assert counts == [4, 4, 4, 4]


def test_a_playout_that_is_not_solved_goes_on():
    """Where the nodes do not suffice for its end, it counts as if nothing had been tried."""
    state = State.setup(Rules(seats=3), ["6s7hTd", "8s9hJc", "9s7cQh"], talon="KdAc")
    settings = SearchSettings(memory=0.1, leaf_cards=0, leaf_nodes=0)
    found = []
    for end_cards in (0, 8):
        search = TreeSearch(state.observation(0), 1, plain_backend(), replace(settings, end_cards=end_cards))
        search.run(60)
        found.append(search.lines())
    assert found[0] == found[1]


def test_replies_by_the_policy_are_those_of_others():
    """The searching seat tries all its actions, however often the others play by the policy."""
    state = State.deal(Rules(seats=3), 2)
    assert state.turn is not None
    settings = SearchSettings(memory=0.1, opponent_policy_share=1.0)
    search = TreeSearch(state.observation(state.turn), 1, plain_backend(), settings)
    search.run(20)
    assert {line.action for line in search.lines()} == set(state.legal_actions)
