"""Menu, setup, rules, settings, help and palette."""

import gc
from itertools import groupby

import pytest
from textual.widgets import Button

from durak_core.rules_text import rules_text
from durak_tui.app import DurakApp
from durak_tui.help.screens import HelpDialog, RulesScreen
from durak_tui.keys.actions import KEYS
from durak_tui.keys.keymap import Keymap
from durak_tui.menu import MenuScreen
from durak_tui.palette import Palette
from durak_tui.players import HUMAN
from durak_tui.settings import KeysScreen, SettingsScreen
from durak_tui.setup.screens import SetupScreen
from durak_tui.storage.paths import config_dir
from durak_tui.storage.settings import Settings, SettingsFile
from durak_tui.table.screens import TableScreen
from durak_tui.ui.screens.base import DurakScreen
from durak_tui.ui.screens.dialogs import Ask, Pick, Write
from durak_tui.ui.widgets.form import Form
from tui.helpers import an_app, click, go_to, my_turn, on_screen, row_named, screen_text, send, shows, until


def a_menu(**changes):
    return an_app("podkidnoy:seats=2", at_once="", **changes)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("key", "screen"),
    [("w", SetupScreen), ("n", SetupScreen), ("r", RulesScreen), ("f2", SettingsScreen), ("f3", RulesScreen)],
)
async def test_the_menu_opens_every_screen_and_escape_comes_back(key, screen):
    app = a_menu(pace="0.5x")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(key)
        await until(on_screen(app, screen))
        await pilot.press("escape")
        await until(on_screen(app, MenuScreen))


@pytest.mark.parametrize(
    ("place", "begun"),
    [
        ("menu", {"at_once": ""}),
        ("table", {"at_once": "play", "bots": ("greedy",)}),
        ("watch", {"at_once": "watch", "bots": ("greedy", "smart")}),
    ],
)
async def test_an_app_may_be_told_to_end_while_a_screen_comes_up(place, begun, monkeypatch):
    """Textual gives a screen no widgets then, but tells it that they are there."""
    compose = DurakScreen.compose

    def told_to_end(screen):
        if place == screen.PLACE:
            app.exit(return_code=143)
        return compose(screen)

    monkeypatch.setattr(DurakScreen, "compose", told_to_end)
    app = an_app(**begun)
    async with app.run_test():
        await until(lambda: app._exit)
    assert app.return_code == 143


async def test_the_menu_opens_once_a_game_that_began_at_once_is_closed():
    """Below the game it would take as long to open as the table."""
    app = an_app()
    async with app.run_test(size=(80, 24)):
        await until(on_screen(app, TableScreen))
        assert not any(isinstance(screen, MenuScreen) for screen in app.screen_stack)
        send(app, "escape")
        await until(on_screen(app, MenuScreen))
        await until(shows(app, "Continue"))
        send(app, "c")
        await until(on_screen(app, TableScreen))
        assert isinstance(app.screen_stack[-2], MenuScreen)


async def test_an_app_may_end_before_a_screen_has_come_up():
    """Those widgets that lie in others are missing then."""
    app = an_app(at_once="")
    async with app.run_test():
        await until(on_screen(app, MenuScreen))
        app.action_set_up()


# Rules


async def test_the_rules_are_all_there_and_can_be_leafed_through():
    app = a_menu()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("r")
        await until(shows(app, "How the game goes: Podkidnoy"))
        blocks = list(app.screen.query("_Block"))
        page = 3
        introduction, _, law = rules_text().partition("## The numbered rules")
        title = 2
        assert "## How to play" in introduction
        assert len(blocks) == page + title + len(("##" + law).strip().split("\n\n"))
        await pilot.press("right")
        await until(shows(app, "The rules of Durak"))
        await pilot.press("right", "right")
        await until(shows(app, "1. Cards"))
        await pilot.press("right", "right")
        await until(shows(app, "3. The deal"))
        await pilot.press("left")
        await until(shows(app, "2. Seats"))
        await pilot.press("end")
        await until(shows(app, "larsenbier"))
        await pilot.press("home", "down", "up", "pagedown", "pageup")
        await until(shows(app, "How the game goes"))


# Settings


async def test_settings_are_in_force_at_once_and_saved():
    app = an_app("podkidnoy:seats=2", pace="instant")
    async with app.run_test(size=(100, 30)) as pilot:
        table = await my_turn(app)
        await pilot.press("f2")
        await until(on_screen(app, SettingsScreen))
        await pilot.press("f2")
        form = app.screen.query_one(Form)
        go_to(form, "colours")
        await pilot.press("right")
        go_to(form, "pace")
        await pilot.press("left")
        go_to(form, "ascii")
        await pilot.press("enter")
        await until(lambda: app.settings.ascii)
        assert (app.settings.colours, app.settings.pace) == ("two", "4x")
        assert table.session.pace == app.settings.pace_seconds
        go_to(form, "theme")
        await pilot.press("right")
        assert app.theme == app.settings.theme != "durak"
        chosen = app.theme
        await pilot.press("enter", "down")
        await until(lambda: app.theme != chosen == app.settings.theme)
        await pilot.press("escape")
        await until(lambda: app.theme == chosen)
        await pilot.press("enter", "down", "enter")
        await until(lambda: app.theme == app.settings.theme != chosen)
        go_to(form, "reduced_motion")
        await pilot.press("right")
        assert app.animation_level == "full"
        go_to(form, "name")
        await pilot.press("enter")
        await until(on_screen(app, Write))
        app.screen.query_one("Input").value = ""
        await until(shows(app, "expected a name"))
        assert "player.name" not in screen_text(app)
        app.screen.query_one("Input").value = "Anna"
        await pilot.press("enter")
        await until(lambda: app.settings.name == "Anna")
        await pilot.press("escape")
        await until(on_screen(app, TableScreen))
        await pilot.pause()
        assert "♠" not in screen_text(app)
    stored = SettingsFile().load()
    assert (stored.name, stored.colours, stored.ascii, stored.pace) == ("Anna", "two", True, "4x")


async def test_what_the_command_line_asked_for_is_not_saved():
    app = a_menu(ascii=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("f2")
        await until(on_screen(app, SettingsScreen))
        go_to(app.screen.query_one(Form), "sort")
        await pilot.press("right")
    stored = SettingsFile().load()
    assert (stored.sort, stored.ascii, stored.pace) == ("rank", False, "1x")


async def test_a_key_is_changed_in_the_settings():
    app = a_menu()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("f2")
        await until(on_screen(app, SettingsScreen))
        go_to(app.screen.query_one(Form), "keys")
        await pilot.press("enter")
        await until(on_screen(app, KeysScreen))
        go_to(app.screen.query_one(Form), "menu.rules")
        await pilot.press("enter")
        await until(on_screen(app, Write))
        app.screen.query_one("Input").value = "w"
        await until(shows(app, "already does this"))
        app.screen.query_one("Input").value = "u f9"
        await pilot.press("enter")
        await until(on_screen(app, KeysScreen))
        await until(lambda: app.settings.keys)
        await pilot.press("escape")
        await until(on_screen(app, SettingsScreen))
        await until(shows(app, "1 changed"))
        await pilot.press("escape")
        await until(on_screen(app, MenuScreen))
        for key in ("г", "f9"):  # noqa: RUF001 - a Russian letter is meant
            await pilot.press(key)
            await until(on_screen(app, RulesScreen))
            await pilot.press("escape")
            await until(on_screen(app, MenuScreen))
        await pilot.press("r")
        await pilot.pause()
        assert isinstance(app.screen, MenuScreen)


async def test_garbage_is_collected_once_the_first_picture_is_there():
    """The command switches the collector off, which would search all that the start has made."""
    gc.disable()
    try:
        async with DurakApp().run_test():
            await until(gc.isenabled)
    finally:
        gc.enable()
        gc.unfreeze()


async def test_a_damaged_settings_file_is_told_in_the_menu():
    file = SettingsFile()
    file.path.parent.mkdir(parents=True)
    file.path.write_text("rubbish")
    app = DurakApp()
    async with app.run_test(size=(80, 24)):
        await until(shows(app, "settings.toml is damaged", "damaged-1"))


async def test_an_unknown_theme_is_told_and_the_usual_one_used():
    SettingsFile().save(Settings(theme="mauve"))
    app = DurakApp()
    async with app.run_test(size=(80, 24)):
        await until(shows(app, "There is no theme 'mauve'"))
        assert app.theme == "durak"


# Help, palette, leaving


@pytest.mark.sampled(1)
@pytest.mark.parametrize("key", ["?", "f1"])
async def test_help_lists_the_keys_of_the_screen(key):
    app = an_app("podkidnoy:seats=2")
    async with app.run_test(size=(100, 40)) as pilot:
        await my_turn(app)
        await pilot.press(key)
        await until(on_screen(app, HelpDialog))
        await until(shows(app, "take the cards", "leave the program"))
        await pilot.press("escape")
        await until(on_screen(app, TableScreen))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("size", [(60, 20), (80, 24), (120, 36)])
async def test_the_keys_are_in_groups_and_page_down_and_end_scroll_them(size):
    app = an_app("podkidnoy:seats=2")
    async with app.run_test(size=size) as pilot:
        await my_turn(app)
        await pilot.press("?")
        await until(shows(app, "Playing", "play the chosen card"))
        shown = app.screen.query_one("HelpDialog .text")
        await pilot.press("pagedown")
        await until(lambda: shown.scroll_y > 0 or not shown.max_scroll_y)
        assert shown.max_scroll_y < (20 if size[0] == 120 else 60)
        await pilot.press("end")
        await until(shows(app, "Everywhere", "leave the program"))
        assert shown.scroll_y == shown.max_scroll_y
        await pilot.press("home")
        await until(lambda: shown.scroll_y == 0)


def test_every_key_has_a_group_and_a_group_is_listed_once():
    for place in KEYS:
        groups = [group for group, _keys in groupby(Keymap().at(place), key=lambda key: key.group)]
        assert all(groups)
        assert len(groups) == len(set(groups)), place


async def test_the_palette_begins_with_places_to_go():
    app = a_menu()
    async with app.run_test(size=(80, 24)):
        await until(on_screen(app, MenuScreen))
        titles = [command.title for command in app.get_system_commands(app.screen)]
        assert titles[:3] == ["New game", "Daily deal", "Learn"]
        assert titles.index("Statistics") < titles.index("The line above")


async def test_a_key_without_anything_to_do_says_so_or_opens_its_panel():
    app = an_app("podkidnoy:seats=2")
    async with app.run_test(size=(120, 36)) as pilot:
        table = await my_turn(app)
        await pilot.press("tab")
        await until(shows(app, "Only with several cards to beat"))
        await pilot.press("j")
        await until(lambda: table.knowledge.is_open)
        await pilot.press("i")
        await until(lambda: not table.knowledge.is_open)
        await pilot.press("ctrl+right")
        await until(lambda: table.knowledge.is_open and table.knowledge.asked is not None)


async def test_the_palette_does_what_keys_do():
    app = an_app("podkidnoy:seats=2")
    async with app.run_test(size=(80, 24)) as pilot:
        await my_turn(app)
        await pilot.press("ctrl+p")
        send(app, *"two or four")
        await until(shows(app, "Two or four colours"))
        await pilot.press("down", "enter")
        await until(lambda: app.settings.colours == "two")


async def test_the_palette_leads_to_every_opponent_and_every_theme():
    app = a_menu()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("ctrl+p")
        send(app, *"high contrast, light")
        await until(shows(app, "Colours: high contrast, light"))
        await pilot.press("down", "enter")
        await until(lambda: app.theme == "durak-contrast-light")
        await pilot.press("ctrl+p")
        send(app, *"against boris")
        await until(shows(app, "Play against Boris"))
        await pilot.press("down", "enter")
        table = await my_turn(app)
        assert table.session.setup.players == (HUMAN, "level:boris")
        offered = [command.title for command in app.get_system_commands(table)]
        assert "Statistics" in offered
        assert "Play against Boris" not in offered


async def test_a_palette_that_is_closed_twice_closes_nothing_else():
    """Enter may be pressed once more before the list is gone."""
    app = an_app("podkidnoy:seats=2")
    async with app.run_test(size=(80, 24)) as pilot:
        table = await my_turn(app)
        await pilot.press("ctrl+p")
        await until(on_screen(app, Palette))
        palette = app.screen
        palette.dismiss()
        palette.dismiss()
        await until(lambda: app.screen is table)


async def test_a_small_window_says_what_the_table_needs_instead_of_showing_it():
    app = a_menu()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("p")
        await my_turn(app)
        await pilot.resize_terminal(50, 15)
        wanted = "Durak needs 40x20; this window has 50x15."
        await until(lambda: screen_text(app).split() == wanted.split())
        await pilot.resize_terminal(80, 24)
        await until(lambda: "podkidnoy" in screen_text(app).lower())


async def test_the_words_of_the_last_line_can_be_clicked():
    app = a_menu()
    async with app.run_test(size=(80, 24)) as pilot:
        await until(shows(app, "first lesson   0 no lesson   ? help"))
        line = screen_text(app).splitlines()[-1]
        await pilot.click(offset=(line.index("help"), 23))
        await until(on_screen(app, HelpDialog))


async def test_the_words_of_the_last_line_reach_the_form():
    app = a_menu()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("n")
        await until(on_screen(app, SetupScreen))
        form = app.screen.query_one(Form)
        go_to(form, "seats")
        await until(shows(app, "change", "select"))
        line = screen_text(app).splitlines()[-1]
        await pilot.click(offset=(line.index("change"), 23))
        await until(lambda: row_named(form, "seats").value == "3")
        await pilot.click(offset=(line.index("select"), 23))
        await until(on_screen(app, Pick))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("before", [(), ("escape",), ("?",)])
@pytest.mark.parametrize(("key", "code"), [("ctrl+q", 0), ("ctrl+c", 130)])
async def test_a_game_stays_saved_however_the_program_is_left(key, code, before):
    app = an_app("podkidnoy:seats=2")
    async with app.run_test(size=(80, 24)) as pilot:
        table = await my_turn(app)
        await pilot.press(*before, key)
        await until(lambda: not app.is_running)
    assert app.return_code == code
    (game,) = app.saves.unfinished()
    assert list(game.states) == table.session.states


async def test_a_damaged_save_is_told_and_the_menu_opens():
    app = a_menu()
    app.saves.running.mkdir(parents=True)
    (app.saves.running / "x.durak").write_text("rubbish")
    async with app.run_test(size=(80, 24)):
        await until(shows(app, "A saved game was damaged"))
        assert "Continue" not in screen_text(app)


async def test_many_damaged_saves_are_gathered_into_few_notices():
    app = a_menu()
    app.saves.running.mkdir(parents=True)
    for number in range(60):
        (app.saves.running / f"{number:02}.durak").write_text("rubbish")
    async with app.run_test(size=(80, 24)):
        await until(shows(app, "60 saved games are damaged or cannot be read"))
        assert len(app.notices) == 3
    assert len(list(app.saves.running.glob("*damaged*"))) == 60


async def test_what_programs_left_that_were_killed_is_removed_at_the_start():
    app = a_menu()
    folders = (app.saves.running, app.saves.finished, app.saves.folder, config_dir())
    left = [folder / ".x.durak.999999999-0123abcd.tmp" for folder in folders]
    for path in (*left, app.saves.running / "never-written.lock"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    other = folders[0] / "notes.tmp"
    other.touch()
    async with app.run_test(size=(80, 24)):
        await until(lambda: not any(path.exists() for path in left))
        assert list(app.saves.running.iterdir()) == [other]


async def test_there_may_be_nothing_to_continue():
    app = an_app(at_once="continue")
    async with app.run_test(size=(80, 24)):
        await until(shows(app, "There is no unfinished game."))


async def test_without_a_place_to_save_the_game_is_played_all_the_same(tmp_path):
    (tmp_path / "data").write_text("a file where the folder should be")
    app = an_app("podkidnoy:seats=2")
    async with app.run_test(size=(80, 24), notifications=True):
        await my_turn(app)
        await until(shows(app, "not saved"))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("size", [(60, 20), (80, 24), (120, 36)])
async def test_two_rows_of_buttons_stand_apart_and_none_is_cut_off_by_a_long_text(size):
    """So many lines has the result of six players who were helped."""
    app = an_app(at_once="")
    async with app.run_test(size=size):
        await until(on_screen(app, MenuScreen))
        lines = "\n".join(f"line {number}" for number in range(1, 13))
        app.push_screen(Ask("Result", lines, [(f"b{number}", f"Button {number}") for number in range(6)]))
        await until(shows(app, *(f"Button {number}" for number in range(6)), "line 12"))
        first, second = sorted({button.region.y for button in app.screen.query(Button)})
        assert second == first + 2


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("labels", "typed"), [(("Leave", "Stay"), "sSы"), (("Уйти", "Щадить"), "oщЩ")])
async def test_a_letter_of_its_label_presses_a_button_in_either_layout(labels, typed):
    app = an_app(at_once="")
    heard = []
    async with app.run_test(size=(80, 24)):
        for key in typed:
            await until(on_screen(app, MenuScreen))
            app.push_screen(Ask("Leave", "Now?", list(zip("ab", labels, strict=True))), heard.append)
            await until(on_screen(app, Ask))
            send(app, key)
            await until(on_screen(app, MenuScreen))
    assert heard == ["b"] * 3


async def test_a_click_beside_a_window_closes_it_and_one_in_it_does_not():
    app = an_app(at_once="")
    heard = []
    async with app.run_test(size=(80, 24)) as pilot:
        await until(on_screen(app, MenuScreen))
        app.push_screen(Ask("Leave", "Now?", [("a", "Leave"), ("b", "Stay")]), heard.append)
        await click(pilot, "Ask .text")
        assert isinstance(app.screen, Ask)
        await pilot.click(offset=(1, 1))
        await until(on_screen(app, MenuScreen))
        assert heard == [None]
        await pilot.press("?")
        await until(on_screen(app, HelpDialog))
        await click(pilot, "HelpDialog .text")
        await until(on_screen(app, MenuScreen))


async def test_a_screen_behind_another_one_closes_neither_itself_nor_the_other():
    app = an_app(at_once="")
    async with app.run_test(size=(80, 24)):
        await until(on_screen(app, MenuScreen))
        app.action_set_up()
        await until(on_screen(app, SetupScreen))
        setup = app.screen
        app.action_rules()
        await until(on_screen(app, RulesScreen))
        for _ in range(2):
            assert not await app.run_action("back", setup)
            setup.action_back()
        assert isinstance(app.screen, RulesScreen)
        app.screen.action_back()
        await until(lambda: app.screen is setup)
        setup.action_back()
        await until(on_screen(app, MenuScreen))
