"""What is said around puzzles."""

from __future__ import annotations

from collections.abc import Sequence

from durak_core import Action, Phase, State
from durak_core.engine.protocol import Line
from durak_core.puzzles.themes import THEMES
from durak_tui.library.puzzles import PuzzleStanding
from durak_tui.text.i18n import say, translate
from durak_tui.text.phrases import Voice, log_lines
from durak_tui.views.advice import short_action


def rating_words(standing: PuzzleStanding, *, ascii_only: bool = False) -> str:
    """Say the rating, what the last puzzle changed, and how many were solved in a row."""
    up, down = "+-" if ascii_only else "▲▼"
    change = f" {up if standing.change > 0 else down}{abs(standing.change)}" if standing.change else ""
    rating = say("Puzzle rating {rating}", rating=standing.rating) + change
    if standing.streak < 2:
        return rating
    return f"{rating}, " + say("{streak} solved in a row", streak=standing.streak)


def puzzles_line(standing: PuzzleStanding, *, ascii_only: bool = False) -> str:
    """Say in a line how the person does."""
    if not standing.tried:
        return say("endgames with open cards: find the only move")
    return rating_words(standing, ascii_only=ascii_only)


def task_words(state: State, goal: str) -> str:
    """Say who moves and what is to be reached."""
    if state.phase == Phase.OPENING:
        return say("You lead: do not be the fool.") if goal == "win" else say("You lead: hold the draw.")
    if state.phase == Phase.DEFENCE:
        return say("You defend: do not be the fool.") if goal == "win" else say("You defend: hold the draw.")
    return (
        say("You may throw in: do not be the fool.")
        if goal == "win"
        else say("You may throw in: hold the draw.")
    )


def wrong_words(state: State, action: Action, line: Line | None, voice: Voice) -> str:
    """Say what a wrong action leads to, and what happens next."""
    named = short_action(action, voice)
    if line is None or line.score == 0:
        said = say("{action}: that loses.", action=named)
    else:
        said = say("{action}: that only draws.", action=named)
    if line is None or not line.continuation:
        return said
    after, seat = state.apply(action), state.turn or 0
    for following in line.continuation:
        after = after.apply(following)
    told = [one.words for one in log_lines(after.observation(seat).events, voice) if one.is_action]
    return f"{said} {'. '.join(told[-len(line.continuation) :])}."


def theme_words(themes: Sequence[str]) -> str:
    """Say what the puzzle was about; nothing where that has no name."""
    if not themes:
        return ""
    return say("Theme: {themes}.", themes=", ".join(translate(THEMES[key].title) for key in themes))
