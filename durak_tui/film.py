"""Films of recorded games: an animated SVG or an asciicast.

The picture contains each distinct screen line once, frames that refer to these lines, and a CSS animation
that switches frames. It needs no script and no external font. Renderers without animation, and readers who
prefer less motion, get one frame.
"""

from __future__ import annotations

import asyncio
import io
import json
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape

from rich.console import Console
from textual.pilot import Pilot

from durak_core import PASS, Record
from durak_core.errors import FileError
from durak_core.files import write_text_atomically
from durak_tui.app import DurakApp
from durak_tui.board.view import table_view
from durak_tui.play.setup import Launch
from durak_tui.review.model import ReviewGame
from durak_tui.review.screen import ReviewScreen
from durak_tui.text.i18n import gettext
from durak_tui.ui.view.board_data import TableView

_START: Final = "\x1b[?25l\x1b[2J"
"""Hides the cursor and clears the screen."""


@dataclass
class Cast:
    """The lines of the screen that change, with the time of each change."""

    seconds: float = 0.0
    events: list[tuple[float, str]] = field(default_factory=list)
    _shown: list[str] = field(default_factory=list)

    def take(self, rows: list[str], seconds: float) -> None:
        """Add a frame, lines with escape sequences for colours, that lasts some seconds."""
        changed = [
            f"\x1b[{number};1H{row}"
            for number, row in enumerate(rows, 1)
            if number > len(self._shown) or self._shown[number - 1] != row
        ]
        if changed:
            start = "" if self._shown else _START
            self.events.append((self.seconds, start + "".join(changed)))
        self._shown = rows
        self.seconds += seconds

    def text(self, size: tuple[int, int], title: str) -> str:
        """Return the file's text, for a terminal with these columns and rows."""
        header = {"version": 2, "width": size[0], "height": size[1], "title": title}
        lines: list[object] = [header, *([round(at, 3), "o", drawn] for at, drawn in self.events)]
        lines.append([round(self.seconds, 3), "o", ""])
        return "".join([f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines])


CELL: Final = (12, 24)
"""Width and height of a character."""
BASE: Final = 19
"""The base line of text in its cell."""
FONT_SIZE: Final = 19.93
"""At this size a character of DejaVu Sans Mono is as wide as a cell."""
MARGIN, TOP = 10, 40
"""Around the screen, in the picture of a window."""
JOINED: Final = frozenset("─━═▀▄█░▒▓")
"""Characters that touch their neighbours, whatever the font."""
RICH_CELL: Final = (12.2, 24.4)
RICH_ABOVE, RICH_BASE = 1.5, 20
"""Cells in Rich's pictures, the top of backgrounds, and the base line of text."""
SVG: Final = "{http://www.w3.org/2000/svg}"

Row = str
"""The markup of one line of the screen, at the height of the first one."""


@dataclass(frozen=True)
class Ground:
    """Cells of a line with the same background."""

    start: int
    end: int
    fill: str

    def markup(self, name: str) -> str:
        start, end = CELL[0] * self.start, CELL[0] * self.end
        # One unit higher than the line, so that no seam is seen between lines.
        return f'<path class="{name}" d="M{start} 0h{end - start}v{CELL[1] + 1}H{start}z"/>'


def screen_of(screenshot: str) -> Iterator[ET.Element]:
    """Return the backgrounds and texts in a screenshot of Rich, without the window around them."""
    screen = ET.fromstring(screenshot).find(f"{SVG}g[@clip-path]")  # noqa: S314 - the app drew it
    if screen is None:
        raise ValueError("Rich draws its pictures in another way than this program expects")
    return screen.iter()


def text_markup(text: str, name: str, column: int, cells: int) -> str:
    length = f' textLength="{cells * CELL[0]}"' if cells > 1 else ""
    stretch = ' lengthAdjust="spacingAndGlyphs"' if length and JOINED & set(text) else ""
    x = f' x="{column * CELL[0]}"' if column else ""
    return f'<text class="{name}"{x} y="{BASE}"{length}{stretch}>{escape(text)}</text>'


@dataclass(frozen=True)
class Frame:
    """What the screen shows for some seconds."""

    rows: tuple[Row, ...]
    seconds: float


@dataclass
class Film:
    """The frames, and the classes of text in all of them by their CSS.

    Attributes:
        poster: The frame that is shown without animation.
    """

    frames: list[Frame] = field(default_factory=list)
    styles: dict[str, str] = field(default_factory=dict)
    poster: int = 0

    def take(self, screenshot: str, seconds: float) -> None:
        """Add a frame, or prolong the last one if nothing has changed."""
        rows = tuple(self._rows(screenshot))
        if self.frames and self.frames[-1].rows == rows:
            last = self.frames[-1]
            self.frames[-1] = replace(last, seconds=last.seconds + seconds)
        else:
            self.frames.append(Frame(rows, seconds))

    def _rows(self, screenshot: str) -> Iterator[Row]:
        """Split a screenshot of Rich into lines whose markup is the same wherever the line is."""
        styles = dict(re.findall(r"\.([\w-]+-r\d+) \{ (.*?) \}", screenshot))
        grounds: dict[int, list[Ground]] = {}
        texts: dict[int, list[str]] = {}
        for shape in screen_of(screenshot):
            x, y, width, length = (float(shape.get(name, 0)) for name in ("x", "y", "width", "textLength"))
            at = round(x / RICH_CELL[0])
            if shape.tag == f"{SVG}rect":
                row = grounds.setdefault(round((y - RICH_ABOVE) / RICH_CELL[1]), [])
                ground = Ground(at, at + round(width / RICH_CELL[0]), shape.get("fill", ""))
                if row and (row[-1].end, row[-1].fill) == (ground.start, ground.fill):
                    ground = replace(ground, start=row.pop().start)
                row.append(ground)
            elif shape.tag == f"{SVG}text" and (text := (shape.text or "").rstrip("\n")).strip("\xa0 "):
                name = self._class(styles[shape.get("class", "")])
                line = texts.setdefault(round((y - RICH_BASE) / RICH_CELL[1]), [])
                line.append(text_markup(text, name, at, round(length / RICH_CELL[0])))
        for number in range(max(*grounds, *texts) + 1):
            below = [one.markup(self._class(f"fill: {one.fill}")) for one in grounds.get(number, ())]
            yield "".join(below + texts.get(number, []))

    def _class(self, css: str) -> str:
        css = css.replace(": ", ":").rstrip(";")
        return self.styles.setdefault(css, f"c{len(self.styles)}")

    def svg(self, size: tuple[int, int], title: str) -> str:
        """Return the animated picture of a terminal with these columns and rows."""
        inside = size[0] * CELL[0], size[1] * CELL[1]
        width, height = inside[0] + 2 * MARGIN, inside[1] + TOP + MARGIN
        inset = f'x=".5" y=".5" width="{width - 1}" height="{height - 1}"'
        names: dict[Row, str] = {}
        groups = []
        for number, frame in enumerate(self.frames):
            uses = []
            for at, row in enumerate(frame.rows):
                if row:
                    name = names.setdefault(row, f"r{len(names)}")
                    place = f' y="{at * CELL[1]}"' if at else ""
                    uses.append(f'<use href="#{name}"{place}/>')
            groups.append(f'<g class="f" id="f{number}">{"".join(uses)}</g>')
        rows = [f'<g id="{name}">{row}</g>' for row, name in names.items()]
        dots = [
            f'<circle cx="{22 + 22 * at}" cy="{TOP // 2}" r="7" fill="{colour}"/>'
            for at, colour in enumerate(("#ff5f57", "#febc2e", "#28c840"))
        ]
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">',
                f"<title>{escape(title)}</title>",
                f"<style>{self._css()}</style>",
                "<defs>",
                f'<clipPath id="screen"><path d="M0 0h{inside[0]}v{inside[1]}H0"/></clipPath>',
                *rows,
                "</defs>",
                f'<rect {inset} rx="8" fill="#292929" stroke="#5a5a5a"/>',
                *dots,
                f'<text x="{width // 2}" y="{TOP // 2 + 7}" text-anchor="middle" fill="#c5c8c6">Durak</text>',
                f'<g transform="translate({MARGIN} {TOP})" clip-path="url(#screen)">',
                *groups,
                "</g>",
                "</svg>\n",
            ]
        )

    def _css(self) -> str:
        total = sum(frame.seconds for frame in self.frames)
        lines = [
            f'text{{font:{FONT_SIZE}px "DejaVu Sans Mono",Menlo,Consolas,monospace}}',
            "path{shape-rendering:crispEdges}",
            *(f".{name}{{{css}}}" for css, name in self.styles.items()),
            f".f{{visibility:hidden;animation:{total:.2f}s step-end infinite}}",
            f"#f{self.poster}{{visibility:visible}}",
        ]
        begun = 0.0
        for number, frame in enumerate(self.frames):
            ended = begun + frame.seconds
            steps = {0.0: "hidden", 100 * begun / total: "visible", 100 * ended / total: "hidden"}
            stops = "".join(f"{at:.3f}%{{visibility:{seen}}}" for at, seen in steps.items() if at < 99.9995)
            lines.append(f"#f{number}{{animation-name:k{number}}}@keyframes k{number}{{{stops}}}")
            begun = ended
        lines.append("@media (prefers-reduced-motion:reduce){.f{animation:none!important}}")
        return "\n".join(lines)


_SIZE: Final = (80, 24)
_OPEN_SIZE: Final = (120, 36)
"""Columns and rows for a seat's view, and for all hands."""
_FIRST, _MOVE, _LAST = 1.5, 1.1, 2.5
"""Seconds that frames last: the deal, a move, and the end."""
_CALM: Final = {"pace": "instant", "reduced_motion": True}


class FilmScreen(ReviewScreen):
    """Shows a recorded game without its analysis and its keys."""

    DEFAULT_CSS = "FilmScreen ReviewPanel, FilmScreen KeyBar { display: none; }"

    def _make_room(self, width: int) -> None:
        """Leave the panel hidden."""

    def view(self) -> TableView:
        return table_view(self.game.moment, self.look)


class _Camera:
    """Takes the screen of an app for a film of a kind."""

    def __init__(self, app: DurakApp, *, is_cast: bool) -> None:
        self._app = app
        self._film: Film | Cast = Cast() if is_cast else Film()
        self._console = Console(
            width=app.size.width,
            file=io.StringIO(),
            force_terminal=True,
            color_system="truecolor",
            legacy_windows=False,
        )

    def take(self, seconds: float) -> None:
        if isinstance(self._film, Film):
            self._film.take(self._app.export_screenshot(title="Durak"), seconds)
            self._film.poster = len(self._film.frames) - 1
        else:
            self._film.take(list(self._rows()), seconds)

    def _rows(self) -> Iterator[str]:
        for strip in self._app.screen._compositor.render_strips():  # noqa: SLF001 - as a screenshot does
            yield strip.render(self._console)

    def text(self, size: tuple[int, int], title: str) -> str:
        return self._film.svg(size, title) if isinstance(self._film, Film) else self._film.text(size, title)


async def _film(record: Record, *, seat: int | None, is_cast: bool, size: tuple[int, int]) -> str:
    """Return the film of a game, as one seat sees it or with open hands.

    Args:
        record: The game.
        seat: The viewing seat; None for all cards.
        is_cast: Whether the film is an asciicast, not an SVG.
        size: Columns and rows of the terminal.

    Raises:
        RecordError: If the game is impossible.
    """
    game = ReviewGame(record, seat)
    game.open_hands = seat is None and game.known_seat is None
    with _own_folder():
        app = DurakApp(Launch(changes=_CALM))
        async with app.run_test(size=size) as pilot:
            screen = FilmScreen(game, app.engines.adviser)
            await app.push_screen(screen)
            camera = _Camera(app, is_cast=is_cast)
            await _shoot(screen, pilot, camera)
        title = gettext("A game of Durak: {names}", names=", ".join(game.names))
        return camera.text(size, title)


async def _shoot(screen: FilmScreen, pilot: Pilot[None], camera: _Camera) -> None:
    game = screen.game
    for ply, before in enumerate(game.states):
        played = game.record.moves[ply - 1].action if ply else None
        if played == PASS and len(game.states[ply - 1].legal_actions) == 1 and not before.is_over:
            continue  # nothing happens
        screen.action_go(ply)
        while screen._is_drawing:  # noqa: SLF001 - no frame shows half a move
            await pilot.pause()
        await pilot.pause()
        camera.take(_LAST if ply == game.last_ply else _MOVE if ply else _FIRST)


@contextmanager
def _own_folder() -> Iterator[None]:
    """Keep the app out of the player's library and settings, and without engines."""
    with tempfile.TemporaryDirectory() as folder:
        changed = {"DURAK_DATA_DIR": folder, "DURAK_CONFIG_DIR": folder, "DURAK_ENGINE": "off"}
        before = {name: os.environ.get(name) for name in changed}
        os.environ.update(changed)
        try:
            yield
        finally:
            for name, value in before.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value


def write_film(
    record: Record, path: Path, *, seat: int | None = None, size: tuple[int, int] | None = None
) -> None:
    """Film a game: an asciicast if the name ends in ``.cast``, otherwise an animated SVG.

    Raises:
        RecordError: If the game is impossible.
        FileError: If the name has another ending, or the file cannot be written.
    """
    if path.suffix not in {".svg", ".cast"}:
        raise FileError(
            "{path} is not the name of a film: expected one that ends in .svg or .cast", path=path
        )
    is_cast = path.suffix == ".cast"
    size = size or (_OPEN_SIZE if seat is None else _SIZE)
    text = asyncio.run(_film(record, seat=seat, is_cast=is_cast, size=size))
    write_text_atomically(path, text)
