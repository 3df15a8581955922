"""How commands write: lines and cards in colour, result tables, checks of target files, and progress."""

from __future__ import annotations

import csv
import io
import json
import math
import os
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any, Final

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from durak_core.cards import Card, CardSet, Suit
from durak_core.cli.choices import Command, WorkersChoice, rules_options, seed_option, workers_options
from durak_core.errors import FileError
from durak_core.files import check_writable, is_replaced, write_text_atomically
from durak_core.interrupts import exit_code, uninterrupted
from durak_core.lab.experiments.report import markdown_table
from durak_core.lab.matches.game import GameSummary
from durak_core.lab.matches.match import Match
from durak_core.lab.matches.saved_games import SavedGames
from durak_core.lab.matches.schedule import play_matches
from durak_core.lab.own_agents.origins import AgentOrigin
from durak_core.lab.own_agents.reading import files_of
from durak_core.lab.stats.match_results import AgentTally, MatchTally, ResultMeasure
from durak_core.statistics import Share, three_digits

_SUIT_STYLES: Final = {
    Suit.SPADES: "bold",
    Suit.HEARTS: "bold red",
    Suit.DIAMONDS: "bold bright_blue",
    Suit.CLUBS: "bold green",
}


def console() -> Console:
    """Return a console on the current stdout that prints texts as they are."""
    return Console(highlight=False, markup=False, emoji=False)


def print_lines(*lines: Text | str) -> None:
    """Print lines; the terminal wraps long ones."""
    out = console()
    for line in lines:
        out.print(line, soft_wrap=True)


def card_text(card: Card) -> Text:
    return Text(card.pretty, style=_SUIT_STYLES[card.suit])


def sorted_cards(hand: CardSet, trump: Suit | None) -> list[Card]:
    """Sort a hand by suit, low to high, trumps last."""
    return sorted(hand, key=lambda card: (card.suit == trump, card.suit, card.rank))


def hand_text(cards: Iterable[Card]) -> Text:
    return Text(" ").join(map(card_text, cards))


def check_targets(*paths: Path | None, inputs: Iterable[Path | None] = ()) -> None:
    """Raise `FileError` for the first file that cannot be written, before the work for it begins.

    That includes files that would replace an input, another target or Python source, such as an own agent's.
    """
    taken = {os.path.realpath(path) for path in inputs if path}
    for path in filter(None, paths):
        check_writable(path)
        if not is_replaced(path):
            continue
        target = os.path.realpath(path)
        if target in taken:
            raise FileError("{path} is read or written already: expected another file", path=path)
        if target.endswith(".py"):
            raise FileError("{path} would replace source code: expected a name without .py", path=path)
        taken.add(target)


@contextmanager
def progress(total: int, what: str = "playing", *, shown: bool = True) -> Iterator[Callable[[], None]]:
    """Show a bar on a terminal, otherwise a line a minute; call the yielded function after each step."""
    err = Console(stderr=True)
    if not shown:
        yield lambda: None
        return
    if not err.is_terminal:
        yield _line_a_minute(total, what)
        return
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=err, transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda: bar.advance(task)


def _line_a_minute(total: int, what: str) -> Callable[[], None]:
    done, printed = 0, monotonic()

    def step() -> None:
        nonlocal done, printed
        done += 1
        if monotonic() - printed >= _MINUTE and done < total:
            printed = monotonic()
            click.echo(f"{what}: {done:,} of {total:,}", err=True)

    return step


_MINUTE: Final = 60.0

_NAME: Final = 10
"""Minimum width of the first column; longer names fold."""
_TEAM: Final = 12
"""Maximum length of an unfolded team spec."""


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table of strings with row names in the first column."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def print(self) -> None:
        """Print the table, widening the console so that no figure is cut off."""
        out = console()
        columns = list(zip(*[self.header, *self.rows], strict=True))[1:]
        least = 4 + _NAME + sum(3 + max(map(len, column)) for column in columns)
        out.width = max(out.width, least)
        out.print(self.to_rich(_NAME))

    def to_rich(self, name_width: int | None = None) -> Table:
        """Return the table for rich, with a minimum width of the first column."""
        table = Table()
        table.add_column(self.header[0], overflow="fold", min_width=name_width)
        for name in self.header[1:]:
            table.add_column(name, justify="right", no_wrap=True)
        for name, *figures in self.rows:
            table.add_row(name.replace("+", "+\n") if len(name) > _TEAM else name, *figures)
        return table

    def markdown(self) -> str:
        return markdown_table(self.header, self.rows)


@dataclass(frozen=True, slots=True)
class Section:
    """A section of output: title, tables and notes."""

    title: str
    tables: tuple[TextTable, ...]
    lines: list[str]

    def print(self) -> None:
        if self.title:
            print_lines(self.title)
        for table in self.tables:
            table.print()
        print_lines(*self.lines)

    def markdown(self) -> str:
        title = [f"## {self.title}\n"] if self.title else []
        listed = "".join([f"- {line}\n" for line in self.lines])
        return "\n".join([*title, *[table.markdown() for table in self.tables], listed])


def write_sections(path: Path | None, sections: Iterable[Section]) -> None:
    if path:
        write_text_atomically(path, "\n".join([section.markdown() for section in sections]))


def write_json(path: Path | None, told: object) -> None:
    if path:
        write_text_atomically(path, json.dumps(told, indent=1, ensure_ascii=False) + "\n")


def write_csv(path: Path | None, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write a table as CSV (RFC 4180, but with line feeds) if a path is given."""
    if path:
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)
        write_text_atomically(path, text.getvalue())


def result_heads(measure: ResultMeasure) -> tuple[str, ...]:
    return ("wins", "draws", "losses", measure.phrase, "95 %")


def result_cells(agent: AgentTally) -> tuple[str, ...]:
    counts = (f"{agent.wins}", f"{agent.draws}", f"{agent.losses}")
    return (*counts, percent_text(agent.share.value), interval_text(agent.share))


def results_table(
    heads: tuple[str, ...],
    results: Iterable[tuple[tuple[str, ...], AgentTally]],
    measure: ResultMeasure,
    timed: Iterable[AgentTally],
) -> TextTable:
    """Return a table with a row per result, and time columns if any of ``timed`` was timed."""
    times = time_heads(timed)
    rows = [(*names, *result_cells(agent), *time_cells(agent, times)) for names, agent in results]
    return TextTable((*heads, *result_heads(measure), *times), tuple(rows))


def shown_name(agent: AgentTally) -> str:
    """Return an agent's spec, with the name an external engine reports."""
    return f"{agent.text} ({agent.name})" if agent.name else agent.text


def time_heads(agents: Iterable[AgentTally]) -> tuple[str, ...]:
    """Return the headings of `time_cells`: CPU and wall time with external engines, none if not timed."""
    listed = tuple(agents)
    if any(agent.name for agent in listed):
        return ("CPU ms a move", "wall ms a move")
    return ("ms a move",) if any(agent.seconds for agent in listed) else ()


def time_cells(agent: AgentTally, heads: Sequence[str]) -> tuple[str, ...]:
    """Return the mean CPU and wall time per move, as many as ``heads``."""
    return tuple(map(milliseconds_text, (agent.seconds_a_move, agent.waited_a_move)))[: len(heads)]


def percent_text(share: float) -> str:
    return f"{100 * share:.1f} %"


def interval_text(share: Share) -> str:
    return f"{100 * share.low:.1f} to {100 * share.high:.1f}"


def milliseconds_text(seconds: float) -> str:
    if math.isnan(seconds):
        return "needs psutil"
    return three_digits(1000 * seconds)


def first_line(first: Share, teams: int) -> str:
    """Return a note on the first attacker's score or loss rate."""
    return (
        f"first attacker: {ResultMeasure.of(teams).phrase} {percent_text(first.value)} "
        f"({interval_text(first)}), without an advantage {percent_text(1 / teams)}"
    )


def draws_line(draws: Share) -> str:
    return f"draws: {percent_text(draws.value)} ({interval_text(draws)})"


def origins_lines(matches: Iterable[Match]) -> list[str]:
    """Return a line for each own agent and file: its name, version and digest."""
    origins = dict.fromkeys([AgentOrigin(**told) for match in matches for told in match.origins.values()])
    return [f"{'own agent' if ':' in origin.name else 'file'}: {origin}" for origin in origins]


def forfeits_line(agents: Iterable[AgentTally]) -> list[str]:
    forfeits = [f"{agent.forfeits} by {agent.text}" for agent in agents if agent.forfeits]
    return [f"forfeited: {', '.join(forfeits)}"] if forfeits else []


def playing_options(command: Command) -> Command:
    return rules_options(seed_option(workers_options(command)))


def count_games(
    played: Generator[tuple[int, GameSummary], None, None],
    count: Callable[[int, GameSummary], object],
    total: int,
    heading: str,
    *,
    with_bar: bool = True,
) -> bool:
    """Print a heading and count games; return False after Ctrl+C, which prints a note to stderr.

    Ctrl+C before the first game ends the command, for example while code is compiled.

    ``count`` receives the match index and the game, and returns a true value to stop.
    """
    games = 0
    try:
        click.echo(heading)
        with closing(played), progress(total, shown=with_bar) as step:
            for place, game in played:
                with uninterrupted():
                    is_enough = count(place, game)
                    games += 1
                step()
                if is_enough:
                    break
    except KeyboardInterrupt:
        if not games:
            click.echo("interrupted before the first game", err=True)
            raise click.exceptions.Exit(exit_code()) from None
        click.echo(f"interrupted after {games} games", err=True)
        return False
    return True


def input_files(matches: Iterable[Match]) -> list[Path]:
    """Return the files that options of the players name."""
    return files_of(player for match in matches for player in match.named)


@contextmanager
def kept_games(
    path: Path | None, matches: Sequence[Match], tournament: Mapping[str, Any] | None = None
) -> Iterator[SavedGames | None]:
    """Context manager of the resume file, if any; prints its number of games. Errors as for `SavedGames`."""
    if path is None:
        yield None
        return
    with SavedGames(path, matches, tournament) as saved:
        if saved.finished:
            click.echo(f"{len(saved.finished)} games were finished before")
        yield saved


def count_matches(
    matches: Sequence[Match], workers: WorkersChoice, heading: str, resume: Path | None = None
) -> tuple[list[MatchTally], bool]:
    """Play matches; return their tallies and whether all games were played."""
    counted = [MatchTally.of(match) for match in matches]
    with workers.opened() as jobs, kept_games(resume, matches) as saved:
        total = sum(match.games for match in matches)
        played = play_matches(matches, jobs, saved)
        return counted, count_games(played, lambda place, game: counted[place].add(game), total, heading)
