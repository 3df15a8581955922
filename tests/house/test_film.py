"""The film of the README is a picture that stands alone, and its program can be imported."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

from durak_tui.film import SVG

ROOT = Path(__file__).parents[2]
_SPEC = importlib.util.spec_from_file_location("film", ROOT / "tools" / "film.py")
film = importlib.util.module_from_spec(_SPEC)
sys.modules["film"] = film  # where its dataclasses look for their module
_SPEC.loader.exec_module(film)


def test_the_picture_stands_alone() -> None:
    """Sites show it as an image: no script runs, nothing is fetched, and every line is there."""
    svg = film.FILM.read_text("utf-8")
    root = ET.fromstring(svg)  # noqa: S314 - ours
    assert not list(root.iter(f"{SVG}script"))
    assert re.findall(r"https?://[^\"]+|@font-face|@import", svg) == ["http://www.w3.org/2000/svg"]
    lines = {f"#{group.get('id')}" for group in root.iter(f"{SVG}g")}
    used = {use.get("href") for use in root.iter(f"{SVG}use")}
    assert used
    assert used <= lines


def test_the_committed_film_is_small() -> None:
    assert film.FILM.stat().st_size < 400_000
