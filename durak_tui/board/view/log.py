"""The move log at a table: passes in a row are one line, and so are the cards that a player lays in a row."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import replace
from itertools import pairwise
from typing import TypeAlias

from durak_core import Attacked, BeatenOff, BoutBegan, Event, Passed, TableTaken, TookUp
from durak_tui.text.i18n import gettext, pgettext
from durak_tui.text.phrases import LogLine, Voice, attack_words, log_lines

_Told: TypeAlias = tuple[Event, LogLine]


def short_log(
    events: Iterable[Event], voice: Voice, hidden: Container[int] = (), *, since: int = 0
) -> tuple[LogLine, ...]:
    """Return the log of a game's events, which start at its beginning, leaving out the first ones.

    Passes with hidden numbers are left out.
    """
    events = tuple(events)
    runs: list[list[_Told]] = []
    is_taken = False
    for number, (event, line) in enumerate(zip(events, log_lines(events, voice), strict=True)):
        if (isinstance(event, Passed) and line.ply in hidden) or number < since:
            is_taken = isinstance(event, TookUp) or (is_taken and not isinstance(event, BoutBegan))
            continue
        if runs and _goes_on(runs[-1][-1][0], event, is_taken=is_taken):
            runs[-1].append((event, line))
        else:
            runs.append([(event, line)])
        is_taken = isinstance(event, TookUp) or (is_taken and not isinstance(event, BoutBegan))
    followed = pairwise([*runs, []])
    return tuple([_one_line(run, then[0][0] if then else None, voice) for run, then in followed])


def _goes_on(before: Event, event: Event, *, is_taken: bool) -> bool:
    match before, event:
        case Passed(), Passed():
            return True
        case Attacked(seat=seat), Attacked(seat=other):
            return seat == other
        case Attacked(seat=seat), Passed(seat=other):
            return seat == other and not is_taken  # the end of a volley
    return False


def _one_line(run: list[_Told], then: Event | None, voice: Voice) -> LogLine:
    first, last = run[0][1], run[-1][1]
    if len(run) == 1:
        return last
    if isinstance(run[0][0], Attacked):
        laid = [event.card for event, _line in run if isinstance(event, Attacked)]
        return replace(
            last, words=attack_words(run[0][0].seat, laid, voice, opening=first.opens), first=first.ply
        )
    names = ", ".join([voice.who(line.seat) for _event, line in run if line.seat is not None])
    words = {
        BeatenOff: pgettext("all beaten", "All pass"),
        TableTaken: gettext("All pass"),
    }.get(type(then), gettext("Pass: {names}", names=names))
    return replace(last, words=words, first=first.ply, seat=None)
