"""The film of the README: how frames become an animated SVG, and what the committed one holds."""

from __future__ import annotations

import importlib.util
import io
import re
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).parents[2]
_SPEC = importlib.util.spec_from_file_location("film", ROOT / "tools" / "film.py")
film = importlib.util.module_from_spec(_SPEC)
sys.modules["film"] = film  # where its dataclasses look for their module
_SPEC.loader.exec_module(film)


def screenshot(*lines: str) -> str:
    console = Console(width=10, height=3, file=io.StringIO(), record=True, force_terminal=True)
    for line in lines:
        console.print(Text(line.ljust(10), "bold #ff0000 on #004400"))
    return console.export_svg(title="x")


def a_film():
    made = film.Film()
    made.take(screenshot("one", "<same>", "end"), 1)
    made.take(screenshot("one", "<same>", "end"), 1)
    made.take(screenshot("two", "<same>", "end"), 2)
    made.poster = 1
    return made


def test_a_frame_that_changes_nothing_prolongs_the_last_one() -> None:
    assert [frame.seconds for frame in a_film().frames] == [2, 2]


def test_each_line_is_written_once() -> None:
    made = a_film()
    svg = made.svg((10, 3))
    assert svg.count("&lt;same&gt;") == 1
    frames = [frame.rows for frame in made.frames]
    assert frames[0][0] != frames[1][0]
    assert frames[0][1:] == frames[1][1:]


def test_frames_take_turns() -> None:
    css = a_film()._css()
    assert "@keyframes k0{0.000%{visibility:visible}50.000%{visibility:hidden}}" in css
    assert "@keyframes k1{0.000%{visibility:hidden}50.000%{visibility:visible}}" in css
    assert "animation:4.00s step-end infinite" in css
    assert "#f1{visibility:visible}" in css


@pytest.mark.parametrize(
    "svg", [a_film().svg((10, 3)), film.FILM.read_text("utf-8")], ids=["made", "committed"]
)
def test_the_picture_stands_alone(svg: str) -> None:
    """Sites show it as an image: no script runs, nothing is fetched, and every line is there."""
    root = ET.fromstring(svg)  # noqa: S314 - ours
    assert not list(root.iter(f"{film.SVG}script"))
    assert re.findall(r"https?://[^\"]+|@font-face|@import", svg) == ["http://www.w3.org/2000/svg"]
    lines = {f"#{group.get('id')}" for group in root.iter(f"{film.SVG}g")}
    used = {use.get("href") for use in root.iter(f"{film.SVG}use")}
    assert used
    assert used <= lines


def test_the_committed_film_is_small() -> None:
    assert film.FILM.stat().st_size < 400_000


def test_another_kind_of_picture_is_refused() -> None:
    with pytest.raises(ValueError, match="another way"):
        list(film.screen_of("<svg xmlns='http://www.w3.org/2000/svg'/>"))
