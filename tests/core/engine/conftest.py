"""An engine in this process, and one in a process of its own."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator

import pytest
from talking import Talk, plain_environment
from waiting import wait_until

from durak_core.engine.server import Server


@pytest.fixture
def talk() -> Iterator[Callable[..., Talk]]:
    """Start engine processes that are gone after the test."""
    started: list[Talk] = []

    def start(environment: dict[str, str] | None = None, **options: tuple[str, ...]) -> Talk:
        started.append(Talk(environment or plain_environment(), **options))
        return started[-1]

    yield start
    for engine in started:
        engine.clean_up()


@pytest.fixture
def answers(monkeypatch) -> Callable[..., list[str]]:
    """Return what an engine in this process, in plain Python, answers to an input.

    The input ends once ``last`` was answered: its end would stop a search.
    """
    monkeypatch.setattr("durak_core.engine.server.warm", lambda group: group)

    def ask(text: bytes, last: str = "") -> list[str]:
        out = io.StringIO()

        class Input(io.BytesIO):
            def readline(self, size: int | None = -1, /) -> bytes:
                line = super().readline(size)
                if not line:
                    wait_until(lambda: last in out.getvalue(), out.getvalue)
                return line

        Server(Input(text), out, "0").run()
        return out.getvalue().splitlines()

    return ask
