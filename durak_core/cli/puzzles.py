"""`durak puzzles`: find endgames with a single good move, list them, show them, solve them."""

from __future__ import annotations

import json
import sys
from contextlib import closing, nullcontext
from pathlib import Path
from typing import Final

import click
from rich.text import Text

from durak_core.actions import parse_action
from durak_core.cli.choices import RulesChoice, file_option, games_option, rules_options, seed_option
from durak_core.cli.game_words import GameWords
from durak_core.cli.output import card_text, check_targets, console, progress
from durak_core.cli.tables import TextTable
from durak_core.errors import ActionError, NotationError
from durak_core.files import GrowingFile
from durak_core.game.state import State
from durak_core.puzzles.attempt import Attempt
from durak_core.puzzles.collection import SHIPPED, Collection, read_collection
from durak_core.puzzles.puzzle import Puzzle, write_puzzle
from durak_core.puzzles.solution import Solutions
from durak_core.puzzles.themes import THEMES
from durak_core.search.backend.backend import backend

_GIVE_UP: Final = "show"
_GOALS: Final = {"win": "win", "draw": "draw, for nothing wins"}


@click.group()
def puzzles() -> None:
    """Endgames without hidden cards in which a single action keeps the win or the draw."""


_file_option = click.option(
    "--file",
    type=click.Path(path_type=Path),
    default=SHIPPED,
    metavar="FILE",
    help="A file of puzzles; by default those of this package.",
)
_json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
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
def make(  # noqa: PLR0913 - an argument for each option
    *, games: int, seed: int, rules: RulesChoice, least: int, jobs: int, out: Path | None
) -> None:
    """Play games between agents and print the puzzles in them, at most one of a game.

    Games have the seeds S, S + 1 and so on, so that a search goes on where another one ended.
    """
    from durak_core.puzzles.finding import find_puzzles  # noqa: PLC0415 - brings what plays games

    check_targets(out)
    known = read_collection(out) if out is not None and out.exists() else Collection("", ())
    old = [known.puzzle(number) for number in range(1, len(known) + 1)]
    count = done = 0
    try:
        with (
            GrowingFile(out) if out else nullcontext() as file,
            progress(games) as advance,
            closing(find_puzzles(rules.rules(), range(seed, seed + games), old, jobs)) as found,
        ):
            write = file.write_line if file else click.echo
            for puzzle in old if file else ():
                write(write_puzzle(puzzle))
            for one in found:
                done += 1
                if one is not None and one.rating >= least:
                    count += 1
                    write(write_puzzle(one))
                advance()
    finally:
        click.echo(f"{count} puzzles in {done:,} games; go on with --seed {seed + done}", err=True)


@puzzles.command("list")
@_file_option
@click.option("--theme", type=click.Choice(list(THEMES)), help="Only the puzzles of a theme.")
@_json_option
def list_puzzles(*, file: Path, theme: str | None, as_json: bool) -> None:
    """List puzzles without their solutions; JSON has these too."""
    faults: list[NotationError] = []
    chosen = [
        (number, puzzle)
        for number, puzzle in read_collection(file).sound(faults)
        if theme is None or theme in puzzle.themes
    ]
    if as_json:
        click.echo(json.dumps({"puzzles": [_as_json(*one) for one in chosen]}))
    else:
        rows = [
            (f"{number}", f"{puzzle.rating}", puzzle.goal, _cards(puzzle.state), puzzle.state.rules.text)
            for number, puzzle in chosen
        ]
        TextTable(("puzzle", "rating", "goal", "cards", "rules"), tuple(rows)).print()
    for fault in faults:
        click.echo(f"Error: {fault}", err=True)
    if faults:
        raise click.exceptions.Exit(2)


@puzzles.command()
@_number_argument
@_file_option
@_json_option
def show(*, number: int, file: Path, as_json: bool) -> None:
    """Show puzzle N with its solution."""
    puzzle = read_collection(file).puzzle(number)
    if as_json:
        click.echo(json.dumps(_as_json(number, puzzle)))
        return
    _print_puzzle(number, puzzle)
    titles = ", ".join(THEMES[key].title.lower() for key in puzzle.themes)
    click.echo(f"solution: {puzzle.action}{f' ({titles})' if titles else ''}")
    click.echo(puzzle.position)


@puzzles.command()
@_number_argument
@_file_option
def solve(*, number: int, file: Path) -> None:
    """Solve puzzle N: find every move, by its text, against the longest defence.

    The word show gives up a move.
    """
    puzzle = read_collection(file).puzzle(number)
    attempt = Attempt(puzzle, Solutions(backend("search")))
    _print_puzzle(number, puzzle)
    words = _words(attempt.state)
    while not attempt.is_over:
        click.echo(f"{' '.join(map(str, attempt.state.legal_actions))}? ", nl=False)
        text = sys.stdin.readline()
        if not text:
            click.echo("\nnot solved")
            raise click.exceptions.Exit(1)
        if text.strip():
            _try(attempt, words, text.strip())
    click.echo("solved" if not attempt.mistakes else f"solved, with mistakes: {attempt.mistakes}")


def _try(attempt: Attempt, words: GameWords, text: str) -> None:
    """Play what somebody has typed, and tell what became of it."""
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


def _cards(state: State) -> str:
    """Say how many cards are in the hands, those of the seat to act first."""
    own = state.turn or 0
    return " + ".join(map(str, (*state.hand_sizes[own:], *state.hand_sizes[:own])))


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
