"""Puzzles: two-player endgames without hidden cards in which one action keeps the win or the draw."""
