"""Whether another program does the duties of an engine (docs/protocol.md): games of all rules, and trials."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import count
from math import gcd
from typing import Final

from durak_core.agents.base import Agent
from durak_core.agents.registry import make_agent
from durak_core.engine.agent import EngineAgent
from durak_core.engine.duties import Breach, Listener
from durak_core.engine.protocol import Budget
from durak_core.engine.trials import Trials
from durak_core.errors import AgentError, EngineError, ForfeitError
from durak_core.game.state import State
from durak_core.kernel.random import AGENTS_STREAM, derive
from durak_core.lab.matches.game import GameResult, play_from
from durak_core.rules import PRESETS, Rules

GAMES: Final = 100
"""How many games a check plays."""

_TIME: Final = 20
"""Milliseconds for a decision."""

_ITERATIONS: Final = 20
"""Iterations for one where the same choice is expected once more."""

_MOST_FAILED: Final = 5
"""After so many games that the engine has lost by itself there is nothing more to be seen."""

_HOPELESS: Final = ("greeting", "version", "ready", "time")
"""Where these are not done nothing else is tried: no game comes about, or every answer is waited for."""

_OPPONENTS: Final = ("random", "greedy")

_OTHERS: Final = (
    "perevodnoy:seats=4,show_trump=yes",
    "perevodnoy:seats=3,transfer_first_bout=no",
    "podkidnoy:seats=4,throw_in=neighbours",
    "podkidnoy:forced_play=yes",
    "podkidnoy:pile_on=no,first_bout_limit=5",
    "podkidnoy:seats=3,trumps=no",
    "podkidnoy:suits=3,lowest_rank=2",
    "podkidnoy:seats=3,visibility=open",
    "podkidnoy:draws=no,stall_limit=4",
    "podkidnoy:hand_size=8,attack_limit=none",
    "podkidnoy:seats=3,deal_all=yes,attack_style=volley",
)


def checked_rules() -> Iterator[Rules]:
    """Yield the rules that engines are checked by: presets, seats, decks, teams, and other options."""
    for seats in range(2, 7):
        yield from (Rules.preset(name, seats=seats) for name in PRESETS)
    for name in ("podkidnoy", "perevodnoy"):
        yield from (Rules.preset(name, seats=seats, lowest_rank=2) for seats in range(2, 7))
        yield from (Rules.preset(name, seats=seats, lowest_rank=9) for seats in range(2, 5))
        yield from (
            Rules.preset(name, seats=seats, teams=teams)
            for teams, seats in (("2x2", 4), ("2x3", 6), ("3x2", 6))
        )
    yield from map(Rules.parse, _OTHERS)


@dataclass
class EngineCheck:
    """What has been seen of an engine.

    Attributes:
        breaches: The first of each duty that it did not do.
        rules: Those by which it has played.
        refused: Those that it refused, with its words.
        slowest: The most milliseconds from a ``go`` with a time to its answer.
    """

    name: str = ""
    breaches: tuple[Breach, ...] = ()
    games: int = 0
    rules: dict[str, Rules] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    slowest: float = 0.0


def check_engine(
    command: Sequence[str],
    *,
    games: int = GAMES,
    patience: float = 10.0,
    moment: float = 0.3,
    on_game: Callable[[], None] = lambda: None,
) -> EngineCheck:
    """Play games of all rules with an engine, try what they do not show, and tell what it does wrong.

    Args:
        command: How it is started, in words.
        games: How many games.
        patience: Seconds that an answer may take beyond its time.
        moment: As for `Trials`.
        on_game: Called after each game.

    Raises:
        AgentError: If it cannot be started, or refuses all rules.
    """
    listener = Listener()
    found = EngineCheck()
    text = shlex.join(command)
    with closing(EngineAgent(text, command, Budget(time=_TIME), patience, listener.note)) as agent:
        _play_games(agent, listener, found, games, on_game)
        found.name = agent.name
    if found.rules and listener.breaches.keys().isdisjoint(_HOPELESS):
        position = _position(next(iter(found.rules.values())))
        budget = Budget(iterations=_ITERATIONS)
        with closing(EngineAgent(text, command, budget, patience, listener.note)) as agent:
            _play_again(agent, listener, position.rules)
        seen = position.observation(position.turn or 0)
        asyncio.run(Trials(command, seen, listener, patience, moment).run())
    elif found.refused and not found.games:
        raise AgentError("the engine refuses all rules: {why}", why=next(iter(found.refused.values())))
    found.breaches = tuple(listener.breaches.values())
    found.slowest = 1000 * listener.slowest
    return found


def _play_games(
    agent: EngineAgent, listener: Listener, found: EngineCheck, games: int, on_game: Callable[[], None]
) -> None:
    """Play games by rules that lie evenly among all, with the engine on every seat in turn."""
    every = tuple(checked_rules())
    step = next(step for step in count(max(1, len(every) // games)) if gcd(step, len(every)) == 1)
    failed = 0
    for number in count():
        if found.games == games or len(found.refused) == len(every) or failed == _MOST_FAILED:
            break
        rules = every[number * step % len(every)]
        if rules.text in found.refused:
            continue
        listener.where = rules.text
        try:
            _play(agent, State.deal(rules, number), number, number % rules.seats)
        except AgentError as error:
            cause = error.__cause__
            if isinstance(cause, EngineError) and not cause.duty:
                found.refused[rules.text] = str(cause)
                continue
            if cause is None or isinstance(cause.__cause__, OSError):
                raise
            duty = _note(listener, cause)
            if duty in _HOPELESS or not isinstance(error, ForfeitError):
                break
            failed += 1
        found.rules[rules.text] = rules
        found.games += 1
        on_game()
    listener.where = ""


def _play(agent: EngineAgent, state: State, seed: int, seat: int) -> GameResult:
    others = [make_agent(_OPPONENTS[place % 2]) for place in range(state.rules.seats)]
    agents: list[Agent] = [*others[:seat], agent, *others[seat + 1 :]]
    return play_from(state, agents, derive(seed, AGENTS_STREAM))


def _note(listener: Listener, cause: BaseException | None) -> str:
    """Note, and return, by which duty an engine has failed: its client says so, or the rules do."""
    duty = cause.duty if isinstance(cause, EngineError) else "legal"
    listener.add(duty, str(cause))
    return duty


def _position(rules: Rules) -> State:
    """Return a position in which a seat has a choice."""
    deals = (State.deal(rules, seed) for seed in count())
    return next(state for state in deals if len(state.legal_actions) > 1)


def _play_again(agent: EngineAgent, listener: Listener, rules: Rules) -> None:
    """Play a game twice, another one begun between; an engine with the option Seed plays it as before."""
    state, other = State.deal(rules, 1), State.deal(rules, 2)
    try:
        moves = _play(agent, state, 1, 0).record.moves
        agent.begin(rules, other.turn or 0, 2)
        agent.choose(other.observation(other.turn or 0))
        again = _play(agent, state, 1, 0).record.moves
    except AgentError as error:
        _note(listener, error.__cause__)
        return
    if agent.seed_option is not None and moves != again:
        before, now = next(pair for pair in zip(moves, again, strict=False) if pair[0] != pair[1])
        why = (
            f"it chose {now.action} where it had chosen {before.action}: expected the same with the same Seed"
        )
        listener.add("newgame", why)
