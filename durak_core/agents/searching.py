"""Search agents: information-set tree search, its hybrid with the rule book, and perfect endgame play."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from time import perf_counter, thread_time
from typing import Final, NamedTuple

from durak_core.actions import Action
from durak_core.agents.base import (
    ONLY,
    OPEN,
    Agent,
    AgentInfo,
    AgentOption,
    AgentValue,
    AgentValues,
    Decision,
    ThinkingAgent,
    legal_codes,
    switch,
)
from durak_core.agents.learned import AUTO, NO_NETWORK, SHIPPED, NetworkSelector, shipped_network
from durak_core.agents.simple import expert_agent, greedy_agent, smart_agent
from durak_core.deadline import LEAST_ITERATIONS, NEVER, Deadline
from durak_core.errors import Message
from durak_core.game.observation import Observation
from durak_core.knowledge.belief import belief_of
from durak_core.knowledge.certain import opponents
from durak_core.knowledge.locations import FollowedLocations
from durak_core.rules import Rules
from durak_core.search.backend.backend import Backend, backend
from durak_core.search.endgame.solver import ActionSolver, known_to_the_end
from durak_core.search.ismcts.tree import MODELS, NETWORK
from durak_core.search.ismcts.tree_search import CHUNK, SearchSettings, TreeSearch
from durak_core.search.network.hands import GuessedHands, write_odds
from durak_core.search.network.weights import HANDS, Network
from durak_core.search.opponents.model import READING, Followed, OpponentModel, follow_all, follow_policy
from durak_core.search.policies.playouts import GREEDY, POLICIES

_NODES_A_STEP: Final = {"plain": 500, "compiled": 20_000}
"""Nodes between two checks for a solution, by backend."""


class SolverAgent(ThinkingAgent):
    """Plays solvable endgames perfectly, and otherwise like another agent."""

    def __init__(self, text: str, other: Agent, nodes: int) -> None:
        super().__init__(text)
        self._other = other
        self._nodes = nodes

    def begin(self, rules: Rules, seat: int, seed: int) -> None:
        self._other.begin(rules, seat, seed)

    def choose_by(self, observation: Observation, deadline: Deadline) -> Decision:
        decision = self._other.choose(observation)
        best = best_in_endgame(observation, backend("search"), self._nodes, deadline)
        if best is None:
            return decision
        if decision.action in best.actions:
            return best.decision(decision.action, decision.reason)
        return best.decision(best.actions[0])


@dataclass(frozen=True, slots=True)
class Endgame:
    """The solver's result."""

    value: int  # 1 won, 0 drawn, -1 lost by force
    actions: tuple[Action, ...]  # at least one winning action, otherwise all that keep the value
    solver: ActionSolver = field(compare=False, repr=False)

    def decision(self, action: Action, reason: Message | str = "") -> Decision:
        """Return the decision for one of the actions, with the endgame's reason by default."""
        return Decision(action, reason or self.reason, partial(self.solver.search_info, action))

    @property
    def reason(self) -> Message:
        return _FORCED[self.value]


_FORCED: Final = {
    1: Message("wins by force"),
    0: Message("draws by force"),
    -1: Message("loses whatever it does, if nobody errs"),
}


def best_in_endgame(
    observation: Observation, runner: Backend, nodes: int, deadline: Deadline = NEVER
) -> Endgame | None:
    """Solve the actions of an endgame until one wins; None if cards are hidden or a budget runs out."""
    if not nodes or len(observation.legal_actions) < 2 or not known_to_the_end(observation):
        return None
    solver = ActionSolver(observation, runner)
    slices = deadline.slices()
    while not solver.is_done and 1 not in solver.values.values():
        step = int(next(slices, 0) * _NODES_A_STEP[runner.name])
        if not step or solver.hopeless or solver.spent >= nodes:
            return None
        solver.work(min(step, nodes - solver.spent))
    best = max(solver.values.values())
    return Endgame(best, tuple([action for action, value in solver.values.items() if value == best]), solver)


NODES: Final = AgentOption(
    "nodes", "node limit of the endgame solver", 500_000, low=1, high=100_000_000, visitors=500_000
)

SOLVER: Final = AgentInfo(
    "solver",
    "Solver",
    "Plays like Smart until the last cards lie open, and the rest without a mistake.",
    "exact",
    lambda text, values: SolverAgent(text, smart_agent(text), values["nodes"]),
    (NODES, OPEN),
    thinks=True,
    method="Solves endgames without hidden cards by alpha-beta search, and otherwise plays as smart.",
)


_STEP: Final = 500
"""Maximum iterations of a tree between two checks of the clock."""

OPPONENT: Final = "opponent"
ALL: Final = "all"

_CERTAIN: Final = 0.9
"""Probability of `greedy` from which its best response guides the search."""

_NONE_FOLLOWED: Final = Followed({}, {}, {})

_SOLVING: Final = 0.5
"""Maximum share of the time for solving an endgame."""


@dataclass(frozen=True, slots=True)
class SearchLimits:
    """The limits of a tree search for one decision."""

    iterations: int
    seconds: float  # CPU time, or wall time with several threads; 0 for no limit
    solver: int  # nodes for an endgame at the root, 0 for none


class _Fitting(NamedTuple):
    """Search settings and networks for some rules."""

    rules: Rules
    settings: SearchSettings
    against_greedy: SearchSettings
    hands: Network | None


class TreeAgent(ThinkingAgent):
    """Plays the most visited action of an information-set tree search, guided by a network of ``guides``.

    With ``follow`` it also infers which seats play by the policy `opponent` (`OPPONENT`) or by any model
    (`ALL`), and weights deals by the package's belief network if one covers the rules.
    """

    def __init__(
        self,
        text: str,
        limits: SearchLimits,
        settings: SearchSettings,
        guides: NetworkSelector,
        *,
        follow: str = "",
    ) -> None:
        super().__init__(text)
        self._guides = guides
        self._limits = limits
        self._settings = settings
        self._follow = follow
        self._fitting: _Fitting | None = None
        self._places = FollowedLocations()
        self._reader: OpponentModel | None = None
        self._followed = _NONE_FOLLOWED

    def begin(self, rules: Rules, seat: int, seed: int) -> None:
        """Set the seed and forget the opponents; `AgentError` if a required network is missing."""
        super().begin(rules, seat, seed)
        self._fitted(rules)
        self._places = FollowedLocations()
        self._reader = None
        if self._follow:
            self._reader = self._new_reader(rules, seat, seed)

    def choose_by(self, observation: Observation, deadline: Deadline) -> Decision:
        """Search at least `LEAST_ITERATIONS`, unless there is no choice or the endgame is solved."""
        legal_codes(observation)
        fitting = self._fitted(observation.rules)
        settings = fitting.settings
        if self._reader is not None and self._may_read(deadline):
            self._reader.follow(observation)
        if len(observation.legal_actions) == 1:
            return Decision(observation.legal_actions[0], ONLY)
        runner = backend(settings.group)
        best = best_in_endgame(observation, runner, self._limits.solver, deadline.part(_SOLVING))
        if best is not None and (best.value > 0 or len(best.actions) == 1):
            return best.decision(best.actions[0])
        seed = self.next_seed()
        belief = belief_of(observation, self._places.of)
        if fitting.hands is not None:
            write_odds(belief[1], fitting.hands, observation, runner, self._guesses(observation))
        chances = self._chances(observation)
        if chances and _is_greedy(chances, observation):
            settings = fitting.against_greedy
        search = TreeSearch(observation, seed, runner, settings, chances, belief=belief)
        self._run(search, min(_STEP, CHUNK[runner.name]), deadline)
        allowed: Sequence[Action] = observation.legal_actions if best is None else best.actions
        lines = [line for line in search.lines() if line.action in allowed]
        if not lines:
            return Decision(allowed[0], Message("had no time to think"))
        return Decision(
            lines[0].action,
            Message(
                "safe in {share} of {count} games tried",
                share=f"{lines[0].score:.0%}",
                count=search.iterations,
            ),
            partial(search.search_info, allowed),
        )

    def _fitted(self, rules: Rules) -> _Fitting:
        if self._fitting is None or self._fitting.rules is not rules:
            settings = self._guides.fit(self._settings, rules)
            against_greedy = self._guides.fit_greedy(settings, rules) if self._follow == ALL else settings
            hands = shipped_network(HANDS, rules) if self._follow else None
            self._fitting = _Fitting(rules, settings, against_greedy, hands)
        return self._fitting

    def _new_reader(self, rules: Rules, seat: int, seed: int) -> OpponentModel:
        guide, network = self._fitted(rules).settings.guide, None
        if self._follow != ALL:
            followed = follow_policy(self._settings.opponent)
        else:
            if guide is not None and guide.network.about.outputs != "policy-value":
                network = guide.network
            followed = follow_all(has_network=network is not None)
        self._followed = followed
        return OpponentModel(
            rules,
            seat,
            followed.types,
            followed.prior,
            samples=followed.samples,
            seed=seed,
            network=network,
        )

    def _may_read(self, deadline: Deadline) -> bool:
        """Return whether reading is fast; interpreted, a network takes half a second for each choice."""
        has_network = NETWORK in self._followed.models.values()
        return backend(READING).name == "compiled" or not (deadline.is_set and has_network)

    def _chances(self, observation: Observation) -> tuple[tuple[float, ...], ...]:
        """Return each seat's probability of playing by each model."""
        if self._reader is None:
            return ()
        chances = [[0.0] * MODELS for _ in range(observation.rules.seats)]
        for seat in opponents(observation):
            posterior = self._reader.posterior(seat)
            for name, model in self._followed.models.items():
                chances[seat][model] += posterior[name]
        return tuple(map(tuple, chances))

    def _guesses(self, observation: Observation) -> Mapping[int, Sequence[GuessedHands]]:
        """Return the hands of the types that weight the deals, by seat."""
        guesses: dict[int, list[GuessedHands]] = {}
        if self._reader is None or not self._followed.guesses:
            return guesses
        for seat in opponents(observation):
            posterior = self._reader.posterior(seat)
            guesses[seat] = [
                GuessedHands(posterior[name], self._reader.hands(seat, name), share)
                for name, share in self._followed.guesses.items()
            ]
        return guesses

    def _run(self, search: TreeSearch, step: int, deadline: Deadline) -> None:
        """Search within the limits and the deadline, ``step`` iterations of a tree at a time."""
        limits, threads = self._limits, self._settings.threads
        own = Deadline(limits.seconds or math.inf, thread_time if threads == 1 else perf_counter)
        if deadline.is_set:
            search.run(min(LEAST_ITERATIONS * threads, limits.iterations))
        for share in deadline.slices():
            search.run(min(max(1, int(step * share)) * threads, limits.iterations - search.iterations))
            if search.iterations >= limits.iterations or own.is_over:
                break
            if own.is_set and _is_decided(search, own.left / max(own.spent, 1e-9) * search.iterations):
                break


def _is_greedy(chances: Sequence[Sequence[float]], observation: Observation) -> bool:
    """Return whether the only opponent almost certainly plays by `greedy`."""
    others = opponents(observation)
    return len(others) == 1 and chances[others[0]][GREEDY] >= _CERTAIN


def _is_decided(search: TreeSearch, to_come: float) -> bool:
    """Return whether the second action cannot overtake the first in the remaining iterations."""
    lines = search.lines()
    return len(lines) > 1 and lines[0].visits - lines[1].visits > to_come


class HybridAgent(ThinkingAgent):
    """Plays by the book, searches once the talon has at most ``threshold`` cards, and solves the endgame.

    Source: the hybrid agent of the endgame-MCTS project.
    """

    def __init__(self, text: str, book: Agent, searcher: TreeAgent, threshold: int) -> None:
        super().__init__(text)
        self._book = book
        self._searcher = searcher
        self._threshold = threshold

    def begin(self, rules: Rules, seat: int, seed: int) -> None:
        self._book.begin(rules, seat, seed)
        self._searcher.begin(rules, seat, seed)

    def choose_by(self, observation: Observation, deadline: Deadline) -> Decision:
        if observation.talon_size > self._threshold:
            return self._book.choose(observation)
        return self._searcher.choose_by(observation, deadline)


def _guides(values: AgentValues) -> NetworkSelector:
    names = {
        "c": "exploration",
        "mix": "opponent_policy_share",
        "net_temperature": "temperature",
        "net_playouts": "playouts",
    }
    settings = {names[key]: values[key] for key in names if values[key] != AUTO}
    return NetworkSelector(values["net"], **settings)


def _ismcts(text: str, values: AgentValues) -> TreeAgent:
    solves, time = values["solver"], values["time"]
    automatic = _MOST if time else 10_000 if values["net"] == NO_NETWORK else 1_000
    limits = SearchLimits(
        iterations=automatic if values["iterations"] == AUTO else values["iterations"],
        seconds=time / 1000,
        solver=values["nodes"] if solves else 0,
    )
    usual = SearchSettings()
    settings = SearchSettings(
        exploration=usual.exploration if values["c"] == AUTO else values["c"],
        epsilon=values["epsilon"],
        opponent_policy_share=usual.opponent_policy_share if values["mix"] == AUTO else values["mix"],
        leaf_cards=values["leaf"] if solves else 0,
        end_cards=values["end"] if solves else 0,
        simulation=POLICIES[values["simulation"]],
        opponent=POLICIES[values["opponent"]],
        memory=values["memory"],
        threads=values["threads"],
    )
    return TreeAgent(
        text,
        limits,
        settings,
        _guides(values),
        follow=values["follow"] if values["inference"] else "",
    )


def tree_agent(text: str, **settings: AgentValue) -> TreeAgent:
    """Return the agent `ismcts` with some options set."""
    return _ismcts(text, {option.name: option.default for option in _TREE} | settings)


def _hybrid(text: str, values: AgentValues) -> Agent:
    book = expert_agent(text) if values["book"] == "expert" else greedy_agent(text, "hoard")
    return HybridAgent(text, book, _ismcts(text, values), values["threshold"])


_MOST: Final = 1_000_000_000

_ITERATIONS: Final = (
    "maximum iterations per decision; auto: no limit with a time, otherwise 10000, or 1000 with net"
)

_POLICIES: Final = ("random", "greedy", "expert")


def _automatic(name: str, summary: str, *, low: float, high: float) -> AgentOption:
    """Return a numeric option whose default depends on the other options."""
    return AgentOption(name, summary, AUTO, (AUTO,), low, high, whole=False)


_TREE: Final = (
    AgentOption("iterations", _ITERATIONS, AUTO, (AUTO,), low=1, high=1e9),
    AgentOption(
        "time",
        "CPU time per decision in ms (wall time with several threads), 0 for no limit",
        0,
        low=0,
        high=3_600_000,
        visitors=3_000,
    ),
    _automatic("c", "exploration constant; auto: 0.7, or with net the network's default", low=0, high=10),
    AgentOption("epsilon", "share of random actions in playouts", 0.15, low=0, high=1, whole=False),
    _automatic(
        "mix",
        "probability that another seat follows the opponent policy in the tree; auto: 0.5, or 0 with net",
        low=0,
        high=1,
    ),
    AgentOption("simulation", "playout policy", "expert", _POLICIES),
    AgentOption("opponent", "policy of the other seats, see mix and inference", "greedy", _POLICIES),
    switch("solver", "solve endgames", default=True),
    AgentOption("leaf", "most cards in two hands for solving a leaf", 8, low=0, high=20),
    AgentOption("end", "most cards in two hands for solving in a playout", 0, low=0, high=20),
    NODES,
    AgentOption(
        "memory", "memory for the tree in MB", 64.0, low=0.001, high=16_384, whole=False, visitors=64
    ),
    switch("inference", "infer which seats follow the opponent policy, and weight deals by a belief network"),
    AgentOption(
        "follow",
        "policies that the tree follows with inference: the opponent policy, or all (greedy, the rule book, "
        "the network)",
        OPPONENT,
        (OPPONENT, ALL),
        omit_default_from_key=True,
    ),
    AgentOption("threads", "trees grown in parallel", 1, low=1, high=64, visitors=1),
    AgentOption(
        "net",
        "network instead of playouts and policies; auto: dmc if it covers the rules, otherwise none; "
        "search-response: trained against searches without a network",
        NO_NETWORK,
        (NO_NETWORK, *SHIPPED, AUTO),
        words="the path of a .npz file",
        is_file=True,
    ),
    _automatic(
        "net_temperature",
        "softmax temperature of the priors; auto: the network's default",
        low=0.001,
        high=10,
    ),
    AgentOption(
        "net_playouts", "weight of a playout in the value of a leaf", 0.0, low=0, high=1, whole=False
    ),
    OPEN,
)

SEARCHING: Final = (
    AgentInfo(
        "ismcts",
        "Searcher",
        "Deals your hidden cards a thousand ways, plays each deal out, and picks the best move.",
        "patient",
        _ismcts,
        _TREE,
        thinks=True,
        method="Information-set Monte Carlo tree search, optionally guided by a network (PUCT).",
    ),
    AgentInfo(
        "hybrid",
        "Hybrid",
        "Plays by the book while the talon lasts, then counts, and makes no mistake with the last cards.",
        "late",
        _hybrid,
        (
            AgentOption("threshold", "largest talon with which it searches", 4, low=0, high=52),
            AgentOption(
                "book",
                "agent before that: expert, or greedy with trumps=hoard",
                "expert",
                ("expert", "hoard"),
                omit_default_from_key=True,
            ),
            *_TREE,
        ),
        thinks=True,
        method="Plays by book while the talon is large, then as ismcts.",
    ),
)
