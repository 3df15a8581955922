"""A game as the looks of a seat or a spectator tell it.

The hidden cards stay hidden until the server sends the record.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from durak_core import Action, Event, Observation, Record, Rules, State, WhyNot, read_game
from durak_core.engine.event_sync import parse_event
from durak_core.errors import DurakError, NotationError
from durak_core.game.notation.position_text import read_public, read_stand_in
from durak_tui.friends.messages import Look
from durak_tui.friends.public import public_view
from durak_tui.play.snapshot import CardOptions, card_options

_MOST_EVENTS: Final = 100_000


@dataclass(frozen=True, slots=True, eq=False)
class SeenPosition:
    """One seat's view of a position.

    Attributes:
        ply: Number of actions before it.
        seen: What the seat knows, with all events so far.
        options: The uses of the seat's cards, as the rules give them.
    """

    ply: int
    seen: Observation
    options: CardOptions

    def observation(self, seat: int) -> Observation:
        """Return the observation, whichever seat is asked for: there is only one."""
        del seat
        return self.seen


class SeenGame:
    """A game known by the observations of one seat, or by what everyone sees.

    Args:
        rules: The table's rules.
        seat: The observing seat; None for a spectator.
        number: The game's number at its table, from 1.

    Attributes:
        positions: The positions seen, oldest first. After a lost connection some are missing.
    """

    def __init__(self, rules: Rules, seat: int | None, number: int) -> None:
        self.rules = rules
        self.seat = seat
        self.number = number
        self.positions: list[SeenPosition] = []
        self._state: State | None = None

    @property
    def last(self) -> SeenPosition:
        return self.positions[-1]

    def take(self, look: Look) -> bool:
        """Add a look; return whether it shows something new. Late and doubled ones do not.

        Raises:
            NotationError: If the look is not of this game or contradicts the last one.
        """
        before = self.positions[-1] if self.positions else None
        events = () if before is None else before.seen.events
        if before is not None and look.ply < before.ply:
            return False
        if look.first > len(events):
            raise NotationError("the server left out events of the game")
        told = tuple(map(_event, look.events))
        if told[: len(events) - look.first] != events[look.first :][: len(told)]:
            raise NotationError("the server changed events of the game")
        events = (*events[: look.first], *told)
        if len(events) > _MOST_EVENTS:
            raise NotationError("the server sent too many events")
        state = self._read(look.observation)
        seen = replace(self._seen(state), events=events)
        if before is not None and look.ply == before.ply:
            if seen != before.seen:
                raise NotationError("the server changed a position of the game")
            return False
        self._state = state
        options = CardOptions() if self.seat is None else card_options(state.why_not, seen)
        self.positions.append(SeenPosition(look.ply, seen, options))
        return True

    def _read(self, text: str) -> State:
        """Read an observation into a state with arbitrary hidden cards."""
        state, seat = (read_public(text), None) if self.seat is None else read_stand_in(text)
        if seat != self.seat or state.rules != self.rules:
            raise NotationError("the server sent the view of another game")
        return state

    def _seen(self, state: State) -> Observation:
        return public_view(state) if self.seat is None else state.observation(self.seat)

    def why_not(self, action: Action) -> WhyNot | None:
        """Return why the rules forbid an action now; None if they allow it."""
        if self._state is None:
            raise ValueError("there is no position yet")
        return self._state.why_not(action)

    def check_record(self, text: str) -> Record:
        """Read the record of the finished game, and compare it with everything seen.

        Raises:
            NotationError: If it does not parse, is of other rules, is not finished, or contradicts a look.
            DealError: If its deal is impossible.
        """
        record = read_game(text)
        states = record.replay()
        if record.rules != self.rules or not states[-1].is_over:
            raise NotationError("the server sent the record of another game")
        for position in self.positions:
            if position.ply >= len(states) or self._seen(states[position.ply]) != position.seen:
                raise NotationError("the record contradicts what you saw after move {ply}", ply=position.ply)
        return record


def _event(word: str) -> Event:
    try:
        return parse_event(word)
    except DurakError as error:
        raise NotationError(error.message) from None
