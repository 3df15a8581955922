"""Hints during a game: advised actions, win probabilities, and the panel of card knowledge."""
