"""`durak tournament`: everybody against everybody."""

from __future__ import annotations

import json as json_module
from contextlib import closing
from pathlib import Path
from statistics import fmean, pstdev

import click

from durak_core.arena.matches.tournament import Tournament, play_tournament
from durak_core.arena.results.standings import Cell, Standings, share_of, standings_json
from durak_core.arena.workers.interrupts import uninterrupted
from durak_core.cli.choices import (
    RulesChoice,
    WorkersChoice,
    file_option,
    rules_options,
    seed_option,
    workers_options,
)
from durak_core.cli.output import check_targets, console, progress
from durak_core.cli.root import INTERRUPTED
from durak_core.cli.tables import (
    TextTable,
    csv_text,
    draws_line,
    first_line,
    forfeits_line,
    interval_text,
    milliseconds_text,
    percent_text,
)
from durak_core.game.files import write_text_atomically


@click.command()
@click.argument("agents", nargs=-1, required=True, metavar="AGENT...")
@click.option(
    "--games",
    type=click.IntRange(min=1),
    default=100,
    show_default=True,
    help="How many games each pair, or each table of more seats, plays.",
)
@rules_options
@seed_option
@workers_options
@file_option("--csv", help="Write the pairs' results to a file, one line each.")
@file_option("--json", help="Write all results to a file.")
@file_option("--markdown", help="Write the tables to a file.")
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
) -> None:
    """Let every AGENT play against every other one.

    With two seats every pair plays a match, each deal from both chairs, and the ratings are Elo points.
    With --seats 3 to 6 every choice of so many agents is a table, whose deals go round all seatings and
    balanced orders; what counts is the share of lost games, and the ratings are openskill's.

    Example: durak tournament greedy smart expert --games 200 --seed 1 --jobs 0
    """
    planned = Tournament(rules.rules(), agents, games, seed)
    check_targets(csv, json, markdown)
    click.echo(f"{len(planned.agents)} agents, {planned.all_games} games, rules {planned.rules}, seed {seed}")
    standings = Standings(planned)
    finished = False
    try:
        with (
            workers.opened() as jobs,
            progress(planned.all_games) as step,
            closing(play_tournament(planned, jobs)) as played,
        ):
            for game in played:
                with uninterrupted():
                    standings.add(game)
                step()
        finished = True
    except KeyboardInterrupt:
        click.echo(f"interrupted after {standings.games} games", err=True)
    tables, lines = _tables(standings), _lines(standings)
    for table in tables:
        table.print()
    for line in lines:
        console().print(line, soft_wrap=True)
    if csv:
        write_text_atomically(csv, _pairs_csv(standings))
    if json:
        told = json_module.dumps(standings_json(standings), indent=1, ensure_ascii=False)
        write_text_atomically(json, told + "\n")
    if markdown:
        parts = [table.markdown() for table in tables] + [f"- {line}\n" for line in lines]
        write_text_atomically(
            markdown, "\n".join(parts[: len(tables)]) + "\n" + "".join(parts[len(tables) :])
        )
    if not finished:
        raise click.exceptions.Exit(INTERRUPTED)


def _tables(standings: Standings) -> tuple[TextTable, ...]:
    ratings = _elo_table(standings) or _skill_table(standings)
    tables = (_ranking(standings), ratings, _cross_table(standings))
    return tuple([table for table in tables if table])


def _ranking(standings: Standings) -> TextTable:
    two = standings.tournament.rules.seats == 2
    header = ("agent", "wins", "draws", "losses", "score" if two else "fool's share", "95 %", "ms a move")
    rows = []
    for place in standings.order():
        agent = standings.agents[place]
        share = share_of(agent)
        counts = (agent.text, f"{agent.wins}", f"{agent.draws}", f"{agent.losses}")
        figures = (percent_text(share.value), interval_text(share), milliseconds_text(agent.seconds_a_move))
        rows.append((*counts, *figures))
    return TextTable(header, tuple(rows))


def _elo_table(standings: Standings) -> TextTable | None:
    table = standings.elo()
    if table is None:
        return None
    rows = []
    for place in sorted(standings.order(), key=lambda place: -table.ratings[place].points):
        rating = table.ratings[place]
        ends = f"{_signed(rating.low)} to {_signed(rating.high)}"
        rows.append((standings.agents[place].text, _signed(rating.points), ends))
    return TextTable(("agent", "Elo", "95 %"), tuple(rows))


def _skill_table(standings: Standings) -> TextTable | None:
    skills = standings.skills()
    if skills is None:
        return None
    rows = []
    for place in sorted(standings.order(), key=lambda place: -skills[place].mu):
        low, high = skills[place].interval
        rows.append((standings.agents[place].text, f"{skills[place].mu:.1f}", f"{low:.1f} to {high:.1f}"))
    return TextTable(("agent", "openskill", "95 %"), tuple(rows))


def _signed(points: float) -> str:
    return f"{round(points):+d}"


def _cross_table(standings: Standings) -> TextTable:
    order = standings.order()
    texts = standings.tournament.agents
    rows = []
    for number, row in enumerate(order, 1):
        cells = [standings.cell(row, column) if row != column else None for column in order]
        shown = [_cell_text(cell) if cell else "" for cell in cells]
        rows.append((f"{number} {texts[row]}", *shown))
    return TextTable(("against", *[f"{number}" for number in range(1, len(order) + 1)]), tuple(rows))


def _cell_text(cell: Cell) -> str:
    share = cell.share
    return f"{100 * share.value:.1f} ({100 * share.low:.0f} to {100 * share.high:.0f})"


def _lines(standings: Standings) -> list[str]:
    """Say the rest in words."""
    if not standings.games:
        return []
    seats = standings.tournament.rules.seats
    lengths = (
        f"a game: {_length(standings.bouts)} bouts, {_length(standings.plies)} plies, "
        f"{standings.branching:.2f} actions to choose from (geometric mean)"
    )
    lines = [first_line(standings.first_player, seats), draws_line(standings.draw_share), lengths]
    if seats == 2:
        lines.append("against: the row's score, in percent, and its 95 % interval")
    else:
        lines.append("against: of the games that one of the two lost, the percentage that the column lost")
    elo = standings.elo()
    if elo and elo.with_prior:
        lines.append("Elo: somebody never lost a point, so each pair counts one draw more")
    return lines + forfeits_line(standings.agents)


def _length(lengths: list[int]) -> str:
    return f"{fmean(lengths):.1f} ± {pstdev(lengths):.1f}"


def _pairs_csv(standings: Standings) -> str:
    order = standings.order()
    agents = standings.tournament.agents
    rows = []
    for row in order:
        for column in order:
            cell = standings.cell(row, column) if row != column else None
            if cell:
                share = cell.share
                milliseconds = 1000 * standings.agents[row].seconds_a_move
                figures = (cell.games, cell.wins, cell.draws, share.value, share.low, share.high)
                rows.append((agents[row], agents[column], *figures, milliseconds))
    header = ("agent", "opponent", "games", "wins", "draws", "share", "low", "high", "ms_a_move")
    return csv_text(header, rows)
