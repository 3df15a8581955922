"""Finds the cards that move between two consecutive views of the table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from durak_core import Card
from durak_tui.ui.view.board_data import TableView

MOST_FLIGHTS: Final = 12

Zone: TypeAlias = Literal["hand", "seat", "attack", "defence", "discards"]


@dataclass(frozen=True, slots=True)
class Spot:
    """A place on the board; ``number`` is a seat, or a pair on the table."""

    zone: Zone
    number: int = 0


@dataclass(frozen=True, slots=True)
class Flight:
    """A card's movement."""

    card: Card
    start: Spot
    end: Spot


def flights_between(before: TableView | None, after: TableView) -> tuple[Flight, ...]:
    """Return the cards that moved, if the second view follows the first by a single action."""
    if before is None or after.ply != before.ply + 1 or after.viewer.seat != before.viewer.seat:
        return ()
    if before.pairs and not after.pairs:
        return _swept(before, after)[:MOST_FLIGHTS]
    actor = next((line.seat for line in after.log if line.is_action and line.ply == after.ply), None)
    if actor is None:
        return ()
    hand, lay = _hand(after, actor), _on_table(before)
    laid = [Flight(card, hand, spot) for card, spot in _on_table(after).items() if card not in lay]
    return tuple(laid[:MOST_FLIGHTS])


def _swept(before: TableView, after: TableView) -> tuple[Flight, ...]:
    """Return flights of the table's cards to the discard pile, or to the defender who took them."""
    end = Spot("discards")
    if after.talon.discard == before.talon.discard:
        seats = (before.viewer, *before.opponents)
        end = next((_hand(before, seat.seat) for seat in seats if seat.is_defender), end)
    return tuple(Flight(card, spot, end) for card, spot in _on_table(before).items())


def _hand(view: TableView, seat: int) -> Spot:
    return Spot("hand", seat) if seat == view.viewer.seat else Spot("seat", seat)


def _on_table(view: TableView) -> dict[Card, Spot]:
    lie = {}
    for number, pair in enumerate(view.pairs):
        lie[pair.attack] = Spot("attack", number)
        if pair.defence is not None:
            lie[pair.defence] = Spot("defence", number)
    return lie
