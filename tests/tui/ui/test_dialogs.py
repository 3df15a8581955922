"""Lists of choices: names of any length take one line, and the chosen row is in sight at every size."""

from itertools import pairwise

import pytest
from rich.cells import cell_len
from textual.widgets import OptionList

from durak_tui.app import DurakApp
from durak_tui.play.setup import Launch
from durak_tui.ui.screens.dialogs import Ask, Pick, PickName
from durak_tui.ui.widgets import canvas
from durak_tui.ui.widgets.canvas import cut
from tui.helpers import CALM, on_screen, screen_text, send, shows, until

LONG = "Sasha " + "W" * 1_000
MANY = [(str(number), f"{number}: " + "many words " * 5) for number in range(30)]


async def open_dialog(app, dialog):
    await until(lambda: app.screen.is_mounted)
    app.push_screen(dialog)
    await until(on_screen(app, type(dialog)))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("size", [(40, 20), (40, 30), (60, 20), (100, 30)])
@pytest.mark.parametrize(("ascii_only", "ellipsis"), [(False, "…"), (True, "~")])
async def test_a_name_of_any_length_takes_one_line(size, ascii_only, ellipsis):
    names = ["Anna", LONG, "[b]Boris[/]", "Я" * 1_000, "Vera"]
    app = DurakApp(Launch(changes={**CALM, "ascii": ascii_only}))
    async with app.run_test(size=size):
        await open_dialog(app, PickName("Which?", [(name, name) for name in names], "Vera"))
        await until(shows(app, "Vera"), lambda: screen_text(app))
        lines = screen_text(app).splitlines()
        rows = [[row for row, line in enumerate(lines) if name[:6] in line] for name in names]
        assert [len(found) for found in rows] == [1] * len(names)
        gaps = [below - above for ((above,), (below,)) in pairwise(rows)]
        assert len(set(gaps)) == 1
        assert f"WWW{ellipsis}" in lines[rows[1][0]]
        assert f"ЯЯЯ{ellipsis}" in lines[rows[3][0]]


async def test_a_name_that_is_cut_is_answered_whole():
    app = DurakApp(Launch(changes=CALM))
    answers = []
    async with app.run_test(size=(100, 30)) as pilot:
        await until(lambda: app.screen.is_mounted)
        app.screen.ask(PickName("Which?", [("1", "Anna"), (LONG, LONG)], LONG), answers.append)
        await until(shows(app, "Sasha"))
        await pilot.press("enter")
        await until(lambda: answers == [LONG])


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("\u0443", "leave"),  # as on the button
        ("e", "go"),  # looks the same as on the button; in a Russian layout it is the first button's key
        ("d", "later"),  # the key of the second button's letter in a Russian layout
    ],
)
async def test_a_button_is_answered_once_by_its_letter_its_look_alike_or_its_key(typed, answer):
    app = DurakApp(Launch(changes=CALM))
    answers = []
    async with app.run_test(size=(80, 24)) as pilot:
        await until(lambda: app.screen.is_mounted)
        menu = app.screen
        app.screen.ask(
            Ask("?", "", (("leave", "Уйти"), ("later", "Вернусь"), ("go", "Ехать"))),
            answers.append,
        )
        await until(on_screen(app, Ask))
        send(app, typed)
        await until(lambda: app.screen is menu and answers)
        await pilot.pause()
        assert answers == [answer]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", [Pick, PickName])
async def test_the_chosen_row_stays_in_sight_when_the_window_changes_its_size(kind):
    app = DurakApp(Launch(changes=CALM))
    async with app.run_test(size=(100, 30)) as pilot:
        await open_dialog(app, kind("Which?", MANY, "29"))
        await until(shows(app, "29: many"))
        for size in ((40, 20), (100, 30), (45, 40)):
            await pilot.resize_terminal(*size)
            await until(shows(app, "29: many"), lambda: screen_text(app))
        choices = app.screen.query_one(OptionList)
        choices.highlighted = 15
        await until(shows(app, "15: many"))
        await pilot.resize_terminal(100, 30)
        await until(shows(app, "15: many"), lambda: screen_text(app))


@pytest.mark.parametrize("letter", ["W", "Я", "囲"])
def test_a_text_of_any_length_is_cut_in_a_few_steps(monkeypatch, letter):
    text = letter * 3_000
    measured = []
    monkeypatch.setattr(canvas, "cell_len", lambda text: measured.append(text) or cell_len(text))
    for width in range(12):
        shown = cut(text, width)
        assert shown == (letter * ((width - 1) // cell_len(letter)) + "…" if width else "")
    assert len(measured) < 12 * 20
