"""What the table's widgets tell the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message import Message

if TYPE_CHECKING:
    from durak_core import Card


class CardChosen(Message):
    """The person wants to play this card of the hand; it need not be playable.

    Attributes:
        card: The card.
    """

    def __init__(self, card: Card) -> None:
        super().__init__()
        self.card = card


class CursorMoved(Message):
    """The hand's cursor, or the mouse over the hand, has come to another card.

    Attributes:
        card: The card, or None when the hand is empty.
    """

    def __init__(self, card: Card | None) -> None:
        super().__init__()
        self.card = card


class TargetChosen(Message):
    """The person has chosen which open attack card to beat.

    Attributes:
        card: The attack card.
    """

    def __init__(self, card: Card) -> None:
        super().__init__()
        self.card = card


class ButtonChosen(Message):
    """A button of the prompt was clicked.

    Attributes:
        name: The button's name, such as ``take``, ``done``, ``transfer``, ``show`` or ``hint``.
    """

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name


class PlyChosen(Message):
    """A line of the move log was clicked, or a value of a curve.

    Attributes:
        ply: How many actions had been played when that line happened; the value's number, from 0.
    """

    def __init__(self, ply: int) -> None:
        super().__init__()
        self.ply = ply
