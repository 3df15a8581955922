"""Matches in compiled code, between agents that have a compiled player.

`durak_core.lab.matches.schedule` selects it automatically. The games are the same.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from time import perf_counter, process_time
from typing import Any, Final, TypeAlias

from durak_core.actions import decode
from durak_core.agents.base import Agent, SimpleAgent
from durak_core.game.json_form import write_json_line
from durak_core.game.record import Move, Record, RecordResult
from durak_core.game.state import State
from durak_core.game.state_view import no_deal_stands
from durak_core.kernel.position import MAX_ACTIONS, MAX_SEATS
from durak_core.kernel.transition import new_position
from durak_core.lab.matches.match import GameSummary, Match, SoloMatch, play_with
from durak_core.rules import Rules
from durak_core.search import players as games
from durak_core.search.backend.backend import Backend, backend, is_compiled
from durak_core.search.network.encoding import Memory
from durak_core.search.network.weights import Network, activation_sizes, in_memory, no_weights
from durak_core.search.players import InferenceBuffers, MatchMemory, Player

_WORTH_LOADING: Final = 20
"""Fewest games left for which cached code is loaded."""
_COMPILING_SECONDS: Final = 30.0
"""CPU time of compiling, which has to be less than interpreted games would take."""

_CALL_SECONDS: Final = 0.03
"""Target duration of a call, short enough for Ctrl+C."""

_MOST_GAMES: Final = 1000

_ACTIONS: Final = 1 << 17
"""Initial size of the action buffer."""

_LOGARITHMS: Final = (0.0, *[math.log(n) for n in range(1, MAX_ACTIONS + 1)])

_Times: TypeAlias = tuple[tuple[float, ...], tuple[float, ...]]
"""CPU time and wall time of each seat of a game, in seconds."""

LineUp: TypeAlias = Sequence[tuple[Player, Network | None]]
"""The compiled players of a match, each with its network, if any."""


def line_up(match: Match, agents: Sequence[Agent]) -> LineUp | None:
    """Return the compiled players of a match, or None for a series or if an agent has no compiled form.

    Raises:
        AgentError: If an agent does not support the rules.
    """
    return None if match.is_series else compiled_players(match.rules, agents)


def compiled_players(rules: Rules, agents: Sequence[Agent]) -> LineUp | None:
    """Return agents' compiled players, or None if one has none or sees more than its seat.

    Raises:
        AgentError: If an agent does not support the rules.
    """
    simple = [agent for agent in agents if isinstance(agent, SimpleAgent) and not agent.sees_all]
    return [agent.player(rules) for agent in simple] if len(simple) == len(agents) else None


def compiled_games_backend(match: Match, agents: Sequence[Agent], start: int = 0) -> Backend | None:
    """Return the loaded compiled backend if it pays for the games from ``start`` on.

    None if they take less CPU time than loading or compiling, or if compiling is disabled.
    """
    left = match.games - start
    if left <= _WORTH_LOADING:
        return None
    if not is_compiled("players") and left * _interpreted_seconds(match, agents) <= _COMPILING_SECONDS:
        return None
    runner = backend("players")
    return runner if runner.name == "compiled" else None


def _interpreted_seconds(match: Match, agents: Sequence[Agent]) -> float:
    """Return the CPU time of an interpreted game: the faster of two, because the first one loads modules."""
    games = play_with(agents, match, None, range(2), None)
    times = [process_time(), *[process_time() for _game in games]]
    return min(after - before for before, after in pairwise(times))


def plays_compiled(match: Match) -> bool:
    """Return whether `durak_core.lab.matches.schedule` plays a match in compiled code."""
    with match.built() as agents:
        players = line_up(match, agents)
        return players is not None and compiled_games_backend(match, agents) is not None


@dataclass(frozen=True)
class CompiledGames:
    """Plays a match in compiled code, optionally with the JSON line of each game."""

    match: Match
    players: LineUp
    runner: Backend
    with_lines: bool = False

    def play(self, numbers: range) -> Generator[GameSummary, None, None]:
        """Play consecutive games; raises `DealError` if every deal is void (rules 3.4)."""
        count, room = 1, _ACTIONS
        match, runner, seed = self.match, self.runner, self.match.seed
        period = min(match.period, len(numbers))
        # The compiled code takes a game's seating from the row of its number modulo the period.
        in_rows = sorted(numbers[:period], key=lambda number: number % period)
        seatings = list(map(match.seating, in_rows))
        table = self._table(list(map(match.chairs, in_rows)))
        play = partial(runner.functions["play_seated_games"], table)
        play((seed, 0), runner.integers(0), *self._rows(0))  # loads the code before timing
        while numbers:
            figures, clock = self._rows(min(count, len(numbers)))
            log = runner.integers(room)
            began, spent = perf_counter(), process_time()
            played = play((seed, numbers.start), log, figures, clock)
            spent, waited = process_time() - spent, perf_counter() - began
            rows = _listed(figures)
            times = _times(rows, _listed(clock), (spent, waited))
            yield from self._summaries(numbers, seatings, rows[:played], log, times)
            if played < len(rows):
                if rows[played][games.END] != games.FULL:
                    raise no_deal_stands(match.rules)
                room *= (
                    1 if played else 2
                )  # the log was full: even for the first game, or only for later ones
            numbers = numbers[played:]
            count = max(1, min(_MOST_GAMES, 4 * count, int(count * _CALL_SECONDS / max(waited, 1e-9))))

    def _rows(self, count: int) -> tuple[Any, Any]:
        return self.runner.integers(count, games.COLUMNS), self.runner.integers(count, games.CLOCKS)

    def _summaries(
        self,
        numbers: range,
        seatings: Sequence[tuple[int, ...]],
        rows: Sequence[Sequence[int]],
        log: Sequence[int],
        times: Iterable[_Times],
    ) -> Generator[GameSummary, None, None]:
        seats = self.match.rules.seats
        start = 0
        for number, row, (spent, waited) in zip(numbers, rows, times, strict=False):
            actions = _listed(log[start : row[games.END]])
            start = row[games.END]
            yield GameSummary(
                number=number,
                seating=seatings[number % len(seatings)],
                fool=row[games.FOOL] if row[games.FOOL] >= 0 else None,
                bouts=row[games.BOUTS],
                plies=len(actions),
                decisions=tuple(row[games.DECISIONS : games.DECISIONS + seats]),
                seconds=spent[:seats],
                first_attacker=row[games.FIRST_ATTACKER],
                log_choices=math.fsum([_LOGARITHMS[games.choices_of(action)] for action in actions]),
                line=self._line(number, row, actions) if self.with_lines else "",
                waited=waited[:seats],
                names=("",) * seats,
            )

    def _line(self, number: int, row: Sequence[int], actions: Sequence[int]) -> str:
        match, fool = self.match, row[games.FOOL]
        result = RecordResult(
            fools=match.rules.members(fool) if fool >= 0 else (),
            draw=fool < 0,
            places=tuple(row[games.PLACES : games.PLACES + row[games.N_PLACES]]),
            bouts=row[games.BOUTS],
            plies=len(actions),
        )
        moves = [Move(games.seat_of(action), decode(games.code_of(action))) for action in actions]
        deal = State.deal(match.rules, match.deal_seed(number))
        record = Record.of(deal, match.seated(number)).ended(tuple(moves), result)
        return write_json_line(record).rstrip("\n")

    def _table(self, chairs: Sequence[tuple[int, ...]]) -> MatchMemory:
        rules, runner = self.match.rules, self.runner
        seated = runner.integers(len(chairs), rules.seats)
        for row, order in enumerate(chairs):
            seated[row][:] = order
        solo = runner.integers(1)
        solo[0] = int(isinstance(self.match, SoloMatch))
        players = runner.records(Player(), MAX_SEATS)
        for number, (player, _) in enumerate(self.players):
            player.network = number
            players[number] = runner.records(player, 1)[0]
        return MatchMemory(
            positions=runner.records(new_position(rules), 1),
            memories=runner.records(Memory(is_open=int(rules.visibility == "open")), 1),
            players=players,
            head=buffers_for(self.players, runner),
            chairs=seated,
            solo=solo,
        )


def buffers_for(players: LineUp, runner: Backend) -> InferenceBuffers:
    """Return the players' networks and inference buffers for the widest one."""
    networks = [network for _, network in players if network is not None]
    nothing = no_weights(runner)
    held = {id(network): in_memory(network, runner) for network in networks}
    weights = [held.get(id(network), nothing) for _, network in players]
    weights += [nothing] * (MAX_SEATS - len(weights))
    first, second, third, fourth, fifth, sixth = weights
    return InferenceBuffers(
        networks=(first, second, third, fourth, fifth, sixth),
        room=activation_sizes(max([max(one.about.widths[1:]) for one in networks], default=0), runner),
        codes=runner.integers(MAX_ACTIONS),
        spare=runner.integers(MAX_ACTIONS),
    )


def _times(
    rows: Sequence[Sequence[int]], clock: Sequence[Sequence[int]], took: tuple[float, float]
) -> Iterator[_Times]:
    """Divide a call's CPU and wall time among the seats by clock ticks, or by moves without ticks."""
    if not any(map(any, clock)):
        moves = [row[games.DECISIONS : games.DECISIONS + MAX_SEATS] for row in rows]
        clock = [[*counts, sum(counts)] for counts in moves]
    whole = sum([row[MAX_SEATS] for row in clock])
    spent, waited = [seconds / max(whole, 1) for seconds in took]
    for row in clock:
        yield tuple([one * spent for one in row]), tuple([one * waited for one in row])


def _listed(numbers: Any) -> Any:  # noqa: ANN401 - an array, or (nested) lists of numbers
    return numbers if isinstance(numbers, list) else numbers.tolist()
