"""Exact endgame solutions from an engine."""

from __future__ import annotations

from functools import partial
from typing import Final

from durak_core import State
from durak_core.engine.protocol import Budget, Line
from durak_core.errors import EngineError
from durak_core.puzzles.solution import KnownSolutions, Solution, solution_of
from durak_tui.engine.processes import ALL_LINES, Engine, Question, ask_twice, plain

_PATIENCE: Final = 30.0
"""Seconds for an answer, on a busy machine and before compilation."""


class UnsolvedError(Exception):
    """A needed solution has not been requested from the engine."""

    def __init__(self, state: State) -> None:
        super().__init__(str(state))
        self.state = state


class EngineSolutions(KnownSolutions):
    """Caches an engine's solutions.

    Attributes:
        lines: By position, the score and continuation of each action.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.lines: dict[State, tuple[Line, ...]] = {}

    def of(self, state: State) -> Solution | None:
        if state not in self.lines:
            raise UnsolvedError(state)
        lines = {line.action: line for line in self.lines[state]}
        values = {action: round(2 * line.score - 1) for action, line in lines.items()}
        return solution_of(state, values, lambda action: lines[action].bouts)

    async def find(self, state: State) -> None:
        """Let the engine solve a position.

        Raises:
            EngineError: If it does not answer, or cannot solve it.
        """
        try:
            self.lines[state] = await ask_twice(partial(self._ask, state))
        except EngineError as error:
            raise EngineError(plain(error)) from error

    async def _ask(self, state: State) -> tuple[Line, ...]:
        observation = state.observation(state.turn or 0)
        budget = Budget(lines=ALL_LINES, infinite=True)
        search = await self._engine.answer(Question(observation, budget, _PATIENCE))
        lines = tuple(search.lines.values())
        is_whole = {line.action for line in lines} == set(state.legal_actions)
        if not is_whole or not all(line.exact for line in lines):
            raise EngineError("the engine does not solve endgames")
        return lines
