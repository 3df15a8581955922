"""The immutable, complete state of a game; agents only get its observations.

>>> from durak_core import Rules, State
>>> state = State.deal(Rules(), seed=7)
>>> print(*state.legal_actions)
6s Ks 6h 7h 9c Qc
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from random import Random
from typing import ClassVar, TypeAlias

from durak_core.actions import Action, decode, encode
from durak_core.cards import Card, CardSet
from durak_core.errors import DealError, IllegalActionError
from durak_core.game.events import Event, EventLog, FirstBy
from durak_core.game.observation import Observation
from durak_core.game.state_view import (
    StateView,
    WhyNot,
    card_list,
    check_trump_card,
    checked_seat,
    explain,
    is_whole,
    lay_out,
    no_deal_stands,
)
from durak_core.html_text import cards_text, position_html
from durak_core.kernel.legal import legal, refusal
from durak_core.kernel.position import (
    DEAL_STREAM,
    FIRST_SEAT_STREAM,
    MASK63,
    MAX_ACTIONS,
    NOBODY,
    SCALAR_FIELDS,
    Position,
    copy_position,
    derive,
    random_below,
)
from durak_core.kernel.transition import (
    REDEAL_ATTEMPTS,
    apply,
    begin,
    deal,
    deal_hands,
    divide,
    is_void,
    lowest_trump_seat,
    new_position,
    perft,
    replay,
    start_bout,
)
from durak_core.rules import Rules, as_rules


@dataclass(frozen=True, slots=True)
class Origin:
    """The first attacker and the deck in drawing order, which is None for a set-up position."""

    first_attacker: int
    seed: int | None = None
    deck: tuple[Card, ...] | None = None


Replay: TypeAlias = Callable[[Position, Sequence[int], Sequence[int]], Position | None]
"""Gets a position, seats and as many codes; returns another position, or None, as `State.after` does."""


def _replay(start: Position, seats: Sequence[int], codes: Sequence[int]) -> Position | None:
    position = copy_position(start)
    return position if replay([position], seats, codes) else None


class State(StateView):
    """The state between two actions; `apply` returns the next one."""

    replay: ClassVar[Replay] = _replay
    """Replays for `after`; `durak_core.engine.replays.compile_replays` makes it faster."""

    def __init__(
        self, rules: Rules, position: Position, event_log: EventLog | Callable[[], EventLog], origin: Origin
    ) -> None:
        """Wrap a position that nothing else changes, and its log or what makes it; internal."""
        super().__init__(rules, position)
        self.origin = origin
        self._lazy_log = event_log

    @property
    def _event_log(self) -> EventLog:
        if not isinstance(self._lazy_log, EventLog):
            self._lazy_log = self._lazy_log()
        return self._lazy_log

    # Making states

    @classmethod
    def deal(cls, rules: Rules | str, seed: int, first_attacker: int | None = None) -> State:
        """Deal a game; the same seed and rules always give the same deal (rules 3.1).

        The rules may be a text such as ``"perevodnoy:seats=3"``. ``seed`` is 0 to 2^63 - 1. By default the
        rules choose the first attacker (4.1). `DealError` is raised if the seed or the seat is out of range,
        or every deal is redealt (3.4).
        """
        rules = as_rules(rules)
        if not is_whole(seed, 0, MASK63):
            raise DealError(
                "seed {seed}: expected a number from {low} to {high}", seed=repr(seed), low=0, high=MASK63
            )
        position = new_position(rules)
        if not deal(position, [derive(seed, DEAL_STREAM)]):
            raise no_deal_stands(rules)
        if first_attacker is not None:
            begin(position, checked_seat(rules, first_attacker))
        return cls._begun(rules, position, seed, by_lowest_trump=first_attacker is None)

    @classmethod
    def from_deck(
        cls,
        rules: Rules | str,
        deck: Sequence[Card | str],
        first_attacker: int | None = None,
        seed: int | None = None,
        *,
        by_lowest_trump: bool | None = False,
    ) -> State:
        """Deal a deck in the order of dealing and drawing, the trump card last, without redeals (3.4, 3.5).

        By default the holder of the lowest trump begins (4.1). ``seed`` is recorded, and draws the first
        attacker if no hand has a trump. ``by_lowest_trump`` records that rules 4.1 chose the given seat
        although rules 4.2 could have; None records nothing, as with real cards.

        Raises:
            DealError: If the deck does not fit the rules, or there is no such seat or no first attacker.
        """
        rules, deck = as_rules(rules), card_list(deck)
        numbers = [card.number for card in deck]
        # A sum of so few powers of two has a carry only if one is there twice, and then fewer bits.
        if len(deck) != rules.deck_size or sum([1 << number for number in numbers]) != rules.deck_mask:
            raise DealError(
                "the deck needs each of the {size} cards from {lowest} to {highest} once; it has "
                "{count} cards, {different} of them different",
                rule="1.2",
                size=rules.deck_size,
                lowest=rules.deck[0],
                highest=rules.deck[-1],
                count=len(deck),
                different=len(set(deck)),
            )
        check_trump_card(rules, deck[-1])
        position = new_position(rules)
        position.deck[: len(deck)] = numbers
        deal_hands(position)
        seat = lowest_trump_seat(position) if first_attacker is None else checked_seat(rules, first_attacker)
        if seat == NOBODY:
            if seed is None:
                raise DealError(
                    "nobody holds a trump: say who begins, or give a seed to draw the seat", rule="4.1"
                )
            seat = random_below([derive(seed, FIRST_SEAT_STREAM)], rules.seats)
        begin(position, seat)
        ruled = True if first_attacker is None else by_lowest_trump
        return cls._begun(rules, position, seed, tuple(deck), by_lowest_trump=ruled)

    @classmethod
    def deal_with(cls, rules: Rules | str, random: Random, first_attacker: int | None = None) -> State:
        """Deal a game with a generator of random numbers; the state has no seed.

        ``random.SystemRandom()`` gives deals that cannot be computed from the visible cards.
        ``first_attacker`` and the errors are as for `deal`.
        """
        rules = as_rules(rules)
        position = new_position(rules)
        for _ in range(REDEAL_ATTEMPTS):
            deck = random.sample(rules.deck, rules.deck_size)
            position.deck[: rules.deck_size] = [card.number for card in deck]
            deal_hands(position)
            if not is_void(position):
                break
        else:
            raise no_deal_stands(rules)
        if first_attacker is None and lowest_trump_seat(position) == NOBODY:
            return cls.from_deck(rules, deck, random.randrange(rules.seats), by_lowest_trump=True)
        return cls.from_deck(rules, deck, first_attacker)

    @classmethod
    def setup(  # noqa: PLR0913 - the parts of a position
        cls,
        rules: Rules | str,
        hands: Sequence[Iterable[Card | str] | str],
        *,
        talon: Sequence[Card | str] | str = (),
        trump: Card | str | None = None,
        attacker: int = 0,
        bout: int = 2,
    ) -> State:
        """Set up a position at the beginning of a bout; unnamed cards are discarded.

        Args:
            rules: The rules, or their text.
            hands: Each seat's cards, as sets, lists or texts such as ``"6c7d"``; an empty hand is out, and
                needs an empty talon.
            talon: Cards to draw, top first, trump card last, or their text.
            trump: With an empty talon, the card that showed the trump suit; by default the lowest
                spade of the deck.
            attacker: The seat that opens the bout.
            bout: Number of the bout; 1 for the first of a game (5.2, 7.3).

        Raises:
            DealError: If the cards, the seat or the hands are invalid.
        """
        rules = as_rules(rules)
        masks = [(CardSet.parse(hand) if isinstance(hand, str) else CardSet.of(hand)).mask for hand in hands]
        position = lay_out(rules, masks, card_list(talon), card_list(trump or ()))
        seat = checked_seat(rules, attacker)
        if not position.in_mask >> seat & 1:
            raise DealError("seat {seat} cannot attack: its hand is empty", rule="8.1", seat=seat)
        position.bout = bout - 1
        start_bout(position, seat)
        return cls(rules, position, EventLog.begin(position, rules), Origin(seat))

    @classmethod
    def _begun(
        cls,
        rules: Rules,
        position: Position,
        seed: int | None,
        deck: tuple[Card, ...] = (),
        *,
        by_lowest_trump: bool | None,
    ) -> State:
        deck = deck or tuple(Card.from_number(number) for number in position.deck[: position.deck_size])
        if by_lowest_trump is False:
            by_lowest_trump = rules.next_first_attacker == "lowest_trump"
        event_log = EventLog.begin(position, rules, _first_by(position) if by_lowest_trump else None)
        return cls(rules, position, event_log, Origin(position.attacker, seed, deck))

    @property
    def deck(self) -> tuple[Card, ...] | None:
        return self.origin.deck

    @property
    def seed(self) -> int | None:
        return self.origin.seed

    @property
    def first_attacker(self) -> int:
        return self.origin.first_attacker

    # Playing

    @cached_property
    def legal_actions(self) -> tuple[Action, ...]:
        """The legal actions of the seat to act; none when the game is over.

        Only answers to the oldest open attack card are listed. Answers to others are also legal and reach the
        same positions (rules 5.5).
        """
        codes = [0] * MAX_ACTIONS
        return tuple([decode(code) for code in codes[: legal(self._position, codes)]])

    def apply(self, action: Action | str) -> State:
        """Return the state after a legal action, given as an object or as text such as ``6s``.

        Raises:
            IllegalActionError: If the action is illegal (rules 10.1).
            ActionError: If it is no action.
        """
        code = encode(action)
        why = explain(refusal(self._position, code))
        if why is not None:
            raise IllegalActionError(
                str(action), why.paragraph, why.reason, tuple(map(str, self.legal_actions))
            )
        position = copy_position(self._position)
        apply(position, code)
        event_log = self._event_log.after(self._position, code, position)
        return State(self.rules, position, event_log, self.origin)

    def after(self, seats: Sequence[int], codes: Sequence[int]) -> State | None:
        """Return the state after several actions, or None if one is illegal or another seat's.

        The events are made when they are first read, which takes most of the time of single steps.
        """
        position = State.replay(self._position, seats, codes)
        if position is None:
            return None
        return State(self.rules, position, partial(_logged, self, tuple(codes)), self.origin)

    def settled(self) -> State:
        state = self
        while len(state.legal_actions) == 1:
            state = state.apply(state.legal_actions[0])
        return state

    def why_not(self, action: Action | str) -> WhyNot | None:
        """Return why an action is illegal, or None; `ActionError` if it is no action."""
        return explain(refusal(self._position, encode(action)))

    # What an agent may see

    def observation(self, seat: int, *, sees_all: bool = False) -> Observation:
        """Return a seat's observation (rules 9); raise `DealError` if there is no such seat.

        ``sees_all`` reveals all cards under any rules, for experiments (9.3).
        """
        p = self._position
        rules = self.rules
        checked_seat(rules, seat)
        is_open = sees_all or rules.visibility == "open"
        return Observation(
            rules=rules,
            seat=seat,
            hand=CardSet(p.hands[seat]),
            hand_sizes=self.hand_sizes,
            table=self.table,
            trump_suit=self.trump_suit,
            trump_card=self.trump_card,
            talon_size=p.deck_size - p.drawn,
            discard_size=p.discards.bit_count(),
            phase=self.phase,
            turn=self.turn,
            attacker=p.attacker,
            defender=p.defender,
            limit=p.limit,
            bout=p.bout,
            passed=self.passed,
            roles=self.roles,
            places=self.places,
            fool=self.fool,
            shown=self.shown,
            stall=p.stall,
            known=self.known,
            gone=CardSet(p.discards),
            legal_actions=self.legal_actions if p.turn == seat else (),
            events=self._event_log.view(seat),
            hands=self.hands if is_open else None,
            talon=self.talon if is_open else None,
        )

    @property
    def known(self) -> tuple[CardSet, ...]:
        return tuple([CardSet(mask) for mask in self._event_log.known])

    @property
    def events(self) -> tuple[Event, ...]:
        return self._event_log.events

    def perft(self, depth: int) -> int:
        """Count the sequences of ``depth`` legal actions, 0 or more."""
        return perft(self._position, depth)

    def divide(self, depth: int) -> dict[Action, int]:
        return {decode(code): count for code, count in divide(self._position, depth).items()}

    def _repr_html_(self) -> str:
        return position_html(self, list(map(cards_text, self.hands)), len(self.talon))

    def __eq__(self, other: object) -> bool:
        """Compare rules and positions, ignoring the history."""
        if not isinstance(other, State):
            return NotImplemented
        return self.rules == other.rules and _key(self) == _key(other)

    def __hash__(self) -> int:
        return hash((self.rules, _key(self)))

    def __repr__(self) -> str:
        return f"<State of {self.rules} at bout {self.bout}, ply {self.plies}>"


def _first_by(p: Position) -> FirstBy | None:
    """Return how rules 4.1 choose this first attacker; None if they choose another seat."""
    lowest = lowest_trump_seat(p)
    if lowest == NOBODY:
        return FirstBy.CHANCE
    return FirstBy.TRUMP if lowest == p.attacker else None


def next_first_attacker(rules: Rules, fool: int | None, *, moved: int = 0) -> int | None:
    """Return the first attacker of a series' next game; None if the deal decides (rules 4.2).

    ``fool`` is the last game's fool, None after a draw and before the first game. Since then the players
    have moved on by ``moved`` seats.
    """
    if rules.next_first_attacker == "lowest_trump" or fool is None:
        return None
    aside = -1 if rules.next_first_attacker == "under_fool" else 1
    return (rules.team_of(fool + moved) + aside) % rules.seats


def _key(state: State) -> tuple[object, ...]:
    p = state._position  # noqa: SLF001 - the same class
    return (
        *(getattr(p, name) for name in SCALAR_FIELDS if name != "plies"),
        tuple(p.hands),
        tuple(p.deck[p.drawn : p.deck_size]),
        state.trump_card,
        state.table,
        tuple(p.emptied[: p.n_emptied]),
        state.places,
        state.known,
    )


def _logged(state: State, codes: Sequence[int]) -> EventLog:
    event_log, before = state._event_log, state._position  # noqa: SLF001 - of this module
    for code in codes:
        after = copy_position(before)
        apply(after, code)
        event_log, before = event_log.after(before, code, after), after
    return event_log
