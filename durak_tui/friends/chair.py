"""A person's seat at a table, and their connection."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Protocol

from durak_tui.friends.messages import FromServer, refusal
from durak_tui.friends.stored import StoredSeat


class Link(Protocol):
    """A person's connection. Neither method waits or fails."""

    def send(self, message: FromServer) -> None:
        """Send a message after all earlier ones."""

    def close(self) -> None:
        """Close the connection when everything has been sent."""


@dataclass(slots=True, eq=False)
class Chair:
    """A seat for a person.

    Attributes:
        name: The person's name; empty for a free seat.
        token: The hash of their token.
        plays: Whether they play in the current game, and not only in the next one.
        link: Their connection, or None.
        away_since: When they went or ran out of time; None while they are there.
        is_late: Whether they ran out of time.
        is_replaced: Whether the stand-in plays for them.
        known: Number of events that the connection has been sent.
    """

    name: str = ""
    token: str = ""
    plays: bool = False
    link: Link | None = None
    away_since: float | None = None
    is_late: bool = False
    is_replaced: bool = False
    known: int = 0

    @property
    def is_away(self) -> bool:
        return self.link is None or self.is_late

    def return_(self) -> bool:
        """Mark the person as there; return whether that is a change."""
        changed = self.is_late or self.is_replaced or self.away_since is not None
        self.is_late = self.is_replaced = False
        self.away_since = None
        return changed

    def connect(self, link: Link) -> None:
        """Take a new connection and close the older one."""
        older, self.link, self.known = self.link, link, 0
        if older is not None and older is not link:
            older.send(refusal("elsewhere"))
            older.close()

    def disconnect(self) -> None:
        self.link = None
        if self.away_since is None:
            self.away_since = time.monotonic()

    def run_out(self, now: float) -> None:
        """Note that the person has run out of time."""
        self.is_late = True
        if self.away_since is None:
            self.away_since = now

    def stored(self) -> StoredSeat:
        return StoredSeat(self.name, self.token, self.plays)

    @classmethod
    def restored(cls, stored: StoredSeat, now: float) -> Chair:
        """Return a stored seat, whose person is away."""
        return cls(stored.name, stored.token, stored.plays, away_since=now if stored.name else None)
