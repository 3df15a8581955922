"""Exact solutions of tiny decks: game trees, equilibria and best responses."""
