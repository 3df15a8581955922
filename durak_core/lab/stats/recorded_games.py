"""Statistics of recorded games, and their decisions as CSV or Parquet.

The key ``match`` of a game (docs/notation.md) identifies duplicate deals, which intervals use as in
`durak_core.lab.stats.match_results`. Partners count as one player with a joint name.
"""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import asdict, astuple, dataclass, field, fields
from itertools import chain, islice
from operator import attrgetter
from pathlib import Path
from typing import Any, Final, TypeAlias

from durak_core.errors import AgentError
from durak_core.files import write_bytes_atomically, write_text_atomically
from durak_core.game import events
from durak_core.game.notation.position_text import write_observation
from durak_core.game.real_game import reporting_seat
from durak_core.game.record import Record
from durak_core.game.state import State
from durak_core.installation import require
from durak_core.kernel.position import derive
from durak_core.lab.matches.match import FINDINGS, GameSummary, seated_players
from durak_core.lab.stats.match_results import AgentTally, GameCounter, ResultMeasure
from durak_core.rules import Rules
from durak_core.statistics import Share

_Key: TypeAlias = tuple[str, tuple[str, ...]]
_FIRST: Final = "whoever attacks first"

_KINDS: Final = {
    events.Defended: "defends",
    events.TookUp: "takes",
    events.Transferred: "transfers",
    events.TrumpShown: "transfers",
    events.Passed: "passes",
    events.Exchanged: "exchanges",
}


@dataclass(slots=True)
class ActionCounts:
    """Action counts of a player.

    Attributes:
        attacks: Attack cards before the defender's first answer.
        throw_ins: Attack cards after it, including cards piled on (rules 5.6, 6.2).
        transfers: Transfers, including shown trumps (rules 7).
        defends: Attack cards beaten.
        takes: Attacks taken.
        passes: Passes, including forced ones (rules 5.7).
        exchanges: Exchanges of the lowest trump for the card under the talon (rules 5.9).
        early_trumps: Trumps played before the talon was empty.
        cards_taken: Cards taken from the table.
    """

    attacks: int = 0
    throw_ins: int = 0
    transfers: int = 0
    defends: int = 0
    takes: int = 0
    passes: int = 0
    exchanges: int = 0
    early_trumps: int = 0
    cards_taken: int = 0

    def add(self, other: ActionCounts) -> None:
        for name in ACTION_COUNTS:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    @classmethod
    def of(cls, end: State) -> tuple[ActionCounts, ...]:
        """Return the action counts of each seat in a game, given its final state."""
        seats: list[Counter[str]] = [Counter() for _ in range(end.rules.seats)]
        left = len(end.talon) + sum(event.count for event in end.events if isinstance(event, events.Drew))
        is_answered = False
        for event in end.events:
            if isinstance(event, events.BoutBegan):
                is_answered = False
            elif isinstance(event, events.Drew):
                left -= event.count
            elif isinstance(event, events.TableTaken):
                seats[event.seat]["cards_taken"] += len(event.cards)
            elif isinstance(event, events.Attacked):
                seats[event.seat]["throw_ins" if is_answered else "attacks"] += 1
            elif isinstance(event, events.ActionEvent):
                seats[event.seat][_KINDS[type(event)]] += 1
                is_answered |= isinstance(event, events.Defended | events.TookUp)
            if left and isinstance(event, events.Attacked | events.Defended | events.Transferred):
                seats[event.seat]["early_trumps"] += event.card.is_of(end.trump_suit)
        return tuple([cls(**counted) for counted in seats])

    def means(self, games: int) -> dict[str, float]:
        return {name: getattr(self, name) / games for name in ACTION_COUNTS}


ACTION_COUNTS: Final = tuple([part.name for part in fields(ActionCounts)])


@dataclass(slots=True)
class PlayerFigures:
    """Statistics of a player under the same rules, counted once per seat.

    Attributes:
        opponents: Opponents in alphabetical order; empty if not counted separately.
        plies: Actions of all seats in the player's games.
    """

    tally: AgentTally
    opponents: tuple[str, ...] = ()
    actions: ActionCounts = field(default_factory=ActionCounts)
    bouts: int = 0
    plies: int = 0

    @property
    def share(self) -> Share:
        return self.tally.share

    @property
    def deals(self) -> int:
        return self.tally.deals_by(self.tally.measure)


@dataclass
class RulesFigures(GameCounter):
    """Statistics of all games with the same rules; ``first`` counts the first attackers."""

    rules: Rules
    bouts: int = 0
    plies: int = 0
    first: PlayerFigures = field(init=False)
    _players: dict[_Key, PlayerFigures] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        self.first = PlayerFigures(AgentTally(_FIRST, self.rules.team_count))

    @property
    def players(self) -> list[PlayerFigures]:
        rank = ResultMeasure.of(self.rules.team_count).rank
        return sorted(
            self._players.values(), key=lambda row: (rank(row.share.value), row.tally.text, row.opponents)
        )

    @property
    def actions(self) -> ActionCounts:
        together = ActionCounts()
        for row in self._players.values():
            together.add(row.actions)
        return together

    def add(self, record: Record, game: GameSummary, keys: list[_Key], deal: Hashable | None) -> None:
        """Add a finished game with a key per team or seat; ``deal`` is as for `GameCounter.count`."""
        self.bouts += game.bouts
        self.plies += game.plies
        actions = ActionCounts.of(record.end)
        rows = [(team, self._row(key)) for team, key in enumerate(keys)]
        rows.append((self.rules.team_of(game.first_attacker), self.first))
        for team, row in rows:
            row.bouts += game.bouts
            row.plies += game.plies
            for seat in self.rules.members(team):
                row.actions.add(actions[seat])
        self.count(game, [(team, row.tally) for team, row in rows], deal)

    def _row(self, key: _Key) -> PlayerFigures:
        if key not in self._players:
            self._players[key] = PlayerFigures(AgentTally(key[0], self.rules.team_count), key[1])
        return self._players[key]


class Figures:
    """Streaming statistics of recorded games, optionally separated by opponents.

    Attributes:
        games: Finished games counted.
        unfinished: Unfinished games, not counted.
        twice: Duplicate games of a match, not counted.
        alike: Other games equal to an earlier one, counted.
    """

    def __init__(self, *, by_opponent: bool = False) -> None:
        self.games = 0
        self.unfinished = 0
        self.twice = 0
        self.alike = 0
        self._by_opponent = by_opponent
        self._rules: dict[str, RulesFigures] = {}
        self._seen: dict[Hashable, set[int]] = {}

    def __iter__(self) -> Iterator[RulesFigures]:
        """Yield statistics by rules, most games first."""
        return iter(sorted(self._rules.values(), key=lambda one: (-one.games, one.rules.text)))

    def add(self, record: Record) -> None:
        """Add a game; raises `RecordError` if it has an illegal action."""
        game = GameSummary.of(record)
        if game is None:
            self.unfinished += 1
            return
        place = _place(record)
        match, number = (None, hash(record)) if place is None else place
        numbers = self._seen.setdefault(match, set())
        if number in numbers and match is not None:
            self.twice += 1
            return
        self.alike += number in numbers
        numbers.add(number)
        self.games += 1
        rules = record.rules
        counted = self._rules.setdefault(rules.text, RulesFigures(rules))
        partners = [
            [record.players[seat] for seat in rules.members(team)] for team in range(rules.team_count)
        ]
        names = ["+".join(sorted(members)) for members in partners]
        others = [tuple(sorted(names[:team] + names[team + 1 :])) for team in range(rules.team_count)]
        keys = [
            (name, against if self._by_opponent else ()) for name, against in zip(names, others, strict=True)
        ]
        is_series = rules.next_first_attacker == "under_fool"
        deal = None if place is None or is_series else (place[0], place[1] // rules.seats)
        counted.add(record, game, keys, deal)


def _place(record: Record) -> tuple[Hashable, int] | None:
    """Return a game's match and number, or None if its deal or seating does not fit that match."""
    rules = record.rules
    match record.extra.get("match"):
        case {"agents": [*agents], "seed": int(seed), "game": int(number)} if agents and number >= 0:
            if "seating" in record.extra["match"] or not all(isinstance(agent, str) for agent in agents):
                return None  # other games have nothing in common with it
            try:
                players = seated_players(rules, agents, number)
            except AgentError:
                return None
            if players == record.players and record.seed == derive(seed, number // rules.seats):
                return (rules.text, tuple(agents), seed), number
    return None


def figures_json(figures: Figures) -> dict[str, Any]:
    """Return all statistics as JSON data: action counts per game, and ``deals`` 0 for Wilson intervals."""
    return {
        "games": figures.games,
        "unfinished": figures.unfinished,
        "twice": figures.twice,
        "rules": [
            {
                "rules": one.rules.text,
                "seats": one.rules.seats,
                "games": one.games,
                "draws": asdict(one.draw_share),
                "bouts": one.bouts / one.games,
                "plies": one.plies / one.games,
                "first_player": {**asdict(one.first.share), "deals": one.first.deals},
                "deeds": one.actions.means(one.games),
                "players": [_player_json(row) for row in one.players],
            }
            for one in figures
        ],
    }


def _player_json(row: PlayerFigures) -> dict[str, Any]:
    tally = row.tally
    return {
        "agent": tally.text,
        **({"opponents": list(row.opponents)} if row.opponents else {}),
        **tally.counts,
        tally.measure.key: {**asdict(row.share), "deals": row.deals},
        "bouts": row.bouts / tally.games,
        "plies": row.plies / tally.games,
        "deeds": row.actions.means(tally.games),
    }


Seed: TypeAlias = int
"""A seed, 0 to 2^63 - 1."""


@dataclass(frozen=True, slots=True)
class DecisionRow:
    """One decision of a recorded game, with the meaning of each column.

    In rows of `decision_rows` games are numbered from 1 in the order of the input, and ``result`` is None if
    the game is unfinished.
    """

    game: int = field(metadata={"meaning": "number of the game, as in `games`"})
    ply: int = field(metadata={"meaning": "number of the decision in the game, from 1"})
    rules: str = field(metadata={"meaning": "rules spec"})
    seat: int = field(metadata={"meaning": "seat that decides"})
    agent: str = field(metadata={"meaning": "its agent spec"})
    observation: str = field(metadata={"meaning": "what the seat knows, in notation"})
    legal: str = field(metadata={"meaning": "legal actions, separated by spaces"})
    action: str = field(metadata={"meaning": "the action chosen"})
    result: float | None = field(
        metadata={"meaning": "1 for a win of the seat, 0.5 for a draw, 0 for the fool"}
    )
    findings: str | None = field(metadata={"meaning": "search info as JSON, null without a search"})


PARQUET_TYPES: Final = {
    "bool": "bool",
    "int": "int32",
    "int | None": "int32",
    "Seed": "int64",
    "float | None": "float64",
    "str": "string",
    "str | None": "string",
    "tuple[int, ...]": "list<int8>",
    "tuple[str, ...]": "list<string>",
    "tuple[float | None, ...] | None": "list<float32>",
    "tuple[int | None, ...] | None": "list<int32>",
}
"""Parquet types by a field's annotation."""

COLUMNS: Final = tuple([field.name for field in fields(DecisionRow)])

_BATCH: Final = 10_000


def decision_rows(records: Iterable[Record]) -> Iterator[DecisionRow]:
    """Yield a row for each decision, in order; raises `RecordError` if a game has an illegal action.

    With real cards, only the decisions of the reporting seat are known.
    """
    for number, record in enumerate(records, 1):
        rules, ended, known = record.rules, GameSummary.of(record), reporting_seat(record)
        findings = record.extra.get(FINDINGS)
        if not isinstance(findings, list) or len(findings) != len(record.moves):
            findings = [None] * len(record.moves)
        for ply, (state, move, found) in enumerate(
            zip(record.replay(), record.moves, findings, strict=False), 1
        ):
            if known not in {None, move.seat}:
                continue
            yield DecisionRow(
                game=number,
                ply=ply,
                rules=rules.text,
                seat=move.seat,
                agent=record.players[move.seat],
                observation=write_observation(state.observation(move.seat)),
                legal=" ".join(map(str, state.legal_actions)),
                action=str(move.action),
                result=None if ended is None else ended.score_of(rules.team_of(move.seat)),
                findings=None if found is None else json.dumps(found, ensure_ascii=False),
            )


def write_csv_rows(path: Path, rows: Iterable[DecisionRow]) -> None:
    """Write rows as CSV (RFC 4180, but with line feeds) atomically; None is an empty field."""

    def lines() -> Iterator[str]:
        for cells in chain([COLUMNS], map(astuple, rows)):
            text = io.StringIO()
            csv.writer(text, lineterminator="\n").writerow(cells)
            yield text.getvalue()

    write_text_atomically(path, lines())


def write_parquet_rows(
    path: Path, rows: Iterable[Any], kind: type[Any] = DecisionRow, metadata: Mapping[str, str] | None = None
) -> None:
    """Write rows as Parquet atomically.

    Args:
        path: The file.
        rows: Instances of ``kind``.
        kind: A dataclass; see `PARQUET_TYPES` for the annotations of its fields.
        metadata: Metadata of the file's schema.

    Raises:
        MissingExtraError: Without pyarrow.
        FileError: If the file cannot be written.
    """
    require("Parquet", "export", "pyarrow")
    import pyarrow as pa  # noqa: PLC0415 - an extra, and slow to load
    from pyarrow import parquet  # noqa: PLC0415 - as above

    def parquet_type(name: str) -> Any:  # noqa: ANN401 - pyarrow is optional
        base, _, inner = name.rstrip(">").partition("<")
        return pa.list_(parquet_type(inner)) if inner else pa.type_for_alias(base)

    names = [field.name for field in fields(kind)]
    nullable = [field.name for field in fields(kind) if field.type == "int | None"]
    kinds = {"pandas_type": "int32", "numpy_type": "Int32", "metadata": None}
    columns = [{"name": name, "field_name": name, **kinds} for name in nullable]
    told = {"index_columns": [], "column_indexes": [], "columns": columns}
    schema = pa.schema(
        [(field.name, parquet_type(PARQUET_TYPES[str(field.type)])) for field in fields(kind)],
        metadata={**({"pandas": json.dumps(told)} if nullable else {}), **(metadata or {})},
    )
    sink = pa.BufferOutputStream()
    with parquet.ParquetWriter(sink, schema, compression="zstd") as writer:
        left = map(attrgetter(*names), rows)
        while batch := list(islice(left, _BATCH)):
            cells = dict(zip(names, zip(*batch, strict=True), strict=True))
            writer.write_table(pa.table(cells, schema=schema))
    write_bytes_atomically(path, sink.getvalue().to_pybytes())
