"""The positions of a game, and which one is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from durak_core import PASS, State
from durak_core.messages import Message
from durak_tui.play.snapshot import forced_action


def bout_start(states: Sequence[State], ply: int, direction: int) -> int:
    """Return the start of the next bout (1), or of this one, or of the previous one if at its start (-1)."""
    starts = [at for at, state in enumerate(states) if at == 0 or state.bout != states[at - 1].bout]
    if direction > 0:
        return min((at for at in starts if at > ply), default=len(states) - 1)
    return max((at for at in starts if at < ply), default=0)


def _ends_bout(before: State, after: State) -> bool:
    return after.is_over or after.bout != before.bout


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
        self._forced: list[int] = []
        self._searched = 0

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
        self._forced, self._searched = [], 0
        self.reasons = {at: reason for at, reason in self.reasons.items() if at <= ply}
        self.ply = ply

    @property
    def forced_passes(self) -> Sequence[int]:
        """The plies after a pass that was the player's only action."""
        for ply in range(self._searched, self.last):
            if forced_action(self.states[ply]) == PASS:
                self._forced.append(ply + 1)
        self._searched = self.last
        return self._forced

    def is_moment(self, ply: int) -> bool:
        """Return whether there is something new to see: no forced pass in the middle of a bout."""
        if ply not in self.forced_passes:
            return True
        return ply == 0 or _ends_bout(self.states[ply - 1], self.states[ply])

    @property
    def passes_unseen(self) -> bool:
        """Whether the next action is a forced pass in the middle of a bout."""
        state = self.states[-1]
        return forced_action(state) == PASS and not _ends_bout(state, state.apply(PASS))

    def moment_from(self, ply: int, direction: int) -> int:
        """Return the next moment with something new to see, forward (1) or back (-1)."""
        ply += direction
        while 0 < ply < self.last and not self.is_moment(ply):
            ply += direction
        return ply

    def show(self, ply: int) -> None:
        self.ply = min(max(ply, 0), self.last)

    def last_decision(self, seat: int, is_choice: Callable[[State], bool]) -> int | None:
        """Return the last position in which a seat acted and had a choice."""
        plies = range(self.last - 1, -1, -1)
        acted = (ply for ply in plies if self.states[ply].turn == seat and is_choice(self.states[ply]))
        return next(acted, None)
