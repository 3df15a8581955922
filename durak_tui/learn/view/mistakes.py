"""Texts of the mistakes screen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from durak_core import Action, Attack, Defend, Exchange, Pass, ShowTrump, Take, Transfer
from durak_core.review import Unevaluated
from durak_core.review.comparison import card_of
from durak_tui.hints.view.actions import doing, reason_words, short_action
from durak_tui.learn.model.mistakes import Exercise, Verdict
from durak_tui.text.i18n import gettext, mark, ngettext
from durak_tui.text.phrases import Voice, capital


def mistakes_line(asked: int, unknown: int) -> str:
    if not unknown:
        return gettext("none yet. Review a game to collect some")
    if not asked:
        return gettext("nothing today; {count} more later", count=unknown)
    return ngettext("{count} mistake to fix", "{count} mistakes to fix", asked)


_TASKS: Final[Mapping[type[Action], str]] = {
    Take: mark("You took, and it cost you {points:.0f} points. Find a better move."),
    Pass: mark("You passed, and it cost you {points:.0f} points. Find a better move."),
    Defend: mark("You beat {target} with {card}, and it cost you {points:.0f} points. Find a better move."),
    Transfer: mark("You transferred with {card}, and it cost you {points:.0f} points. Find a better move."),
    ShowTrump: mark("You showed {card}, and it cost you {points:.0f} points. Find a better move."),
    Exchange: mark("You exchanged a trump, and it cost you {points:.0f} points. Find a better move."),
    Attack: mark("You played {card}, and it cost you {points:.0f} points. Find a better move."),
}


def task_words(exercise: Exercise, voice: Voice) -> str:
    action = exercise.played.action
    cards = {name: voice.card(getattr(action, name)) for name in ("card", "target") if hasattr(action, name)}
    return gettext(_TASKS[type(action)], points=100 * exercise.played.drop, **cards)


def answer_words(exercise: Exercise, action: Action, voice: Voice) -> str:
    evaluation, verdict = exercise.evaluate_move(action), exercise.verdict(action)
    named, best = doing(action, voice), doing(exercise.best, voice)
    if verdict is Verdict.RIGHT:
        right = (
            gettext("Right.") if action == exercise.best else gettext("Good, too; best is {best}.", best=best)
        )
        return f"{right} {why_words(exercise, voice)}"
    if action == exercise.played.action:
        return gettext("{action} is what you played. Try another move.", action=capital(named))
    if verdict is Verdict.WORSE:
        return gettext(
            "{action} {mark} would cost {points:.0f} points. Try another move.",
            action=capital(named),
            mark=evaluation.mark,
            points=100 * evaluation.drop,
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
