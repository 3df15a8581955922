"""Texts, tables and curves of the library and the statistics, as pure data."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from durak_core.agents.personas import Opponent, opponent_of
from durak_tui.library.model.entries import Entry, SeatEntry, rules_of, team_count
from durak_tui.library.model.statistics import (
    LEAST_GAMES,
    GameCounts,
    Played,
    PlayerStatistics,
    Score,
    Standing,
    moving_accuracy,
    moving_share,
)
from durak_tui.library.model.store import OUTCOMES, RESULTS, Query, stored_words
from durak_tui.players import HUMAN, PEOPLE, called, face_of, name_of, shown_names, stars_text
from durak_tui.text.house_rules import house_rules_text
from durak_tui.text.i18n import (
    date_text,
    decimal,
    gettext,
    mark,
    ngettext,
    percent,
    percent_sign,
    pgettext,
    translate,
)
from durak_tui.text.phrases import capital, players_words, preset_text
from durak_tui.ui.view.board_data import Cell, Column, PlotLine, PlotLook

if TYPE_CHECKING:
    from durak_tui.play.saves import Unfinished


SPARKS: Final = 12
"""Number of ratings in a sparkline."""

_BARS: Final = "▁▂▃▄▅▆▇█"
_PLAIN_BARS: Final = "_.-=*#"
_LEAST_SPREAD: Final = 60
"""Minimum range of a sparkline in rating points, so that small changes look small."""


def rating_text(standing: Standing) -> str:
    """Return the rating, with a question mark while provisional; empty before the first game."""
    if not standing.games:
        return ""
    return f"{standing.rating}?" if standing.is_provisional else str(standing.rating)


def rating_line(standing: Standing, *, ascii_only: bool = False) -> str:
    if not standing.games:
        return ""
    line = gettext("Your rating {rating}", rating=rating_text(standing))
    drawn = sparkline(standing.history[-SPARKS:], ascii_only=ascii_only)
    return f"{line} {drawn}" if drawn else line


def score_text(score: Score | None) -> str:
    return "" if score is None else gettext("you {won} : {lost}", won=score.won, lost=score.lost)


def sparkline(values: Sequence[int], *, ascii_only: bool = False) -> str:
    """Draw values as characters of different heights; empty for fewer than two values."""
    if len(values) < 2:
        return ""
    signs = _PLAIN_BARS if ascii_only else _BARS
    spread = max(max(values) - min(values), _LEAST_SPREAD)
    lowest = (max(values) + min(values) - spread) / 2
    return "".join(signs[min(len(signs) - 1, int((one - lowest) / spread * len(signs)))] for one in values)


_BROAD: Final = 56
"""Columns from which the list names the rules; on a phone the players need that room."""


def library_columns() -> tuple[Column, ...]:
    """Return the list's columns. Narrow ones are dropped first if space is short."""
    bouts, moves, used = pgettext("column", "Bouts"), pgettext("column", "Moves"), pgettext("column", "Help")
    return (
        Column("date", pgettext("column", "Date"), 10),
        Column("time", pgettext("column", "Time"), 5, least=92),
        Column("rules", pgettext("column", "Rules"), 15, least=_BROAD),
        Column("players", pgettext("column", "Players")),
        Column("result", pgettext("column", "Result"), 12),
        Column("bouts", bouts, len(bouts) + _ARROW, right=True, least=100),
        Column("moves", moves, len(moves) + _ARROW, right=True, least=72),
        Column("help", used, len(used) + _ARROW, right=True, least=68),
    )


_ARROW: Final = 2
"""Cells for the arrow of the sorted column."""

FILTERS: Final = {
    "preset": mark("Rules"),
    "opponent": mark("Player"),
    "result": mark("Result"),
    "seats": mark("Table"),
    "with_me": mark("Me"),
}
"""Filterable fields of `Query`, with their English names."""

_WITH_ME: Final = {"yes": mark("with me"), "no": mark("without me")}
_KINDS: Final = {"won": "good", "lost": "bad"}


def game_cells(row: Entry) -> tuple[Cell, ...]:
    return (
        Cell(date_text(row.date) or "-"),
        Cell(row.date[11:16], "muted"),
        Cell(_rules(row.preset, row.rules, len(row.seats))),
        Cell(", ".join(_who(row.seats))),
        Cell(_outcome_words(row), _KINDS.get(row.outcome, "")),
        Cell(str(row.bouts)),
        Cell(str(row.plies)),
        Cell(help_text(row.hints, row.undos), "muted"),
    )


def waiting_cells(game: Unfinished) -> tuple[Cell, ...]:
    state = game.states[-1]
    rules = game.setup.rules
    return (
        Cell(date_text(game.date) or "-"),
        Cell(game.date[11:16], "muted"),
        Cell(_rules(rules.base, rules.text, rules.seats)),
        Cell(", ".join(_who(_waiting(game)))),
        Cell(pgettext("result", "continue"), "strong"),
        Cell(str(state.bout)),
        Cell(str(state.plies)),
        Cell(help_text(game.used.hints, game.used.undos), "muted"),
    )


def help_text(hints: int, undos: int) -> str:
    """Return the help used in a few cells: 2h for hints, 1u for undos."""
    parts = (
        gettext("{count}h", count=hints) if hints else "",
        gettext("{count}u", count=undos) if undos else "",
    )
    return " ".join(filter(None, parts))


def _outcome_words(row: Entry) -> str:
    if row.outcome in OUTCOMES:
        return translate(OUTCOMES[row.outcome])
    chairs = zip(_who(row.seats), row.seats, strict=True)
    losers = [name for name, seat in chairs if seat.lost]
    names = ", ".join(losers)
    return gettext("fool {names}", names=names) if len(losers) == 1 else gettext("lost: {names}", names=names)


def _who(sitting: Sequence[SeatEntry]) -> list[str]:
    """Return the players' names. Bots are named by agent, or by recorded name if two agents are equal."""
    names = _names(sitting)
    players = [
        name if seat.player in PEOPLE else called(seat.player)
        for name, seat in zip(names, sitting, strict=True)
    ]
    return [
        name if players.count(player) > 1 else player for name, player in zip(names, players, strict=True)
    ]


def _names(sitting: Sequence[SeatEntry]) -> tuple[str, ...]:
    return shown_names([seat.name for seat in sitting], [seat.player for seat in sitting])


def _everybody(sitting: Sequence[SeatEntry], *, ascii_only: bool) -> str:
    told: list[str] = []
    for name, seat in zip(_names(sitting), sitting, strict=True):
        opponent = opponent_of(seat.player)
        called_so = name if seat.player in PEOPLE else called(seat.player)
        stars = "" if opponent is None else " " + stars_text(opponent.stars, ascii_only=ascii_only)
        told.append(f"{name}{stars}" if name == called_so else f"{name} ({called_so}{stars})")
    return ", ".join(told)


def game_details(row: Entry, *, ascii_only: bool = False) -> str:
    alone = team_count(row.rules, len(row.seats)) == len(row.seats)
    ended = {
        "won": gettext("You won") if alone else gettext("Your team won"),
        "lost": gettext("You were the fool") if alone else gettext("Your team lost"),
        "draw": gettext("A draw"),
        "open": gettext("Broken off"),
    }
    how = ended.get(row.outcome) or capital(_outcome_words(row))
    moves = ngettext("{count} move", "{count} moves", row.plies)
    bouts = ngettext("{count} bout", "{count} bouts", row.bouts)
    parts = [
        gettext("{how}: {bouts}, {moves}", how=how, bouts=bouts, moves=moves),
        pgettext("source", row.source),
        ngettext("{count} hint", "{count} hints", row.hints) if row.hints else "",
        ngettext("{count} move taken back", "{count} moves taken back", row.undos) if row.undos else "",
    ]
    about = "; ".join(filter(None, parts))
    return gettext(
        "{names}\n{about}. Rules: {rules}",
        names=_everybody(row.seats, ascii_only=ascii_only),
        about=about,
        rules=_rules_words(row.rules),
    )


def waiting_details(game: Unfinished, *, ascii_only: bool = False) -> str:
    state = game.states[-1]
    return gettext(
        "{names}\nIt waits in bout {bout} after {moves}; Enter goes on. Rules: {rules}",
        names=_everybody(_waiting(game), ascii_only=ascii_only),
        bout=state.bout,
        moves=ngettext("{count} move", "{count} moves", state.plies),
        rules=_rules_words(game.setup.rules.text),
    )


def _rules_words(text: str) -> str:
    rules = rules_of(text)
    if rules is None:
        return text
    partners = "" if rules.teams is None else players_words(rules.seats, rules.team_count)
    return ", ".join(filter(None, (preset_text(rules.base), partners, house_rules_text(rules))))


def matches(game: Unfinished, query: Query) -> bool:
    setup = game.setup
    seats, going_on = setup.rules.seats, pgettext("result", "continue")
    facts = (
        game.date,
        setup.rules.text,
        *_who(_waiting(game)),
        *_names(_waiting(game)),
        f"{seats} seats",
        "open continue unfinished",
        going_on,
    )
    words = "\n".join(facts).casefold()
    return (
        all(any(text in words for text in stored_words(word)) for word in query.words)
        and query.preset in {"", setup.rules.base}
        and (not query.opponent or not set(setup.players).isdisjoint(query.opponent))
        and query.result in {"", "open"}
        and query.seats in {None, setup.rules.seats}
        and query.with_me in {None, setup.human is not None}
    )


# Filters


def texts_by_name(players: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return bots' names in order, each with all specs that have this name."""
    names: defaultdict[str, list[str]] = defaultdict(list)
    for player in players:
        names[called(player)].append(player)
    return {name: tuple(texts) for name, texts in names.items()}


def filter_value(query: Query, name: str) -> str:
    value = getattr(query, name)
    if value in {"", None, ()}:
        return ""
    if name == "opponent":
        return called(value[0])
    if name == "result":
        return translate(RESULTS[value])
    if name == "with_me":
        return translate(_WITH_ME["yes" if value else "no"])
    return preset_text(value) if name == "preset" else str(value)


def filter_choices(name: str, opponents: Sequence[str], presets: Sequence[str]) -> list[tuple[str, str]]:
    """Return a filter's values and their names, beginning with the empty value."""
    choices = {
        "preset": [(preset, preset_text(preset)) for preset in presets],
        "opponent": [("\n".join(texts), who) for who, texts in texts_by_name(opponents).items()],
        "result": [(word, translate(label)) for word, label in RESULTS.items()],
        "seats": [
            (str(seats), ngettext("{count} player", "{count} players", seats)) for seats in range(2, 7)
        ],
        "with_me": [(word, translate(label)) for word, label in _WITH_ME.items()],
    }
    return [("", pgettext("filter", "any")), *choices[name]]


def filtered(name: str, value: str) -> dict[str, str | int | bool | tuple[str, ...] | None]:
    if name == "seats":
        return {name: int(value) if value else None}
    if name == "with_me":
        return {name: value == "yes" if value else None}
    if name == "opponent":
        return {name: tuple(value.split("\n")) if value else ()}
    return {name: value}


def _rules(preset: str, text: str, seats: int) -> str:
    """Return short rules, such as ``Podkidnoy 3``, or ``Podkidnoy 2:2`` with partners.

    A star marks rules that differ from the preset in other options.
    """
    rules = rules_of(text)
    changed = rules is None or not {"seats", "teams"} >= rules.differences.keys()
    teams = team_count(text, seats)
    at_table = str(seats) if teams == seats else ":".join([str(seats // teams)] * teams)
    return f"{preset_text(preset)}{'*' if changed else ''} {at_table}"


def _waiting(game: Unfinished) -> list[SeatEntry]:
    chairs = zip(game.setup.players, game.setup.names, strict=True)
    return [SeatEntry(player, name, lost=False) for player, name in chairs]


PLOTS: Final = ("lost", "accuracy")
"""Curves in addition to the player's rating."""

MOST_POINTS: Final = 400
"""Maximum points of a curve."""

_BAR: Final = 24
_STEP: Final = 50
_MARGIN: Final = 20
"""Rating points between a curve and its frame."""

_VERDICT_KINDS: Final = {"better": "good", "worse": "bad"}


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
        Column("interval", pgettext("column", "Long run"), 9, right=True, least=75 + room),
        Column("fair", pgettext("column", "Par"), 5, right=True, least=_BROAD),
        Column("bar", gettext("0 to 100%"), _BAR, least=110 + room),
        Column("moves", pgettext("column", "Moves"), 6, right=True, least=118 + room),
    )


def group_cells(
    name: str, tally: GameCounts, standing: Standing | None = None, *, ascii_only: bool = False
) -> tuple[Cell, ...]:
    """Return a row of the table. Significant rates are coloured; a standing fills the rating's columns."""
    low, high = tally.interval
    kind = _VERDICT_KINDS.get(tally.verdict, "")
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
    fair = percent(total.par)
    verdicts = {
        "better": gettext("better than par ({fair} among equals)", fair=fair),
        "worse": gettext("worse than par ({fair} among equals)", fair=fair),
        "": gettext("about par ({fair} among equals)", fair=fair),
    }
    return ngettext(
        "The fool in {losses} of {count} game: {share} ({range} in the long run), {verdict}.",
        "The fool in {losses} of {count} games: {share} ({range} in the long run), {verdict}.",
        total.games,
        losses=total.losses,
        share=percent(total.lost_share, 1),
        range=_range(low, high),
        verdict=verdicts[total.verdict],
    )


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
