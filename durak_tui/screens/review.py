"""Review: a finished or recorded game, move by move, with its judgement."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Final

from textual import on

from durak_core import write_observation
from durak_tui.input.bindings import bindings
from durak_tui.play.player_models import PlayerModels
from durak_tui.review.export import default_path, export_problem, export_review
from durak_tui.review.reviewer import Reviewer
from durak_tui.screens.dialogs import Write
from durak_tui.screens.knowing import KnowingScreen
from durak_tui.screens.review_panel import ReviewPanel
from durak_tui.text.i18n import say, say_as
from durak_tui.text.phrases import Voice, last_outcome
from durak_tui.views.data import ButtonView
from durak_tui.views.review import marked_log, review_prompt
from durak_tui.views.table import table_view
from durak_tui.widgets.board import BOXES_FROM, GameBoard
from durak_tui.widgets.choices import Choices

if TYPE_CHECKING:
    from pathlib import Path

    from textual import events
    from textual.app import ComposeResult

    from durak_tui.engines.background import Analyst
    from durak_tui.play.moment import Moment
    from durak_tui.review.review_game import ReviewGame
    from durak_tui.views.data import TableView

_ROWS_WORTH_HAVING: Final = 5
"""Rows of the judgement that are not given up for the board's sake."""


class ReviewScreen(KnowingScreen):
    """Look at a game again.

    Args:
        game: The game.
        engine: Who judges its positions.
    """

    PLACE: ClassVar[str] = "review"
    BINDINGS: ClassVar = bindings("review", "knowledge")
    CSS_PATH = "review.tcss"
    BUTTON_KEYS: ClassVar[dict[str, str]] = {
        "step_back": "review.step-back",
        "step": "review.step",
        "main_line": "review.main-line",
    }

    def __init__(self, game: ReviewGame, engine: Analyst) -> None:
        super().__init__()
        self.game = game
        self.readings = PlayerModels(game.record.rules, game.states)
        self._engine = engine
        self._reviewer: Reviewer | None = None
        self._is_paused = False
        self._cursor = 0
        self._told = ""
        self._is_drawing = False

    @property
    def panel(self) -> ReviewPanel:
        """The judgement under the board."""
        return self.query_one(ReviewPanel)

    def compose_body(self) -> ComposeResult:
        yield GameBoard()
        yield ReviewPanel(self.game)

    def on_mount(self) -> None:
        source = self.game.answers.source
        if source is not None:
            self._told = say(
                "Judged before by {engine}, {seconds} s a move; {key} judges anew.",
                engine=source.engine,
                seconds=f"{source.milliseconds / 1000:g}",
                key=self.host.settings.keymap.label("review.judge-anew"),
            )
        self._reviewer = Reviewer(self.game, self._engine, self._answered)
        self._reviewer.start()

    async def on_unmount(self) -> None:
        if self._reviewer is not None:
            await self._reviewer.close()

    def on_screen_suspend(self) -> None:
        if self._reviewer is not None:
            self._reviewer.stop()

    def on_screen_resume(self) -> None:
        if self._reviewer is not None and not self._is_paused:
            self._reviewer.start()

    def on_resize(self, event: events.Resize) -> None:
        height = event.size.height
        rows = min(max(5 + (height - 24) // 3, 3), 12)
        boxes = height - BOXES_FROM - 2  # the head of the judgement and the keys take a row each
        if boxes > _ROWS_WORTH_HAVING:
            rows = min(rows, boxes)
        self.panel.set_height(rows)

    def settings_changed(self) -> None:
        """Draw anew with changed settings."""
        super().settings_changed()
        if self._reviewer is not None:
            self._reviewer.milliseconds = self.host.settings.review_milliseconds
        self.redraw()

    # Showing

    @property
    def known_moment(self) -> Moment:
        """The position shown."""
        return self.game.moment

    @property
    def read_up_to(self) -> int:
        """As far as the game goes: what is tried out says nothing about its players."""
        return self.game.ply

    def redraw(self) -> None:
        """Show what has changed, soon; several changes at once are drawn once."""
        if not self._is_drawing:
            self._is_drawing = True
            self.call_after_refresh(self._draw)

    def _tell(self, text: str) -> None:
        """Say something until another position is shown."""
        self._told = text
        self.board.tell(text)

    def _answered(self) -> None:
        """Show what is new; when all is judged, let the library know."""
        self.redraw()
        if self._reviewer is not None and self._reviewer.is_idle and not self.game.answers.is_stored:
            self.run_worker(self.game.remember(self.host.shelf), group="remember", exclusive=True)

    def _draw(self) -> None:
        self._is_drawing = False
        if not self.is_attached:
            return
        look = self.look
        voice = Voice(self.game.names, self.game.you, look.ascii)
        self._cursor = min(self._cursor, max(0, len(self.game.candidates) - 1))
        self.board.show(self.with_keys(self._table_view(voice)))
        self.show_knowledge()
        self.board.tell(self._told)
        problem = self._reviewer.problem if self._reviewer is not None else ""
        self.panel.tell(problem, paused=self._is_paused)
        self.panel.show(look, self._cursor, boxes=self.board.size.height >= BOXES_FROM)
        self.refresh_bindings()

    def _table_view(self, voice: Voice) -> TableView:
        view = table_view(self.game.moment, self.look)
        prompt = replace(review_prompt(self.game, voice), buttons=self._buttons())
        note = "" if view.pairs else last_outcome(self.game.state.observation(self.game.viewer).events, voice)
        return replace(view, prompt=prompt, log=marked_log(self.game, voice), note=note)

    def _buttons(self) -> tuple[ButtonView, ...]:
        steps = (ButtonView("step_back", say("Back"), "left"), ButtonView("step", say("Move"), "right"))
        if self.game.tried:
            return (ButtonView("main_line", say_as("button", "Game"), "shift+left"), *steps)
        return steps

    def _changed(self) -> None:
        """Another position is shown."""
        self._told = ""
        self._cursor = 0
        played = [n for n, choice in enumerate(self.game.candidates) if choice.is_played]
        if played and not self.game.answers.at(self.game.key):
            self._cursor = played[0]
        if self._reviewer is not None:
            self._reviewer.attend()
        self.redraw()

    def offers(self, action: str) -> bool:
        """Name the keys that do something now."""
        game = self.game
        over = game.state.is_over
        marks = {"blunder": "??", "mistake": "?", "dubious": "?!"}
        if action in marks:
            return any(j.mark == marks[action] for j in game.review.judgements.values())
        return {
            "main_line": bool(game.tried),
            "line_up": not over,
            "line_down": not over,
            "follow": not over,
            "play_on": not over,
            "judge": game.judged_moves < game.free_moves,
        }.get(action, super().offers(action))

    # Moving

    @on(Choices.Chosen)
    def choose_line(self, event: Choices.Chosen) -> None:
        """Choose the line that was clicked; follow it when it was chosen already."""
        event.stop()
        if event.index == self._cursor:
            self.action_follow()
        else:
            self._cursor = event.index
            self.redraw()

    def go(self, ply: int) -> None:
        """Show the moment after so many moves of the game."""
        self.game.go(ply)
        self._changed()

    def action_step(self) -> None:
        self.game.step(1)
        self._changed()

    def action_step_back(self) -> None:
        self.game.step(-1)
        self._changed()

    def action_bout(self) -> None:
        self.game.go_bout(1)
        self._changed()

    def action_bout_back(self) -> None:
        self.game.go_bout(-1)
        self._changed()

    def action_home(self) -> None:
        self.go(0)

    def action_end(self) -> None:
        self.go(self.game.last_ply)

    def action_line_up(self) -> None:
        self._cursor = max(0, self._cursor - 1)
        self.redraw()

    def action_line_down(self) -> None:
        self._cursor = min(self._cursor + 1, max(0, len(self.game.candidates) - 1))
        self.redraw()

    def action_follow(self) -> None:
        """Play the chosen action: the game's own, or one to be tried out."""
        choices = self.game.candidates
        if choices:
            self.game.follow(choices[min(self._cursor, len(choices) - 1)].action)
            self._changed()

    def action_main_line(self) -> None:
        self.game.back_to_the_game()
        self._changed()

    def action_blunder(self) -> None:
        self._go_mark("??")

    def action_mistake(self) -> None:
        self._go_mark("?")

    def action_dubious(self) -> None:
        self._go_mark("?!")

    def _go_mark(self, mark: str) -> None:
        if self.game.go_mark(mark):
            self._changed()
        elif self.game.judged_moves < self.game.free_moves:
            self._tell(say("No {mark} so far; the game is not judged to its end yet.", mark=mark))
        else:
            self._tell(say("No move got {mark}.", mark=mark))

    # Looking

    def action_open_hands(self) -> None:
        """Show or hide all hands; the judgement does not know them."""
        self.game.open_hands = not self.game.open_hands
        self.redraw()

    def action_next_view(self) -> None:
        self.game.viewer = (self.game.viewer + 1) % self.game.record.rules.seats
        self.redraw()

    def action_judge(self) -> None:
        if self._reviewer is None:
            return
        self._is_paused = self._reviewer.is_running
        if self._is_paused:
            self._reviewer.stop()
        else:
            self._reviewer.start()
        self.redraw()

    def action_judge_anew(self) -> None:
        if self._reviewer is not None:
            self.game.judge_anew()
            self._is_paused = False
            self._reviewer.start()
            self._changed()

    # Taking something away

    def action_copy(self) -> None:
        game = self.game
        self.app.copy_to_clipboard(write_observation(game.state.observation(game.viewer)))
        self._tell(say("Copied: the position as {name} sees it.", name=game.names[game.viewer]))

    def action_export(self) -> None:
        path = default_path(self.game)
        hint = say("Ends in .json or .jsonl for JSON, else it becomes game text.")
        dialog = Write(say("Export the game with its judgement to"), str(path), export_problem, hint)
        self.app.push_screen(dialog, self._export)

    def _export(self, text: str | None) -> None:
        if text is None:
            return
        try:
            path: Path = export_review(self.game, text)
        except OSError as error:
            self._tell(say("The file cannot be written: {why}.", why=error.strerror or error))
        else:
            self._tell(say("Written: {path}", path=path))

    def action_play_on(self) -> None:
        if self.game.state.is_over:
            self._tell(say("The game is over here; go back to a moment from which to play on."))
        else:
            self.host.play_on(self.game)
