"""Texts of lessons, puzzles and mistakes, and the daily calendar, as pure data."""

from __future__ import annotations

import calendar
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Final

from durak_core import (
    Action,
    Attack,
    Card,
    Defend,
    Exchange,
    Pass,
    Phase,
    SearchedAction,
    ShowTrump,
    State,
    Take,
    Transfer,
)
from durak_core.actions import card_of
from durak_core.daily import OPPONENTS, DailyDeal, DailyResult, day_words
from durak_core.lessons.lesson import Lesson, Saying
from durak_core.puzzles.puzzle import THEMES, HiddenPuzzle
from durak_core.review import Unevaluated
from durak_tui.hints.view.advice import doing, reason_words, short_action
from durak_tui.learn.model import HIDDEN, Exercise, ExerciseVerdict, HiddenSolving, PuzzleStanding, Solving
from durak_tui.players import called
from durak_tui.text.core_messages import core_words
from durak_tui.text.i18n import gettext, language, mark, ngettext, pgettext, translate
from durak_tui.text.phrases import DOT, Inflected, Voice, capital, card_text, log_lines, preset_text

if TYPE_CHECKING:
    from durak_tui.review.model import ReviewGame


BEGUN: Final = "begun"
"""The outcome of a day whose game is unfinished."""
_OPEN: Final = "open"

_SIGNS: Final = {"first": "★", "second": "☆", "fool": "✗", "draw": "=", BEGUN: "…", _OPEN: "○"}
_ASCII_SIGNS: Final = {"first": "*", "second": "+", "fool": "x", "draw": "=", BEGUN: "~", _OPEN: "o"}
_ASCII_LINE: Final = str.maketrans("·◆◇", "-*.")


@dataclass(frozen=True, slots=True)
class DayView:
    """A day of the calendar.

    Attributes:
        sign: The result's sign; empty if unplayed.
        is_there: Whether the deal is available.
    """

    day: date
    sign: str
    is_today: bool
    is_chosen: bool
    is_there: bool


@dataclass(frozen=True, slots=True)
class MonthView:
    """A month of weeks. Days of other months are None."""

    heading: str
    weekdays: tuple[str, ...]
    weeks: tuple[tuple[DayView | None, ...], ...]


def outcome_of(result: DailyResult) -> str:
    """Return a result's name: ``first``, ``second``, ``fool`` or ``draw``."""
    if result.place is None:
        return "draw" if result.is_draw else "fool"
    return ("first", "second")[result.place - 1]


def month_view(chosen: date, today: date, outcomes: Mapping[date, str], *, ascii_only: bool) -> MonthView:
    signs = _ASCII_SIGNS if ascii_only else _SIGNS
    names = pgettext(
        "calendar",
        "January February March April May June July August September October November December",
    ).split()
    weeks = [
        tuple(
            DayView(
                day,
                signs.get(outcomes.get(day, _OPEN if day == today else ""), ""),
                is_today=day == today,
                is_chosen=day == chosen,
                is_there=day <= today or day in outcomes,
            )
            if day.month == chosen.month
            else None
            for day in week
        )
        for week in calendar.Calendar().monthdatescalendar(chosen.year, chosen.month)
    ]
    heading = f"{names[chosen.month - 1]} {chosen.year}"
    return MonthView(heading, tuple(pgettext("calendar", "Mo Tu We Th Fr Sa Su").split()), tuple(weeks))


def legend(*, ascii_only: bool, is_narrow: bool = False) -> str:
    """Explain the signs on one line, or on two if narrow."""
    signs = _ASCII_SIGNS if ascii_only else _SIGNS
    meanings = {
        "first": pgettext("day", "first"),
        "second": pgettext("day", "second"),
        "fool": pgettext("day", "fool"),
        "draw": pgettext("day", "draw"),
        BEGUN: pgettext("day", "begun"),
    }
    told = [f"{signs[name]} {meaning}" for name, meaning in meanings.items()]
    lines = (told[:3], told[3:]) if is_narrow else (told,)
    return "\n".join(["  ".join(line) for line in lines])


def daily_result_line(day: date, game: ReviewGame, *, ascii_only: bool) -> str:
    """Return the line to share of a finished daily game, with the accuracy if it is fully reviewed."""
    review = None if game.open_choices else game.review
    line = core_words(DailyResult.of(DailyDeal.of(day), game.record, review).line)
    return line.translate(_ASCII_LINE) if ascii_only else line


def streak_words(days: int) -> str:
    return ngettext("{count} day in a row", "{count} days in a row", days) if days else ""


def daily_line(days: int, *, is_played: bool, ascii_only: bool) -> str:
    today = gettext("today's is played") if is_played else gettext("today's is still to be played")
    return DOT[ascii_only].join(filter(None, (today, streak_words(days))))


def deal_words(day: date) -> str:
    game = preset_text(DailyDeal.of(day).rules.base)
    names = gettext("{first} and {second}", first=called(OPPONENTS[0]), second=called(OPPONENTS[1]))
    return gettext("{day}: {game} against {names}.", day=core_words(day_words(day)), game=game, names=names)


def said(saying: Saying, *, ascii_only: bool = False) -> str:
    def word(value: object) -> object:
        return Inflected(card_text(value, ascii=ascii_only)) if isinstance(value, Card) else value

    return saying.said(language()).said(str, word)


def dots(lessons: Collection[Lesson], done: Collection[str], *, ascii_only: bool = False) -> str:
    """Draw one dot per lesson, filled if completed."""
    full, empty = "*." if ascii_only else "●○"
    return "".join([full if lesson.key in done else empty for lesson in lessons])


def lessons_line(lessons: Sequence[Lesson], done: Collection[str], *, ascii_only: bool = False) -> str:
    drawn = dots(lessons, done, ascii_only=ascii_only)
    following = next(((at, one) for at, one in enumerate(lessons, 1) if one.key not in done), None)
    if following is None:
        return gettext("{dots}  all done", dots=drawn)
    number, lesson = following
    title = said(lesson.title, ascii_only=ascii_only)
    return gettext("{dots}  next: {number} {title}", dots=drawn, number=number, title=title)


def mistakes_line(asked: int, unknown: int) -> str:
    if not unknown:
        return gettext("none yet. Review a game to collect some")
    if not asked:
        return gettext("nothing today; {count} more later", count=unknown)
    return ngettext("{count} mistake to fix", "{count} mistakes to fix", asked)


_TASKS: Final[Mapping[type[Action], str]] = {
    Take: mark("You took. Find a better move."),
    Pass: mark("You passed. Find a better move."),
    Defend: mark("You beat {target} with {card}. Find a better move."),
    Transfer: mark("You transferred with {card}. Find a better move."),
    ShowTrump: mark("You showed {card}. Find a better move."),
    Exchange: mark("You exchanged a trump. Find a better move."),
    Attack: mark("You played {card}. Find a better move."),
}


def mistake_task(exercise: Exercise, voice: Voice) -> str:
    action = exercise.played.action
    cards = {name: voice.card(getattr(action, name)) for name in ("card", "target") if hasattr(action, name)}
    return gettext(_TASKS[type(action)], **cards)


def answer_words(exercise: Exercise, action: Action, voice: Voice) -> str:
    evaluation, verdict = exercise.evaluate_move(action), exercise.verdict(action)
    named, best = doing(action, voice), doing(exercise.best, voice)
    if verdict is ExerciseVerdict.RIGHT:
        right = (
            gettext("Right.") if action == exercise.best else gettext("Good, too; best is {best}.", best=best)
        )
        return f"{right} {why_words(exercise, voice)}"
    if action == exercise.played.action:
        return gettext("{action} is what you played. Try another move.", action=capital(named))
    if verdict is ExerciseVerdict.WORSE:
        return gettext(
            "{action} {mark} is no better. Try another move.",
            action=capital(named),
            mark=evaluation.mark,
        )
    if evaluation.unevaluated is Unevaluated.NOT_LISTED:
        oldest = voice.card(exercise.observation.open_attacks[0])
        return gettext("Begin with {card}: the order changes nothing.", card=oldest)
    return gettext("Not sure about {action}. Try another move.", action=named)


def solution_words(exercise: Exercise, voice: Voice) -> str:
    best = gettext("Better: {best}.", best=short_action(exercise.best, voice))
    return f"{best} {why_words(exercise, voice)}"


def why_words(exercise: Exercise, voice: Voice) -> str:
    if exercise.played.reason is None:
        return ""
    action = short_action(exercise.played.action, voice)
    return gettext("{action}: {reason}.", action=action, reason=reason_words(exercise.played.reason, voice))


def hint_words(exercise: Exercise, voice: Voice) -> str:
    card = exercise.wrong_card
    if card is not None:
        return gettext("Hint: don't spend {card} either.", card=voice.card(card))
    if card_of(exercise.best) is None:
        return gettext("Hint: don't play a card here.")
    if card_of(exercise.played.action) is None:
        return gettext("Hint: play a card here.")
    return gettext("Hint: play another card here.")


def return_words(days: int | None) -> str:
    """Return when the mistake comes back; `days` is None once it is known."""
    if days is None:
        return gettext("You know this one now.")
    if days == 1:
        return gettext("It comes back tomorrow.")
    return ngettext("It comes back in {count} day.", "It comes back in {count} days.", days)


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
    if isinstance(solving, HiddenSolving):
        heading = gettext("Puzzle {number}, hidden cards", number=solving.number)
    else:
        heading = gettext("Puzzle {number}, open cards", number=solving.number)
    return f"{heading}  {rating_words(standing, ascii_only=ascii_only)}".rstrip()


def puzzle_line(solving: Solving, standing: PuzzleStanding, *, ascii_only: bool = False) -> str:
    """Return the line to share of a puzzle's end, without the moves."""
    signs = "*." if ascii_only else "◆◇"
    outcome = gettext("solved with help") if solving.failed else gettext("solved")
    about = heading_words(solving, PuzzleStanding(0, 0, 0, {}))
    standing_words = rating_words(standing, ascii_only=ascii_only)
    parts = ("Durak", about, f"{signs[solving.failed]} {outcome}", standing_words)
    return DOT[ascii_only].join(filter(None, parts))


_PUZZLE_TASKS: Final = {
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


def puzzle_task(solving: Solving) -> str:
    puzzle, phase = solving.puzzle, solving.state.phase
    goal = HIDDEN if isinstance(puzzle, HiddenPuzzle) else puzzle.goal
    return translate(
        _PUZZLE_TASKS[phase if phase in {Phase.OPENING, Phase.DEFENCE} else Phase.THROW_IN, goal]
    )


def end_words(solving: Solving, voice: Voice) -> str:
    """Return whether it was solved without help and, with hidden cards, the best move's win probability."""
    said = gettext("Solved, with help.") if solving.failed else gettext("Solved!")
    if not isinstance(solving, HiddenSolving):
        return said
    best = solving.puzzle.lines[0]
    named = doing(best.action, voice)
    if solving.found != best.action:
        said += " " + gettext("Good, too; best is {best}.", best=named)
    wins = round(100 * best.score)
    return f"{said} " + gettext("{action} saves you {count} times in 100.", action=capital(named), count=wins)


def other_words(solving: Solving, voice: Voice) -> str:
    """Return why the wrong answer, or the most common choice, is worse. Hidden cards only."""
    if not isinstance(solving, HiddenSolving):
        return ""
    return _cost_words(solving.puzzle, solving.tried or solving.puzzle.usual, voice)


def _cost_words(puzzle: HiddenPuzzle, action: Action, voice: Voice) -> str:
    return gettext(
        "{action}: {reason}. It loses {points:.0f} more games in 100.",
        action=short_action(action, voice),
        reason=reason_words(puzzle.reason(action), voice),
        points=100 * puzzle.cost(action),
    )


def wrong_words(solving: Solving, action: Action, voice: Voice) -> str:
    """Explain why an action is wrong, without giving the answer away."""
    if isinstance(solving, HiddenSolving):
        return _wrong_decision_words(solving.puzzle, action, voice)
    return _wrong_endgame_words(solving.state, action, solving.line(action), voice)


def _wrong_decision_words(puzzle: HiddenPuzzle, action: Action, voice: Voice) -> str:
    told = [value for _name, value in puzzle.reason(action).values]
    if puzzle.action not in told and card_of(puzzle.action) not in told:
        return _cost_words(puzzle, action, voice)
    named = short_action(action, voice)
    return gettext(
        "{action}: it loses {points:.0f} more games in 100.", action=named, points=100 * puzzle.cost(action)
    )


def _wrong_endgame_words(state: State, action: Action, line: SearchedAction | None, voice: Voice) -> str:
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
