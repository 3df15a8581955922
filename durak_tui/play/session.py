"""One game at the table: whose turn it is, who looks, what was played, what each sees.

The session knows the `State`; what it publishes are moments of one seat's `Observation`. It knows no
Textual. Bots choose from their own observations, in a thread or in the engine's process, and their
actions enter through the same `Session.submit` as a person's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Protocol

from durak_core import Action, Observation, State, WhyNot
from durak_core.messages import Message
from durak_tui.engines.processes import Engine
from durak_tui.play.bot_loop import GameLoop
from durak_tui.play.bots import seat_bots
from durak_tui.play.moment import CardOptions, Moment, card_options
from durak_tui.play.series import Series
from durak_tui.play.setup import NO_HELP, GameSetup, Help
from durak_tui.play.timeline import Timeline
from durak_tui.players.names import shown_names
from durak_tui.text.core_messages import core_words
from durak_tui.text.i18n import say


class Keeper(Protocol):
    """Something that keeps a game safe while it is played."""

    def keep(self, state: State, used: Help) -> None:
        """Save the game as it is after an action, or after help was used."""


class Session(GameLoop):
    """A game, the people who play it, and the loop that asks the bots.

    Args:
        setup: The players.
        states: The game so far, from the deal on; by default it is dealt now.
        keeper: What saves the game after every action.
        tell: Called with a sentence for the person when a bot or the saving fails.
        engine: Where bots that think do so.

    Raises:
        DealError: If no deal stands.
        AgentError: If a bot cannot play by these rules, or thinks and there is no engine.

    Attributes:
        viewer: The seat that looks.
        hand_over: The seat whose person the keyboard is to be handed to, or None: where several people
            share it, nothing goes on before `take_seat`.
        open_hands: Whether all hands are shown.
        keeper: What saves the game after every action, or None.
        used: What the person was helped with so far.
    """

    def __init__(
        self,
        setup: GameSetup,
        states: Iterable[State] = (),
        *,
        keeper: Keeper | None = None,
        tell: Callable[[str], None] = print,
        engine: Engine | None = None,
    ) -> None:
        super().__init__(setup, Timeline(list(states) or [setup.deal()]), tell)
        self.viewer = min(setup.humans, default=0)
        self.hand_over: int | None = self._next_person() if setup.is_shared else None
        self.open_hands = False
        self.keeper = keeper
        self.used: Help = NO_HELP
        self._cannot_save = False
        self._hinted = -1
        self._bots = seat_bots(setup, engine, self._say)

    # What there is to see

    @property
    def person(self) -> int | None:
        """The seat of the person who looks, or None where nobody plays."""
        return self.viewer if self.viewer in self.setup.humans else None

    @property
    def is_persons_turn(self) -> bool:
        """Whether the person who looks is to act."""
        return self.hand_over is None and self.person is not None and self.state.turn == self.person

    @property
    def waits(self) -> bool:
        """Whether no bot may move now: one has failed, or the keyboard is handed over."""
        return super().waits or self.hand_over is not None

    @property
    def moment(self) -> Moment:
        """What the viewer sees now."""
        shown = self.timeline.shown
        observation = shown.observation(self.viewer)
        shared_end = observation.is_over and self.setup.is_shared
        human = None if shared_end else self.person
        may_act = human is not None and self.is_live
        return Moment(
            observation=observation,
            names=self.names,
            options=card_options(shown.why_not, observation) if may_act else CardOptions(),
            thinking=self._thinking if self.is_live else None,
            ply=self.ply,
            last_ply=self.timeline.last,
            # A reason may tell of cards that a player must not know: only those who watch read it.
            reason="" if self.setup.humans else self._reason(),
            open_hands=shown.hands if self.open_hands else None,
            human=human,
            story=None if self.is_live else self.state.observation(self.viewer).events,
            hints=self.used.hints,
            undos=self.used.undos,
            hand_over=self.hand_over,
            series=self.series,
            is_finished=self.is_over,
        )

    @property
    def series(self) -> Series:
        """The score of the games of which this is one; it counts once it is over."""
        series = self.setup.series
        return series.after(self.state.fool, self.setup.rules.seats) if self.is_over else series

    @property
    def names(self) -> tuple[str, ...]:
        """What the seats are called in the language in force."""
        return shown_names(self.setup.names, self.setup.players)

    @property
    def decision(self) -> Observation | None:
        """What the seat to act sees in the moment shown; None when the game is over there."""
        shown = self.timeline.shown
        return None if shown.turn is None else shown.observation(shown.turn)

    def _reason(self) -> str:
        """Say who moved last in the moment shown, and why."""
        given = self.timeline.reason
        return "" if given is None else f"{self.names[given[0]]}: {core_words(given[1])}"

    # What a person may do

    def submit(self, action: Action, seat: int | None = None, reason: Message | str = "") -> WhyNot | None:
        """Play an action.

        Args:
            action: What to do.
            seat: Whose action it is; by default that of the person who looks.
            reason: Why, for those who watch.

        Returns:
            None when it was played; else why it is refused, and nothing has changed.
        """
        actor = self.person if seat is None else seat
        if not self.is_over and (actor != self.state.turn or self.hand_over is not None):
            return WhyNot("11.1", Message("it is another seat's turn"), "not_your_turn")
        why = self.state.why_not(action)
        if why is None:
            self.timeline.add(self.state.apply(action), reason)
            self._settle()
        return why

    @property
    def can_undo(self) -> bool:
        """Whether the person who looks has a decision to take back."""
        return not self.is_over and self._last_decision() is not None

    def undo(self) -> bool:
        """Go back to before the last decision of the person who looks, whatever was played since.

        A bot's thinking ends. Until the keyboard is handed over, whoever has just played still looks.

        Returns:
            Whether there was one; a finished game stays finished.
        """
        ply = self._last_decision()
        if self.is_over or ply is None:
            return False
        self.timeline.cut(ply)
        self.problem = ""
        self._hinted = -1
        self.used = replace(self.used, undos=self.used.undos + 1)
        self.forget_choice()
        self._settle()
        return True

    def _last_decision(self) -> int | None:
        return None if self.person is None else self.timeline.last_decision(self.person)

    def count_hint(self) -> None:
        """Remember that the person has seen advice for this decision; who only watches needs none."""
        if self.setup.humans and self._hinted != self.ply:
            self._hinted = self.ply
            self.used = replace(self.used, hints=self.used.hints + 1)
            self._keep(self.state)

    def take_seat(self) -> None:
        """Show the table to the person whom the keyboard was handed to, and go on."""
        if self.hand_over is not None:
            self.viewer, self.hand_over = self.hand_over, None
            self.restart_pace()
            self.wake()
            self.publish()

    def _next_person(self) -> int:
        """Return the person who acts next, or would if nobody else acted before."""
        start, seats = self.state.turn or 0, self.setup.rules.seats
        return next(at % seats for at in range(start, start + seats) if at % seats in self.setup.humans)

    # After every change

    def _settle(self) -> None:
        """Save and show the game after it has changed."""
        turn = self.state.turn
        others_turn = self.setup.is_shared and turn in self.setup.humans and turn != self.viewer
        self.hand_over = turn if others_turn else None
        self.restart_pace()
        self._keep(self.state)
        self._thinking = None
        self.wake()
        self.publish()

    def _keep(self, state: State) -> None:
        """Save; a full disk must not end the game, but the person is told, once."""
        if self.keeper is None or self._cannot_save:
            return
        try:
            self.keeper.keep(state, self.used)
        except OSError as error:
            self._cannot_save = True
            self.tell(say("The game cannot be saved: {why}.", why=error.strerror or error))

    def _say(self, text: str) -> None:
        """Tell the person something, by whatever `tell` is by then."""
        self.tell(text)
