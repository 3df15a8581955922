"""Conversion of a text's fields to a kernel position."""

from __future__ import annotations

from collections.abc import Iterator

from durak_core.cards import Card, CardSet
from durak_core.game.notation.position_fields import PositionFields
from durak_core.game.observation import Phase
from durak_core.game.setup import lay_table
from durak_core.kernel.deal import new_position
from durak_core.kernel.position import DRAWN_GAME, MAX_ATTACKS, NOBODY, Position

Fault = tuple[str, str]
"""A key, and the error in its value."""


def _named_cards(fields: PositionFields) -> list[tuple[str, Card]]:
    named = [("hands", card) for hand in fields.hands for card in (*hand.cards, *hand.known)]
    for pair in fields.table:
        named.append(("table", pair.attack))
        if pair.defence:
            named.append(("table", pair.defence))
    named.extend(("talon", card) for card in fields.talon.cards)
    if fields.talon.bottom:
        named.append(("talon", fields.talon.bottom))
    named.extend(("gone", card) for card in fields.gone or ())
    return named


def card_faults(fields: PositionFields) -> Iterator[Fault]:
    """Yield the errors of the cards: each must be in exactly one place (rules 1.2, 3.2, 8.1)."""
    rules = fields.rules
    if len(fields.hands) != rules.seats:
        yield "hands", f"{len(fields.hands)} hands for {rules.seats} seats (rules 2.1)"
    seen = 0
    for key, card in _named_cards(fields):
        if not card.mask & rules.deck_mask:
            yield key, f"{card} is not in this deck (rules 1.2)"
        if card.mask & seen:
            yield key, f"{card} lies in two places"
        seen |= card.mask
    yield from _trump_faults(fields)
    unseen = (rules.deck_mask & ~seen).bit_count()
    hidden = fields.talon.hidden + sum(hand.hidden for hand in fields.hands)
    if fields.gone is None and fields.seat is None:
        unseen = 0
    if hidden != unseen:
        missing = CardSet(rules.deck_mask & ~seen)
        yield (
            "gone",
            f"{unseen} cards are not listed, {missing}, and {hidden} are hidden: expected equal numbers",
        )
    if len(fields.table) > MAX_ATTACKS:
        yield "table", f"no bout has more than {MAX_ATTACKS} attack cards"


def _trump_faults(fields: PositionFields) -> Iterator[Fault]:
    trump = fields.trump
    if not fields.rules.trumps:
        if trump or fields.talon.bottom:
            yield "trump" if trump else "talon", "these rules have no trumps (rules 1.4)"
        return
    if trump is None:
        yield "trump", "the card that showed the trump suit is missing (rules 3.2)"
        return
    if not trump.mask & fields.rules.deck_mask:
        yield "trump", "it is not in this deck (rules 1.2)"
    if fields.talon.size:
        if fields.talon.bottom != trump:
            yield "talon", f"has to end with +{trump}: the trump card is its last one (rules 3.2)"
    elif any(trump in hand.cards for hand in fields.hands):
        yield "hands", f"all know who holds the trump card: write +{trump} in that hand (rules 3.2)"
    elif trump not in {card for _, card in _named_cards(fields)} and fields.seat is not None:
        yield "trump", f"{trump} has been drawn: its location is public, so a hand, table or gone lists it"


def lay(fields: PositionFields) -> Position:
    """Build the position of a text with valid cards; hidden cards are arbitrary."""
    rules = fields.rules
    p = new_position(rules)
    named = CardSet.of(card for _, card in _named_cards(fields)).mask
    unseen = list(CardSet(rules.deck_mask & ~named))
    for seat, hand in enumerate(fields.hands):
        filled, unseen = unseen[: hand.hidden], unseen[hand.hidden :]
        p.hands[seat] = hand.cards.mask | hand.known.mask | CardSet.of(filled).mask
    filled, unseen = unseen[: fields.talon.hidden], unseen[fields.talon.hidden :]
    talon = [*filled, *fields.talon.cards, *([fields.talon.bottom] if fields.talon.bottom else [])]
    p.discards = CardSet.of(fields.gone or ()).mask | CardSet.of(unseen).mask
    bottom = [fields.trump] if fields.trump and not talon else []
    drawn = [card for card in rules.deck if card not in talon and card not in bottom]
    p.deck[: rules.deck_size] = [card.number for card in (*drawn, *bottom, *talon)]
    p.drawn = rules.deck_size - len(talon)
    p.trump_mask = fields.trump.suit.mask if fields.trump else 0
    lay_table(p, fields.table)
    p.limit = fields.limit
    _place_seats(p, fields)
    p.bout = fields.bout
    p.stall = fields.stall
    return p


def _place_seats(p: Position, fields: PositionFields) -> None:
    over = fields.phase is Phase.OVER
    p.phase = fields.phase
    p.turn = NOBODY if fields.turn is None else fields.turn
    p.attacker, p.defender = fields.attacker, fields.defender
    p.passed = sum(1 << seat for seat in fields.passed)
    p.shown = sum(1 << seat for seat in fields.shown)
    p.n_places = len(fields.out)
    p.places[: p.n_places] = fields.out
    holders = sum(1 << seat for seat in range(p.seats) if p.hands[seat])
    p.in_mask = holders if over else ((1 << p.seats) - 1) & ~sum(1 << seat for seat in fields.out)
    emptied = fields.emptied
    if fields.seat is not None and not over:
        # Hidden from the observer; any order gives the same observation.
        emptied = tuple(seat for seat in range(p.seats) if p.in_mask & ~holders & 1 << seat)
    p.n_emptied = len(emptied)
    p.emptied[: p.n_emptied] = emptied
    if fields.fool:
        p.fool = fields.rules.team_of(fields.fool[0])
    elif over:
        p.fool = DRAWN_GAME
