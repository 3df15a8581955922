"""A solver's attempt at a puzzle: every move of the line against the longest defence."""

from __future__ import annotations

from durak_core.actions import Action
from durak_core.errors import DurakError, IllegalActionError
from durak_core.game.state import State
from durak_core.puzzles.puzzle import Puzzle
from durak_core.puzzles.solution import KnownSolutions, Solution


class Attempt:
    """An attempt at a puzzle; raises `NotationError` or `DurakError` if the puzzle is invalid.

    Attributes:
        seat: The solver's seat.
        states: The puzzle's position, and the state after each action since.
        moves: The actions of both seats.
        mistakes: Number of wrong tries.
    """

    def __init__(self, puzzle: Puzzle, solutions: KnownSolutions) -> None:
        self.puzzle = puzzle
        self.states = [puzzle.state]
        self.moves: list[Action] = []
        self.mistakes = 0
        self._solutions = solutions
        self.seat = self.state.turn
        begin = self._solution
        if (begin.value, begin.keeping) != (puzzle.value, (puzzle.action,)):
            raise DurakError("{action} is not the only action that keeps the game", action=str(puzzle.action))

    @property
    def state(self) -> State:
        return self.states[-1]

    @property
    def is_over(self) -> bool:
        return self.state.is_over

    @property
    def answers(self) -> tuple[Action, ...]:
        return () if self.is_over else self._solution.keeping

    def play(self, action: Action) -> bool:
        """Play a right action and the moves up to the solver's next choice; return whether it was right.

        A wrong action only increments `mistakes`; an illegal one raises `IllegalActionError`.
        """
        if not self.accepts(action):
            return False
        self.follow()
        return True

    def accepts(self, action: Action) -> bool:
        """Act as `play`, without the moves that follow."""
        why = self.state.why_not(action)
        if why is not None:
            legal = tuple(map(str, self.state.legal_actions))
            raise IllegalActionError(str(action), why.paragraph, why.reason, legal)
        if not self._solutions.keeps(self.state, action):
            self.mistakes += 1
            return False
        self._advance(action)
        return True

    def follow(self) -> None:
        """Play the moves up to the solver's next choice; resumable after an interruption."""
        while not self.is_over and (self.state.turn != self.seat or len(self.state.legal_actions) == 1):
            actions = self.state.legal_actions
            self._advance(actions[0] if len(actions) == 1 else self._solution.longest)

    def take_back(self, played: int) -> None:
        """Return to the state after this many actions of both seats."""
        del self.states[played + 1 :], self.moves[played:]

    def _advance(self, action: Action) -> None:
        self.states.append(self.state.apply(action))
        self.moves.append(action)

    @property
    def _solution(self) -> Solution:
        found = self._solutions.of(self.state)
        if found is None:
            raise DurakError("this position is too hard to be solved")
        return found
