"""Trains a network that says how somebody who searches replies, and writes it to a file.

python3 -m benchmarks.learning.replies --out FILE [--rules podkidnoy] [--games 4500] [--steps 4000]
    [--seeds 7511 7513]

A search without a network plays against itself, and in every second game against the package's network
`dmc`. At each decision of the search the network learns how the iterations were shared out among the
actions, by the cross-entropy. Every nineteenth game only tells what it has learnt: how often it names what
was tried most, beside `dmc`. So many games are played with each seed. The commit and the seeds are printed.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch

from benchmarks.exits import with_exit_codes
from benchmarks.learning.fitting import BATCH, fit, fresh, inputs_of, write_network
from durak_core import Agent, Decision, DurakError, Observation, Rules, make_agent, play_game
from durak_core.agents.learned import shipped_network
from durak_core.arena.experiments.provenance import commit
from durak_core.kernel.position import MAX_ACTIONS
from durak_core.kernel.random import MASK63, derive
from durak_core.learn.arrays import Arrays, Int64s
from durak_core.learn.network import Parameters, forward, parameters_of
from durak_core.search.network.encoding import MAX_ACTIVE
from durak_core.search.network.features import active_inputs, indexed_actions
from durak_core.search.network.weights import REPLIES

SEARCHER = "ismcts:iterations=1000,mix=0,simulation=greedy"
HIDDEN = (128, 64)
"""Narrow, for a search asks it more often than the network that guides it; a wider one foresees no better."""
RATE = 2e-3
HELD_OUT = 19
"""One of so many games is not learnt from."""


class Learning:
    """Plays as an agent does, and keeps what it was asked and how it shared out its iterations."""

    def __init__(self, agent: Agent, rows: list[tuple[list[int], dict[int, float]]]) -> None:
        self.text = agent.text
        self.sees_all = False
        self._agent = agent
        self._rows = rows

    def begin(self, rules: Rules, seat: int, seed: int) -> None:
        self._agent.begin(rules, seat, seed)

    def choose(self, observation: Observation) -> Decision:
        decision = self._agent.choose(observation)
        if len(observation.legal_actions) > 1:
            lines = decision.findings().lines if decision.findings else ()
            visits = {line.action: line.visits for line in lines}
            total = sum(visits.values())
            shares = {
                index: visits.get(action, 0) / total if total else float(action == decision.action)
                for index, action in indexed_actions(observation).items()
            }
            self._rows.append((active_inputs(observation), shares))
        return decision


def collect(rules: Rules, games: int, seed: int) -> tuple[Arrays, Arrays]:
    """Play games, and return the searcher's decisions in them to learn from, and those to look at."""
    learnt: list[tuple[list[int], dict[int, float]]] = []
    looked_at: list[tuple[list[int], dict[int, float]]] = []
    searchers = [make_agent(SEARCHER) for _ in range(rules.seats)]
    others = [make_agent("dmc") for _ in range(rules.seats)]
    for game in range(games):
        rows = looked_at if game % HELD_OUT == 0 else learnt
        alone = game // 2 % rules.seats if game % 2 else None
        players: list[Agent] = [
            Learning(searchers[seat], rows) if alone in {None, seat} else others[seat]
            for seat in range(rules.seats)
        ]
        play_game(rules, players, derive(seed, game))
    return packed(learnt), packed(looked_at)


def packed(rows: Sequence[tuple[list[int], dict[int, float]]]) -> Arrays:
    """Return decisions as arrays: active inputs, how many, indices of legal actions or -1, their shares."""
    active = np.zeros((len(rows), MAX_ACTIVE), np.int16)
    lengths = np.zeros(len(rows), np.int16)
    actions = np.full((len(rows), MAX_ACTIONS), -1, np.int16)
    shares = np.zeros((len(rows), MAX_ACTIONS), np.float32)
    for i, (inputs, told) in enumerate(rows):
        active[i, : len(inputs)] = inputs
        lengths[i] = len(inputs)
        actions[i, : len(told)] = list(told)
        shares[i, : len(told)] = list(told.values())
    return {"active": active, "lengths": lengths, "actions": actions, "shares": shares}


def asked(
    parameters: Parameters, data: Arrays, chosen: Int64s, rules: Rules
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the logarithms of what a network expects of each legal action, and the true shares."""
    actions = torch.from_numpy(data["actions"][chosen].astype(np.int64))
    inputs = inputs_of(data, chosen, rules)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        outputs = forward(parameters, inputs.bfloat16()).float()
    legal = outputs.gather(1, actions.clamp(min=0)).masked_fill(actions < 0, -1e9)
    return torch.log_softmax(legal, 1), torch.from_numpy(data["shares"][chosen])


def learnt(data: Arrays, rules: Rules, steps: int, seed: int) -> Parameters:
    """Return a network that was fitted to decisions."""
    parameters = fresh(REPLIES, HIDDEN, rules, seed)

    def loss(chosen: Int64s) -> torch.Tensor:
        said, shares = asked(parameters, data, chosen, rules)
        return -(said * shares).sum(1).mean()

    fit(torch.optim.AdamW(parameters, lr=RATE, fused=True), loss, len(data["lengths"]), steps, seed)
    return [one.detach() for one in parameters]


def hits(parameters: Parameters, data: Arrays, rules: Rules) -> float:
    """Return in what share of the decisions a network expects most of what was tried most."""
    right = 0
    for start in range(0, len(data["lengths"]), BATCH):
        chosen = np.arange(start, min(start + BATCH, len(data["lengths"])))
        said, shares = asked(parameters, data, chosen, rules)
        right += int((said.argmax(1) == shares.argmax(1)).sum())
    return right / len(data["lengths"])


def check(given: argparse.Namespace) -> None:
    """Check the numbers of the command line.

    Raises:
        DurakError: If one of them is out of range.
    """
    if given.games < 2 or given.steps < 1 or not all(0 <= seed <= MASK63 for seed in given.seeds):
        raise DurakError(
            "expected --games of 2 or more, --steps of 1 or more, --seeds from 0 to {most}", most=MASK63
        )


@with_exit_codes("nothing is written")
def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--rules", default="podkidnoy")
    parser.add_argument("--games", type=int, default=4_500)
    parser.add_argument("--steps", type=int, default=4_000)
    parser.add_argument("--seeds", type=int, nargs="+", default=[7_511, 7_513])
    given = parser.parse_args(arguments)
    check(given)
    torch.set_num_threads(1)
    rules = Rules.parse(given.rules)
    valuing = shipped_network("dmc", rules)
    if valuing is None:
        raise DurakError("the package has no network dmc for {rules}: expected rules with one", rules=rules)
    played = [collect(rules, given.games, seed) for seed in given.seeds]
    data, looked_at = [
        {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
        for parts in zip(*played, strict=True)
    ]
    parameters = learnt(data, rules, given.steps, given.seeds[0])
    games = given.games * len(given.seeds)
    write_network(given.out, REPLIES, rules, games, parameters)
    of_dmc = hits([one.detach() for one in parameters_of(valuing)], looked_at, rules)
    print(f"commit {commit()}, seeds {given.seeds}, {rules}, {games:,} games")
    print(f"{len(data['lengths']):,} decisions learnt from, {len(looked_at['lengths']):,} looked at")
    print(f"what was tried most is named in {hits(parameters, looked_at, rules):.3f}, by dmc in {of_dmc:.3f}")


if __name__ == "__main__":
    main()
