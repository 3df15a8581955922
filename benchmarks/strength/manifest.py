"""What is to be played: tables of matches, from a TOML file.

The file has defaults (``rules``, ``games``, ``seed``) and one ``[[table]]`` for each table::

    [[table]]
    name = "agents"            # of the marker in the document
    kind = "matrix"            # one of KINDS
    title = "Every agent against every other"
    players = ["ismcts:iterations=1000", "*"]

``*`` stands for every agent whose name no other text of the list begins with.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any, Final

from durak_core import AGENTS, DurakError
from durak_core.arena import player_text
from durak_core.arena.experiments.entries import Entry, pair, seated
from durak_core.config import ConfigError, ConfigFile

__all__ = ["HELD_OUT", "KINDS", "ConfigError", "Entry", "Table", "all_entries", "pair", "read_manifest"]

HELD_OUT: Final = 1_000_000_000
"""Seeds from here on are for these figures alone: experiments, tuning and drawn seeds stay below."""

KINDS: Final = ("matrix", "versus", "field", "chain")
"""Everybody against everybody; players against opponents; one among others; each against the next."""

_DEFAULTS: Final[Mapping[str, Any]] = {"rules": ["podkidnoy"], "games": 1000, "seed": HELD_OUT}
_KEYS: Final[Mapping[str, frozenset[str]]] = {
    "matrix": frozenset({"players"}),
    "versus": frozenset({"players", "against"}),
    "field": frozenset({"players", "against", "seats"}),
    "chain": frozenset({"players", "names"}),
}
_COMMON: Final = frozenset({"name", "kind", "title", "rules", "games", "seed"})


@dataclass(frozen=True)
class Table:
    """A table of the document.

    Attributes:
        name: Of its marker.
        kind: One of `KINDS`.
        title: Its caption.
        players: Who is compared, by canonical text.
        against: Opponents.
        names: What the players of a chain are called.
        rules: Presets, with options.
        seats: Numbers of seats of a field.
        games: Games of each match.
        seed: Of each match.
    """

    name: str
    kind: str
    title: str
    players: tuple[str, ...]
    against: tuple[str, ...]
    names: tuple[str, ...]
    rules: tuple[str, ...]
    seats: tuple[int, ...]
    games: int
    seed: int

    def duel(self, first: str, second: str, rules: str) -> Entry:
        """Return the match of two players, the same one whoever is named first."""
        return Entry(pair(first, second), seated(rules, 2), self.games, self.seed)

    def round(self, player: str, other: str, rules: str, seats: int) -> Entry:
        """Return the match of one player among others of a kind."""
        if seats == 2:
            return self.duel(player, other, rules)
        return Entry((player, *[other] * (seats - 1)), seated(rules, seats), self.games, self.seed)

    def entries(self) -> Iterator[Entry]:
        """Yield the matches that the table shows; the same one may come twice."""
        for rules in self.rules:
            if self.kind == "matrix":
                yield from (self.duel(*two, rules) for two in combinations(self.players, 2))
            elif self.kind == "chain":
                yield from (self.duel(*two, rules) for two in pairwise(self.players))
            else:
                for player in self.players:
                    for other in self.against:
                        yield from (self.round(player, other, rules, seats) for seats in self.seats)


def read_manifest(path: Path, games: int | None = None) -> tuple[Table, ...]:
    """Read a manifest and check that everything in it can be played.

    Args:
        path: The file.
        games: Games of each match instead of what the file says, for trying it out.

    Raises:
        ConfigError: If it cannot be understood or played.
        OSError: If the file cannot be read.
    """
    told = dict(ConfigFile(path).values)
    tables = told.pop("table", [])
    _check_keys("the manifest", told, frozenset(_DEFAULTS))
    if not isinstance(tables, list) or not tables:
        raise ConfigError(f"{path}: expected at least one [[table]]")
    found = tuple([_table({**_DEFAULTS, **told, **table}, games) for table in tables])
    names = [table.name for table in found]
    if len(set(names)) < len(names):
        raise ConfigError(f"two tables have the same name: {', '.join(names)}")
    return found


def _table(told: Mapping[str, Any], games: int | None) -> Table:
    name, kind = told.get("name"), told.get("kind")
    where = f"table {name!r}"
    if kind not in KINDS:
        raise ConfigError(f"{where}: kind {kind!r}: expected one of {', '.join(KINDS)}")
    _check_keys(where, told, _KEYS[kind] | _COMMON)
    missing = (_KEYS[kind] | {"name", "title"}) - set(told)
    if missing:
        raise ConfigError(f"{where}: {', '.join(sorted(missing))} missing")
    rules = told["rules"] if isinstance(told["rules"], list) else [told["rules"]]
    try:
        table = Table(
            name=_text(where, "name", name),
            kind=kind,
            title=_text(where, "title", told["title"]),
            players=_players(where, told["players"]),
            against=_players(where, told.get("against", [])),
            names=tuple([_text(where, "names", one) for one in told.get("names", [])]),
            rules=tuple([_text(where, "rules", one) for one in rules]),
            seats=tuple([_number(where, "seats", one) for one in told.get("seats", [2])]),
            games=games or _number(where, "games", told["games"]),
            seed=_number(where, "seed", told["seed"]),
        )
        _check(where, table)
    except ConfigError:
        raise
    except DurakError as error:
        raise ConfigError(f"{where}: {error}") from error
    return table


def _check(where: str, table: Table) -> None:
    if table.seed < HELD_OUT:
        raise ConfigError(f"{where}: seed {table.seed}: expected {HELD_OUT} or more, which nothing else uses")
    if table.kind == "chain" and len(table.names) != len(table.players):
        raise ConfigError(f"{where}: {len(table.names)} names for {len(table.players)} players")
    if table.kind != "field" and set(table.against) & set(table.players):
        both = ", ".join(sorted(set(table.against) & set(table.players)))
        raise ConfigError(f"{where}: {both} would play against itself: expected other players in against")
    for entry in table.entries():
        match = entry.match
        if entry.games % match.rules.seats:
            raise ConfigError(
                f"{where}: {entry.games} games with {match.rules.seats} seats: expected whole deals, "
                f"a multiple of {match.rules.seats}"
            )


def _players(where: str, told: object) -> tuple[str, ...]:
    if not isinstance(told, list):
        raise ConfigError(f"{where}: players {told!r}: expected a list of agent texts")
    texts = [_text(where, "players", one) for one in told]
    named = {text.partition(":")[0] for text in texts}
    found: list[str] = []
    for text in texts:
        more = [name for name in AGENTS if name not in named] if text == "*" else [player_text(text)]
        found += [one for one in more if one not in found]
    return tuple(found)


def _check_keys(where: str, told: Mapping[str, Any], known: frozenset[str]) -> None:
    strange = sorted(set(told) - known)
    if strange:
        raise ConfigError(f"{where}: there is no {', '.join(strange)}; there are {', '.join(sorted(known))}")


def _text(where: str, key: str, told: object) -> str:
    if not isinstance(told, str) or not told:
        raise ConfigError(f"{where}: {key} {told!r}: expected a text")
    return told


def _number(where: str, key: str, told: object) -> int:
    if not isinstance(told, int) or isinstance(told, bool) or told < 1:
        raise ConfigError(f"{where}: {key} {told!r}: expected a number from 1 on")
    return told


def all_entries(tables: Sequence[Table]) -> list[Entry]:
    """Return the matches of tables, each once, in their order."""
    return list(dict.fromkeys(entry for table in tables for entry in table.entries()))
