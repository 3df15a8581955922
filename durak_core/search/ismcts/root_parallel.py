"""Root parallelisation: one tree per thread, merged at the root; deterministic for seed and iterations.

Source: Chaslot, Winands and van den Herik, "Parallel Monte-Carlo Tree Search" (2008).
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from durak_core.actions import Action
from durak_core.game.observation import Observation
from durak_core.kernel.position import Position
from durak_core.kernel.random import derive
from durak_core.knowledge.belief import belief_of
from durak_core.knowledge.sampling import Belief
from durak_core.search.backend.backend import Backend
from durak_core.search.depth_first import LINE
from durak_core.search.ismcts.tree_search import ActionEstimate, SearchSettings, TreeSearch
from durak_core.search.search_result import SCORE, SearchedAction, SearchResult


class RootParallelSearch:
    """Tree searches of one observation with `TreeSearch`'s arguments, one per thread.

    A single thread gives the result of `TreeSearch`. Only compiled code runs in parallel.
    """

    def __init__(  # noqa: PLR0913 - one search
        self,
        observation: Observation,
        seed: int,
        runner: Backend,
        settings: SearchSettings | None = None,
        chances: Sequence[Sequence[float]] = (),
        *,
        belief: tuple[Position, Belief] | None = None,
    ) -> None:
        settings = settings or SearchSettings()
        belief = belief or belief_of(observation)
        threads = settings.threads
        share = replace(settings, memory=settings.memory / threads)
        seeds = [seed if i == 0 else derive(seed, i) for i in range(threads)]
        self._trees = [TreeSearch(observation, seed, runner, share, chances, belief=belief) for seed in seeds]
        self._pool = ThreadPoolExecutor(threads - 1, "durak-tree") if threads > 1 else None

    @property
    def iterations(self) -> int:
        return sum([tree.iterations for tree in self._trees])

    @property
    def nodes(self) -> int:
        return sum([tree.nodes for tree in self._trees])

    @property
    def depth(self) -> int:
        return max([tree.depth for tree in self._trees])

    def run(self, iterations: int) -> None:
        n = len(self._trees)
        shares = [iterations // n + (i < iterations % n) for i in range(n)]
        others = [
            self._pool.submit(tree.run, share)
            for tree, share in zip(self._trees[1:], shares[1:], strict=True)
            if self._pool and share
        ]
        self._trees[0].run(shares[0])
        for other in others:
            other.result()

    def lines(self) -> tuple[ActionEstimate, ...]:
        """Return the estimate of each action that was tried, most visits first."""
        found: dict[Action, list[ActionEstimate]] = {}
        for tree in self._trees:
            for line in tree.lines():
                found.setdefault(line.action, []).append(line)
        return tuple(
            sorted(map(_together, found.values()), key=lambda line: (-line.visits, str(line.action)))
        )

    def continuation(self, action: Action, length: int) -> tuple[Action, ...]:
        """Return the continuation from the tree that tried an action of `lines` most."""
        return max(self._trees, key=lambda tree: tree.visits(action)).continuation(action, length)

    def search_info(self, allowed: Sequence[Action]) -> SearchResult:
        """Return the search info of the allowed actions, most visits first."""
        nodes, depth, deals = self.nodes, self.depth, self.iterations
        lines = [
            SearchedAction(line.action, line.score, line.visits, self.continuation(line.action, LINE))
            for line in self.lines()
            if line.action in allowed
        ]
        return SearchResult(SCORE, nodes, depth, deals, tuple(lines))


def _together(lines: list[ActionEstimate]) -> ActionEstimate:
    """Merge several trees' estimates of one action."""
    if len(lines) == 1:
        return lines[0]
    visits = sum([line.visits for line in lines])
    return ActionEstimate(lines[0].action, visits, sum([line.score * line.visits for line in lines]) / visits)
