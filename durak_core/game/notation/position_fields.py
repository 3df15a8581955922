"""The fields of a position's text: their conversion to a kernel position, and their validation.

Each function yields pairs of a key and an error; the reader raises the first. Later checks rely on
earlier ones.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from typing import Final, TypeVar

from durak_core.actions import Attack, Defend, parse_action
from durak_core.cards import Card, CardSet
from durak_core.errors import NotationError
from durak_core.game.observation import Phase, TablePair
from durak_core.game.state_view import lay_table
from durak_core.kernel.legal import attack_cap, next_opponent
from durak_core.kernel.position import (
    DEFENCE,
    DRAWN_GAME,
    MAX_ATTACKS,
    NOBODY,
    OPENING,
    OVER,
    PILE_ON,
    THROW_IN,
    VOLLEY,
    Position,
    beating,
    lowest_bit,
    rank_mates,
    set_trumps,
)
from durak_core.kernel.transition import (
    fool_of_a_draw,
    last_places,
    may_throw_in,
    new_position,
    next_to_throw_in,
    teams_in,
)
from durak_core.rules import Rules

_NUMBER: Final = re.compile(r"[0-9]{1,6}")
_HAND: Final = re.compile(r"([2-9TJQKA*shdc]*)(?:\?([0-9]{1,2}))?(?:\+([2-9TJQKA*shdc]+))?")
_PHASES: Final = {phase.name.lower(): phase for phase in Phase}
_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class HandText:
    """One hand of a text: its named and its publicly known cards (rules 9.2), and the number hidden."""

    cards: CardSet
    hidden: int
    known: CardSet


@dataclass(frozen=True, slots=True)
class TalonText:
    """The talon of a text.

    Attributes:
        cards: Named cards, top first, without the open trump card.
        hidden: Number of unnamed cards.
        bottom: The open trump card; None without trumps or with an empty talon.
    """

    cards: tuple[Card, ...] = ()
    hidden: int = 0
    bottom: Card | None = None

    @property
    def size(self) -> int:
        return len(self.cards) + self.hidden + (self.bottom is not None)


@dataclass(frozen=True, slots=True)
class PositionFields:
    """All fields of a text (docs/notation.md); ``gone`` is None if it is left out."""

    rules: Rules
    seat: int | None
    bout: int
    attacker: int
    defender: int
    limit: int
    phase: Phase
    turn: int | None
    passed: tuple[int, ...]
    hands: tuple[HandText, ...]
    table: tuple[TablePair, ...]
    talon: TalonText
    trump: Card | None
    gone: CardSet | None
    out: tuple[int, ...]
    emptied: tuple[int, ...]
    shown: tuple[int, ...]
    stall: int
    fool: tuple[int, ...]


KEYS: Final = tuple([field.name for field in fields(PositionFields)])


class Fields:
    """A line split into ``key=value`` fields with known, distinct keys."""

    def __init__(self, text: str) -> None:
        self._values: dict[str, str] = {}
        self._places: dict[str, int] = {}
        for match in re.finditer(r"\S+", text):
            key, equals, value = match[0].partition("=")
            if not equals or key not in KEYS:
                raise NotationError(
                    "{found!r}: expected key=value with a key of {keys}",
                    match.start(),
                    found=match[0][:40],
                    keys=", ".join(KEYS),
                )
            if key in self._values:
                raise NotationError("{key} appears twice", match.start(), key=key)
            self._values[key] = value
            self._places[key] = match.start() + len(key) + 1

    def error(self, key: str, message: object) -> NotationError:
        if key not in self._values:
            return NotationError("{key}: {message}", key=key, message=message)
        return NotationError(
            "{key}={value}: {message}", self._places[key], key=key, value=self._values[key], message=message
        )

    def parse(self) -> PositionFields:
        """Parse every field on its own; raise `NotationError` if one is missing or malformed."""
        rules = self._needed("rules", Rules.parse)
        seats = _SeatReader(rules)
        return PositionFields(
            rules=rules,
            seat=self._optional("seat", seats.one, None),
            bout=self._needed("bout", _number),
            attacker=self._needed("attacker", seats.one),
            defender=self._needed("defender", seats.one),
            limit=self._needed("limit", _number),
            phase=self._needed("phase", _phase),
            turn=self._optional("turn", seats.one, None),
            passed=self._optional("passed", seats.several, ()),
            hands=self._needed("hands", lambda text: tuple(map(_hand, text.split("/")))),
            table=self._optional("table", lambda text: tuple(map(_pair, text.split(","))), ()),
            talon=self._optional("talon", _talon, TalonText()),
            trump=self._optional("trump", Card.parse, None),
            gone=self._optional("gone", CardSet.parse, None),
            out=self._optional("out", seats.several, ()),
            emptied=self._optional("emptied", seats.several, ()),
            shown=self._optional("shown", seats.several, ()),
            stall=self._optional("stall", _number, 0),
            fool=self._optional("fool", seats.losers, ()),
        )

    def _needed(self, key: str, read: Callable[[str], _Value]) -> _Value:
        if key not in self._values:
            raise NotationError("{key} is missing", key=key)
        try:
            return read(self._values[key])
        except ValueError as error:
            raise self.error(key, error) from None

    def _optional(self, key: str, read: Callable[[str], _Value], default: _Value) -> _Value:
        return self._needed(key, read) if key in self._values else default


class _SeatReader:
    def __init__(self, rules: Rules) -> None:
        self.rules = rules

    def one(self, text: str) -> int:
        if not _NUMBER.fullmatch(text) or int(text) >= self.rules.seats:
            raise NotationError("expected a seat from 0 to {last}", rule="2.1", last=self.rules.seats - 1)
        return int(text)

    def several(self, text: str) -> tuple[int, ...]:
        seats = tuple(map(self.one, text.split(",")))
        if len(set(seats)) != len(seats):
            raise NotationError("a seat appears twice")
        return seats

    def losers(self, text: str) -> tuple[int, ...]:
        if self.rules.teams is None:
            return (self.one(text),)
        seats = self.several(text)
        team = self.rules.members(self.rules.team_of(seats[0]))
        if seats != team:
            raise NotationError(
                "expected all seats of a team in their order, such as {team}",
                rule="2.2.5",
                team=",".join(map(str, team)),
            )
        return seats


def _number(text: str) -> int:
    if not _NUMBER.fullmatch(text):
        raise NotationError("expected a number")
    return int(text)


def _phase(text: str) -> Phase:
    if text not in _PHASES:
        raise NotationError("expected one of {phases}", phases=", ".join(_PHASES))
    return _PHASES[text]


def _hand(text: str) -> HandText:
    if text == "-":
        return HandText(CardSet(), 0, CardSet())
    match = _HAND.fullmatch(text)
    if not match or not text:
        raise NotationError(
            "{text!r} is not a hand: expected cards such as 6c7d, ?4, 6c7d+Ah, ?4+Ah, or -", text=text
        )
    return HandText(CardSet.parse(match[1]), int(match[2] or 0), CardSet.parse(match[3] or ""))


def _pair(text: str) -> TablePair:
    match parse_action(text):
        case Attack(card):
            return TablePair(card)
        case Defend(card, target):
            return TablePair(target, card)
        case _:
            raise NotationError(
                "{text!r}: expected an attack card such as 6c, or 9cx6c for a beaten one", text=text
            )


def _talon(text: str) -> TalonText:
    match = _HAND.fullmatch(text)
    if not match or not text:
        raise NotationError("expected cards from the top such as 6c7d+Ah, or ?4+Ah where they are not seen")
    cards = match[1]
    row = tuple([Card.parse(cards[i : i + 2]) for i in range(0, len(cards), 2)])
    return TalonText(row, int(match[2] or 0), Card.parse(match[3]) if match[3] else None)


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
    if trump.is_joker:
        yield "trump", "a joker shows no trump suit (rules 1.6)"
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
    set_trumps(p, fields.trump.suit.mask if fields.trump else 0)
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


def observation_faults(fields: PositionFields) -> Iterator[Fault]:
    """Yield errors in visibility: hidden cards that are named, or visible ones that are not (rules 9)."""
    is_open = fields.seat is None or fields.rules.visibility == "open"
    for seat, hand in enumerate(fields.hands):
        if is_open or seat == fields.seat:
            if hand.hidden:
                yield "hands", f"the hand of seat {seat} is seen: name its {hand.hidden} hidden cards"
        elif hand.cards:
            yield (
                "hands",
                f"seat {fields.seat} does not see {hand.cards} of seat {seat}: write ?{len(hand.cards)}",
            )
    if is_open and fields.talon.hidden:
        yield "talon", f"it is seen: name its {fields.talon.hidden} hidden cards"
    if not is_open and fields.talon.cards:
        yield "talon", f"seat {fields.seat} sees only the trump card of it: write ?{len(fields.talon.cards)}"
    if fields.seat is not None and fields.emptied:
        yield "emptied", "only positions have this field"


def game_faults(p: Position) -> Iterator[Fault]:
    if p.bout < 1:
        yield "bout", "bouts are counted from 1"
    if p.shown and not (p.transfer and p.show_trump):
        yield "shown", "these rules have no transfers by showing a trump (rules 7.4)"
    if p.attacker == p.defender:
        yield "defender", "a seat cannot attack itself (rules 5.1)"
    if p.phase == OVER:
        yield from _over_faults(p)
    else:
        yield from _clock_faults(p)
        yield from _running_faults(p)
        yield from _table_faults(p)
        yield from _PHASE_CHECKS[p.phase](p)
        yield from _throw_in_faults(p)


def _seats(p: Position, mask: int) -> str:
    return ",".join(str(seat) for seat in range(p.seats) if mask >> seat & 1) or "none"


def _empty_hands(p: Position) -> int:
    return sum(1 << seat for seat in range(p.seats) if not p.hands[seat])


def _over_faults(p: Position) -> Iterator[Fault]:
    """Check a finished game (rules 8.2 to 8.5)."""
    holders = teams_in(p)
    stalled = holders.bit_count() > 1
    if p.n_attacks:
        yield "table", "nothing lies on the table when the game is over"
    if p.turn >= 0:
        yield "turn", "no seat is to act when the game is over"
    if p.passed or p.n_emptied:
        yield "passed" if p.passed else "emptied", "no bout is being played when the game is over"
    if p.drawn < p.deck_size and not stalled:
        yield "talon", "no game ends before the talon is empty (rules 8.2)"
    if stalled and p.stall != p.stall_limit:
        yield (
            "phase",
            f"seats {_seats(p, p.in_mask)} hold cards and stall is not {p.stall_limit} (rules 8.2, 8.5)",
        )
    if not stalled and p.stall:
        yield "stall", "has to be 0 when a seat has left in the last bout (rules 8.5)"
    if not 1 <= p.limit <= attack_cap(p):
        yield "limit", f"expected 1 to {min(attack_cap(p), p.deck_size)} (rules 5.2)"
    fool = fool_of_a_draw(p) if stalled or not holders else lowest_bit(holders)
    if fool >= 0 and p.fool != fool:
        yield "fool", f"has to be {','.join(map(str, range(fool, p.seats, p.teams)))} (rules 2.2.5, 8.2)"
    if p.fool != fool:
        yield "fool", "the game is drawn: there is no fool (rules 8.3)"
    yield from _place_faults(p)


def _place_faults(p: Position) -> Iterator[Fault]:
    out = p.places[: p.n_places]
    last = last_places(p) if p.fool >= 0 else 0
    expected = _empty_hands(p) | last
    if sum(1 << seat for seat in out) != expected:
        yield "out", f"has to name the seats {_seats(p, expected)} in the order they ran out (rules 8.4)"
    losers = [seat for seat in range(p.seats) if last >> seat & 1]
    if out[len(out) - len(losers) :] != losers:
        yield "out", f"has to end with {_seats(p, last)} (rules 2.2.6, 8.4)"


def _running_faults(p: Position) -> Iterator[Fault]:
    empty = _empty_hands(p)
    out = sum(1 << seat for seat in p.places[: p.n_places])
    if out and p.drawn < p.deck_size:
        yield "out", "no seat is out before the talon is empty (rules 8.1)"
    if out & ~empty:
        yield "out", f"seats {_seats(p, out & ~empty)} hold cards (rules 8.1)"
    if teams_in(p).bit_count() < 2:
        yield "out", "no opponent is left; the game would be over (rules 2.2.5, 8.2)"
    if not p.in_mask >> p.attacker & 1:
        yield "attacker", f"seat {p.attacker} is out (rules 8.1)"
    targets, paragraph = {next_opponent(p, p.attacker)}, "2.2.1"
    if p.partner_plays_on and not p.in_mask >> (p.attacker ^ 2) & 1:
        targets.add(next_opponent(p, p.attacker ^ 2))
        paragraph = "2.2.8"
    if p.defender not in targets:
        allowed = " or ".join(map(str, sorted(targets)))
        yield (
            "defender",
            f"has to be {allowed}, the next seat after the attacker that is no partner (rules {paragraph})",
        )
    emptied = sum(1 << seat for seat in p.emptied[: p.n_emptied])
    if emptied != empty & ~out:
        yield "emptied", f"seats {_seats(p, empty & ~out)} hold nothing and are not out (rules 8.1)"


def _clock_faults(p: Position) -> Iterator[Fault]:
    """Check that the game is not over (rules 8.2, 8.5)."""
    if p.fool >= 0:
        yield "fool", "there is no fool before the game is over"
    if p.turn < 0:
        yield "turn", "a seat has to act until the game is over"
    if p.stall >= min(p.stall_limit, p.bout):
        yield "stall", f"is less than the bout and {p.stall_limit} while the game goes on (rules 8.5)"


def _table_faults(p: Position) -> Iterator[Fault]:
    """Check the cards on the table and the limit (rules 1.4, 5.2, 5.3)."""
    before = 0
    for i in range(p.n_attacks):
        attack, defence = p.attacks[i], p.defences[i]
        if i and not rank_mates(before) >> attack & 1:
            yield "table", f"attack card {i + 1} has a rank that did not lie there (rules 5.3)"
        if defence and not beating(attack, p.trump_mask, p.ace_beaters, p.jokers) >> defence & 1:
            yield "table", f"attack card {i + 1} is not beaten by the card on it (rules 1.4)"
        before |= 1 << attack | (1 << defence if defence else 0)
    held = p.hands[p.defender].bit_count() + p.n_attacks - p.n_open
    limit = min(attack_cap(p), held)
    if p.limit != limit:
        yield "limit", f"has to be {limit}: the defender held {held} cards (rules 5.2)"
    if p.n_attacks > p.limit:
        yield "table", f"{p.n_attacks} attack cards are more than the limit (rules 5.2)"


def _opening_faults(p: Position) -> Iterator[Fault]:
    if p.n_attacks:
        yield "table", "nothing lies on the table before the bout is opened (rules 5.1)"
    if p.n_emptied:
        yield "emptied", "no card of this bout has been played yet"
    if p.turn != p.attacker:
        yield "turn", f"the attacker, seat {p.attacker}, opens the bout (rules 5.1)"


def _volley_faults(p: Position) -> Iterator[Fault]:
    if not p.volleys:
        yield "phase", "these rules have no volleys (rules 5.4)"
    if not p.n_open:
        yield "table", "a volley has an open attack card (rules 5.4)"
    if any(p.defences[p.n_attacks - p.n_open : p.n_attacks]):
        yield "table", "the cards of a volley come after all that are beaten (rules 5.4)"
    if p.n_attacks == p.limit or not p.hands[p.turn]:
        yield "phase", "a volley ends when the limit is reached or the hand is empty (rules 5.4)"
    opened = p.n_open == p.n_attacks
    if p.turn != p.attacker if opened else not may_throw_in(p, p.turn):
        yield "turn", f"seat {p.turn} cannot have begun this volley (rules 5.4, 5.6)"


def _defence_faults(p: Position) -> Iterator[Fault]:
    if not p.n_open:
        yield "table", "no attack card is open for the defender to answer (rules 5.5)"
    if p.turn != p.defender:
        yield "turn", f"the defender, seat {p.defender}, answers (rules 5.5)"
    only_last = p.n_open == 1 and not p.defences[p.n_attacks - 1]
    ranks = {p.attacks[i] & 15 for i in range(p.n_attacks)}
    transferable = p.transfer and (p.bout > 1 or p.transfer_first_bout)
    if not p.volleys and not only_last and not (transferable and len(ranks) == 1):
        yield "table", "one card at a time: only the newest attack card can be open (rules 5.4)"


def _round_faults(p: Position) -> Iterator[Fault]:
    """Check a round of throwing in or piling on (rules 5.6, 6.1 and 6.2)."""
    if p.n_attacks == 0:
        yield "table", "there is no attack to throw in to (rules 5.6)"
    if p.phase == THROW_IN and p.n_open:
        yield "table", "an attack card is open: no card is thrown in before it is answered (rules 5.6)"
    if p.phase == PILE_ON and not p.pile_on:
        yield "phase", "these rules do not allow piling on (rules 6.2)"
    if p.phase == PILE_ON and not p.n_open:
        yield "table", "the defender cannot take when all is beaten (rules 5.5)"
    if p.n_attacks == p.limit or not p.hands[p.defender]:
        yield "phase", "the bout is over: the limit is reached, or the defender holds nothing (rules 6.1)"
    seat = next_to_throw_in(p)
    if seat != p.turn:
        turn = f"seat {seat} is next to be asked" if seat >= 0 else "all have passed and the bout is over"
        yield "turn", f"{turn} (rules 5.6)"


def _throw_in_faults(p: Position) -> Iterator[Fault]:
    if p.passed and p.phase not in (THROW_IN, PILE_ON):
        yield "passed", "no seat has passed before a round of throwing in (rules 5.6)"
    for seat in range(p.seats):
        if p.passed >> seat & 1 and not (p.hands[seat] and may_throw_in(p, seat)):
            yield "passed", f"seat {seat} is not asked to throw in (rules 5.6, 5.7)"


_PHASE_CHECKS: Final = {
    OPENING: _opening_faults,
    VOLLEY: _volley_faults,
    DEFENCE: _defence_faults,
    THROW_IN: _round_faults,
    PILE_ON: _round_faults,
}
