"""The player's standing after each rated game.

Rated games have one person and rated bots, and are finished without help. Each deal counts once. Games with
partners are unrated: the opponents' ratings were measured without teams, and do not give a team's strength.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from durak_core.agents.level import opponent_of
from durak_core.messages import printable
from durak_tui.library.model.entries import team_count
from durak_tui.library.model.rating import Standing

_FINISHED_ALONE: Final = "deleted = 0 AND over = 1 AND human IS NOT NULL AND hints = 0 AND undos = 0"
"""Finished games of one person without help. Must match the index `counted_games`."""

_DECK: Final = '"deck": ['
"""Start of the deck in a record. Parsing the JSON of thousands of records would triple the time."""

_LONGEST_DECK: Final = 400
"""Maximum characters; 52 cards take 312."""

_GAMES: Final = (
    "SELECT id, key, date, human, seats, rules, "  # noqa: S608 - own words
    f"substr(record, nullif(instr(record, '{_DECK}'), 0), {_LONGEST_DECK}) "
    f"FROM games LEFT JOIN records ON game = id WHERE {_FINISHED_ALONE} ORDER BY date, key"
)
_SEATS: Final = (
    "SELECT game, seat, player, lost FROM seats "  # noqa: S608 - own words
    f"WHERE game IN (SELECT id FROM games WHERE {_FINISHED_ALONE}) ORDER BY game, seat"
)
_DATE_SHOWN: Final = 10


@dataclass(frozen=True, slots=True)
class RatedGame:
    """A rated game, and the standing after it."""

    key: str
    date: str
    after: Standing


def rated_games(db: sqlite3.Connection) -> list[RatedGame]:
    """Rate all rated games by date and key.

    A repeated deal is unrated, as the player may remember its cards.
    """
    seats: defaultdict[int, list[tuple[Any, ...]]] = defaultdict(list)
    for game, *seat in db.execute(_SEATS):
        seats[game].append(tuple(seat))
    rated: list[RatedGame] = []
    dealt: set[str] = set()
    now = Standing()
    for game, key, date, human, count, rules, text in db.execute(_GAMES):
        after = _after(now, human, seats[game]) if team_count(str(rules), count) == count else None
        deck = text.partition("]")[0] if isinstance(text, str) else ""
        if after is None or deck in dealt:
            continue
        if deck:
            dealt.add(deck)
        now = after
        rated.append(RatedGame(str(key), str(date), now))
    return rated


def standing_of(rated: Sequence[RatedGame], history: int = 0) -> Standing:
    """Return the latest standing, with up to this many of the latest ratings."""
    if not rated:
        return Standing()
    latest = rated[-history:] if history else ()
    if not latest:
        return rated[-1].after
    since, until = (printable(game.date[:_DATE_SHOWN]) for game in (latest[0], latest[-1]))
    return replace(
        rated[-1].after, history=tuple([game.after.rating for game in latest]), since=since, until=until
    )


def rating_change(rated: Sequence[RatedGame], key: str) -> tuple[int, int] | None:
    """Return the rating before and after a game, or None if it is unrated."""
    at = next((at for at, game in enumerate(rated) if game.key == key), None)
    if at is None:
        return None
    before = rated[at - 1].after if at else Standing()
    return before.rating, rated[at].after.rating


def _after(before: Standing, human: int, seats: Sequence[tuple[Any, ...]]) -> Standing | None:
    """Return the standing after a game, or None if a player without a measured rating took part."""
    places = [seat for seat, _player, _lost in seats if seat != human]
    found = [opponent_of(player) for seat, player, _lost in seats if seat != human]
    others = [opponent for opponent in found if opponent is not None]
    fools = [seat for seat, _player, lost in seats if lost]
    if not others or len(others) < len(places) or len(fools) > 1:
        return None
    is_lost = fools == [human]
    return before.after(others, places.index(fools[0]) if fools and not is_lost else None, lost=is_lost)
