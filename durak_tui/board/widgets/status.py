"""The status line: rules, bout, trumps and card counts, with a series' score below."""

from __future__ import annotations

from durak_tui.text.i18n import gettext, ngettext
from durak_tui.text.phrases import DOT, capital, preset_text, suit_text
from durak_tui.ui.view.board_data import Look, StatusView
from durak_tui.ui.widgets.canvas import Canvas, ViewWidget


class Status(ViewWidget[StatusView | None]):
    """Draws the game at the left and card counts at the right; parts at the left give way."""

    DEFAULT_CSS = """
    Status {
        height: 1;
    }
    """

    _view: StatusView | None = None

    def show(self, view: StatusView | None, look: Look) -> None:
        super().show(view, look)
        self.styles.height = self.rows

    @property
    def rows(self) -> int:
        return 2 if self._view is not None and self._view.score else 1

    def draw(self, canvas: Canvas) -> None:
        if self._view is None:
            return
        right = self._right(self._view)
        room = canvas.width - sum(len(text) for text, _ in right) - 2
        left = self._left(self._view)
        while len(left) > 1 and sum(len(text) + 3 for text, _ in left) - 2 > room:
            left.pop(1)
        x = 1
        for i, (text, name) in enumerate(left):
            x = canvas.put(x, 0, DOT[self.look.ascii] if i else "", "quiet")
            x = canvas.put(x, 0, text, name)
        x = canvas.width - 1 - sum(len(text) for text, _ in right)
        for text, name in right:
            self.put_cards(canvas, (x, 0), text, name)
            x += len(text)
        score = self.cut(capital(self._view.score), canvas.width - 2)
        canvas.put(1, 1, score, "text")

    def _left(self, view: StatusView) -> list[tuple[str, str]]:
        moves = (gettext("move {ply} of {last}", ply=view.ply, last=view.last_ply), "text")
        return [
            (preset_text(view.preset), "strong"),
            (ngettext("{count} card", "{count} cards", view.deck_size), "quiet"),
            *([(gettext("house rules"), "quiet")] if view.changed else []),
            *([moves] if view.ply < view.last_ply else []),
            (gettext("bout {bout}", bout=view.bout), "text"),
        ]

    def _right(self, view: StatusView) -> list[tuple[str, str]]:
        suit = view.trump_suit
        if suit is None:
            parts = [(gettext("no trumps"), "quiet")]
        else:
            sign = suit_text(suit, ascii=self.look.ascii)
            parts = [(gettext("trumps "), "quiet"), (sign, "strong")]
        for label, count in ((gettext("talon "), view.talon), (gettext("discards "), view.discard)):
            parts += [("   " + label, "quiet"), (str(count), "strong")]
        return parts
