"""Compiled players and whole games, with the same choices as the corresponding agents."""
