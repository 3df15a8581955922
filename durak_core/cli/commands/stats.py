"""`durak stats`: statistics of recorded games."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click

from durak_core.cli import tables
from durak_core.cli.choices import file_option
from durak_core.cli.output import check_targets, progress
from durak_core.game.files import scan_games
from durak_core.game.record import BrokenGameError, Record
from durak_core.lab.stats.match_results import ResultMeasure
from durak_core.lab.stats.recorded_games import (
    ACTION_COUNTS,
    ActionCounts,
    Figures,
    PlayerFigures,
    RulesFigures,
    figures_json,
)
from durak_core.messages import printable

_MOST_LISTED: Final = 100
"""Damaged games that are listed."""
_OPTIONAL: Final = "exchanges"
"""The actions of a house rule, whose column is left out if there are none."""


@click.command()
@click.argument(
    "files",
    nargs=-1,
    required=True,
    metavar="FILE...",
    type=click.Path(path_type=Path),
)
@click.option(
    "--by",
    type=click.Choice(("agent", "opponent", "rules")),
    default="agent",
    show_default=True,
    help="Group by player, by player and opponents, or by rules.",
)
@click.option("--skip-damaged", is_flag=True, help="Skip games that cannot be read, and list them on stderr.")
@file_option("--csv", help="Write the figures to a CSV file.")
@file_option("--json", help="Write all figures to a JSON file.")
@file_option("--markdown", help="Write the tables to a Markdown file.")
def stats(  # noqa: PLR0913 - one per option
    *,
    files: tuple[Path, ...],
    by: str,
    skip_damaged: bool,
    csv: Path | None,
    json: Path | None,
    markdown: Path | None,
) -> None:
    """Summarise the games of FILEs by player: results, and average actions per game.

    A FILE holds games of durak match or of the library, as JSON lines or game texts. Games with different
    rules or numbers of seats are counted apart. Intervals are computed over deals if all games come from
    matches with 30 or more complete deals; otherwise they are Wilson intervals over games. The last column
    names the sample. A player in several seats of a game counts once for each seat, partners count as one
    player. Every game is replayed to check that it is legal.

    Example: durak stats a.jsonl b.jsonl --by opponent --csv figures.csv
    """
    check_targets(csv, json, markdown, inputs=files)
    figures = Figures(by_opponent=by == "opponent")
    damaged = 0
    with progress(sum(1 for file in files for _ in scan_games(file)), "reading") as step:
        for found in _games(files):
            if isinstance(found, Record):
                figures.add(found)
            elif not skip_damaged:
                raise found
            else:
                damaged += 1
                if damaged <= _MOST_LISTED:
                    click.echo(f"skipped: {found}", err=True)
                elif damaged == _MOST_LISTED + 1:
                    click.echo(f"skipped: after {_MOST_LISTED} damaged games no more are listed", err=True)
            step()
    sections = [_all_rules(figures)] if by == "rules" else [_one_rules(one) for one in figures]
    sections.append(tables.Section("", (), _notes(figures, damaged, len(files))))
    for section in sections:
        section.print()
    _write_csv(csv, figures, by)
    tables.write_json(json, {"damaged": damaged, **figures_json(figures)})
    tables.write_sections(markdown, sections)


def _games(files: tuple[Path, ...]) -> Iterator[Record | BrokenGameError]:
    for file in files:
        for stored in scan_games(file):
            try:
                yield from stored.records()
            except BrokenGameError as error:
                yield from error.earlier
                yield error


def _one_rules(one: RulesFigures) -> tables.Section:
    results, means = [], []
    names = _count_names([row.actions for row in one.players])
    for row in one.players:
        name, tally = _name(row), row.tally
        results.append((name, f"{tally.games}", *tables.result_cells(tally), _source(row)))
        lengths = (f"{row.bouts / tally.games:.1f}", f"{row.plies / tally.games:.1f}")
        means.append((name, *lengths, *_means(row.actions, tally.games, names)))
    header = ("agent", "games", *tables.result_heads(ResultMeasure.of(one.rules.team_count)), "from")
    means_header = ("a game of", "bouts", "plies", *_heads(names))
    shown = tables.TextTable(header, tuple(results)), tables.TextTable(means_header, tuple(means))
    lines = [f"{tables.first_line(one.first.share, one.rules.team_count)}, from {_source(one.first)}"]
    lines.append(tables.draws_line(one.draw_share))
    lines += tables.forfeits_line([row.tally for row in one.players])
    return tables.Section(f"{one.games} games, rules {one.rules}", shown, lines)


def _all_rules(figures: Figures) -> tables.Section:
    results, means = [], []
    names = _count_names([one.actions for one in figures])
    for one in figures:
        first = one.first
        lengths = (f"{one.bouts / one.games:.1f}", f"{one.plies / one.games:.1f}")
        draws = tables.percent_text(one.draw_share.value)
        counts = (one.rules.text, f"{one.rules.seats}", f"{one.games}", draws)
        shares = (tables.percent_text(first.share.value), tables.interval_text(first.share), _source(first))
        results.append((*counts, *lengths, *shares))
        means.append((one.rules.text, *_means(one.actions, one.games, names)))
    header = ("rules", "seats", "games", "draws", "bouts", "plies", "who is first", "95 %", "from")
    lines = ["who is first: the first attacker's score with two seats, otherwise its loss rate"]
    actions = tables.TextTable(("a game of", *_heads(names)), tuple(means))
    return tables.Section("", (tables.TextTable(header, tuple(results)), actions), lines)


def _notes(figures: Figures, damaged: int, files: int) -> list[str]:
    notes = [f"{figures.games} games of {files} files" if files > 1 else f"{figures.games} games"]
    if figures.unfinished:
        notes.append(f"unfinished games, left out: {figures.unfinished}")
    if figures.twice:
        notes.append(f"games of a match that were there already, left out: {figures.twice}")
    if damaged:
        notes.append(f"damaged games, skipped: {damaged}")
    return notes


def _name(row: PlayerFigures) -> str:
    against = f" against {', '.join(row.opponents)}" if row.opponents else ""
    return printable(row.tally.text + against)


def _source(row: PlayerFigures) -> str:
    return f"{row.deals} deals" if row.deals else f"{row.tally.games} games"


def _count_names(rows: list[ActionCounts]) -> list[str]:
    has_optional = any(getattr(row, _OPTIONAL) for row in rows)
    return [name for name in ACTION_COUNTS if has_optional or name != _OPTIONAL]


def _heads(names: list[str]) -> list[str]:
    return [name.replace("_", " ") for name in names]


def _means(actions: ActionCounts, games: int, names: list[str]) -> tuple[str, ...]:
    means = actions.means(games)
    return tuple([f"{means[name]:.2f}" for name in names])


def _write_csv(path: Path | None, figures: Figures, by: str) -> None:
    rows: list[tuple[object, ...]] = []
    for one in figures:
        for row in [one.first] if by == "rules" else one.players:
            tally, share = row.tally, row.share
            actions = one.actions if by == "rules" else row.actions
            names = (one.rules.text, one.rules.seats, tally.text, ", ".join(row.opponents))
            shares = (share.value, share.low, share.high, row.deals)
            means = (row.bouts / tally.games, row.plies / tally.games, *actions.means(tally.games).values())
            rows.append((*names, *tally.counts.values(), *shares, *means))
    counts = ("games", "wins", "draws", "losses", "forfeits")
    header = ("rules", "seats", "agent", "opponents", *counts, "share", "low", "high", "deals")
    tables.write_csv(path, (*header, "bouts", "plies", *ACTION_COUNTS), rows)
