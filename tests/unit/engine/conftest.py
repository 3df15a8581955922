"""An engine in this process, and one in a process of its own."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator

import pytest
from talking import Talk, plain_environment

from durak_core.engine.server import Server


@pytest.fixture
def talk() -> Iterator[Callable[..., Talk]]:
    """Start engine processes that are gone after the test."""
    started: list[Talk] = []

    def start(environment: dict[str, str] | None = None) -> Talk:
        started.append(Talk(environment or plain_environment()))
        return started[-1]

    yield start
    for engine in started:
        engine.clean_up()


@pytest.fixture
def answers(monkeypatch) -> Callable[[bytes], list[str]]:
    """Return what an engine in this process, in plain Python, answers to an input."""
    monkeypatch.setattr("durak_core.engine.server.warm", lambda group: group)

    def ask(text: bytes) -> list[str]:
        out = io.StringIO()
        Server(io.BytesIO(text), out, "0").run()
        return out.getvalue().splitlines()

    return ask
