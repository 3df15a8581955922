"""The app's own colours: a green cloth, paper cards, brass; and two themes of high contrast."""

from __future__ import annotations

from typing import Final

from textual.theme import Theme

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
    variables={"footer-key-foreground": "#f2c94c", "block-cursor-text-style": "bold"},
)

_HIGH_CONTRAST: Final = Theme(
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
    variables={
        "text-muted": "#e6e6e6",
        "text-disabled": "#c4c4c4",
        "text-accent": "#ffff66",
        "text-primary": "#ffd400",
        "text-secondary": "#8affff",
        "text-warning": "#ffb84d",
        "text-error": "#ffd0c8",
        "text-success": "#8cff9a",
        "footer-key-foreground": "#ffff66",
        "block-cursor-background": "#ffffff",
        "block-cursor-foreground": "#000000",
        "block-cursor-text-style": "bold",
    },
)

_HIGH_CONTRAST_LIGHT: Final = Theme(
    name="durak-contrast-light",
    primary="#00308f",
    secondary="#004040",
    accent="#00308f",
    warning="#6b3200",
    error="#5c000c",
    success="#2f6f3f",
    foreground="#000000",
    background="#ffffff",
    surface="#ffffff",
    panel="#ececec",
    dark=False,
    variables={
        "text-muted": "#262626",
        "text-disabled": "#424242",
        "text-accent": "#00308f",
        "text-primary": "#00308f",
        "text-secondary": "#004040",
        "text-warning": "#6b3200",
        "text-error": "#5c000c",
        "text-success": "#004d1a",
        "footer-key-foreground": "#00308f",
        "block-cursor-background": "#000000",
        "block-cursor-foreground": "#ffffff",
        "block-cursor-text-style": "bold",
    },
)

THEMES: Final = (DURAK_THEME, _HIGH_CONTRAST, _HIGH_CONTRAST_LIGHT)
"""The app's own themes; Textual's stand beside them."""

_SEAT_INKS: Final = {
    True: ("bright_cyan", "bright_yellow", "bright_magenta", "bright_green", "orange1", "bright_blue"),
    False: ("blue", "dark_orange3", "purple", "green4", "deep_pink4", "turquoise4"),
}


def team_ink(team: int, *, dark: bool) -> str:
    """Return the colour of a team; each other seat's colour is none that says whose turn it is."""
    return seat_ink(2 * team, dark=dark)


def seat_ink(seat: int, *, dark: bool) -> str:
    """Return the colour of a seat's curve on dark or light ground."""
    return _SEAT_INKS[dark][seat]
