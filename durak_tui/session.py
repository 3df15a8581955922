"""One game at the table: whose turn it is, who chooses, what was played, what each sees.

The session knows the `State`; what it publishes are moments of one seat's `Observation`. It knows no
Textual. Bots choose from their own observations, in a thread or in the engine's process, and their
actions enter through the same `Session.submit` as a person's.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Protocol, TypeAlias

from durak_core import Action, Observation, State, WhyNot
from durak_core.agents import Decision
from durak_core.errors import ActionError
from durak_tui.bots import Bot, seat_bots
from durak_tui.engines import Engine
from durak_tui.game_setup import HUMAN, NO_HELP, GameSetup, Help
from durak_tui.view_model import CardOptions, Moment, card_options

__all__ = ["HUMAN", "GameSetup", "Help", "Keeper", "Session"]

Listener: TypeAlias = Callable[[Moment], None]

_SHOW_THINKING_AFTER: Final = 0.1
"""Seconds after which a bot is said to think; quick ones would only flicker."""


class Keeper(Protocol):
    """Something that keeps a game safe while it is played."""

    def keep(self, state: State, used: Help) -> None:
        """Save the game as it is after an action, or after help was used."""


@dataclass(slots=True)
class _Control:
    """What the person asked the loop for."""

    running: bool = True
    moves: int = 0
    changed: asyncio.Event = field(default_factory=asyncio.Event)


class Session:
    """A game and the loop that plays it.

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
        setup: As given.
        states: Every moment of the game so far, the deal first.
        ply: Which of them is shown.
        viewer: The seat that looks.
        open_hands: Whether all hands are shown.
        pace: Seconds before a bot moves; `set_pace` changes it at any time.
        problem: Why the game cannot go on, or empty.
        keeper: What saves the game after every action, or None.
        tell: As given.
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
        self.setup = setup
        self.states = list(states) or [setup.deal()]
        self.ply = len(self.states) - 1
        self.viewer = setup.human or 0
        self.open_hands = False
        self.pace = 0.0
        self.problem = ""
        self.tell = tell
        self.keeper = keeper
        self.used: Help = NO_HELP
        self._cannot_save = False
        self._control = _Control()
        self._listeners: list[Listener] = []
        self._task: asyncio.Task[None] | None = None
        self._moved_at = 0.0
        self._thinking: int | None = None
        self._reasons: dict[int, str] = {}
        self._choice: asyncio.Task[Decision] | None = None
        self._hinted = -1
        self._bots: Mapping[int, Bot] = seat_bots(setup, engine, self._say)

    # What there is to see

    @property
    def state(self) -> State:
        """The game as it stands, whatever is shown."""
        return self.states[-1]

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.state.is_over

    @property
    def is_running(self) -> bool:
        """Whether bots move by themselves; False while paused."""
        return self._control.running

    @property
    def is_live(self) -> bool:
        """Whether the last moment is the one shown."""
        return self.ply == len(self.states) - 1

    @property
    def moment(self) -> Moment:
        """What the viewer sees now."""
        shown = self.states[self.ply]
        observation = shown.observation(self.viewer)
        human = self.setup.human if self.viewer == self.setup.human else None
        may_act = human is not None and self.is_live
        return Moment(
            observation=observation,
            names=self.setup.names,
            options=card_options(shown.why_not, observation) if may_act else CardOptions(),
            thinking=self._thinking if self.is_live else None,
            ply=self.ply,
            last_ply=len(self.states) - 1,
            # A reason may tell of cards that a player must not know: only those who watch read it.
            reason=self._reason() if self.setup.human is None else "",
            open_hands=shown.hands if self.open_hands else None,
            human=human,
            story=None if self.is_live else self.state.observation(self.viewer).events,
            hints=self.used.hints,
            undos=self.used.undos,
        )

    @property
    def decision(self) -> Observation | None:
        """What the seat to act sees in the moment shown; None when the game is over there."""
        shown = self.states[self.ply]
        return None if shown.turn is None else shown.observation(shown.turn)

    def _reason(self) -> str:
        """Say who moved last in the moment shown, and why."""
        reason = self._reasons.get(self.ply, "")
        actor = self.states[self.ply - 1].turn if reason else None
        return "" if actor is None else f"{self.setup.names[actor]}: {reason}"

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call a function with the moment at every change; return what ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    # What a person may do

    def submit(self, action: Action, seat: int | None = None, reason: str = "") -> WhyNot | None:
        """Play an action.

        Args:
            action: What to do.
            seat: Whose action it is; by default the person's.
            reason: Why, for those who watch.

        Returns:
            None when it was played; else why it is refused, and nothing has changed.
        """
        actor = self.setup.human if seat is None else seat
        if not self.is_over and actor != self.state.turn:
            return WhyNot("11.1", "it is another seat's turn", "not_your_turn")
        why = self.state.why_not(action)
        if why is None:
            self._play(action, reason)
        return why

    @property
    def can_undo(self) -> bool:
        """Whether the person has a decision to take back."""
        return not self.is_over and self._last_decision() is not None

    def undo(self) -> bool:
        """Go back to before the person's last decision, whatever was played since; a bot's thinking ends.

        Returns:
            Whether there was one; a finished game stays finished.
        """
        ply = self._last_decision()
        if self.is_over or ply is None:
            return False
        del self.states[ply + 1 :]
        self._reasons = {at: reason for at, reason in self._reasons.items() if at <= ply}
        self.ply = ply
        self.problem = ""
        self._hinted = -1
        self.used = replace(self.used, undos=self.used.undos + 1)
        if self._choice is not None:
            self._choice.cancel()
        self._settle()
        return True

    def count_hint(self) -> None:
        """Remember that the person has seen advice for this decision; who only watches needs none."""
        if self.setup.human is not None and self._hinted != self.ply:
            self._hinted = self.ply
            self.used = replace(self.used, hints=self.used.hints + 1)
            self._keep(self.state)

    def _last_decision(self) -> int | None:
        human = self.setup.human
        decisions = [ply for ply, state in enumerate(self.states[:-1]) if state.turn == human]
        return decisions[-1] if human is not None and decisions else None

    def pause(self) -> None:
        """Let nothing move until `resume` or `step`."""
        self._set_running(False)

    def resume(self) -> None:
        """Let the game run: the moves already played from the one shown on, then the bots."""
        self._set_running(True)

    def step(self) -> None:
        """Pause, and go one move on: to one already played, or a bot plays one."""
        if self.is_live:
            self._control.moves += 1
            self._set_running(False)
        else:
            self.go(self.ply + 1)

    def go(self, ply: int) -> None:
        """Pause, and show the moment after so many actions, or the nearest there is."""
        self.ply = min(max(ply, 0), len(self.states) - 1)
        self._control.moves = 0
        self._set_running(False)

    def go_bout(self, direction: int) -> None:
        """Pause, and show the beginning of a bout.

        Args:
            direction: 1 for the next one played, -1 for this one, or the one before when at its beginning.
        """
        starts = [
            ply
            for ply, state in enumerate(self.states)
            if ply == 0 or (not state.is_over and state.bout != self.states[ply - 1].bout)
        ]
        last = len(self.states) - 1
        if direction > 0:
            self.go(min((ply for ply in starts if ply > self.ply), default=last))
        else:
            self.go(max((ply for ply in starts if ply < self.ply), default=0))

    def look_from(self, seat: int) -> None:
        """Look from another seat, where no person plays."""
        self.viewer = seat
        self.publish()

    def set_open_hands(self, shown: bool) -> None:
        """Show or hide all hands."""
        self.open_hands = shown
        self.publish()

    def set_pace(self, seconds: float) -> None:
        """Let bots wait so long before each move, from now on."""
        self.pace = seconds
        self._wake()

    # The loop

    def start(self) -> None:
        """Begin to play; needs a running event loop."""
        if self._task is None:
            self._moved_at = _now()
            self._task = asyncio.get_running_loop().create_task(self._run())
        self.publish()

    def stop(self) -> None:
        """Stop playing and tell nobody any more; the game stays as it is."""
        self._listeners.clear()
        if self._task is not None:
            self._task.cancel()

    async def close(self) -> None:
        """Stop, and wait until the loop has ended."""
        self.stop()
        task, self._task = self._task, None
        if task is not None:
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def _run(self) -> None:
        while True:
            self._control.changed.clear()
            if self._control.moves and self._bot_is_to_move:
                self._control.moves -= 1
                await self._bot_moves()
            elif not self._control.running or not (self._bot_is_to_move or not self.is_live):
                await self._control.changed.wait()
            elif await self._pace_is_over():
                if self.is_live:
                    await self._bot_moves()
                else:
                    self._moved_at = _now()
                    self.ply += 1
                    self.publish()

    @property
    def _bot_is_to_move(self) -> bool:
        return self.is_live and not self.problem and self.state.turn in self._bots

    async def _pace_is_over(self) -> bool:
        """Wait until the next move is due; False if the person did something meanwhile."""
        rest = self._moved_at + self.pace - _now()
        if rest <= 0:
            await asyncio.sleep(0)
            return not self._control.changed.is_set()
        try:
            async with asyncio.timeout(rest):
                await self._control.changed.wait()
        except TimeoutError:
            return True
        return False

    async def _bot_moves(self) -> None:
        state = self.state
        seat = state.turn
        if seat is None:
            return
        bot = self._bots[seat]
        choice = asyncio.get_running_loop().create_task(bot.choose(state.observation(seat)))
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
                self._fail(seat, ActionError(f"{decision.action} is not allowed here: {why}"))
        except Exception as error:  # noqa: BLE001 - whatever a bot does, the game and the app go on
            self._fail(seat, error)
        finally:
            self._thinking = None
            self._choice = None
            choice.cancel()

    def _play(self, action: Action, reason: str) -> None:
        after = self.state.apply(action)
        was_live = self.is_live
        self.states.append(after)
        if was_live:
            self.ply = len(self.states) - 1
        self._reasons[len(self.states) - 1] = reason
        self._settle()

    def _settle(self) -> None:
        """Save and show the game after it has changed."""
        self._moved_at = _now()
        self._keep(self.state)
        self._thinking = None
        self._wake()
        self.publish()

    def _keep(self, state: State) -> None:
        """Save; a full disk must not end the game, but the person is told, once."""
        if self.keeper is None or self._cannot_save:
            return
        try:
            self.keeper.keep(state, self.used)
        except OSError as error:
            self._cannot_save = True
            self.tell(f"The game cannot be saved: {error.strerror or error}.")

    def _fail(self, seat: int, error: Exception) -> None:
        """Stop at a bot that cannot go on."""
        who = f"{self.setup.names[seat]} ({self.setup.players[seat]})"
        self.problem = f"{who} cannot go on: {str(error) or type(error).__name__}"
        self._thinking = None
        self.tell(self.problem)
        self.publish()

    def _say(self, text: str) -> None:
        """Tell the person something, by whatever `tell` is by then."""
        self.tell(text)

    def publish(self) -> None:
        """Tell the listeners what there is to see."""
        moment = self.moment
        for listener in tuple(self._listeners):
            listener(moment)

    def _set_running(self, running: bool) -> None:
        self._control.running = running
        self._wake()
        self.publish()

    def _wake(self) -> None:
        self._control.changed.set()


def _now() -> float:
    return asyncio.get_running_loop().time()
