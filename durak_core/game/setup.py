"""Validated construction of positions for `State.setup`."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index

from durak_core.cards import Card, CardSet, as_card
from durak_core.errors import DealError
from durak_core.game.observation import TablePair
from durak_core.kernel.deal import REDEAL_ATTEMPTS, new_position
from durak_core.kernel.position import Position
from durak_core.rules import Rules


def card_list(cards: Sequence[Card | str] | str | Card) -> list[Card]:
    if isinstance(cards, Card):
        return [cards]
    if not isinstance(cards, str):
        return list(map(as_card, cards))
    squeezed = "".join(cards.split())
    return [Card.parse(squeezed[i : i + 2]) for i in range(0, len(squeezed), 2)]


def no_deal_stands(rules: Rules) -> DealError:
    """Return the error for rules under which every tried deal was redealt (rules 3.4)."""
    return DealError(
        "{attempts} deals in a row had {count} cards of a suit in some hand: raise redeal_same_suit",
        rule="3.4",
        attempts=REDEAL_ATTEMPTS,
        count=rules.redeal_same_suit,
    )


def is_whole(value: object, low: int, high: int) -> bool:
    """Return whether a value is a whole number, of Python or NumPy, from low to high."""
    try:
        return low <= index(value) <= high  # type: ignore[arg-type]  # what is no number is refused
    except TypeError:
        return False


def checked_seat(rules: Rules, seat: int) -> int:
    if not is_whole(seat, 0, rules.seats - 1):
        raise DealError(
            "there is no seat {seat}: expected 0 to {last}", rule="2.1", seat=repr(seat), last=rules.seats - 1
        )
    return seat


def lay_out(rules: Rules, hands: list[int], talon: list[Card], trump: list[Card]) -> Position:
    """Build the position at the beginning of a bout, with all other cards discarded.

    ``hands`` are card masks by seat. ``talon`` is in drawing order. ``trump`` is the card that showed
    the trump suit, or empty. Cards that do not fit raise `DealError`.
    """
    used = _checked_cards(rules, hands, talon, trump)
    position = new_position(rules)
    last = talon[-1:] or trump[-1:] or [rules.deck[0]]
    rest = [card for card in rules.deck if card not in talon and card not in last]
    order = rest + (talon or last)
    position.deck[: len(order)] = [card.number for card in order]
    position.drawn = rules.deck_size - len(talon)
    position.discards = rules.deck_mask & ~used.mask
    position.hands[: len(hands)] = hands
    position.trump_mask = last[-1].suit.mask if rules.trumps else 0
    for seat, mask in enumerate(hands):
        if mask:
            position.in_mask |= 1 << seat
        else:
            position.places[position.n_places] = seat
            position.n_places += 1
    return position


def lay_table(position: Position, table: Sequence[TablePair]) -> None:
    for i, pair in enumerate(table):
        position.attacks[i] = pair.attack.number
        position.defences[i] = pair.defence.number if pair.defence else 0
        position.table |= pair.attack.mask | (pair.defence.mask if pair.defence else 0)
        position.n_open += pair.defence is None
    position.n_attacks = len(table)


def _checked_cards(rules: Rules, hands: list[int], talon: list[Card], trump: list[Card]) -> CardSet:
    held = [card for mask in hands for card in CardSet(mask)] + talon
    used = CardSet.of(held)
    if len(hands) != rules.seats:
        raise DealError("{count} hands for {seats} seats", rule="2.1", count=len(hands), seats=rules.seats)
    if len(used) != len(held):
        raise DealError("a card is in two places")
    if used.mask & ~rules.deck_mask:
        raise DealError("not in the deck: {cards}", rule="1.2", cards=CardSet(used.mask & ~rules.deck_mask))
    if talon and 0 in hands:
        raise DealError("an empty hand needs an empty talon", rule="8.1")
    if len({rules.team_of(seat) for seat, mask in enumerate(hands) if mask}) < 2:
        raise DealError("at least two opponents have to hold cards", rule="8.2")
    if talon and trump and trump[-1] != talon[-1]:
        raise DealError("the trump card is the last card of the talon, {card}", rule="3.2", card=talon[-1])
    return used
