"""The player's guide lists every key of the screens that it describes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from durak_tui.keys.actions import KEYS
from durak_tui.keys.keymap import Keymap, key_label

GUIDE = Path(__file__).parents[2] / "docs" / "players-guide.md"


def listed_keys(heading: str) -> list[str]:
    """Return the keys in the first column of the table with this heading."""
    table = GUIDE.read_text(encoding="utf-8").partition(f"| key | {heading} |")[2].partition("\n\n")[0]
    return [key for row in table.splitlines()[2:] for key in re.findall(r"`([^`]+)`", row.split("|")[1])]


@pytest.mark.parametrize(
    ("heading", "places"),
    [
        pytest.param("at the table", ("table", "knowledge", "app"), id="table"),
        pytest.param("watching or reviewing", ("watch", "review", "knowledge"), id="watch-and-review"),
    ],
)
def test_the_guide_lists_the_keys_of_a_screen(heading: str, places: tuple[str, ...]) -> None:
    """Exactly the default keys of these places are listed."""
    keymap = Keymap()
    keys = {key_label(key) for place in places for one in KEYS[place] for key in keymap.keys(one.id)}
    assert set(listed_keys(heading)) == keys
