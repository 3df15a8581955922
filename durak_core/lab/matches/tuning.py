"""Grid search over agent options."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Context, Decimal, InvalidOperation, localcontext
from itertools import product
from typing import Final, Self

from durak_core.agents.registry import write_spec
from durak_core.errors import AgentError
from durak_core.lab.matches.players import player_text, read_player

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
