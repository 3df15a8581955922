"""`durak tournament`: a round-robin tournament."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import astuple
from itertools import permutations
from pathlib import Path
from statistics import fmean, pstdev
from typing import Final

import click

from durak_core.cli import tables
from durak_core.cli.choices import RulesChoice, WorkersChoice, file_option, games_option, resume_option
from durak_core.cli.counting import count_games, input_files, kept_games, playing_options
from durak_core.cli.output import check_targets
from durak_core.extras import require
from durak_core.lab.matches.players import team_size
from durak_core.lab.matches.schedule import play_matches
from durak_core.lab.matches.tournament import Tournament
from durak_core.lab.stats.tournament_results import Standings, StandingsCell, standings_json

_DIGITS: Final = 6
"""Decimals of a rating unaffected by rounding errors."""


@click.command()
@click.argument("agents", nargs=-1, required=True, metavar="AGENT...")
@games_option(100, "Number of games for each pair or larger table.")
@playing_options
@file_option("--csv", help="Write the results of the pairs to a CSV file.")
@file_option("--json", help="Write all results to a JSON file, also if interrupted.")
@file_option("--markdown", help="Write the tables to a Markdown file.")
@resume_option
def tournament(  # noqa: PLR0913 - one per option
    *,
    agents: tuple[str, ...],
    games: int,
    rules: RulesChoice,
    seed: int,
    workers: WorkersChoice,
    csv: Path | None,
    json: Path | None,
    markdown: Path | None,
    resume: Path | None,
) -> None:
    """Play every AGENT against every other one.

    With two seats every pair plays a match on duplicate deals, rated in Elo points. With three or
    more seats every group of that size plays a table in balanced seatings; the result is the loss rate,
    rated by openskill. Partners are joined with a plus, as in expert+expert expert+greedy (rules 2.2). Every
    two teams play a match, or with --seats 6 --set teams=3x2 every three. Ctrl+C ends the tournament early
    and keeps the finished games; --resume FILE continues it.

    Example: durak tournament greedy smart expert --games 200 --seed 1 --jobs 0
    """
    size = max(map(team_size, agents))
    playable = rules.rules(2 * size, f"2x{size}") if size > 1 else rules.rules()
    planned = Tournament(playable, agents, games, seed)
    check_targets(csv, json, markdown, inputs=[resume, rules.file, *input_files(planned.matches)])
    if planned.rules.team_count == 2:
        require("An Elo rating", "lab", "numpy")  # fail before playing
    heading = f"{len(planned.agents)} agents, {planned.all_games} games, rules {planned.rules}, seed {seed}"
    standings = Standings(planned)

    with workers.opened() as jobs, kept_games(resume, planned.matches, planned.saved_fields) as saved:
        games_played = play_matches(planned.matches, jobs, saved)
        finished = count_games(games_played, standings.add, planned.all_games, heading)
    section = tables.Section("", _tables(standings), _lines(standings))
    section.print()
    _write_csv(csv, standings)
    tables.write_json(json, standings_json(standings))
    tables.write_sections(markdown, [section])
    if not finished:
        raise KeyboardInterrupt


def _tables(standings: Standings) -> tuple[tables.TextTable, ...]:
    agents = [standings.agents[place] for place in standings.order()]
    ranked = [((tables.shown_name(agent),), agent) for agent in agents]
    ranking = tables.results_table(("agent",), ranked, agents[0].measure, agents)
    cross_table = _cross_table(standings)
    if table := standings.elo():
        points = [(one.points, one.low, one.high) for one in table.ratings]
        return (
            ranking,
            _rating_table(standings, "Elo", points, lambda value: f"{round(value):+d}"),
            cross_table,
        )
    if skills := standings.skills():
        points = [(one.mu, *one.interval) for one in skills]
        rated = _rating_table(standings, "openskill", points, lambda value: f"{value:.1f}")
        return ranking, rated, cross_table
    return ranking, cross_table


def _rating_table(
    standings: Standings,
    head: str,
    ratings: Sequence[tuple[float, float, float]],
    text: Callable[[float], str],
) -> tables.TextTable:
    """Return the agents by rating, ties by result, with their intervals."""
    rows = []
    for place in sorted(standings.order(), key=lambda place: -round(ratings[place][0], _DIGITS)):
        points, low, high = map(text, ratings[place])
        rows.append((tables.shown_name(standings.agents[place]), points, f"{low} to {high}"))
    return tables.TextTable(("agent", head, "95 %"), tuple(rows))


def _cross_table(standings: Standings) -> tables.TextTable:
    order = standings.order()
    rows = []
    for number, row in enumerate(order, 1):
        cells = [standings.cell(row, column) if row != column else None for column in order]
        shown = [_cell_text(cell) if cell else "" for cell in cells]
        rows.append((f"{number} {tables.shown_name(standings.agents[row])}", *shown))
    return tables.TextTable(("against", *[f"{number}" for number in range(1, len(order) + 1)]), tuple(rows))


def _cell_text(cell: StandingsCell) -> str:
    share = cell.share
    return f"{100 * share.value:.1f} ({100 * share.low:.0f} to {100 * share.high:.0f})"


def _lines(standings: Standings) -> list[str]:
    if not standings.games:
        return []
    teams = standings.tournament.rules.team_count
    lengths = (
        f"a game: {_length(standings.bouts)} bouts, {_length(standings.plies)} plies, "
        f"{standings.branching:.2f} actions to choose from (geometric mean)"
    )
    first, draws = standings.first_player, standings.draw_share
    lines = [tables.first_line(first, teams), tables.draws_line(draws), lengths]
    if teams == 2:
        lines.append("against: the row's score, in percent, and its 95 % interval")
    else:
        lines.append("against: of the games that one of the two lost, the percentage that the column lost")
    elo = standings.elo()
    if elo and elo.with_prior:
        lines.append("Elo: a player never lost a point, so each pair counts one draw more")
    lines += tables.origins_lines(standings.tournament.matches)
    return lines + tables.forfeits_line(standings.agents)


def _length(lengths: list[int]) -> str:
    return f"{fmean(lengths):.1f} ± {pstdev(lengths):.1f}"


def _write_csv(path: Path | None, standings: Standings) -> None:
    agents = standings.agents
    rows = []
    for row, column in permutations(standings.order(), 2):
        cell = standings.cell(row, column)
        if cell:
            figures = (cell.games, cell.wins, cell.draws, *astuple(cell.share))
            milliseconds = 1000 * agents[row].seconds_a_move
            rows.append((agents[row].text, agents[column].text, *figures, milliseconds))
    header = ("agent", "opponent", "games", "wins", "draws", "share", "low", "high", "ms_a_move")
    tables.write_csv(path, header, rows)
