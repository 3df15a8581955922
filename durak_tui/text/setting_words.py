"""Display names of setting values and themes."""

from __future__ import annotations

from collections.abc import Iterable

from durak_tui.text.i18n import gettext, pgettext


def setting_words(name: str) -> dict[str, str]:
    return {
        "colours": {"two": gettext("black and red"), "four": gettext("one for each suit")},
        "size": {
            "auto": gettext("as large as fits"),
            "giant": pgettext("size", "giant"),
            "huge": pgettext("size", "huge"),
            "large": pgettext("size", "large"),
            "normal": pgettext("size", "medium"),
            "small": pgettext("size", "small"),
            "tiny": pgettext("size", "tiny"),
        },
        "sort": {"suit": gettext("by suit"), "rank": gettext("by rank"), "drawn": gettext("as they came")},
        "alert": {
            "off": pgettext("alert", "only the title"),
            "bell": pgettext("alert", "rings the bell"),
            "notification": pgettext("alert", "notifies you"),
        },
        "pace": {
            "0.5x": pgettext("pace", "slow"),
            "1x": pgettext("pace", "normal"),
            "2x": pgettext("pace", "fast"),
            "4x": pgettext("pace", "very fast"),
            "instant": pgettext("pace", "no pauses"),
        },
    }[name]


def theme_words(names: Iterable[str]) -> dict[str, str]:
    own = {
        "durak": pgettext("theme", "green cloth"),
        "durak-contrast": pgettext("theme", "high contrast, dark"),
        "durak-contrast-light": pgettext("theme", "high contrast, light"),
    }
    return {name: own.get(name, name.replace("-", " ").title()) for name in names}
