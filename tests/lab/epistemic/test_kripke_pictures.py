"""Pictures of models: what is drawn is the model, and what cannot be drawn is said."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest

from durak_core import KnowledgeError
from durak_core.lab.epistemic import KripkeModel, Scenario, write_dot, write_svg

MODEL = KripkeModel.of(Scenario.of("6s7s8s9s", hands=(2, 1), talon=1))
SVG = "{http://www.w3.org/2000/svg}"


def test_dot_joins_what_a_seat_cannot_tell_apart() -> None:
    """Following one seat's lines leads to the worlds of its class and to no others."""
    text = write_dot(MODEL, actual=3)
    assert len(re.findall(r"^  w\d+ \[", text, re.MULTILINE)) == MODEL.size == 12
    assert re.search(r'w3 \[label="[^"]+", peripheries=2\]', text)
    for seat in range(2):
        lines = [(int(a), int(b)) for a, b in re.findall(rf'w(\d+) -- w(\d+) \[label="{seat}"', text)]
        for world in range(MODEL.size):
            reached = {world}
            for _ in range(MODEL.size):
                reached |= {b for a, b in lines if a in reached} | {a for a, b in lines if b in reached}
            assert sorted(reached) == MODEL.alike(seat, world)


def test_labels_are_the_worlds() -> None:
    """A row for each place that holds one of the cards in question."""
    labels = re.findall(r'^  w(\d+) \[label="([^"]+)"', write_dot(MODEL), re.MULTILINE)
    assert len(labels) == MODEL.size
    for number, label in labels:
        cards = MODEL.world(int(number)).cards
        assert label.split("\\n") == [f"{place}: {there}" for place, there in cards.items() if there]


def test_svg_shows_every_world_apart_from_the_others() -> None:
    """Well-formed, a box for each world, none on another, lines for each seat, the same every time."""
    text = write_svg(MODEL, actual=3)
    assert text == write_svg(MODEL, actual=3)
    root = ET.fromstring(text)  # noqa: S314 - our own text
    boxes = [box for box in root.iter(f"{SVG}rect") if box.get("rx")]
    corners = [[float(box.get(name, "")) for name in ("x", "y", "width", "height")] for box in boxes]
    assert len(corners) == MODEL.size
    for i, (x, y, width, height) in enumerate(corners):
        assert x >= 0
        assert y >= 0
        assert x + width <= float(root.get("width", ""))
        for other in corners[:i]:
            assert abs(x - other[0]) >= width or abs(y - other[1]) >= height
    assert [box.get("stroke-width") for box in boxes].count("3") == 1
    assert len({line.get("stroke") for line in root.iter(f"{SVG}line")}) == 2


def test_what_nobody_could_read_is_not_drawn() -> None:
    """More than 200 worlds are refused."""
    large = KripkeModel.of(Scenario.of("6s7s8s9sTsJs", hands=(3, 2), talon=1))
    assert large.size == 60
    huge = KripkeModel.of(Scenario.of("6s7s8s9sTsJsQsKs", hands=(3, 3), talon=2))
    for write in (write_dot, write_svg):
        assert write(large)
        with pytest.raises(KnowledgeError, match="560 worlds; pictures are drawn of at most 200"):
            write(huge)


def test_a_model_of_one_world_can_be_drawn() -> None:
    """Also where there is nothing to tell apart."""
    single = KripkeModel.of(Scenario.of("6s", hands=(1, 0)))
    assert "<line" not in write_svg(single)
