"""Texts of the puzzle screen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from durak_core import Action, Phase, State
from durak_core.engine.protocol import Line
from durak_core.puzzles.hidden import HiddenPuzzle
from durak_core.puzzles.themes import THEMES
from durak_core.review.comparison import card_of
from durak_tui.hints.view.actions import doing, reason_words, short_action
from durak_tui.learn.model.puzzles import HIDDEN, Decision, PuzzleStanding, Solving
from durak_tui.text.i18n import gettext, mark, pgettext, translate
from durak_tui.text.phrases import DOT, Voice, capital, log_lines


def rating_words(standing: PuzzleStanding, *, ascii_only: bool = False) -> str:
    """Return rating, last change and streak; empty before the first puzzle."""
    if not standing.tried:
        return ""
    up, down = "+-" if ascii_only else "▲▼"
    change = f" {up if standing.change > 0 else down}{abs(standing.change)}" if standing.change else ""
    rating = gettext("puzzle rating {rating}", rating=standing.rating) + change
    if standing.streak < 2:
        return rating
    return f"{rating}, " + gettext("streak {streak}", streak=standing.streak)


def heading_words(solving: Solving, standing: PuzzleStanding, *, ascii_only: bool = False) -> str:
    if isinstance(solving, Decision):
        heading = gettext("Puzzle {number}, hidden cards", number=solving.number)
    else:
        heading = gettext("Puzzle {number}, open cards", number=solving.number)
    return f"{heading}  {rating_words(standing, ascii_only=ascii_only)}".rstrip()


def shared_line(solving: Solving, standing: PuzzleStanding, *, ascii_only: bool = False) -> str:
    """Return the line to share of a puzzle's end, without the moves."""
    signs = "*." if ascii_only else "◆◇"
    outcome = gettext("solved with help") if solving.failed else gettext("solved")
    about = heading_words(solving, PuzzleStanding(0, 0, 0, {}))
    standing_words = rating_words(standing, ascii_only=ascii_only)
    parts = ("Durak", about, f"{signs[solving.failed]} {outcome}", standing_words)
    return DOT[ascii_only].join(filter(None, parts))


_TASKS: Final = {
    (Phase.OPENING, "win"): mark("You lead. Make your opponent the fool!"),
    (Phase.OPENING, "draw"): mark("You lead. Hold the draw!"),
    (Phase.OPENING, HIDDEN): mark("You lead. One move is best by far. Which?"),
    (Phase.DEFENCE, "win"): mark("You're defending. Make your opponent the fool!"),
    (Phase.DEFENCE, "draw"): mark("You're defending. Hold the draw!"),
    (Phase.DEFENCE, HIDDEN): mark("You're defending. One move is best by far. Which?"),
    (Phase.THROW_IN, "win"): mark("You can throw in. Make your opponent the fool!"),
    (Phase.THROW_IN, "draw"): mark("You can throw in. Hold the draw!"),
    (Phase.THROW_IN, HIDDEN): mark("You can throw in. One move is best by far. Which?"),
}


def task_words(solving: Solving) -> str:
    puzzle, phase = solving.puzzle, solving.state.phase
    goal = HIDDEN if isinstance(puzzle, HiddenPuzzle) else puzzle.goal
    return translate(_TASKS[phase if phase in {Phase.OPENING, Phase.DEFENCE} else Phase.THROW_IN, goal])


def end_words(solving: Solving, voice: Voice) -> str:
    """Return whether it was solved without help and, with hidden cards, the best move's win probability."""
    said = gettext("Solved, with help.") if solving.failed else gettext("Solved!")
    if not isinstance(solving, Decision):
        return said
    best = solving.puzzle.lines[0]
    named = doing(best.action, voice)
    if solving.found != best.action:
        said += " " + gettext("Good, too; best is {best}.", best=named)
    wins = round(100 * best.chance)
    return f"{said} " + gettext("{action} saves you {count} times in 100.", action=capital(named), count=wins)


def other_words(solving: Solving, voice: Voice) -> str:
    """Return why the wrong answer, or the most common choice, is worse. Hidden cards only."""
    if not isinstance(solving, Decision):
        return ""
    return _cost_words(solving.puzzle, solving.tried or solving.puzzle.usual, voice)


def _cost_words(puzzle: HiddenPuzzle, action: Action, voice: Voice) -> str:
    return gettext(
        "{action}: {reason}. It costs {points:.0f} points.",
        action=short_action(action, voice),
        reason=reason_words(puzzle.reason(action), voice),
        points=100 * puzzle.cost(action),
    )


def wrong_words(solving: Solving, action: Action, voice: Voice) -> str:
    """Explain why an action is wrong, without giving the answer away."""
    if isinstance(solving, Decision):
        return _wrong_decision_words(solving.puzzle, action, voice)
    return _wrong_endgame_words(solving.state, action, solving.line(action), voice)


def _wrong_decision_words(puzzle: HiddenPuzzle, action: Action, voice: Voice) -> str:
    told = [value for _name, value in puzzle.reason(action).values]
    if puzzle.action not in told and card_of(puzzle.action) not in told:
        return _cost_words(puzzle, action, voice)
    named = short_action(action, voice)
    return gettext("{action}: it costs {points:.0f} points.", action=named, points=100 * puzzle.cost(action))


def _wrong_endgame_words(state: State, action: Action, line: Line | None, voice: Voice) -> str:
    named = short_action(action, voice)
    if line is None or line.score == 0:
        said = gettext("{action}: that loses.", action=named)
    else:
        said = gettext("{action}: that only draws.", action=named)
    if line is None or not line.continuation:
        return said
    after, seat = state.apply(action), state.turn or 0
    for following in line.continuation:
        after = after.apply(following)
    told = [one.words for one in log_lines(after.observation(seat).events, voice) if one.is_action]
    return f"{said} {'. '.join(told[-len(line.continuation) :])}."


def theme_words(themes: Sequence[str]) -> str:
    if not themes:
        return ""
    return gettext(
        "Theme: {themes}.", themes=", ".join(pgettext("puzzle", THEMES[key].title) for key in themes)
    )
