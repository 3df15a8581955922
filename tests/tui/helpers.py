"""What the tests of the app share."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest
from waiting import until

from durak_core import PRESETS, Rules
from durak_tui.app import DurakApp
from durak_tui.play.setup import GameSetup, Launch
from durak_tui.table.screens import TableScreen
from durak_tui.ui.widgets.form import Form, Row
from durak_tui.watch.screen import WatchScreen

if TYPE_CHECKING:
    from textual.pilot import Pilot

CALM = {"pace": "instant", "reduced_motion": True, "only_moves": False, "cursor": "middle"}
"""Settings with which nothing is waited for, and the test makes every move; Enter plays the middle card."""
NAMES = ("Anna", "Boris", "Clara", "Dima", "Elena", "Fedor")

FEW_PRESETS = ("podkidnoy", "perevodnoy", "huji")
each_preset = pytest.mark.parametrize(
    "preset",
    [name if name in FEW_PRESETS else pytest.param(name, marks=pytest.mark.slow) for name in PRESETS],
)


def a_setup(players=("greedy", "smart"), rules="podkidnoy", seed=1):
    """Set up a game with a seat for each player."""
    return GameSetup(
        Rules.parse(rules).changed(seats=len(players)), tuple(players), NAMES[: len(players)], seed
    )


def fake_engine(manner: str, *rest: object) -> tuple[str, ...]:
    """Return the command of an engine that says what a test wants; see fake_engine.py."""
    return (
        sys.executable,
        *(() if manner in {"legal", "decide"} else ("-S", "-E")),  # without the library it starts sooner
        str(Path(__file__).with_name("fake_engine.py")),
        manner,
        *map(str, rest),
    )


def an_app(rules="podkidnoy:seats=2", bots=(), seed=1, at_once="play", **changes) -> DurakApp:
    """Make an app whose bots answer at once; without bots those that the tests' games are known with."""
    rules = Rules.parse(rules)
    usual = ("smart", "greedy") * 3
    bots = tuple(bots) or usual[: rules.seats - (at_once != "watch")]
    return DurakApp(Launch(rules, bots, seed, at_once, {**CALM, **changes}))


def screen_text(app: DurakApp) -> str:
    """Return what the screen shows, line by line."""
    width, height = app.size
    strips = app.screen._compositor.render_strips()
    return "\n".join(strip.text.ljust(width) for strip in strips[:height])


def shows(app: DurakApp, *texts: str) -> Callable[[], bool]:
    """Return a condition: the screen shows all these texts at once."""

    def is_shown() -> bool:
        shown = screen_text(app)
        return all(text in shown for text in texts)

    return is_shown


def hides(app: DurakApp, text: str) -> Callable[[], bool]:
    """Return a condition: the screen does not show a text."""
    return lambda: text not in screen_text(app)


def on_screen(app: DurakApp, kind: type) -> Callable[[], bool]:
    """Return a condition: this kind of screen is the one in front, mounted, and drawn."""
    return lambda: isinstance(app.screen, kind) and app.screen.is_mounted and bool(screen_text(app).strip())


def send(app: DurakApp, *keys: str) -> None:
    """Press keys without waiting, as `Pilot.press` does at a tenth of a second for each."""
    for key in keys:
        app.simulate_key(key)


async def paused(app: DurakApp) -> WatchScreen:
    """Wait for a watched game, pause it, and return its screen once nothing moves any more."""
    await until(on_screen(app, WatchScreen))
    screen = cast("WatchScreen", app.screen)
    screen.session.pause()
    await until(lambda: screen.session._choice is None and not screen._is_drawing)
    return screen


async def click(pilot: Pilot[None], selector: str, offset: tuple[int, int] = (0, 0)) -> None:
    """Click on a widget once it has its place: a screen that is mounted may not be laid out yet."""
    await until(lambda: any(widget.region.area for widget in pilot.app.screen.query(selector)))
    await pilot.click(selector, offset=offset)


async def my_turn(app: DurakApp) -> TableScreen:
    """Wait until the person is to act, or the game is over, and it is drawn; return the table."""
    table = [screen for screen in app.screen_stack if isinstance(screen, TableScreen)][-1]
    session = table.session

    def drawn():
        ready = session.is_over or session.state.turn == session.setup.human
        return ready and table.moment.ply == session.ply and not table._is_drawing

    await until(drawn)
    return table


def row_named(form: Form, name: str) -> Row:
    """Return the row of a form that has a name."""
    return next(row for row in form._rows if row.name == name)


def go_to(form: Form, name: str) -> None:
    """Put a form's cursor on the row of a name."""
    form.cursor = form._rows.index(row_named(form, name))
