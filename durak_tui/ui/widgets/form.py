"""A form: rows whose values are changed by keys, typing or the mouse; opponents as its rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise, zip_longest
from typing import ClassVar, Final

from rich.cells import cell_len, set_cell_size
from rich.style import Style
from rich.text import Text
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip
from textual.widgets import Static

from durak_core.agents.personas import OPPONENTS, Opponent
from durak_tui.keys.driver import bindings
from durak_tui.players import HUMAN, called, character_of, face_of, name_of, stars_text
from durak_tui.text.i18n import gettext
from durak_tui.ui.view.portraits import face_portrait
from durak_tui.ui.widgets.canvas import cut, wrapped
from durak_tui.ui.widgets.cards import BLACK, PAPER, box_signs, portrait_lines
from durak_tui.ui.widgets.lines import Lines

_LABEL_SHARE: Final = 0.45
_INDENT: Final = 3
_NARROW: Final = 64
"""Forms narrower than this have wider labels and smaller gaps."""
_NARROW_SHARE: Final = 0.55
_BELOW: Final = 3
_WITH_HELP: Final = 118
"""Columns from which each row's help is shown behind its value."""
_HELP_AT: Final = 34
"""Columns from the values to the help."""
_ARROWS: Final = 5
_FINGER: Final = 3
"""Lines of a row on a touch screen."""

Parts = list[tuple[str, str]]
"""The texts of a line from left to right, each with its ink."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a form.

    Attributes:
        name: Its identifier in messages; empty for a heading or a further line.
        choices: The values that left and right cycle through; empty for free text.
        written: Whether other values can be typed.
        note: Text after the value.
        words: Translated texts of values.
        drawn: Draws the row in a given width, instead of label and value.
        is_below: Whether it is a further line of the row above.
    """

    name: str
    label: str
    value: str = ""
    choices: tuple[str, ...] = ()
    written: bool = False
    help: str = ""
    note: str = ""
    words: Mapping[str, str] = field(default_factory=dict)
    drawn: Callable[[int], Parts] | None = None
    is_below: bool = False

    @property
    def shown(self) -> str:
        return self.words.get(self.value, self.value)

    @property
    def options(self) -> list[tuple[str, str]]:
        return [(choice, self.words.get(choice, choice)) for choice in self.choices]

    @property
    def is_heading(self) -> bool:
        return not self.name

    @property
    def has_value(self) -> bool:
        return not self.is_heading and self.drawn is None


class Form(Lines):
    """Shows rows and edits their values."""

    @dataclass
    class Changed(Message):
        """A row's value changed."""

        name: str
        value: str

    @dataclass
    class Opened(Message):
        """All choices of a row, or an input for its value, were requested."""

        row: Row
        typed: str = ""

    KEPT = 2
    DEFAULT_CSS = """
    Form {
        & .ink--stars { color: $text-warning; }
        & .ink--button { color: $background; background: $primary; text-style: bold; }
    }
    """
    BINDINGS: ClassVar = bindings("form")

    _given: tuple[Row, ...] = ()
    _rows: tuple[Row, ...] = ()

    @property
    def count(self) -> int:
        return len(self._rows)

    def show(self, rows: Sequence[Row]) -> None:
        """Show other rows; the cursor stays on the row with the same name."""
        self._given = tuple(rows)
        self._lay_out()

    def on_resize(self) -> None:
        self._lay_out()

    def _lay_out(self) -> None:
        """Lay out the rows; in a narrow form, long values go below their labels."""
        before = self.row
        self._rows = self._given
        self._rows = tuple(self._lines())
        starts = [at for at, row in enumerate(self._rows) if at and row.is_heading and row.label]
        if len(self._rows) + len(starts) <= self.size.height:
            for at in reversed(starts):
                if self._rows[at - 1].name:
                    self._rows = (*self._rows[:at], Row("", ""), *self._rows[at:])
        self._spread()
        names = [row.name for row in self._rows]
        if before is not None and before.name in names:
            self.set_reactive(Form.cursor, names.index(before.name))
        self.set_reactive(Form.cursor, self._nearest(self.cursor, 1))
        self.lines_changed()

    def _spread(self) -> None:
        """On a tall screen, put an empty line between rows."""
        pairs = pairwise(self._rows)
        inner = {at for at, (row, after) in enumerate(pairs, 1) if after.name and (row.name or row.is_below)}
        if len(self._rows) + len(inner) <= self.size.height:
            self._rows = tuple(
                line
                for at, row in enumerate(self._rows)
                for line in ((Row("", ""), row) if at in inner else (row,))
            )

    def _lines(self) -> Iterator[Row]:
        room, lines = self.size.width - 1 - self._value_at - _ARROWS, 0
        for row, after in zip_longest(self._given, self._given[1:]):
            yield row
            lines = 1 if row.name else lines + 1
            if after is not None and after.is_below:
                continue
            wanted = 1
            if self._is_for_fingers and (row.name or row.is_below):
                wanted = _FINGER
            elif row.has_value and self._is_narrow and cell_len(row.shown) > room:
                wanted = 2
            yield from [Row("", "", is_below=True)] * (wanted - lines)

    def go_to(self, name: str) -> None:
        names = [row.name for row in self._rows]
        if name in names:
            self.cursor = names.index(name)

    @property
    def row(self) -> Row | None:
        return self._rows[self.cursor] if 0 <= self.cursor < len(self._rows) else None

    def action_left(self) -> None:
        self._step(-1)

    def action_right(self) -> None:
        self._step(1)

    def move(self, step: int) -> None:
        """Move the cursor by a number of lines, skipping headings; single lines go round."""
        lines = [line for line, row in enumerate(self._rows) if not row.is_heading]
        if lines and abs(step) == 1 and not lines[0] <= self.cursor + step <= lines[-1]:
            self.cursor = lines[0 if step > 0 else -1]
            return
        target = max(0, min(self.cursor + step, len(self._rows) - 1))
        self.cursor = self._nearest(target, 1 if step > 0 else -1)

    def _step(self, step: int) -> None:
        row = self.row
        if row is None or not row.choices:
            if row is not None and row.has_value and step > 0:
                self.action_open()
            return
        at = row.choices.index(row.value) if row.value in row.choices else -1 if step > 0 else 0
        value = row.choices[(at + step) % len(row.choices)]
        if value != row.value:
            self._rows = tuple(replace(row, value=value) if old is row else old for old in self._rows)
            self.refresh()
            self.post_message(self.Changed(row.name, value))

    def action_open(self) -> None:
        """Request all choices or a text; of two choices, take the other one."""
        row = self.row
        if row is None:
            return
        if len(row.choices) == 2 and not row.written:
            self._step(1)
        else:
            self.post_message(self.Opened(row))

    def on_key(self, event: events.Key) -> None:
        row = self.row
        if row is not None and row.written and event.character and event.character.isdecimal():
            event.stop()
            self.post_message(self.Opened(row, event.character))

    def _nearest(self, index: int, step: int) -> int:
        """Return the nearest row that is not a heading, first in one direction, then in the other."""
        for direction in (step, -step):
            place = index
            while 0 <= place < len(self._rows):
                if not self._rows[place].is_heading:
                    return place
                place += direction
        return 0

    def _has_value(self, line: int) -> bool:
        """Return whether a further line of a row has its value."""
        return self._is_narrow and line == self._owner(line) + 1 and self._rows[line - 1].drawn is None

    def _owner(self, line: int) -> int:
        while line and self._rows[line].is_below:
            line -= 1
        return line

    def first_beside(self, index: int) -> int:
        return index - 1 if index and self._rows[index - 1].is_heading else index

    def last_beside(self, index: int) -> int:
        below = range(index + 1, len(self._rows))
        return next((line - 1 for line in below if not self._rows[line].is_below), len(self._rows) - 1)

    # Drawing

    @property
    def _value_at(self) -> int:
        longest = max((cell_len(row.label) for row in self._rows if row.has_value), default=0)
        share = _NARROW_SHARE if self._is_narrow else _LABEL_SHARE
        return min(int(self.size.width * share), longest + 2 * self._indent)

    @property
    def _is_narrow(self) -> bool:
        return self.size.width < _NARROW

    @property
    def _is_for_fingers(self) -> bool:
        """Whether a tap anywhere on a row opens it."""
        return self.screen.has_class("-touch")

    @property
    def _indent(self) -> int:
        return 1 if self._is_narrow else _INDENT

    def render_line(self, y: int) -> Strip:
        index = self.scroll_offset.y + y
        width = self.scrollable_content_region.width
        if index >= len(self._rows):
            return Strip.blank(width, self.rich_style)
        row = self._rows[index]
        is_cursor = self._owner(index) == self.cursor and self.has_focus
        under = ["cursor"] if is_cursor else []
        if row.drawn is not None:
            return self.strip_of(row.drawn(width), width, *under)
        if row.is_heading and not row.is_below:
            return self.strip_of([(f" {row.label}", "title")], width)
        label = " " * self._indent + row.label
        if self._is_narrow and not row.is_below and self.last_beside(index) > index:
            return self.strip_of([(self.cut(label, width), "text")], width, *under)
        if row.is_below and not self._has_value(index):
            return self.strip_of([("", "text")], width, *under)
        value_at = _BELOW if row.is_below else self._value_at
        owner = self._rows[self._owner(index)]
        arrows = ("<", ">") if self.ascii_only else ("◂", "▸")
        left, right = arrows if owner.choices else ("", "")
        value = self._value(owner, value_at)
        room = width - value_at - _ARROWS - cell_len(value)
        parts = [
            (self.cut(label, value_at - 1).ljust(value_at), "text"),
            (f"{left:2}", "accent" if is_cursor else "quiet"),
            (value, "strong"),
            (f" {right:2}", "accent" if is_cursor else "quiet"),
            (self.cut(self._remark(owner, width - value_at - room), max(0, room)), "quiet"),
        ]
        return self.strip_of(parts, width, *under)

    def _remark(self, row: Row, used: int) -> str:
        """Return the row's note; in a wide form also its help, in a column of its own."""
        if not row.help or self.size.width < _WITH_HELP:
            return row.note
        return row.note.ljust(max(0, _HELP_AT - used)) + "  " * bool(row.note) + row.help

    def _value(self, row: Row, value_at: int) -> str:
        width = self.scrollable_content_region.width
        return self.cut(row.shown, max(0, width - value_at - _ARROWS))

    # The mouse

    def on_click(self, event: events.Click) -> None:
        """Move the cursor to the clicked row; an arrow changes its value, a click on the value opens it."""
        line = self.line_at(event)
        index = None if line is None else self._owner(line)
        if index is None or self._rows[index].is_heading:
            return
        again = index == self.cursor
        self.cursor = index
        row = self._rows[index]
        if row.drawn is not None or self._is_for_fingers:
            self.action_open()
            return
        if line != self.last_beside(index):
            if again:
                self.action_open()
            return
        value_at = self._value_at if line == index else _BELOW
        right = value_at + 2 + cell_len(self._value(row, value_at))
        if row.choices and value_at <= event.x < value_at + 2:
            self._step(-1)
        elif row.choices and right < event.x <= right + 2:
            self._step(1)
        elif again or event.x >= value_at:
            self.action_open()


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
