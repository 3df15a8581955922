"""Tables of figures: on the terminal, as Markdown and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from rich.table import Table

from durak_core.arena.experiments.markdown import markdown_table
from durak_core.arena.results.tally import AgentTally
from durak_core.cli.output import console
from durak_core.statistics import Share

_NAME: Final = 10
"""Columns that a row's name has at least; a longer one is folded."""

_SHARES: Final = {True: "score", False: "share of lost games"}


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table of texts; the first column names the row.

    Attributes:
        header: The columns' names.
        rows: The rows.
    """

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def print(self) -> None:
        """Print it; it may be wider than the terminal, but no figure is ever cut off."""
        out = console()
        table = Table()
        table.add_column(self.header[0], overflow="fold", min_width=_NAME)
        for name in self.header[1:]:
            table.add_column(name, justify="right", no_wrap=True)
        columns = list(zip(*[self.header, *self.rows], strict=True))[1:]
        for row in self.rows:
            table.add_row(*row)
        least = 4 + _NAME + sum(3 + max(map(len, column)) for column in columns)
        out.width = max(out.width, least)
        out.print(table)

    def markdown(self) -> str:
        """Return it as Markdown, line end included."""
        return markdown_table(self.header, self.rows)


def csv_text(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table as CSV (RFC 4180, but with line feeds)."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()


def percent_text(share: float) -> str:
    """Return a share as a percentage."""
    return f"{100 * share:.1f} %"


def interval_text(share: Share) -> str:
    """Return both ends of a share's interval, in percent."""
    return f"{100 * share.low:.1f} to {100 * share.high:.1f}"


def milliseconds_text(seconds: float) -> str:
    """Return a duration in milliseconds."""
    return f"{1000 * seconds:,.3f}" if seconds < 0.001 else f"{1000 * seconds:,.1f}"


def first_line(first: Share, seats: int) -> str:
    """Say what attacking first is worth.

    Args:
        first: The first attacker's score with two seats, else its share of lost games.
        seats: How many play.
    """
    return (
        f"whoever attacks first: {_SHARES[seats == 2]} {percent_text(first.value)} "
        f"({interval_text(first)}), without an advantage {percent_text(1 / seats)}"
    )


def draws_line(draws: Share) -> str:
    """Say how many games had no fool."""
    return f"draws: {percent_text(draws.value)} ({interval_text(draws)})"


def forfeits_line(agents: Iterable[AgentTally]) -> list[str]:
    """Say who lost games because its program failed; no line where nobody did."""
    forfeits = [f"{agent.forfeits} by {agent.text}" for agent in agents if agent.forfeits]
    return [f"forfeited: {', '.join(forfeits)}"] if forfeits else []
