"""Base classes of screens with a board: viewing, replaying and playing a game."""
