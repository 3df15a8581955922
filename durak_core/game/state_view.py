"""The full-information properties of a position, its validated construction, and illegal reasons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import index
from typing import Final

from durak_core.cards import Card, CardSet, Suit, as_card
from durak_core.errors import DealError, Message, by_rule
from durak_core.game.observation import Phase, Role, TablePair
from durak_core.kernel.legal import Refusal
from durak_core.kernel.position import DRAWN_GAME, MAX_SEATS, NOBODY, Position, copy_position, set_trumps
from durak_core.kernel.transition import REDEAL_ATTEMPTS, may_throw_in, new_position, returns
from durak_core.rules import Rules


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
    Refusal.NOTHING_BEATS_A_JOKER: ("1.6", Message("nothing beats a joker")),
    Refusal.NOT_OF_THE_JOKERS_COLOUR: ("1.6", Message("a joker beats only the two suits of its colour")),
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
    set_trumps(position, last[-1].suit.mask if rules.trumps else 0)
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
    check_trump_card(rules, (talon or trump or rules.deck[:1])[-1])
    if talon and trump and trump[-1] != talon[-1]:
        raise DealError("the trump card is the last card of the talon, {card}", rule="3.2", card=talon[-1])
    return used


def check_trump_card(rules: Rules, card: Card) -> None:
    """Raise `DealError` if a joker shows the trump suit (rules 1.6)."""
    if rules.trumps and card.is_joker:
        raise DealError("{card} shows no trump suit: take another trump card", rule="1.6", card=card)


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
    def points(self) -> tuple[int, ...]:
        """Each seat's points at the end of a game of a series with ``series_score=places`` (rules 8.6)."""
        found = [0] * self.rules.seats
        for after, seat in enumerate(self.places, 1):
            found[seat] = 0 if seat in self.fools else self.rules.seats - after
        return tuple(found)

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
