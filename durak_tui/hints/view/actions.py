"""Words for actions, and for the reasons that compare them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from durak_core import (
    EXCHANGE,
    PASS,
    TAKE,
    Action,
    Attack,
    Card,
    CardSet,
    Defend,
    Exchange,
    Observation,
    Pass,
    Phase,
    ShowTrump,
    Take,
    Transfer,
)
from durak_core.messages import Message
from durak_core.review.comparison import Seat
from durak_tui.text.core_messages import core_words
from durak_tui.text.i18n import gettext, mark, pgettext, translate
from durak_tui.text.phrases import Inflected, Voice

_WORDS: Final[Mapping[Action, str]] = {
    PASS: mark("pass"),
    TAKE: mark("take"),
    EXCHANGE: mark("exchange"),
}


def action_words(  # noqa: PLR0911 - one for each type of action
    action: Action, observation: Observation, voice: Voice
) -> str:
    """Describe an advised action: ``beat 6♣ with 8♣``."""
    match action:
        case Attack(card=card) if observation.phase in (Phase.OPENING, Phase.VOLLEY):
            return gettext("attack with {card}", card=voice.card(card))
        case Attack(card=card):
            return gettext("throw in {card}", card=voice.card(card))
        case Defend(card=card, target=target):
            return gettext("beat {target} with {card}", card=voice.card(card), target=voice.card(target))
        case Transfer(card=card):
            return gettext("transfer with {card}", card=voice.card(card))
        case Pass() if observation.phase == Phase.VOLLEY:
            return gettext("end the attack")
        case Pass() if observation.phase == Phase.THROW_IN:
            return pgettext("throw in", "pass")
        case Exchange():
            return gettext("exchange {given} for {taken}", **voice.exchanged(observation))
        case _:
            return short_action(action, voice)


def short_action(action: Action, voice: Voice) -> str:
    """Describe an action briefly: a card, a card and the one it beats, or a word."""
    match action:
        case Attack(card=card):
            return voice.card(card)
        case Defend(card=card, target=target):
            return voice.pair(card, target)
        case Transfer(card=card):
            return gettext("transfer {card}", card=voice.card(card))
        case ShowTrump(card=card):
            return gettext("show {card}", card=voice.card(card))
        case Pass() | Take() | Exchange():
            return translate(_WORDS[action])


def doing(action: Action, voice: Voice) -> str:
    """Name an action inside a sentence: "gains less than passing"."""
    match action:
        case Transfer(card=card):
            return pgettext("doing", "transferring {card}", card=voice.card(card))
        case ShowTrump(card=card):
            return pgettext("doing", "showing {card}", card=voice.card(card))
        case Pass():
            return pgettext("doing", "passing")
        case Take():
            return pgettext("doing", "taking")
        case Exchange():
            return pgettext("doing", "exchanging")
        case _:
            return short_action(action, voice)


_DONE: Final[Mapping[type[Action], tuple[str, str]]] = {
    Attack: (mark("you played {card}"), mark("{name} played {card}")),
    Defend: (mark("you beat {target} with {card}"), mark("{name} beat {target} with {card}")),
    Transfer: (mark("you transferred {card}"), mark("{name} transferred {card}")),
    ShowTrump: (mark("you showed {card}"), mark("{name} showed {card}")),
    Pass: (mark("you passed"), mark("{name} passed")),
    Take: (mark("you took"), mark("{name} took")),
    Exchange: (mark("you exchanged a trump"), mark("{name} exchanged a trump")),
}


def done(action: Action, seat: int, voice: Voice) -> str:
    """Describe a played action: "Olga passed"."""
    cards = {name: voice.card(getattr(action, name)) for name in ("card", "target") if hasattr(action, name)}
    return voice.form(seat, *_DONE[type(action)], **cards)


def reason_words(reason: Message, voice: Voice) -> str:
    def word(value: object) -> object:
        match value:
            case Card():
                return voice.card(value)
            case CardSet():
                return voice.cards(value)
            case Seat(number):
                return voice.to_whom(number)
            case Attack() | Defend() | Transfer() | ShowTrump() | Pass() | Take() | Exchange():
                words = doing(value, voice)
                return words if isinstance(words, Inflected) else Inflected(words)
            case _:
                return value

    return core_words(reason, word)
