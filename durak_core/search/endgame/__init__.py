"""Exact solver for endgames without hidden cards."""
