"""Rows and filters of the game list."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from durak_core.agents.personas import opponent_of
from durak_tui.library.model.entries import SeatEntry, rules_of, team_count
from durak_tui.library.model.query import OUTCOMES, RESULTS, Query, stored_words
from durak_tui.library.model.store import GameRow
from durak_tui.players.names import shown_names
from durak_tui.players.opponents import called, stars_text
from durak_tui.players.roster import PEOPLE
from durak_tui.text.house_rules import house_rules_text
from durak_tui.text.i18n import date_text, gettext, mark, ngettext, pgettext, translate
from durak_tui.text.phrases import capital, players_words, preset_text
from durak_tui.ui.view.board_data import Cell, Column

if TYPE_CHECKING:
    from durak_tui.play.saves import Unfinished


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


def game_cells(row: GameRow) -> tuple[Cell, ...]:
    return (
        Cell(date_text(row.date) or "-"),
        Cell(row.date[11:16], "muted"),
        Cell(_rules(row.preset, row.rules, row.seats)),
        Cell(", ".join(_who(row.sitting))),
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


def _outcome_words(row: GameRow) -> str:
    if row.outcome in OUTCOMES:
        return translate(OUTCOMES[row.outcome])
    chairs = zip(_who(row.sitting), row.sitting, strict=True)
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


def game_details(row: GameRow, *, ascii_only: bool = False) -> str:
    alone = team_count(row.rules, row.seats) == row.seats
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
        names=_everybody(row.sitting, ascii_only=ascii_only),
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
