"""Games between agents, and matches with duplicate deals: every deal is played once from each seating.

>>> from durak_core import Rules
>>> play_game(Rules(), ["greedy", "random"], seed=7).plies
74

Game ``i`` with ``seats`` players uses the deal ``derive(seed, i // seats)``. All players move one seat per
game, so player 0 sits at ``i % seats``. In team games (rules 2.2) the seating order also changes from deal
to deal. With T teams of k members it repeats after k^(T-1) deals, in which every member precedes each member
of the next team equally often.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from time import perf_counter, process_time
from typing import Any, ClassVar, Final, Self, TypeAlias, TypeVar

from durak_core.agents.base import Agent, Decision, ExternalAgent
from durak_core.agents.registry import NamedAgent
from durak_core.errors import AgentError, ForfeitError, shortened
from durak_core.game.json_form import write_json_line
from durak_core.game.observation import Observation
from durak_core.game.record import Record
from durak_core.game.state import State, next_first_attacker
from durak_core.game.state_view import is_whole
from durak_core.kernel.position import AGENTS_STREAM, GAMES_STREAM, MASK63, SEATS_STREAM, derive, random_below
from durak_core.lab.legal_choices import applied
from durak_core.lab.matches.players import (
    load_compiled,
    read_lone_player,
    read_team,
    recipe_of,
    seated_agents,
    team_members,
    team_text,
)
from durak_core.lab.own_agents.adapter import decision_of, said_of
from durak_core.lab.own_agents.reading import Entrant, OwnAgent, origins_of
from durak_core.rules import Rules, as_rules

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


_EXAMPLES: Final = ("greedy", "smart", "expert")
_LONGEST_SHOWN: Final = 100
"""Maximum characters of the input quoted in an error."""

_Player = TypeVar("_Player")


def _dealt_round(rules: Rules, entries: Sequence[tuple[_Player, ...]]) -> tuple[_Player, ...]:
    in_order = [player for members in zip(*entries, strict=True) for player in members]
    return tuple([in_order[player % len(in_order)] for player in range(rules.seats)])


def read_entry(rules: Rules, entrant: Entrant) -> tuple[NamedAgent, ...]:
    """Read a team in team games, otherwise an agent; `AgentError` for a wrong team size."""
    if rules.teams is None:
        return (read_lone_player(entrant),)
    is_listed = isinstance(entrant, tuple | list)
    if not is_listed and not isinstance(entrant, str):
        raise AgentError(
            "{given} in place of a team: expected a spec such as 'greedy+smart', or a tuple of agents",
            rule="2.2",
            given=said_of(entrant),
        )
    members = tuple(map(read_lone_player, entrant)) if is_listed else read_team(entrant)
    if len(members) * rules.team_count != rules.seats:
        raise _wrong_teams(rules, [team_text([member.text for member in members])])
    return members


def text_of(rules: Rules, members: Sequence[NamedAgent]) -> str:
    return members[0].text if rules.teams is None else team_text([member.text for member in members])


def filled(rules: Rules, agents: Sequence[str]) -> tuple[str, ...]:
    """Return agents as entrants; in team games each fills a team, and the last one all remaining teams."""
    if rules.teams is None:
        return tuple(agents)
    teams = [team_text(team_members(text) * (rules.seats // rules.team_count)) for text in agents]
    return (*teams, *teams[-1:] * (rules.team_count - len(teams)))


def _wrong_teams(rules: Rules, agents: Sequence[str]) -> AgentError:
    size = rules.seats // rules.team_count
    return AgentError(
        "{given}: teams={teams} is for {count} teams of {size}, such as {example}",
        rule="2.2",
        given=shortened(" ".join(agents), _LONGEST_SHOWN),
        teams=rules.teams,
        count=rules.team_count,
        size=size,
        example=" ".join(["+".join([name] * size) for name in _EXAMPLES[: rules.team_count]]),
    )


def chairs(rules: Rules, game: int) -> tuple[int, ...]:
    """Return the index of the player at each seat in a game, from 0."""
    seats, teams = rules.seats, rules.team_count
    size = seats // teams
    deal = game // seats
    # The places of teams are like digits, team 1's the lowest: it moves every deal, team t every
    # size ** (t - 1) deals. So all orders relative to team 0 come up equally often.
    order = [
        team + teams * ((place + (deal // size ** (team - 1) if team else 0)) % size)
        for place in range(size)
        for team in range(teams)
    ]
    return tuple([order[(seat - game) % seats] for seat in range(seats)])


def seated_players(rules: Rules, agents: Sequence[str], game: int) -> tuple[str, ...]:
    """Return the player spec at each seat in a game, from 0; agents as for `Match`, but only teams are read.

    Raises:
        AgentError: If the number or size of the teams does not match the rules.
    """
    entries: list[tuple[str, ...]]
    if rules.teams is None:
        entries = [(text,) for text in agents]
    elif len(agents) == rules.team_count:
        entries = [tuple([one.text for one in read_entry(rules, text)]) for text in agents]
    else:
        raise _wrong_teams(rules, agents)
    players = _dealt_round(rules, entries)
    return tuple([players[player] for player in chairs(rules, game)])


def checked_entrants(entrants: Sequence[Entrant]) -> tuple[Entrant, ...]:
    given: object = entrants
    if isinstance(given, Iterable) and not isinstance(given, str | type):
        return tuple(given)
    raise AgentError(
        "agents {given}: expected a list of agents, such as ['greedy', 'random']", given=said_of(given)
    )


def _check_distinct(players: Iterable[NamedAgent]) -> None:
    """Raise `AgentError` if different players have the same spec."""
    known: dict[str, NamedAgent] = {}
    for player in players:
        other = known.setdefault(player.text, player)
        entrants = [one.entrant for one in (player, other) if isinstance(one, OwnAgent)]
        if type(player) is not type(other) or any(one is not entrants[0] for one in entrants):
            raise AgentError(
                "two agents are called {text}: expected different names in their attributes text",
                text=player.text,
            )


def check_amounts(games: int, seed: int) -> None:
    if not is_whole(games, 1, MASK63):
        raise AgentError("{games!r} games: expected a whole number, 1 or more", games=games)
    if not is_whole(seed, 0, MASK63):
        raise AgentError(
            "seed {seed}: expected a number from {low} to {high}", seed=repr(seed), low=0, high=MASK63
        )


@dataclass(frozen=True)
class Match:
    """A match with duplicate deals.

    Args:
        rules: The rules, or their text.
        agents: Players as for `durak_core.lab.make_player`, 1 to ``rules.seats``: agent specs, or your own
            classes and objects. Player ``p`` is agent ``p % len(agents)``. In team games one team per team of
            the rules: a spec such as ``expert+greedy`` (rules 2.2), or a tuple of players. The attribute has
            the canonical specs.
        games: Number of games, 1 or more. Team seatings are balanced for multiples of 8, 18 and 24 with 2x2,
            2x3 and 3x2.
        seed: Seed of all deals and agents, 0 to 2^63 - 1.

    Raises:
        AgentError: If a spec is invalid, the number of agents or teams does not match the rules, or a number
            is out of range.
    """

    rules: Rules
    agents: tuple[Entrant, ...]
    games: int
    seed: int

    _repeats_deals: ClassVar[bool] = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "rules", as_rules(self.rules))
        seats, agents = self.rules.seats, checked_entrants(self.agents)
        if self.rules.teams is None and not 1 <= len(agents) <= seats:
            message = "{count} agents on {seats} seats: expected 1 to {seats} agents"
            raise AgentError(message, count=len(agents), seats=seats)
        check_amounts(self.games, self.seed)
        if self.rules.teams is not None and len(agents) != self.rules.team_count:
            raise _wrong_teams(self.rules, list(map(str, agents)))
        entries = [read_entry(self.rules, entrant) for entrant in agents]
        object.__setattr__(self, "agents", tuple([text_of(self.rules, entry) for entry in entries]))
        vars(self)["named"] = _dealt_round(self.rules, entries)
        _check_distinct(self.named)

    @cached_property
    def named(self) -> tuple[NamedAgent, ...]:
        """The parsed players, one per seat; another process reads them again when it first needs them."""
        return tuple([read(*arguments) for read, arguments in vars(self)["_recipes"]])

    def __getstate__(self) -> dict[str, Any]:
        recipes = list(map(recipe_of, self.named))
        return {"_recipes": recipes, **{one.name: getattr(self, one.name) for one in fields(self)}}

    @property
    def origins(self) -> dict[str, dict[str, str]]:
        """Origins of own agents and of agents with a file, by spec, as JSON data."""
        return origins_of(self.named)

    @property
    def is_series(self) -> bool:
        """Whether the last fool determines the next first attacker (rules 4.2)."""
        return self._repeats_deals and self.rules.next_first_attacker == "under_fool"

    @property
    def has_duplicates(self) -> bool:
        """Whether every deal is played from each seating, so that its games are one observation."""
        return self._repeats_deals and not self.is_series

    @property
    def period(self) -> int:
        """Number of games after which the seating repeats."""
        size = self.rules.seats // self.rules.team_count
        games: int = self.rules.seats * size ** (self.rules.team_count - 1)
        return games

    def chairs(self, game: int) -> tuple[int, ...]:
        """Return the index in ``players`` at each seat in a game."""
        return chairs(self.rules, game)

    def deal_seed(self, game: int) -> int:
        return derive(self.seed, game // self.rules.seats)

    def agents_seed(self, game: int) -> int:
        return derive(self.seed, GAMES_STREAM + game)

    @property
    def players(self) -> tuple[str, ...]:
        return tuple([one.text for one in self.named])

    def seating(self, game: int) -> tuple[int, ...]:
        """Return the index in ``agents`` at each seat in a game."""
        return tuple([player % len(self.agents) for player in self.chairs(game)])

    def seated(self, game: int) -> tuple[str, ...]:
        return tuple([self.named[player].text for player in self.chairs(game)])

    def built(self) -> AbstractContextManager[list[Agent]]:
        """Return a context manager of the players, one per seat; closes external engines on exit."""
        return seated_agents(self.named)


@dataclass(frozen=True)
class SoloMatch(Match):
    """A match of one agent against itself, with a new deal for every game."""

    _repeats_deals: ClassVar[bool] = False

    def deal_seed(self, game: int) -> int:
        return derive(self.seed, game)

    def agents_seed(self, game: int) -> int:
        return derive(self.deal_seed(game), AGENTS_STREAM)


@dataclass(frozen=True)
class DrawnSeats(SoloMatch):
    """A match with a new deal and randomly drawn seats for every game, without teams.

    Raises:
        AgentError: As for `Match`, or if the rules have teams.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rules.teams is not None:
            raise AgentError(
                "seats are drawn for single players: expected teams=none, not {teams}",
                rule="2.2",
                teams=self.rules.teams,
            )

    @property
    def period(self) -> int:
        return self.games

    def chairs(self, game: int) -> tuple[int, ...]:
        rng = [derive(self.deal_seed(game), SEATS_STREAM)]
        left = list(range(self.rules.seats))
        return tuple([left.pop(random_below(rng, len(left))) for _ in range(self.rules.seats)])


def play_match(
    match: Match,
    on_decision: OnDecision | None = None,
    games: range | None = None,
    previous: GameSummary | None = None,
) -> Generator[GameResult, None, None]:
    """Play a match lazily, game by game.

    An agent that fails or chooses an illegal action after game 0 forfeits its game, like an external engine.
    With ``next_first_attacker=under_fool`` (rules 4.2) the last fool is attacked first, at any seat. After a
    forfeit the deal determines the first attacker. Closing the iterator closes external engines.

    Args:
        match: The match.
        on_decision: Called after each decision.
        games: Consecutive game numbers to play; all by default.
        previous: The game before the first of them; required to continue a series.

    Raises:
        AgentError: If an agent does not support the rules or fails in game 0, or ``games`` is out of range.
        DealError: If every deal is void (rules 3.4).
    """
    numbers = _checked_range(match, range(match.games) if games is None else games, previous)

    def played() -> Generator[GameResult, None, None]:
        with match.built() as players:
            yield from play_with(players, match, on_decision, numbers, previous)

    return played()


def _checked_range(match: Match, numbers: range, previous: GameSummary | None) -> range:
    given: object = numbers
    is_consecutive = isinstance(given, range) and given.step == 1
    if not is_consecutive or (numbers and not 0 <= numbers[0] <= numbers[-1] < match.games):
        message = "games {numbers}: expected a range of ascending numbers from 0 to {last}"
        raise AgentError(message, numbers=numbers, last=match.games - 1)
    if match.is_series and numbers and numbers[0] and previous is None:
        raise AgentError(
            "games from number {first} on: expected all from 0 on, for the fool of each game "
            "decides who begins the next one",
            rule="4.2",
            first=numbers[0],
        )
    return numbers


def play_with(
    players: Sequence[Agent],
    match: Match,
    on_decision: OnDecision | None,
    numbers: range,
    previous: GameSummary | None,
) -> Iterator[GameResult]:
    for number in numbers:
        load_compiled(match.named)  # before timing starts
        fool = None if previous is None or previous.forfeit else previous.fool
        first = next_first_attacker(match.rules, fool, moved=1) if match.is_series else None
        state = State.deal(match.rules, match.deal_seed(number), first)
        agents = [players[player] for player in match.chairs(number)]
        # An agent that fails in the first game would often fail in all of them.
        failures = AgentError if number else ForfeitError
        result = play_out(state, agents, match.agents_seed(number), on_decision, failures)
        previous = replace(result, number=number, seating=match.seating(number))
        yield previous
