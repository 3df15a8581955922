"""A person's standing after each game, as the library keeps it.

Games with partners do not count: the opponents' ratings are measured where everybody plays alone, and two
players' own strengths do not say what they are worth together.

Each other game between one person and bots has a line, in the order of date and key, with the standing
after it, so that nobody has to wait until all games are counted again. Where an earlier game comes or goes,
the lines from there on are dropped; `count_some` makes those that are missing.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from durak_core.agents.level import OPPONENTS, Opponent, opponent_of
from durak_core.errors import NotationError
from durak_core.json_text import read_json
from durak_core.messages import printable
from durak_tui.library.model.rating import SCALE, Score, Standing

_COUNTED: Final = "deleted = 0 AND over = 1 AND human IS NOT NULL AND hints = 0 AND undos = 0"
"""Games that one person finished without help; the words of the index `counted_games`."""

_LAST: Final = "SELECT {column} FROM standings ORDER BY date DESC, key DESC LIMIT 1"
_DATE, _KEY = _LAST.format(column="date"), _LAST.format(column="key")
_NEXT: Final = (
    f"SELECT id, human, rules LIKE '%teams=%' FROM games WHERE {_COUNTED} "  # noqa: S608 - own words
    f"AND (date, key) > (coalesce(({_DATE}), ''), coalesce(({_KEY}), '')) ORDER BY date, key LIMIT ?"
)
_FIGURES: Final = "scale, games, points, deviation, scores"
_STORE: Final = (
    f"INSERT OR REPLACE INTO standings (game, date, key, deal, rated, {_FIGURES}) "  # noqa: S608 - own words
    "SELECT id, date, key, ?, ?, ?, ?, ?, ?, ? FROM games WHERE id = ?"
)
_DEAL: Final = (
    "SELECT CASE json_valid(record) WHEN 1 THEN json_extract(record, '$.deck') END FROM records "
    "WHERE game = ?"
)
_SCORE: Final = (int, int, int, str)
_DATE_SHOWN: Final = 10
_LONGEST: Final = 10_000
"""Letters of all scores; six take two hundred."""


def forget_since(db: sqlite3.Connection, game: int) -> None:
    """Drop what depends on a game that has come or goes."""
    db.execute(
        "DELETE FROM standings WHERE (date, key) >= (SELECT date, key FROM games WHERE id = ?)", (game,)
    )


def standing(db: sqlite3.Connection, history: int = 0) -> Standing:
    """Return the standing after the last game counted, with up to so many ratings before it.

    Where the opponents were measured anew since, nothing is known until the games are counted again.
    """
    now = _last(db) or Standing()
    latest = db.execute(
        "SELECT points, date FROM standings WHERE rated = 1 ORDER BY date DESC, key DESC LIMIT ?",
        (history if now.games else 0,),
    )
    rows = [row for row in latest if isinstance(row[0], float) and isinstance(row[1], str)][::-1]
    if not rows:
        return now
    since, until = (printable(date[:_DATE_SHOWN]) for _points, date in (rows[0], rows[-1]))
    return replace(now, history=tuple([round(points) for points, _date in rows]), since=since, until=until)


def change(db: sqlite3.Connection, key: str) -> tuple[int, int] | None:
    """Return the rating before and after a game; None where it does not count, or is not counted yet."""
    at = db.execute("SELECT date, key, points FROM standings WHERE key = ? AND rated = 1", (key,)).fetchone()
    if at is None:
        return None
    before = db.execute(
        "SELECT points FROM standings WHERE (date, key) < (?, ?) ORDER BY date DESC, key DESC LIMIT 1", at[:2]
    ).fetchone()
    points = (Standing().points if before is None else before[0], at[2])
    return (round(points[0]), round(points[1])) if all(isinstance(one, float) for one in points) else None


def is_behind(db: sqlite3.Connection) -> bool:
    """Tell whether there are games to count."""
    return _last(db) is None or db.execute(_NEXT, (1,)).fetchone() is not None


def count_some(db: sqlite3.Connection, most: int) -> int:
    """Count up to so many games that were not counted yet; return how many."""
    now = _last(db)
    if now is None:
        db.execute("DELETE FROM standings")
        now = Standing()
    games = db.execute(_NEXT, (most,)).fetchall()
    for game, human, has_partners in games:
        seats = db.execute("SELECT seat, player, lost FROM seats WHERE game = ?", (game,))
        after = None if has_partners else _after(now, human, seats)
        deal = "" if after is None else _deal(db, game)
        if _was_played(db, deal):
            after = None
        now = after or now
        scores = {key: (one.won, one.lost, one.drawn, one.recent) for key, one in now.scores.items()}
        row = (deal, after is not None, SCALE, now.games, now.points, now.deviation, json.dumps(scores), game)
        db.execute(_STORE, row)
    return len(games)


def _deal(db: sqlite3.Connection, game: int) -> str:
    """Return what only games of the same cards in the same order have; empty where that is not known."""
    found = db.execute(_DEAL, (game,)).fetchone()
    deck = None if found is None else found[0]
    return hashlib.blake2b(deck.encode(), digest_size=8).hexdigest() if isinstance(deck, str) else ""


def _was_played(db: sqlite3.Connection, deal: str) -> bool:
    """Tell whether the person has met a deal before, and may remember its cards."""
    found = db.execute("SELECT 1 FROM standings WHERE rated = 1 AND deal = ? LIMIT 1", (deal,)).fetchone()
    return bool(deal) and found is not None


def _after(before: Standing, human: int, seats: sqlite3.Cursor) -> Standing | None:
    """Return the standing after a game; None where somebody without a measured rating took part."""
    others: list[Opponent | None] = []
    fools: list[int | None] = []
    for seat, player, lost in seats:
        if lost:
            fools.append(None if seat == human else len(others))
        if seat != human:
            others.append(opponent_of(player) if isinstance(player, str) else None)
    met = [one for one in others if one is not None]
    if len(met) < len(others) or not met or len(fools) > 1:
        return None
    return before.after(met, fools[0] if fools else None, lost=fools == [None])


def _last(db: sqlite3.Connection) -> Standing | None:
    """Return the standing after the last game counted; None where one cannot go on from it."""
    row = db.execute(_LAST.format(column=_FIGURES)).fetchone()
    if row is None:
        return Standing()
    scale, games, points, deviation, scores = row
    read = _read_scores(scores)
    if scale != SCALE or read is None or not isinstance(games, int):
        return None
    if not all(isinstance(one, float) and abs(one) < 1e6 for one in (points, deviation)):
        return None
    return Standing(points, deviation, games, read)


def _read_scores(text: object) -> Mapping[str, Score] | None:
    try:
        read = read_json(text if isinstance(text, str) else "", _LONGEST)
    except NotationError:
        return None
    if not isinstance(read, dict) or not read.keys() <= {one.key for one in OPPONENTS}:
        return None
    scores: list[Any] = list(read.values())
    if not all(isinstance(one, list) and tuple(map(type, one)) == _SCORE for one in scores):
        return None
    return {key: Score(*one) for key, one in zip(read, scores, strict=True)}
