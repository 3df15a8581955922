"""The player's rating and statistics: scores, shares, streaks and moving averages.

The opponents' ratings are measured and fixed. Each game has one loser, by Luce's choice axiom: the
probability of losing is 1 / (1 + 10^((r - R) / 400)) for a rating r, where 10^(-R / 400) is the sum of 10^(-r
/ 400) over the opponents. Each game is thus a Bradley-Terry comparison with one player of the table's
combined strength R. With a single opponent, R is that opponent's rating.

Rated games have one person and rated bots, are finished without help, and were not played at a table of
friends. Each deal counts once. Games with partners are unrated: the opponents' ratings were measured without
teams, and do not give a team's strength.

Sources: R. D. Luce, Individual Choice Behavior (1959); M. E. Glickman, "Parameter estimation in large dynamic
paired comparison experiments", Applied Statistics 48 (1999), with opponents whose rating is known.
"""

from __future__ import annotations

import math
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, Final

from durak_core import wilson_interval
from durak_core.agents.personas import OPPONENTS, Opponent, opponent_of
from durak_core.errors import printable
from durak_tui.library.model.entries import FRIENDS_TAG, team_count
from durak_tui.players import called
from durak_tui.text.phrases import players_words, preset_text

LEAST_GAMES: Final = 10
"""Below this number of games a rating is provisional."""

_START: Final = 800.0
_UNSURE: Final = 300.0
"""Standard deviation before the first game."""

_DRIFT: Final = 6.0
"""Drift per game, which keeps the deviation from vanishing."""

_POINTS: Final = 400 / math.log(10)
"""Elo points per unit of the logistic curve."""

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
        while place + 1 < len(OPPONENTS):
            score = self.scores.get(OPPONENTS[place].key, Score())
            if score.recent.count("w") < _ENOUGH:
                break
            place += 1
        return OPPONENTS[place]

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
    chance = 1 / (1 + math.exp((table - points) / _POINTS))
    variance /= 1 + variance * chance * (1 - chance) / _POINTS**2
    return points + variance / _POINTS * ((result + 1) / 2 - chance), math.sqrt(variance)


_FINISHED: Final = "deleted = 0 AND over = 1 AND human IS NOT NULL"
_UNAIDED: Final = "hints = 0 AND undos = 0"
_FINISHED_ALONE: Final = f"{_FINISHED} AND {_UNAIDED}"
"""Finished games of one person without help. Must match the index `counted_games`."""

_DECK: Final = '"deck": ['
"""Start of the deck in a record. Parsing the JSON of thousands of records would triple the time."""

_LONGEST_DECK: Final = 400
"""Maximum characters; 52 cards take 312."""

_GAMES: Final = (
    "SELECT id, key, date, human, seats, rules, "  # noqa: S608 - own words
    f"substr(record, nullif(instr(record, '{_DECK}'), 0), {_LONGEST_DECK}), "
    f"{_UNAIDED} AND instr(tags, '\"{FRIENDS_TAG}\"') = 0 "
    f"FROM games LEFT JOIN records ON game = id WHERE {_FINISHED} ORDER BY date, key"
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


def rated_games(db: sqlite3.Connection, told: Callable[[float], object]) -> list[RatedGame]:
    """Rate all rated games by date and key; call ``told`` with the done share.

    A repeated deal is unrated, as the player may remember its cards, whether or not it was rated before.
    """
    seats: defaultdict[int, list[tuple[Any, ...]]] = defaultdict(list)
    for game, *seat in db.execute(_SEATS):
        seats[game].append(tuple(seat))
    rated: list[RatedGame] = []
    dealt: set[str] = set()
    now = Standing()
    done = 0
    for game, key, date, human, count, rules, text, is_alone in db.execute(_GAMES):
        done += bool(is_alone)  # a damaged file may have no answer
        told(min(1.0, done / max(1, len(seats))))  # in a damaged file games may lack seats
        deck = text.partition("]")[0] if isinstance(text, str) else ""
        is_known = deck in dealt
        if deck:
            dealt.add(deck)
        if not is_alone or is_known or team_count(str(rules), count) != count:
            continue
        after = _after(now, human, seats[game])
        if after is None:
            continue
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


def ratings_around(rated: Sequence[RatedGame], key: str) -> tuple[int, int] | None:
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


@dataclass(frozen=True, slots=True)
class Played:
    """One player's result of a game.

    Attributes:
        date: May be empty.
        teams: Number of teams; without partners, the number of seats.
        opponents: The other players except partners, each once.
        assisted: Whether a person used hints or undo.
        accuracy: 0 to 100, or None if the game was not reviewed.
    """

    date: str
    preset: str
    seats: int
    teams: int
    opponents: tuple[str, ...]
    lost: bool
    draw: bool
    bouts: int
    plies: int
    assisted: bool = False
    accuracy: float | None = None


@dataclass(frozen=True)
class GameCounts:
    """Counts over a player's games. Without games, shares and averages are 0."""

    played: Sequence[Played] = ()

    @property
    def games(self) -> int:
        return len(self.played)

    @cached_property
    def draws(self) -> int:
        return sum(game.draw for game in self.played)

    @cached_property
    def losses(self) -> int:
        return sum(game.lost for game in self.played)

    @property
    def wins(self) -> int:
        return self.games - self.draws - self.losses

    @cached_property
    def lost_share(self) -> float:
        return _mean([game.lost for game in self.played])

    @cached_property
    def interval(self) -> tuple[float, float]:
        """The 95 % Wilson interval of the loss rate."""
        return wilson_interval(self.lost_share, self.games)

    @cached_property
    def par(self) -> float:
        """Par: the loss rate among equal players without draws; a half for two seats or teams."""
        return _mean([1 / game.teams for game in self.played])

    @cached_property
    def verdict(self) -> str:
        """``better`` or ``worse`` if the interval excludes par; empty otherwise and for few games."""
        low, high = self.interval
        if self.games < LEAST_GAMES or low <= self.par <= high:
            return ""
        return "better" if high < self.par else "worse"

    @cached_property
    def mean_bouts(self) -> float:
        return _mean([game.bouts for game in self.played])

    @cached_property
    def mean_plies(self) -> float:
        return _mean([game.plies for game in self.played])

    @cached_property
    def accuracies(self) -> list[float]:
        return [game.accuracy for game in self.played if game.accuracy is not None]

    @cached_property
    def accuracy(self) -> float | None:
        return _mean(self.accuracies) if self.accuracies else None


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


@dataclass(frozen=True, slots=True)
class PlayerStatistics:
    """A player's statistics.

    Attributes:
        games: Games without help, oldest first.
        assisted: Games with help.
        unbeaten: Current and longest streak of games not lost.
        beaten: Current and longest streak of lost games.
    """

    games: tuple[Played, ...]
    total: GameCounts
    assisted: GameCounts
    unbeaten: tuple[int, int]
    beaten: tuple[int, int]

    @classmethod
    def of(cls, games: Sequence[Played]) -> PlayerStatistics:
        alone = tuple(game for game in games if not game.assisted)
        return cls(
            alone,
            GameCounts(alone),
            GameCounts([game for game in games if game.assisted]),
            _streaks(not game.lost for game in alone),
            _streaks(game.lost for game in alone),
        )


_PLACES: Final = {opponent.text: place for place, opponent in enumerate(OPPONENTS)}

GROUPINGS: Final[dict[str, Callable[[Played], tuple[str, ...]]]] = {
    "opponent": lambda game: tuple(
        dict.fromkeys(player if player in _PLACES else called(player) for player in game.opponents)
    ),
    "rules": lambda game: (preset_text(game.preset),),
    "players": lambda game: (players_words(game.seats, game.teams),),
}
"""Groupings, each with a function for the groups of a game; opponents by spec."""


def group(games: Iterable[Played], grouping: str) -> dict[str, GameCounts]:
    """Group games: the six opponents in order, then the largest groups first.

    A game counts once for each of its opponents.
    """
    groups: defaultdict[str, list[Played]] = defaultdict(list)
    for game in games:
        for name in GROUPINGS[grouping](game):
            groups[name].append(game)
    last = len(_PLACES)
    order = sorted(groups, key=lambda name: (_PLACES.get(name, last), -len(groups[name]), name))
    return {name: GameCounts(groups[name]) for name in order}


def moving_share(games: Sequence[Played], window: int) -> list[float | None]:
    """Return the loss rate over the last games after each game; None until the window is full."""
    return _moving([float(game.lost) for game in games], window)


def moving_accuracy(games: Sequence[Played], window: int) -> list[float | None]:
    """Return the mean accuracy, 0 to 1, of reviewed games in each window; None if there are none."""
    return _moving([None if game.accuracy is None else game.accuracy / 100 for game in games], window)


def _moving(values: Sequence[float | None], window: int) -> list[float | None]:
    made: list[float | None] = []
    total, known = 0.0, 0
    for index, value in enumerate(values):
        old = values[index - window] if index >= window else None
        total += (value or 0.0) - (old or 0.0)
        known += (value is not None) - (old is not None)
        made.append(max(total, 0.0) / known if known and index >= window - 1 else None)
    return made


def _streaks(hits: Iterable[bool]) -> tuple[int, int]:
    now = longest = 0
    for hit in hits:
        now = now + 1 if hit else 0
        longest = max(longest, now)
    return now, longest
