"""The chances of a watched game under its board: a line for each seat."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.containers import Vertical
from textual.widgets import Static

from durak_tui.text.core_messages import core_words
from durak_tui.text.i18n import say
from durak_tui.theme import seat_ink
from durak_tui.views.plot import PlotLine, PlotLook
from durak_tui.widgets.plot import Plot

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from durak_tui.engines.win_chances import Chances


class ChancesPanel(Vertical):
    """Shows how likely each seat is not to be the fool, over the moves of the game."""

    def compose(self) -> ComposeResult:
        yield Static(id="chances-head", markup=False)
        yield Plot()

    def show(self, chances: Chances, names: Sequence[str], ply: int, *, ascii_only: bool) -> None:
        """Show everything anew.

        Args:
            chances: What was found.
            names: Each seat's name.
            ply: Which moment the board shows.
            ascii_only: Whether letters and signs of the keyboard must do.
        """
        curves = [chances.curve(seat) for seat in range(len(names))]
        inks = [
            "" if self.app.no_color else seat_ink(seat, dark=self.app.current_theme.dark)
            for seat in range(len(names))
        ]
        if chances.problem:
            head = say("no chances: {problem}", problem=core_words(chances.problem))
        elif not any(value is not None for curve in curves for value in curve):
            head = say("Chances not to be the fool: waiting for the engine")
        else:
            head = say("Chances not to be the fool, by what each seat knows")
        self.query_one("#chances-head", Static).update(head)
        labels = [self._label(name, curve, ply) for name, curve in zip(names, curves, strict=True)]
        series = [PlotLine(curve, ink, label) for curve, ink, label in zip(curves, inks, labels, strict=True)]
        look = PlotLook(guide=1 - 1 / len(names), cursor=ply)
        self.query_one(Plot).show(series, look, ascii_only=ascii_only)

    def _label(self, name: str, curve: Sequence[float | None], ply: int) -> str:
        """Name a line with its value at the moment shown, as far as there is room."""
        value = curve[ply] if ply < len(curve) else None
        return name if value is None else f"{name} {value:.0%}"
