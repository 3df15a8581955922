"""`durak tune`: grid search over the options of an agent."""

from __future__ import annotations

from dataclasses import astuple
from pathlib import Path

import click

from durak_core.cli.choices import RulesChoice, WorkersChoice, file_option, games_option, resume_option
from durak_core.cli.counting import count_matches, input_files, playing_options
from durak_core.cli.output import check_targets
from durak_core.cli.tables import Section, origins_lines, results_table, write_csv
from durak_core.lab.matches.match import Match, filled
from durak_core.lab.matches.tuning import Grid, combinations_of, common_text
from durak_core.lab.plots.drawing import check_picture
from durak_core.lab.plots.tuning import plotted_grids, tuning_plot
from durak_core.lab.stats.match_results import AgentTally, ResultMeasure


@click.command()
@click.argument("agent")
@click.option(
    "--grid",
    "grids",
    multiple=True,
    metavar="OPTION=VALUES",
    help="Values of an option, as 0.5,1,1.4 or 10..100..10 (low..high..step); repeatable.",
)
@click.option("--against", required=True, metavar="AGENT", help="Opponent of every combination.")
@games_option(100, "Number of games for each combination.")
@playing_options
@file_option("--csv", help="Write the results to a CSV file.")
@file_option("--plot", help="Plot the results of one or two grids to a .png or .svg file.")
@resume_option
def tune(  # noqa: PLR0913 - one per option
    *,
    agent: str,
    grids: tuple[str, ...],
    against: str,
    games: int,
    rules: RulesChoice,
    seed: int,
    workers: WorkersChoice,
    csv: Path | None,
    plot: Path | None,
    resume: Path | None,
) -> None:
    """Play AGENT with every combination of option values and sort them by result.

    All combinations play the same deals. Under rules with teams, an agent plays all seats of its team. The
    best of many results is too high on average: confirm it in a match with another seed. --resume FILE
    continues an interrupted run.

    Example: durak tune mcts:simulation=greedy --grid limit=10..50..10 --grid c=0.5,1.4 --against greedy
    """
    read = [Grid.parse(text) for text in grids]
    combinations = combinations_of(agent, read)
    playable = rules.rules()
    matches = [Match(playable, filled(playable, (text, against)), games, seed) for text in combinations]
    if plot:
        plotted_grids(read)
    check_picture(plot)
    check_targets(csv, plot, inputs=[resume, rules.file, *input_files(matches)])
    setting = f"rules {matches[0].rules}, seed {seed}"
    heading = f"{len(matches)} agents, {games} games each against {matches[0].agents[1]}, {setting}"
    counted, finished = count_matches(matches, workers, heading, resume)
    options = tuple([grid.option for grid in read])
    tried = zip(combinations.values(), [tally.agents[0] for tally in counted], strict=True)
    measure = ResultMeasure.of(playable.team_count)
    results = sorted([one for one in tried if one[1].games], key=lambda one: measure.rank(one[1].share.value))
    agents = [one for tally in counted for one in tally.agents]
    lines = sorted({f"{one.text} calls itself {one.name}" for one in agents if one.name})
    lines += origins_lines(matches)
    Section("", (results_table(options, results, measure, agents),), lines).print()
    _write_csv(csv, options, measure, results)
    if plot and results:
        each = games if finished else f"up to {games}"
        title = f"{common_text(agent, read)} against {matches[0].agents[1]}\n{each} games each, {setting}"
        tuning_plot(plot, read, dict(results), title=title)
    if not finished:
        raise KeyboardInterrupt


def _write_csv(
    path: Path | None,
    options: tuple[str, ...],
    measure: ResultMeasure,
    results: list[tuple[tuple[str, ...], AgentTally]],
) -> None:
    rows = []
    for values, tally in results:
        counts = (tally.text, tally.games, tally.wins, tally.draws, tally.losses)
        rows.append((*values, *counts, *astuple(tally.share), 1000 * tally.seconds_a_move))
    header = (*options, "agent", "games", "wins", "draws", "losses", measure.key, "low", "high", "ms_a_move")
    write_csv(path, header, rows)
