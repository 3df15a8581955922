"""Film some turns of a game for the README: run the app, take its screens, write one animated SVG.

    python3 tools/film.py               # writes docs/pictures/film.svg
    python3 tools/film.py FILE --seed 7 # another deal, in another file

The app runs headless, and an agent plays the player's moves. The SVG contains each distinct screen line once,
frames that refer to these lines, and a CSS animation that switches frames. It needs no script and no external
font. Renderers without animation, and readers who prefer less motion, get one frame: the hint.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape

from textual.pilot import Pilot

from durak_core import Action, Attack, Defend, Observation, Record, Rules, agent_seed, make_agent
from durak_core.lab import play_game
from durak_tui.app import DurakApp
from durak_tui.play.session import Session
from durak_tui.play.setup import Launch, play_setup
from durak_tui.players.roster import HUMAN
from durak_tui.table.screens.table import TableScreen

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

CELL: Final = (12, 24)
"""Width and height of a character."""
BASE: Final = 19
"""The base line of text in its cell."""
FONT_SIZE: Final = 19.93
"""At this size a character of DejaVu Sans Mono is as wide as a cell."""
MARGIN, TOP = 10, 40
"""Around the screen, in the picture of a window."""
JOINED: Final = frozenset("─━═▀▄█░▒▓")
"""Characters that touch their neighbours, whatever the font."""
RICH_CELL: Final = (12.2, 24.4)
RICH_ABOVE, RICH_BASE = 1.5, 20
"""Cells in Rich's pictures, the top of backgrounds, and the base line of text."""
SVG: Final = "{http://www.w3.org/2000/svg}"

Row = str
"""The markup of one line of the screen, at the height of the first one."""


@dataclass(frozen=True)
class Ground:
    """Cells of a line with the same background."""

    start: int
    end: int
    fill: str

    def markup(self, name: str) -> str:
        start, end = CELL[0] * self.start, CELL[0] * self.end
        # One unit higher than the line, so that no seam is seen between lines.
        return f'<path class="{name}" d="M{start} 0h{end - start}v{CELL[1] + 1}H{start}z"/>'


def screen_of(screenshot: str) -> Iterator[ET.Element]:
    """Return the backgrounds and texts in a screenshot of Rich, without the window around them."""
    screen = ET.fromstring(screenshot).find(f"{SVG}g[@clip-path]")  # noqa: S314 - the app drew it
    if screen is None:
        raise ValueError("Rich draws its pictures in another way than this program expects")
    return screen.iter()


def text_markup(text: str, name: str, column: int, cells: int) -> str:
    length = f' textLength="{cells * CELL[0]}"' if cells > 1 else ""
    stretch = ' lengthAdjust="spacingAndGlyphs"' if length and JOINED & set(text) else ""
    x = f' x="{column * CELL[0]}"' if column else ""
    return f'<text class="{name}"{x} y="{BASE}"{length}{stretch}>{escape(text)}</text>'


@dataclass(frozen=True)
class Frame:
    """What the screen shows for some seconds."""

    rows: tuple[Row, ...]
    seconds: float


@dataclass
class Film:
    """The frames, and the classes of text in all of them by their CSS.

    Attributes:
        poster: The frame that is shown without animation.
    """

    frames: list[Frame] = field(default_factory=list)
    styles: dict[str, str] = field(default_factory=dict)
    poster: int = 0

    def take(self, screenshot: str, seconds: float) -> None:
        """Add a frame, or prolong the last one if nothing has changed."""
        rows = tuple(self._rows(screenshot))
        if self.frames and self.frames[-1].rows == rows:
            last = self.frames[-1]
            self.frames[-1] = replace(last, seconds=last.seconds + seconds)
        else:
            self.frames.append(Frame(rows, seconds))

    def _rows(self, screenshot: str) -> Iterator[Row]:
        """Split a screenshot of Rich into lines whose markup is the same wherever the line is."""
        styles = dict(re.findall(r"\.([\w-]+-r\d+) \{ (.*?) \}", screenshot))
        grounds: dict[int, list[Ground]] = {}
        texts: dict[int, list[str]] = {}
        for shape in screen_of(screenshot):
            x, y, width, length = (float(shape.get(name, 0)) for name in ("x", "y", "width", "textLength"))
            at = round(x / RICH_CELL[0])
            if shape.tag == f"{SVG}rect":
                row = grounds.setdefault(round((y - RICH_ABOVE) / RICH_CELL[1]), [])
                ground = Ground(at, at + round(width / RICH_CELL[0]), shape.get("fill", ""))
                if row and (row[-1].end, row[-1].fill) == (ground.start, ground.fill):
                    ground = replace(ground, start=row.pop().start)
                row.append(ground)
            elif shape.tag == f"{SVG}text" and (text := (shape.text or "").rstrip("\n")).strip("\xa0 "):
                name = self._class(styles[shape.get("class", "")])
                line = texts.setdefault(round((y - RICH_BASE) / RICH_CELL[1]), [])
                line.append(text_markup(text, name, at, round(length / RICH_CELL[0])))
        for number in range(max(*grounds, *texts) + 1):
            below = [one.markup(self._class(f"fill: {one.fill}")) for one in grounds.get(number, ())]
            yield "".join(below + texts.get(number, []))

    def _class(self, css: str) -> str:
        css = css.replace(": ", ":").rstrip(";")
        return self.styles.setdefault(css, f"c{len(self.styles)}")

    def svg(self, size: tuple[int, int] = SIZE) -> str:
        """Return the animated picture."""
        inside = size[0] * CELL[0], size[1] * CELL[1]
        width, height = inside[0] + 2 * MARGIN, inside[1] + TOP + MARGIN
        inset = f'x=".5" y=".5" width="{width - 1}" height="{height - 1}"'
        names: dict[Row, str] = {}
        groups = []
        for number, frame in enumerate(self.frames):
            uses = []
            for at, row in enumerate(frame.rows):
                if row:
                    name = names.setdefault(row, f"r{len(names)}")
                    place = f' y="{at * CELL[1]}"' if at else ""
                    uses.append(f'<use href="#{name}"{place}/>')
            groups.append(f'<g class="f" id="f{number}">{"".join(uses)}</g>')
        rows = [f'<g id="{name}">{row}</g>' for row, name in names.items()]
        dots = [
            f'<circle cx="{22 + 22 * at}" cy="{TOP // 2}" r="7" fill="{colour}"/>'
            for at, colour in enumerate(("#ff5f57", "#febc2e", "#28c840"))
        ]
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">',
                f"<title>{escape(TITLE)}</title>",
                f"<style>{self._css()}</style>",
                "<defs>",
                f'<clipPath id="screen"><path d="M0 0h{inside[0]}v{inside[1]}H0"/></clipPath>',
                *rows,
                "</defs>",
                f'<rect {inset} rx="8" fill="#292929" stroke="#5a5a5a"/>',
                *dots,
                f'<text x="{width // 2}" y="{TOP // 2 + 7}" text-anchor="middle" fill="#c5c8c6">Durak</text>',
                f'<g transform="translate({MARGIN} {TOP})" clip-path="url(#screen)">',
                *groups,
                "</g>",
                "</svg>\n",
            ]
        )

    def _css(self) -> str:
        total = sum(frame.seconds for frame in self.frames)
        lines = [
            f'text{{font:{FONT_SIZE}px "DejaVu Sans Mono",Menlo,Consolas,monospace}}',
            "path{shape-rendering:crispEdges}",
            *(f".{name}{{{css}}}" for css, name in self.styles.items()),
            f".f{{visibility:hidden;animation:{total:.2f}s step-end infinite}}",
            f"#f{self.poster}{{visibility:visible}}",
        ]
        begun = 0.0
        for number, frame in enumerate(self.frames):
            ended = begun + frame.seconds
            steps = {0.0: "hidden", 100 * begun / total: "visible", 100 * ended / total: "hidden"}
            stops = "".join(f"{at:.3f}%{{visibility:{seen}}}" for at, seen in steps.items() if at < 99.9995)
            lines.append(f"#f{number}{{animation-name:k{number}}}@keyframes k{number}{{{stops}}}")
            begun = ended
        lines.append("@media (prefers-reduced-motion:reduce){.f{animation:none!important}}")
        return "\n".join(lines)


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
            await self._drawn(table, session.ply)
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
        await self._drawn(table, session.ply)
        await self.take(END)

    async def _drawn(self, table: TableScreen, ply: int) -> None:
        await until(lambda: table.moment.ply == ply and not table._is_drawing)  # noqa: SLF001
        await self._pilot.pause()

    async def _hint(self, table: TableScreen, action: Action) -> None:
        """Show a hint that agrees with what the player is about to play."""
        deadline = time.monotonic() + TIMEOUT
        await self._pilot.press("h")
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
    options.file.write_text(film.svg(), encoding="utf-8")
    seconds = sum(frame.seconds for frame in film.frames)
    size = options.file.stat().st_size // 1000
    print(f"{options.file}: {len(film.frames)} frames, {seconds:.0f} s, {size} kB")


if __name__ == "__main__":
    main()
