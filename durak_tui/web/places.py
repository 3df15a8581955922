"""Slots for visits. A slot is free again when the visit's processes have ended."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

MOST_VISITS: Final = 16
"""Maximum visits. Each has its own processes."""
MOST_OF_ONE: Final = 2
"""Maximum visits per visitor. A further page ends the oldest."""


class NoPlaceError(Exception):
    """All slots are in use by other visitors."""


class Place:
    """A slot.

    Attributes:
        is_wanted: Set when the visit has to end because the visitor's newest page needs the slot.
    """

    def __init__(self, visitor: str) -> None:
        self.visitor = visitor
        self.is_wanted = asyncio.Event()


class Places:
    """All slots, in order of use."""

    def __init__(self) -> None:
        self._places: list[Place] = []
        self._waiting: dict[str, object] = {}
        self._changed = asyncio.Condition()

    def is_open(self, visitor: str) -> bool:
        """Return whether a visitor would get a slot, possibly one of their own."""
        return self._has_room(visitor) or any(place.visitor == visitor for place in self._places)

    @asynccontextmanager
    async def place(self, visitor: str) -> AsyncIterator[Place]:
        """Hold a slot during the block. Raises `NoPlaceError` if none is free or a newer page waits."""
        place = await self._enter(visitor)
        try:
            yield place
        finally:
            self._places.remove(place)
            async with self._changed:
                self._changed.notify_all()

    def _has_room(self, visitor: str) -> bool:
        of_others = sum(other != visitor for other in self._waiting)
        mine = sum(place.visitor == visitor for place in self._places)
        return len(self._places) + of_others < MOST_VISITS and mine < MOST_OF_ONE

    async def _enter(self, visitor: str) -> Place:
        turn = object()
        async with self._changed:
            try:
                while not self._has_room(visitor):
                    mine = [place for place in self._places if place.visitor == visitor]
                    if not mine:
                        raise NoPlaceError
                    mine[0].is_wanted.set()
                    self._waiting[visitor] = turn
                    self._changed.notify_all()  # an older page of this visitor stops waiting
                    await self._changed.wait()
                    if self._waiting.get(visitor) is not turn:
                        raise NoPlaceError
            finally:
                if self._waiting.get(visitor) is turn:
                    del self._waiting[visitor]
            place = Place(visitor)
            self._places.append(place)
        return place
