"""The agents of the published projects: minimax, max^n and the thesis's Monte Carlo tree search."""

from __future__ import annotations

from functools import partial
from typing import Final

from durak_core.agents.base import Agent
from durak_core.agents.classic import DealingAgent, best_by_mean, best_by_vote, cheapest, foremost
from durak_core.agents.options import OPEN, AgentInfo, AgentOption, AgentValues
from durak_core.search.determinized.deciders import (
    MaxnSettings,
    MctsSettings,
    MinimaxSettings,
    maxn_table,
    mcts_table,
    minimax_table,
)

_VERDICTS: Final = {"majority": best_by_vote, "mean": best_by_mean}
_TIES: Final = {"greedy": cheapest, "first": foremost}


def _minimax(text: str, values: AgentValues) -> Agent:
    settings = MinimaxSettings(
        depth=int(values["depth"]),
        evaluation=values["eval"],
        samples=int(values["samples"]),
        prunes=values["pruning"] == "on",
    )
    verdict = partial(_VERDICTS[values["vote"]], pick=_TIES[values["ties"]])
    return DealingAgent(text, partial(minimax_table, settings=settings), verdict)


def _maxn(text: str, values: AgentValues) -> Agent:
    settings = MaxnSettings(depth=int(values["depth"]), samples=int(values["samples"]), temper=values["mode"])
    return DealingAgent(text, partial(maxn_table, settings=settings), best_by_mean)


def _mcts(text: str, values: AgentValues) -> Agent:
    settings = MctsSettings(
        iterations=int(values["limit"]),
        exploration=float(values["c"]),
        simulation=values["simulation"],
        samples=int(values["samples"]),
    )
    return DealingAgent(text, partial(mcts_table, settings=settings), best_by_vote)


def _depth(default: str) -> AgentOption:
    return AgentOption("depth", "decisions to look ahead", default, low=1, high=40)


def _samples(default: str) -> AgentOption:
    return AgentOption("samples", "deals of the hidden cards for a decision", default, low=1, high=10_000)


CLASSIC: Final[tuple[AgentInfo, ...]] = (
    AgentInfo(
        "minimax",
        "Minimax",
        "Expects the best reply to everything, in twenty deals of what it cannot see, and lets them vote.",
        "wary",
        _minimax,
        (
            _depth("3"),
            AgentOption("eval", "what a game is worth that goes on", "playout", ("basic", "playout")),
            _samples("20"),
            AgentOption("vote", "how the deals are put together", "majority", ("majority", "mean")),
            AgentOption("ties", "what is played of equally good actions", "greedy", ("greedy", "first")),
            AgentOption("pruning", "whether branches that cannot matter are cut", "on", ("off", "on")),
            OPEN,
        ),
        thinks=True,
    ),
    AgentInfo(
        "maxn",
        "Max^n",
        "Believes that everybody at the table counts cards the way it does and looks after itself.",
        "selfish",
        _maxn,
        (
            _depth("3"),
            _samples("10"),
            AgentOption(
                "mode",
                "what the others want: the best for themselves, the worst for me, a fool",
                "maxn",
                ("maxn", "paranoid", "coalition"),
            ),
            OPEN,
        ),
        thinks=True,
    ),
    AgentInfo(
        "mcts",
        "Tree grower",
        "Grows a small tree of games for each of thirty deals and plays what most of them like best.",
        "curious",
        _mcts,
        (
            AgentOption("limit", "games played out for each deal", "30", low=1, high=1_000_000),
            AgentOption("c", "weight of exploring", "1.4", low=0, high=10, whole=False),
            AgentOption("simulation", "who plays these games out", "greedy", ("greedy", "random")),
            _samples("30"),
            OPEN,
        ),
        thinks=True,
    ),
)
