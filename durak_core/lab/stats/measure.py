"""Measures of a player's results."""

from __future__ import annotations

from enum import Enum


class Measure(Enum):
    """The measure of results: score with two players or teams, loss rate with more.

    Attributes:
        key: JSON key of the value.
        interval_key: JSON key of the interval.
        heading: Column heading.
        phrase: Name in a sentence.
        games: Name before a percentage.
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
        """Return a sort key, best first."""
        return -value if self is Measure.SCORE else value
