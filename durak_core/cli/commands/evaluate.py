"""`durak evaluate`: matches of a trained network."""

from __future__ import annotations

from pathlib import Path

import click

from durak_core.agents.learned import load_valuing
from durak_core.agents.registry import quoted, split_texts
from durak_core.cli.choices import WorkersChoice, games_option, seed_option, workers_options
from durak_core.cli.counting import count_matches
from durak_core.cli.output import print_lines
from durak_core.cli.tables import origins_lines, results_table, shown_name
from durak_core.lab.matches.match import Match
from durak_core.lab.matches.players import PLAYERS, player_text
from durak_core.lab.stats.match_results import ResultMeasure
from durak_core.search.network.weights import FILE_NAME


@click.command()
@click.argument("checkpoint", type=click.Path(path_type=Path))
@click.option(
    "--against",
    "opponents",
    multiple=True,
    required=True,
    metavar="AGENT",
    help="Opponent; repeatable, or several separated by commas.",
)
@games_option(1000, "Number of games against each opponent.")
@seed_option
@workers_options
def evaluate(
    *, checkpoint: Path, opponents: tuple[str, ...], games: int, seed: int, workers: WorkersChoice
) -> None:
    """Play a trained network against agents, under the rules that it was trained for.

    CHECKPOINT is the folder of a training run or a file of weights. Every deal is played from every seating.
    The opponent plays all other seats.

    Example: durak evaluate runs/two --against greedy,ismcts:iterations=1000 --games 2000
    """
    path = checkpoint / FILE_NAME if checkpoint.is_dir() else checkpoint
    network = load_valuing(path)
    learner = player_text(f"{network.about.trained_by or 'dmc'}:weights={quoted(str(path))}")
    seats = network.rules.seats
    names = [name for text in opponents for name in split_texts(text, PLAYERS)]
    matches = [
        Match(network.rules, (learner, *[other] * (seats - 1)), games, seed)
        for other in map(player_text, names)
    ]
    heading = (
        f"{path}: {network.about.games:,} games of training, {network.about.encoding}, "
        f"rules {network.rules}; {games} games each, seed {seed}"
    )
    counted, finished = count_matches(matches, workers, heading)
    against = [((shown_name(tally.agents[1]),), tally.agents[0]) for tally in counted]
    agents = [agent for tally in counted for agent in tally.agents]
    results_table(("against",), against, ResultMeasure.of(network.rules.team_count), agents).print()
    print_lines(*origins_lines(matches))
    if not finished:
        raise KeyboardInterrupt
