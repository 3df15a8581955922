"""The review screen: a game move by move, with evaluations."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.message import Message as Posted
from textual.widgets import Static

from durak_core import write_observation
from durak_core.errors import FileError, Message
from durak_tui.board.screens.board import ReplayScreen
from durak_tui.board.view import table_view
from durak_tui.board.widgets.board import GameBoard
from durak_tui.board.widgets.layout import BOXES_FROM, LOG_FROM
from durak_tui.engine import Engine
from durak_tui.hints.model import PlayerModels
from durak_tui.players import team_labels, team_mark
from durak_tui.review.model import Reviewer, ReviewGame, default_path, export_problem, export_review
from durak_tui.review.view import (
    CandidateRow,
    candidate_rows,
    curve_values,
    hand_lines,
    marked_log,
    moment_line,
    overview,
    progress_words,
    review_prompt,
    score_words,
)
from durak_tui.text.core_messages import core_words
from durak_tui.text.i18n import gettext, pgettext
from durak_tui.text.phrases import Voice, capital, last_outcome
from durak_tui.ui.screens.base import start_work
from durak_tui.ui.screens.dialogs import Write, share_game
from durak_tui.ui.view.board_data import ButtonView, Look, PlotLine, TableView, fool_plot
from durak_tui.ui.widgets.canvas import Canvas, CanvasWidget
from durak_tui.ui.widgets.plot import Plot

_BAR_WIDTH: Final = 12
_GAP: Final = 3
"""Least columns between two texts of a row."""
_LEGEND_FROM: Final = 5
"""Rows needed for the curves' legend."""
_LEAST_ROWS: Final = 5
"""Minimum rows of the review panel; the board never takes them."""


class Choices(CanvasWidget):
    """Draws the rows with a cursor, scrolls to it, and posts clicks."""

    DEFAULT_CSS = """
    Choices {
        width: 1fr;
        height: 1fr;
    }
    """

    @dataclass
    class Chosen(Posted):
        """A row was clicked."""

        index: int

    _rows: tuple[CandidateRow, ...] = ()
    _cursor = 0
    _note = ""
    _top = 0
    _shown: tuple[int, ...] = ()

    def show(self, rows: tuple[CandidateRow, ...], cursor: int, look: Look, note: str = "") -> None:
        self._rows, self._cursor, self.look, self._note = rows, cursor, look, note
        self.refresh()

    def draw(self, canvas: Canvas) -> None:
        if not self._rows:
            canvas.put(1, 0, self.cut(self._note, canvas.width - 2), "quiet")
            return
        room = max(1, canvas.height)
        self._top = min(max(self._top, self._cursor - room + 1), self._cursor, max(0, len(self._rows) - room))
        action = max(cell_len(row.action) for row in self._rows)
        value = max(cell_len(row.value) for row in self._rows)
        *shown, last = range(len(self._rows))[self._top : self._top + room]
        if last != self._cursor:  # the played action stays in sight
            last = next((n for n, row in enumerate(self._rows) if row.is_played and n > last), last)
        self._shown = (*shown, last)
        for y in range(len(self._shown)):
            self._draw_row(canvas, y, (action, value))

    def _draw_row(self, canvas: Canvas, y: int, widths: tuple[int, int]) -> None:
        action, value = widths
        row = self._rows[self._shown[y]]
        self.put_cards(canvas, (2, y), row.action, "strong")
        x = 2 + action + 2
        canvas.put(x, y, row.value.rjust(value), "text")
        x += value + 2 if value else 0
        if row.is_played:
            x = canvas.put(x, y, gettext("played {mark}", mark=row.mark).strip(), "warning") + 2
        ahead = self.cut(row.ahead, canvas.width - x - 1)
        if len(ahead) > 3:
            self.put_cards(canvas, (x, y), ahead, "quiet")
        if self._shown[y] == self._cursor:
            canvas.put(0, y, ">" if self.look.ascii else "▸", "warning")
            canvas.fill(y, Style(bgcolor=self.style_of("cursor").bgcolor))

    def on_click(self, event: events.Click) -> None:
        if event.y < len(self._shown):
            self.post_message(self.Chosen(self._shown[event.y]))


class ReviewPanel(Vertical):
    """Shows accuracies, curves and candidate moves, or why there is no analysis."""

    def __init__(self, game: ReviewGame) -> None:
        super().__init__()
        self._game = game
        self.problem: Message | str = ""
        self.is_paused = False

    def compose(self) -> ComposeResult:
        yield Static(id="review-head")
        with Horizontal(id="judgement"):
            yield Plot()
            yield Static(id="hands")
            yield Choices()

    def set_height(self, rows: int) -> None:
        self.query_one("#judgement").styles.height = rows

    def show(self, look: Look, cursor: int, *, boxes: bool, figures: bool) -> None:
        """Update everything. With `boxes`, the board shows open hands; with `figures`, lists have them."""
        game = self._game
        voice = Voice(game.names, game.you, look.ascii)
        note = gettext("The game is over.") if game.shown.is_over else ""
        self.query_one(Choices).show(candidate_rows(game, voice, figures=figures), cursor, look, note)
        self._draw_curve(ascii_only=look.ascii)
        self._draw_hands(voice, boxes=boxes)
        self.query_one("#review-head", Static).update(self._head(voice))

    def _draw_curve(self, *, ascii_only: bool) -> None:
        game, plot = self._game, self.query_one(Plot)
        rules = game.record.rules
        own = rules.team_of(game.viewer)
        chances = [curve_values(game, team) for team in range(rules.team_count)]
        told = plot.size.height >= _LEGEND_FROM
        unnamed = (("", ""),) * len(chances)
        labels = team_labels(game.names, rules, ascii_only=ascii_only) if told else unnamed
        lines, look = fool_plot(chances, labels, plot.inks(rules), own, game.ply)
        # The signs share the last line's height, so they are a separate line without a name.
        heights: list[float | None] = [None] * len(chances[own])
        signs = {}
        for ply, evaluation in game.review.evaluations.items():
            team = rules.team_of(evaluation.seat)
            if evaluation.is_grave and team == own:
                heights[ply] = lines[own].values[ply]
                signs[ply] = ("?", "bold" if self.app.no_color else "bold red")
        if len(lines) == 2:  # each side knows other cards, so the two would not add up to 100 %
            lines, look = [lines[own]], replace(look, titles=(look.titles[-1],) * 2)
        plot.show([*lines, PlotLine(heights)], replace(look, marks=signs), ascii_only=ascii_only)

    def _ink(self, seat: int) -> str:
        rules = self._game.record.rules
        return f"bold {self.query_one(Plot).inks(rules)(rules.team_of(seat))}"

    def _mark(self, seat: int, *, ascii_only: bool) -> str:
        return team_mark(self._game.record.rules, seat, ascii_only=ascii_only)

    def _draw_hands(self, voice: Voice, *, boxes: bool) -> None:
        """Show open hands in place of the curves if the board has no room for them."""
        listed = self._game.open_hands and not boxes
        hands = self.query_one("#hands", Static)
        hands.display, self.query_one(Plot).display = listed, not listed
        if listed:
            lines = [
                Text.assemble(
                    (f"{self._mark(seat, ascii_only=voice.ascii)}{self._game.names[seat]} ", self._ink(seat)),
                    cards,
                )
                for seat, cards in hand_lines(self._game, voice)
            ]
            hands.update(Text("\n", no_wrap=True, overflow="crop").join(lines))

    def _head(self, voice: Voice) -> Text:
        width = self.size.width - 2
        right = self._progress(ascii_only=voice.ascii)
        room = max(0, width - right.cell_len - 2)
        plain = voice.ascii
        left = self._scores(marks=True, ascii_only=plain)
        if left.cell_len > room:
            left = self._scores(marks=False, ascii_only=plain)
        if left.cell_len > room:
            left = self._scores(marks=False, close=True, ascii_only=plain)
        left.truncate(room, overflow="crop" if plain else "ellipsis", pad=True)
        why, note = overview(self._game, voice), self._note(voice)
        gap = width - cell_len(why) - cell_len(note)
        note = "" if gap < _GAP else " " * gap + note
        return Text.assemble(left, "  ", right, "\n", why, (note, "dim"))

    def _note(self, voice: Voice) -> str:
        game, rules = self._game, self._game.record.rules
        if game.open_hands:
            return gettext("Moves are evaluated by what their player could know")
        if rules.team_count > 2:
            return gettext("Curves: the chance not to be the fool")
        if rules.teams is not None:
            return gettext("Curve: the team's chance not to lose")
        return voice.form(
            game.viewer,
            "Curve: your chance not to be the fool",
            "Curve: the chance that {name} is not the fool",
        )

    def _progress(self, *, ascii_only: bool) -> Text:
        game = self._game
        if self.problem:
            problem = core_words(self.problem)
            is_begun = game.evaluated_moves > 0
            none = gettext("not analysed: {problem}", problem=problem)
            return Text(f"{progress_words(game)}; {problem}" if is_begun else none, "bold")
        if game.is_settled(game.viewer):
            return Text()
        done = (game.own_choices - game.open_choices) * _BAR_WIDTH // max(1, game.own_choices)
        full, empty = ("#", ".") if ascii_only else ("━", "─")
        state = gettext("paused: ") if self.is_paused else ""
        return Text(f"{state}{progress_words(game)} {full * done}{empty * (_BAR_WIDTH - done)}")

    def _scores(self, *, marks: bool, close: bool = False, ascii_only: bool) -> Text:
        """Return the players' accuracy; in close form without what the curves show."""
        scores = Text()
        if self._game.open_hands:
            scores.append(gettext("hands are open"), "reverse")
            scores.append("   ")
        heading, gap = ("", "  ") if close else (gettext("Accuracy: "), "   ")
        for said, (seat, words) in enumerate(score_words(self._game, marks=marks)):
            scores.append(gap if said else heading)
            mark = "" if close else self._mark(seat, ascii_only=ascii_only)
            scores.append(f"{mark}{words}", self._ink(seat))
        return scores if scores.plain else Text(pgettext("heading", "Review"), "bold")


def _flawless() -> str:
    return gettext("No mistakes: nothing you did cost much.")


class ReviewScreen(ReplayScreen, place="review"):
    """Replays a game with its review."""

    game: ReviewGame

    def __init__(self, game: ReviewGame, engine: Engine, *, opens_at_turn: bool = False) -> None:
        super().__init__()
        self.game = game
        self._opens_at_turn = opens_at_turn
        """Whether to go to the viewer's turning point once it is known and nothing else was chosen."""
        self.readings = PlayerModels(game.record.rules, game.states)
        self._reviewer = Reviewer(game, engine, self._answered)
        self._is_paused = False
        self._cursor = 0
        self._told = ""

    @property
    def panel(self) -> ReviewPanel:
        return self.query_one(ReviewPanel)

    def compose_body(self) -> ComposeResult:
        yield GameBoard()
        yield ReviewPanel(self.game)

    def on_mount(self) -> None:
        if self._opens_at_turn and not self.game.ply:
            self.game.go(self.game.first_choice)
        self._open_at_turn()
        self._reviewer.start()

    def _open_at_turn(self) -> None:
        game = self.game
        if self._opens_at_turn and (game.is_settled(game.viewer) or self._reviewer.problem):
            ply = game.turning_ply
            if ply is not None:
                game.go(ply)
                self.moment_changed()
            elif game.is_flawless:
                self._told = self._told or _flawless()
            self._opens_at_turn = False

    async def on_unmount(self) -> None:
        await self._reviewer.close()

    def on_screen_suspend(self) -> None:
        self._reviewer.stop()

    def on_screen_resume(self) -> None:
        if not self._is_paused:
            self._reviewer.start()

    def action_knowledge(self) -> None:
        super().action_knowledge()
        self._make_room(self.size.width)

    def _make_room(self, width: int) -> None:
        """Hide the panel while the card panel needs its space."""
        self.query_one(ReviewPanel).display = width >= LOG_FROM or not self.knowledge.is_open

    def on_resize(self, event: events.Resize) -> None:
        self._make_room(event.size.width)
        height = event.size.height
        rows = min(max(5 + (height - 24) // 3, 3), 12)
        boxes = height - BOXES_FROM - 3  # the panel's head takes two rows, the keys take one
        if boxes > _LEAST_ROWS:
            rows = min(rows, boxes)
        self.panel.set_height(rows)

    def settings_changed(self) -> None:
        super().settings_changed()
        self._reviewer.milliseconds = self.host.settings.review_milliseconds
        self.redraw()

    # Drawing

    @property
    def read_up_to(self) -> int:
        """The game's moves only: variations reveal nothing about its players."""
        return self.game.ply

    def _tell(self, text: str) -> None:
        self._told = text
        self.board.tell(text)

    def _answered(self) -> None:
        self._open_at_turn()
        self.redraw()
        if self._reviewer.is_idle and not self.game.answers.is_stored:
            start_work(self, self.game.remember, self.host.library, group="remember", exclusive=True)

    def draw(self) -> None:
        super().draw()
        self.board.tell(self._told)
        self._cursor = min(self._cursor, max(0, len(self.game.candidates) - 1))
        self.panel.problem, self.panel.is_paused = self._reviewer.problem, self._is_paused
        figures = self.host.settings.figures
        self.panel.show(self.look, self._cursor, boxes=self.board.shows_hands, figures=figures)

    def view(self) -> TableView:
        voice = Voice(self.game.names, self.game.you, self.look.ascii)
        view = table_view(replace(self.game.moment, story=()), self.look)  # the log has marks, see below
        prompt = replace(review_prompt(self.game, voice), buttons=self._buttons())
        note = (
            ""
            if view.moment.observation.table
            else last_outcome(self.game.shown.observation(self.game.viewer).events, voice)
        )
        log = marked_log(self.game, voice)
        return replace(view, prompt=prompt, log=log, note=note, is_before=True)

    def _buttons(self) -> tuple[ButtonView, ...]:
        if self.game.tried:
            return (ButtonView("main_line", pgettext("button", "Game")), *self.step_buttons())
        again = (ButtonView("play_on", capital(gettext("play again"))),)
        following = (ButtonView("next", gettext("Next mistake")),) if self.game.moments else ()
        return (*(again if self.offers("play_on") else ()), *following, *self.step_buttons())

    def moment_changed(self) -> None:
        self._told = ""
        self._opens_at_turn = False
        self._cursor = 0
        played = [n for n, line in enumerate(self.game.candidates) if line.action == self.game.played]
        if played and not self.game.answers.lines_at(self.game.key):
            self._cursor = played[0]
        self._reviewer.attend()
        self.redraw()

    def offers(self, action: str) -> bool:
        game = self.game
        over = game.shown.is_over
        marks = {"blunder": "??", "mistake": "?", "dubious": "?!"}
        if action in marks:
            return bool(game.marked(marks[action]))
        return {
            "main_line": bool(game.tried),
            "next": bool(game.moments),
            "line_up": not over,
            "line_down": not over,
            "follow": not over,
            "play_on": not over and self.game.known_seat is None,
            "judge": game.evaluated_moves < game.free_moves,
        }.get(action, super().offers(action))

    # Moving

    @on(Choices.Chosen)
    def choose_line(self, event: Choices.Chosen) -> None:
        """Select the clicked line, or play it if it is selected."""
        event.stop()
        if event.index == self._cursor:
            self.action_follow()
        else:
            self._cursor = event.index
            self.redraw()

    def action_choose_line(self, step: int) -> None:
        self._cursor = min(max(0, self._cursor + step), max(0, len(self.game.candidates) - 1))
        self.redraw()

    def action_follow(self) -> None:
        choices = self.game.candidates
        if choices:
            self.game.follow(choices[min(self._cursor, len(choices) - 1)].action)
            self.moment_changed()

    def action_main_line(self) -> None:
        self.game.leave_variation()
        self.moment_changed()

    def action_next(self) -> None:
        """Go to the viewer's next mistake."""
        if self.game.go_next():
            self.moment_changed()
        elif self.game.is_flawless:
            self._tell(_flawless())
        else:
            self._tell(gettext("Nothing found so far; the analysis is not finished yet."))

    def action_go_mark(self, mark: str) -> None:
        if self.game.go_mark(mark):
            self.moment_changed()
        elif not self.game.is_settled(self.game.viewer):
            self._tell(gettext("No {mark} so far; the analysis is not finished yet.", mark=mark))
        else:
            voice = Voice(self.game.names, self.game.you)
            self._tell(
                voice.form(
                    self.game.viewer,
                    "None of your moves got {mark}.",
                    "None of the moves of {name} got {mark}.",
                    mark=mark,
                )
            )

    # Analysis

    def action_judge(self) -> None:
        self._is_paused = self._reviewer.is_running
        if self._is_paused:
            self._reviewer.stop()
        else:
            self._reviewer.start()
        self.redraw()

    def action_judge_anew(self) -> None:
        self.game.answers.clear()
        self._is_paused = False
        self._reviewer.start()
        self.moment_changed()

    # Copies, files and games

    def action_copy(self) -> None:
        game = self.game
        self.app.copy_to_clipboard(write_observation(game.shown.observation(game.viewer)))
        self._tell(gettext("Copied: the position as {name} sees it.", name=game.names[game.viewer]))

    def action_ask(self) -> None:
        line = moment_line(self.game, Voice(self.game.names, self.game.you, self.look.ascii))
        if line:
            self.app.copy_to_clipboard(line)
            self._tell(gettext("Copied: {line}", line=line))
        else:
            self._tell(gettext("The game is over here; go back to a move."))

    def action_share(self) -> None:
        self._tell(share_game(self, self.game.record))

    def action_export(self) -> None:
        path = default_path(self.game)
        hint = gettext("Choose a name that ends in .json for JSON; any other gives the game as text.")
        dialog = Write(gettext("Export the analysed game to"), str(path), export_problem, hint)
        self.ask(dialog, self._export)

    def _export(self, text: str) -> None:
        try:
            path: Path = export_review(self.game, text)
        except FileError as error:
            self._tell(gettext("The file cannot be written: {why}.", why=core_words(error.why)))
        else:
            self._tell(gettext("Written: {path}", path=path))

    def action_play_on(self) -> None:
        if self.game.shown.is_over:
            self._tell(gettext("The game is over here; go back to play on from an earlier moment."))
        elif self._all_seats_known():
            self.host.play_on(self.game.record, self.game.viewer, self.game.path)
