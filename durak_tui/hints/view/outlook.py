"""What may follow a hint's action, as far as its player can know.

A continuation shows one sampled deal, and it omits forced moves. Cards of other players are therefore named
only if they have been seen. Otherwise the text has only the kind of answer.
"""

from __future__ import annotations

from collections.abc import Sequence

from durak_core import (
    Action,
    Attack,
    Card,
    Defend,
    Exchange,
    Observation,
    Pass,
    Phase,
    ShowTrump,
    Take,
    Transfer,
)
from durak_core.review.comparison import throwers
from durak_tui.hints.view.actions import action_words
from durak_tui.text.i18n import gettext
from durak_tui.text.phrases import Voice


def outlook(
    observation: Observation, action: Action, ahead: Sequence[Action], voice: Voice
) -> tuple[str, ...]:
    """Return the likely answer to an action and the reply, then shorter forms; empty if none is known."""
    match action:
        case Attack(card) if observation.phase != Phase.PILE_ON:
            return _after_attack(observation, card, ahead, voice)
        case Defend():
            return _after_defence(observation, action, ahead, voice)
        case Exchange():
            return _after_exchange(observation, ahead, voice)
        case _:
            return ()


def _after_attack(
    observation: Observation, card: Card, ahead: Sequence[Action], voice: Voice
) -> tuple[str, ...]:
    answer, *later = ahead or [Pass()]
    name = voice.who(observation.defender)
    match answer:
        case Defend(beating, target):
            words = _beaten(observation, beating, target, voice)
        case Take():
            words = gettext("{name} takes", name=name)
        case Transfer() | ShowTrump():
            return (_likely(gettext("{name} transfers", name=name)),)
        case _:
            return ()
    on_table = {other.rank for other in (*observation.table_cards, card)}
    match later:
        case [Attack(further), *_] if _is_own(observation, further, card) and further.rank in on_table:
            then = gettext("throw in {card}", card=voice.card(further))
            return _if(words, then), _likely(words)
        case _:
            return (_likely(words),)


def _beaten(observation: Observation, beating: Card, target: Card, voice: Voice) -> str:
    name, trump = voice.who(observation.defender), observation.trump_suit
    if beating in observation.known[observation.defender]:
        return gettext("{name} beats it with {card}", name=name, card=voice.card(beating))
    if beating.suit == trump != target.suit:
        return gettext("{name} beats it with a trump", name=name)
    return gettext("{name} beats it", name=name)


def _after_defence(
    observation: Observation, action: Defend, ahead: Sequence[Action], voice: Voice
) -> tuple[str, ...]:
    match [one for one in ahead if not isinstance(one, Pass)]:
        case [Defend(card, target) as further, *_] if _is_own(observation, card, action.card):
            if target in observation.open_attacks:
                return (_then(action_words(further, observation, voice)),)
        case [Attack(card), *_] if _is_own(observation, card, action.card):
            then = gettext("attack with {card}", card=voice.card(card))
            return gettext("if no more comes: {action}", action=then), _then(then)
        case [Attack(card), *later]:
            words = _thrown_in(observation, card, voice)
            if later[:1] == [Take()]:
                return _if(words, gettext("take")), _likely(words)
            return (_likely(words),)
    return ()


def _after_exchange(observation: Observation, ahead: Sequence[Action], voice: Voice) -> tuple[str, ...]:
    """The face-up card is then in the hand."""
    match ahead:
        case [Attack(card), *later] if card in observation.hand or card == observation.trump_card:
            then = gettext("attack with {card}", card=voice.card(card))
            answers = _after_attack(observation, card, later, voice)
            return *(f"{_then(then)}; {words}" for words in answers), _then(then)
    return ()


def _thrown_in(observation: Observation, card: Card, voice: Voice) -> str:
    seats = throwers(observation)
    holders = [seat for seat in seats if card in observation.known[seat]]
    if holders:
        return gettext("{name} throws in {card}", name=voice.who(holders[0]), card=voice.card(card))
    if len(seats) == 1:
        return gettext("{name} throws in more", name=voice.who(seats[0]))
    return gettext("more is thrown in")


def _is_own(observation: Observation, card: Card, played: Card) -> bool:
    return card in observation.hand and card != played


def _likely(answer: str) -> str:
    return gettext("likely: {answer}", answer=answer)


def _if(answer: str, action: str) -> str:
    return gettext("if {answer}: {action}", answer=answer, action=action)


def _then(action: str) -> str:
    return gettext("then {action}", action=action)
