"""The prompt: one sentence of what goes on, a quieter one, and the buttons."""

from __future__ import annotations

from typing import ClassVar

from rich.cells import cell_len
from textual import events
from textual.reactive import reactive

from durak_tui.input.messages import ButtonChosen
from durak_tui.views.data import AsideTone, ButtonView, PromptView
from durak_tui.widgets.canvas import Canvas, ViewWidget, part_names, wrapped


class Prompt(ViewWidget[PromptView]):
    """Draws the sentences at the left and the buttons at the right of the last row."""

    DEFAULT_CSS = """
    Prompt {
        height: 2;
        & .prompt--turn { color: $text; text-style: bold; }
        & .prompt--wait { color: $text-muted; }
        & .prompt--result { color: $text-accent; text-style: bold; }
        & .prompt--detail { color: $text-muted; }
        & .prompt--note { color: $text-muted; }
        & .prompt--news { color: $text; }
        & .prompt--refusal { color: $text-warning; }
        & .prompt--button { background: $primary; color: $button-color-foreground; }
        & .prompt--hover {
            background: $primary-lighten-2;
            color: $button-color-foreground;
            text-style: bold;
        }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = part_names(DEFAULT_CSS)

    aside: reactive[str] = reactive("")
    """A sentence that stands in for the quieter one."""
    aside_tone: reactive[AsideTone] = reactive("note")
    _hovered: reactive[str] = reactive("")
    _view = PromptView("", "wait")

    def draw(self, canvas: Canvas) -> None:
        view = self._view
        room = self._draw_buttons(canvas, canvas.height - 1)
        lines = self._fitted(view.text, canvas, room)
        y = len(lines)
        width = canvas.width if y < canvas.height - 1 else room
        is_long = y >= canvas.height or cell_len(self.aside) > width - 2
        if self.aside and is_long and self.aside_tone != "note":
            # What answers a key is said in full; the rest is known already.
            self._paint(canvas, 0, self._fitted(self.aside, canvas, room), f"prompt--{self.aside_tone}")
            return
        self._paint(canvas, 0, lines, f"prompt--{view.tone}")
        if y < canvas.height:
            name = f"prompt--{self.aside_tone}" if self.aside else "prompt--detail"
            self._paint(canvas, y, [self.cut(self.aside or view.detail, width - 2)], name)

    def _fitted(self, text: str, canvas: Canvas, room: int) -> list[str]:
        """Break a text into the rows there are, of which the last one leaves room for the buttons."""
        last = canvas.height - 1
        lines = wrapped(text, canvas.width - 2)
        if len(lines) > last:
            lines[last:] = [self.cut(" ".join(lines[last:]), room - 2)]
        return lines

    def _paint(self, canvas: Canvas, y: int, lines: list[str], name: str) -> None:
        for number, line in enumerate(lines):
            canvas.put(1, y + number, line, self.style_of(name))

    def _draw_buttons(self, canvas: Canvas, y: int) -> int:
        x = canvas.width - 1
        for button in reversed(self._view.buttons):
            text = f"[ {button.label} ]" if not button.key else f"[ {button.label} {button.key} ]"
            x -= cell_len(text)
            hovered = button.name == self._hovered
            canvas.put(x, y, text, self.style_of("prompt--hover" if hovered else "prompt--button"))
            self.mark(x, y, cell_len(text), 1, button)
            x -= 1
        return x

    def on_mouse_move(self, event: events.MouseMove) -> None:
        button = self.lies_at(event)
        self._hovered = button.name if isinstance(button, ButtonView) else ""

    def on_leave(self) -> None:
        self._hovered = ""

    def on_click(self, event: events.Click) -> None:
        button = self.lies_at(event)
        if isinstance(button, ButtonView):
            self.post_message(ButtonChosen(button.name))
