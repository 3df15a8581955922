"""A game that runs or is replayed: its positions, the one that is shown, and what its viewer sees of it.

A table, a watched game, a review, a spectator and a friend's seat own a `Game` or extend it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from durak_core import (
    EXCHANGE,
    PASS,
    TAKE,
    Action,
    Attack,
    Card,
    CardSet,
    Defend,
    Event,
    Observation,
    Passed,
    Phase,
    ShowTrump,
    State,
    TookUp,
    Transfer,
    WhyNot,
)
from durak_core.errors import Message
from durak_tui.play.setup import NO_SERIES, Series
from durak_tui.players import shown_names


@dataclass(frozen=True, slots=True)
class CardChoice:
    """The uses of one card in hand.

    Attributes:
        why: Why it cannot be played; None if it can, or if it is another player's turn.
    """

    card: Card
    actions: tuple[Action, ...] = ()
    why: WhyNot | None = None


@dataclass(frozen=True, slots=True)
class CardOptions:
    """The uses of the viewer's cards; empty on another player's turn.

    Attributes:
        cards: One choice per card in hand, lowest spade first.
        show_trump: The transfer by showing (rules 7.4), if legal.
        can_exchange: Whether the lowest trump may be exchanged for the face-up card (rules 5.9).
        asks_transfer: Whether the player is choosing a card to transfer with.
    """

    cards: tuple[CardChoice, ...] = ()
    can_pass: bool = False
    can_take: bool = False
    show_trump: ShowTrump | None = None
    can_exchange: bool = False
    asks_transfer: bool = False

    @property
    def actions(self) -> tuple[Action, ...]:
        """All legal actions."""
        cards = (action for choice in self.cards for action in choice.actions)
        shows = () if self.show_trump is None else (self.show_trump,)
        others = ((PASS, self.can_pass), (TAKE, self.can_take), (EXCHANGE, self.can_exchange))
        return (*cards, *shows, *(action for action, is_legal in others if is_legal))

    @property
    def can_transfer(self) -> bool:
        return bool(self.transfers)

    @property
    def transfers(self) -> tuple[Transfer, ...]:
        actions = (action for choice in self.cards for action in choice.actions)
        return tuple(action for action in actions if isinstance(action, Transfer))

    @property
    def could_answer(self) -> bool:
        """Whether there is an option other than passing or taking."""
        return self.show_trump is not None or any(choice.actions for choice in self.cards)

    def could_beat(self, attacks: Iterable[Card]) -> bool:
        """Return whether these attacks can be answered without taking."""
        actions = (action for choice in self.cards for action in choice.actions)
        beaten = {action.target for action in actions if isinstance(action, Defend)}
        return self.show_trump is not None or self.can_transfer or beaten.issuperset(attacks)

    def only_transfers(self) -> CardOptions:
        able = {action.card: action for action in self.transfers}
        cards = [CardChoice(c.card, (able[c.card],) if c.card in able else ()) for c in self.cards]
        return CardOptions(tuple(cards), asks_transfer=True)

    def of(self, card: Card) -> CardChoice:
        """Return the choice for a card, empty if it is not in hand."""
        return next((choice for choice in self.cards if choice.card == card), CardChoice(card))


@dataclass(frozen=True, slots=True)
class Moment:
    """What the viewer sees of the shown position.

    Attributes:
        observation: The viewer's observation; the viewer is ``observation.seat``.
        players: The players' specs; empty if unknown.
        thinking: The seat of a bot that is thinking, or None.
        ply: Number of actions before this position.
        last_ply: Number of actions in the game; more than ``ply`` when looking back.
        reason: Reason of the last bot's move; may be empty.
        human: The viewer's seat if a person plays it, else None. Texts then use names instead of "you".
        story: The viewer's events of the whole game, for the log when looking back; None for the
            observation's own.
        hints: Number of the person's decisions made with a hint.
        undos: Number of decisions taken back.
        hand_over: The seat whose person must take the keyboard before anything is shown, or None.
        is_finished: Whether the game is over and scored, whichever position is shown.
        is_unsaved: Whether the last save failed.
        forced_passes: Numbers of actions after which a pass without a choice was played, for spectators.
    """

    observation: Observation
    names: tuple[str, ...]
    options: CardOptions = field(default_factory=CardOptions)
    players: tuple[str, ...] = ()
    thinking: int | None = None
    ply: int = 0
    last_ply: int = 0
    reason: str = ""
    open_hands: tuple[CardSet, ...] | None = None
    human: int | None = None
    story: tuple[Event, ...] | None = None
    hints: int = 0
    undos: int = 0
    hand_over: int | None = None
    series: Series = NO_SERIES
    is_finished: bool = False
    is_unsaved: bool = False
    forced_passes: Sequence[int] = ()


def card_options(why_not: Callable[[Action], WhyNot | None], observation: Observation) -> CardOptions:
    """Compute the uses of each card from `State.why_not`; empty on another player's turn."""
    if observation.turn != observation.seat:
        return CardOptions(tuple(CardChoice(card) for card in observation.hand))
    shows = [ShowTrump(card) for card in observation.hand if observation.rules.show_trump]
    return CardOptions(
        cards=tuple(_choice(why_not, observation, card) for card in observation.hand),
        can_pass=why_not(PASS) is None,
        can_take=why_not(TAKE) is None,
        show_trump=next((show for show in shows if why_not(show) is None), None),
        can_exchange=why_not(EXCHANGE) is None,
    )


def forced_action(state: State) -> Action | None:
    """Return the action that takes no decision, or None.

    It is the only legal one, or the pass of a player who has already passed since the defender took: the
    ranks on the table stay the same, so the answer does too.
    """
    seat = state.turn
    if seat is None:
        return None
    if state.phase == Phase.PILE_ON and _has_passed_since_take(state.events, seat):
        return PASS if PASS in state.legal_actions else None
    if len(state.legal_actions) > 1:
        return None
    # The list leaves out answers to later attack cards (rules 5.5).
    actions = card_options(state.why_not, state.observation(seat)).actions
    return actions[0] if len(actions) == 1 else None


def openly_forced_action(seen: Observation, options: CardOptions) -> Action | None:
    """Return the action of `forced_action` if the other players know that it takes no decision, or None.

    They know it of a pass after an earlier one since the defender took, of a last card that opens a bout, and
    of a hand that is public. How soon such an action is played reveals nothing about the hand.
    """
    if seen.turn != seen.seat:
        return None
    if seen.phase == Phase.PILE_ON and _has_passed_since_take(seen.events, seen.seat):
        return PASS if options.can_pass else None
    is_last_card = seen.phase == Phase.OPENING and len(seen.hand) == 1
    is_public = seen.hands is not None or seen.known[seen.seat] == seen.hand
    actions = options.actions
    return actions[0] if (is_last_card or is_public) and len(actions) == 1 else None


def _has_passed_since_take(events: Sequence[Event], seat: int) -> bool:
    for event in reversed(events):
        if isinstance(event, TookUp):
            return False
        if isinstance(event, Passed) and event.seat == seat:
            return True
    return False


def _choice(why_not: Callable[[Action], WhyNot | None], observation: Observation, card: Card) -> CardChoice:
    candidates: list[Action] = [Attack(card)]
    if observation.phase == Phase.DEFENCE:
        candidates = [Defend(card, target) for target in observation.open_attacks]
        if observation.rules.transfer:
            candidates.append(Transfer(card))
    refusals = {action: why_not(action) for action in candidates}
    actions = tuple(action for action, why in refusals.items() if why is None)
    if actions:
        return CardChoice(card, actions)
    transfers = card.rank in {target.rank for target in observation.open_attacks}
    return CardChoice(card, why=refusals[candidates[-1 if transfers else 0]])


class GamePosition(Protocol):
    """A `State`, or what one seat or a spectator knows of one."""

    @property
    def plies(self) -> int: ...

    @property
    def bout(self) -> int: ...

    @property
    def hands(self) -> tuple[CardSet, ...] | None:
        """All hands; None if they are unknown."""

    def observation(self, seat: int, /) -> Observation: ...


P = TypeVar("P", bound=GamePosition)


class Game(Generic[P]):
    """A game, the shown position, and the seat that views it.

    Args:
        states: The positions so far; of a whole game from the deal on.
        given_names: The names in the record.
        players: The players' specs.

    Attributes:
        states: The known positions, oldest first. The list is the same as long as the game is.
        ply: Number of actions before the shown position.
        viewer: The viewing seat.
        open_hands: Whether all hands are shown, if they are known.
        known_seat: The only seat whose cards are known, of a game with real cards; otherwise None.
        reasons: Reasons of bots' moves, by the number of the action.
    """

    def __init__(
        self,
        states: Iterable[P] = (),
        given_names: Sequence[str] = (),
        players: tuple[str, ...] = (),
        viewer: int = 0,
    ) -> None:
        self.states = list(states)
        self.given_names = given_names
        self.players = players
        self.viewer = viewer
        self.ply = self.last_ply
        self.open_hands = False
        self.known_seat: int | None = None
        self.reasons: dict[int, Message | str] = {}

    # The positions

    @property
    def plies(self) -> Sequence[int]:
        """The numbers of actions before each known position."""
        return range(len(self.states))

    @property
    def last_ply(self) -> int:
        return self.plies[-1] if self.states else 0

    @property
    def shown(self) -> P:
        return self.states[self.plies.index(self.ply)]

    @property
    def is_live(self) -> bool:
        """Whether the last position is shown."""
        return self.ply == self.last_ply

    @property
    def names(self) -> tuple[str, ...]:
        """The players' names in the active language."""
        return shown_names(self.given_names, self.players)

    @property
    def moment(self) -> Moment:
        shown = self.shown
        return Moment(
            observation=shown.observation(self.viewer),
            names=self.names,
            players=self.players,
            ply=self.ply,
            last_ply=self.last_ply,
            open_hands=shown.hands if self.open_hands else None,
            story=None if self.is_live else self.states[-1].observation(self.viewer).events,
        )

    # Moving through the game

    def go(self, ply: int) -> None:
        """Show the position after this number of actions, or the nearest one."""
        self.ply = min(self.plies, key=lambda known: abs(known - ply))

    def step(self, direction: int) -> None:
        """Go one move forward (1) or back (-1)."""
        self.go(self.plies[min(max(self.plies.index(self.ply) + direction, 0), len(self.states) - 1)])

    def go_bout(self, direction: int) -> None:
        """Show the start of the next bout (1), or of this one, or if there of the previous one (-1)."""
        bouts = [state.bout for state in self.states]
        pairs = zip(self.plies, [0, *bouts], bouts, strict=False)
        starts = [ply for ply, before, bout in pairs if bout != before]
        if direction > 0:
            self.go(min((ply for ply in starts if ply > self.ply), default=self.last_ply))
        else:
            self.go(max((ply for ply in starts if ply < self.ply), default=self.plies[0]))
