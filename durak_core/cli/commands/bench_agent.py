"""`durak bench-agent`: run Durak-Bench on one agent."""

from __future__ import annotations

import json
from pathlib import Path

import click

from durak_core.cli.choices import IntegerRange, WorkersChoice, file_option, resume_option, workers_options
from durak_core.cli.counting import count_games, input_files, kept_games
from durak_core.cli.output import check_targets, print_lines
from durak_core.cli.tables import forfeits_line, origins_lines, results_table
from durak_core.files import GrowingFile
from durak_core.lab.experiments.benchmark import (
    BENCHMARK,
    DEALS,
    SEEDS,
    Benchmark,
    BenchmarkTally,
    check_opponents,
)
from durak_core.lab.matches.schedule import play_matches


@click.command("bench-agent")
@click.argument("agent")
@click.option(
    "--deals",
    type=IntegerRange(1, DEALS),
    default=DEALS,
    help="Deals of each of the two seeds; with fewer than all, the run is a trial.",
)
@workers_options
@resume_option
@file_option("--json", "json_file", help="Write the result line to a file, too.")
def bench_agent(
    *, agent: str, deals: int, workers: WorkersChoice, resume: Path | None, json_file: Path | None
) -> None:
    """Measure AGENT against the six frozen opponents of Durak-Bench.

    The opponents play podkidnoy with two seats on 2 x 5,000 held-out deals, each once from both seatings. The
    last line of the output is the result as JSON, to submit to the ranking. A run with fewer --deals is
    marked as a trial and cannot be submitted. Ctrl+C ends the run without a result; --resume FILE
    continues it.

    Example: durak bench-agent greedy --jobs 0
    """
    planned = Benchmark(agent, deals)
    check_targets(json_file, inputs=[resume, *input_files(planned.matches)])
    counted, origins = BenchmarkTally(planned), origins_lines(planned.matches[:1])
    games = sum([match.games for match in planned.matches])
    trial = "trial, " if planned.is_trial else ""
    heading = f"{BENCHMARK}, {trial}{len(SEEDS)} x {deals} deals, {games} games"
    with workers.opened() as jobs, kept_games(resume, planned.matches) as saved:
        check_opponents()
        finished = count_games(play_matches(planned.matches, jobs, saved), counted.add, games, heading)
    _show(counted)
    print_lines(*origins)
    if not finished:
        raise KeyboardInterrupt
    line = json.dumps(counted.as_json(), ensure_ascii=False)
    if json_file:
        with GrowingFile(json_file) as file:
            file.write_line(line)
    click.echo("a trial, not to submit:" if planned.is_trial else "to submit:")
    click.echo(line)


def _show(counted: BenchmarkTally) -> None:
    total = counted.total
    rows = [((name,), tally) for name, tally in [*counted.agents.items(), ("all", total)] if tally.games]
    results_table(("opponent",), rows, total.measure, [total]).print()
    for line in forfeits_line([total]):
        click.echo(line)
