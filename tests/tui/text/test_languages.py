"""Every screen in every language: nothing is cut off, nothing stays English, and it changes while running."""

import re
from functools import cache
from gettext import GNUTranslations
from itertools import pairwise
from pathlib import Path

import pytest
from rich.cells import cell_len
from textual.widgets import Button, OptionList, Static

from durak_core import OPTIONS, PRESETS, Rules
from durak_core.agents.registry import AGENTS
from durak_core.lessons.lesson import load_lesson, shipped_lessons
from durak_core.rules_text import rules_text
from durak_tui.app import DurakApp
from durak_tui.board.widgets.cards import Status
from durak_tui.board.widgets.prompt import Prompt
from durak_tui.help.screens import HelpDialog, RulesScreen
from durak_tui.hints.widgets import KnowledgePanel
from durak_tui.keys.actions import ACTIONS
from durak_tui.learn.screens.daily import DailyScreen
from durak_tui.learn.screens.lesson import LearnScreen, LessonsScreen
from durak_tui.learn.screens.puzzle import MistakesScreen
from durak_tui.library.model.entries import entry_of
from durak_tui.library.model.store import Library
from durak_tui.library.screens.library import LibraryScreen, StatisticsScreen
from durak_tui.menu import _ENTRIES, MenuScreen
from durak_tui.play.setup import GameSetup, Launch, Series
from durak_tui.players import HUMAN
from durak_tui.review.screen import ReviewScreen
from durak_tui.settings import KeysScreen, SettingsScreen
from durak_tui.setup.screens import AdvancedSetupScreen, HouseRulesScreen, SetupScreen
from durak_tui.storage.paths import data_dir
from durak_tui.table.screens import HandOverScreen, TableScreen
from durak_tui.text import i18n
from durak_tui.text.core_messages import translated_rules
from durak_tui.text.i18n import LANGUAGES, gettext, set_language, translate
from durak_tui.text.phrases import capital, preset_text
from durak_tui.ui.screens.base import TranslatedLabel
from durak_tui.ui.screens.dialogs import Ask
from durak_tui.ui.widgets.form import Form
from durak_tui.ui.widgets.key_bar import KeyBar
from durak_tui.ui.widgets.lines import LongTable
from durak_tui.watch.screen import WatchScreen
from tui.games import a_record
from tui.helpers import an_app, go_to, hides, on_screen, paused, screen_text, send, shows, until
from tui.reviewing import Oracle, judged, own_moves

SHORT = Launch(Rules.parse("perevodnoy:seats=3,lowest_rank=11,hand_size=4"), seed=3)
SIZES = [(80, 24), (120, 36), (60, 20)]
SOME_AND_ALL = pytest.mark.parametrize(
    ("sizes", "codes"),
    [(SIZES[:1], ("de",)), pytest.param(SIZES, LANGUAGES, marks=pytest.mark.slow)],
    ids=["some", "all"],
)
"""One size with the language of the longest words; slow tests take all."""
CYRILLIC = re.compile("[\u0400-\u04ff]+")
LATIN = re.compile(r"\b[A-Za-z]{3,}\b(?!…)")
WORD = re.compile(r"\b[^\W\d_]{3,}\b(?!…)")

ONE_LINE = (
    "#library-filters",
    "#library-count",
    "#statistics-groups",
    "#statistics-player",
    "#chances-head",
    "#hand-over-name",
)
OWN_WORDS = frozenset(
    [
        *AGENTS,
        *PRESETS,
        *(word for option in OPTIONS for word in option.split("_")),
        *("Anna", "Boris", "Durak", "ASCII", "JSON", "Language", "English", "Enter", "Max"),
        *("Esc", "Tab", "Ctrl", "Shift", "PgUp", "PgDn", "Home", "End", "Del", "Ins", "Backspace"),
        *(word for action in ACTIONS.values() for word in re.findall(r"[a-z]+", action.id)),
        *(word for action in ACTIONS.values() for key in action.keys for word in re.findall("[a-z]+", key)),
        *("Rules", "van", "khan", "Van", "DURAK", "ENGINE", "off", "durak", "ANSI", "ansi"),
        *LANGUAGES.values(),
    ]
)
"""Words that are names, or keys, or are written so in files, and stay as they are."""


async def settled(pilot, app, kind):
    await until(on_screen(app, kind))
    await pilot.pause()


async def cards(pilot, app, key):
    """Stop at both sides of the cards panel, and close it."""
    for pressed in (key, "j"):
        send(app, pressed)
        await until(lambda: any(panel.display for panel in app.screen.query(KnowledgePanel)))
        await pilot.pause()
        yield f"cards after {pressed}"
    send(app, "j", key)


async def pages_of_setup(pilot, app):
    """Stop at what stands behind a new game."""
    for name, page in (("rules", HouseRulesScreen), ("laboratory", AdvancedSetupScreen)):
        go_to(app.screen.query_one(Form), name)
        send(app, "enter")
        await settled(pilot, app, page)
        for _ in range(3):
            yield page.__name__
            send(app, "pagedown")
            await pilot.pause()
        send(app, "escape")
        await settled(pilot, app, SetupScreen)


async def lessons_of_learning(pilot, app):
    """Stop at the list of lessons."""
    send(app, "enter")
    await settled(pilot, app, LessonsScreen)
    yield "LessonsScreen"
    send(app, "escape")
    await settled(pilot, app, LearnScreen)


BEHIND = {SetupScreen: pages_of_setup, LearnScreen: lessons_of_learning}


async def mistakes(pilot, app):
    """Stop at a mistake, at its hint and at its answer."""
    await settled(pilot, app, MenuScreen)
    judged(app.library.store, a_record(1), dict.fromkeys(own_moves(a_record(1))[:2], 0.2))
    app.action_mistakes()
    await settled(pilot, app, MistakesScreen)
    for where, key in (("task", "h"), ("hint", "a"), ("answer", "escape")):
        yield f"mistakes, {where}"
        send(app, key)
        await pilot.pause()
    await settled(pilot, app, MenuScreen)


async def screens(pilot, app):
    """Go through all screens, and stop at each."""
    await settled(pilot, app, MenuScreen)
    yield "menu"
    for key, kind in (
        ("n", SetupScreen),
        ("e", LearnScreen),
        ("f2", SettingsScreen),
        ("l", LibraryScreen),
        ("s", StatisticsScreen),
        ("r", RulesScreen),
        ("", KeysScreen),
        ("", DailyScreen),
    ):
        _ = send(app, key) if key else app.push_screen(kind())
        await settled(pilot, app, kind)
        yield kind.__name__
        if kind in BEHIND:
            async for where in BEHIND[kind](pilot, app):
                yield where
        send(app, "escape")
        await settled(pilot, app, MenuScreen)
    app.show_review(a_record(2), 0)
    await settled(pilot, app, ReviewScreen)
    send(app, "right", "right")
    await pilot.pause()
    yield "review"
    async for where in cards(pilot, app, "k"):
        yield f"review, {where}"
    send(app, "escape")
    await settled(pilot, app, MenuScreen)
    app.watch_game(SHORT)
    await settled(pilot, app, WatchScreen)
    send(app, "space")
    await until(lambda: not app.screen.session.is_running)
    await pilot.pause()
    yield "watch"
    send(app, "escape")
    await settled(pilot, app, MenuScreen)
    app.play_game(SHORT)
    await settled(pilot, app, TableScreen)
    table = app.screen
    for turn in range(200):
        await until(lambda: table.is_my_turn or table.session.is_over)
        if table.session.is_over:
            break
        await until(lambda: table.moment.ply == table.session.ply and not table._is_drawing)
        if turn < 3:
            yield "table"
        if turn == 3:
            async for where in cards(pilot, app, "i"):
                yield f"table, {where}"
        table.session.submit(table.session.state.legal_actions[0])
    await settled(pilot, app, Ask)
    send(app, "escape")
    await settled(pilot, app, TableScreen)
    yield "table after the game"


async def screens_of_several_games(pilot, app):
    """Stop where people share a keyboard, where chances are shown and where a series is played."""
    await settled(pilot, app, MenuScreen)
    app.engines.adviser = Oracle()
    series = Series((1, 0, 2), 1, planned=12)
    bots, names = ("greedy", "smart", "random"), ("Greedy", "Smart", "Random")
    watched = GameSetup(SHORT.rules, bots, names, 3, series=series)
    app.begin(watched)
    screen = await paused(app)
    send(app, "w")
    await until(lambda: screen.query_one("ChancesPanel").display)
    yield "chances"
    await until(lambda: any(value is not None for seat in range(3) for value in screen.chances.curve(seat)))
    yield "chances found"
    send(app, "escape")
    await settled(pilot, app, MenuScreen)
    names = ("Player 1", "Greedy", "Player 2")
    app.begin(GameSetup(SHORT.rules, (HUMAN, "greedy", HUMAN), names, 3, series=series))
    await settled(pilot, app, HandOverScreen)
    yield "hand over"
    hidden = app.screen
    session = hidden._session
    send(app, "enter")
    await settled(pilot, app, TableScreen)
    while session.hand_over is None and not session.is_over:
        session.submit(session.state.legal_actions[0])
        await until(lambda: session.is_over or session.state.turn in session.setup.humans)
    await settled(pilot, app, HandOverScreen)
    assert app.screen is not hidden
    yield "hand over with news"
    while not session.is_over:
        await until(lambda: session.is_over or session.state.turn in session.setup.humans)
        if session.hand_over is not None:
            await settled(pilot, app, HandOverScreen)
            send(app, "enter")
            await until(lambda: session.hand_over is None)
        elif not session.is_over:
            session.submit(session.state.legal_actions[0])
    await settled(pilot, app, Ask)
    await until(shows(app, "12"))
    send(app, "escape")
    await settled(pilot, app, TableScreen)
    yield "table in a series"


def check_fit(app, where):
    """Compare what is drawn with what is said, part by part."""
    screen, text = app.screen, screen_text(app)
    check_lines_and_buttons(screen, text, where)
    for bar in screen.query(KeyBar):
        check_key_bar(bar, text, where)
    for prompt in screen.query(Prompt):
        check_prompt(prompt, text, where)
    for status in screen.query(Status):
        check_status(status, where)
    for form in screen.query(Form):
        check_form(form, where)
    for sheet in screen.query(LongTable):
        for _index, column, _at, cells in sheet._shown():
            arrow = 2 if column.name == sheet._sorted[0] else 0
            assert cell_len(column.title) + arrow <= cells, (where, column.title)
    for panel in screen.query(KnowledgePanel):
        assert not panel.display or "…" not in "".join(
            panel.render_line(y).text for y in range(panel.size.height)
        ), where
    if isinstance(screen, MenuScreen):
        labels = [translate(label) for name, (label, _) in _ENTRIES.items() if name != "continue_game"]
        assert [label for label in labels if label not in text] == []
        assert "…" not in text


def check_lines_and_buttons(screen, text, where):
    """What has one line has room in it."""
    for words in screen.query(TranslatedLabel):
        assert cell_len(translate(words._template)) <= words.content_size.width, where
    for name in ONE_LINE:
        for line in screen.query(name).results(Static):
            assert cell_len(str(line.content).rstrip()) <= line.content_size.width, (where, line.content)
    for button in screen.query(Button):
        assert cell_len(str(button.label)) <= button.content_size.width, (where, button.label)
        assert str(button.label) in text, (where, button.label)


def check_key_bar(bar, text, where):
    """What is in the line is whole; help and quit always are there, and some of the screen's own."""
    shown = bar.render().plain
    assert cell_len(shown.rstrip()) <= bar.content_size.width, where
    assert shown.rstrip() in text, where
    labels = [item.label for item in bar._items()]
    assert {translate("help"), translate("quit")} <= set(labels), where
    assert sum(label in shown for label in labels) >= min(len(labels), 4), (where, shown)


def check_prompt(prompt, text, where):
    """The sentence is whole and so are the buttons, side by side."""
    buttons = sorted(prompt._marks, key=lambda mark: mark[0].x)
    assert all(region.x >= 0 for region, _button in buttons), where
    assert all(first[0].right < second[0].x for first, second in pairwise(buttons)), where
    for _region, button in buttons:
        assert f"[ {button.label} " in text, (where, button)
    drawn = " ".join(prompt.render_line(y).text.strip() for y in range(prompt.size.height))
    said = prompt._view.text if not prompt.aside else ""
    assert "…" not in " ".join(drawn.split())[: len(said)], (where, said)


def check_status(status, where):
    """Name and counts stand side by side."""
    line = status.render_line(0).text
    parts = [
        name
        for name, _style in (
            *status._left(status._view.moment)[:1],
            *status._right(status._view.moment.observation),
        )
    ]
    assert all(part.strip() in line for part in parts), (where, line)


def check_form(form, where):
    """Labels and values are whole; of the many keys the long names may be cut, the line below says them."""
    for row in form._rows:
        if row.is_heading:
            assert cell_len(row.label) < form.size.width, (where, row.label)
            continue
        if row.name not in ACTIONS:
            room = form._value_at if row.has_value else form.size.width
            assert form._indent + cell_len(row.label) < room, (where, row.label)
        width = max((cell_len(word) for _, word in row.options), default=cell_len(row.shown))
        if not row.written:
            assert form._value_at + 2 + width + 3 <= form.size.width, (where, row.label)


@cache
def own_words(code):
    """Return the words of a language's catalogue, rules and lessons."""
    texts = [rules_text() if code == "en" else translated_rules(code)]
    other = next(iter(LANGUAGES.keys() - {"en"})) if code == "en" else code
    with Path(i18n.__file__).parents[1].joinpath(f"locale/{other}/LC_MESSAGES/durak.mo").open("rb") as file:
        catalogue = GNUTranslations(file)._catalog
    for key, translation in catalogue.items():
        texts.append((key[0] if isinstance(key, tuple) else key) if code == "en" else translation)
    for lesson in map(load_lesson, shipped_lessons()):
        texts += [str(lesson.title.said(code)), *lesson.names(code)]
    return frozenset(word for text in texts for word in WORD.findall(text.casefold()))


@cache
def words_of_others(code):
    """Return the words that only other languages have."""
    found = frozenset().union(*[own_words(other) for other in LANGUAGES if other != code])
    return found - own_words(code) - set(map(str.casefold, OWN_WORDS))


def check_language(app, code, where):
    """No word of another language is left, nor any in a foreign script; a word that is cut is none."""
    text = re.sub(r"\w+…", "", screen_text(app))
    script = LATIN if CYRILLIC.search(LANGUAGES[code]) else CYRILLIC
    found = [word for word in script.findall(text) if word not in OWN_WORDS]
    found += words_of_others(code).intersection(WORD.findall(text.casefold()))
    assert found == [], (where, found)


async def looks_right(pilot, app, code, where, tries=50):
    """Wait until what has changed is drawn: drawing again takes a round or two."""
    for again in range(tries):
        await pilot.pause()
        try:
            check_fit(app, where)
            check_language(app, code, where)
        except AssertionError:
            if again == tries - 1:
                raise
        else:
            return


async def check(pilot, app, where, sizes, codes):
    """Look at a screen in languages and sizes, first in the language that it has."""
    for code in sorted(codes, key=lambda code: code != app.settings.language):
        if code != app.settings.language:
            app.change_settings(language=code)
        for size in sizes:
            await pilot.resize_terminal(*size)
            await looks_right(pilot, app, code, (where, code, size))


@SOME_AND_ALL
async def test_every_screen_has_room_for_its_words(sizes, codes):
    library = Library(data_dir())
    library.add_all([entry_of(a_record(seed)) for seed in range(12)])
    library.close()
    app = an_app(at_once="", language="en")
    async with app.run_test(size=sizes[-1]) as pilot:
        for stops in (mistakes, screens):
            async for where in stops(pilot, app):
                await check(pilot, app, where, sizes, codes)
        table = app.screen
        assert isinstance(table, TableScreen)

        def show_result():
            table._is_result_due = True
            table._show_due_result()

        for code in codes:
            app.change_settings(language=code)
            for show, kind in ((show_result, Ask), (app.action_help, HelpDialog)):
                show()
                await settled(pilot, app, kind)
                await check(pilot, app, kind.__name__, sizes, [code])
                send(app, "escape")
                await settled(pilot, app, TableScreen)


@SOME_AND_ALL
async def test_screens_of_several_games_have_room_for_their_words(monkeypatch, sizes, codes):
    monkeypatch.setattr("durak_tui.table.screens.GRACE", 0.0)
    app = an_app(at_once="", language="en")
    async with app.run_test(size=sizes[-1]) as pilot:
        async for where in screens_of_several_games(pilot, app):
            await check(pilot, app, where, sizes, codes)


async def test_the_language_changes_while_running_on_all_screens_there_are():
    app = an_app("perevodnoy:seats=3", language="en")
    async with app.run_test(size=(100, 30)) as pilot:
        await settled(pilot, app, TableScreen)
        await until(lambda: "deck" not in screen_text(app) and "talon" in screen_text(app))
        send(app, "f2")
        await settled(pilot, app, SettingsScreen)
        await until(shows(app, "Less motion"))
        go_to(app.screen.query_one(Form), "language")
        while app.settings.language != "ru":
            send(app, "right")
            await pilot.pause()
        await until(lambda: "Меньше движения" in screen_text(app))
        await looks_right(pilot, app, "ru", "settings")
        send(app, "escape")
        await settled(pilot, app, TableScreen)
        await until(lambda: "колода" in screen_text(app))
        assert app._settings_file.load().language == "ru"
        app.change_settings(language="en")
        await until(shows(app, "talon"))
        await until(hides(app, "колода"))


async def test_rules_and_menu_follow_the_language_too():
    app = an_app(at_once="", language="ru")
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot, app, MenuScreen)
        await until(shows(app, "Библиотека"))
        send(app, "r")
        await settled(pilot, app, RulesScreen)
        await until(shows(app, "Как играют"))
        app.change_settings(language="en")
        await until(lambda: "How the game goes" in screen_text(app))
        send(app, "escape")
        await settled(pilot, app, MenuScreen)
        await until(shows(app, "Library"))


async def test_the_environment_chooses_and_a_lost_catalogue_costs_a_sentence(monkeypatch, tmp_path):
    monkeypatch.setenv("LC_ALL", "ru_RU.UTF-8")
    app = DurakApp(Launch(at_once=""))
    assert gettext("Settings") == "Настройки"
    assert app.notices == []
    monkeypatch.setattr("durak_tui.app.set_language", lambda code: set_language(code, tmp_path))
    app = DurakApp(Launch(at_once=""))
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot, app, MenuScreen)
        await until(shows(app, "Settings", "The texts in Русский are missing: the app speaks English."))
        assert app.screen.query_one(OptionList).option_count == len(_ENTRIES) - 1


def test_presets_have_a_name_in_every_language():
    set_language("ru")
    assert capital(preset_text("podkidnoy")) == "Подкидной"
    for told in ("settings.toml is damaged", "dir/file cannot be read", "a.durak: no game"):
        assert capital(told) == told
    assert capital("you have 3.5 points") == "You have 3.5 points"
