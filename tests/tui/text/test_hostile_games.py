"""What a file of games says is shown as it stands: no terminal obeys it, and nothing takes it for markup."""

from dataclasses import replace

import pytest

from durak_core import write_game
from durak_core.errors import printable
from durak_core.game.json_form import write_json_line
from durak_tui.app import DurakApp
from durak_tui.library.model.entries import entry_of
from durak_tui.library.model.service import import_file
from durak_tui.library.model.store import Library
from durak_tui.library.screens.library import LibraryScreen, StatisticsScreen
from durak_tui.play.saves import Saves
from durak_tui.play.setup import Launch
from durak_tui.players import HUMAN
from durak_tui.review.screen import ReviewScreen
from durak_tui.storage.paths import data_dir
from durak_tui.table.screens import HandOverScreen, TableScreen
from durak_tui.text.i18n import gettext, ngettext
from durak_tui.ui.screens.dialogs import Pick, PickName
from durak_tui.ui.widgets.lines import LongTable
from durak_tui.watch.screen import WatchScreen
from tui.games import a_record
from tui.helpers import CALM, a_setup, on_screen, paused, screen_text, send, shows, until
from tui.reviewing import Oracle

ORDERS = "\x1b]0;X\x07\x1b[2J"
MARKUP = "[/x][b]x[/]"
HOSTILE = (f"{MARKUP}{ORDERS}", f"[red]y[/]\u202e{'W' * 9_000}")
DATE = f"[/x]{ORDERS}[red]"


def hostile(plies=10**6, players=(HUMAN, "greedy"), seed=1):
    """Return a game whose texts are those of somebody who means harm."""
    record = a_record(seed, players, plies=plies)
    moves = tuple([replace(move, comment=f"{MARKUP}{ORDERS}") for move in record.moves])
    tags = {**record.tags, "Event": HOSTILE[1], "Hints": DATE}
    return replace(record, players=HOSTILE, date=DATE, tags=tags, comment="".join(HOSTILE), moves=moves)


def the_app(**launch):
    app = DurakApp(Launch(changes=CALM, **launch))
    app.engines.adviser = Oracle()
    return app


def fill(*records):
    library = Library(data_dir())
    library.add_all([entry_of(record) for record in records])
    library.close()


async def shown(app, kind, *texts):
    """Wait for a screen with these texts, and see that there is nothing on it that is not for reading."""
    await until(on_screen(app, kind))
    for text in texts:
        await until(shows(app, text), lambda: screen_text(app))
    assert screen_text(app).replace("\n", "").isprintable()


def test_values_are_made_fit_wherever_something_is_said():
    for said in (
        gettext("{text}", text="".join(HOSTILE)),
        ngettext("{count}{text}", "{count} {text}", 2, text="".join(HOSTILE)),
    ):
        assert said.isprintable()
        assert len(said) < 600
        assert MARKUP in said


async def test_hostile_games_in_the_library_and_the_statistics(tmp_path):
    path = tmp_path / "games.jsonl"
    games = [hostile(), *(hostile(seed=seed, players=HOSTILE) for seed in range(2, 24))]
    path.write_text("".join(map(write_json_line, games)), encoding="utf-8")
    library = Library(data_dir())
    assert import_file(library, path).new == len(games)
    library.close()
    app = the_app()
    async with app.run_test(size=(100, 30)):
        send(app, "l")
        await shown(app, LibraryScreen, MARKUP, "[/x]?]0;X")
        send(app, *["down"] * (len(games) - 1))
        await until(lambda: app.screen.query_one(LongTable).cursor == len(games) - 1)
        await shown(app, LibraryScreen, "Rules: ")
        app.action_statistics()
        await shown(app, StatisticsScreen, "1 game")
        app.screen._count_games_of(printable(HOSTILE[0]))
        await shown(app, StatisticsScreen, MARKUP, "22 games", "[/x]?]0;X")
        app.screen._count_games_of(printable(HOSTILE[1]))
        await shown(app, StatisticsScreen, "[red]y[/]?W", "W, 22 games")
        app.screen.action_player()
        await shown(app, PickName, MARKUP, "[red]y[/]?W", "Greedy")


async def test_a_hostile_game_is_reviewed():
    app = the_app(at_once="review", games=(hostile(), hostile(seed=2)))
    async with app.run_test(size=(100, 30)):
        await shown(app, Pick, MARKUP)
        send(app, "enter")
        await until(on_screen(app, ReviewScreen))
        await until(lambda: app.screen.game.review.is_complete)
        for key in ("right", "right", "o", "tab", "end", "y"):
            send(app, key)
            await shown(app, ReviewScreen, MARKUP)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("players", [(HUMAN, "greedy"), (HUMAN, HUMAN)])
async def test_a_hostile_save_goes_on(players):
    saves = Saves()
    setup = a_setup(players)
    saved = saves.begin(setup, setup.deal())
    saved.release()
    saved.path.write_text(write_game(hostile(5, players)), encoding="utf-8")
    app = the_app(at_once="continue")
    async with app.run_test(size=(100, 30)):
        screen = HandOverScreen if players.count(HUMAN) > 1 else TableScreen
        await shown(app, screen, MARKUP)


async def test_hostile_names_are_watched_and_told_in_notices():
    app = the_app()
    async with app.run_test(size=(100, 30)):
        app.begin(replace(a_setup(), names=HOSTILE))
        screen = await paused(app)
        app.tell(gettext("{name} cannot go on.", name=screen.session.setup.names[0]))
        screen.board.tell(f"{screen.session.names[1]}: {MARKUP}")
        await shown(app, WatchScreen, MARKUP, "[red]y[/]")
