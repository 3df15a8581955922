"""Bots at the table. Fast ones run in the app, searching ones in an engine process.

A bot gets only its seat's observation. A searching bot gets it as text of the engine protocol.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from functools import partial
from typing import Any, Final, TypeAlias

from durak_core import Observation, State, agent_seed
from durak_core.agents.base import Agent, Decision, TimedAgent
from durak_core.agents.registry import thinks
from durak_core.deadline import NEVER, Deadline
from durak_core.engine.protocol import Budget
from durak_core.errors import AgentError, EngineError
from durak_tui.engine import Answering, EngineQuestion, ask_twice, in_thread, plain
from durak_tui.play.setup import GameSetup
from durak_tui.players import FRIEND, HUMAN, called, make_bot, own_name, thinking_time
from durak_tui.text.core_messages import core_words
from durak_tui.text.i18n import gettext

_PATIENCE: Final = 10.0
"""Seconds past its time until a decision's process is given up."""
_DEPUTY: Final = "level:viktor"
"""Plays for a bot whose engine fails or is late."""
_LEAST_WAIT: Final = 1.0
"""Seconds that players wait in any case: the engine may have to start."""
_GRACE: Final = 0.05
"""Seconds past its time until the deputy plays."""
_USUAL: Final = 0.03
"""Seconds that an answer is late even on an idle machine."""
_MOST_MARGIN: Final = 0.5
"""Largest fraction of its time left unused after late answers."""
_FORGETTING: Final = 0.8
"""Decay of that fraction after an answer in time."""
_HURRIED: Final = 0.1
"""Seconds per move of a searching bot while the player skips to the end."""

Bot: TypeAlias = Callable[[Observation], Coroutine[Any, Any, Decision]]
"""Chooses one of an observation's legal actions."""


class _FastBot:
    """An agent that chooses in a thread. There it is also made, for reading its network takes a while."""

    def __init__(self, player: str, setup: GameSetup, seat: int) -> None:
        self._player, self._setup, self._seat = player, setup, seat
        self._agent: Agent | None = None

    async def __call__(self, observation: Observation) -> Decision:
        return await in_thread(self._choose, observation)

    def _choose(self, observation: Observation) -> Decision:
        """Choose without waiting for compilation."""
        if self._agent is None:
            self._agent = make_bot(self._player)
            self._agent.begin(self._setup.rules, self._seat, agent_seed(self._setup.seed, self._seat))
        if isinstance(self._agent, TimedAgent):
            return self._agent.choose_by(observation, Deadline(_LEAST_WAIT))
        return self._agent.choose(observation)


class ThinkingBot:
    """An agent that searches in an engine process.

    If the engine fails or is late, a fast deputy plays the move. After late answers, searches get less time.

    Attributes:
        seconds: Its time for a move.
    """

    def __init__(
        self, setup: GameSetup, seat: int, game: object, engine: Answering, tell: Callable[[str], None]
    ) -> None:
        self._name = setup.names[seat]
        self._text = setup.players[seat]
        self._options = {"Agent": self._text, "Seed": str(agent_seed(setup.seed, seat))}
        self._game = game
        self._engine = engine
        self._deputy = _FastBot(_DEPUTY, setup, seat)
        self._tell = tell
        self._is_known_to_fail = False
        self.seconds = thinking_time(self._text) / 1000
        self._margin = 0.0
        self._answer: asyncio.Task[Decision | EngineError] | None = None

    async def __call__(self, observation: Observation) -> Decision:
        """Ask the engine, once more after a failure, and then the deputy."""
        time = Deadline(self.seconds)
        decision: Decision | None = None
        try:
            async with asyncio.timeout(max(_LEAST_WAIT, self.seconds) + _GRACE):
                await self._await_answer()  # too late for the previous move
                self._answer = asyncio.create_task(self._think(observation, time.left - self._margin))
                decision = await self._await_answer()
                self._learn(-time.left)
        except TimeoutError:
            self._learn(self.seconds)
        except asyncio.CancelledError:
            if self._answer is not None:
                self._answer.cancel()
            raise
        return decision or await self._deputy(observation)

    async def _await_answer(self) -> Decision | None:
        if self._answer is None:
            return None
        await asyncio.wait({self._answer})
        answer, self._answer = self._answer, None
        if answer.cancelled():
            return None
        decision = answer.result()
        if not isinstance(decision, EngineError):
            self._is_known_to_fail = False
            return decision
        if not self._is_known_to_fail:  # one message for a run of failures
            self._is_known_to_fail = True
            self._tell(
                gettext(
                    "{name} cannot think ({why}): {deputy} plays instead for now.",
                    name=self._name,
                    why=core_words(decision if own_name(self._text) else plain(decision)),
                    deputy=called(_DEPUTY),
                )
            )
        return None

    async def _think(self, observation: Observation, seconds: float) -> Decision | EngineError:
        try:
            return await ask_twice(partial(self.ask, observation, Deadline(seconds)))
        except EngineError as error:
            return error

    def _learn(self, late: float) -> None:
        """Adapt the unused time to how late the last answer was."""
        margin = max(late + self._margin - _USUAL, _FORGETTING * self._margin)
        self._margin = min(margin, _MOST_MARGIN * self.seconds)

    async def ask(self, observation: Observation, deadline: Deadline = NEVER) -> Decision:
        """Ask the engine; raise `EngineError` if it fails."""
        question = EngineQuestion(observation, Budget(), _PATIENCE, self._options, self._game, deadline)
        search = await self._engine.answer(question)
        if search.choice not in observation.legal_actions:
            raise EngineError("the engine chose {action}, which is not allowed here", action=search.choice)
        return Decision(search.choice, search.reason)


def hurry(bots: Iterable[Bot]) -> None:
    """Let searching bots take little time for the rest of the game."""
    for bot in bots:
        if isinstance(bot, ThinkingBot):
            bot.seconds = min(bot.seconds, _HURRIED)


async def try_own(setup: GameSetup, engine: Answering) -> None:
    """Let each own agent choose in a deal that is not the game's, in the engine process.

    Raises:
        EngineError: If one cannot be loaded, refuses the rules, fails or chooses what is not legal.
    """
    for seat, player in enumerate(setup.players):
        if own_name(player):
            bot = ThinkingBot(setup, seat, object(), engine, lambda _text: None)
            await bot.ask(State.deal(setup.rules, 0, seat).observation(seat))


def seat_bots(setup: GameSetup, engine: Answering | None, tell: Callable[[str], None]) -> dict[int, Bot]:
    """Return a game's bots by seat. Searching ones use the engine and report its failures.

    Raises:
        AgentError: If a bot searches and there is no engine.
    """
    game = object()
    bots: dict[int, Bot] = {}
    for seat, player in enumerate(setup.players):
        if player in {HUMAN, FRIEND}:
            continue
        if not thinks(player) and not own_name(player):
            bots[seat] = _FastBot(player, setup, seat)
        elif engine is None:
            raise AgentError("{agent} needs an engine, and there is none here", agent=player)
        else:
            bots[seat] = ThinkingBot(setup, seat, game, engine, tell)
    return bots
