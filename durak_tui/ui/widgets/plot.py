r"""Line plots in characters: a pure function that draws them, and a widget.

>>> rows = plot_lines([PlotLine([0.0, 1.0])], 14, 3, ascii_only=True)
>>> print("\n".join(row.plain.rstrip() for row in rows))
100% |      **
 50% |  ****
  0% |**
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, pairwise
from typing import ClassVar, Final, TypeVar

from rich.cells import cell_len
from rich.text import Text
from textual import events
from textual.message import Message
from textual.widget import Widget

from durak_core import Rules
from durak_tui.text.i18n import percent
from durak_tui.ui.theme import seat_ink, team_ink
from durak_tui.ui.view.board_data import PlotLine, PlotLook

_BRAILLE: Final = 0x2800
_DOT_BITS: Final = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""Bits of a braille character, by row and column of the dot."""

_SIGNS: Final = "*o+x~@"
_BOLD_SIGN: Final = "#"
_DASHES: Final = ((1, 0), (2, 2), (1, 2), (4, 2), (1, 1), (3, 1))
"""Lengths of dots and gaps, so that lines differ without colours."""

_GUIDE_STEP: Final = 3
"""Columns between two dots of the guide."""
_LABELS_FROM: Final = 50
"""Columns from which lines have their labels at their ends."""
_LEAST_ROWS: Final = 5
"""Rows of a plot under a legend of several rows."""
_LABEL_SHARE: Final = 3
"""Part of the width that labels take at most, as a divisor."""

_FRAME: Final = "dim"
_CURSOR: Final = "reverse"
_LABEL_WIDTH: Final = 5
_GAP: Final = " "


def plot_lines(
    series: Sequence[PlotLine],
    width: int,
    height: int,
    look: PlotLook | None = None,
    *,
    ascii_only: bool = False,
) -> list[Text]:
    """Draw lines in characters, later ones in front and bold ones last; return one text per row.

    Up to six lines differ without colours. Labels and axis take 6 of at least 8 columns.
    """
    look = look or PlotLook()
    grid = _Grid(max(width - _LABEL_WIDTH - 1, 2), max(height, 2), look, ascii_only=ascii_only)
    for number, line in sorted(enumerate(series), key=lambda item: item[1].is_bold):
        grid.draw(line, number % len(_SIGNS))
    length = max((len(line.values) for line in series), default=0)
    for index, mark in look.marks.items():
        at = next((line.values[index] for line in reversed(series) if index < len(line.values)), None)
        if at is not None:
            grid.cells[grid.cell(grid.x(index, length), grid.y(at))] = mark
    if look.figures and look.cursor is not None and look.cursor < length - 1:
        grid.put_figures(series, look.cursor, length)
    cursor = None if look.cursor is None or not length else grid.cell(grid.x(look.cursor, length), 0)[0]
    return [grid.row(number, cursor) for number in range(grid.height)]


def _level(value: float, look: PlotLook, count: int) -> int:
    """Return which of ``count`` levels, the highest first, a value has."""
    span = (look.high - look.low) or 1.0
    share = min(max((value - look.low) / span, 0.0), 1.0)
    return round((1 - share) * (count - 1))


_Item = TypeVar("_Item")


def _spread(wanted: Iterable[tuple[int, _Item]], height: int) -> Iterator[tuple[int, _Item]]:
    """Give each item a row of its own, as near as possible to the wanted one."""
    ordered = sorted(wanted, key=lambda one: one[0])[:height]
    free = 0
    for number, (row, item) in enumerate(ordered):
        at = min(max(row, free), height - (len(ordered) - number))
        yield at, item
        free = at + 1


class _Grid:
    """The non-empty cells of a plot, by column and row, drawn dot by dot."""

    def __init__(self, width: int, height: int, look: PlotLook, *, ascii_only: bool) -> None:
        self.width, self.height, self._look = width, height, look
        self._ascii = ascii_only
        self._dots_x, self._dots_y = (1, 1) if ascii_only else (2, 4)
        self.cells: dict[tuple[int, int], tuple[str, str]] = {}
        self._labels = {0: look.high, height - 1: look.low}
        if look.guide is not None:
            y = self.y(look.guide)
            self._labels.setdefault(y // self._dots_y, look.guide)
            for x in range(0, width * self._dots_x, _GUIDE_STEP * self._dots_x):
                self._dot(x, y, _FRAME, "-")
        elif height >= 3 and height % 2 != 0:
            self._labels[height // 2] = (look.high + look.low) / 2

    def x(self, index: int, length: int) -> int:
        last = self.width * self._dots_x - 1
        return 0 if length < 2 else round(max(0, min(index, length - 1)) / (length - 1) * last)

    def y(self, value: float) -> int:
        return _level(value, self._look, self.height * self._dots_y)

    def cell(self, x: int, y: int) -> tuple[int, int]:
        return x // self._dots_x, y // self._dots_y

    def _dot(self, x: int, y: int, style: str, sign: str) -> None:
        cell = self.cell(x, y)
        if not self._ascii:
            old, _style = self.cells.get(cell, (chr(_BRAILLE), ""))
            sign = chr(ord(old) | _DOT_BITS[y % 4][x % 2])
        self.cells[cell] = sign, style

    def draw(self, line: PlotLine, number: int) -> None:
        length = len(line.values)
        points = [
            None if value is None else (self.x(index, length), self.y(value))
            for index, value in enumerate(line.values)
        ]
        on, off = (1, 0) if self._ascii or line.is_bold or line.style else _DASHES[number]
        thickness = 1 if self._ascii else 1 + line.is_bold + bool(line.style)
        sign = _BOLD_SIGN if line.is_bold else _SIGNS[number]
        for before, after in pairwise([None, *points]):
            if after is None:
                continue
            for x, y in _segment(before or after, after):
                if x % (on + off) < on:
                    below = min(y + 1, self.height * self._dots_y - 1)
                    for dot in (y, y - 1 if y else 1, below)[:thickness]:
                        self._dot(x, dot, line.style, sign)

    def put_figures(self, series: Sequence[PlotLine], cursor: int, length: int) -> None:
        """Write each line's figure next to the cursor, at the line's height there."""
        column, _row = self.cell(self.x(cursor, length), 0)
        heights = [
            (line.values[cursor], line) for line in series if line.figure and cursor < len(line.values)
        ]
        wanted = [
            (_level(value, self._look, self.height), line) for value, line in heights if value is not None
        ]
        for row, line in _spread(wanted, self.height):
            wide = len(line.figure)
            left = column + 1 if column + 1 + wide <= self.width else column - wide
            for offset, sign in enumerate(line.figure):
                self.cells[left + offset, row] = sign, f"bold {line.style}"

    def row(self, number: int, cursor: int | None) -> Text:
        look = self._look
        labels = {at: _label(height, look.unit) for at, height in self._labels.items()}
        label = labels.get(number, "").rjust(max(_LABEL_WIDTH - 1, *map(len, labels.values())))
        tick = "|" if self._ascii else "┤" if number in labels else "│"
        row = Text().append(label.ljust(_LABEL_WIDTH) + tick, _FRAME)
        for column in range(self.width):
            sign, style = self.cells.get((column, number), (" ", _FRAME))
            row.append(sign, f"{style} {_CURSOR}" if column == cursor else style)
        return row


def _rows_of(widths: Sequence[int], most: int) -> list[int]:
    """Return the number of the first one of each row, if things of some widths lie in rows."""
    firsts, width = [0], 0
    for number, own in enumerate(widths):
        width += own
        if number and width > most:
            firsts.append(number)
            width = own
    return firsts


def _shortened(names: Sequence[tuple[str, str]], room: int) -> list[str]:
    """Return the names if they fit in the room, otherwise their short forms, the longest ones cut."""
    if sum(cell_len(name) for name, _short in names) <= room:
        return [name for name, _short in names]
    made = [short or name for name, short in names]
    while sum(map(cell_len, made)) > room and max(map(len, made)) > 1:
        longest = max(range(len(made)), key=lambda number: len(made[number]))
        made[longest] = made[longest][:-1]
    return made


def _segment(start: tuple[int, int], end: tuple[int, int]) -> Iterator[tuple[int, int]]:
    steps = max(abs(end[0] - start[0]), abs(end[1] - start[1]))
    if steps == 0:
        yield end
        return
    for step in range(steps + 1):
        share = step / steps
        yield round(start[0] + (end[0] - start[0]) * share), round(start[1] + (end[1] - start[1]) * share)


def _label(value: float, unit: str) -> str:
    return percent(value) if unit == "%" else f"{value:g}"[: _LABEL_WIDTH - 1]


@dataclass
class PlyChosen(Message):
    """A ply was clicked, in a plot or in the move log."""

    ply: int


class Plot(Widget):
    """A line plot; a click posts `PlyChosen` for its column."""

    ALLOW_SELECT: ClassVar[bool] = False
    DEFAULT_CSS = """
    Plot { height: 1fr; min-height: 3; }
    """

    _series: tuple[PlotLine, ...] = ()
    _look = PlotLook()
    _ascii = False
    _margin = 0
    """Columns of the labels at the right."""

    def ink(self, seat: int) -> str:
        """Return the colour of a seat's line; empty on a terminal without colours."""
        return "" if self.app.no_color else seat_ink(seat, dark=self.app.current_theme.dark)

    def inks(self, rules: Rules) -> Callable[[int], str]:
        """Return the function that gives line colours, by team in team games and by seat otherwise."""
        if rules.teams is None or self.app.no_color:
            return self.ink
        return partial(team_ink, dark=self.app.current_theme.dark)

    def show(self, series: Iterable[PlotLine], look: PlotLook, *, ascii_only: bool) -> None:
        self._series, self._look, self._ascii = tuple(series), look, ascii_only
        self.refresh()

    def render(self) -> Text:
        width, height = self.content_size
        self._margin = self._label_width(width, height)
        if self._margin:
            plot_width = width - self._margin
            look = replace(self._look, figures=True)
            rows = plot_lines(self._series, plot_width, height, look, ascii_only=self._ascii)
            rows = [row.append_text(label) for row, label in zip(rows, self._labels(height), strict=False)]
            return Text("\n", no_wrap=True, overflow="crop").join(rows)
        legend = self._legend(height)
        plot_height = height - len(legend)
        rows = plot_lines(self._series, width, plot_height, self._look, ascii_only=self._ascii)
        made = Text("\n", no_wrap=True, overflow="crop").join([*legend, *rows])
        made.no_wrap, made.overflow = True, "crop"
        return made

    # Labels at the ends of the lines, if there is room; otherwise a legend

    def _label_width(self, width: int, height: int) -> int:
        """Return the columns of the labels at the lines' ends; 0 if they do not fit."""
        named = [line for line in self._series if line.name]
        if not named or width < _LABELS_FROM or height < max(len(named), 3):
            return 0
        widest = max(cell_len(self._label_of(line)) for line in named) + len(_GAP)
        return widest if widest <= width // _LABEL_SHARE else 0

    def _label_of(self, line: PlotLine) -> str:
        return f"{line.name} {line.last}".rstrip()

    def _labels(self, height: int) -> list[Text]:
        """Return the label of each row: as near as possible to the end of its line."""
        wanted = []
        for line in self._series:
            known = (value for value in reversed(line.values) if value is not None)
            if line.name:
                wanted.append((_level(next(known, self._look.guide or 0.0), self._look, height), line))
        rows = [Text() for _ in range(height)]
        for row, line in _spread(wanted, height):
            style = f"bold {line.style}" if line.is_bold else line.style
            rows[row] = Text(f"{_GAP}{self._label_of(line)}", style)
        return rows

    def _legend(self, height: int) -> list[Text]:
        """Return the legend in one row, or in several if the names do not fit and the plot keeps its rows."""
        named = [(number, line) for number, line in enumerate(self._series) if line.name]
        if not named:
            return []
        signs = [f"{_GAP}{self._sign(line, number % len(_SIGNS))} " for number, line in named]
        figures = [f" {line.figure}".rstrip() for _number, line in named]
        names = [line.name for _number, line in named]
        width = self.content_size.width
        room = width - sum(map(cell_len, (*signs, *figures)))
        fits = sum(map(cell_len, names)) <= room
        most = 1 if fits else height - _LEAST_ROWS
        widths = [sum(map(cell_len, whole)) for whole in zip(signs, names, figures, strict=True)]
        ends = _rows_of(widths, width)
        if not fits and len(ends) > most:
            if all(line.style for _number, line in named) and not self._ascii:  # the colour is enough
                signs = [f"{sign[:-2]} " for sign in signs]
                room += len(signs)
            names = _shortened([(line.name, line.short) for _number, line in named], room)
        elif not fits:
            names = [
                _shortened([(line.name, line.short)], width - own + cell_len(line.name))[0]
                for (_number, line), own in zip(named, widths, strict=True)
            ]
        spare = room - sum(map(cell_len, names))
        parts = [
            [(sign, line.style), (f"{name}{figure}", "bold" if line.is_bold else "")]
            for (_number, line), sign, name, figure in zip(named, signs, names, figures, strict=True)
        ]
        if not fits and len(ends) <= most:
            ends = [*range(len(parts))] if len(parts) <= most else ends
            rows = [Text.assemble(*chain(*parts[start:end])) for start, end in pairwise([*ends, len(parts)])]
            before = " " * max(0, min(_LABEL_WIDTH, width - max(row.cell_len for row in rows)))
            return [Text(before) + row for row in rows]
        title = next((one for one in self._look.titles if cell_len(one) <= spare), "")
        return [Text.assemble((title.ljust(min(_LABEL_WIDTH, max(0, spare))), _FRAME), *chain(*parts))]

    def _sign(self, line: PlotLine, number: int) -> str:
        if self._ascii:
            return _BOLD_SIGN if line.is_bold else _SIGNS[number]
        if line.style:
            return "⠿⠿" if line.is_bold else "⠶⠶"
        return "⠶⠶" if line.is_bold else ("⠒⠒", "⠂⠐", "⠁⠄", "⠒⠐", "⠂⠂", "⠒⠂")[number]

    def on_click(self, event: events.Click) -> None:
        at = event.get_content_offset(self)
        length = max((len(line.values) for line in self._series), default=0)
        width = self.content_size.width - self._margin - _LABEL_WIDTH - 2
        if at is not None and length and width > 0 and at.x > _LABEL_WIDTH:
            share = min(max((at.x - _LABEL_WIDTH - 1) / width, 0.0), 1.0)
            self.post_message(PlyChosen(round(share * (length - 1))))
