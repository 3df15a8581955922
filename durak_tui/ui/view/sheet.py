"""What a table of many lines shows: its columns, and the texts beneath them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Column:
    """A column.

    Attributes:
        width: Its cells; 0 for all that is left, which one column of a sheet may take.
        least: Width of the sheet from which on the column is shown.
    """

    name: str
    title: str
    width: int = 0
    right: bool = False
    least: int = 0


@dataclass(frozen=True, slots=True)
class Cell:
    """What stands under a column: ``good``, ``bad``, ``muted``, ``strong`` or of no kind."""

    text: str
    kind: str = ""
