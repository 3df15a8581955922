"""The data set: a million games of mixed agents, with search info for 20,000 of them, as Parquet files.

A shard is a file of games and a file of the decisions of its searched games. Its rows depend on its number
alone, and not on the number of processes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, fields
from functools import lru_cache
from itertools import combinations_with_replacement
from operator import attrgetter
from pathlib import Path
from typing import Any, Final

from durak_core.errors import AgentError, FileError
from durak_core.files import MEGABYTE, read_text, write_text_atomically, writing
from durak_core.game.json_form import from_json, read_move
from durak_core.installation import require
from durak_core.kernel.position import derive
from durak_core.lab.experiments.benchmark import OPPONENTS
from durak_core.lab.experiments.report import markdown_table
from durak_core.lab.experiments.results import commit, versions
from durak_core.lab.matches.match import Match
from durak_core.lab.matches.players import load_compiled, player_text
from durak_core.lab.matches.schedule import Wanted, play_matches
from durak_core.lab.stats.recorded_games import (
    PARQUET_TYPES,
    DecisionRow,
    Seed,
    decision_rows,
    write_parquet_rows,
)
from durak_core.lab.workers import Jobs, run_in_order
from durak_core.rules import Rules
from durak_core.search.backend.backend import backend

DATASET: Final = "durak-games/2"

RULES: Final = "podkidnoy:seats=2"

SEED: Final = 3_000_000_061
"""Seed of the data set. Nothing else may use it."""

SHARDS: Final = 100

AGENTS: Final = (
    "random",
    "greedy",
    "smart",
    "aggressive",
    "cautious",
    *[text for name, text in OPPONENTS.items() if name != "searcher"],
)
"""Agent specs of the players that do not search. Every pair of them plays, also each with itself."""

SEARCHER: Final = (
    "ismcts:iterations=300,time=0,c=0.7,epsilon=0.15,mix=0.5,simulation=expert,opponent=greedy,solver=on,"
    "leaf=8,end=0,nodes=500000,memory=64,inference=off,threads=1,net=off"
)
"""Agent spec of the player in all searched games, against itself and against each of `AGENTS`."""

_KEY: Final = "durak"
"""Key of a file's metadata."""

_TITLE: Final = "pretty_name: Durak games"
"""A line of the card."""

_SEED_STEP: Final = 1000
"""More than the matches of a shard."""

SPLITS: Final = (("train", 90), ("validation", 5), ("test", 5))
"""Splits and their numbers of shards, in order."""


@dataclass(frozen=True, slots=True)
class DatasetGame:
    """One game of the data set, with the meaning of each column for its card."""

    game: int = field(metadata={"meaning": "number of the game, from 0"})
    rules: str = field(metadata={"meaning": "rules spec"})
    seed: Seed = field(metadata={"meaning": "seed of the deal; both seatings of a deal have the same"})
    agents: tuple[str, ...] = field(metadata={"meaning": "agent spec at each seat"})
    first_attacker: int = field(metadata={"meaning": "seat of the first attacker"})
    seats: tuple[int, ...] = field(metadata={"meaning": "seat of each action"})
    actions: tuple[str, ...] = field(metadata={"meaning": "each action, in notation"})
    fool: int | None = field(metadata={"meaning": "losing seat, null for a draw"})
    bouts: int = field(metadata={"meaning": "number of bouts"})
    searched: bool = field(metadata={"meaning": "whether the decisions of the game are in `decisions`"})
    hidden_deck: tuple[str, ...] = field(
        metadata={"meaning": "the deck, first card dealt first, the trump card last: no seat sees it"}
    )


@dataclass(frozen=True, slots=True)
class DatasetDecision:
    """One decision of a game with search info, with the meaning of each column for its card."""

    game: int = field(metadata={"meaning": "number of the game, as in `games`"})
    ply: int = field(
        metadata={"meaning": "number of the decision, from 1: the actions before it are the public history"}
    )
    seat: int = field(metadata={"meaning": "seat that decides"})
    agent: str = field(metadata={"meaning": "its agent spec"})
    observation: str = field(metadata={"meaning": "what the seat knows, in notation"})
    legal: tuple[str, ...] = field(metadata={"meaning": "legal actions"})
    action: str = field(metadata={"meaning": "the action chosen"})
    forced: bool = field(metadata={"meaning": "whether it is the only legal one"})
    result: float | None = field(
        metadata={"meaning": "1 for a win of the seat, 0.5 for a draw, 0 for the fool"}
    )
    scores: tuple[float | None, ...] | None = field(
        metadata={"meaning": "score of each legal action, null without a search"}
    )
    visits: tuple[int | None, ...] | None = field(
        metadata={"meaning": "visits of each legal action, null without a search"}
    )

    @classmethod
    def of(cls, row: DecisionRow, game: int) -> DatasetDecision:
        legal = tuple(row.legal.split())
        scores = visits = None
        if row.findings is not None:
            lines = {line["action"]: line for line in json.loads(row.findings)["lines"]}
            scores, visits = [
                tuple([lines[action][name] if action in lines else None for action in legal])
                for name in ("score", "visits")
            ]
        return cls(
            game=game,
            ply=row.ply,
            seat=row.seat,
            agent=row.agent,
            observation=row.observation,
            legal=legal,
            action=row.action,
            forced=len(legal) == 1,
            result=row.result,
            scores=scores,
            visits=visits,
        )


_TABLES: Final[Mapping[str, type[Any]]] = {"games": DatasetGame, "decisions": DatasetDecision}


@dataclass(frozen=True)
class DataSet:
    """A data set, or its beginning.

    Args:
        shards: Number of shards, 1 to 100. With fewer than all it is a trial.
        games: Games of a shard, even.
        searched: How many of them are searched, even.
        agents: Agent specs of the players that do not search.
        searcher: Agent spec of the player in all searched games.

    Raises:
        AgentError: If the number of shards is out of range.
    """

    shards: int = SHARDS
    games: int = 10_000
    searched: int = 200
    agents: tuple[str, ...] = AGENTS
    searcher: str = SEARCHER

    def __post_init__(self) -> None:
        if not 1 <= self.shards <= SHARDS:
            raise AgentError("{shards} shards: expected 1 to {most}", shards=self.shards, most=SHARDS)

    def matches(self, shard: int) -> list[Match]:
        """Return the matches of a shard, the searched ones last."""
        pairs = list(combinations_with_replacement(self.agents, 2))
        searched = [(self.searcher, other) for other in (*self.agents, self.searcher)]
        deals = [*_shared(self.games - self.searched, pairs), *_shared(self.searched, searched)]
        rules = Rules.parse(RULES)
        return [
            Match(rules, agents, 2 * count, derive(SEED, _SEED_STEP * shard + place))
            for place, (agents, count) in enumerate(deals)
            if count
        ]

    @property
    def names(self) -> list[str]:
        """The file name of each shard's games and decisions."""
        names = [f"{split}-{number:02}.parquet" for split, count in SPLITS for number in range(count)]
        return names[: self.shards]


def _shared(games: int, pairs: Sequence[tuple[str, str]]) -> Iterator[tuple[tuple[str, str], int]]:
    """Divide the deals of games evenly among pairs."""
    each, more = divmod(games // 2, len(pairs))
    for place, agents in enumerate(pairs):
        yield agents, each + (place < more)


def write_dataset(
    folder: Path, planned: DataSet, jobs: Jobs = 1, step: Callable[[], None] = lambda: None
) -> str:
    """Write all missing files of a data set and its card; return the digest of its rows.

    Args:
        folder: The folder; its complete files are kept.
        planned: The data set.
        jobs: Number of processes, 0 for one per core; or other workers.
        step: Called after each shard.

    Raises:
        MissingExtraError: Without pyarrow.
        AgentError: As for `check_jobs`.
        FileError: If a file cannot be written, or the folder has a README.md of another kind.
    """
    require("Parquet", "export", "pyarrow")
    readme = folder / "README.md"
    told = read_text(readme, MEGABYTE) if readme.exists() else f"{_TITLE} {DATASET}"
    if _TITLE not in told:
        raise FileError("{path} is not the card of a data set: expected another folder", path=readme)
    if DATASET not in told:
        raise FileError(
            "{path} is of another version than {version}: expected another folder",
            path=readme,
            version=DATASET,
        )
    for table in _TABLES:
        with writing(folder / table):
            (folder / table).mkdir(parents=True, exist_ok=True)
    write_text_atomically(readme, card(planned, None))
    load_compiled([*planned.agents, planned.searcher])
    backend("players")  # also for matches that are too short to compile it themselves
    digest = hashlib.sha256()
    tasks = ((folder, planned, shard) for shard in range(planned.shards))
    with closing(run_in_order(_write_shard, tasks, jobs)) as shards:
        for name, digests in zip(planned.names, shards, strict=True):
            digest.update(f"{name} {' '.join(digests)}\n".encode())
            step()
    found = digest.hexdigest()
    write_text_atomically(readme, card(planned, found))
    return found


def _write_shard(folder: Path, planned: DataSet, shard: int) -> tuple[str, str]:
    """Write a shard's files unless they are there; return the digests of their rows."""
    name = planned.names[shard]
    about = {"dataset": DATASET, "games": planned.games, "searched": planned.searched, "shard": shard}
    if (planned.agents, planned.searcher) != (AGENTS, SEARCHER):
        about |= {"agents": list(planned.agents), "searcher": planned.searcher}
    games, decisions = folder / "games" / name, folder / "decisions" / name
    found = _digest_in(games, about), _digest_in(decisions, about)
    if found[0] is not None and found[1] is not None:
        return found[0], found[1]
    game_rows: list[DatasetGame] = []
    searched: list[DatasetDecision] = []
    searcher = player_text(planned.searcher)
    for match in planned.matches(shard):
        is_searched = searcher in match.agents
        for _, game in play_matches([match], wanted=Wanted(lines=True, search_info=is_searched)):
            told = json.loads(game.line)
            number = planned.games * shard + len(game_rows)
            game_rows.append(_game_row(number, match.rules, told, searched=is_searched))
            if is_searched:
                searched += [DatasetDecision.of(row, number) for row in decision_rows([from_json(told)])]
    return _write(games, game_rows, DatasetGame, about), _write(decisions, searched, DatasetDecision, about)


def _game_row(number: int, rules: Rules, told: Mapping[str, Any], *, searched: bool) -> DatasetGame:
    actions = told["actions"]
    return DatasetGame(
        game=number,
        rules=rules.text,
        seed=told["seed"],
        agents=tuple(told["players"]),
        first_attacker=told["first_attacker"],
        seats=tuple([one["seat"] for one in actions]),
        actions=tuple([_text(one["action"], one.get("card"), one.get("target")) for one in actions]),
        fool=told["result"]["fool"],
        bouts=told["result"]["bouts"],
        searched=searched,
        hidden_deck=tuple(told["deck"]),
    )


@lru_cache(maxsize=4096)
def _text(word: str, card: str | None, target: str | None) -> str:
    return str(read_move({"seat": 0, "action": word, "card": card, "target": target}, "actions").action)


def _write(path: Path, rows: Sequence[Any], kind: type[Any], about: Mapping[str, Any]) -> str:
    """Write a file of rows; return their digest."""
    digest = hashlib.sha256()
    cells = attrgetter(*[one.name for one in fields(kind)])
    for row in rows:
        digest.update(json.dumps(cells(row)).encode() + b"\n")
    found = digest.hexdigest()
    write_parquet_rows(path, rows, kind, {_KEY: json.dumps({**about, "digest": found})})
    return found


def _digest_in(path: Path, about: Mapping[str, Any]) -> str | None:
    """Return the digest in a file of this shard; None if there is no such file or it is damaged."""
    import pyarrow as pa  # noqa: PLC0415 - an extra, and slow to load
    from pyarrow import parquet  # noqa: PLC0415 - as above

    try:
        metadata = parquet.read_schema(path).metadata or {}
        told = json.loads(metadata.get(_KEY.encode(), b"{}"))
    except (OSError, ValueError, pa.ArrowException):
        return None
    digest = told.pop("digest", None)
    return digest if told == about else None


def columns_table(table: str) -> str:
    """Return the columns of ``games`` or ``decisions`` as Markdown: names, types and meanings."""
    rows = [
        [f"`{one.name}`", f"`{PARQUET_TYPES[str(one.type)]}`", one.metadata["meaning"]]
        for one in fields(_TABLES[table])
    ]
    return markdown_table(["column", "type", "meaning"], rows, numbers=False).rstrip()


def card(planned: DataSet, digest: str | None) -> str:
    """Return the data set's card in Markdown for Hugging Face; ``digest`` is None until it is complete."""
    games, searched = planned.shards * planned.games, planned.shards * planned.searched
    trial = "" if planned.shards == SHARDS else f", a trial with {planned.shards} of {SHARDS} shards"
    agents = "\n".join([f"- `{player_text(text)}`" for text in (*planned.agents, planned.searcher)])
    made_with = ", ".join([f"{name} {one}" for name, one in versions().items()])
    return f"""---
license: mit
{_TITLE}
configs:
{"".join(_split_lines(planned))}---

# Durak games

{games:,} games of Durak ({RULES}) between mixed agents{trial}. {searched:,} of them have search info.

- Version: {DATASET}
- Licence: MIT
- Complete: {"no" if digest is None else f"yes, digest of all rows `{digest}`"}
- Written by `durak dataset` at commit {commit()}, {made_with}

## Games

{columns_table("games")}

## Decisions

Every decision of the games with search info.

{columns_table("decisions")}

## Agents

{agents}

Every two of the agents that do not search play equally often, also each against itself. The last agent
plays in all games with search info, against itself and each of the others. Every deal is played from both
seatings, and both are in the same split.
"""


def _split_lines(planned: DataSet) -> Iterator[str]:
    for table in _TABLES:
        yield f"- config_name: {table}\n  data_files:\n"
        for split, _ in SPLITS:
            if any(name.startswith(split) for name in planned.names):
                yield f"  - split: {split}\n    path: {table}/{split}-*.parquet\n"
