"""From the keymap to Textual's bindings."""

from __future__ import annotations

from textual.binding import Binding, BindingType

from durak_tui.keys.keymap import ACTIONS, Keymap


def bindings(*places: str) -> list[BindingType]:
    """Make Textual's bindings of the default keys of some places of the keymap."""
    keymap = Keymap()
    made: list[BindingType] = []
    for action in ACTIONS.values():
        if action.place not in places:
            continue
        target = f"app.{action.action}" if action.place == "app" else action.action
        keys = keymap.all_keys(action.id)
        if action.counted:
            made += [
                Binding(key, f"{target}({number})", action.help, show=False, id=f"{action.id}.{number}")
                for number, key in enumerate(keys, 1)
            ]
        else:
            # Leaving must work over a dialog as well, where the app's other keys do not.
            first = action.id == "app.quit"
            made.append(
                Binding(",".join(keys), target, action.help, show=False, id=action.id, priority=first)
            )
    return made


def changed_bindings(keymap: Keymap) -> dict[str, str]:
    """Return a user's changes in the form that `App.set_keymap` takes."""
    changes: dict[str, str] = {}
    for action_id in keymap.changes:
        keys = keymap.all_keys(action_id)
        if ACTIONS[action_id].counted:
            changes.update({f"{action_id}.{number}": key for number, key in enumerate(keys, 1)})
        else:
            changes[action_id] = ",".join(keys)
    return changes
