"""Texts and curves of the review."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from durak_core import Action, Card
from durak_core.review import MoveEvaluation, is_known, turning_point, worst_moves
from durak_tui.hints.model import interpolated
from durak_tui.hints.view.advice import done, evaluation_words, marked_words, short_action, value_words
from durak_tui.review.model import ReviewGame
from durak_tui.text.i18n import gettext, ngettext, percent
from durak_tui.text.phrases import DOT, LogLine, Voice, capital, card_text, game_words, log_lines
from durak_tui.ui.view.board_data import PromptView

_MARKS: Final = ("??", "?", "?!", "!")


@dataclass(frozen=True, slots=True)
class CandidateRow:
    """A row of the candidate list. The played action has a mark."""

    action: str
    value: str
    mark: str = ""
    is_played: bool = False
    ahead: str = ""


def candidate_rows(game: ReviewGame, voice: Voice, *, figures: bool) -> tuple[CandidateRow, ...]:
    candidates = game.candidates
    mark = "" if game.next_evaluation is None else game.next_evaluation.mark
    rows, least = [], 1.0
    for line in candidates:
        if is_known(line):  # the order is surer than the figures: none exceeds a better action
            least = min(least, line.score)
        shown = replace(line, score=min(line.score, least))
        rows.append(
            CandidateRow(
                short_action(line.action, voice, game.shown.phase),
                value_words(shown, candidates[0], figures=figures) if line.is_tried else "",
                mark if line.action == game.played else "",
                line.action == game.played,
                _ahead(line.continuation, voice),
            )
        )
    return tuple(rows)


def _ahead(actions: Sequence[Action], voice: Voice) -> str:
    """Return the moves that are likely to follow; empty without any."""
    moves = ", ".join(short_action(action, voice) for action in actions)
    return gettext("then {action}", action=moves) if moves else ""


def marked_log(game: ReviewGame, voice: Voice) -> tuple[LogLine, ...]:
    shown = game.shown if game.tried else game.states[-1]
    events = shown.observation(game.viewer).events
    marks = {ply: evaluation.mark for ply, evaluation in game.review.evaluations.items() if evaluation.mark}

    if game.tried:
        marks = {ply: mark for ply, mark in marks.items() if ply <= game.ply}
    return tuple([with_marks(line, marks) for line in log_lines(events, voice)])


def with_marks(line: LogLine, marks: Mapping[int, str]) -> LogLine:
    """Add the marks of a log line's actions to its words."""
    given = [marks[ply] for ply in line.plies if ply in marks] if line.is_action else []
    return replace(line, words=" ".join((line.words, *given)))


def review_prompt(game: ReviewGame, voice: Voice) -> PromptView:
    if game.tried:
        return _tried_prompt(game, voice)
    if game.played is None:
        return _end_prompt(game, voice)
    seat = game.record.moves[game.ply].seat
    action = short_action(game.played, voice, game.shown.phase)
    text = gettext("{name}: {action}", name=voice.who(seat), action=action)
    evaluation = game.next_evaluation
    if evaluation is None:
        return PromptView(gettext("{text} (not analysed yet)", text=text), "wait", _before(game, voice))
    text = f"{text} {evaluation.mark}".rstrip()
    words = evaluation_words(evaluation, game.shown.observation(seat), voice)
    return PromptView(f"{text}. {words}", "turn" if evaluation.mark else "wait", _before(game, voice))


def moment_line(game: ReviewGame, voice: Voice) -> str:
    """Return the shown position as a question about its player's move; empty at the end of the game.

    It has the cards that this player sees, and neither the move nor its value.
    """
    state = game.shown
    if state.turn is None:
        return ""
    seen = state.observation(state.turn)

    def cards(shown: Iterable[Card | None]) -> str:
        return " ".join(card_text(card, ascii=voice.ascii) for card in shown if card is not None)

    pairs = [cards((pair.attack, pair.defence)).replace(" ", "/") for pair in seen.table]
    parts = [
        "Durak",
        game_words(seen.rules),
        "" if seen.trump_card is None else gettext("trump card {card}", card=cards([seen.trump_card])),
        gettext("talon {count}", count=seen.talon_size),
        gettext("table: {cards}", cards=", ".join(pairs)) if pairs else "",
        gettext("hand: {cards}", cards=cards(seen.hand)),
        gettext("what would you play?"),
    ]
    return DOT[voice.ascii].join(filter(None, parts))


def _end_prompt(game: ReviewGame, voice: Voice) -> PromptView:
    state = game.shown
    detail = _before(game, voice)
    if not state.is_over:
        return PromptView(gettext("The record ends here."), "result", detail)
    if not state.fools:
        return PromptView(gettext("The game is drawn: nobody is the fool."), "result", detail)
    if state.rules.teams is not None:
        return PromptView(gettext("{names} have lost.", names=voice.together(state.fools)), "result", detail)
    text = voice.form(state.fools[0], "You are the fool.", "{name} is the fool.")
    return PromptView(text, "result", detail)


def _tried_prompt(game: ReviewGame, voice: Voice) -> PromptView:
    moves = " ".join(short_action(action, voice) for action in game.tried)
    text = gettext("Variation after move {ply}: {moves}", ply=game.ply, moves=moves)
    turn = game.shown.turn
    over = gettext("The game is over here.")
    detail = over if turn is None else voice.form(turn, "Your move.", "{name} to move.")
    return PromptView(text, "turn", detail)


def _before(game: ReviewGame, voice: Voice) -> str:
    if game.ply == 0:
        return gettext("Before the first move")
    move = game.record.moves[game.ply - 1]
    evaluation = game.last_evaluation
    text = gettext("Before: {what}", what=done(move.action, move.seat, voice))
    return text if evaluation is None or not evaluation.mark else f"{text} {evaluation.mark}"


def score_words(game: ReviewGame, *, marks: bool = True) -> list[tuple[int, str]]:
    """Return the accuracy so far and the number of each mark, for every seat with a choice."""
    parts = []
    for seat, name in enumerate(game.names):
        player, accuracy = game.review.player(seat), game.accuracy(seat)
        if accuracy is None:
            continue
        text = f"{name} {percent(accuracy / 100)}"
        given = ", ".join(f"{player.marks[mark]} {mark}" for mark in _MARKS if player.marks[mark])
        parts.append((seat, f"{text} ({given})" if given and marks else text))
    return parts


def hand_lines(game: ReviewGame, voice: Voice) -> list[tuple[int, str]]:
    """Return the hands hidden from the viewer, for boards without room for them."""
    state = game.shown
    seats = [(game.viewer + step) % len(state.hands) for step in range(1, len(state.hands))]

    def place(card: Card) -> tuple[bool, bool, Card]:
        return card.is_joker, card.is_of(state.trump_suit), card

    return [(seat, voice.cards(sorted(state.hands[seat], key=place))) for seat in seats]


def overview(game: ReviewGame, voice: Voice) -> str:
    """Return why the game was lost, or else the numbers of the key moments; empty until they are known."""
    if not game.is_settled(game.viewer):
        return ""
    worst, result = worst_moves(game.review, game.viewer), game.record.result
    plies = sorted(evaluation.ply for evaluation in worst)
    turn = turning_point(game.review, game.viewer)
    parts = []
    if result is not None and game.viewer in result.fools:
        parts.append(_why_lost(game, worst, voice))
    elif plies:
        moves = ", ".join(map(str, plies))
        parts.append(
            voice.form(game.viewer, "Key moments: {moves}", "Key moments for {name}: {moves}", moves=moves)
        )
    if turn is not None and turn.ply + 1 not in plies:
        if turn.own is None:
            parts.append(gettext("luck turned at move {ply}", ply=turn.ply + 1))
        else:
            parts.append(gettext("turning point at move {ply}", ply=turn.ply + 1))
    return capital("; ".join(parts))


def _why_lost(game: ReviewGame, worst: Sequence[MoveEvaluation], voice: Voice) -> str:
    """Return the mistakes that lost the viewer the game, or that luck did."""
    mistakes = [one for one in worst if one.is_grave]
    moves = ", ".join(
        gettext("move {ply} ({action})", ply=one.ply, action=_action(game, one, voice))
        for one in sorted(mistakes or worst, key=lambda one: one.ply)
    )
    if mistakes:
        return voice.form(game.viewer, "Why you lost: {moves}", "Why {name} lost: {moves}", moves=moves)
    if worst:
        return gettext("Lost mostly by luck; small mistakes: {moves}", moves=moves)
    is_unsure = game.review.player(game.viewer).unsure
    return gettext("No clear mistake found") if is_unsure else gettext("Bad luck: no mistake cost much")


def worst_move_words(game: ReviewGame, seat: int, voice: Voice) -> list[tuple[int, str]]:
    """Return a seat's key moments, worst first: the number of moves before each, and a sentence."""
    return [
        (
            evaluation.ply - 1,
            gettext(
                "Move {ply}, {action} {mark}: {why}",
                ply=evaluation.ply,
                action=_action(game, evaluation, voice),
                mark=evaluation.mark,
                why=marked_words(evaluation, voice),
            ),
        )
        for evaluation in worst_moves(game.review, seat)
    ]


def _action(game: ReviewGame, evaluation: MoveEvaluation, voice: Voice) -> str:
    return short_action(evaluation.action, voice, game.states[evaluation.ply - 1].phase)


def turning_words(game: ReviewGame, seat: int, voice: Voice) -> str:
    turn = turning_point(game.review, seat)
    if turn is None:
        return ""
    if turn.own is not None:
        action = _action(game, turn.own, voice)
        return gettext("The turning point was your move {ply}, {action}.", ply=turn.own.ply, action=action)
    if turn.after > turn.before:
        return gettext("Luck turned your way at move {ply}.", ply=turn.ply + 1)
    return gettext("Luck turned away at move {ply}.", ply=turn.ply + 1)


def progress_words(game: ReviewGame) -> str:
    count, done = game.own_choices, game.own_choices - game.open_choices
    return ngettext(
        "{done} of {count} choice analysed", "{done} of {count} choices analysed", count, done=done
    )


def curve_values(game: ReviewGame, team: int) -> list[float | None]:
    """Return a team's win probability after each ply, interpolated; None outside the known values."""
    known: dict[int, float] = {}
    members = game.record.rules.members(team)
    for seat in members:
        known |= game.review.curve(seat)
    if any(game.record.moves[ply - 1].seat in members for ply in game.review.open_plies):
        known.pop(game.last_ply, None)  # a line to the result would suggest knowledge of the moves between
    return interpolated(known, game.last_ply + 1)
