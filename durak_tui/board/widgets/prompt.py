"""The prompt with its buttons, and the move log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from durak_tui.text.phrases import LogLine
from durak_tui.ui.view.board_data import AsideTone, ButtonView, Look, PromptView
from durak_tui.ui.widgets.canvas import Canvas, Inked, ViewWidget, cut_at_word, wrapped
from durak_tui.ui.widgets.cards import UPRIGHT
from durak_tui.ui.widgets.plot import PlyChosen

_FINGER: Final = 3
"""Rows of a button for touch."""
_OFFERS: Final = frozenset({"hint"})
"""Buttons that play nothing. They are small, so that a finger does not meet them by chance."""
_STEPS: Final = frozenset({"step_back", "step"})
_LEAST_SHARES: Final = 3
_LEAST_TEXT: Final = 2
_LEAST_TALL: Final = 8
"""Minimum columns of a button in landscape orientation."""
_LEAST_COLUMNS: Final = 24
"""Columns that buttons in landscape orientation leave to the sentences."""
_USUAL_COLUMNS: Final = 36
"""Columns that the quieter ones leave."""
_GAP: Final = 3
"""Columns between two sentences on one row."""


class Prompt(ViewWidget[PromptView]):
    """Draws the sentences at the left and the buttons at the right of the last row.

    Buttons that do not fit are left out from the left; their keys still work. On a touch screen the buttons
    are as high as a finger. In portrait orientation they have rows of their own.
    """

    @dataclass
    class ButtonChosen(Message):
        """A button was clicked; its name is an action, such as ``take``."""

        name: str

    DEFAULT_CSS = """
    Prompt {
        height: 2;
        & .ink--turn { color: $text; text-style: bold; }
        & .ink--wait { color: $text-muted; }
        & .ink--result { color: $text-accent; text-style: bold; }
        & .ink--note { color: $text-muted; }
        & .ink--news { color: $text; }
        & .ink--refusal { color: $text-warning; }
        & .ink--button { background: $primary; color: $button-color-foreground; }
        & .ink--tap { background: $panel-lighten-2; color: $foreground; }
        & .ink--hover {
            background: $primary-lighten-2;
            color: $button-color-foreground;
            text-style: bold;
        }
    }
    """

    aside: reactive[str] = reactive("")
    """A text that replaces the second sentence."""
    aside_tone: reactive[AsideTone] = reactive("note")
    _hovered: reactive[str] = reactive("")
    _view = PromptView("", "wait")
    _whole = 0
    """Columns of a row without buttons."""

    def draw(self, canvas: Canvas) -> None:
        view = self._view
        rows, room = canvas.height, canvas.width
        self._whole = room
        if self.screen.has_class("-touch") and canvas.width >= UPRIGHT:
            self._whole = room = self._draw_tall_buttons(canvas)
        elif rows >= _LEAST_TEXT + _FINGER and canvas.width < UPRIGHT:
            rows -= _FINGER
            for button, x, width in self._large_buttons(canvas.width - 1):
                self._draw_large_button(canvas, button, Region(x, rows, width, _FINGER))
        else:
            room = self._draw_buttons(canvas, rows)
        lines = self._fitted(view.text, self._whole, rows, room)
        y = len(lines)
        width = self._whole if y < rows - 1 else room
        is_long = y >= rows or cell_len(self.aside) > width - 2
        if self.aside and is_long and self.aside_tone != "note":
            # The answer to a key press takes precedence over the first sentence.
            lines = self._fitted(self.aside, self._whole, rows, room)
            self._paint(canvas, lines, self.aside_tone)
            return
        if y < rows:
            self._draw_both(canvas, lines, width)
        else:
            self._paint(canvas, lines, view.tone)

    def _draw_both(self, canvas: Canvas, lines: list[str], width: int) -> None:
        """Draw the sentences, the second one below the first, or behind it if it fits only there.

        If it fits in neither place, the sentences change places if that helps, or it is cut where it has more
        room.
        """
        text, x, y = self.aside or self._view.detail, 1, len(lines)
        behind = cell_len(lines[-1]) + _GAP
        if cell_len(text) > width - 2:
            fits = behind + cell_len(text) < self._whole
            if not fits and y == 1 and cell_len(lines[0]) <= width - 2:
                lines, width, y = ["", *lines], self._whole, 0
            elif fits or self._whole - behind > width:
                x, y, width = behind, y - 1, self._whole - behind + 1
        self._paint(canvas, lines, self._view.tone)
        text = cut_at_word(text, width - 2, ellipsis="..." if self.look.ascii else "…")
        self.put_cards(canvas, (x, y), text, self.aside_tone if self.aside else "quiet")

    def _fitted(self, text: str, width: int, rows: int, room: int) -> list[str]:
        """Wrap a text to a number of rows; the last one leaves room for the buttons."""
        last = rows - 1
        lines = wrapped(text, width - 2)
        if len(lines) > last:
            lines[last:] = [self.cut(" ".join(lines[last:]), room - 2)]
        return lines

    def _paint(self, canvas: Canvas, lines: list[str], ink: str) -> None:
        for y, line in enumerate(lines):
            self.put_cards(canvas, (1, y), line, ink)

    def _draw_buttons(self, canvas: Canvas, rows: int) -> int:
        """Draw the buttons in the last row from the right, and return the column left of them.

        If they or a long text do not fit, keys are left out, and then the steps that the keys below have too.
        """
        lines = wrapped(self._view.text, canvas.width - 2)
        left = canvas.width - 1
        if len(lines) >= rows:
            left -= cell_len(lines[-1]) + 2 if len(lines) == rows else canvas.width
        kept = [button for button in self._view.buttons if button.name not in _STEPS]
        forms = [
            [
                (one, f"[ {one.label} {one.key} ]" if keys and one.key else f"[ {one.label} ]")
                for one in buttons
            ]
            for buttons in (self._view.buttons, kept)
            for keys in (True, False)
        ]
        fitting = (form for form in forms if sum(cell_len(words) + 1 for _, words in form) <= left)
        x = canvas.width - 1
        for button, words in reversed(next(fitting, forms[-1])):
            if cell_len(words) > x:
                break
            x -= cell_len(words)
            canvas.put(x, rows - 1, words, self._button_ink(button))
            self.mark(x, rows - 1, cell_len(words), 1, button)
            x -= 1
        return x

    def _draw_tall_buttons(self, canvas: Canvas) -> int:
        """Draw buttons that are as high as the prompt, from the right; return the column left of them.

        The most important of the quieter buttons is the last one, the others are before the buttons.
        """
        buttons, words = self._view.buttons, self._view.words
        x = canvas.width - 1
        for button in (*words[:1], *reversed(buttons), *words[1:]):
            width = max(_LEAST_TALL, cell_len(button.label) + 2)
            if x - width < (_LEAST_COLUMNS if button in buttons else _USUAL_COLUMNS):
                continue
            x -= width
            self._draw_large_button(canvas, button, Region(x, 0, width, canvas.height))
            x -= 1
        return x

    def _draw_large_button(self, canvas: Canvas, button: ButtonView, where: Region) -> None:
        label = self.cut(button.label, where.width)
        indent = (where.width - cell_len(label)) // 2
        for row in range(where.height):
            text = " " * indent + label if row == where.height // 2 else ""
            canvas.put(where.x, where.y + row, set_cell_size(text, where.width), self._button_ink(button))
        self.mark(*where, button)

    def _large_buttons(self, room: int) -> list[tuple[ButtonView, int, int]]:
        """Return each button with its column and width."""
        buttons = self._view.buttons
        offers = [button for button in buttons if button.name in _OFFERS]
        offered = room // max(_LEAST_SHARES, len(buttons))
        left, placed = room - offered * len(offers), []
        x = 1 if len(offers) < len(buttons) else 1 + left
        played = [button for button in buttons if button not in offers]
        widths = _shares([cell_len(button.label) + 1 for button in played], left)
        for button in buttons:
            width = offered if button in offers else widths.pop(0)
            placed.append((button, x, width - 1))
            x += width
        return placed

    def _button_ink(self, button: ButtonView) -> str:
        if button.name == self._hovered:
            return "hover"
        return "tap" if button in self._view.words else "button"

    def on_mouse_move(self, event: events.MouseMove) -> None:
        button = self.lies_at(event.offset)
        self._hovered = button.name if isinstance(button, ButtonView) else ""

    def on_leave(self) -> None:
        self._hovered = ""

    def on_click(self, event: events.Click) -> None:
        button = self.lies_at(event.offset)
        if isinstance(button, ButtonView):
            self.post_message(self.ButtonChosen(button.name))


def _shares(needs: list[int], room: int) -> list[int]:
    """Share columns equally, or as labels need them if one does not fit; the narrowest get the rest."""
    equal = [room // len(needs)] * len(needs) if needs else []
    if sum(needs) > room or all(need <= share for need, share in zip(needs, equal, strict=True)):
        return equal
    widths = [*needs]
    for _ in range(room - sum(needs)):
        widths[widths.index(min(widths))] += 1
    return widths


class MoveLog(Inked, ScrollView):
    """Shows the log, keeps the current ply visible, and posts the clicked line's ply."""

    DEFAULT_CSS = """
    MoveLog {
        width: 1fr;
        height: 1fr;
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-gutter: stable;
        scrollbar-size-vertical: 1;
    }
    """

    can_focus = False

    _lines: tuple[LogLine, ...] = ()
    _rows: Sequence[tuple[str, LogLine]] = ()
    """Text and log line of each row; continuation rows are indented."""
    _ply = 0

    def show(self, lines: tuple[LogLine, ...], ply: int, look: Look) -> None:
        moved = ply != self._ply or len(lines) != len(self._lines)
        self._lines, self._ply, self.look = lines, ply, look
        self._lay_out()
        if moved:
            self._follow()

    def on_resize(self) -> None:
        self._lay_out()
        self._follow()

    def _lay_out(self) -> None:
        width = self.scrollable_content_region.width
        lines = self._lines if width else ()
        indents = ["" if line.is_heading else " " if line.is_action else "   " for line in lines]
        self._rows = [
            (text, line)
            for line, indent in zip(lines, indents, strict=True)
            for text in wrapped(line.words, width, indent, "  ")
        ]
        self.virtual_size = Size(width, len(self._rows))
        self.refresh()

    def _follow(self) -> None:
        now = [y for y, (_text, line) in enumerate(self._rows) if self._ply in line.plies]
        if now:
            self.scroll_to_region(Region(0, now[-1], 1, 1), animate=False, force=True)

    def render_line(self, y: int) -> Strip:
        index = self.scroll_offset.y + y
        width = self.size.width
        if index >= len(self._rows):
            return Strip.blank(width, self.rich_style)
        text, line = self._rows[index]
        style = self.rich_style + self._style(line)
        is_ahead = line.plies.start > self._ply
        parts = [(text, Style())] if is_ahead else self.with_suits(text)
        segments = [Segment(part, style + colour) for part, colour in parts]
        return Strip(segments).adjust_cell_length(width, style)

    def _style(self, line: LogLine) -> Style:
        if line.plies.start > self._ply:
            return self.style_of("off")
        name = "title" if line.is_heading else "text" if line.is_action else "quiet"
        if self._ply not in line.plies or not line.is_action:
            return self.style_of(name)
        return self.style_of(name) + Style(bgcolor=self.style_of("cursor").bgcolor)

    def on_click(self, event: events.Click) -> None:
        index = self.scroll_offset.y + event.y
        if index < len(self._rows):
            self.post_message(PlyChosen(self._rows[index][1].ply))
