"""Background analysis of a game."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import ClassVar, Final

from durak_core import Observation
from durak_core.engine.search import Search
from durak_core.errors import EngineError
from durak_tui.engine.background import BackgroundSearch, Request
from durak_tui.engine.processes import Engine, is_interpreted, ranked
from durak_tui.review.model.analysis_cache import PositionKey, Source
from durak_tui.review.model.review_game import ReviewGame

_FIRST_LOOK: Final = 4
"""Divisor of the search time for the first search of a position."""
_MOST_TRIES: Final = 4
"""Further searches of a position searched too little, each twice as long as the one before."""


class Reviewer(BackgroundSearch):
    """Searches every unanalysed position of a game, the shown one first.

    Each position gets a quarter of the time, and then all of it if its evaluation is doubtful. Positions
    searched too little, as before the engine is compiled, get more and more time. `changed` is also called
    when all is done.

    Attributes:
        is_idle: Whether all is done, until another variation is entered.
    """

    NAME: ClassVar[str] = "durak-review"

    def __init__(
        self, game: ReviewGame, engine: Engine, changed: Callable[[], None], milliseconds: int = 300
    ) -> None:
        super().__init__(engine, changed, milliseconds)
        self._game = game
        self.is_idle = False
        self._is_warm = False
        self._settled: set[PositionKey] = set()
        self._tries: dict[PositionKey, int] = {}

    def attend(self) -> None:
        """Choose the next position again after the shown one changed."""
        self._wake.set()

    def _wanted(self) -> Request | None:
        wanted = self._game.wanted(warm=self._is_warm)
        milliseconds = self.milliseconds // _FIRST_LOOK
        settle: Callable[[PositionKey], None] = self._settled.discard
        if wanted is None:
            wanted = self._game.doubtful(self._settled)
            milliseconds, settle = self.milliseconds, self._settled.add
        if wanted is None:
            wanted, milliseconds = self._again()
        self.is_idle = wanted is None
        if wanted is None:
            self._changed()
            return None
        key, observation = wanted
        return observation, milliseconds, partial(self._take, key, observation, settle)

    def _again(self) -> tuple[tuple[PositionKey, Observation] | None, int]:
        """Return a position searched too little, with the milliseconds of its next search."""
        key = self._game.under_searched(self._tries, _MOST_TRIES)
        if key is None:
            return None, 0
        tries = self._tries.get(key, 0)
        self._tries[key] = tries + 1
        state = self._game.states[key[0]]
        return (key, state.observation(state.turn or 0)), self.milliseconds << tries

    def _take(
        self,
        key: PositionKey,
        observation: Observation,
        settle: Callable[[PositionKey], None],
        search: Search,
    ) -> bool:
        if {line.action for line in search.lines.values()} != set(observation.legal_actions):
            raise EngineError("the engine did not evaluate every action of the position")
        settle(key)
        self._is_warm = not is_interpreted(search)
        lines = ranked(search)
        is_hasty = not self._is_warm and not all(line.exact for line in lines)
        self._game.answer(key, lines, hasty=is_hasty)
        self._game.answers.source = Source(self._engine.name, self.milliseconds)
        return True
