"""Speed of knowledge updates, and of building and querying Kripke models.

python3 -m benchmarks.speed_knowledge [--games 30] [--rounds 5] [--seed 1]

Figures are CPU time in the best round, which other programs affect little.
"""

from __future__ import annotations

import argparse
import platform
import random
from collections.abc import Callable, Iterator
from time import process_time

from benchmarks.speed_plain import commit, processor
from durak_core import Event, Observation, Rules, State
from durak_core.knowledge.locations import TALON, SeatLocations
from durak_core.lab.epistemic import KripkeModel, Scenario, count_worlds, parse_formula

GAMES = ("podkidnoy", "podkidnoy:seats=4", "perevodnoy:seats=3", "groningen", "podkidnoy:forced_play=yes")
SCENARIOS = (("6s7s8s9sTsJsQsKsAs6h7h8h", (4, 4, 4), 0), ("6s7s8s9sTsJsQsKsAs6h7h8h9hTh", (5, 5, 4), 0))
FORMULAS = ("K0 !K1 in(6s,2)", "C{0,1,2} (in(6s,0) | in(6s,1) | in(6s,2))", "C{0,1} M2 in(6s,0)")


def played(rules: Rules, seed: int) -> Iterator[State]:
    """Yield the states of a game of uniformly random actions."""
    chance = random.Random(seed)
    state = State.deal(rules, seed)
    yield state
    while not state.is_over:
        state = state.apply(chance.choice(state.legal_actions))
        yield state


def views(rules: Rules, seed: int) -> Iterator[tuple[Observation, list[list[Event]], Observation]]:
    """Yield for each seat of a game its first observation, the news of every ply, and its last one."""
    states = list(played(rules, seed))
    for seat in range(rules.seats):
        news, told = [], 1
        for state in states[1:]:
            events = state.observation(seat).events
            news.append(list(events[told:]))
            told = len(events)
        yield states[0].observation(seat), news, states[-1].observation(seat)


def seconds(work: Callable[[], None]) -> float:
    """Return the CPU time of a call."""
    began = process_time()
    work()
    return process_time() - began


def measure_places(text: str, games: int, rounds: int, seed: int) -> str:
    """Follow games and return a row of the table."""
    rules = Rules.parse(text)
    seen = [view for game in range(games) for view in views(rules, seed + game)]
    events = sum(len(news) for _, plies, _ in seen for news in plies)
    plies = sum(len(plies) for _, plies, _ in seen)
    nothing = following = asking = anew = float("inf")
    for _ in range(rounds):
        nothing = min(nothing, seconds(lambda: follow(seen, ignore)))
        following = min(following, seconds(lambda: follow(seen, SeatLocations.observe)))
        asking = min(asking, seconds(lambda: follow(seen, SeatLocations.observe, asked=True)))
        anew = min(anew, seconds(lambda: start_anew(seen)))
    update = 1e6 * (following - nothing) / events
    query = 1e6 * (asking - following) / plies
    return f"{text:28} {update:10.2f} {query:12.2f} {1e6 * anew / len(seen):12.1f} {events / len(seen):12.0f}"


def follow(
    seen: list[tuple[Observation, list[list[Event]], Observation]],
    observe: Callable[[SeatLocations, Event], None],
    *,
    asked: bool = False,
) -> None:
    """Replay games event by event; optionally compute all locations after every ply."""
    for first, plies, _ in seen:
        places = SeatLocations.from_observation(first)
        for news in plies:
            for event in news:
                observe(places, event)
            if asked:
                for place in (*range(first.rules.seats), TALON):
                    places.possible(place)


def ignore(places: SeatLocations, event: Event) -> None:
    """Observe nothing: what the loops alone cost."""
    del places, event


def start_anew(seen: list[tuple[Observation, list[list[Event]], Observation]]) -> None:
    """Make knowledge from the last observation of each game."""
    for _, _, last in seen:
        SeatLocations.from_observation(last)


def measure_models(rounds: int) -> Iterator[str]:
    """Make joint models, ask them, and yield the rows of the table."""
    for cards, hands, talon in SCENARIOS:
        scenario = Scenario.of(cards, hands, talon=talon)
        best = float("inf")
        for _ in range(rounds):
            began = process_time()
            model = KripkeModel.of(scenario)
            best = min(best, process_time() - began)
        yield f"{count_worlds(scenario):9,} worlds, made {1000 * best:34.1f} ms"
        for text in FORMULAS:
            formula = parse_formula(text)
            asked = float("inf")
            for _ in range(rounds):
                fresh = model.announce(parse_formula("in(6s,0) | !in(6s,0)"))  # nothing is worked out there
                began = process_time()
                fresh.extension(formula)
                asked = min(asked, process_time() - began)
            yield f"    {text:46} {1000 * asked:8.1f} ms"


def main() -> None:
    """Measure everything and print it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--games", type=int, default=30, help="for each row")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    print(f"commit {commit()}, seed {given.seed}, Python {platform.python_version()}, {processor()}")
    head = f"{'µs':28} {'an event':>10} {'all places':>12} {'from the end':>12} {'events':>12}"
    print(f"\n{head}")
    for text in GAMES:
        print(measure_places(text, given.games, given.rounds, given.seed))
    print()
    for line in measure_models(given.rounds):
        print(line)


if __name__ == "__main__":
    main()
