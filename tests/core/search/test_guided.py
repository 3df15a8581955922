"""The search with a network: the same everywhere, bounded, fair, and its values belong to the right seats."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from functools import cache, reduce
from itertools import pairwise
from random import Random

import pytest
from lookahead import one_way_to_win
from playing import halves, play

from durak_core import Rules, State, make_agent, read_observation, write_observation
from durak_core.actions import decode, encode
from durak_core.agents.learned import NetworkScores, NetworkSelector
from durak_core.kernel.position import MAX_ACTIONS, derive, random_below
from durak_core.knowledge.belief import belief_of
from durak_core.lab import play_game
from durak_core.search.analysis import analyse
from durak_core.search.backend.backend import Backend, backend, plain_backend
from durak_core.search.ismcts.guided import (
    FEW_HIDDEN,
    OFTEN,
    SELDOM,
    PuctState,
    _write_children,
    mean_of_tried,
    pick_likely,
    pick_promising,
    share_value,
)
from durak_core.search.ismcts.tree import (
    AVAILABLE,
    MODELS,
    NETWORK,
    NODE_WIDTH,
    PRIOR,
    VALUE_WIDTH,
    Tree,
)
from durak_core.search.ismcts.tree_search import (
    NetworkGuide,
    SearchSettings,
    TreeSearch,
)
from durak_core.search.network.encoding import (
    ACTIONS,
    ENCODING,
    Memory,
    code_index,
    input_size,
    trump_place,
)
from durak_core.search.network.hands import write_odds
from durak_core.search.network.weights import HANDS, OF_ACTIONS, About, Network, output_count
from durak_core.search.policies.playouts import GREEDY
from durak_core.search.search_result import SearchedAction
from durak_core.statistics import calibrated


@cache
def random_network(seats: int, outputs: str = "outcome") -> Network:
    widths = (input_size(seats), 6, 5, output_count(outputs, seats))
    chance = Random(seats)
    n = sum((before + 1) * width for before, width in pairwise(widths))
    about = About(ENCODING, outputs, f"podkidnoy:seats={seats}", widths, 0)
    return Network(about, Rules(seats=seats), halves([chance.randrange(-8, 9) / 8 for _ in range(n)]))


def constant_network(logit: float) -> Network:
    """A network that expects the same of every action."""
    network = random_network(2)
    n = len(network.weights)
    return replace(network, numbers=halves((0.0,) * (n - ACTIONS) + (logit,) * ACTIONS))


def search_of(
    state: State,
    runner: Backend,
    memory: float = 0.5,
    outputs: str = "outcome",
    hands=None,
    **settings: float,
) -> TreeSearch:
    assert state.turn is not None
    guide = NetworkGuide.of(random_network(state.rules.seats, outputs), **settings)
    observation = state.observation(state.turn)
    belief = belief_of(observation)
    if hands is not None:
        write_odds(belief[1], hands, observation, runner, {})
    both = SearchSettings(memory=memory, guide=guide)
    return TreeSearch(observation, 3, runner, both, belief=belief)


def test_an_analysis_says_what_comes_true() -> None:
    """Its scores and their intervals are moved by the network's levels, and nothing else changes."""
    state = State.deal(Rules(), 8)
    assert state.turn is not None
    network = random_network(2)
    told = []
    for levels in ((0.0, 1.0), (-0.5, 1.25)):
        one = replace(network, about=replace(network.about, levels=levels))
        settings = SearchSettings(memory=0.5, guide=NetworkGuide.of(one))
        observation = state.observation(state.turn)
        told.append(analyse(observation, plain_backend(), iterations=60, settings=settings).lines())
    for usual, moved in zip(*told, strict=True):
        if usual.visits:
            shares = (usual.score, usual.low, usual.high), (moved.score, moved.low, moved.high)
            before, after = ([math.log(share / (1 - share)) for share in some] for some in shares)
            assert after == pytest.approx([1.25 * logit - 0.5 for logit in before])
        assert replace(usual, score=0, low=0, high=0) == replace(moved, score=0, low=0, high=0)
    assert (calibrated(0, 0.5, 2), calibrated(1, -0.5, 2)) == (0, 1)


def evaluations(search: TreeSearch) -> int:
    """Return how often a search has asked its network."""
    return int(search.trees[0].guidance[0].guide[0].evaluations)


def test_the_first_deals_do_not_decide(guided: Backend) -> None:
    """Priors follow the mover's hand in each deal, so that searches with different seeds agree."""
    moves = play_game(Rules(), ["greedy", "greedy"], seed=2).record.moves[:36]
    state = reduce(lambda before, move: before.apply(move.action), moves, State.deal(Rules(), 2))
    observation = state.observation(state.turn or 0)
    settings = NetworkSelector("dmc").fit(SearchSettings(compared=observation.legal_actions), Rules())
    losses = []
    for seed in range(1, 5):
        search = TreeSearch(observation, seed, guided, settings)
        search.run(1000)
        scores = [line.score for line in sorted(search.lines(), key=lambda line: str(line.action))]
        losses.append(scores[0] - scores[1])
    assert max(losses) - min(losses) < 0.2


@pytest.mark.parametrize(("plies", "hidden"), [(30, 8), (20, 16)])
def test_hands_are_told_apart_with_few_hidden_cards(plies: int, hidden: int) -> None:
    """A node then has an action once for each hand, otherwise only once."""
    moves = play_game(Rules(), ["greedy", "greedy"], seed=2).record.moves[:plies]
    state = reduce(lambda before, move: before.apply(move.action), moves, State.deal(Rules(), 2))
    search = search_of(state, plain_backend())
    tree = search.trees[0]
    assert tree.memory.belief[0].n_pool == hidden
    search.run(60)
    most = 0
    for node in range(search.nodes):
        actions = Counter(code for _child, code, _visits in tree.children(node))
        most = max(most, *actions.values(), 0)
    assert (most > 1) == (hidden <= FEW_HIDDEN)
    assert {line.action for line in search.lines(4)} <= set(state.legal_actions)


def played_on(state: State, plies: int, seed: int = 4) -> State:
    rng = [derive(seed, seed)]
    for _ in range(plies):
        if not state.is_over:
            state = state.apply(state.legal_actions[random_below(rng, len(state.legal_actions))])
    return state


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "settings", [{}, {"opponent_policy_share": 0.5, "playouts": 0.5}], ids=["usual", "mixed"]
)
@pytest.mark.parametrize("outputs", OF_ACTIONS)
@pytest.mark.parametrize(
    "text",
    [
        "perevodnoy",
        "podkidnoy:seats=3",
        pytest.param("podkidnoy", marks=pytest.mark.slow),
        pytest.param("podkidnoy:visibility=open", marks=pytest.mark.slow),
    ],
)
def test_both_backends_grow_the_same_tree(
    guided: Backend, text: str, outputs: str, settings: dict[str, float]
):
    """One seed and one number of iterations give the same visits, scores and evaluations."""
    state = State.deal(Rules.parse(text), 8)
    for _ in range(4):
        if state.is_over:
            break
        hands = random_network(state.rules.seats, HANDS) if settings else None
        one = search_of(state, guided, outputs=outputs, hands=hands, **settings)
        two = search_of(state, plain_backend(), outputs=outputs, hands=hands, **settings)
        one.run(60)
        two.run(60)
        assert one.lines() == two.lines()
        assert (one.nodes, evaluations(one)) == (two.nodes, evaluations(two))
        state = played_on(state, 13)


def test_all_iterations_are_counted():
    """Every iteration tries an action; those that were never tried have no line."""
    search = search_of(State.deal(Rules(), 2), backend("guided"))
    search.run(100)
    assert sum(line.visits for line in search.lines()) == 100
    assert all(line.visits > 0 and 0 <= line.score <= 1 for line in search.lines())
    assert search.lines(3)[0].continuation


def test_a_search_can_be_continued():
    """Searching twice is searching once for longer."""
    once, twice = (search_of(State.deal(Rules(), 5), backend("guided")) for _ in range(2))
    once.run(100)
    twice.run(30)
    twice.run(70)
    assert once.lines() == twice.lines()


@pytest.mark.parametrize("memory", [0.0001, 0.004, 0.02])
@pytest.mark.parametrize("share", [0.0, 1.0])
def test_full_memory_stops_the_tree_and_not_the_search(memory: float, share: float):
    """With room for the root's children or a few more, the iterations go on."""
    search = search_of(State.deal(Rules(), 5), backend("guided"), memory, opponent_policy_share=share)
    search.run(150)
    assert search.iterations == 150
    assert search.nodes <= max(1 + MAX_ACTIONS, memory * 1_000_000 / (4 * NODE_WIDTH + 8 * VALUE_WIDTH))
    assert sum(line.visits for line in search.lines()) == 150


def test_a_seat_may_follow_the_network_throughout() -> None:
    """Its only reply to each action is the one that the network values most."""
    state = State.setup(Rules(), ["6s9h7d", "7s8sAcKd"], trump="Ac")
    network = random_network(2)
    settings = SearchSettings(leaf_cards=0, guide=NetworkGuide.of(network))
    chances = [(0.0,) * MODELS, (0.0,) * NETWORK + (1.0,)]
    search = TreeSearch(state.observation(0), 3, backend("guided"), settings, chances)
    search.run(200)
    replies = 0
    for child, code, visits in search.trees[0].children(0):
        after = state.apply(decode(code))
        if visits and after.turn == 1 and len(after.legal_actions) > 1:
            codes = [encode(action) for action in after.legal_actions]
            values = NetworkScores().of(network, plain_backend(), after.observation(1), codes)
            visited = [reply for _, reply, times in search.trees[0].children(child) if times]
            assert visited == [codes[values.index(max(values))]]
            replies += 1
    assert replies > 1


def test_a_leaf_is_worth_what_its_mover_expects():
    """What the seat to act after an attack gets the first one loses; a playout can have its share."""
    state = State.deal(Rules(), 1)
    assert state.turn is not None
    guide = NetworkGuide.of(constant_network(1.0))
    search = TreeSearch(state.observation(state.turn), 1, backend("guided"), SearchSettings(guide=guide))
    search.run(1)
    (line,) = search.lines()
    assert state.apply(line.action).turn != state.turn
    expected = 1 - 1 / (1 + math.exp(-1))
    assert line == SearchedAction(line.action, pytest.approx(expected), 1, ())
    for played in (0.5, 1.0):
        settings = SearchSettings(guide=replace(guide, playouts=played))
        search = TreeSearch(state.observation(state.turn), 1, backend("guided"), settings)
        search.run(1)
        rest = search.lines()[0].score - (1 - played) * expected
        assert any(rest == pytest.approx(played * worth) for worth in (0, 0.5, 1))


def test_a_game_that_is_over_is_worth_its_result():
    """Whatever the network expects: the defender's last card wins."""
    state = play(State.setup(Rules(), ["6c9h", "7c"], trump="As"), "6c")
    guide = NetworkGuide.of(constant_network(1.0))
    settings = SearchSettings(guide=guide, leaf_cards=0)
    search = TreeSearch(state.observation(1), 1, backend("guided"), settings)
    search.run(20)
    assert {str(line.action): line.score for line in search.lines()}["7cx6c"] == 1


def test_a_solved_game_counts_for_the_defender():
    """Beating wins and taking loses; the seat that searches tries both, whatever the others' share."""
    state = play(State.setup(Rules(), ["6c9h", "7cQh"], trump="As"), "6c")
    found = []
    for share in (0.0, 1.0):
        guide = NetworkGuide.of(constant_network(1.0), opponent_policy_share=share)
        search = TreeSearch(state.observation(1), 1, backend("guided"), SearchSettings(guide=guide))
        search.run(20)
        found.append(search.lines())
    assert {str(line.action): line.score for line in found[0]} == {"7cx6c": 1, "take": 0}
    assert found[0] == found[1]


def test_seats_that_do_not_move_share_the_rest():
    """There is one fool: worth adds up to one less than the seats, and more cards are worse."""
    p = State.deal(Rules(seats=4), 1).to_position()
    p.in_mask = 0b1011
    p.turn = 0
    guide = PuctState()
    guide.expected = 0.75
    share_value(guide, p, Memory(sizes=[5, 2, 0, 8, 0, 0]))
    assert guide.leaf_values[:4] == [0.75, 1 - 0.75 * 3 / 12, 1.0, 1 - 0.75 * 9 / 12]
    assert sum(guide.leaf_values[:4]) == pytest.approx(3)


def test_other_seats_are_worth_what_the_network_says():
    """Of three others one is out: the two share the fool's probability by the softmax of their outputs."""
    p = State.deal(Rules(seats=4), 1).to_position()
    p.in_mask = 0b1011
    p.turn = 1
    guide = PuctState(rivals=3, expected=0.8)
    guide.fools[:3] = [5.0, 1.0, 1.0 + math.log(3)]  # of seats 2, 3 and 0
    share_value(guide, p, Memory(sizes=[5, 2, 0, 8, 0, 0]))
    assert guide.leaf_values[:4] == pytest.approx([1 - 0.8 * 0.75, 0.8, 1, 1 - 0.8 * 0.25])


def test_partners_share_what_their_team_expects():
    """Two teams: one has what the other has not. Three: those that are out have won."""
    p = State.deal(Rules.parse("podkidnoy:seats=6,teams=2x3"), 1).to_position()
    p.turn = 4
    guide = PuctState()
    guide.expected = 0.75
    share_value(guide, p, Memory(sizes=[5, 2, 1, 8, 3, 0]))
    assert guide.leaf_values == [0.75, 0.25] * 3
    p = State.deal(Rules.parse("podkidnoy:seats=6,teams=3x2"), 1).to_position()
    p.turn, p.in_mask = 3, 0b011011
    share_value(guide, p, Memory(sizes=[5, 2, 0, 8, 3, 0]))
    assert guide.leaf_values == [0.75, 0.25, 1.0] * 2


def test_values_priors_and_visits_choose_a_branch():
    """Unvisited branches begin with their value; one that was often visited has to be worth it."""
    tree, guide = Tree(exploration=1.0), PuctState(temperature=0.1)
    tree.children[:3] = [1, 2, 0]
    guide.values[:3] = [0.5, 0.6, 0.9]
    nodes = [0] * (3 * NODE_WIDTH)
    nodes[NODE_WIDTH + 4] = nodes[2 * NODE_WIDTH + 4] = 9
    assert pick_promising(tree, guide, nodes, [0.0] * 6, 3) == 1
    nodes[2 * NODE_WIDTH + 3] = 8
    assert pick_promising(tree, guide, nodes, [0.0, 0.0, 0.0, 0.0, 0.8, 0.0], 3) == 0
    assert pick_promising(tree, guide, nodes, [0.0, 0.0, 0.0, 0.0, 8.0, 0.0], 3) == 1
    tree.children[:2] = [0, 0]
    assert pick_promising(tree, guide, nodes, [0.0] * 6, 3) == -1


def test_priors_are_means_of_several_hands():
    """An action's first value is its prior; of many visits of its node only every eighth is counted."""
    tree, guide = Tree(), PuctState()
    nodes, values = [0] * (2 * NODE_WIDTH), [0.0] * (2 * VALUE_WIDTH)
    tree.children[0] = 1
    for available, value, prior in ((1, 0.8, 0.8), (2, 0.4, 0.6), (OFTEN + 2 * SELDOM, 0.1, 0.55)):
        guide.values[0] = value
        nodes[NODE_WIDTH + AVAILABLE] = available
        _write_children(tree, guide, (nodes, values), 0, (1, 0))
        assert values[VALUE_WIDTH + PRIOR] == pytest.approx(prior)


def test_where_only_positions_are_valued_branches_begin_with_the_mean_of_the_others():
    """Preferences decide at first; what was tried more seldom catches up."""
    tree, guide = Tree(exploration=1.0), PuctState(prefers=1, temperature=1.0)
    tree.children[:3] = [1, 2, 3]
    guide.values[:3] = [-7.0, -6.0, -9.0]
    nodes = [0] * (4 * NODE_WIDTH)
    for child in (1, 2, 3):
        nodes[child * NODE_WIDTH + 4] = 4
    assert pick_promising(tree, guide, nodes, [0.0] * 8, 3) == 1
    nodes[2 * NODE_WIDTH + 3] = 2
    values = [0.0] * 8
    values[2 * VALUE_WIDTH] = 1.0
    assert mean_of_tried(tree, nodes, values, 3) == 0.5
    priors = [(0.95 * math.exp(logit) / sum(map(math.exp, (-1, 0, -3))) + 0.05 / 3) for logit in (-1, 0, -3)]
    bounds = [0.5 + 2 * priors[0], (1.0 + 0.5) / 3 + 2 * priors[1] / 3, 0.5 + 2 * priors[2]]
    assert pick_promising(tree, guide, nodes, values, 3) == bounds.index(max(bounds)) == 0
    values[2 * VALUE_WIDTH] = 2.0
    assert mean_of_tried(tree, nodes, values, 3) == 1.0
    tree.children[:3] = [0, 0, 0]
    assert mean_of_tried(tree, nodes, values, 3) == 0.0


def test_a_network_that_says_what_to_expect_values_a_leaf_by_that():
    """Whatever it likes to play: its last output counts, and its preferences are the priors."""
    state = State.deal(Rules(), 1)
    assert state.turn is not None
    network = random_network(2, "policy-value")
    favourite = state.legal_actions[-1]
    outputs = [0.0] * ACTIONS + [-1.0]
    outputs[code_index(encode(favourite), trump_place(state.to_position()))] = 50.0
    constant = (0.0,) * (len(network.weights) - len(outputs))
    guide = NetworkGuide.of(replace(network, numbers=halves((*constant, *outputs))))
    settings = SearchSettings(guide=guide)
    search = TreeSearch(state.observation(state.turn), 1, backend("guided"), settings)
    search.run(1)
    (line,) = search.lines()
    assert line == SearchedAction(favourite, pytest.approx(1 - 1 / (1 + math.exp(1))), 1, ())


def test_replies_are_drawn_by_their_priors():
    """Two values that differ by the temperature are drawn as 1 to e, but for a twentieth that is even."""
    tree, guide = Tree(rng=[5]), PuctState(temperature=0.2)
    guide.values[:2] = [0.4, 0.6]
    drawn = sum(pick_likely(tree, guide, 2) for _ in range(4000))
    assert drawn / 4000 == pytest.approx(0.95 * math.e / (1 + math.e) + 0.025, abs=0.03)


def test_solved_positions_and_forced_moves_are_not_evaluated():
    """With six cards out everything after the root is solved; and the right action gets the visits."""
    runner = backend("guided")
    for state, winning in one_way_to_win(Random(5), 4, runner):
        search = search_of(state, runner)
        search.run(100)
        assert search.lines()[0].action == winning
        assert evaluations(search) == 1


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_hidden_cards_make_no_difference(share: float):
    """The search sees text and events and nothing else: without events a copy gives the same lines."""
    state = played_on(State.deal(Rules(), 6), 25)
    assert state.turn is not None
    observation = replace(state.observation(state.turn), events=())
    settings = SearchSettings(
        memory=0.5, guide=NetworkGuide.of(random_network(2), opponent_policy_share=share)
    )
    searches = [
        TreeSearch(seen, 2, backend("guided"), settings)
        for seen in (observation, read_observation(write_observation(observation)))
    ]
    for search in searches:
        search.run(60)
    assert searches[0].lines() == searches[1].lines()


@pytest.mark.parametrize("net", [False, True])
def test_a_seat_that_surely_plays_by_the_policy_gets_no_other_reply(net: bool):
    """With the cards open a single reply of greedy's follows on each action, in both backends."""
    state = State.deal(Rules.parse("podkidnoy:visibility=open"), 7)
    assert state.turn is not None
    guide = NetworkGuide.of(random_network(2)) if net else None
    settings = SearchSettings(memory=0.5, guide=guide)
    surely_greedy = [float(model == GREEDY) for model in range(MODELS)]
    searches = [
        TreeSearch(state.observation(state.turn), 2, runner, settings, (surely_greedy, surely_greedy))
        for runner in (plain_backend(), backend(settings.group))
    ]
    for search in searches:
        search.run(300)
    assert searches[0].lines() == searches[1].lines()
    for child, code, visits in searches[0].trees[0].children(0):
        after = state.apply(decode(code))
        if visits > 1 and after.turn not in {state.turn, None} and len(after.legal_actions) > 1:
            replies = [decode(reply) for _, reply, tried in searches[0].trees[0].children(child) if tried]
            greedy = make_agent("greedy").choose(after.observation(after.turn))
            assert replies == [greedy.action]


def test_threads_share_the_network():
    """Two trees at once repeat themselves, in either backend."""
    settings = SearchSettings(memory=0.5, threads=2, guide=NetworkGuide.of(random_network(2)))
    state = State.deal(Rules(), 4)
    assert state.turn is not None
    runs = []
    for runner in (backend("guided"), backend("guided"), plain_backend()):
        forest = TreeSearch(state.observation(state.turn), 7, runner, settings)
        forest.run(61)
        runs.append(forest.lines())
    assert runs[0] == runs[1] == runs[2]
    assert sum(line.visits for line in runs[0]) == 61
