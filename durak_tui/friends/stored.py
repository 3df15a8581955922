"""What a table server keeps of its tables on disk. Tokens are kept as hashes only."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from durak_core.errors import NotationError


class StoredSeat(Struct, frozen=True):
    """A seat; ``name`` and ``token`` are empty if no person has it.

    Attributes:
        token: The hash of the person's token.
        plays: Whether the person plays in the current game.
    """

    name: str = ""
    token: str = ""
    plays: bool = False


class StoredGame(Struct, frozen=True):
    """The deal and the players of a game; see `durak_tui.friends.game.TableGame`."""

    number: int
    rules: str
    deck: str
    first_attacker: int
    by_lowest_trump: bool
    names: tuple[str, ...]
    players: tuple[str, ...]
    left: tuple[int, ...] = ()


class StoredTable(Struct, frozen=True):
    """A table and its current or last game; the game's actions are kept apart.

    Attributes:
        visitor: The visitor who opened it.
        players: For each seat an opponent's name, or empty for a person.
        spectators: Whether people with the code may watch.
    """

    code: str
    visitor: str
    rules: str
    players: tuple[str, ...]
    clock: int
    host: int
    score: tuple[int, ...]
    seats: tuple[StoredSeat, ...]
    game: StoredGame | None = None
    spectators: bool = True


def write_table(table: StoredTable) -> bytes:
    return msgspec.json.encode(table)


def read_table(data: bytes) -> StoredTable:
    """Read a stored table; raise `NotationError` if it is damaged."""
    try:
        table = msgspec.json.decode(data, type=StoredTable)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise NotationError("this is not a stored table: {why}", why=str(error)) from None
    seats = len(table.players)
    lists = [table.score, table.seats]
    if table.game is not None:
        lists += [table.game.names, table.game.players]
    if any(len(one) != seats for one in lists) or not 0 <= table.host < seats:
        raise NotationError("this is not a stored table: {why}", why="its seats differ")
    return table
