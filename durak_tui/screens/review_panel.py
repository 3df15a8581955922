"""The judgement under the board of a review: accuracies, curves, and the actions of the position."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.text import Text
from textual.containers import Horizontal, Vertical
from textual.widgets import Static

from durak_tui.text.core_messages import core_words
from durak_tui.text.i18n import say, say_as
from durak_tui.text.phrases import Voice
from durak_tui.theme import seat_ink
from durak_tui.views.plot import PlotLine, PlotLook
from durak_tui.views.review import candidate_rows, curve_values, hand_lines, progress_words, score_words
from durak_tui.widgets.choices import Choices
from durak_tui.widgets.plot import Plot

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from durak_tui.review.review_game import ReviewGame
    from durak_tui.views.data import Look

_BAR_WIDTH: Final = 12
_LEGEND_FROM: Final = 5
"""Rows from which the curves have a legend."""
_LEGEND_SIGN: Final = 6
"""Columns that each name takes beside itself."""
_SHORTEST_NAME: Final = 3


class ReviewPanel(Vertical):
    """Shows what is thought of a game.

    Args:
        game: The game.
    """

    def __init__(self, game: ReviewGame) -> None:
        super().__init__()
        self._game = game
        self._problem = ""
        self._is_paused = False

    def compose(self) -> ComposeResult:
        yield Static(id="review-head")
        with Horizontal(id="judgement"):
            yield Plot()
            yield Static(id="hands")
            yield Choices()

    def set_height(self, rows: int) -> None:
        """Give curves and actions so many rows."""
        self.query_one("#judgement").styles.height = rows

    def tell(self, problem: str, *, paused: bool) -> None:
        """Remember why nothing is judged now, for the next `show`."""
        self._problem, self._is_paused = problem, paused

    def show(self, look: Look, cursor: int, *, boxes: bool) -> None:
        """Show everything anew.

        Args:
            look: How the cards look.
            cursor: Which action is chosen.
            boxes: Whether the board has room for open hands.
        """
        game = self._game
        voice = Voice(game.names, game.you, look.ascii)
        note = say("The game is over.") if game.state.is_over else ""
        self.query_one(Choices).show(candidate_rows(game, voice), cursor, look, note)
        self._draw_curve(ascii_only=look.ascii)
        self._draw_hands(voice, boxes=boxes)
        self.query_one("#review-head", Static).update(self._head(ascii_only=look.ascii))

    def _ink(self, seat: int) -> str:
        """Return the colour of a seat's curve."""
        return "" if self.app.no_color else seat_ink(seat, dark=self.app.current_theme.dark)

    def _draw_curve(self, *, ascii_only: bool) -> None:
        game, plot = self._game, self.query_one(Plot)
        curves = [curve_values(game, seat) for seat in range(game.record.rules.seats)]
        names = self._legend(plot.size.width) if plot.size.height >= _LEGEND_FROM else [""] * len(curves)
        many = len(curves) > 2  # then the viewer's curve stands out, and has the only signs
        series = [
            PlotLine(curve, f"{self._ink(seat)}{' dim' if many and seat != game.viewer else ''}", names[seat])
            for seat, curve in enumerate(curves)
        ]
        # Signs stand at the height of the last line, so that is one of their own, without a name.
        heights: list[float | None] = [None] * len(curves[0])
        signs = {}
        for ply, judgement in game.review.judgements.items():
            if judgement.mark in {"??", "?"} and (not many or judgement.seat == game.viewer):
                heights[ply] = curves[judgement.seat][ply]
                signs[ply] = ("?", "bold" if self.app.no_color else "bold red")
        look = PlotLook(guide=1 - 1 / len(curves), cursor=game.ply, marks=signs)
        plot.show([*series, PlotLine(heights)], look, ascii_only=ascii_only)

    def _legend(self, width: int) -> list[str]:
        """Name the curves, as far as all names have room in a row."""
        names = self._game.names
        room = (width - 2) // len(names) - _LEGEND_SIGN
        return [name[:room] if room >= _SHORTEST_NAME else "" for name in names]

    def _draw_hands(self, voice: Voice, *, boxes: bool) -> None:
        """Where the board has no room for open hands, they stand in the place of the curves."""
        listed = self._game.open_hands and not boxes
        hands = self.query_one("#hands", Static)
        hands.display, self.query_one(Plot).display = listed, not listed
        if listed:
            lines = [
                Text.assemble((f"{self._game.names[seat]} ", f"bold {self._ink(seat)}"), cards)
                for seat, cards in hand_lines(self._game, voice)
            ]
            hands.update(Text("\n", no_wrap=True, overflow="crop").join(lines))

    def _head(self, *, ascii_only: bool) -> Text:
        right = self._progress(ascii_only=ascii_only)
        room = max(0, self.size.width - 2 - right.cell_len - 2)
        left = self._scores(marks=True)
        if left.cell_len > room:
            left = self._scores(marks=False)
        left.truncate(room, overflow="crop" if ascii_only else "ellipsis", pad=True)
        return left + Text("  ") + right

    def _progress(self, *, ascii_only: bool) -> Text:
        """Say how far the judgement is, or why there is none."""
        game = self._game
        if self._problem:
            return Text(say("not judged: {problem}", problem=core_words(self._problem)), "bold")
        if game.judged_moves >= game.free_moves:
            return Text()
        done = game.judged_moves * _BAR_WIDTH // max(1, game.free_moves)
        full, empty = ("#", ".") if ascii_only else ("━", "─")
        state = say("paused: ") if self._is_paused else ""
        return Text(f"{state}{progress_words(game)} {full * done}{empty * (_BAR_WIDTH - done)}")

    def _scores(self, *, marks: bool) -> Text:
        """Sum up the players in the colours of their curves."""
        scores = Text()
        if self._game.open_hands:
            scores.append(say("open hands"), "reverse")
        for seat, words in score_words(self._game, marks=marks):
            scores.append("   " if scores.plain else "")
            scores.append(words, f"bold {self._ink(seat)}")
        return scores if scores.plain else Text(say_as("heading", "Review"), "bold")
