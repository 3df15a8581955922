"""Drives the app without a terminal along paths that players take, and prints what looked for compiled code.

A program for `test_light.py`: a process that has run other tests may have loaded NumPy. It prints a JSON
object with the attempts of each path to find or import a heavy package, each with the line that made it.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import shlex
import sys
import traceback
from importlib.abc import MetaPathFinder
from pathlib import Path

ROOT = str(Path(__file__).parents[3])
HEAVY = {"llvmlite", "numba", "numpy", "scipy"}
OPPONENTS = ("misha", "tanya", "boris", "olga", "viktor", "nina")
MOVES = 4


class Lookout(MetaPathFinder):
    """Notes every look for a heavy package, and finds nothing."""

    def __init__(self):
        self.seen = []

    def find_spec(self, name, _path=None, _target=None):
        if name.partition(".")[0] in HEAVY:
            ours = [frame for frame in traceback.extract_stack()[:-1] if frame.filename.startswith(ROOT)]
            self.seen.append(f"{name} by {ours[-1].filename}, line {ours[-1].lineno}")


LOOKOUT = Lookout()
sys.meta_path.insert(0, LOOKOUT)
sys.path[:0] = [ROOT, str(Path(ROOT) / "tests")]

from durak_core import Rules, State  # noqa: E402 - the lookout sees what these import
from durak_core.game.record import Record  # noqa: E402
from durak_tui.app import DurakApp  # noqa: E402
from durak_tui.learn.screens.puzzle import PuzzleScreen  # noqa: E402
from durak_tui.menu import MenuScreen  # noqa: E402
from durak_tui.play.setup import Launch  # noqa: E402
from durak_tui.review.screen import ReviewScreen  # noqa: E402
from durak_tui.table.screens import TableScreen  # noqa: E402
from durak_tui.ui.screens.dialogs import Ask  # noqa: E402
from durak_tui.watch.screen import WatchScreen  # noqa: E402
from tui.helpers import CALM, fake_engine, my_turn, on_screen, until  # noqa: E402


def an_app(at_once="", bots=(), **more):
    return DurakApp(Launch(Rules(seats=max(2, len(bots))), bots, 3, at_once, {**CALM, **more}))


async def menu():
    app = an_app()
    async with app.run_test():
        await until(lambda: on_screen(app, MenuScreen)() and app.screen._played)


async def play(app):
    """Play some moves, with the panel of cards open, which reads the opponent's choices."""
    table = await my_turn(app)
    table.action_knowledge()
    while table.session.ply < MOVES:
        table.session.submit(table.session.state.legal_actions[0])
        table = await my_turn(app)
    await until(lambda: table.readings.at(0, table.moment.ply))


def against(opponent):
    async def path():
        app = an_app("play", (f"level:{opponent}",))
        async with app.run_test():
            await play(app)

    return path


async def watch():
    app = an_app("watch", ("level:olga", "level:viktor", "level:nina"))
    async with app.run_test():
        await until(on_screen(app, WatchScreen))
        await until(lambda: app.screen.session.ply >= MOVES)


async def go_on():
    """Go on with the game against Baba Nina, which another path has left."""
    app = DurakApp(Launch(at_once="continue", changes=CALM))
    async with app.run_test():
        await play(app)


async def hint():
    app = DurakApp(Launch(at_once="continue", changes=CALM))
    async with app.run_test():
        await my_turn(app)
        app.screen.action_hint()
        await until(on_screen(app, Ask))
        app.screen.answer("help")
        await until(on_screen(app, TableScreen))
        await until(lambda: app.screen.advice.found and app.screen.advice.found.lines)


async def puzzle():
    app = an_app()
    async with app.run_test():
        await until(on_screen(app, MenuScreen))
        app.action_puzzles()
        await until(on_screen(app, PuzzleScreen))
        screen = app.screen
        await until(lambda: screen.is_my_turn)
        screen.submit(screen._solving.state.legal_actions[0])
        await until(lambda: screen._words)


async def review():
    rules = Rules(seats=2)
    state = State.deal(rules, 3)
    while not state.is_over:
        state = state.apply(state.legal_actions[-1])
    app = DurakApp(Launch(at_once="review", changes=CALM, games=(Record.of(state, ("Anna", "Boris"), ""),)))
    async with app.run_test():
        await until(on_screen(app, ReviewScreen))
        await until(lambda: app.screen.game.evaluated_moves)


async def control():
    """Do what no path may do, so that the test would see it."""
    importlib.util.find_spec("numba")


PATHS = {
    "menu": menu,
    **{opponent: against(opponent) for opponent in OPPONENTS},
    "watch": watch,
    "continue": go_on,
    "hint": hint,
    "puzzle": puzzle,
    "review": review,
    "control": control,
}


def main():
    os.environ["DURAK_ENGINE"] = shlex.join(fake_engine("decide"))
    found = {"start": LOOKOUT.seen[:]}
    for name, path in PATHS.items():
        LOOKOUT.seen.clear()
        asyncio.run(path())
        found[name] = LOOKOUT.seen[:]
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
