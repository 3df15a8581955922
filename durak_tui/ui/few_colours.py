"""Palettes made by hand for terminals with 256 and 16 colours.

Rich takes the nearest of them for each colour. In the coarse cube of 256 colours, dark greens then become
teal and bright green; of 16 colours, all dark ones become grey.
"""

from __future__ import annotations

import math
from functools import cache, lru_cache
from typing import Final

from rich.color import Color, ColorType
from rich.color_triplet import ColorTriplet
from rich.segment import Segment
from rich.style import Style
from textual.color import Color as TextualColor
from textual.filter import LineFilter

from durak_tui.ui.theme import DURAK_THEME, THEMES, felt
from durak_tui.ui.widgets.cards import BLACK, BLUE, GREEN, INKS_DIM, PAPER

_LEVELS: Final = (0, 95, 135, 175, 215, 255)
_GREYS: Final = 232
_FAINT: Final = 0.07
"""Chroma below which a colour is taken for a grey."""
_BY_HAND: Final[dict[str, int]] = {
    felt(THEMES[-1]): 151,
    felt(DURAK_THEME): 22,
    str(DURAK_THEME.background): 233,
    str(DURAK_THEME.surface): 234,
    str(DURAK_THEME.panel): 236,
    PAPER: 230,
}
"""Of 256 colours: a light and the only dark green for the felt, and neutral panels on it."""

_TWO_COLOURS: Final[dict[str, int]] = {
    BLUE: 1,
    INKS_DIM[BLUE]: 1,
    GREEN: 0,
    INKS_DIM[GREEN]: 8,
    INKS_DIM[BLACK]: 8,
}
"""Of 16 colours: suits of cards, black ones grey if they cannot be played; green is unreadable on white."""
_HUES: Final = {1: 29, 3: 100, 2: 142, 6: 195, 4: 262, 5: 328}
"""Hues in degrees of the colours among the first eight."""
_ON_WHITE: Final = {3: 5, 2: 0, 6: 4}
"""What can be read on white in place of yellow, green and cyan."""
_BLACK: Final = 0
_BLUE: Final = 4
_WHITE: Final = 7
_DARK_GREY: Final = 8
_BRIGHT: Final = 8
"""From a colour to its bright one."""


class FewColours(LineFilter):
    """Replaces all colours by the few that a terminal has.

    Args:
        system: Rich's name, ``256`` or ``standard`` for 16.
    """

    def __init__(self, system: str) -> None:
        super().__init__()
        self._fitted = _of_256 if system == "256" else _of_16

    def apply(self, segments: list[Segment], background: TextualColor) -> list[Segment]:
        del background
        return [Segment(text, style and self._fitted(style), control) for text, style, control in segments]


@lru_cache(4096)
def _of_256(style: Style) -> Style:
    return style + Style.from_color(*[color and _eight_bit(color) for color in (style.color, style.bgcolor)])


@cache
def _eight_bit(color: Color) -> Color:
    rgb = color.triplet
    if rgb is None:
        return color
    number = _BY_HAND.get(rgb.hex)
    if number is None:
        place = _oklab(rgb)
        near = (
            range(_GREYS, 256)
            if 0.2 < place[0] < 0.95 and _light_chroma_hue(rgb)[1] < _FAINT
            else range(16, 256)
        )
        number = min(near, key=lambda other: math.dist(place, _place_of(other)))
    return Color.from_ansi(number)


@cache
def _place_of(number: int) -> tuple[float, float, float]:
    """Return where one of the 240 fixed colours lies in Oklab."""
    if number >= _GREYS:
        return _oklab(ColorTriplet(*[8 + 10 * (number - _GREYS)] * 3))
    red, rest = divmod(number - 16, 36)
    return _oklab(ColorTriplet(*[_LEVELS[level] for level in (red, rest // 6, rest % 6)]))


@lru_cache(4096)
def _of_16(style: Style) -> Style:
    ink, ground = style.color, style.bgcolor
    low = None if ground is None or ground.triplet is None else _ground_of_16(ground.triplet)
    high = None if ink is None or ink.triplet is None else _ink_of_16(ink.triplet, low or _BLACK)
    bold = False if high == _BLACK else None  # terminals show bold black as grey
    return style + Style(color=_standard(high), bgcolor=_standard(low), bold=bold)


def _standard(number: int | None) -> Color | None:
    return None if number is None else Color(f"color({number})", ColorType.STANDARD, number)


def _ground_of_16(rgb: ColorTriplet) -> int:
    """Return white for light grounds, black for the table and panels, and blue for chosen rows on them."""
    light, chroma, hue = _light_chroma_hue(rgb)
    if rgb.hex in _BY_HAND and light < 0.5:
        return _BLACK
    if chroma < _FAINT or light < 0.35:
        return _WHITE if light > 0.6 else _BLUE if light > 0.34 else _BLACK
    return hue


def _ink_of_16(rgb: ColorTriplet, ground: int) -> int:
    light, chroma, hue = _light_chroma_hue(rgb)
    if ground == _WHITE:
        if rgb.hex in _TWO_COLOURS:
            return _TWO_COLOURS[rgb.hex]
        return (_DARK_GREY if light > 0.6 else _BLACK) if chroma < _FAINT else _ON_WHITE.get(hue, hue)
    if ground != _BLACK:
        return _BLACK if ground in _ON_WHITE else _WHITE + _BRIGHT
    if chroma < _FAINT:
        return _WHITE + _BRIGHT if light > 0.9 else _WHITE if light > 0.5 else _DARK_GREY
    return hue + _BRIGHT


@cache
def _light_chroma_hue(rgb: ColorTriplet) -> tuple[float, float, int]:
    light, green_red, blue_yellow = _oklab(rgb)
    degrees = math.degrees(math.atan2(blue_yellow, green_red)) % 360
    hue = min(_HUES, key=lambda number: abs((degrees - _HUES[number] + 180) % 360 - 180))
    return light, math.hypot(green_red, blue_yellow), hue


def _oklab(rgb: ColorTriplet) -> tuple[float, float, float]:
    """Return lightness and two opponent colours, in which distances are seen as equal.

    Source: B. Ottosson, "A perceptual color space for image processing", 2020.
    """
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in rgb.normalized
    )
    long = math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
    middle = math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
    short = math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
    return (
        0.2104542553 * long + 0.7936177850 * middle - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * middle + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * middle - 0.8086757660 * short,
    )
