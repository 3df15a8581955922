"""Exports the decisions of recorded games as CSV or Parquet."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass, fields
from itertools import chain, islice
from operator import attrgetter
from pathlib import Path
from typing import Any, Final, TypeAlias

from durak_core.extras import require
from durak_core.files import write_bytes_atomically, write_text_atomically
from durak_core.game.notation.position_text import write_observation
from durak_core.game.record import Record
from durak_core.lab.matches.game import FINDINGS, GameSummary

Seed: TypeAlias = int
"""A seed, 0 to 2^63 - 1."""


@dataclass(frozen=True, slots=True)
class DecisionRow:
    """One decision of a recorded game.

    Attributes:
        game: Number of the game in the input, from 1.
        ply: Number of the decision in the game, from 1.
        observation: The seat's observation, in position notation.
        legal: Legal actions, separated by spaces.
        result: 1 for a win, 0.5 for a draw, 0 for the fool; None if the game is unfinished.
        findings: Search info as JSON, or None.
    """

    game: int
    ply: int
    rules: str
    seat: int
    agent: str
    observation: str
    legal: str
    action: str
    result: float | None
    findings: str | None


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
}
"""Parquet types by a field's annotation."""

COLUMNS: Final = tuple([field.name for field in fields(DecisionRow)])

_BATCH: Final = 10_000


def decision_rows(records: Iterable[Record]) -> Iterator[DecisionRow]:
    """Yield a row for each decision, in order; raises `RecordError` if a game has an illegal action."""
    for number, record in enumerate(records, 1):
        rules, ended = record.rules, GameSummary.of(record)
        findings = record.extra.get(FINDINGS)
        if not isinstance(findings, list) or len(findings) != len(record.moves):
            findings = [None] * len(record.moves)
        for ply, (state, move, found) in enumerate(
            zip(record.replay(), record.moves, findings, strict=False), 1
        ):
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
    schema = pa.schema(
        [(field.name, parquet_type(PARQUET_TYPES[str(field.type)])) for field in fields(kind)],
        metadata=metadata,
    )
    sink = pa.BufferOutputStream()
    with parquet.ParquetWriter(sink, schema, compression="zstd") as writer:
        left = map(attrgetter(*names), rows)
        while batch := list(islice(left, _BATCH)):
            columns = dict(zip(names, zip(*batch, strict=True), strict=True))
            writer.write_table(pa.table(columns, schema=schema))
    write_bytes_atomically(path, sink.getvalue().to_pybytes())
