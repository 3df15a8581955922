"""`durak puzzles`: find positions with a single good move, list them, show them, solve them."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterable
from contextlib import closing, nullcontext
from pathlib import Path
from typing import Any, Final, TypeVar

import click
from rich.text import Text

from durak_core.actions import parse_action
from durak_core.cli import hidden_puzzles
from durak_core.cli.choices import RulesChoice, file_option, games_option, rules_options, seed_option
from durak_core.cli.game_words import GameWords
from durak_core.cli.output import card_text, check_targets, console, progress
from durak_core.cli.tables import TextTable
from durak_core.errors import ActionError, NotationError
from durak_core.files import GrowingFile
from durak_core.game.state import State
from durak_core.lab.matches.players import make_ready
from durak_core.lab.workers.pool import run_in_order
from durak_core.puzzles.attempt import Attempt
from durak_core.puzzles.collection import (
    SHIPPED,
    SHIPPED_HIDDEN,
    Collection,
    holds_hidden,
    read_collection,
    read_hidden_collection,
)
from durak_core.puzzles.grading import GRADERS
from durak_core.puzzles.hidden import HiddenPuzzle, write_hidden_puzzle
from durak_core.puzzles.puzzle import Puzzle, write_puzzle
from durak_core.puzzles.solution import Solutions
from durak_core.puzzles.themes import THEMES
from durak_core.rules import Rules
from durak_core.search.backend.backend import backend

_Kind = TypeVar("_Kind", Puzzle, HiddenPuzzle)

_GIVE_UP: Final = "show"
_HEADS: Final = ("puzzle", "rating", "goal", "cards", "rules")
_GOALS: Final = {"win": "win", "draw": "draw, for nothing wins"}


@click.group()
def puzzles() -> None:
    """Endgames in which a single action keeps the win or the draw, and with --hidden, what would you play?

    Those with hidden cards are decisions of a game in which one action is much better than all others.
    """


_file_option = click.option(
    "--file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A file of puzzles; by default those of this package.",
)
_json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
_hidden_option = click.option(
    "--hidden", is_flag=True, help="Puzzles with hidden cards; a file tells of itself."
)
_number_argument = click.argument("number", type=int, metavar="N")


@puzzles.command()
@games_option(100, "How many games to look through.")
@seed_option
@rules_options
@click.option(
    "--least", type=click.IntRange(0, 9999), default=0, metavar="R", help="Keep only puzzles rated R or more."
)
@click.option(
    "--jobs", type=click.IntRange(min=0), default=1, show_default=True, help="Processes, 0 for one per core."
)
@file_option("--out", help="Write the puzzles to a file; those that it holds already stay before them.")
@_hidden_option
def make(  # noqa: PLR0913 - an argument for each option
    *, games: int, seed: int, rules: RulesChoice, least: int, jobs: int, out: Path | None, hidden: bool
) -> None:
    """Play games between agents and print the puzzles in them, at most one of a game.

    Games have the seeds S, S + 1 and so on, so that a search goes on where another one ended.
    """
    from durak_core.puzzles import finding  # noqa: PLC0415 - brings what searches

    check_targets(out)

    def run(
        search: Callable[[Rules, int], Any], games: Iterable[tuple[Rules, int]]
    ) -> Generator[Any, None, None]:
        make_ready((*finding.PLAYERS, *[grader.text for grader in GRADERS]))  # once, not in each process
        yield from run_in_order(search, games, jobs)

    seeds = range(seed, seed + games)
    known = out if out is not None and out.exists() else None
    if hidden:
        held = _all_of(read_hidden_collection(known)) if known else []
        search = finding.find_hidden_puzzles(rules.rules(), seeds, held, run)
        _keep(search, held, write_hidden_puzzle, seeds, least, out)
    else:
        old = _all_of(read_collection(known)) if known else []
        _keep(finding.find_puzzles(rules.rules(), seeds, old, run), old, write_puzzle, seeds, least, out)


def _all_of(collection: Collection[_Kind]) -> list[_Kind]:
    return [collection.puzzle(number) for number in range(1, len(collection) + 1)]


def _keep(  # noqa: PLR0913, PLR0917 - the options of `make`, and what they mean
    search: Generator[_Kind | None, None, None],
    known: list[_Kind],
    text: Callable[[_Kind], str],
    seeds: range,
    least: int,
    out: Path | None,
) -> None:
    """Write what is found, behind what a file held; say where to go on, whatever happens."""
    count = done = 0
    try:
        with (
            GrowingFile(out) if out else nullcontext() as file,
            progress(len(seeds)) as advance,
            closing(search) as found,
        ):
            write = file.write_line if file else click.echo
            for puzzle in known if file else ():
                write(text(puzzle))
            for one in found:
                done += 1
                if one is not None and one.rating >= least:
                    count += 1
                    write(text(one))
                advance()
    finally:
        click.echo(f"{count} puzzles in {done:,} games; go on with --seed {seeds.start + done}", err=True)


@puzzles.command("list")
@_file_option
@click.option("--theme", type=click.Choice(list(THEMES)), help="Only the puzzles of a theme.")
@_hidden_option
@_json_option
def list_puzzles(*, file: Path | None, theme: str | None, hidden: bool, as_json: bool) -> None:
    """List puzzles without their solutions; JSON has these too."""
    if _is_hidden(file, hidden=hidden):
        found = read_hidden_collection(file or SHIPPED_HIDDEN)
        _list(
            found,
            theme,
            hidden_puzzles.HEADS,
            hidden_puzzles.row,
            hidden_puzzles.as_json if as_json else None,
        )
    else:
        _list(read_collection(file or SHIPPED), theme, _HEADS, _row, _as_json if as_json else None)


def _is_hidden(file: Path | None, *, hidden: bool) -> bool:
    """Tell of which kind the puzzles are: a file is asked, for those of this package the option."""
    return hidden if file is None else holds_hidden(file)


def _list(
    collection: Collection[_Kind],
    theme: str | None,
    heads: tuple[str, ...],
    row: Callable[[int, _Kind], tuple[str, ...]],
    form: Callable[[int, _Kind], dict[str, object]] | None,
) -> None:
    faults: list[NotationError] = []
    chosen = [one for one in collection.sound(faults) if theme is None or theme in one[1].themes]
    if form:
        click.echo(json.dumps({"puzzles": [form(*one) for one in chosen]}))
    else:
        TextTable(heads, tuple([row(*one) for one in chosen])).print()
    for fault in faults:
        click.echo(f"Error: {fault}", err=True)
    if faults:
        raise click.exceptions.Exit(2)


@puzzles.command()
@_number_argument
@_file_option
@_hidden_option
@_json_option
def show(*, number: int, file: Path | None, hidden: bool, as_json: bool) -> None:
    """Show puzzle N with its solution."""
    if _is_hidden(file, hidden=hidden):
        decision = read_hidden_collection(file or SHIPPED_HIDDEN).puzzle(number)
        if as_json:
            click.echo(json.dumps(hidden_puzzles.as_json(number, decision)))
        else:
            hidden_puzzles.show(number, decision)
        return
    puzzle = read_collection(file or SHIPPED).puzzle(number)
    if as_json:
        click.echo(json.dumps(_as_json(number, puzzle)))
        return
    _print_puzzle(number, puzzle)
    click.echo(hidden_puzzles.solution_line(puzzle))
    click.echo(puzzle.position)


@puzzles.command()
@_number_argument
@_file_option
@_hidden_option
def solve(*, number: int, file: Path | None, hidden: bool) -> None:
    """Solve puzzle N: find every move, by its text, against the longest defence.

    With hidden cards there is one move to find. The word show gives up a move.
    """
    if _is_hidden(file, hidden=hidden):
        hidden_puzzles.solve(number, read_hidden_collection(file or SHIPPED_HIDDEN).puzzle(number), _GIVE_UP)
        return
    puzzle = read_collection(file or SHIPPED).puzzle(number)
    attempt = Attempt(puzzle, Solutions(backend("search")))
    _print_puzzle(number, puzzle)
    words = _words(attempt.state)
    while not attempt.is_over:
        if text := hidden_puzzles.ask_move(attempt.state.legal_actions):
            _try(attempt, words, text)
    click.echo("solved" if not attempt.mistakes else f"solved, with mistakes: {attempt.mistakes}")


def _try(attempt: Attempt, words: GameWords, text: str) -> None:
    """Play the move that was typed, and print what follows."""
    before = len(attempt.states)
    try:
        if text == _GIVE_UP:
            attempt.mistakes += 1
            right = attempt.play(attempt.answers[0])
        else:
            right = attempt.play(parse_action(text))
    except ActionError as error:
        click.echo(str(error))
        return
    if not right:
        click.echo(f"{text} lets the {attempt.puzzle.goal} slip")
        return
    out = console()
    for last, state in zip(attempt.states[before - 1 :], attempt.states[before:], strict=False):
        for event in words.news(last, state):
            out.print(words.event(event), soft_wrap=True)
    if not attempt.is_over:
        _print_state(attempt.state)


def _print_puzzle(number: int, puzzle: Puzzle) -> None:
    rules = puzzle.state.rules.text
    click.echo(f"puzzle {number}, rating {puzzle.rating}, {rules}: you move and {_GOALS[puzzle.goal]}")
    _print_state(puzzle.state)


def _print_state(state: State) -> None:
    words = _words(state)
    trump = state.trump_card
    line = Text("trump ") + (card_text(trump) if trump else Text("none"))
    if state.talon:
        line += Text(", still to be drawn")
    for pair in state.table:
        line += Text("   ") + (words.cards([pair.defence]) + Text("x") if pair.defence else Text())
        line += words.cards([pair.attack])
    out = console()
    for row in (line, *words.hands(state)):
        out.print(row, soft_wrap=True)


def _words(state: State) -> GameWords:
    return GameWords(state.rules, ["you" if seat == state.turn else "" for seat in range(state.rules.seats)])


def _row(number: int, puzzle: Puzzle) -> tuple[str, ...]:
    state = puzzle.state
    cards = hidden_puzzles.own_first(state.hand_sizes, state.turn or 0)
    return f"{number}", f"{puzzle.rating}", puzzle.goal, cards, state.rules.text


def _as_json(number: int, puzzle: Puzzle) -> dict[str, object]:
    return {
        "number": number,
        "rating": puzzle.rating,
        "goal": puzzle.goal,
        "action": str(puzzle.action),
        "themes": list(puzzle.themes),
        "legal": [str(action) for action in puzzle.state.legal_actions],
        "position": puzzle.position,
    }
