"""Keys, and what the mouse does: one table of keys, and the messages that widgets post."""
