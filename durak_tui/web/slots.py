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


class NoSlotError(Exception):
    """All slots are in use by other visitors."""


class Slot:
    """A slot.

    Attributes:
        is_wanted: Set when the visit has to end because another page needs the slot.
        is_idle: Whether no page shows the visit, so that another visitor may have the slot.
    """

    def __init__(self, visitor: str) -> None:
        self.visitor = visitor
        self.is_idle = False
        self.is_wanted = asyncio.Event()


class SlotPool:
    """All slots, in order of use."""

    def __init__(self) -> None:
        self._slots: list[Slot] = []
        self._waiting: dict[str, object] = {}
        self._changed = asyncio.Condition()

    def is_open(self, visitor: str) -> bool:
        """Return whether a visitor would get a slot, possibly an idle one or one of their own."""
        return self._has_room(visitor) or self._to_leave(visitor) is not None

    @asynccontextmanager
    async def hold_slot(self, visitor: str) -> AsyncIterator[Slot]:
        """Hold a slot during the block. Raises `NoSlotError` if none is free or a newer page waits."""
        slot = await self._enter(visitor)
        try:
            yield slot
        finally:
            self._slots.remove(slot)
            async with self._changed:
                self._changed.notify_all()

    def _has_room(self, visitor: str) -> bool:
        of_others = sum(other != visitor for other in self._waiting)
        mine = sum(slot.visitor == visitor for slot in self._slots)
        return len(self._slots) + of_others < MOST_VISITS and mine < MOST_OF_ONE

    def _to_leave(self, visitor: str) -> Slot | None:
        """Return the slot that has to be left for a visitor: an idle one, or the visitor's oldest."""
        mine = [slot for slot in self._slots if slot.visitor == visitor]
        others = mine if len(mine) >= MOST_OF_ONE else self._slots
        idle = [slot for slot in others if slot.is_idle and not slot.is_wanted.is_set()]
        return next(iter((*idle, *mine)), None)

    async def _enter(self, visitor: str) -> Slot:
        turn, leaving = object(), None
        async with self._changed:
            try:
                while not self._has_room(visitor):
                    if leaving not in self._slots:
                        leaving = self._to_leave(visitor)
                    if leaving is None:
                        raise NoSlotError
                    leaving.is_wanted.set()
                    self._waiting[visitor] = turn
                    self._changed.notify_all()  # an older page of this visitor stops waiting
                    await self._changed.wait()
                    if self._waiting.get(visitor) is not turn:
                        raise NoSlotError
            finally:
                if self._waiting.get(visitor) is turn:
                    del self._waiting[visitor]
            slot = Slot(visitor)
            self._slots.append(slot)
        return slot
