"""The opponents as rows of a form, and as a portrait card."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import ClassVar, Final

from rich.cells import cell_len, set_cell_size
from rich.style import Style
from rich.text import Text
from textual.geometry import Size
from textual.message import Message
from textual.widgets import Static

from durak_core.agents.personas import OPPONENTS, Opponent
from durak_tui.players.opponents import called, character_of, face_of, name_of, stars_text
from durak_tui.players.roster import HUMAN
from durak_tui.text.i18n import gettext
from durak_tui.ui.view.portraits import face_portrait
from durak_tui.ui.widgets.canvas import cut, wrapped
from durak_tui.ui.widgets.cards import BLACK, PAPER, box_signs, portrait_lines
from durak_tui.ui.widgets.form import Parts, Row

_ROOMY: Final = (24, 36)
"""Window heights from which the description of an opponent has one line, and two."""
_WIDEST: Final = 84
"""Maximum width of a line, so that its right end stays close to its name."""
_CARD: Final = 20
_GOLD: Final = "#8a6100"


def opponent_rows(
    players: Sequence[str], beside: Mapping[str, str], size: Size, *, ascii_only: bool
) -> Iterable[Row]:
    """Return rows for all opponents and other agents at the table, with texts on the right by agent spec."""
    unmarked, mark = ("( )", "(*)") if ascii_only else ("○", "●")
    for one in OPPONENTS:
        is_chosen = one.text in players
        sign = (f"   {mark} ", "accent") if is_chosen else (f"   {unmarked} ", "quiet")
        fixed = [sign, *_shown(one, ascii_only=ascii_only)]
        yield from _opponent(one, fixed, beside.get(one.text, ""), size)
    known = {HUMAN, *(one.text for one in OPPONENTS)}
    for text in dict.fromkeys(player for player in players if player not in known):
        fixed = [(f"   {mark} ", "accent"), (f"{called(text)}  ", "strong")]
        yield Row(text, called(text), drawn=partial(_with_note, fixed, gettext("from the Laboratory")))


def _shown(one: Opponent, *, ascii_only: bool) -> Parts:
    wide = max(cell_len(name_of(other)) for other in OPPONENTS)
    return [
        (f"{face_of(one, ascii_only=ascii_only)} ", "strong"),
        (set_cell_size(name_of(one), wide + 2), "strong"),
        (stars_text(one.stars, ascii_only=ascii_only), "stars"),
        (f"{one.rating:6}  ", "quiet"),
    ]


def _opponent(one: Opponent, fixed: Parts, beside: str, size: Size) -> Iterable[Row]:
    name, character = name_of(one), character_of(one)
    indent = " " * _width(fixed[:2])
    lines = wrapped(character, size.width - len(indent) - 2)
    is_whole = len(lines) <= sum(size.height >= height for height in _ROOMY)
    help_text = "" if is_whole else f"{name}: {character}"
    yield Row(one.text, name, help=help_text, drawn=partial(_with_right, fixed, beside))
    for line in lines if is_whole else ():
        yield Row("", "", drawn=partial(_with_note, [], indent + line), is_below=True)


def _width(parts: Parts) -> int:
    return sum(cell_len(text) for text, _ink in parts)


def _with_right(parts: Parts, right: str, width: int) -> Parts:
    gap = " " * max(0, min(width, _WIDEST) - _width(parts) - cell_len(right) - 2)
    return [*parts, (f"{gap}{right}  ", "text")]


def _with_note(parts: Parts, note: str, width: int) -> Parts:
    return [*parts, (cut(note, width - _width(parts)), "quiet")]


def start_row(label: str, help_text: str) -> Row:

    def drawn(width: int) -> Parts:
        return [("   ", "text"), (f"  {cut(label, width - 10)}  ", "button")]

    return Row("start", label, help=help_text, drawn=drawn)


class Portrait(Static):
    """An opponent as a playing card, with a description below."""

    class Chosen(Message):
        """The portrait was clicked."""

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
    face = face_portrait(opponent.key, "pleased", ascii_only=ascii_only)
    inside = [
        Text(f" {name[0]}".ljust(_CARD), bold),
        *(Text.assemble(*line) for line in (portrait_lines(face, ink) if face is not None else ())),
        Text(""),
        Text(name, bold),
        Text(stars_text(opponent.stars, ascii_only=ascii_only), gold),
        Text(str(opponent.rating), ink),
        Text(f"{name[0]} ".rjust(_CARD), bold),
    ]
    text = Text()
    text.append(f"{signs.top(_CARD)}\n", ink)
    for line in inside:
        left = (_CARD - line.cell_len) // 2
        text.append(signs.side + " " * left, ink)
        text.append_text(line)
        text.append(" " * (_CARD - line.cell_len - left) + f"{signs.side}\n", ink)
    text.append(f"{signs.low(_CARD)}\n", ink)
    text.append("\n".join(wrapped(character_of(opponent), _CARD + 2)), "italic")
    return text
