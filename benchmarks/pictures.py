"""Takes the pictures of docs/pictures from the running app.

Run it in the project's folder as ``python3 benchmarks/pictures.py``; it needs nothing but the app.
"""

from __future__ import annotations

import asyncio
import os
import re
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from durak_core import Phase, Rules
from durak_tui.app import DurakApp
from durak_tui.newgame import Launch
from durak_tui.screens.table import TableScreen
from durak_tui.screens.watch import WatchScreen

PICTURES: Final = Path(__file__).parents[1] / "docs" / "pictures"
SMALL: Final = (80, 24)
WIDE: Final = (120, 36)
RULES: Final = Rules.parse("perevodnoy:seats=3")
SEED: Final = 141
PATIENCE: Final = 20.0


async def until(condition: Callable[[], object]) -> None:
    """Wait until something is the case.

    Raises:
        TimeoutError: If it does not come about.
    """
    deadline = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError("the app did not get to what should be shown")
        await asyncio.sleep(0.005)


def take(app: DurakApp, name: str) -> None:
    """Write what the app shows now as a picture that needs no font from the net."""
    svg = app.export_screenshot(title="Durak")
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)
    svg = re.sub(r"font-family: [^;]+;", 'font-family: "DejaVu Sans Mono", Menlo, Consolas, monospace;', svg)
    svg = re.sub(r"terminal-\d+", "terminal", svg)
    (PICTURES / f"{name}.svg").write_text(svg, encoding="utf-8")


def is_worth_a_picture(table: TableScreen) -> bool:
    """Tell whether the person defends against a full table."""
    state = table.session.state
    mine = state.turn == table.session.setup.human and state.phase == Phase.DEFENCE
    ways = sum(bool(choice.actions) for choice in table.options.cards)
    return mine and len(state.table) > 2 and ways > 1 and len(state.talon) > 3


async def play_until_worth_it(table: TableScreen) -> None:
    """Play the first legal action again and again until there is something to see."""
    session = table.session
    while True:
        await until(lambda: session.state.turn == session.setup.human or session.is_over)
        await until(lambda: table.moment.ply == session.ply)
        if session.is_over:
            raise TimeoutError("this seed has nothing to show; choose another one")
        if is_worth_a_picture(table):
            return
        session.submit(session.state.legal_actions[0])


async def picture_table(name: str, size: tuple[int, int], language: str = "en") -> None:
    """Take the table as a person sees it."""
    changes = {"pace": "instant", "reduced_motion": True, "colours": "four", "language": language}
    app = DurakApp(Launch(RULES, ("smart", "greedy"), SEED, "play", changes))
    async with app.run_test(size=size) as pilot:
        await until(lambda: isinstance(app.screen, TableScreen))
        table = app.screen
        if isinstance(table, TableScreen):
            await play_until_worth_it(table)
        await pilot.pause()
        take(app, name)


async def picture_watch(name: str, size: tuple[int, int]) -> None:
    """Take a watched game with open hands."""
    changes = {"pace": "0.5x", "reduced_motion": True, "language": "en"}
    app = DurakApp(Launch(RULES, (), SEED, "watch", changes))
    async with app.run_test(size=size) as pilot:
        await until(lambda: isinstance(app.screen, WatchScreen))
        await pilot.press("space", "o", *["right"] * 12)
        screen = app.screen
        if isinstance(screen, WatchScreen):
            await until(lambda: screen.session.ply == 12)
        await pilot.pause()
        take(app, name)


async def main() -> None:
    """Take all pictures."""
    PICTURES.mkdir(exist_ok=True)
    await picture_table("table", SMALL)
    await picture_table("table-wide", WIDE)
    await picture_table("table-ru", SMALL, "ru")
    await picture_watch("watch", WIDE)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"DURAK_DATA_DIR": folder, "DURAK_CONFIG_DIR": folder}
        os.environ.pop("NO_COLOR", None)
        asyncio.run(main())
