"""Interactive lessons for beginners (docs/write-lessons.md)."""
