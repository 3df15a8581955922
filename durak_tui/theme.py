"""The app's own colours: a green cloth, paper cards, brass."""

from __future__ import annotations

from typing import Final

from textual.theme import Theme

__all__ = ["DURAK_THEME"]

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
