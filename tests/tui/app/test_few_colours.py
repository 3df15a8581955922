"""The app's colours on terminals with 256 and with 16."""

import pytest
from rich.color import ColorType
from rich.segment import Segment
from rich.style import Style
from textual.color import Color as TextualColor

from durak_tui.ui.few_colours import FewColours
from durak_tui.ui.theme import DURAK_THEME, THEMES, felt
from durak_tui.ui.widgets.cards import BLACK, BLUE, GREEN, PAPER, RED

SYSTEMS = {"256": ColorType.EIGHT_BIT, "standard": ColorType.STANDARD}


def test_of_16_colours_a_chosen_row_differs_from_its_panel():
    assert fitted("standard", DURAK_THEME.foreground, "#444f48")[1] != 0
    assert {
        fitted("standard", "#ffffff", ground)[1] for ground in (felt(DURAK_THEME), DURAK_THEME.panel)
    } == {0}


def test_of_16_colours_black_is_not_bold_and_so_not_grey():
    (segment,) = FewColours("standard").apply(
        [Segment("x", Style(color=BLACK, bgcolor=PAPER, bold=True))], TextualColor(0, 0, 0)
    )
    assert not segment.style.bold


def fitted(system, ink, ground):
    """Return the numbers of the colours shown."""
    styled = Segment("x", Style(color=ink, bgcolor=ground))
    (segment,) = FewColours(system).apply([styled], TextualColor(0, 0, 0))
    assert {segment.style.color.type, segment.style.bgcolor.type} == {SYSTEMS[system]}
    return segment.style.color.number, segment.style.bgcolor.number


def test_of_256_colours_the_felt_is_green_and_the_panels_are_neutral():
    table, log, panel = [
        fitted("256", DURAK_THEME.foreground, ground)[1]
        for ground in (felt(DURAK_THEME), DURAK_THEME.surface, DURAK_THEME.panel)
    ]
    assert table == 22
    light = THEMES[-1]
    assert fitted("256", light.foreground, felt(light))[1] == 151, "pale green"
    assert 232 <= log < panel < 240
    assert fitted("256", DURAK_THEME.variables["text-muted"], DURAK_THEME.surface)[0] >= 232


def test_of_256_colours_four_suits_differ_on_the_paper():
    inks = {fitted("256", ink, PAPER) for ink in (BLACK, RED, BLUE, GREEN)}
    assert len(inks) == 4
    assert {paper for _ink, paper in inks} == {230}


def test_of_16_colours_cards_are_white_with_black_and_red_suits():
    assert fitted("standard", BLACK, PAPER) == fitted("standard", GREEN, PAPER) == (0, 7)
    assert fitted("standard", RED, PAPER) == fitted("standard", BLUE, PAPER) == (1, 7)


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_text_never_has_the_colour_of_its_ground(system, theme):
    grounds = (felt(theme), theme.background, theme.surface, theme.panel, theme.accent, theme.primary)
    for ground in grounds:
        ink = theme.foreground if TextualColor.parse(ground).brightness < 0.5 else "#000000"
        ink = ink if theme.dark else theme.foreground if ground != theme.primary else "#ffffff"
        shown, below = fitted(system, ink, ground)
        assert shown != below, ground


def test_what_has_no_colour_of_its_own_keeps_none():
    (segment,) = FewColours("256").apply([Segment("x", Style(bold=True))], TextualColor(0, 0, 0))
    assert segment.style == Style(bold=True)
    assert FewColours("standard").apply([Segment("x", None)], TextualColor(0, 0, 0))[0].style is None
