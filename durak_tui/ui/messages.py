"""Messages from the board's widgets to its screen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message

if TYPE_CHECKING:
    from durak_core import Card


@dataclass
class CardChosen(Message):
    """A card of the hand was chosen; it may be unplayable."""

    card: Card


class CursorMoved(Message):
    """The hand's cursor moved to another card."""


@dataclass
class TargetChosen(Message):
    """The open attack card to beat was chosen."""

    card: Card


@dataclass
class ButtonChosen(Message):
    """A prompt button was clicked; its name is an action, such as ``take``."""

    name: str


@dataclass
class PlyChosen(Message):
    """A ply was chosen in the move log or a plot."""

    ply: int
