"""A finished game is shared by its code: from its result, its review and the library."""

from dataclasses import replace

import pytest
from textual.widgets import Input

from durak_core import read_game_code, write_game_code
from durak_core.errors import NotationError
from durak_tui.app import DurakApp
from durak_tui.library.model.store import Library
from durak_tui.library.screens.library import LibraryScreen
from durak_tui.menu import MenuScreen
from durak_tui.play.setup import Launch
from durak_tui.review.screen import ReviewScreen
from durak_tui.storage.paths import data_dir
from durak_tui.table.screens import ResultDialog
from durak_tui.ui.screens.dialogs import Pick, ShareDialog, Write
from durak_tui.ui.view.signals import qr_lines
from tui.helpers import CALM, an_app, my_turn, on_screen, screen_text, send, shows, until
from tui.library.test_library_screens import fill, in_library
from tui.reviewing import a_game

GAME = a_game(Player0="human", Player1="level:olga")
CODE = write_game_code(GAME)


def reviewing(record=GAME, **changes):
    app = DurakApp(Launch(None, (), None, "review", {**CALM, **changes}, (record,)))
    app.copied = []
    app.copy_to_clipboard = app.copied.append
    return app


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("size", "ascii_only", "has_picture"),
    [((80, 24), False, True), ((80, 24), True, False), ((60, 20), False, False), ((46, 60), False, True)],
)
async def test_one_key_copies_the_code_of_a_reviewed_game_and_shows_it(size, ascii_only, has_picture):
    app = reviewing(ascii=ascii_only)
    async with app.run_test(size=size):
        await until(on_screen(app, ReviewScreen))
        send(app, "Y")
        await until(on_screen(app, ShareDialog))
        await until(shows(app, "The code is copied.", CODE[:20]))
        assert app.copied == [CODE]
        if has_picture:
            await until(shows(app, qr_lines(CODE)[2]))
        assert (qr_lines(CODE)[2] in screen_text(app)) == has_picture
        send(app, "escape")
        await until(on_screen(app, ReviewScreen))


async def test_a_game_that_goes_on_is_not_shared():
    app = reviewing(replace(GAME, moves=GAME.moves[:-1]))
    async with app.run_test(size=(80, 24)):
        await until(on_screen(app, ReviewScreen))
        send(app, "Y")
        await until(shows(app, "A game can be shared once it is over."))
        assert app.copied == []


async def test_a_game_of_the_library_is_shared():
    fill(GAME)
    app = reviewing()
    app._launch = Launch()
    async with app.run_test(size=(100, 30)):
        await in_library(app)
        send(app, "Y")
        await until(on_screen(app, ShareDialog))
        assert app.copied == [CODE]
        send(app, "escape")
        await until(on_screen(app, LibraryScreen))


async def test_a_result_is_shared_with_whoever_played():
    app = an_app("podkidnoy:seats=2,lowest_rank=11", seed=4)
    copied = []
    app.copy_to_clipboard = copied.append
    async with app.run_test(size=(80, 24)):
        while not (table := await my_turn(app)).session.is_over:
            table.session.submit(table.session.state.legal_actions[-1])
        await until(on_screen(app, ResultDialog))
        await until(shows(app, "Y: share the game"))
        send(app, "Y")
        await until(on_screen(app, ShareDialog))
        found = read_game_code(copied[0])
        assert found.end == table.session.state
        assert found.tags["Player0"] == "human"


async def test_a_visitor_in_the_browser_gets_the_link_of_the_pages_server(monkeypatch):
    monkeypatch.setenv("DURAK_CONFINED", "1")
    monkeypatch.setenv("DURAK_PAGE", "https://durak.example")
    app = reviewing(language="ru")
    async with app.run_test(size=(60, 20)) as pilot:
        await until(on_screen(app, ReviewScreen))
        send(app, "Y")
        await until(on_screen(app, ShareDialog))
        await until(shows(app, "Копия кода", "Копия ссылки", "Закрыть"))
        await pilot.click("#answer-link")
        await until(shows(app, "Ссылка скопирована."))
        assert app.copied == [CODE, f"https://durak.example/g/{CODE}"]


async def test_a_code_typed_in_the_menu_is_reviewed_and_counts_for_nothing():
    app = DurakApp(Launch(changes=CALM))
    async with app.run_test(size=(80, 24)):
        await until(on_screen(app, MenuScreen))
        send(app, "V")
        await until(on_screen(app, Pick))
        send(app, "down", "enter")
        await until(on_screen(app, Write))
        app.screen.query_one(Input).value = f" http://192.0.2.7:8000/g/{CODE} "
        send(app, "enter")
        await until(on_screen(app, ReviewScreen))
        await until(shows(app, "Olga"))
        assert app.screen.game.record.moves == GAME.moves
    assert Library(data_dir()).count() == 0


async def test_a_visitor_with_a_damaged_code_is_told_in_the_menu():
    app = DurakApp(
        Launch(changes=CALM, problem=NotationError("this game code holds no possible game: {why}", why="x"))
    )
    async with app.run_test(size=(80, 24), notifications=True):
        await until(on_screen(app, MenuScreen))
        await until(shows(app, "this game code holds no possible game"))
