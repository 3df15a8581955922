"""Speed of the search and the solver.

python3 benchmarks/speed_search.py [--seconds 2] [--rounds 5] [--games 60] [--seed 1]

Searches start from the deal, one deal a round. Variants alternate within a round, and the median, least and
greatest of the rounds are printed. Endgames come from games of searching agents, each once, from the first
decision with an empty talon on. Nothing here passes or fails.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean, median
from time import perf_counter, thread_time

from durak_core import Observation, Rules, State, make_agent
from durak_core.agents.learned import NetworkSelector
from durak_core.kernel.position import derive
from durak_core.lab.experiments.results import commit, processor
from durak_core.search.backend.backend import Backend, backend
from durak_core.search.endgame.solver import ActionSolver, known_to_the_end
from durak_core.search.ismcts.tree_search import SearchSettings, TreeSearch
from durak_core.search.policies.playouts import GREEDY

PLAYER = "ismcts:iterations=1000"
"""Whose endgames are solved."""
CHOOSERS = (
    "expert",
    "maxn",
    "mcts",
    "minimax:samples=30",
    "minimax:depth=9,eval=playout,open",
    "ismcts:iterations=1000",
)
"""Agents whose choices are timed."""
LIMIT = 0.05
"""Seconds within which an endgame should be solved."""
LONGEST = 2.0
"""Seconds after which one is given up."""
STEP = 20_000
"""Nodes between two looks at the clock."""


@dataclass(frozen=True)
class Way:
    """A search to be measured."""

    name: str
    rules: Rules
    settings: SearchSettings


WAYS = (
    Way("2 seats, greedy playouts", Rules(), SearchSettings(simulation=GREEDY, opponent=GREEDY)),
    Way("2 seats", Rules(), SearchSettings()),
    Way("2 seats, two threads", Rules(), SearchSettings(threads=2)),
    Way("2 seats, with a network", Rules(), NetworkSelector("dmc").fit(SearchSettings(), Rules())),
    Way("2 seats, perevodnoy", Rules.preset("perevodnoy"), SearchSettings()),
    Way("4 seats", Rules(seats=4), SearchSettings()),
    Way("6 seats", Rules(seats=6), SearchSettings()),
)


def iterations_a_second(way: Way, seconds: float, seed: int) -> float:
    """Search from one deal for some time."""
    runner = backend(way.settings.group)
    observation = to_act(State.deal(way.rules, seed))
    search = TreeSearch(observation, seed, runner, way.settings)
    search.run(10)
    done = search.iterations
    began = perf_counter()
    while perf_counter() - began < seconds:
        search.run(2000 * way.settings.threads)
    return (search.iterations - done) / (perf_counter() - began)


def to_act(state: State) -> Observation:
    """Return what the seat to act sees."""
    return state.observation(state.turn or 0)


def endgames(rules: Rules, games: int, seed: int) -> list[Observation]:
    """Play games and return the decisions with an empty talon that leave a choice."""
    found = []
    players = [make_agent(PLAYER) for _ in range(rules.seats)]
    for number in range(games):
        state = State.deal(rules, derive(seed, number))
        for seat, player in enumerate(players):
            player.begin(rules, seat, derive(seed, (1 << 32) + number * rules.seats + seat))
        while state.turn is not None:
            seen = to_act(state)
            if len(seen.legal_actions) > 1 and seen.talon_size == 0 and known_to_the_end(seen):
                found.append(seen)
            state = state.apply(players[state.turn].choose(seen).action)
    return found


def solve_all(observations: Sequence[Observation], runner: Backend) -> None:
    """Solve endgames until a winning action or the value of every action is known, and print how it went."""
    times, nodes, open_ends = [], [], 0
    for observation in observations:
        began = thread_time()
        solver = ActionSolver(observation, runner)
        while not solver.is_done and 1 not in solver.values.values():
            if solver.hopeless or thread_time() - began > LONGEST:
                open_ends += 1
                break
            solver.work(STEP)
        times.append(thread_time() - began)
        nodes.append(solver.spent)
    in_time = sum(took <= LIMIT for took in times) / len(times)
    print(
        f"    {len(times)} endgames: {in_time:.1%} within {LIMIT * 1000:.0f} ms, "
        f"{1 - open_ends / len(times):.1%} within {LONGEST:g} s; "
        f"nodes median {median(nodes):,.0f}, mean {mean(nodes):,.0f}; {sum(nodes) / sum(times):,.0f} nodes/s"
    )


def time_choices(text: str, rules: Rules, games: int, seed: int) -> None:
    """Let an agent play against greedy and print how long it took to choose where it had a choice."""
    agent, other = make_agent(text), make_agent("greedy")
    times = []
    for number in range(games):
        state = State.deal(rules, derive(seed, number))
        agent.begin(rules, 0, derive(seed, (1 << 33) + number))
        while state.turn is not None:
            player = (agent, other)[state.turn]
            seen = state.observation(state.turn, sees_all=player.sees_all)
            began = thread_time()
            decision = player.choose(seen)
            if player is agent and len(seen.legal_actions) > 1:
                times.append((thread_time() - began) * 1000)
            state = state.apply(decision.action)
    times.sort()
    print(
        f"    {text:40} mean {mean(times):7.2f}  95 % {times[len(times) * 95 // 100]:7.2f}  "
        f"greatest {times[-1]:7.2f}"
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--games", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    runner = backend("search")
    print(f"commit {commit()}, {processor()}, seed {arguments.seed}, {runner.name}")
    rounds: list[dict[str, float]] = []
    for number in range(arguments.rounds):
        rounds.append({})
        for way in WAYS if number % 2 == 0 else reversed(WAYS):
            seed = derive(arguments.seed, number)
            rounds[-1][way.name] = iterations_a_second(way, arguments.seconds, seed)
    print("iterations a second from the deal:")
    for way in WAYS:
        figures = [one[way.name] for one in rounds]
        print(f"    {way.name:28} {median(figures):10,.0f}  ({min(figures):,.0f} to {max(figures):,.0f})")
    ratios = [one["2 seats, two threads"] / one["2 seats"] for one in rounds]
    print(f"    two threads over one: {median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})")
    for preset in ("podkidnoy", "perevodnoy"):
        print(f"solver, {preset}, CPU time:")
        solve_all(endgames(Rules.preset(preset), arguments.games, arguments.seed), runner)
    print("milliseconds of CPU time a choice, zarlykov:")
    for text in CHOOSERS:
        time_choices(text, Rules.preset("zarlykov"), max(1, arguments.games // 4), arguments.seed)


if __name__ == "__main__":
    main()
