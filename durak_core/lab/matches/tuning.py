"""Agents with many settings: the values of options, and all agents that have them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Context, Decimal, InvalidOperation, localcontext
from itertools import product
from typing import Final, Self

from durak_core.errors import AgentError
from durak_core.lab.matches.players import PLAYERS, player_text

_MOST: Final = 1000
"""Values of a grid, and combinations of all grids, at most."""


@dataclass(frozen=True, slots=True)
class Grid:
    """An option and the texts of the values to be tried."""

    option: str
    values: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a grid.

        Args:
            text: ``option=value,value`` or ``option=low..high..step`` with the step 1 if it is left
                out; a list may hold ranges.

        Raises:
            AgentError: If the text names no option or no values, or one of them twice.

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
        """The values as numbers; None if one of them is something else.

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
    """Return the values of low..high or low..high..step, both ends included."""
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
    with localcontext(Context(traps=[])):  # what is too large for a Decimal is infinite
        steps = (high - low) / step
    if steps >= _MOST:
        message = "grid {text!r} has more values in {part}: expected at most {most}"
        raise AgentError(message, text=text, part=part, most=_MOST)
    return [f"{(low + number * step).normalize():f}" for number in range(int(steps) + 1)]


def combinations_of(agent: str, grids: Sequence[Grid]) -> dict[str, tuple[str, ...]]:
    """Return every combination of the grids' values.

    Args:
        agent: The agent's text with what all have in common.
        grids: Options and their values, one or more.

    Returns:
        The canonical text of each combination, and its values in the order of the grids.

    Raises:
        AgentError: If there are no grids, an option has two, a value may not stand for its option, or
            there are too many combinations, or two are the same agent.
    """
    options = [grid.option for grid in grids]
    if not grids:
        raise AgentError("there is no grid: expected one or more, such as limit=10,20")
    for place, option in enumerate(options):
        if option in options[:place]:
            raise AgentError(
                "the option {option} has two grids: expected one grid with all values", option=option
            )
    common = player_text(agent)
    for grid in grids:  # each value alone, so that an error costs no product
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
    """Return the canonical text of what all combinations have in common.

    Args:
        agent: As for `combinations_of`; what it says of the grids' options is left out.
        grids: Options and their values.

    Raises:
        AgentError: If the text names no agent.

    >>> common_text("mcts:limit=100,c=2", [Grid("limit", ("10", "20"))])
    'mcts:c=2'
    """
    common = player_text(agent)
    tried = {grid.option for grid in grids}
    options = PLAYERS[common.partition(":")[0]].options
    defaults = [f"{option.name}={option.show(option.default)}" for option in options if option.name in tried]
    return player_text(_with(common, [text for text in defaults if not text.endswith("=")]))


def _with(agent: str, settings: Sequence[str]) -> str:
    return agent + ("," if ":" in agent else ":") + ",".join(settings)
