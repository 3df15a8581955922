"""The keyboard: all actions with their default keys, the user's keymap, and Textual bindings."""
