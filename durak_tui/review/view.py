"""Texts and curves of the review."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from durak_core import Card, SearchedAction
from durak_core.messages import Message
from durak_core.review import MoveEvaluation, Unevaluated, turning_point, worst_moves
from durak_tui.hints.model import interpolated
from durak_tui.hints.view.advice import doing, done, reason_words, short_action
from durak_tui.review.model import ReviewGame
from durak_tui.text.i18n import decimal, gettext, ngettext, percent, pgettext
from durak_tui.text.phrases import DOT, LogLine, Voice, capital, card_text, game_words, log_lines
from durak_tui.ui.view.board_data import PromptView, Tone

_MARKS: Final = ("??", "?", "?!", "!")
_WIDEST: Final = 0.25
"""Maximum margin of error for a meaningful value, as a fraction."""


@dataclass(frozen=True, slots=True)
class CandidateRow:
    """A row of the candidate list. The played action has a mark."""

    action: str
    value: str
    mark: str = ""
    is_played: bool = False
    ahead: str = ""


def _value_words(line: SearchedAction, voice: Voice) -> str:
    if line.exact:
        proved = {
            1.0: pgettext("proved", "won"),
            0.5: pgettext("proved", "draw"),
            0.0: pgettext("proved", "lost"),
        }
        return proved.get(line.score, percent(line.score, 1))
    if line.margin > _WIDEST:
        return gettext("unsure")
    return f"{percent(line.score, 1)} {'+-' if voice.ascii else '±'}{decimal(100 * line.margin, 1)}"


def candidate_rows(game: ReviewGame, voice: Voice) -> tuple[CandidateRow, ...]:
    mark = "" if game.next_evaluation is None else game.next_evaluation.mark
    return tuple(
        CandidateRow(
            short_action(line.action, voice),
            _value_words(line, voice) if line.is_tried else "",
            mark if line.action == game.played else "",
            line.action == game.played,
            " ".join(short_action(action, voice) for action in line.continuation),
        )
        for line in game.candidates
    )


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
    text = gettext("{name}: {action}", name=voice.who(seat), action=short_action(game.played, voice))
    evaluation = game.next_evaluation
    if evaluation is None:
        return PromptView(gettext("{text} (not analysed yet)", text=text), "wait", _before(game, voice))
    text = f"{text} {evaluation.mark}".rstrip()
    tone: Tone = "turn" if evaluation.mark else "wait"
    return PromptView(f"{text} ({_verdict(evaluation, voice)})", tone, _before(game, voice))


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
    detail = _fortune(game, voice)
    if not state.is_over:
        return PromptView(gettext("The record ends here."), "result", detail)
    if not state.fools:
        return PromptView(gettext("The game is drawn: nobody is the fool."), "result", detail)
    if state.rules.teams is not None:
        return PromptView(gettext("{names} have lost.", names=voice.together(state.fools)), "result", detail)
    text = voice.form(state.fools[0], "You are the fool.", "{name} is the fool.")
    return PromptView(text, "result", detail)


def _fortune(game: ReviewGame, voice: Voice) -> str:
    """Return the win probability lost by the viewer's mistakes and gained from luck and opponents."""
    player = game.review.player(game.viewer)
    if not game.review.is_complete or player.accuracy is None:
        return _before(game, voice)
    return gettext(
        "{name}: {given:.0f} points lost to mistakes, {fortune:+.0f} from luck and opponents",
        name=voice.who(game.viewer),
        given=100 * player.given,
        fortune=100 * player.fortune,
    )


def _tried_prompt(game: ReviewGame, voice: Voice) -> PromptView:
    moves = " ".join(short_action(action, voice) for action in game.tried)
    text = gettext("Variation after move {ply}: {moves}", ply=game.ply, moves=moves)
    turn = game.shown.turn
    over = gettext("The game is over here.")
    detail = over if turn is None else voice.form(turn, "Your move.", "{name} to move.")
    return PromptView(text, "turn", detail)


def _verdict(evaluation: MoveEvaluation, voice: Voice) -> str:
    played, best = evaluation.played, evaluation.best
    if evaluation.unevaluated is Unevaluated.NO_CHOICE or best is None:
        return gettext("there was no choice")
    value = _value_words(best, voice)
    if evaluation.unevaluated is Unevaluated.NO_DIFFERENCE:
        return gettext("{value}, whatever is played", value=value)
    if evaluation.unevaluated is not None or played is None:
        return gettext("not sure yet; perhaps better {best}", best=short_action(best.action, voice))
    if evaluation.action == best.action:
        return gettext("{value}, the best", value=value)
    if played.score >= best.score:
        return gettext("{value}, as good as the best", value=_value_words(played, voice))
    better = gettext("{best} {value}", best=short_action(best.action, voice), value=value)
    return gettext("{value}; best {better}", value=_value_words(played, voice), better=better)


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
    trump = state.trump_suit
    return [
        (seat, voice.cards(sorted(state.hands[seat], key=lambda card: (card.suit == trump, card))))
        for seat in seats
    ]


def why_line(game: ReviewGame, voice: Voice) -> str:
    """Return why the next move has its mark, or else the overview."""
    evaluation = game.next_evaluation
    if evaluation is None or evaluation.reason is None:
        return _overview(game, voice)
    return evaluation_words(evaluation, evaluation.reason, voice)


def evaluation_words(evaluation: MoveEvaluation, reason: Message, voice: Voice) -> str:
    """Return why a move has its mark, given the evaluation's reason."""
    why = reason_words(reason, voice)
    if evaluation.instead is None:
        return capital(why)
    return gettext("Well found: {instead} {why}", instead=doing(evaluation.instead, voice), why=why)


def _overview(game: ReviewGame, voice: Voice) -> str:
    if not game.review.is_complete:
        return ""
    plies = sorted(evaluation.ply for evaluation in worst_moves(game.review, game.viewer))
    turn = turning_point(game.review, game.viewer)
    parts = []
    if plies:
        moves = ", ".join(map(str, plies))
        parts.append(
            voice.form(
                game.viewer,
                "Key moments: {moves}",
                "Key moments for {name}: {moves}",
                moves=moves,
            )
        )
    if turn is not None:
        parts.append(gettext("turning point at move {ply}", ply=turn.last))
    return capital("; ".join(parts))


def worst_move_words(game: ReviewGame, seat: int, voice: Voice) -> list[tuple[int, str]]:
    """Return a seat's key moments, worst first: the number of moves before each, and a sentence.

    The better move is not given away.
    """
    said = []
    for evaluation in worst_moves(game.review, seat):
        words = gettext(
            "Move {ply}, {action} {mark}, {points:.0f} points",
            ply=evaluation.ply,
            action=short_action(evaluation.action, voice),
            mark=evaluation.mark,
            points=-100 * evaluation.drop,
        )
        said.append((evaluation.ply - 1, words))
    return said


def turning_words(game: ReviewGame, seat: int, voice: Voice) -> str:
    turn = turning_point(game.review, seat)
    if turn is None:
        return ""
    fields = {"ply": turn.last, "before": percent(turn.before), "after": percent(turn.after)}
    if turn.own is not None:
        fields["action"] = short_action(turn.own.action, voice)
        words = gettext("Turning point, move {ply}, {action}: {before} → {after}", **fields)
    elif turn.after > turn.before:
        words = gettext("Luck turned your way at move {ply}: {before} → {after}", **fields)
    else:
        words = gettext("Luck turned away at move {ply}: {before} → {after}", **fields)
    return words.replace("→", "->") if voice.ascii else words


def progress_words(game: ReviewGame) -> str:
    count = game.free_moves
    return ngettext(
        "{done} of {count} choice analysed",
        "{done} of {count} choices analysed",
        count,
        done=game.evaluated_moves,
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
