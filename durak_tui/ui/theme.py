"""Colour themes: the default green one, and a dark and a light one with high contrast."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from textual.color import Color
from textual.theme import Theme

from durak_tui.text.i18n import pgettext

DURAK_THEME: Final = Theme(
    name="durak",
    primary="#c9a227",
    secondary="#7fb08a",
    accent="#f2c94c",
    warning="#f2994a",
    error="#eb6a5a",
    success="#6fcf97",
    foreground="#e8efe6",
    background="#12291d",
    surface="#173524",
    panel="#1f4430",
    dark=True,
    variables={
        "footer-key-foreground": "#f2c94c",
        "block-cursor-text-style": "bold",
        "text-muted": "#bccabd",
    },
)


def _high_contrast(theme: Theme, *, muted: str, disabled: str, success: str) -> Theme:
    """Set the text colours explicitly, because Textual blends them with the background otherwise."""
    names = ("primary", "secondary", "accent", "warning", "error")
    theme.variables |= {
        **{f"text-{name}": getattr(theme, name) for name in names},
        "text-muted": muted,
        "text-disabled": disabled,
        "text-success": success,
        "footer-key-foreground": str(theme.accent),
        "block-cursor-background": str(theme.foreground),
        "block-cursor-foreground": str(theme.background),
        "block-cursor-text-style": "bold",
    }
    return theme


_DARK: Final = Theme(
    name="durak-contrast",
    primary="#ffd400",
    secondary="#8affff",
    accent="#ffff66",
    warning="#ffb84d",
    error="#ffd0c8",
    success="#003300",
    foreground="#ffffff",
    background="#000000",
    surface="#000000",
    panel="#1a1a1a",
    dark=True,
    variables={"diamonds": "#bcd8ff"},
)
_LIGHT: Final = Theme(
    name="durak-contrast-light",
    primary="#00308f",
    secondary="#004040",
    accent="#00308f",
    warning="#5f2c00",
    error="#5c000c",
    success="#2f6f3f",
    foreground="#000000",
    background="#ffffff",
    surface="#ffffff",
    panel="#ececec",
    dark=False,
    variables={"diamonds": "#002878"},
)

THEMES: Final = (
    DURAK_THEME,
    _high_contrast(_DARK, muted="#e6e6e6", disabled="#c4c4c4", success="#8cff9a"),
    _high_contrast(_LIGHT, muted="#262626", disabled="#424242", success="#003811"),
)

_LEFT_OUT: Final = frozenset({"catppuccin-latte", "textual-ansi", "ansi-dark", "ansi-light"})
"""Themes of Textual in which the table cannot be read well. They stay valid in the settings."""


def theme_words(themes: Iterable[Theme]) -> dict[str, str]:
    """Return the themes to choose from in words, the app's own first, then dark and light ones."""
    own = {
        "durak": pgettext("theme", "green cloth"),
        "durak-contrast": pgettext("theme", "high contrast, dark"),
        "durak-contrast-light": pgettext("theme", "high contrast, light"),
    }
    words = dict(own)
    for theme in sorted(themes, key=lambda theme: (not theme.dark, theme.name)):
        if theme.name not in own and theme.name not in _LEFT_OUT:
            name = theme.name.replace("-", " ").title()
            dark, light = (
                pgettext("theme", "{name}, dark", name=name),
                pgettext("theme", "{name}, light", name=name),
            )
            words[theme.name] = dark if theme.dark else light
    return words


_SEAT_INKS: Final = {
    True: ("#5fd7ff", "#ffd75f", "#ff94dc", "#8ae68a", "#ffaf5f", "#a3bffa"),
    False: ("#0b3fa8", "#8a3c00", "#7a00b0", "#005c1a", "#9c004f", "#005a60"),
}
"""Colours that can be read as letters, too."""


_DIAMONDS: Final = {True: "#8ab8ff", False: "#00308f"}


def felt(theme: Theme) -> str:
    """Return the colour of the table, as `board.py` asks for it."""
    return Color.parse(theme.background).blend(Color.parse(theme.success), 0.22).hex.lower()


def diamonds_ink(theme: Theme) -> str:
    """Return the colour of diamonds in a text, if each suit has a colour."""
    return theme.variables.get("diamonds", _DIAMONDS[theme.dark])


def team_ink(team: int, *, dark: bool) -> str:
    return seat_ink(2 * team, dark=dark)


def seat_ink(seat: int, *, dark: bool) -> str:
    """Return the colour of a seat's plot line on a dark or light background."""
    return _SEAT_INKS[dark][seat]
