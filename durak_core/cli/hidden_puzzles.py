"""What `durak puzzles --hidden` prints: decisions with hidden cards, and what the actions are worth."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Final

import click
from rich.text import Text

from durak_core.actions import Action
from durak_core.cli.output import card_text, console, hand_text, sorted_cards
from durak_core.cli.tables import TextTable
from durak_core.game.observation import Observation
from durak_core.puzzles.hidden import HiddenPuzzle
from durak_core.puzzles.puzzle import Puzzle
from durak_core.puzzles.themes import THEMES

HEADS: Final = ("puzzle", "rating", "cards", "talon", "rules")


def row(number: int, puzzle: HiddenPuzzle) -> tuple[str, ...]:
    """Return what `HEADS` is about; it tells nothing of the solution."""
    seen = puzzle.observation
    cards = own_first(seen.hand_sizes, seen.seat)
    return f"{number}", f"{puzzle.rating}", cards, f"{seen.talon_size}", seen.rules.text


def own_first(sizes: tuple[int, ...], own: int) -> str:
    """Say how many cards are in the hands, those of one seat first."""
    return " + ".join(map(str, (*sizes[own:], *sizes[:own])))


def as_json(number: int, puzzle: HiddenPuzzle) -> dict[str, object]:
    return {
        "number": number,
        "rating": puzzle.rating,
        "action": str(puzzle.action),
        "right": [str(action) for action in puzzle.right],
        "usual": str(puzzle.usual),
        "reason": str(puzzle.reason(puzzle.usual)),
        "themes": list(puzzle.themes),
        "lines": [
            {
                "action": str(line.action),
                "chance": line.chance,
                "continuation": [str(action) for action in line.ahead],
            }
            for line in puzzle.lines
        ],
        "observation": puzzle.position,
    }


def show(number: int, puzzle: HiddenPuzzle) -> None:
    """Print a puzzle with its solution."""
    _print_question(number, puzzle)
    click.echo(solution_line(puzzle))
    lines = [
        (str(line.action), _chance(line.chance), " ".join(map(str, line.ahead))) for line in puzzle.lines
    ]
    TextTable(("action", "chance", "expected after it"), tuple(lines)).print()
    click.echo(f"what most play: {_why_not(puzzle, puzzle.usual)}")
    click.echo(puzzle.position)


def solve(number: int, puzzle: HiddenPuzzle, give_up: str) -> None:
    """Ask for an action until it is right or the word to give up is typed."""
    _print_question(number, puzzle)
    legal = {str(action): action for action in puzzle.observation.legal_actions}
    mistakes = 0
    while (text := ask_move(legal)) != give_up:
        action = legal.get(text)
        if action in puzzle.right:
            click.echo("solved" if not mistakes else f"solved, with mistakes: {mistakes}")
            return
        if action is not None:
            mistakes += 1
            click.echo(_why_not(puzzle, action))
        elif text:
            click.echo(f"{text} is none of them")
    click.echo(f"{puzzle.action} was right: {_chance(puzzle.lines[0].chance)}")


def solution_line(puzzle: Puzzle | HiddenPuzzle) -> str:
    titles = ", ".join(THEMES[key].title.lower() for key in puzzle.themes)
    return f"solution: {puzzle.action}{f' ({titles})' if titles else ''}"


def ask_move(legal: Iterable[object]) -> str:
    """Ask for one of the moves; the answer may be empty, and the end of the input ends the program."""
    click.echo(f"{' '.join(map(str, legal))}? ", nl=False)
    text = sys.stdin.readline()
    if not text:
        click.echo("\nnot solved")
        raise click.exceptions.Exit(1)
    return text.strip()


def _print_question(number: int, puzzle: HiddenPuzzle) -> None:
    seen = puzzle.observation
    click.echo(f"puzzle {number}, rating {puzzle.rating}, {seen.rules.text}: what would you play?")
    out = console()
    trump = Text("trump ") + (card_text(seen.trump_card) if seen.trump_card else Text("none"))
    trump.append(f"   talon {seen.talon_size}   gone {seen.discard_size}")
    for pair in seen.table:
        beaten = card_text(pair.defence) + Text("x") if pair.defence else Text()
        trump += Text("   ") + beaten + card_text(pair.attack)
    out.print(trump, soft_wrap=True)
    for seat in range(seen.rules.seats):
        out.print(_hand(seen, seat), soft_wrap=True)


def _hand(seen: Observation, seat: int) -> Text:
    """Say what a seat holds: your cards, and of the others how many, and which of them everybody knows."""
    if seat == seen.seat:
        return Text(f"seat {seat} you  ") + hand_text(sorted_cards(seen.hand, seen.trump_suit))
    size = seen.hand_sizes[seat]
    line = Text(f"seat {seat}      {size} card{'' if size == 1 else 's'}")
    known = sorted_cards(seen.known[seat], seen.trump_suit)
    return line + (Text(", among them ") + hand_text(known) if known else Text())


def _why_not(puzzle: HiddenPuzzle, action: Action) -> str:
    return f"{action} {puzzle.reason(action)}; it gives away {100 * puzzle.cost(action):.1f} points"


def _chance(chance: float) -> str:
    return f"{100 * chance:.1f} %"
