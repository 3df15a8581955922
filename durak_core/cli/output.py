"""What commands write with: the terminal in colour, files that appear when they are whole, bars."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from durak_core.cards import Card, CardSet, Suit

_SUIT_STYLES: Final = {
    Suit.SPADES: "bold",
    Suit.HEARTS: "bold red",
    Suit.DIAMONDS: "bold bright_blue",
    Suit.CLUBS: "bold green",
}


def console() -> Console:
    """Return a console on today's stdout that prints texts as they are."""
    return Console(highlight=False, markup=False, emoji=False)


def card_text(card: Card) -> Text:
    return Text(card.pretty, style=_SUIT_STYLES[card.suit])


def sorted_cards(hand: CardSet, trump: Suit | None) -> list[Card]:
    """Sort a hand for the eye: by suit, low to high, trumps at the end."""
    return sorted(hand, key=lambda card: (card.suit == trump, card.suit, card.rank))


def hand_text(cards: list[Card]) -> Text:
    return Text(" ").join(map(card_text, cards))


def check_targets(*paths: Path | None) -> None:
    """Refuse files that could not be written, before hours of work for them.

    Raises:
        OSError: If a file's folder is not there, or not to be written to.
    """
    for path in filter(None, paths):
        if path.is_dir():
            raise IsADirectoryError(21, "is a folder", str(path))
        folder = Path(os.path.realpath(path)).parent
        if not folder.is_dir():
            raise FileNotFoundError(2, "No such file or directory", str(path))
        if not os.access(folder, os.W_OK):
            raise PermissionError(13, "Permission denied", str(path))


@contextmanager
def growing_file(path: Path | None) -> Iterator[TextIO | None]:
    """Open a UTF-8 text file that gets its name when the block is left, whatever the reason.

    Until then the text grows in a temporary file of the same folder, and what the name stood for
    before is untouched. Only callers that write in whole pieces should use this.

    Raises:
        OSError: If the file cannot be written.
    """
    if path is None:
        yield None
        return
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(21, "is a folder", str(path))
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
    try:
        file = temporary.open("x", encoding="utf-8", newline="\n")
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    try:
        with file:
            yield file
    finally:
        if target.exists():
            shutil.copymode(target, temporary)
        temporary.replace(target)


@contextmanager
def progress(total: int, *, shown: bool = True) -> Iterator[Callable[[], None]]:
    """Show a progress bar on a terminal's stderr; the block gets what to call after each game."""
    err = Console(stderr=True)
    if not (shown and err.is_terminal):
        yield lambda: None
        return
    columns = (TextColumn("playing"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=err, transient=True) as bar:
        task = bar.add_task("playing", total=total)
        yield lambda: bar.advance(task)
