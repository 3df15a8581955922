"""`durak tournament`: everybody against everybody."""

from __future__ import annotations

from dataclasses import astuple
from itertools import permutations
from pathlib import Path
from statistics import fmean, pstdev

import click

from durak_core.cli import tables
from durak_core.cli.choices import (
    RulesChoice,
    WorkersChoice,
    file_option,
    games_option,
    resume_option,
    rules_options,
    seed_option,
    workers_options,
)
from durak_core.cli.counting import count_games, kept_games
from durak_core.cli.output import check_targets
from durak_core.extras import require
from durak_core.lab.matches.game import GameSummary
from durak_core.lab.matches.players import team_size
from durak_core.lab.matches.schedule import play_matches
from durak_core.lab.matches.tournament import Tournament
from durak_core.lab.stats.tournament_results import Cell, Standings, standings_json


@click.command()
@click.argument("agents", nargs=-1, required=True, metavar="AGENT...")
@games_option(100, "How many games each pair, or each larger table, plays.")
@rules_options
@seed_option
@workers_options
@file_option("--csv", help="Write the results of the pairs to a file, one line each.")
@file_option("--json", help="Write all results to a file, also when interrupted.")
@file_option("--markdown", help="Write the tables to a file.")
@resume_option
def tournament(  # noqa: PLR0913 - one for each option
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

    With two seats every pair plays a match, each deal from both seats, and the ratings are Elo points.
    With --seats 3 to 6 every group of that size is a table, whose deals go through all seatings in
    balanced orders; what counts is the share of lost games, and the ratings are openskill's. Teams are
    written with a plus, as in expert+expert expert+greedy (rules 2.2), and play against each other by two,
    with --seats 6 --set teams=3x2 by three. Ctrl+C ends the tournament early and keeps what was played;
    --resume FILE continues it.

    Example: durak tournament greedy smart expert --games 200 --seed 1 --jobs 0
    """
    size = max(map(team_size, agents))
    playable = rules.rules(2 * size, f"2x{size}") if size > 1 else rules.rules()
    planned = Tournament(playable, agents, games, seed)
    check_targets(csv, json, markdown)
    if planned.rules.team_count == 2:
        require("An Elo rating", "lab", "numpy")  # rather now than after all games
    heading = f"{len(planned.agents)} agents, {planned.all_games} games, rules {planned.rules}, seed {seed}"
    standings = Standings(planned)

    def count(fixture: int, game: GameSummary) -> bool:
        standings.add(fixture, game)
        return False

    with workers.opened() as jobs, kept_games(resume, planned.matches, planned.told) as saved:
        games_played = play_matches(planned.matches, jobs, saved)
        finished = count_games(games_played, count, planned.all_games, heading)
    section = tables.Section("", _tables(standings), _lines(standings))
    section.print()
    _write_csv(csv, standings)
    tables.write_json(json, standings_json(standings))
    tables.write_sections(markdown, [section])
    if not finished:
        raise KeyboardInterrupt


def _tables(standings: Standings) -> tuple[tables.TextTable, ...]:
    ratings = _elo_table(standings) or _skill_table(standings)
    shown = (_ranking(standings), ratings, _cross_table(standings))
    return tuple([table for table in shown if table])


def _ranking(standings: Standings) -> tables.TextTable:
    times = tables.time_heads(standings.agents)
    rows = []
    for place in standings.order():
        agent = standings.agents[place]
        cells = (*tables.result_cells(agent), *tables.time_cells(agent, times))
        rows.append((tables.shown_name(agent), *cells))
    heads = tables.result_heads(standings.agents[0].measure)
    return tables.TextTable(("agent", *heads, *times), tuple(rows))


def _elo_table(standings: Standings) -> tables.TextTable | None:
    table = standings.elo()
    if table is None:
        return None
    rows = []
    for place in sorted(standings.order(), key=lambda place: -table.ratings[place].points):
        rating = table.ratings[place]
        ends = f"{_signed(rating.low)} to {_signed(rating.high)}"
        rows.append((tables.shown_name(standings.agents[place]), _signed(rating.points), ends))
    return tables.TextTable(("agent", "Elo", "95 %"), tuple(rows))


def _skill_table(standings: Standings) -> tables.TextTable | None:
    skills = standings.skills()
    if skills is None:
        return None
    rows = []
    for place in sorted(standings.order(), key=lambda place: -skills[place].mu):
        low, high = skills[place].interval
        name = tables.shown_name(standings.agents[place])
        rows.append((name, f"{skills[place].mu:.1f}", f"{low:.1f} to {high:.1f}"))
    return tables.TextTable(("agent", "openskill", "95 %"), tuple(rows))


def _signed(points: float) -> str:
    return f"{round(points):+d}"


def _cross_table(standings: Standings) -> tables.TextTable:
    order = standings.order()
    rows = []
    for number, row in enumerate(order, 1):
        cells = [standings.cell(row, column) if row != column else None for column in order]
        shown = [_cell_text(cell) if cell else "" for cell in cells]
        rows.append((f"{number} {tables.shown_name(standings.agents[row])}", *shown))
    return tables.TextTable(("against", *[f"{number}" for number in range(1, len(order) + 1)]), tuple(rows))


def _cell_text(cell: Cell) -> str:
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
        lines.append("Elo: somebody never lost a point, so each pair counts one draw more")
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
