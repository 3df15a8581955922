"""Snapshots of a game for one seat, and the timeline of its positions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

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
from durak_core.messages import Message
from durak_tui.play.setup import NO_SERIES, Series


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
class SessionSnapshot:
    """A snapshot published by the session after each change.

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


def bout_start(states: Sequence[State], ply: int, direction: int) -> int:
    """Return the start of the next bout (1), or of this one, or of the previous one if at its start (-1)."""
    starts = [at for at, state in enumerate(states) if at == 0 or state.bout != states[at - 1].bout]
    if direction > 0:
        return min((at for at in starts if at > ply), default=len(states) - 1)
    return max((at for at in starts if at < ply), default=0)


def _ends_bout(before: State, after: State) -> bool:
    return after.is_over or after.bout != before.bout


class Timeline:
    """All positions of a game, the deal first.

    Attributes:
        ply: The index of the shown position.
        reasons: Reasons of bots' moves by resulting ply.
    """

    def __init__(self, states: Iterable[State]) -> None:
        self.states = list(states)
        self.ply = len(self.states) - 1
        self.reasons: dict[int, Message | str] = {}
        self._forced: list[int] = []
        self._searched = 0

    @property
    def last(self) -> int:
        return len(self.states) - 1

    @property
    def shown(self) -> State:
        return self.states[self.ply]

    @property
    def is_live(self) -> bool:
        return self.ply == self.last

    @property
    def reason(self) -> tuple[int, Message | str] | None:
        """The seat and reason of the last shown move, or None without a reason."""
        reason = self.reasons.get(self.ply, "")
        actor = self.states[self.ply - 1].turn if reason else None
        return None if actor is None else (actor, reason)

    def add(self, state: State, reason: Message | str) -> None:
        """Append a position, and show it if the previous one was shown."""
        was_live = self.is_live
        self.states.append(state)
        self.reasons[self.last] = reason
        if was_live:
            self.ply = self.last

    def cut(self, ply: int) -> None:
        del self.states[ply + 1 :]
        self._forced, self._searched = [], 0
        self.reasons = {at: reason for at, reason in self.reasons.items() if at <= ply}
        self.ply = ply

    @property
    def forced_passes(self) -> Sequence[int]:
        """The plies after a pass that was the player's only action."""
        for ply in range(self._searched, self.last):
            if forced_action(self.states[ply]) == PASS:
                self._forced.append(ply + 1)
        self._searched = self.last
        return self._forced

    def is_moment(self, ply: int) -> bool:
        """Return whether there is something new to see: no forced pass in the middle of a bout."""
        if ply not in self.forced_passes:
            return True
        return ply == 0 or _ends_bout(self.states[ply - 1], self.states[ply])

    @property
    def passes_unseen(self) -> bool:
        """Whether the next action is a forced pass in the middle of a bout."""
        state = self.states[-1]
        return forced_action(state) == PASS and not _ends_bout(state, state.apply(PASS))

    def moment_from(self, ply: int, direction: int) -> int:
        """Return the next moment with something new to see, forward (1) or back (-1)."""
        ply += direction
        while 0 < ply < self.last and not self.is_moment(ply):
            ply += direction
        return ply

    def show(self, ply: int) -> None:
        self.ply = min(max(ply, 0), self.last)

    def last_decision(self, seat: int, is_choice: Callable[[State], bool]) -> int | None:
        """Return the last position in which a seat acted and had a choice."""
        plies = range(self.last - 1, -1, -1)
        acted = (ply for ply in plies if self.states[ply].turn == seat and is_choice(self.states[ply]))
        return next(acted, None)
