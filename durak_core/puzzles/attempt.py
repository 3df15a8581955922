"""Somebody solves a puzzle: every move of the line has to be found, against the longest defence.

It draws nothing and asks nobody; a terminal, the app or an agent hands it actions.
"""

from __future__ import annotations

from durak_core.actions import Action
from durak_core.errors import DurakError, IllegalActionError
from durak_core.game.state import State
from durak_core.puzzles.puzzle import Puzzle
from durak_core.puzzles.solution import KnownSolutions, Solution


class Attempt:
    """A puzzle that is being solved.

    Attributes:
        seat: Who solves it.
        states: The puzzle's position, and the one after each action that was played since.
        moves: These actions, of both seats.
        mistakes: How many actions were tried that do not keep the value.

    Raises:
        NotationError: As for `Puzzle.state`.
        DurakError: If its action is not the only one that keeps what it says.
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
        """The position now: the solver's turn, with a choice, or the end."""
        return self.states[-1]

    @property
    def is_over(self) -> bool:
        """Whether the game has been played to its end, and so the puzzle is solved."""
        return self.state.is_over

    @property
    def answers(self) -> tuple[Action, ...]:
        """The actions that are right now."""
        return () if self.is_over else self._solution.keeping

    def play(self, action: Action) -> bool:
        """Tell whether an action is right; if so, play it and what follows up to the solver's next choice.

        A wrong one changes nothing but the number of mistakes.

        Raises:
            IllegalActionError: If the rules forbid it.
        """
        if not self.accepts(action):
            return False
        self.follow()
        return True

    def accepts(self, action: Action) -> bool:
        """Do as `play` does, but let nothing follow yet."""
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
        """Play what follows up to the solver's next choice; where that was interrupted, go on with it."""
        while not self.is_over and (self.state.turn != self.seat or len(self.state.legal_actions) == 1):
            actions = self.state.legal_actions
            self._advance(actions[0] if len(actions) == 1 else self._solution.longest)

    def _advance(self, action: Action) -> None:
        self.states.append(self.state.apply(action))
        self.moves.append(action)

    @property
    def _solution(self) -> Solution:
        found = self._solutions.of(self.state)
        if found is None:
            raise DurakError("this position is too hard to be solved")
        return found
