"""The HTML table of a position for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import IntEnum
from typing import Protocol

from durak_core.cards import Card
from durak_core.html_text import html_table
from durak_core.rules import Rules


class Pair(Protocol):
    """An attack card, and the card that beat it."""

    @property
    def attack(self) -> Card: ...
    @property
    def defence(self) -> Card | None: ...


class Position(Protocol):
    """The shown properties of states and observations."""

    @property
    def rules(self) -> Rules: ...
    @property
    def bout(self) -> int: ...
    @property
    def phase(self) -> IntEnum: ...
    @property
    def turn(self) -> int | None: ...
    @property
    def roles(self) -> Sequence[IntEnum]: ...
    @property
    def table(self) -> Sequence[Pair]: ...
    @property
    def trump_card(self) -> Card | None: ...
    @property
    def legal_actions(self) -> Sequence[object]: ...


def position_html(seen: Position, hands: Sequence[str], talon_size: int) -> str:
    to_act = "the game is over" if seen.turn is None else f"seat {seen.turn} to act"
    phase = seen.phase.name.lower().replace("_", " ")
    rows = [
        (f"seat {seat} {role.name.lower().replace('_', ' ')}", hand)
        for seat, (role, hand) in enumerate(zip(seen.roles, hands, strict=True))
    ]
    pairs = [
        cards_text([pair.defence, pair.attack], "x") if pair.defence else pair.attack.pretty
        for pair in seen.table
    ]
    rows.append(("table", " ".join(pairs) or "empty"))
    rows.append(("talon", f"{talon_size}, trump {seen.trump_card.pretty if seen.trump_card else 'none'}"))
    if seen.legal_actions:
        rows.append(("legal", " ".join(map(str, seen.legal_actions))))
    return html_table((), rows, f"{seen.rules}, bout {seen.bout}, {phase}, {to_act}")


def cards_text(cards: Iterable[Card | None], between: str = " ") -> str:
    return between.join([card.pretty for card in cards if card])
