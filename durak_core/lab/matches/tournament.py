"""Round-robin tournaments, and grid search over agent options.

With two seats every pair plays a match. With more, every combination of agents forms a table, whose deals
alternate between balanced cyclic orders. In team games (rules 2.2) the entrants are teams.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Context, Decimal, InvalidOperation, localcontext
from functools import cached_property
from itertools import combinations, product
from typing import Any, Final, Self

from durak_core.agents.registry import write_spec
from durak_core.errors import AgentError
from durak_core.kernel.position import derive
from durak_core.lab.matches.match import Match, check_amounts, checked_entrants, read_entry, text_of
from durak_core.lab.matches.players import player_text, read_player
from durak_core.lab.own_agents.origins import with_origins
from durak_core.lab.own_agents.reading import Entrant
from durak_core.rules import Rules, as_rules

_CYCLES: Final[dict[int, tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]]] = {
    2: ((0, 1), ()),
    3: ((0, 1, 2), ((1, 0, 2), (1, 2, 0))),
    4: ((0, 1, 2, 3), ((1, 0, 2, 3), (1, 2, 3, 0))),
    5: ((0, 1, 2, 3, 4), ((1, 2, 3, 4, 0), (0, 2, 4, 1, 3))),
    6: ((0, 5, 1, 4, 3, 2), ((1, 2, 3, 4, 0, 5), (0, 2, 4, 1, 3, 5), (5, 4, 2, 3, 1, 0))),
}
"""A cyclic order and generators of a 2-transitive permutation group, by number of seats.

The group's images of the order are balanced. For 5 seats it is x -> ax + b modulo 5; for 6 seats it also has
-1/x, with player 5 as infinity.
"""


def cyclic_orders(seats: int) -> tuple[tuple[int, ...], ...]:
    """Return balanced cyclic orders: each player sits at each distance before each other equally often.

    For 2 to 6 seats there are 1, 2, 6, 4 or 20 orders of players 0 to ``seats - 1``, each starting with 0.
    """
    start, generators = _CYCLES[seats]
    found, fresh = {start}, {start}
    while fresh:
        moved = [[image[player] for player in order] for order in fresh for image in generators]
        fresh = {(*order[order.index(0) :], *order[: order.index(0)]) for order in moved} - found
        found |= fresh
    return tuple(sorted(found))


@dataclass(frozen=True, slots=True)
class Fixture:
    """A match of a tournament.

    Attributes:
        players: Indices into the tournament's agents, in the match's order.
        match: The match, with whole deals only.
    """

    players: tuple[int, ...]
    match: Match


@dataclass(frozen=True)
class Tournament:
    """A round-robin tournament.

    Args:
        rules: The rules, or their text.
        agents: Players as for `Match`, at least one per seat; in team games teams. The attribute has the
            canonical specs.
        games: Games per table, 1 or more, rounded up to whole deals. Seatings are balanced for multiples of
            2, 6, 24, 20 and 120 with 2 to 6 seats, and of 8, 18 and 48 with 2x2, 2x3 and 3x2.
        seed: Seed of all deals and agents, 0 to 2^63 - 1. Appending agents does not change the games of the
            others.

    Raises:
        AgentError: If a spec is invalid or repeated, there are too few agents, or a number is out of range.
    """

    rules: Rules
    agents: tuple[Entrant, ...]
    games: int
    seed: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "rules", as_rules(self.rules))
        entries = [read_entry(self.rules, entrant) for entrant in checked_entrants(self.agents)]
        vars(self)["_entries"] = entries
        object.__setattr__(self, "agents", tuple([text_of(self.rules, entry) for entry in entries]))
        for place, text in enumerate(self.agents):
            if text in self.agents[:place]:
                raise AgentError("{text} appears twice: expected different agents", text=text)
        if len(self.agents) < self.rules.team_count:
            message = "{count} agents on {needed} seats: expected {needed} agents or more"
            if self.rules.teams is not None:
                message = "{count} teams with teams={teams}: expected {needed} teams or more"
            needed, teams = self.rules.team_count, self.rules.teams
            raise AgentError(message, count=len(self.agents), needed=needed, teams=teams)
        check_amounts(self.games, self.seed)

    @property
    def origins(self) -> dict[str, dict[str, str]]:
        """Class, digest and version of each own agent, by spec, as JSON data."""
        return {spec: origin for match in self.matches for spec, origin in match.origins.items()}

    @property
    def matches(self) -> list[Match]:
        return [fixture.match for fixture in self.fixtures]

    @property
    def saved_fields(self) -> dict[str, Any]:
        """The fields that identify the tournament in a resume file."""
        fields = {"rules": self.rules.text, "agents": list(self.agents), "seed": self.seed}
        return with_origins(fields, self.origins)

    @property
    def all_games(self) -> int:
        return sum(match.games for match in self.matches)

    @cached_property
    def fixtures(self) -> tuple[Fixture, ...]:
        seats, teams = self.rules.seats, self.rules.team_count
        orders = cyclic_orders(teams)
        deals = -(-self.games // seats)
        found = []
        for table in combinations(range(len(self.agents)), teams):
            rank = sum(math.comb(player, place) for place, player in enumerate(table, 1))
            for number, order in enumerate(orders):
                share = deals // len(orders) + (number < deals % len(orders))
                if share:
                    players = tuple([table[place] for place in order])
                    entries = [vars(self)["_entries"][player] for player in players]
                    entrants = tuple(entries if self.rules.teams else [entry[0] for entry in entries])
                    seed = derive(derive(self.seed, rank), number)
                    found.append(Fixture(players, Match(self.rules, entrants, share * seats, seed)))
        return tuple(found)


_MOST: Final = 1000
"""Maximum number of values per grid, and of combinations."""


@dataclass(frozen=True, slots=True)
class Grid:
    """An option and the values to try, as text."""

    option: str
    values: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse ``option=value,value`` or ``option=low..high..step`` (step 1 by default), or a mixture.

        Raises:
            AgentError: If the option or its values are missing, or a value is repeated.

        >>> Grid.parse("limit=10..30..10,100").values
        ('10', '20', '30', '100')
        """
        option, equals, listed = text.partition("=")
        if not option.strip() or not equals:
            raise AgentError(
                "grid {text!r}: expected option=value,value or option=low..high..step", text=text
            )
        values: list[str] = []
        for part in filter(None, map(str.strip, listed.split(","))):
            values += _range(text, part) if ".." in part else [part]
        if not values:
            raise AgentError("grid {text!r} has no values: expected one or more", text=text)
        if len(values) > _MOST:
            message = "grid {text!r} has {count} values: expected at most {most}"
            raise AgentError(message, text=text, count=len(values), most=_MOST)
        for place, value in enumerate(values):
            if value in values[:place]:
                message = "grid {text!r} has the value {value} twice: expected different ones"
                raise AgentError(message, text=text, value=value)
        return cls(option.strip(), tuple(values))

    @property
    def numbers(self) -> tuple[float, ...] | None:
        """The values as numbers; None if a value is not a finite number.

        >>> Grid("c", ("0.5", "1")).numbers
        (0.5, 1.0)
        >>> Grid("limit", ("10", "none")).numbers
        """
        try:
            numbers = tuple(map(float, self.values))
        except ValueError:
            return None
        return numbers if all(map(math.isfinite, numbers)) else None


def _range(text: str, part: str) -> list[str]:
    try:
        numbers = [Decimal(word) for word in part.split("..")]
        low, high, step = numbers if len(numbers) == 3 else (*numbers, Decimal(1))
    except (InvalidOperation, ValueError):
        low = high = step = Decimal("NaN")
    if not all(number.is_finite() for number in (low, high, step)):
        message = "grid {text!r}: {part}: expected low..high or low..high..step"
        raise AgentError(message, text=text, part=part)
    if step <= 0 or low > high:
        raise AgentError(
            "grid {text!r} has no values in {part}: expected low..high with a step above 0, "
            "and low not above high",
            text=text,
            part=part,
        )
    with localcontext(Context(traps=[])):  # overflow gives infinity
        steps = (high - low) / step
    if steps >= _MOST:
        message = "grid {text!r} has more values in {part}: expected at most {most}"
        raise AgentError(message, text=text, part=part, most=_MOST)
    return [f"{(low + number * step).normalize():f}" for number in range(int(steps) + 1)]


def combinations_of(agent: str, grids: Sequence[Grid]) -> dict[str, tuple[str, ...]]:
    """Return all combinations of the grids' values, by canonical agent spec.

    Raises:
        AgentError: If there are no grids, an option has two grids, a value is invalid, there are too many
            combinations, or two combinations are the same agent.
    """
    options = [grid.option for grid in grids]
    if not grids:
        raise AgentError("there is no grid: expected one or more, such as limit=10,20")
    for place, option in enumerate(options):
        if option in options[:place]:
            raise AgentError(
                "the option {option} has two grids: expected one grid with all values", option=option
            )
    common = player_text(_with_first(agent, grids))
    for grid in grids:  # checks values before building the product
        for value in grid.values:
            player_text(_with(common, [f"{grid.option}={value}"]))
    count = math.prod([len(grid.values) for grid in grids])
    if count > _MOST:
        raise AgentError("{count} combinations: expected at most {most}", count=count, most=_MOST)
    found: dict[str, tuple[str, ...]] = {}
    for values in product(*[grid.values for grid in grids]):
        settings = [f"{option}={value}" for option, value in zip(options, values, strict=True)]
        text = player_text(_with(common, settings))
        if text in found:
            message = "{found} and {values} are the same agent {text}"
            raise AgentError(message, found=", ".join(found[text]), values=", ".join(values), text=text)
        found[text] = values
    return found


def common_text(agent: str, grids: Sequence[Grid]) -> str:
    """Return the canonical agent spec without the grids' options.

    >>> common_text("mcts:limit=100,c=2", [Grid("limit", ("10", "20"))])
    'mcts:c=2'
    """
    named, tried = read_player(_with_first(agent, grids)), {grid.option for grid in grids}
    defaults = {option.name: option.default for option in named.info.options if option.name in tried}
    return write_spec(named.info, {**named.values, **defaults})


def _with_first(agent: str, grids: Sequence[Grid]) -> str:
    """Return the agent with each grid's first value: an option that a spec must give may have a grid."""
    return _with(agent, [f"{grid.option}={grid.values[0]}" for grid in grids])


def _with(agent: str, settings: Sequence[str]) -> str:
    return agent + ("," if ":" in agent else ":") + ",".join(settings)
