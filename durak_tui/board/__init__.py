"""The board with cards, shared by playing, watching, review and puzzles."""
