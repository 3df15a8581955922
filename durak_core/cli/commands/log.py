"""`durak log`: print one game of a file like `durak match --verbose`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import click

from durak_core.cli.choices import file_argument, game_option, open_option, seat_option
from durak_core.cli.game_log import GameLog, result_line
from durak_core.cli.output import print_lines
from durak_core.errors import NotationError, RecordError
from durak_core.game.files import StoredGame, scan_games
from durak_core.game.record import BrokenGameError, Record
from durak_core.lab.matches.game import GameSummary
from durak_core.messages import printable


@click.command()
@file_argument
@game_option(help="Print the game numbered N; without it, list the games.")
@open_option
@seat_option
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
    found: list[tuple[int, StoredGame | Record]] = []
    place = 0
    for stored in scan_games(file):
        for candidate in _candidates(stored):
            place += 1
            number = _peek(candidate) if isinstance(candidate, StoredGame) else None
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


def _candidates(stored: StoredGame) -> list[StoredGame | Record]:
    if stored.is_json:
        return [stored]
    try:
        return [*stored.records()]
    except BrokenGameError as error:
        return [*error.earlier, stored]


def _peek(stored: StoredGame) -> int | None:
    """Return a line's game number in its match, if any, without reading the game."""
    try:
        return _match_number(stored.as_json())
    except NotationError:
        return None


def _match_number(keys: object) -> int | None:
    """Return a game's number in its match, from 1."""
    match keys:
        case {"match": {"game": int(number)}} if number >= 0:
            return number + 1
    return None


def _print_game(number: int, record: Record, seat: int | None) -> None:
    states = record.replay()
    game_log = GameLog(states[0], record.players, print_lines, seat)
    game_log.begin(f"game {number}", {"Date": record.date, **record.tags, "Comment": record.comment})
    for state, move in zip(states, record.moves, strict=False):
        game_log.move(state, move.action, f"{move.mark} {move.comment}".strip())
    game_log.end(_ending(number, record))


def _ending(number: int, record: Record) -> str:
    game = GameSummary.of(record)
    if game is None:
        return f"game {number}: breaks off after {len(record.moves)} plies"
    return result_line(number, record.rules, record.players, game)
