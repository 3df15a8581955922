"""`durak deal`, `play`, `lessons` and `puzzles`: games, lessons and positions to solve in lines of text."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterable
from contextlib import closing, nullcontext
from importlib import import_module
from pathlib import Path
from typing import Any, Final, TypeAlias, TypeVar

import click
from rich.text import Text

from durak_core.actions import Action
from durak_core.cards import Card
from durak_core.cli import choices, output
from durak_core.cli.choices import RulesChoice, files_argument, rules_options, seed_option
from durak_core.cli.output import GameWords, hand_text, print_lines, sorted_cards
from durak_core.cli.root import Failure, Subcommands
from durak_core.errors import DurakError, NotationError, printable
from durak_core.files import GrowingFile
from durak_core.game.state import State
from durak_core.kernel.position import MASK63
from durak_core.lab.matches.players import load_compiled
from durak_core.lab.workers import run_in_order
from durak_core.lessons.lesson import ENGLISH, Saying, faults, load_lesson, read_lesson, shipped_lessons
from durak_core.puzzles.grading import GRADERS
from durak_core.puzzles.puzzle import (
    SHIPPED,
    SHIPPED_HIDDEN,
    THEMES,
    HiddenPuzzle,
    Puzzle,
    holds_hidden,
    read_collection,
    read_hidden_collection,
    write_hidden_puzzle,
    write_puzzle,
)
from durak_core.puzzles.puzzle import PuzzleCollection as Collection
from durak_core.rules import Rules

_APP: Final = "durak_tui"
"""The app's package. The library imports it by name and only here, as a shell starts another program."""


def app_module(name: str, command: str) -> Any:  # noqa: ANN401 - the library knows nothing of the app
    """Return a module of the app; raise `Failure` if the app or Textual is not installed."""
    try:
        return import_module(f"{_APP}.{name}")
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in {_APP, "textual"}:
            raise
        raise Failure(f"{command} needs the app durak-tui, which is not installed") from None


@click.command()
@seed_option
@rules_options
def deal(seed: int, rules: RulesChoice) -> None:
    """Show the deal of a seed: hands, trump, talon and first attacker.

    A seed and rules give the same deal on every machine and in every version (rules 3.1).
    """
    state = State.deal(rules.rules(), seed)
    trump = state.trump_suit
    lines = [Text(f"rules {state.rules}, seed {seed}")]
    for seat, hand in enumerate(state.hands):
        lines.append(Text(f"seat {seat}  ") + hand_text(sorted_cards(hand, trump)))
    trump_text = hand_text([state.trump_card]) if state.trump_card else Text("none (rules 1.4)")
    talon = f"talon   {len(state.talon)} cards{': ' if state.talon else ''}"
    lines.append(Text("trump   ") + trump_text)
    lines.append(Text(talon) + hand_text(state.talon))
    print_lines(*lines, f"seat {state.first_attacker} attacks first")


@click.command(context_settings={"show_default": False})
@click.option("--rules", metavar="TEXT", help="Rules spec, such as perevodnoy:seats=3, or a FILE.toml.")
@click.option("--seats", metavar="N", help="Number of players.")
@click.option(
    "--bots",
    metavar="A,B",
    help="Opponents: misha, tanya, boris, olga, viktor, nina, an agent spec, FILE.py:CLASS, or human for "
    "another person.",
)
@click.option("--seed", metavar="N", help="Seed of the deal; equal seeds give equal deals.")
@click.option("--watch", is_flag=True, help="Watch bots play each other.")
@click.option("--daily", is_flag=True, help="Play the daily deal.")
@click.option("--continue", "continue_", is_flag=True, help="Continue the unfinished game.")
@click.option("--real", is_flag=True, help="Keep a game that is played with real cards.")
@click.option("--name", metavar="NAME", help="Your name.")
@click.option("--language", metavar="CODE", help="Language, such as en or ru; auto for the environment's.")
@click.option("--ascii", is_flag=True, help="Write ASCII characters only.")
def play(**given: Any) -> None:  # noqa: ANN401 - a text or a switch
    """Play in lines of text: for screen readers, pipes and slow connections.

    Without options, the unfinished game continues, or a new one begins. Type help to see what you can
    say. The app durak-tui has the same games, settings and library.
    """
    arguments = ["--lines"]
    for name, value in given.items():
        option = f"--{name.rstrip('_')}"
        if value is True:
            arguments.append(option)
        elif value not in {None, False}:
            arguments += [option, str(value)]
    app_module("cli", "durak play").main(arguments, "durak play")


_language = click.option(
    "--language", default=ENGLISH, metavar="CODE", help="Language of the texts, such as en or ru."
)


@click.group(cls=Subcommands)
def lessons() -> None:
    """Play lessons, or check lesson files (docs/write-lessons.md)."""


@lessons.command("list")
@_language
def list_lessons(language: str) -> None:
    """List the shipped lessons."""
    for number, path in enumerate(shipped_lessons(), 1):
        lesson = load_lesson(path)
        click.echo(f"{number}  {_plain(lesson.title, language)} ({len(lesson.steps)} steps)")


@lessons.command()
@files_argument
def check(files: tuple[Path, ...]) -> None:
    """Check lesson files by playing them through.

    Every position must be possible, every action and answer legal, and every sentence present in each
    language of the lesson's title.
    """
    found = [problem for path in files for problem in _problems(path)]
    for problem in found:
        click.echo(f"Error: {problem}", err=True)
    if found:
        raise click.exceptions.Exit(2)


def _problems(path: Path) -> list[DurakError]:
    try:
        lesson = read_lesson(path)
    except DurakError as error:
        return [error]
    problems = list(faults(lesson))
    if not problems:
        languages = ", ".join(lesson.languages)
        click.echo(
            f"{printable(str(path))}: {lesson.key}, {len(lesson.steps)} steps, in {languages}: no faults"
        )
    return [*problems]


@lessons.command("play")
@click.argument("lesson")
@_language
def play_lesson(lesson: str, language: str) -> None:
    """Play LESSON: the number of a shipped lesson, or a file.

    Type cards as in durak play: 9d, nine of diamonds, take. Press Enter to continue.
    """
    shipped = {str(number): path for number, path in enumerate(shipped_lessons(), 1)}
    if lesson.isdecimal() and lesson not in shipped:
        raise click.UsageError(f"there is no lesson {lesson[:9]}: expected 1 to {len(shipped)}, or a file")
    found = load_lesson(shipped.get(lesson, Path(lesson)))
    app_module("lines.tasks", "durak lessons play").play_lesson(found, language)


def _plain(saying: Saying, language: str) -> str:
    return saying.said(language).said(str, lambda value: value.pretty if isinstance(value, Card) else value)


_Kind = TypeVar("_Kind", Puzzle, HiddenPuzzle)
_Any: TypeAlias = Puzzle | HiddenPuzzle

_HEADS: Final = ("puzzle", "rating", "goal", "cards", "rules")
_HIDDEN_HEADS: Final = ("puzzle", "rating", "cards", "talon", "rules")
_GOALS: Final = {"win": "win", "draw": "draw, for nothing wins"}


@click.group(cls=Subcommands)
def puzzles() -> None:
    """Find, list and solve puzzles.

    A puzzle is an endgame in which a single action keeps the win or the draw. With --hidden, it is a
    decision with hidden cards in which one action is much better than all others.
    """


_file_option = choices.file_option(
    "--file", metavar="FILE", help="File of puzzles; by default the shipped puzzles."
)
_hidden_option = click.option(
    "--hidden", is_flag=True, help="Use the hidden-card puzzles (detected automatically with --file)."
)
_number_argument = click.argument("number", type=int, metavar="N")


@puzzles.command()
@choices.games_option(100, "Number of games to search.")
@choices.seed_option
@choices.rules_options
@click.option(
    "--least",
    type=choices.IntegerRange(0, 9999),
    default=0,
    metavar="R",
    help="Keep only puzzles rated R or more.",
)
@click.option(
    "--jobs", type=choices.IntegerRange(min=0), default=1, help="Number of processes, 0 for one per core."
)
@choices.file_option("--out", help="Write the puzzles to a file, after those it already holds.")
@click.option("--hidden", is_flag=True, help="Find hidden-card puzzles instead of endgames.")
def make(  # noqa: PLR0913 - an argument for each option
    *,
    games: int,
    seed: int,
    rules: choices.RulesChoice,
    least: int,
    jobs: int,
    out: Path | None,
    hidden: bool,
) -> None:
    """Play games between agents and print the puzzles in them, at most one per game.

    Games use the seeds S, S + 1 and so on. The last line names the seed that continues the search.
    """
    from durak_core.puzzles import finding  # noqa: PLC0415 - brings what searches

    output.check_targets(out)
    if max(games, seed + games - 1) > MASK63:
        raise click.BadParameter(
            f"the seeds {seed} to {seed + games - 1}: expected numbers from 0 to {MASK63}",
            param_hint="--seed, --games",
        )

    def run(
        search: Callable[[Rules, int], Any], games: Iterable[tuple[Rules, int]]
    ) -> Generator[Any, None, None]:
        load_compiled((*finding.PLAYERS, *[grader.text for grader in GRADERS]))  # once, not in each process
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


def _keep(  # noqa: PLR0913, PLR0917 - what the options of `make` select
    search: Generator[_Kind | None, None, None],
    known: list[_Kind],
    text: Callable[[_Kind], str],
    seeds: range,
    least: int,
    out: Path | None,
) -> None:
    """Write the known puzzles and the new ones; always print the seed to continue from."""
    count = done = 0
    try:
        with (
            GrowingFile(out) if out else nullcontext() as file,
            output.progress(len(seeds)) as advance,
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
@click.option("--theme", type=click.Choice(list(THEMES)), help="List only puzzles of this theme.")
@_hidden_option
@choices.json_option
def list_puzzles(*, file: Path | None, theme: str | None, hidden: bool, as_json: bool) -> None:
    """List puzzles without their solutions; --json includes the solutions."""
    faults: list[NotationError] = []
    is_hidden = _is_hidden(file, hidden=hidden)
    sound = _collection(file, hidden=hidden).sound(faults)
    chosen = [(number, one) for number, one in sound if theme is None or theme in one.themes]
    if as_json:
        click.echo(json.dumps({"puzzles": [_as_json(*one) for one in chosen]}))
    else:
        output.TextTable(
            _HIDDEN_HEADS if is_hidden else _HEADS, tuple([_row(*one) for one in chosen])
        ).print()
    for fault in faults:
        click.echo(f"Error: {fault}", err=True)
    if faults:
        raise click.exceptions.Exit(2)


def _is_hidden(file: Path | None, *, hidden: bool) -> bool:
    """Return whether the puzzles have hidden cards: detected in a file, otherwise by the option."""
    return hidden if file is None else holds_hidden(file)


def _collection(file: Path | None, *, hidden: bool) -> Collection[Puzzle] | Collection[HiddenPuzzle]:
    if _is_hidden(file, hidden=hidden):
        return read_hidden_collection(file or SHIPPED_HIDDEN)
    return read_collection(file or SHIPPED)


def _row(number: int, puzzle: _Any) -> tuple[str, ...]:
    """Return the cells of a puzzle in the list, without its solution."""
    state = puzzle.state
    own = state.turn or 0
    cards = " + ".join(map(str, (*state.hand_sizes[own:], *state.hand_sizes[:own])))
    cells = (puzzle.goal, cards) if isinstance(puzzle, Puzzle) else (cards, f"{len(state.talon)}")
    return f"{number}", f"{puzzle.rating}", *cells, state.rules.text


def _as_json(number: int, puzzle: _Any) -> dict[str, object]:
    named: dict[str, object] = {"number": number, "rating": puzzle.rating}
    themes = list(puzzle.themes)
    if isinstance(puzzle, Puzzle):
        return {
            **named,
            "goal": puzzle.goal,
            "action": str(puzzle.action),
            "themes": themes,
            "legal": [str(action) for action in puzzle.state.legal_actions],
            "position": puzzle.position,
        }
    return {
        **named,
        "action": str(puzzle.action),
        "right": [str(action) for action in puzzle.right],
        "usual": str(puzzle.usual),
        "reason": str(puzzle.reason(puzzle.usual)),
        "themes": themes,
        "lines": [
            {
                "action": str(line.action),
                "chance": line.score,
                "continuation": [str(action) for action in line.continuation],
            }
            for line in puzzle.lines
        ],
        "observation": puzzle.position,
    }


@puzzles.command()
@_number_argument
@_file_option
@_hidden_option
@choices.json_option
def show(*, number: int, file: Path | None, hidden: bool, as_json: bool) -> None:
    """Show puzzle N with its solution."""
    puzzle = _collection(file, hidden=hidden).puzzle(number)
    if as_json:
        click.echo(json.dumps(_as_json(number, puzzle)))
        return
    _print_puzzle(number, puzzle)
    titles = ", ".join(THEMES[key].title.lower() for key in puzzle.themes)
    click.echo(f"solution: {puzzle.action}{f' ({titles})' if titles else ''}")
    if isinstance(puzzle, HiddenPuzzle):
        lines = [
            (str(line.action), output.percent_text(line.score), " ".join(map(str, line.continuation)))
            for line in puzzle.lines
        ]
        output.TextTable(("action", "chance", "expected after it"), tuple(lines)).print()
        click.echo(f"what most play: {_why_wrong(puzzle, puzzle.usual)}")
    click.echo(puzzle.position)


@puzzles.command()
@_number_argument
@_file_option
@_hidden_option
@click.option("--language", default="en", metavar="CODE", help="Language, such as en or ru.")
def solve(*, number: int, file: Path | None, hidden: bool, language: str) -> None:
    """Solve puzzle N: type every move of the solution, against the longest defence.

    A hidden-card puzzle has one move. Type moves as in durak play, and show to see the answer.
    """
    puzzle = _collection(file, hidden=hidden).puzzle(number)
    if not app_module("lines.tasks", "durak puzzles solve").solve_puzzle(number, puzzle, language):
        raise click.exceptions.Exit(1)


def _print_puzzle(number: int, puzzle: _Any) -> None:
    task = f"you move and {_GOALS[puzzle.goal]}" if isinstance(puzzle, Puzzle) else "what would you play?"
    click.echo(f"puzzle {number}, rating {puzzle.rating}, {puzzle.state.rules.text}: {task}")
    if isinstance(puzzle, Puzzle):
        _print_state(puzzle.state)
    else:
        _print_observation(puzzle)


def _print_state(state: State) -> None:
    words = _words(state)
    line = _trump(state, words)
    if state.talon:
        line.append(", still to be drawn")
    output.print_lines(Text("   ").join([line, *map(words.pair, state.table)]), *words.hands(state))


def _print_observation(puzzle: HiddenPuzzle) -> None:
    """Print your hand, the sizes of the other hands, and the publicly known cards in them."""
    seen = puzzle.observation
    words = _words(puzzle.state)
    table = _trump(puzzle.state, words)
    table.append(f"   talon {seen.talon_size}   gone {seen.discard_size}")
    lines = [Text("   ").join([table, *map(words.pair, seen.table)])]
    for seat, size in enumerate(seen.hand_sizes):
        if seat == seen.seat:
            hand = output.hand_text(output.sorted_cards(seen.hand, seen.trump_suit))
            lines.append(Text(f"seat {seat} you  ") + hand)
            continue
        line = Text(f"seat {seat}      {size} card{'' if size == 1 else 's'}")
        known = output.sorted_cards(seen.known[seat], seen.trump_suit)
        lines.append(line + (Text(", among them ") + output.hand_text(known) if known else Text()))
    output.print_lines(*lines)


def _trump(state: State, words: GameWords) -> Text:
    return Text("trump ") + (words.cards([state.trump_card]) if state.trump_card else Text("none"))


def _words(state: State) -> GameWords:
    return GameWords(state.rules, ["you" if seat == state.turn else "" for seat in range(state.rules.seats)])


def _why_wrong(puzzle: HiddenPuzzle, action: Action) -> str:
    return f"{action} {puzzle.reason(action)}; it loses {100 * puzzle.cost(action):.1f} points"
