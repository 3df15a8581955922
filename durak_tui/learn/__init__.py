"""Learning: lessons, puzzles, the player's own mistakes, and the daily deal."""
