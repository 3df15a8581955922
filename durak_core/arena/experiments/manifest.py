"""Manifests: TOML files that say what an experiment plays, and what others have published of it.

docs/experiments/README.md describes them key by key.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from durak_core.arena.experiments.kinds import KINDS, Frame
from durak_core.arena.experiments.reading import Node, read_toml
from durak_core.arena.experiments.tables import Published, Table
from durak_core.arena.experiments.works import Work
from durak_core.arena.matches.players import player_text
from durak_core.errors import DurakError
from durak_core.kernel.random import MASK63
from durak_core.rules import Rules

_NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]*")
_GAMES: Final = 500
_SEED: Final = 1
_RULES: Final = {"podkidnoy": "podkidnoy"}


@dataclass(frozen=True)
class Experiment:
    """A manifest that was read and can be played.

    Attributes:
        path: The file.
        text: All of it.
        told: What it says, as TOML has it.
        title: What it is called.
        question: What it asks.
        source: Where the published figures come from; empty where there are none.
        takes: How long it takes, in words; empty where nobody has said.
        agents: Canonical texts by the names that the tables use.
        seed: Of all chance, where a table has none of its own.
        tables: What is played.
        quick: Whether a few games will do.
    """

    path: Path
    text: str
    told: Mapping[str, Any]
    title: str
    question: str
    source: str
    takes: str
    agents: Mapping[str, str]
    seed: int
    tables: tuple[Table, ...]
    quick: bool

    @property
    def name(self) -> str:
        """The file's name without its ending."""
        return self.path.stem

    @property
    def works(self) -> list[Work]:
        """What has to be done, in the manifest's order, each piece once."""
        return list({work.key: work for table in self.tables for work in table.works}.values())


def find_manifests(folder: Path) -> list[Path]:
    """Return the manifests of a folder by name.

    Raises:
        OSError: If it is no folder, or cannot be read.
    """
    return sorted(path for path in folder.iterdir() if path.suffix == ".toml")


def read_experiment(path: Path, *, quick: bool = False) -> Experiment:
    """Read a manifest and check that everything in it can be played.

    Args:
        path: The file.
        quick: Whether a few games of each match will do, to see that everything works.

    Raises:
        ManifestError: If something is wrong; the key is named by its path.
        OSError: If the file cannot be read.
    """
    told = read_toml(path)
    node = Node(told, "", str(path))
    title, question = node.text("title"), node.text("question")
    source, takes = node.remark("source"), node.remark("takes")
    agents = _agents(node)
    frame = Frame(
        agents=agents,
        rules=_rules(node, _RULES),
        games=node.number("games", _GAMES),
        seed=node.number("seed", _SEED, 0, MASK63),
        keeps_games=node.flag("keep_games", default=True),
        quick=quick,
    )
    tables = tuple([_table(one, frame) for one in node.nodes("table", needed=True)])
    node.end()
    for place, table in enumerate(tables):
        if table.name in [other.name for other in tables[:place]]:
            raise node.wrong(f"table[{place}].name", f"{table.name!r} is the name of another table")
    return Experiment(
        path=path,
        text=path.read_text(encoding="utf-8"),
        told=told,
        title=title,
        question=question,
        source=source,
        takes=takes,
        agents=agents,
        seed=frame.seed,
        tables=tables,
        quick=quick,
    )


def _agents(node: Node) -> dict[str, str]:
    """Read the table of agents; without one, players are named by their texts alone."""
    if "agents" not in node:
        return {}
    found = {}
    for name, text in node.named_texts("agents").items():
        try:
            found[name] = player_text(text)
        except DurakError as error:
            raise node.wrong(f"agents.{name}", str(error)) from None
    return found


def _rules(node: Node, default: Mapping[str, str]) -> dict[str, str]:
    if "rules" not in node:
        return dict(default)
    found = node.named_texts("rules")
    for name, text in found.items():
        try:
            Rules.parse(text)
        except DurakError as error:
            raise node.wrong("rules" if name == text else f"rules.{name}", str(error)) from None
    return found


def _table(node: Node, shared: Frame) -> Table:
    name = node.text("name")
    if not _NAME.fullmatch(name):
        raise node.wrong("name", f"{name!r}: expected small letters, digits and hyphens")
    kind = node.choice("kind", KINDS)
    title, note = node.text("title"), node.remark("note")
    frame = replace(
        shared,
        rules=_rules(node, shared.rules),
        games=node.number("games", shared.games),
        seed=node.number("seed", shared.seed, 0, MASK63),
    )
    parts = KINDS[kind](node, frame)
    table = Table(name=name, kind=kind, title=title, note=note, **parts)
    published = (
        [] if kind == "pruning" else [_published(one, table) for one in node.nodes("published", needed=False)]
    )
    node.end()
    return replace(table, published=tuple(published))


def _published(node: Node, table: Table) -> Published:
    row, column = node.text("row"), node.text("column")
    if (row, column) not in table.cells:
        problem = f"{row!r} has no figure in the column {column!r}: expected a row and a column of the table"
        raise node.wrong(
            "row", f"{problem}; rows {', '.join(table.rows)}; columns {', '.join(table.columns)}"
        )
    value, low, high = node.share("value"), node.share("low"), node.share("high")
    games = node.number("games") if "games" in node else None
    if (low is None) != (high is None):
        raise node.wrong("low" if low is None else "high", "missing: expected both ends of the interval")
    if low is None and (value is None or games is None):
        raise node.wrong("low", "missing: expected low and high, or value and games")
    interval = None if low is None or high is None else (low, high)
    if interval and not interval[0] <= (interval[1] if value is None else value) <= interval[1]:
        raise node.wrong("low", "expected low, value and high in this order")
    why = node.remark("why")
    node.end()
    return Published(row, column, value, interval, games, why)
