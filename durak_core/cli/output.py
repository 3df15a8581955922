"""How commands write: cards in colour, games in words, result tables, and progress; target files."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from string import Formatter
from time import monotonic
from typing import Any, Final, TypeAlias

import click
from rich.cells import cell_len
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from durak_core.actions import Action
from durak_core.agents.base import Decision
from durak_core.cards import Card, CardSet, Suit
from durak_core.cli.choices import Command, WorkersChoice, rules_options, seed_option, workers_options
from durak_core.errors import DurakError, FileError, printable
from durak_core.files import check_writable, is_replaced, write_text_atomically
from durak_core.game import events
from durak_core.game.events import BoutBegan, Event
from durak_core.game.files import scan_games
from durak_core.game.observation import TablePair
from durak_core.game.state import State
from durak_core.game.state_view import checked_seat
from durak_core.interrupts import exit_code, uninterrupted
from durak_core.lab.experiments.report import markdown_table
from durak_core.lab.matches.match import GameSummary, Match
from durak_core.lab.matches.schedule import SavedGames, play_matches
from durak_core.lab.own_agents.origins import AgentOrigin
from durak_core.lab.own_agents.reading import files_of
from durak_core.lab.stats.match_results import AgentTally, MatchTally, ResultMeasure
from durak_core.rules import Rules
from durak_core.search.search_result import SearchResult
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
    """Sort a hand by suit, low to high, then trumps, jokers last."""
    return sorted(hand, key=lambda card: (card.is_joker, card.is_of(trump), card.suit, card.rank))


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
def progress(
    total: int, what: str = "playing", *, shown: bool = True, done: int = 0
) -> Iterator[Callable[..., None]]:
    """Show a bar on a terminal, otherwise a line a minute, with the rate and the time left.

    Call the yielded function after each step, or with a number of steps. ``done`` were done before.
    """
    err = Console(stderr=True)
    if not shown:
        yield lambda _=1: None
        return
    if not err.is_terminal:
        yield _line_a_minute(total, what, done)
        return
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), _RateColumn(), TimeRemainingColumn())
    with Progress(*columns, console=err, transient=True, redirect_stdout=sys.stdout.isatty()) as bar:
        task = bar.add_task(what, total=total, completed=done)
        yield lambda steps=1: bar.advance(task, steps)


class _RateColumn(ProgressColumn):
    def render(self, task: Task) -> Text:
        return Text(f"{task.speed:,.0f} a second" if task.speed else "")


def _line_a_minute(total: int, what: str, before: int) -> Callable[..., None]:
    done, began = before, monotonic()
    printed = began

    def step(steps: int = 1) -> None:
        nonlocal done, printed
        done += steps
        if monotonic() - printed >= _MINUTE and done < total:
            printed = monotonic()
            rate = (done - before) / (printed - began)
            left = timedelta(seconds=round((total - done) / rate)) if rate else "unknown"
            click.echo(f"{what}: {done:,} of {total:,}, {rate:,.1f} a second, {left} left", err=True)

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


def results_tables(
    heads: tuple[str, ...],
    results: Iterable[tuple[tuple[str, ...], AgentTally]],
    measure: ResultMeasure,
    timed: Iterable[AgentTally],
) -> tuple[TextTable, ...]:
    """Return a table with a row per result, and one of times, which no rerun repeats, if any was measured."""
    listed, times = tuple(results), time_heads(timed)
    rows = tuple([(*names, *result_cells(agent)) for names, agent in listed])
    took = tuple([(*names, *time_cells(agent, times)) for names, agent in listed])
    tables = TextTable((*heads, *result_heads(measure)), rows), TextTable((*heads, *times), took)
    return tables if times else tables[:1]


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
    games = 0
    with suppress(DurakError):  # `SavedGames` explains it
        games = sum(1 for _ in scan_games(path))
    with progress(games, "reading", shown=games > 0) as step:
        kept = SavedGames(path, matches, tournament, step)
    with kept as saved:
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


_DEEDS: Final[dict[type, str]] = {
    events.Attacked: "plays {card}",
    events.Defended: "beats {target} with {card}",
    events.Transferred: "transfers with {card} to seat {defender}",
    events.TrumpShown: "transfers by showing {card} to seat {defender}",
    events.Passed: "passes",
    events.TookUp: "takes",
    events.Exchanged: "exchanges {given} for {taken}",
    events.BeatenOff: "has beaten off the attack",
    events.WentOut: "is out, place {place}",
    events.TableTaken: "takes up {cards}",
    events.Drew: "draws {cards}",
}
"""What a seat does in an event; the fields are the event's attributes."""


def seat_names(players: Iterable[str]) -> list[str]:
    return [f"seat {seat} {printable(name)}".rstrip() for seat, name in enumerate(players)]


class GameWords:
    """Describes events and hands.

    Args:
        seat: Whose view, or None for all cards.
        in_colour: Whether cards have symbols and colours, or the letters of docs/notation.md.

    Attributes:
        seat: Whose view; None also in an open game (rules 9.3).

    Raises:
        DealError: If the game has no such seat.
    """

    def __init__(
        self, rules: Rules, players: Iterable[str], seat: int | None = None, *, in_colour: bool = True
    ) -> None:
        if seat is not None:
            checked_seat(rules, seat)
        self.seat = None if rules.visibility == "open" else seat
        self.names = seat_names(players)
        self._rules = rules
        self._in_colour = in_colour
        self._width = max(map(cell_len, self.names))

    def sees(self, seat: int) -> bool:
        return self.seat in (None, seat)

    def cards(self, cards: Iterable[Card]) -> Text:
        return Text(" ").join(map(self._card, cards))

    def hands(self, state: State) -> list[Text]:
        """Return each seat's name and hand, or only the number of cards if they are hidden."""
        lines = []
        for seat, (name, hand) in enumerate(zip(self.names, state.hands, strict=True)):
            line = Text(f"{name}{' ' * (self._width - cell_len(name))}  ")
            if hand and self.sees(seat):
                line += self.cards(sorted_cards(hand, state.trump_suit))
            else:
                line.append(_count(len(hand)) if hand else "no cards")
            lines.append(line)
        return lines

    def table(self, state: State) -> Text:
        """Return the table, the sizes of talon and discard pile, and the trump."""
        pairs = list(map(self.pair, state.table))
        trump = state.trump_card
        line = Text("table ") + (Text(" ").join(pairs) if pairs else Text("empty"))
        line.append(f"   talon {len(state.talon)}   gone {len(state.discards)}   trump ")
        return line + (self._card(trump) if trump else Text("none"))

    def pair(self, pair: TablePair) -> Text:
        attack = self.cards([pair.attack])
        return self.cards([pair.defence]) + Text("x") + attack if pair.defence else attack

    def news(self, before: State, after: State) -> tuple[Event, ...]:
        """Return the events between a state and a later one of the same game."""
        return self._events(after)[len(self._events(before)) :]

    def event(self, event: Event) -> Text:
        match event:
            case events.BoutBegan(bout, attacker, defender, limit):
                who = f"{self.names[attacker]} attacks {self.names[defender]}"
                return Text(f"Bout {bout}: {who}, at most {_count(limit)}", style="bold")
            case events.GameEnded(_, stalled):
                why = f": {self._rules.stall_limit} taken bouts in a row (rules 8.5)" if stalled else ""
                return Text(f"the game is over{why}")
            case events.Drew(seat, count, None | ()):
                return Text(f"{self.names[seat]} draws {_count(count)}")
        line = Text(f"{self.names[event.seat]} ")
        for text, field, _, _ in Formatter().parse(_DEEDS[type(event)]):
            line.append(text)
            value = getattr(event, field) if field else ""
            if isinstance(value, int | str):
                line.append(str(value))
            else:
                line += self.cards([value] if isinstance(value, Card) else value)
        return line

    def _events(self, state: State) -> tuple[Event, ...]:
        return state.events if self.seat is None else state.observation(self.seat).events

    def _card(self, card: Card) -> Text:
        return card_text(card) if self._in_colour else Text(str(card))


def _count(cards: int) -> str:
    return "1 card" if cards == 1 else f"{cards} cards"


WriteLine: TypeAlias = Callable[[Text], None]


class GameLog:
    """Writes one game, action by action, with all cards or as one seat sees it; trumps are coloured.

    Raises:
        DealError: If the game has no such seat.
    """

    def __init__(
        self, state: State, players: Sequence[str], write: WriteLine, seat: int | None = None
    ) -> None:
        self._words = GameWords(state.rules, players, seat, in_colour=False)
        self._write_text = write
        self._start = state
        self._trumps = ""
        if state.trump_suit is not None:  # also in a defence such as 9cx8d
            self._trumps = rf"(?<![^\Wx])[2-9TJQKA]{state.trump_suit.letter}(?![^\Wx])"

    def begin(self, title: str, notes: Mapping[str, str] | None = None) -> None:
        state = self._start
        seed = "" if state.seed is None else f"  deal {state.seed}"
        self._write(f"{title}  rules {state.rules}{seed}")
        for name, note in (notes or {}).items():
            if note:
                self._write(f"  {name}: {printable(note)}")
        talon = self._words.cards(state.talon) if self._words.seat is None else f"{len(state.talon)} cards"
        self._write(f"  talon {talon or 'empty'}  trump {state.trump_card or 'none'}")
        self._bout(BoutBegan(state.bout, state.attacker, state.defender, state.limit), state)

    def move(
        self, state: State, action: Action, note: str = "", search_info: SearchResult | None = None
    ) -> None:
        """Write the action of the seat to act, the reason given in a note, and the consequences."""
        seat = state.turn or 0
        why = f": {printable(note)}" if note else ""
        if state.why_not(action) is not None:  # the player refuses it with all reasons
            self._write(f"  {self._words.names[seat]} chooses {action}{why}")
            return
        after = state.apply(action)
        deed, *rest = self._words.news(state, after)
        choice = ""
        if self._words.sees(seat):
            hand = sorted_cards(state.hands[seat], state.trump_suit)
            legal = " ".join(map(str, state.legal_actions))
            choice = f"  (hand {self._words.cards(hand)}; may {legal})"
        self._write(f"  {self._words.event(deed)}{why}{choice}")
        if search_info:
            self._write(f"    searched {search_info.effort}")
            for line in search_info.lines:
                ahead = " ".join(map(str, line.continuation))
                figures = f"{search_info.value_text(line):>8}{line.visits:>7,}"
                self._write(f"    {line.action!s:8}{figures}  {ahead}".rstrip())
        for event in rest:
            if isinstance(event, BoutBegan):
                self._bout(event, after)
            else:
                self._write(f"  {self._words.event(event)}")

    def end(self, line: str) -> None:
        self._write(line)
        self._write("")

    def _write(self, line: str) -> None:
        text = Text(line)
        if self._trumps:
            text.highlight_regex(self._trumps, "bold bright_blue")
        self._write_text(text)

    def _bout(self, event: BoutBegan, state: State) -> None:
        self._write(f" {self._words.event(event)}")
        for hand in self._words.hands(state):
            self._write(f"    {hand}")


class MatchLog:
    """Writes the games of a match as they are played.

    Pass `decided` to the match as its listener, and call `ended` after each game.
    """

    def __init__(self, match: Match, write: WriteLine) -> None:
        self._match = match
        self._write = write
        self._game = 0
        self._log: GameLog | None = None

    def decided(self, state: State, decision: Decision) -> None:
        search_info = decision.search_info() if decision.search_info else None
        self._begun(state).move(state, decision.action, str(decision.reason), search_info)

    def ended(self, game: GameSummary) -> None:
        match = self._match
        log = self._log
        if log is None:  # a program failed before any decision
            log = self._begun(State.deal(match.rules, match.deal_seed(game.number), game.first_attacker))
        log.end(match_line(match, game))
        self._log = None
        self._game = game.number + 1

    def _begun(self, state: State) -> GameLog:
        if self._log is None:
            self._log = GameLog(state, self._match.seated(self._game), self._write)
            self._log.begin(f"game {self._game + 1}")
        return self._log


def match_line(match: Match, game: GameSummary) -> str:
    return result_line(game.number + 1, match.rules, match.seated(game.number), game)


def result_line(number: int, rules: Rules, players: Sequence[str], game: GameSummary) -> str:
    """Return a game's result in one line; games are numbered from 1."""
    fools = () if game.fool is None else rules.members(game.fool)
    named = " and ".join([f"{printable(players[seat])} at seat {seat}" for seat in fools])
    ending = f"fool{'s' * (len(fools) > 1)}: {named}" if fools else "draw"
    forfeit = f", forfeited: {printable(game.forfeit)}" if game.forfeit else ""
    return f"game {number}: {ending}, {game.bouts} bouts, {game.plies} plies{forfeit}"
