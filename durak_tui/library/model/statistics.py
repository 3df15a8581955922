"""A player's statistics: counts, shares, streaks and moving averages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from durak_core import wilson_interval
from durak_core.agents.personas import OPPONENTS
from durak_tui.library.model.rating import LEAST_GAMES
from durak_tui.players.opponents import called
from durak_tui.text.phrases import players_words, preset_text


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


def _who(player: str) -> str:
    return player if player in _PLACES else called(player)


_PLACES: Final = {opponent.text: place for place, opponent in enumerate(OPPONENTS)}

GROUPINGS: Final[dict[str, Callable[[Played], tuple[str, ...]]]] = {
    "opponent": lambda game: tuple(dict.fromkeys(map(_who, game.opponents))),
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
