"""The themes of high contrast keep what they promise, wherever there are letters."""

import pytest
from rich.color import Color
from textual.containers import VerticalScroll

from durak_tui.help.screens import RulesScreen
from durak_tui.library.screens.library import LibraryScreen, StatisticsScreen
from durak_tui.menu import MenuScreen
from durak_tui.settings import SettingsScreen
from durak_tui.setup.screens import SetupScreen
from durak_tui.table.screens import TableScreen
from durak_tui.ui.theme import DURAK_THEME, THEMES
from tui.helpers import an_app, my_turn, on_screen, until

CONTRAST = [theme.name for theme in THEMES if theme is not DURAK_THEME]
ENOUGH = 7.0
"""The ratio of level AAA, https://www.w3.org/TR/WCAG21/#contrast-enhanced."""
PAPER = {"#f4f0e6", "#a5a798"}
"""Cards are printed alike in every theme."""


def luminance(color: Color) -> float:
    parts = [part / 255 for part in color.get_truecolor()]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def ratio(ink: Color, ground: Color) -> float:
    light, dark = sorted((luminance(ink), luminance(ground)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def weak_words(app):
    """Return what stands on the screen in too little contrast, cards excepted."""
    weak = {}
    for strip in app.screen._compositor.render_strips():
        for segment in strip:
            style = segment.style
            if not any(sign.isalnum() for sign in segment.text) or style.color is None:
                continue
            if style.bgcolor.get_truecolor().hex in PAPER:
                continue
            found = ratio(style.color, style.bgcolor)
            if found < ENOUGH:
                weak[segment.text.strip()] = (round(found, 2), style.color.name, style.bgcolor.name)
    return weak


@pytest.mark.parametrize("theme", CONTRAST)
async def test_every_word_has_the_contrast_of_level_aaa(theme):
    app = an_app("podkidnoy:seats=3", at_once="", theme=theme)
    async with app.run_test(size=(120, 36)) as pilot:
        await until(on_screen(app, MenuScreen))
        await pilot.pause()
        assert weak_words(app) == {}
        shown = (
            ("n", SetupScreen),
            ("f2", SettingsScreen),
            ("l", LibraryScreen),
            ("s", StatisticsScreen),
        )
        for key, screen in shown:
            await pilot.press(key)
            await until(on_screen(app, screen))
            await pilot.pause()
            assert weak_words(app) == {}
            await pilot.press("escape")
            await until(on_screen(app, MenuScreen))
        await pilot.press("enter")
        await until(on_screen(app, TableScreen))
        for _ in range(2):
            table = await my_turn(app)
            await pilot.pause()
            assert weak_words(app) == {}
            table.session.submit(table.session.state.legal_actions[0])


@pytest.mark.sampled(2)
@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
async def test_keys_stand_out_from_their_labels(theme):
    app = an_app(at_once="", theme=theme.name)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(on_screen(app, MenuScreen))
        await pilot.pause()
        bar = app.screen._compositor.render_strips()[-1]
        inks = {segment.text.strip(): segment.style.color.name for segment in bar if segment.text.strip()}
    assert inks["?"] == theme.variables["footer-key-foreground"] != inks["help"]


@pytest.mark.parametrize("ascii_only", [True, False])
async def test_scroll_bars_are_drawn_as_their_own_app_wants_them(ascii_only):
    app = an_app(at_once="", ascii=ascii_only)
    async with app.run_test(size=(60, 20)) as pilot:
        await until(on_screen(app, MenuScreen))
        an_app(at_once="", ascii=not ascii_only)
        await pilot.press("r")
        await until(on_screen(app, RulesScreen))
        (scroll,) = [widget for widget in app.screen.query(VerticalScroll) if widget.max_scroll_y]
        bar, signs = scroll.vertical_scrollbar, ""
        for part in (3, 4, 5):  # at one of these the bar ends within a cell
            scroll.scroll_to(y=scroll.max_scroll_y // part, animate=False)
            await pilot.pause()
            signs += "".join(strip.text for strip in bar.render_lines(bar.size.region))
        assert signs.isspace() == ascii_only


async def test_themes_change_at_once():
    app = an_app("podkidnoy:seats=2", at_once="")
    async with app.run_test(size=(80, 24)):
        for theme in THEMES:
            app.change_settings(theme=theme.name)
            assert app.current_theme is theme
