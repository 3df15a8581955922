"""What an engine has found about the positions of a game, and how that is kept; knows no Textual."""

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
"""How many moves of the game led to a position, and which were tried out after them."""

_HEAD: Final = "info line "
"""What every line of the protocol begins with; it is not stored."""

_LONGEST: Final = 16_000_000
"""Characters of the lines of one game."""


@dataclass(frozen=True, slots=True)
class Source:
    """Which engine has judged a game, and how long it searched each position."""

    engine: str
    milliseconds: int


def lines_text(lines: Iterable[Line]) -> list[str]:
    """Return the lines of a position as they are stored."""
    return [write_line(line)[len(_HEAD) :] for line in lines]


def read_lines(texts: Iterable[str]) -> tuple[Line, ...]:
    """Read what `lines_text` has written; raise `EngineError` if it is damaged."""
    return tuple([parse_line(_HEAD + text) for text in texts])


class FoundLines:
    """Scored lines by position; they outlive the screen.

    Attributes:
        hasty: The positions that were searched before the engine was warm.
        source: Who has found the newest of them, or None.
        is_stored: Whether the library knows all of them, or will.
    """

    def __init__(self) -> None:
        self._lines: dict[PositionKey, tuple[Line, ...]] = {}
        self.hasty: set[PositionKey] = set()
        self.source: Source | None = None
        self.is_stored = True

    def __contains__(self, key: PositionKey) -> bool:
        return key in self._lines

    def at(self, key: PositionKey) -> tuple[Line, ...]:
        """Return the lines of a position, best first; none where nothing is known."""
        return self._lines.get(key, ())

    def add(self, key: PositionKey, lines: Iterable[Line], *, hasty: bool = False) -> None:
        """Take in the lines of a position, best first, one for each legal action.

        Those are hasty that an engine found in plain Python: it may do better once it is warm.
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
        """Return the lines of the game's own positions, by the number of the move played there."""
        return {ply + 1: lines for (ply, tried), lines in self._lines.items() if not tried}

    # Keeping

    def text(self) -> str:
        """Return the lines of the game's own positions as JSON, each as the protocol writes it."""
        lines = {ply: lines_text(found) for (ply, tried), found in self._lines.items() if not tried}
        hasty = sorted(ply for ply, tried in self.hasty if not tried)
        return json.dumps({"hasty": hasty, "lines": lines}, separators=(",", ":"), sort_keys=True)

    def take_up(self, text: str, source: Source, states: Sequence[State]) -> None:
        """Take in what `text` has written; what does not fit the game is left out, to be judged anew."""
        try:
            stored: Any = read_json(text, _LONGEST)
            hasty = set(stored["hasty"])
            by_ply = {int(ply): read_lines(lines) for ply, lines in stored["lines"].items()}
        except (ValueError, TypeError, KeyError, AttributeError, EngineError):
            return
        for ply, lines in by_ply.items():
            is_there = 0 <= ply < len(states)
            if is_there and {line.action for line in lines} == set(states[ply].legal_actions):
                self.add((ply, ()), lines, hasty=ply in hasty)
                self.source = source
        self.is_stored = True
