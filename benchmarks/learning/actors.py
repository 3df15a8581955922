"""Training with several actors: CPU time and bytes of a round, and how many actors one learner serves.

python3 -m benchmarks.learning.actors CONFIG [--actors 2] [--tables N] [--round-steps N] [--rounds 8]
    [--machines 100] [--jobs N | --scheduler ADDRESS]

CONFIG is a training file for `durak train dmc`. Training starts from the shipped network without a warm
start, so that games have their usual length, and the seed is the file's. By default, actors and learner take
turns in this process. Then the program prints the CPU time of playing, learning and pickling, what is sent,
and the rates that follow for so many machines, each with one core for an actor. With --jobs or --scheduler
it trains on workers, and prints games a second of wall time, the learner's CPU time and a digest of the
weights. Nothing here passes or fails.
"""

from __future__ import annotations

import argparse
import hashlib
import pickle
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic, process_time
from typing import Any

from durak_core.lab.experiments.results import commit, processor
from durak_core.lab.learn.learners import DmcTrainer
from durak_core.lab.learn.settings import DmcSettings, read_settings
from durak_core.lab.workers import DaskWorkers, Jobs

MEGABYTE = 1_000_000
WARM_UP = 3
"""Rounds of each actor before measuring."""


@dataclass(slots=True)
class Costs:
    """Sums over the rounds of actors: CPU seconds, and bytes sent to and from them."""

    playing: float = 0.0
    pickling: float = 0.0
    calls: float = 0.0
    orders: int = 0
    state: int = 0
    harvest: int = 0


class ThisProcess:
    """A worker in this process that measures what it does."""

    width = 1

    def __init__(self) -> None:
        self.costs = Costs()

    def submit(self, function: Callable[..., Any], task: tuple[Any, ...]) -> Future[Any]:
        """Carry out a call."""
        costs, done, began = self.costs, Future[Any](), process_time()
        sent = pickle.dumps(task)
        received = pickle.loads(sent)  # noqa: S301 - just written
        reached = process_time()
        returned = function(*received)
        played = process_time()
        answer = pickle.dumps(returned)
        done.set_result(pickle.loads(answer))  # noqa: S301 - just written
        costs.playing += played - reached
        costs.pickling += process_time() - played + reached - began
        state, after = (len(pickle.dumps(one)) for one in (task[2], returned[0]))
        costs.orders += len(sent) - state
        costs.state += after
        costs.harvest += len(answer) - after
        costs.calls += process_time() - began
        return done

    def result(self, call: Future[Any]) -> Any:  # noqa: ANN401 - any result
        """Return what a call returned."""
        return call.result()

    def look(self) -> None:
        """Do nothing: this process is there."""

    def abandon(self, calls: Sequence[Future[Any]]) -> None:
        """Do nothing: no call is unfinished."""


@dataclass(frozen=True, slots=True)
class Training:
    """Games, wall time and this process's CPU time of some rounds, and a digest of the weights after them."""

    games: int
    wall: float
    cpu: float
    digest: str


def train(settings: DmcSettings, rounds: int, jobs: Jobs) -> Training:
    """Train for some rounds of every actor, after `WARM_UP`."""
    trainer = DmcTrainer(settings)
    with trainer.playing(jobs):
        for _ in range(WARM_UP * settings.actors):
            trainer.step()
        if isinstance(jobs, ThisProcess):
            jobs.costs = Costs()
        games, wall, cpu = trainer.counts.games, monotonic(), process_time()
        for _ in range(rounds * settings.actors):
            trainer.step()
        spent = trainer.counts.games - games, monotonic() - wall, process_time() - cpu
    weights = b"".join([one.detach().numpy().tobytes() for one in trainer.parameters])
    return Training(*spent, hashlib.sha256(weights).hexdigest()[:12])


def print_costs(settings: DmcSettings, rounds: int, machines: int) -> None:
    """Print what a round costs, and what follows for many machines."""
    worker = ThisProcess()
    training = train(settings, rounds, worker)
    number, costs = rounds * settings.actors, worker.costs
    learning = (training.cpu - costs.calls) / number
    playing, pickling = costs.playing / number, costs.pickling / number
    games, orders, state = training.games / number, costs.orders / number, costs.state / number
    harvest = costs.harvest / number
    print(
        f"a round of an actor: {games:,.0f} games; playing {1000 * playing:,.0f} ms, learning "
        f"{1000 * learning:,.0f} ms, pickling {1000 * pickling:,.0f} ms of CPU time; weights "
        f"{orders / MEGABYTE:.2f} MB, decisions {harvest / MEGABYTE:.2f} MB, state of the games "
        f"{state / MEGABYTE:.2f} MB each way"
    )
    both = 2 * (playing + learning) / (playing + learning + pickling)
    print(f"two cores against one, both busy: {both:.2f}")
    print(
        f"games a CPU second: {games / playing:,.0f} of an actor, {games / learning:,.0f} of the learner, "
        f"which serves {playing / learning:.1f} actors"
    )
    rate = min(machines / playing, 1 / learning)
    print(
        f"{machines} machines: {rate * games:,.0f} games/s, {rate * (orders + state) / MEGABYTE:.1f} MB/s to "
        f"actors, {rate * (harvest + state) / MEGABYTE:.1f} MB/s from actors; weights at most "
        f"{2 * machines * games:,.0f} games old"
    )


def print_training(settings: DmcSettings, rounds: int, jobs: Jobs) -> None:
    """Print the speed and result of training on workers."""
    training = train(settings, rounds, jobs)
    print(
        f"{training.games:,} games in {training.wall:.1f} s, {training.games / training.wall:,.0f} games/s; "
        f"this process {training.cpu:.1f} s of CPU time; weights {training.digest}"
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("config", type=Path)
    parser.add_argument("--actors", type=int, default=2)
    parser.add_argument("--tables", type=int)
    parser.add_argument("--round-steps", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--machines", type=int, default=100)
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--jobs", type=int)
    where.add_argument("--scheduler")
    given = parser.parse_args()
    read = read_settings(given.config, DmcSettings)
    settings = replace(
        read,
        start="dmc",
        teacher_games=0,
        actors=given.actors,
        tables=given.tables or read.tables,
        round_steps=given.round_steps,
    )
    print(
        f"commit {commit()}, {given.config.name}, seed {settings.seed}, {settings.actors} actors, "
        f"{settings.tables} tables, {settings.round_steps} steps, {processor()}",
        flush=True,
    )
    if given.scheduler:
        with DaskWorkers(given.scheduler) as workers:
            print_training(settings, given.rounds, workers)
    elif given.jobs:
        print_training(settings, given.rounds, given.jobs)
    else:
        print_costs(settings, given.rounds, given.machines)


if __name__ == "__main__":
    main()
