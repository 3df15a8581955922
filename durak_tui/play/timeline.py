"""The positions of a game, and which one is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from durak_core import State
from durak_core.messages import Message


def bout_start(states: Sequence[State], ply: int, direction: int) -> int:
    """Return the start of the next bout (1), or of this one, or of the previous one if at its start (-1)."""
    starts = [at for at, state in enumerate(states) if at == 0 or state.bout != states[at - 1].bout]
    if direction > 0:
        return min((at for at in starts if at > ply), default=len(states) - 1)
    return max((at for at in starts if at < ply), default=0)


class Timeline:
    """All positions of a game, the deal first.

    Attributes:
        ply: The index of the shown position.
        reasons: Reasons of bots' moves by resulting ply.
    """

    def __init__(self, states: Iterable[State]) -> None:
        self.states = list(states)
        self.ply = len(self.states) - 1
        self.reasons: dict[int, Message | str] = {}

    @property
    def last(self) -> int:
        return len(self.states) - 1

    @property
    def shown(self) -> State:
        return self.states[self.ply]

    @property
    def is_live(self) -> bool:
        return self.ply == self.last

    @property
    def reason(self) -> tuple[int, Message | str] | None:
        """The seat and reason of the last shown move, or None without a reason."""
        reason = self.reasons.get(self.ply, "")
        actor = self.states[self.ply - 1].turn if reason else None
        return None if actor is None else (actor, reason)

    def add(self, state: State, reason: Message | str) -> None:
        """Append a position, and show it if the previous one was shown."""
        was_live = self.is_live
        self.states.append(state)
        self.reasons[self.last] = reason
        if was_live:
            self.ply = self.last

    def cut(self, ply: int) -> None:
        del self.states[ply + 1 :]
        self.reasons = {at: reason for at, reason in self.reasons.items() if at <= ply}
        self.ply = ply

    def show(self, ply: int) -> None:
        self.ply = min(max(ply, 0), self.last)

    def last_decision(self, seat: int, is_choice: Callable[[State], bool]) -> int | None:
        """Return the last position in which a seat acted and had a choice."""
        plies = range(self.last - 1, -1, -1)
        acted = (ply for ply in plies if self.states[ply].turn == seat and is_choice(self.states[ply]))
        return next(acted, None)
