"""Columns and cells of a sheet."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Column:
    """A column, shown from a ``least`` width of the sheet; a width of 0 takes the remaining cells."""

    name: str
    title: str
    width: int = 0
    right: bool = False
    least: int = 0


@dataclass(frozen=True, slots=True)
class Cell:
    """The text of a cell, and its style: ``good``, ``bad``, ``muted``, ``strong`` or empty."""

    text: str
    kind: str = ""
