"""The spectators of a table. They see the game one bout late and without any hand."""

from __future__ import annotations

from typing import Final

from durak_core import State
from durak_tui.friends.chair import Link
from durak_tui.friends.messages import FromServer, No
from durak_tui.friends.public import public_look

MOST_SPECTATORS: Final = 20
"""Maximum spectators of a table."""


class Gallery:
    """The spectators, and what they have seen of the running game.

    The positions of a bout are sent when the next bout has begun, or the game is over.
    """

    def __init__(self) -> None:
        self._links: dict[Link, int] = {}
        """For each spectator the number of events that it has been sent."""
        self._game = 0
        self._shown: State | None = None
        self._waiting: list[State] = []

    def __len__(self) -> int:
        return len(self._links)

    @property
    def is_full(self) -> bool:
        return len(self._links) >= MOST_SPECTATORS

    def enter(self, link: Link) -> None:
        self._links[link] = 0

    def catch_up(self, link: Link) -> None:
        """Show a new spectator the last position that others have seen."""
        if self._shown is not None:
            self._show(link, self._shown)

    def leave(self, link: Link) -> None:
        self._links.pop(link, None)

    def send(self, message: FromServer) -> None:
        for link in self._links:
            link.send(message)

    def close(self, last: No) -> None:
        """Send a last message and close all connections."""
        links, self._links = self._links, {}
        for link in links:
            link.send(last)
            link.close()

    def begin(self, game: int, state: State) -> None:
        """Follow another game, from a position on."""
        self._game, self._shown, self._waiting = game, None, [state]
        self._links = dict.fromkeys(self._links, 0)

    def follow(self, state: State) -> None:
        """Take the next position, and send the positions of earlier bouts."""
        self._waiting.append(state)
        is_due = [state.is_over or one.bout < state.bout for one in self._waiting]
        due = self._waiting[: sum(is_due)]
        del self._waiting[: len(due)]
        for one in due:
            self._shown = one
            for link in self._links:
                self._show(link, one)

    def _show(self, link: Link, state: State) -> None:
        look = public_look(self._game, state, self._links[link])
        self._links[link] += len(look.events)
        link.send(look)
