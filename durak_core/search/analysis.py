"""Evaluates every action: exactly if possible, otherwise by search, in steps of hundredths of a second."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Final

from durak_core.actions import Action, Exchange, Pass, Take
from durak_core.deadline import LEAST_ITERATIONS, NEVER, Deadline
from durak_core.errors import ActionError
from durak_core.game.observation import Observation
from durak_core.game.state_view import no_turn
from durak_core.search.backend.backend import Backend, backend, backend_if_it_pays
from durak_core.search.endgame.solver import ActionSolver, known_to_the_end
from durak_core.search.ismcts.tree_search import CHUNK, SearchSettings, TreeSearch
from durak_core.search.search_result import SCORE, SearchedAction, SearchResult
from durak_core.statistics import calibrated, wilson_interval

_FIRST_NODES: Final = 20_000
"""Nodes of the solver before the search begins."""
_NODES_AN_ITERATION: Final = 100
"""Nodes per iteration, once solver and search alternate."""
_FEW: Final = 20_000
"""Iterations that take less time interpreted than compiling does."""
_SLICE: Final = {"plain": 500, "compiled": 100_000}
"""Nodes that take some hundredths of a second, by backend."""


class Analysis:
    """An analysis of one observation, advanced in small steps.

    Both backends give the same lines for the same seed and iterations. The runner needs the settings' group.
    ``better`` returns the best backend available, to which a plain analysis moves as soon as it is compiled.

    Raises:
        ActionError: If the seat has nothing to decide, or may not play an action to compare.
    """

    def __init__(
        self,
        observation: Observation,
        seed: int,
        runner: Backend,
        settings: SearchSettings | None = None,
        *,
        better: Callable[[], Backend] | None = None,
    ) -> None:
        if not observation.legal_actions:
            raise ActionError(
                "seat {seat} has nothing to decide: {why}",
                seat=observation.seat,
                why=no_turn(observation.turn),
            )
        compared = settings.compared if settings else ()
        if not set(compared) <= set(observation.legal_actions):
            raise ActionError("{actions} cannot all be played here", actions=", ".join(map(str, compared)))
        self._compares = bool(compared)
        self._actions = observation.legal_actions
        self._order = sorted(self._actions, key=lambda action: _cost(observation, action))
        settings = settings or SearchSettings()
        self._arguments = (observation, seed, settings)
        self._levels = settings.guide.network.about.levels if settings.guide else (0.0, 1.0)
        self._forced = len(self._actions) == 1
        self._solves = not self._forced and known_to_the_end(observation)
        self._better = better
        self._start(runner)

    def _start(self, runner: Backend) -> None:
        observation, _seed, settings = self._arguments
        self._runner = runner
        self._chunk = CHUNK[runner.name] * settings.threads
        self._tree: TreeSearch | None = None
        self._solver = ActionSolver(observation, runner) if self._solves else None
        self._exact: dict[int, tuple[SearchedAction, ...]] = {}

    @property
    def backend(self) -> str:
        """The backend's name: ``plain`` or ``compiled``."""
        return self._runner.name

    @property
    def iterations(self) -> int:
        return self._tree.iterations if self._tree else 0

    @property
    def nodes(self) -> int:
        """Nodes in the search tree plus nodes searched by the solver."""
        return (self._tree.nodes if self._tree else 0) + (self._solver.spent if self._solver else 0)

    @property
    def depth(self) -> int:
        """The greatest depth, in decisions, of the search and the solver."""
        depths = (self._tree.depth if self._tree else 0, self._solver.depth if self._solver else 0)
        return max(depths)

    @property
    def is_exact(self) -> bool:
        """Whether every action is solved."""
        return self._solver is not None and self._solver.is_done

    @property
    def is_finished(self) -> bool:
        """Whether nothing is left to analyse: there is no choice, or all actions are solved."""
        return self._forced or self.is_exact

    def begin(self, iterations: int | None, deadline: Deadline) -> Iterator[float]:
        """Start a timed run, with `LEAST_ITERATIONS` before the solver; return the step sizes as shares."""
        if deadline.is_set and not self.is_finished:
            least = LEAST_ITERATIONS if iterations is None else min(LEAST_ITERATIONS, iterations)
            self._search(max(0, least - self.iterations))
        return deadline.slices()

    def step(self, iterations: int | None = None, share: float = 1.0) -> bool:
        """Do some hundredths of a second of work; return whether anything was left to do.

        ``iterations`` limits the iterations in all, ``share`` scales the work, above 0 to 1.
        """
        if self.is_finished:
            return False
        if self._better and self.backend == "plain" and (runner := self._better()).name == "compiled":
            done = self.iterations
            self._start(runner)
            if done:
                self.run(done)
        if self._solver and not self._solver.hopeless:
            allowed = _FIRST_NODES + _NODES_AN_ITERATION * self.iterations - self._solver.spent
            if allowed > 0:
                self._solver.work(min(allowed, math.ceil(_SLICE[self.backend] * share)))
                return True
        chunk = math.ceil(self._chunk * share)
        if iterations is not None:
            chunk = min(chunk, iterations - self.iterations)
        if chunk <= 0:
            return False
        self._search(chunk)
        return True

    def _search(self, iterations: int) -> None:
        if self._tree is None:
            observation, seed, settings = self._arguments
            self._tree = TreeSearch(observation, seed, self._runner, settings)
        self._tree.run(iterations)

    def run(
        self,
        iterations: int | None = None,
        deadline: Deadline = NEVER,
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        """Run until a budget is used up, ``stopped`` returns True, or nothing is left to analyse.

        The iterations include earlier runs. ``stopped`` is called after every step.
        """
        for share in self.begin(iterations, deadline):
            if not self.step(iterations, share) or stopped():
                break

    def lines(self, length: int = 4) -> tuple[SearchedAction, ...]:
        """Return a line for every legal action, best first, with continuations of limited length."""
        if not self.is_exact:
            return self._searched_lines(length)
        if length not in self._exact:
            self._exact[length] = self._exact_lines(length)
        return self._exact[length]

    def search_info(self, length: int = 4) -> SearchResult:
        """Return the lines as search info; a solved position counts as one deal."""
        lines = self.lines(length)
        deals = 1 if self.is_exact else self.iterations
        return SearchResult(SCORE, self.nodes, self.depth, deals, lines)

    def _searched_lines(self, length: int) -> tuple[SearchedAction, ...]:
        """Return calibrated lines, by score if compared, otherwise by visits; untried ones last, by cost."""
        found = []
        for line in self._tree.lines(length) if self._tree else ():
            ends = (line.score, *wilson_interval(line.score, line.visits))
            score, low, high = (calibrated(end, *self._levels) for end in ends)
            found.append(replace(line, score=score, low=low, high=high))
        if self._compares:
            found.sort(key=lambda line: -line.score)
        tried = {line.action for line in found}
        found += [SearchedAction(a, 0.5, low=0.0, high=1.0) for a in self._order if a not in tried]
        return tuple(found)

    def _exact_lines(self, length: int) -> tuple[SearchedAction, ...]:
        """Return lines by value, quick wins and late losses first; greedy's cost breaks ties."""
        solver = self._solver
        if solver is None:
            return ()
        visits = {line.action: line.visits for line in self._tree.lines()} if self._tree else {}
        found = []
        for action in self._order:
            value = solver.values[action]
            score = 0.5 + 0.5 * value
            ahead = solver.continuation(action, length)
            bouts = solver.bouts(action) if value else None
            tried = visits.get(action, 0)
            found.append(SearchedAction(action, score, tried, ahead, score, score, exact=True, bouts=bouts))
        found.sort(key=_quality)
        return tuple(found)


def analyse(  # noqa: PLR0913 - budgets and settings, by name
    observation: Observation,
    runner: Backend | None = None,
    *,
    better: Callable[[], Backend] | None = None,
    seed: int = 1,
    iterations: int | None = None,
    seconds: float | None = None,
    settings: SearchSettings | None = None,
) -> Analysis:
    """Analyse an observation within a budget; the analysis can be continued.

    By default a few iterations without a time limit run compiled only once it pays, and everything else at
    once. ``better`` is as in `Analysis`. Without iterations and seconds the budget is one second.

    Raises:
        ActionError: If the seat has nothing to decide.
    """
    if iterations is None and seconds is None:
        seconds = 1.0
    settings = settings or SearchSettings()
    if runner is None:
        is_short = seconds is None and (iterations or 0) <= _FEW
        better = better or partial(backend_if_it_pays if is_short else backend, settings.group)
        runner = better()
    analysis = Analysis(observation, seed, runner, settings, better=better)
    analysis.run(iterations, NEVER if seconds is None else Deadline(seconds))
    return analysis


def _quality(line: SearchedAction) -> tuple[float, int]:
    """Rank proved lines by value, then quick wins or late losses."""
    bouts = line.bouts or 0
    return -line.score, bouts if line.score > 0.5 else -bouts


def _cost(observation: Observation, action: Action) -> tuple[bool, bool, int, str]:
    """Rank actions by cost: the exchange, plain cards, trumps, jokers, and stopping last."""
    if isinstance(action, Pass | Take | Exchange):
        return not isinstance(action, Exchange), False, 0, str(action)
    card = action.card
    return False, not card.is_plain(observation.trump_suit), int(card.rank), str(action)
