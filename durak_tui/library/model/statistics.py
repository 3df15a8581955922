"""What many games say about a player: counts, shares, streaks, and how they changed; pure functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from durak_core import wilson_interval
from durak_core.agents.level import OPPONENTS
from durak_tui.library.model.rating import LEAST_GAMES
from durak_tui.players.opponents import called
from durak_tui.text.phrases import players_words, preset_text


@dataclass(frozen=True, slots=True)
class Played:
    """How a game went for one player.

    Attributes:
        date: May be empty.
        teams: How many teams there were; as many as seats where everybody played alone.
        opponents: The others but for partners, each once.
        assisted: Whether a person took advice or moves back.
        accuracy: 0 to 100, or None where it was not reviewed.
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


@dataclass(slots=True)
class GameCounts:
    """A player's games counted.

    Attributes:
        fair: The sum of the fool's shares among equal players: a half for a game of two seats or teams.
        accuracies: Of the games that were reviewed.
    """

    games: int = 0
    draws: int = 0
    losses: int = 0
    fair: float = 0.0
    bouts: int = 0
    plies: int = 0
    accuracies: list[float] = field(default_factory=list)

    @classmethod
    def of(cls, games: Iterable[Played]) -> GameCounts:
        tally = cls()
        for game in games:
            tally.add(game)
        return tally

    def add(self, game: Played) -> None:
        self.games += 1
        self.draws += game.draw
        self.losses += game.lost
        self.fair += 1 / game.teams
        self.bouts += game.bouts
        self.plies += game.plies
        if game.accuracy is not None:
            self.accuracies.append(game.accuracy)

    @property
    def wins(self) -> int:
        return self.games - self.draws - self.losses

    @property
    def lost_share(self) -> float:
        """Lost games as a share of all; 0 without games."""
        return self.losses / self.games if self.games else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The lost share's 95 % Wilson interval."""
        return wilson_interval(self.lost_share, self.games)

    @property
    def fair_share(self) -> float:
        """What the lost share would be among equal players without draws; 0 without games."""
        return self.fair / self.games if self.games else 0.0

    @property
    def verdict(self) -> str:
        """Say ``better`` or ``worse`` than the fair share where the interval leaves it out; else nothing.

        Nothing is said of few games either.
        """
        low, high = self.interval
        if self.games < LEAST_GAMES or low <= self.fair_share <= high:
            return ""
        return "better" if high < self.fair_share else "worse"

    @property
    def mean_bouts(self) -> float:
        return self.bouts / self.games if self.games else 0.0

    @property
    def mean_plies(self) -> float:
        return self.plies / self.games if self.games else 0.0

    @property
    def accuracy(self) -> float | None:
        """The mean accuracy of the reviewed games; None without any."""
        return sum(self.accuracies) / len(self.accuracies) if self.accuracies else None


@dataclass(frozen=True, slots=True)
class PlayerStatistics:
    """Everything that the statistics say of a player.

    Attributes:
        games: Those without help, the oldest first.
        assisted: Those with help, counted apart.
        unbeaten: How many games the player has not been the fool now, and at most.
        beaten: How many games in a row they have been the fool now, and at most.
    """

    games: tuple[Played, ...]
    total: GameCounts
    assisted: GameCounts
    unbeaten: tuple[int, int]
    beaten: tuple[int, int]

    @classmethod
    def of(cls, games: Sequence[Played]) -> PlayerStatistics:
        """Count the games of a player, the oldest first."""
        alone = tuple(game for game in games if not game.assisted)
        return cls(
            alone,
            GameCounts.of(alone),
            GameCounts.of(game for game in games if game.assisted),
            _streaks(not game.lost for game in alone),
            _streaks(game.lost for game in alone),
        )


def _who(player: str) -> str:
    """Return the text of one of the six opponents, and what any other player is called."""
    return player if player in _PLACES else called(player)


_PLACES: Final = {opponent.text: place for place, opponent in enumerate(OPPONENTS)}

GROUPINGS: Final[dict[str, Callable[[Played], tuple[str, ...]]]] = {
    "opponent": lambda game: tuple(dict.fromkeys(map(_who, game.opponents))),
    "rules": lambda game: (preset_text(game.preset),),
    "players": lambda game: (players_words(game.seats, game.teams),),
}
"""Ways to group games, each with the groups that a game belongs to; opponents by their texts."""


def group(games: Iterable[Played], grouping: str) -> dict[str, GameCounts]:
    """Count games apart, the six opponents in their order and then the largest group first.

    Several opponents count the same game each.
    """
    names_of = GROUPINGS[grouping]
    tallies: dict[str, GameCounts] = {}
    for game in games:
        for name in names_of(game):
            tallies.setdefault(name, GameCounts()).add(game)
    last = len(_PLACES)
    return dict(
        sorted(tallies.items(), key=lambda item: (_PLACES.get(item[0], last), -item[1].games, item[0]))
    )


def moving_share(games: Sequence[Played], window: int) -> list[float | None]:
    """Return the lost share of the last games after each game; None before the window is full."""
    return _moving([float(game.lost) for game in games], window)


def moving_accuracy(games: Sequence[Played], window: int) -> list[float | None]:
    """Return the mean accuracy, 0 to 1, of the reviewed ones of the last games; None where there is none."""
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
    """Return how many of the last were hits without a break, and the most there ever were."""
    now = longest = 0
    for hit in hits:
        now = now + 1 if hit else 0
        longest = max(longest, now)
    return now, longest
