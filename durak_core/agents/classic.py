"""The agents of the published projects, which sample deals and search each one.

Minimax and Monte Carlo tree search follow the Charles University thesis (rules 12, `zarlykov`), max^n the
Imperial College project (`van-khan`). All suffer from strategy fusion: within a deal every card is open, so
they never play to gain or hide information.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, TypeAlias, TypeVar

from durak_core.actions import Action, encode
from durak_core.agents.base import (
    ONLY,
    OPEN,
    Agent,
    AgentInfo,
    AgentOption,
    AgentValues,
    Decision,
    ThinkingAgent,
    legal_codes,
    switch,
)
from durak_core.agents.simple import greedy_action
from durak_core.cards import CardSet
from durak_core.deadline import Deadline
from durak_core.errors import Message
from durak_core.game.observation import Observation
from durak_core.search.backend.backend import backend
from durak_core.search.determinized.searches import (
    ConsideredMove,
    DealTable,
    LookAheadSettings,
    MctsSettings,
    Prospects,
    look_ahead_table,
    look_ahead_tree,
    mcts_table,
)
from durak_core.search.search_result import SearchedAction, SearchResult

Search: TypeAlias = Callable[..., DealTable]
Verdict: TypeAlias = Callable[[Observation, DealTable], Decision]
_Figure = TypeVar("_Figure", int, tuple[int, float])
Pick: TypeAlias = Callable[[Observation, Sequence[Action]], Action]


class DealingAgent(ThinkingAgent):
    """Searches some deals of the hidden cards and combines the results.

    ``search`` returns a value for each deal and action from an observation, a seed, a backend and, by
    keyword, a deadline. ``verdict`` makes a decision of them. ``settings`` belong to a look-ahead search.
    """

    def __init__(
        self, text: str, search: Search, verdict: Verdict, settings: LookAheadSettings | None = None
    ) -> None:
        super().__init__(text)
        self._search = search
        self._verdict = verdict
        self._settings = settings

    def considered(
        self, observation: Observation
    ) -> tuple[tuple[CardSet, ...], tuple[ConsideredMove, ...]] | None:
        """Return the hands of the first deal of the next decision, and all moves considered in it.

        None if the agent does not look ahead to a depth.
        """
        if self._settings is None:
            return None
        return look_ahead_tree(observation, self.next_seed(), self._settings)

    def choose_by(self, observation: Observation, deadline: Deadline) -> Decision:
        if len(legal_codes(observation)) == 1:
            return Decision(observation.legal_actions[0], ONLY)
        table = self._search(observation, self.next_seed(), backend("classic"), deadline=deadline)
        return self._verdict(observation, table)


def cheapest(observation: Observation, actions: Sequence[Action]) -> Action:
    """Return the action that greedy plays if restricted to these."""
    return greedy_action(observation, [encode(action) for action in actions])


def foremost(observation: Observation, actions: Sequence[Action]) -> Action:
    del observation
    return actions[0]


def best_by_vote(observation: Observation, table: DealTable, pick: Pick = cheapest) -> Decision:
    """Choose by a vote of the deals; ``pick`` breaks ties within a deal and between votes."""
    votes = [0] * len(observation.legal_actions)
    for deal in range(len(table.rows)):
        votes[observation.legal_actions.index(_best(observation, table.ranks(deal), pick))] += 1
    chosen = _best(observation, votes, pick)
    return Decision(
        chosen,
        Message("best in {votes} of {deals} deals", votes=max(votes), deals=len(table.rows)),
        partial(_search_info, observation, table, chosen, votes),
    )


def best_by_mean(observation: Observation, table: DealTable, pick: Pick = cheapest) -> Decision:
    """Choose by the mean over the deals; ``pick`` breaks ties."""
    sums = [sum(column) for column in zip(*table.rows, strict=True)]
    mean = max(sums) / len(table.rows)
    chosen = _best(observation, sums, pick)
    return Decision(
        chosen,
        Message("value {value}, averaged over {deals} deals", value=f"{mean:.0f}", deals=len(table.rows)),
        partial(_search_info, observation, table, chosen, sums),
    )


def _search_info(
    observation: Observation, table: DealTable, chosen: Action, evaluations: Sequence[int]
) -> SearchResult:
    """Return the search info; continuations are from the first deal in which the action is best."""
    found = []
    ranks = [table.ranks(deal) for deal in range(len(table.rows))]
    for place, action in enumerate(observation.legal_actions):
        best_in = [deal for deal, row in enumerate(ranks) if row[place] == max(row)]
        score, visits = table.value(place)
        ahead = table.continuation(best_in[0] if best_in else 0, place)
        found.append((evaluations[place], SearchedAction(action, score, visits or len(best_in), ahead)))
    found.sort(key=lambda one: (one[1].action != chosen, -one[0], -one[1].score))
    return SearchResult(
        table.unit, table.nodes, table.depth, len(table.rows), tuple([line for _, line in found])
    )


def _best(observation: Observation, figures: Sequence[_Figure], pick: Pick) -> Action:
    best = max(figures)
    actions = zip(observation.legal_actions, figures, strict=True)
    return pick(observation, [action for action, figure in actions if figure == best])


_VERDICTS: Final = {"majority": best_by_vote, "mean": best_by_mean}
_TIES: Final = {"greedy": cheapest, "first": foremost}


def _minimax(text: str, values: AgentValues) -> Agent:
    settings = LookAheadSettings(
        depth=values["depth"],
        samples=values["samples"],
        temper="paranoid",
        evaluation=values["eval"],
        prunes=values["pruning"],
    )
    verdict = partial(_VERDICTS[values["vote"]], pick=_TIES[values["ties"]])
    return DealingAgent(text, partial(look_ahead_table, settings=settings), verdict, settings)


def _maxn(text: str, values: AgentValues) -> Agent:
    settings = LookAheadSettings(
        depth=values["depth"],
        samples=values["samples"],
        temper=values["mode"],
        weights=Prospects(values["cards"], values["trumps"], values["weakness"]),
    )
    return DealingAgent(text, partial(look_ahead_table, settings=settings), best_by_mean, settings)


def _mcts(text: str, values: AgentValues) -> Agent:
    settings = MctsSettings(
        iterations=values["limit"],
        exploration=values["c"],
        simulation=values["simulation"],
        samples=values["samples"],
    )
    return DealingAgent(text, partial(mcts_table, settings=settings), best_by_vote)


def _depth(default: int) -> AgentOption:
    return AgentOption("depth", "search depth in decisions", default, low=1, high=40, visitors=6)


def _samples(default: int) -> AgentOption:
    summary = "sampled deals of the hidden cards per decision"
    return AgentOption("samples", summary, default, low=1, high=10_000, visitors=100)


def _points(name: str, summary: str, default: int, low: int = 0) -> AgentOption:
    return AgentOption(name, summary, default, low=low, high=20, omit_default_from_key=True)


CLASSIC: Final[tuple[AgentInfo, ...]] = (
    AgentInfo(
        "minimax",
        "Minimax",
        "Expects the best replies in twenty deals of the hidden cards, which then vote.",
        "wary",
        _minimax,
        (
            _depth(3),
            AgentOption(
                "eval",
                "evaluation at the depth limit: card counting or a greedy playout",
                "playout",
                ("basic", "playout"),
                values={"payout": "playout"},  # the thesis' spelling
            ),
            _samples(20),
            AgentOption(
                "vote",
                "how to combine the deals: majority vote or mean value",
                "majority",
                ("majority", "mean"),
            ),
            AgentOption(
                "ties", "choice among equal actions: as greedy, or the first", "greedy", ("greedy", "first")
            ),
            switch("pruning", "alpha-beta pruning", default=True),
            OPEN,
        ),
        thinks=True,
        method="Paranoid alpha-beta search of sampled deals, combined by vote or mean.",
    ),
    AgentInfo(
        "maxn",
        "Max^n",
        "Assumes that all others count cards as it does, each playing for itself.",
        "selfish",
        _maxn,
        (
            _depth(3),
            _samples(10),
            AgentOption(
                "mode",
                "opponents maximise their own value (maxn), minimise yours, or play against the weakest",
                "maxn",
                ("maxn", "paranoid", "coalition"),
            ),
            _points("cards", "points lost for each card in hand", 1),
            _points("trumps", "points gained for each trump in hand", 2, low=-20),
            _points("weakness", "points lost for each rank whose cards can all be beaten in suit", 1),
            OPEN,
        ),
        thinks=True,
        method="Max^n search of sampled deals, or paranoid or coalition search; takes the best mean.",
    ),
    AgentInfo(
        "mcts",
        "Tree grower",
        "Grows a small tree of games for each of thirty deals and plays what most of them like best.",
        "curious",
        _mcts,
        (
            AgentOption("limit", "playouts per deal", 30, low=1, high=1_000_000, visitors=1_000),
            AgentOption("c", "exploration constant of UCT", 1.4, low=0, high=10, whole=False),
            AgentOption("simulation", "playout policy", "greedy", ("greedy", "random")),
            _samples(30),
            OPEN,
        ),
        thinks=True,
        method="Monte Carlo tree search (UCT) of each sampled deal; takes the majority vote.",
    ),
)
