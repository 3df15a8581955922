"""Reasons against an attack or a pass, in the order of `reasons.py`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from durak_core.actions import Action, Attack, Defend, Exchange, Pass, ShowTrump, Take, Transfer
from durak_core.cards import Card, CardSet
from durak_core.game.observation import Phase
from durak_core.messages import Message
from durak_core.review.comparison import Comparison, Kinds
from durak_core.review.defending import is_transferred_on

_MUCH_EASIER: Final = 3
"""Least difference in the number of cards that beat one card rather than another."""

_A_PAIR: Final = 2
"""Attack cards that must still fit into the bout for a second card to follow."""


def leaves_out_what_cannot_be_beaten(it: Comparison) -> Message | None:
    """The defender cannot hold a card that beats the better card."""
    card, better = it.card, it.better_card
    if better is None or it.is_piling_on or not isinstance(it.better, Attack):
        return None
    if it.beaten_by(it.possible, better):
        return None
    if card is not None and not it.beaten_by(it.possible, card):
        return None
    return Message("leaves out {better}: {name} cannot beat it", better=better, name=it.defender)


def runs_into_known_cards(it: Comparison) -> Message | None:
    """The defender has publicly shown a card that beats it."""
    card, better = it.card, it.better_card
    shown = it.shown(it.observation.defender)
    cards = it.beaten_by(shown, card) if card else CardSet()
    if not cards or it.is_piling_on or (better and it.beaten_by(shown, better)):
        return None
    return Message("runs into {cards}, seen with {name}", cards=cards, name=it.defender)


def attacks_with_a_trump(it: Comparison) -> Message | None:
    card, better = it.card, it.better_card
    if card is None or not it.is_trump(card) or not it.talon or (better and it.is_trump(better)):
        return None
    if it.observation.table:
        return Message(
            "throws in the trump {card} with {count} still in the talon", card=card, count=it.talon
        )
    return Message("attacks with the trump {card} with {count} still in the talon", card=card, count=it.talon)


def opens_with_a_single_card(it: Comparison) -> Message | None:
    """The hand holds more cards of the better card's rank to throw in."""
    card, better = it.card, it.better_card
    if card is None or better is None or it.observation.phase != Phase.OPENING or it.room < _A_PAIR:
        return None
    others = CardSet.of(other for other in it.alike(better, it.observation.hand) if not it.is_trump(other))
    if not others or it.alike(card, it.observation.hand):
        return None
    return Message("cannot be followed up; {better} can, with {cards}", better=better, cards=others)


def is_easier_to_beat(it: Comparison) -> Message | None:
    card, better = it.card, it.better_card
    if card is None or better is None or it.is_piling_on:
        return None
    many, few = len(it.beaten_by(it.possible, card)), len(it.beaten_by(it.possible, better))
    if many < few + _MUCH_EASIER:
        return None
    return Message(
        "is easy to beat: {count} of the cards still out beat it, and only {fewer} beat {better}",
        count=many,
        fewer=few,
        better=better,
    )


def attacks_too_high(it: Comparison) -> Message | None:
    card, better = it.card, it.better_card
    if card is None or better is None or it.is_trump(better):
        return None
    if it.is_trump(card):
        return Message("gives up the trump {card}; {better} can be spared sooner", card=card, better=better)
    if card.rank > better.rank:
        return Message("gives up {card}; the lower {better} can be spared sooner", card=card, better=better)
    return None


def makes_a_present(it: Comparison) -> Message | None:
    card = it.card
    if card and it.is_piling_on and not it.is_spare(card):
        return Message("makes {name} a present of {card}", name=it.defender, card=card)
    return None


def throws_in_a_good_card(it: Comparison) -> Message | None:
    card = it.card
    if card and not it.is_spare(card):
        return Message("throws in {card}, which is worth keeping", card=card)
    return None


def is_beaten_for_nothing(it: Comparison) -> Message | None:
    match it.after_played:
        case [Defend(beating, target), *_] if target == it.card:
            return Message("is likely beaten by {reply}; passing keeps {card}", reply=beating, card=target)
        case _:
            return None


def keeps_what_could_be_given(it: Comparison) -> Message | None:
    if it.is_piling_on and it.better_card:
        return Message(
            "keeps {better}, which could be given to {name} for good", better=it.better_card, name=it.defender
        )
    return None


def lets_off_who_would_take(it: Comparison) -> Message | None:
    """The search expects a take after the better move."""
    is_likely = it.is_taken_after(it.better, it.after_better)
    if it.better_card and is_likely and not it.is_taken_after(it.played, it.after_played):
        return Message(
            "lets {name} off: after {better} taking is likely", name=it.defender, better=it.better_card
        )
    return None


def stops_too_early(it: Comparison) -> Message | None:
    if it.better_card:
        return Message("stops too early: {better} can still be thrown in", better=it.better_card)
    return None


def expects_worse(it: Comparison) -> Message | None:
    """The search expects different answers."""
    card, better = it.card, it.better_card
    reply, other = _answer_to(card, it.after_played), _answer_to(better, it.after_better)
    if reply is None or other is None or reply == other:
        return None
    return Message(
        "expect {reply} in reply; after {better}, {other}",
        reply=reply,
        better=it.better,
        other=other,
    )


def _answer_to(card: Card | None, ahead: Sequence[Action]) -> Action | None:
    """Return the defender's expected answer; None if it is forced or unknown."""
    match ahead:
        case [Take() | Transfer() | ShowTrump() as answer, *_]:
            return answer
        case [Defend(_, target) as answer, *_] if target == card:
            return answer
        case _:
            return None


def leaves_the_higher_trump(it: Comparison) -> Message | None:
    """The better move exchanges the lowest trump for the face-up card (rules 5.9)."""
    given, taken = it.observation.lowest_trump, it.observation.trump_card
    if not isinstance(it.better, Exchange):
        return None
    return Message(
        "leaves {card} under the talon; {lowest} can be exchanged for it", card=taken, lowest=given
    )


ATTACKS: Final[Kinds] = {
    (Attack, Exchange): (leaves_the_higher_trump,),
    (Attack, Attack): (
        makes_a_present,
        attacks_with_a_trump,
        is_transferred_on,
        runs_into_known_cards,
        lets_off_who_would_take,
        opens_with_a_single_card,
        is_easier_to_beat,
        attacks_too_high,
        expects_worse,
    ),
    (Attack, Pass): (
        makes_a_present,
        attacks_with_a_trump,
        runs_into_known_cards,
        throws_in_a_good_card,
        is_beaten_for_nothing,
    ),
    (Pass, Attack): (
        keeps_what_could_be_given,
        lets_off_who_would_take,
        stops_too_early,
    ),
}
