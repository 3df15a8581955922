"""One game at the table: its positions, its viewer, and the loop that runs the bots.

The session has the `State` but publishes only moments with one seat's `Observation`. Bots and people both
play through `Session.submit`.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import count
from typing import Final, Self, TypeAlias

from durak_core import PASS, Action, Observation, Record, State, WhyNot
from durak_core.agents.base import Decision
from durak_core.agents.personas import opponent_of
from durak_core.errors import ActionError, FileError, IllegalActionError, Message
from durak_tui.engine import Engine
from durak_tui.play.analysis import AnalysisCache
from durak_tui.play.bots import hurry, seat_bots
from durak_tui.play.game import CardOptions, Game, Moment, card_options, forced_action
from durak_tui.play.saves import SavedGame, Saves, Unfinished, game_record
from durak_tui.play.setup import NO_HELP, GameSetup, Help, Series
from durak_tui.players import HUMAN
from durak_tui.text.core_messages import core_words
from durak_tui.text.i18n import gettext

Listener: TypeAlias = Callable[[Moment], None]

_SHOW_THINKING_AFTER: Final = 0.1
"""Seconds until a bot is shown as thinking, so that fast bots do not flicker."""
_BLINK: Final = 0.3
"""Most seconds before a person's forced pass plays itself."""
_SKIPPING: Final = 0.05
"""Most seconds before a bot moves while a person skips to the end."""


class Session(Game[State]):
    """A game, its players, and the loop that runs the bots.

    Args:
        states: The game so far, from the deal on; by default a new deal.
        keeper: Saves the game after every action.
        tell: Called with a message for the player when a bot fails; `problem` has it as well.
        engine: Runs searching bots.

    Raises:
        DealError: If no deal is accepted.
        AgentError: If a bot searches and there is no engine.

    Attributes:
        hand_over: The seat whose person must take the shared keyboard, or None. The game waits for
            `take_seat`.
        pace: Seconds before a bot moves.
        problem: Why the game cannot continue, or empty.
        is_running: Whether bots move by themselves; False while paused.
        plays_only_moves: Whether the only person's forced actions play themselves. With several people at
            the keyboard they never do: how soon a player passes would tell the others about the hand.
        is_skipping: Whether the rest of the game runs at high speed.
    """

    def __init__(
        self,
        setup: GameSetup,
        states: Iterable[State] = (),
        *,
        keeper: SavedGame | None = None,
        tell: Callable[[str], None] = lambda _text: None,
        engine: Engine | None = None,
    ) -> None:
        self.setup = setup
        viewer = min(setup.humans, default=0)
        super().__init__(list(states) or [setup.deal()], setup.names, setup.players, viewer)
        self.tell = tell
        following = (at % setup.rules.seats for at in count(self.state.turn or 0))
        self.hand_over = next(at for at in following if at in setup.humans) if setup.is_shared else None
        self.keeper = keeper
        self.answers = AnalysisCache()
        self.used: Help = NO_HELP
        self.pace = 0.0
        self.problem = ""
        self.plays_only_moves = False
        self.is_skipping = False
        self._hinted = -1
        self._bots = seat_bots(setup, engine, tell)
        self.is_running = True
        self._steps_due = 0
        self._changed = asyncio.Event()
        self._listeners: list[Listener] = []
        self._task: asyncio.Task[None] | None = None
        self._moved_at = 0.0
        self._thinking: int | None = None
        self._choice: asyncio.Task[Decision] | None = None
        self._forced: list[int] = []
        self._searched = 0
        self._undone: list[tuple[list[State], dict[int, Message | str]]] = []

    @classmethod
    def new(
        cls, setup: GameSetup, saves: Saves, engine: Engine | None, states: Iterable[State] = ()
    ) -> Session:
        """Deal a game, or play on from these positions, and start saving it.

        To play on counts as a move taken back: others may have played so far, and the deal is known.

        Raises:
            DurakError: If the game cannot be played or, for a daily deal, saved.
        """
        positions = tuple(states)
        session = cls(setup, positions, tell=saves.tell, engine=engine)
        session.used = Help(undos=1) if positions else NO_HELP
        session.keeper = saves.begin(setup, session.state, session.used)
        return session

    @classmethod
    def continued(cls, game: Unfinished, saves: Saves, engine: Engine | None) -> Self | None:
        """Continue a saved game; return None, with a message for the player, if that is impossible."""
        try:
            resumed = saves.resume(game)
        except FileError as error:
            saves.tell(gettext("The game cannot be continued: {why}.", why=core_words(error.why)))
            return None
        if resumed is None:
            saves.tell(gettext("Another program is playing this game, or it is over."))
            return None
        game, saved = resumed
        session = cls.resumed(game, saved, saves, engine)
        session.used = game.used
        return session

    @classmethod
    def resumed(cls, game: Unfinished, saved: SavedGame, saves: Saves, engine: Engine | None) -> Self:
        """Return the session of a game that was locked for it."""
        return cls(game.setup, game.states, keeper=saved, tell=saves.tell, engine=engine)

    # State of the game

    @property
    def state(self) -> State:
        """The current position, whichever is shown."""
        return self.states[-1]

    @property
    def record(self) -> Record:
        return game_record(self.setup, self.state, used=self.used)

    @property
    def is_over(self) -> bool:
        return self.state.is_over

    # What the viewer sees

    @property
    def person(self) -> int | None:
        """The viewing seat if a person plays it, else None."""
        return self.viewer if self.viewer in self.setup.humans else None

    @property
    def is_persons_turn(self) -> bool:
        return self.hand_over is None and self.person is not None and self.state.turn == self.person

    @property
    def moment(self) -> Moment:
        moment, shown = super().moment, self.shown
        observation = moment.observation
        human = None if observation.is_over and self.setup.is_shared else self.person
        may_act = human is not None and self.is_live
        return replace(
            moment,
            options=card_options(shown.why_not, observation) if may_act else CardOptions(),
            thinking=self._thinking if self.is_live else None,
            # A reason may reveal hidden cards, so only spectators get it.
            reason="" if self.setup.humans else self._reason,
            human=human,
            hints=self.used.hints,
            undos=self.used.undos,
            hand_over=self.hand_over,
            series=self.series,
            is_finished=self.is_over,
            is_unsaved=self.keeper is not None and self.keeper.unsaved is not None,
            forced_passes=() if self.setup.humans else tuple(self.forced_passes),
        )

    @property
    def series(self) -> Series:
        series = self.setup.series
        return series.after_game(self.state) if self.is_over else series

    @property
    def decision(self) -> Observation | None:
        """The observation of the seat to act in the shown position; None if the game is over there."""
        return None if self.shown.turn is None else self.shown.observation(self.shown.turn)

    @property
    def _reason(self) -> str:
        """The reason of the last shown move, with its player's name."""
        reason = self.reasons.get(self.ply, "")
        actor = self.states[self.ply - 1].turn if reason else None
        return "" if actor is None else f"{self.names[actor]}: {core_words(reason)}"

    # Moves without a choice

    @property
    def forced_passes(self) -> Sequence[int]:
        """The plies after a pass that was the player's only action."""
        for ply in range(self._searched, self.last_ply):
            if forced_action(self.states[ply]) == PASS:
                self._forced.append(ply + 1)
        self._searched = self.last_ply
        return self._forced

    def is_moment(self, ply: int) -> bool:
        """Return whether there is something new to see: no forced pass in the middle of a bout."""
        return ply not in self.forced_passes or _ends_bout(self.states[ply - 1], self.states[ply])

    @property
    def passes_unseen(self) -> bool:
        """Whether the next action is a forced pass in the middle of a bout."""
        return forced_action(self.state) == PASS and not _ends_bout(self.state, self.state.apply(PASS))

    def moment_from(self, ply: int, direction: int) -> int:
        """Return the next moment with something new to see, forward (1) or back (-1)."""
        ply += direction
        while 0 < ply < self.last_ply and not self.is_moment(ply):
            ply += direction
        return ply

    # The player's actions

    def submit(self, action: Action, seat: int | None = None, reason: Message | str = "") -> WhyNot | None:
        """Play an action for a seat, by default the viewer's; return why if it is refused.

        The reason is shown to spectators.
        """
        actor = self.person if seat is None else seat
        if not self.is_over and (actor != self.state.turn or self.hand_over is not None):
            return WhyNot("11.1", Message("it is not your turn"), "not_your_turn")
        try:
            state = self.state.apply(action)
        except IllegalActionError:
            return self.state.why_not(action)
        if self.open_hands and actor == self.person:
            self.count_hint()
        was_live = self.is_live
        self._undone.clear()
        self.states.append(state)
        self.reasons[self.last_ply] = reason
        if was_live:
            self.ply = self.last_ply
        self._settle()
        return None

    def show_hands(self, *, shown: bool) -> None:
        """Show all hands to the only person at the keyboard, or hide them; bots see what they saw before.

        Each decision made so counts as one with a hint.
        """
        self.open_hands = shown
        if shown:
            self.count_hint()
        self.publish()

    @property
    def can_undo(self) -> bool:
        return self._last_decision() is not None

    def undo(self) -> bool:
        """Take back the viewer's last decision and everything after it; return whether there was one.

        Actions that played themselves are no decisions.
        With a shared keyboard the viewer stays the last player until the handover. A finished game allows no
        undo.
        """
        ply = self._last_decision()
        if ply is None:
            return False
        self._undone.append((self.states[ply + 1 :], self.reasons))
        del self.states[ply + 1 :]
        self.answers.forget_from(ply + 1)
        self._forced, self._searched = [], 0
        self.reasons = {at: reason for at, reason in self.reasons.items() if at <= ply}
        self.ply = ply
        self.is_skipping = False
        self.problem = ""
        self._hinted = -1
        self.used = replace(self.used, undos=self.used.undos + 1)
        if self._choice is not None:
            self._choice.cancel()
        self._settle()
        return True

    @property
    def can_redo(self) -> bool:
        return bool(self._undone)

    def redo(self) -> bool:
        """Play again what `undo` took back last; return whether there was something. A new move ends this."""
        if not self._undone:
            return False
        states, self.reasons = self._undone.pop()
        self.states += states
        self.ply = self.last_ply
        self._settle()
        return True

    def _last_decision(self) -> int | None:
        if self.is_over or self.person is None or self.setup.day is not None:
            return None
        acted = (ply for ply in range(self.last_ply - 1, -1, -1) if self.states[ply].turn == self.person)
        is_choice = (
            ply for ply in acted if not self._passes_over_forced or not forced_action(self.states[ply])
        )
        return next(is_choice, None)

    @property
    def _passes_over_forced(self) -> bool:
        return self.plays_only_moves and self.setup.human is not None

    @property
    def forced(self) -> Action | None:
        """The person's action that is about to play itself, or None."""
        if not (self._passes_over_forced and self.is_live and self.is_persons_turn):
            return None
        return forced_action(self.state)

    @property
    def is_rated(self) -> bool:
        """Whether the game counts for the person's rating, as long as its deal was not played before."""
        setup = self.setup
        bots = [player for player in setup.players if player != HUMAN]
        is_alone = setup.human is not None and setup.rules.teams is None
        return is_alone and self.used == NO_HELP and all(map(opponent_of, bots))

    @property
    def can_skip(self) -> bool:
        """Whether all people at the keyboard are out while others play on."""
        humans = self.setup.humans
        return bool(humans) and not self.is_over and humans <= set(self.state.places)

    def skip_to_end(self) -> None:
        """Run the rest of the game at high speed. Without teams, searching bots think less."""
        self.is_skipping = True
        if self.setup.rules.teams is None:
            hurry(self._bots.values())
        self._changed.set()
        self.publish()

    def count_hint(self) -> bool:
        """Count a hint once per decision; return whether it is the game's first. Spectators' do not count."""
        if not self.setup.humans or self._hinted == self.ply:
            return False
        self._hinted = self.ply
        self.used = replace(self.used, hints=self.used.hints + 1)
        self._keep()
        return self.used.hints == 1

    def take_seat(self) -> None:
        """Show the table to the person who took the keyboard, and continue."""
        if self.hand_over is not None:
            self.viewer, self.hand_over = self.hand_over, None
            self._restart_pace()
            self._changed.set()
            self.publish()

    # After every change

    def _settle(self) -> None:
        turn = self.state.turn
        others_turn = self.setup.is_shared and turn in self.setup.humans and turn != self.viewer
        self.hand_over = turn if others_turn else None
        self._restart_pace()
        self._keep()
        self._thinking = None
        self._changed.set()
        self.publish()

    def _keep(self) -> None:
        if self.keeper is not None:
            self.keeper.keep(self.state, self.used)

    def save(self) -> str:
        """Retry a failed save; return the problem, or empty if all is saved."""
        if self.keeper is None:
            return ""
        self.keeper.try_again()
        if self.keeper.unsaved is None:
            return ""
        why = core_words(self.keeper.unsaved)
        return gettext("What was played last cannot be saved: {why}.", why=why)

    # Running, pausing, replaying

    def pause(self) -> None:
        """Stop all moves until `resume` or `step`."""
        self._set_running(False)

    def resume(self) -> None:
        """Replay from the shown position, then let the bots move."""
        self._set_running(True)

    def step(self, direction: int = 1) -> None:
        """Pause, and go one move back (-1) or forward (1), letting bots move if needed.

        Forced passes are no moves here, unless they end a bout.
        """
        if self.is_live and direction > 0:
            self._steps_due += 1
            self._set_running(False)
        else:
            self.go(self.moment_from(self.ply, direction))

    def go(self, ply: int) -> None:
        """Pause, and show the position after this many actions, or the nearest one."""
        super().go(ply)
        self._steps_due = 0
        self._set_running(False)

    def set_pace(self, seconds: float) -> None:
        self.pace = seconds
        self._changed.set()

    def set_only_moves(self, plays_itself: bool) -> None:
        self.plays_only_moves = plays_itself
        self._changed.set()

    # Listeners

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call a function with the moment after every change; return a function that unsubscribes."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def publish(self) -> None:
        moment = self.moment
        for listener in tuple(self._listeners):
            listener(moment)

    # The loop

    def start(self) -> None:
        """Start the loop. Needs a running event loop."""
        if self._task is None:
            self._restart_pace()
            self._task = asyncio.get_running_loop().create_task(self._run())
        self.publish()

    def stop(self) -> None:
        self._listeners.clear()
        if self._task is not None:
            self._task.cancel()

    async def close(self) -> None:
        self.stop()
        task, self._task = self._task, None
        if task is not None:
            with contextlib.suppress(asyncio.CancelledError):
                await task

    def _restart_pace(self) -> None:
        self._moved_at = _now()

    async def _run(self) -> None:
        while True:
            self._changed.clear()
            if self._steps_due and self._bot_is_to_move:
                await self._bot_moves()
                if self.is_moment(self.last_ply):
                    self._steps_due = max(0, self._steps_due - 1)
            elif not self.is_running or not (self._bot_is_to_move or not self.is_live or self.forced):
                await self._changed.wait()
            elif await self._pace_is_over():
                forced = self.forced
                if forced is not None:
                    self.submit(forced)
                elif self.is_live:
                    await self._bot_moves()
                else:
                    self._restart_pace()
                    super().go(self.moment_from(self.ply, 1))
                    self.publish()

    @property
    def _bot_is_to_move(self) -> bool:
        return self.is_live and not self.problem and self.hand_over is None and self.state.turn in self._bots

    @property
    def _delay(self) -> float:
        if self.is_skipping:
            return min(self.pace, _SKIPPING)
        if not self.setup.humans and self.is_live and self.passes_unseen:
            return 0.0
        return min(self.pace, _BLINK) if self.forced == PASS else self.pace

    async def _pace_is_over(self) -> bool:
        """Wait until the next move is due; return False if something changed meanwhile."""
        rest = self._moved_at + self._delay - _now()
        if rest <= 0:
            await asyncio.sleep(0)
        else:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(rest):
                    await self._changed.wait()
        return not self._changed.is_set()

    async def _bot_moves(self) -> None:
        state = self.state
        seat = state.turn
        if seat is None:
            return
        bot = self._bots[seat]
        choice = asyncio.get_running_loop().create_task(bot(state.observation(seat)))
        self._choice = choice
        try:
            await asyncio.wait({choice}, timeout=_SHOW_THINKING_AFTER)
            if not choice.done():
                self._thinking = seat
                self.publish()
                await asyncio.wait({choice})
            if choice.cancelled():
                return
            decision = choice.result()
            why = self.submit(decision.action, seat, decision.reason) if self.state is state else None
            if why is not None:
                action = decision.action
                refusal = ActionError("{action} is not allowed here: {why}", action=action, why=why.message)
                self._fail(seat, refusal)
        except Exception as error:  # noqa: BLE001 - whatever a bot does, the game and the app go on
            self._fail(seat, error)
        finally:
            self._thinking = None
            self._choice = None
            choice.cancel()

    def _fail(self, seat: int, error: Exception) -> None:
        why = core_words(error) or type(error).__name__
        self.problem = gettext("{who} cannot go on: {why}", who=self.names[seat], why=why)
        self._thinking = None
        self.tell(self.problem)
        self.publish()

    def _set_running(self, running: bool) -> None:
        self.is_running = running
        self._changed.set()
        self.publish()


def _ends_bout(before: State, after: State) -> bool:
    return after.is_over or after.bout != before.bout


def _now() -> float:
    return asyncio.get_running_loop().time()
