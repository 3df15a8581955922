"""Hints, the result and the review."""

from __future__ import annotations

from collections.abc import Iterator

from durak_core.review import MoveEvaluation, turning_point
from durak_tui.hints.model.adviser import SHOWN, Advice, is_rough, shown_percent
from durak_tui.hints.view.actions import action_words
from durak_tui.hints.view.advice import advice_view
from durak_tui.lines.view.table import score_lines
from durak_tui.lines.view.words import sentence
from durak_tui.play.session import Session
from durak_tui.play.snapshot import SessionSnapshot
from durak_tui.review.model.review_game import ReviewGame
from durak_tui.review.view import evaluation_words
from durak_tui.table.view import accuracy_line, assisted_words, headline, length_words, shoulder_straps
from durak_tui.text.i18n import gettext, ngettext, percent, percent_sign, pgettext
from durak_tui.text.phrases import Voice, capital, ordinal

# Hints, the result, the review


def hint_lines(advice: Advice, voice: Voice) -> Iterator[str]:
    """List the best actions with their chances, and why the first one is the best."""
    if advice.problem and not advice.lines:
        yield advice.problem
        return
    view = advice_view(advice, voice)
    for number, (row, line) in enumerate(zip(view.rows, advice.lines[:SHOWN], strict=False), 1):
        chance = percent_sign(str(shown_percent(line)))
        if row.outcome:
            chance = row.chance
        elif not line.visits and not line.exact:
            chance = gettext("not tried yet")
        elif is_rough(line):
            chance = gettext("about {chance}", chance=chance)
        ahead = sentence(row.ahead[0]) if row.ahead else ""
        yield f"{number}. {sentence(f'{row.words}, {chance}')} {ahead}".rstrip()
    if advice.is_forced:
        yield sentence(f"{view.rows[0].words}, {view.basis}")
        return
    yield sentence(view.basis)
    if view.why:
        yield sentence(view.why)


def result_lines(session: Session, moment: SessionSnapshot, voice: Voice) -> Iterator[str]:
    observation = moment.observation
    yield headline(observation, voice)
    yield from filter(None, [shoulder_straps(observation, voice)])
    if observation.rules.seats > 2:
        placed = [
            gettext("{place}: {name}", place=ordinal(place), name=voice.placed(seat))
            for place, seat in enumerate(observation.places, 1)
            if seat not in observation.last
        ]
        yield sentence(", ".join(placed))
    yield from score_lines(moment)
    yield sentence(length_words(session.state, session.setup.seed))
    if session.used.hints or session.used.undos:
        yield sentence(assisted_words(session.used))


def mark_words(mark: str) -> str:
    return {
        "??": pgettext("mark", "blunder"),
        "?": pgettext("mark", "mistake"),
        "?!": pgettext("mark", "inaccuracy"),
        "!": pgettext("mark", "hard to find"),
    }[mark]


def review_lines(game: ReviewGame, voice: Voice) -> Iterator[str]:
    """Describe a player's accuracy, the turning point and the marked moves, with better ones."""
    seat = game.viewer
    yield sentence(accuracy_line(game, seat))
    turn = turning_point(game.review, seat)
    if turn is not None:
        yield gettext(
            "The turning point is move {ply}: your chance goes from {before} to {after}.",
            ply=turn.last,
            before=percent(turn.before),
            after=percent(turn.after),
        )
    marked = [one for one in game.review.evaluations.values() if one.seat == seat and one.mark]
    for evaluation in marked:
        yield _marked_line(game, evaluation, voice)
    if not marked:
        yield gettext("No move of yours has a mark.")


def _marked_line(game: ReviewGame, evaluation: MoveEvaluation, voice: Voice) -> str:
    state = game.states[evaluation.ply - 1]
    observation, best = state.observation(evaluation.seat), evaluation.best
    played = action_words(evaluation.action, observation, voice)
    told = [gettext("Move {ply}, bout {bout}: {played}", ply=evaluation.ply, bout=state.bout, played=played)]
    if evaluation.mark == "!":
        told.append(capital(mark_words(evaluation.mark)))
    else:
        points = ngettext("{count} point", "{count} points", round(100 * evaluation.drop))
        told.append(f"{capital(mark_words(evaluation.mark))}, {points}")
        if best is not None:
            told.append(gettext("Better: {action}", action=action_words(best, observation, voice)))
    return " ".join([*map(sentence, told), _reason(evaluation, voice)]).rstrip()


def _reason(evaluation: MoveEvaluation, voice: Voice) -> str:
    if evaluation.reason is None:
        return ""
    return sentence(evaluation_words(evaluation, evaluation.reason, voice))
