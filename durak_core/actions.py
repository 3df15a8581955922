"""The six kinds of action, their texts and their codes.

===============  ==========  =====================================================
action           text        meaning
===============  ==========  =====================================================
`Attack`         ``6c``      open the bout, throw in, or pile on (rules 5.1, 5.6, 6.2)
`Defend`         ``9cx6c``   the 9 beats the 6 (5.5)
`Transfer`       ``>6d``     transfer the attack with a card of its rank (7.1)
`ShowTrump`      ``^6h``     transfer it by showing the trump of its rank (7.4)
`Pass`           ``pass``    throw nothing in, or end a volley (5.4, 5.6)
`Take`           ``take``    take the table (6.2)
===============  ==========  =====================================================

A code packs an action into one small integer, ``card | kind << 6 | target << 9``, at most 15 bits.
The kernel and the compiled search speak codes; everything else speaks actions.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final, TypeAlias

from durak_core.cards import ALL_CARDS, Card
from durak_core.errors import ActionError

# Kinds of code. The kernel compares against these numbers.
KIND_PASS: Final = 0
KIND_TAKE: Final = 1
KIND_ATTACK: Final = 2
KIND_DEFEND: Final = 3
KIND_TRANSFER: Final = 4
KIND_SHOW_TRUMP: Final = 5


@dataclass(frozen=True, slots=True)
class Attack:
    """Play a card at the defender: the opening card, a throw-in, or one piled on after a take."""

    card: Card

    def __str__(self) -> str:
        return str(self.card)


@dataclass(frozen=True, slots=True)
class Defend:
    """Beat an open attack card.

    Args:
        card: The card played from hand.
        target: The attack card it beats.
    """

    card: Card
    target: Card

    def __str__(self) -> str:
        return f"{self.card}x{self.target}"


@dataclass(frozen=True, slots=True)
class Transfer:
    """Transfer the attack by adding a card of its rank."""

    card: Card

    def __str__(self) -> str:
        return f">{self.card}"


@dataclass(frozen=True, slots=True)
class ShowTrump:
    """Transfer the attack by showing the trump of its rank, which stays in hand."""

    card: Card

    def __str__(self) -> str:
        return f"^{self.card}"


@dataclass(frozen=True, slots=True)
class Pass:
    """Throw nothing in, or end a volley."""

    def __str__(self) -> str:
        return "pass"


@dataclass(frozen=True, slots=True)
class Take:
    """Take the table."""

    def __str__(self) -> str:
        return "take"


Action: TypeAlias = Attack | Defend | Transfer | ShowTrump | Pass | Take

PASS: Final = Pass()
TAKE: Final = Take()


def encode(action: Action) -> int:
    """Pack an action into its code."""
    match action:
        case Pass():
            return KIND_PASS << 6
        case Take():
            return KIND_TAKE << 6
        case Attack(card):
            return card.number | KIND_ATTACK << 6
        case Defend(card, target):
            return card.number | KIND_DEFEND << 6 | target.number << 9
        case Transfer(card):
            return card.number | KIND_TRANSFER << 6
        case ShowTrump(card):
            return card.number | KIND_SHOW_TRUMP << 6


@cache
def decode(code: int) -> Action:
    """Return the action with this code; equal codes give the same object.

    Raises:
        ActionError: If the code is no action's.
    """
    kind, number, target = code >> 6 & 7, code & 63, code >> 9
    valid = {card.number for card in ALL_CARDS}
    if code == KIND_PASS << 6:
        return PASS
    if code == KIND_TAKE << 6:
        return TAKE
    if number in valid:
        card = Card.from_number(number)
        if kind == KIND_DEFEND and target in valid:
            return Defend(card, Card.from_number(target))
        if target == 0 and kind == KIND_ATTACK:
            return Attack(card)
        if target == 0 and kind == KIND_TRANSFER:
            return Transfer(card)
        if target == 0 and kind == KIND_SHOW_TRUMP:
            return ShowTrump(card)
    raise ActionError(f"{code} is not the code of an action")


def parse_action(text: str) -> Action:
    """Read an action's text: ``6c``, ``9cx6c``, ``>6d``, ``^6h``, ``pass`` or ``take``.

    Raises:
        ActionError: If it is none of these.
    """
    try:
        match text:
            case "pass":
                return PASS
            case "take":
                return TAKE
            case _ if text.startswith(">"):
                return Transfer(Card.parse(text[1:]))
            case _ if text.startswith("^"):
                return ShowTrump(Card.parse(text[1:]))
            case _ if "x" in text:
                card, _, target = text.partition("x")
                return Defend(Card.parse(card), Card.parse(target))
            case _:
                return Attack(Card.parse(text))
    except ValueError as error:
        raise ActionError(
            f"{text!r} is not an action: expected 6c, 9cx6c, >6d, ^6h, pass or take ({error})"
        ) from None
