"""Renders small models as Graphviz DOT, or as SVG with the worlds on a circle.

Edges join worlds that a seat cannot distinguish, one chain per equivalence class.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Final
from xml.etree import ElementTree as ET

from durak_core.cards import CardSet
from durak_core.errors import KnowledgeError
from durak_core.lab.epistemic.model import KripkeModel

MAX_PICTURE: Final = 200
"""Most worlds in a picture."""

_COLOURS: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#a6761d", "#56b4e9")
"""Seat colours, safe for colour-blind readers (after Okabe and Ito)."""
_ROW: Final = 15.0
_LETTER: Final = 7.0
_DOT_BREAK: Final = "\\n"
_GAP: Final = 12.0
_APART: Final = 4.0
"""Distance in pixels between edges of different seats that join the same worlds."""


def write_dot(model: KripkeModel, actual: int | None = None) -> str:
    """Render a model in Graphviz DOT; the actual world has a double border."""
    lines = ["graph model {", "  node [shape=box, fontname=monospace, fontsize=11];"]
    for number, rows in enumerate(_labels(model)):
        marked = ", peripheries=2" if number == actual else ""
        lines.append(f'  w{number} [label="{_DOT_BREAK.join(rows)}"{marked}];')
    for seat in range(model.seats):
        colour = _colour(seat)
        lines += [
            f'  w{a} -- w{b} [label="{seat}", color="{colour}", fontcolor="{colour}"];'
            for a, b in _lines(model, seat)
        ]
    return "\n".join([*lines, "}"]) + "\n"


def write_svg(model: KripkeModel, actual: int | None = None) -> str:
    """Render a model in SVG; the actual world has a thick border."""
    labels = _labels(model)
    box = (_LETTER * max(len(row) for rows in labels for row in rows) + 12, _ROW * max(map(len, labels)) + 8)
    spots = _ring(model.size, box)
    width = max(max(x for x, _ in spots) + box[0] / 2 + _GAP, 60.0 * model.seats)
    height = max(y for _, y in spots) + box[1] / 2 + _GAP
    root = ET.Element(
        "svg", xmlns="http://www.w3.org/2000/svg", width=f"{width:.0f}", height=f"{height + 24:.0f}"
    )
    ET.SubElement(root, "style").text = "text{font:11px monospace;text-anchor:middle}"
    ET.SubElement(root, "rect", width="100%", height="100%", fill="white")
    for seat in range(model.seats):
        shift = (seat - (model.seats - 1) / 2) * _APART
        for a, b in _lines(model, seat):
            _draw_line(root, spots[a], spots[b], shift, _colour(seat))
    for number, rows in enumerate(labels):
        _draw_world(root, spots[number], box, rows, marked=number == actual)
    for seat in range(model.seats):
        _write(root, 40 + 60 * seat, height + 14, f"seat {seat}", _colour(seat))
    return ET.tostring(root, encoding="unicode") + "\n"


def _labels(model: KripkeModel) -> list[list[str]]:
    if model.size > MAX_PICTURE:
        raise KnowledgeError(
            "the model has {size:,} worlds; pictures are drawn of at most {most}",
            size=model.size,
            most=MAX_PICTURE,
        )
    labels = []
    for number in range(model.size):
        rows = []
        for place, column in model.which.items():
            cards = CardSet(model.sets[place][column[number]])
            if cards:
                rows.append(f"{place}: {cards}")
        labels.append(rows or ["all is known"])
    return labels


def _lines(model: KripkeModel, seat: int) -> Iterator[tuple[int, int]]:
    classes: dict[int, list[int]] = {}
    for number, class_ in enumerate(model.views[seat]):
        classes.setdefault(class_, []).append(number)
    for members in classes.values():
        yield from pairwise(members)


def _ring(count: int, box: tuple[float, float]) -> list[tuple[float, float]]:
    width, height = box
    radius = math.hypot(width + _GAP, height + _GAP) / (2 * math.sin(math.pi / count)) if count > 1 else 0.0
    angles = [2 * math.pi * number / count for number in range(count)]
    x, y = radius + width / 2 + _GAP, radius + height / 2 + _GAP
    return [(x + radius * math.sin(angle), y - radius * math.cos(angle)) for angle in angles]


def _draw_line(
    root: ET.Element, start: tuple[float, float], end: tuple[float, float], shift: float, colour: str
) -> None:
    (x1, y1), (x2, y2) = start, end
    length = max(1.0, ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5)
    dx, dy = -(y2 - y1) / length * shift, (x2 - x1) / length * shift
    ET.SubElement(
        root,
        "line",
        {"x1": f"{x1 + dx:.1f}", "y1": f"{y1 + dy:.1f}", "x2": f"{x2 + dx:.1f}", "y2": f"{y2 + dy:.1f}"},
        stroke=colour,
    )


def _draw_world(
    root: ET.Element, spot: tuple[float, float], box: tuple[float, float], rows: list[str], *, marked: bool
) -> None:
    x, y = spot
    width, height = box
    ET.SubElement(
        root,
        "rect",
        {"stroke-width": "3" if marked else "1"},
        x=f"{x - width / 2:.1f}",
        y=f"{y - height / 2:.1f}",
        width=f"{width:.1f}",
        height=f"{height:.1f}",
        rx="4",
        fill="#fffbe6" if marked else "#f7f7f7",
        stroke="black",
    )
    top = y - (len(rows) - 1) * _ROW / 2 + 4
    for i, row in enumerate(rows):
        _write(root, x, top + i * _ROW, row, "black")


def _write(root: ET.Element, x: float, y: float, text: str, colour: str) -> None:
    ET.SubElement(root, "text", x=f"{x:.1f}", y=f"{y:.1f}", fill=colour).text = text


def _colour(seat: int) -> str:
    return _COLOURS[seat % len(_COLOURS)]
