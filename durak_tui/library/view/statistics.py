"""Texts, table and curves of the statistics."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from durak_core.agents.personas import Opponent, opponent_of
from durak_tui.library.model.rating import LEAST_GAMES, Score, Standing
from durak_tui.library.model.statistics import (
    GameCounts,
    Played,
    PlayerStatistics,
    moving_accuracy,
    moving_share,
)
from durak_tui.players.opponents import called, face_of, name_of, stars_text
from durak_tui.players.roster import HUMAN
from durak_tui.text.i18n import date_text, decimal, gettext, ngettext, percent, percent_sign, pgettext
from durak_tui.text.phrases import capital
from durak_tui.ui.view.board_data import Cell, Column
from durak_tui.ui.view.plot import PlotLine, PlotLook

PLOTS: Final = ("lost", "accuracy")
"""Curves in addition to the player's rating."""

MOST_POINTS: Final = 400
"""Maximum points of a curve."""

_BAR: Final = 24
_STEP: Final = 50
_MARGIN: Final = 20
"""Rating points between a curve and its frame."""

_KINDS: Final = {"better": "good", "worse": "bad"}


_BROAD: Final = 56
"""Columns needed for more than the names, the games and the loss rate."""


def statistics_columns(grouping: str, *, mine: bool = True) -> tuple[Column, ...]:
    """Return the table's columns; with `mine`, including those about the player's rating."""
    own = []
    if mine and grouping == "opponent":
        own = [
            Column("rating", pgettext("column", "Rating"), 7, right=True, least=78),
            Column("score", pgettext("column", "Score"), 9, right=True, least=108),
        ]
    room = sum(column.width + 2 for column in own)
    return (
        Column("name", capital(pgettext("grouping", grouping))),
        *own,
        Column("games", pgettext("column", "Games"), 6, right=True),
        Column("won", pgettext("column", "Won"), 5, right=True, least=_BROAD),
        Column("drawn", pgettext("column", "Drawn"), 5, right=True, least=70),
        Column("lost", pgettext("column", "Lost"), 5, right=True, least=_BROAD),
        Column("share", pgettext("column", "Loss rate"), 10, right=True),
        Column("interval", pgettext("column", "Likely"), 9, right=True, least=75 + room),
        Column("fair", pgettext("column", "Fair"), 5, right=True, least=_BROAD),
        Column("bar", gettext("0 to 100%"), _BAR, least=110 + room),
        Column("moves", pgettext("column", "Moves"), 6, right=True, least=118 + room),
    )


def group_cells(
    name: str, tally: GameCounts, standing: Standing | None = None, *, ascii_only: bool = False
) -> tuple[Cell, ...]:
    """Return a row of the table. Significant rates are coloured; a standing fills the rating's columns."""
    low, high = tally.interval
    kind = _KINDS.get(tally.verdict, "")
    cells = (
        Cell(str(tally.games)),
        Cell(str(tally.wins)),
        Cell(str(tally.draws)),
        Cell(str(tally.losses)),
        Cell(percent(tally.lost_share, 1), kind or "strong"),
        Cell(_range(low, high), "muted"),
        Cell(percent(tally.par), "muted"),
        Cell(_interval_bar(tally, ascii_only=ascii_only), kind),
        Cell(f"{tally.mean_plies:.0f}", "muted"),
    )
    return Cell(group_name(name, ascii_only=ascii_only)), *_own_cells(name, standing), *cells


def _range(low: float, high: float) -> str:
    return percent_sign(f"{100 * low:.0f}-{100 * high:.0f}")


def group_name(name: str, *, ascii_only: bool = False) -> str:
    opponent = opponent_of(name)
    if opponent is None:
        return pgettext("player", "You") if name == HUMAN else called(name)
    face, stars = face_of(opponent, ascii_only=ascii_only), stars_text(opponent.stars, ascii_only=ascii_only)
    return f"{face} {name_of(opponent)} {stars}"


def _own_cells(name: str, standing: Standing | None) -> tuple[Cell, ...]:
    if standing is None:
        return ()
    opponent = opponent_of(name)
    if opponent is None:
        return Cell("-", "muted"), Cell("-", "muted")
    score = standing.scores.get(opponent.key, Score())
    return Cell(str(opponent.rating), "muted"), Cell(f"{score.won} : {score.lost}")


def _interval_bar(tally: GameCounts, *, ascii_only: bool) -> str:
    def cell(share: float) -> int:
        return min(_BAR - 1, int(share * _BAR))

    inside, point, fair = ("-", "o", "|") if ascii_only else ("─", "●", "┊")
    low, high = tally.interval
    signs = [inside if cell(low) <= at <= cell(high) else " " for at in range(_BAR)]
    signs[cell(tally.par)] = fair
    signs[cell(tally.lost_share)] = point
    return "".join(signs)


def summary(figures: PlayerStatistics, standing: Standing | None = None) -> list[str]:
    """Return a player's summary. Pass the standing only for the person."""
    total = figures.total
    lines = [] if standing is None else [_rating(standing)]
    if not total.games:
        no_game = gettext("No games yet.")
        lines.append(no_game if standing is None else gettext("No games finished without help yet."))
    else:
        lines += [
            _lost_share(total, is_told_when=standing is not None and standing.games > 0),
            gettext(
                "Won {wins}, drawn {draws}. An average game has {bouts} bouts and {plies:.0f} moves.",
                wins=total.wins,
                draws=total.draws,
                bouts=decimal(total.mean_bouts, 1),
                plies=total.mean_plies,
            ),
            _streaks(figures),
        ]
    lines.append(" ".join(filter(None, (_accuracy(total), _assisted(figures.assisted)))))
    return lines


def _rating(standing: Standing) -> str:
    if not standing.games:
        return gettext("A game without help against one of the six opponents gives you a rating.")
    rating = standing.rating
    missing = LEAST_GAMES - standing.games
    if missing > 0:
        known = ngettext(
            "Rating {rating}, provisional for another game.",
            "Rating {rating}, provisional for {count} more games.",
            missing,
            rating=rating,
        )
    else:
        known = ngettext(
            "Rating {rating} after {count} game.",
            "Rating {rating} after {count} games.",
            standing.games,
            rating=rating,
        )
    return f"{known} {gettext('Next for you: {opponent}.', opponent=_with_rating(standing.suggested))}"


def _with_rating(opponent: Opponent) -> str:
    return gettext("{name}, {rating}", name=name_of(opponent), rating=opponent.rating)


def _lost_share(total: GameCounts, *, is_told_when: bool) -> str:
    """Return the loss rate. With few games, add how many are missing unless the rating shows it."""
    if total.games < LEAST_GAMES:
        lost = ngettext(
            "The fool in {losses} of {count} game.",
            "The fool in {losses} of {count} games.",
            total.games,
            losses=total.losses,
        )
        if is_told_when:
            return lost
        return f"{lost} " + ngettext(
            "One more game to see how you compare.",
            "{count} more games for a reliable figure.",
            LEAST_GAMES - total.games,
        )
    low, high = total.interval
    return ngettext(
        "The fool in {losses} of {count} game: {share} ({range}), {verdict}.",
        "The fool in {losses} of {count} games: {share} ({range}), {verdict}.",
        total.games,
        losses=total.losses,
        share=percent(total.lost_share, 1),
        range=_range(low, high),
        verdict=_against_fair(total),
    )


def _against_fair(total: GameCounts) -> str:
    fair = percent(total.par)
    match total.verdict:
        case "better":
            return gettext("better than par ({fair})", fair=fair)
        case "worse":
            return gettext("worse than par ({fair})", fair=fair)
        case _:
            return gettext("about par ({fair})", fair=fair)


def _streaks(figures: PlayerStatistics) -> str:
    now, most = figures.unbeaten
    fool_now, fool_most = figures.beaten
    if fool_now:
        current = ngettext("The fool in the last game", "The fool in the last {count} games", fool_now)
    else:
        current = ngettext("Unbeaten in the last game", "Unbeaten in the last {count} games", now)
    return gettext(
        "{current}. Longest streaks: {most} unbeaten, {fool} the fool.",
        current=current,
        most=most,
        fool=fool_most,
    )


def _accuracy(total: GameCounts) -> str:
    if total.accuracy is None:
        return ""
    return ngettext(
        "Accuracy {accuracy} in a reviewed game.",
        "Accuracy {accuracy} in {count} reviewed games.",
        len(total.accuracies),
        accuracy=percent(total.accuracy / 100, 1),
    )


def _assisted(assisted: GameCounts) -> str:
    if not assisted.games:
        return ""
    return ngettext(
        "Not counted: {count} game with help, {losses} lost.",
        "Not counted: {count} games with help, {losses} lost.",
        assisted.games,
        losses=assisted.losses,
    )


@dataclass(frozen=True, slots=True)
class Curve:
    """A curve between two dates, or only a title if there is no data yet."""

    title: str
    series: tuple[PlotLine, ...] = ()
    look: PlotLook = field(default_factory=PlotLook)
    first: str = ""
    last: str = ""


def rating_curve(standing: Standing, style: str = "") -> Curve:
    ratings = standing.history
    if len(ratings) < 2:
        return Curve(gettext("The rating graph starts with your second game."))
    opponent = standing.suggested
    title = ngettext(
        "Rating after each of {count} games; dotted: {opponent}",
        "Rating after each of {count} games; dotted: {opponent}",
        len(ratings),
        opponent=_with_rating(opponent),
    )
    heights = (*ratings, opponent.rating)
    low = (min(heights) - _MARGIN) // _STEP * _STEP
    high = -((-max(heights) - _MARGIN) // _STEP) * _STEP
    look = PlotLook(low=low, high=high, guide=opponent.rating, unit="")
    return Curve(
        title, (PlotLine(ratings, style),), look, date_text(standing.since), date_text(standing.until)
    )


def curve(games: Sequence[Played], what: str, style: str = "") -> Curve:
    """Return the moving average of one of `PLOTS` over games, oldest first."""
    if what == "accuracy":
        games = [game for game in games if game.accuracy is not None]
    if len(games) < LEAST_GAMES:
        missing = LEAST_GAMES - len(games)
        if what == "accuracy":
            title = ngettext(
                "Accuracy over time needs another reviewed game.",
                "Accuracy over time needs {count} more reviewed games.",
                missing,
            )
        else:
            title = ngettext(
                "The loss rate over time needs another game.",
                "The loss rate over time needs {count} more games.",
                missing,
            )
        return Curve(title)
    # A fifth of few games, a thirtieth of many: wide enough to smooth out noise.
    window = max(5, min(len(games) // 5, 50 + len(games) // 30))
    values = moving_accuracy(games, window) if what == "accuracy" else moving_share(games, window)
    known = values[window - 1 :]
    every = max(1, len(known) // MOST_POINTS)
    points = known[(len(known) - 1) % every :: every]
    heights = [point for point in points if point is not None]
    if what == "accuracy":
        title = gettext("Accuracy, mean of {window} reviewed games", window=window)
        look = PlotLook(low=math.floor(min(heights, default=0.0) * 10) / 10)
    else:
        title = gettext("Loss rate over the last {window} games; dotted: par", window=window)
        fair = GameCounts(games).par
        look = PlotLook(high=math.ceil(max(*heights, fair, 0.5) * 10) / 10, guide=fair)
    return Curve(
        title, (PlotLine(points, style),), look, date_text(games[window - 1].date), date_text(games[-1].date)
    )
