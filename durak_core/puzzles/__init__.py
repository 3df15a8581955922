"""Puzzles: endgames for two without hidden cards in which a single action keeps the win or the draw."""
