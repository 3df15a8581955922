"""What the table's widgets tell the screen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message

if TYPE_CHECKING:
    from durak_core import Card


@dataclass
class CardChosen(Message):
    """The person wants to play this card of the hand; it need not be playable."""

    card: Card


class CursorMoved(Message):
    """The hand's cursor, or the mouse over the hand, has come to another card."""


@dataclass
class TargetChosen(Message):
    """The person has chosen which open attack card to beat."""

    card: Card


@dataclass
class ButtonChosen(Message):
    """A button of the prompt was clicked; its name is that of an action, such as ``take``."""

    name: str


@dataclass
class PlyChosen(Message):
    """A line of the move log was clicked, or a curve after so many actions."""

    ply: int
