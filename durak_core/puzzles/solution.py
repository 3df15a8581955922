"""The solutions of endgames, and a solver's attempt at a puzzle."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from durak_core.actions import Action
from durak_core.errors import DurakError, IllegalActionError
from durak_core.game.state import State
from durak_core.puzzles.puzzle import Puzzle
from durak_core.search.backend.backend import Backend
from durak_core.search.endgame.solver import ActionSolver

_STEP = 1_000
"""Positions searched between checks of the limit."""


@dataclass(frozen=True, slots=True)
class Solution:
    """A solved position.

    Attributes:
        value: 1 won, 0 drawn, -1 lost, for the seat to act.
        keeping: The legal actions that keep the value.
        longest: The action among them after which optimal play lasts longest.
    """

    value: int
    keeping: tuple[Action, ...]
    longest: Action


def only_action(state: State, runner: Backend, nodes: int) -> tuple[Action, int] | None:
    """Return the only action that keeps a win or a draw, with its value.

    None if there are several, the position is lost, or ``nodes`` positions are not enough.
    """
    solver = _solver(state, runner)
    while not solver.is_done:
        if solver.hopeless or solver.spent >= nodes or list(solver.values.values()).count(1) > 1:
            return None
        solver.work(_STEP)
    best = max(solver.values.values())
    keeping = [action for action, value in solver.values.items() if value == best]
    return (keeping[0], best) if best >= 0 and len(keeping) == 1 else None


class KnownSolutions(ABC):
    """The solutions of positions, from any source."""

    @abstractmethod
    def of(self, state: State) -> Solution | None:
        """Return the solution of an unfinished position, or None if unsolved."""

    def keeps(self, state: State, action: Action) -> bool:
        """Return whether a legal action keeps the value, whichever open card it answers (rules 5.5)."""
        here = self.of(state)
        if here is None or action in state.legal_actions:
            return here is not None and action in here.keeping
        after = state.apply(action)
        if after.turn is None:
            return after.returns[state.turn or 0] == here.value
        there = self.of(after)
        return there is not None and here.value == (there.value if after.turn == state.turn else -there.value)


class Solutions(KnownSolutions):
    """Solves each position once, searching at most ``nodes`` positions."""

    def __init__(self, runner: Backend, nodes: int = 1_000_000) -> None:
        self._runner = runner
        self._nodes = nodes
        self._known: dict[State, Solution | None] = {}

    def of(self, state: State) -> Solution | None:
        if state not in self._known:
            self._known[state] = self._solve(state)
        return self._known[state]

    def _solve(self, state: State) -> Solution | None:
        solver = _solver(state, self._runner)
        while not solver.is_done:
            if solver.hopeless or solver.spent >= self._nodes:
                return None
            solver.work(_STEP)
        return solution_of(state, solver.values, solver.bouts)


def solution_of(
    state: State, values: Mapping[Action, int], bouts: Callable[[Action], int | None]
) -> Solution:
    """Return a position's solution from its actions' values and remaining bouts."""
    best = max(values.values())
    keeping = tuple([action for action in state.legal_actions if values[action] == best])
    return Solution(best, keeping, _longest(bouts, keeping, best))


def _solver(state: State, runner: Backend) -> ActionSolver:
    return ActionSolver(state.observation(state.turn or 0, sees_all=True), runner)


def _longest(bouts: Callable[[Action], int | None], keeping: tuple[Action, ...], value: int) -> Action:
    """Return the action that delays a loss most, or a win or draw least."""
    if value == 0 or len(keeping) == 1:
        return keeping[0]
    return max(keeping, key=lambda action: -value * (bouts(action) or 0))


class Attempt:
    """An attempt at a puzzle; raises `NotationError` or `DurakError` if the puzzle is invalid.

    Attributes:
        seat: The solver's seat.
        states: The puzzle's position, and the state after each action since.
        moves: The actions of both seats.
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
