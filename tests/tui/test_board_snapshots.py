"""What the board looks like, as text: compare with the files in ``snapshots``.

After a wanted change, run with ``DURAK_UPDATE_SNAPSHOTS=1`` and read the difference in git.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from durak_tui.view_model import ButtonView, Look
from tui.boards import a_view, defence, finished, large_hand, long_bout, shown, six_seats, volley

FOLDER = Path(__file__).parent / "snapshots"
UPDATE = bool(os.environ.get("DURAK_UPDATE_SNAPSHOTS"))
HINT = (ButtonView("hint", "Hint", "h"),)

VIEWS = {
    "defence-60x20": lambda: a_view(defence(), extra=HINT),
    "defence-80x24": lambda: a_view(defence(), extra=HINT),
    "defence-100x30": lambda: a_view(defence(), extra=HINT),
    "defence-120x36": lambda: a_view(defence(), extra=HINT),
    "ascii-80x24": lambda: a_view(defence(), extra=HINT, look=Look(ascii=True)),
    "plain-80x24": lambda: a_view(defence(), extra=HINT, look=Look(plain=True)),
    "watched-80x24": lambda: a_view(defence(), human=None, thinking=0, open_hands=defence().hands),
    "volley-80x24": lambda: a_view(volley(), target=volley().table[1].attack),
    "six_seats-60x20": lambda: a_view(six_seats()),
    "six_seats-80x24": lambda: a_view(six_seats()),
    "six_seats-120x36": lambda: a_view(six_seats(), seat=1, human=1, reason="It keeps its trumps."),
    "large_hand-60x20": lambda: a_view(large_hand()),
    "large_hand-80x24": lambda: a_view(large_hand()),
    "long_bout-60x20": lambda: a_view(long_bout()),
    "long_bout-80x24": lambda: a_view(long_bout()),
    "small-80x24": lambda: a_view(defence(), look=Look(size="small")),
    "tiny-80x24": lambda: a_view(defence(), look=Look(size="tiny")),
    "finished-100x30": lambda: a_view(finished()),
    "too_small-50x15": lambda: a_view(defence()),
}


@pytest.mark.parametrize("name", VIEWS)
async def test_the_board_looks_as_it_did(name):
    width, height = name.rpartition("-")[2].split("x")
    async with shown(VIEWS[name](), (int(width), int(height))) as (app, _):
        text = app.text
    path = FOLDER / f"{name}.txt"
    if UPDATE:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def test_no_snapshot_is_left_over():
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(VIEWS)
