"""An animated SVG of a terminal.

The picture contains each distinct screen line once, frames that refer to these lines, and a CSS animation
that switches frames. It needs no script and no external font. Renderers without animation, and readers who
prefer less motion, get one frame.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape

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
