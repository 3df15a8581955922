"""Takes the pictures of docs/pictures from the running app, and writes docs/screens.md, which shows them.

Run it in the project's folder as ``python3 benchmarks/pictures.py``; names behind it take only these. Most
are taken in a small terminal and in a wide one. It needs nothing but the app and, for advice, chances and
the review, its engine; on a busy machine they show less.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

from textual.pilot import Pilot

from durak_core import Phase, Record, Rules, make_agent
from durak_core.daily import OPPONENTS as DAILY_OPPONENTS
from durak_core.daily import DailyDeal
from durak_core.lab import play_game
from durak_tui.app import DurakApp
from durak_tui.learn.model.puzzles import HIDDEN
from durak_tui.learn.screens.mistakes import MistakesScreen
from durak_tui.learn.screens.puzzle import PuzzleScreen
from durak_tui.play.saves import DAY_TAG
from durak_tui.play.setup import GameSetup, Launch
from durak_tui.players.roster import HUMAN
from durak_tui.review.screen import ReviewScreen
from durak_tui.table.screens.hand_over import HandOverScreen
from durak_tui.table.screens.table import TableScreen
from durak_tui.ui.screens.dialogs import Ask
from durak_tui.watch.screen import WatchScreen

PICTURES: Final = Path(__file__).parents[1] / "docs" / "pictures"
PAGE: Final = PICTURES.parent / "screens.md"
SMALL: Final = (80, 24)
WIDE: Final = (120, 36)
PHONE: Final = (46, 44)
RULES: Final = Rules.parse("perevodnoy:seats=3")
PAIRS: Final = Rules.parse("perevodnoy:seats=4,teams=2x2")
SEED: Final = 39
TODAY: Final = date(2026, 11, 22)
"""The day of the picture of the deal of the day."""
PATIENCE: Final = 120.0
ENOUGH: Final = 75.0
"""Seconds after which a review is shown as far as it has come."""
CHANCES: Final = 12.0
"""Seconds in which the engine finds the chances of a watched game's beginning."""


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
    choices = min(ways, len(state.legal_actions))
    return mine and len(state.table) > 2 and choices > 1 and len(state.talon) > 3


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


def shown(app: DurakApp, words: str) -> Callable[[], bool]:
    """Return a condition: the screen shows some words."""
    return lambda: any(words in strip.text for strip in app.screen._compositor.render_strips())  # noqa: SLF001


async def at_the_table(app: DurakApp, pilot: Pilot[None]) -> TableScreen:
    """Play until there is something to see."""
    await until(lambda: isinstance(app.screen, TableScreen))
    table = app.screen
    if not isinstance(table, TableScreen):
        raise TypeError("the table is not in front")
    await play_until_worth_it(table)
    await pilot.pause()
    return table


async def show_table(app: DurakApp, pilot: Pilot[None]) -> None:
    """Show the table as a person sees it."""
    await at_the_table(app, pilot)


async def show_advice(app: DurakApp, pilot: Pilot[None]) -> None:
    """Show what the engine advises."""
    await at_the_table(app, pilot)
    await pilot.press("h")
    await until(shown(app, "%"))
    seen = time.monotonic()
    await until(lambda: time.monotonic() > seen + 4)


async def show_result(app: DurakApp, pilot: Pilot[None]) -> None:
    """Show how a game ended."""
    table = await at_the_table(app, pilot)
    session = table.session
    while not session.is_over:
        await until(lambda: session.state.turn == session.setup.human or session.is_over)
        if not session.is_over:
            session.submit(session.state.legal_actions[0])
    await until(lambda: isinstance(app.screen, Ask))


async def show_daily(app: DurakApp, pilot: Pilot[None]) -> None:
    """Show the deal of a day, and what became of those before it."""
    for number in (1, 2, 3, 5, 8, 9, 12):
        day = TODAY - timedelta(number)
        deal = DailyDeal.of(day)
        players = [make_agent("smart"), *map(make_agent, DAILY_OPPONENTS)]
        game = play_game(deal.rules, players, deal.seed).record
        tags = {f"Player{seat}": text for seat, text in enumerate((HUMAN, *DAILY_OPPONENTS))}
        tags[DAY_TAG] = day.isoformat()
        await app.library.add(replace(game, tags=tags, date=f"{day} 20:15"), "played")
    with patch("durak_tui.learn.screens.daily.now", lambda: TODAY):
        app.action_daily()
        await until(shown(app, "in a row"))
        await pilot.press("left")
        await until(shown(app, "Durak 21 Nov 2026"))


async def show_watch(app: DurakApp, pilot: Pilot[None]) -> None:
    """Show a watched game with open hands."""
    await until(lambda: isinstance(app.screen, WatchScreen))
    await pilot.press("space", "o", *["right"] * 12)
    screen = app.screen
    if isinstance(screen, WatchScreen):
        await until(lambda: screen.session.ply == 12)
    seen = time.monotonic()
    await until(lambda: time.monotonic() > seen + CHANCES)


async def show_watched_knowledge(app: DurakApp, pilot: Pilot[None]) -> None:
    """Show what a watched seat knows, and one card of it in words."""
    await until(lambda: isinstance(app.screen, WatchScreen))
    await pilot.press("space", *["right"] * 40)
    screen = app.screen
    if isinstance(screen, WatchScreen):
        await until(lambda: screen.session.ply == 40)
    seen = time.monotonic()
    await until(lambda: time.monotonic() > seen + CHANCES)
    await pilot.press("k", "ctrl+right")
    await until(shown(app, "Read from their choices"))


async def show_reviewed_knowledge(app: DurakApp, pilot: Pilot[None]) -> None:
    """Show what the others know of a hand in a review."""
    await until(lambda: isinstance(app.screen, ReviewScreen))
    await pilot.press("home", *["]"] * 5, "right", "right", "k", "j")
    await until(shown(app, "What they certainly know"))


async def show_own_knowledge(app: DurakApp, pilot: Pilot[None]) -> None:
    """Show what the person at the table knows."""
    await at_the_table(app, pilot)
    await pilot.press("i")
    await until(shown(app, "Read from their choices"))


async def show_hand_over(app: DurakApp, pilot: Pilot[None]) -> None:
    """Show how two people share a keyboard."""
    app.begin(GameSetup(RULES, (HUMAN, HUMAN, "level:boris"), ("Anna", "Clara", "Boris"), SEED))
    await until(lambda: isinstance(app.screen, HandOverScreen))
    await pilot.pause()


async def show_review(app: DurakApp, pilot: Pilot[None]) -> None:
    """Show a judged game at a blunder."""
    await until(lambda: isinstance(app.screen, ReviewScreen))
    screen = app.screen
    if isinstance(screen, ReviewScreen):
        await until(lambda: screen._reviewer.is_running)  # noqa: SLF001
        begun = time.monotonic()
        await until(lambda: time.monotonic() > begun + ENOUGH or not screen._reviewer.is_running)  # noqa: SLF001
    await pilot.press("home", "b")


async def show_mistakes(app: DurakApp, pilot: Pilot[None]) -> None:
    """Show a mistake that is to be played better, with a hint."""
    game = a_game(6, "level:misha")
    await app.library.add(game, "played")
    app.show_review(game)
    await show_review(app, pilot)
    await pilot.press("escape")
    app.action_mistakes()
    await until(lambda: isinstance(app.screen, MistakesScreen))
    await pilot.press("h")


async def show_puzzle(app: DurakApp, pilot: Pilot[None]) -> None:
    """Show what is said of a wrong move in an endgame."""
    await _show_wrong(app, pilot, "all")


async def show_hidden_puzzle(app: DurakApp, pilot: Pilot[None]) -> None:
    """Show what is said of a wrong move where cards are hidden."""
    await _show_wrong(app, pilot, HIDDEN)


async def _show_wrong(app: DurakApp, pilot: Pilot[None], kind: str) -> None:
    app.action_puzzles(kind)
    await until(lambda: isinstance(app.screen, PuzzleScreen))
    screen = app.screen
    if isinstance(screen, PuzzleScreen):
        await until(lambda: screen._solving.is_ready)  # noqa: SLF001
        wrong = next(one for one in screen.moment.observation.legal_actions if one != screen._solving.answer)  # noqa: SLF001
        screen.submit(wrong)
    await until(shown(app, "Try again"))
    await pilot.pause()


_GAMES: Final = 80
"""How many games there are in the pictures of the library."""


def keys(*names: str, games: int = 0) -> Callable[[DurakApp, Pilot[None]], Awaitable[None]]:
    """Return what presses keys in the menu."""

    async def press(app: DurakApp, pilot: Pilot[None]) -> None:
        for number in range(games):
            await app.library.add(a_game(number), "played")
        await pilot.press(*names)

    return press


def a_game(seed: int, person: str = "greedy") -> Record:
    """Play a game of a person, who plays as an agent does, against one or two opponents."""
    players = (person, "level:boris", "level:olga") if seed % 3 == 0 else (person, "level:boris")
    rules = Rules(seats=len(players))
    game = play_game(rules, [make_agent(player) for player in players], seed).record
    tags = {f"Player{seat}": HUMAN if seat == 0 else player for seat, player in enumerate(players)}
    date = f"2026-{seed // 28 % 12 + 1:02}-{seed % 28 + 1:02} 20:{seed % 60:02}"
    return replace(game, players=("Anna", "Boris", "Olga")[: len(players)], tags=tags, date=date)


@dataclass(frozen=True)
class Picture:
    """A picture to be taken.

    Attributes:
        name: Its file, without the suffix.
        title: What it shows, for the page.
        show: Brings the app to what is to be seen.
        at_once: What the app begins with.
        changes: Settings.
        rules: Those of a game to be played, and the seed of its deal.
        sizes: Columns and lines by what is added to the name.
    """

    name: str
    title: str
    show: Callable[[DurakApp, Pilot[None]], Awaitable[None]]
    at_once: str = ""
    changes: dict[str, Any] = field(default_factory=dict)
    sizes: Mapping[str, tuple[int, int]] = field(default_factory=lambda: SIZES)
    rules: Rules = RULES
    seed: int = SEED


SIZES: Final = {"": SMALL, "-wide": WIDE}
FOUR: Final[dict[str, Any]] = {"colours": "four"}
QUICK: Final[dict[str, Any]] = {"review_time": "0.2 s"}
LIGHT: Final[dict[str, Any]] = {"theme": "textual-light"}
CONTRAST: Final[dict[str, Any]] = {"theme": "durak-contrast"}
PAPER: Final[dict[str, Any]] = {"theme": "durak-contrast-light"}
ALL: Final = (
    Picture("menu", "The menu", keys()),
    Picture("setup", "A new game: whom do you play?", keys("n")),
    Picture("table", "The table, four colours", show_table, "play", FOUR),
    Picture("table-two", "Two colours, in a light theme", show_table, "play", LIGHT),
    Picture("table-contrast", "High contrast on white", show_table, "play", FOUR | PAPER),
    Picture("table-ascii", "Plain ASCII", show_table, "play", {"ascii": True}),
    Picture("table-ru", "In Russian", show_table, "play", FOUR | {"language": "ru"}),
    Picture("table-phone", "On a phone", show_table, "play", FOUR, {"": PHONE}),
    Picture("table-partners", "Two against two", show_table, "play", FOUR, rules=PAIRS, seed=7),
    Picture("advice", "The table with advice", show_advice, "play", FOUR),
    Picture("hand-over", "Two people at one keyboard", show_hand_over),
    Picture("result", "The end of a game", show_result, "play"),
    Picture("daily", "The deal of the day", show_daily),
    Picture("watch", "Bots play, with open hands and everybody's chances", show_watch, "watch"),
    Picture("review", "A game under review", show_review, "review", FOUR | QUICK),
    Picture("mistakes", "A mistake of one's own, to be played better", show_mistakes, "", FOUR | QUICK),
    Picture("puzzle", "A puzzle, and what a wrong move leads to", show_puzzle),
    Picture("puzzle-hidden", "A puzzle with hidden cards: what would you play?", show_hidden_puzzle),
    Picture("knowledge", "What a watched seat knows", show_watched_knowledge, "watch"),
    Picture(
        "knowledge-hand",
        "What is known of a hand, in a light theme",
        show_reviewed_knowledge,
        "review",
        LIGHT,
    ),
    Picture(
        "knowledge-table", "What you know, in high contrast", show_own_knowledge, "play", FOUR | CONTRAST
    ),
    Picture("library", "The library of games", keys("l", games=_GAMES)),
    Picture("statistics", "Statistics", keys("s", games=_GAMES)),
    Picture("settings", "Settings, in a light theme", keys("f2"), "", LIGHT),
    Picture("keys", "Every key, and how to change it", keys("f2", "end", "enter")),
    Picture("how", "How the game goes, by the rules in force", keys("f3")),
    Picture("rules", "The rules, by numbered paragraphs", keys("f3", "right", "right")),
    Picture("help", "The keys of a screen", keys("f1")),
)


async def take_picture(picture: Picture, name: str, size: tuple[int, int]) -> None:
    """Begin the app, bring it to what is to be seen, and take the picture."""
    # The hand of watched games stands still, so that the same moment is seen each time.
    changes = {"pace": "0.5x" if picture.at_once == "watch" else "instant", "reduced_motion": True}
    changes |= {"language": "en", "name": "Anna"} | picture.changes
    games = (a_game(1),) if picture.at_once == "review" else ()
    bots = ("level:boris", "level:olga", "level:misha") if picture.at_once == "play" else ()
    bots = bots[: picture.rules.seats - 1]
    rules = picture.rules if picture.at_once in {"play", "watch"} else None
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"DURAK_DATA_DIR": folder, "DURAK_CONFIG_DIR": folder}
        app = DurakApp(Launch(rules, bots, picture.seed, picture.at_once, changes, games))
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            await picture.show(app, pilot)
            await pilot.pause()
            take(app, name)


def write_page() -> None:
    """Write the page that shows all pictures."""
    parts = ["# Screens", "", "Taken from the running app by `python3 benchmarks/pictures.py`.", ""]
    for picture in ALL:
        parts += [f"## {picture.title}", ""]
        for more, (width, height) in picture.sizes.items():
            parts += [f"![{picture.title}, {width}x{height}](pictures/{picture.name}{more}.svg)", ""]
    PAGE.write_text("\n".join(parts).rstrip() + "\n", encoding="utf-8")


async def main(names: list[str]) -> None:
    """Take the pictures that are named, or all."""
    PICTURES.mkdir(exist_ok=True)
    for picture in ALL:
        if not names or picture.name in names:
            for more, size in picture.sizes.items():
                await take_picture(picture, picture.name + more, size)
            print(picture.name, flush=True)
    write_page()


if __name__ == "__main__":
    os.environ.pop("NO_COLOR", None)
    asyncio.run(main(sys.argv[1:]))
