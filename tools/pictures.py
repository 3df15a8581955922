"""Take the gallery's pictures from the running app, and write docs/gallery.md, which shows them.

    python3 tools/pictures.py                     # all pictures
    python3 tools/pictures.py table-wide table-ru # only these

The app runs headless. Hints, win probabilities and reviews come from its engine; on a busy machine they are
less precise.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

from film import FILM, has_moved, until
from textual.pilot import Pilot

from durak_core import Card, Phase, RealGame, Record, Rules, make_agent
from durak_core.lab import play_game
from durak_tui.app import DurakApp
from durak_tui.learn.model import HIDDEN
from durak_tui.learn.screens.puzzle import MistakesScreen, PuzzleScreen
from durak_tui.play.real import RealTable
from durak_tui.play.setup import Launch
from durak_tui.players import HUMAN
from durak_tui.real import EveningScreen, RealScreen
from durak_tui.review.screen import ReviewScreen
from durak_tui.table.screens import ResultDialog, TableScreen
from durak_tui.watch.screen import WatchScreen

PICTURES: Final = FILM.parent
PAGE: Final = PICTURES.parent / "gallery.md"
SMALL: Final = (80, 24)
WIDE: Final = (120, 36)
PHONE: Final = (46, 44)
RULES: Final = Rules.parse("perevodnoy:seats=3")
SEED: Final = 39
REVIEW: Final = 90.0
"""Seconds after which an unfinished review is shown."""
HINT: Final = 4.0
"""Seconds for which a hint is searched."""
CHANCES: Final = 12.0
"""Seconds in which the engine estimates the chances of the first moves of a watched game."""


def take(app: DurakApp, name: str) -> None:
    """Write the app's screen as a picture that needs no font from the net."""
    svg = app.export_screenshot(title="Durak")
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)
    svg = re.sub(r"font-family: [^;]+;", 'font-family: "DejaVu Sans Mono", Menlo, Consolas, monospace;', svg)
    svg = re.sub(r"terminal-\d+", "terminal", svg)
    (PICTURES / f"{name}.svg").write_text(svg, encoding="utf-8")


def is_picturesque(table: TableScreen) -> bool:
    """Return whether the player defends against a full table."""
    state = table.session.state
    mine = state.turn == table.session.setup.human and state.phase == Phase.DEFENCE
    ways = sum(bool(choice.actions) for choice in table.options.cards)
    choices = min(ways, len(state.legal_actions))
    return mine and len(state.table) > 2 and choices > 1 and len(state.talon) > 3


async def play_until_picturesque(table: TableScreen) -> None:
    """Play first legal actions until the player defends against a full table."""
    session = table.session
    while True:
        await until(lambda: session.state.turn == session.setup.human or session.is_over)
        await until(lambda: table.moment.ply == session.ply)
        if session.is_over:
            raise TimeoutError("this seed has nothing to show; choose another one")
        if is_picturesque(table):
            return
        session.submit(session.state.legal_actions[0])


def shown(app: DurakApp, words: str) -> Callable[[], bool]:
    """Return the condition that the screen shows some words."""
    return lambda: any(words in strip.text for strip in app.screen._compositor.render_strips())  # noqa: SLF001


async def at_the_table(app: DurakApp, pilot: Pilot[None]) -> TableScreen:
    """Play until the table is full, and return its screen."""
    await until(lambda: isinstance(app.screen, TableScreen))
    table = app.screen
    if not isinstance(table, TableScreen):
        raise TypeError("the table is not in front")
    await play_until_picturesque(table)
    await pilot.pause()
    return table


async def show_table(app: DurakApp, pilot: Pilot[None]) -> None:
    """Show the table as the player sees it."""
    await at_the_table(app, pilot)


async def show_advice(app: DurakApp, pilot: Pilot[None]) -> None:
    """Show a hint."""
    table = await at_the_table(app, pilot)
    await pilot.press("h", "enter")  # although it costs the rating
    await until(lambda: table.advice.is_shown)
    await asyncio.sleep(HINT)


async def show_result(app: DurakApp, pilot: Pilot[None]) -> None:
    """Show the result of a game, and its analysis."""
    table = await at_the_table(app, pilot)
    session = table.session
    while not session.is_over:
        await until(lambda: session.state.turn == session.setup.human or session.is_over)
        if not session.is_over:
            session.submit(session.state.legal_actions[0])
    await until(lambda: isinstance(app.screen, ResultDialog))
    dialog = app.screen
    if isinstance(dialog, ResultDialog):
        await until(lambda: dialog._is_done)  # noqa: SLF001


async def watch_until(app: DurakApp, pilot: Pilot[None], ply: int) -> None:
    """Pause a watched game, and step to a move."""
    await until(lambda: isinstance(app.screen, WatchScreen))
    await pilot.press("space")
    screen = app.screen
    if isinstance(screen, WatchScreen):
        session = screen.session
        while session.ply < ply:
            before = session.ply
            await pilot.press("right")
            await until(partial(has_moved, session, before))


async def show_watch(app: DurakApp, pilot: Pilot[None]) -> None:
    """Show a watched game with open hands."""
    await watch_until(app, pilot, 12)
    await pilot.press("o")
    await asyncio.sleep(CHANCES)


async def show_watched_knowledge(app: DurakApp, pilot: Pilot[None]) -> None:
    """Show what a watched seat knows, with one card described."""
    await watch_until(app, pilot, 40)
    await asyncio.sleep(CHANCES)
    await pilot.press("k", "ctrl+right")
    await until(shown(app, "Read from their choices"))


async def show_review(app: DurakApp, pilot: Pilot[None]) -> None:
    """Show an analysed game at a blunder."""
    await until(lambda: isinstance(app.screen, ReviewScreen))
    screen = app.screen
    if isinstance(screen, ReviewScreen):
        await until(lambda: screen._reviewer.is_running)  # noqa: SLF001
        begun = time.monotonic()
        await until(lambda: time.monotonic() > begun + REVIEW or not screen._reviewer.is_running)  # noqa: SLF001
    await pilot.press("home", "b")


async def show_mistakes(app: DurakApp, pilot: Pilot[None]) -> None:
    """Show a mistake to be mended, with a hint."""
    game = a_game(6, "level:misha")
    await app.library.add(game, "played")
    app.show_review(game)
    await show_review(app, pilot)
    await pilot.press("escape")
    app.action_mistakes()
    await until(lambda: isinstance(app.screen, MistakesScreen))
    await pilot.press("h")


async def show_hidden_puzzle(app: DurakApp, pilot: Pilot[None]) -> None:
    """Show the comment on a wrong move in a puzzle with hidden cards."""
    app.action_puzzles(HIDDEN)
    await until(lambda: isinstance(app.screen, PuzzleScreen))
    screen = app.screen
    if isinstance(screen, PuzzleScreen):
        solving = screen._solving  # noqa: SLF001
        wrong = next(one for one in screen.moment.observation.legal_actions if one != solving.answer)
        screen.submit(wrong)
    await until(shown(app, "Try again"))
    await pilot.pause()


async def show_real_cards(app: DurakApp, pilot: Pilot[None]) -> None:
    """Show a table with real cards, where the defender's card is to be reported."""
    game = RealGame.begin(Rules(seats=3), 0, 1, "Kc").name("6s9sJd8h7cAc")
    table = RealTable.begin(game, (app.settings.name, *FRIENDS[app.settings.language]), app.saves)
    for moves in ("7d", "9d", "7h"):
        table.play_card(Card(moves))
    app.push_screen(RealScreen(table))
    await until(lambda: isinstance(app.screen, RealScreen))
    await pilot.pause()


async def show_evening(app: DurakApp, pilot: Pilot[None]) -> None:
    """Show the score of an evening."""
    app.change_settings(guests=(app.settings.name, *FRIENDS[app.settings.language]))
    app.push_screen(EveningScreen())
    await until(lambda: isinstance(app.screen, EveningScreen))
    await pilot.press(*"232332", "down", "down", "space", *"1221", "s")


_GAMES: Final = 80
"""Games in the picture of the statistics."""


def keys(*names: str, games: int = 0) -> Callable[[DurakApp, Pilot[None]], Awaitable[None]]:
    """Return a function that adds games to the library and presses keys in the menu."""

    async def press(app: DurakApp, pilot: Pilot[None]) -> None:
        for number in range(games):
            await app.library.add(a_game(number), "played")
        await pilot.press(*names)

    return press


def a_game(seed: int, person: str = "greedy") -> Record:
    """Play a game of the player, whose moves an agent chooses, against one or two opponents."""
    players = (person, "level:boris", "level:olga") if seed % 3 == 0 else (person, "level:boris")
    rules = Rules(seats=len(players))
    game = play_game(rules, [make_agent(player) for player in players], seed).record
    tags = {f"Player{seat}": HUMAN if seat == 0 else player for seat, player in enumerate(players)}
    date = f"2026-{seed // 28 % 12 + 1:02}-{seed % 28 + 1:02} 20:{seed % 60:02}"
    return replace(game, players=("Anna", "Boris", "Olga")[: len(players)], tags=tags, date=date)


@dataclass(frozen=True)
class Picture:
    """A picture of the gallery.

    Attributes:
        name: Its file, without the suffix.
        title: Its heading on the page.
        caption: Its text on the page.
        show: Brings the app to the screen.
        at_once: The first screen of the app.
        changes: Settings.
        size: Columns and lines.
    """

    name: str
    title: str
    caption: str
    show: Callable[[DurakApp, Pilot[None]], Awaitable[None]]
    at_once: str = ""
    changes: dict[str, Any] = field(default_factory=dict)
    size: tuple[int, int] = WIDE


FOUR: Final[dict[str, Any]] = {"colours": "four"}
RUSSIAN: Final[dict[str, Any]] = {"language": "ru", "name": "Анна"}
LIGHT: Final[dict[str, Any]] = {"theme": "textual-light"}
FRIENDS: Final = {"en": ("Boris", "Olga"), "ru": ("Борис", "Ольга")}
REVIEWED: Final[dict[str, Any]] = {"review_time": "1 s"}
ALL: Final = (
    Picture(
        "table-wide",
        "Your turn",
        "Your nine is back: Boris and Olga have transferred it. Cards that cannot be played now are dim.",
        show_table,
        "play",
        FOUR,
    ),
    Picture(
        "table-ru",
        "In Russian",
        "The same moment in a terminal of 80 by 24 characters.",
        show_table,
        "play",
        FOUR | RUSSIAN,
        SMALL,
    ),
    Picture(
        "table-phone",
        "On a phone",
        "The same moment in a phone's browser: tap a card to raise it, tap it again to play it.",
        show_table,
        "play",
        FOUR,
        PHONE,
    ),
    Picture(
        "setup-wide",
        "A new game",
        "Pick the game, the number of players and your opponents. The next opponent for you is marked.",
        keys("n"),
    ),
    Picture(
        "advice-wide",
        "A hint",
        "The best move and why, the next best ones, and what happens next.",
        show_advice,
        "play",
        FOUR,
    ),
    Picture(
        "knowledge-wide",
        "Where the cards may be",
        "What one player can know about every card, and how the others seem to play.",
        show_watched_knowledge,
        "watch",
    ),
    Picture(
        "result-wide",
        "The end of a game",
        "Your chances from the first move to the last. Play again, review the game, or fix a mistake.",
        show_result,
        "play",
        REVIEWED,
    ),
    Picture(
        "review-wide",
        "A review",
        "A blunder (??), the better moves and the reason. The curves show each player's chance of not being "
        "the fool.",
        show_review,
        "review",
        FOUR | REVIEWED,
    ),
    Picture(
        "mistakes-wide",
        "Learn from your mistakes",
        "A move that cost you dearly comes back. This time, find a better one.",
        show_mistakes,
        "",
        FOUR | REVIEWED,
    ),
    Picture(
        "puzzle-hidden-wide",
        "A puzzle",
        "One move is best by far. A wrong one shows its price, and you can try again.",
        show_hidden_puzzle,
    ),
    Picture(
        "watch-wide",
        "Watching",
        "The bots play with open hands, and the curves show each player's chance of not being the fool.",
        show_watch,
        "watch",
    ),
    Picture(
        "statistics-wide",
        "Statistics",
        "Your rating game by game, and your score against each opponent.",
        keys("s", games=_GAMES),
    ),
    Picture(
        "real-phone",
        "Real cards, on a phone",
        "You play with paper cards and tap what happens: a rank, then the card.",
        show_real_cards,
        changes=FOUR,
        size=PHONE,
    ),
    Picture(
        "real-phone-ru",
        "Real cards, in a light theme",
        "The same moment in Russian.",
        show_real_cards,
        changes=FOUR | RUSSIAN | LIGHT,
        size=PHONE,
    ),
    Picture(
        "real-small",
        "Real cards, in a small terminal",
        "Only cards that the player to move may still hold are offered.",
        show_real_cards,
        changes=FOUR | LIGHT,
        size=SMALL,
    ),
    Picture(
        "real-small-ru",
        "Real cards, in Russian",
        "The same moment in a dark theme.",
        show_real_cards,
        changes=FOUR | RUSSIAN,
        size=SMALL,
    ),
    Picture(
        "evening",
        "The score of an evening",
        "Who was the fool, and how often, against par. One key counts a game.",
        show_evening,
        size=SMALL,
    ),
)


async def take_picture(picture: Picture) -> None:
    """Start the app, bring it to the screen, and take the picture."""
    changes = {"pace": "0.5x" if picture.at_once == "watch" else "instant", "reduced_motion": True}
    changes |= {"language": "en", "name": "Anna"} | picture.changes
    games = (a_game(6, "level:misha"),) if picture.at_once == "review" else ()
    bots = ("level:boris", "level:olga") if picture.at_once == "play" else ()
    rules = RULES if picture.at_once in {"play", "watch"} else None
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"DURAK_DATA_DIR": folder, "DURAK_CONFIG_DIR": folder}
        app = DurakApp(Launch(rules, bots, SEED, picture.at_once, changes, games))
        async with app.run_test(size=picture.size) as pilot:
            await pilot.pause()
            await picture.show(app, pilot)
            await pilot.pause()
            take(app, picture.name)


def write_page() -> None:
    """Write the page that shows all pictures."""
    parts = ["# Gallery", "", "After this page you know what Durak looks like.", ""]
    for picture in ALL:
        parts += [f"## {picture.title}", "", picture.caption, ""]
        parts += [f"![{picture.title}](pictures/{picture.name}.svg)", ""]
    PAGE.write_text("\n".join(parts).rstrip() + "\n", encoding="utf-8")


async def main(names: list[str]) -> None:
    """Take the pictures that are named, or all."""
    PICTURES.mkdir(exist_ok=True)
    for picture in ALL:
        if not names or picture.name in names:
            await take_picture(picture)
            print(picture.name, flush=True)
    write_page()


if __name__ == "__main__":
    os.environ.pop("NO_COLOR", None)
    asyncio.run(main(sys.argv[1:]))
