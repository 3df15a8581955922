"""A small board of cells to paint on, and the widget that shows one."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Sequence
from itertools import groupby
from typing import Final, Generic, TypeVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from durak_tui.text.phrases import RED_CARD
from durak_tui.ui.view.data import Look

_PART: Final = re.compile(r"& \.([a-z-]+) \{")
_ViewT = TypeVar("_ViewT")


def part_names(css: str) -> set[str]:
    """Return the names of a widget's parts for which its style sheet has styles."""
    return set(_PART.findall(css))


def cut(text: str, width: int, *, ellipsis: str = "…") -> str:
    """Shorten a text to so many cells, with an ellipsis where something is missing."""
    if cell_len(text) <= width:
        return text
    while text and cell_len(text) + cell_len(ellipsis) > width:
        text = text[:-1]
    return (text.rstrip() + ellipsis)[: max(0, width)]


def cut_at_word(text: str, width: int, *, ellipsis: str = "…") -> str:
    """Shorten a sentence to so many cells as `cut` does, but not within a word where others have room."""
    if cell_len(text) <= width:
        return text
    whole = wrapped(text, width - cell_len(ellipsis))[0]
    return cut(whole + ellipsis, width, ellipsis=ellipsis)


def wrapped(text: str, width: int) -> list[str]:
    """Break a sentence at spaces into lines of so many cells."""
    lines = [""]
    for word in text.split():
        joined = f"{lines[-1]} {word}".strip()
        if cell_len(joined) <= width or not lines[-1]:
            lines[-1] = joined
        else:
            lines.append(word)
    return lines


class Canvas:
    """Cells with a character and a style each, painted over a base style; what lies outside is lost."""

    def __init__(self, width: int, height: int, base: Style) -> None:
        self.width = max(0, width)
        self.height = max(0, height)
        self.base = base
        self._chars = [[" "] * self.width for _ in range(self.height)]
        self._styles = [[base] * self.width for _ in range(self.height)]

    def put(self, x: int, y: int, text: str, style: Style | None = None) -> int:
        painted = self.base if style is None else self.base + style
        for char in text:
            width = cell_len(char)
            if 0 <= y < self.height and x >= 0 and x + width <= self.width:
                self._chars[y][x] = char
                self._styles[y][x] = painted
                if width == 2:
                    self._chars[y][x + 1] = ""
                    self._styles[y][x + 1] = painted
            x += width
        return x

    def fill(self, y: int, style: Style) -> None:
        if 0 <= y < self.height:
            self._styles[y] = [old + style for old in self._styles[y]]

    def strip(self, y: int) -> Strip:
        if not 0 <= y < self.height:
            return Strip([], 0)
        cells = groupby(zip(self._styles[y], self._chars[y], strict=True), key=lambda cell: cell[0])
        segments = [Segment("".join(char for _, char in run), style) for style, run in cells]
        return Strip(segments, self.width)


class CanvasWidget(Widget):
    """A widget that paints itself on a canvas, once for each time it is shown."""

    look = Look()
    """How the cards, and the signs around them, look."""
    _canvas: Canvas | None = None
    _marks: Sequence[tuple[Region, object]] = ()

    @abstractmethod
    def draw(self, canvas: Canvas) -> None:
        """Paint the widget."""

    def mark(self, x: int, y: int, width: int, height: int, thing: object) -> None:
        """Remember while drawing what lies in these cells; what is drawn later lies above."""
        self._marks = ((Region(x, y, width, height), thing), *self._marks)

    def lies_at(self, event: events.MouseEvent) -> object | None:
        """Return what lies where the mouse points, or None."""
        return next((thing for region, thing in self._marks if region.contains(event.x, event.y)), None)

    def cut(self, text: str, width: int) -> str:
        return cut(text, width, ellipsis="..." if self.look.ascii else "…")

    def style_of(self, *names: str) -> Style:
        return self.get_visual_style(*names).rich_style

    def ink_of(self, *names: str) -> Style:
        """Return that style without a background, to draw on something that has its own."""
        style = self.style_of(*names)
        return Style(color=style.color, bold=style.bold)

    def put_cards(self, canvas: Canvas, at: tuple[int, int], text: str, style: Style, red: Style) -> None:
        """Paint a text from a column and row on; its red cards have another style besides."""
        x, y = at
        for number, part in enumerate(RED_CARD.split(text)):
            x = canvas.put(x, y, part, style + red if number % 2 else style)

    def render_lines(self, crop: Region) -> list[Strip]:
        self._canvas = Canvas(self.size.width, self.size.height, self.rich_style)
        self._marks = ()
        self.draw(self._canvas)
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        return self._canvas.strip(y) if self._canvas is not None else Strip.blank(self.size.width)


class ViewWidget(CanvasWidget, Generic[_ViewT]):
    """A widget that paints the view that it was shown last."""

    _view: _ViewT

    def show(self, view: _ViewT, look: Look) -> None:
        self._view, self.look = view, look
        self.refresh()
