"""Markdown tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: bool = True) -> str:
    """Return a table, newline included; all columns but the first are right-aligned if they hold numbers."""
    rule = ["---", *["---:" if numbers else "---"] * (len(header) - 1)]
    escaped = [[word.replace("|", "\\|") for word in row] for row in (header, rule, *rows)]
    return "".join([f"| {' | '.join(row)} |\n" for row in escaped])
