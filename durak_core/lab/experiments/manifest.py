"""Manifests: TOML files that define an experiment and published figures to compare with.

docs/matches.md lists the keys.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated

from durak_core.config import ConfigError, ConfigFile, NamedTexts, Tagged, Text, expected, read, under
from durak_core.files import reading
from durak_core.lab.experiments.table_types import IN_DOCUMENTS, KINDS, OF_TWO
from durak_core.lab.experiments.tables import (
    Frame,
    Games,
    RulesByName,
    Seed,
    Table,
    TableSpec,
    rules_by_name,
)
from durak_core.lab.experiments.tasks import Task
from durak_core.lab.matches.players import player_text, team_members, team_size, team_text
from durak_core.rules import Rules


def _canonical(agents: Mapping[str, str]) -> Mapping[str, str]:
    found = {}
    for name, text in agents.items():
        with under(name):
            found[name] = team_text(team_members(text)) if team_size(text) > 1 else player_text(text)
    return found


def _begun(tables: tuple[TableSpec, ...]) -> tuple[TableSpec, ...]:
    if not tables:
        raise ConfigError("expected one or more tables, each begun by [[table]]")
    for place, table in enumerate(tables):
        if table.name in [other.name for other in tables[:place]]:
            raise ConfigError(f"{table.name!r} is the name of another table", f"[{place}].name")
    return tables


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """The content of a manifest.

    ``agents`` are canonical specs by name. ``document`` is a file that receives the tables instead of a
    report. ``takes`` is the duration in words.
    """

    title: Text
    question: Text
    source: str = ""
    takes: str = ""
    agents: Annotated[NamedTexts, _canonical] = field(default_factory=dict)
    rules: RulesByName = field(default_factory=lambda: {"podkidnoy": "podkidnoy"})
    games: Games = 500
    seed: Seed = 1
    keep_games: bool = True
    document: str = ""
    table: Annotated[tuple[Annotated[TableSpec, Tagged("kind", KINDS)], ...], _begun]


@dataclass(frozen=True)
class Experiment:
    """A checked manifest; ``quick`` limits each match to a few games."""

    path: Path
    file: ConfigFile
    manifest: Manifest
    tables: tuple[Table, ...]
    quick: bool

    @property
    def name(self) -> str:
        return self.path.stem

    @property
    def document(self) -> Path | None:
        """The document to write, if any; never for a quick run."""
        named = self.manifest.document
        return Path(named) if named and not self.quick else None

    @property
    def works(self) -> list[Task]:
        return list({work.key: work for table in self.tables for work in table.works}.values())

    def only(self, names: Collection[str]) -> Experiment:
        """Return this experiment with the named tables, or all if none are named.

        Raises:
            ConfigError: If there is no such table.
        """
        known = {table.spec.name: table for table in self.tables}
        for name in names:
            if name not in known:
                raise ConfigError(f"there is no table {name!r}; there are {', '.join(known)}")
        return replace(self, tables=tuple([known[name] for name in names])) if names else self


def find_manifests(folder: Path) -> list[Path]:
    with reading(folder):
        return sorted(path for path in folder.iterdir() if path.suffix == ".toml")


def read_experiment(path: Path, *, quick: bool = False) -> Experiment:
    """Read a manifest and check that all of it is playable.

    Raises:
        ConfigError: If something is wrong, with file and key.
        FileError: If the file cannot be read.
    """
    file = ConfigFile(path)
    with file.located():
        manifest = read(Manifest, file.values)
        tables = []
        for place, spec in enumerate(manifest.table):
            with under(f"table[{place}]"):
                if manifest.document and spec.kind not in IN_DOCUMENTS:
                    raise expected(f"one of {', '.join(IN_DOCUMENTS)} in a document", spec.kind).under("kind")
                tables.append(_table(spec, manifest, quick=quick))
    return Experiment(path, file, manifest, tuple(tables), quick)


def _table(spec: TableSpec, manifest: Manifest, *, quick: bool) -> Table:
    rules = rules_by_name(spec.rules or manifest.rules)
    for text in rules.values():
        if spec.kind not in OF_TWO and Rules.parse(text).teams is not None:
            message = f"{text}: expected teams=none; teams are for the kinds {', '.join(OF_TWO)}"
            raise ConfigError(message, "rules")
    games, seed = spec.games or manifest.games, manifest.seed if spec.seed is None else spec.seed
    table = spec.table(Frame(manifest.agents, rules, games, seed, manifest.keep_games, quick))
    for place, one in enumerate(spec.published):
        if (one.row, one.column) not in table.cells:
            raise ConfigError(
                f"{one.row!r} has no figure in the column {one.column!r}: expected a row and a column of the "
                f"table; rows {_quoted(table.rows)}; columns {_quoted(table.columns)}",
                f"published[{place}].row",
            )
    return table


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(map(repr, names))
