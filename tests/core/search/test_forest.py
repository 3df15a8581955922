"""Several trees at once: one result, whatever the threads do."""

from __future__ import annotations

from durak_core import Rules, State
from durak_core.search.backend.backend import backend, plain_backend
from durak_core.search.ismcts.tree_search import SearchSettings, TreeSearch

TWO = SearchSettings(memory=0.5, threads=2)


def observed(seed: int):
    state = State.deal(Rules(), seed)
    assert state.turn is not None
    return state.observation(state.turn)


def test_two_threads_repeat_themselves():
    """Seed and iterations decide, in either backend; what is odd goes to the first tree."""
    runs = []
    for runner in (backend("search"), backend("search"), plain_backend()):
        forest = TreeSearch(observed(4), 7, runner, TWO)
        forest.run(301)
        runs.append(forest.lines())
    assert runs[0] == runs[1] == runs[2]
    assert sum(line.visits for line in runs[0]) == 301


def test_trees_differ_and_are_added_up():
    """Each tree deals for itself, and a line is the mean of what all found, by visits."""
    forest = TreeSearch(observed(5), 1, backend("search"), TWO)
    forest.run(400)
    first = TreeSearch(observed(5), 1, backend("search"), SearchSettings(memory=0.25))
    first.run(200)
    together = {line.action: line for line in forest.lines()}
    alone = {line.action: line for line in first.lines()}
    assert any(together[action].visits != 2 * line.visits for action, line in alone.items())
    for action, line in alone.items():
        rest = together[action].score * together[action].visits - line.score * line.visits
        assert -1e-6 <= rest <= together[action].visits - line.visits + 1e-6
