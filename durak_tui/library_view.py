"""What the library's list shows of a game, and how its filters read; pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from durak_tui.game_setup import HUMAN
from durak_tui.library import GameRow, Query
from durak_tui.widgets.sheet import Cell, Column

if TYPE_CHECKING:
    from durak_tui.saves import Unfinished

__all__ = [
    "FILTERS",
    "LIBRARY_COLUMNS",
    "filter_choices",
    "filter_value",
    "filtered",
    "game_cells",
    "game_details",
    "matches",
    "waiting_cells",
    "waiting_details",
]

LIBRARY_COLUMNS: Final = (
    Column("date", "Date", 10),
    Column("time", "Time", 5, least=92),
    Column("rules", "Rules", 13),
    Column("players", "Players"),
    Column("result", "Result", 12),
    Column("bouts", "Bouts", 7, right=True, least=100),
    Column("moves", "Moves", 7, right=True, least=72),
    Column("help", "Help", 6, right=True, least=68),
)
"""The columns of the list; those of few cells go first where there is no room."""

FILTERS: Final = {
    "preset": "Rules",
    "opponent": "Player",
    "result": "Result",
    "seats": "Seats",
    "with_me": "Me",
}
"""Fields of `Query` that a person chooses, with what they read."""

_RESULTS: Final = {
    "won": "I won",
    "lost": "I lost",
    "draw": "draw",
    "open": "unfinished",
    "ended": "others had a fool",
}
_WITH_ME: Final = {"yes": "with me", "no": "without me"}
_KINDS: Final = {"won": "good", "lost": "bad"}
_OUTCOMES: Final = {"open": "broken off"}


def game_cells(row: GameRow) -> tuple[Cell, ...]:
    """Return a game's line."""
    return (
        Cell(row.date[:10] or "-"),
        Cell(row.date[11:16], "muted"),
        Cell(_rules(row.preset, row.rules, row.seats)),
        Cell(row.players),
        Cell(_OUTCOMES.get(row.outcome, row.outcome), _KINDS.get(row.outcome, "")),
        Cell(str(row.bouts)),
        Cell(str(row.plies)),
        Cell(help_text(row.hints, row.undos), "muted"),
    )


def waiting_cells(game: Unfinished) -> tuple[Cell, ...]:
    """Return the line of a game that can be continued."""
    state = game.states[-1]
    rules = game.setup.rules
    return (
        Cell(game.date[:10] or "-"),
        Cell(game.date[11:16], "muted"),
        Cell(_rules(rules.base, rules.text, rules.seats)),
        Cell(_players(game)),
        Cell("continue", "strong"),
        Cell(str(state.bout)),
        Cell(str(state.plies)),
        Cell(help_text(game.used.hints, game.used.undos), "muted"),
    )


def help_text(hints: int, undos: int) -> str:
    """Say in a few cells what a person was helped with: 2h for hints, 1u for takebacks."""
    return " ".join(f"{count}{letter}" for count, letter in ((hints, "h"), (undos, "u")) if count)


def game_details(row: GameRow) -> str:
    """Say the rest about a game, in two lines."""
    ended = {"won": "You won", "lost": "You were the fool", "draw": "A draw", "open": "Broken off"}
    how = ended.get(row.outcome, row.outcome[:1].upper() + row.outcome[1:])
    parts = [f"{how} after {row.bouts} bouts and {row.plies} moves", row.source]
    parts += [_counted(row.hints, "hint")] * bool(row.hints)
    parts += [f"{_counted(row.undos, 'move')} taken back"] * bool(row.undos)
    return f"{row.names}\n{'; '.join(parts)}. Rules: {row.rules}"


def waiting_details(game: Unfinished) -> str:
    """Say the rest about a game that can be continued, in two lines."""
    state = game.states[-1]
    return (
        f"{_names(game)}\nIt waits in bout {state.bout} after {_counted(state.plies, 'move')}; Enter goes "
        f"on. Rules: {game.setup.rules.text}"
    )


def matches(game: Unfinished, query: Query) -> bool:
    """Tell whether a game that can be continued is among those asked for."""
    setup = game.setup
    words = f"{game.date}\n{setup.rules.text}\n{_names(game)}\nopen continue unfinished".casefold()
    return (
        all(word in words for word in query.words)
        and query.preset in {"", setup.rules.base}
        and (not query.opponent or query.opponent in setup.players)
        and query.result in {"", "open"}
        and query.seats in {None, setup.rules.seats}
        and query.with_me in {None, setup.human is not None}
    )


# Filters


def filter_value(query: Query, name: str) -> str:
    """Return the value of a filter as people read it; empty where it lets everything through."""
    value = getattr(query, name)
    if value in {"", None}:
        return ""
    if name == "result":
        return _RESULTS[value]
    if name == "with_me":
        return _WITH_ME["yes" if value else "no"]
    return str(value)


def filter_choices(name: str, opponents: Sequence[str], presets: Sequence[str]) -> list[tuple[str, str]]:
    """Return the values of a filter with what people read, the empty one for everything first.

    Args:
        name: One of `FILTERS`.
        opponents: Players there are.
        presets: Presets there are.
    """
    choices = {
        "preset": [(preset, preset) for preset in presets],
        "opponent": [(opponent, opponent) for opponent in opponents],
        "result": list(_RESULTS.items()),
        "seats": [(str(seats), f"{seats} seats") for seats in range(2, 7)],
        "with_me": list(_WITH_ME.items()),
    }
    return [("", "any"), *choices[name]]


def filtered(name: str, value: str) -> dict[str, str | int | bool | None]:
    """Return the change of a `Query` that a choice of `filter_choices` means."""
    if name == "seats":
        return {name: int(value) if value else None}
    if name == "with_me":
        return {name: value == "yes" if value else None}
    return {name: value}


def _rules(preset: str, text: str, seats: int) -> str:
    """Name rules in a few cells; a star says that some option differs from the preset."""
    options = text.partition(":")[2].split(",")
    changed = any(option and not option.startswith("seats=") for option in options)
    return f"{preset}{'*' if changed else ''} {seats}"


def _players(game: Unfinished) -> str:
    setup = game.setup
    return ", ".join(
        name if player == HUMAN else player for name, player in zip(setup.names, setup.players, strict=True)
    )


def _names(game: Unfinished) -> str:
    return ", ".join(
        name if player in {HUMAN, name} else f"{name} ({player})"
        for name, player in zip(game.setup.names, game.setup.players, strict=True)
    )


def _counted(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"
