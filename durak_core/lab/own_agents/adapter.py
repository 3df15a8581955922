"""A complete agent made of an object with the method ``choose``, whose code may fail in any way."""

from __future__ import annotations

import copy
import traceback
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePath
from typing import Any, Final, TypeAlias

from durak_core.actions import Action, parse_action
from durak_core.agents.base import Agent, Decision, one_way
from durak_core.errors import AgentError, DurakError, ForfeitError, Message
from durak_core.game.observation import Observation
from durak_core.rules import Rules
from durak_core.search.search_result import SearchResult

FAILURES: Final = (Exception, SystemExit)
"""Errors of an agent's own code. A script may call `sys.exit` when it is imported."""

Within: TypeAlias = Callable[[], AbstractContextManager[None]]
"""What an agent's own code runs in."""


def attribute_of(owner: object, name: str, default: Any = None) -> Any:  # noqa: ANN401 - any value
    """Return an attribute, or the default if there is none or the owner's own code fails."""
    try:
        return getattr(owner, name, default)
    except FAILURES:
        return default


def is_agent(entrant: object) -> bool:
    """Return whether an object is an agent, and no class or function that returns one."""
    return callable(attribute_of(entrant, "choose")) and not isinstance(entrant, type)


def said_of(value: object, way: Callable[[object], str] = repr) -> str:
    """Return an object as text, or the name of its class if its own code fails."""
    try:
        return way(value)
    except FAILURES:
        return type(value).__name__


def described(error: BaseException) -> str:
    """Return an error as text, with the last line of the agent's own code."""
    said, name = said_of(error, str), type(error).__name__
    text = name if said in {"", name} else f"{name}: {said}"
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if "importlib" not in frame.filename and Path(frame.filename).parent != Path(__file__).parent
    ]
    if not frames or isinstance(error, SyntaxError):
        return text
    return f"{text} ({PurePath(frames[-1].filename).name}, line {frames[-1].lineno})"


class AdaptedAgent:
    """Makes a complete agent of an object with ``choose``; its ``begin``, if any, gets a `one_way` seed."""

    sees_all = False

    def __init__(
        self,
        text: str,
        agent: Any,  # noqa: ANN401 - any object with the method
        within: Within = nullcontext,
    ) -> None:
        self.text = text
        self._agent = agent
        self._within = within
        self._seat = 0
        self.wants_all = bool(getattr(agent, "sees_all", False))

    def begin(self, rules: Rules, seat: int, seed: int) -> None:
        self._seat = seat
        self._call(self._agent, "begin", rules, seat, one_way(seed))

    def choose(self, observation: Observation) -> Decision:
        decision = decision_of(self.text, self._call(self._agent, "choose", observation))
        if decision.search_info is None:
            return decision
        return replace(decision, search_info=partial(self._search_info, decision))

    def _search_info(self, decision: Decision) -> SearchResult:
        found = self._call(decision, "search_info")
        if not isinstance(found, SearchResult):
            raise AgentError(
                "{agent}: search_info returned {found}: expected a SearchResult",
                agent=self.text,
                found=said_of(found),
            )
        return found

    def _call(self, owner: object, name: str, *values: object) -> Any:  # noqa: ANN401 - any result
        try:
            with self._within():
                method = getattr(owner, name, None)
                return None if method is None else method(*values)
        except ForfeitError:
            raise
        except AgentError as error:
            raise AgentError("{agent}: {why}", agent=self.text, why=error) from error
        except FAILURES as error:
            message = "{agent} at seat {seat} failed in {name}: {why}"
            raise AgentError(
                message, agent=self.text, seat=self._seat, name=name, why=described(error)
            ) from error


def decision_of(agent: str, chosen: object) -> Decision:
    """Return what an agent chose as a `Decision`: a decision, an action, or an action's text.

    A reason that is no text becomes one, ``None`` an empty one.

    Raises:
        AgentError: If it is none of these, or its search info is no function.
    """
    decision = chosen if isinstance(chosen, Decision) else Decision(chosen)  # type: ignore[arg-type]
    if decision.search_info is not None and not callable(decision.search_info):
        raise AgentError(
            "{agent} chose with the search_info {found}: expected None, or a function that returns a "
            "SearchResult",
            agent=agent,
            found=said_of(decision.search_info),
        )
    reason: object = decision.reason
    if not isinstance(reason, Message | str):
        decision = replace(decision, reason="" if reason is None else said_of(reason, str))
    action: object = decision.action
    if isinstance(action, Action):
        return decision
    try:
        return replace(decision, action=parse_action(str(action)))
    except FAILURES:
        raise AgentError(
            "{agent} chose {chosen}: expected one of observation.legal_actions, its text, or a Decision "
            "with one",
            agent=agent,
            chosen=said_of(action),
        ) from None


def adapted(text: str, make: Callable[[], Any], within: Within = nullcontext) -> Agent:
    """Make an agent and adapt it; `AgentError` if that fails or it has no method ``choose``."""
    try:
        with within():
            agent = make()
            if callable(getattr(agent, "choose", None)):
                return AdaptedAgent(text, agent, within)
    except DurakError:
        raise
    except FAILURES as error:
        raise AgentError("{text} cannot be built: {why}", text=text, why=described(error)) from error
    raise AgentError(
        "{text} has no method choose: expected choose(observation), which returns one of "
        "observation.legal_actions",
        text=text,
    )


def copied(text: str, agent: Any) -> Any:  # noqa: ANN401 - any object
    """Return a deep copy of an object; `AgentError` if it cannot be copied."""
    try:
        return copy.deepcopy(agent)
    except Exception as error:
        raise AgentError(
            "{text} cannot be copied for each of its seats ({why}): expected its class, or a function that "
            "returns one",
            text=text,
            why=described(error),
        ) from error
