"""Textual bindings made from the keymap."""

from __future__ import annotations

from textual.binding import Binding, BindingType

from durak_tui.keys.actions import BESIDE, KEYS
from durak_tui.keys.keymap import Keymap


def bindings(place: str) -> list[BindingType]:
    keymap = Keymap()
    # Quitting must also work over a dialog, where the app's other keys do not.
    return [
        Binding(keys, action, key.help, show=False, id=bound, priority=key.id == "app.quit")
        for part in (place, *BESIDE.get(place, ()))
        for key in KEYS[part]
        for bound, keys, action in keymap.bound(key)
    ]
