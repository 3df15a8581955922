"""Watching bots play, with replay and win-probability curves."""
