"""The game board, shared by playing, watching, review and puzzles."""
