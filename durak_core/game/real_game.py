"""A game with real cards, as one seat reports it.

>>> from durak_core import RealGame, Rules
>>> game = RealGame.begin(Rules(), seat=0, first_attacker=1, trump="Kc").name("6s7s8d9dThAc")
>>> game = game.play("6h")
>>> game.name("8s")
Traceback (most recent call last):
durak_core.errors.RecordError: 8s cannot be drawn: no card was drawn that has no name yet
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Final

from durak_core.actions import EXCHANGE, Action, card_of, encode, parse_action
from durak_core.cards import Card, CardSet, as_card
from durak_core.errors import Message, RecordError
from durak_core.game.events import BeatenOff, BoutBegan, Drew, TableTaken
from durak_core.game.observation import Observation
from durak_core.game.record import REAL_TAG, Move, Record, end_of
from durak_core.game.state import State
from durak_core.game.state_view import WhyNot, card_list, checked_seat, explain
from durak_core.kernel.legal import refusal
from durak_core.rules import Rules, as_rules

_WHOLE: Final = "whole"


@dataclass(frozen=True)
class RealGame:
    """A game whose hidden cards are unknown; every report returns the next one.

    ``state`` is one of the deals that fit all reports. When a report places an unseen card elsewhere, it
    changes its place with another unseen card, from the deal on. The seat's observation shows no unseen card.
    It is the same for all deals that fit, and it alone is to be shown or searched.

    Attributes:
        seat: The reporting seat.
        moves: The actions so far.
        unnamed: What stands for the cards that the seat drew and has not named yet, in the order of drawing.
    """

    state: State
    seat: int
    moves: tuple[Move, ...] = ()
    unnamed: tuple[Card, ...] = ()

    @classmethod
    def begin(
        cls, rules: Rules | str, seat: int, first_attacker: int, trump: Card | str | None = None
    ) -> RealGame:
        """Begin a game; the seat's hand is to be named next.

        Args:
            rules: The rules, or their text.
            seat: The reporting seat.
            first_attacker: The seat that opens the first bout (rules 4).
            trump: The card that shows the trump suit (3.2); None without trumps.

        Raises:
            DealError: If there is no such seat.
            RecordError: If the card is missing or not of the deck, or the rules cannot be kept from one seat:
                all cards are open (9.3), or what may be played depends on hidden cards (5.8, 5.10).
        """
        rules = as_rules(rules)
        if rules.trumps != (trump is not None):
            raise RecordError("a card shows the trumps if the rules have trumps, and only then", rule="3.2")
        card = rules.deck[-1] if trump is None else _of_deck(rules, as_card(trump))
        _check(rules)
        deck = [other for other in rules.deck if other != card]
        first = checked_seat(rules, first_attacker)
        state = State.from_deck(rules, [*deck, card], first, by_lowest_trump=None)
        known = state.known[checked_seat(rules, seat)]
        return cls(state, seat, (), tuple(state.hands[seat] - known))

    @classmethod
    def of(cls, record: Record) -> RealGame:
        """Continue a record that `record` made; raises `RecordError` if it is no such record."""
        seat = reporting_seat(record)
        if seat is None:
            raise RecordError("the record has no seat in a tag {tag}: its cards were not real", tag=REAL_TAG)
        _check(record.rules)
        cards = card_list(record.tags[REAL_TAG][2:])
        if CardSet.of(cards) - record.end.hands[seat]:
            raise RecordError("the tag {tag} names cards that are not in the hand", tag=REAL_TAG)
        return cls(record.end, seat, record.moves, tuple(cards))

    def record(self, players: tuple[str, ...], date: str = "", **tags: str) -> Record:
        """Return a record with a name for each seat; the places of its unseen cards are arbitrary."""
        return Record.of(self.state, players, date, **tags, **{REAL_TAG: self.tag})

    @property
    def tag(self) -> str:
        """The value of the record's tag."""
        rest = _WHOLE if self.is_whole else "".join(map(str, self.unnamed))
        return f"{self.seat} {rest}".rstrip()

    @property
    def observation(self) -> Observation:
        """The seat's observation; raises `RecordError` while drawn cards have no names."""
        _check_named(self.unnamed)
        return self.state.observation(self.seat)

    @cached_property
    def seen(self) -> Observation:
        """The observation without drawn cards that have no names yet: the hand and its draws lack them."""
        seen = self.state.observation(self.seat)
        if not self.unnamed:
            return seen
        hidden = CardSet.of(self.unnamed)
        events = [
            event.seen_by(-1) if isinstance(event, Drew) and hidden & CardSet.of(event.cards or ()) else event
            for event in seen.events
        ]
        return replace(seen, hand=CardSet.of(seen.hand - hidden), events=tuple(events), legal_actions=())

    @cached_property
    def unseen(self) -> CardSet:
        """The cards that the seat has never seen: in the talon, or hidden in other hands."""
        seen = self.seen
        known = seen.hand.mask | seen.gone.mask | seen.table_cards.mask
        for cards in seen.known:
            known |= cards.mask
        if seen.trump_card is not None:
            known |= seen.trump_card.mask
        return CardSet(seen.rules.deck_mask & ~known)

    @property
    def states(self) -> list[State]:
        """The positions from the deal on, with unseen cards where `state` has them."""
        start = self._start(self.state.deck or ())
        return [*accumulate(self.moves, lambda state, move: state.apply(move.action), initial=start)]

    @property
    def is_whole(self) -> bool:
        """Whether the game is over, and its reports fit one deal only.

        A drawn card can be exchanged for another one that its seat had drawn before and not shown.
        """
        others = [seat for seat in range(self.state.rules.seats) if seat != self.seat]
        hidden = [seat for seat in others if self.state.hands[seat] - self.state.known[seat]]
        if not self.state.is_over or self.state.talon or len(hidden) > 1:
            return False
        for before, after in pairwise(self.states):
            for event in after.events[len(before.events) :]:
                if isinstance(event, Drew) and event.seat in others:
                    unknown = after.hands[event.seat] - after.known[event.seat]
                    drawn = unknown & CardSet.of(event.cards or ())
                    if drawn and drawn != unknown:
                        return False
        return True

    @cached_property
    def possible(self) -> CardSet:
        """The cards that the seat to act may hold, or that the reporting seat may have drawn."""
        seat = self.state.turn
        if self.unnamed:
            return self.unseen
        if seat is None or seat == self.seat:
            return self.state.hands[self.seat]
        held, unseen = self.state.hands[seat], self.unseen
        return CardSet(held.mask | unseen.mask) if held & unseen else held

    def why_not(self, action: Action) -> WhyNot | None:
        """Return why the seat to act cannot have done this, whichever of its possible cards it holds."""
        position = self.state.to_position()
        if self.state.turn is not None:
            position.hands[self.state.turn] = self.possible.mask
        return explain(refusal(position, encode(action)))

    def play(self, action: Action | str) -> RealGame:
        """Report an action of the seat to act.

        Raises:
            RecordError: If the rules forbid the action, drawn cards have no names yet, or the card was seen
                elsewhere.
        """
        seen = self.observation
        action = parse_action(action) if isinstance(action, str) else action
        seat = self.state.turn
        card = seen.lowest_trump if action == EXCHANGE else card_of(action)
        game = self if card is None else self.holding(_of_deck(seen.rules, card))
        why = game.state.why_not(action)
        if why is not None:  # without the legal actions, which show unseen cards
            raise RecordError(why.message)
        after = game.state.apply(action)
        moves = (*self.moves, Move(-1 if seat is None else seat, action))
        news = after.observation(self.seat).events[len(seen.events) :]
        drawn = [card for event in news if isinstance(event, Drew) for card in event.cards or ()]
        known = after.known[self.seat]
        return RealGame(after, self.seat, moves, tuple([card for card in drawn if card not in known]))

    def holding(self, card: Card) -> RealGame:
        """Return the same game from a deal in which the seat to act holds a card.

        Raises:
            RecordError: If the card was seen elsewhere, or all cards of the seat are known.
        """
        seat = self.state.turn
        if seat is None or card in self.state.hands[seat]:
            return self
        hidden = self.state.hands[seat] & self.unseen
        if card not in self.unseen or not hidden:
            raise self._elsewhere(card)
        return self._exchanged(card, next(iter(hidden)))

    def name(self, cards: Sequence[Card | str] | str) -> RealGame:
        """Name cards that the seat drew or was dealt; raises `RecordError` if they cannot be those."""
        game = self
        for card in card_list(cards):
            unseen = game.unseen
            if not game.unnamed:
                raise RecordError("{card} cannot be drawn: no card was drawn that has no name yet", card=card)
            if card not in unseen:
                raise game._elsewhere(card)
            place, *others = game.unnamed
            unnamed = tuple([place if other == card else other for other in others])
            game = replace(game._exchanged(card, place), unnamed=unnamed)
        return game

    def undo(self) -> RealGame:
        """Take the last action back; before the first one, the names of the hand."""
        if not self.moves:
            deck = self.state.deck or ()
            trump = deck[-1] if self.state.rules.trumps else None
            return RealGame.begin(self.state.rules, self.seat, self.state.first_attacker, trump)
        return RealGame(self._replayed(self.state.deck or (), self.moves[:-1]), self.seat, self.moves[:-1])

    def where(self, card: Card | str) -> Message | None:
        """Return where a card of the deck was seen, or None."""
        card = as_card(card)
        seen = self.seen
        if card in seen.hand:
            return Message("it is in your hand")
        if card in seen.table_cards:
            return Message("it lies on the table")
        if card == seen.trump_card and seen.talon_size:
            return Message("it lies under the talon")
        bout, found = 0, Message("it was the last to be drawn") if card == seen.trump_card else None
        for event in seen.events:
            if isinstance(event, BoutBegan):
                bout = event.bout
            elif isinstance(event, BeatenOff) and card in event.cards:
                found = Message("it was beaten off in bout {bout}", bout=bout)
            elif isinstance(event, TableTaken) and card in event.cards:
                found = Message("it was taken up in bout {bout}", bout=bout)
        return found

    def _elsewhere(self, card: Card) -> RecordError:
        _of_deck(self.state.rules, card)
        where = self.where(card)
        if where is None:
            return RecordError("{card} cannot be in that hand: all its cards are known", card=card)
        return RecordError("{card} cannot be in that hand: {where}", card=card, where=where)

    def _exchanged(self, card: Card, other: Card) -> RealGame:
        """Return the same game from a deal in which two unseen cards have changed their places."""
        places = {card: other, other: card}
        deck = tuple([places.get(one, one) for one in self.state.deck or ()])
        return replace(self, state=self._replayed(deck, self.moves))

    def _start(self, deck: Sequence[Card]) -> State:
        state = self.state
        return State.from_deck(state.rules, deck, state.first_attacker, by_lowest_trump=None)

    def _replayed(self, deck: Sequence[Card], moves: tuple[Move, ...]) -> State:
        state = end_of(self._start(deck), moves)
        if state is None:  # the rules of `begin` never ask for unseen cards
            raise RecordError("the moves do not fit another place of unseen cards")
        return state


def reporting_seat(record: Record) -> int | None:
    """Return the only seat whose cards are known, of a game with real cards; None if all are."""
    seat, _, rest = record.tags.get(REAL_TAG, "").partition(" ")
    is_seat = len(seat) == 1 and seat in "012345"[: record.rules.seats]
    return int(seat) if is_seat and rest != _WHOLE else None


def seat_to_show(record: Record, seat: int | None, *, needs_all: bool = False) -> int | None:
    """Return whose view of a game is to be shown, None for all cards.

    Raises:
        RecordError: If only another seat's cards are known, one seat's and all are needed, or drawn cards
            have no names yet, so that arbitrary ones stand for them.
    """
    known = reporting_seat(record)
    if known is None:
        return seat
    if seat not in {None, known} or needs_all:
        raise RecordError("the cards were real: only the hand of seat {seat} is known", seat=known)
    _check_named(card_list(record.tags[REAL_TAG][2:]))
    return known


def _check_named(unnamed: Sequence[Card]) -> None:
    if unnamed:
        raise RecordError("name the cards that were drawn first: {count}", count=len(unnamed))


def _check(rules: Rules) -> None:
    if rules.visibility == "open":
        raise RecordError("with open cards nothing is unknown: play it as an ordinary game", rule="9.3")
    if rules.forced_play or rules.lowest_card != "any":
        raise RecordError("what may be played depends on hidden cards: choose other rules", rule="5.8")


def _of_deck(rules: Rules, card: Card) -> Card:
    if card not in rules.deck:
        raise RecordError("{card} is not of the deck of {size} cards", card=card, size=rules.deck_size)
    return card
