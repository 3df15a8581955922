"""Lessons for those who have never seen the game, as people write them (docs/lessons.md)."""
