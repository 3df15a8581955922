"""What a player means with a card or a word: the action to play, what to choose first, or why it is refused.

The screens and the program in lines read the player's input, ask here, and show the outcome.
"""

from __future__ import annotations

from collections.abc import Sequence

from durak_core import EXCHANGE, Action, Card, Defend, Observation, ShowTrump, Transfer, WhyNot
from durak_tui.play.game import CardOptions, Moment
from durak_tui.text.i18n import gettext, ngettext


def current_target(observation: Observation, selected: Card | None = None) -> Card | None:
    """Return the open attack to beat next: the selected one if it is open, otherwise the oldest."""
    open_attacks = observation.open_attacks
    if selected in open_attacks:
        return selected
    return open_attacks[0] if open_attacks else None


def next_target(observation: Observation, selected: Card | None = None, step: int = 1) -> Card | None:
    """Return the open attack some steps after the current one, cyclically; None if none is open."""
    open_attacks = observation.open_attacks
    current = current_target(observation, selected)
    return open_attacks[(open_attacks.index(current) + step) % len(open_attacks)] if current else None


def play(options: CardOptions, card: Card, target: Card | None = None) -> Action | WhyNot | None:
    """Return the action of playing a card, or why there is none; None on another player's turn.

    The card beats the target if it can, otherwise another attack, and otherwise it transfers.
    """
    choice = options.of(card)
    if target is not None and Defend(card, target) in choice.actions:
        return Defend(card, target)
    return choice.actions[0] if choice.actions else choice.why


def transfer(options: CardOptions, card: Card | None = None) -> Action | Sequence[Transfer]:
    """Return the transfer with a card, or with the only one that can; otherwise those to choose from."""
    able = options.transfers
    if card is not None and (not able or Transfer(card) in able):
        return Transfer(card)
    return able[0] if len(able) == 1 else able


def transfer_or_exchange(options: CardOptions, card: Card | None = None) -> Action | Sequence[Transfer]:
    """Return what one key for both does: an exchange is possible only before an attack to transfer."""
    return EXCHANGE if options.can_exchange else transfer(options, card)


def show_trump(options: CardOptions, card: Card) -> ShowTrump:
    """Return the legal transfer by showing, or the one with this card, which is refused with a reason."""
    return options.show_trump or ShowTrump(card)


def take_question(moment: Moment) -> str:
    """Return the question before cards are taken that could be answered; empty if there is none."""
    observation, options = moment.observation, moment.options
    if not (options.can_take and options.could_beat(observation.open_attacks)):
        return ""
    return ngettext(
        "You could still answer. Take this card?",
        "You could still answer. Take these {count} cards?",
        len(observation.table_cards),
    )


def out_of_turn_words(observation: Observation) -> str:
    """Return why a player who is not to act may not act now."""
    if observation.table and observation.defender in observation.rules.partners(observation.seat):
        words = gettext("You may not throw in against your partner")
        return gettext("{words} (rules {paragraph}).", words=words, paragraph="2.2.2")
    return gettext("It is not your turn.")
