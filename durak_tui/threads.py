"""Calling slow functions without waiting for them at the end of the program."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable
from typing import TypeVar, cast

_T = TypeVar("_T")


async def in_thread(function: Callable[..., _T], *arguments: object) -> _T:
    """Call a function in a thread that does not outlive the program.

    A thread pool would be waited for at the end; a bot that thinks for a minute must not keep a
    person from leaving.
    """
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[_T] = loop.create_future()

    def settle(result: _T | None, error: BaseException | None) -> None:
        if answer.done():
            return
        if error is not None:
            answer.set_exception(error)
        else:
            answer.set_result(cast("_T", result))

    def work() -> None:
        result, failure = None, None
        try:
            result = function(*arguments)
        except BaseException as error:  # noqa: BLE001 - it is raised where the answer is awaited
            failure = error
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(settle, result, failure)

    threading.Thread(target=work, daemon=True).start()
    return await answer
