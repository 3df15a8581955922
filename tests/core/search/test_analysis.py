"""The analysis: exact where it can be, the same everywhere, and it changes nothing."""

from __future__ import annotations

import copy
from random import Random

import pytest
from endgames import solve_position

from durak_core import PASS, CardSet, Observation, Rules, State, read_observation, write_observation
from durak_core.actions import decode
from durak_core.deadline import Deadline
from durak_core.errors import ActionError
from durak_core.search.analysis import Analysis, _quality, analyse
from durak_core.search.backend.backend import Backend, backend, plain_backend
from durak_core.search.ismcts.tree_search import SearchSettings, TreeSearch
from durak_core.search.search_result import SearchedAction

SMALL = SearchSettings(memory=0.5)


def to_act(state: State) -> Observation:
    assert state.turn is not None
    return state.observation(state.turn)


def endgame(rng: Random, cards: int, talon: int = 0) -> State:
    deck = list(Rules().deck)
    rng.shuffle(deck)
    hands = [CardSet.of(deck[:cards]), CardSet.of(deck[cards : 2 * cards])]
    last = deck[2 * cards]
    return State.setup(Rules(), hands, talon=[last] * talon, trump=last)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("seed", range(12))
def test_endgames_are_solved_action_by_action(seed: int):
    """Each action's score is the solver's value of what comes after it, best first."""
    rng = Random(seed)
    state = endgame(rng, rng.randint(2, 4), seed % 2)
    for _ in range(rng.randint(0, 3)):
        state = state.apply(rng.choice(state.legal_actions))
    if state.turn is None or len(state.legal_actions) == 1:
        state = endgame(rng, 3)
    found = analyse(to_act(state), plain_backend(), iterations=1, settings=SMALL)
    assert found.is_exact
    scores = [line.score for line in found.lines()]
    assert scores == sorted(scores, reverse=True)
    assert {line.action for line in found.lines()} == set(state.legal_actions)
    for line in found.lines():
        assert line.exact
        assert (line.low, line.high) == (line.score, line.score)
        assert state.turn is not None
        after = state.apply(line.action)
        if after.turn is None:
            value: int | None = round(after.returns[state.turn])
        else:
            solution = solve_position(after.to_position(), state.turn, plain_backend())
            assert solution is not None
            value = solution.value
        assert line.score == 0.5 + 0.5 * (value or 0)


def test_continuations_of_solved_lines_keep_their_value():
    """Played out, every step is legal and leaves the value as it was."""
    state = endgame(Random(3), 4)
    seat = state.turn or 0
    for line in analyse(to_act(state), backend("search"), iterations=1).lines(length=12):
        after = state.apply(line.action)
        for action in line.continuation:
            assert action in after.legal_actions
            after = after.apply(action)
            if after.turn is not None:
                solution = solve_position(after.to_position(), seat, backend("search"))
                assert solution is not None
                assert solution.value == 2 * line.score - 1
        assert line.continuation


@pytest.mark.parametrize("text", ["podkidnoy", "perevodnoy:seats=3", "podkidnoy:visibility=open"])
def test_both_backends_say_the_same(searcher: Backend, text: str):
    """One seed and one number of iterations give the same lines, also after moving between backends."""
    seen = to_act(State.deal(Rules.parse(text), 8))
    best = plain_backend()
    plain, compiled = Analysis(seen, 3, best, SMALL, better=lambda: best), Analysis(seen, 3, searcher, SMALL)
    for iterations in (150, 300):
        plain.run(iterations)
        compiled.run(iterations)
        assert plain.backend == best.name
        assert plain.lines() == compiled.lines()
        best = searcher


@pytest.mark.parametrize(
    ("budget", "ways"),
    [
        ({"iterations": 20}, {"if it pays"}),
        ({"iterations": 50_000}, {"at once"}),
        ({"iterations": 20, "seconds": 1.0}, {"at once"}),
        ({"seconds": 0.01}, {"at once"}),
    ],
)
def test_few_iterations_compile_only_once_it_pays(
    searcher: Backend, monkeypatch: pytest.MonkeyPatch, budget: dict[str, float], ways: set[str]
):
    asked = []
    for name, way in (("backend", "at once"), ("backend_if_it_pays", "if it pays")):
        target = f"durak_core.search.analysis.{name}"
        monkeypatch.setattr(target, lambda group, way=way: asked.append((way, group)) or searcher)
    analyse(to_act(State.deal(Rules(), 2)), **budget)
    assert set(asked) == {(way, "search") for way in ways}


def test_larger_endgames_are_searched_and_solved_the_same_everywhere(searcher: Backend):
    """Solver and search take turns, and the turns do not depend on where they run."""
    seen = to_act(endgame(Random(1), 7))
    for iterations in (1, 100):
        one, other = (
            analyse(seen, runner, iterations=iterations, settings=SMALL)
            for runner in (plain_backend(), searcher)
        )
        assert one.lines() == other.lines()
        assert (one.nodes, one.iterations, one.is_exact) == (other.nodes, other.iterations, other.is_exact)


def test_every_action_has_a_line_from_the_beginning():
    """Before the first step nothing is known but what can be done."""
    seen = to_act(State.deal(Rules(), 2))
    analysis = Analysis(seen, 1, plain_backend(), SMALL)
    assert {line.action for line in analysis.lines()} == set(seen.legal_actions)
    assert {(line.low, line.high, line.visits) for line in analysis.lines()} == {(0.0, 1.0, 0)}
    analysis.run(60)
    assert analysis.iterations == 60
    visits = [line.visits for line in analysis.lines()]
    assert sum(visits) == 60
    assert visits == sorted(visits, reverse=True)
    assert all(line.low <= line.score <= line.high for line in analysis.lines())
    assert not any(line.exact for line in analysis.lines())


def test_what_was_not_tried_yet_stands_by_what_it_gives_away():
    """Plain cards from the lowest on, then trumps, and stopping last."""
    state = State.setup(Rules(), ["9d", "JdTd6c7c"], talon="8sTs8h7h9h9c", trump="9c")
    seen = to_act(state.apply(state.legal_actions[0]))
    lines = Analysis(seen, 1, plain_backend(), SMALL).lines()
    assert [str(line.action) for line in lines] == ["Tdx9d", "Jdx9d", "6cx9d", "7cx9d", "take"]


def test_a_solved_action_tells_how_often_it_was_searched(monkeypatch: pytest.MonkeyPatch):
    """Where the search had its turns before the solver was done."""
    monkeypatch.setattr("durak_core.search.analysis._FIRST_NODES", 1)
    found = Analysis(to_act(endgame(Random(3), 4)), 1, plain_backend(), SMALL)
    found.run()
    assert found.is_exact
    assert sum(line.visits for line in found.lines()) == found.iterations > 0


def test_forced_moves_take_no_time():
    """Where there is no choice nothing is searched."""
    state = State.setup(Rules(), ["6c", "6s7s8s"], talon="9dTdAh", trump="Ah")
    state = state.apply(state.legal_actions[0])
    assert len(state.legal_actions) == 1
    found = analyse(to_act(state), plain_backend(), seconds=1000)
    assert found.is_finished
    assert (found.iterations, found.nodes) == (0, 0)
    assert [line.action for line in found.lines()] == list(state.legal_actions)


def test_it_can_be_stopped():
    """Somebody says stop after the third step."""
    analysis = Analysis(to_act(State.deal(Rules(), 2)), 1, plain_backend(), SMALL)
    steps: list[int] = []
    analysis.run(stopped=lambda: len(steps) == 2 or steps.append(1) is not None)
    assert len(steps) == 2
    assert analysis.iterations == 60


def test_the_observation_is_left_alone():
    """Analysing changes nothing of what was given, and its text gives the same lines."""
    for state in (State.deal(Rules(seats=3), 5), endgame(Random(2), 4)):
        seen = to_act(state)
        before = copy.deepcopy(seen)
        lines = analyse(seen, plain_backend(), iterations=40, settings=SMALL).lines()
        assert seen == before
        read = read_observation(write_observation(seen))
        assert analyse(read, plain_backend(), iterations=40, settings=SMALL).lines() == lines


def test_who_is_not_to_act_is_refused():
    """With the reason."""
    state = State.deal(Rules(), 2)
    assert state.turn is not None
    with pytest.raises(ActionError, match="has nothing to decide: it is seat"):
        Analysis(state.observation(1 - state.turn), 1, plain_backend())
    state = State.setup(Rules(), ["6c", "7s"])
    while state.turn is not None:
        state = state.apply(state.legal_actions[0])
    with pytest.raises(ActionError, match="the game is over"):
        Analysis(state.observation(0), 1, plain_backend())


def test_the_tree_tells_what_is_expected():
    """A continuation follows the most visits, and is as long as asked for."""
    seen = to_act(State.deal(Rules(), 7))
    search = TreeSearch(seen, 1, backend("search"), SMALL)
    search.run(2000)
    long = search.lines(6)[0].continuation
    assert 2 < len(long) <= 6
    assert search.lines(2)[0].continuation == long[:2]
    assert search.lines()[0].continuation == ()
    (tree,) = search.trees
    node = 0
    for action in (search.lines()[0].action, *long):
        children = {decode(code): (visits, child) for child, code, visits in tree.children(node)}
        most, node = children[action]
        assert most == max(visits for visits, _ in children.values())


def test_a_late_analysis_has_tried_something():
    """An endgame's solver would take all the time; so some iterations come first, and then nothing more."""
    seen = to_act(endgame(Random(5), 12))
    analysis = Analysis(seen, 1, plain_backend(), SMALL)
    analysis.run(deadline=Deadline(0))
    assert analysis.iterations == 20
    assert sum(line.visits for line in analysis.lines()) > 0
    analysis = Analysis(seen, 1, plain_backend(), SMALL)
    analysis.run(3, Deadline(0))
    assert analysis.iterations == 3


def test_quick_wins_and_late_losses_come_first():
    """A loss is put off as long as possible; draws come between, however long they take."""
    results = [(0.0, 1), (0.0, 3), (0.5, None), (1.0, 4), (1.0, 2)]
    lines = [SearchedAction(PASS, score, 0, (), score, score, True, bouts) for score, bouts in results]
    ordered = sorted(lines, key=_quality)
    assert [(line.score, line.bouts) for line in ordered] == [
        (1.0, 2),
        (1.0, 4),
        (0.5, None),
        (0.0, 3),
        (0.0, 1),
    ]


def test_compared_actions_are_searched_equally_often_and_alone(searcher: Backend):
    """Only they are tried, and the better one comes first."""
    seen = to_act(State.deal(Rules(), 5))
    pair = seen.legal_actions[1:3]
    settings = SearchSettings(memory=0.5, compared=pair)
    analysis = Analysis(seen, 1, searcher, settings)
    analysis.run(100)
    analysis.run(600)
    best, other, *rest = analysis.lines()
    assert {best.action, other.action} == set(pair)
    assert (best.visits, other.visits) == (300, 300)
    assert best.score >= other.score
    assert not any(line.is_tried for line in rest)
    assert {line.action for line in (best, other, *rest)} == set(seen.legal_actions)
    assert best.margin < 0.1
    again = Analysis(seen, 1, plain_backend(), settings)
    again.run(600)
    assert again.lines() == analysis.lines(), "steps and backends change nothing"


def test_compared_actions_meet_the_same_deals():
    """Each of them begins from the same random numbers."""
    seen = to_act(State.deal(Rules(seats=3), 5))
    pair = seen.legal_actions[:2]
    search = TreeSearch(seen, 1, plain_backend(), SearchSettings(memory=0.5, compared=pair))
    tree, deals = search.trees[0], []
    for _ in range(6):
        search.run(1)
        deals.append(int(tree.memory.tree[0].dealing[0]))
    assert deals[0::2] == deals[1::2]
    assert len(set(deals)) == 3


def test_actions_that_are_not_legal_cannot_be_compared():
    seen = to_act(State.deal(Rules(), 5))
    with pytest.raises(ActionError, match="cannot all be played"):
        Analysis(seen, 1, plain_backend(), SearchSettings(compared=(PASS,)))
