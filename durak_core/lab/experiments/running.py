"""Doing the work of an experiment that has not been done."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from time import perf_counter
from typing import Any

from durak_core.lab.experiments.folder import Folder, Run
from durak_core.lab.experiments.manifest import Experiment
from durak_core.lab.experiments.provenance import commit, machine, versions
from durak_core.lab.experiments.results import Result
from durak_core.lab.stats.measure import Measure
from durak_core.lab.workers.pool import Jobs, cores


@dataclass(frozen=True)
class Watching:
    """Who looks on.

    Attributes:
        say: Hears lines.
        progress: Opened with the number of steps of each piece of work; gives what is called after each.
    """

    say: Callable[[str], None]
    progress: Callable[[int], AbstractContextManager[Callable[[], None]]]


def run_experiment(
    experiment: Experiment, folder: Folder, jobs: Jobs, command: str, watching: Watching
) -> None:
    """Do all work that has no result in the folder, and keep each result as soon as it is there.

    Args:
        experiment: What is to be done.
        folder: Where results are.
        jobs: On how many processes, 0 for one each core; or other workers.
        command: How this was called, for the report.
        watching: Who hears of it.

    Raises:
        DurakError: If a game cannot be played.
        FileError: If a result cannot be written.
        KeyboardInterrupt: After Ctrl+C; what was finished is kept.
    """
    works = experiment.works
    missing = [work for work in works if folder.results.get(work) is None]
    watching.say(f"{len(works)} matches and measurements, {len(works) - len(missing)} of them done before")
    if not missing:
        return
    at_once = (jobs or cores()) if isinstance(jobs, int) else jobs.width
    made, told = commit(), machine()
    began, now = perf_counter(), datetime.now(UTC).isoformat(timespec="seconds")
    folder.add_run(Run(command, now, made, made.endswith("+"), versions(), told, at_once))
    finished = False
    try:
        for number, work in enumerate(missing, 1):
            watching.say(f"{number}/{len(missing)}  {work.label}")
            work.prepare()
            start = perf_counter()
            with watching.progress(work.steps) as step:
                tally = work.play(jobs, folder.games, step)
            seconds = round(perf_counter() - start, 1)
            folder.results.add(work, Result(work.settings, made, told["processor"], at_once, seconds, tally))
            watching.say(f"    {_summary(tally)}{seconds:.1f} s")
        finished = True
    finally:
        folder.end_run(perf_counter() - began, finished=finished)


def _summary(tally: Mapping[str, Any]) -> str:
    """Say what a match has come to, for whoever waits for the next one."""
    agents = tally.get("agents")
    if not agents:
        return ""
    first = agents[0]
    measure = Measure.SCORE if len(agents) == 2 else Measure.LOST
    share, (low, high) = first[measure.key], first[measure.interval_key]
    times = ", ".join(dict.fromkeys([f"{agent['milliseconds_a_move']:.3g} ms" for agent in agents[:2]]))
    return f"{measure.games.partition(' ')[0]} {share:.3f} ({low:.3f} to {high:.3f}), {times}, "
