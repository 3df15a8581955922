"""An engine process as an agent in matches.

It only gets an observation's text, so it cannot see hidden cards.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import logging
import threading
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Final, TypeVar

from durak_core.agents.base import ONLY, Decision, legal_codes, one_way
from durak_core.engine.client import EngineClient, Search
from durak_core.engine.protocol import Budget, is_number
from durak_core.errors import AgentError, EngineError, ForfeitError, Message
from durak_core.game.observation import Observation
from durak_core.options import Option
from durak_core.rules import Rules

_Result = TypeVar("_Result")

_SHOWN_LINES: Final = 6
_QUIET: Final = 3.0
"""Seconds beyond the search time after which a line names the engine that is awaited."""
_LOG: Final = logging.getLogger(__name__)


class EngineAgent:
    """An agent that plays an engine's choices.

    The process starts with the first game and runs until `close` or a failure; the next game restarts it.
    The engine's option ``Seed``, if any, is set for every game, to a `one_way` seed.

    Args:
        grace_period: Grace period in seconds before a silent engine has failed.
        note: As for `EngineClient`.
    """

    def __init__(
        self,
        text: str,
        command: Sequence[str],
        budget: Budget,
        grace_period: float,
        note: Callable[[str, str], None] | None = None,
    ) -> None:
        self.text = text
        self.sees_all = False
        self._client = EngineClient(command, grace_period=grace_period)
        self._client.note = note or self._client.note
        self._budget = budget
        self._has_played = self._is_late = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    @property
    def name(self) -> str:
        return self._client.name

    @property
    def seed_option(self) -> Option | None:
        options = self._client.options.values()
        return next((one for one in options if one.name.casefold() == "seed" and is_number(one)), None)

    def computed(self) -> float:
        return self._client.computed()

    def begin(self, rules: Rules, seat: int, seed: int) -> None:
        """Start the engine if it is not running, and a new game.

        Raises:
            AgentError: If its first start fails, or it refuses the rules.
            ForfeitError: If it has played before and cannot be restarted.
        """
        del seat
        try:
            self._run(self._begin(rules, seed))
        except EngineError as error:
            if self._has_played:
                raise self.failure(error.message) from error
            raise AgentError(self.failure(error.message).message) from error
        self._has_played = True

    def choose(self, observation: Observation) -> Decision:
        """Return the engine's choice; raise `ForfeitError` on failure.

        An engine of version 1 is not asked for a forced action.
        """
        legal_codes(observation)
        is_forced = len(observation.legal_actions) == 1
        if is_forced and self._client.version == 1:
            return Decision(observation.legal_actions[0], ONLY)
        try:
            search = self._run(self._search(observation))
        except EngineError as error:
            legal = tuple(map(str, observation.legal_actions))
            why = Message("{why}; expected bestmove with one of {legal}", why=error, legal=legal)
            self._run(self._client.close())  # the next game restarts it
            raise self.failure(why) from error
        return Decision(search.choice, ONLY if is_forced else _reason(search))

    def finish(self, observation: Observation, result: str) -> None:
        self._run(self._client.end_game(observation, result))

    def failure(self, what: Message) -> ForfeitError:
        lines = list(self._client.output)[-_SHOWN_LINES:]
        said = "its last lines: " + " | ".join(lines) if lines else "it wrote nothing"
        return ForfeitError("the engine {text} failed: {what}; {said}", text=self.text, what=what, said=said)

    def close(self) -> None:
        """End the process by ``quit``, then by force."""
        loop, self._loop = self._loop, None
        thread, self._thread = self._thread, None
        if loop is None or thread is None:
            return
        try:
            asyncio.run_coroutine_threadsafe(self._client.close(), loop).result()
        finally:
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.close()

    async def _begin(self, rules: Rules, seed: int) -> None:
        await self._client.start()
        if (option := self.seed_option) is not None:
            await self._client.set_option(option.name, str(_fitting(one_way(seed), option)))
        await self._client.new_game(rules)

    async def _search(self, observation: Observation) -> Search:
        search = await self._client.go(observation, self._budget)
        await search.best()
        return search

    def _run(self, work: Coroutine[Any, Any, _Result]) -> _Result:
        """Run a coroutine in the event loop's thread and wait for it; log the first long wait."""
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            self._thread = threading.Thread(
                target=self._loop.run_forever, name="durak-engine-agent", daemon=True
            )
            self._thread.start()
        result = asyncio.run_coroutine_threadsafe(work, self._loop)
        if not self._is_late:
            done, _ = concurrent.futures.wait([result], _QUIET + (self._budget.time or 0) / 1000)
            self._is_late = not done
            if self._is_late:
                _LOG.warning("waiting for the engine %s", self.text)
        return result.result()


def _fitting(seed: int, option: Option) -> int:
    least, most = int(option.low or 0), int(option.high or 0)
    return least + seed % (most - least + 1)


def _reason(search: Search) -> Message:
    line = search.lines.get(1)
    if line is None or line.action != search.choice:
        return Message("the engine's choice")
    share = f"{line.score:.0%}"
    if not search.progress:
        return Message("{share}", share=share)
    return Message("safe in {share} of {count} games tried", share=share, count=search.progress.iterations)
