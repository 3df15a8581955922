"""One game between agents, from the deal to the fool.

>>> from durak_core import Rules, make_agent
>>> play_game(Rules(), [make_agent("greedy"), make_agent("random")], seed=7).plies
74
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from time import perf_counter, process_time
from typing import Any, Final, Self, TypeAlias

from durak_core.agents.base import Agent, Decision, ForeignAgent
from durak_core.errors import AgentError, ForfeitError, IllegalActionError
from durak_core.game.json_form import write_json_line
from durak_core.game.observation import Observation
from durak_core.game.record import Record
from durak_core.game.state import State
from durak_core.kernel.random import AGENTS_STREAM, derive
from durak_core.messages import Message
from durak_core.rules import Rules

OnDecision: TypeAlias = Callable[[State, Decision], None]
"""Called with each decision and the state in which it was made, before it is played."""


FINDINGS: Final = "findings"
"""The key of a game's JSON with what was found at each action, null where nobody searched."""

_FORFEIT: Final = "Forfeit"
"""The tag that names the seat that lost a game not played to its end; the comment says why."""


@dataclass(frozen=True, slots=True)
class GameSummary:
    """What counts of a finished game; small enough to travel between processes by thousands.

    Attributes:
        number: Its number in the match, from 0.
        seating: Which agent, or team, sat at each seat, by its place in the match's agents; outside of
            matches all are different.
        fool: The number of the team that lost, without teams its seat; None after a draw.
        decisions: How many actions each seat chose; zeros where no time was measured.
        seconds: How long each seat computed: processor time, which a busy machine does not change; nan
            for other programs where psutil is not installed; not compared.
        waited: How long each seat was waited for, by the clock; not compared.
        names: What other programs call themselves, by seat; empty for agents of this one; not compared.
        log_choices: The sum of the natural logarithms of how many actions were legal before each one
            played; 0 where nobody counted.
        forfeit: What the fool's program did wrong where the game was not played to its end, else nothing.
        line: The game's line of JSON without its end, or nothing where it was not asked for.
    """

    number: int
    seating: tuple[int, ...]
    fool: int | None
    bouts: int
    plies: int
    decisions: tuple[int, ...]
    seconds: tuple[float, ...] = field(compare=False)
    first_attacker: int = 0
    log_choices: float = 0.0
    forfeit: str = ""
    line: str = ""
    waited: tuple[float, ...] = field(default=(), compare=False)
    names: tuple[str, ...] = field(default=(), compare=False)

    @classmethod
    def of(cls, record: Record, number: int = 0, seating: tuple[int, ...] = ()) -> Self | None:
        """Sum up a recorded game; None where it was not finished. By default all agents are different.

        Raises:
            RecordError: If it cannot have been played.
        """
        end, seats = record.end, record.rules.seats
        fool, forfeit = end.fool, ""
        if not end.is_over:
            seat = record.tags.get(_FORFEIT)
            if seat not in tuple(map(str, range(seats))):
                return None
            fool, forfeit = record.rules.team_of(int(seat)), record.comment or "forfeited"
        return cls(
            number=number,
            seating=seating or tuple(range(seats)),
            fool=fool,
            bouts=end.bout,
            plies=end.plies,
            decisions=(0,) * seats,
            seconds=(0.0,) * seats,
            first_attacker=record.first_attacker,
            forfeit=forfeit,
        )


class FindingsKeeper:
    """Keeps what agents that search find out in a game, as JSON; give its `decided` to the game.

    Args:
        on_decision: Hears of each decision, too.
    """

    def __init__(self, on_decision: OnDecision | None = None) -> None:
        self._on_decision = on_decision
        self._found: list[dict[str, Any] | None] = []

    def decided(self, state: State, decision: Decision) -> None:
        if self._on_decision is not None:
            self._on_decision(state, decision)
        self._found.append(decision.findings().as_json() if decision.findings else None)

    def taken(self) -> dict[str, Any]:
        """Return the key of a game's JSON with an entry for each of its actions, and forget them."""
        found, self._found = self._found, []
        return {FINDINGS: found}


@dataclass(frozen=True, kw_only=True)
class GameResult(GameSummary):
    """A finished game as a whole: its last state, and the agents' texts by seat.

    Attributes:
        failed: The seat whose program ended it, if one did.
        failure: How it failed.
    """

    state: State
    players: tuple[str, ...]
    failed: int | None = None
    failure: ForfeitError | None = field(default=None, compare=False, repr=False)

    @property
    def is_draw(self) -> bool:
        return self.state.is_draw

    @property
    def places(self) -> tuple[int, ...]:
        """Seats in the order in which they got rid of their cards, the fool last (rules 2.2.6, 8.4).

        After a forfeit, those who still had cards follow by seat, the fool's team last.
        """
        if self.failed is None:
            return self.state.places
        rules, out = self.state.rules, self.state.places
        left = [seat for seat in range(rules.seats) if seat not in out]
        losers = [seat for seat in left if rules.team_of(seat) == self.fool]
        return (*out, *[seat for seat in left if seat not in losers], *losers)

    @property
    def returns(self) -> tuple[float, ...]:
        if self.failed is None:
            return self.state.returns
        rules = self.state.rules
        share = 1 / (rules.team_count - 1)
        return tuple([-1.0 if rules.team_of(seat) == self.fool else share for seat in range(rules.seats)])

    @cached_property
    def record(self) -> Record:
        """The game with all its moves, ready to be written; a forfeit is a tag and a comment."""
        if self.failed is None:
            return Record.of(self.state, self.players)
        record = Record.of(self.state, self.players, **{_FORFEIT: str(self.failed)})
        return record.annotated(0, comment=self.forfeit)

    def summary(self, *, with_line: bool = False, **more: object) -> GameSummary:
        """Return what counts of it, on request with the whole game as a line of JSON, and more keys in it."""
        kept = {field.name: getattr(self, field.name) for field in fields(GameSummary)}
        line = write_json_line(replace(self.record, extra=more)).rstrip("\n") if with_line else ""
        return GameSummary(**{**kept, "line": line})


def play_game(
    rules: Rules,
    agents: Sequence[Agent],
    seed: int,
    first_attacker: int | None = None,
    on_decision: OnDecision | None = None,
) -> GameResult:
    """Deal a game and let agents play it to its end.

    Args:
        rules: The rules.
        agents: One for each seat, all different objects.
        seed: Of the deal and, by other streams, of the agents; 0 to 2^63 - 1.
        first_attacker: The seat that begins; by default the rules decide (rules 4.1).
        on_decision: Hears of each decision.

    Raises:
        AgentError: If the agents do not fit the seats, or one of them chooses an illegal action.
        DealError: As for `State.deal`.
    """
    state = State.deal(rules, seed, first_attacker)
    return play_from(state, agents, derive(seed, AGENTS_STREAM), on_decision)


def play_from(
    state: State, agents: Sequence[Agent], seed: int, on_decision: OnDecision | None = None
) -> GameResult:
    """Let agents, one for each seat and all different objects, play on from a state to the end of the game.

    Each seat draws from a stream of its own of the agents' ``seed``.

    Raises:
        AgentError: If the agents do not fit the seats, or one of them chooses an illegal action.
        ForfeitError: If one of them is another program, and fails.
    """
    result = play_out(state, agents, seed, on_decision)
    if result.failure is not None:
        raise result.failure
    return result


def play_out(
    state: State, agents: Sequence[Agent], seed: int, on_decision: OnDecision | None = None
) -> GameResult:
    """Do as `play_from` does, but let a game end where another program fails in it: it is the fool.

    Raises:
        AgentError: If the agents do not fit the seats, or one of them that is none but this program
            chooses an illegal action.
    """
    seats = state.rules.seats
    if len(agents) != seats or len({id(agent) for agent in agents}) != seats:
        message = "{seats} seats need {seats} agents, each its own object; got {count}"
        raise AgentError(message, seats=seats, count=len(agents))
    players = list(map(_Clock, agents))
    choices: list[int] = []
    failed: int | None = None
    failure: ForfeitError | None = None
    seat: int | None = None
    try:
        for seat, player in enumerate(players):
            player.begin(state.rules, seat, derive(seed, seat))
        while (seat := state.turn) is not None:
            observation = state.observation(seat, sees_all=agents[seat].sees_all)
            decision = players[seat].choose(observation)
            if on_decision is not None:
                on_decision(state, decision)
            state = _applied(state, decision, agents[seat])
            choices.append(len(observation.legal_actions))
    except ForfeitError as error:
        failed, failure = seat or 0, error
    for seat, player in enumerate(players):
        player.end()
        if player.program is not None and seat != failed:
            player.program.finish(state.observation(seat), _result_text(state, failed))
    return GameResult(
        number=0,
        seating=tuple(range(seats)),
        fool=state.fool if failed is None else state.rules.team_of(failed),
        bouts=state.bout,
        plies=state.plies,
        decisions=tuple([player.decisions for player in players]),
        seconds=tuple([player.seconds for player in players]),
        first_attacker=state.first_attacker,
        log_choices=math.fsum(map(math.log, choices)),
        forfeit=str(failure or ""),
        waited=tuple([player.waited for player in players]),
        names=tuple([player.program.name if player.program else "" for player in players]),
        state=state,
        players=tuple([agent.text for agent in agents]),
        failed=failed,
        failure=failure,
    )


class _Clock:
    """Asks an agent, and measures how long it takes in a game."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self.program = agent if isinstance(agent, ForeignAgent) else None
        self.decisions = 0
        self.seconds = 0.0
        self.waited = 0.0

    def begin(self, rules: Rules, seat: int, seed: int) -> None:
        self._agent.begin(rules, seat, seed)
        if self.program:
            self.seconds -= self.program.computed()

    def choose(self, observation: Observation) -> Decision:
        began, spent = perf_counter(), process_time()
        try:
            decision = self._agent.choose(observation)
        finally:
            self.waited += perf_counter() - began
            if not self.program:
                self.seconds += process_time() - spent
        self.decisions += 1
        return decision

    def end(self) -> None:
        if self.program:
            self.seconds += self.program.computed()
            self.seconds = 0.0 if self.seconds < 0 else self.seconds  # clocks differ by a hair


def _result_text(state: State, failed: int | None) -> str:
    """Return the result of a game as engines are told it."""
    if failed is not None:
        return f"forfeit {failed}"
    fools = state.observation(0).fools
    return f"fool {','.join(map(str, fools))}" if fools else "draw"


def _applied(state: State, decision: Decision, agent: Agent) -> State:
    """Play a decision; an illegal one is its agent's fault and is never replaced (rules 10.1)."""
    try:
        return state.apply(decision.action)
    except IllegalActionError as error:
        if isinstance(agent, ForeignAgent):
            raise agent.failure(Message("chose an illegal action: {why}", why=error)) from error
        message = "the agent {text} at seat {turn} chose an illegal action: {why}"
        raise AgentError(message, text=agent.text, turn=state.turn, why=error) from error
