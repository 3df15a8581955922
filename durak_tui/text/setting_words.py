"""Display names of setting values and themes."""

from __future__ import annotations

from collections.abc import Iterable

from durak_tui.text.i18n import say, say_as


def setting_words(name: str) -> dict[str, str]:
    return {
        "colours": {"two": say("black and red"), "four": say("one for each suit")},
        "size": {
            "auto": say("as large as fits"),
            "huge": say_as("size", "huge"),
            "large": say_as("size", "large"),
            "normal": say_as("size", "medium"),
            "small": say_as("size", "small"),
            "tiny": say_as("size", "tiny"),
        },
        "sort": {"suit": say("by suit"), "rank": say("by rank"), "drawn": say("as they came")},
        "pace": {
            "0.5x": say_as("pace", "slow"),
            "1x": say_as("pace", "normal"),
            "2x": say_as("pace", "fast"),
            "4x": say_as("pace", "very fast"),
            "instant": say_as("pace", "no pauses"),
        },
    }[name]


def theme_words(names: Iterable[str]) -> dict[str, str]:
    own = {
        "durak": say_as("theme", "green cloth"),
        "durak-contrast": say_as("theme", "high contrast, dark"),
        "durak-contrast-light": say_as("theme", "high contrast, light"),
    }
    return {name: own.get(name, name.replace("-", " ").title()) for name in names}
