"""Widgets that paint on a canvas."""

from durak_tui.ui.widgets.canvas import CanvasWidget
from tui.helpers import an_app, my_turn, screen_text


async def test_a_canvas_is_painted_again_only_after_a_change(monkeypatch):
    """Textual keeps its lines, and asks for them whenever something else is drawn."""
    app = an_app()
    async with app.run_test(size=(80, 24)):
        table = await my_turn(app)
        before, painted, paint = screen_text(app), [], CanvasWidget._painted
        monkeypatch.setattr(CanvasWidget, "_painted", lambda one: painted.append(one) or paint(one))
        assert screen_text(app) == before
        assert painted == []
        widget = next(iter(table.query(CanvasWidget)))
        widget.refresh()
        assert screen_text(app) == before
        assert painted == [widget]
