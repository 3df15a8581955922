"""How commands write: lines and cards in colour, checks of target files, progress bars."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from durak_core.cards import Card, CardSet, Suit
from durak_core.files import check_writable

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


def check_targets(*paths: Path | None) -> None:
    """Raise `FileError` for the first file that cannot be written, before the work for it begins."""
    for path in filter(None, paths):
        check_writable(path)


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
