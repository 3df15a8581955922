"""Lines over time in characters: where they run, and that they can be told apart without colours."""

import doctest
import math
from dataclasses import replace

import pytest
from textual.app import App

from durak_tui.ui.screens.base import AppScreen
from durak_tui.ui.view.board_data import PlotLine, PlotLook, fool_plot
from durak_tui.ui.widgets import plot
from durak_tui.ui.widgets.plot import Plot, plot_lines
from tui.helpers import until

WAVE = [0.5 + 0.4 * math.sin(index / 9) for index in range(80)]


def plain(*series, width=40, height=7, look=None, ascii_only=False):
    return [row.plain for row in plot_lines(series, width, height, look, ascii_only=ascii_only)]


def test_the_example_of_the_module_is_what_it_says():
    assert doctest.testmod(plot).failed == 0


@pytest.mark.parametrize("ascii_only", [False, True])
@pytest.mark.parametrize(("width", "height"), [(8, 2), (40, 7), (110, 14), (3, 1)])
def test_every_row_has_the_same_width_and_the_plot_its_height(width, height, ascii_only):
    rows = plain(PlotLine(WAVE), width=width, height=height, ascii_only=ascii_only)
    assert len(rows) == max(height, 2)
    assert {len(row) for row in rows} == {max(width, 8)}


def test_ascii_holds_no_other_character():
    rows = plain(PlotLine(WAVE), PlotLine(WAVE[::-1]), look=PlotLook(guide=0.5, cursor=3), ascii_only=True)
    assert all(row.isascii() for row in rows)


def test_a_line_runs_from_its_first_value_to_its_last():
    rows = plain(PlotLine([0.0, 1.0]), ascii_only=True)
    assert rows[-1][6] == "*"
    assert rows[0][-1] == "*"
    columns = [{row[column] for row in rows} for column in range(6, 40)]
    assert all("*" in column for column in columns)


def test_a_gap_stays_empty_and_one_value_is_a_dot():
    rows = plain(PlotLine([0.5, 0.5, None, 0.5, 0.5]), ascii_only=True)
    assert "** " in "".join(rows)
    assert sum(row.count("*") for row in plain(PlotLine([0.5]), ascii_only=True)) == 1
    assert not any("*" in row for row in plain(PlotLine([None, None]), PlotLine([]), ascii_only=True))


def test_values_out_of_range_are_drawn_at_the_edge():
    rows = plain(PlotLine([-3.0, 7.0]), ascii_only=True)
    assert rows[-1][6] == "*"
    assert rows[0][-1] == "*"


@pytest.mark.parametrize("ascii_only", [False, True])
def test_series_differ_without_colours(ascii_only):
    shapes = {
        tuple(plain(*[PlotLine([])] * number, PlotLine([0.5] * 60), ascii_only=ascii_only))
        for number in range(6)
    }
    assert len(shapes) == 6


def test_guide_marks_and_cursor_are_drawn_where_they_belong():
    look = PlotLook(guide=0.0, cursor=9, marks={0: ("?", "red")})
    rows = plot_lines([PlotLine([1.0] * 10)], 40, 5, look, ascii_only=True)
    assert rows[-1].plain[6:] == ("-  " * 12)[:34]
    assert rows[0].plain[6] == "?"
    stressed = [span for row in rows for span in row.spans if "reverse" in str(span.style)]
    assert [(span.start, span.end) for span in stressed] == [(39, 40)] * 5


def test_a_mark_lies_on_the_last_line_that_is_so_long():
    look = PlotLook(marks={0: ("?", ""), 2: ("!", "")})
    rows = plain(PlotLine([0.0] * 3), PlotLine([1.0] * 2), height=5, look=look, ascii_only=True)
    assert rows[0][6] == "?"
    assert rows[-1][-1] == "!"


def test_the_guide_lies_at_its_height_to_a_quarter_of_a_row():
    def dots(share):
        rows = plain(width=20, height=4, look=PlotLook(guide=share))
        assert len({row[6:] for row in rows} - {" " * 14}) == 1
        return next((number, row[6]) for number, row in enumerate(rows) if row[6] != " ")

    found = [dots(1 - step / 15) for step in range(16)]
    assert found == [(row, sign) for row in range(4) for sign in "⠁⠂⠄⡀"]


def test_heights_are_written_as_per_cent_or_as_they_are():
    assert [row[:6] for row in plain(PlotLine([]), height=3)] == ["100% ┤", " 50% ┤", "  0% ┤"]
    rows = plain(PlotLine([]), height=3, look=PlotLook(low=0, high=30, unit=""))
    assert [row[:4] for row in rows] == ["  30", "  15", "   0"]


@pytest.mark.parametrize("ascii_only", [False, True])
def test_a_bold_line_stands_out_without_colours_and_lies_above_the_others(ascii_only):
    lines = [PlotLine([0.5] * 60, is_bold=True), PlotLine([0.5] * 60)]
    both = plain(*lines, ascii_only=ascii_only)
    assert both == plain(lines[0], ascii_only=ascii_only)
    assert both != plain(lines[1], ascii_only=ascii_only)


# Who will be the fool


CHANCES = ([None, 0.5, 0.5, 0.5, 1.0], [None, None, 0.9, 0.7, 1.0], [None, None, None, 0.6, 0.0])


def test_from_three_seats_the_plot_is_of_chances_around_the_fair_share():
    lines, look = fool_plot(CHANCES, [("Anna", ""), ("Boris", ""), ("Clara", "")], str, 1, 3)
    assert [line.figure for line in lines] == ["50%", "70%", "60%"]
    assert [line.is_bold for line in lines] == [False, True, False]
    assert [line.style for line in lines] == ["0 dim", "1", "2 dim"]
    assert look.guide == pytest.approx(2 / 3)
    assert look.low == pytest.approx(0.3), "twice the fair risk, and not down to the result"


def test_a_plot_has_the_values_that_hints_and_lists_have():
    lines, look = fool_plot(CHANCES[1:], [("Anna", ""), ("Boris", "")], str, 0, 3)
    assert [line.figure for line in lines] == ["70%", "60%"]
    assert [line.values for line in lines] == list(CHANCES[1:])
    assert (look.guide, look.low, look.high) == (0.5, 0, 1)
    assert look.titles == ("how safe each player is", "safe")


class Showing(App):
    def get_default_screen(self):
        return AppScreen()

    def __init__(self):
        super().__init__()
        self.clicked = []

    def compose(self):
        yield Plot()

    def on_ply_chosen(self, event):
        self.clicked.append(event.ply)


@pytest.mark.parametrize(("width", "title"), [(60, " ⠶⠶ Al 80% "), (200, "how safe each player is ")])
async def test_the_legend_has_room_for_everybody(width, title):
    app = Showing()
    names = ("Alexandra", "Bartholomew", "Christopher", "Maximilian", "Konstantin", "Valentina")
    lines, look = fool_plot([[0.8]] * 6, [(name, "") for name in names], lambda _seat: "", 2, 0)
    async with app.run_test(size=(width, 5)) as pilot:
        app.query_one(Plot).show(lines, look, ascii_only=False)
        await pilot.pause()
        legend = app.screen._compositor.render_strips()[0].text
    assert legend.startswith(title)
    assert [name[0] for name in names if f" {name[0]}" in legend] == list("ABCMKV")
    assert legend.count("80%") == 6


async def test_names_that_do_not_fit_take_a_second_row_before_they_are_cut():
    app = Showing()
    names = ("Konstantin", "Alexandra", "Maximilian", "Anna")
    lines, look = fool_plot([[1.0]] * 4, [(name, "") for name in names], lambda _seat: "red", 0, 0)
    async with app.run_test(size=(48, 7)) as pilot:
        app.query_one(Plot).show(lines, look, ascii_only=False)
        await pilot.pause()
        first, second, *_plot = [strip.text for strip in app.screen._compositor.render_strips()]
    assert first.split() == ["⠿⠿", "Konstantin", "100%", "⠶⠶", "Alexandra", "100%"]
    assert second.split() == ["⠶⠶", "Maximilian", "100%", "⠶⠶", "Anna", "100%"]


@pytest.mark.parametrize(
    ("width", "legend"),
    [
        (40, "⠶⠶ Anna 50% ⠿⠿ Boris 50% ⠶⠶ Olga 50%"),
        (36, "⠶ Anna 50% ⠿ Boris 50% ⠶ Olga 50%"),
        (30, "⠶ Ann 50% ⠿ Bor 50% ⠶ Olg 50%"),
    ],
)
async def test_a_narrow_legend_keeps_as_much_of_each_name_as_it_can(width, legend):
    app = Showing()
    labels = [(name, "") for name in ("Anna", "Boris", "Olga")]
    lines, look = fool_plot([[0.5]] * 3, labels, lambda _seat: "red", 1, 0)
    async with app.run_test(size=(width, 5)) as pilot:
        app.query_one(Plot).show(lines, replace(look, titles=()), ascii_only=False)
        await pilot.pause()
        assert app.screen._compositor.render_strips()[0].text.strip() == legend


@pytest.mark.parametrize(
    ("height", "shown"), [(11, ["● Baba Nina + Olga 20%", "■ Boris + Tanya 20%"]), (5, [])]
)
async def test_teams_are_named_on_a_phone_if_there_is_room(height, shown):
    app = Showing()
    labels = [("● Baba Nina + Olga", "●"), ("■ Boris + Tanya", "■")]
    lines, look = fool_plot([[0.2]] * 2, labels, lambda _seat: "", 0, 0)
    async with app.run_test(size=(46, height)) as pilot:
        app.query_one(Plot).show(lines, replace(look, titles=()), ascii_only=False)
        await pilot.pause()
        rows = [strip.text for strip in app.screen._compositor.render_strips()]
    assert all(name in row for name, row in zip(shown, rows, strict=False))
    assert "●" in rows[0]


async def test_with_room_each_line_has_its_label_at_its_end():
    app = Showing()
    names = ("Anna", "Boris", "Clara")
    curves = ([0.6, 0.9], [0.6, 0.6], [0.6, 0.5])
    lines, look = fool_plot(curves, [(name, "") for name in names], lambda _seat: "", 0, 1)
    async with app.run_test(size=(80, 9)) as pilot:
        app.query_one(Plot).show(lines, look, ascii_only=False)
        await pilot.pause()
        rows = [strip.text.rstrip() for strip in app.screen._compositor.render_strips()]
        places = [next(y for y, row in enumerate(rows) if name in row) for name in names]
        assert places == sorted(places)
        assert all(row.endswith("%") for row in rows if any(name in row for name in names))
        await pilot.click(Plot, offset=(79, 3))
        await until(lambda: app.clicked == [1])


async def test_figures_stand_at_their_heights_at_the_cursor_and_at_the_end():
    app = Showing()
    curves = ([0.1, 0.8, 0.8, 0.0], [0.9, 0.2, 0.2, 1.0])
    lines, look = fool_plot(curves, [("Anna", ""), ("Boris", "")], lambda _seat: "", 0, 1)
    async with app.run_test(size=(80, 9)) as pilot:
        plot = app.query_one(Plot)
        plot.show(lines, look, ascii_only=True)
        await pilot.pause()
        rows = [strip.text.rstrip() for strip in app.screen._compositor.render_strips()]
        at = {text: next(y for y, row in enumerate(rows) if text in row) for text in ("80%", "20%")}
        assert at == {"80%": 2, "20%": 6}
        assert rows[0].endswith(" Boris 100%")
        assert rows[-1].endswith(" Anna 0%")
        lines, look = fool_plot(curves, [("Anna", ""), ("Boris", "")], lambda _seat: "", 0, 3)
        plot.show(lines, look, ascii_only=True)
        await pilot.pause()
        rows = [strip.text.rstrip() for strip in app.screen._compositor.render_strips()]
        assert "".join(rows).count("%") == 5, "three on the axis, and one for each line"


async def test_a_click_tells_which_value_was_meant():
    app = Showing()
    async with app.run_test(size=(46, 8)) as pilot:
        app.query_one(Plot).show([PlotLine([0.5] * 40, name="won")], PlotLook(), ascii_only=True)
        await pilot.pause()
        for column in (2, 6, 25, 45):
            await pilot.click(Plot, offset=(column, 3))
        await until(lambda: len(app.clicked) == 3)
        assert app.clicked == [0, 19, 39]
