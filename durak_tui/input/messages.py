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


@dataclass
class CursorMoved(Message):
    """The hand's cursor, or the mouse over the hand, has come to another card."""

    card: Card | None


@dataclass
class TargetChosen(Message):
    """The person has chosen which open attack card to beat."""

    card: Card


@dataclass
class ButtonChosen(Message):
    """A button of the prompt was clicked.

    Attributes:
        name: The action that it stands for, such as ``take`` or ``show_trump``.
    """

    name: str


@dataclass
class PlyChosen(Message):
    """A line of the move log was clicked, or a value of a curve.

    Attributes:
        ply: How many actions had been played when that line happened; the value's number, from 0.
    """

    ply: int
