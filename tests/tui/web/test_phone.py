"""The app on a phone: the page's strip of keys, taps, swipes, and a whole game by touch in Chromium."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from importlib.resources import files

import pytest
from core.game.test_real_games import dealt, drawn
from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual.events import AppBlur, AppFocus
from textual.widgets import Button, Input

from durak_core import Phase, RealGame, Take, read_game
from durak_core.actions import card_of
from durak_tui.app import DurakApp
from durak_tui.board.widgets.cards import Hand
from durak_tui.help.screens import HelpDialog
from durak_tui.learn.screens.lesson import LearnScreen
from durak_tui.library.view import library_columns, statistics_columns
from durak_tui.menu import MenuScreen
from durak_tui.palette import Palette
from durak_tui.play.game import card_options
from durak_tui.play.saves import Saves
from durak_tui.play.setup import Launch
from durak_tui.sandbox import CONFINED, TOUCH
from durak_tui.table.screens import TableScreen
from durak_tui.text.phrases import card_text
from durak_tui.ui.screens.dialogs import Ask, Write
from durak_tui.ui.view import signals
from durak_tui.ui.widgets.form import Form
from durak_tui.web.messages import read_message
from durak_tui.web.visit import COOKIE, folder_of
from tui.browsing import Served, a_browser, is_my_turn, see
from tui.helpers import an_app, click, my_turn, on_screen, paused, screen_text, shows, until

pytest.importorskip("aiohttp", reason="the extra web is not installed")

PAGE = files("durak_tui.web").joinpath("page.html").read_text(encoding="utf-8")
PORTRAIT, NARROW, LANDSCAPE = (390, 844), (360, 740), (844, 390)
"""Pixels of phones."""
UPRIGHT, SIDEWAYS = (46, 41), (108, 22)
"""Cells of the first and of the last one."""


class Elements(HTMLParser):
    """Reads which elements a page has."""

    def __init__(self, page):
        super().__init__()
        self.found = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


def test_the_keys_of_the_strip_are_keys_of_the_app():
    """What a key of the strip sends passes the server's check, and is one key to Textual."""
    keys = [found["data-key"] for _tag, found in Elements(PAGE).found if "data-key" in found]
    packets = [read_message(f'["stdin", "{key}"]') for key in keys]
    assert all(kind == "stdin" for kind, _ in packets)
    told = [packet[5:].decode() for _, packet in packets]
    names = [key.value for text in told for key in ANSI_SEQUENCES_KEYS[text]]
    assert names == ["escape", "left", "right", "enter", "tab"]


def test_the_page_is_as_wide_as_the_phone_and_stays_where_it_is():
    viewport = [found["content"] for tag, found in Elements(PAGE).found if found.get("name") == "viewport"]
    assert [part.strip() for part in viewport[0].split(",")][:2] == ["width=device-width", "initial-scale=1"]
    for rule in ("overscroll-behavior: none", "touch-action: manipulation", "height: 100dvh"):
        assert rule in PAGE


def test_the_page_can_be_kept_among_a_phones_apps():
    found = [attributes for _tag, attributes in Elements(PAGE).found]
    named = {one["rel"]: one["href"].removeprefix("__TOP__") for one in found if "rel" in one}
    folder = files("durak_tui.web")
    manifest = json.loads(folder.joinpath(named["manifest"]).read_text(encoding="utf-8"))
    assert manifest["display"] == "standalone"
    icons = {icon["src"] for icon in manifest["icons"]}
    assert icons == {named["icon"], named["apple-touch-icon"]}
    assert all(folder.joinpath(icon).is_file() for icon in icons)
    assert {"name": "theme-color", "content": manifest["theme_color"]} in found


async def test_the_server_gives_the_icons_and_the_manifest_with_its_headers():
    from aiohttp.test_utils import TestClient, TestServer  # noqa: PLC0415 - of an extra

    from durak_tui.web.server import _DurakServer  # noqa: PLC0415 - needs it too

    async with TestClient(TestServer(_DurakServer((), "localhost").make_app())) as client:
        for name, kind in (
            ("icon.svg", "svg+xml"),
            ("icon.png", "png"),
            ("app.webmanifest", "manifest+json"),
        ):
            answer = await client.get(f"/{name}")
            assert (answer.status, answer.content_type.partition("/")[2]) == (200, kind)
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert (await client.get("/server.py")).status == 404


# The app in so few columns


async def test_a_line_to_write_calls_the_keyboard_and_has_a_button(monkeypatch):
    monkeypatch.setenv(CONFINED, "1")
    monkeypatch.setenv(TOUCH, "1")
    app = an_app(at_once="")
    wanted = []
    app.call_keyboard = lambda *, is_wanted: wanted.append(is_wanted)
    async with app.run_test(size=UPRIGHT) as pilot:
        await until(on_screen(app, MenuScreen))
        answers = []
        app.screen.ask(Write("Name", "Kim", lambda text: "" if text else "Empty"), answers.append)
        await until(lambda: wanted[-1:] == [True])
        await click(pilot, "Write Button")
        await until(lambda: answers == ["Kim"])
        await until(lambda: wanted[-1:] == [False])


async def test_a_page_that_loses_the_focus_for_a_moment_keeps_its_keyboard(monkeypatch):
    """The page takes the focus away to call its keyboard: an answer to that would go on without end."""
    monkeypatch.setenv(CONFINED, "1")
    monkeypatch.setenv(TOUCH, "1")
    wanted = []
    monkeypatch.setattr(signals, "page_keyboard", lambda *, is_wanted: wanted.append(is_wanted) or "")
    app = an_app(seed=3)
    async with app.run_test(size=UPRIGHT) as pilot:

        async def lose_focus():
            focused = app.focused
            app.post_message(AppBlur())
            await until(lambda: app.focused is None)
            app.post_message(AppFocus())
            await until(lambda: app.focused is focused)
            await pilot.pause()

        table = await my_turn(app)
        await until(lambda: app.focused is table.board.hand)
        await lose_focus()
        assert not wanted
        table.ask(Write("Name", "Kim", lambda text: ""), lambda _answer: None)
        await until(lambda: isinstance(app.focused, Input))
        await until(lambda: wanted)
        await lose_focus()
        assert all(wanted)
        await click(pilot, "Write Button")
        await until(lambda: not wanted[-1])


async def test_a_word_of_the_prompt_is_not_repeated_below_it():
    app = an_app(seed=3)
    async with app.run_test(size=UPRIGHT):
        table = await my_turn(app)
        while not table.options.can_take:
            table.session.submit(table.session.state.legal_actions[0])
            await my_turn(app)
        await until(shows(app, "Take"))
        assert screen_text(app).count("Take") == 1


async def test_a_chosen_card_does_not_hide_the_one_above_it():
    app = an_app("podkidnoy:seats=2,hand_size=16", seed=3)
    async with app.run_test(size=UPRIGHT):
        table = await my_turn(app)
        hand = table.board.hand
        layout = hand._layout()
        assert layout.columns < len(hand._view.cards)
        hand.cursor = 0
        assert hand._cells(layout, 0).y == layout.place(0).y - 1
        hand.cursor = layout.columns
        assert hand._cells(layout, layout.columns).y == layout.place(layout.columns).y


def next_taps(text):
    """Return where to tap at one's turn: on a card that may be played, twice, else on a button.

    A card has its number in its lower line, or in the upper one where others cover it.
    """
    lines = text.split("\n")
    own = next(row for row, line in enumerate(lines) if re.search(r"──+ ▶ ", line))
    for row in range(len(lines) - 1, own, -1):
        if label := re.search(r"[─━]\d[─━]", lines[row]):
            is_upper = lines[row][label.start()] in "╭┏" or lines[row][label.start() - 1] in "╭┏"
            return [(label.start() + 1, row + 1 if is_upper else row - 1)] * 2
    words = next(word for word in ("Take", "Pass", "Done") if any(word in line for line in lines[own:]))
    row = next(row for row in range(own, len(lines)) if words in lines[row])
    return [(lines[row].index(words), row)]


def is_decided(text):
    """Tell whether a person is to act and sees with what, or the game is over."""
    seat, _, below = text.partition("▶ You ")
    answers = ("Take", "Pass", "Done")
    can_act = re.search(r"[─━]\d[─━]", below) or any(word in below for word in answers)
    return "The game is over" in text or (seat.endswith("── ") and can_act)


async def tap_words(pilot, words, number=0):
    """Tap on the middle of words where the screen shows them."""
    await until(shows(pilot.app, words))
    await pilot.pause()
    lines = screen_text(pilot.app).split("\n")
    found = [(line.index(words), row) for row, line in enumerate(lines) if words in line]
    column, row = found[number]
    await pilot.click(offset=(column + len(words) // 2, row))


async def test_what_has_no_word_to_tap_is_in_the_list_of_all_commands():
    app = an_app(seed=3)
    async with app.run_test(size=UPRIGHT) as pilot:
        await my_turn(app)
        await until(lambda: "Menu" in screen_text(app).split("\n")[-2])
        assert "Esc" not in screen_text(app).split("\n")[-2]
        await tap_words(pilot, "More", -1)
        await until(on_screen(app, Palette))
        await pilot.press(*"back")
        await tap_words(pilot, "Back to the menu")
        await until(on_screen(app, MenuScreen))


async def test_the_words_to_tap_are_three_rows_high_where_there_is_room():
    app = an_app(at_once="")
    async with app.run_test(size=UPRIGHT) as pilot:
        await until(lambda: "First lesson" in screen_text(app).split("\n")[-2])
        column = screen_text(app).split("\n")[-2].index("More")
        for row in (-3, -2, -1):
            await pilot.click(offset=(column, UPRIGHT[1] + row))
            await until(on_screen(app, Palette))
            await pilot.click(offset=(0, 0))
            await until(on_screen(app, MenuScreen))


async def test_a_tap_beside_a_window_closes_it_and_the_help_says_where_to_tap():
    app = an_app(seed=3)
    async with app.run_test(size=UPRIGHT) as pilot:
        await my_turn(app)
        await pilot.press("f1")
        await until(on_screen(app, HelpDialog))
        await tap_words(pilot, "Close", -1)
        table = await until(lambda: isinstance(app.screen, TableScreen) and app.screen)
        table.ask(Ask("Question", "Yes?", [("yes", "Yes"), ("no", "No")]), lambda _answer: app.exit())
        await until(on_screen(app, Ask))
        await pilot.click(offset=(2, 2))
        await until(on_screen(app, TableScreen))


async def test_buttons_of_a_window_are_large_enough_for_fingers():
    app = an_app(seed=3)
    async with app.run_test(size=UPRIGHT) as pilot:
        await my_turn(app)
        answers = []
        buttons = [(name, name.capitalize()) for name in ("one", "two", "three", "four", "five", "six")]
        app.screen.ask(Ask("Question", "Which?", buttons), answers.append)
        await until(on_screen(app, Ask))
        await until(lambda: all(button.region.height == 3 for button in app.screen.query(Button)))
        regions = [button.region for button in app.screen.query(Button)]
        assert all(region.width > 15 for region in regions)
        assert all(region in app.screen.region for region in regions)
        await pilot.click(offset=regions[-1].bottom_right - (1, 1))
        await until(lambda: answers == ["six"])


async def test_no_key_is_named_in_the_menu_and_its_lines_are_as_high_as_a_finger():
    app = an_app(at_once="")
    async with app.run_test(size=UPRIGHT) as pilot:
        await until(shows(app, "Get rid of your cards", "0 games"))
        lines = screen_text(app).split("\n")
        assert not any(re.search(r"(Enter|Esc| F2| [pew]) *$", line) for line in lines)
        rows = [next(row for row, line in enumerate(lines) if name in line) for name in ("Learn", "Library")]
        assert rows[1] - rows[0] == 3 * 3
        column = lines[rows[0]].index("Learn")
        await pilot.click(offset=(column, rows[0] + 2))
        await until(on_screen(app, LearnScreen))


async def test_a_tap_anywhere_on_a_row_of_the_settings_changes_it():
    app = an_app(at_once="")
    async with app.run_test(size=UPRIGHT) as pilot:
        app.action_settings()
        await until(shows(app, "Highest first"))
        await pilot.pause()
        for below in (0, 1, 2):
            before = app.settings.descending
            row = next(
                row for row, line in enumerate(screen_text(app).split("\n")) if "Highest first" in line
            )
            await pilot.click(offset=(20, row + below))
            await until(lambda before=before: app.settings.descending != before)
            await pilot.pause()


async def test_a_phone_held_sideways_has_one_row_of_buttons_of_a_finger_s_height(monkeypatch):
    monkeypatch.setenv("DURAK_CONFINED", "1")
    monkeypatch.setenv("DURAK_TOUCH", "1")
    app = an_app(at_once="")
    async with app.run_test(size=SIDEWAYS) as pilot:
        await until(shows(app, "Daily deal", "First lesson"))
        lines = screen_text(app).split("\n")
        assert not any(re.search(r"(Enter|Esc| F2| [pew]) *$", line) for line in lines)
        rows = [
            next(row for row, line in enumerate(lines) if name in line) for name in ("Play", "Daily deal")
        ]
        assert rows[1] - rows[0] == 2 * 3
        app.action_settings()
        await until(shows(app, "Language"))
        app.screen.query_one(Form).go_to("descending")
        await until(shows(app, "Highest first"))
        await pilot.pause()
        before = app.settings.descending
        row = next(row for row, line in enumerate(screen_text(app).split("\n")) if "Highest first" in line)
        await pilot.click(offset=(20, row + 2))
        await until(lambda: app.settings.descending != before)
        app.show_menu()
        await until(on_screen(app, MenuScreen))
        app.play_game(Launch(seed=5))  # with a choice, so that there are hints
        table = await my_turn(app)
        table.ask(Ask("Question", "Yes?", [("yes", "Yes"), ("no", "No")]), lambda _answer: None)
        await until(shows(app, "Question"))
        await until(lambda: all(button.region.height == 3 for button in app.screen.query(Button)))
        await pilot.click(offset=(2, 2))
        await until(lambda: app.screen is table)
        await until(shows(app, "Hint", "More"))
        row, line = next(
            (row, line) for row, line in enumerate(screen_text(app).split("\n")) if "Hint" in line
        )
        assert screen_text(app).count("Hint") == 1
        await pilot.click(offset=(line.index("Hint"), row + 1))
        await click(pilot, "#answer-help")  # although it costs the rating
        await until(lambda: table.advice.is_open)
        assert table.board.region.height == SIDEWAYS[1]
        await pilot.click(offset=(line.index("More"), row + 1))
        await until(lambda: app.screen is not table)


async def test_the_menu_has_its_lines_in_their_place_in_its_first_frame(monkeypatch):
    places = []
    display = DurakApp._display

    def recorded(app, screen, frame):
        display(app, screen, frame)
        if isinstance(screen, MenuScreen):
            places.append(screen.query_one("#entries").region)

    monkeypatch.setattr(DurakApp, "_display", recorded)
    app = an_app(at_once="", seed=5)
    async with app.run_test(size=UPRIGHT) as pilot:
        await until(shows(app, "0 games"))
        app.play_game()
        table = await my_turn(app)
        places.clear()
        pop = app.pop_screen

        def paints_at_once():  # as the screen's timer may on a busy machine
            popped = pop()
            app.screen.refresh()
            app.screen._on_timer_update()
            return popped

        monkeypatch.setattr(app, "pop_screen", paints_at_once)
        table.action_back()
        await until(shows(app, "Continue"))
        await pilot.pause()
        assert len(set(places)) == 1


async def test_the_first_tap_on_a_card_that_can_be_played_says_that_it_is_chosen():
    app = an_app(seed=3)
    async with app.run_test(size=UPRIGHT) as pilot:
        table = await my_turn(app)
        hand, plies = table.board.hand, len(table.session.states)
        playable = next(held.card for held in hand._view.cards if held.playable)
        hand.go_to(playable)
        await pilot.pause()
        hand.post_message(Hand.Raised(playable))
        await until(shows(app, "tap it again to play it"))
        assert len(table.session.states) == plies


async def test_open_hands_have_a_word_to_tap():
    app = an_app("podkidnoy:seats=3", at_once="watch")
    async with app.run_test(size=UPRIGHT) as pilot:
        screen = await paused(app)
        await until(shows(app, "Open hands"))
        await tap_words(pilot, "Open hands")
        await until(lambda: screen.session.open_hands)


@pytest.mark.parametrize("columns", [library_columns(), statistics_columns("opponent")])
def test_names_have_room_in_lists(columns):
    fixed = sum(one.width + 2 for one in columns if one.least <= UPRIGHT[0] and one.width)
    assert UPRIGHT[0] - fixed - 2 >= 15


@pytest.mark.slow
async def test_a_whole_game_by_taps_from_the_menu_to_the_menu():
    app = an_app(at_once="", seed=5)
    async with app.run_test(size=UPRIGHT) as pilot:
        await until(shows(app, "0 games"))  # then the menu's lines are all there
        await tap_words(pilot, "Play")
        await until(on_screen(app, TableScreen))
        table = await my_turn(app)
        while not table.session.is_over:
            await pilot.pause()
            plies = len(table.session.states)
            for place in next_taps(screen_text(app)):
                await pilot.click(offset=place)

            def is_answered(plies=plies):
                return len(table.session.states) > plies

            await until(lambda: is_answered() or on_screen(app, Ask)())
            if not is_answered():
                await click(pilot, "#answer-take")
            await until(is_answered)
            await my_turn(app)
        await until(shows(app, "The game is over"))
        await tap_words(pilot, "Menu")
        await until(on_screen(app, MenuScreen))
    assert len(list(app.saves.finished.iterdir())) == 1


# In Chromium, as a phone

WHERE = """
const place = textual.terminal.element.querySelector(".xterm-screen").getBoundingClientRect();
return [place.x, place.y, place.width / textual.terminal.cols, place.height / textual.terminal.rows];
"""


@pytest.fixture
def server():
    server = Served("--seed", "3", "--bots", "greedy", "--pace", "instant")
    yield server
    server.end()


LISTEN = """
const send = textual.socket.send.bind(textual.socket);
window.sent = [];
textual.socket.send = (message) => send(message, sent.push(message));
"""
"""Keeps what the page sends."""


def touch(browser, kind, *points):
    fingers = [{"x": x, "y": y} for x, y in points]
    browser.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": fingers})


def tap(browser, column, row):
    """Tap on a cell of the terminal."""
    left, top, width, height = browser.execute_script(WHERE)
    touch(browser, "touchStart", (left + (column + 0.5) * width, top + (row + 0.5) * height))
    touch(browser, "touchEnd")


def tap_on(browser, text, words):
    """Tap on the middle of words where the text shows them."""
    lines = text.split("\n")
    row = next(row for row, line in enumerate(lines) if words in line)
    tap(browser, lines[row].index(words) + len(words) // 2, row)


def taps_and_focus(browser):
    """Return how many taps the page has sent since `LISTEN`, and how often it told of its focus."""
    sent = browser.execute_script("return sent")
    told = [sum(kind in message for message in sent) for kind in ("[<0;", "focus", "blur")]
    return told[0] / 2, told[1] + told[2]


def size_of(browser):
    return browser.execute_script("""
        const {cols, rows, options} = textual.terminal;
        return [cols, rows, Number(options.fontSize)];
    """)


def turn(browser, size):
    """Turn the phone, or call its keyboard."""
    width, height = size
    metrics = {"width": width, "height": height, "deviceScaleFactor": 3, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


KEYS = """
return [...document.querySelectorAll("#keys button")].map((key) => {
  const {width, height, bottom} = key.getBoundingClientRect();
  return [width, height, bottom];
}).filter(([width]) => width);
"""


@pytest.mark.slow
def test_a_phone_has_room_for_the_game_and_for_keys_also_when_it_is_turned(tmp_path, server):
    with a_browser(tmp_path / "profile", phone=PORTRAIT) as browser:
        browser.get(server.url)
        for size in (PORTRAIT, NARROW, LANDSCAPE, PORTRAIT):
            turn(browser, size)
            is_upright = size != LANDSCAPE

            def has_room(text, is_upright=is_upright):
                if not is_my_turn(text) or " More " not in text:  # words to tap in place of keys
                    return False
                columns, rows, _ = size_of(browser)
                is_wide = 44 <= columns <= 50 if is_upright else columns >= 80
                return is_wide and rows >= (30 if is_upright else 20)

            see(browser, has_room)
            assert browser.execute_script("return document.documentElement.scrollWidth") == size[0]
            keys = browser.execute_script(KEYS)
            assert len(keys) == (6 if is_upright else 1)
            assert all(width >= 44 and height >= 44 and bottom <= size[1] for width, height, bottom in keys)
        modes = [browser.execute_script("return textual.terminal.textarea.inputMode")]
        for _ in range(2):
            browser.find_element("id", "keyboard").click()
            modes.append(browser.execute_script("return document.activeElement.inputMode"))
        assert modes == ["none", "text", "none"]


@pytest.mark.slow
def test_a_computer_keeps_its_page(tmp_path, server):
    with a_browser(tmp_path / "profile") as browser:
        browser.get(server.url)
        see(browser, is_my_turn)
        assert size_of(browser)[2] == 16
        assert not browser.find_element("id", "keys").is_displayed()
        assert browser.execute_script("return textual.terminal.textarea.inputMode") != "none"


@pytest.mark.slow
def test_a_tap_is_a_click_and_a_swipe_turns_the_wheel(tmp_path, server):
    """A tap lifts a card and another one plays it; what is swiped scrolls, and is no tap at its end."""
    with a_browser(tmp_path / "profile", phone=PORTRAIT) as browser:
        browser.get(server.url)
        text = see(browser, is_my_turn)
        browser.execute_script(LISTEN)
        number = re.findall(r"─(\d)─", text)[-1]
        tap_on(browser, text, f"─{number}─")
        lifted = see(browser, lambda text: f"━{number}━" in text)
        assert "6 cards" in lifted
        tap_on(browser, lifted, f"━{number}━")
        see(browser, lambda text: "6 cards" not in text)
        assert taps_and_focus(browser) == (2, 0)
        browser.find_element("xpath", "//button[text()='Esc']").click()
        see(browser, lambda text: "Continue" in text)
        browser.execute_script('textual.terminal.input("\\x1bOR")')  # F3, the rules
        first = see(browser, lambda text: "Beaten" in text)
        touch(browser, "touchStart", (200, 400))
        for y in (300, 200, 100):
            touch(browser, "touchMove", (200, y))
        touch(browser, "touchEnd")
        see(browser, lambda text: "Beaten" in text and text.find("Beaten") < first.find("Beaten") - 400)


@pytest.mark.slow
def test_a_whole_game_is_played_on_a_phone_from_the_menu_to_the_result(tmp_path):
    server = Served("--seed", "3", "--pace", "instant")
    try:
        with a_browser(tmp_path / "profile", phone=PORTRAIT) as browser:
            browser.get(server.url)
            see(browser, is_my_turn)
            browser.find_element("xpath", "//button[text()='Esc']").click()
            menu = see(browser, lambda text: "Continue" in text and not text.split("\n")[0].strip())
            tap_on(browser, menu, "Play")  # now that the lines are in the middle
            text = see(browser, is_decided)
            while "The game is over" not in text:
                for place in next_taps(text):
                    tap(browser, *place)
                before = text
                text = see(browser, lambda text: text != before and is_decided(text))  # noqa: B023 - awaited at once
            tap_on(browser, see(browser, lambda text: "Menu" in text), "Menu")
            see(browser, lambda text: "Statistics" in text)
            visitor = browser.get_cookie(COOKIE)["value"]
    finally:
        server.end()
    assert len(list(Saves(folder_of(visitor)).finished.iterdir())) == 1


def question_of(game):
    """Return what a table with real cards shows when it waits for the next report."""
    if count := len(game.unnamed):
        return "Which card did you get?" if count == 1 else f"Which {count} cards did you get?"
    if game.state.turn == game.seat:
        return "▶ Player 1"
    questions = {Phase.OPENING: "Player 2 attacks", Phase.DEFENCE: "Player 2 against"}
    return questions.get(game.state.phase, "Player 2: which card")


def offered(game):
    """Return the cards in the place of the hand when a game waits for the next report."""
    turn = game.state.turn
    if game.unnamed or turn == game.seat:
        return list(game.possible)
    options = card_options(game.why_not, replace(game.seen, seat=turn, hand=game.possible))
    return [choice.card for choice in options.cards if choice.actions]


def asks(browser, question, cards):
    """Wait for a question with cards below it, in their places; return the text and the own seat's row."""
    words, found = set(map(card_text, cards)), 0

    def is_asked(text):
        nonlocal found
        lines = text.split("\n")
        found = next((row for row, line in enumerate(lines) if line.startswith("── ")), len(lines))
        labels = re.findall(r"(?:10|[6-9JQKA])[♠♥♦♣]", "".join(lines[found + 9 :]))
        below = text.rstrip().split("\n")[-3]  # the hand ends here once it is arranged
        is_arranged = not words or set(below) <= set(" ╰─╯┗━┛")
        return question in text and set(labels) == words and is_arranged

    return see(browser, is_asked), found


def tap_card(browser, game, card, asked):
    """Report a card: twice in the player's own hand, by its button, or by its rank's and then its own.

    Returns the number of taps.
    """
    text, own = asked
    lines, words = text.split("\n"), card_text(card)
    places = [(line.index(words), row) for row, line in enumerate(lines) if words in line and row > own + 2]
    rank = re.compile(rf"(?<!\S){words[:-1]}(?= )")
    ranks = [(one.start(), row) for row in range(own + 3, own + 8) for one in rank.finditer(lines[row])]
    if not game.unnamed and game.state.turn == game.seat:
        for _ in range(2):
            tap(browser, *places[0])
        return 2
    if not ranks:
        tap(browser, *places[0])
        return 1
    tap(browser, *ranks[0])
    same = [one for one in offered(game) if one.rank == card.rank]
    text, own = asks(browser, "which suit?", same)
    tap_on(browser, "\n".join([""] * own + text.split("\n")[own:]), words)
    return 2


@pytest.mark.slow
def test_a_game_with_real_cards_is_kept_by_touch(tmp_path):
    state = dealt("podkidnoy:lowest_rank=9", 266)  # is soon over if a card is played whenever one can be
    server = Served("--real", "--rules", state.rules.text, "--seats", "2", "--pace", "instant")
    try:
        with a_browser(tmp_path / "profile", phone=PORTRAIT) as browser:
            browser.get(server.url)
            form = see(browser, lambda text: "Trump card" in text)
            browser.execute_script(LISTEN)
            for row, choice in (
                ("Trump", state.trump_suit.name.lower()),
                ("Trump card", card_text(state.trump_card)[:-1]),
            ):
                tap_on(browser, form, f" {row} ")
                tap_on(browser, see(browser, lambda text: "╭─" in text), choice)
                form = see(browser, lambda text, choice=choice: f"{choice} ▸" in text)
            tap_on(browser, form, "  Play ")
            taps = 5
            game = RealGame.begin(state.rules, 0, state.first_attacker, state.trump_card)
            cards = list(state.hands[0] - state.known[0])
            while cards or not state.is_over:
                asked = asks(browser, question_of(game), offered(game))
                if cards:
                    taps += tap_card(browser, game, cards[0], asked)
                    game = game.name([cards.pop(0)])
                    continue
                legal = state.legal_actions
                action = next(filter(card_of, legal), legal[0])
                if card_of(action):
                    taps += tap_card(browser, game, card_of(action), asked)
                else:
                    tap_on(browser, asked[0], "Take" if isinstance(action, Take) else "Pass")
                    taps += 1
                after = state.apply(action)
                state, cards, game = after, drawn(state, after, 0), game.play(action)
            see(browser, lambda text: "The game is over" in text)
            assert taps_and_focus(browser) == (taps, 0)
            visitor = browser.get_cookie(COOKIE)["value"]
    finally:
        server.end()
    (path,) = Saves(folder_of(visitor)).finished.iterdir()
    assert RealGame.of(read_game(path.read_text("utf-8"))).observation == state.observation(0)
