"""What a player's results are measured by."""

from __future__ import annotations

from enum import Enum


class Measure(Enum):
    """The score where two play, or two teams, the share of lost games where more do.

    Attributes:
        key: Its name in files.
        interval_key: That of its interval in a match's results.
        heading: Its name at the head of a column.
        phrase: Its name in a sentence.
        games: Its name where a percentage follows.
    """

    SCORE = ("score", "interval", "score", "score", "score")
    LOST = ("fool_share", "fool_interval", "fool's share", "share of lost games", "lost games")

    def __init__(self, key: str, interval_key: str, heading: str, phrase: str, games: str) -> None:
        self.key = key
        self.interval_key = interval_key
        self.heading = heading
        self.phrase = phrase
        self.games = games

    @classmethod
    def of(cls, teams: int) -> Measure:
        return cls.SCORE if teams == 2 else cls.LOST

    def rank(self, value: float) -> float:
        """Return what to sort by, the best first: more points, or fewer lost games."""
        return -value if self is Measure.SCORE else value
