"""Watching bots play."""
