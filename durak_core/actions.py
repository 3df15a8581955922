"""The seven kinds of action, their notation and their integer codes.

===============  ============  =====================================================
action           text          meaning
===============  ============  =====================================================
`Attack`         ``6c``        open the bout, throw in, or pile on (rules 5.1, 5.6, 6.2)
`Defend`         ``9cx6c``     the 9 beats the 6 (5.5)
`Transfer`       ``>6d``       transfer the attack with a card of its rank (7.1)
`ShowTrump`      ``^6h``       transfer it by showing the trump of its rank (7.4)
`Pass`           ``pass``      throw nothing in, or end a volley (5.4, 5.6)
`Take`           ``take``      take the table (6.2)
`Exchange`       ``exchange``  exchange the lowest trump for the face-up card (5.9)
===============  ============  =====================================================

The kernel and the compiled search use the codes of `durak_core.kernel.legal`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final, TypeAlias

from durak_core.cards import ALL_CARDS, Card, as_card
from durak_core.errors import ActionError
from durak_core.kernel import legal


@dataclass(frozen=True, slots=True, init=False)
class _CardAction:
    """Base of actions with one card, which is given as a `Card` or as text: ``Attack("6s")``."""

    card: Card

    def __init__(self, card: Card | str) -> None:
        object.__setattr__(self, "card", as_card(card))


class Attack(_CardAction):
    """Play an attack card: open the bout, throw in, or pile on."""

    __slots__ = ()

    def __str__(self) -> str:
        return str(self.card)


@dataclass(frozen=True, slots=True, init=False)
class Defend:
    """Beat the open attack card ``target``."""

    card: Card
    target: Card

    def __init__(self, card: Card | str, target: Card | str) -> None:
        object.__setattr__(self, "card", as_card(card))
        object.__setattr__(self, "target", as_card(target))

    def __str__(self) -> str:
        return f"{self.card}x{self.target}"


class Transfer(_CardAction):
    """Transfer the attack by adding a card of its rank."""

    __slots__ = ()

    def __str__(self) -> str:
        return f">{self.card}"


class ShowTrump(_CardAction):
    """Transfer the attack by showing the trump of its rank, which stays in the hand."""

    __slots__ = ()

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


@dataclass(frozen=True, slots=True)
class Exchange:
    """Exchange the lowest trump for the face-up card under the talon, before opening the bout."""

    def __str__(self) -> str:
        return "exchange"


Action: TypeAlias = Attack | Defend | Transfer | ShowTrump | Pass | Take | Exchange

PASS: Final = Pass()
TAKE: Final = Take()
EXCHANGE: Final = Exchange()

_WITHOUT_CARD: Final[dict[int, Action]] = {
    legal.PASS_CODE: PASS,
    legal.TAKE_CODE: TAKE,
    legal.EXCHANGE_CODE: EXCHANGE,
}
_CODES: Final = {action: code for code, action in _WITHOUT_CARD.items()}
_CARD_NUMBERS: Final = frozenset(card.number for card in ALL_CARDS)
_WORDS: Final = {str(action): action for action in _CODES}


def card_of(action: Action) -> Card | None:
    """Return the card that an action plays or shows, or None."""
    return action.card if isinstance(action, Attack | Defend | Transfer | ShowTrump) else None


def encode(action: Action | str) -> int:
    """Return the code of an action or its text; raise `ActionError` if it is neither."""
    match action:
        case Pass() | Take() | Exchange():
            return _CODES[action]
        case Attack(card):
            return legal.pack(legal.KIND_ATTACK, card.number, 0)
        case Defend(card, target):
            return legal.pack(legal.KIND_DEFEND, card.number, target.number)
        case Transfer(card):
            return legal.pack(legal.KIND_TRANSFER, card.number, 0)
        case ShowTrump(card):
            return legal.pack(legal.KIND_SHOW_TRUMP, card.number, 0)
    return encode(parse_action(str(action)))  # what is neither is refused there


@cache
def decode(code: int) -> Action:
    """Return the shared action object of a code; raise `ActionError` for an invalid code."""
    kind, number, target = legal.kind_of(code), legal.card_of(code), legal.target_of(code)
    if code in _WITHOUT_CARD:
        return _WITHOUT_CARD[code]
    if number in _CARD_NUMBERS:
        card = Card.from_number(number)
        if kind == legal.KIND_DEFEND and target in _CARD_NUMBERS:
            return Defend(card, Card.from_number(target))
        if target == 0 and kind == legal.KIND_ATTACK:
            return Attack(card)
        if target == 0 and kind == legal.KIND_TRANSFER:
            return Transfer(card)
        if target == 0 and kind == legal.KIND_SHOW_TRUMP:
            return ShowTrump(card)
    raise ActionError("{code} is not the code of an action", code=code)


def parse_action(text: str) -> Action:
    """Parse an action's text, such as ``6c``, ``>6d`` or ``exchange``; raise `ActionError` otherwise."""
    try:
        match text:
            case _ if text in _WORDS:
                return _WORDS[text]
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
            "{text!r} is not an action: expected 6c, 9cx6c, >6d, ^6h, pass, take or exchange ({why})",
            text=text,
            why=error,
        ) from None
