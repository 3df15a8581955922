"""What an engine is asked besides games to see whether it does its duties, such as clients ask rarely."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from durak_core.engine.client import EngineClient
from durak_core.engine.duties import Listener
from durak_core.engine.process import signal_name
from durak_core.engine.protocol import Budget
from durak_core.errors import EngineError
from durak_core.game.observation import Observation

_SHORT: Final = Budget(time=20)
_ENDLESS: Final = Budget(infinite=True)

_UNKNOWN: Final = ("yodel 7 times", "setoption name Yodel value 7", "observation yodel")
"""A command, an option and a position that nobody knows."""

_SYMPTOMS: Final = ("start", "ready")
"""Duties that an engine leaves undone because of what it was just told."""

_ENDED: Final = {"start", "form"}
"""Duties that an engine leaves undone whose process has ended or was ended before it could end in order."""


class Trials:
    """Asks an engine, each time in a process of its own if the last one has ended.

    Args:
        command: How it is started.
        observation: A position by rules that it plays, of a seat that has a choice.
        listener: Hears the talk, and gets the breaches.
        patience: Seconds that an answer may take.
        moment: Seconds in which an engine that is to be silent, or to search, can show it.
    """

    def __init__(
        self,
        command: Sequence[str],
        observation: Observation,
        listener: Listener,
        patience: float,
        moment: float,
    ) -> None:
        self._client = EngineClient(command, patience=patience)
        self._client.note = listener.note
        self._observation = observation
        self._listener = listener
        self._moment = moment

    async def run(self) -> None:
        """Try everything."""
        try:
            for duty, trial in (
                ("", self._is_silent),
                ("unknown", self._survives),
                ("lines", self._reads_lines),
                ("options", self._ignores_case),
                ("alive", self._answers_searching),
                ("stop", self._stops),
                ("", self._takes_a_second),
                ("quit", self._quits),
                ("end", self._ends),
            ):
                await self._try(duty, trial)
        finally:
            await self._client.close()

    async def _try(self, duty: str, trial: Callable[[], Awaitable[None]]) -> None:
        self._listener.tried = ""
        try:
            await self._client.new_game(self._observation.rules)
            await trial()
        except EngineError as error:
            is_news = error.duty in _SYMPTOMS and error.duty not in self._listener.breaches
            self._listener.add(duty if is_news and duty else error.duty or "refusal", str(error))

    async def _is_silent(self) -> None:
        await self._choose()
        await asyncio.sleep(self._moment)

    async def _survives(self) -> None:
        self._listener.tried = "unknown"
        for line in _UNKNOWN:
            self._client.send(line)
        await self._client.ready()
        for option in self._client.options.values():
            if option.kind == "number":
                self._client.send(f"setoption name {option.name} value yodel")
        await self._client.ready()
        self._listener.tried = ""
        await self._choose()

    async def _reads_lines(self) -> None:
        self._listener.tried = "lines"
        self._client.send("")
        self._client.send("  ")
        await self._client.ready("isready\r")

    async def _ignores_case(self) -> None:
        for option in tuple(self._client.options.values()):
            if option.default:
                await self._client.set_option(option.name.swapcase(), option.default)

    async def _answers_searching(self) -> None:
        search = await self._client.go(self._observation, _ENDLESS)
        await asyncio.sleep(self._moment)
        try:
            await self._client.ready()
        except EngineError as error:
            if error.duty == "start" and search.is_over:
                search.choice  # noqa: B018 - raises what the process was ended for
            raise
        await search.stop()

    async def _stops(self) -> None:
        search = await self._client.go(self._observation, _ENDLESS)
        await search.stop()
        self._client.send("stop")  # too late, as it may be
        await self._client.ready()
        await self._choose()

    async def _takes_a_second(self) -> None:
        await self._client.choose(self._observation, Budget())

    async def _quits(self) -> None:
        await self._client.go(self._observation, _ENDLESS)
        self._judge("quit", await self._client.close())

    async def _ends(self) -> None:
        self._judge("end", await self._client.close_input())

    def _judge(self, duty: str, code: int | None) -> None:
        if self._listener.breaches.keys() & _ENDED:
            return
        if code and code < 0:
            self._listener.add(duty, f"it ended by signal {signal_name(code)}: expected exit code 0")
        elif code:
            self._listener.add(duty, f"it ended with exit code {code}: expected 0")
        elif code is None:
            self._listener.add(duty, "it did not end: expected exit code 0")

    async def _choose(self) -> None:
        await self._client.choose(self._observation, _SHORT)
