"""`durak tune`: one agent with many settings."""

from __future__ import annotations

from pathlib import Path

import click

from durak_core.arena.matches.match import Match
from durak_core.arena.matches.tuning import Grid, combinations_of, common_text
from durak_core.arena.plots.drawing import check_pictures
from durak_core.arena.plots.tuning import plotted_grids, tuning_plot
from durak_core.arena.results.standings import share_of
from durak_core.arena.results.tally import MatchTally
from durak_core.cli.choices import (
    RulesChoice,
    WorkersChoice,
    file_option,
    rules_options,
    seed_option,
    workers_options,
)
from durak_core.cli.counting import count_matches
from durak_core.cli.output import check_targets
from durak_core.cli.root import INTERRUPTED
from durak_core.cli.tables import TextTable, csv_text, interval_text, milliseconds_text, percent_text
from durak_core.game.files import write_text_atomically


@click.command()
@click.argument("agent")
@click.option(
    "--grid",
    "grids",
    multiple=True,
    metavar="OPTION=VALUES",
    help="Values to try, as 0.5,1,1.4 or 10..100..10; repeatable.",
)
@click.option("--against", required=True, metavar="AGENT", help="Whom all of them play against.")
@click.option(
    "--games", type=click.IntRange(min=1), default=100, show_default=True, help="How many games each."
)
@rules_options
@seed_option
@workers_options
@file_option("--csv", help="Write the results to a file, one line each.")
@file_option("--plot", help="Draw the results of one or two grids to a file, .png or .svg.")
def tune(  # noqa: PLR0913 - one for each option
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
) -> None:
    """Let AGENT play with every combination of values, and sort them by their results.

    All of them get the same deals. The best of many looks better than it is: play a match with
    another seed before you believe it.

    Example: durak tune mcts:simulation=greedy --grid limit=10..50..10 --grid c=0.5,1.4 --against greedy
    """
    read = [Grid.parse(text) for text in grids]
    combinations = combinations_of(agent, read)
    matches = [Match(rules.rules(), (text, against), games, seed) for text in combinations]
    if plot:
        plotted_grids(read)
    check_pictures(plot)
    check_targets(csv, plot)
    setting = f"rules {matches[0].rules}, seed {seed}"
    click.echo(f"{len(matches)} agents, {games} games each against {matches[0].agents[1]}, {setting}")
    counted, finished = count_matches(matches, workers)
    options = tuple([grid.option for grid in read])
    values = list(combinations.values())
    two = matches[0].rules.seats == 2
    order = sorted(
        [place for place, tally in enumerate(counted) if tally.games],
        key=lambda place: (-1 if two else 1) * share_of(counted[place].agents[0]).value,
    )
    results = [(values[place], counted[place]) for place in order]
    _table(options, results, "score" if two else "fool's share").print()
    if csv:
        write_text_atomically(csv, _csv(options, results, "score" if two else "fool_share"))
    if plot and results:
        each = games if finished else f"up to {games}"
        title = f"{common_text(agent, read)} against {matches[0].agents[1]}\n{each} games each, {setting}"
        found = {tried: tally.agents[0] for tried, tally in results}
        tuning_plot(plot, read, found, title=title)
    if not finished:
        raise click.exceptions.Exit(INTERRUPTED)


def _table(
    options: tuple[str, ...], results: list[tuple[tuple[str, ...], MatchTally]], name: str
) -> TextTable:
    rows = []
    for values, tally in results:
        tried = tally.agents[0]
        share = share_of(tried)
        figures = (f"{tried.wins}", f"{tried.draws}", f"{tried.losses}", percent_text(share.value))
        rows.append((*values, *figures, interval_text(share), milliseconds_text(tried.seconds_a_move)))
    return TextTable((*options, "wins", "draws", "losses", name, "95 %", "ms a move"), tuple(rows))


def _csv(options: tuple[str, ...], results: list[tuple[tuple[str, ...], MatchTally]], name: str) -> str:
    rows = []
    for values, tally in results:
        tried = tally.agents[0]
        share = share_of(tried)
        figures = (tried.text, tried.games, tried.wins, tried.draws, tried.losses)
        rows.append((*values, *figures, share.value, share.low, share.high, 1000 * tried.seconds_a_move))
    header = (*options, "agent", "games", "wins", "draws", "losses", name, "low", "high", "ms_a_move")
    return csv_text(header, rows)
