"""Game review: an engine's evaluation of every move, the board, win-probability curves, and export."""
