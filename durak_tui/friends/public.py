"""What everyone may see of a game: spectators have no seat, and no hand is shown to them."""

from __future__ import annotations

from dataclasses import replace

from durak_core import CardSet, Event, Observation, State
from durak_core.engine.event_sync import write_event
from durak_core.game.events import Drew
from durak_core.game.notation.position_text import write_public
from durak_tui.friends.messages import Look


def public_events(state: State, first: int = 0) -> tuple[Event, ...]:
    """Return the events from an index on, without the cards that were drawn."""
    return tuple([replace(one, cards=None) if isinstance(one, Drew) else one for one in state.events[first:]])


def public_view(state: State) -> Observation:
    """Return an observation without any hand, from seat 0."""
    seen = state.observation(0)
    return replace(
        seen, hand=CardSet(), legal_actions=(), events=public_events(state), hands=None, talon=None
    )


def public_look(game: int, state: State, known: int) -> Look:
    """Return a spectator's look at a state, with the events after the first ``known`` ones."""
    events = tuple(map(write_event, public_events(state, known)))
    return Look(game, state.plies, known, events, write_public(state))
