"""Paragraphs with labels in a column at their left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.text import Text
from textual.content import Content
from textual.css.styles import RulesMap
from textual.strip import Strip
from textual.style import Style
from textual.visual import RenderOptions, Visual


class Hanging(Visual):
    """Paragraphs with bold labels; a Rich table of them takes ten times as long to measure.

    Args:
        rows: Labels and paragraphs.
        least: Least width of the labels' column in cells.
    """

    def __init__(self, rows: Sequence[tuple[str, Text]], least: int = 0) -> None:
        self._indent = 1 + max([least, *(cell_len(label) for label, _ in rows)])
        self._rows = [
            (set_cell_size(label, self._indent), Content.from_rich_text(text)) for label, text in rows
        ]

    def get_optimal_width(self, rules: RulesMap, container_width: int) -> int:
        widths = (text.get_optimal_width(rules, container_width) for _, text in self._rows)
        return self._indent + max(widths, default=0)

    def get_height(self, rules: RulesMap, width: int) -> int:
        return sum(text.get_height(rules, self._beside(width)) for _, text in self._rows)

    def render_strips(
        self, width: int, height: int | None, style: Style, options: RenderOptions
    ) -> list[Strip]:
        plain, bold = style.rich_style, (style + Style(bold=True)).rich_style
        strips: list[Strip] = []
        for label, text in self._rows:
            head = Segment(label, bold)
            for line in text.render_strips(
                self._beside(width), None, style, replace(options, selection=None)
            ):
                strips.append(Strip([head, *line]))
                head = Segment(" " * self._indent, plain)
        return strips[:height]

    def _beside(self, width: int) -> int:
        return max(1, width - self._indent)
