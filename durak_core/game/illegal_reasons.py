"""The reasons for illegal actions, with their paragraphs of docs/rules.md."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from durak_core.kernel.illegal_reason import Refusal
from durak_core.messages import Message, by_rule


@dataclass(frozen=True, slots=True)
class WhyNot:
    """The reason that an action is illegal, one clause.

    ``paragraph`` is the forbidding paragraph of docs/rules.md, such as ``"5.3"``. ``kind`` is the name of the
    `Refusal` member.
    """

    paragraph: str
    reason: Message
    kind: str

    def __str__(self) -> str:
        return str(self.message)

    @property
    def message(self) -> Message:
        return by_rule(self.paragraph, self.reason)


_REASONS: Final[Mapping[Refusal, tuple[str, Message]]] = {
    Refusal.GAME_OVER: ("8.2", Message("the game is over")),
    Refusal.NOT_IN_HAND: ("5.1", Message("the card is not in the hand of the seat to act")),
    Refusal.MUST_OPEN: ("5.1", Message("the attacker has to open the bout with a card")),
    Refusal.MUST_ANSWER: (
        "5.5",
        Message("an attack card is open: the defender has to beat it, transfer it or take"),
    ),
    Refusal.PASS_FORBIDDEN: ("5.8", Message("nobody may pass while holding a card that could be played")),
    Refusal.NOTHING_TO_TAKE: (
        "5.5",
        Message("only the defender takes, and only while an attack card is open"),
    ),
    Refusal.TAKE_FORBIDDEN: ("5.8", Message("nobody may take while holding a card that could be played")),
    Refusal.LIMIT_REACHED: ("5.2", Message("the bout has as many attack cards as it may have")),
    Refusal.RANK_NOT_ON_TABLE: ("5.3", Message("no card of this rank lies on the table")),
    Refusal.NOTHING_TO_BEAT: ("5.5", Message("no attack card is open")),
    Refusal.NOT_AN_OPEN_ATTACK: ("5.5", Message("that is not an open attack card")),
    Refusal.DOES_NOT_BEAT: (
        "1.4",
        Message("only a higher card of the suit, or a trump on another suit, beats a card"),
    ),
    Refusal.NOT_THE_LOWEST_ATTACK: ("5.10", Message("only the lowest card that fits may be played")),
    Refusal.NOT_THE_LOWEST_DEFENCE: ("5.10", Message("only the lowest card that beats it may be played")),
    Refusal.NO_TRANSFERS: ("7", Message("these rules have no transfers")),
    Refusal.NOTHING_TO_TRANSFER: ("7.1", Message("there is no open attack to transfer")),
    Refusal.ALREADY_BEATEN: ("7.1", Message("an attack card of this bout has been beaten already")),
    Refusal.FIRST_BOUT: ("7.3", Message("the first bout may not be transferred")),
    Refusal.NOT_THE_ATTACKS_RANK: ("7.1", Message("a transfer needs a card of the attack's rank")),
    Refusal.NEXT_SEAT_TOO_SHORT: (
        "7.2",
        Message("the next seat or the limit does not allow so many attack cards"),
    ),
    Refusal.NO_EXCHANGES: ("5.9", Message("these rules have no exchange of the lowest trump")),
    Refusal.BOUT_IS_OPEN: ("5.9.1", Message("only the attacker exchanges, and only before opening the bout")),
    Refusal.NO_FACE_UP_CARD: ("5.9.1", Message("no card lies face up under the talon")),
    Refusal.IS_THE_LOWEST_TRUMP: ("5.9.1", Message("the face-up card is itself the lowest trump")),
    Refusal.NOT_HOLDING_THE_LOWEST_TRUMP: (
        "5.9.1",
        Message("only the lowest trump can be exchanged, and it is not in the hand of the seat to act"),
    ),
    Refusal.NO_SHOWING: ("7.4", Message("these rules have no transfers by showing a trump")),
    Refusal.SHOWN_BEFORE: ("7.4", Message("a seat may transfer by showing only once a game")),
    Refusal.NOT_THE_TRUMP_OF_THE_RANK: ("7.4", Message("only the trump of the attack's rank can be shown")),
}


def explain(reason: Refusal) -> WhyNot | None:
    if reason is Refusal.LEGAL:
        return None
    paragraph, words = _REASONS[reason]
    return WhyNot(paragraph, words, reason.name.lower())


def no_turn(turn: int | None) -> Message:
    return Message("the game is over") if turn is None else Message("it is seat {seat}'s turn", seat=turn)
