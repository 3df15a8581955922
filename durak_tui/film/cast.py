"""A film as an asciicast, version 2, which asciinema plays (https://docs.asciinema.org/manual/asciicast/v2/)."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Final

_START: Final = "\x1b[?25l\x1b[2J"
"""Hides the cursor and clears the screen."""


@dataclass
class Cast:
    """The lines of the screen that change, with the time of each change."""

    seconds: float = 0.0
    events: list[tuple[float, str]] = field(default_factory=list)
    _shown: list[str] = field(default_factory=list)

    def take(self, rows: list[str], seconds: float) -> None:
        """Add a frame, lines with escape sequences for colours, that lasts some seconds."""
        changed = [
            f"\x1b[{number};1H{row}"
            for number, row in enumerate(rows, 1)
            if number > len(self._shown) or self._shown[number - 1] != row
        ]
        if changed:
            start = "" if self._shown else _START
            self.events.append((self.seconds, start + "".join(changed)))
        self._shown = rows
        self.seconds += seconds

    def text(self, size: tuple[int, int], title: str) -> str:
        """Return the file's text, for a terminal with these columns and rows."""
        header = {"version": 2, "width": size[0], "height": size[1], "title": title}
        lines: list[object] = [header, *([round(at, 3), "o", drawn] for at, drawn in self.events)]
        lines.append([round(self.seconds, 3), "o", ""])
        return "".join([f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines])
