"""From the keymap to Textual's bindings."""

from __future__ import annotations

from textual.binding import Binding, BindingType

from durak_tui.keys.actions import KEYS
from durak_tui.keys.keymap import Keymap


def bindings(*places: str) -> list[BindingType]:
    """Make Textual's bindings of the default keys of some places."""
    keymap = Keymap()
    # Leaving must work over a dialog as well, where the app's other keys do not.
    return [
        Binding(keys, action, key.help, show=False, id=bound, priority=key.id == "app.quit")
        for place in places
        for key in KEYS[place]
        for bound, keys, action in keymap.bound(key)
    ]
