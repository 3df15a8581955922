"""A single game between agents.

>>> from durak_core import Rules
>>> play_game(Rules(), ["greedy", "random"], seed=7).plies
74
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from time import perf_counter, process_time
from typing import Final, Self, TypeAlias

from durak_core.agents.base import Agent, Decision, ExternalAgent
from durak_core.errors import AgentError, ForfeitError
from durak_core.game.json_form import write_json_line
from durak_core.game.observation import Observation
from durak_core.game.record import Record
from durak_core.game.state import State
from durak_core.kernel.position import AGENTS_STREAM, derive
from durak_core.lab.legal_choices import applied
from durak_core.lab.matches.players import seated_agents
from durak_core.lab.own_agents.adapter import decision_of
from durak_core.lab.own_agents.reading import Entrant
from durak_core.rules import Rules

OnDecision: TypeAlias = Callable[[State, Decision], None]
"""Called with the state and the decision before each decision is applied."""

FINDINGS: Final = "findings"
"""Key of a game's JSON with the search info of each action, null without a search."""

_FORFEIT: Final = "Forfeit"
"""Tag with the seat that forfeited an unfinished game. The record's comment has the reason."""


@dataclass(frozen=True, slots=True)
class GameSummary:
    """Result of a finished game, cheap to send between processes.

    Attributes:
        number: Number in the match, from 0.
        seating: Index of the agent, or team, at each seat; all different outside a match.
        fool: Losing team, or losing seat without teams; None for a draw.
        decisions: Actions chosen by each seat; zeros if time was not measured.
        seconds: CPU time of each seat; nan for an external engine without psutil. Not compared.
        waited: Wall time of each seat. Not compared.
        names: Name an external engine reports, by seat; empty for built-in agents. Not compared.
        log_choices: Sum of ln(number of legal actions) over all actions; 0 if unknown.
        forfeit: Error of the losing agent if the game was forfeited, otherwise empty.
        line: The game as a JSON line without its newline, empty unless requested.
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
        """Summarise a record, or return None if it is unfinished; `RecordError` if an action is illegal."""
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

    def score_of(self, team: int) -> float:
        """Return 1 for a win of the team, 0.5 for a draw, 0 for a loss."""
        return 0.5 if self.fool is None else float(self.fool != team)


@dataclass(frozen=True, kw_only=True)
class GameResult(GameSummary):
    """A finished game with its final state and its agent specs by seat.

    Attributes:
        failed: Seat that forfeited, or None.
        failure: The error that caused the forfeit.
    """

    state: State
    players: tuple[str, ...]
    failed: int | None = None
    failure: AgentError | None = field(default=None, compare=False, repr=False)

    @property
    def is_draw(self) -> bool:
        return self.state.is_draw

    @property
    def places(self) -> tuple[int, ...]:
        """Seats in finishing order, the fool last (rules 2.2.6, 8.4).

        After a forfeit, seats still holding cards follow in seat order, the losing team last.
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
        """The complete game; a forfeit is stored as a tag and a comment."""
        if self.failed is None:
            return Record.of(self.state, self.players)
        record = Record.of(self.state, self.players, **{_FORFEIT: str(self.failed)})
        return record.annotated(0, comment=self.forfeit)

    def summary(self, *, with_line: bool = False, **more: object) -> GameSummary:
        """Return the summary, optionally with the game as a JSON line that contains extra keys."""
        kept = {field.name: getattr(self, field.name) for field in fields(GameSummary)}
        line = write_json_line(replace(self.record, extra=more)).rstrip("\n") if with_line else ""
        return GameSummary(**{**kept, "line": line})


def play_game(
    rules: Rules | str,
    agents: Sequence[Entrant],
    seed: int,
    first_attacker: int | None = None,
    on_decision: OnDecision | None = None,
) -> GameResult:
    """Deal and play a game.

    Args:
        rules: Rules of the game, or their text.
        agents: One player per seat: an agent spec such as ``greedy``, your own class, or an object. An object
            with all attributes of `Agent` is not copied, and gets the seed itself.
        seed: Seed of the deal and, in separate streams, of the agents; 0 to 2^63 - 1.
        first_attacker: Seat of the first attacker; by default the rules decide (rules 4.1).
        on_decision: Called after each decision.

    Raises:
        AgentError: If the number of agents is wrong, or an agent chooses an illegal action.
        DealError: As for `State.deal`.
    """
    state = State.deal(rules, seed, first_attacker)
    return play_from(state, agents, derive(seed, AGENTS_STREAM), on_decision)


def play_from(
    state: State, agents: Sequence[Entrant], seed: int, on_decision: OnDecision | None = None
) -> GameResult:
    """Play a game to its end from a state, with arguments as for `play_game`.

    Raises:
        AgentError: If the number of agents is wrong, or an agent chooses an illegal action.
        ForfeitError: If an external engine fails.
    """
    with seated_agents(agents) as players:
        result = play_out(state, players, seed, on_decision)
    if result.failure is not None:
        raise result.failure
    return result


def play_out(
    state: State,
    agents: Sequence[Agent],
    seed: int,
    on_decision: OnDecision | None = None,
    failures: type[AgentError] = ForfeitError,
) -> GameResult:
    """Play like `play_from`, but an agent that fails with one of ``failures`` forfeits and becomes the fool.

    By default only external engines forfeit.
    """
    seats = state.rules.seats
    if len(agents) != seats or len({id(agent) for agent in agents}) != seats:
        message = "{seats} seats need {seats} agents, each its own object; got {count}"
        raise AgentError(message, seats=seats, count=len(agents))
    players = list(map(_Clock, agents))
    choices: list[int] = []
    failed: int | None = None
    failure: AgentError | None = None
    seat: int | None = None
    try:
        for seat, player in enumerate(players):
            player.begin(state.rules, seat, derive(seed, seat))
        while (seat := state.turn) is not None:
            observation = state.observation(seat, sees_all=agents[seat].sees_all)
            decision = players[seat].choose(observation)
            if on_decision is not None:
                on_decision(state, decision)
            state = applied(state, decision.action, agents[seat])
            choices.append(len(observation.legal_actions))
    except failures as error:
        failed, failure = seat or 0, error
    for seat, player in enumerate(players):
        player.end()
        if player.program is not None and seat != failed:
            fools = ",".join(map(str, state.observation(seat).fools))
            told = f"fool {fools}" if fools else "draw"
            player.program.finish(state.observation(seat), told if failed is None else f"forfeit {failed}")
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
    """Measures the CPU and wall time of an agent in a game."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self.program = agent if isinstance(agent, ExternalAgent) else None
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
            decision = decision_of(self._agent.text, self._agent.choose(observation))
        finally:
            self.waited += perf_counter() - began
            if not self.program:
                self.seconds += process_time() - spent
        self.decisions += 1
        return decision

    def end(self) -> None:
        if self.program:
            self.seconds += self.program.computed()
            self.seconds = 0.0 if self.seconds < 0 else self.seconds  # clock resolution
