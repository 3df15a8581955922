"""Tiny decks played perfectly: all histories, an equilibrium of them, and best responses."""
