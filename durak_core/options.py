"""The one description of an option: of rules, of agents, of arguments of your own agents, and of engines.

Specs, TOML files, the engine protocol, forms and help read it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

from durak_core.errors import DurakError, Message, alternatives

OFF_ON: Final[Mapping[str, Any]] = {"off": False, "on": True}

_DIGITS: Final = 9
"""Longer texts are no numbers: converting one takes quadratic time."""


@dataclass(frozen=True)
class Option:
    """One option and its valid values.

    Attributes:
        name: The key.
        summary: One line for help.
        default: The value if it is left out.
        choices: The valid words; empty for plain numbers and texts.
        low: Smallest number, if numbers are valid.
        high: Largest number.
        values: What words mean that are no texts, such as True, None or a number.
    """

    name: str
    summary: str
    default: Any
    choices: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    values: Mapping[str, Any] = field(default_factory=dict, kw_only=True)

    REFUSAL: ClassVar[type[DurakError]] = DurakError

    @property
    def is_flag(self) -> bool:
        return isinstance(self.default, bool)

    @property
    def expected(self) -> Message | str:
        """The valid values in words."""
        return alternatives(*self.choices, *self.beside_choices())

    def beside_choices(self) -> list[Message | str]:
        if self.low is None:
            return []
        return [Message("a number from {low} to {high}", low=self.low, high=self.high)]

    def read(self, text: str) -> Any:  # noqa: ANN401 - options have several types
        """Parse a value; raise `REFUSAL` if it is invalid."""
        word = text.strip()
        if word in self.values:  # before None, which is a value here, and means below that a word is invalid
            return self.values[word]
        value = word if word in self.choices else self.parse(word)
        if value is None:
            raise self.refused(text)
        return value

    def parse(self, word: str) -> Any:  # noqa: ANN401 - as above
        """Return the value of a word that is no choice, None if it is invalid."""
        if self.low is None or self.high is None or len(word) > _DIGITS:
            return None
        if not (word.isascii() and word.isdecimal()):
            return None
        return int(word) if self.low <= int(word) <= self.high else None

    def refused(self, value: object) -> DurakError:
        told: dict[str, Any] = {"name": self.name, "value": value, "expected": self.expected}
        return self.REFUSAL(Message("{name}={value}: expected {expected}", **told))

    def is_default(self, value: object) -> bool:
        return value is self.default or bool(value == self.default)

    def show(self, value: object) -> str:
        """Format a value as `read` reads it."""
        if isinstance(value, bool) or value is None:
            return next((word for word, meant in self.values.items() if meant is value), str(value))
        return f"{value:g}" if isinstance(value, float) else str(value)
