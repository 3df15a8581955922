"""Interactive lessons for beginners (docs/lessons.md)."""
