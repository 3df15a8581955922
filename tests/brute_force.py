"""A second proof of puzzles: every line of play, move by move over `State`, and nothing of the solver."""

from __future__ import annotations

from dataclasses import dataclass, field

from durak_core import Action, State

MOST_BOUTS = 16
ENDLESS = 10_000


@dataclass
class BruteForce:
    """Whether a seat can make sure of a result: ``least`` 1 for a win, 0 for a draw or better.

    Where cards can go to and fro, a line ends after a bout, and ``beyond`` is what it counts as.
    """

    seat: int
    least: int
    last_bout: int
    beyond: bool
    known: dict[tuple[object, ...], bool] = field(default_factory=dict)

    def holds(self, state: State) -> bool:
        if state.is_over:
            return state.returns[self.seat] >= self.least
        if state.bout > self.last_bout:
            return self.beyond
        key = what_matters(state, self.last_bout)
        if key not in self.known:
            results = (self.holds(state.apply(action)) for action in state.legal_actions)
            self.known[key] = any(results) if state.turn == self.seat else all(results)
        return self.known[key]


def what_matters(state: State, last_bout: int) -> tuple[object, ...]:
    """Return all that decides how a game can go on; the number of the bout only where bouts are counted."""
    who = (state.turn, state.attacker, state.phase, state.passed, state.emptied, state.shown)
    bouts = (state.stall, state.bout) if last_bout < ENDLESS else ()
    return (state.hands, state.table, state.talon, state.limit, *who, *bouts)


def can_have(state: State, seat: int, least: int) -> bool | None:
    """Tell whether a seat can make sure of a result; None where that is open for too many bouts."""
    if not state.rules.transfer:
        return BruteForce(seat, least, ENDLESS, beyond=False).holds(state)
    for ahead in range(MOST_BOUTS):
        if BruteForce(seat, least, state.bout + ahead, beyond=False).holds(state):
            return True
        if not BruteForce(seat, least, state.bout + ahead, beyond=True).holds(state):
            return False
    return None


def is_only_action(state: State, action: Action, value: int) -> bool:
    """Tell whether an action makes sure of a value, 1 or 0, no other one does, and nothing of more."""
    seat = state.turn
    assert seat is not None
    keeping = [one for one in state.legal_actions if can_have(state.apply(one), seat, value) is not False]
    is_sure = can_have(state.apply(action), seat, value) is True
    is_best = value == 1 or can_have(state.apply(action), seat, 1) is False
    return is_sure and is_best and keeping == [action]
