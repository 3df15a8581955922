"""Pictures of results: what they show, and that they are the same for the same figures."""

from __future__ import annotations

import struct
import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pytest
from matplotlib.colors import to_hex
from matplotlib.container import BarContainer, ErrorbarContainer
from matplotlib.figure import Figure

from durak_core.errors import AgentError, DurakError
from durak_core.lab import AgentTally, Grid
from durak_core.lab.plots import (
    PlotSeries,
    PlotSettings,
    bar_plot,
    check_picture,
    line_plot,
    plotted_grids,
    tuning_plot,
)

LIMITS = PlotSeries("score", [10, 20, 1000], [40, 55, 60], [35, 50, 50.5], [45, 60, 69.5])
TIMES = PlotSeries("time", [10, 20, 1000], [1, 2, 9], right_axis=True)


def words(**changes: Any) -> PlotSettings:
    return PlotSettings(**{"title": "a title", "x_label": "limit", "y_label": "score, %", **changes})


@pytest.fixture
def drawn(tmp_path, monkeypatch) -> list[Figure]:
    """Figures that would have been painted: to look into them is faster."""
    figures: list[Figure] = []
    monkeypatch.setattr(Figure, "savefig", lambda figure, *_, **__: figures.append(figure))
    monkeypatch.chdir(tmp_path)
    return figures


def legend_of(figure: Figure) -> list[str]:
    return [text.get_text() for legend in figure.legends for text in legend.get_texts()]


def intervals_of(axes) -> list[list[tuple[float, float]]]:
    """The ends of all error bars, line by line."""
    return [
        [(low, high) for ((_, low), (_, high)) in bars.lines[2][0].get_segments()]
        for bars in axes.containers
        if isinstance(bars, ErrorbarContainer)
    ]


# Files


def test_equal_figures_give_equal_files_whatever_the_settings(tmp_path, monkeypatch) -> None:
    """A committed SVG changes only with its figures; the user's own settings stay as they are."""
    first, second, third = (tmp_path / name for name in ("1.svg", "2.svg", "3.SVG"))
    line_plot(first, [LIMITS, TIMES], words(right_label="ms"))
    monkeypatch.setitem(mpl.rcParams, "axes.facecolor", "black")
    monkeypatch.setitem(mpl.rcParams, "font.size", 30)
    before = mpl.rcParams.copy()  # dict() would choose a backend
    line_plot(second, [LIMITS, TIMES], words(right_label="ms"))
    assert mpl.rcParams.copy() == before
    assert "matplotlib.pyplot" not in sys.modules
    assert second.read_bytes() == first.read_bytes()
    text = first.read_text(encoding="utf-8")
    assert "<!-- a title -->" in text
    assert "<dc:date>" not in text
    line_plot(third, [LIMITS], words(title="another"))
    assert third.read_bytes() != first.read_bytes()


def test_a_png_is_large_enough_for_print(tmp_path) -> None:
    """Twice 800 pixels wide."""
    path = tmp_path / "a.png"
    bar_plot(path, [PlotSeries("ours", ["a"], [1])], words())
    head = path.read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", head[16:24]) == (1600, 960)


def test_what_cannot_be_painted_leaves_the_old_file(tmp_path, monkeypatch) -> None:
    """And no other file beside it."""
    path = tmp_path / "a.svg"
    path.write_text("old", encoding="utf-8")

    def broken(figure: Figure, target, **options) -> None:
        target.write(b"half a picture")
        raise MemoryError

    monkeypatch.setattr(Figure, "savefig", broken)
    with pytest.raises(MemoryError):
        line_plot(path, [LIMITS], words())
    assert path.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["a.pdf", "a", "png", "a.svg.gz"])
def test_other_formats_are_refused(tmp_path, name: str) -> None:
    """Both that would do are named."""
    path = tmp_path / name
    message = r"expected a name that ends in \.png or \.svg"
    with pytest.raises(DurakError, match=message):
        line_plot(path, [LIMITS], words())
    with pytest.raises(DurakError, match=message):
        bar_plot(path, [PlotSeries("ours", ["a"], [1])], words())
    with pytest.raises(DurakError, match=message):
        check_picture(path)
    assert not path.exists()


def test_without_matplotlib_the_error_says_what_to_install(tmp_path, monkeypatch) -> None:
    """No picture needs no matplotlib."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    check_picture(None)
    for draw in (check_picture, lambda path: line_plot(path, [LIMITS], words())):
        with pytest.raises(DurakError, match=r"python3 -m pip install '\.\[plot\]'"):
            draw(tmp_path / "a.png")


# Lines


def test_points_intervals_and_reference_are_in_sight(drawn) -> None:
    """Two lines side by side, neither of whose intervals is cut off."""
    other = PlotSeries("other", [10, 20], [70, 80], [60, 70], [80, 99])
    line_plot("a.svg", [LIMITS, other], words(reference=5, reference_label="par", bounds=(0, 100)))
    (figure,) = drawn
    (axes,) = figure.axes
    assert intervals_of(axes) == [
        [pytest.approx(ends) for ends in zip(line.low, line.high, strict=True)] for line in (LIMITS, other)
    ]
    low, high = axes.get_ylim()
    assert low < 5
    assert 99 < high <= 102
    left, right = axes.get_xlim()
    assert left < 10
    assert right > 1000
    assert legend_of(figure) == ["score", "other", "par"]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("limit", "score, %")
    pixels = [bars.lines[2][0].get_transform().transform((10, 40))[0] for bars in axes.containers]
    assert pixels[0] < pixels[1]


def test_ticks_of_a_logarithmic_axis_are_the_numbers_themselves(drawn) -> None:
    """As far as there is room for them."""
    x = [1, 10, 10.5, 1000]
    line_plot("a.svg", [PlotSeries("a", x, x)], words(log_x=True))
    axes = drawn[0].axes[0]
    assert axes.get_xscale() == "log"
    assert [label.get_text() for label in axes.get_xticklabels()] == ["1", "10", "1,000"]
    assert legend_of(drawn[0]) == []


def test_times_have_an_axis_of_their_own(drawn) -> None:
    """It begins at 0; lines of the same name share the colour and the legend's entry."""
    again = PlotSeries("score", TIMES.x, TIMES.y, right_axis=True)
    line_plot("a.svg", [TIMES, LIMITS], words(right_label="ms a move"))
    line_plot("a.svg", [LIMITS, again], words(right_label="ms a move"))
    for figure, names in zip(drawn, (["score", "time"], ["score", "ms a move"]), strict=True):
        left, right = figure.axes
        assert right.get_ylabel() == "ms a move"
        assert right.get_ylim()[0] == 0
        assert list(right.lines[0].get_ydata()) == [1, 2, 9]
        assert legend_of(figure) == names
        colours = {to_hex(left.containers[0].lines[0].get_color()), to_hex(right.lines[0].get_color())}
        assert len(colours) == (1 if figure is drawn[1] else 2)


def test_categories_stand_in_the_order_of_their_names(drawn) -> None:
    """They are joined by no line: nothing lies between them."""
    first = PlotSeries("one", ["greedy", "random"], [50, 40], [45, 35], [55, 45])
    second = PlotSeries("two", ["expert", "random"], [70, 30])
    line_plot("a.svg", [first, second], words())
    axes = drawn[0].axes[0]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["greedy", "random", "expert"]
    assert list(axes.containers[0].lines[0].get_xdata()) == [0, 1]
    assert list(axes.lines[-1].get_xdata()) == [2, 1]
    assert axes.lines[-1].get_linestyle() == "None"
    random = [line.get_transform().transform((1, 0))[0] for line in (axes.containers[0][0], axes.lines[-1])]
    assert random[0] < random[1]


def test_times_of_categories_stand_beside_their_results(drawn) -> None:
    """Error bars would hide them."""
    names = ["greedy", "random"]
    line = PlotSeries("a", names, [50, 40], [45, 35], [55, 45])
    line_plot("a.svg", [line, PlotSeries("a", names, [1, 2], right_axis=True)], words(right_label="ms"))
    left, right = drawn[0].axes
    drawn[0].draw_without_rendering()
    pixels = [
        line.get_transform().transform((0, 1))[0] for line in (left.containers[0].lines[0], right.lines[0])
    ]
    assert pixels[1] - pixels[0] == pytest.approx(18 / 72 * drawn[0].dpi)
    assert right.get_ylim()[1] >= 2
    assert legend_of(drawn[0]) == ["a", "ms"]


def test_intervals_of_many_points_are_a_band(drawn) -> None:
    """Fifty error bars would hide each other."""
    x = range(50)
    line_plot("a.svg", [PlotSeries("a", x, [50] * 50, [40] * 50, [60] * 50)], words())
    axes = drawn[0].axes[0]
    assert axes.containers == []
    ends = axes.collections[0].get_paths()[0].get_extents()
    assert (ends.x0, ends.x1, ends.y0, ends.y1) == (0, 49, 40, 60)


def test_letters_of_formulas_are_letters(tmp_path) -> None:
    """A dollar begins no formula, and an underscore hides nothing."""
    path = tmp_path / "a.svg"
    lines = [PlotSeries("_$a_1$", [1], [1]), PlotSeries("$", [1], [2])]
    line_plot(path, lines, words(title="$x^2$ and _\nsecond line", right_label="unused"))
    text = path.read_text(encoding="utf-8")
    assert "<!-- _$a_1$ -->" in text
    assert "<!-- $x^2$ and _ -->" in text


# Bars


def test_published_bars_stand_beside_ours(drawn) -> None:
    """Each at its place from 0 to its value; what was not published leaves a gap."""
    published = PlotSeries("published", ["a", "b"], [0.6, 0.2])
    ours = PlotSeries("ours", ["a", "c", "b"], [0.5, 0.7, 0.1], [0.4, 0.6, 0.1], [0.6, 0.8, 0.1])
    plot = words(reference=0.5, reference_label="equal players", bounds=(0, 1))
    bar_plot("a.svg", [published, ours], plot)
    axes = drawn[0].axes[0]
    first, second = (container for container in axes.containers if isinstance(container, BarContainer))
    assert [bar.get_height() for bar in first] == [0.6, 0.2]
    assert [bar.get_height() for bar in second] == [0.5, 0.7, 0.1]
    assert [round(bar.get_x() + bar.get_width() / 2, 6) for bar in (*first, *second)] == [
        *(-0.2, 0.8),
        *(0.2, 2.2, 1.2),
    ]
    assert intervals_of(axes) == [[pytest.approx(ends)] for ends in ((0.4, 0.6), (0.6, 0.8), (0.1, 0.1))]
    assert axes.get_ylim()[0] == 0
    assert [label.get_text() for label in axes.get_xticklabels()] == ["a", "b", "c"]
    assert legend_of(drawn[0]) == ["published", "ours", "equal players"]


def test_long_labels_are_broken_or_written_slanting(drawn) -> None:
    """They would run into each other."""
    long = "expert:style=" + "x" * 46 + ",solver=on"
    for labels in (["a", "b"], [long, "short"], ["y" * 60, long]):
        bar_plot("a.svg", [PlotSeries("ours", labels, [1, 2])], words())
    ticks = [figure.axes[0].get_xticklabels() for figure in drawn]
    assert [label.get_rotation() for labels in ticks for label in labels] == [0, 0, 0, 0, 30, 30]
    assert ticks[1][0].get_text() == "expert:\nstyle=" + "x" * 46 + ",\nsolver=on"
    assert ticks[2][1].get_text() == long


# What cannot be drawn


def test_a_logarithmic_axis_has_no_zero(drawn) -> None:
    """Nothing is drawn then."""
    with pytest.raises(DurakError, match="numbers above 0"):
        line_plot("a.svg", [PlotSeries("b", [0, 1], [1, 2])], words(log_x=True))
    assert drawn == []


# Settings


def tally(wins: int, games: int = 100, milliseconds: float = 2, seats: int = 2) -> AgentTally:
    return AgentTally("a", seats, games=games, losses=games - wins, decisions=1000, seconds=milliseconds)


def test_one_grid_is_a_line_and_its_times(drawn) -> None:
    """Values in the order of their numbers, whatever the grid's; a log axis where that spreads them."""
    grid = Grid("limit", ("100", "1", "10"))
    results = {("1",): tally(40, milliseconds=1), ("10",): tally(60), ("100",): tally(70, milliseconds=8)}
    tuning_plot(Path("a.svg"), [grid], results, title="t")
    left, right = drawn[0].axes
    assert list(left.containers[0].lines[0].get_xdata()) == [1, 10, 100]
    assert list(left.containers[0].lines[0].get_ydata()) == [40, 60, 70]
    assert intervals_of(left)[0] == [
        pytest.approx([100 * end for end in results[x,].score_interval]) for x in ("1", "10", "100")
    ]
    assert list(right.lines[0].get_ydata()) == [1, 2, 8]
    assert left.get_xscale() == "log"
    assert (left.get_xlabel(), left.get_ylabel()) == ("limit", "score, % (95 % interval)")
    assert right.get_ylabel() == "ms a move"
    assert legend_of(drawn[0]) == ["score", "time per move", "equal players"]


def test_two_grids_are_a_line_for_each_value_of_one(drawn) -> None:
    """The x axis is the first with more than two numbers; what was not played is left out."""
    few, names, many = Grid("c", ("0.5", "1")), Grid("end", ("on", "off", "auto")), Grid("n", ("1", "2", "3"))
    for grids in ([few, many], [names, many]):
        results = {(x, y): tally(50) for x in grids[0].values for y in many.values}
        del results[grids[0].values[1], "3"]
        tuning_plot("a.svg", grids, results, title="t")
    left, right = drawn[0].axes
    assert [list(bars.lines[0].get_xdata()) for bars in left.containers] == [[1, 2, 3], [1, 2]]
    assert len(right.lines) == 2
    assert legend_of(drawn[0]) == ["c = 0.5", "c = 1", "ms a move", "equal players"]
    assert legend_of(drawn[1])[:3] == ["end = on", "end = off", "end = auto"]


def test_without_numbers_the_first_grid_names_categories(drawn) -> None:
    """Shares of lost games with more seats; times of a second or more in seconds."""
    grids = [Grid("leaf", ("a", "b", "c")), Grid("solver", ("off", "on"))]
    slow = {(x, y): tally(80, 120, 1500, seats=3) for x in grids[0].values for y in grids[1].values}
    tuning_plot("a.svg", grids, slow, title="t")
    left, right = drawn[0].axes
    assert [label.get_text() for label in left.get_xticklabels()] == ["a", "b", "c"]
    assert list(left.containers[0].lines[0].get_ydata()) == pytest.approx([100 / 3] * 3)
    assert left.get_ylabel() == "loss rate, % (95 % interval)"
    assert right.get_ylabel() == "s a move"
    assert list(right.lines[0].get_ydata()) == [1.5] * 3


def test_times_that_nobody_measured_are_not_drawn(drawn) -> None:
    """An axis of zeros would say that moves took none."""
    tuning_plot("a.svg", [Grid("c", ("1", "2"))], {("1",): tally(3, milliseconds=0)}, title="t")
    assert len(drawn[0].axes) == 1


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ([], "a picture of 0 grids"),
        ([2, 2, 2], "a picture of 3 grids"),
        ([20, 13], "a line for each of 13 values of n1: expected at most 12"),
    ],
)
def test_grids_that_no_picture_can_show(sizes: list[int], message: str) -> None:
    """Nobody could tell so many lines apart."""
    grids = [Grid(f"n{place}", tuple(map(str, range(size)))) for place, size in enumerate(sizes)]
    with pytest.raises(AgentError, match=message):
        plotted_grids(grids)
