"""An engine's analysis of a game's positions, and its storage format."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from durak_core import Action, State
from durak_core.engine.protocol import Line, parse_line, write_line
from durak_core.errors import EngineError
from durak_core.json_text import read_json

PositionKey: TypeAlias = tuple[int, tuple[Action, ...]]
"""Number of game moves before a position, and the variation's actions after them."""

_HEAD: Final = "info line "
"""Start of every protocol line, omitted in storage."""

_LONGEST: Final = 16_000_000
"""Maximum characters of a game's lines."""


@dataclass(frozen=True, slots=True)
class Source:
    """The engine of a review, and its search time per position."""

    engine: str
    milliseconds: int


def lines_text(lines: Iterable[Line]) -> list[str]:
    return [write_line(line)[len(_HEAD) :] for line in lines]


def read_lines(texts: Iterable[str]) -> tuple[Line, ...]:
    """Parse the output of `lines_text`. Raises `EngineError` if it is damaged."""
    return tuple([parse_line(_HEAD + text) for text in texts])


class AnalysisCache:
    """Analysis lines by position, kept after the screen is closed.

    Attributes:
        hasty: Positions searched before the engine was compiled.
        source: The engine of the newest lines, or None.
        is_stored: Whether the library has all lines, or will retry to store them.
    """

    def __init__(self) -> None:
        self._lines: dict[PositionKey, tuple[Line, ...]] = {}
        self.hasty: set[PositionKey] = set()
        self.source: Source | None = None
        self.is_stored = True

    def __contains__(self, key: PositionKey) -> bool:
        return key in self._lines

    def lines_at(self, key: PositionKey) -> tuple[Line, ...]:
        """Return a position's lines, best first; empty if it is not analysed."""
        return self._lines.get(key, ())

    def add_lines(self, key: PositionKey, lines: Iterable[Line], *, hasty: bool = False) -> None:
        """Store a position's lines, best first, one per legal action.

        Lines are hasty if the engine ran interpreted: a compiled search may do better.
        """
        self._lines[key] = tuple(lines)
        self.hasty.discard(key)
        if hasty:
            self.hasty.add(key)
        if not key[1]:
            self.is_stored = False

    def clear(self) -> None:
        self._lines.clear()
        self.hasty.clear()
        self.source = None

    def by_ply(self) -> dict[int, tuple[Line, ...]]:
        """Return the lines of the game's positions by the number of the next move."""
        return {ply + 1: lines for (ply, tried), lines in self._lines.items() if not tried}

    # Storage

    def text(self) -> str:
        lines = {ply: lines_text(found) for (ply, tried), found in self._lines.items() if not tried}
        hasty = sorted(ply for ply, tried in self.hasty if not tried)
        return json.dumps({"hasty": hasty, "lines": lines}, separators=(",", ":"), sort_keys=True)

    def load(self, text: str, source: Source, states: Sequence[State]) -> None:
        """Load the output of `text`. Lines that do not fit the game are skipped, and analysed again."""
        try:
            stored: Any = read_json(text, _LONGEST)
            hasty = set(stored["hasty"])
            by_ply = {int(ply): read_lines(lines) for ply, lines in stored["lines"].items()}
        except (ValueError, TypeError, KeyError, AttributeError, EngineError):
            return
        for ply, lines in by_ply.items():
            is_there = 0 <= ply < len(states)
            if is_there and {line.action for line in lines} == set(states[ply].legal_actions):
                self.add_lines((ply, ()), lines, hasty=ply in hasty)
                self.source = source
        self.is_stored = True
