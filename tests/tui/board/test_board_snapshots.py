"""What the board looks like, as text: compare with the files in ``snapshots``.

After a wanted change, run with ``DURAK_UPDATE_SNAPSHOTS=1`` and read the difference in git.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from durak_core.engine.protocol import parse_line
from durak_tui.hints.model import Advice
from durak_tui.hints.view.advice import advice_view
from durak_tui.text.phrases import Voice
from durak_tui.ui.view.board_data import ButtonView, Look
from tui.boards import a_view, defence, finished, large_hand, long_bout, shown, six_seats, volley

FOLDER = Path(__file__).parents[1] / "snapshots"
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
}


ADVICE = (
    "action {} score 0.7163 interval 0.7091 0.7234 visits 15234 exact no continuation Kd take",
    "action {} score 0.6409 interval 0.6102 0.6701 visits 1021 exact no continuation 9s",
    "action {} score 0.1 interval 0 1 visits 0 exact no",
)
ADVISED = ("advice-60x20", "advice-80x24", "advice-120x36", "advice_ascii-80x24")


@pytest.mark.parametrize("name", VIEWS)
async def test_the_board_looks_as_it_did(name):
    width, height = name.rpartition("-")[2].split("x")
    async with shown(VIEWS[name](), (int(width), int(height))) as (app, _):
        text = app.text
    compare(name, text)


@pytest.mark.parametrize("name", ADVISED)
async def test_advice_looks_as_it_did(name):
    state, look = defence(), Look(ascii="ascii" in name)
    seen = state.observation(state.turn)
    told = enumerate(zip(ADVICE, seen.legal_actions, strict=False), 1)
    lines = [f"info line {at} {text.format(action)}" for at, (text, action) in told]
    advice = Advice(seen, tuple([parse_line(line)[1] for line in lines]), 16255, is_running=False)
    width, height = name.rpartition("-")[2].split("x")
    async with shown(a_view(state, look=look, extra=HINT), (int(width), int(height))) as (app, pilot):
        app.board.show_advice(advice_view(advice, Voice(("Anna", "Boris", "Clara"), seen.seat, look.ascii)))
        await pilot.pause()
        text = app.text
    compare(name, text)


def compare(name, text):
    """Compare with the file, or write it."""
    path = FOLDER / f"{name}.txt"
    if UPDATE:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def test_no_snapshot_is_left_over():
    assert {path.stem for path in FOLDER.glob("*.txt")} == {*VIEWS, *ADVISED}
