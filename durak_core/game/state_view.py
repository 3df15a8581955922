"""The full-information properties of a position."""

from __future__ import annotations

from functools import cached_property
from typing import Final

from durak_core.cards import Card, CardSet, Suit
from durak_core.game.observation import Phase, Role, TablePair
from durak_core.kernel.position import DRAWN_GAME, MAX_SEATS, NOBODY, Position, copy_position
from durak_core.kernel.transition import may_throw_in, returns
from durak_core.rules import Rules

_PHASES: Final = tuple(Phase)
_SUITS: Final = tuple(Suit)


class StateView:
    """A position's facts as cards, sets and seats; shared properties are described at `Observation`."""

    def __init__(self, rules: Rules, position: Position) -> None:
        self.rules = rules
        self._position = position

    def to_position(self) -> Position:
        return copy_position(self._position)

    @property
    def hands(self) -> tuple[CardSet, ...]:
        return tuple([CardSet(mask) for mask in self._position.hands[: self.rules.seats]])

    @property
    def hand_sizes(self) -> tuple[int, ...]:
        return tuple([mask.bit_count() for mask in self._position.hands[: self.rules.seats]])

    @cached_property
    def table(self) -> tuple[TablePair, ...]:
        p = self._position
        return tuple(
            [
                TablePair(
                    Card.from_number(p.attacks[i]), Card.from_number(p.defences[i]) if p.defences[i] else None
                )
                for i in range(p.n_attacks)
            ]
        )

    @property
    def talon(self) -> tuple[Card, ...]:
        p = self._position
        return tuple([Card.from_number(number) for number in p.deck[p.drawn : p.deck_size]])

    @property
    def discards(self) -> CardSet:
        return CardSet(self._position.discards)

    @property
    def trump_card(self) -> Card | None:
        p = self._position
        return Card.from_number(p.deck[p.deck_size - 1]) if p.trump_mask else None

    @property
    def trump_suit(self) -> Suit | None:
        p = self._position
        return _SUITS[p.deck[p.deck_size - 1] >> 4] if p.trump_mask else None

    @property
    def phase(self) -> Phase:
        return _PHASES[self._position.phase]

    @property
    def turn(self) -> int | None:
        seat = self._position.turn
        return None if seat == NOBODY else seat

    @property
    def attacker(self) -> int:
        """The principal attacker's seat, or the last one's."""
        return self._position.attacker

    @property
    def defender(self) -> int:
        """The defender's seat, or the last one's."""
        return self._position.defender

    @property
    def limit(self) -> int:
        return self._position.limit

    @property
    def bout(self) -> int:
        return self._position.bout

    @property
    def plies(self) -> int:
        return self._position.plies

    @property
    def passed(self) -> tuple[int, ...]:
        return _seats(self._position.passed)

    @property
    def emptied(self) -> tuple[int, ...]:
        p = self._position
        return tuple(p.emptied[: p.n_emptied])

    @property
    def shown(self) -> tuple[int, ...]:
        return _seats(self._position.shown)

    @property
    def stall(self) -> int:
        return self._position.stall

    @property
    def roles(self) -> tuple[Role, ...]:
        p = self._position
        return tuple([_role(p, seat) for seat in range(self.rules.seats)])

    @property
    def is_over(self) -> bool:
        return self._position.phase == Phase.OVER

    @property
    def fool(self) -> int | None:
        fool = self._position.fool
        return fool if fool >= 0 else None

    @property
    def fools(self) -> tuple[int, ...]:
        return () if self.fool is None else self.rules.members(self.fool)

    @property
    def is_draw(self) -> bool:
        return self._position.fool == DRAWN_GAME

    @property
    def places(self) -> tuple[int, ...]:
        """The finishing order; the fool comes last, in its team the seats with cards (rules 2.2.6, 8.4)."""
        p = self._position
        return tuple(p.places[: p.n_places])

    @property
    def returns(self) -> tuple[float, ...]:
        """Each seat's return (rules 2.2.6, 8.4); 0 in a draw and before the end.

        Fools have -1 each; the other seats split the gain equally.
        """
        values = [0.0] * self.rules.seats
        returns(self._position, values)
        return tuple(values)


def _seats(mask: int) -> tuple[int, ...]:
    return tuple([seat for seat in range(MAX_SEATS) if mask >> seat & 1]) if mask else ()


def _role(p: Position, seat: int) -> Role:
    if not p.in_mask >> seat & 1:
        return Role.OUT
    if seat == p.defender:
        return Role.DEFENDER
    if seat == p.attacker:
        return Role.ATTACKER
    return Role.HELPER if may_throw_in(p, seat) else Role.BYSTANDER
