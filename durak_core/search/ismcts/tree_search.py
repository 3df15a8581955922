"""Runs the tree search on either backend, on one thread or several.

Source: Chaslot, Winands and van den Herik, "Parallel Monte-Carlo Tree Search" (2008).
"""

from __future__ import annotations

from collections.abc import Iterator, MutableSequence, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Final, TypeVar

from durak_core.actions import Action, decode, encode
from durak_core.game.observation import Observation
from durak_core.kernel.position import CHANCE_STREAM, MAX_ACTIONS, Position, derive
from durak_core.knowledge.belief import Belief, belief_of
from durak_core.rules import Rules
from durak_core.search.backend.backend import Backend
from durak_core.search.endgame.alpha_beta import LEVELS, LINE, DepthFirst, EndgameMemory
from durak_core.search.ismcts.guided import Guidance, PuctState
from durak_core.search.ismcts.tree import (
    CHILD,
    CODES,
    COUNT,
    MILLION,
    MODELS,
    NODE_WIDTH,
    VALUE_WIDTH,
    VISITS,
    Tree,
    TreeMemory,
)
from durak_core.search.network.encoding import Memory, memory_of
from durak_core.search.network.weights import Network, activations_for, in_memory
from durak_core.search.policies.playouts import EXPERT, GREEDY
from durak_core.search.search_result import SCORE, SearchedAction, SearchResult

_Number = TypeVar("_Number", int, float)

_BYTES_A_NODE: Final = 4 * NODE_WIDTH + 8 * VALUE_WIDTH
CHUNK: Final = {"plain": 20, "compiled": 2000}
"""Iterations that take some hundredths of a second, by backend."""

_FIRST_ROOM: Final = 2
"""Initial capacity in nodes."""

LEAF_SLOTS: Final = 1 << 14
"""Entries of the transposition table for leaves."""

_SUITABLE: Final[dict[str, dict[str, float]]] = {
    "outcome": {"exploration": 2.0, "temperature": 0.1},
    "outcome-fools": {"exploration": 2.0, "temperature": 0.1},
    "policy-value": {"exploration": 1.5, "temperature": 1.0},
}
"""Guide settings by the kind of outputs; measured in docs/search.md."""


@dataclass(frozen=True)
class NetworkGuide:
    """A network that guides a search, and its settings."""

    network: Network  # with action values, or with a policy and a value
    exploration: float  # exploration constant of PUCT
    temperature: float  # of the priors' softmax over outputs (probabilities for outcomes), above 0
    opponent_policy_share: float = 0.0  # probability that another seat draws from its priors
    playouts: float = 0.0  # weight of a playout in a leaf's value, 0 to 1

    @classmethod
    def of(cls, network: Network, **settings: float) -> NetworkGuide:
        """Return a guide with the settings that suit the network's kind, unless given by name."""
        return cls(network, **{**_SUITABLE[network.about.outputs], **settings})


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """Settings of an information-set search.

    Attributes:
        exploration: Exploration constant of UCB.
        opponent_policy_share: Probability that another seat's action in the tree is the policy's, 0 to 1.
        simulation: The policy of playouts, a number of `durak_core.search.policies.playouts`.
        opponent: The policy of the other seats in the tree, and of seats inferred to play by it.
        leaf_cards: Leaves with at most so many cards in two hands are solved; 0 for never.
        leaf_nodes: Node limit for solving them.
        end_cards: Playouts are solved once two hands have at most so many cards; 0 for never.
        memory: Limit of the tree in megabytes.
        threads: Trees grown in parallel, see `durak_core.search.ismcts.tree_search`.
        compared: Actions to compare: only these are searched, equally often and in the same deals. Empty for
            all, the promising ones more often.
        guide: A guide, or None. It replaces `exploration`, `epsilon`, `opponent_policy_share`, `simulation`
            and `end_cards`.
    """

    exploration: float = 0.7
    epsilon: float = 0.15
    opponent_policy_share: float = 0.5
    simulation: int = EXPERT
    opponent: int = GREEDY
    leaf_cards: int = 8
    leaf_nodes: int = 2_000
    end_cards: int = 0
    memory: float = 64.0
    threads: int = 1
    compared: tuple[Action, ...] = ()
    guide: NetworkGuide | None = None

    @property
    def group(self) -> str:
        """The backend's function group for such a search."""
        return "search" if self.guide is None else "guided"

    @property
    def capacity(self) -> int:
        """The most nodes that fit into the memory, at least the root and its children."""
        return max(1 + MAX_ACTIONS, int(self.memory * 1_000_000) // _BYTES_A_NODE)

    def tree(self, capacity: int) -> Tree:
        """Return an empty tree with room for some nodes."""
        chosen = self.guide or self
        codes = [encode(action) for action in self.compared]
        return Tree(
            capacity=capacity,
            n_compared=len(codes),
            compared=codes + [0] * (MAX_ACTIONS - len(codes)),
            epsilon=round(self.epsilon * MILLION),
            opponent_policy_share=round(chosen.opponent_policy_share * MILLION),
            simulation=self.simulation,
            opponent=self.opponent,
            leaf_cards=self.leaf_cards,
            leaf_nodes=self.leaf_nodes,
            end_cards=self.end_cards,
            exploration=chosen.exploration,
        )


class GrowingTree:
    """One of a search's trees and its memory, which grows with it."""

    def __init__(
        self,
        observation: Observation,
        root: tuple[Position, Belief],
        seed: int,
        runner: Backend,
        settings: SearchSettings,
    ) -> None:
        self._capacity = settings.capacity
        self._chunk = CHUNK[runner.name]
        self._runner = runner
        position, belief = root
        tree = settings.tree(_FIRST_ROOM)
        tree.seat = observation.seat
        tree.rng = [derive(seed, CHANCE_STREAM)]
        self.memory = TreeMemory(
            positions=runner.records(position, 2),
            belief=runner.records(belief, 1),
            tree=runner.records(tree, 1),
            nodes=runner.narrow(_FIRST_ROOM * NODE_WIDTH),
            values=runner.floats(_FIRST_ROOM * VALUE_WIDTH),
        )
        self._endgame = EndgameMemory(
            runner.records(position, LEVELS if settings.leaf_cards or settings.end_cards else 1),
            runner.records(DepthFirst(slots=LEAF_SLOTS), 1),
            runner.integers(LEAF_SLOTS),
            runner.integers(LEAF_SLOTS),
        )
        guide, rules = settings.guide, observation.rules
        self.guidance: tuple[Guidance, ...] = ()
        if guide is not None:
            self.guidance = (_guidance_for(guide, memory_of(observation), rules, runner),)

    def run(self, iterations: int) -> None:
        """Do some more iterations, in chunks short enough for other threads to run."""
        grow = self._runner.functions["grow_guided" if self.guidance else "grow_tree"]
        while iterations > 0:
            self._make_room(min(self._chunk, iterations))
            grow(self.memory, *self.guidance, self._endgame, min(self._chunk, iterations))
            iterations -= self._chunk

    def _make_room(self, iterations: int) -> None:
        """Grow the memory for more iterations; zeroing all of it takes longer than a short search."""
        memory, tree = self.memory, self.memory.tree[0]
        used, room = int(tree.used), int(tree.capacity)
        wanted = used + iterations * MAX_ACTIONS * (2 if self.guidance else 1)
        if room >= min(wanted, self._capacity):
            return
        tree.capacity = min(self._capacity, max(wanted, 2 * room))
        nodes = self._runner.narrow(tree.capacity * NODE_WIDTH)
        values = self._runner.floats(tree.capacity * VALUE_WIDTH)
        self.memory = memory._replace(
            nodes=_begun_by(nodes, memory.nodes, used * NODE_WIDTH),
            values=_begun_by(values, memory.values, used * VALUE_WIDTH),
        )

    def children(self, node: int) -> Iterator[tuple[int, int, int]]:
        """Yield number, code and visits of a node's children; the root is 0."""
        nodes = self.memory.nodes
        first = int(nodes[node * NODE_WIDTH + CHILD])
        for child in range(first, first + int(nodes[node * NODE_WIDTH + COUNT])):
            base = child * NODE_WIDTH
            yield child, int(nodes[base]) % CODES, int(nodes[base + VISITS])

    def continuation(self, node: int, length: int) -> tuple[Action, ...]:
        """Return the most visited actions after a node, without forced ones."""
        found: list[Action] = []
        while len(found) < length:
            children = self.children(node)  # the lower code wins ties
            node, code, _ = max(children, key=lambda child: (child[2], -child[1]), default=(0, 0, 0))
            if not node:
                break
            found.append(decode(code))
        return tuple(found)


def _begun_by(
    longer: MutableSequence[_Number], numbers: MutableSequence[_Number], count: int
) -> MutableSequence[_Number]:
    """Copy the first numbers of a buffer to a longer one."""
    longer[:count] = numbers[:count]
    return longer


def _guidance_for(guide: NetworkGuide, memory: Memory, rules: Rules, runner: Backend) -> Guidance:
    """Return the memory of `grow_guided` besides the tree."""
    outputs = guide.network.about.outputs
    settings = PuctState(
        prefers=int(outputs == "policy-value"),
        rivals=rules.seats - 1 if outputs == "outcome-fools" else 0,
        temperature=guide.temperature,
        playouts=guide.playouts,
    )
    return Guidance(
        guide=runner.records(settings, 1),
        memories=runner.records(memory, 2),
        network=in_memory(guide.network, runner),
        room=activations_for(guide.network, runner),
    )


class TreeSearch:
    """One search of one observation, which can be continued and inspected: a tree for each thread.

    Both backends give the same lines for the same seed and iterations; only compiled code runs in parallel.
    ``chances`` has for each seat the probabilities of playing by one of `MODELS` throughout an iteration
    (default 0; `NETWORK` needs a guide with action values), ``belief`` the result of `belief_of`, if known.
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
        self.trees = tuple([GrowingTree(observation, belief, seed, runner, share) for seed in seeds])
        for tree in self.trees:
            for seat, row in enumerate(chances):
                for model, chance in enumerate(row):
                    tree.memory.tree[0].chances[seat * MODELS + model] = round(chance * MILLION)
        self._pool = ThreadPoolExecutor(threads - 1, "durak-tree") if threads > 1 else None

    @property
    def iterations(self) -> int:
        return sum([int(tree.memory.tree[0].iterations) for tree in self.trees])

    @property
    def nodes(self) -> int:
        return sum([int(tree.memory.tree[0].n_nodes) for tree in self.trees])

    @property
    def depth(self) -> int:
        """The longest path of a tree in decisions."""
        return max([int(tree.memory.tree[0].deepest) for tree in self.trees])

    def run(self, iterations: int) -> None:
        """Do some more iterations, shared out among the trees."""
        n = len(self.trees)
        shares = [iterations // n + (i < iterations % n) for i in range(n)]
        others = [
            self._pool.submit(tree.run, share)
            for tree, share in zip(self.trees[1:], shares[1:], strict=True)
            if self._pool and share
        ]
        self.trees[0].run(shares[0])
        for other in others:
            other.result()

    def lines(self, length: int = 0) -> tuple[SearchedAction, ...]:
        """Return each action that was tried, most visits first, with continuations of limited length.

        A continuation is from the tree that tried the action most.
        """
        found: dict[int, list[tuple[int, float, GrowingTree, int]]] = {}
        for tree in self.trees:
            for child, code, visits in tree.children(0):
                if visits:
                    mean = float(tree.memory.values[child * VALUE_WIDTH]) / visits
                    found.setdefault(code, []).append((visits, mean, tree, child))
        lines = []
        for code, parts in found.items():
            total = sum([visits for visits, *_ in parts])
            score = parts[0][1]
            if len(parts) > 1:
                score = sum([visits * mean for visits, mean, *_ in parts]) / total
            _, _, tree, child = max(parts, key=lambda part: part[0])
            lines.append(SearchedAction(decode(code), score, total, tree.continuation(child, length)))
        return tuple(sorted(lines, key=lambda line: (-line.visits, str(line.action))))

    def search_info(self, allowed: Sequence[Action]) -> SearchResult:
        """Return the search info of the allowed actions, most visits first."""
        nodes, depth, deals = self.nodes, self.depth, self.iterations
        lines = [line for line in self.lines(LINE) if line.action in allowed]
        return SearchResult(SCORE, nodes, depth, deals, tuple(lines))
