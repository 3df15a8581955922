"""How commands write: lines and cards in colour, checks of target files, progress bars."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from durak_core.cards import Card, CardSet, Suit
from durak_core.errors import FileError
from durak_core.files import check_writable, is_replaced

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
    """Show a progress bar if stderr is a terminal; call the yielded function after each step."""
    err = Console(stderr=True)
    if not (shown and err.is_terminal):
        yield lambda: None
        return
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=err, transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda: bar.advance(task)
