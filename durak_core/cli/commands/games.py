"""`durak log`, `replay`, `stats` and `export`: recorded games, one by one and together."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Final

import click
from rich.text import Text

from durak_core.cli import choices, output
from durak_core.cli.commands.play import app_module
from durak_core.cli.output import GameLog, GameWords, result_line
from durak_core.errors import NotationError, RecordError, printable
from durak_core.game.events import BoutBegan
from durak_core.game.files import RawGame, choose_records, scan_games
from durak_core.game.notation.position_text import write_observation, write_position
from durak_core.game.real_game import seat_to_show
from durak_core.game.record import BrokenGameError, Record, RecordResult
from durak_core.game.state import State
from durak_core.game.state_view import checked_seat
from durak_core.lab.matches.match import GameSummary
from durak_core.lab.stats.match_results import ResultMeasure
from durak_core.lab.stats.recorded_games import (
    ACTION_COUNTS,
    ActionCounts,
    DecisionRow,
    Figures,
    PlayerFigures,
    RulesFigures,
    decision_rows,
    figures_json,
    write_csv_rows,
    write_parquet_rows,
)


@click.command()
@choices.file_argument
@choices.game_option(help="Print the game numbered N; without it, list the games.")
@choices.open_option
@choices.seat_option
def log(*, file: Path, game: int | None, seat: int | None) -> None:
    """Print one game of FILE as durak match --verbose does, with coloured trumps on a terminal.

    FILE holds game texts or JSON lines. A game of durak match keeps its number in the match, wherever it is
    in the file; other games are numbered from 1. Without --game, a file of several games is listed. To see
    the position after every move, use durak replay.

    Example: durak log games.jsonl --game 3 --seat 0
    """
    if game is not None:
        _print_game(game, _find(file, game), seat)
        return
    games = _games(file)
    first = next(games)
    second = next(games, None)
    if second is None:
        _print_game(*first, seat)
        return
    for number, record in chain((first, second), games):
        players = ", ".join(map(printable, record.players))
        click.echo(f"{_ending(number, record)}  ({players}; {record.rules})")


def _games(file: Path) -> Iterator[tuple[int, Record]]:
    place = 0
    for stored in scan_games(file):
        for record in stored.records():
            place += 1
            yield _match_number(record.extra) or place, record


def _find(file: Path, game: int) -> Record:
    """Return a game by its number, even if other games are damaged."""
    found: list[tuple[int, RawGame | Record]] = []
    place = 0
    for stored in scan_games(file):
        for candidate in _candidates(stored):
            place += 1
            number = None
            if isinstance(candidate, RawGame):
                with suppress(NotationError):  # the game itself is read only if it is the one
                    number = _match_number(candidate.as_json())
            if (number or place) == game:
                found.append((stored.line, candidate))
    if not found:
        raise RecordError(
            "{file} holds {count} games; there is no game {number}", file=file, count=place, number=game
        )
    if len(found) > 1:
        lines = " and ".join([str(line) for line, _ in found])
        message = "{file} holds several games {game}, at lines {lines}: expected one match in a file"
        raise RecordError(message, file=file, game=game, lines=lines)
    ((_, candidate),) = found
    return candidate if isinstance(candidate, Record) else candidate.records()[0]


def _candidates(stored: RawGame) -> list[RawGame | Record]:
    if stored.is_json:
        return [stored]
    try:
        return [*stored.records()]
    except BrokenGameError as error:
        return [*error.earlier, stored]


def _match_number(keys: object) -> int | None:
    """Return a game's number in its match, from 1."""
    match keys:
        case {"match": {"game": int(number)}} if number >= 0:
            return number + 1
    return None


def _print_game(number: int, record: Record, seat: int | None) -> None:
    states = record.replay()
    seat = seat_to_show(record, seat)
    game_log = GameLog(states[0], record.players, output.print_lines, seat)
    game_log.begin(f"game {number}", {"Date": record.date, **record.tags, "Comment": record.comment})
    for state, move in zip(states, record.moves, strict=False):
        game_log.move(state, move.action, f"{move.mark} {move.comment}".strip())
    game_log.end(_ending(number, record))


def _ending(number: int, record: Record) -> str:
    game = GameSummary.of(record)
    if game is None:
        return f"game {number}: breaks off after {len(record.moves)} plies"
    return result_line(number, record.rules, record.players, game)


_INDENT: Final = "       "
_SIZE: Final = re.compile(r"(\d{1,3})x(\d{1,3})")
_LEAST, _MOST = (40, 20), (200, 60)
"""Columns and rows of a film's terminal."""


def _read_size(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> tuple[int, int] | None:
    if value is None:
        return None
    found = _SIZE.fullmatch(value)
    size = (int(found[1]), int(found[2])) if found else (0, 0)
    if not all(low <= count <= high for low, count, high in zip(_LEAST, size, _MOST, strict=True)):
        least, most = ("x".join(map(str, bound)) for bound in (_LEAST, _MOST))
        problem = f"{value}: expected columns and rows from {least} to {most}, such as 80x24"
        raise click.BadParameter(problem, context, parameter)
    return size


@click.command()
@choices.file_argument
@choices.game_option(help="Only the Nth game of the file.")
@choices.ply_option(help="Only the position after N moves.")
@click.option("--step", is_flag=True, help="In a terminal, wait for Enter after every move.")
@choices.open_option
@choices.seat_option
@choices.file_option(
    "--film",
    help="Write a film of the game to FILE instead: an asciicast if it ends in .cast, otherwise an animated "
    "SVG. Needs the app durak-tui.",
)
@click.option(
    "--size",
    callback=_read_size,
    metavar="COLSxROWS",
    help="Size of the film's terminal; by default 80x24 with --seat, otherwise 120x36.",
)
def replay(  # noqa: PLR0913 - an argument for each option
    *,
    file: Path,
    game: int | None,
    ply: int | None,
    step: bool,
    seat: int | None,
    film: Path | None,
    size: tuple[int, int] | None,
) -> None:
    """Show the games of FILE move by move, or film one.

    FILE holds game texts or JSON lines, or is a game code. Every move is checked against the rules.
    """
    if film is not None:
        output.check_targets(film, inputs=[file])
        record = choices.one_record(file, game)
        if (seat := seat_to_show(record, seat)) is not None:
            checked_seat(record.rules, seat)
        app_module("film", "durak replay --film").write_film(record, film, seat=seat, size=size)
        output.print_lines(f"film of {len(record.moves)} moves written to {printable(str(film))}")
        return
    records = choose_records(file, game)
    if ply is not None and len(records) > 1:
        raise click.UsageError(f"{file} holds {len(records)} games: say with --game whose ply is meant")
    waits = step and sys.stdin.isatty() and sys.stdout.isatty()
    for record in records:
        if ply is None:
            _show_game(record, seat, waits=waits)
        else:
            state = choices.state_after(record.replay(), ply)
            output.print_lines(*_Lines(record, seat).position(ply, state))


def _show_game(record: Record, seat: int | None, *, waits: bool) -> None:
    lines = _Lines(record, seat)
    states = record.replay()
    output.print_lines(*lines.head(), lines.bout(states[0]))
    for ply, state in enumerate(states[1:], 1):
        output.print_lines(*lines.move(ply, states[ply - 1], state))
        if waits and not sys.stdin.readline():
            waits = False
    output.print_lines(lines.ending(states[-1]), "")


class _Lines:
    """The lines of a recorded game, with all cards or as one seat sees them."""

    def __init__(self, record: Record, seat: int | None) -> None:
        self._record = record
        self._words = GameWords(record.rules, record.players, seat_to_show(record, seat))

    def head(self) -> list[Text]:
        record = self._record
        seed = "" if record.seed is None else f", seed {record.seed}"
        date = f", {printable(record.date)}" if record.date else ""
        lines = [Text(f"rules {record.rules}{seed}{date}")]
        lines += [Text(f"{name}: {printable(value)}") for name, value in record.tags.items()]
        lines += self._table(record.start)
        if record.comment:
            lines.append(Text(printable(record.comment), style="italic"))
        return lines

    def bout(self, state: State) -> Text:
        return self._words.event(BoutBegan(state.bout, state.attacker, state.defender, state.limit))

    def move(self, ply: int, before: State, state: State) -> list[Text]:
        move = self._record.moves[ply - 1]
        news = self._words.news(before, state)
        line = Text(f"{ply:>5}. ") + self._words.event(news[0])
        if move.mark:
            line.append(f" {move.mark}", style="bold")
        lines = [line]
        if move.comment:
            lines.append(Text(_INDENT + printable(move.comment), style="italic"))
        # Passes and draws come before the position, the next bout after it.
        later = [event for event in news if isinstance(event, BoutBegan)]
        lines += [Text(_INDENT) + self._words.event(event) for event in news[1:] if event not in later]
        lines += self._table(state)
        lines += [self._words.event(event) for event in later]
        return lines

    def position(self, ply: int, state: State) -> list[Text]:
        phase = state.phase.name.lower().replace("_", " ")
        turn = "" if state.turn is None else f", {self._words.names[state.turn]} to act"
        lines = [Text(f"after {ply} moves: bout {state.bout}, {phase}{turn}"), *self._table(state)]
        text = (
            write_position(state)
            if self._words.seat is None
            else write_observation(state.observation(self._words.seat))
        )
        return [*lines, Text(text)]

    def ending(self, state: State) -> str:
        result = RecordResult.of(state)
        if result is None:
            return f"The game breaks off after {state.plies} moves."
        losers = [self._words.names[seat] for seat in result.fools]
        verb = "is the fool" if len(losers) == 1 else "are the fools"
        ending = f"{' and '.join(losers)} {verb}" if losers else "The game is a draw"
        return f"{ending}, after {result.bouts} bouts and {result.plies} moves."

    def _table(self, state: State) -> list[Text]:
        return [Text(_INDENT) + line for line in (self._words.table(state), *self._words.hands(state))]


_MOST_LISTED: Final = 100
"""Damaged games that are listed."""
_OPTIONAL: Final = "exchanges"
"""The actions of a house rule, whose column is left out if there are none."""


@click.command()
@choices.files_argument
@click.option(
    "--by",
    type=click.Choice(("agent", "opponent", "rules")),
    default="agent",
    show_default=True,
    help="Group by player, by player and opponents, or by rules.",
)
@click.option("--skip-damaged", is_flag=True, help="Skip games that cannot be read, and list them on stderr.")
@choices.file_option("--csv", help="Write the figures to a CSV file.")
@choices.file_option("--json", help="Write all figures to a JSON file.")
@choices.file_option("--markdown", help="Write the tables to a Markdown file.")
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
    output.check_targets(csv, json, markdown, inputs=files)
    figures = Figures(by_opponent=by == "opponent")
    damaged = 0
    with output.progress(sum(1 for file in files for _ in scan_games(file)), "reading") as step:
        for found in _selected_games(files):
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
    sections.append(output.Section("", (), _notes(figures, damaged, len(files))))
    for section in sections:
        section.print()
    _write_csv(csv, figures, by)
    output.write_json(json, {"damaged": damaged, **figures_json(figures)})
    output.write_sections(markdown, sections)


def _selected_games(files: tuple[Path, ...]) -> Iterator[Record | BrokenGameError]:
    for file in files:
        for stored in scan_games(file):
            try:
                yield from stored.records()
            except BrokenGameError as error:
                yield from error.earlier
                yield error


def _one_rules(one: RulesFigures) -> output.Section:
    results, means = [], []
    names = _count_names([row.actions for row in one.players])
    for row in one.players:
        name, tally = _name(row), row.tally
        results.append((name, f"{tally.games}", *output.result_cells(tally), _source(row)))
        lengths = (f"{row.bouts / tally.games:.1f}", f"{row.plies / tally.games:.1f}")
        means.append((name, *lengths, *_means(row.actions, tally.games, names)))
    header = ("agent", "games", *output.result_heads(ResultMeasure.of(one.rules.team_count)), "from")
    means_header = ("a game of", "bouts", "plies", *_heads(names))
    shown = output.TextTable(header, tuple(results)), output.TextTable(means_header, tuple(means))
    lines = [f"{output.first_line(one.first.share, one.rules.team_count)}, from {_source(one.first)}"]
    lines.append(output.draws_line(one.draw_share))
    lines += output.forfeits_line([row.tally for row in one.players])
    return output.Section(f"{one.games} games, rules {one.rules}", shown, lines)


def _all_rules(figures: Figures) -> output.Section:
    results, means = [], []
    names = _count_names([one.actions for one in figures])
    for one in figures:
        first = one.first
        lengths = (f"{one.bouts / one.games:.1f}", f"{one.plies / one.games:.1f}")
        draws = output.percent_text(one.draw_share.value)
        counts = (one.rules.text, f"{one.rules.seats}", f"{one.games}", draws)
        shares = (output.percent_text(first.share.value), output.interval_text(first.share), _source(first))
        results.append((*counts, *lengths, *shares))
        means.append((one.rules.text, *_means(one.actions, one.games, names)))
    header = ("rules", "seats", "games", "draws", "bouts", "plies", "who is first", "95 %", "from")
    lines = ["who is first: the first attacker's score with two seats, otherwise its loss rate"]
    actions = output.TextTable(("a game of", *_heads(names)), tuple(means))
    return output.Section("", (output.TextTable(header, tuple(results)), actions), lines)


def _notes(figures: Figures, damaged: int, files: int) -> list[str]:
    notes = [f"{figures.games} games of {files} files" if files > 1 else f"{figures.games} games"]
    if figures.unfinished:
        notes.append(f"unfinished games, left out: {figures.unfinished}")
    if figures.twice:
        notes.append(f"games of a match that were there already, left out: {figures.twice}")
    if figures.alike:
        notes.append(f"games equal to an earlier one, counted: {figures.alike}")
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
    output.write_csv(path, (*header, "bouts", "plies", *ACTION_COUNTS), rows)


_WRITERS = {"csv": write_csv_rows, "parquet": write_parquet_rows}


@click.command()
@choices.file_argument
@click.option(
    "--to",
    "form",
    type=click.Choice(tuple(_WRITERS)),
    help="Format of the table, by default by the suffix of --out, otherwise csv; parquet needs pyarrow.",
)
@choices.file_option("--out", help="File to write; by default FILE with the suffix of the format.")
def export(*, file: Path, form: str | None, out: Path | None) -> None:
    """Export every decision of the games in FILE as a table.

    Columns: the game's number, ply, rules, seat, agent, observation, legal actions, chosen action, result
    for the seat (1, 0.5 for a draw, 0 for the fool), and search info as JSON for games of durak match
    --findings. FILE holds games of durak match or of the library, as JSON lines or game texts.

    Example: durak export games.jsonl --to parquet
    """
    suffix = "" if out is None else out.suffix.lower().removeprefix(".")
    if form and suffix in _WRITERS and suffix != form:
        raise click.UsageError(f"--to {form} and --out {out}: expected a name with .{form}")
    form = form or (suffix if suffix in _WRITERS else "csv")
    target = out or Path(f"{os.path.splitext(file)[0]}.{form}")  # noqa: PTH122 - a folder has no suffix to replace
    output.check_targets(target, inputs=[file])
    records = (record for stored in scan_games(file) for record in stored.records())
    decisions = 0

    def counted() -> Iterator[DecisionRow]:
        nonlocal decisions
        for row in decision_rows(records):
            decisions += 1
            yield row

    _WRITERS[form](target, counted())
    click.echo(f"{decisions:,} decisions written to {printable(str(target))}")
