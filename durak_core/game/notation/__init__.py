"""The texts of docs/notation.md: positions, observations and whole games, written and read."""
