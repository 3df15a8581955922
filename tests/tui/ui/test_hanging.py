"""Paragraphs with labels at their left."""

import pytest
from rich.text import Text
from textual.app import App
from textual.widgets import Static

from durak_tui.ui.widgets.canvas import Hanging

ROWS = [("5.3", Text("one two three four five six")), ("Beaten off", Text("seven eight"))]


@pytest.mark.parametrize("width", [4, 24, 60])
async def test_it_is_as_high_as_it_is_drawn_and_every_line_is_indented(width):
    class Shown(App):
        def compose(self):
            yield Static(Hanging(ROWS))

    async with Shown().run_test(size=(width, 40)) as pilot:
        shown = pilot.app.query_one(Static)
        lines = [shown.render_line(row).text.rstrip() for row in range(shown.size.height)]
        if width == 24:
            assert lines == ["5.3        one two three", "           four five six", "Beaten off seven eight"]
        assert lines[-1]
        assert "".join("".join(lines).split()).startswith("5.3")
