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
        is_wanted: Set when the visit has to end because the visitor's newest page needs the slot.
    """

    def __init__(self, visitor: str) -> None:
        self.visitor = visitor
        self.is_wanted = asyncio.Event()


class SlotPool:
    """All slots, in order of use."""

    def __init__(self) -> None:
        self._slots: list[Slot] = []
        self._waiting: dict[str, object] = {}
        self._changed = asyncio.Condition()

    def is_open(self, visitor: str) -> bool:
        """Return whether a visitor would get a slot, possibly one of their own."""
        return self._has_room(visitor) or any(slot.visitor == visitor for slot in self._slots)

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

    async def _enter(self, visitor: str) -> Slot:
        turn = object()
        async with self._changed:
            try:
                while not self._has_room(visitor):
                    mine = [slot for slot in self._slots if slot.visitor == visitor]
                    if not mine:
                        raise NoSlotError
                    mine[0].is_wanted.set()
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
