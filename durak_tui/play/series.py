"""Games that the same players play one after the other, and the score between them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from durak_tui.text.i18n import say

_TEXT: Final = re.compile(r"lost (\d{1,6}(?: \d{1,6})*), drawn (\d{1,6})(?:, of (\d{1,6}))?(, rotating)?")


@dataclass(frozen=True, slots=True)
class Series:
    """The score of the games before this one.

    Attributes:
        losses: How often each team, or without teams each seat's player, was the fool; empty at first.
        draws: How many games had no fool.
        planned: How many games follow each other by themselves; 0 or 1 if none does.
        rotating: Whether everybody moves one seat on in each of them.
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
        """Return the score after one more game, lost by one of the teams or drawn."""
        losses = self.losses or (0,) * teams
        counted = tuple(lost + (team == fool) for team, lost in enumerate(losses))
        return replace(self, losses=counted, draws=self.draws + (fool is None))

    def turned(self) -> Series:
        """Return the same score with everybody one seat further."""
        return replace(self, losses=self.losses[-1:] + self.losses[:-1])

    @property
    def text(self) -> str:
        """The score as a game's tag ``Series`` keeps it; empty before there is any."""
        if not self.games and self.planned < 2:
            return ""
        plan = f", of {self.planned}" if self.planned > 1 else ""
        losses = " ".join(map(str, self.losses)) or "0"
        return f"lost {losses}, drawn {self.draws}{plan}{', rotating' if self.rotating else ''}"

    @classmethod
    def parse(cls, text: str, teams: int) -> Series:
        """Read a tag; whatever is none, or of another number of teams, is no series."""
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
"""A game on its own."""


def score_words(series: Series, names: Sequence[str], *, is_over: bool, dot: str = " · ") -> str:
    """Tell the score of a series in a line, with the game shown once that is over; empty before any."""
    if series.planned < 2 and series.games <= is_over:
        return ""
    number = series.games + (not is_over)
    game = say("game {number}", number=number)
    if series.planned > 1:
        game = say("game {number} of {planned}", number=number, planned=series.planned)
    lost = zip(names, series.losses or (0,) * len(names), strict=True)
    score = say("lost: {score}", score=", ".join(f"{name} {count}" for name, count in lost))
    return dot.join((game, score, say("draws: {count}", count=series.draws)))
