"""Texts of a watched game: the log with marks and reasons, who plays, and how."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from durak_core.messages import Message
from durak_core.review import MoveEvaluation
from durak_tui.hints.model import Posteriors
from durak_tui.hints.view.knowledge import manner_words
from durak_tui.play.setup import GameSetup
from durak_tui.players import shown_names, stars_at, stars_text
from durak_tui.review.view import evaluation_words, with_marks
from durak_tui.text.core_messages import core_words
from durak_tui.text.phrases import LogLine, Voice


def told_log(
    log: Iterable[LogLine],
    evaluations: Mapping[int, MoveEvaluation],
    reasons: Mapping[int, Message | str],
    voice: Voice,
) -> tuple[LogLine, ...]:
    """Add marks to a log, and below each action its player's reasons and the analysis's.

    Evaluations and reasons are by the number of the action, counted from 1.
    """
    marks = {ply: one.mark for ply, one in evaluations.items() if one.mark}
    told: list[LogLine] = []
    for line in log:
        told.append(with_marks(line, marks))
        if line.is_action:
            below = dict.fromkeys((*_given(line, reasons), *_found(line, evaluations, voice)))
            told.extend(LogLine(line.ply, words, first=line.first) for words in below)
    return tuple(told)


def _given(line: LogLine, reasons: Mapping[int, Message | str]) -> Iterator[str]:
    """Yield a player's reasons; several players who pass have none."""
    if line.seat is not None:
        yield from (core_words(reasons[ply]) for ply in line.plies if reasons.get(ply))


def _found(line: LogLine, evaluations: Mapping[int, MoveEvaluation], voice: Voice) -> Iterator[str]:
    for ply in line.plies:
        one = evaluations.get(ply)
        if one is not None and one.mark and one.reason is not None:
            yield f"{one.mark} {evaluation_words(one, one.reason, voice)}"


def reading_words(posteriors: Posteriors, names: Sequence[str]) -> list[str]:
    """Return how each player plays, as far as their moves have shown it."""
    found = [(names[seat], manner_words(posteriors[seat])) for seat in sorted(posteriors)]
    return [f"{name} {words}" for name, words in found if words]


def starred(setup: GameSetup, *, ascii_only: bool) -> tuple[str, ...]:
    """Return the players' names, each with its stars."""
    names = shown_names(setup.names, setup.players)
    return tuple(
        f"{name} {stars_text(stars_at(setup.players, seat), ascii_only=ascii_only)}"
        for seat, name in enumerate(names)
    )
