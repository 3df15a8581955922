"""A canvas of character cells, widgets that paint on one, and paragraphs with labels at their left."""

from __future__ import annotations

import re
from abc import abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Final, Generic, TypeVar

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.content import Content
from textual.css.styles import RenderStyles, RulesMap
from textual.geometry import Offset, Region
from textual.strip import Strip
from textual.style import Style as VisualStyle
from textual.visual import RenderOptions, Visual
from textual.widget import Widget

from durak_core import Suit
from durak_tui.text.phrases import CARD_SIGN
from durak_tui.ui.theme import diamonds_ink
from durak_tui.ui.view.board_data import Look

_PART: Final = re.compile(r"& (?:> )?\.([a-z-]+) \{")
_SUITS: Final = {suit.symbol: suit for suit in Suit}
_ViewT = TypeVar("_ViewT")


def part_names(css: str) -> set[str]:
    """Return the component classes that a style sheet defines."""
    return set(_PART.findall(css))


def cut(text: str, width: int, *, ellipsis: str = "…") -> str:
    if cell_len(text) <= width:
        return text
    room = width - cell_len(ellipsis)
    too_long = bisect_right(range(len(text)), room, key=lambda length: cell_len(text[:length]))
    return (text[: max(0, too_long - 1)].rstrip() + ellipsis)[: max(0, width)]


def cut_at_word(text: str, width: int, *, ellipsis: str = "…") -> str:
    """Shorten a text as `cut` does, at a word boundary if possible."""
    if cell_len(text) <= width:
        return text
    whole = wrapped(text, width - cell_len(ellipsis))[0]
    return cut(whole + ellipsis, width, ellipsis=ellipsis)


def wrapped(text: str, width: int, indent: str = "", further: str = "") -> list[str]:
    """Wrap a text at spaces to a width in cells; all lines but the first have a further indent."""
    lines = [indent]
    for word in text.split():
        joined = f"{lines[-1]} {word}" if lines[-1].strip() else lines[-1] + word
        if cell_len(joined) <= width or not lines[-1].strip():
            lines[-1] = joined
        else:
            lines.append(indent + further + word)
    return lines


class Canvas:
    """A grid of characters and styles over a base style; painting outside it has no effect."""

    def __init__(self, width: int, height: int, base: Style, style_of: Callable[[str], Style]) -> None:
        self.width = max(0, width)
        self.height = max(0, height)
        self.base = base
        self._style_of = style_of
        self._chars = [[" "] * self.width for _ in range(self.height)]
        self._styles = [[base] * self.width for _ in range(self.height)]

    def put(self, x: int, y: int, text: str, style: Style | str | None = None) -> int:
        """Paint a text in a style or an ink; return the column after it."""
        painted = self.base + (self._style_of(style) if isinstance(style, str) else style)
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


INKS: Final = """
    & > .ink--title { color: $text-accent; text-style: bold; }
    & > .ink--strong { color: $text; text-style: bold; }
    & > .ink--text { color: $text; }
    & > .ink--quiet { color: $text-muted; }
    & > .ink--off { color: $text-disabled; }
    & > .ink--back { color: $text-secondary; }
    & > .ink--accent { color: $accent; }
    & > .ink--warning { color: $text-warning; }
    & > .ink--good { color: $text-success; }
    & > .ink--bad { color: $text-error; }
    & > .ink--cursor { background: $primary 22%; }
    & > .ink--chosen { background: $primary; color: $background; text-style: bold; }
"""
"""The inks of all widgets. They belong to the screen: Textual computes them once, not for each widget."""


class Inked(Widget):
    """A widget with named styles ("inks"): the screen's inks, and a subclass's own."""

    look = Look()

    def __init_subclass__(cls, **options: bool) -> None:
        super().__init_subclass__(**options)
        cls.COMPONENT_CLASSES = part_names(cls.__dict__.get("DEFAULT_CSS", ""))

    def get_component_styles(self, *names: str) -> RenderStyles:
        is_own = all(name in self._get_component_classes() for name in names)
        return super().get_component_styles(*names) if is_own else self.screen.get_component_styles(*names)

    def style_of(self, *inks: str) -> Style:
        return self.get_visual_style(*[f"ink--{ink}" for ink in inks if ink]).rich_style

    def strip_of(self, parts: Iterable[tuple[str, str]], width: int, *under: str) -> Strip:
        """Return a line of texts, each with its ink over the inks ``under``, padded or cut to a width."""
        segments = [Segment(text, self.style_of(*under, ink)) for text, ink in parts if text]
        return Strip(segments).adjust_cell_length(width, self.style_of(*under))

    def suit_style(self, suit: Suit) -> Style:
        """Return the colour of a suit in a text, the same as on cards where possible."""
        if suit == Suit.HEARTS or (suit == Suit.DIAMONDS and self.look.colours == "two"):
            return Style(color=self.style_of("bad").color)
        if suit == Suit.DIAMONDS:
            return Style(color=diamonds_ink(self.app.current_theme))
        if suit == Suit.CLUBS and self.look.colours == "four":
            return Style(color=self.style_of("good").color)
        return Style()

    def with_suits(self, text: str) -> Iterator[tuple[str, Style]]:
        """Split a text into parts, each with the colour of its suit; other words have none."""
        for number, part in enumerate(CARD_SIGN.split(text)):
            yield part, self.suit_style(_SUITS[part[-1]]) if number % 2 else Style()

    def ink_of(self, ink: str) -> Style:
        """Return an ink's style without its background."""
        style = self.style_of(ink)
        return Style(color=style.color, bold=style.bold)


class CanvasWidget(Inked):
    """A widget that paints itself on a canvas, again if Textual has not kept all its lines."""

    _canvas: Canvas | None = None
    _inks: dict[tuple[str, ...], Style] | None = None  # while it paints, for Textual's search takes long
    _marks: Sequence[tuple[Region, object]] = ()

    @abstractmethod
    def draw(self, canvas: Canvas) -> None: ...

    def mark(self, x: int, y: int, width: int, height: int, thing: object) -> None:
        """Record a thing drawn in these cells; later ones are in front."""
        self._marks = ((Region(x, y, width, height), thing), *self._marks)

    def lies_at(self, at: Offset) -> object | None:
        return next((thing for region, thing in self._marks if region.contains_point(at)), None)

    def cut(self, text: str, width: int) -> str:
        return cut(text, width, ellipsis="..." if self.look.ascii else "…")

    def put_cards(self, canvas: Canvas, at: tuple[int, int], text: str, ink: str) -> None:
        """Paint a text, with cards and suits in their colours."""
        x, y = at
        for part, colour in self.with_suits(text):
            x = canvas.put(x, y, part, self.style_of(ink) + colour)

    def style_of(self, *inks: str) -> Style:
        if self._inks is None:
            return super().style_of(*inks)
        if inks not in self._inks:
            self._inks[inks] = super().style_of(*inks)
        return self._inks[inks]

    def render_lines(self, crop: Region) -> list[Strip]:
        self._canvas = None
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        if self._canvas is None:
            self._canvas = self._painted()
        return self._canvas.strip(y)

    def _painted(self) -> Canvas:
        canvas = Canvas(self.size.width, self.size.height, self.rich_style, self.style_of)
        self._marks, self._inks = (), {}
        try:
            self.draw(canvas)
        finally:
            self._inks = None
        return canvas


class ViewWidget(CanvasWidget, Generic[_ViewT]):
    """A widget that paints the last view shown."""

    _view: _ViewT

    def show(self, view: _ViewT, look: Look) -> None:
        self._view, self.look = view, look
        self.refresh()


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
        self, width: int, height: int | None, style: VisualStyle, options: RenderOptions
    ) -> list[Strip]:
        plain, bold = style.rich_style, (style + VisualStyle(bold=True)).rich_style
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
