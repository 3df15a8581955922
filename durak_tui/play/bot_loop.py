"""The loop that plays a game: bots are asked in turn, at a pace; it can be paused, stepped, looked back."""

from __future__ import annotations

import asyncio
import contextlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from durak_core import Action, State, WhyNot
from durak_core.agents import Decision
from durak_core.errors import ActionError
from durak_core.messages import Message
from durak_tui.play.bots import Bot
from durak_tui.play.moment import Moment
from durak_tui.play.setup import GameSetup
from durak_tui.play.timeline import Timeline, bout_start
from durak_tui.players.names import shown_names
from durak_tui.text.core_messages import core_words
from durak_tui.text.i18n import say

Listener: TypeAlias = Callable[[Moment], None]

_SHOW_THINKING_AFTER: Final = 0.1
"""Seconds after which a bot is said to think; quick ones would only flicker."""


@dataclass(slots=True)
class _Control:
    """What the person asked the loop for."""

    running: bool = True
    moves: int = 0
    changed: asyncio.Event = field(default_factory=asyncio.Event)


class GameLoop(ABC):
    """Asks the bots of a game, and says whenever there is something else to see.

    Args:
        setup: The players.
        timeline: The game so far.
        tell: Called with a sentence for the person when a bot fails.

    Attributes:
        setup: As given.
        timeline: As given.
        tell: As given.
        pace: Seconds before a bot moves; `set_pace` changes it at any time.
        problem: Why the game cannot go on, or empty.
    """

    def __init__(self, setup: GameSetup, timeline: Timeline, tell: Callable[[str], None]) -> None:
        self.setup = setup
        self.timeline = timeline
        self.tell = tell
        self.pace = 0.0
        self.problem = ""
        self._bots: Mapping[int, Bot] = {}
        self._control = _Control()
        self._listeners: list[Listener] = []
        self._task: asyncio.Task[None] | None = None
        self._moved_at = 0.0
        self._thinking: int | None = None
        self._choice: asyncio.Task[Decision] | None = None

    # What a subclass makes of it

    @property
    @abstractmethod
    def moment(self) -> Moment:
        """What there is to see now."""

    @property
    def waits(self) -> bool:
        """Whether no bot may move now."""
        return bool(self.problem)

    @abstractmethod
    def submit(self, action: Action, seat: int | None = None, reason: Message | str = "") -> WhyNot | None:
        """Play an action, or say why it is refused."""

    # The game as it stands

    @property
    def states(self) -> list[State]:
        """Every moment of the game so far, the deal first."""
        return self.timeline.states

    @property
    def ply(self) -> int:
        """Which of them is shown."""
        return self.timeline.ply

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
        return self.timeline.is_live

    # Running, pausing, looking back

    def pause(self) -> None:
        """Let nothing move until `resume` or `step`."""
        self._set_running(False)

    def resume(self) -> None:
        """Let the game run: the moves already played from the one shown on, then the bots."""
        self._set_running(True)

    def step(self, direction: int = 1) -> None:
        """Pause, and go one move back (-1) or on (1): to one already played, or a bot plays one."""
        if self.is_live and direction > 0:
            self._control.moves += 1
            self._set_running(False)
        else:
            self.go(self.ply + direction)

    def go(self, ply: int) -> None:
        """Pause, and show the moment after so many actions, or the nearest there is."""
        self.timeline.show(ply)
        self._control.moves = 0
        self._set_running(False)

    def go_bout(self, direction: int) -> None:
        """Pause, and show the beginning of a bout.

        Args:
            direction: 1 for the next one played, -1 for this one, or the one before when at its beginning.
        """
        self.go(bout_start(self.states, self.ply, direction))

    def set_pace(self, seconds: float) -> None:
        """Let bots wait so long before each move, from now on."""
        self.pace = seconds
        self.wake()

    # Telling

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call a function with the moment at every change; return what ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def publish(self) -> None:
        """Tell the listeners what there is to see."""
        moment = self.moment
        for listener in tuple(self._listeners):
            listener(moment)

    # The loop

    def start(self) -> None:
        """Begin to play; needs a running event loop."""
        if self._task is None:
            self.restart_pace()
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

    def wake(self) -> None:
        """Let the loop look again what is to be done."""
        self._control.changed.set()

    def restart_pace(self) -> None:
        """Let the next bot wait its whole time from now on."""
        self._moved_at = _now()

    def forget_choice(self) -> None:
        """End whatever a bot is thinking of."""
        self._thinking = None
        if self._choice is not None:
            self._choice.cancel()

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
                    self.restart_pace()
                    self.timeline.show(self.ply + 1)
                    self.publish()

    @property
    def _bot_is_to_move(self) -> bool:
        return self.is_live and not self.waits and self.state.turn in self._bots

    async def _pace_is_over(self) -> bool:
        """Wait until the next move is due; False if the person did something meanwhile."""
        rest = self._moved_at + self.pace - _now()
        if rest <= 0:
            await asyncio.sleep(0)
        else:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(rest):
                    await self._control.changed.wait()
        return not self._control.changed.is_set()

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
                problem = Message(
                    "{action} is not allowed here: {why}", action=decision.action, why=why.message
                )
                self._fail(seat, ActionError(problem))
        except Exception as error:  # noqa: BLE001 - whatever a bot does, the game and the app go on
            self._fail(seat, error)
        finally:
            self._thinking = None
            self._choice = None
            choice.cancel()

    def _fail(self, seat: int, error: Exception) -> None:
        """Stop at a bot that cannot go on."""
        who = f"{shown_names(self.setup.names, self.setup.players)[seat]} ({self.setup.players[seat]})"
        why = core_words(error) or type(error).__name__
        self.problem = say("{who} cannot go on: {why}", who=who, why=why)
        self._thinking = None
        self.tell(self.problem)
        self.publish()

    def _set_running(self, running: bool) -> None:
        self._control.running = running
        self.wake()
        self.publish()


def _now() -> float:
    return asyncio.get_running_loop().time()
