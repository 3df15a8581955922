"""The banner of a result: the player's place in large signs, and the opponents' faces."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rich.cells import cell_len, set_cell_size
from rich.text import Text
from textual.widgets import Static

from durak_tui.board.view.moods import mood_of
from durak_tui.play.snapshot import SessionSnapshot
from durak_tui.players.opponents import key_at
from durak_tui.text.i18n import pgettext
from durak_tui.ui.view.portraits import HEIGHT, WIDTH, face_portrait
from durak_tui.ui.widgets.cards import letter_cards, portrait_lines

_PIXELS: Final = {
    "1": (" ## ", "### ", " ## ", " ## ", " ## ", "####"),
    "2": ("#### ", "   ##", " ### ", "##   ", "##   ", "#####"),
    "3": ("#### ", "   ##", " ### ", "   ##", "   ##", "#### "),
    "4": ("## ##", "## ##", "#####", "   ##", "   ##", "   ##"),
    "5": ("#####", "##   ", "#### ", "   ##", "   ##", "#### "),
    "6": (" ####", "##   ", "#### ", "## ##", "## ##", " ### "),
}
"""Places, with two rows of pixels for each row of cells."""
_BLOCKS: Final = {(" ", " "): " ", ("#", " "): "▀", (" ", "#"): "▄", ("#", "#"): "█"}
_GAP: Final = 3
_ROWS: Final = HEIGHT + 1
"""Rows of a face and a name."""


def _large(sign: str, *, ascii_only: bool) -> list[str]:
    pixels = _PIXELS[sign]
    if ascii_only:
        return list(pixels[::2])
    pairs = zip(pixels[::2], pixels[1::2], strict=True)
    return ["".join(_BLOCKS[pair] for pair in zip(*rows, strict=True)) for rows in pairs]


def _sign(moment: SessionSnapshot, *, plain: bool) -> list[Text]:
    """Return the player's place, or the fool's title; empty after a draw or with several people."""
    observation, human = moment.observation, moment.human
    if human is None or not observation.fools:
        return [Text()] * _ROWS
    if human in observation.fools:
        return list(letter_cards(pgettext("title", "DURAK"), ascii_only=plain).split())
    place = 1 if observation.rules.teams is not None else observation.places.index(human) + 1
    rows = [Text(row, "bold") for row in _large(str(place), ascii_only=plain)]
    return [*rows, Text(" " * rows[0].cell_len)]


class ResultBanner(Static):
    """Shows the player's place in large signs, and the opponents' faces in the order of their places."""

    DEFAULT_CSS = """
    ResultBanner {
        height: auto;
        margin-bottom: 1;
        color: $text-accent;
    }
    """

    def show(self, moment: SessionSnapshot, width: int, *, ascii_only: bool) -> None:
        """Show the end of a game with as many faces as fit in the width."""
        self.update(banner(moment, width, plain=ascii_only))


def banner(moment: SessionSnapshot, width: int, *, plain: bool) -> Text:
    """Return the place and as many faces as fit in the width."""
    rows = _sign(moment, plain=plain)
    for face in _faces(moment, plain=plain):
        gap = " " * _GAP if rows[0].cell_len else ""
        if rows[0].cell_len + len(gap) + face[0].cell_len > width:
            break
        rows = [Text.assemble(row, gap, part) for row, part in zip(rows, face, strict=True)]
    return Text("\n").join(rows)


def _faces(moment: SessionSnapshot, *, plain: bool) -> Iterator[list[Text]]:
    """Yield the rows of each opponent's face, and the name below."""
    observation, names = moment.observation, moment.names
    for seat in observation.places:
        mood = mood_of(observation, seat)
        portrait = face_portrait(key_at(moment.players, seat), mood, ascii_only=plain)
        if portrait is not None:
            wide = max(WIDTH, cell_len(names[seat]))
            rows = [Text.assemble(*line, " " * (wide - WIDTH)) for line in portrait_lines(portrait)]
            yield [
                *rows,
                Text(set_cell_size(names[seat], wide), "bold" if seat in observation.fools else "dim"),
            ]
