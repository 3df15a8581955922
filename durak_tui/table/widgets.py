"""The banner of a result: the player's place in large signs, and the opponents' faces."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import cycle
from typing import Final

from rich.cells import cell_len, set_cell_size
from rich.text import Text
from textual.widgets import Static

from durak_core import Suit
from durak_tui.board.view import mood_of
from durak_tui.play.game import Moment
from durak_tui.players import key_at
from durak_tui.text.i18n import pgettext
from durak_tui.text.phrases import ordinal
from durak_tui.ui.view.portraits import HEIGHT, WIDTH, face_portrait, pixel_rows, small_face
from durak_tui.ui.widgets.cards import SUIT_SIGNS, letter_cards, portrait_lines

_PIXELS: Final = {
    "1": (" ## ", "### ", " ## ", " ## ", " ## ", "####"),
    "2": ("#### ", "   ##", " ### ", "##   ", "##   ", "#####"),
    "3": ("#### ", "   ##", " ### ", "   ##", "   ##", "#### "),
    "4": ("## ##", "## ##", "#####", "   ##", "   ##", "   ##"),
    "5": ("#####", "##   ", "#### ", "   ##", "   ##", "#### "),
    "6": (" ####", "##   ", "#### ", "## ##", "## ##", " ### "),
}
"""Places, with two rows of pixels for each row of cells."""
_GAP: Final = 3
_ROWS: Final = HEIGHT + 1
"""Rows of a face and a name."""
_CARDS_FROM: Final = 44
"""Columns from which cards fit between the place and a face."""
_TURN: Final = 0.12
"""Seconds from one card to the next."""


def _place(moment: Moment) -> int:
    """Return the player's place; 0 for the fool, after a draw or with several people."""
    observation, human = moment.observation, moment.human
    if human is None or not observation.fools or human in observation.fools:
        return 0
    return 1 if observation.rules.teams is not None else observation.places.index(human) + 1


def _word(moment: Moment) -> str:
    """Return the letters of the cards: the fool's title, or four aces for the first place."""
    if moment.human in moment.observation.fools:
        return pgettext("title", "DURAK")
    return pgettext("card", "A") * len(Suit) if _place(moment) == 1 else ""


def _sign(moment: Moment, turned: int | None, width: int, *, plain: bool) -> list[Text]:
    """Return the player's place and cards; empty after a draw or with several people."""
    place, word = _place(moment), _word(moment)
    rows = [Text(row, "bold") for row in pixel_rows(_PIXELS[str(place)], ascii_only=plain)] if place else []
    rows += [Text(" " * rows[0].cell_len if rows else "")] * (_ROWS - len(rows))
    if not word or (place and width < _CARDS_FROM):
        return rows
    gap = " " * _GAP if place else ""
    cards = letter_cards(word, turned=turned, ascii_only=plain).split()
    return [Text.assemble(row, gap, card) for row, card in zip(rows, cards, strict=True)]


def _small_sign(moment: Moment, turned: int | None, *, plain: bool) -> str:
    """Return the player's place and cards in one row."""
    place, back = _place(moment), ("::" if plain else "▒▒")
    cards = [letter + suit for letter, suit in zip(_word(moment), cycle(SUIT_SIGNS[plain]), strict=False)]
    shown = cards if turned is None else cards[:turned] + [back] * len(cards[turned:])
    return " ".join([*([ordinal(place)] if place else ()), *shown])


class ResultBanner(Static):
    """Shows the player's place in large signs, and the opponents' faces in the order of their places.

    The cards turn one after another, unless the player wants less motion.
    """

    DEFAULT_CSS = """
    ResultBanner {
        height: auto;
        margin-bottom: 1;
        color: $text-accent;
    }
    """

    _turned: int | None = None
    """Number of cards that are face up; None for all."""
    _draw: Callable[[int | None], Text] = staticmethod(lambda _turned: Text())

    def show(self, moment: Moment, width: int, *, is_small: bool, ascii_only: bool) -> None:
        """Show the end of a game with as many faces as fit in the width."""
        make = small_banner if is_small else banner
        self._draw = partial(make, moment, width, plain=ascii_only)
        self.update(self._draw(self._turned))

    def turn_cards(self, count: int) -> None:
        """Turn this number of cards, one after another."""
        self._turned = 0
        self.update(self._draw(0))
        for number in range(1, count + 1):
            self.set_timer(_TURN * number, partial(self._turn, None if number == count else number))

    def _turn(self, turned: int | None) -> None:
        self._turned = turned
        self.update(self._draw(turned))


def card_count(moment: Moment) -> int:
    return len(_word(moment))


def small_banner(moment: Moment, width: int, turned: int | None = None, *, plain: bool) -> Text:
    """Return the place, and as many faces as fit in the width, in one row."""
    row = Text(_small_sign(moment, turned, plain=plain), "bold")
    observation, names = moment.observation, moment.names
    for seat in observation.places:
        face = small_face(key_at(moment.players, seat), mood_of(observation, seat), ascii_only=plain)
        part = f"{' ' * _GAP if row else ''}{face} {names[seat]}"
        if face and row.cell_len + cell_len(part) <= width:
            row.append(part, "bold" if seat in observation.fools else "")
    return row


def banner(moment: Moment, width: int, turned: int | None = None, *, plain: bool) -> Text:
    """Return the place and as many faces as fit in the width."""
    rows = _sign(moment, turned, width, plain=plain)
    for face in _faces(moment, plain=plain):
        gap = " " * _GAP if rows[0].cell_len else ""
        if rows[0].cell_len + len(gap) + face[0].cell_len > width:
            break
        rows = [Text.assemble(row, gap, part) for row, part in zip(rows, face, strict=True)]
    return Text("\n").join(rows)


def _faces(moment: Moment, *, plain: bool) -> Iterator[list[Text]]:
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
