"""Film some turns of a game for the README: run the app, take its screens, write one animated SVG.

    python3 tools/film.py               # writes docs/pictures/film.svg
    python3 tools/film.py FILE --seed 7 # another deal, in another file

The app runs headless, and an agent plays the player's moves. `durak replay --film` films recorded games.
Renderers without animation, and readers who prefer less motion, get one frame: the hint.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from textual.pilot import Pilot

from durak_core import Action, Attack, Defend, Observation, Record, Rules, agent_seed, make_agent
from durak_core.lab import play_game
from durak_tui.app import DurakApp
from durak_tui.film import Film
from durak_tui.play.session import Session
from durak_tui.play.setup import Launch, play_setup
from durak_tui.players import HUMAN
from durak_tui.table.screens import TableScreen

FILM: Final = Path(__file__).resolve().parents[1] / "docs" / "pictures" / "film.svg"
TITLE: Final = "Durak in a terminal: some turns of a game for three, with a hint"
SIZE: Final = (80, 24)
SEED: Final = 50
"""A deal in which the hint and the player agree."""
RULES: Final = Rules(seats=3)
BOTS: Final = ("level:boris", "level:olga")
PLAYER: Final = "expert"
"""Plays the player's moves."""
BOUTS: Final = 3
"""The film ends with the last turn of this bout."""
SETTINGS: Final = {
    "pace": "instant",
    "reduced_motion": True,
    "language": "en",
    "colours": "four",
    "name": "Anna",
}

TIMEOUT: Final = 120.0
"""Seconds to wait for the app; reviews take longest."""

START, STEP, MOVE, HINT, END = 1.5, 0.3, 1.1, 3.5, 2.5
"""Seconds that frames last: the menu, a move of the cursor, a turn, the hint, and the last frame."""


async def until(condition: Callable[[], object]) -> None:
    """Wait until a condition holds.

    Raises:
        TimeoutError: If it does not hold in time.
    """
    deadline = time.monotonic() + TIMEOUT
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError("the app did not reach the next picture")
        await asyncio.sleep(0.005)


def has_moved(session: Session, before: int) -> bool:
    return session.ply > before


class Shoot:
    """Plays in the running app, and films it."""

    def __init__(self, app: DurakApp, pilot: Pilot[None], seed: int) -> None:
        self._app = app
        self._pilot = pilot
        self._seed = seed
        self.film = Film()

    async def take(self, seconds: float) -> None:
        await self._pilot.pause()
        self.film.take(self._app.export_screenshot(title="Durak"), seconds)

    async def play(self, bouts: int) -> None:
        """Film the menu, and a game until some bouts are over."""
        await self.take(START)
        session = self._app.new_game(play_setup(self._app.settings, Launch(RULES, BOTS, self._seed)))
        session.pause()  # bots move when they are told to, so that no frame is missed
        table = TableScreen(session)
        await self._app.push_screen(table)
        person = session.setup.human or 0
        player = make_agent(PLAYER)
        player.begin(RULES, person, agent_seed(self._seed, person))
        was_hinted = False
        while not session.is_over and session.state.bout <= bouts:
            await self._drawn(table)
            await self.take(MOVE)
            if session.state.turn != person:
                before = session.ply
                session.step()
                await until(partial(has_moved, session, before))
                continue
            observation = session.state.observation(person)
            action = player.choose(observation).action
            if not was_hinted and is_choice(observation):
                was_hinted = True
                await self._hint(table, action)
            await self._act(table, action)
        await self._drawn(table)
        await self.take(END)

    async def _drawn(self, table: TableScreen) -> None:
        # A step goes on through forced passes, so the number of moves may change while this waits.
        await until(lambda: table.moment.ply == table.session.ply and not table._is_drawing)  # noqa: SLF001
        await self._pilot.pause()

    async def _hint(self, table: TableScreen, action: Action) -> None:
        """Show a hint that agrees with what the player is about to play."""
        deadline = time.monotonic() + TIMEOUT
        await self._pilot.press("h", *["enter"] * table.session.is_rated)
        while True:
            await until(lambda: (found := table.advice.found) is not None and not found.is_running)
            found = table.advice.found
            if found is not None and found.lines and found.lines[0].action == action:
                break
            if time.monotonic() > deadline:
                raise TimeoutError("the hint is not what the player plays; film another deal")
            await self._pilot.press("h", "h")  # hide it, and search longer
        await self.take(HINT)
        self.film.poster = len(self.film.frames) - 1

    async def _act(self, table: TableScreen, action: Action) -> None:
        """Move the cursor to the card, and play it."""
        hand = table.board.hand
        if isinstance(action, Attack | Defend):
            cards = [held.card for held in hand._view.cards]  # noqa: SLF001
            way = cards.index(action.card) - hand.cursor
            for _ in range(abs(way)):
                await self._pilot.press("right" if way > 0 else "left")
                await self.take(STEP)
        table.submit(action)


def is_choice(observation: Observation) -> bool:
    """Return whether the player defends and has several ways to beat the card."""
    return bool(observation.open_attacks) and len(observation.legal_actions) > 3


def a_game() -> Record:
    """Return an earlier game, so that the app shows no tips for newcomers."""
    record = play_game(RULES, [make_agent(player) for player in (PLAYER, *BOTS)], 1).record
    tags = {f"Player{seat}": text for seat, text in enumerate((HUMAN, *BOTS))}
    return replace(record, players=("Anna", "Boris", "Olga"), tags=tags, date="2026-11-20 20:15")


async def shoot(seed: int = SEED, bouts: int = BOUTS, settings: dict[str, Any] = SETTINGS) -> Film:
    """Run the app and return the film of a game."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"DURAK_DATA_DIR": folder, "DURAK_CONFIG_DIR": folder}
        app = DurakApp(Launch(changes=settings))
        async with app.run_test(size=SIZE) as pilot:
            await app.library.add(a_game(), "played")
            await pilot.pause()
            work = Shoot(app, pilot, seed)
            await work.play(bouts)
            return work.film


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the film."""
    parser = argparse.ArgumentParser(description="Film some turns of a game as an animated SVG.")
    parser.add_argument(
        "file", nargs="?", type=Path, default=FILM, help="docs/pictures/film.svg if not given"
    )
    parser.add_argument("--seed", type=int, default=SEED, help="the deal")
    parser.add_argument("--bouts", type=int, default=BOUTS, help="how many bouts are filmed")
    options = parser.parse_args(arguments)
    os.environ.pop("NO_COLOR", None)
    film = asyncio.run(shoot(options.seed, options.bouts))
    options.file.write_text(film.svg(SIZE, TITLE), encoding="utf-8")
    seconds = sum(frame.seconds for frame in film.frames)
    size = options.file.stat().st_size // 1000
    print(f"{options.file}: {len(film.frames)} frames, {seconds:.0f} s, {size} kB")


if __name__ == "__main__":
    main()
