"""The player's rating, and the score against each opponent.

The opponents' ratings are measured and fixed. Each game has one loser, by Luce's choice axiom: the
probability of losing is 1 / (1 + 10^((r - R) / 400)) for a rating r, where 10^(-R / 400) is the sum of 10^(-r
/ 400) over the opponents. Each game is thus a Bradley-Terry comparison with one player of the table's
combined strength R. With a single opponent, R is that opponent's rating.

Rated games have one person and rated bots, are finished without help, and were not played at a table of
friends. Each deal counts once. Games with partners are unrated: the opponents' ratings were measured without
teams, and do not give a team's strength.

Sources: R. D. Luce, Individual Choice Behavior (1959); R. C. Weng and C.-J. Lin, "A Bayesian approximation
method for online ranking", Journal of Machine Learning Research 12 (2011), algorithm 1.
"""

from __future__ import annotations

import math
import sqlite3
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Final

from durak_core.agents.personas import OPPONENTS, Opponent, opponent_of
from durak_core.messages import printable
from durak_tui.library.model.entries import FRIENDS_TAG, team_count

LEAST_GAMES: Final = 10
"""Below this number of games a rating is provisional."""

_START: Final = 800.0
_UNSURE: Final = 300.0
"""Standard deviation before the first game."""

_DRIFT: Final = 6.0
"""Drift per game, which keeps the deviation from vanishing."""

_POINTS: Final = 400 / math.log(10)
"""Elo points per unit of the logistic curve."""

_LEAST_KEPT: Final = 1e-4
"""Minimum fraction of the variance kept after a game."""

_RECENT: Final = 5
_ENOUGH: Final = 3
"""Recent wins against an opponent after which the next one is suggested."""


@dataclass(frozen=True, slots=True)
class Score:
    """The player's score against an opponent, over games that one of them lost or both drew.

    Attributes:
        recent: The last five results, ``w``, ``l`` or ``d``, oldest first.
    """

    won: int = 0
    lost: int = 0
    drawn: int = 0
    recent: str = ""

    def after(self, result: str) -> Score:
        return Score(
            self.won + (result == "w"),
            self.lost + (result == "l"),
            self.drawn + (result == "d"),
            (self.recent + result)[-_RECENT:],
        )


@dataclass(frozen=True, slots=True)
class Standing:
    """The player's rating and scores.

    Attributes:
        points: The rating, on the opponents' scale.
        deviation: The rating's standard deviation.
        scores: The score against each opponent, by key.
        history: The latest ratings, rounded, oldest first.
        since: Date of the first game in the history; may be empty.
        until: Date of the last one.
    """

    points: float = _START
    deviation: float = _UNSURE
    games: int = 0
    scores: Mapping[str, Score] = field(default_factory=lambda: MappingProxyType({}))
    history: tuple[int, ...] = ()
    since: str = ""
    until: str = ""

    @property
    def rating(self) -> int:
        return round(self.points)

    @property
    def is_provisional(self) -> bool:
        return self.games < LEAST_GAMES

    @property
    def suggested(self) -> Opponent:
        """The opponent nearest in rating, or the next one not beaten yet; before any game the weakest."""
        if not self.games:
            return OPPONENTS[0]
        place = min(range(len(OPPONENTS)), key=lambda at: abs(OPPONENTS[at].rating - self.points))
        while place + 1 < len(OPPONENTS) and self._beats(OPPONENTS[place]):
            place += 1
        return OPPONENTS[place]

    def _beats(self, opponent: Opponent) -> bool:
        return self.scores.get(opponent.key, Score()).recent.count("w") >= _ENOUGH

    def after(self, others: Sequence[Opponent], fool: int | None, *, lost: bool) -> Standing:
        """Return the standing after a game. A draw of more than two seats does not change the rating.

        Args:
            others: The opponents at the table.
            fool: The loser's index among them; None if the player lost, or after a draw.
            lost: Whether the player lost.
        """
        is_draw = fool is None and not lost
        points, deviation = self.points, self.deviation
        if not is_draw or len(others) == 1:
            points, deviation = _rated(
                points, deviation, _table_rating(others), 0 if is_draw else -1 if lost else 1
            )
        scores = dict(self.scores)
        met = others if lost or len(others) == 1 else () if fool is None else (others[fool],)
        for key in {one.key for one in met}:
            scores[key] = scores.get(key, Score()).after("l" if lost else "d" if is_draw else "w")
        return Standing(points, deviation, self.games + 1, scores)


def _table_rating(others: Sequence[Opponent]) -> float:
    """Return the rating of a single opponent against whom the risk of losing is the same."""
    least = min(one.rating for one in others)
    return least - _POINTS * math.log(sum(math.exp((least - one.rating) / _POINTS) for one in others))


def _rated(points: float, deviation: float, table: float, result: int) -> tuple[float, float]:
    """Return rating and deviation after a game that was won (1), drawn (0) or lost (-1)."""
    variance = deviation**2 + _DRIFT**2
    scale = math.sqrt(variance + _DRIFT**2 + _POINTS**2)  # the table's rating drifts, too
    chance = 1 / (1 + math.exp((table - points) / scale))
    gain = math.sqrt(variance) / scale * variance / scale**2 * chance * (1 - chance)
    kept = math.sqrt(variance * max(1 - gain, _LEAST_KEPT))
    return points + variance / scale * ((result + 1) / 2 - chance), kept


_FINISHED_ALONE: Final = "deleted = 0 AND over = 1 AND human IS NOT NULL AND hints = 0 AND undos = 0"
"""Finished games of one person without help. Must match the index `counted_games`."""

_DECK: Final = '"deck": ['
"""Start of the deck in a record. Parsing the JSON of thousands of records would triple the time."""

_LONGEST_DECK: Final = 400
"""Maximum characters; 52 cards take 312."""

_GAMES: Final = (
    "SELECT id, key, date, human, seats, rules, "  # noqa: S608 - own words
    f"substr(record, nullif(instr(record, '{_DECK}'), 0), {_LONGEST_DECK}) "
    f"FROM games LEFT JOIN records ON game = id WHERE {_FINISHED_ALONE} "
    f"AND instr(tags, '\"{FRIENDS_TAG}\"') = 0 ORDER BY date, key"
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
