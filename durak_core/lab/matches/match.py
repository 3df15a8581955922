"""Matches: every deal played from every seating, so that luck of the deal and of the chair cancels.

Game ``i`` of a match of ``seats`` players has the deal ``derive(seed, i // seats)``, and the players
move on by one chair from game to game: the one who sat at seat 0 sits at ``i % seats``. So whole teams
move on (rules 2.2), and each of their members sits on every chair. From deal to deal members take turns
in attacking each other: the order round the table is another one in each of k^(T-1) deals of T teams of k
members, and then begins again, so that every member has sat equally often before each of the next team's.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, TypeVar

from durak_core.agents.base import Agent, ForeignAgent
from durak_core.agents.registry import NamedAgent
from durak_core.errors import AgentError
from durak_core.game.state import State, next_first_attacker
from durak_core.kernel.random import AGENTS_STREAM, GAMES_STREAM, MASK63, derive
from durak_core.lab.matches.game import GameResult, GameSummary, OnDecision, play_out
from durak_core.lab.matches.players import (
    load_machine_code,
    read_lone_player,
    read_team,
    team_members,
    team_text,
)
from durak_core.messages import shortened
from durak_core.rules import Rules

_EXAMPLES: Final = ("greedy", "smart", "expert")
_LONGEST_SHOWN: Final = 100
"""Characters that an error shows of what was given."""

_Player = TypeVar("_Player")


def players_of(rules: Rules, agents: Sequence[str]) -> tuple[str, ...]:
    """Return the texts of the players of a match, as many as seats: player ``p`` sits at seat ``p`` first.

    With fewer agents than seats they are dealt round; with teams ``p`` is of team ``p % rules.team_count``.

    Raises:
        AgentError: If there are teams, and these are none of the right number and size.
    """
    if rules.teams is None:
        return _dealt_round(rules, [(text,) for text in agents])
    if len(agents) != rules.team_count:
        raise _wrong_teams(rules, agents)
    teams = [read_entry(rules, text) for text in agents]
    return tuple([player.text for player in _dealt_round(rules, teams)])


def _dealt_round(rules: Rules, entries: Sequence[tuple[_Player, ...]]) -> tuple[_Player, ...]:
    """Return the members of teams, or lone players, in the order of `players_of`."""
    in_order = [player for members in zip(*entries, strict=True) for player in members]
    return tuple([in_order[player % len(in_order)] for player in range(rules.seats)])


def read_entry(rules: Rules, text: str) -> tuple[NamedAgent, ...]:
    """Read who can take part under these rules: the members of a team, or an agent alone.

    Raises:
        AgentError: If a text names no agent, or no team of the rules' size.
    """
    if rules.teams is None:
        return (read_lone_player(text),)
    members = read_team(text)
    if len(members) * rules.team_count != rules.seats:
        raise _wrong_teams(rules, [text])
    return members


def entry_text(rules: Rules, text: str) -> str:
    """Return the canonical text of what `read_entry` reads."""
    members = [member.text for member in read_entry(rules, text)]
    return members[0] if rules.teams is None else team_text(members)


def filled(rules: Rules, agents: Sequence[str]) -> tuple[str, ...]:
    """Return agents as `Match` takes them; with teams each is a whole team, and the last one several.

    Raises:
        AgentError: If there are teams, and a text names no agent.
    """
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
    """Return which player of a match sits at each seat in a game, counted from 0."""
    seats, teams = rules.seats, rules.team_count
    size = seats // teams
    deal = game // seats
    order = [
        team + teams * ((place + (deal // size ** (team - 1) if team else 0)) % size)
        for place in range(size)
        for team in range(teams)
    ]
    return tuple([order[(seat - game) % seats] for seat in range(seats)])


def seated_players(rules: Rules, agents: Sequence[str], game: int) -> tuple[str, ...]:
    """Return the text of the player at each seat in a game of a match, counted from 0.

    Raises:
        AgentError: As for `players_of`.
    """
    players = players_of(rules, agents)
    return tuple([players[player] for player in chairs(rules, game)])


def check_amounts(games: int, seed: int) -> None:
    """Raise an `AgentError` for a number of games below 1, and for a seed out of range."""
    if games < 1:
        raise AgentError("{games} games: expected 1 or more", games=games)
    if not 0 <= seed <= MASK63:
        raise AgentError("seed {seed}: expected a number from {low} to {high}", seed=seed, low=0, high=MASK63)


@dataclass(frozen=True)
class Match:
    """What is to be played.

    Args:
        rules: The rules; their seats are the match's.
        agents: The agents' texts, as for `durak_core.lab.make_player`. With more seats than agents
            they are dealt round: player ``p`` of ``rules.seats`` is agent ``p % len(agents)``. With teams
            the teams' texts, such as ``expert+greedy``, as many as the rules have (rules 2.2).
        games: How many games, 1 or more. Members of teams have sat equally often before each of their
            opponents where they are a multiple of 8, 18 and 24 for 2x2, 2x3 and 3x2.
        seed: Of all deals and all chance, 0 to 2^63 - 1.

    Raises:
        AgentError: If a text names no agent, there are none or more than seats, or no such teams as the
            rules ask for, or a number is out of range.
    """

    rules: Rules
    agents: tuple[str, ...]
    games: int
    seed: int

    def __post_init__(self) -> None:
        seats = self.rules.seats
        if self.rules.teams is None and not 1 <= len(self.agents) <= seats:
            message = "{count} agents on {seats} seats: expected 1 to {seats} agents"
            raise AgentError(message, count=len(self.agents), seats=seats)
        check_amounts(self.games, self.seed)
        if self.rules.teams is not None and len(self.agents) != self.rules.team_count:
            raise _wrong_teams(self.rules, self.agents)
        texts = [one.text for one in self.named]
        if self.rules.teams is None:
            canonical = texts[: len(self.agents)]
        else:
            canonical = [team_text(texts[team :: len(self.agents)]) for team in range(len(self.agents))]
        object.__setattr__(self, "agents", tuple(canonical))

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "named"}

    @cached_property
    def named(self) -> tuple[NamedAgent, ...]:
        """The players as their texts name them, as many as seats; read once in each process."""
        return _dealt_round(self.rules, [read_entry(self.rules, text) for text in self.agents])

    @property
    def is_series(self) -> bool:
        """Whether a game may depend on the one before: the last fool decides who begins (rules 4.2)."""
        return self.rules.next_first_attacker == "under_fool"

    def deal_seed(self, game: int) -> int:
        return derive(self.seed, game // self.rules.seats)

    def agents_seed(self, game: int) -> int:
        return derive(self.seed, GAMES_STREAM + game)

    @property
    def players(self) -> tuple[str, ...]:
        """The players' texts, as many as seats."""
        return tuple([one.text for one in self.named])

    def seating(self, game: int) -> tuple[int, ...]:
        """Return which agent, or team, by its place in ``agents``, sits at each seat in a game."""
        return tuple([player % len(self.agents) for player in chairs(self.rules, game)])

    def seated(self, game: int) -> tuple[str, ...]:
        """Return the text of the player at each seat in a game (counted from 0)."""
        return tuple([self.named[player].text for player in chairs(self.rules, game)])

    @contextmanager
    def built(self) -> Iterator[list[Agent]]:
        """Give the block the players, as many as seats; those that are other programs end with it."""
        players = [one.build() for one in self.named]
        try:
            yield players
        finally:
            for player in players:
                if isinstance(player, ForeignAgent):
                    player.close()


@dataclass(frozen=True)
class SoloMatch(Match):
    """One agent on all seats; every game has a deal of its own, for on other chairs it would be the same."""

    @property
    def is_series(self) -> bool:
        """Never: every deal decides who begins."""
        return False

    def deal_seed(self, game: int) -> int:
        return derive(self.seed, game)

    def agents_seed(self, game: int) -> int:
        return derive(self.deal_seed(game), AGENTS_STREAM)


def play_match(
    match: Match,
    on_decision: OnDecision | None = None,
    games: range | None = None,
    previous: GameSummary | None = None,
) -> Generator[GameResult, None, None]:
    """Play a match, game by game as it is asked for the next one.

    The games are a series for rules 4.2: with ``under_fool`` the player who was the fool of the last
    game is attacked first, wherever that player sits now; after a forfeited game the deal decides.
    Agents that are other programs are ended with the match, or when the iterator is closed.

    Args:
        match: What is to be played.
        on_decision: Hears of each decision.
        games: Numbers of the games to play, ascending one by one; by default all. Every game is the
            same whether others are played with it or not, so a series cannot be entered in its middle
            without knowing the game before.
        previous: The game before the first of them; only a series asks for it.

    Raises:
        AgentError: If an agent cannot play by these rules or chooses an illegal action, or the match
            has no such games.
        DealError: If no deal stands (rules 3.4).
    """
    numbers = _checked_range(match, range(match.games) if games is None else games, previous)

    def played() -> Generator[GameResult, None, None]:
        with match.built() as players:
            yield from play_with(players, match, on_decision, numbers, previous)

    return played()


def _checked_range(match: Match, numbers: range, previous: GameSummary | None) -> range:
    if numbers.step != 1 or (numbers and not 0 <= numbers[0] <= numbers[-1] < match.games):
        message = "games {numbers}: expected ascending numbers from 0 to {last}"
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
    """Do as `play_match` does, with the players of `Match.built`."""
    load_machine_code(match.named)  # before any move is timed
    for number in numbers:
        fool = None if previous is None or previous.forfeit else previous.fool
        first = next_first_attacker(match.rules, fool, moved=1) if match.is_series else None
        state = State.deal(match.rules, match.deal_seed(number), first)
        agents = [players[player] for player in chairs(match.rules, number)]
        result = play_out(state, agents, match.agents_seed(number), on_decision)
        previous = replace(result, number=number, seating=match.seating(number))
        yield previous
