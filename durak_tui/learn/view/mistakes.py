"""Texts of the mistakes screen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from durak_core import Action, Attack, Defend, Pass, ShowTrump, Take, Transfer
from durak_core.review import Unjudged
from durak_core.review.comparison import card_of
from durak_tui.hints.view.advice import short_action
from durak_tui.learn.model.mistakes import Exercise, Verdict
from durak_tui.review.view import reason_words
from durak_tui.text.i18n import mark, say, say_count
from durak_tui.text.phrases import Voice


def mistakes_line(asked: int, unknown: int) -> str:
    if not unknown:
        return say("none so far: review your games, and they come here")
    if not asked:
        return say("nothing for today; {count} to come back", count=unknown)
    return say_count("{count} move to find better", "{count} moves to find better", asked)


_TASKS: Final[Mapping[type[Action], str]] = {
    Take: mark("You took here, and it cost {points:.0f} points. Find better."),
    Pass: mark("You passed here, and it cost {points:.0f} points. Find better."),
    Defend: mark("You beat {target} with {card} here, and it cost {points:.0f} points. Find better."),
    Transfer: mark("You transferred with {card} here, and it cost {points:.0f} points. Find better."),
    ShowTrump: mark("You showed {card} here, and it cost {points:.0f} points. Find better."),
    Attack: mark("You played {card} here, and it cost {points:.0f} points. Find better."),
}


def task_words(exercise: Exercise, voice: Voice) -> str:
    action = exercise.played.action
    cards = {name: voice.card(getattr(action, name)) for name in ("card", "target") if hasattr(action, name)}
    return say(_TASKS[type(action)], points=100 * exercise.played.drop, **cards)


def answer_words(exercise: Exercise, action: Action, voice: Voice) -> str:
    judgement, verdict = exercise.judge(action), exercise.verdict(action)
    named, best = short_action(action, voice), short_action(exercise.best, voice)
    if verdict is Verdict.RIGHT:
        right = say("Right.") if action == exercise.best else say("Good, too; best is {best}.", best=best)
        return f"{right} {why_words(exercise, voice)}"
    if action == exercise.played.action:
        return say("{action} is what you played. Try something else.", action=named)
    if verdict is Verdict.WORSE:
        return say(
            "{action} {mark} would cost {points:.0f} points. Try something else.",
            action=named,
            mark=judgement.mark,
            points=100 * judgement.drop,
        )
    if judgement.unjudged is Unjudged.NOT_LISTED:
        oldest = voice.card(exercise.observation.open_attacks[0])
        return say("Begin with {card}: the order changes nothing.", card=oldest)
    return say("{action} is hardly searched: nobody knows. Try something else.", action=named)


def solution_words(exercise: Exercise, voice: Voice) -> str:
    best = say("Better: {best}.", best=short_action(exercise.best, voice))
    return f"{best} {why_words(exercise, voice)}"


def why_words(exercise: Exercise, voice: Voice) -> str:
    if exercise.played.reason is None:
        return ""
    action = short_action(exercise.played.action, voice)
    return say("{action}: {reason}.", action=action, reason=reason_words(exercise.played.reason, voice))


def hint_words(exercise: Exercise, voice: Voice) -> str:
    card = exercise.wrong_card
    if card is not None:
        return say("Hint: do not spend {card} either.", card=voice.card(card))
    if card_of(exercise.best) is None:
        return say("Hint: spend no card here.")
    if card_of(exercise.played.action) is None:
        return say("Hint: a card is worth playing here.")
    return say("Hint: another card is worth playing here.")


def return_words(days: int | None) -> str:
    """Return when the mistake comes back; `days` is None once it is known."""
    if days is None:
        return say("You know this one now.")
    if days == 1:
        return say("It comes back tomorrow.")
    return say_count("It comes back in {count} day.", "It comes back in {count} days.", days)
