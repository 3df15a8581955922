"""A series of games between the same players, and its score."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from durak_tui.text.i18n import gettext

_TEXT: Final = re.compile(r"lost (\d{1,6}(?: \d{1,6})*), drawn (\d{1,6})(?:, of (\d{1,6}))?(, rotating)?")


@dataclass(frozen=True, slots=True)
class Series:
    """The score before the current game.

    Attributes:
        losses: Losses of each team, or of each seat's player without teams; empty at first.
        draws: Number of draws.
        planned: Number of games to play in a row; 0 or 1 for a single game.
        rotating: Whether the players move one seat on after each game.
    """

    losses: tuple[int, ...] = ()
    draws: int = 0
    planned: int = 0
    rotating: bool = False

    @property
    def games(self) -> int:
        return sum(self.losses) + self.draws

    @property
    def goes_on(self) -> bool:
        return self.games < self.planned

    def after(self, fool: int | None, teams: int) -> Series:
        """Return the score after a game that a team lost or that was drawn."""
        losses = self.losses or (0,) * teams
        counted = tuple(lost + (team == fool) for team, lost in enumerate(losses))
        return replace(self, losses=counted, draws=self.draws + (fool is None))

    def turned(self) -> Series:
        return replace(self, losses=self.losses[-1:] + self.losses[:-1])

    @property
    def text(self) -> str:
        """The value of the record's tag ``Series``; empty before the first game."""
        if not self.games and self.planned < 2:
            return ""
        plan = f", of {self.planned}" if self.planned > 1 else ""
        losses = " ".join(map(str, self.losses)) or "0"
        return f"lost {losses}, drawn {self.draws}{plan}{', rotating' if self.rotating else ''}"

    @classmethod
    def parse(cls, text: str, teams: int) -> Series:
        """Parse the tag. Invalid values and other numbers of teams give `NO_SERIES`."""
        found = _TEXT.fullmatch(text)
        if found is None:
            return NO_SERIES
        losses = tuple(map(int, found[1].split()))
        if losses == (0,):
            losses = ()
        elif len(losses) != teams:
            return NO_SERIES
        return cls(losses, int(found[2]), int(found[3] or 0), found[4] is not None)


NO_SERIES: Final = Series()


def score_words(series: Series, names: Sequence[str], *, is_over: bool, dot: str = " · ") -> str:
    """Return the score in a line, including the shown game once it is over; empty before the first."""
    if series.planned < 2 and series.games <= is_over:
        return ""
    number = series.games + (not is_over)
    game = gettext("game {number}", number=number)
    if series.planned > 1:
        game = gettext("game {number} of {planned}", number=number, planned=series.planned)
    lost = zip(names, series.losses or (0,) * len(names), strict=True)
    score = gettext("lost: {score}", score=", ".join(f"{name} {count}" for name, count in lost))
    return dot.join((game, score, gettext("draws: {count}", count=series.draws)))
