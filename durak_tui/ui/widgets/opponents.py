"""The opponents as people see them: as lines of a form, and as a card with a face."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Final

from rich.cells import cell_len, set_cell_size
from rich.style import Style
from rich.text import Text
from textual.geometry import Size
from textual.message import Message
from textual.widgets import Static

from durak_core.agents.level import OPPONENTS, Opponent
from durak_tui.players.opponents import called, character_of, face_of, name_of, stars_text
from durak_tui.players.roster import HUMAN
from durak_tui.text.i18n import say
from durak_tui.ui.widgets.canvas import cut, wrapped
from durak_tui.ui.widgets.cards import BLACK, PAPER, box_signs
from durak_tui.ui.widgets.form import Parts, Row

_ROOMY: Final = (24, 36)
"""Lines of a window from which each opponent has one line for the character, and a second one."""
_WIDEST: Final = 84
"""Cells of a line; what stands at the right of a wider one could not be told to belong to it."""
_CARD: Final = 20
"""Cells between the edges of a card."""
_GOLD: Final = "#8a6100"


@dataclass(frozen=True, slots=True)
class _Look:
    """How all opponents are drawn: in how much room, and what stands at the right.

    Attributes:
        width: Of the lines, in cells.
        below: How many lines there are below the name for the character.
        ascii: Whether only ASCII can be shown.
        beside: See `opponent_rows`.
    """

    width: int
    below: int
    ascii: bool
    beside: Mapping[str, str]

    @property
    def marks(self) -> tuple[str, str]:
        return ("( )", "(*)") if self.ascii else ("○", "●")


def opponent_rows(
    players: Sequence[str], beside: Mapping[str, str], size: Size, *, ascii_only: bool
) -> Iterable[Row]:
    """Make the rows of all opponents, and of whoever else sits at the table.

    Args:
        players: Whoever sits at the table.
        beside: What stands at the right of an opponent's line, by the agent's text.
        size: Of the window.
        ascii_only: Whether only ASCII can be shown.
    """
    below = sum(size.height >= height for height in _ROOMY)
    look = _Look(size.width, below, ascii_only, beside)
    for one in OPPONENTS:
        yield from _opponent(one, look, is_chosen=one.text in players)
    known = {HUMAN, *(one.text for one in OPPONENTS)}
    for text in dict.fromkeys(player for player in players if player not in known):
        yield Row(text, called(text), drawn=partial(_researcher, look, text))


def _researcher(look: _Look, text: str, width: int) -> Parts:
    """Draw somebody who is none of the opponents."""
    parts = [(f"   {look.marks[1]} ", "accent"), (f"{called(text)}  ", "strong")]
    room = width - sum(cell_len(part) for part, _name in parts)
    return [*parts, (cut(say("from the Laboratory"), room), "quiet")]


def _opponent(one: Opponent, look: _Look, *, is_chosen: bool) -> Iterable[Row]:
    name, character = name_of(one), character_of(one)
    wide = max(cell_len(name_of(other)) for other in OPPONENTS)
    face = face_of(one, ascii_only=look.ascii)
    mark = (f"   {look.marks[is_chosen]} ", "accent" if is_chosen else "quiet")
    fixed: Parts = [
        mark,
        (f"{face} ", "strong"),
        (set_cell_size(name, wide + 2), "strong"),
        (stars_text(one.stars, ascii_only=look.ascii), "stars"),
        (f"{one.rating:6}  ", "quiet"),
    ]
    used = sum(cell_len(text) for text, _part in fixed)
    beside = look.beside.get(one.text, "")

    def drawn(width: int) -> Parts:
        gap = " " * max(0, min(width, _WIDEST) - used - cell_len(beside) - 2)
        return [*fixed, (f"{gap}{beside}  ", "text")]

    indent = " " * (cell_len(mark[0]) + cell_len(face) + 1)
    lines = wrapped(character, look.width - len(indent) - 2)
    is_whole = len(lines) <= look.below
    yield Row(one.text, name, help="" if is_whole else f"{name}: {character}", drawn=drawn)
    for line in lines[: look.below if is_whole else 0]:
        yield Row("", "", drawn=partial(_further, indent + line), is_below=True)


def _further(line: str, _width: int) -> Parts:
    return [(line, "quiet")]


def start_row(label: str, help_text: str) -> Row:
    """Make the button that begins the game."""

    def drawn(width: int) -> Parts:
        return [("   ", "text"), (f"  {cut(label, width - 10)}  ", "button")]

    return Row("start", label, help=help_text, drawn=drawn)


class Portrait(Static):
    """An opponent as a playing card, with their character below; a click chooses them."""

    class Chosen(Message):
        """The card was clicked."""

    ALLOW_SELECT: ClassVar[bool] = False
    DEFAULT_CSS = """
    Portrait {
        width: 26;
        height: auto;
        pointer: pointer;
        &.-hidden { display: none; }
    }
    """

    def show(self, opponent: Opponent | None, *, ascii_only: bool) -> None:
        self.update("" if opponent is None else _portrait(opponent, ascii_only=ascii_only))

    def on_click(self) -> None:
        self.post_message(self.Chosen())


def _portrait(opponent: Opponent, *, ascii_only: bool) -> Text:
    ink = Style(color=BLACK, bgcolor=PAPER)
    bold, gold = ink + Style(bold=True), ink + Style(color=_GOLD)
    name = name_of(opponent)
    signs = box_signs(ascii=ascii_only)
    inside: list[tuple[str, Style]] = [
        (f" {name[0]}".ljust(_CARD), bold),
        ("", ink),
        (face_of(opponent, ascii_only=ascii_only), bold),
        ("", ink),
        (name, bold),
        (stars_text(opponent.stars, ascii_only=ascii_only), gold),
        (str(opponent.rating), ink),
        (f"{name[0]} ".rjust(_CARD), bold),
    ]
    text = Text()
    text.append(f"{signs.top(_CARD)}\n", ink)
    for words, style in inside:
        text.append(signs.side, ink)
        text.append(words.center(_CARD), style)
        text.append(f"{signs.side}\n", ink)
    text.append(f"{signs.low(_CARD)}\n", ink)
    text.append("\n".join(wrapped(character_of(opponent), _CARD + 2)), "italic")
    return text
